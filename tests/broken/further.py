"""Further trainings that run and are wrong: rates, starts, inputs without influence, lost layers.

The programs are as those of `trainings`.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import gradwalk.nn.functional as F  # noqa: N812
from gradwalk import Tensor, nn, optim

from .trainings import (
    CLASSES,
    NETS,
    ROWS,
    drawn,
    features,
    images,
    labels,
    mlp_of,
    one_output,
    parts,
    tags,
    tokens,
    words,
    yes_and_no,
)  # fmt: skip

# --- log_softmax over the rows of the batch -------------------------------------------------------


def log_softmax_over_rows(net):
    def program(mended):
        model, x = net(nn.LogSoftmax(-1 if mended else 0))
        return parts(model, F.nll_loss, x, labels())

    return program


class TaggerOfPlaces(nn.Module):
    def __init__(self, axis):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, CLASSES, seed=1)
        self.axis = axis

    def forward(self, x):
        return F.log_softmax(self.head(self.table(x).tanh()), self.axis)


def log_softmax_over_places(mended):
    def loss(out, t):
        return F.nll_loss(out.reshape(-1, CLASSES), t.reshape(-1))

    return parts(TaggerOfPlaces(-1 if mended else 1), loss, tokens(), tags())


def log_softmax_before_cross_entropy(mended):
    model, x = features(*(() if mended else (nn.LogSoftmax(0),)))
    return parts(model, F.cross_entropy, x, labels())


OVER_ROWS = {
    **{
        f"LogSoftmax(0), {net.__name__}": (
            log_softmax_over_rows(net),
            ("over the rows of the batch", "exp(output)"),
            "log_softmax(scores, axis=-1)",
        )
        for net in NETS
    },
    "log_softmax over places": (log_softmax_over_places, ("over axis 1",), "axis=-1"),
    "LogSoftmax(0) and cross entropy": (
        log_softmax_before_cross_entropy,
        ("over the rows of the batch", "exp(output)"),
        "log_softmax(scores, axis=-1)",
    ),
}


# --- learning rates -------------------------------------------------------------------------------


def rate(net, make, wrong, right=0.01):
    def program(mended):
        model, x = net()
        return parts(model, F.cross_entropy, x, labels(), make, right if mended else wrong)

    return program


def rate_of_values(wrong):
    def program(mended):
        def loss(out, t):
            return sum((a - b) ** 2 for a, b in zip(out, t, strict=True)) / len(t)

        model = nn.MLP(2, [4, 1], seed=0)
        return parts(model, loss, drawn(8, 2), drawn(8), optim.SGD, 0.05 if mended else wrong)

    return program


def regression(make, wrong):
    def program(mended):
        model, x = one_output()
        return parts(model, F.mse_loss, x, drawn(ROWS, 1), make, 0.01 if mended else wrong)

    return program


def schedule_to_nothing(make):
    """Return a program whose schedule is called for each batch, not for each epoch."""

    def program(mended):
        model, x = features()
        found = parts(model, F.cross_entropy, x, labels(), optim.SGD, 0.05)
        scheduler = make(found["optimizer"])
        for _ in range(2 if mended else 40):
            scheduler.step()
        return {**found, "scheduler": scheduler}

    return program


TOO_SMALL, TOO_LARGE = ("is far too small", "it falls to"), ("is far too large", "it falls to")
EXTREMES = {
    **{
        f"lr={lr:g}, {make.__name__}, {net.__name__}": (
            rate(net, make, lr),
            (f"rate of {lr:g}", *TOO_SMALL),
            "Try lr=",
        )
        for lr, make, net in (
            (0.0, optim.SGD, features),
            (0.0, optim.Adam, images),
            (1e-52, optim.SGD, words),
            (1e-52, optim.AdamW, features),
            (1e-20, optim.SGD, images),
            (1e-17, optim.Adam, words),
            (1e-17, optim.SGD, features),
        )
    },
    **{
        f"lr={lr:g}, {make.__name__}, regression": (
            regression(make, lr),
            (f"rate of {lr:g}", *TOO_LARGE),
            "Try lr=",
        )
        for lr in (10.0, 1000.0)
        for make in (optim.SGD, optim.Adam)
    },
    "lr=1000, SGD, classes": (rate(features, optim.SGD, 1e3), TOO_LARGE, "Try lr="),
    "lr=10, Adam, images": (rate(images, optim.Adam, 10.0, 0.001), TOO_LARGE, "Try lr="),
    "lr=1e-17, Values": (rate_of_values(1e-17), TOO_SMALL, "Try lr="),
    "lr=10, Values": (rate_of_values(10.0), TOO_LARGE, "Try lr="),
    "StepLR per batch": (
        schedule_to_nothing(lambda optimizer: optim.StepLR(optimizer, 1, 0.1)),
        ("rate of 5e-42", *TOO_SMALL),
        "Try lr=",
    ),
    "ExponentialLR per batch": (
        schedule_to_nothing(lambda optimizer: optim.ExponentialLR(optimizer, 0.4)),
        TOO_SMALL,
        "Try lr=",
    ),
}

# --- targets that are far away --------------------------------------------------------------------


def prices(make, lr, scale=3e5, kind=float):
    def program(mended):
        model, x = one_output()
        y = (scale * (1.0 + 0.3 * drawn(ROWS, 1))).astype(kind)
        if mended:
            y = (y - y.mean(0)) / y.std(0)
        return parts(model, F.mse_loss, x, y, make, lr)

    return program


def pixels(mended):
    def loss(out, t):
        return (out - t).abs().mean()

    model = mlp_of(4, 8, 6)
    y = np.random.default_rng(0).uniform(0.0, 65535.0, size=(ROWS, 6))
    if mended:
        y = (y - y.mean(0)) / y.std(0)
    return parts(model, loss, drawn(ROWS, 4), y, optim.Adam, 0.001)


FAR = {
    "prices": (prices(optim.Adam, 1e-3), ("the targets are too large", "steps"), "Standardise"),
    "prices in whole numbers": (
        prices(optim.RMSprop, 1e-3, 1e6, int),
        ("the targets are too large",),
        "Standardise",
    ),
    "pixels of 16 bits": (pixels, ("the targets are too large",), "Standardise"),
}

# --- layers that the model does not know ----------------------------------------------------------


def run(blocks, x):
    for block in blocks:
        x = block(x).tanh()
    return x


class Tower(nn.Module):
    """Blocks that are in the closure of a function, unless they are an attribute too."""

    def __init__(self, hide):
        blocks = [nn.Linear(4 if i == 0 else 8, 8, seed=i) for i in range(3)]
        self.body, self.head = hide(blocks), nn.Linear(8, CLASSES, seed=9)

    def forward(self, x):
        return self.head(self.body(x))


class Listed(nn.Module):
    def __init__(self, blocks):
        self.blocks = blocks

    def forward(self, x):
        return run(self.blocks, x)


def layers_hidden(hide):
    def program(mended):
        model = Tower(Listed if mended else hide)
        return parts(model, F.cross_entropy, drawn(ROWS, 4), labels())

    return program


class Branch(nn.Module):
    """A path beside the known layer, of a layer that a variable of the program holds."""

    def __init__(self, beside, mended):
        self.head, self.call = nn.Linear(4, 1, seed=0), beside if mended else beside.forward

    def forward(self, x):
        return self.head(x) + self.call(x)


def layer_in_a_method(mended):
    return parts(
        Branch(nn.Linear(4, 1, seed=5), mended), F.mse_loss, drawn(ROWS, 4), drawn(ROWS, 1)
    )


def layer_of_a_variable(mended):
    inner = nn.GRU(3, 6, batch_first=True, seed=0)

    class Last(nn.Module):
        def __init__(self):
            self.head = nn.Linear(6, CLASSES, seed=1)
            if mended:
                self.inner = inner

        def forward(self, x):
            return self.head(inner(x)[0][:, -1])

    return parts(Last(), F.cross_entropy, drawn(ROWS, 5, 3), labels())


NOT_KNOWN = ("compute the output and are not in model.parameters()", "3 Linear", "model.body")
HIDDEN = {
    "layers in a lambda": (
        layers_hidden(lambda blocks: lambda x: run(blocks, x)),
        (*NOT_KNOWN, "a function of line"),
        "nn.ModuleList",
    ),
    "layers in a partial": (
        layers_hidden(lambda blocks: partial(run, blocks)),
        NOT_KNOWN,
        "nn.ModuleList",
    ),
    "a layer in a method": (
        layer_in_a_method,
        ("1 layer computes the output and is not in model.parameters()", "model.call"),
        "Assign",
    ),
    "a layer of a variable": (
        layer_of_a_variable,
        ("1 layer computes the output", "1 GRU", "none of them"),
        "Assign",
    ),
}

# --- weights that are alike, or 0 -----------------------------------------------------------------


def filled(net, number, loss, y):
    """Return a program whose weights are all one number, and whose biases are 0."""

    def program(mended):
        model, x = net()
        for p in () if mended else model.parameters():
            p.data = np.full(p.shape, number if p.ndim > 1 else 0.0)
        return parts(model, loss, x, y)

    return program


class Dense(nn.Module):
    """A layer by hand, whose weight has a column for each unit."""

    def __init__(self, inputs, outputs, mended):
        start = drawn(inputs, outputs) if mended else np.full((inputs, outputs), 0.1)
        self.w, self.b = nn.Parameter(start), nn.Parameter(np.zeros(outputs))

    def forward(self, x):
        return x @ self.w + self.b


def columns_alike(mended):
    model = nn.Sequential(Dense(4, 8, mended), nn.Tanh(), Dense(8, 1, mended), nn.Flatten(0))
    return parts(model, F.binary_cross_entropy_with_logits, drawn(ROWS, 4), yes_and_no())


def neurons_alike(mended):
    model = nn.MLP(2, [4, 1], seed=0)
    for p in model.parameters():
        p.data = p.data if mended else 0.1

    def loss(out, t):
        return sum((a - b) ** 2 for a, b in zip(out, t, strict=True)) / len(t)

    return parts(model, loss, drawn(8, 2), drawn(8), optim.SGD, 0.05)


def deep():
    return mlp_of(4, 8, 8, 8, CLASSES), drawn(ROWS, 4)


def zeros(*widths):
    def program(mended):
        model = mlp_of(*widths)
        for p in model.parameters():
            p.data = p.data if mended else np.zeros(p.shape)
        return parts(model, F.cross_entropy, drawn(ROWS, 4), labels())

    return program


STARTS = {
    "rows alike": (
        filled(one_output, 0.5, F.mse_loss, drawn(ROWS, 1)),
        ("all 8 units of 0.weight are alike", "has 0.5 for its weights"),
        "random numbers",
    ),
    "columns alike": (columns_alike, ("all 8 units of 0.w are alike",), "random numbers"),
    "channels alike": (
        filled(images, 0.05, F.cross_entropy, labels()),
        ("all 4 units of 0.weight are alike",),
        "random numbers",
    ),
    "neurons alike": (neurons_alike, ("all 4 units of layers.0 are alike",), "random numbers"),
    "zeros": (
        zeros(4, 8, 8, CLASSES),
        ("0.weight, 2.weight, 4.weight are 0 and stay so",),
        "random numbers",
    ),
    "zeros of two layers": (
        zeros(4, 8, CLASSES),
        ("stay 0: each is a factor", "2.weight"),
        "random numbers",
    ),
}

# --- inputs without influence ---------------------------------------------------------------------


class Forgetful(nn.Module):
    """A recurrence by hand, whose state is set to 0 in each step unless it is mended."""

    def __init__(self, mended):
        self.wx, self.wh = nn.Linear(1, 6, seed=0), nn.Linear(6, 6, seed=1)
        self.out, self.mended = nn.Linear(6, CLASSES, seed=2), mended

    def forward(self, x):
        h = Tensor(np.zeros((len(x), 6)))
        for t in range(x.shape[1]):
            if not self.mended:
                h = Tensor(np.zeros((len(x), 6)))
            h = (self.wx(x[:, t]) + self.wh(h)).tanh()
        return self.out(h)


def state_set_again(mended):
    return parts(Forgetful(mended), F.cross_entropy, drawn(ROWS, 6, 1), labels())


class Overwritten(nn.Module):
    def __init__(self, mended):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, CLASSES, seed=1)
        self.mended = mended

    def forward(self, x):
        total = 0.0
        for t in range(x.shape[1]):
            total = total + self.table(x[:, t]) if self.mended else self.table(x[:, t])
        return self.head(total.tanh())


def sum_that_is_overwritten(mended):
    return parts(Overwritten(mended), F.cross_entropy, tokens(), labels())


class Cut(nn.Module):
    def __init__(self, mended):
        self.width = 5 if mended else 2
        self.inner = mlp_of(self.width, 8, 1)

    def forward(self, x):
        return self.inner(x[:, : self.width])


def columns_left_out(mended):
    return parts(Cut(mended), F.mse_loss, drawn(ROWS, 5), drawn(ROWS, 1))


# --- inputs that are too large --------------------------------------------------------------------


def salaries(inner, outputs=CLASSES, loss=F.cross_entropy):
    def program(mended):
        x = 8e4 + 3e4 * drawn(ROWS, 4)
        x = (x - x.mean(0)) / x.std(0) if mended else x
        y = labels() if outputs == CLASSES else drawn(ROWS, outputs)
        return parts(inner(outputs), loss, x, y)

    return program


class Functional(nn.Module):
    def __init__(self, outputs):
        self.w, self.b = nn.Parameter(drawn(4, 8)), nn.Parameter(np.zeros(8))
        self.head = nn.Linear(8, outputs, seed=1)

    def forward(self, x):
        return self.head((x @ self.w + self.b).sigmoid())


# --- targets that are the inputs ------------------------------------------------------------------


class Letters(nn.Module):
    """A model of sequences, which sees what is before each place."""

    def __init__(self, kind):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, 11, seed=2)
        self.inner = kind(6, 6, batch_first=True, seed=1)

    def forward(self, x):
        return self.head(self.inner(self.table(x))[0])


class Causal(nn.Module):
    def __init__(self):
        self.table, self.head = nn.Embedding(11, 6, seed=0), nn.Linear(6, 11, seed=2)
        self.q, self.k, self.v = (nn.Linear(6, 6, seed=i) for i in range(3, 6))

    def forward(self, x):
        h = self.table(x)
        later = np.triu(np.full((x.shape[1], x.shape[1]), -1e9), 1)
        shares = F.softmax(self.q(h) @ self.k(h).transpose((0, 2, 1)) + later, -1)
        return self.head(h + shares @ self.v(h))


def over_letters(out, y):
    return F.cross_entropy(out.reshape(-1, out.shape[-1]), y.reshape(-1))


def not_shifted(make):
    def program(mended):
        x = tokens(ROWS, 8)
        return parts(make(), over_letters, x[:, :-1], x[:, 1:] if mended else x[:, :-1])

    return program


class Series(nn.Module):
    def __init__(self):
        self.inner = nn.GRU(1, 6, batch_first=True, seed=0)
        self.head = nn.Linear(6, 1, seed=1)

    def forward(self, x):
        return self.head(self.inner(x)[0])


def series_not_shifted(mended):
    x = drawn(ROWS, 9, 1).cumsum(1)
    return parts(Series(), F.mse_loss, x[:, :-1], x[:, 1:] if mended else x[:, :-1])


NO_INFLUENCE, SHIFT = "the outputs do not depend on", "targets = x[:, 1:]"
INPUTS = {
    "a state that is set again": (
        state_set_again,
        (f"{NO_INFLUENCE} 5 of 6 places", "x[:, 0]", "with others in x[:, 5]"),
        "set again in each step",
    ),
    "a sum that is overwritten": (
        sum_that_is_overwritten,
        (f"{NO_INFLUENCE} 4 of 5 places",),
        "overwritten",
    ),
    "columns left out": (columns_left_out, (f"{NO_INFLUENCE} 3 of 5 places",), "an index"),
    "salaries, Tanh": (
        salaries(lambda outputs: mlp_of(4, 8, outputs)),
        ("the inputs are too large for tanh", "lie at its limits"),
        "x.std(0)",
    ),
    "salaries, regression": (
        salaries(lambda outputs: mlp_of(4, 8, outputs), 1, F.mse_loss),
        ("the inputs are too large for tanh",),
        "x.std(0)",
    ),
    "salaries, sigmoid by hand": (
        salaries(Functional),
        ("the inputs are too large for sigmoid",),
        "x.std(0)",
    ),
    **{
        f"not shifted, {name}": (
            not_shifted(make),
            ("the targets are the inputs", "all 168 are equal"),
            SHIFT,
        )
        for name, make in (
            ("GRU", lambda: Letters(nn.GRU)),
            ("LSTM", lambda: Letters(nn.LSTM)),
            ("attention", Causal),
        )
    },
    "not shifted, series": (series_not_shifted, ("the targets are the inputs",), SHIFT),
}

BROKEN = {**OVER_ROWS, **EXTREMES, **FAR, **HIDDEN, **STARTS, **INPUTS}
"""By name: the program, words of what is found, and words of the remedy."""
