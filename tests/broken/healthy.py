"""Ninety healthy trainings in ten architectures and more, for tests that must stay quiet.

Each is a function that returns a dictionary: the model, the loss of (output, target), the
optimizer, the data, and how many steps lead to its end.
"""

from __future__ import annotations

import copy
import random
from itertools import pairwise

import numpy as np

import gradwalk.nn.functional as F  # noqa: N812
from gradwalk import Tensor, Value, nn, no_grad, optim
from gradwalk.data import DataLoader, moons

from .trainings import drawn, labels, tokens

ROWS = 24


def made(model, loss, x, y, make=optim.Adam, lr=0.01, steps=60, **others):
    parameters = [p for p in model.parameters() if getattr(p, "requires_grad", True)]
    return {"model": model, "loss": loss, "optimizer": make(parameters, lr=lr), "data": (x, y),
            "steps": steps, **others}  # fmt: skip


def mlp(*widths, activation=nn.Tanh, last=()):
    layers = []
    for i, (a, b) in enumerate(pairwise(widths)):
        layers += [nn.Linear(a, b, seed=i), activation()]
    return nn.Sequential(*layers[:-1], *last)


def momentum(parameters, lr):
    return optim.SGD(parameters, lr, momentum=0.9)


def decayed(parameters, lr):
    return optim.AdamW(parameters, lr, weight_decay=0.05)


# --- perceptrons ----------------------------------------------------------------------------------


def mlp_of_classes():
    return made(mlp(4, 16, 3), F.cross_entropy, drawn(ROWS, 4), labels(), steps=300)


def mlp_with_relu_and_momentum():
    return made(
        mlp(4, 16, 16, 3, activation=nn.ReLU),
        F.cross_entropy,
        drawn(ROWS, 4),
        labels(),
        momentum,
        0.05,
    )


def deep_mlp_with_gelu():
    return made(mlp(4, *[12] * 6, 3, activation=nn.GELU), F.cross_entropy, drawn(ROWS, 4), labels())


def mlp_with_log_softmax():
    return made(mlp(4, 8, 3, last=(nn.LogSoftmax(-1),)), F.nll_loss, drawn(ROWS, 4), labels())


def mlp_of_probabilities():
    def loss(p, y):
        return -p[np.arange(len(y)), y].log().mean()

    return made(mlp(4, 8, 3, last=(nn.Softmax(-1),)), loss, drawn(ROWS, 4), labels())


def mlp_in_batches():
    x, y = drawn(64, 4), labels(64)
    loader = DataLoader((x, y), batch_size=16, shuffle=True, seed=0)
    return {**made(mlp(4, 8, 3), F.cross_entropy, x, y), "data": loader}


def regression_float32():
    model = mlp(4, 16, 1).to("float32")
    x, y = drawn(ROWS, 4).astype(np.float32), drawn(ROWS, 1).astype(np.float32)
    return made(model, F.mse_loss, x, y, optim.RMSprop, 0.005)


def regression_that_converges():
    x = drawn(40, 4)
    return made(
        nn.Linear(4, 1, seed=0), F.mse_loss, x, x @ drawn(4, 1) + 0.3, optim.SGD, 0.3, steps=900
    )


def regression_that_adam_converges():
    x = drawn(40, 3)
    return made(
        nn.Linear(3, 2, seed=0), F.mse_loss, x, x @ drawn(3, 2), optim.Adam, 0.05, steps=900
    )


def tiny_net_that_converges():
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([[0.0], [1.0], [1.0], [0.0]])
    return made(mlp(2, 8, 1), F.mse_loss, x, y, optim.Adam, 0.05, steps=900)


def target_of_zeros():
    x = drawn(ROWS, 3)
    return made(
        nn.Linear(3, 1, seed=0), F.mse_loss, x, np.zeros((ROWS, 1)), optim.SGD, 0.3, steps=500
    )


def noisy_regression_that_converges():
    x = drawn(60, 3)
    return made(
        nn.Linear(3, 1, seed=0),
        F.mse_loss,
        x,
        x @ drawn(3, 1) + drawn(60, 1),
        optim.SGD,
        0.2,
        steps=600,
    )


def logistic_regression():
    y = labels(ROWS, 2).astype(float)[:, None]
    return made(
        nn.Linear(4, 1, seed=0),
        F.binary_cross_entropy_with_logits,
        drawn(ROWS, 4),
        y,
        optim.SGD,
        0.5,
        200,
    )


def logistic_regression_with_sigmoid():
    y = labels(ROWS, 2).astype(float)[:, None]
    model = nn.Sequential(nn.Linear(4, 1, seed=0), nn.Sigmoid())
    return made(model, F.binary_cross_entropy, drawn(ROWS, 4), y, optim.SGD, 0.5, 200)


def separable_classes_that_converge():
    y = labels(ROWS, 2)
    x = drawn(ROWS, 2) * 0.3 + 3.0 * np.stack([y, -y], 1)
    return made(nn.Linear(2, 2, seed=0), F.cross_entropy, x, y, optim.Adam, 0.5, steps=400)


def column_of_ones_without_bias():
    x = np.concatenate([drawn(ROWS, 2), np.ones((ROWS, 1))], 1)
    return made(nn.Linear(3, 1, bias=False, seed=0), F.mse_loss, x, drawn(ROWS, 1), optim.SGD, 0.1)


# --- Values ---------------------------------------------------------------------------------------


def sum_of_squares(out, y):
    return sum((a - b) ** 2 for a, b in zip(out, y, strict=True)) / len(y)


def moons_of_values():
    rows = moons(16, noise=0.1, seed=0)
    signs = [2.0 * t - 1.0 for t in rows.targets]

    def loss(out, y):
        return sum((1.0 - t * s).relu() for s, t in zip(out, y, strict=True)) / len(y)

    return made(
        nn.MLP(2, [6, 1], seed=0), loss, np.array(rows.inputs), np.array(signs), optim.SGD, 0.1, 20
    )


class Line(nn.Module):
    def __init__(self):
        self.slope, self.offset = Value(0.0), Value(0.0)

    def forward(self, x):
        return self.slope * x + self.offset


def line_of_values():
    x = np.array([-1.0, 0.0, 1.0, 2.0])
    return made(Line(), sum_of_squares, x, 3.0 * x - 1.0, optim.SGD, 0.2, 400)


def curve_of_values():
    x = np.linspace(-1.0, 1.0, 10)
    return made(
        nn.MLP(1, [6, 1], seed=0), sum_of_squares, x[:, None], np.sin(3.0 * x), optim.Adam, 0.05, 40
    )


# --- images, sequences, words ---------------------------------------------------------------------


def convolutions():
    layers = (
        nn.Conv2d(1, 4, 3, seed=0),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(36, 3, seed=1),
    )
    return made(nn.Sequential(*layers), F.cross_entropy, drawn(ROWS, 1, 8, 8), labels())


def convolutions_with_batch_norm():
    first = nn.Conv2d(1, 4, 3, seed=0), nn.BatchNorm2d(4), nn.ReLU()
    second = nn.Conv2d(4, 4, 3, seed=1), nn.BatchNorm2d(4), nn.ReLU()
    return made(
        nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(64, 3, seed=2)),
        F.cross_entropy,
        drawn(ROWS, 1, 8, 8),
        labels(),
    )


def batch_norm_twin_of_sigmoids():
    layers = [
        m for i in range(6) for m in (nn.Linear(4, 4, seed=i), nn.BatchNorm1d(4), nn.Sigmoid())
    ]
    return made(
        nn.Sequential(*layers, nn.Linear(4, 3, seed=9)), F.cross_entropy, drawn(ROWS, 4), labels()
    )


def images_as_rows():
    x = drawn(ROWS, 64)
    x[:, :8] = 0.0  # the edge
    return made(mlp(64, 16, 3, activation=nn.ReLU), F.cross_entropy, x, labels())


class Recurrent(nn.Module):
    def __init__(self, kind):
        self.rnn, self.head = kind(3, 6, batch_first=True, seed=0), nn.Linear(6, 3, seed=1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


def recurrent(kind):
    def program():
        return made(Recurrent(kind), F.cross_entropy, drawn(ROWS, 5, 3), labels(), steps=30)

    program.__name__ = f"recurrent_{kind.__name__.lower()}"
    return program


class Projected(nn.Module):
    def __init__(self):
        self.inner, self.rnn = nn.Linear(3, 6, seed=2), nn.GRU(6, 6, batch_first=True, seed=0)
        self.head = nn.Linear(6, 1, seed=1)

    def forward(self, x):
        return self.head(self.rnn(self.inner(x))[0][:, -1])


def projection_before_a_gru():
    return made(Projected(), F.mse_loss, drawn(ROWS, 5, 3), drawn(ROWS, 1), steps=30)


class Letters(nn.Module):
    def __init__(self):
        self.tokens, self.places = nn.Embedding(11, 8, seed=0), nn.Embedding(6, 8, seed=1)
        self.blocks = nn.ModuleList(
            nn.TransformerBlock(8, 2, 16, 0.1, batch_first=True, seed=i) for i in range(2)
        )
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 11, seed=3)

    def forward(self, x):
        h = self.tokens(x) + self.places(np.arange(6))
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


def over_letters(out, y):
    return F.cross_entropy(out.reshape(-1, out.shape[-1]), y.reshape(-1))


def gpt_of_letters():
    x = tokens(12, 7)
    return made(Letters(), over_letters, x[:, :-1], x[:, 1:], optim.AdamW, 0.003, 30)


class Attention(nn.Module):
    def __init__(self):
        self.q, self.k, self.v = (nn.Linear(6, 6, seed=i) for i in range(3))
        self.out, self.head = nn.Linear(6, 6, seed=3), nn.Linear(6, 3, seed=4)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose((0, 2, 1)) / 6**0.5
        return self.head((x + self.out(F.softmax(scores, -1) @ self.v(x))).mean(axis=1))


def attention():
    return made(Attention(), F.cross_entropy, drawn(ROWS, 5, 6), labels(), steps=40)


class Words(nn.Module):
    def __init__(self, tied):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, 11, seed=1)
        if tied:
            self.head.weight = self.table.weight

    def forward(self, x):
        return self.head(self.table(x))


def words(tied):
    def program():
        x = tokens()
        return made(Words(tied), F.cross_entropy, x[:, 0], x[:, 1])

    program.__name__ = "tied_words" if tied else "words"
    return program


def tied_words_with_one_penalty():
    model, x = Words(True), tokens()

    def loss(out, y):
        return F.cross_entropy(out, y) + 1e-3 * sum((p**2).sum() for p in model.parameters())

    return made(model, loss, x[:, 0], x[:, 1])


# --- coders ---------------------------------------------------------------------------------------


def autoencoder():
    x = drawn(ROWS, 8)
    return made(mlp(8, 3, 8), F.mse_loss, x, x)


def linear_autoencoder():
    x = drawn(ROWS, 8)
    return made(
        nn.Sequential(nn.Linear(8, 3, seed=0), nn.Linear(3, 8, seed=1)), F.mse_loss, x, x, steps=200
    )


class VAE(nn.Module):
    def __init__(self):
        self.encoder, self.decoder = nn.Linear(8, 6, seed=0), nn.Linear(3, 8, seed=1)
        self.noise = np.random.default_rng(0)

    def forward(self, x):
        code = self.encoder(x)
        mean, log_variance = code[:, :3], code[:, 3:]
        noise = self.noise.normal(size=mean.shape)
        return self.decoder(mean + noise * (log_variance * 0.5).exp()), mean, log_variance


def variational_autoencoder():
    def loss(out, x):
        again, mean, log_variance = out
        kl = -0.5 * (1.0 + log_variance - mean**2 - log_variance.exp()).sum(axis=1).mean()
        return ((again - x) ** 2).sum(axis=1).mean() + kl

    x = drawn(ROWS, 8)
    return made(VAE(), loss, x, x)


# --- several networks -----------------------------------------------------------------------------


def judge(score, goal):
    return F.binary_cross_entropy_with_logits(score, np.full(score.shape, goal))


def gan(of_critic):
    def program():
        generator, critic = mlp(2, 8, 4), mlp(4, 8, 1, activation=nn.LeakyReLU)
        other = optim.Adam((generator if of_critic else critic).parameters(), lr=0.002)
        noise = Tensor(drawn(ROWS, 2))

        def loss_of_critic(real, ones):
            return judge(real, 1.0) + judge(critic(generator(noise).detach()), 0.0)

        def loss_of_generator(fake, ones):
            return judge(critic(fake), 1.0)

        model, loss = (critic, loss_of_critic) if of_critic else (generator, loss_of_generator)
        x = drawn(ROWS, 4) if of_critic else drawn(ROWS, 2)
        return made(model, loss, x, np.ones((ROWS, 1)), lr=0.002, other=other)

    program.__name__ = "gan_critic" if of_critic else "gan_generator"
    return program


def q_learning():
    model = mlp(4, 8, 2)
    target = copy.deepcopy(model)
    following, rewards = Tensor(drawn(ROWS, 4, seed=3)), drawn(ROWS)

    def loss(q, actions):
        with no_grad():
            goal = rewards + 0.9 * target(following).max(axis=1)
        return F.smooth_l1_loss(q[np.arange(len(q)), actions], goal)

    return made(model, loss, drawn(ROWS, 4), labels(ROWS, 2), lr=0.005)


class Pair(nn.Module):
    def __init__(self):
        self.inner = mlp(4, 8, 3)

    def forward(self, a, b):
        return ((self.inner(a) - self.inner(b)) ** 2).sum(axis=1)


def siamese():
    def loss(distance, same):
        return (same * distance + (1.0 - same) * (1.0 - distance).relu()).mean()

    y = labels(ROWS, 2).astype(float)
    found = made(Pair(), loss, None, None)
    return {**found, "data": (drawn(ROWS, 4), drawn(ROWS, 4, seed=1), y)}


class Towers(nn.Module):
    def __init__(self):
        self.left, self.right = mlp(4, 8, 3), mlp(4, 8, 3)

    def forward(self, a, b):
        return self.left(a) @ self.right(b).T


def two_towers():
    found = made(Towers(), F.cross_entropy, None, None)
    return {**found, "data": (drawn(ROWS, 4), drawn(ROWS, 4, seed=1), np.arange(ROWS))}


def distillation():
    teacher, model = mlp(4, 16, 3), mlp(4, 6, 3)

    def loss(out, x):
        with no_grad():
            goal = F.softmax(teacher(x), -1)
        return -(goal * F.log_softmax(out, -1)).sum(axis=-1).mean()

    x = drawn(ROWS, 4)
    return made(model, loss, x, x)


# --- fine-tuning, and starts from 0 ---------------------------------------------------------------


def frozen_layers():
    model = mlp(4, 8, 8, 3)
    model[0].requires_grad_(False)
    return made(model, F.cross_entropy, drawn(ROWS, 4), labels(), optim.SGD, 0.1)


def zero_head():
    model = mlp(4, 8, 3)
    for p in model[2].parameters():
        p.data = np.zeros(p.shape)
    return made(model, F.cross_entropy, drawn(ROWS, 4), labels())


class Gated(nn.Module):
    def __init__(self):
        self.start, self.block, self.head = (
            nn.Linear(4, 8, seed=0),
            mlp(8, 8, 8),
            nn.Linear(8, 3, seed=4),
        )
        self.gate = Tensor(np.zeros(8), requires_grad=True)

    def forward(self, x):
        h = self.start(x).tanh()
        return self.head(h + self.gate * self.block(h))


def gate_of_zero():
    return made(Gated(), F.cross_entropy, drawn(ROWS, 4), labels())


def schedule_clipping_and_decay():
    found = made(
        mlp(4, 16, 3, last=(nn.Dropout(0.1, seed=0),)),
        F.cross_entropy,
        drawn(ROWS, 4),
        labels(),
        decayed,
    )
    return {**found, "scheduler": optim.CosineAnnealingLR(found["optimizer"], 60), "clip": 1.0}


def layer_norms_and_dropout():
    layers = (
        nn.Linear(4, 12, seed=0),
        nn.LayerNorm(12),
        nn.GELU(),
        nn.Dropout(0.2, seed=0),
        nn.Linear(12, 3, seed=1),
    )
    return made(nn.Sequential(*layers), F.cross_entropy, drawn(ROWS, 4), labels())


def penalty_in_the_loss():
    model = mlp(4, 8, 1)

    def loss(out, y):
        return F.mse_loss(out, y) + 1e-3 * sum((p**2).sum() for p in model.parameters())

    return made(model, loss, drawn(ROWS, 4), drawn(ROWS, 1), momentum, 0.02)


# --- what looks like a mistake --------------------------------------------------------------------


class Noisy(nn.Module):
    def __init__(self):
        self.inner = mlp(4, 8, 3)

    def forward(self, x):
        return self.inner(x + 0.01 * np.random.normal(size=x.shape) * (1.0 + random.random()))


def noise_of_the_global_generators():
    return made(Noisy(), F.cross_entropy, drawn(ROWS, 4), labels())


class Experts(nn.Module):
    def __init__(self):
        self.gate, self.experts = nn.Linear(4, 3, seed=0), [mlp(4, 6 + i, 3) for i in range(3)]

    def forward(self, x):
        shares = F.softmax(self.gate(x), -1)
        return sum(shares[:, i : i + 1] * f(x) for i, f in enumerate(self.experts))


def mixture_of_experts():
    return made(Experts(), F.cross_entropy, drawn(ROWS, 4), labels())


def value_network():
    model = mlp(4, 8, 1)
    following, rewards = Tensor(drawn(ROWS, 4, seed=3)), Tensor(drawn(ROWS, 1))

    def loss(value, _):
        return ((value - (rewards + 0.9 * model(following).detach())) ** 2).mean()

    return made(model, loss, drawn(ROWS, 4), np.zeros((ROWS, 1)), lr=0.003)


class TwinCritics(nn.Module):
    def __init__(self):
        self.first, self.second = mlp(4, 8, 1), mlp(4, 8, 1)

    def forward(self, x):
        return self.first(x), self.second(x)


def twin_critics():
    def loss(out, y):
        return sum(((q - y) ** 2).mean() for q in out)

    return made(TwinCritics(), loss, drawn(ROWS, 4), drawn(ROWS, 1))


def two_towers_with_two_optimizers():
    image, text = mlp(4, 8, 3), mlp(4, 8, 3)
    other, words_of = optim.Adam(text.parameters(), lr=0.01), Tensor(drawn(ROWS, 4, seed=1))

    def loss(out, y):
        return F.cross_entropy(out @ text(words_of).T, y)

    return made(image, loss, drawn(ROWS, 4), np.arange(ROWS), other=other)


def coder_with_two_optimizers():
    encoder, decoder = mlp(8, 6, 3), mlp(3, 8)
    other, x = optim.Adam(encoder.parameters(), lr=0.01), Tensor(drawn(ROWS, 8))

    def loss(_, y):
        return F.mse_loss(decoder(encoder(x)), y)

    return made(decoder, loss, drawn(ROWS, 3), x.numpy(), other=other)


class Graph(nn.Module):
    def __init__(self):
        edges = (drawn(ROWS, ROWS) > 1.0).astype(float) + np.eye(ROWS)
        self.edges = Tensor(edges / edges.sum(1, keepdims=True))
        self.one, self.two = nn.Linear(4, 8, seed=0), nn.Linear(8, 3, seed=1)

    def forward(self, x):
        return self.two(self.edges @ self.one(self.edges @ x).relu())


def graph_network():
    return made(Graph(), F.cross_entropy, drawn(ROWS, 4), labels())


def masked_labels():
    y = np.where(labels() == 2, -1, labels())

    def loss(out, t):
        kept = np.asarray(t.data) >= 0
        chosen = F.log_softmax(out, -1)[np.arange(ROWS), np.where(kept, t.data, 0)]
        return -(chosen * kept).sum() / kept.sum()

    return made(mlp(4, 8, 3), loss, drawn(ROWS, 4), y)


def ignored_labels():
    y = np.where(labels() == 2, -1, labels())
    return made(
        mlp(4, 8, 3), lambda out, t: F.cross_entropy(out, t, ignore_index=-1), drawn(ROWS, 4), y
    )


def hinge_of_signs():
    y = 2.0 * labels(ROWS, 2)[:, None] - 1.0
    return made(
        mlp(4, 8, 1), lambda out, t: (1.0 - out * t).relu().mean(), drawn(ROWS, 4), y, steps=400
    )


def logistic_loss_of_signs():
    y = 2.0 * labels(ROWS, 2)[:, None] - 1.0
    return made(mlp(4, 8, 1), lambda out, t: (-out * t).softplus().mean(), drawn(ROWS, 4), y)


def largest_margin():
    def loss(out, t):
        rows = np.arange(ROWS)
        others = out - 1e3 * np.eye(3)[np.asarray(t.data)]
        return (1.0 + others.max(axis=1) - out[rows, t]).relu().mean()

    return made(mlp(4, 8, 3), loss, drawn(ROWS, 4), labels())


class Gaussian(nn.Module):
    def __init__(self):
        self.mean, self.scale = mlp(4, 8, 1), Tensor(np.ones(1), requires_grad=True)

    def forward(self, x):
        return self.mean(x)


def gaussian_likelihood():
    model = Gaussian()

    def loss(out, y):
        variance = model.scale**2 + 1e-3
        return (0.5 * (out - y) ** 2 / variance + 0.5 * variance.log()).mean()

    return made(model, loss, drawn(ROWS, 4), drawn(ROWS, 1))


class LowRank(nn.Module):
    def __init__(self):
        self.base = nn.Linear(8, 8, seed=0).requires_grad_(False)
        self.down = nn.Linear(8, 2, bias=False, seed=1)
        self.up = Tensor(np.zeros((8, 2)), requires_grad=True)

    def forward(self, x):
        return self.base(x) + self.down(x) @ self.up.T


def low_rank_adaptation():
    return made(LowRank(), F.mse_loss, drawn(ROWS, 8), drawn(ROWS, 8))


class Looped(nn.Module):
    def __init__(self):
        self.start, self.inner, self.head = (
            nn.Linear(a, b, seed=a) for a, b in ((4, 8), (8, 8), (8, 3))
        )

    def forward(self, x):
        h = self.start(x).tanh()
        for _ in range(3):
            h = self.inner(h).tanh()
        return self.head(h)


def one_layer_in_a_loop():
    return made(Looped(), F.cross_entropy, drawn(ROWS, 4), labels())


def physics():
    model, x = mlp(1, 8, 1), np.linspace(0.0, 1.0, ROWS)[:, None]

    def loss(out, t):
        step = 1e-3
        slope = (model(t + step) - model(t - step)) / (2.0 * step)
        return ((slope + out) ** 2).mean() + (model(Tensor([[0.0]])) - 1.0).square().sum()

    return made(model, loss, x, x, lr=0.01)


def batches_of_one_step_each():
    """Accumulate the gradients of two batches on purpose."""
    model = mlp(4, 8, 3)
    found = made(model, F.cross_entropy, drawn(ROWS, 4), labels())
    optimizer, taken = found["optimizer"], [0]

    def step(x, y):
        (F.cross_entropy(model(x), y) / 2.0).backward()
        taken[0] += 1
        if taken[0] % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()

    return {**found, "step": step}


def step_that_clears_at_its_end():
    model = mlp(4, 8, 3, last=(nn.Dropout(0.1, seed=0),))
    found = made(model, F.cross_entropy, drawn(ROWS, 4), labels())
    optimizer = found["optimizer"]

    def step(x, y):
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()

    return {**found, "step": step}


def rare_class_in_order():
    y = np.zeros(96, int)
    y[[5, 50, 90]] = 1
    loader = DataLoader((drawn(96, 4), y), batch_size=8, seed=0)
    return {**made(mlp(4, 8, 2), F.cross_entropy, None, None), "data": loader}


def series_in_order():
    t = np.arange(96.0)[:, None] / 96.0
    loader = DataLoader(
        (np.concatenate([t, np.sin(9.0 * t)], 1), np.cos(9.0 * t)), batch_size=8, seed=0
    )
    return {**made(mlp(2, 8, 1), F.mse_loss, None, None), "data": loader}


def truth_table():
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([[0.0], [0.0], [1.0], [1.0]])
    return made(mlp(2, 4, 1), F.binary_cross_entropy_with_logits, x, y)


def warmup():
    found = made(mlp(4, 8, 3), F.cross_entropy, drawn(ROWS, 4), labels(), decayed)
    return {**found, "scheduler": optim.LinearLR(found["optimizer"], 1e-9, total_iters=30)}


def full_softmax_regression():
    return made(
        nn.Linear(4, 3, seed=0), F.cross_entropy, drawn(ROWS, 4), labels(), optim.SGD, 0.5, 300
    )


class Teacher(nn.Module):
    def __init__(self):
        self.student, self.target = mlp(4, 8, 3), mlp(4, 8, 3).requires_grad_(False)

    def forward(self, x):
        return self.student(x), self.target(x)


def average_teacher():
    def loss(out, x):
        return ((out[0] - out[1]) ** 2).mean()

    x = drawn(ROWS, 4)
    found = made(Teacher(), loss, x, x)
    with no_grad():
        for p in found["model"].target.parameters():
            p.data = p.data * 0.5
    return found


def frozen_critic():
    critic = mlp(3, 8, 1).requires_grad_(False)

    def loss(out, _):
        return (critic(out) - 1.0).square().mean()

    return made(mlp(4, 8, 3), loss, drawn(ROWS, 4), np.ones((ROWS, 1)))


class Residual(nn.Module):
    def __init__(self):
        self.inner, self.head = mlp(4, 8, 4, activation=nn.ReLU), nn.Linear(4, 3, seed=3)

    def forward(self, x):
        return self.head(x + self.inner(x))


def path_around_a_layer():
    return made(Residual(), F.cross_entropy, drawn(ROWS, 4), labels())


def powers_with_a_bias():
    t = drawn(ROWS)
    powers = np.stack([t**i for i in range(4)], axis=1)
    return made(nn.Linear(4, 1, seed=0), F.mse_loss, powers, np.sin(t)[:, None])


# --- near to mistakes of steps, samples, ranges and signs -----------------------------------------


class NormByHand(nn.Module):
    """Statistics of a batch, by hand, in both modes."""

    def __init__(self):
        self.first, self.second = nn.Linear(4, 8, seed=0), nn.Linear(8, 3, seed=1)

    def forward(self, x):
        h = self.first(x)
        h = (h - h.mean(axis=0)) / ((h - h.mean(axis=0)).square().mean(axis=0) + 1e-5).sqrt()
        return self.second(h.relu())


def batch_norm_by_hand():
    return made(NormByHand(), F.cross_entropy, drawn(ROWS, 4), labels())


class Views(nn.Module):
    def __init__(self):
        self.inner = mlp(4, 8, 3)

    def forward(self, a, b):
        one, two = self.inner(a), self.inner(b)
        return (one / (one**2).sum(axis=1, keepdims=True).sqrt()) @ two.T


def contrast_of_two_views():
    x = drawn(ROWS, 4)
    found = made(Views(), lambda out, y: F.cross_entropy(out / 0.2, y), None, None)
    return {**found, "data": (x + 0.1 * drawn(ROWS, 4, seed=1), x, np.arange(ROWS))}


class AmongRows(nn.Module):
    """Attention among the samples, which are a set."""

    def __init__(self):
        self.inner, self.head = nn.Linear(4, 6, seed=0), nn.Linear(6, 3, seed=1)

    def forward(self, x):
        h = self.inner(x)
        return self.head(h + F.softmax(h @ h.T / 6**0.5, -1) @ h)


def attention_among_rows():
    return made(AmongRows(), F.cross_entropy, drawn(ROWS, 4), labels())


class OneSeries(nn.Module):
    """A recurrence over the rows, which are one series."""

    def __init__(self):
        self.rnn, self.head = nn.GRU(2, 6, seed=0), nn.Linear(6, 1, seed=1)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


def one_series():
    t = np.arange(40.0)[:, None]
    x = np.concatenate([np.sin(0.4 * t), np.cos(0.3 * t)], 1)
    return made(OneSeries(), F.mse_loss, x, np.sin(0.4 * t + 1.0), steps=30)


def moments_before_samples():
    """Batches of (time, samples, numbers), as recurrent layers take them."""
    data = [(Tensor(drawn(7, 5, 2, seed=i)), Tensor(drawn(7, 5, 1, seed=i))) for i in range(3)]
    return {**made(OneSeries(), F.mse_loss, None, None, steps=30), "data": data}


class ByTime(nn.Module):
    """Scores of (time, samples, classes), with as many times as samples in an experiment."""

    def __init__(self):
        self.rnn, self.head = nn.GRU(2, 6, batch_first=True, seed=0), nn.Linear(6, 4, seed=1)

    def forward(self, x):
        return F.log_softmax(self.head(self.rnn(x)[0]), -1).transpose((1, 0, 2))


def outputs_by_time():
    """The loss of sequences without places, whose scores have time first."""
    y = np.random.default_rng(0).integers(1, 4, size=(16, 3))

    def loss(out, t):
        return F.ctc_loss(out, t, np.full(len(t), 12), np.full(len(t), 3))

    return made(ByTime(), loss, drawn(16, 12, 2), y, steps=10)


class Transposed(nn.Module):
    def __init__(self):
        self.layer = nn.TransformerEncoderLayer(6, 2, 12, dropout=0.1, seed=0)
        self.head = nn.Linear(6, 3, seed=1)

    def forward(self, x):
        return self.head(self.layer(x.transpose((1, 0, 2))).mean(axis=0))


def transposed_for_an_encoder():
    return made(Transposed(), F.cross_entropy, drawn(ROWS, 5, 6), labels(), steps=30)


def positive_targets(last, raised=0.0):
    def program():
        y = np.exp(0.5 * drawn(ROWS, 1)) + raised
        return made(mlp(4, 8, 1, last=(last(),)), F.mse_loss, drawn(ROWS, 4), y)

    program.__name__ = f"positive_targets_of_{last.__name__.lower()}"
    return program


def targets_a_little_beyond_a_sigmoid():
    y = np.where(labels(ROWS, 2) == 1, 0.97, 0.03)[:, None] + 0.02 * drawn(ROWS, 1)
    return made(mlp(4, 8, 1, last=(nn.Sigmoid(),)), F.mse_loss, drawn(ROWS, 4), y)


def policy_of_costs():
    """A policy gradient with rewards below 0: the loss has no bound."""
    advantage = -1.0 - abs(drawn(ROWS))

    def loss(out, actions):
        return -(F.log_softmax(out, -1)[np.arange(ROWS), actions] * advantage).mean()

    return made(mlp(4, 8, 3), loss, drawn(ROWS, 4), labels())


def policy_of_quantities():
    """Actions of a normal policy, and rewards of both signs."""
    advantage = drawn(ROWS, 1)

    def loss(mean, actions):
        return (0.5 * advantage * (actions - mean) ** 2).mean()

    return made(mlp(4, 8, 1), loss, drawn(ROWS, 4), drawn(ROWS, 1), lr=0.002)


def critic_without_bound():
    """A Wasserstein critic, whose weights are clipped after each step."""
    generator, critic = mlp(2, 8, 4), mlp(4, 8, 1, activation=nn.LeakyReLU)
    other = optim.RMSprop(generator.parameters(), lr=0.001)
    noise = Tensor(drawn(ROWS, 2))

    def loss(real, ones):
        return critic(generator(noise).detach()).mean() - real.mean()

    return made(critic, loss, drawn(ROWS, 4), np.ones((ROWS, 1)), lr=0.001, other=other)


class Normal(nn.Module):
    def __init__(self):
        self.mean, self.log_scale = mlp(4, 8, 1), mlp(4, 8, 1)

    def forward(self, x):
        return self.mean(x), self.log_scale(x) - 3.0


def likelihood_below_zero():
    """Small targets have a density above 1, and a loss below 0."""

    def loss(out, y):
        mean, log_scale = out
        return (0.5 * ((y - mean) / log_scale.exp()) ** 2 + log_scale).mean()

    return made(Normal(), loss, drawn(ROWS, 4), 1e-2 * drawn(ROWS, 1), lr=0.003)


def likelihood_that_is_maximized():
    model = mlp(4, 8, 3)
    optimizer = optim.SGD(model.parameters(), lr=0.1, maximize=True)

    def loss(out, y):
        return F.log_softmax(out, -1)[np.arange(ROWS), y].mean()

    found = made(model, lambda out, y: loss(out, y), drawn(ROWS, 4), labels())
    return {**found, "optimizer": optimizer, "rises": True}


class Prototypes(nn.Module):
    def __init__(self):
        self.inner, self.points = mlp(4, 8, 3), Tensor(drawn(3, 3), requires_grad=True)

    def forward(self, x):
        return ((self.inner(x)[:, None] - self.points) ** 2).sum(axis=2)


def distances_to_prototypes():
    return made(Prototypes(), lambda d, y: F.cross_entropy(-d, y), drawn(ROWS, 4), labels())


def density_of_one_column():
    class Density(nn.Module):
        def __init__(self):
            self.mean = Tensor(np.zeros(1), requires_grad=True)
            self.log_scale = Tensor(np.zeros(1), requires_grad=True)

        def forward(self, x):
            z = (x - self.mean) / self.log_scale.exp()
            return (-0.5 * z**2 - self.log_scale - 0.5 * np.log(2.0 * np.pi))[:, 0]

    found = made(Density(), lambda out, x: -out.mean(), None, None, lr=0.05)
    x = 1.0 + 2.0 * drawn(60, 1)
    return {**found, "data": (x, x)}


class Adapted(nn.Module):
    """A square layer of low rank beside a frozen one; one factor starts from 0."""

    def __init__(self):
        self.base = nn.Linear(8, 8, seed=0).requires_grad_(False)
        self.a = Tensor(0.3 * drawn(8, 2), requires_grad=True)
        self.b = Tensor(np.zeros((2, 8)), requires_grad=True)

    def forward(self, x):
        return self.base(x) + x @ self.a @ self.b


def low_rank_with_one_zero():
    return made(Adapted(), F.mse_loss, drawn(ROWS, 8), drawn(ROWS, 8))


class Residuals(nn.Module):
    """Blocks whose last layers start from 0."""

    def __init__(self):
        self.start, self.head = nn.Linear(4, 8, seed=0), nn.Linear(8, 3, seed=1)
        self.blocks = nn.ModuleList(mlp(8, 8, 8) for _ in range(3))
        for block in self.blocks:
            for p in block[2].parameters():
                p.data = np.zeros(p.shape)

    def forward(self, x):
        h = self.start(x)
        for block in self.blocks:
            h = h + block(h)
        return self.head(h)


def residual_blocks_of_zeros():
    return made(Residuals(), F.cross_entropy, drawn(ROWS, 4), labels())


def four_batches_for_a_step():
    """Gradients add up over four batches, and the optimizer begins the fifth step."""
    model = mlp(4, 8, 3)
    loader = DataLoader((drawn(64, 4), labels(64)), batch_size=8, shuffle=True, seed=0)
    found = {**made(model, F.cross_entropy, None, None), "data": loader}
    optimizer, taken = found["optimizer"], [0]

    def step(x, y):
        if taken[0] and taken[0] % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
        taken[0] += 1
        (F.cross_entropy(model(x), y) / 4.0).backward()

    return {**found, "step": step}


def step_with_two_optimizers():
    """Each step trains the critic; every third one the generator, too."""
    generator, critic, taken = mlp(2, 8, 4), mlp(4, 8, 1), [0]
    other, noise = optim.Adam(critic.parameters(), lr=0.01), Tensor(drawn(ROWS, 2))

    def loss(fake, ones):
        return judge(critic(fake), 1.0)

    found = made(generator, loss, drawn(ROWS, 2), np.ones((ROWS, 1)), lr=0.002, other=other)

    def step(x, ones):
        other.zero_grad()
        (
            judge(critic(Tensor(drawn(ROWS, 4))), 1.0) + judge(critic(generator(x).detach()), 0.0)
        ).backward()
        other.step()
        taken[0] += 1
        if taken[0] % 3 == 0:
            found["optimizer"].zero_grad()
            loss(generator(noise), ones).backward()
            found["optimizer"].step()

    return {**found, "step": step}


def step_with_a_closure():
    """The gradients come after the call of the optimizer, in a function that it calls."""

    def make(parameters, lr):
        return optim.LBFGS(parameters, lr, max_iter=2)

    model = mlp(4, 8, 1)
    found = made(model, F.mse_loss, drawn(ROWS, 4), drawn(ROWS, 1), make, 0.1, 0)

    def step(x, y):
        def closure():
            found["optimizer"].zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            return loss

        found["optimizer"].step(closure)

    return {**found, "step": step}


def margin_from_others():
    """Outputs are to be far from some rows, and near to the inputs."""
    x = Tensor(drawn(ROWS, 4, seed=2))

    def loss(out, others):
        far = (1.0 - ((out - others) ** 2).mean(axis=1)).relu().mean()
        return far + 0.0 * ((out - x) ** 2).mean()

    return made(mlp(4, 8, 4), loss, drawn(ROWS, 4), drawn(ROWS, 4, seed=1))


def copies_in_another_precision():
    """Weights in float32, for which the optimizer has copies in float64."""
    model = mlp(4, 8, 1).to("float32")
    copies = [Tensor(p.data.astype(np.float64), requires_grad=True) for p in model.parameters()]
    x, y = drawn(ROWS, 4).astype(np.float32), drawn(ROWS, 1).astype(np.float32)
    found = made(model, F.mse_loss, x, y)
    return {**found, "optimizer": optim.SGD(copies, lr=0.1)}


def noise_with_a_signal():
    x = drawn(400, 4)
    y = 0.4 * np.sin(x[:, :1]) + drawn(400, 1)
    return made(mlp(4, 8, 1), F.mse_loss, x, y)


def few_rows_of_noise():
    return made(mlp(4, 8, 3), F.cross_entropy, drawn(150, 4), labels(150))


def actions_of_a_random_policy():
    """Labels that do not depend on the inputs, and that the loss does not predict."""
    rewards = drawn(300)

    def loss(q, actions):
        return F.smooth_l1_loss(q[np.arange(len(q)), actions], rewards)

    return made(mlp(4, 8, 3), loss, drawn(300, 4), labels(300))


HEALTHY = [mlp_of_classes, mlp_with_relu_and_momentum, deep_mlp_with_gelu, mlp_with_log_softmax,
    mlp_of_probabilities, mlp_in_batches, regression_float32, regression_that_converges,
    regression_that_adam_converges, tiny_net_that_converges, target_of_zeros,
    noisy_regression_that_converges, logistic_regression, logistic_regression_with_sigmoid,
    separable_classes_that_converge, column_of_ones_without_bias, moons_of_values, line_of_values,
    curve_of_values, convolutions, convolutions_with_batch_norm, batch_norm_twin_of_sigmoids,
    images_as_rows, *map(recurrent, (nn.RNN, nn.LSTM, nn.GRU)), projection_before_a_gru,
    gpt_of_letters, attention, words(False), words(True), tied_words_with_one_penalty, autoencoder,
    linear_autoencoder, variational_autoencoder, gan(True), gan(False), q_learning, siamese,
    two_towers, distillation, frozen_layers, zero_head, gate_of_zero, schedule_clipping_and_decay,
    layer_norms_and_dropout, penalty_in_the_loss, noise_of_the_global_generators,
    mixture_of_experts, value_network, twin_critics, two_towers_with_two_optimizers,
    coder_with_two_optimizers, graph_network, masked_labels, ignored_labels, hinge_of_signs,
    logistic_loss_of_signs, largest_margin, gaussian_likelihood, low_rank_adaptation,
    one_layer_in_a_loop, physics, batches_of_one_step_each, step_that_clears_at_its_end,
    rare_class_in_order, series_in_order, truth_table, warmup, full_softmax_regression,
    path_around_a_layer,
    powers_with_a_bias,
    average_teacher, frozen_critic, batch_norm_by_hand, contrast_of_two_views,
    attention_among_rows, one_series, moments_before_samples, outputs_by_time,
    transposed_for_an_encoder,
    *map(positive_targets, (nn.Softplus, nn.ReLU)), targets_a_little_beyond_a_sigmoid,
    policy_of_costs, policy_of_quantities, critic_without_bound, likelihood_below_zero,
    likelihood_that_is_maximized, distances_to_prototypes, density_of_one_column,
    low_rank_with_one_zero, residual_blocks_of_zeros, four_batches_for_a_step,
    step_with_two_optimizers, margin_from_others, noise_with_a_signal, few_rows_of_noise,
    actions_of_a_random_policy]  # fmt: skip

SPECIAL = [step_with_a_closure, copies_in_another_precision]
"""Healthy trainings whose steps differ from those of the others."""
