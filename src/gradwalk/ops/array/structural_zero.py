"""Structural zeros in arrays: gradients some of whose numbers are no contribution at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from ...core.primitive import Carrier
from ..arithmetic import where
from .masking import zero_where

__all__ = ["StructuralZero", "pass_if", "mask_if", "untouched"]

Array = np.ndarray[Any, Any]


class StructuralZero:
    """A gradient some of whose numbers are *no contribution*: structural zeros.

    ``data`` is 0 wherever ``shut`` is true. What such a zero is multiplied by further on does not
    matter, be it infinite: the sweep opens the gate again only where another path adds to it.
    ``shut`` may be given as a function that makes it: most gates are never looked at.

    What `at` makes is a ``part`` at a ``key`` and nothing else. Added to an array it goes to its
    place there, and what lies elsewhere stays as it is, down to the sign of a zero. Zeros are made
    for it only if somebody asks for all of its ``data``.
    """

    __slots__ = ("_data", "_keys", "_shut", "dtype", "key", "part", "shape")
    __array_ufunc__ = None
    key: Any
    shape: Any
    dtype: Any

    def __init__(self, data: Any, shut: Array | Callable[[], Array]) -> None:
        self._data, self._shut = data, shut
        self.part: Any = None
        self._keys: Any = None

    @classmethod
    def at(cls, key: Any, part: Array, shape: tuple[int, ...]) -> Self:
        """``part`` where a ``key`` that names no place twice leads in an array of ``shape``."""
        made = cls(None, partial(_opened, partial(np.full, shape, True), [key]))
        made.key, made.part, made.shape, made.dtype = key, part, shape, part.dtype
        return made

    @property
    def data(self) -> Any:
        """The numbers, zeros where there is no contribution."""
        if self._data is None:
            self._data = self._scattered()
        return self._data

    def _scattered(self) -> Array:
        data = np.zeros(self.shape, self.dtype)
        data[self.key] = self.part
        return data

    @property
    def shut(self) -> Array:
        """Where there is no contribution."""
        if callable(self._shut):
            self._shut = self._shut()
        return self._shut

    @classmethod
    def of(cls, shut: Array, contribution: Any) -> Self:
        """``share`` where it is not shut; what it was there before does not matter."""
        if isinstance(contribution, Carrier) or isinstance(shut, Carrier):
            data = where(shut, 0.0, contribution)
            fits = shut.shape == data.shape
            return cls(data, shut if fits else np.broadcast_to(shut, data.shape))
        return cls(zero_where(shut, contribution), shut)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, StructuralZero):
            return self.data + other if self.part is None else self.__radd__(other)
        if other.part is None and self.part is not None:
            return other + self
        if other.part is None or not (self.part is not None or other._fits(self.data)):
            return StructuralZero(self.data + other.data, self.shut & other.shut)
        shut = self._shut if self._keys is None else self.shut
        keys: list[Any] = []
        data = self._scattered() if self._data is None else self._data.copy()
        total = StructuralZero(data, partial(_opened, shut, keys))
        total._keys = keys
        return total.__iadd__(other)

    def __radd__(self, other: Any) -> Any:
        if self.part is not None and self._fits(other):
            return self.put_on(other.copy())
        return other + self.data

    def __iadd__(self, other: Any) -> Any:
        """For whoever alone knows ``self`` and has not looked: a sum takes a part in its place."""
        if self._keys is None or not isinstance(other, StructuralZero) or other.part is None:
            return self + other
        other.put_on(self._data)
        self._keys.append(other.key)
        return self

    def put_on(self, array: Array) -> Array:
        """The part added to an array that it fits, in its place."""
        array[self.key] += self.part
        return array

    def _fits(self, x: Any) -> bool:
        return type(x) is np.ndarray and (x.shape, x.dtype) == (self.shape, self.dtype)


def _opened(shut: Any, keys: list[Any]) -> Array:
    """A mask of its own, opened where the keys lead."""
    mask = np.array(shut() if callable(shut) else shut)
    for key in keys:
        mask[key] = False
    return mask


def untouched(reached: Any) -> Any:
    """Where there is still a number and no NaN: a mask, as an array if there is one of it."""
    mask = np.logical_not(np.isnan(reached))
    return mask._data if getattr(mask, "_rank", 0) == 1 else mask  # a Tensor of constants


def pass_if(condition: Any, t: Any) -> StructuralZero:
    """`primitive.gate` for each number of an array."""
    return mask_if(np.logical_not(condition), t)


def mask_if(condition: Any, t: Any) -> StructuralZero:
    """`primitive.unless` for each number of an array."""
    if isinstance(t, Carrier):
        return StructuralZero.of(condition, t)
    if condition.shape != np.shape(t):
        shape = np.broadcast_shapes(condition.shape, np.shape(t))
        condition = np.broadcast_to(condition, shape)
    return StructuralZero(zero_where(condition, t), condition)
