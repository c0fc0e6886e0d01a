"""Arrays without elements: every function keeps the shapes, and every gradient is there, empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.errors import GradwalkError
from gradwalk.nn import functional
from gradwalk.tensor.graph.backward import gradients, tangent

ONES, ZEROS, NO_IDS = np.ones(4), np.zeros(4), np.zeros(0, int)

UNARY_NAMES = """abs acos asin asinh atan atanh cbrt cos digamma elu erf exp gelu relu selu sigmoid
silu sinc softplus sqrt square tan tanh lgamma log log1p sum prod sort softmax log_softmax logsumexp
norm flip diff ravel cumsum cumprod"""
UNARY: dict[str, Callable[..., Any]] = {name: getattr(gw, name) for name in UNARY_NAMES.split()}
UNARY |= {
    f"vector_norm {ord}": lambda x, ord=ord: gw.linalg.vector_norm(x, ord=ord, axis=0)
    for ord in (2, 1, 3, 0.5, -1, -2)
}
SQUARE = ("det", "inv", "eigvalsh", "svdvals", "pinv", "matrix_norm", "cholesky")

# name -> (function, the shapes of its arguments)
CASES: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "layer_norm": (lambda x: functional.layer_norm(x, 4), [(0, 4)]),
    "layer_norm, scaled": (lambda x, w, b: functional.layer_norm(x, 4, w, b), [(0, 4), (4,), (4,)]),
    "layer_norm, no features": (lambda x: functional.layer_norm(x, 0), [(3, 0)]),
    "layer_norm, two axes": (lambda x: functional.layer_norm(x, (2, 4)), [(0, 2, 4)]),
    "rms_norm": (lambda x: functional.rms_norm(x, 4), [(0, 4)]),
    "rms_norm, scaled": (lambda x, w: functional.rms_norm(x, 4, w), [(0, 4), (4,)]),
    "rms_norm, no features": (lambda x: functional.rms_norm(x, 0), [(3, 0)]),
    "batch_norm": (
        lambda x, w, b: functional.batch_norm(x, ZEROS, ONES, w, b),
        [(0, 4, 3), (4,), (4,)],
    ),
    "linear": (functional.linear, [(0, 3), (4, 3), (4,)]),
    "linear, no inputs": (functional.linear, [(2, 0), (4, 0), (4,)]),
    "linear, no outputs": (functional.linear, [(2, 3), (0, 3), (0,)]),
    "conv1d": (functional.conv1d, [(0, 3, 8), (4, 3, 3), (4,)]),
    "conv2d": (functional.conv2d, [(0, 3, 8, 8), (4, 3, 3, 3), (4,)]),
    "conv2d, no channels": (functional.conv2d, [(2, 0, 8, 8), (4, 0, 3, 3), (4,)]),
    "conv2d, no outputs": (functional.conv2d, [(2, 3, 8, 8), (0, 3, 3, 3), (0,)]),
    "max_pool2d": (lambda x: functional.max_pool2d(x, 2), [(0, 3, 8, 8)]),
    "avg_pool2d": (lambda x: functional.avg_pool2d(x, 2), [(2, 0, 8, 8)]),
    "attention": (functional.scaled_dot_product_attention, [(0, 2, 4, 8)] * 3),
    "attention to nothing": (
        functional.scaled_dot_product_attention,
        [(1, 2, 4, 8), (1, 2, 0, 8), (1, 2, 0, 8)],
    ),
    "attention of nothing": (
        functional.scaled_dot_product_attention,
        [(1, 2, 0, 8), (1, 2, 4, 8), (1, 2, 4, 8)],
    ),
    "embedding": (lambda w: functional.embedding(NO_IDS, w), [(5, 3)]),
    "indices": (lambda x: x[NO_IDS], [(5, 3)]),
    "mask": (lambda x: x[np.zeros(5, bool)], [(5, 3)]),
    "slice": (lambda x: x[2:2], [(5, 3)]),
    "concat": (lambda a, b: gw.concat([a, b]), [(0, 3), (2, 3)]),
    "matmul": (lambda a, b: a @ b, [(0, 3), (3, 2)]),
    "matmul over nothing": (lambda a, b: a @ b, [(2, 0), (0, 3)]),
    "matmul, stacks": (lambda a, b: a @ b, [(0, 2, 3), (0, 3, 4)]),
    "dot": (lambda a, b: a @ b, [(0,), (0,)]),
    "tensordot": (lambda a, b: gw.tensordot(a, b, 1), [(2, 0), (0, 2)]),
    "cross": (gw.linalg.cross, [(0, 3), (0, 3)]),
    "solve": (gw.linalg.solve, [(0, 3, 3), (0, 3, 2)]),
    "quantile": (lambda x: gw.quantile(x, [0.2, 0.5], 0), [(3, 0)]),
    "topk": (lambda x: gw.topk(x, 0).values, [(0,)]),
    **{name: (lambda x, f=f: f(x), [(0, 3)]) for name, f in UNARY.items()},
    **{f"linalg.{name}": (getattr(gw.linalg, name), [(0, 2, 2)]) for name in SQUARE},
    **{
        f"{loss.__name__}, {reduction}": (
            lambda x, loss=loss, reduction=reduction: loss(
                x, np.zeros((0, 3)), reduction=reduction
            ),
            [(0, 3)],
        )
        for loss in (nn.mse, nn.mae, nn.huber, nn.hinge, nn.binary_cross_entropy)
        for reduction in ("sum", "none")
    },
    "cross_entropy": (lambda x: nn.cross_entropy(x, NO_IDS, "sum"), [(0, 3)]),
}


@pytest.mark.parametrize("name", CASES)
def test_without_elements(name: str):
    """All derivatives in both orders and modes have the shape of their argument, and are 0."""
    f, shapes = CASES[name]
    leaves = [Tensor(np.zeros(shape), requires_grad=True) for shape in shapes]
    y = f(*leaves)
    ones = np.ones(y.shape)
    assert not np.isnan(y.data).any()
    assert tangent(y, {leaf: np.ones(leaf.shape) for leaf in leaves}).shape == y.shape
    first = gradients(y, leaves, ones, create_graph=True)
    y.backward(ones, retain_graph=True)
    for leaf, gradient in zip(leaves, first, strict=True):
        assert gradient.shape == leaf.grad.shape == leaf.shape
        assert not np.isnan(leaf.grad).any()
        if gradient.requires_grad:
            second = gradients(gradient, leaves, np.ones(gradient.shape), create_graph=False)
            assert [g.shape for g in second] == shapes


@pytest.mark.parametrize("module", [nn.LayerNorm(4), nn.RMSNorm(4), nn.BatchNorm1d(4).eval()])
def test_modules_of_an_empty_batch(module: Any):
    x = Tensor(np.zeros((0, 4)), requires_grad=True)
    module(x).sum().backward()
    assert x.grad.shape == (0, 4)
    assert all((p.grad == 0.0).all() for p in module.parameters())


@pytest.mark.parametrize("f", [gw.max, gw.min, gw.argmax, gw.median])
def test_what_nothing_has_is_refused(f: Callable[..., Any]):
    with pytest.raises(GradwalkError, match="at least one element"):
        f(Tensor(np.zeros((0, 3))), axis=0)
