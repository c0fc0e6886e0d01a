"""Factories and random Tensors: NumPy's numbers, equal seeds, and clear errors."""

from __future__ import annotations

import random as pythons
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gradwalk
from gradwalk import Tensor, Value
from gradwalk.errors import NotANumberError, OptionError, SilentDetachError, SizeError
from gradwalk.tensor.functions import random

DTYPES = ("bool", "int8", "int64", "uint16", "float16", "float32", "float64")
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)


def same(got: Any, expected: Any) -> None:
    assert isinstance(got, Tensor)
    assert (got.shape, got.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_array_equal(got.data, expected)


@given(shape=shapes, dtype=st.sampled_from([None, *DTYPES]), fill=st.sampled_from([0, 1, 1.0]))
def test_constants_are_numpys(shape: Any, dtype: Any, fill: Any) -> None:
    same(gradwalk.zeros(shape, dtype), np.zeros(shape, dtype))
    same(gradwalk.ones(shape, dtype), np.ones(shape, dtype))
    same(gradwalk.full(shape, fill, dtype), np.full(shape, fill, dtype))
    assert gradwalk.empty(shape, dtype).data.dtype == np.zeros(shape, dtype).dtype
    like = np.ones(shape, "float32")
    for x in (like, Tensor(like)):
        same(gradwalk.zeros_like(x, dtype), np.zeros_like(like, dtype))
        same(gradwalk.ones_like(x, dtype), np.ones_like(like, dtype))
        same(gradwalk.full_like(x, 1, dtype), np.full_like(like, 1, dtype))
        assert gradwalk.empty_like(x, dtype).shape == shape


@given(
    n=st.integers(0, 4),
    m=st.sampled_from([None, 0, 2, 5]),
    k=st.integers(-3, 3),
    start=st.integers(-5, 5),
    stop=st.sampled_from([None, -3, 0, 4, 2.5]),
    step=st.sampled_from([1, -1, 2, 0.5]),
)
def test_ranges_are_numpys(n: int, m: Any, k: int, start: int, stop: Any, step: Any) -> None:
    same(gradwalk.eye(n, m, k=k), np.eye(n, m, k=k))
    bounds = (0, start) if stop is None else (start, stop)
    same(gradwalk.arange(start, stop, step), np.arange(*bounds, step))
    same(gradwalk.arange(start, stop, step, dtype=float), np.arange(*bounds, step, dtype=float))
    for endpoint in (True, False):
        expected = np.linspace(start, 2.5, n, endpoint=endpoint)
        same(gradwalk.linspace(start, 2.5, n, endpoint=endpoint), expected)


def test_marks_of_a_leaf() -> None:
    factories: list[Any] = [
        lambda **k: gradwalk.zeros(2, **k),
        lambda **k: gradwalk.ones(2, **k),
        lambda **k: gradwalk.empty(2, **k),
        lambda **k: gradwalk.full(2, 0.5, **k),
        lambda **k: gradwalk.eye(2, **k),
        lambda **k: gradwalk.arange(2.0, **k),
        lambda **k: gradwalk.linspace(0, 1, 2, **k),
        lambda **k: gradwalk.zeros_like(np.ones(2), **k),
        lambda **k: gradwalk.ones_like(np.ones(2), **k),
        lambda **k: gradwalk.empty_like(np.ones(2), **k),
        lambda **k: gradwalk.full_like(np.ones(2), 3, **k),
        lambda **k: gradwalk.asarray([1.0, 2.0], **k),
        lambda **k: gradwalk.random.normal(2, **k),
        lambda **k: gradwalk.random.uniform(2, **k),
    ]
    for make in factories:
        x = make(requires_grad=True, label="w")
        assert (x.requires_grad, x.label, x.op) == (True, "w", "")
        assert not make().requires_grad


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("lengths", [(), (3,), (2, 3), (2, 3, 4), (0, 2)])
def test_meshgrid(indexing: Any, lengths: Any) -> None:
    vectors = [np.arange(float(n)) for n in lengths]
    expected = np.meshgrid(*vectors, indexing=indexing)
    got = gradwalk.meshgrid(*map(Tensor, vectors), indexing=indexing)
    assert len(got) == len(lengths)
    for one, other in zip(got, expected, strict=True):
        same(one, other)


def test_meshgrid_passes_gradients() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    gradwalk.meshgrid(x, gradwalk.arange(3.0))[0].sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_asarray() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    assert gradwalk.asarray(x) is x
    for y in (gradwalk.asarray(x, copy=True), gradwalk.asarray(x, dtype="float32")):
        assert y is not x
        assert y.requires_grad
    assert not gradwalk.asarray(x, dtype=int).requires_grad
    plain = np.ones(2)
    y = gradwalk.asarray(plain, requires_grad=True)
    plain[0] = 5.0
    assert y.tolist() == [1.0, 1.0], "a copy"
    leaf = gradwalk.asarray(Tensor([1.0]), requires_grad=True)
    assert leaf.requires_grad
    assert gradwalk.asarray(3).shape == ()


def test_arrays_of_others_are_copied() -> None:
    array = np.arange(3)
    for make in (gradwalk.from_numpy, gradwalk.from_dlpack):
        x = make(array)
        assert x.tolist() == [0, 1, 2]
        array[0] = 7
        assert x.tolist() == [0, 1, 2]
        array[0] = 0
    y = np.from_dlpack(Tensor(array))
    assert y.tolist() == [0, 1, 2]
    x = Tensor([1.0])
    assert x.device == "cpu"
    assert x.to_device("cpu") is x
    assert x.__dlpack_device__() == (1, 0)


# --- random ---------------------------------------------------------------------------------------

DRAWS: dict[str, Any] = {
    "normal": lambda seed: random.normal((3, 2), 1.0, 2.0, seed=seed),
    "uniform": lambda seed: random.uniform((3, 2), -1.0, 2.0, seed=seed),
    "integers": lambda seed: random.integers(0, 1000, (3, 2), seed=seed),
    "permutation": lambda seed: random.permutation(20, seed=seed),
    "choice": lambda seed: random.choice(np.arange(1000), 6, seed=seed),
    "bernoulli": lambda seed: random.bernoulli(0.5, 30, seed=seed),
}


@pytest.mark.parametrize("name", DRAWS)
def test_equal_seeds_give_equal_bits(name: str) -> None:
    draw, before = DRAWS[name], np.random.get_state()[1].tolist()  # type: ignore[index]
    assert draw(1).tolist() == draw(1).tolist() == draw(np.random.default_rng(1)).tolist()
    assert draw(np.int64(1)).tolist() == draw(1).tolist()
    assert draw(1).tolist() != draw(2).tolist()
    assert draw(None).tolist() != draw(None).tolist()
    assert draw(pythons.Random(1)).tolist() == draw(pythons.Random(1)).tolist()
    generator = np.random.default_rng(1)
    assert draw(generator).tolist() != draw(generator).tolist(), "drawn on from"
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


def test_the_moments_of_draws() -> None:
    n = 40_000
    x, u = random.normal(n, 3.0, 2.0, seed=0).data, random.uniform(n, -1.0, 3.0, seed=0).data
    assert abs(x.mean() - 3.0) < 0.05
    assert abs(x.std() - 2.0) < 0.05
    assert abs(u.mean() - 1.0) < 0.05
    assert u.min() >= -1.0
    assert u.max() < 3.0
    assert abs(random.bernoulli(0.3, n, seed=0).data.mean() - 0.3) < 0.02
    assert set(random.integers(4, shape=n, seed=0).tolist()) == {0, 1, 2, 3}
    assert set(random.integers(-2, 1, n, seed=0).tolist()) == {-2, -1, 0}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_draws_keep_their_dtype_and_range(dtype: str) -> None:
    u = random.uniform(20_000, seed=3, dtype=dtype)
    assert u.dtype == dtype
    assert u.data.max() < 1.0, "rounding must not reach the end"
    assert random.normal(2, 1.0, 2.0, dtype=dtype).dtype == dtype
    assert random.bernoulli(0.5, 2, dtype=dtype).dtype == dtype


def test_gradients_flow_to_the_parameters_of_a_normal_draw() -> None:
    mean, std = (Tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    y = random.normal(2, mean, std, seed=4, label="z")
    y.sum().backward()
    assert mean.grad.tolist() == [1.0, 1.0]
    np.testing.assert_array_equal(std.grad, random.normal(2, seed=4).data)
    assert y.label == "z"


@given(n=st.integers(0, 6), axis=st.sampled_from([0, 1, -1]), seed=st.integers(0, 5))
def test_a_permutation_moves_rows_about(n: int, axis: int, seed: int) -> None:
    x = Tensor(np.arange(3.0 * n).reshape((n, 3) if axis == 0 else (3, n)), requires_grad=True)
    y = random.permutation(x, axis=axis, seed=seed)
    np.testing.assert_array_equal(np.sort(y.data, axis), x.data)
    order = random.permutation(n, seed=seed).data
    np.testing.assert_array_equal(y.data, np.take(x.data, order, axis))
    y.backward(np.ones(y.shape))
    np.testing.assert_array_equal(x.grad, np.ones(x.shape))


def test_choice() -> None:
    assert sorted(random.choice(5, 5, replace=False, seed=1).tolist()) == [0, 1, 2, 3, 4]
    assert random.choice(Tensor([[1.0, 2.0], [3.0, 4.0]]), 3, axis=1, seed=1).shape == (2, 3)
    assert random.choice([7.0, 8.0], p=[0, 1], seed=1).item() == 8.0
    assert random.choice(3, (0, 2)).shape == (0, 2)


def test_bernoulli_takes_a_probability_for_each() -> None:
    assert random.bernoulli([0.0, 1.0]).tolist() == [False, True]
    assert random.bernoulli(Tensor([0.0, 1.0], requires_grad=True), (3, 2)).shape == (3, 2)


# --- errors ---------------------------------------------------------------------------------------

X = Tensor([1.0, 2.0], requires_grad=True)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: gradwalk.zeros(-1), OptionError, r"zeros\(shape\).*got int -1"),
        (lambda: gradwalk.zeros("2"), OptionError, r"zeros\(shape\)"),
        (lambda: gradwalk.ones(2, complex), OptionError, r"ones\(dtype\).*complex"),
        (lambda: gradwalk.ones(2, int, requires_grad=True), OptionError, "floating dtype"),
        (lambda: gradwalk.ones(2, device="gpu"), OptionError, "device.*'gpu'"),
        (lambda: gradwalk.full(2, [Value(1.0)]), NotANumberError, "would be lost"),
        (lambda: gradwalk.arange(1, 2, 0), OptionError, "a step that is not 0"),
        (lambda: gradwalk.arange(float("nan")), OptionError, "finite"),
        (lambda: gradwalk.arange(np.ones(2)), NotANumberError, r"an array of shape \(2,\)"),
        (lambda: gradwalk.linspace(0, 1, -1), OptionError, r"linspace\(num\).*got int -1"),
        (lambda: gradwalk.linspace([0], 1, 3), NotANumberError, "one number"),
        (lambda: gradwalk.linspace(0, X, 3), SilentDetachError, "would be lost"),
        (lambda: gradwalk.meshgrid(X, indexing="yx"), OptionError, '"xy" or "ij"'),
        (lambda: gradwalk.asarray([1], copy=False), OptionError, "has its own memory"),
        (lambda: gradwalk.asarray([1j]), NotANumberError, "complex"),
        (lambda: gradwalk.asarray([2**70], dtype=int), NotANumberError, "too large"),
        (lambda: gradwalk.from_dlpack([1]), NotANumberError, "__dlpack__"),
        (lambda: gradwalk.from_dlpack(np.ones(1), copy=False), OptionError, "shares its memory"),
        (lambda: np.from_dlpack(X), SilentDetachError, "would be lost"),
        (lambda: X.to_device("gpu"), OptionError, "gpu"),
        (lambda: random.normal(2, std=-1.0), OptionError, "a number >= 0"),
        (lambda: random.normal(2, mean="a"), NotANumberError, "text"),
        (lambda: random.normal(2, dtype=int), OptionError, "a floating dtype"),
        (lambda: random.normal(2, seed="a"), OptionError, "Pass an int for reproducible draws"),
        (lambda: random.normal(2, seed=-1), OptionError, r"normal\(seed\): .*got int -1"),
        (lambda: random.uniform(2, 1.0, 0.0), OptionError, "low <= high"),
        (lambda: random.integers(3, 3), OptionError, "low < high"),
        (lambda: random.integers(1.5), OptionError, "integers, low < high"),
        (lambda: random.integers(0, 300, dtype="int8"), OptionError, "in int8"),
        (lambda: random.integers(3, dtype=float), OptionError, "an integer dtype"),
        (lambda: random.permutation(-1), OptionError, "a non-negative integer, or"),
        (lambda: random.permutation(2.5), SizeError, "axis"),
        (lambda: random.choice(3, 4, replace=False), OptionError, "at most 3 draws"),
        (lambda: random.choice(2, p=[1.0]), OptionError, "add up to 1"),
        (lambda: random.choice(2, p=[0.5, 0.6]), OptionError, "add up to 1"),
        (lambda: random.bernoulli(1.5), OptionError, "0 <= p <= 1"),
    ],
)
def test_errors_say_what_was_expected(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("draw", [gradwalk.random.normal, gradwalk.random.uniform])
def test_a_shape_in_the_place_of_a_parameter_is_no_empty_draw(draw):
    with pytest.raises(OptionError, match="the shape first"):
        draw(0, 1, (2, 3))


def test_the_name_of_a_dtype_that_there_is_not():
    with pytest.raises(OptionError, match=r"Tensor\(dtype\): expected float64"):
        Tensor([1.0], dtype="float46")


def test_values_in_an_array_of_objects_are_stacked():
    values = np.array([Value(1.0), Value(2.0)])
    with pytest.raises(NotANumberError, match=r"gradwalk\.stack\(values\)"):
        Tensor([3.0, 4.0]) * values
    (Tensor([3.0, 4.0]) * gradwalk.stack(values)).sum().backward()
    assert [v.grad for v in values] == [3.0, 4.0]
