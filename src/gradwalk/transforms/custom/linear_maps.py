"""Linear functions that are given as Python functions: applied, and transposed.

A function that gradwalk can follow is transposed by reverse mode. One that it cannot, a black box,
is applied to unit vectors, which gives its matrix; as it is linear, that is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from math import prod
from typing import Any

from ...errors import DataError, OptionError
from ...levels.level import unwrap
from ..arguments import is_plain, zeros_like
from ..results import instantiate_zeros
from ..runs import Record
from .blackbox_primitives import is_number, numbers_of

__all__ = [
    "Linear",
    "Refusal",
    "apply_map",
    "matrices",
    "plain_numbers",
    "size_of",
    "solve_equations",
    "apply_transpose",
]
__all__ += ["units"]

Linear = Callable[[list[Any]], list[Any]]
"""From leaves to leaves; it raises `Refusal` if it cannot do with what is being differentiated."""

LIMIT = 1000
"""So many unit vectors are applied at most."""


class Refusal(Exception):  # noqa: N818  (never seen by a user)
    """A black box has refused what is no plain number; the cause says why."""


def plain_numbers(xs: Sequence[Any], numbers: Sequence[bool]) -> list[Any] | None:
    """Return ``xs`` as plain numbers and arrays; ``None`` if one of them is traced."""
    if not all(map(is_plain, xs)):
        return None
    return [numbers_of(x, n) for x, n in zip(xs, numbers, strict=True)]


@cache
def matrices() -> Any:
    """Return the module of vectors and matrices, which needs NumPy."""
    return import_module(".array_maps", __package__)


def size_of(x: object) -> int:
    """Return the number of elements of a leaf."""
    return prod(getattr(x, "shape", ()))


def apply_map(linear: Linear, ts: list[Any], results: Sequence[Any], name: str) -> list[Any]:
    """Return L t. If a black box cannot take the traced t, compute the matrix of L first."""
    try:
        return linear(ts)
    except Refusal as error:
        columns = _matrix(linear, ts, results, name, error)
    if _numbers([*ts, *results]):  # floats need no NumPy
        return [_dot(ts, [column[k] for column in columns]) for k in range(len(results))]
    leaves: list[Any] = matrices().split_vector(
        matrices().as_vector(ts) @ matrices().matrix_of(columns), results
    )
    return leaves


def apply_transpose(
    linear: Linear, domain: Sequence[Any], results: Sequence[Any], ts: list[Any], name: str
) -> list[Any]:
    """Return Lᵀ t for leaves like ``domain``."""
    if _numbers([*domain, *results]):  # unit vectors do: no tape, no NumPy
        return [_dot(ts, instantiate_zeros(linear(unit), results)) for unit in units(domain)]
    try:
        return _transpose_by_tape(linear, domain, ts)
    except Refusal as error:
        columns = _matrix(linear, domain, results, name, error)
    leaves: list[Any] = matrices().split_vector(
        matrices().matrix_of(columns) @ matrices().as_vector(ts), domain
    )
    return leaves


def _numbers(xs: Sequence[Any]) -> bool:
    return all(getattr(x, "shape", ()) == () for x in xs)


def _transpose_by_tape(linear: Linear, domain: Sequence[Any], ts: list[Any]) -> list[Any]:
    zeros = [zeros_like(x) for x in domain]
    record = Record(lambda u: linear(list(u)), zeros, "the transpose of a linear function")
    return instantiate_zeros(record.vjp(record.result, ts), domain)


# --- matrices -------------------------------------------------------------------------------------


def _matrix(
    linear: Linear,
    domain: Sequence[Any],
    results: Sequence[Any],
    name: str,
    error: BaseException,
) -> list[list[Any]]:
    """Return L of each unit vector."""
    count = sum(map(size_of, domain))
    if count > LIMIT:
        raise OptionError(
            where=name,
            expected=f"at most {LIMIT} numbers, to each of which a black box is applied alone",
            got=f"{count}",
            fix="Give the rule of the other mode too, or write this one in functions of gradwalk.",
        ) from error.__cause__
    return [instantiate_zeros(linear(unit), results) for unit in units(domain)]


def units(domain: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield each unit vector."""
    for i, x in enumerate(domain):
        for j in range(size_of(x)):
            yield [_unit(z, j if k == i else None) for k, z in enumerate(domain)]


def _unit(x: Any, place: int | None) -> Any:
    if is_number(x):
        return 0.0 if place is None else 1.0
    import numpy as np

    unit = np.zeros(x.shape, x.dtype)
    if place is not None:
        unit.flat[place] = 1.0
    return unit


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


# --- equations ------------------------------------------------------------------------------------


def solve_equations(
    rows: list[Any], right: Sequence[Any], likes: Sequence[Any], name: str, transpose: bool
) -> list[Any]:
    """Return x with A x = b, or Aᵀ x = b, in leaves like ``likes``."""
    if all(not hasattr(leaf, "dtype") for leaf in [*right, *likes, *(x for r in rows for x in r)]):
        matrix = [list(column) for column in zip(*rows, strict=True)] if transpose else rows
        return _eliminate([[*row, b] for row, b in zip(matrix, right, strict=True)], name)
    leaves: list[Any] = matrices().split_vector(
        matrices().solve(matrices().matrix_of(rows), right, transpose), likes
    )
    return leaves


def _eliminate(rows: list[list[Any]], name: str) -> list[Any]:
    """Solve by Gauss's elimination with the largest pivot. Each row ends with its right side."""
    count = len(rows)
    # by operators only, because the numbers may be Values or tracers
    rows = [list(row) for row in rows]
    for i in range(count):
        # by plain numbers: the choice of a pivot has no derivative
        best = max(range(i, count), key=lambda k: abs(unwrap(rows[k][i])))
        rows[i], rows[best] = rows[best], rows[i]
        if unwrap(rows[i][i]) == 0.0:
            raise _singular(name)
        for k in range(i + 1, count):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    found: list[Any] = []
    for i in reversed(range(count)):
        known = zip(rows[i][i + 1 :], found, strict=False)  # the right side is the last
        found.insert(0, (rows[i][-1] - sum((a * x for a, x in known), 0.0)) / rows[i][i])
    return found


def _singular(name: str) -> DataError:
    return DataError(
        where=f"{name}: ∂(residual)/∂x",
        expected="an invertible matrix",
        got="a singular one",
        fix="Check for redundant equations or a double root.",
    )
