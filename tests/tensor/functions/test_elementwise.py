"""Functions of each number: like NumPy's on every dtype and shape, with right derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gradwalk
from gradwalk import Tensor, Value
from gradwalk.errors import NotANumberError
from gradwalk.tensor import methods
from gradwalk.tensor.functions import elementwise

from ...helpers.array_checks import check

DTYPES = ("bool", "int8", "int64", "uint8", "float16", "float32", "float64")
SMALL = {"min_value": 1, "max_value": 7}

UNARY = {
    **{name: getattr(np, name) for name in ("absolute", "isfinite", "isinf", "isnan")},
    **{name: getattr(np, name) for name in ("logical_not", "signbit", "trunc")},
    **{name: getattr(np, name) for name in ("negative", "nan_to_num")},
    "positive": np.copy,
}
BINARY = {
    **{name: getattr(np, name) for name in ("add", "subtract", "multiply", "divide")},
    **{name: getattr(np, name) for name in ("floor_divide", "remainder", "copysign")},
    **{name: getattr(np, name) for name in ("less", "less_equal", "greater", "greater_equal")},
    **{name: getattr(np, name) for name in ("equal", "not_equal", "logical_and", "logical_or")},
    **{name: getattr(np, name) for name in ("logical_xor", "nextafter", "isclose", "divmod")},
}
BITS = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
}
SPECIAL = [0.0, -0.0, 1.5, -2.5, math.inf, -math.inf, math.nan]


def arrays(dtype: str) -> Any:
    """Arrays of small numbers, which no dtype overflows on, in any shape that broadcasts to it."""
    kind = np.dtype(dtype).kind
    numbers = st.booleans() if kind == "b" else st.integers(**SMALL)
    return hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0), elements=numbers)


def same(got: Any, expected: Any) -> None:
    """Equal in value, shape and dtype; a Tensor where an array is expected."""
    if isinstance(expected, tuple):
        for one, other in zip(got, expected, strict=True):
            same(one, other)
        return
    assert isinstance(got, Tensor)
    assert (got.shape, got.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    np.testing.assert_array_equal(got.data, expected)


def supported(f: Callable[..., Any], *args: Any) -> bool:
    """Whether NumPy has this function for these dtypes."""
    try:
        f(*[np.ones((), a.dtype) for a in args])
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("name", UNARY)
@given(data=st.data())
def test_functions_of_one_argument_are_numpys(name: str, data: Any) -> None:
    x = data.draw(arrays(data.draw(st.sampled_from(DTYPES))))
    f = getattr(gradwalk, name)
    if supported(UNARY[name], x):
        same(f(Tensor(x)), UNARY[name](x))
        np.testing.assert_array_equal(f(x), UNARY[name](x))
    else:
        with pytest.raises(TypeError, match="not supported"):
            f(Tensor(x))


@pytest.mark.parametrize("name", [*BINARY, *BITS])
@given(data=st.data())
def test_functions_of_two_arguments_are_numpys(name: str, data: Any) -> None:
    reference = (BINARY | BITS)[name]
    kinds = {"copysign": DTYPES[4:]}.get(name, DTYPES[1:4] if name in BITS else DTYPES)
    a = data.draw(arrays(data.draw(st.sampled_from(kinds))))
    b = data.draw(arrays(data.draw(st.sampled_from(kinds))).filter(lambda b: broadcast(a, b)))
    if supported(reference, a, b):
        f, expected = getattr(gradwalk, name), reference(a, b)
        same(f(Tensor(a), Tensor(b)), expected)
        same(f(Tensor(a), b), expected)
        same(f(a, Tensor(b)), expected)
        if name != "divmod":
            np.testing.assert_array_equal(f(a, b), expected)


def broadcast(a: Any, b: Any) -> bool:
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return not np.any(b == 0)  # division by zero warns, as in NumPy


@pytest.mark.parametrize("name", [*UNARY, "copysign", "logical_xor", "isclose"])
def test_nan_infinities_and_signed_zeros(name: str, bits: Any) -> None:
    x = np.array(SPECIAL)
    args = (x,) if name in UNARY else (x[:, None], x)
    reference = (UNARY | BINARY)[name]
    got, expected = getattr(gradwalk, name)(*map(Tensor, args)).data, reference(*args)
    assert [*map(bits, got.ravel())] == [*map(bits, expected.ravel())]


def test_python_numbers_are_weak_and_numpys_are_not() -> None:
    x = Tensor([1.0], dtype="float32")
    named = (gradwalk.add, gradwalk.subtract, gradwalk.multiply, gradwalk.divide)
    for f in (*named, gradwalk.pow, gradwalk.copysign):
        assert f(x, 2).dtype == f(2.5, x).dtype == np.float32
        assert f(x, np.float64(2)).dtype == np.float64
    assert (Tensor([1, 2], dtype="int8") & 3).dtype == np.int8
    assert (x**2).dtype == (x**0.5).dtype == (2**x).dtype == np.float32


def test_integers_become_floats_where_numpy_says_so() -> None:
    i = Tensor([1, 2])
    assert (i / 2).dtype == gradwalk.exp(i).dtype == gradwalk.erf(i).dtype == np.float64
    assert (i // 2).dtype == (i**2).dtype == i.clip(max=1).dtype == i.round().dtype == np.int64
    with pytest.raises(ValueError, match="negative integer powers"):
        i**-1
    with pytest.raises(TypeError, match="boolean negative"):
        -Tensor([True])


# --- derivatives ----------------------------------------------------------------------------------

X, Y = np.array([[0.5, -1.5], [2.5, 3.25]]), np.array([1.75, -0.5])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        *((getattr(elementwise, n), (X,)) for n in ("absolute", "negative", "positive")),
        *((getattr(elementwise, n), (X, Y)) for n in ("add", "subtract", "multiply", "divide")),
        (elementwise.remainder, (X, Y - 0.2)),
        (lambda a, b: elementwise.divmod(a, b)[1], (X, Y - 0.2)),
        (elementwise.nan_to_num, (X,)),
        (lambda x: elementwise.clip(x, -1.0, 3.0), (X,)),
        (lambda x: elementwise.clip(x, max=1.0), (X,)),
        (lambda x, lo: elementwise.clip(x, lo), (X, Y)),
        (elementwise.clip, (X,)),
        *((lambda x, n=n: x**n, (abs(X),)) for n in (2, 2.0, 0.5, -1, 1, 0, 3, -0.5)),
        (lambda x: x.pow(2), (X,)),
        (lambda x: 2**x, (X,)),
        (lambda x: 3.0**x, (X,)),
        (elementwise.pow, (abs(X), Y)),
    ],
)
def test_derivatives(f: Any, args: Any) -> None:
    check(f, *args)


def test_copysign_turns_the_sign_of_the_slope() -> None:
    check(elementwise.copysign, X, Y, wrt=[0])


@pytest.mark.parametrize("exponent", [1, 2, 0.5, -1, 2.0])
def test_quick_powers_have_the_slopes_of_the_row(exponent: float) -> None:
    """Also at zeros and infinities, where both are NaN or infinite together."""
    x, z = (Tensor([0.0, 0.25, 4.0, math.inf], requires_grad=True) for _ in range(2))
    with np.errstate(all="ignore"):
        y, row = x**exponent, gradwalk.pow(z, exponent)
    y.backward(np.ones(4))
    row.backward(np.ones(4))
    np.testing.assert_array_equal(y.data, row.data)
    np.testing.assert_allclose(x.grad, z.grad, rtol=1e-15)
    assert y.op != "pow"


def test_what_is_replaced_gets_no_gradient() -> None:
    x = Tensor([math.nan, math.inf, -math.inf, 2.0], requires_grad=True)
    y = gradwalk.nan_to_num(x * x, nan=1.0, posinf=5.0)
    y.sum().backward()
    assert y.tolist() == [1.0, 5.0, 5.0, 4.0]
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 0.0, 4.0])


NO_SLOPE = ["isnan", "isinf", "isfinite", "signbit", "logical_not", "trunc"]


@pytest.mark.parametrize("name", NO_SLOPE)
def test_facts_are_constants(name: str) -> None:
    x = Tensor(X, requires_grad=True)
    assert not getattr(gradwalk, name)(x).requires_grad
    assert not (x < 1.0).requires_grad
    assert not gradwalk.isclose(x, 1.0).requires_grad
    assert not round(x, 1).requires_grad
    assert name in getattr(gradwalk, name).__doc__


# --- operators and methods ------------------------------------------------------------------------


@given(a=st.integers(0, 100), b=st.integers(0, 5))
def test_operators_on_bits(a: int, b: int) -> None:
    x, y = Tensor([a]), Tensor([b])
    pairs = [(x & y, a & b), (x | y, a | b), (x ^ y, a ^ b), (x << y, a << b), (x >> y, a >> b)]
    mixed = [(a & y, a & b), (a | y, a | b), (a ^ y, a ^ b), (a << y, a << b), (a >> y, a >> b)]
    for got, expected in [*pairs, *mixed, (~x, ~a), (x & b, a & b)]:
        assert got.tolist() == [expected]


def test_masks() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    inside = (x > 1.0) & ~(x == 3.0)
    assert inside.tolist() == [False, True, False]
    assert (inside | True).tolist() == (True ^ ~inside).tolist()[:0] + [True] * 3
    inside &= np.array([True, False, True])
    assert inside.tolist() == [False] * 3


@pytest.mark.parametrize("name", ["and", "or", "xor", "lshift", "rshift", "pow"])
def test_operators_leave_strangers_to_the_other_operand(name: str) -> None:
    for slot in (f"__{name}__", f"__r{name}__"):
        assert methods.HOOKS[slot](Tensor([1]), object()) is NotImplemented


def test_bits_of_floats_are_refused() -> None:
    with pytest.raises(NotANumberError, match=r"bitwise_and: expected integers or bools.*float64"):
        Tensor([1.5]) & 1
    with pytest.raises(NotANumberError, match="bitwise_left_shift"):
        gradwalk.bitwise_left_shift(Tensor([1]), Tensor([1.0]))


def test_rounding() -> None:
    x = np.array([-1.25, 0.5, 1.5, 2.449])
    for decimals in (0, 1, 2, -1):
        same(round(Tensor(x), decimals), np.round(x, decimals))
        same(Tensor(x).round(decimals), np.round(x, decimals))
    same(round(Tensor(x)), np.round(x))
    same(math.trunc(Tensor(x)), np.trunc(x))
    same(Tensor([15, 25]).round(-1), np.round([15, 25], -1))


def test_clip_keeps_integers() -> None:
    i, b = np.array([1, 5, 9], "int8"), np.array([True, False])
    same(Tensor(i).clip(2, 6), np.clip(i, 2, 6))
    same(Tensor(i).clip(max=6), np.clip(i, None, 6))
    same(Tensor(b).clip(max=False), np.clip(b, None, False))
    same(Tensor(i).clip(), i)


def test_a_positive_is_a_copy_of_its_own() -> None:
    x = Tensor([1.0], requires_grad=True)
    y = +x
    assert y is not x
    assert y.op
    y.backward()
    assert x.grad.tolist() == [1.0]


def test_numbers_lists_and_values() -> None:
    assert gradwalk.add(1.0, 2.0) == 3.0
    assert gradwalk.add([1, 2], [3, 4]).tolist() == [4, 6]
    v = gradwalk.multiply(Value(2.0), 3.0)
    assert isinstance(v, Value)
    assert not gradwalk.isnan(Value(1.0))
    assert not gradwalk.logical_not(2.0)
    assert gradwalk.nan_to_num([1, 2]).tolist() == [1, 2]
    assert gradwalk.allclose(np.ones(2), [1.0, 1.0]) is True
    for name, arity in (("add", 2), ("isnan", 1)):
        with pytest.raises(TypeError, match=r"got no '[bx]'"):
            getattr(gradwalk, name)(*[1.0] * (arity - 1))
