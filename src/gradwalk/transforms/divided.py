"""The passes of a Jacobian, divided among workers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any, Protocol

from ..workers import Executor
from .arguments import Inputs
from .results import instantiate_zeros

__all__ = ["divided", "of_arrays"]

PARTS = 16
"""Of the elements of an array. Their number must not depend on the workers: how many passes run
together decides how matrix products round.
"""


class Derivative(Protocol):
    """The derivative of a function at a point, to be applied in either direction."""

    @property
    def inputs(self) -> Inputs: ...
    @property
    def ys(self) -> list[Any]: ...
    @property
    def widest(self) -> int: ...

    def jvp(self, i: int, t: Any) -> list[Any]: ...
    def vjp(self, o: int, t: Any) -> list[Any]: ...


def divided(
    executor: Executor, at: Derivative, again: Callable[[], Derivative], forward: bool
) -> list[list[Any]]:
    """Return the blocks of each result. Every part runs the function once more, by ``again``."""
    parts = executor.scatter(range(PARTS))
    found = executor.reduce(operator.add, executor.map(_part, parts, again, forward))
    sources, others = _ends(at, forward)
    blocks = []
    for i, of in enumerate(sources):
        rows = [part[i] for part in found if part[i] is not None]
        arrays = hasattr(of, "dtype")
        blocks.append(of_arrays().joined(rows, of, others, forward) if arrays else rows[0])
    return [list(row) for row in zip(*blocks, strict=True)] if forward else blocks


def _part(part: int, again: Callable[[], Derivative], forward: bool) -> list[Any]:
    """Return a list of one: what a part of the passes gives, for every number and array."""
    at = again()
    sources, others = _ends(at, forward)
    rows: list[Any] = []
    for i, of in enumerate(sources):
        run = partial(at.jvp if forward else at.vjp, i)
        if hasattr(of, "dtype"):
            start, end = (k * of.size // PARTS for k in (part, part + 1))
            rows.append(of_arrays().rows_of(run, of, others, at.widest, range(start, end)))
        else:  # one number is one pass
            mine = i % PARTS == part
            rows.append(instantiate_zeros(run(1.0), others) if mine else None)
    return [rows]


def _ends(at: Derivative, forward: bool) -> tuple[list[Any], list[Any]]:
    """Return where the passes start, and where they lead."""
    xs = at.inputs.primals
    return (xs, at.ys) if forward else (at.ys, xs)


@cache
def of_arrays() -> Any:
    """Return the module of blocks of arrays, which needs NumPy."""
    return import_module(".blocks", __package__)
