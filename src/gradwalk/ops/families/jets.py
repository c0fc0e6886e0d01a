"""Truncated power series in two parameters: values and derivatives of a recurrence at once.

A jet is an array whose first two axes count the powers of two small numbers: jet[i, j] is the
coefficient of aⁱ bʲ. Arithmetic drops what is beyond its shape.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from ...core.numeric import Array

__all__ = ["constant", "derivative", "divide", "exponential", "multiply", "variable"]


def constant(x: Any, orders: tuple[int, int]) -> Array:
    """Return a number, or an array of them, as a jet."""
    jet = np.zeros((orders[0] + 1, orders[1] + 1, *np.shape(x)))
    jet[0, 0] = x
    return jet


def variable(x: Any, which: int, orders: tuple[int, int]) -> Array:
    """Return the parameter number ``which`` itself: x + a, or x + b."""
    jet = constant(x, orders)
    if orders[which]:
        jet[(1, 0) if which == 0 else (0, 1)] = 1.0
    return jet


def multiply(x: Array, y: Array) -> Array:
    """x y"""
    z: Array = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    for i, j in np.ndindex(*z.shape[:2]):
        z[i:, j:] += x[i, j] * y[: z.shape[0] - i, : z.shape[1] - j]
    return z


def divide(x: Array, y: Array) -> Array:
    """x / y"""
    z = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    for i, j in np.ndindex(*z.shape[:2]):
        done = sum(
            (z[k, m] * y[i - k, j - m] for k, m in np.ndindex(i + 1, j + 1) if (k, m) != (i, j)),
            np.zeros(z.shape[2:]),
        )
        z[i, j] = (x[i, j] - done) / y[0, 0]
    return z


def exponential(x: Array) -> Array:
    """e^x"""
    first = x.copy()
    first[0, 0] = 0.0
    total = one = constant(np.ones(x.shape[2:]), (x.shape[0] - 1, x.shape[1] - 1))
    for k in range(x.shape[0] + x.shape[1] - 2, 0, -1):
        total = one + multiply(first, total) / k
    grown: Array = total * np.exp(x[0, 0])
    return grown


def derivative(jet: Array) -> Array:
    """Return the highest derivative in both parameters."""
    i, j = jet.shape[0] - 1, jet.shape[1] - 1
    found: Array = jet[i, j] * float(factorial(i) * factorial(j))
    return found
