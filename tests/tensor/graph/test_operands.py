"""Operands of compiled operators that are no Tensors: arrays and numbers of NumPy, with options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor

A, B = np.linspace(0.5, 2.0, 6), np.linspace(-1.0, 1.0, 6)
LARGE = np.linspace(0.5, 2.0, 500)
OTHERS: list[Any] = [B, B.astype(np.float32), np.arange(6), B > 0.0, B.astype(np.float16), B[::-1]]
OTHERS += [kind(2) for kind in (np.float64, np.float32, np.float16, np.int64, np.int8, np.bool_)]
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "mul": lambda a, b: a * b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "less": lambda a, b: a < b,
    "where": lambda a, b: gradwalk.where(a > 1.0, a, b),
    "maximum": lambda a, b: gradwalk.maximum(a, b),
}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("other", OTHERS, ids=lambda x: f"{type(x).__name__}-{x.dtype}")
def test_operands_of_numpy(name: str, other: Any, kind: Any) -> None:
    """Values, dtypes and gradients are those of two Tensors."""
    f, a = OPERATIONS[name], Tensor(A, kind, requires_grad=True)
    got, expected = f(a, other), f(Tensor(A, kind, requires_grad=True), Tensor(other))
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(got.data, expected.data)
    if got.requires_grad:
        leaf = Tensor(A, kind, requires_grad=True)
        f(leaf, Tensor(other)).sum().backward()
        got.sum().backward()
        np.testing.assert_array_equal(a.grad, leaf.grad)


@pytest.mark.parametrize("array", [A, LARGE], ids=["small", "large"])
def test_a_later_write_into_an_operand_changes_no_gradient(array: Any) -> None:
    t, other = Tensor(array, requires_grad=True), array.copy()
    y = (t * other + other).sum()
    other[:] = 7.0
    y.backward()
    np.testing.assert_array_equal(t.grad, array)


def test_a_result_never_shows_an_operand_of_the_program() -> None:
    t, rows = Tensor(np.eye(2), requires_grad=True), np.ones((2, 2))
    y = t @ rows
    joined = gradwalk.concat([t, rows])
    rows[:] = 5.0
    assert y.data.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert joined.data[2:].tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_refusals_are_those_of_python() -> None:
    t = Tensor(A, requires_grad=True)
    with pytest.raises(gradwalk.errors.SizeError, match="shapes that agree from the right"):
        t * np.ones(5)
    with pytest.raises(gradwalk.GradwalkError):
        t * np.array(["a"] * 6)
    with pytest.raises(TypeError):
        t * np.complex128(1j)


def test_options_are_recorded_with_the_node() -> None:
    t = Tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    y = t.sum(axis=0)
    assert y._node.options == {"axis": (0,), "keepdims": False}
    many = gradwalk.stack([t[0]] * 20)  # more operands than C takes
    (y * many.sum(axis=0)).sum().backward()
    expected = 20.0 * np.stack([y.data + t.data[0], t.data[0]])
    np.testing.assert_array_equal(t.grad, expected)


def test_public_names_are_found_once() -> None:
    assert gradwalk.concat is vars(gradwalk)["concat"]
