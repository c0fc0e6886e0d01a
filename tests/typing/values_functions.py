"""Functions of gradwalk on floats, Values and NumPy arrays: each kind gives its own kind."""

from __future__ import annotations

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import gradwalk
from gradwalk import Value, clip, exp, maximum, where

v, w = Value(0.5), Value(2.0)

assert_type(exp(1.0), float)
assert_type(exp(1), float)
assert_type(exp(np.float32(1.0)), float)
assert_type(exp(v), Value)
assert_type(exp(np.ones(3, np.float32)).dtype, np.dtype[np.float32])
integers: NDArray[np.int64] = np.arange(3)
assert_type(exp(integers), NDArray[np.floating])

assert_type(maximum(v, 0.0), Value)
assert_type(maximum(0.0, v), Value)
assert_type(maximum(v, w), Value)
assert_type(maximum(1.0, 2), float)
assert_type(maximum(np.ones(3), 0.5), NDArray[np.floating])
assert_type(gradwalk.atan2(y=v, x=1.0), Value)
assert_type(gradwalk.pow(2.0, v), Value)
assert_type(gradwalk.fma(v, 2.0, 1.0), Value)

assert_type(where(v > w, v, 0.0), Value)
assert_type(where(True, 0.0, 1.0), float)
assert_type(clip(v, -1.0, 1.0), Value)
assert_type(clip(v, max=w), Value)
assert_type(clip(0.3, min=0.0), float)
assert_type(clip(np.ones(3), None, 0.5), NDArray[np.floating])
assert_type(gradwalk.leaky_relu(v, negative_slope=0.2), Value)
assert_type(gradwalk.elu(0.3), float)
assert_type(gradwalk.gelu(v, "tanh"), Value)

assert_type(gradwalk.softmax([v, w]), list[Value])
assert_type(gradwalk.softmax([1.0, 2.0]), list[float])
assert_type(gradwalk.logsumexp([v, w]), Value)
assert_type(gradwalk.logsumexp([1, 2.0]), float)


def loss(x: Value | float) -> Value | float:
    """A function that is used with numbers and with Values."""
    return maximum(gradwalk.sin(x), 0.1) + gradwalk.sigmoid(x)


assert isinstance(loss(0.5), float)
assert isinstance(loss(v), Value)
