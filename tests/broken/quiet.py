"""Further healthy trainings, near the mistakes of `further`, for tests that must stay quiet."""

from __future__ import annotations

import numpy as np

import gradwalk.nn.functional as F  # noqa: N812
from gradwalk import Tensor, nn, optim

from .further import Causal, over_letters
from .healthy import ROWS, decayed, made, mlp, momentum
from .trainings import drawn, labels, tokens

# --- learning rates -------------------------------------------------------------------------------


def scheduled(make, name, optimizer=optim.Adam, lr=0.01, steps=60):
    def program():
        found = made(mlp(4, 8, 3), F.cross_entropy, drawn(ROWS, 4), labels(), optimizer, lr, steps)
        return {**found, "scheduler": make(found["optimizer"])}

    program.__name__ = name
    return program


SCHEDULES = [
    scheduled(lambda o: optim.StepLR(o, step_size=15, gamma=0.1), "small_rate_late_in_a_schedule"),
    scheduled(lambda o: optim.ExponentialLR(o, 0.85), "exponential_schedule", momentum, 0.1),
    scheduled(lambda o: optim.CosineAnnealingLR(o, 60), "annealing_to_zero", decayed),
    scheduled(lambda o: optim.LinearLR(o, 1e-12, total_iters=20), "warmup_from_almost_zero"),
]


def fine_tuning_of_two_groups():
    model = mlp(4, 8, 3)
    found = made(model, F.cross_entropy, drawn(ROWS, 4), labels())
    groups = [{"params": model[0].parameters(), "lr": 1e-6}, {"params": model[2].parameters()}]
    return {**found, "optimizer": optim.Adam(groups, lr=0.01)}


def large_rate_of_a_small_loss():
    def loss(out, y):
        return 1e-3 * F.cross_entropy(out, y)

    return made(mlp(4, 8, 3), loss, drawn(ROWS, 4), labels(), optim.SGD, 100.0)


# --- targets --------------------------------------------------------------------------------------


def large_targets_standardised():
    y = 3e5 + 9e4 * drawn(ROWS, 1)
    return made(mlp(4, 8, 1), F.mse_loss, drawn(ROWS, 4), (y - y.mean()) / y.std())


def large_targets_scaled_in_the_model():
    class Scaled(nn.Module):
        def __init__(self):
            self.inner = mlp(4, 8, 1)

        def forward(self, x):
            return 3e3 + 90.0 * self.inner(x)

    return made(Scaled(), F.mse_loss, drawn(ROWS, 4), 3e3 + 90.0 * drawn(ROWS, 1))


def large_targets_that_sgd_reaches():
    x = drawn(ROWS, 4)
    y = 120.0 + 5.0 * x @ drawn(4, 1)
    return made(nn.Linear(4, 1, seed=0), F.mse_loss, x, y, optim.SGD, 0.002, 900)


def large_noise_without_a_mean():
    y = 200.0 * drawn(ROWS, 1)
    return made(
        nn.Linear(4, 1, seed=0), F.mse_loss, drawn(ROWS, 4), y - y.mean(), optim.SGD, 0.002, 900
    )


# --- layers beside a model ------------------------------------------------------------------------


class Taught(nn.Module):
    """A teacher in a closure, so that its numbers are no parameters: it is frozen."""

    def __init__(self):
        teacher = mlp(4, 6, 3).requires_grad_(False)
        self.student, self.goal = mlp(4, 8, 3), lambda x: teacher(x)

    def forward(self, x):
        return self.student(x) - self.goal(x)


def teacher_in_a_closure():
    return made(Taught(), lambda out, _: (out**2).mean(), drawn(ROWS, 4), labels())


def encoder_with_its_own_optimizer():
    encoder, head = mlp(4, 8), nn.Linear(8, 3, seed=1)

    class Both(nn.Module):
        def __init__(self):
            self.head, self.inner = head, lambda x: encoder(x).tanh()

        def forward(self, x):
            return self.head(self.inner(x))

    found = made(Both(), F.cross_entropy, drawn(ROWS, 4), labels())
    return {**found, "other": optim.Adam(encoder.parameters(), lr=0.01)}


def inputs_that_need_gradients():
    x = Tensor(drawn(ROWS, 4), requires_grad=True)
    return made(mlp(4, 8, 3), F.cross_entropy, x, labels())


# --- starts ---------------------------------------------------------------------------------------


class ZeroBlocks(nn.Module):
    """Blocks whose last layers start at 0, and a head of zeros behind them."""

    def __init__(self):
        self.start, self.head = nn.Linear(4, 8, seed=0), nn.Linear(8, 3, seed=9)
        self.blocks = [mlp(8, 8, 8, activation=nn.ReLU) for _ in range(2)]
        for layer in (self.blocks[0][2], self.blocks[1][2], self.head):
            for p in layer.parameters():
                p.data = np.zeros(p.shape)

    def forward(self, x):
        h = self.start(x)
        for block in self.blocks:
            h = h + block(h)
        return self.head(h)


def zero_residuals_and_head():
    return made(ZeroBlocks(), F.cross_entropy, drawn(ROWS, 4), labels())


def constant(model, names, number=0.1):
    for name, p in model.named_parameters():
        if name in names:
            p.data = np.full(p.shape, number)
    return model


def constant_softmax_regression():
    model = constant(nn.Linear(4, 3, seed=0), ("weight", "bias"))
    return made(model, F.cross_entropy, drawn(ROWS, 4), np.arange(ROWS) ** 2 % 3, optim.SGD, 0.5)


def constant_layer_before_a_random_one():
    model = constant(mlp(4, 8, 3), ("0.weight",))
    return made(model, F.cross_entropy, drawn(ROWS, 4), labels())


def norms_of_ones():
    layers = nn.Linear(4, 8, seed=0), nn.BatchNorm1d(8), nn.ReLU(), nn.LayerNorm(8)
    model = nn.Sequential(*layers, nn.Linear(8, 1, seed=1))
    return made(model, F.mse_loss, drawn(ROWS, 4), drawn(ROWS, 1))


class Places(nn.Module):
    def __init__(self):
        self.table, self.head = nn.Embedding(40, 8, seed=0), nn.Linear(8, 3, seed=1)
        self.places = nn.Parameter(np.zeros((5, 8)))

    def forward(self, x):
        return self.head((self.table(x) + self.places).tanh().mean(axis=1))


def unused_rows_and_places_of_zero():
    return made(Places(), F.cross_entropy, tokens(), labels())


# --- inputs ---------------------------------------------------------------------------------------


class Padded(nn.Module):
    """Means of embeddings without the padding, 0."""

    def __init__(self):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, 3, seed=1)

    def forward(self, x):
        kept = (np.asarray(x.data) != 0).astype(float)[:, :, None]
        return self.head((self.table(x) * kept).sum(axis=1) / (kept.sum(1) + 1e-9))


def padding_without_influence():
    x = np.concatenate([tokens(), np.zeros((ROWS, 7), int)], 1)
    x[::2, 3:] = 0
    return made(Padded(), F.cross_entropy, x, labels())


class Masked(nn.Module):
    """A coder that sees a part of its inputs, the same in each call or another one."""

    def __init__(self, drawn_again):
        self.inner, self.drawn_again = mlp(8, 6, 8), drawn_again
        self.random, self.kept = np.random.default_rng(0), np.arange(8) % 2

    def forward(self, x):
        kept = self.random.permutation(self.kept) if self.drawn_again else self.kept
        return self.inner(x * kept)


def masked_autoencoder(drawn_again):
    def program():
        x = drawn(ROWS, 8)
        return made(Masked(drawn_again), F.mse_loss, x, x)

    program.__name__ = "masked_coder_drawn" if drawn_again else "masked_coder"
    return program


def sparse_codes_of_one():
    x = np.eye(20)[np.random.default_rng(0).integers(0, 20, ROWS)]
    return made(mlp(20, 8, 3), F.cross_entropy, x, labels())


def attention_with_a_causal_mask():
    x = tokens(ROWS, 8)
    return made(Causal(), over_letters, x[:, :-1], x[:, 1:], lr=0.005)


def loss_that_shifts():
    def loss(out, x):
        return over_letters(out[:, :-1], x[:, 1:])

    x = tokens(ROWS, 8)
    return made(Causal(), loss, x, x, lr=0.005)


class Begun(nn.Module):
    """A model that shifts its inputs itself, with a word for the begin."""

    def __init__(self):
        self.inner = Causal()

    def forward(self, x):
        return self.inner(
            np.concatenate([np.zeros((len(x), 1), int), np.asarray(x.data)[:, :-1]], 1)
        )


def model_that_shifts():
    x = tokens(ROWS, 8)
    return made(Begun(), over_letters, x, x, lr=0.005)


class Sentences(nn.Module):
    """A coder of sequences: each place is read from one code for all places."""

    def __init__(self):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(8, 11, seed=1)
        self.code, self.again = nn.Linear(30, 12, seed=2), nn.Linear(12, 40, seed=3)

    def forward(self, x):
        code = self.code(self.table(x).reshape(len(x), -1)).tanh()
        return self.head(self.again(code).reshape(len(x), 5, 8).tanh())


def coder_of_sentences():
    return made(Sentences(), over_letters, tokens(), tokens())


def large_inputs_of_relu():
    x = 300.0 + 100.0 * drawn(ROWS, 4)
    norm = nn.BatchNorm1d(4)
    return made(nn.Sequential(norm, *mlp(4, 8, 3)), F.cross_entropy, x, labels())


HEALTHY = [
    *SCHEDULES, fine_tuning_of_two_groups, large_rate_of_a_small_loss, large_targets_standardised,
    large_targets_scaled_in_the_model, large_targets_that_sgd_reaches, large_noise_without_a_mean,
    teacher_in_a_closure, encoder_with_its_own_optimizer, inputs_that_need_gradients,
    zero_residuals_and_head, constant_softmax_regression, constant_layer_before_a_random_one,
    norms_of_ones, unused_rows_and_places_of_zero,
    padding_without_influence, masked_autoencoder(True), masked_autoencoder(False),
    sparse_codes_of_one, attention_with_a_causal_mask, loss_that_shifts, model_that_shifts,
    coder_of_sentences, large_inputs_of_relu,
]  # fmt: skip
