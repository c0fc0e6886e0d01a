"""Which elements of its operands an element of an array is computed from, without any rule.

The search for a NaN asks this of each operation on its way. The rules answer it for all of them,
in 60 us; this file does for those of which programs consist, in 3 us. What is not said here, or
could be otherwise for other numbers, is asked of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Final

import numpy as np

from ..ops.array import TABLE

__all__ = ["LARGE", "MORE", "SOUND", "element_at", "largest", "part_formula", "scanned", "within"]

Element = tuple[int, ...]
Index = tuple[int | slice, ...]
Array = np.ndarray[Any, Any]

ALL: Final = slice(None)
FEW = 64
"""Elements that are looked at one by one, which is as fast as NumPy's calls for so many."""
MORE = FEW + 1.0
SOUND, LARGE = -1, -2
ROOM = 4.0
"""What is this much smaller than the largest number is no overflow, however it is rounded."""


def part_formula(primitive: Any) -> Callable[..., list[Index] | None] | None:
    """Return the formula of the part of each operand that an element is computed from.

    Its arguments are the element, the operands and the options; it returns ``None`` where it does
    not know. Parts are in the order of their elements. There is none unless the operation makes a
    finite number of all finite ones, as long as they are `within` bounds.
    """
    name: str = primitive.name
    return PARTS.get(name) if primitive is TABLE.get(name) else None


def scanned(x: Any, part: Index) -> tuple[int, float]:
    """Return where a part of an array has its first NaN, else infinity; `SOUND` if all are finite.

    And return the sum of the sizes of its finite numbers. `LARGE` is a part that is not looked at.
    """
    if type(x) is not np.ndarray or x.dtype.char not in LARGEST:
        return LARGE, 0.0
    found = x[part]
    if found.size > FEW:
        return LARGE, 0.0
    numbers = found.tolist() if found.ndim == 1 else np.ravel(found).tolist()
    size = sum(map(abs, numbers))
    if size < inf:
        return SOUND, size
    place = next((i for i, n in enumerate(numbers) if n != n), SOUND)
    sizes = [*map(abs, numbers)]
    if place < 0:
        place = sizes.index(inf) if inf in sizes else LARGE
    return place, sum([n for n in sizes if n < inf])


def largest(constants: Sequence[Any]) -> float:
    """Return the size of the largest of all numbers; infinity if one is not finite, or unknown."""
    numbers = [abs(x) for x in constants if type(x) is float]
    arrays = [x for x in constants if type(x) is not float]
    if not all(type(x) is np.ndarray and x.dtype.char in LARGEST and x.size <= FEW for x in arrays):
        return inf
    together = np.concatenate([np.ravel(x) for x in arrays]) if arrays else np.zeros(0)
    found = max([float(np.abs(together).max(initial=0.0)), *numbers])
    return found if found < inf else inf


def element_at(x: Array, part: Index, place: int) -> Element:
    """Return the element of an array at a place of one of its parts."""
    if part.count(ALL) == 1:
        return tuple([place if isinstance(i, slice) else i for i in part])
    free = [n for n, i in zip(x.shape, part, strict=True) if i is ALL]
    found = iter(np.unravel_index(place, free) if free else ())
    return tuple([int(next(found)) if isinstance(i, slice) else i for i in part])


def within(bound: float, made: Any) -> bool:
    """Return whether an operation on finite numbers cannot overflow in the type of its result.

    ``bound`` is the product of the sums of the sizes of its operands, each and `MORE`: what is not
    finite counts as 1, and a sum of few numbers is less than a product.
    """
    return type(made) is np.ndarray and bound * ROOM < LARGEST.get(made.dtype.char, 0.0)


# --- the formulas ---------------------------------------------------------------------------------


def _matmul(element: Element, a: Array, b: Array) -> list[Index] | None:
    if a.ndim != 2 or b.ndim != 2:
        return None
    i, j = element
    return [(i, ALL), (ALL, j)]


def _affine(element: Element, x: Array, weight: Array, bias: Array) -> list[Index] | None:
    if weight.ndim != 2 or bias.ndim != 1:
        return None
    return [(*element[:-1], ALL), (element[-1], ALL), (element[-1],)]


def _moved(element: Element, x: Array, **options: Any) -> list[Index]:
    return [element]


def _reshape(element: Element, x: Array, shape: Sequence[int]) -> list[Index] | None:
    if min(shape, default=0) < 0 or not element:
        return None
    place = int(np.ravel_multi_index(element, tuple(shape)))
    return [tuple(map(int, np.unravel_index(place, x.shape)))]


def _permute_dims(element: Element, x: Array, axes: Sequence[int]) -> list[Index]:
    found = [0] * x.ndim
    for i, axis in zip(element, axes, strict=True):
        found[axis] = i
    return [tuple(found)]


def _axes(axis: Any, ndim: int) -> set[int]:
    given = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return {a % ndim for a in given}


def _reduced(element: Element, x: Array, axis: Any = None, keepdims: bool = False) -> list[Index]:
    axes, rest = _axes(axis, x.ndim), iter(element)
    if keepdims:
        return [tuple([ALL if a in axes else i for a, i in enumerate(element)])]
    return [tuple([ALL if a in axes else next(rest) for a in range(x.ndim)])]


def _along(element: Element, x: Array, axis: Any) -> list[Index]:
    axes = _axes(axis, x.ndim)
    return [tuple([ALL if a in axes else i for a, i in enumerate(element)])]


PARTS: Final[Mapping[str, Callable[..., list[Index] | None]]] = {
    "affine": _affine,
    "astype": _moved,
    "log_softmax": _along,
    "matmul": _matmul,
    "mean": _reduced,
    "permute_dims": _permute_dims,
    "reshape": _reshape,
    "softmax": _along,
    "sum": _reduced,
}
"""The formulas, by the name of the primitive. `within` bounds what they make."""


LARGEST: Final = {char: float(np.finfo(char).max) for char in "efd"}
