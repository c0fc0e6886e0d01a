"""NumPy in and NumPy out: functions of arrays give arrays, functions of Tensors give Tensors."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import gradwalk
from gradwalk import Tensor

Array = np.ndarray[Any, np.dtype[Any]]

numbers: Array = np.array([[1.0, 2.0], [3.0, 4.0]])
t = Tensor(numbers, requires_grad=True)

assert_type(gradwalk.softmax(numbers), Array)
assert_type(gradwalk.matmul(numbers, numbers), Array)
assert_type(gradwalk.matmul(numbers, t), Tensor)
assert_type(gradwalk.matmul(t, numbers), Tensor)
assert_type(gradwalk.flip(numbers, 0), Array)
assert_type(gradwalk.linalg.inv(numbers), Array)
assert_type(gradwalk.add(numbers, 1.0), Array)
assert_type(gradwalk.add(numbers, t), Tensor)
assert_type(gradwalk.add([1.0, 2.0], 1), Tensor)
assert_type(gradwalk.add(1.0, 2.0), float)
assert_type(gradwalk.isfinite(numbers), Array)
assert_type(gradwalk.isfinite(t), Tensor)
assert_type(gradwalk.concat([numbers, numbers]), Array)
assert_type(gradwalk.stack([numbers, numbers]), Array)

assert_type(gradwalk.asarray(numbers, dtype=np.float32), Tensor)
assert_type(gradwalk.from_numpy(numbers), Tensor)
assert_type(gradwalk.float32, np.dtype[Any])
assert_type(gradwalk.finfo(t.dtype).eps, float)
assert_type(gradwalk.result_type(t, "float32"), np.dtype[Any])


def standardised(x: Tensor) -> Tensor:
    return (x - x.mean(axis=0)) / x.std(axis=0)


def reversed_rows(x: Tensor | Array) -> Tensor | Array:
    return gradwalk.flip(x, axis=-1)


assert_type(standardised(t).numpy(), Array)
assert isinstance(reversed_rows(numbers), np.ndarray)
assert isinstance(reversed_rows(t), Tensor)
for result in (gradwalk.concat([numbers]), gradwalk.stack([numbers]), gradwalk.flip(numbers, 0)):
    assert isinstance(result, np.ndarray)
