"""Twelve families of models: they are seen into as a whole, but for what a list names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import gradwalk  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

nn, F, D = torch.nn, torch.nn.functional, torch.float64
Program = Callable[[], Any]
UNSEEN: dict[str, set[str]] = {"diffusion": {"upsample_bilinear2d"}}
"""What is not seen into, by family."""


def transformer() -> Any:
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True, norm_first=True)
    model, tokens = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Embedding(9, 16)
    x = torch.randint(0, 9, (2, 7))
    mask = nn.Transformer.generate_square_subsequent_mask(7)
    y = model.double()(tokens.double()(x), mask=mask.double(), is_causal=True)
    return F.cross_entropy((y @ tokens.weight.T).flatten(0, 1), x.flatten(), label_smoothing=0.1)


def attention() -> Any:
    q, k, v = (torch.randn(2, 2, 5, 4, dtype=D, requires_grad=True) for _ in range(3))
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    mask = torch.rand(2, 1, 5, 5) > 0.3
    mask[..., 0] = True
    return (F.scaled_dot_product_attention(q, k, v, attn_mask=mask) * y).sum()


def cnn() -> Any:
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True),
        nn.MaxPool2d(2), nn.Conv2d(4, 8, 3, groups=2), nn.GroupNorm(2, 8), nn.GELU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 3),
    )  # fmt: skip
    x = torch.randn(4, 1, 8, 8, dtype=D)
    return F.cross_entropy(model.double()(x), torch.tensor([0, 1, 2, 0]))


def lstm() -> Any:
    model = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True).double()
    y, (h, c) = model(torch.randn(2, 5, 3, dtype=D))
    z, _ = nn.GRU(8, 2, batch_first=True).double()(y)
    return z.square().mean() + h.sum() + c.tanh().sum()


def gnn() -> Any:
    edges = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
    x, w = torch.randn(4, 3, dtype=D), nn.Linear(3, 3).double()
    attend = nn.Linear(6, 1).double()
    h = w(x)
    scores = F.leaky_relu(attend(torch.cat([h[edges[0]], h[edges[1]]], dim=1))).squeeze(1)
    scores = (scores - scores.max()).exp()
    sums = torch.zeros(4, dtype=D).scatter_add(0, edges[1], scores)
    weights = (scores / sums[edges[1]]).unsqueeze(1)
    return torch.zeros(4, 3, dtype=D).index_add(0, edges[1], weights * h[edges[0]]).square().sum()


def vae() -> Any:
    encode, decode = nn.Linear(6, 4).double(), nn.Linear(2, 6).double()
    x = torch.rand(5, 6, dtype=D)
    mean, log_variance = encode(x).chunk(2, dim=1)
    z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
    kl = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(1).mean()
    return F.binary_cross_entropy_with_logits(decode(z), x) + kl


def flow() -> Any:
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2)).double()
    x = torch.randn(6, 2, dtype=D)
    a, b = x.split(1, dim=1)
    scale, shift = net(a).chunk(2, dim=1)
    y = torch.stack([a, b * scale.tanh().exp() + shift], dim=2).flatten(1)
    normal = torch.distributions.Normal(torch.zeros(2, dtype=D), torch.ones(2, dtype=D))
    return -(normal.log_prob(y).sum(1) + scale.tanh().sum(1)).mean()


def diffusion() -> Any:
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.SiLU(), nn.Conv2d(4, 1, 3, padding=1))
    x, t = torch.randn(2, 1, 4, 4, dtype=D), torch.rand(2, 1, 1, 1, dtype=D)
    noise = torch.randn_like(x)
    noisy = t.sqrt() * x + (1 - t).sqrt() * noise
    small = F.avg_pool2d(net.double()(noisy), 2)
    return F.mse_loss(F.interpolate(small, scale_factor=2, mode="bilinear"), noise)


def pinn() -> Any:
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)).double()
    x = torch.linspace(0, 1, 5, dtype=D).unsqueeze(1).requires_grad_()
    u = net(x)
    (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (ddu,) = torch.autograd.grad(du.sum(), x, create_graph=True)
    return (ddu + u).square().mean() + u[0].square().sum()


def gaussian_process() -> Any:
    length, noise = (torch.tensor(v, dtype=D, requires_grad=True) for v in (0.5, 0.1))
    x, y = torch.linspace(0, 1, 6, dtype=D), torch.randn(6, dtype=D)
    k = torch.exp(-0.5 * ((x[:, None] - x[None, :]) / length) ** 2) + noise * torch.eye(6, dtype=D)
    root = torch.linalg.cholesky(k)
    alpha = torch.cholesky_solve(y[:, None], root)
    return 0.5 * (y @ alpha.squeeze(1)) + torch.log(torch.diagonal(root)).sum()


def reinforcement() -> Any:
    policy, value = nn.Linear(3, 4).double(), nn.Linear(3, 1).double()
    state = torch.randn(5, 3, dtype=D)
    choice = torch.distributions.Categorical(logits=policy(state))
    action, returns = choice.sample(), torch.randn(5, dtype=D)
    gain = returns - value(state).squeeze(1)
    ratio = (choice.log_prob(action) - choice.log_prob(action).detach()).exp()
    clipped = torch.min(ratio * gain.detach(), ratio.clamp(0.8, 1.2) * gain.detach())
    return -clipped.mean() + F.huber_loss(gain, torch.zeros_like(gain)) - choice.entropy().mean()


def distributions() -> Any:
    a, b = (torch.rand(3, dtype=D).add(0.5).requires_grad_() for _ in range(2))
    d = torch.distributions
    x = torch.tensor([0.2, 0.5, 0.7], dtype=D)
    found = [d.Gamma(a, b), d.Beta(a, b), d.LogNormal(a, b), d.StudentT(a, b), d.Laplace(a, b)]
    mixed = d.MixtureSameFamily(d.Categorical(logits=a), d.Normal(b, a))
    return (
        sum(k.log_prob(x).sum() for k in found)
        + mixed.log_prob(x[0])
        + d.kl_divergence(d.Normal(a, b), d.Normal(b, a)).sum()
    )


def linear_algebra() -> Any:
    a = torch.randn(4, 4, dtype=D, requires_grad=True)
    spd = a @ a.T + torch.eye(4, dtype=D)
    x = torch.linalg.solve(spd, a[:, 0])
    values = torch.linalg.eigvalsh(spd)
    return torch.logdet(spd) + x.norm() + values.log().sum() + torch.linalg.inv(spd).trace()


FAMILIES: list[Program] = [
    transformer, attention, cnn, lstm, gnn, vae, flow, diffusion, pinn, gaussian_process,
    reinforcement, distributions, linear_algebra,
]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_a_family_of_models_is_seen_into_and_agrees(family: Program) -> None:
    torch.manual_seed(0)
    with gradwalk.adopt() as run:
        loss = family()
        loss.backward()
    assert run.opaque.keys() == UNSEEN.get(family.__name__, set())
    assert not run.agreement.differences, run.agreement
    assert run.agreement.gradients
    assert max(run.agreement.values.values()) < 1e-9
    assert not gradwalk.inspect.why(loss)
