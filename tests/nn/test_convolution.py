"""Layers for images and normalisation: PyTorch's names, defaults, draws and stored results."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from gradwalk import Tensor
from gradwalk.errors import OptionError, SizeError
from gradwalk.nn import dropout, normalization
from gradwalk.nn.dropout import Dropout
from gradwalk.nn.images import convolution, pooling
from gradwalk.nn.images.convolution import Conv1d, Conv2d, Flatten
from gradwalk.nn.images.pooling import MaxPool2d
from gradwalk.nn.normalization import BatchNorm1d, BatchNorm2d, LayerNorm, RMSNorm

from ..expected.make_conv import numbers

EXPECTED = json.loads((Path(__file__).parents[1] / "expected" / "conv.json").read_text("utf-8"))
LAYERS = {
    name: getattr(module, name)
    for module in (convolution, pooling, normalization, dropout)
    for name in module.__all__
}


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("text", EXPECTED["reprs"])
def test_layers_take_pytorchs_arguments_and_look_alike(text):
    assert repr(eval(text, dict(LAYERS))) == EXPECTED["reprs"][text]


# --- convolution ----------------------------------------------------------------------------------


def test_parameters_have_pytorchs_names_and_shapes():
    layer = Conv2d(4, 6, (3, 2), groups=2)
    shapes = {name: array.shape for name, array in layer.state_dict().items()}
    assert shapes == {"weight": (6, 2, 3, 2), "bias": (6,)}
    assert [name for name, _ in Conv1d(1, 2, 3, bias=False).named_parameters()] == ["weight"]
    assert Conv1d(1, 2, 3, dtype="float32").weight.dtype == np.float32


def test_parameters_start_evenly_within_pytorchs_bounds():
    """kaiming_uniform with a = √5 is ±1 / √fan_in, and so is the bias."""
    layer = Conv2d(8, 200, 3, groups=2, seed=0)
    bound = (4 * 9) ** -0.5
    for parameter in (layer.weight, layer.bias):
        assert abs(parameter.data).max() <= bound
        assert abs(parameter.data).max() >= 0.98 * bound
    np.testing.assert_allclose(layer.weight.data.var(), bound**2 / 3, rtol=0.05)


def test_equal_seeds_give_equal_layers():
    first, same, other = (Conv2d(2, 3, 3, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.weight.data, same.weight.data)
    assert not np.array_equal(first.weight.data, other.weight.data)
    rng = np.random.default_rng(0)
    drawn_on = [Conv2d(2, 3, 3, seed=rng) for _ in range(2)]
    assert not np.array_equal(drawn_on[0].weight.data, drawn_on[1].weight.data)


@pytest.mark.parametrize("layer", [Conv1d(2, 3, 3, padding=1), Conv2d(2, 3, 3, padding="same")])
def test_layers_apply_their_parameters(layer):
    x = Tensor(drawn(2, 2, *(4, 5)[: layer.axes]))
    y = layer(x)
    assert y.shape == (2, 3, *x.shape[2:])
    y.sum().backward()
    np.testing.assert_allclose(layer.bias.grad, np.full(3, y.size / 3))
    shifted = copy.deepcopy(layer)
    shifted.load_state_dict({**layer.state_dict(), "bias": layer.bias.data + 1.0})
    np.testing.assert_allclose(shifted(x).data, y.data + 1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Conv2d(0, 1, 3),
        lambda: Conv2d(1, 1, 0),
        lambda: Conv2d(1, 1, (3, 3, 3)),
        lambda: Conv2d(4, 6, 3, groups=4),
        lambda: Conv2d(1, 1, 3, padding="same", stride=2),
        lambda: Conv2d(1, 1, 3, padding=-1),
        lambda: Conv2d(1, 1, 3, dtype=int),
        lambda: Dropout(1.5),
        lambda: Dropout("0.5"),
        lambda: BatchNorm2d(0),
        lambda: LayerNorm(-1),
    ],
)
def test_options_that_mean_nothing_are_refused(call):
    with pytest.raises(OptionError):
        call()


def test_pools_and_flatten_shape_images():
    x = Tensor(drawn(2, 3, 8, 6))
    assert MaxPool2d(2)(x).shape == (2, 3, 4, 3)
    assert MaxPool2d(3, 2, ceil_mode=True)(x).shape == (2, 3, 4, 3)
    assert pooling.AvgPool2d((2, 3), stride=1)(x).shape == (2, 3, 7, 4)
    assert pooling.AdaptiveAvgPool2d((1, None))(x).shape == (2, 3, 1, 6)
    assert pooling.AdaptiveAvgPool1d(2)(x[0]).shape == (3, 8, 2)
    assert pooling.MaxPool1d(2)(x[0]).shape == (3, 8, 3)
    assert pooling.AvgPool1d(2)(x[0]).shape == (3, 8, 3)


def test_flatten_keeps_the_order_whatever_the_memory():
    x = drawn(2, 3, 4, 5)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    for array in (x, last):
        np.testing.assert_array_equal(Flatten()(Tensor(array)).data, x.reshape(2, 60))
    assert Flatten(0, 1)(Tensor(x)).shape == (6, 4, 5)
    assert Flatten(1, 1)(Tensor(x)).shape == x.shape
    assert Flatten(0)(Tensor(x)).shape == (120,)
    for layer, array in ((Flatten(), x[0, 0, 0]), (Flatten(2, 1), x)):
        with pytest.raises(SizeError):
            layer(Tensor(array))


# --- normalisation --------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", EXPECTED["batch_norm"], ids=lambda e: str(e["momentum"]))
def test_batch_norm_gives_what_pytorch_gives(expected):
    layer = BatchNorm2d(3, momentum=expected["momentum"])
    given = {"weight": numbers((3,), 1), "bias": numbers((3,), 2)}
    layer.load_state_dict({**layer.state_dict(), **given})
    close = {"rtol": 1e-11, "atol": 1e-13}
    batches = [Tensor(numbers((2, 3, 2, 4), i), requires_grad=True) for i in (3, 4)]
    for batch, (value, gradient) in zip(batches, expected["results"], strict=True):
        y = layer(batch)
        np.testing.assert_allclose(y.data, value, **close)
        y.backward(numbers((2, 3, 2, 4), 99))
        np.testing.assert_allclose(batch.grad, gradient, rtol=1e-9, atol=1e-12)
    for parameter, gradient in zip(layer.parameters(), expected["gradients"], strict=True):
        np.testing.assert_allclose(parameter.grad, gradient, **close)
    state = layer.eval().state_dict()
    assert list(state) == list(expected["state"])
    for name, entry in expected["state"].items():
        np.testing.assert_allclose(state[name], entry, **close)
    assert state["num_batches_tracked"].dtype == np.int64
    np.testing.assert_allclose(layer(batches[0]).data, expected["evaluated"], **close)
    assert layer.num_batches_tracked.item() == 2, "eval counts nothing"


def test_running_statistics_are_no_parameters():
    layer = BatchNorm1d(2)
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
    names = ["running_mean", "running_var", "num_batches_tracked"]
    assert [name for name, _ in layer.named_buffers()] == names
    layer(Tensor(drawn(4, 2)))
    other = BatchNorm1d(2)
    other.load_state_dict(layer.state_dict())
    np.testing.assert_array_equal(other.running_var.data, layer.running_var.data)


def test_batch_norm_without_running_statistics_uses_the_batch_always():
    layer = BatchNorm1d(2, affine=False, track_running_stats=False).eval()
    assert layer.state_dict() == {}
    y = layer(Tensor(drawn(50, 2) + 5.0))
    np.testing.assert_allclose(y.data.mean(axis=0), 0.0, atol=1e-12)
    assert BatchNorm1d(2, bias=False).bias is None


def test_float32_layers_stay_float32():
    layer = BatchNorm2d(2, dtype="float32")
    assert layer(Tensor(drawn(2, 2, 3, 3), dtype="float32")).dtype == np.float32
    assert layer.running_mean.dtype == np.float32
    assert layer.eval()(Tensor(drawn(2, 2, 3, 3), dtype="float32")).dtype == np.float32


@pytest.mark.parametrize(
    ("layer", "shape"),
    [(BatchNorm1d(2), (2, 2, 3, 3)), (BatchNorm2d(2), (2, 2)), (BatchNorm1d(2), (3, 4))],
)
def test_shapes_that_do_not_fit_are_named(layer, shape):
    with pytest.raises(SizeError) as caught:
        layer(Tensor(np.zeros(shape)))
    assert str(shape) in str(caught.value) or "(4,)" in str(caught.value)


def test_layer_and_rms_norm_apply_their_parameters():
    x = Tensor(drawn(2, 3, 4))
    layer = LayerNorm((3, 4))
    shapes = {name: array.shape for name, array in layer.state_dict().items()}
    assert shapes == {"weight": (3, 4), "bias": (3, 4)}
    twice = {"weight": np.full((3, 4), 2.0), "bias": np.ones((3, 4))}
    plain = layer(x).data
    layer.load_state_dict(twice)
    np.testing.assert_allclose(layer(x).data, 2.0 * plain + 1.0)
    assert LayerNorm(4, elementwise_affine=False).parameters() == []
    rms = RMSNorm(4, eps=0.5)
    expected = x.data / np.sqrt((x.data**2).mean(axis=-1, keepdims=True) + 0.5)
    np.testing.assert_allclose(rms(x).data, expected, rtol=1e-13)
    assert RMSNorm(4, elementwise_affine=False).parameters() == []


# --- dropout --------------------------------------------------------------------------------------


def test_dropout_leaves_a_share_out_and_keeps_the_mean():
    x = Tensor(np.full(10_000, 3.0), requires_grad=True)
    y = Dropout(0.2, seed=0)(x)
    left_out = y.data == 0.0
    assert abs(left_out.mean() - 0.2) < 0.02
    np.testing.assert_allclose(y.data[~left_out], 3.75)
    y.sum().backward()
    np.testing.assert_allclose(x.grad, np.where(left_out, 0.0, 1.25))


def test_equal_seeds_draw_alike_and_every_call_draws_anew():
    x = Tensor(np.ones(100))
    first, same = Dropout(seed=3), Dropout(seed=3)
    once, again = first(x).data, first(x).data
    assert not np.array_equal(once, again)
    np.testing.assert_array_equal(same(x).data, once)
    np.testing.assert_array_equal(same(x).data, again)


def test_dropout_does_nothing_to_see_or_to_nothing():
    x = Tensor(np.ones(100, np.float32))
    assert Dropout(0.9).eval()(x) is x
    assert Dropout(0.0)(x) is x
    np.testing.assert_array_equal(Dropout(1.0)(x).data, np.zeros(100))
    assert Dropout(0.5)(x).dtype == np.float32
    assert dropout.dropout([1, 2], 0.5, seed=0).dtype == np.float64
