"""Second derivatives, Jacobians and series as users write them."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import gradwalk as gw
from gradwalk import Tensor
from gradwalk.transforms import hessian, hvp, jacobian, laplacian, taylor, vhp


def energy(x: Tensor) -> Tensor:
    """A number from an array."""
    return gw.sum(x * x * x)


x = Tensor([1.0, 2.0])
assert_type(hessian(energy)(x), Tensor)
assert_type(hvp(energy)(x, x), Tensor)
assert_type(hvp(energy, x, x), Tensor)
assert_type(vhp(energy, x, x), Tensor)
assert_type(laplacian(energy)(x), Tensor)
assert_type(laplacian(energy, x), Tensor)


def square(x: Tensor) -> Tensor:
    """Every number squared."""
    return x * x


assert_type(jacobian(square)(x), Tensor)
assert jacobian(square)(x).shape == (2, 2)


def curve(t: float) -> list[float]:
    """A point of a parabola."""
    return [t, t * t]


assert_type(jacobian(curve)(3.0), list[float])
assert jacobian(curve)(3.0) == [1.0, 6.0]


def area(sides: dict[str, float]) -> float:
    """The area of a rectangle."""
    return sides["a"] * sides["b"]


assert_type(jacobian(area)({"a": 2.0, "b": 3.0}), dict[str, float])
assert_type(hvp(area, {"a": 2.0, "b": 3.0}, {"a": 1.0, "b": 0.0}), dict[str, float])


def scaled(x: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    """An array of NumPy, and a number beside it."""
    y: NDArray[np.float64] = x * factor
    return y


assert_type(jacobian(scaled)(np.ones(2), 3.0), NDArray[np.float64])


def cube(t: float) -> float:
    """The third power."""
    return t * t * t


series = taylor(cube, 2.0, 3)
assert_type(series[1], float)
assert tuple(series) == (8.0, 12.0, 6.0, 1.0)
