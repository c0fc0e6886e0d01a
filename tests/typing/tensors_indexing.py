"""Parts of arrays: brackets, assignment, masks, images."""

from __future__ import annotations

from typing import assert_type

import gradwalk
from gradwalk import Tensor

x = gradwalk.arange(12.0).reshape(3, 4)

assert_type(x[0], Tensor)
assert_type(x[-1, 1:], Tensor)
assert_type(x[..., None], Tensor)
assert_type(x[[0, 2], ::2], Tensor)
assert_type(x[x > 3.0], Tensor)
assert_type([row.sum() for row in x], list[Tensor])

x[0] = 1.0
x[1, 1:3] = [5.0, 6.0]
x[x > 5.0] += 1
x *= 2.0
assert_type(x, Tensor)

assert_type(gradwalk.take(x, [0, 1], axis=1), Tensor)
assert_type(x.gather(1, [[0], [1], [2]]), Tensor)
assert_type(gradwalk.take_along_axis(x, x.argsort(), 1), Tensor)
assert_type(gradwalk.one_hot([0, 2, 1], 3), Tensor)
assert_type(gradwalk.embedding(x, [[0, 2]]), Tensor)
assert_type(gradwalk.nonzero(x), tuple[Tensor, ...])
assert_type(x.astype("int32"), Tensor)

image = gradwalk.ones((1, 1, 4, 4))
assert_type(gradwalk.conv2d(image, gradwalk.ones((1, 1, 2, 2)), stride=2), Tensor)
assert_type(gradwalk.max_pool2d(image, 2), Tensor)
assert_type(gradwalk.layer_norm(x, 4), Tensor)
assert_type(gradwalk.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="edge"), Tensor)
