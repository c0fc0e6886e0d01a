"""The configuration of a run, and its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from inspect import signature
from itertools import pairwise
from typing import Any

from ...data import Dataset, circles, moons, spirals, xor
from ...engine.value import ENGINE
from ...nn import ACTIVATIONS
from ...optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from ...training.problem import LOSSES
from .reading import Point, known, members, points, real, refuse, several, whole

__all__ = ["CHOICES", "LIMITS", "OPTIMIZERS", "Configuration", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one session.

    ``points``   points of a data set
    ``layers``, ``neurons``   hidden layers, and neurons in each of them
    ``bytes``    size of one message in UTF-8
    ``resolution``   cells of the boundary in each direction
    ``work``     weights × rows of a batch. An update cannot be interrupted, and takes about 0.1 s
                 at this limit with the compiled engine, and 0.5 s with the Python engine
    """

    points: int = 2_000
    layers: int = 6
    neurons: int = 64
    bytes: int = 256 * 1024
    resolution: int = 80
    work: int = 250_000 if ENGINE == "native" else 20_000


LIMITS = Limits()

TOYS: dict[str, Callable[..., Dataset]] = {
    "xor": xor,
    "moons": moons,
    "circles": circles,
    "spirals": spirals,
}
OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "sgd": SGD,
    "momentum": partial(SGD, momentum=0.9),
    "adam": Adam,
    "adamw": AdamW,
    "rmsprop": RMSprop,
    "adagrad": Adagrad,
}
"""The optimizers by name; all but the learning rate is as the library has it."""

CHOICES = {
    "data": [*TOYS, "points"],
    "activations": list(ACTIVATIONS),
    "losses": [name for name, loss in LOSSES.items() if loss.most_classes == 2],
    "optimizers": list(OPTIMIZERS),
}
"""The names that a configuration may use."""

LARGEST_SEED = 2**53 - 1  # the largest integer that JavaScript represents exactly


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings that determine a run. Equal configurations give equal runs, bit for bit.

    ``data``     a name from ``CHOICES["data"]``; "points" means the user's own ``points``
    ``count``, ``noise``   number and noise of generated points, with ``seed``
    ``hidden``   the sizes of the hidden layers; without any the model is linear
    ``batch``    rows per update, at most all of them

    >>> Configuration.of({"data": "moons", "hidden": [16]}).hidden
    (16,)
    """

    data: str = "xor"
    count: int = 100
    noise: float = 0.1
    points: tuple[Point, ...] = ()
    hidden: tuple[int, ...] = (8, 8)
    activation: str = "tanh"
    loss: str = "bce"
    optimizer: str = "adam"
    lr: float = 0.03
    batch: int = 10
    seed: int = 0

    @classmethod
    def of(cls, thing: object, where: str = "configuration") -> Configuration:
        """Read a configuration from a JSON object. Missing members have their defaults.

        Raise `DataError` for an invalid member, or one beyond `LIMITS`.
        """
        given = members(where, thing, READERS)
        read = {name: READERS[name](f"{where}.{name}", value) for name, value in given.items()}
        return cls(**read)._checked(where)

    def json(self) -> dict[str, Any]:
        """Return the configuration as a JSON object."""
        return asdict(self)

    def with_points(self, drawn: tuple[Point, ...]) -> Configuration:
        """Return this configuration with the user's own points."""
        return replace(self, data="points", points=drawn)

    def smaller_lr(self) -> float:
        """Return a smaller learning rate: the optimizer's default, or else a tenth of this one.

        >>> Configuration(optimizer="sgd", lr=1e6).smaller_lr()
        0.001
        """
        usual = float(signature(OPTIMIZERS[self.optimizer]).parameters["lr"].default)
        return usual if usual < self.lr else self.lr / 10

    def drawn(self) -> tuple[Point, ...]:
        """Return the initial points."""
        if self.data == "points":
            return self.points
        dataset = TOYS[self.data](self.count, noise=self.noise, seed=self.seed)
        return tuple((x, y, int(label)) for (x, y), label in dataset)

    def tested(self) -> tuple[Point, ...]:
        """Return points of the same kind, drawn with another seed. There are none of the user's."""
        if self.data == "points":
            return ()
        count = max(2, min(self.count, MOST_TESTED))
        return replace(self, seed=self.seed ^ 1, count=count).drawn()

    def _checked(self, where: str) -> Configuration:
        widths = (2, *self.hidden, 1)
        work = min(self.batch, LIMITS.points) * sum(a * b for a, b in pairwise(widths))
        if work > LIMITS.work:
            expected = f"at most {LIMITS.work:,} weights × rows of a batch"
            refuse(where, expected, f"{work:,}", "Take a smaller batch, or fewer neurons.")
        return self


MOST_TESTED = 500


def _hidden(where: str, thing: object) -> tuple[int, ...]:
    layer = partial(whole, low=1, high=LIMITS.neurons)
    return tuple(several(where, thing, LIMITS.layers, "hidden layers", layer))


READERS: dict[str, Callable[[str, Any], Any]] = {
    "data": partial(known, names=CHOICES["data"]),
    "count": partial(whole, low=2, high=LIMITS.points),
    "noise": partial(real, low=0.0, high=10.0),
    "points": partial(points, most=LIMITS.points),
    "hidden": _hidden,
    "activation": partial(known, names=CHOICES["activations"]),
    "loss": partial(known, names=CHOICES["losses"]),
    "optimizer": partial(known, names=CHOICES["optimizers"]),
    "lr": partial(real, low=0.0, high=1e6),
    "batch": partial(whole, low=1, high=LIMITS.points),
    "seed": partial(whole, low=0, high=LARGEST_SEED),
}
