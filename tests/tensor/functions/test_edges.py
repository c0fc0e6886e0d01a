"""Arguments at the edge: fractions with a gradient, infinities, zeros, small integers, gaps."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gradwalk as gw
from gradwalk import Tensor, Value, grad, hessian, jacobian, jvp, taylor, value_and_grad, vmap
from gradwalk.errors import NotANumberError, OptionError
from gradwalk.optimize import curve_fit

from ...helpers.array_checks import check

X = np.array([3.0, 1.0, 2.0, 7.0, 4.0])

# --- quantiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "slope"), [(0.3, 4.0), (0.0, 4.0), (0.25, 4.0), (0.8, 12.0), (1, 12)]
)
def test_the_slope_of_a_quantile_in_its_fraction(q: float, slope: float):
    """(n - 1) times the step to the next element; at the last one, from the one before."""

    def f(q: Any) -> Any:
        return gw.quantile(X, q)

    assert grad(f)(float(q)) == pytest.approx(slope)
    assert grad(lambda v: f(gw.stack([v])).sum())(float(q)) == pytest.approx(slope)
    value, tangent = jvp(f, (float(q),), (2.0,))
    assert (float(value), float(tangent)) == pytest.approx((np.quantile(X, q), 2.0 * slope))
    assert list(taylor(f, float(q), 2)) == pytest.approx([np.quantile(X, q), slope, 0.0])
    assert grad(grad(lambda q: gw.quantile(X + q * q, q)))(float(q)) == pytest.approx(2.0)
    leaf = Value(float(q))
    f(leaf).backward()
    assert leaf.grad == pytest.approx(slope)
    assert grad(lambda p: np.percentile(Tensor(X), p))(100.0 * q) == pytest.approx(slope / 100.0)


@given(
    hnp.arrays(float, (4, 3), elements=st.floats(-9.0, 9.0), unique=True),
    st.lists(st.floats(0.02, 0.98), min_size=1, max_size=3),
    st.sampled_from([None, 0, 1, -1]),
    st.booleans(),
)
def test_quantiles_are_numpys_and_depend_on_both(x: Any, qs: Any, axis: Any, keepdims: bool):
    q = np.array(qs)
    expected = np.quantile(x, q, axis, keepdims=keepdims)
    n = x.size if axis is None else x.shape[axis]
    for fractions in (qs, q, Tensor(q)):
        np.testing.assert_allclose(
            np.asarray(gw.quantile(x, fractions, axis, keepdims=keepdims)), expected, atol=1e-12
        )
    off = abs(q * (n - 1) - np.round(q * (n - 1))) > 0.01
    step = 1e-4 / n
    found = jacobian(lambda q: gw.quantile(x, q, axis, keepdims=keepdims).reshape(len(qs), -1))(q)
    moved = (np.quantile(x, q + step, axis) - np.quantile(x, q - step, axis)) / (2.0 * step)
    for i in np.flatnonzero(off):
        np.testing.assert_allclose(found[i, :, i], moved[i].ravel(), rtol=1e-5, atol=1e-5)


def test_quantiles_in_every_transform():
    q = np.array([0.3, 0.8])
    assert vmap(lambda q: gw.quantile(X, q))(q).tolist() == np.quantile(X, q).tolist()
    assert vmap(grad(lambda q: gw.quantile(X, q)))(q) == pytest.approx([4.0, 12.0])
    rows = np.stack([X, X[::-1] * 2.0])
    both = vmap(grad(lambda x, q: gw.quantile(x, q), argnums=(0, 1)))(rows, q)
    each = [
        grad(lambda x, q: gw.quantile(x, q), argnums=(0, 1))(*pair)
        for pair in zip(rows, q, strict=True)
    ]
    np.testing.assert_allclose(both[0], [e[0] for e in each])
    np.testing.assert_allclose(both[1], [e[1] for e in each])
    np.testing.assert_allclose(
        hessian(lambda q: (gw.quantile(X, q) ** 2).sum())(q), np.diag([32.0, 288.0])
    )
    check(lambda q: gw.quantile(X, q * q), np.array([0.6, 0.85]), dtypes=["float64"])


def test_infinite_neighbours_without_weight():
    x = [-inf, 1.0, inf]
    assert gw.quantile(x, [0.0, 0.5, 1.0, 0.2]).tolist() == [-inf, 1.0, inf, -inf]
    assert np.isnan(gw.quantile([1.0, nan], 0.0).item())
    assert grad(lambda q: gw.quantile(np.array([2.0]), q))(0.3) == 0.0


# --- lengths --------------------------------------------------------------------------------------

ORDS = (2, 1, 3, 0.5, -0.5, -1, -2, -3, inf, -inf, 0)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("ord", ORDS)
def test_norms_with_zeros(ord: float, axis: Any, keepdims: bool):
    """The values are NumPy's. Where a vector has a zero, ord < 0 has the slope 0 everywhere."""
    x = np.array([[0.0, 2.0, -3.0], [1.0, -4.0, 0.5]])
    with np.errstate(divide="ignore"):
        expected = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    slopes = grad(lambda x: gw.linalg.vector_norm(x, axis, keepdims, ord).sum())(x)
    got = gw.linalg.vector_norm(x, axis, keepdims, ord)
    np.testing.assert_allclose(got, expected, rtol=1e-14)
    assert np.isfinite(slopes).all()
    assert slopes[0, 0] == 0.0
    if ord < 0:
        with_zero = {None: slopes, (0, 1): slopes, 0: slopes[:, 0], 1: slopes[0]}[axis]
        assert (with_zero == 0.0).all()
    if ord not in (0, inf, -inf):
        whole = np.abs(x) + 0.1
        check(lambda x: gw.linalg.vector_norm(x, axis, keepdims, ord), whole, rtol=1e-4)


@pytest.mark.parametrize("ord", [-1, -2, -0.5])
def test_norms_of_numbers_whose_powers_overflow(ord: float):
    x = np.array([1e-200, 2.0, 3.0])
    y, slopes = value_and_grad(lambda x: gw.linalg.vector_norm(x, ord=ord))(x)
    assert y == pytest.approx(1e-200)
    assert slopes[0] == pytest.approx(1.0)
    assert (slopes[1:] <= 1e-99).all()


# --- sums of exponentials -------------------------------------------------------------------------

INFINITE = [
    [0.0, inf, 1.0],
    [inf, inf, 1.0],
    [-inf, 0.0, 1.0],
    [inf, -inf, 2.0],
    [inf],
    [-inf, inf],
]


@pytest.mark.parametrize("row", INFINITE, ids=str)
@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_infinite_exponents(name: str, row: list[float]):
    """What is infinite shares everything: the limit of large numbers, on every carrier."""
    f = getattr(gw, name)
    weights = np.arange(1.0, 1.0 + len(row))
    share = np.isposinf(row) / max(np.isposinf(row).sum(), 1)

    def reduced(x: Any) -> Any:
        return f(x) if name == "logsumexp" else gw.where(share > 0.0, f(x), 0.0) @ weights

    on_lists = f(row)
    np.testing.assert_array_equal(f(np.array(row)), on_lists)
    np.testing.assert_array_equal(f(Tensor(row)).data, on_lists)
    slopes = grad(reduced)(np.array(row))
    second = hessian(reduced)(np.array(row))
    assert np.isfinite(slopes).all()
    assert np.isfinite(second).all()
    if name == "logsumexp" and inf in row:
        np.testing.assert_array_equal(slopes, share)
        by_values = grad(lambda xs: gw.logsumexp(xs))(row)
        np.testing.assert_array_equal(by_values, share)


@pytest.mark.parametrize("target", [0, 1])
def test_infinite_logits(target: int):
    row = [inf, 1.0, 2.0]
    lists = value_and_grad(lambda x: gw.nn.cross_entropy([x], [target]))(row)
    arrays = value_and_grad(lambda x: gw.nn.cross_entropy(x, [target]))(np.array([row]))
    assert lists[0] == arrays[0] == (inf if target else 0.0)
    np.testing.assert_array_equal(lists[1], arrays[1][0])


# --- dtypes ---------------------------------------------------------------------------------------

REDUCTIONS = ["sum", "prod", "mean", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod"]
DTYPES = ["int8", "uint8", "int16", "int32", "int64", "uint64", "float32", "float64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_the_dtype_of_a_reduction_is_numpys(name: str, dtype: str):
    for x in ([100, 100, 3], np.array([100, 90, 80], "int8"), np.array([1.5, 200.25, 3.0])):
        x = np.asarray(x)
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(x, dtype=dtype)
            results = [
                getattr(gw, name)(x, dtype=dtype),
                getattr(gw, name)(Tensor(x), dtype=dtype),
                getattr(np, name)(Tensor(x), dtype=dtype),
                vmap(lambda row: getattr(gw, name)(row, dtype=dtype))(x[None])[0],
            ]
        for got in results:
            assert got.dtype == expected.dtype
            np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6)


def test_the_dtype_of_reductions_along_axes():
    x = np.full((2, 3, 2), 90)
    for axis in (0, (0, 2), None):
        for name in ("sum", "prod", "mean"):
            for keepdims in (False, True):
                options = {"axis": axis, "dtype": np.int8, "keepdims": keepdims}
                expected = getattr(np, name)(x, **options)
                np.testing.assert_array_equal(getattr(gw, name)(Tensor(x), **options), expected)
    assert gw.linalg.trace(np.eye(3) * 100.0, dtype=np.int8) == np.int8(44)


# --- the rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ends", [{}, {"prepend": 5.0}, {"append": [7.0]}, {"prepend": 1.0, "append": 2.0}]
)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_differences_are_numpys(n: int, ends: dict[str, Any]):
    expected = np.diff(X, n=n, **ends)
    for got in (gw.diff(X, n=n, **ends), gw.diff(Tensor(X), n=n, **ends)):
        np.testing.assert_array_equal(np.asarray(got), expected)
    assert (gw.diff(np.array([True, False]), n=0) == [True, False]).all()


def test_a_cross_product_without_an_axis_is_that_of_the_last():
    a, b = np.eye(3)[:2], np.ones(3)
    expected = np.cross(a, b, axis=None)
    np.testing.assert_array_equal(np.cross(Tensor(a), b, axis=None).data, expected)
    np.testing.assert_array_equal(gw.linalg.cross(a, b, axis=None), expected)


def test_memory_is_never_shared():
    for share in (
        lambda: gw.from_dlpack(X, copy=False),
        lambda: np.from_dlpack(Tensor(X), copy=False),
        lambda: gw.asarray(X, copy=False),
    ):
        with pytest.raises(OptionError, match="copy"):
            share()
    with pytest.raises(NotANumberError, match="__dlpack__"):
        gw.from_dlpack([1.0])
    for copy in (None, True):
        np.testing.assert_array_equal(gw.from_dlpack(X, copy=copy).data, X)
        np.testing.assert_array_equal(np.from_dlpack(Tensor(X), copy=copy), X)


class NAType:
    """The missing entry of a data frame."""

    def __float__(self) -> float:
        return nan


class Column:
    """A column with missing entries, as a data frame converts it: to NaN, or to objects."""

    def __init__(self, entries: list[Any], **facts: Any) -> None:
        self.entries = entries
        self._data = [1 if isinstance(x, NAType) else x for x in entries]  # hidden by a mask
        vars(self).update(facts)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        objects = np.array(self.entries, dtype=object)
        return objects if dtype is object else objects.astype(dtype or float)


MISSING: dict[str, Callable[[], Any]] = {
    "a nullable column": lambda: Column([1, NAType(), 3]),
    "a column that counts": lambda: Column([1.0, nan], null_count=1),
    "a column with a method that counts": lambda: Column([1.0, nan], null_count=lambda: 1),
    "a table that counts": lambda: Column([1.0, nan], columns=[Column([], null_count=2)]),
    "a masked array": lambda: np.ma.array([1.0, 2.0], mask=[False, True]),
    "nested None": lambda: [[1.0, 2.0], [None, 3.0]],
}


@pytest.mark.parametrize("make", MISSING.values(), ids=MISSING)
def test_missing_entries_are_no_numbers(make: Callable[[], Any]):
    for f in (
        lambda data: Tensor(data, dtype=float),
        lambda data: gw.asarray(data, dtype=float),
        lambda data: Tensor(np.ones(2)) * gw.Tensor(data, float),
    ):
        with pytest.raises(NotANumberError, match=r"in every place, got missing entries"):
            f(make())
    with pytest.raises(NotANumberError):
        Tensor(make())


def test_none_is_not_false():
    with pytest.raises(NotANumberError, match="missing entries"):
        Tensor([True, None], dtype=bool)


def test_a_nan_that_is_a_number_stays_one():
    for data in (Column([1.0, nan]), Column([1.0, nan], null_count=0), [1.0, nan], np.array([nan])):
        assert np.isnan(Tensor(data, dtype=float).data[-1])
    assert Tensor(np.ma.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    with pytest.raises((NotANumberError, TypeError)):
        curve_fit(lambda x, a: a * x, [1.0, None], [1.0, 2.0], 1.0)
