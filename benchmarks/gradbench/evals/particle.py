"""A particle is steered to the origin by the place of one of two charges that repel it.

The force is a derivative inside of the function that the descent differentiates. The names of the
functions are the modes of the descent and of the force: ``f`` is forward, ``r`` is reverse.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gradwalk import compile

from ..runs import Input, Job
from .descent import MODES, Vector, descend, length, minus

STEP = 0.1


def landed(mode: str, w: Vector) -> Any:
    """Return the square of the place where the particle crosses the axis."""
    charges = [[10.0, 10.0 - w[0]], [10.0, 0.0]]
    potential = MODES[mode](lambda x: sum(1.0 / length(minus(x, c)) for c in charges))
    x, v = [0.0, 8.0], [0.75, 0.0]
    while True:
        new = [a + STEP * b for a, b in zip(x, v, strict=True)]
        if new[1] <= 0.0:
            return (new[0] - new[1] / v[1] * v[0]) ** 2
        x, v = new, [a - STEP * b for a, b in zip(v, potential(x)[1], strict=True)]


def steered(modes: str, given: Input) -> Job:
    outer, inner = modes
    both = compile(MODES[outer](partial(landed, inner)))
    return Job(lambda: descend(both, [given["w"]])[0])


FUNCTIONS = {modes: partial(steered, modes) for modes in ("ff", "fr", "rf", "rr")}
