"""A linear layer by hand: operators, methods and gradients."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

from gradwalk import Tensor
from gradwalk.tensor.graph.gradient import Gradient

Array = np.ndarray[Any, np.dtype[Any]]

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
w = Tensor([[0.5], [-1.0]], requires_grad=True, label="w")
b = Tensor(np.zeros(1), dtype="float64", requires_grad=True)

y = x @ w + b
assert_type(x @ w, Tensor)
assert_type(y, Tensor)
assert_type(2.0 * y - 1, Tensor)
assert_type(1 / (y + 10) ** 2, Tensor)
assert_type(-abs(y), Tensor)
assert_type(y % 2 // 3, Tensor)
assert_type((y > 0) & ~(y == 1.0), Tensor)
assert_type(divmod(y, 2.0), tuple[Tensor, Tensor])
assert_type(y + np.ones((2, 1)), Tensor)
assert_type(y * [[1.0], [2.0]], Tensor)

loss = (y.tanh() - 1.0).square().mean()
assert_type(loss, Tensor)
assert_type(loss.backward(), None)

assert_type(w.grad, Gradient | Any)
assert_type(w.data, Array)
assert_type(loss.item(), float)
assert_type(float(loss.detach()), float)
assert_type(w.requires_grad, bool)
assert_type(w.label, str)
assert_type(w.shape, tuple[int, ...])
assert_type(w.dtype, np.dtype[Any])
assert_type(w.detach().numpy(), Array)
assert_type(w.T.mT, Tensor)
assert_type(w.exp().clip(0.0, max=1.0).round(2), Tensor)
assert_type(w.leaky_relu(0.1).maximum(0.0).atan2(1.0), Tensor)

if w.grad is not None:
    w.data -= 0.1 * w.grad
w.grad = None
assert w.grad is None
