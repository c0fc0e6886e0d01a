"""The short ways of C: a number on the left of a Tensor, products, and sums of all elements."""

from __future__ import annotations

import operator
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor
from gradwalk.ops import TABLE

NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
TABLE_NAMES = {"truediv": "div"}
NUMBERS = (2.0, 3, 0.0, -1.5, True, np.float64(2.5), np.float32(0.5), np.int64(2))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize("name", NAMES)
def test_a_number_on_the_left_means_what_it_means_in_numpy(
    name: str, number: Any, dtype: Any
) -> None:
    act = getattr(operator, name)
    array = np.array([0.5, 1.25, 3.0, 7.0], dtype)
    x, again = Tensor(array, requires_grad=True), Tensor(array, requires_grad=True)
    with np.errstate(all="ignore"):
        y, expected = act(number, x), act(number, array)
        if name == "pow" and type(number) is float and number == 2.0:  # which has a primitive
            general = TABLE["exp2"](again)
        else:
            general = TABLE[TABLE_NAMES.get(name, name)](number, again)
    assert y.dtype == expected.dtype
    assert np.array_equal(y.data, expected, equal_nan=True)
    assert y.requires_grad == general.requires_grad == (name != "floordiv")
    if y.requires_grad:
        y.sum().backward()
        general.sum().backward()
        assert np.array_equal(np.asarray(x.grad), np.asarray(again.grad), equal_nan=True)


SHAPES = ((3,), (2, 3), (4, 2, 3), (2, 1, 2, 3))
OTHERS = ((3,), (3, 2), (4, 3, 2), (2, 4, 3, 2), (1, 3, 1))


@pytest.mark.parametrize(("a", "b"), [*product(SHAPES, OTHERS)])
def test_a_product_of_any_numbers_of_axes_is_that_of_numpy(a: Any, b: Any) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.integers(-4, 5, a).astype(float), rng.integers(-4, 5, b).astype(float)
    for x, y in ((Tensor(left), Tensor(right)), (Tensor(left), right), (left, Tensor(right))):
        found = x @ y
        assert found.shape == (left @ right).shape
        assert found.tolist() == (left @ right).tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.bool_])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_sum_of_all_is_that_of_numpy(shape: Any, dtype: Any, keepdims: bool) -> None:
    array = np.ones(shape, dtype)
    found = Tensor(array).sum(keepdims=keepdims)
    expected = np.asarray(array.sum(keepdims=keepdims))
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tolist() == expected.tolist()


HUGE = np.full(3, 1e300)
OVERFLOWS = {
    "number": lambda t: 1e300 * t,
    "product": lambda t: t @ t,
    "matrix": lambda t: t.reshape(1, 3) @ HUGE,
    "sum": lambda t: (t * 1e8).sum(),
}


@pytest.mark.parametrize("name", OVERFLOWS)
def test_a_warning_of_a_short_way_is_at_the_line_of_the_program(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        OVERFLOWS[name](Tensor(HUGE, requires_grad=True))
    assert [w.filename for w in caught] == [__file__]
