"""Convolution and pooling: against loops, differences, and PyTorch's stored results."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwalk import Tensor
from gradwalk.errors import OptionError, SizeError
from gradwalk.ops.array import convolution as kernels
from gradwalk.ops.array import pooling as pools
from gradwalk.ops.array.windows import Windows
from gradwalk.tensor.functions.convolution import conv1d, conv2d
from gradwalk.tensor.functions.normalization import layer_norm, rms_norm
from gradwalk.tensor.functions.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    avg_pool1d,
    avg_pool2d,
    max_pool1d,
    max_pool2d,
)
from gradwalk.tensor.graph import backward as sweeps

from ...expected.make_conv import CASES, numbers
from ...helpers.amount import examples
from ...helpers.array_checks import adjoint, check

EXPECTED = json.loads((Path(__file__).parents[2] / "expected" / "conv.json").read_text("utf-8"))
FUNCTIONS = {
    f.__name__: f
    for f in (
        *(conv1d, conv2d, layer_norm, rms_norm, adaptive_avg_pool1d, adaptive_avg_pool2d),
        *(max_pool1d, max_pool2d, avg_pool1d, avg_pool2d),
    )
}


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def apart(*shape, seed=0):
    """Numbers no two of which are near to each other, so that no step changes their order."""
    count = int(np.prod(shape))
    return np.random.default_rng(seed).permutation(count).reshape(shape) * 0.1


# --- what they compute ----------------------------------------------------------------------------


def convolved(x, w, stride, padding, dilation, groups):
    """The definition, number by number."""
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, w.shape[2:], strict=True)]
    sizes = zip(x.shape[2:], spans, stride, strict=True)
    lengths = [(n - span) // s + 1 for n, span, s in sizes]
    y = np.zeros((len(x), len(w), *lengths))
    outs, ins = len(w) // groups, w.shape[1]
    for n, o, c in product(range(len(x)), range(len(w)), range(ins)):
        for at in product(*map(range, lengths)):
            for tap in product(*map(range, w.shape[2:])):
                place = [
                    i * s + k * d for i, s, k, d in zip(at, stride, tap, dilation, strict=True)
                ]
                y[n, o, *at] += w[o, c, *tap] * x[n, o // outs * ins + c, *place]
    return y


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))


@examples(60)
@given(
    kernel=pairs,
    stride=pairs,
    dilation=pairs,
    padding=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    groups=st.integers(1, 2),
    channels=st.sampled_from([(1, 1), (2, 3), (8, 1)]),
    batch=st.integers(0, 3),
    order=st.sampled_from("CF"),
)
def test_conv2d_is_its_definition(
    kernel, stride, dilation, padding, groups, channels, batch, order
):
    x = np.asarray(drawn(batch, channels[0] * groups, 7, 8), order=order)
    w = drawn(channels[1] * groups, channels[0], *kernel, seed=1)
    expected = convolved(x, w, stride, padding, dilation, groups)
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    np.testing.assert_allclose(conv2d(x, w, **options), expected, rtol=1e-12, atol=1e-12)
    b = drawn(len(w), seed=2)
    shifted = conv2d(Tensor(x), Tensor(w), Tensor(b), **options)
    np.testing.assert_allclose(shifted.data, expected + b[:, None, None], rtol=1e-12, atol=1e-12)
    adjoint(lambda x: conv2d(x, w, **options), x)
    adjoint(lambda w: conv2d(x, w, **options), w)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_functions_give_what_pytorch_gives(case):
    expected = EXPECTED["functions"][case]
    options = dict(expected["options"])
    leaves = [
        Tensor(numbers(shape, i), requires_grad=True) for i, shape in enumerate(expected["shapes"])
    ]
    first = [options.pop(key) for key in ("normalized_shape", "output_size") if key in options]
    y = FUNCTIONS[expected["name"]](leaves[0], *first, *leaves[1:], **options)
    np.testing.assert_allclose(y.data, expected["value"], rtol=1e-12, atol=1e-13)
    y.backward(numbers(y.shape, 99))
    for leaf, gradient in zip(leaves, expected["gradients"], strict=True):
        np.testing.assert_allclose(leaf.grad, gradient, rtol=1e-11, atol=1e-12)


def test_blocks_of_images_are_put_together(monkeypatch):
    """With room for one image at a time the result is the same, and so are the gradients."""
    x, w, b = drawn(5, 3, 6, 6), drawn(4, 3, 3, 3, seed=1), drawn(4, seed=2)

    def results():
        leaves = [Tensor(a, requires_grad=True) for a in (x, w, b)]
        y = conv2d(*leaves, padding=1)
        return [y.data, *sweeps.gradients(y, leaves, y.data, create_graph=False)]

    whole = results()
    monkeypatch.setattr(kernels, "BLOCK", 1)
    for got, expected in zip(results(), whole, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)


# --- derivatives ----------------------------------------------------------------------------------

KERNEL_OPTIONS = [
    {},
    {"stride": 2, "padding": 1},
    {"padding": "same"},
    {"padding": "valid", "dilation": 2},
    {"stride": (1, 2), "padding": 3},
    {"dilation": 2, "padding": (2, 1)},
]


@pytest.mark.parametrize("options", KERNEL_OPTIONS, ids=str)
@pytest.mark.parametrize("groups", [1, 2])
def test_conv2d_has_derivatives_of_both_orders(options, groups):
    x, w, b = drawn(1, 2, 6, 5), drawn(2, 2 // groups, 3, 2, seed=1), drawn(2, seed=2)
    check(lambda x, w, b: conv2d(x, w, b, groups=groups, **options), x, w, b)
    check(lambda x, w: conv2d(x, w, groups=groups, **options), x, w)


def test_conv1d_has_derivatives_of_both_orders():
    x, w, b = drawn(2, 2, 6), drawn(3, 2, 3, seed=1), drawn(3, seed=2)
    check(lambda x, w, b: conv1d(x, w, b, stride=2, padding=2), x, w, b)
    check(lambda x, w: conv1d(x, w)[0], x[0], w)


def test_the_three_rows_of_a_convolution_are_each_others_derivatives():
    how = Windows((2, 3), (2, 1), ((1, 0), (0, 2)), (1, 2))
    x, w = drawn(2, 2, 5, 6), drawn(3, 2, 2, 3, seed=1)
    t = drawn(*kernels.conv(x, w, how=how).shape, seed=2)
    check(lambda x, w: kernels.conv(x, w, how=how), x, w)
    check(lambda t, w: kernels.conv_input(t, w, how=how, size=(5, 6)), t, w)
    check(lambda x, t: kernels.conv_weight(x, t, how=how), x, t)


def test_sums_over_channels_in_every_order_of_memory():
    x = drawn(2, 3, 4, 2)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    for array in (x, last):
        np.testing.assert_allclose(kernels.channel_sum(array), x.sum(axis=(0, 2, 3)), rtol=1e-13)
    check(kernels.channel_sum, x)
    adjoint(lambda x: kernels.channel_spread(x, shape=(2, 3, 4)), drawn(3))


POOL_OPTIONS = [
    {},
    {"stride": 1},
    {"stride": (1, 3), "padding": 1},
    {"padding": 1, "ceil_mode": True},
]


@pytest.mark.parametrize("options", POOL_OPTIONS, ids=str)
def test_pools_have_derivatives_of_both_orders(options):
    x = apart(2, 2, 5, 7)
    check(lambda x: max_pool2d(x, (3, 2), **options), x)
    check(lambda x: avg_pool2d(x, (3, 2), **options), x)
    check(lambda x: avg_pool2d(x, (3, 2), count_include_pad=False, **options), x)
    adjoint(lambda x: avg_pool2d(x, (3, 2), **options), x)


def test_pools_of_one_axis_and_without_a_batch():
    x = apart(2, 9)
    check(lambda x: max_pool1d(x, 3, dilation=2, stride=1), x)
    check(lambda x: avg_pool1d(x, 2, ceil_mode=True), x)
    check(lambda x: adaptive_avg_pool1d(x, 4), x)
    check(lambda x: adaptive_avg_pool2d(x, (2, None)), apart(1, 2, 5, 3))
    assert max_pool1d(Tensor(x), 3).shape == (2, 3)


def test_picking_and_putting_are_adjoint():
    how = Windows((2, 2), (1, 2), ((1, 1), (0, 0)), (1, 1))
    x = apart(2, 2, 4, 6)
    y, index = pools.max_pool(x, how=how)
    assert index.dtype == np.uint8
    np.testing.assert_array_equal(pools.window_pick(x, index, how=how), y)
    adjoint(lambda x: pools.window_pick(x, index, how=how), x)
    adjoint(lambda y: pools.window_put(y, index, how=how, size=(4, 6)), y)


def test_large_windows_are_indexed_too():
    x = apart(1, 1, 20, 20)
    y, index = pools.max_pool(x, how=Windows((17, 17), (1, 1), ((0, 0),) * 2, (1, 1)))
    place = np.unravel_index(x[0, 0, :17, :17].argmax(), (17, 17))
    assert (y[0, 0, 0, 0], index[0, 0, 0, 0]) == (x[0, 0, *place], place[0] * 17 + place[1])


# --- ties, padding, NaN ---------------------------------------------------------------------------


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_the_first_of_the_largest_gets_all_of_the_gradient(stride, dtype):
    x = Tensor(np.zeros((1, 1, 4, 4)), dtype=dtype, requires_grad=True)
    y = max_pool2d(x, 2, stride=stride)
    y.sum().backward()
    expected = np.zeros((1, 1, 4, 4))
    expected[0, 0, :3:stride, :3:stride] = 1.0
    np.testing.assert_array_equal(x.grad, expected)
    assert x.grad.dtype == dtype


def test_nan_is_the_largest_and_gets_the_gradient():
    array = np.ones((1, 1, 2, 4))
    array[0, 0, 0, 1] = array[0, 0, 1, 0] = np.nan
    x = Tensor(array, requires_grad=True)
    y = max_pool2d(x, 2)
    np.testing.assert_array_equal(y.data, [[[[np.nan, 1.0]]]])
    y.backward([[[[2.0, 3.0]]]])
    np.testing.assert_array_equal(x.grad, [[[[0.0, 2.0, 3.0, 0.0], [0.0] * 4]]])


def test_an_infinite_gradient_stays_in_its_place():
    x = Tensor(apart(1, 1, 2, 2), requires_grad=True)
    y = max_pool2d(x, 2)
    y.backward([[[[np.inf]]]])
    assert np.isinf(x.grad).sum() == 1
    assert (x.grad == 0.0).sum() == 3


def test_padding_is_never_the_largest():
    x = np.full((1, 1, 2, 2), -5.0)
    np.testing.assert_array_equal(max_pool2d(x, 2, padding=1), np.full((1, 1, 2, 2), -5.0))
    whole = max_pool2d(np.full((1, 1, 2, 2), -5), 2, padding=1)
    assert whole.dtype.kind == "i"
    assert (whole == -5).all()
    assert avg_pool2d(np.full((1, 1, 2, 2), 4), 2).item() == 4.0


def test_equal_parts_are_plain_means():
    x = drawn(2, 3, 6, 4)
    parts = x.reshape(2, 3, 3, 2, 2, 2).mean(axis=(3, 5))
    np.testing.assert_allclose(adaptive_avg_pool2d(x, (3, 2)), parts, rtol=1e-13)
    np.testing.assert_allclose(
        adaptive_avg_pool2d(Tensor(x), 1).data, x.mean(axis=(2, 3), keepdims=True), rtol=1e-12
    )


def test_results_have_the_dtype_of_the_arguments():
    x, w = drawn(1, 1, 3, 3).astype(np.float32), drawn(1, 1, 2, 2).astype(np.float32)
    assert conv2d(x, w).dtype == np.float32
    assert conv2d(Tensor(x), Tensor(w), [1.0]).dtype == np.float64
    assert avg_pool2d(Tensor(x), 2, padding=1, count_include_pad=False).dtype == np.float32
    assert adaptive_avg_pool2d(Tensor(x), 2).dtype == np.float32


def test_only_the_image_and_the_kernel_are_kept():
    """The columns, nine times the image, are made again when the gradient asks for them."""
    x, w = Tensor(drawn(1, 2, 5, 5), requires_grad=True), Tensor(drawn(3, 2, 3, 3))
    y = conv2d(x, w, Tensor(drawn(3)))
    arrays = [a for a in y._node.saved if isinstance(a, np.ndarray)]
    assert len(arrays) == 1
    assert arrays[0] is w._data
    pooled = max_pool2d(y, 3)
    assert not any(a is y._data for a in pooled._node._inputs[0].saved)


# --- errors ---------------------------------------------------------------------------------------

IMAGE = np.zeros((2, 3, 5, 6))


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (
            lambda: conv2d(IMAGE, np.zeros((4, 2, 3, 3))),
            ["(4, 2, 3, 3)", "2 channels", "a weight for 3"],
        ),
        (lambda: conv2d(IMAGE, np.zeros((4, 3, 3))), ["(4, 3, 3)"]),
        (lambda: conv2d(IMAGE, np.zeros((4, 1, 3, 3)), groups=3), ["(4, 1, 3, 3)", "groups=3"]),
        (lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), np.zeros(3)), ["(4,)", "(3,)"]),
        (lambda: conv2d(IMAGE, np.zeros((4, 3, 6, 3))), ["(6, 3)", "(5, 6)"]),
        (lambda: conv2d(IMAGE[0, 0], np.zeros((4, 3, 3, 3))), ["(5, 6)", "batch"]),
        (lambda: conv1d(IMAGE, np.zeros((4, 3, 3))), ["(2, 3, 5, 6)", "length"]),
        (lambda: max_pool2d(IMAGE, 7), ["(7, 7)", "(5, 6)"]),
    ],
)
def test_shapes_that_do_not_fit_are_named(call, parts):
    with pytest.raises(SizeError) as caught:
        call()
    assert all(part in str(caught.value) for part in parts)


@pytest.mark.parametrize(
    "call",
    [
        lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), padding="same", stride=2),
        lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), padding="full"),
        lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), padding=-1),
        lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), stride=0),
        lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), stride=(1, 1, 1)),
        lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), dilation=1.5),
        lambda: conv2d(IMAGE, np.zeros((4, 3, 3, 3)), groups=0),
        lambda: max_pool2d(IMAGE, 2, padding=2),
        lambda: avg_pool2d(IMAGE, None),
        lambda: adaptive_avg_pool2d(IMAGE, 0),
        lambda: adaptive_avg_pool2d(IMAGE, (1, 2, 3)),
    ],
)
def test_options_that_mean_nothing_are_refused(call):
    with pytest.raises(OptionError):
        call()
