"""Structural zeros: elements of a gradient that carry no contribution at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from ...core.expect import describe
from ...core.numeric import Array, NumericArray
from ...core.primitive import Carrier
from ...errors import NotANumberError
from ..arithmetic import where
from .masking import FEW, zero_where

__all__ = [
    "StructuralZero",
    "elements_of",
    "masked_again",
    "pass_if",
    "mask_if",
    "of_library",
    "untouched",
]


class StructuralZero:
    """A gradient in which some elements carry *no contribution*: structural zeros.

    ``data`` is 0 wherever ``mask`` is true. A structural zero stays one whatever it is multiplied
    by, an infinity included, until another path adds a contribution to that element. ``mask`` may
    be given as a function that computes it, because most masks are never read.

    `at` makes one that is ``part`` at ``key`` and structural zeros elsewhere. Adding it to an array
    writes only at ``key`` and leaves all other elements as they are, down to the sign of a zero.
    The zeros themselves are computed only when ``data`` is read.
    """

    __slots__ = ("_data", "_keys", "_mask", "dtype", "key", "part", "shape")
    __array_ufunc__ = None
    accumulates: ClassVar[bool] = True
    """To `reverse`: a sum of these is added to in place, which nothing else refers to."""
    key: Any
    shape: Any
    dtype: Any

    def __init__(self, data: Any, mask: Array | Callable[[], Array]) -> None:
        self._data, self._mask = data, mask
        self.part: Any = None
        self._keys: Any = None

    @classmethod
    def at(cls, key: Any, part: Array, shape: tuple[int, ...]) -> Self:
        """Return ``part`` at ``key``, which names no element twice, in an array of ``shape``."""
        blank = partial(np.full_like, part, True, dtype=bool, shape=shape)
        made = cls(None, partial(_mask_without, blank, [key]))
        made.key, made.part, made.shape, made.dtype = key, part, shape, part.dtype
        return made

    @property
    def data(self) -> Any:
        """The numbers, with zeros for elements without a contribution."""
        if self._data is None:
            self._data = self._scattered()
        return self._data

    def element(self, place: tuple[int, ...]) -> float:
        """Return one element, without zeros around a part; 0 in an array of other axes."""
        key = self.key if self.part is not None and type(self.key) is tuple else ()
        if not key or self._data is not None or {*map(type, key)} != {int}:
            return float(self.data[place]) if len(place) == self.data.ndim else 0.0
        if len(place) != len(self.shape):
            return 0.0
        there = all(k % n == i for k, n, i in zip(key, self.shape, place, strict=False))
        return float(self.part[place[len(key) :]]) if there else 0.0

    def _scattered(self) -> Any:
        if of_library(self.part):
            return self.part.scattered(self.key, self.shape)
        data = np.zeros(self.shape, self.dtype)
        data[self.key] = self.part
        return data

    @property
    def mask(self) -> Any:
        """True for elements without a contribution."""
        if callable(self._mask):
            self._mask = self._mask()
        return self._mask

    @classmethod
    def of(cls, mask: Array, contribution: NumericArray) -> Self:
        """Return ``contribution`` with structural zeros where ``mask`` is true."""
        if isinstance(contribution, Carrier) or isinstance(mask, Carrier):
            data = where(mask, 0.0, contribution)
            fits = mask.shape == data.shape
            return cls(data, mask if fits else np.broadcast_to(mask, data.shape))
        return cls(zero_where(mask, contribution), mask)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, StructuralZero):
            return self.data + other if self.part is None else self.__radd__(other)
        if other.part is None and self.part is not None:
            return other + self
        if other.part is None or not (self.part is not None or other._fits(self.data)):
            return StructuralZero(self.data + other.data, self.mask & other.mask)
        mask = self._mask if self._keys is None else self.mask
        keys: list[Any] = []
        data = self._scattered() if self._data is None else self._data.copy()
        total = StructuralZero(data, partial(_mask_without, mask, keys))
        total._keys = keys
        return total.__iadd__(other)

    def __radd__(self, other: Any) -> Any:
        if self.part is not None and self._fits(other):
            return self.put_on(other.copy())
        return other + self.data

    def __iadd__(self, other: Any) -> Any:
        """Add ``other`` in place.

        Only valid without other references to ``self``, and before ``mask`` has been read.
        """
        if self._keys is None or not isinstance(other, StructuralZero) or other.part is None:
            return self + other
        self._data = other.put_on(self._data)
        self._keys.append(other.key)
        return self

    def put_on(self, array: Any) -> Any:
        """Add the part to ``array`` in place, and return it; of some libraries a new one."""
        if of_library(array):
            return array.added_at(self.key, self.part)
        array[self.key] += self.part
        return array

    def _fits(self, x: Array) -> bool:
        known = type(x) is np.ndarray or of_library(x)
        return known and (x.shape, x.dtype) == (self.shape, self.dtype)


def of_library(x: Any) -> bool:
    """Return whether ``x`` is an array of another library, which a primitive computes with."""
    return isinstance(x, Carrier) and x._rank < 0


def _mask_without(mask: Any, keys: list[Any]) -> Any:
    """Return a copy of the mask that is false at the keys."""
    mask = mask() if callable(mask) else mask
    if of_library(mask):
        for key in keys:
            mask = mask.written(key, False)
        return mask
    copy: Array = np.array(mask)
    for key in keys:
        copy[key] = False
    return copy


def elements_of(t: Any) -> Any:
    """Return the elements of a gradient or a tangent, zeros included."""
    return t.data if type(t) is StructuralZero else t


def masked_again(contribution: Any, mask: Any) -> Any:
    """Return the contribution of a gradient that had a mask: blocked there, or by its rule.

    The zeros are filled in once more: a rule makes NaN of a zero times an infinite derivative.
    """
    if contribution is None:
        return None
    if type(contribution) is StructuralZero:
        mask, contribution = mask | contribution.mask, contribution.data
    return StructuralZero.of(mask, contribution)


def untouched(reached: Any) -> Any:
    """Return where ``reached`` is not NaN: a plain array, or a tracer of masks."""
    mask = np.logical_not(np.isnan(reached))
    return mask._data if getattr(mask, "_rank", 0) == 1 else mask  # a Tensor of constants


def pass_if(condition: Any, t: NumericArray) -> StructuralZero | NumericArray:
    """Apply `core.primitive.pass_if` to each element."""
    try:
        return mask_if(np.logical_not(condition), t)
    except TypeError as error:
        raise _no_mask("pass_if", condition, t) from error


def mask_if(condition: Any, t: NumericArray) -> StructuralZero | NumericArray:
    """Apply `core.primitive.mask_if` to each element.

    Return a large ``t`` itself if nothing is masked: the rules after it then handle no mask.
    """
    if isinstance(t, Carrier):
        return StructuralZero.of(condition, t)
    try:
        if isinstance(t, np.ndarray) and t.size > FEW and _masks_nothing(condition, t.shape):
            return t
        if condition.shape != np.shape(t):
            shape = np.broadcast_shapes(condition.shape, np.shape(t))
            condition = np.broadcast_to(condition, shape)
        return StructuralZero(zero_where(condition, t), condition)
    except (TypeError, ValueError) as error:
        raise _no_mask("mask_if", condition, t) from error


def _masks_nothing(condition: Any, shape: tuple[int, ...]) -> bool:
    fits = condition.shape == shape or np.broadcast_shapes(condition.shape, shape) == shape
    return fits and not condition.any()


def _no_mask(where: str, condition: object, t: object) -> NotANumberError:
    return NotANumberError(
        where=f"{where}(condition, t)",
        expected="a bool, or an array of them, and numbers that broadcast with it",
        got=f"{describe(condition)} and {describe(t)}",
        fix=f"Write {where}(x > 0.0, t * 2.0) in a rule.",
    )
