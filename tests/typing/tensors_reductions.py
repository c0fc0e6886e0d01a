"""Statistics of a table: reductions, shapes, order."""

from __future__ import annotations

from typing import assert_type

import gradwalk
from gradwalk import Tensor

table = Tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]], requires_grad=True)

assert_type(table.sum(), Tensor)
assert_type(table.mean(axis=0), Tensor)
assert_type(table.std(axis=(0, 1), correction=1, keepdims=True), Tensor)
assert_type(gradwalk.sum(table, axis=-1, dtype="float32"), Tensor)
assert_type(gradwalk.max([[1.0, 2.0], [3.0, 4.0]], 1), Tensor)
assert_type(gradwalk.softmax(table, axis=1), Tensor)
assert_type(gradwalk.logsumexp(table, axis=1, keepdims=True), Tensor)
assert_type(gradwalk.cumulative_sum(table, axis=1, include_initial=True), Tensor)
assert_type(table.argmax(axis=1), Tensor)
assert_type(gradwalk.median(table), Tensor)
assert_type(gradwalk.quantile(table, [0.25, 0.75]), Tensor)
assert_type(gradwalk.allclose(table, table + 1e-12), bool)

largest, where = table.topk(2, axis=1)
assert_type(largest, Tensor)
assert_type(gradwalk.topk(table, 1).indices, Tensor)
assert_type(where, Tensor)

assert_type(table.reshape(3, 2), Tensor)
assert_type(table.reshape((2, -1)), Tensor)
assert_type(gradwalk.reshape(table, (6,)), Tensor)
assert_type(table.transpose(1, 0).flatten(), Tensor)
assert_type(gradwalk.permute_dims(table, (1, 0)), Tensor)
assert_type(gradwalk.expand_dims(table, axis=0).squeeze(0), Tensor)
assert_type(gradwalk.concat([table, table], axis=1), Tensor)
assert_type(gradwalk.stack([table, table]), Tensor)
assert_type(gradwalk.split(table, 3, axis=1), list[Tensor])
assert_type(gradwalk.unstack(table), tuple[Tensor, ...])
assert_type(gradwalk.zeros((2, 3), dtype=int), Tensor)
assert_type(gradwalk.arange(3.0, requires_grad=True), Tensor)
assert_type(gradwalk.ones_like(table), Tensor)
