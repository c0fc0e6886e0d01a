"""Ordinary correct trainings: no warning in any step, and the doctor finds nothing."""

from __future__ import annotations

import copy
import warnings
from itertools import pairwise
from weakref import ref

import numpy as np
import pytest

from gradwalk import Tensor, Value, grad, nn, no_grad, optim
from gradwalk.data import moons
from gradwalk.inspect import flow
from gradwalk.nn.functional import mse_loss as mse

STEPS = 9
TEXT = "emma olivia ava isabella sophia mia amelia harper evelyn abigail"


def drawn(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


def letters():
    codes = [ord(c) - 96 if c != " " else 0 for c in TEXT]
    return np.array(codes[:-1]), np.array(codes[1:])


def steps(model, loss, optimizer, clip=None):
    """Train, and yield after each step what `flow` looks at."""
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss().backward()
        if clip is not None:
            optim.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        yield model, optimizer


def micrograd_moons():
    rows = moons(24, noise=0.1, seed=0)
    points, labels = rows.inputs, rows.targets
    model = nn.MLP(2, [8, 1], seed=0)
    signs = [2.0 * y - 1.0 for y in labels]

    def loss():
        scores = [model(list(x)) for x in points]
        hinges = [(1.0 - y * s).relu() for y, s in zip(signs, scores, strict=True)]
        return sum(hinges) / len(hinges) + 1e-4 * sum(p * p for p in model.parameters())

    yield from steps(model, loss, optim.SGD(model.parameters(), lr=0.1))


def line_of_values():
    class Line(nn.Module):
        def __init__(self):
            self.slope, self.offset = Value(0.0), Value(0.0)

    line, xs = Line(), [-1.0, 0.0, 1.0, 2.0]

    def loss():
        return sum((line.slope * x + line.offset - (3.0 * x - 1.0)) ** 2 for x in xs) / len(xs)

    yield from steps(line, loss, optim.SGD(line.parameters(), lr=0.1))


def line_by_hand():
    w, b = Tensor(np.zeros(3), requires_grad=True), Tensor(0.0, requires_grad=True)
    x = drawn(20, 3)
    y = x @ np.array([1.0, -2.0, 0.5]) + 0.3
    for _ in range(STEPS):
        ((Tensor(x) @ w + b - y) ** 2).mean().backward()
        with no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad = b.grad = None
        yield None


def bigram():
    x, y = letters()
    model = nn.Embedding(27, 27, seed=0)
    optimizer = optim.SGD(model.parameters(), lr=5.0)
    yield from steps(model, lambda: nn.functional.cross_entropy(model(x), y), optimizer)


def makemore_mlp():
    codes = np.array([ord(c) - 96 if c != " " else 0 for c in TEXT])
    x, y = np.stack([codes[i : i - 3] for i in range(3)], axis=1), codes[3:]
    layers = nn.Linear(30, 20, seed=1), nn.Tanh(), nn.Linear(20, 27, seed=2)
    model = nn.Sequential(nn.Embedding(27, 10, seed=0), nn.Flatten(), *layers)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    yield from steps(model, lambda: nn.functional.cross_entropy(model(x), y), optimizer)


def convolutions():
    model = nn.Sequential(
        *(nn.Conv2d(1, 4, 3, seed=0), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(36, 3, seed=1)),
    )
    x, y = Tensor(drawn(12, 1, 8, 8)), np.arange(12) % 3
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    yield from steps(model, lambda: nn.functional.cross_entropy(model(x), y), optimizer)


def recurrent():
    class Recurrent(nn.Module):
        def __init__(self):
            self.rnn, self.head = nn.RNN(3, 8, seed=0), nn.Linear(8, 2, seed=1)

        def forward(self, x):
            return self.head(self.rnn(x)[0][-1])

    model, x, y = Recurrent(), Tensor(drawn(6, 4, 3)), np.array([0, 1, 0, 1])
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    yield from steps(model, lambda: nn.functional.cross_entropy(model(x), y), optimizer, clip=1.0)


def transformer():
    class GPT(nn.Module):
        def __init__(self):
            self.tokens, self.places = nn.Embedding(27, 16, seed=0), nn.Embedding(8, 16, seed=1)
            self.block = nn.TransformerBlock(16, 2, seed=2)
            self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 27, seed=3)

        def forward(self, x):
            return self.head(self.norm(self.block(self.tokens(x) + self.places(np.arange(8)))))

    x, y = (codes[:32].reshape(4, 8) for codes in letters())
    model = GPT()

    def loss():
        return nn.functional.cross_entropy(model(x).reshape(-1, 27), y.reshape(-1))

    yield from steps(model, loss, optim.AdamW(model.parameters(), lr=0.003))


def autoencoder():
    encoder = nn.Sequential(nn.Linear(8, 3, seed=0), nn.Tanh())
    model = nn.Sequential(encoder, nn.Linear(3, 8, seed=1))
    x = Tensor(drawn(20, 8))
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    yield from steps(model, lambda: mse(model(x), x), optimizer)


def variational_autoencoder():
    class VAE(nn.Module):
        def __init__(self):
            self.encoder, self.decoder = nn.Linear(8, 6, seed=0), nn.Linear(3, 8, seed=1)

        def forward(self, x, noise):
            code = self.encoder(x)
            mean, log_variance = code[:, :3], code[:, 3:]
            return self.decoder(mean + noise * (log_variance * 0.5).exp()), mean, log_variance

    model, x, noise = VAE(), Tensor(drawn(20, 8)), drawn(20, 3)

    def loss():
        again, mean, log_variance = model(x, noise)
        kl = -0.5 * (1.0 + log_variance - mean**2 - log_variance.exp()).sum(axis=1).mean()
        return ((again - x) ** 2).sum(axis=1).mean() + kl

    yield from steps(model, loss, optim.Adam(model.parameters(), lr=0.01))


def network(*widths):
    pairs = pairwise(widths)
    layers = [(nn.Linear(a, b, seed=i), nn.Tanh()) for i, (a, b) in enumerate(pairs)]
    return nn.Sequential(*[m for pair in layers for m in pair][:-1])


X, Y = Tensor(drawn(16, 4)), Tensor(drawn(16, 1))


def frozen_first_layer():
    model = network(4, 8, 1)
    model[0].requires_grad_(False)
    optimizer = optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.05)
    yield from steps(model, lambda: mse(model(X), Y), optimizer)


def head_only():
    model = network(4, 8, 1)
    features = model[:2]
    optimizer = optim.SGD(model[2].parameters(), lr=0.05)
    yield from steps(model[2], lambda: mse(model[2](features(X).detach()), Y), optimizer)


def accumulated_gradients():
    model = network(4, 8, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        for part in range(0, 16, 4):
            rows = slice(part, part + 4)
            (mse(model(X[rows]), Y[rows]) / 4.0).backward()
        optimizer.step()
        yield model, optimizer


def gan():
    generator, critic = network(2, 8, 4), network(4, 8, 1)
    of_generator = optim.Adam(generator.parameters(), lr=0.002)
    of_critic = optim.Adam(critic.parameters(), lr=0.002)
    noise, ones, zeros = Tensor(drawn(16, 2)), Tensor(np.ones((16, 1))), Tensor(np.zeros((16, 1)))
    judge = nn.functional.binary_cross_entropy_with_logits
    for _ in range(STEPS):
        of_critic.zero_grad()
        fake = generator(noise)
        (judge(critic(X), ones) + judge(critic(fake.detach()), zeros)).backward()
        of_critic.step()
        yield critic, of_critic
        of_generator.zero_grad()
        judge(critic(fake), ones).backward()
        of_generator.step()
        yield generator, of_generator


def target_network():
    model = network(4, 8, 2)
    target = copy.deepcopy(model)
    optimizer = optim.Adam(model.parameters(), lr=0.005)
    actions, rows = np.arange(16) % 2, np.arange(16)
    for step in range(STEPS):
        with no_grad():
            wanted = Y[:, 0] + 0.9 * target(X).max(axis=1)
        optimizer.zero_grad()
        nn.functional.smooth_l1_loss(model(X)[rows, actions], wanted).backward()
        optimizer.step()
        if step % 3 == 2:
            target.load_state_dict(model.state_dict())
        yield model, optimizer


def moving_average():
    model = network(4, 8, 1)
    average = copy.deepcopy(model).requires_grad_(False)
    for found in steps(model, lambda: mse(model(X), Y), optim.SGD(model.parameters(), lr=0.05)):
        with no_grad():
            for a, p in zip(average.parameters(), model.parameters(), strict=True):
                a.data = 0.9 * a.data + 0.1 * p.data
        yield found


def values_by_hand():
    w = [Value(x) for x in (0.3, -1.2, 0.8, 0.1)]
    for _ in range(STEPS):
        for p in w:
            p.grad = 0.0
        loss = (w[0] * 2.0 + w[1]).tanh() ** 2 + (w[2] - w[3]).relu()
        loss.backward()
        for p in w:
            p.data -= 0.05 * p.grad
        yield None


def policy_gradient():
    model = network(4, 8, 2)
    optimizer, rng = optim.Adam(model.parameters(), lr=0.01), np.random.default_rng(0)
    for _ in range(STEPS):
        log_p = nn.functional.log_softmax(model(X), -1)
        p = log_p.detach().exp().numpy()
        actions = (rng.random(16) > p[:, 0]).astype(int)
        rewards = np.where(actions == 1, 1.0, -1.0)
        optimizer.zero_grad()
        (-log_p[np.arange(16), actions] * (rewards - rewards.mean())).mean().backward()
        optimizer.step()
        yield model, optimizer


def batch_norm_dropout_and_a_schedule():
    model = nn.Sequential(
        *(nn.Linear(4, 8, seed=0), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.2, seed=1)),
        nn.Linear(8, 1, seed=2),
    )
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    schedule = optim.StepLR(optimizer, 3, gamma=0.5)
    for found in steps(model, lambda: mse(model(X), Y), optimizer):
        schedule.step()
        model.eval()
        with no_grad():
            (model(X) > 0.0).mean().item()
        model.train()
        yield found


def contrastive_pair():
    model, other = network(4, 8, 3), Tensor(drawn(16, 4) + 0.1)

    def loss():
        scores = nn.functional.normalize(model(X)) @ nn.functional.normalize(model(other)).T / 0.5
        return nn.functional.cross_entropy(scores, np.arange(16))

    yield from steps(model, loss, optim.Adam(model.parameters(), lr=0.01))


def tied_weights():
    class Tied(nn.Module):
        def __init__(self):
            self.embedding, self.head = nn.Embedding(27, 8, seed=0), nn.Linear(8, 27, seed=1)
            self.head.weight = self.embedding.weight

        def forward(self, x):
            return self.head(self.embedding(x))

    model, (x, y) = Tied(), letters()
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    yield from steps(model, lambda: nn.functional.cross_entropy(model(x), y), optimizer)


def straight_through():
    model = network(4, 8, 1)

    def loss():
        y = model(X)
        return mse(y + (y.round() - y).detach(), Y)

    yield from steps(model, loss, optim.SGD(model.parameters(), lr=0.05))


def second_head_with_its_optimizer():
    model = nn.ModuleDict({"body": network(4, 8), "first": nn.Linear(8, 1, seed=3)})
    first = optim.SGD(model.parameters(), lr=0.05)
    model["second"] = nn.Linear(8, 1, seed=4)
    second = optim.SGD(model["second"].parameters(), lr=0.05)
    for _ in range(STEPS):
        model.zero_grad()
        inner = model["body"](X).tanh()
        (mse(model["first"](inner), Y) + mse(model["second"](inner), -Y)).backward()
        first.step()
        second.step()
        yield None


def meta_learning():
    w, x, y = Tensor(drawn(4, 1), requires_grad=True), X, Y

    def loss(v):
        return ((x @ v - y) ** 2).mean()

    optimizer = optim.SGD([w], lr=0.05)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss(w - 0.1 * grad(loss)(w)).backward()
        optimizer.step()
        yield None


ORDINARY = [micrograd_moons, line_of_values, line_by_hand, bigram, makemore_mlp, convolutions,
    recurrent, transformer, autoencoder, variational_autoencoder, frozen_first_layer, head_only,
    accumulated_gradients, gan, target_network, moving_average, values_by_hand, policy_gradient,
    batch_norm_dropout_and_a_schedule, contrastive_pair, tied_weights, straight_through,
    second_head_with_its_optimizer, meta_learning]  # fmt: skip


@pytest.mark.parametrize("training", ORDINARY, ids=lambda f: f.__name__)
def test_an_ordinary_training_raises_no_alarm(training):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        reports = [flow(*found) for found in training() if found is not None]
    assert not heard, [str(w.message) for w in heard]
    assert not [str(report) for report in reports if not report]


def appended(model, parameters):
    """Train a network that got a layer after its optimizer was made. Return the warnings."""
    optimizer = optim.SGD(parameters, lr=0.05)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for step in range(STEPS):
            if step == 1:
                model.append(nn.Linear(1, 1, seed=3))
            optimizer.zero_grad()
            mse(model(X), Y).backward()
            optimizer.step()
    return [str(w.message) for w in heard]


@pytest.mark.parametrize("form", [lambda p: p, lambda p: [{"params": p}]])
def test_a_layer_that_no_optimizer_has_is_named_once(form):
    model = network(4, 8, 1)
    (told,) = appended(model, form(model.parameters()))
    assert "3.weight, 3.bias" in told
    assert "optimizer.add_param_group(" in told


def test_a_list_of_some_parameters_is_a_choice():
    model = network(4, 8, 1)
    assert not appended(model, [*model.parameters()])


def test_an_optimizer_does_not_keep_its_model_alive():
    model = network(4, 8, 1)
    alive, optimizer = ref(model), optim.SGD(model.parameters(), lr=0.05)
    del model
    assert alive() is None
    optimizer.zero_grad()
