"""Functions of gradwalk as arguments of transforms and of classes, in lists and in tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

import gradwalk
from gradwalk import Tensor, Value, cos, exp, gelu, leaky_relu, maximum, minimum, relu, sin, tanh

v, t = Value(0.5), Tensor([0.5])

assert_type(gradwalk.value_and_grad(sin)(2.0)[0], float)
assert_type(gradwalk.jvp(sin, (2.0,), (1.0,)), tuple[float, float])
assert_type(gradwalk.vjp(sin, 2.0)[0], float)
assert_type(gradwalk.jacobian(tanh)(2.0), float)
slope: float = float(gradwalk.grad(sin)(2.0))

wave = sin if slope > 0.0 else cos
assert_type(wave(v), Value)
assert_type(wave(1.0), float)
limit = maximum if slope > 0.0 else minimum
assert_type(limit(t, 1.0), Tensor)
assert_type([f(t) for f in (sin, relu)], list[Tensor])
assert_type({"relu": relu, "tanh": tanh}["relu"](v), Value)
assert_type(list(map(exp, [v, v])), list[Value])


class Layer:
    def __init__(self, activation: Callable[[Tensor], Tensor] = tanh) -> None:
        self.activation = activation

    def __call__(self, x: Tensor) -> Tensor:
        return self.activation(x)


for layer in (Layer(), Layer(relu), Layer(gelu), Layer(leaky_relu), Layer(Tensor.exp)):
    assert_type(layer(t), Tensor)
