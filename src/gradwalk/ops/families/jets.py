"""Truncated power series in two parameters: values and derivatives of a recurrence at once.

A jet is an array whose first two axes count the powers of two small numbers: jet[i, j] is the
coefficient of aⁱ bʲ. Arithmetic drops what is beyond its shape.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np

from ...core.numeric import Array

__all__ = ["STEPS", "constant", "derivative", "divide", "exponential", "fraction", "logarithm"]
__all__ += ["multiply", "variable"]

STEPS = 20_000
"""How many terms a series or a fraction has at most."""


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


def logarithm(x: Array) -> Array:
    """ln x"""
    first = x / x[0, 0]
    first[0, 0] = 0.0
    total = np.zeros_like(x)
    for k in range(x.shape[0] + x.shape[1] - 2, 0, -1):  # ln(1 + u), by Horner's rule
        total = multiply(first, constant(np.ones(x.shape[2:]), _orders(x)) / k - total)
    total[0, 0] = np.log(x[0, 0])
    return total


def derivative(jet: Array) -> Array:
    """Return the highest derivative in both parameters."""
    i, j = jet.shape[0] - 1, jet.shape[1] - 1
    found: Array = jet[i, j] * float(factorial(i) * factorial(j))
    return found


def fraction(step: Callable[[int], tuple[Array, Array]], first: Array) -> Array:
    """Return b₀ + a₁ / (b₁ + a₂ / …).

    The recurrence of numerators and denominators tells how many terms count. It adds up the
    rounding errors of all of them, so the value is computed from the last term to the first.
    """
    one, zero = constant(np.ones(first.shape[2:]), _orders(first)), np.zeros_like(first)
    tops, bottoms, found = (one, first), (zero, one), first
    for k in range(1, STEPS):
        a, b = step(k)
        top = multiply(b, tops[1]) + multiply(a, tops[0])
        bottom = multiply(b, bottoms[1]) + multiply(a, bottoms[0])
        scale = 1.0 / np.where(bottom[0, 0] == 0.0, 1.0, np.abs(bottom[0, 0]))
        tops, bottoms = (tops[1] * scale, top * scale), (bottoms[1] * scale, bottom * scale)
        if k % 8 == 0:
            before, found = found, divide(tops[1], bottoms[1])
            if not _moves(found, before):
                break
    _, found = step(2 * k)
    for j in range(2 * k, 0, -1):
        found = (step(j - 1)[1] if j > 1 else first) + divide(step(j)[0], found)
    return found


def _orders(jet: Array) -> tuple[int, int]:
    return jet.shape[0] - 1, jet.shape[1] - 1


def _moves(now: Array, before: Array) -> bool:
    size = np.max(np.abs(now), axis=(0, 1))
    return bool(np.any(np.abs(now - before) > 1e-14 * size))
