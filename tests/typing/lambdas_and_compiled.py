"""Lambdas as functions to differentiate, compiled functions, and results of solvers."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import gradwalk
from gradwalk import Tensor, Value, compile, grad, hessian, minimize, odeint, stats, value_and_grad
from gradwalk.nn import MLP

slope: float = grad(lambda x: x**3)(2.0)
assert slope == 12.0
parts: dict[str, float] = grad(lambda p: p["a"] ** 2 * gradwalk.exp(p["b"]))({"a": 2.0, "b": 0.0})
assert parts == {"a": 4.0, "b": 4.0}
blocks = hessian(lambda p: p["a"] ** 2 * p["b"])({"a": 2.0, "b": 3.0})
assert blocks["a"]["b"] == 4.0
assert round(minimize(lambda x: (x - 1.0) ** 2, 3.0, progress=False).x, 6) == 1.0


def energy(p: list[float], scale: float = 1.0) -> float:
    """A number from a list."""
    return scale * p[0] * p[0]


assert_type(compile(energy)([3.0], scale=2.0), float)
assert_type(compile(value_and_grad(energy))([3.0]), tuple[float, list[float]])


@compile
def twice(x: float) -> float:
    """The double."""
    return 2.0 * x


assert_type(twice(2.0), float)


def decay(y: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    """A rate."""
    return -y


assert_type(odeint(decay, [1.0], [0.0, 1.0]), NDArray[np.float64])
assert_type(odeint(decay, Tensor([1.0]), [0.0, 1.0]), Tensor)
assert_type(stats.norm.cdf(0.0, loc=1.0), float)
assert_type(stats.norm.cdf(Tensor([0.0])), Tensor)

t = Tensor([1.0, 2.0], requires_grad=True)
ones = np.ones(2)
assert_type(ones * t, Tensor)
assert_type(np.eye(2) @ t, Tensor)
assert_type(1.0 - ones / t, Tensor)
(ones * t).sum().backward()
t.data -= 0.1 * t.grad

z = MLP(2, [3, 1], seed=0)([1.0, 2.0])
assert_type(z, Value | Any)
assert (z > 0) in (True, False)
assert_type(gradwalk.softmax([Value(1.0), 2.0]), list[Value])
