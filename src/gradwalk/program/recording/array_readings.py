"""Arrays that were read from a graph of Tensors and came back as constants or keys.

A graph does not say where a constant is from. One that consists of a result's numbers, that says
where a result is positive, or that has its order, was read from it; numbers that a person types,
and masks of a few elements, are let be. A replay may repeat it while its source is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ...core.array_primitive import general
from ...core.numeric import Array
from .readings import is_long

__all__ = ["constants_in", "guard_readings"]

FEW = 8
"""Elements of a mask, or of an order, up to which equal ones may be a coincidence."""

Pattern = Callable[[Array, int], Any]

MASKS: Final[dict[str, Pattern]] = {
    "positive": lambda a, axis: a > 0.0,
    "not negative": lambda a, axis: a >= 0.0,
}
ORDERS: Final[dict[str, Pattern]] = {
    "largest": lambda a, axis: a.argmax(axis),
    "smallest": lambda a, axis: a.argmin(axis),
    "ascending": lambda a, axis: a.argsort(axis, kind="stable"),
    "descending": lambda a, axis: (-a).argsort(axis, kind="stable"),
    "places": lambda a, axis: np.nonzero(a > 0.0)[axis],
}


def _asked(a: Array, name: str, axis: int, shape: tuple[int, ...]) -> Any:
    """Return what was asked of an array, or the first part of it, which has a shape."""
    answer = (MASKS | ORDERS)[name](a, axis)
    return answer[tuple(map(slice, shape))] if answer.ndim == len(shape) else answer


# fmt: off
ASKED: Final = general("asked", None, forward=_asked, summary="What was asked of an array")
# fmt: on


def constants_in(x: Any) -> Iterator[Array]:
    """Yield the arrays and numbers in a constant, or in the options of an operation."""
    if isinstance(x, Mapping):
        x = tuple(x.values())
    if isinstance(x, tuple):
        for part in x:
            yield from constants_in(part)
    elif isinstance(x, (np.ndarray, np.generic, float)):
        yield np.asarray(x)


def guard_readings(
    recorder: Any, results: Sequence[tuple[Any, Sequence[Any]]], constants: Sequence[Array]
) -> None:
    """Make a guard of every result that a constant was read from.

    A result is a tracer of the recorder, with the arrays that it was computed from.
    """
    for constant in constants:
        for tracer, operands in results:
            if tracer._primal.dtype.kind == "f":
                _guard(recorder, tracer, operands, constant)


def _guard(recorder: Any, tracer: Any, operands: Sequence[Any], constant: Array) -> None:
    a = tracer._primal
    number = _long_number(constant)
    if number is not None:
        brought = any(_has(np.asarray(x), number) for x in operands)
        if not brought and _has(a, number) and np.isin(np.abs(constant), np.abs(a)).all():
            recorder.arrays.read(tracer)
        return
    for name, axis in _questions(constant, a):
        options = {"name": name, "axis": axis, "shape": constant.shape}
        if _fits(constant, _asked(a, **options)):
            recorder.arrays.read(recorder.arrays.apply(ASKED, (tracer,), options))
            return


def _has(a: Array, number: float) -> bool:
    return a.dtype.kind == "f" and bool((np.abs(a) == number).any())


def _long_number(constant: Array) -> float | None:
    """Return the size of a number in an array that was computed, not typed."""
    if constant.dtype.kind != "f":
        return None
    sizes = np.abs(constant.ravel()[:64])
    return next((x for x in sizes.tolist() if is_long(x)), None)


def _questions(constant: Array, a: Array) -> list[tuple[str, int]]:
    """Return the questions that a mask or an order may be the answer of."""
    if constant.size < FEW or a.ndim == 0 or (constant == constant.flat[0]).all():
        return []
    if constant.dtype.kind == "i":
        return [(name, axis) for name in ORDERS for axis in range(a.ndim)]
    is_mask = constant.dtype.kind == "b" or bool(((constant == 0.0) | (constant == 1.0)).all())
    return [(name, 0) for name in MASKS] if is_mask else []


def _fits(constant: Array, answer: Array) -> bool:
    if answer.shape != constant.shape:
        return False
    inverse = constant.dtype.kind != "i" and bool((answer != constant).all())
    return inverse or bool((answer == constant).all())
