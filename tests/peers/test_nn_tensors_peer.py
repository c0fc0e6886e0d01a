"""Modules and losses of Tensors against PyTorch itself, on random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from gradwalk import Tensor, nn
from gradwalk.nn import functional as F  # noqa: N812

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.peer

CLOSE = {"rtol": 1e-9, "atol": 1e-11}


def double(array):
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


def models(library):
    """Networks that are built alike in both libraries."""
    n = library
    return {
        "mlp": (n.Sequential(n.Linear(6, 8), n.GELU(), n.Linear(8, 6), n.Tanh()), (5, 6)),
        "normed": (n.Sequential(n.Linear(6, 8), n.LayerNorm(8), n.SiLU(), n.Linear(8, 3)), (5, 6)),
        "encoder": (
            n.Sequential(
                n.TransformerEncoderLayer(6, 2, 12, 0.0, batch_first=True),
                n.TransformerEncoderLayer(6, 3, 12, 0.0, norm_first=True, batch_first=True),
            ),
            (3, 5, 6),
        ),
        "images": (
            n.Sequential(
                n.Conv2d(2, 3, 3, padding=1), n.ReLU(), n.MaxPool2d(2), n.Flatten(), n.Linear(12, 4)
            ),
            (5, 2, 4, 4),
        ),
    }


@pytest.mark.parametrize("name", ["mlp", "normed", "encoder", "images"])
def test_networks_of_both_libraries_share_their_weights(name):
    torch.manual_seed(0)
    mine, shape = models(nn)[name]
    peer = models(torch.nn)[name][0].to(torch.float64)
    mine.load_state_dict(peer.state_dict())  # PyTorch's tensors as they are
    x = np.random.default_rng(1).normal(size=shape)
    ours, theirs = Tensor(x, requires_grad=True), double(x)
    y, z = mine(ours), peer(theirs)
    np.testing.assert_allclose(y.data, z.detach().numpy(), **CLOSE)
    (y * y).mean().backward()
    (z * z).mean().backward()
    np.testing.assert_allclose(ours.grad, theirs.grad.numpy(), **CLOSE)
    gradients = {key: p.grad for key, p in mine.named_parameters()}
    for key, parameter in peer.named_parameters():
        np.testing.assert_allclose(gradients[key], parameter.grad.numpy(), **CLOSE, err_msg=key)
    back = {key: torch.from_numpy(a) for key, a in mine.state_dict().items()}
    assert [len(part) for part in peer.load_state_dict(back)] == [0, 0]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_with_options_drawn_at_random(seed, reduction):
    draw = np.random.default_rng(seed)
    shape = [(6, 4), (3, 4, 5), (2, 4, 2, 3)][seed % 3]
    x = draw.normal(size=shape) * draw.choice([1.0, 30.0])
    t = draw.integers(0, 4, (shape[0], *shape[2:]))
    t[draw.random(t.shape) < 0.2] = -100
    weight = draw.random(4) + 0.5 if draw.random() < 0.5 else None
    options = {"reduction": reduction, "label_smoothing": float(draw.choice([0.0, 0.2]))}
    ours, theirs = Tensor(x, requires_grad=True), double(x)
    y = F.cross_entropy(ours, t, weight, **options)
    w = None if weight is None else torch.tensor(weight)
    z = torch.nn.functional.cross_entropy(theirs, torch.tensor(t), w, **options)
    np.testing.assert_allclose(y.data, z.detach().numpy(), **CLOSE)
    y.sum().backward()
    z.sum().backward()
    np.testing.assert_allclose(ours.grad, theirs.grad.numpy(), **CLOSE)


@pytest.mark.parametrize("seed", range(6))
def test_attention_with_masks_drawn_at_random(seed):
    draw = np.random.default_rng(seed)
    q, k, v = (draw.normal(size=(2, 3, n, 4)) for n in (5, 6, 6))
    mask = draw.random((2, 1, 5, 6)) < 0.7 if seed % 2 else draw.normal(size=(5, 6))
    ours, theirs = ([f(a) for a in (q, k, v)] for f in (lambda a: Tensor(a, None, True), double))
    y = F.scaled_dot_product_attention(*ours, attn_mask=mask)
    z = torch.nn.functional.scaled_dot_product_attention(*theirs, attn_mask=torch.tensor(mask))
    np.testing.assert_allclose(y.data, z.detach().numpy(), **CLOSE)
    (y**2).sum().backward()
    (z**2).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.grad, b.grad.numpy(), **CLOSE)


def test_initial_weights_are_spread_as_in_pytorch():
    for make in (
        lambda n: n.Linear(60, 80),
        lambda n: n.MultiheadAttention(48, 4),
        lambda n: n.GRU(30, 40),
        lambda n: n.Embedding(50, 60),
    ):
        theirs = [dict(make(torch.nn).named_parameters()) for _ in range(25)]
        ours = [dict(make(nn).named_parameters()) for _ in range(25)]  # one bias of 80 says little
        for name, parameter in ours[0].items():
            assert parameter.shape == tuple(theirs[0][name].shape)
            spread = torch.stack([drawn[name].detach() for drawn in theirs]).std().item()
            found = np.stack([drawn[name].data for drawn in ours]).std()
            assert found == pytest.approx(spread, rel=0.1, abs=1e-12), name
