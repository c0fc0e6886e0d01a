"""Dual numbers, written for the tests alone: the derivative of ordinary Python, without gradwalk.

A number with its tangent. It compares by value, may be copied, and lies in NumPy's object arrays,
so that branches, containers, views and in-place updates are those of Python and NumPy themselves.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np


class Dual:
    """``primal + tangent ε`` with ε² = 0."""

    kinks: ClassVar[list[float]] = []
    """Where a derivative was asked for at a kink: conventions differ there."""

    def __init__(self, primal: float, tangent: float) -> None:
        self.primal, self.tangent = primal, tangent

    def __add__(self, other: Any) -> Dual:
        b = lift(other)
        return Dual(self.primal + b.primal, self.tangent + b.tangent)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        return self + -lift(other)

    def __rsub__(self, other: Any) -> Dual:
        return lift(other) + -self

    def __mul__(self, other: Any) -> Dual:
        b = lift(other)
        return Dual(self.primal * b.primal, self.tangent * b.primal + self.primal * b.tangent)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        b = lift(other)
        value = self.primal / b.primal
        return Dual(value, (self.tangent - value * b.tangent) / b.primal)

    def __rtruediv__(self, other: Any) -> Dual:
        return lift(other) / self

    def __pow__(self, exponent: int) -> Dual:
        slope = exponent * self.primal ** (exponent - 1)
        return Dual(self.primal**exponent, slope * self.tangent)

    def __neg__(self) -> Dual:
        return Dual(-self.primal, -self.tangent)

    def __pos__(self) -> Dual:
        return self

    def __abs__(self) -> Dual:
        self._note_kink(self.primal)
        return -self if self.primal < 0 else self

    def tanh(self) -> Dual:
        value = math.tanh(self.primal)
        return Dual(value, self.tangent * (1 - value * value))

    def sin(self) -> Dual:
        return Dual(math.sin(self.primal), self.tangent * math.cos(self.primal))

    def larger(self, other: Any) -> Dual:
        self._note_kink(self.primal - lift(other).primal)
        return self if self > other else lift(other)

    def _note_kink(self, distance: float) -> None:
        if distance == 0.0:
            self.kinks.append(self.primal)

    def __bool__(self) -> bool:
        return self.primal != 0.0

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return bool(self.primal == primal(other))

    def __ne__(self, other: object) -> bool:
        return bool(self.primal != primal(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self.primal < primal(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.primal <= primal(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.primal > primal(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.primal >= primal(other))


def lift(x: Any) -> Dual:
    x = x.item() if isinstance(x, np.ndarray) else x
    return x if isinstance(x, Dual) else Dual(float(x), 0.0)


def primal(x: Any) -> Any:
    return x.primal if isinstance(x, Dual) else x
