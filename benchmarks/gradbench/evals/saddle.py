"""A saddle point by descents: the least of a greatest, and then the greatest there.

The inner descent runs inside of the function that the outer one differentiates. The names of the
functions are the modes of both: ``f`` is forward, ``r`` is reverse.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gradwalk import compile

from ..runs import Input, Job
from .descent import MODES, Vector, descend


def surface(x: Vector, y: Vector) -> Any:
    return (x[0] * x[0] + x[1] * x[1]) - (y[0] * y[0] + y[1] * y[1])


def found(modes: str, given: Input) -> Job:
    outer, inner = (MODES[mode] for mode in modes)
    start = given["start"]

    def best(x: Vector) -> Vector:
        return descend(inner(lambda y: -surface(x, y)), start)

    def greatest(x: Vector) -> Any:
        return surface(x, best(x))

    both, last = compile(outer(greatest)), compile(best)

    def run() -> Vector:
        x = descend(both, start)
        return [*x, *last(x)]

    return Job(run, list)


FUNCTIONS = {modes: partial(found, modes) for modes in ("ff", "fr", "rf", "rr")}
