"""Functions of whole arrays on arrays of other libraries: NumPy's values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.libraries import Library, compare

rng = np.random.default_rng(7)
X = rng.normal(size=(3, 4))
CUBE = rng.normal(size=(2, 3, 4))
SQUARE = rng.normal(size=(2, 3, 3)) + 3.0 * np.eye(3)
SPD = SQUARE @ SQUARE.swapaxes(-1, -2)
VECTOR = rng.normal(size=4)
ROW = rng.normal(size=(1, 4))
IDS = np.array([2, 0, 2])

CASES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    # reductions
    "sum": (lambda x: x.sum(), [X]),
    "sum-axis": (lambda x: x.sum(axis=1), [CUBE]),
    "sum-axes-kept": (lambda x: x.sum(axis=(0, 2), keepdims=True), [CUBE]),
    "mean": (lambda x: x.mean(axis=-1), [CUBE]),
    "var": (lambda x: x.var(axis=0), [X]),
    "std": (lambda x: gw.tensor.std(x, correction=1), [X]),
    "prod": (lambda x: x.prod(axis=1), [X]),
    "max": (lambda x: x.max(axis=1), [X]),
    "min-all": (lambda x: x.min(), [X]),
    "max-ties": (lambda x: x.max(axis=1), [np.array([[1.0, 1.0], [0.0, 2.0]])]),
    "logsumexp": (lambda x: gw.tensor.logsumexp(x, axis=1), [X]),
    "norm": (lambda x: gw.tensor.linalg.vector_norm(x), [X]),
    "cumsum": (lambda x: gw.tensor.cumulative_sum(x, axis=1), [X]),
    "cumprod": (lambda x: gw.tensor.cumulative_prod(x, axis=1), [X]),
    "all": (lambda x: (x > -9.0).all(), [X]),
    "any": (lambda x: (x > 1.0).any(axis=0), [X]),
    "argmax": (lambda x: x.argmax(axis=1), [X]),
    # products
    "matmul": (lambda a, b: a @ b, [X, X.T.copy()]),
    "matmul-stack": (lambda a, b: a @ b, [CUBE, X.T.copy()]),
    "matmul-stacks": (lambda a, b: a @ b, [CUBE, CUBE.swapaxes(1, 2).copy()]),
    "matmul-vector": (lambda a, b: a @ b, [X, VECTOR]),
    "vector-matmul": (lambda a, b: b @ a.T, [X, VECTOR]),
    "dot": (lambda a, b: a @ b, [VECTOR, VECTOR + 1.0]),
    "einsum": (lambda a, b: gw.tensor.einsum("ij,kj->ik", a, b), [X, X + 1.0]),
    "einsum-sum": (lambda a: gw.tensor.einsum("ijk->k", a), [CUBE]),
    "einsum-diagonal": (lambda a: gw.tensor.einsum("aii->ai", a), [SQUARE]),
    "linear": (F.linear, [X, rng.normal(size=(2, 4)), rng.normal(size=2)]),
    "linear-stack": (F.linear, [CUBE, rng.normal(size=(2, 4)), rng.normal(size=2)]),
    # shapes
    "reshape": (lambda x: x.reshape(4, 3) * 2.0, [X]),
    "flatten": (lambda x: x.flatten(), [CUBE]),
    "transpose": (lambda x: x.T * 2.0, [X]),
    "permute": (lambda x: x.transpose(2, 0, 1), [CUBE]),
    "mT": (lambda x: x.mT @ x, [CUBE]),
    "swapaxes": (lambda x: x.swapaxes(0, 1), [X]),
    "squeeze": (lambda x: x.squeeze(0), [ROW]),
    "expand_dims": (lambda x: x[:, None, :], [X]),
    "broadcast_to": (lambda x: gw.tensor.broadcast_to(x, (3, 4)), [ROW]),
    "flip": (lambda x: gw.tensor.flip(x, axis=1), [X]),
    "roll": (lambda x: gw.tensor.roll(x, 2, axis=1), [X]),
    "concat": (lambda a, b: gw.tensor.concat([a, b], axis=0), [X, ROW]),
    "stack": (lambda a, b: gw.tensor.stack([a, b], axis=1), [X, X * 2.0]),
    "split": (lambda x: gw.tensor.split(x, 2, axis=1)[1], [X]),
    "unstack": (lambda x: sum(gw.tensor.unstack(x)), [X]),
    "iteration": (lambda x: sum(row * row for row in x), [X]),
    "astype": (lambda x: x.astype(np.float32).astype(np.float64), [X.astype(np.float32) * 1.0]),
    "tril": (lambda x: gw.tensor.tril(x), [X]),
    # parts
    "index": (lambda x: x[1], [X]),
    "slice": (lambda x: x[1:, ::2], [X]),
    "slice-backwards": (lambda x: x[::-1, 1:-1], [X]),
    "slice-twice": (lambda x: x[1:] * x[:-1], [X]),
    "ellipsis": (lambda x: x[..., 0], [CUBE]),
    "ids": (lambda x: x[IDS], [X]),
    "pairs": (lambda x: x[np.arange(3), IDS], [X]),
    "mask": (lambda x: x[X > 0.0], [X]),
    "take": (lambda x: gw.tensor.take(x, IDS, axis=1), [X]),
    "embedding": (lambda x: F.embedding(np.array([[0, 2], [2, 1]]), x), [X]),
    "where": (lambda a, b: gw.where(a > 0.0, a, b * 2.0), [X, ROW]),
    "clip": (lambda x: x.clip(-0.5, 0.5), [X]),
    "assignment": (lambda x: assigned(x), [X]),
    # matrices
    "solve": (gw.tensor.linalg.solve, [SQUARE, CUBE.swapaxes(1, 2)[:, :3, :1].copy()]),
    "inv": (gw.tensor.linalg.inv, [SQUARE]),
    "cholesky": (gw.tensor.linalg.cholesky, [SPD]),
    # networks
    "softmax": (lambda x: F.softmax(x, 1), [X]),
    "log_softmax": (lambda x: F.log_softmax(x, -1), [CUBE]),
    "cross_entropy": (lambda x: F.cross_entropy(x, IDS), [X]),
    "mse": (lambda a, b: F.mse_loss(a, b), [X, X + 1.0]),
    "bce": (lambda a, b: F.binary_cross_entropy_with_logits(a, b), [X, (X > 0.0) * 1.0]),
    "layer_norm": (
        lambda x, w, b: F.layer_norm(x, (4,), w, b), [CUBE, VECTOR, VECTOR * 2.0]
    ),
    "conv2d": (
        lambda x, w, b: F.conv2d(x, w, b, padding=1),
        [rng.normal(size=(2, 3, 5, 5)), rng.normal(size=(4, 3, 3, 3)), rng.normal(size=4)],
    ),
    "conv2d-stride": (
        lambda x, w: F.conv2d(x, w, stride=2, padding=1, dilation=2, groups=2),
        [rng.normal(size=(2, 4, 6, 6)), rng.normal(size=(6, 2, 3, 3))],
    ),
    "max_pool2d-overlap": (
        lambda x: F.max_pool2d(x, 3, stride=2, padding=1), [rng.normal(size=(2, 3, 5, 5))]
    ),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), [rng.normal(size=(2, 3, 4, 4))]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), [rng.normal(size=(2, 3, 4, 4))]),
    "attention": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [rng.normal(size=(2, 3, 4)) for _ in range(3)],
    ),
}  # fmt: skip


def assigned(x: Any) -> Any:
    """Return something computed from an array that was written into."""
    y = x * 1.0
    y[1:, 0] = x[0, :2] * 3.0
    return y * x


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_numpy(library: Library, name: str) -> None:
    f, args = CASES[name]
    compare(library, f, *args, rtol=1e-11, atol=1e-12)
