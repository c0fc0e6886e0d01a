"""What the machine for arrays computes: the kernels and movements that a step is made of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ... import native
from ...core.numeric import Array
from ...ops import TABLE
from ...ops.array import facts, indexing, reduction, structure
from ..program import Aval
from .array_executor import Step

__all__ = [
    "KERNELS",
    "MACHINE",
    "TYPES",
    "Kernel",
    "Pieces",
    "Sum",
    "form_of",
    "is_basic",
    "part_of",
]

_vectors: Any = native.load("_vectors")
MACHINE: Any = getattr(_vectors, "machine", None)
KERNELS: dict[str, int] = {name: i for i, name in enumerate(_vectors.kernels() if MACHINE else ())}

TYPES = {np.dtype(np.float64): 0, np.dtype(np.float32): 1, np.dtype(np.bool_): 2}
"""The types of numbers that the machine reads and writes."""

OPERATORS: dict[Any, tuple[str, tuple[Any, ...]]] = {
    facts.bitwise_or: ("maximum", (0, 1)),
    facts.bitwise_and: ("minimum", (0, 1)),
    TABLE["logical_or"]: ("maximum", (0, 1)),
    TABLE["logical_and"]: ("minimum", (0, 1)),
    facts.logical_not: ("equal", (0, 0.0)),
    facts.invert: ("equal", (0, 0.0)),
}
"""Operations on bools, as a kernel and its operands: by their place, or a number."""

COMPARISONS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}
BOOL = np.dtype(np.bool_)


class Kernel(NamedTuple):
    """A kernel, number by number. Operands are places among those of the step, or numbers."""

    name: str
    operands: tuple[int | float, ...]


class Sum(NamedTuple):
    """A sum: of all numbers, of rows (``period``), or of columns of so many numbers (``times``)."""

    period: int
    times: int
    divisor: int


class Pieces(NamedTuple):
    """A result that is put together: operands, or numbers, each into a part of it."""

    pieces: tuple[tuple[int | float, Callable[[Array], Any]], ...]


Form: TypeAlias = Kernel | Sum | Pieces


def form_of(step: Step) -> Form | None:
    """Return what the machine computes for a step; ``None`` if it cannot."""
    entry, primitive = step.aval, step.primitive
    if not _is_simple(entry) or primitive is None:
        return None
    operands: tuple[Any, ...] = step.given
    if primitive in OPERATORS:
        return Kernel(*OPERATORS[primitive]) if _are_bools(operands) else None
    if primitive is facts.isnan:
        return Kernel("not_equal", (0, 0)) if _is_simple(operands[0]) else None
    if primitive.kind == "pointwise" and TABLE.get(primitive.name) is primitive:
        return _kernel(step, operands)
    if primitive in (structure.sum_to, reduction.sum, reduction.mean):
        return _sum(step, operands[0])
    return _pieces(step, operands)


def _is_simple(x: Any) -> bool:
    """Return whether something is an array that the machine can read or write."""
    return (
        isinstance(x, Aval)
        and x.dtype in TYPES
        and len(x.shape) <= 8  # MOST_AXES of the machine
        and 0 < prod(x.shape) < 1 << 27
    )


def _are_bools(operands: tuple[Any, ...]) -> bool:
    return all(_is_simple(o) and o.dtype == BOOL for o in operands)


def _kernel(step: Step, operands: tuple[Any, ...]) -> Kernel | None:
    name, entry = step.primitive.name, step.aval  # type: ignore[union-attr]
    arrays = [o for o in operands if isinstance(o, Aval)]
    if name not in KERNELS or not all(map(_is_simple, arrays)):
        return None
    if any(not isinstance(o, Aval) and type(o) not in (float, int, bool) for o in operands):
        return None
    if name == "where" and not _are_bools(operands[:1]):
        return None
    if entry.dtype == BOOL and name not in COMPARISONS and name != "where":
        return None
    narrow = all(o.dtype != np.float64 for o in arrays)
    return Kernel(name, tuple([_place(i, o, narrow) for i, o in enumerate(operands)]))


def _place(index: int, operand: Any, narrow: bool) -> int | float:
    """Return the place of an array, or the number that a constant is beside arrays."""
    if isinstance(operand, Aval):
        return index
    if not narrow:
        return float(operand)
    with np.errstate(all="ignore"):
        return float(np.float32(operand))


def _sum(step: Step, x: Any) -> Sum | None:
    entry: Any = step.aval
    if not _is_simple(x) or x.dtype != entry.dtype or x.dtype == BOOL:
        return None
    if step.primitive is structure.sum_to:
        lead = len(x.shape) - len(entry.shape)
        gone = {i for i, n in enumerate(x.shape) if i < lead or entry.shape[i - lead] != n}
    else:
        axis = step.options["axis"]
        gone = set(range(len(x.shape)) if axis is None else axis)
    size = prod(n for i, n in enumerate(x.shape) if i in gone)
    divisor = size if step.primitive is reduction.mean else 1
    kinds = [i in gone for i, n in enumerate(x.shape) if n > 1]
    if kinds == sorted(kinds, reverse=True):  # what goes is in front: sums of rows
        return Sum(prod(entry.shape), 0, divisor)
    return Sum(0, size, divisor) if kinds == sorted(kinds) else None


def _pieces(step: Step, operands: tuple[Any, ...]) -> Pieces | None:
    primitive, options, entry = step.primitive, step.options, step.aval
    if not all(_is_simple(o) for o in operands):
        return None
    if primitive in (structure.astype, facts.plain):
        return Pieces(((0, lambda y: y),)) if operands[0].dtype != BOOL else None
    if any(o.dtype != entry.dtype for o in operands):
        return None
    if primitive is structure.stack:
        at = (slice(None),) * options["axis"]
        return Pieces(tuple([(i, part_of((*at, i))) for i in range(len(operands))]))
    if primitive is structure.concat:
        at, bounds = (slice(None),) * options["axis"], options["bounds"]
        spans = [(*at, slice(a, b)) for a, b in pairwise(bounds)]
        return Pieces(tuple([(i, part_of(key)) for i, key in enumerate(spans)]))
    if primitive is indexing.scatter and is_basic(options["key"]):
        return Pieces(((0.0, lambda y: y), (0, part_of(options["key"]))))
    if primitive is indexing.update and is_basic(options["key"]):
        return Pieces(((0, lambda y: y), (1, part_of(options["key"]))))
    return None


def part_of(key: Any) -> Callable[[Array], Any]:
    """Return what takes a part, as a view even if it is a single number."""
    parts = _tuple(key)
    return lambda y: y[parts if Ellipsis in parts else (*parts, ...)]


def is_basic(key: Any) -> bool:
    """Return whether an index gives a view, of which every number has a place of its own."""
    return all(x is None or x is Ellipsis or type(x) in (int, slice) for x in _tuple(key))


def _tuple(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)
