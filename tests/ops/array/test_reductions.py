"""Reductions, running sums, softmax and norms: values as NumPy's, slopes as differences."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gradwalk
from gradwalk import Tensor, Value, errors
from gradwalk import tensor as gw
from gradwalk.ops.arithmetic import where
from gradwalk.ops.array import reduction, scan
from gradwalk.tensor.graph import backward as sweeps

from ...helpers.array_checks import adjoint, check

AXES = [None, 0, -1, (0, 2), (1,), (), (2, 0, 1)]
SHAPES: list[tuple[int, ...]] = [(), (1,), (3,), (2, 3), (0,), (2, 0), (3, 1, 2)]
NUMPYS = ["sum", "mean", "prod", "var", "std", "max", "min", "all", "any", "count_nonzero"]
SOFT = ["softmax", "log_softmax", "logsumexp"]
SMOOTH = ["sum", "mean", "prod", "var", "std", "max", "min", "logsumexp", "norm"]


def distinct(*shape: int, seed: int = 0) -> Any:
    """Numbers of both signs, none within 0.05 of 0 or of each other."""
    count = int(np.prod(shape))
    steps = 0.1 * (np.arange(count) + 1.0)
    signs = np.where(np.arange(count) % 3 == 1, -1.0, 1.0)
    return np.random.default_rng(seed).permutation(steps * signs).reshape(shape)


def gradient(f: Callable[..., Any], x: Any, seed: Any = None) -> Any:
    """The gradient of a function of one array."""
    leaf = Tensor(x, requires_grad=True)
    y = f(leaf)
    seed = np.ones(y.shape, y.dtype) if seed is None else seed
    return sweeps.gradients(y, [leaf], seed, create_graph=False)[0]


def hessian(f: Callable[..., Any], x: Any) -> Any:
    """All second derivatives of the sum of a function of one vector."""
    leaf = Tensor(x, requires_grad=True)
    y = f(leaf)
    first = sweeps.gradients(y, [leaf], np.ones(y.shape), create_graph=True)[0]
    if not first.requires_grad:
        return np.zeros((leaf.size, leaf.size))
    rows = [
        sweeps.gradients(first, [leaf], seed, create_graph=False)[0] for seed in np.eye(leaf.size)
    ]
    return np.array(rows)


# --- values ---------------------------------------------------------------------------------------


def naive(name: str, x: Any, axis: Any, keepdims: bool) -> Any:
    """The function in NumPy's words."""
    if name == "logsumexp":
        return np.log(np.exp(x).sum(axis=axis, keepdims=keepdims))
    if name == "norm":
        return np.sqrt((x * x).sum(axis=axis, keepdims=keepdims))
    return getattr(np, name)(x, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", [*NUMPYS, "logsumexp", "norm"])
def test_values_are_numpys(name: str, axis: Any, keepdims: bool):
    whole = distinct(3, 4, 4)
    for x in (whole[:, 1:, ::2], whole.astype(np.float32)[1:], np.asfortranarray(whole)):
        got = getattr(gw, name)(Tensor(x), axis=axis, keepdims=keepdims)
        expected = naive(name, x, axis, keepdims)
        assert (got.shape, got.dtype) == (np.shape(expected), expected.dtype)
        tight = 1e-14 if x.dtype == np.float64 else 1e-6
        np.testing.assert_allclose(got.data, expected, rtol=tight, atol=tight)
        array = getattr(gw, name)(x, axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(array, got.data)
        assert not isinstance(array, Tensor)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.bool_])
@pytest.mark.parametrize("name", NUMPYS)
def test_whole_numbers_as_in_numpy(name: str, dtype: Any):
    x = np.array([[0, 1, 1], [1, 1, 1]], dtype)
    got, expected = getattr(gw, name)(Tensor(x), axis=1), getattr(np, name)(x, axis=1)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got.data, expected)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "norm"])
def test_whole_numbers_become_floats(name: str):
    got = getattr(gw, name)(Tensor([1, 2, 4]))
    assert got.dtype == np.float64
    np.testing.assert_array_equal(got.data, getattr(gw, name)(Tensor([1.0, 2.0, 4.0])).data)


@pytest.mark.parametrize("name", ["mean", "var", "std", "logsumexp", "norm", *SOFT[:2]])
def test_float16_is_computed_with_more_digits(name: str):
    x = distinct(40).astype(np.float16)
    got = getattr(gw, name)(Tensor(x))
    expected = getattr(gw, name)(Tensor(x.astype(np.float64))).data.astype(np.float16)
    assert got.dtype == np.float16
    np.testing.assert_array_max_ulp(got.data, expected, 1)
    assert gradient(getattr(gw, name), x).dtype == np.float16


def test_dtype_is_that_of_the_terms():
    x = Tensor(np.full(4, 60000.0, np.float16), requires_grad=True)
    y = gw.sum(x, dtype=np.float64)
    assert (y.item(), y.dtype) == (240000.0, np.float64)
    y.backward()
    assert x.grad.dtype == np.float16
    np.testing.assert_array_equal(x.grad, 1.0)
    assert gw.prod(Tensor([1, 2]), dtype=np.float32).dtype == np.float32
    assert gw.cumulative_sum(Tensor([1.5, 2.5]), dtype=int).tolist() == [1, 3]
    assert gw.mean(Tensor([1, 2]), dtype=np.float32).dtype == np.float32


def test_nothing_to_add_up():
    empty = Tensor(np.zeros((2, 0)), requires_grad=True)
    for name, of_nothing in [("sum", 0.0), ("prod", 1.0), ("logsumexp", -inf), ("norm", 0.0)]:
        for axis in (None, 1):
            y = getattr(gw, name)(empty, axis=axis)
            np.testing.assert_array_equal(y.data, of_nothing)
            assert (
                gradient(lambda x, n=name, a=axis: getattr(gw, n)(x, axis=a), empty.data).size == 0
            )
    assert gw.all(empty).item() is True
    assert gw.any(empty).item() is False
    assert gw.max(empty, axis=0).shape == (0,)
    assert gw.softmax(empty).shape == gw.log_softmax(empty).shape == (2, 0)
    assert gw.cumulative_prod(empty, axis=1, include_initial=True).tolist() == [[1.0], [1.0]]
    with np.errstate(invalid="ignore"):
        assert np.isnan(gw.mean(empty).item())


@pytest.mark.parametrize("name", ["max", "min"])
def test_of_nothing_there_is_no_largest(name: str):
    for x, axis in [(np.zeros(0), None), (np.zeros((2, 0)), 1), (np.zeros((2, 0)), (0, 1))]:
        with pytest.raises(errors.SizeError, match="at least one element"):
            getattr(gw, name)(Tensor(x), axis=axis)


@pytest.mark.parametrize("name", [*NUMPYS, "logsumexp", "norm"])
def test_axes_that_are_not_there(name: str):
    for axis in (2, -3, (0, 0), 0.5):
        with pytest.raises(errors.SizeError, match="axis"):
            getattr(gw, name)(Tensor(np.ones((2, 2))), axis=axis)


@pytest.mark.parametrize("name", gw.functions.reductions.METHODS)
def test_methods_are_the_functions(name: str):
    x = Tensor(distinct(2, 3))
    np.testing.assert_array_equal(getattr(x, name)().data, getattr(gw, name)(x).data)


def test_a_nan_is_the_result():
    x = np.array([[1.0, nan, 2.0], [1.0, 3.0, 2.0]])
    for name in SMOOTH:
        y = getattr(gw, name)(Tensor(x), axis=1)
        assert np.isnan(y.data).tolist() == [True, False], name


# --- slopes ---------------------------------------------------------------------------------------


SLOPES = [
    (name, axis)
    for name in SMOOTH
    for axis in AXES[:-1]
    if axis != () or name not in ("var", "std")  # the spread of one number is 0 with slope 0
]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("name", "axis"), SLOPES)
def test_slopes(name: str, axis: Any, keepdims: bool):
    check(lambda x: getattr(gw, name)(x, axis=axis, keepdims=keepdims), distinct(2, 3, 2))


def smooth_at(name: str, shape: tuple[int, ...]) -> bool:
    """Whether there are enough numbers for the function to have slopes."""
    of_some, of_several = name in ("max", "min"), name in ("var", "std", "mean")
    return not (of_some and 0 in shape) and not (of_several and shape != (3,))


@pytest.mark.parametrize(
    ("name", "shape"), [(n, s) for n in SMOOTH for s in SHAPES if smooth_at(n, s)]
)
def test_slopes_of_every_shape(name: str, shape: tuple[int, ...]):
    check(lambda x: getattr(gw, name)(x), distinct(*shape))


@pytest.mark.parametrize("correction", [0, 1, 0.5])
@pytest.mark.parametrize("name", ["var", "std"])
def test_spreads_with_a_correction(name: str, correction: float):
    function, x = getattr(gw, name), distinct(3, 4)
    check(lambda x: function(x, axis=1, correction=correction), x)
    expected = getattr(np, name)(x, axis=1, ddof=correction)
    np.testing.assert_allclose(function(Tensor(x), axis=1, ddof=correction).data, expected)


def test_correction_has_two_names_but_one_meaning():
    for wrong in ({"correction": 1, "ddof": 1}, {"correction": "1"}):
        with pytest.raises(errors.OptionError, match="ddof is NumPy's name"):
            gw.var(Tensor([1.0, 2.0]), **wrong)
    with np.errstate(all="ignore"):
        assert np.isnan(gw.var(Tensor([1.0]), correction=1).item())
        assert gw.var(Tensor([1.0, 3.0]), correction=2).item() == inf
        assert not np.isfinite(gradient(lambda x: gw.var(x, correction=2), [1.0, 3.0])).any()


def test_a_standard_deviation_of_zero_has_slope_zero():
    def f(x: Any) -> Any:
        return gw.std(x * x, axis=1)

    x = np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 2.0]])
    got = gradient(f, x)
    np.testing.assert_array_equal(got[:2], 0.0)
    np.testing.assert_allclose(got[2], gradient(f, x[2:])[0])
    np.testing.assert_array_equal(gradient(lambda x: gw.std(gradwalk.sqrt(x)), [0.0, 0.0]), 0.0)
    assert np.isfinite(hessian(gw.std, [2.0, 2.0])).all()


@pytest.mark.parametrize("f", [gw.sum, gw.mean])
@pytest.mark.parametrize("axis", AXES)
def test_linear_reductions_are_transposed_exactly(f: Any, axis: Any):
    adjoint(lambda x: f(x, axis=axis), distinct(2, 3, 4))
    adjoint(lambda x: f(x, axis=axis, keepdims=True), distinct(4, 3, 2).T)


# --- ties -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["max", "min"])
def test_ties_share(name: str):
    sign = 1.0 if name == "max" else -1.0
    x = sign * np.array([[3.0, 1.0, 3.0, 3.0], [1.0, 2.0, 0.0, -1.0]])
    got = gradient(lambda x: getattr(gw, name)(x, axis=1), x, np.array([3.0, 5.0]))
    np.testing.assert_array_equal(got, [[1.0, 0.0, 1.0, 1.0], [0.0, 5.0, 0.0, 0.0]])
    np.testing.assert_array_equal(gradient(getattr(gw, name), np.ones((2, 2))), 0.25)
    assert "tie" in getattr(reduction, name).kinks


@pytest.mark.parametrize("name", ["max", "min"])
def test_what_is_not_the_extreme_has_no_share_at_all(name: str):
    sign = 1.0 if name == "max" else -1.0
    got = gradient(lambda x: getattr(gw, name)(sign * gradwalk.sqrt(x)), [0.0, 4.0])
    np.testing.assert_array_equal(got, sign * np.array([0.0, 0.25]))


@pytest.mark.parametrize("name", ["max", "min"])
def test_the_share_of_a_nan_goes_to_the_nan(name: str):
    got = gradient(lambda x: getattr(gw, name)(x, axis=1), [[1.0, nan], [nan, nan], [1.0, 1.0]])
    np.testing.assert_array_equal(got, [[0.0, 1.0], [0.5, 0.5], [0.5, 0.5]])


# --- products with zeros --------------------------------------------------------------------------


def products(x: Any, but: tuple[int, ...] = ()) -> float:
    return float(np.prod([v for i, v in enumerate(x) if i not in but]))


@pytest.mark.parametrize("zeros", [(), (1,), (0, 3), (0, 1, 2)])
def test_products_with_zeros_have_the_slopes_of_polynomials(zeros: tuple[int, ...]):
    x = np.array([2.0, 3.0, -5.0, 7.0])
    x[list(zeros)] = 0.0
    first = [products(x, (i,)) for i in range(4)]
    second = [[products(x, (i, j)) if i != j else 0.0 for j in range(4)] for i in range(4)]
    np.testing.assert_array_equal(gradient(gw.prod, x), first)
    np.testing.assert_array_equal(hessian(gw.prod, x), second)
    rows = [gradient(lambda v, k=k: gw.cumulative_prod(v)[k], x) for k in range(4)]
    expected = [[products(x[: k + 1], (i,)) if i <= k else 0.0 for i in range(4)] for k in range(4)]
    np.testing.assert_array_equal(rows, expected)
    of_last = hessian(lambda v: gw.cumulative_prod(v)[-1], x)
    np.testing.assert_array_equal(of_last, second)


@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_products_with_zeros_by_differences(axis: Any):
    x = distinct(2, 3, 2)
    x[0, 1, 0] = x[1, 1, 0] = x[0, 0, 1] = 0.0
    check(lambda x: gw.prod(x, axis=axis), x)


def test_third_order_of_a_product_with_zeros():
    leaf = Tensor([0.0, 0.0, 0.0, 5.0], requires_grad=True)
    first = sweeps.gradients(gw.prod(leaf), [leaf], None, create_graph=True)[0]
    second = sweeps.gradients(first, [leaf], np.eye(4)[0], create_graph=True)[0]
    third = sweeps.gradients(second, [leaf], np.eye(4)[1], create_graph=False)[0]
    np.testing.assert_array_equal(third, [0.0, 0.0, 5.0, 0.0])


# --- running sums and products --------------------------------------------------------------------


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_running(name: str, axis: int, initial: bool):
    x, function = distinct(2, 3, 4), getattr(gw, name)
    expected = getattr(np, name)(x, axis=axis, include_initial=initial)
    got = function(Tensor(x), axis, include_initial=initial)
    np.testing.assert_array_equal(got.data, expected)
    x[1, 1, :] = x[0, 1, 1] = 0.0
    check(lambda x: function(x, axis, include_initial=initial), x)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
def test_rows_that_run_in_both_directions(axis: int, reverse: bool):
    a, b = distinct(3, 4), distinct(3, 4, seed=1)
    how: Any = {"axis": axis, "reverse": reverse}
    check(lambda a, b: scan.recurrence(a, b, **how), a, b)
    check(lambda a: scan.cumulative_prod(a, **how), a)
    adjoint(lambda a: scan.cumulative_sum(a, **how), a)
    for by in (1, -1):
        adjoint(lambda a, by=by: scan.shift(a, axis=axis, by=by), a)


def test_running_without_an_axis():
    x = Tensor(distinct(2, 3))
    np.testing.assert_array_equal(gw.cumsum(x).data, np.cumsum(x.data))
    np.testing.assert_array_equal(gw.cumprod(x).data, np.cumprod(x.data))
    np.testing.assert_array_equal(gw.cumprod(x, 0).data, np.cumprod(x.data, 0))
    assert gw.cumsum(Tensor(2.0)).tolist() == [2.0]
    for wrong in (x, Tensor(1.0)):
        with pytest.raises(errors.SizeError, match="axis"):
            gw.cumulative_sum(wrong)
    with pytest.raises(errors.SizeError, match="an array with axes"):
        gw.cumulative_sum(Tensor(1.0), axis=0)


# --- softmax --------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 2), None])
@pytest.mark.parametrize("name", SOFT)
def test_soft(name: str, axis: Any):
    check(lambda x: getattr(gw, name)(x, axis=axis), distinct(2, 3, 2))
    if isinstance(axis, int):
        check(lambda x: getattr(gw, name)(x, axis=axis), distinct(2, 2, 3).T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 2, 16, 32, 33])
def test_soft_of_short_rows(width: int, dtype: Any):
    """Rows in a large array take ways of their own."""
    x = distinct(20, 15, width)
    x = (20.0 * x / abs(x).max()).astype(dtype)
    e = np.exp(x.astype(float) - x.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    eps = np.finfo(dtype).eps
    soft = gw.softmax(Tensor(x))
    np.testing.assert_allclose(soft.data, p, rtol=40 * eps, atol=1e-37)
    np.testing.assert_allclose(
        gw.log_softmax(Tensor(x)).data, np.log(p), rtol=40 * eps, atol=4 * eps
    )
    t = distinct(20, 15, width, seed=1).astype(dtype)
    got = gradient(gw.softmax, x, t)
    assert soft.dtype == got.dtype == dtype
    expected = p * (t - (t * p).sum(-1, keepdims=True))
    np.testing.assert_allclose(got, expected, rtol=0, atol=40 * eps * abs(t).max())
    got = gradient(gw.log_softmax, x, t)
    expected = t - p * t.sum(-1, keepdims=True, dtype=float)
    np.testing.assert_allclose(got, expected, rtol=0, atol=200 * eps * abs(t).max())
    total = gw.logsumexp(Tensor(x), axis=-1).data
    np.testing.assert_allclose(total, np.log(e.sum(-1)) + x.max(-1), rtol=4 * eps, atol=eps)
    got = gradient(lambda v: gw.logsumexp(v, axis=-1), x, t[..., 0])
    np.testing.assert_allclose(got, p * t[..., :1], rtol=60 * eps, atol=1e-37)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("peak", [1000.0, -1000.0])
def test_soft_far_from_zero(peak: float, dtype: Any):
    x, near = np.array([peak, peak - 1.0], dtype), np.array([0.0, -1.0])
    p = np.exp(near) / np.exp(near).sum()
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(gw.softmax(Tensor(x)).data, p, rtol=4 * eps)
    np.testing.assert_allclose(gw.log_softmax(Tensor(x)).data, np.log(p), rtol=4 * eps)
    np.testing.assert_allclose(gradient(gw.logsumexp, x), p, rtol=8 * eps)
    got = gradient(lambda x: gw.softmax(x)[0], x)
    np.testing.assert_allclose(got, [p[0] * p[1], -p[0] * p[1]], rtol=16 * eps)
    np.testing.assert_allclose(
        hessian(gw.logsumexp, x), np.diag(p) - np.outer(p, p), rtol=32 * eps, atol=eps
    )


def test_soft_of_numbers_far_apart():
    x = [1000.0, -1000.0]
    assert gw.softmax(Tensor(x)).tolist() == [1.0, 0.0]
    assert gw.log_softmax(Tensor(x)).tolist() == [0.0, -2000.0]
    for name in SOFT:
        assert np.isfinite(gradient(getattr(gw, name), x)).all()
        assert np.isfinite(hessian(getattr(gw, name), x)).all()


@pytest.mark.parametrize("name", SOFT)
def test_masked_numbers_have_no_gradient(name: str):
    def f(x: Any) -> Any:
        y = getattr(gw, name)(where(np.array([False, True, True]), x, -inf), axis=-1)
        return y[1:] * np.array([2.0, 3.0]) if y.ndim else y

    def alone(x: Any) -> Any:
        y = getattr(gw, name)(x, axis=-1)
        return y * np.array([2.0, 3.0]) if y.ndim else y

    x = np.array([5.0, 0.5, -0.5])
    np.testing.assert_allclose(gradient(f, x), [0.0, *gradient(alone, x[1:])])
    expected = np.zeros((3, 3))
    expected[1:, 1:] = hessian(alone, x[1:])
    np.testing.assert_allclose(hessian(f, x), expected, atol=1e-16)
    plain = np.array([-inf, 0.5, -0.5])  # without where
    second = hessian(lambda x: gw.logsumexp(x) + gw.softmax(x)[1], plain)
    assert np.isfinite(second).all()
    assert not second[0].any()


def test_where_everything_is_masked():
    x = np.array([[-inf, -inf], [0.0, -inf]])
    assert gw.logsumexp(Tensor(x), axis=1).tolist() == [-inf, 0.0]
    np.testing.assert_array_equal(
        gradient(lambda x: gw.logsumexp(x, axis=1), x), [[0.0, 0.0], [1.0, 0.0]]
    )
    with np.errstate(invalid="ignore"):
        for name in ("softmax", "log_softmax"):
            y = getattr(gw, name)(Tensor(x)).data
            assert np.isnan(y[0]).all()
            assert not np.isnan(y[1]).any()
    assert gw.logsumexp(Tensor([inf, 0.0])).item() == inf


@given(hnp.arrays(np.float64, hnp.array_shapes(max_dims=3), elements=st.floats(-50.0, 50.0)))
def test_softmax_is_a_distribution_whose_logarithm_is_log_softmax(x: Any):
    p, logs = gw.softmax(Tensor(x)).data, gw.log_softmax(Tensor(x)).data
    np.testing.assert_allclose(p.sum(-1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.exp(logs), p, rtol=1e-13)
    total = gw.logsumexp(Tensor(x), axis=-1, keepdims=True).data
    np.testing.assert_allclose(x - total, logs, rtol=1e-13, atol=1e-13)


def test_lists_of_values_and_arrays_under_one_name():
    values = [Value(1.0), Value(2.0)]
    contributions = gradwalk.softmax(values)
    assert isinstance(contributions, list)
    assert isinstance(contributions[0], Value)
    x = np.array([1.0, 2.0])
    for name in SOFT:
        function = getattr(gradwalk, name)
        expected = function([1.0, 2.0])
        for got in (function(x), function(Tensor(x)).data, function(np.array([1, 2]))):
            assert isinstance(got, (np.ndarray, np.floating))
            np.testing.assert_allclose(got, expected, rtol=1e-15)
        pair = np.array([x, -x])
        np.testing.assert_array_equal(function(pair, axis=0), getattr(gw, name)(pair, axis=0))
        with pytest.raises(errors.SizeError, match="axes of the 1"):
            function(x, axis=1)
    assert gradwalk.logsumexp(Tensor(np.ones((2, 3))), axis=-1, keepdims=True).shape == (2, 1)


def test_a_number_has_no_shares():
    for name in ("softmax", "log_softmax"):
        for axis in (-1, None):
            with pytest.raises(errors.SizeError, match="an array with axes"):
                getattr(gw, name)(Tensor(1.0), axis=axis)


# --- norms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
@pytest.mark.parametrize("ord", [2, 1, 3, 4.0, 2.5, 0.5, -1, inf, -inf])
def test_norms(ord: float, axis: Any):
    x = distinct(3, 2)
    check(lambda x: gw.norm(x, ord, axis), x)
    flat = x.reshape(-1, 1) if axis != 0 else x
    expected = np.linalg.norm(flat, ord, axis=0)
    np.testing.assert_allclose(gw.norm(Tensor(x), ord, axis, keepdims=True).data.ravel(), expected)


def test_norm_zero_counts():
    y = gw.norm(Tensor([[0.0, 2.0], [3.0, 4.0]], requires_grad=True), 0, axis=1)
    assert (y.tolist(), y.requires_grad) == ([1.0, 2.0], False)


@pytest.mark.parametrize("ord", [2, 1, 3, 1.5, 0.5, inf])
def test_norms_at_zero_have_slope_zero(ord: float):
    x = np.array([[0.0, 0.0], [0.0, 2.0]])
    got = gradient(lambda x: gw.norm(x, ord, axis=1), x)
    np.testing.assert_array_equal(got, [[0.0, 0.0], [0.0, 1.0]])
    through = gradient(lambda x: gw.norm(gradwalk.sqrt(x), 2), np.zeros(2))
    np.testing.assert_array_equal(through, 0.0)
    assert np.isfinite(hessian(lambda x: gw.norm(x, ord), np.zeros(2))).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ord", [2, 3])
def test_norms_of_huge_and_tiny_vectors(ord: float, dtype: Any):
    for scale in (np.finfo(dtype).max / 8, np.finfo(dtype).tiny * 8):
        x = (np.array([3.0, -4.0]) * scale).astype(dtype)
        expected = (3.0**ord + 4.0**ord) ** (1 / ord)
        np.testing.assert_allclose(gw.norm(Tensor(x), ord).item() / scale, expected, rtol=1e-6)
        near = gradient(lambda x: gw.norm(x, ord), np.array([3.0, -4.0], dtype))
        np.testing.assert_allclose(gradient(lambda x: gw.norm(x, ord), x), near, rtol=1e-6)
    assert gw.norm(Tensor([inf, 1.0], dtype=dtype), ord).item() == inf


def test_norms_of_matrices_are_elsewhere():
    with pytest.raises(errors.OptionError, match=r"gradwalk\.linalg"):
        gw.norm(Tensor(np.ones((2, 2))), "fro")


# --- what is kept, and what the table says --------------------------------------------------------


def test_nodes_keep_what_rules_need_and_no_more():
    x = Tensor(distinct(2, 3), requires_grad=True)
    kept = {
        name: [isinstance(s, np.ndarray) for s in getattr(gw, name)(x)._node.saved]
        for name in ("sum", "mean", "softmax", "log_softmax", "var", "max")
    }
    assert kept["sum"] == kept["mean"] == [False, False]
    assert kept["softmax"] == kept["log_softmax"] == [True, False]
    assert kept["var"] == [False, True]
    assert kept["max"] == [True, True]


def test_functions_without_derivative_say_so():
    x = Tensor(distinct(2, 3), requires_grad=True)
    for name in ("all", "any", "count_nonzero"):
        assert not getattr(gw, name)(x).requires_grad


def test_the_gradient_of_a_sum_is_nobodys_to_write_into():
    x = Tensor(np.ones(3), requires_grad=True)
    y = x * 1.0
    gw.sum(y).backward()
    with pytest.raises(ValueError, match="read-only"):
        y.grad[0] = 7.0
    x.grad[0] = 7.0  # a leaf has an array of its own
