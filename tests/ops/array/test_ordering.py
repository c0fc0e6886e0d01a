"""Sorting, searching and selecting: what is chosen, and where its gradient goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gradwalk
from gradwalk import Tensor, errors
from gradwalk import tensor as gw
from gradwalk.ops.arithmetic import where
from gradwalk.ops.array import order

from ...helpers.array_checks import adjoint, check
from .test_reductions import distinct, gradient

nan, inf = np.nan, np.inf
TIED = np.array([[2.0, 1.0, 2.0, 3.0, 1.0], [0.0, -0.0, 5.0, 5.0, 5.0]])
NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.just(nan), st.just(inf), st.just(-inf))


def ranks(x: Any, descending: bool) -> list[int]:
    """The places in order, by Python's stable sort; NaN counts as the largest number."""
    sign = -1 if descending else 1
    return sorted(range(len(x)), key=lambda i: (sign * bool(x[i] != x[i]), sign * x[i], i))


# --- places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_of_extremes(name: str, axis: Any, keepdims: bool):
    for x in (TIED, TIED.T[::-1], np.array([[1, nan], [nan, 0]]), np.array([[1, 3], [3, 0]])):
        got = getattr(gw, name)(Tensor(x), axis, keepdims=keepdims)
        expected = getattr(np, name)(x, axis, keepdims=keepdims)
        np.testing.assert_array_equal(got.data, expected)
        np.testing.assert_array_equal(getattr(Tensor(x), name)(axis, keepdims=keepdims).data, got)
        assert not isinstance(getattr(gw, name)(x, axis), Tensor)
        assert (got.shape, got.dtype) == (np.shape(expected), np.int64)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_of_nothing_there_is_no_place(name: str):
    function = getattr(gw, name)
    with pytest.raises(errors.SizeError, match="at least one element"):
        function(Tensor(np.zeros((0, 3))), axis=0)
    assert function(Tensor(np.zeros((0, 3))), axis=1).shape == (0,)
    with pytest.raises(errors.SizeError, match="axis"):
        function(Tensor([1.0]), axis=1)
    assert function(Tensor(3.0)).item() == 0


@pytest.mark.parametrize("descending", [False, True])
@given(x=hnp.arrays(float, st.integers(0, 8), elements=NUMBERS))
def test_order_is_stable_and_nan_the_largest(descending: bool, x: Any):
    expected = ranks(x.tolist(), descending)
    got = gw.argsort(Tensor(x), descending=descending)
    assert got.tolist() == expected
    np.testing.assert_array_equal(gw.sort(Tensor(x), descending=descending).data, x[expected])
    for k in range(len(x) + 1):
        values, indices = gw.topk(x, k, largest=descending)
        assert indices.tolist() == expected[:k]
        np.testing.assert_array_equal(values, x[expected[:k]])


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.bool_])
def test_order_of_whole_numbers(dtype: Any):
    x = np.array([1, 0, 3, 1], dtype)
    assert gw.sort(Tensor(x)).dtype == dtype
    np.testing.assert_array_equal(gw.sort(Tensor(x)).data, np.sort(x))
    np.testing.assert_array_equal(gw.sort(Tensor(x), descending=True).data, np.sort(x)[::-1])


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_order_along_an_axis(axis: int):
    x = distinct(3, 4, 2)
    np.testing.assert_array_equal(gw.sort(Tensor(x), axis).data, np.sort(x, axis))
    np.testing.assert_array_equal(gw.argsort(Tensor(x), axis).data, np.argsort(x, axis))
    np.testing.assert_array_equal(Tensor(x).argsort(axis).data, np.argsort(x, axis))
    with pytest.raises(errors.SizeError, match="an array with axes"):
        gw.sort(Tensor(1.0))


def test_nothing_in_order():
    empty = Tensor(np.zeros((2, 0)))
    assert gw.sort(empty).shape == gw.argsort(empty, descending=True).shape == (2, 0)
    assert gw.topk(empty, 0).values.shape == (2, 0)


def test_numpys_method_that_sorts_in_place_is_not_there():
    with pytest.raises(AttributeError):
        Tensor([2.0, 1.0]).sort()


# --- gradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slopes_of_sorted_numbers(axis: int, descending: bool):
    check(lambda x: gw.sort(x * x, axis, descending=descending), distinct(3, 4))
    check(lambda x: gw.topk(x * x, 2, axis, largest=descending).values, distinct(3, 2, 4).T)


def test_rows_of_chosen_numbers_are_transposed_exactly():
    x = distinct(3, 4)
    places = np.array([[1, 3], [0, 2], [2, 3]])
    adjoint(lambda x: order.choose(x, places=places, axis=1), x)
    adjoint(lambda x: order.put(x, places=places, axis=1, shape=(3, 4)), x[:, :2])
    check(lambda x: order.choose(x * x, places=places, axis=1), x)
    check(lambda x: order.put(x * x, places=places, axis=1, shape=(3, 4)), x[:, :2])


def test_ties_give_all_to_the_number_that_was_chosen():
    seed = np.arange(1.0, 6.0)
    got = gradient(gw.sort, TIED[0], seed)
    np.testing.assert_array_equal(got, [3.0, 1.0, 4.0, 5.0, 2.0])
    got = gradient(lambda x: gw.topk(x, 2).values, TIED, np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_array_equal(got, [[2.0, 0, 0, 1.0, 0], [0, 0, 3.0, 4.0, 0]])
    assert "chosen" in order.choose.kinks


def test_what_was_not_chosen_has_no_share_at_all():
    x = np.array([0.0, 4.0, 1.0])
    got = gradient(lambda x: gw.topk(gradwalk.sqrt(x), 2).values, x)
    np.testing.assert_array_equal(got, [0.0, 0.25, 0.5])
    masked = gradient(lambda x: where([True, False], gw.topk(gradwalk.sqrt(x), 2).values, 0.0), x)
    np.testing.assert_array_equal(masked, [0.0, 0.25, 0.0])
    sorted_ = gradient(lambda x: where([False, True, True], gw.sort(gradwalk.sqrt(x)), 0.0), x)
    np.testing.assert_array_equal(sorted_, [0.0, 0.25, 0.5])


def test_who_changes_the_places_changes_no_gradient():
    x = Tensor([1.0, 3.0, 2.0], requires_grad=True)
    values, indices = gw.topk(x, 1)
    indices.data[...] = 0
    values.sum().backward()
    np.testing.assert_array_equal(x.grad, [0.0, 1.0, 0.0])
    assert not indices.requires_grad


@pytest.mark.parametrize("k", [-1, 4, 1.0, None])
def test_no_more_than_there_are(k: Any):
    with pytest.raises(errors.SizeError, match="an integer between 0 and 3"):
        gw.topk(Tensor([1.0, 2.0, 3.0]), k)


# --- searching ------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
def test_searching(side: Any):
    a, v = np.array([1.0, 2.0, 2.0, 4.0]), np.array([[0.0, 2.0], [3.0, nan]])
    expected = np.searchsorted(a, v, side)
    got = gw.searchsorted(Tensor(a, requires_grad=True), Tensor(v, requires_grad=True), side=side)
    np.testing.assert_array_equal(got.data, expected)
    assert not got.requires_grad
    np.testing.assert_array_equal(Tensor(a).searchsorted(v, side=side).data, expected)
    np.testing.assert_array_equal(gw.searchsorted(a, v, side=side), expected)
    for sorter in ([3, 1, 2, 0], Tensor([3, 1, 2, 0]), np.array([3, 1, 2, 0])):
        turned = gw.searchsorted(Tensor(a[::-1]), v, side=side, sorter=sorter)
        np.testing.assert_array_equal(turned.data, expected)


def test_searching_in_what_is_no_row():
    with pytest.raises(errors.SizeError, match="numbers in a row"):
        gw.searchsorted(Tensor([[1.0]]), 1.0)
    with pytest.raises(errors.OptionError, match="left"):
        gw.searchsorted(Tensor([1.0]), 1.0, side="middle")


# --- quantiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 1.0, [0.25, 0.75], np.array([0.1])])
def test_quantiles(q: Any, axis: Any, keepdims: bool):
    for x in (distinct(5, 4), np.array([[3, 1], [2, 9]])):
        got = gw.quantile(Tensor(x), q, axis, keepdims=keepdims)
        np.testing.assert_allclose(got.data, np.quantile(x, q, axis, keepdims=keepdims))
    check(lambda x: gw.quantile(x * x, q, axis, keepdims=keepdims), distinct(3, 2))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_medians(axis: Any):
    for x in (distinct(5, 4), np.array([[1.0, nan], [2.0, 3.0]]), np.array([[inf, inf, 1.0]])):
        np.testing.assert_allclose(gw.median(Tensor(x), axis).data, np.median(x, axis))
    check(lambda x: gw.median(x * x, axis), distinct(3, 4))
    np.testing.assert_array_equal(gradient(gw.median, [4.0, 1.0, 3.0, 2.0]), [0, 0, 0.5, 0.5])
    np.testing.assert_array_equal(gradient(gw.median, [1.0, nan, 3.0]), [0.0, 1.0, 0.0])


def test_quantiles_of_nothing_and_shares_out_of_range():
    with pytest.raises(errors.SizeError, match="at least one element"):
        gw.median(Tensor(np.zeros((2, 0))), axis=1)
    for q in (1.5, -0.1, nan, [[0.5]]):
        with pytest.raises(errors.OptionError, match="numbers between 0 and 1"):
            gw.quantile(Tensor([1.0]), q)


# --- the different numbers ------------------------------------------------------------------------


@given(hnp.arrays(float, hnp.array_shapes(max_dims=2, max_side=5), elements=NUMBERS))
def test_the_different_numbers(x: Any):
    found = gw.unique_all(Tensor(x, requires_grad=True))
    values, indices = found.values.data, found.indices.data
    assert found.inverse_indices.shape == x.shape
    np.testing.assert_array_equal(values[found.inverse_indices.data], x)
    np.testing.assert_array_equal(x.ravel()[indices], values)
    assert int(found.counts.data.sum()) == x.size
    assert np.all((values[1:] > values[:-1]) | np.isnan(values[1:]))
    assert not any(part.requires_grad for part in found)
    for name, fields in [("counts", ["counts"]), ("inverse", ["inverse_indices"]), ("all", [])]:
        part = getattr(gw, f"unique_{name}")(x)
        np.testing.assert_array_equal(part.values, values)
        for field in fields:
            np.testing.assert_array_equal(getattr(part, field), getattr(found, field).data)
            assert part._fields == ("values", field)
    np.testing.assert_array_equal(gw.unique_values(x), values)


def test_unique_is_numpys():
    x = np.array([[3.0, 1.0], [3.0, nan], [3.0, 1.0]])
    np.testing.assert_array_equal(gw.unique(Tensor(x)).data, np.unique(x))
    got = gw.unique(Tensor(x), True, True, True)
    expected = np.unique(x, True, True, True)
    for ours, theirs in zip(got, expected, strict=True):
        assert isinstance(ours, Tensor)
        np.testing.assert_array_equal(ours.data, theirs)
    np.testing.assert_array_equal(gw.unique(Tensor(x[[0, 2]]), axis=0).data, x[:1])
    assert gw.unique([2, 1, 2]).tolist() == [1, 2]
