"""Gradients of functions as users write them: parameters are kept, results are known."""

from typing import NamedTuple, assert_type

import numpy as np
from numpy.typing import NDArray

import gradwalk as gw
from gradwalk import Tensor, grad, jvp, linearize, value_and_grad, vjp


class Line(NamedTuple):
    """The parameters of a line."""

    slope: float
    offset: float


def loss(line: Line, x: float, *, weight: float = 1.0) -> float:
    """The weighted square of a line at one point."""
    y = line.slope * x + line.offset
    return weight * y * y


line = Line(2.0, 1.0)
gradient = grad(loss)(line, 3.0, weight=0.5)
assert_type(gradient, Line)
assert gradient == Line(21.0, 7.0)

value, both = value_and_grad(loss)(line, 3.0)
assert_type(value, float)
assert_type(both, Line)
assert value == 49.0

by_x = grad(loss, argnums=1)(line, 3.0)
assert_type(by_x, float)
assert by_x == 28.0

pair = grad(loss, argnums=(0, 1))(line, 3.0)
assert_type(pair, tuple[Line, float])
assert pair == (Line(42.0, 14.0), 28.0)


def cube(x: float) -> float:
    """The third power."""
    return x * x * x


assert_type(grad(grad(cube))(2.0), float)
assert grad(grad(cube))(2.0) == 12.0


def with_parts(x: float) -> tuple[float, dict[str, float]]:
    """A result, and what led to it."""
    square = x * x
    return square * x, {"square": square}


slope, aux = grad(with_parts, has_aux=True)(2.0)
assert_type(slope, float)
assert_type(aux, dict[str, float])
assert (slope, aux) == (12.0, {"square": 4.0})


def energy(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """A number from arrays."""
    return gw.sum(x * x * weights["w"])


x = Tensor([1.0, 2.0])
assert_type(grad(energy)(x, {"w": Tensor([1.0, 1.0])}), Tensor)
assert_type(grad(energy, argnums=1)(x, {"w": x}), dict[str, Tensor])


def total(x: NDArray[np.float64]) -> float:
    """A number from an array of NumPy."""
    y: float = (x * x).sum()
    return y


assert_type(grad(total)(np.ones(3)), NDArray[np.float64])


def product(x: float, y: float) -> float:
    """Two factors."""
    return x * y


y, pullback = vjp(product, 2.0, 3.0)
assert_type(y, float)
assert_type(pullback(1.0), tuple[float, float])
assert pullback(1.0) == (3.0, 2.0)

y, tangent = jvp(product, (2.0, 3.0), (1.0, 10.0))
assert_type(tangent, float)
assert tangent == 23.0

y, forward = linearize(product, 2.0, 3.0)
assert_type(forward(1.0, 0.0), float)
assert forward(1.0, 0.0) == 3.0
