"""Transposed convolutions against their definition: each number times the kernel, where it lies."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor

OPTIONS = [
    (stride, padding, more, dilation, kernel)
    for stride, padding, more, dilation, kernel in itertools.product(
        (1, 2, 3), (0, 1, 2), (0, 1, 2), (1, 2, 3), (1, 2, 3)
    )
    if more < max(stride, dilation)
    and 2 * (stride - padding) + dilation * (kernel - 1) + 1 + more > 0  # of three numbers
]


def defined(x, w, stride, padding, more, dilation):
    """Return the transposed convolution by loops over all numbers."""
    axes, kernel = x.ndim - 2, w.shape[2:]
    full = [
        (n - 1) * stride + dilation * (k - 1) + 1 for n, k in zip(x.shape[2:], kernel, strict=True)
    ]
    y = np.zeros((len(x), w.shape[1], *[n + more for n in full]))
    for place in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*kernel):
            at = tuple(stride * i + dilation * k for i, k in zip(place, tap, strict=True))
            y[(..., *at)] += x[(..., *place)] @ w[(..., *tap)]
    inside = [slice(padding, n + more - padding) for n in full]
    return y[(slice(None), slice(None), *inside[:axes])]


@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_values_and_gradients(axes, options):
    *how, kernel = options
    rng = np.random.default_rng(axes)
    x, w = rng.normal(size=(2, 3, *(3,) * axes)), rng.normal(size=(3, 2, *(kernel,) * axes))
    expected = defined(x, w, *how)
    stride, padding, more, dilation = how
    f = gw.conv_transpose1d if axes == 1 else gw.conv_transpose2d
    a, b = Tensor(x, requires_grad=True), Tensor(w, requires_grad=True)
    y = f(a, b, None, stride, padding, more, 1, dilation)
    np.testing.assert_allclose(y.data, expected, atol=1e-12)
    t = rng.normal(size=expected.shape)
    y.backward(t)
    # it is linear in each of both: the gradient in x along dx is the result at dx
    dx, dw = rng.normal(size=x.shape), rng.normal(size=w.shape)
    along_x, along_w = (t * defined(dx, w, *how)).sum(), (t * defined(x, dw, *how)).sum()
    assert (a.grad * dx).sum() == pytest.approx(along_x, rel=1e-10)
    assert (b.grad * dw).sum() == pytest.approx(along_w, rel=1e-10)
