"""Normalisation: against its definition, differences, and long sums in float32."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwalk import Tensor
from gradwalk.errors import OptionError, SizeError
from gradwalk.ops.array import normalization as rows
from gradwalk.tensor.functions.normalization import batch_norm, layer_norm, rms_norm
from gradwalk.tensor.graph import backward as sweeps

from ...helpers.array_checks import check


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


# --- the rows -------------------------------------------------------------------------------------

AXES = [(0,), (1,), (0, 2), (0, 1, 2)]


@pytest.mark.parametrize("axis", AXES)
def test_every_statistic_has_derivatives_of_both_orders(axis):
    x, options = drawn(3, 2, 4), {"axis": axis, "eps": 1e-3}
    check(lambda x: rows.standardize(x, **options)[0], x)
    check(lambda x: rows.standardize(x, **options)[1] * 3.0, x)
    check(lambda x: rows.standardize(x, **options)[2] * 3.0, x)
    check(lambda x: rows.rescale(x, **options)[0], x)
    check(lambda x: rows.rescale(x, **options)[1] * 3.0, x)


def test_statistics_that_are_used_together_have_derivatives():
    def mixed(x):
        y, mean, variance = rows.standardize(x, axis=(0, 2), eps=1e-3)
        return y * mean + variance / (2.0 + mean * mean)

    def scaled(x):
        y, square = rows.rescale(x, axis=(1,), eps=1e-3)
        return y * square

    check(mixed, drawn(3, 2, 4))
    check(scaled, drawn(3, 2, 4))


@pytest.mark.parametrize("centred", [True, False])
def test_the_gradient_has_derivatives_by_all_it_is_made_of(centred):
    options = {"axis": (1,), "eps": 1e-3, "centred": centred}
    t, y, shift = drawn(3, 4), drawn(3, 4, seed=1), drawn(3, 1, seed=2)
    slope, variance = drawn(3, 1, seed=3), drawn(3, 1, seed=4) ** 2 + 0.5
    if centred:
        check(lambda *args: rows.back(*args, **options), t, shift, slope, y, variance)
    else:
        check(lambda t, q, y, v: rows.back(t, 0.0, q, y, v, **options), t, slope, y, variance)


def test_scale_and_shift_are_broadcast():
    check(lambda x, w, b: rows.scale_shift(x, w, b), drawn(3, 4), drawn(4), drawn(3, 1))
    check(lambda x, w, b: rows.scale_shift(x, w, b), drawn(4), drawn(4), drawn(2, 4))


def test_a_wider_bias_widens_the_result():
    x, w = np.ones(2, np.float32), np.ones(2, np.float32)
    assert rows.scale_shift(x, w, np.ones(2)).dtype == np.float64


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_results_have_mean_0_and_variance_1(shape, data):
    x = drawn(*shape) * 7.0 + 3.0
    axis = data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1).map(sorted).map(tuple))
    y, mean, variance = rows.standardize(x, axis=axis, eps=0.5)
    np.testing.assert_allclose(mean, x.mean(axis=axis, keepdims=True), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(variance, x.var(axis=axis, keepdims=True), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(y, (x - mean) / np.sqrt(variance + 0.5), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("order", ["first", "last"])
def test_float32_keeps_its_digits_over_many_numbers_far_from_zero(order):
    """Mean 1000, deviation 1: a running sum of 50,000 numbers would lose four of seven digits."""
    x = (drawn(64, 2, 28, 28) + 1000.0).astype(np.float32)
    if order == "last":
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    _, mean, variance = rows.standardize(x, axis=(0, 2, 3), eps=0.0)
    exact = x.astype(np.float64)
    np.testing.assert_allclose(mean.ravel(), exact.mean(axis=(0, 2, 3)), rtol=5e-7)
    np.testing.assert_allclose(variance.ravel(), exact.var(axis=(0, 2, 3)), rtol=2e-6)


def test_the_argument_is_not_kept():
    """The gradient needs the result and a number per group; the argument may go."""
    x = Tensor(drawn(3, 4), requires_grad=True) * 2.0
    y, *_ = rows.standardize(x, axis=(1,), eps=1e-5)
    bundle = y._node._inputs[0]
    assert not any(a is x._data for a in bundle.saved)


# --- layer_norm, rms_norm -------------------------------------------------------------------------


def test_layer_norm_has_derivatives_of_both_orders():
    x, w, b = drawn(2, 3, 4), drawn(3, 4, seed=1), drawn(3, 4, seed=2)
    check(lambda x, w, b: layer_norm(x, (3, 4), w, b), x, w, b)
    check(lambda x, w: layer_norm(x, 4, w), x, w[0])
    check(lambda x, b: layer_norm(x, [4], None, b), x, b[0])


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
def test_gradients_of_layer_norm_are_the_same_when_they_are_recorded(shape):
    arrays = drawn(2, 3, 4) * 3.0 + 100.0, drawn(*shape, seed=1), drawn(*shape, seed=2)
    leaves = [Tensor(array, requires_grad=True) for array in arrays]
    y, t = layer_norm(leaves[0], shape, *leaves[1:]), drawn(4, 3, 2, seed=3).T
    plain = sweeps.gradients(y, leaves, t, create_graph=False)
    recorded = sweeps.gradients(y, leaves, t, create_graph=True)
    for one, other in zip(plain, recorded, strict=True):
        np.testing.assert_allclose(one, other.data, rtol=1e-11, atol=1e-13)


def test_layer_norm_keeps_its_argument_and_two_numbers_for_each_example():
    x, w, b = (Tensor(drawn(*shape), requires_grad=True) for shape in [(3, 4), (4,), (4,)])
    node = layer_norm(x, 4, w, b)._node
    kept = [a for a in (*node.saved, *node.options["memo"]) if isinstance(a, np.ndarray)]
    assert sorted(a.size for a in kept) == [3, 3, 4, 12]


def test_rms_norm_has_derivatives_of_both_orders():
    check(lambda x, w: rms_norm(x, 4, w), drawn(2, 3, 4), drawn(4, seed=1))
    check(lambda x: rms_norm(x, (3, 4), eps=0.5), drawn(2, 3, 4))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_dtypes_stay_what_they_are(dtype):
    x = Tensor(drawn(5, 8), dtype=dtype, requires_grad=True)
    w, b = Tensor(np.ones(8), dtype=dtype), Tensor(np.ones(8), dtype=dtype)
    for y in (layer_norm(x, 8, w, b), rms_norm(x, 8, w), layer_norm(x, 8)):
        assert y.dtype == dtype
        x.grad = None
        y.sum().backward()
        assert x.grad.dtype == dtype


def test_large_half_precision_numbers_do_not_overflow():
    x = np.asarray([[1000.0, -1000.0]], np.float16)  # their squares are beyond the type
    np.testing.assert_array_equal(layer_norm(x, 2), [[1.0, -1.0]])
    np.testing.assert_array_equal(rms_norm(x, 2), [[1.0, -1.0]])


def test_equal_numbers_have_a_finite_gradient():
    x = Tensor(np.full((1, 4), 3.0), requires_grad=True)
    y = layer_norm(x, 4)
    y.backward([[1.0, 0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(y.data, np.zeros((1, 4)))
    assert np.isfinite(x.grad).all()


# --- batch_norm -----------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [(), (3,), (2, 2)])
def test_batch_norm_has_derivatives_of_both_orders(space):
    x, w, b = drawn(3, 2, *space), drawn(2, seed=1), drawn(2, seed=2)
    check(lambda x, w, b: batch_norm(x, weight=w, bias=b, training=True), x, w, b)
    mean, var = drawn(2, seed=3), np.asarray([0.5, 2.0])
    evaluated = {"dtypes": ("float64",)}  # of running statistics in float64
    check(lambda x, w, b: batch_norm(x, mean, var, w, b), x, w, b, **evaluated)
    check(lambda x: batch_norm(x, mean, var), x, **evaluated)


def test_without_training_the_running_statistics_count():
    x, mean, var = drawn(4, 2), np.asarray([1.0, -1.0]), np.asarray([4.0, 0.25])
    expected = (x - mean) / np.sqrt(var + 1e-5)
    np.testing.assert_allclose(batch_norm(x, mean, var), expected, rtol=1e-14)
    np.testing.assert_array_equal(mean, [1.0, -1.0])


def test_running_statistics_follow_in_place_or_as_tensors():
    x = drawn(5, 2)
    arrays = [np.zeros(2), np.ones(2)]
    tensors = [Tensor(np.zeros(2)), Tensor(np.ones(2))]
    batch_norm(x, *arrays, training=True, momentum=0.25)
    batch_norm(Tensor(x), *tensors, training=True, momentum=0.25)
    expected = [0.25 * x.mean(axis=0), 0.75 + 0.25 * x.var(axis=0, ddof=1)]
    for array, tensor, statistic in zip(arrays, tensors, expected, strict=True):
        np.testing.assert_allclose(array, statistic, rtol=1e-13)
        np.testing.assert_allclose(tensor.data, statistic, rtol=1e-13)


def test_a_graph_keeps_the_running_statistics_it_was_made_with():
    mean, var = Tensor([0.0]), Tensor([1.0])
    x = Tensor([[1.0], [3.0]], requires_grad=True)
    y = batch_norm(x, mean, var, eps=0.0)
    batch_norm(Tensor([[5.0], [9.0]]), mean, var, training=True)
    gradient = sweeps.gradients(y, [x], [[1.0], [1.0]], create_graph=False)[0]
    np.testing.assert_array_equal(gradient, [[1.0], [1.0]])


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda: layer_norm(np.zeros((2, 3)), 4), ["(4,)", "(2, 3)"]),
        (lambda: layer_norm(np.zeros((2, 3)), ()), ["()"]),
        (lambda: layer_norm(np.zeros((2, 3)), 3, np.ones(4)), ["weight", "(3,)", "(4,)"]),
        (lambda: layer_norm(np.zeros((2, 3)), 3, None, Tensor(1.0)), ["bias", "(3,)", "()"]),
        (lambda: rms_norm(np.zeros((2, 3)), (3, 3)), ["(3, 3)", "(2, 3)"]),
        (lambda: batch_norm(np.zeros(3), training=True), ["(3,)"]),
        (lambda: batch_norm(np.zeros((2, 3)), np.zeros(2), np.ones(3)), ["running_mean", "(2,)"]),
        (lambda: batch_norm(np.zeros((1, 3)), training=True), ["two numbers", "(1, 3)"]),
    ],
)
def test_shapes_that_do_not_fit_are_named(call, parts):
    with pytest.raises(SizeError) as caught:
        call()
    assert all(part in str(caught.value) for part in parts)


@pytest.mark.parametrize(
    "call",
    [
        lambda: layer_norm([[1, 2]], 2),
        lambda: batch_norm(np.zeros((2, 3))),
        lambda: batch_norm(np.zeros((2, 3)), np.zeros(3)),
    ],
)
def test_what_means_nothing_is_refused(call):
    with pytest.raises(OptionError):
        call()
