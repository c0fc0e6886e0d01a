"""Fusion is speed only: without each of its fast paths the same numbers come out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import native, wiring
from gradwalk.tensor.fusion import accumulate, chains, hessian_vector
from gradwalk.transforms import tensor_graphs

pytestmark = pytest.mark.skipif(native.engine is None, reason="the fast paths are loops in C")

SIZE = 2**16  # large enough for each of the fast paths
X = np.linspace(-2.0, 2.0, SIZE)
V = np.cos(X)

Switch = Callable[[pytest.MonkeyPatch, list[Any]], None]


def loss(x: Any) -> Any:
    """Return a sum of products, quotients and choices, so that each fast path has work to do."""
    y = gw.maximum(x * x * 0.5, x + 0.25) * gw.minimum(x, 1.5) - x / (2.0 + x * x)
    return (y * y * x + y.clip(-1.0, 1.0)).sum()


def gradient() -> Any:
    x = gw.Tensor(X, requires_grad=True)
    loss(x).backward()
    return x.grad


def recorded_gradient() -> Any:
    x = gw.Tensor(X, requires_grad=True)
    g = gw.gradients(loss(x), x, create_graph=True)
    (g * V).sum().backward()
    return np.stack([g.numpy(), np.asarray(x.grad)])


def tangent() -> Any:
    return np.asarray(gw.jvp(lambda x: x * x / (x + 3.0), (X,), (V,))[1])


def hessian_vector_product() -> Any:
    return np.asarray(gw.hvp(loss)(X, V))


def spy(record: list[Any], f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f``, and note each result that is one of a fast path."""

    def call(*args: Any) -> Any:
        result = f(*args)
        if result is not None and result is not NotImplemented:
            record.append(result)
        return result

    return call


def without_choices(patch: pytest.MonkeyPatch, used: list[Any]) -> None:
    def plain(primitive: Any, index: int, run: Any, args: Any) -> Any:
        used.append(primitive)
        return primitive.rules[index](*args)

    patch.setattr(wiring, "recorded_choice", plain)


def without_pairs(patch: pytest.MonkeyPatch, used: list[Any]) -> None:
    fast = spy(used, wiring.fused_jvp)
    patch.setattr(wiring, "fused_jvp", lambda *args: fast(*args) and None)


def without_accumulation(patch: pytest.MonkeyPatch, used: list[Any]) -> None:
    fast = spy(used, accumulate.is_readable)
    patch.setattr(accumulate, "is_readable", lambda node: fast(node) and False)


def without_chains(patch: pytest.MonkeyPatch, used: list[Any]) -> None:
    for name in ("vjp_kinds", "jvp_kinds"):
        fast = spy(used, getattr(chains, name))
        patch.setattr(hessian_vector, name, lambda *args, fast=fast: fast(*args) and None)


def without_forward_over_reverse(patch: pytest.MonkeyPatch, used: list[Any]) -> None:
    fast = tensor_graphs._are_large
    patch.setattr(tensor_graphs, "_are_large", lambda arrays: used.append(fast(arrays)))


CASES: list[tuple[Switch, Callable[[], Any]]] = [
    (without_choices, recorded_gradient),
    (without_pairs, tangent),
    (without_accumulation, gradient),
    (without_chains, hessian_vector_product),
    (without_forward_over_reverse, hessian_vector_product),
]


@pytest.mark.parametrize(("switch", "compute"), CASES)
def test_numbers_do_not_depend_on_a_fast_path(
    switch: Switch, compute: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = compute()
    used: list[Any] = []
    switch(monkeypatch, used)
    got = compute()
    assert used, "the program does not take this path"
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)
