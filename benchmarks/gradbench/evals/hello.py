"""The square of a number, and its derivative."""

from __future__ import annotations

from gradwalk import grad

from ..runs import Job


def squared(x: float) -> float:
    return x * x


def square(x: float) -> Job:
    return Job(lambda: squared(x))


def double(x: float) -> Job:
    return Job(lambda: grad(squared)(x))


FUNCTIONS = {"square": square, "double": double}
