"""The array API: names, dtypes, constants, promotion and what a library asks of a namespace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import Tensor
from gradwalk.errors import OptionError
from gradwalk.tensor.functions import dtypes
from gradwalk.tensor.numpy import namespace

from ...helpers.array_checks import check

NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")


def standard_deviation(x: Any) -> Any:
    """A function as a library writes it that knows nothing of gradwalk."""
    xp = x.__array_namespace__()
    centred = x - xp.mean(x, axis=0, keepdims=True)
    return xp.sqrt(xp.sum(xp.multiply(centred, centred), axis=0) / (x.shape[0] - 1))


def test_a_function_for_any_array_library_is_differentiable() -> None:
    x = np.array([[1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]])
    check(lambda t: standard_deviation(t), x)


def test_every_name_of_the_standard_is_there() -> None:
    assert set(namespace.NAMES.split()) <= set(namespace.__all__)
    for name in namespace.__all__:
        assert hasattr(namespace, name)
    assert namespace.__array_api_version__ == "2024.12"
    assert callable(namespace.linalg.solve)


def test_the_package_has_the_same_names() -> None:
    for name in namespace.NAMES.split():
        ours = getattr(gradwalk, name)
        assert ours is not None or name == "newaxis"
    assert gradwalk.float32 is namespace.float32
    assert gradwalk.sum is namespace.sum


def test_constants_and_dtypes() -> None:
    assert (gradwalk.pi, gradwalk.e, gradwalk.inf) == (math.pi, math.e, math.inf)
    assert math.isnan(gradwalk.nan)
    assert Tensor([1.0, 2.0])[gradwalk.newaxis].shape == (1, 2)
    for name in namespace.DTYPES.split():
        dtype = getattr(gradwalk, name)
        assert dtype == np.dtype(name)
        assert gradwalk.zeros(2, dtype).dtype == dtype


def test_functions_of_the_namespace_keep_integers() -> None:
    xp, i = namespace, Tensor([1, 5])
    for y in (xp.round(i), xp.clip(i, max=3), xp.pow(i, 2), xp.floor(i), xp.trunc(i), xp.abs(i)):
        assert y.dtype == np.int64
    assert xp.clip(i, max=3).tolist() == [1, 3]


def test_functions_of_the_namespace_have_the_names_of_the_standard() -> None:
    xp, x = namespace, Tensor([1.0, 2.0])
    assert xp.reshape(x, shape=(2, 1)).shape == (2, 1)
    copied = xp.reshape(x, (2,), copy=True)
    assert copied is not x
    assert copied.tolist() == [1.0, 2.0]
    assert isinstance(xp.broadcast_arrays(x, 1.0), list)
    assert isinstance(xp.meshgrid(x, x), list)
    assert xp.sum(x, axis=0, keepdims=True, dtype=xp.float32).dtype == xp.float32


def test_versions() -> None:
    x = Tensor([1.0])
    assert x.__array_namespace__(api_version="2022.12") is namespace
    with pytest.raises(OptionError, match=r'expected "2024.12" or an earlier.*2030'):
        x.__array_namespace__(api_version="2030.12")


def test_what_the_namespace_says_of_itself() -> None:
    info = namespace.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert info.capabilities()["boolean indexing"] is True
    assert info.default_dtypes()["real floating"] == gradwalk.zeros(1).dtype
    assert info.default_dtypes(device="cpu")["integral"] == gradwalk.arange(1).dtype
    assert set(info.dtypes()) == set(namespace.DTYPES.split())
    assert set(info.dtypes(kind="real floating")) == set(FLOATS)
    assert set(info.dtypes(kind=("integral", "bool"))) == {"bool", *NUMBERS}


# --- dtypes ---------------------------------------------------------------------------------------


@given(a=st.sampled_from(NUMBERS + FLOATS), b=st.sampled_from(NUMBERS + FLOATS))
def test_promotion_is_numpys(a: str, b: str) -> None:
    x, y = Tensor([1], dtype=a), Tensor([1], dtype=b)
    expected = np.result_type(a, b)
    assert gradwalk.result_type(x, y) == gradwalk.result_type(x, b) == expected
    assert (x + y).dtype == gradwalk.multiply(x, y).dtype == expected
    assert gradwalk.can_cast(x, b) == gradwalk.can_cast(a, b) == np.can_cast(a, b)
    assert gradwalk.result_type(x, 1) == np.dtype(a)


@pytest.mark.parametrize("kind", [*FLOATS, "float16"])
def test_facts_about_floats(kind: str) -> None:
    ours, numpys = gradwalk.finfo(kind), np.finfo(kind)
    assert isinstance(ours.eps, float)
    for fact in ("bits", "eps", "max", "min", "smallest_normal", "dtype"):
        assert getattr(ours, fact) == getattr(numpys, fact)
    assert gradwalk.finfo(Tensor([1.0], dtype=kind)) == ours
    assert gradwalk.iinfo(Tensor([1], dtype="int8")).max == gradwalk.iinfo("int8").max == 127


def test_kinds_of_dtypes() -> None:
    assert gradwalk.isdtype(gradwalk.float32, "real floating")
    assert not gradwalk.isdtype(gradwalk.bool, "numeric")
    assert gradwalk.isdtype(gradwalk.int8, (gradwalk.int8, "bool"))


def test_astype() -> None:
    check(lambda x: dtypes.astype(x, np.float64) * 2.0, np.ones(2), dtypes=("float64",))
    x = Tensor([1.5, -2.5], requires_grad=True)
    y = x.astype("float32")
    (y * y).sum().backward()
    assert (y.dtype, x.grad.dtype, x.grad.tolist()) == (np.float32, np.float64, [3.0, -5.0])
    assert x.astype(int).tolist() == [1, -2]
    assert not x.astype(int).requires_grad
    assert x.astype("float64", copy=False) is x
    assert x.astype("float64") is not x
    assert gradwalk.astype(np.ones(2), int).dtype == np.int64
    with pytest.raises(OptionError, match=r"astype\(dtype\)"):
        x.astype(complex)
    with pytest.raises(OptionError, match="device"):
        x.astype(int, device="gpu")


# --- differences ----------------------------------------------------------------------------------


@given(shape=st.tuples(st.integers(0, 4), st.integers(0, 4)), n=st.integers(0, 3), data=st.data())
def test_diff_is_numpys(shape: Any, n: int, data: Any) -> None:
    axis = data.draw(st.sampled_from([0, 1, -1]))
    x = np.arange(float(np.prod(shape))).reshape(shape) ** 2
    for array in (x, x.astype(int), x % 3 == 0):
        got, expected = gradwalk.diff(Tensor(array), axis=axis, n=n), np.diff(array, n, axis)
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(got.data, expected)


def test_diff_has_gradients_and_ends() -> None:
    x = np.array([[1.0, 4.0, 2.0], [0.5, 3.0, -1.0]])
    check(lambda t: gradwalk.diff(t, n=2), x)
    check(lambda t: gradwalk.diff(t, axis=0, prepend=t[:1] * 2.0, append=t[1:]), x)
    assert gradwalk.diff([1, 4], append=[9]).tolist() == [3, 5]
    with pytest.raises(OptionError, match=r"diff\(n\)"):
        gradwalk.diff(x, n=-1)
