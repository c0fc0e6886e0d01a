"""`Value` as a number: what it takes, what its operators give, and what it refuses to do."""

from __future__ import annotations

import math
import operator
import re
import weakref
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value, gradients
from gradwalk.errors import FloatRangeError, NotANumberError, SilentDetachError
from gradwalk.ops import TABLE

LN2 = math.log(2.0)

# --- construction and attributes ----------------------------------------------------------------

NUMBERS: list[Any] = [
    *(
        Fraction(1, 3),
        Fraction(-7, 2),
        3,
        -7,
        0,
        2**60,
        True,
        False,
        1.5,
        -0.0,
        1e308,
        5e-324,
        inf,
        nan,
    ),
    *(np.float64(1.5), np.float32(0.1), np.float16(0.5), np.longdouble(1.25)),
    *(np.int8(-3), np.int32(7), np.int64(-(2**40)), np.uint64(2**63), np.bool_(True)),
]

REFUSED: list[Any] = [
    *("2.0", b"2", None, 1j, Decimal("1.5"), [1.0], (1.0,), {}, object()),
    *(np.array(1.0), np.array([1.0]), np.complex128(1.0), np.str_("1"), Value(1.0), float),
]


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_takes_every_real_scalar_and_stores_a_plain_float(number: Any, bits: Any) -> None:
    v = Value(number)
    assert type(v.data) is float
    assert bits(v.data) == bits(float(number))
    assert (v.grad, v.label, v.op, v.operands, v.local_gradients) == (0.0, "", "", (), ())


@pytest.mark.parametrize("thing", REFUSED, ids=lambda thing: type(thing).__name__)
def test_refuses_everything_else_and_names_what_it_got(thing: Any) -> None:
    with pytest.raises(NotANumberError, match=type(thing).__name__) as caught:
        Value(thing)
    assert isinstance(caught.value, TypeError)
    assert caught.value.where == "Value(data)"
    v = Value(1.0)
    for attribute in ("data", "grad"):
        with pytest.raises(TypeError, match=rf"Value\.{attribute}: .*{type(thing).__name__}"):
            setattr(v, attribute, thing)
    assert (v.data, v.grad) == (1.0, 0.0)


def test_an_int_too_large_for_a_float_is_named_by_its_size() -> None:
    assert Value(2**1023).data == 2.0**1023
    with pytest.raises(FloatRangeError, match="a number of 1329 bits"):
        Value(10**400)


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_data_and_grad_are_writable_and_convert(number: Any, bits: Any) -> None:
    v = Value(1.0)
    v.data = v.grad = number
    assert type(v.data) is type(v.grad) is float
    assert bits(v.data) == bits(v.grad) == bits(float(number))


@pytest.mark.parametrize("name", ["data", "grad", "label"])
def test_attributes_cannot_be_deleted(name: str) -> None:
    v = Value(1.0, "x")
    with pytest.raises((AttributeError, TypeError)):
        delattr(v, name)
    assert (v.data, v.grad, v.label) == (1.0, 0.0, "x")


def test_label_is_a_writable_str() -> None:
    v = Value(1.0, label="x")
    assert (v.label, Value(1.0, "y").label) == ("x", "y")
    v.label = "z"
    assert v.label == "z"
    for wrong in (None, 2, b"x"):
        with pytest.raises(TypeError, match="str"):
            v.label = wrong  # type: ignore[assignment]
        with pytest.raises(TypeError, match="str"):
            Value(1.0, label=wrong)  # type: ignore[arg-type]
    assert v.label == "z"


def test_operands_are_ordered_and_constants_appear_as_leaves() -> None:
    a = Value(3.0)
    for y, numbers in ((a - 2, (3.0, 2.0)), (2 - a, (2.0, 3.0)), (a / a, (3.0, 3.0))):
        assert tuple(operand.data for operand in y.operands) == numbers
        assert all(type(operand) is Value for operand in y.operands)
    y = 2 - a
    constant, second = y.operands
    assert second is a
    assert (constant.op, constant.operands, constant.local_gradients) == ("", (), ())
    assert y.operands[0] is constant, "the same leaf on every access"
    assert [operand is a for operand in (a * a).operands] == [True, True]


def test_op_is_the_name_of_the_row() -> None:
    a = Value(0.5)
    made = {"add": a + 1, "mul": a * 2, "div": 1 / a, "pow": a**2, "neg": -a, "tanh": a.tanh()}
    assert {name: y.op for name, y in made.items()} == {name: name for name in made}


def test_local_gradients_has_one_float_per_operand() -> None:
    a, b = Value(3.0), Value(-2.0)
    assert (a * b).local_gradients == (-2.0, 3.0)
    assert (a * a).local_gradients == (3.0, 3.0)
    assert (a / 2).local_gradients == (0.5, -0.75)
    assert a.floor().local_gradients == (0.0,)
    assert gradwalk.where(a > 0, a, b).local_gradients == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("name", ["op", "operands", "local_gradients", "_prev", "_op"])
def test_the_graph_is_read_only(name: str) -> None:
    y = Value(3.0) * 2
    with pytest.raises(AttributeError):
        setattr(y, name, ())
    with pytest.raises(AttributeError):
        delattr(y, name)
    assert y.data == 6.0


def test_micrograds_names_are_views_of_the_same() -> None:
    y = Value(3.0) * 2
    assert list(map(id, y._prev)) == list(map(id, y.operands))
    assert y._prev[1] is y.operands[1]
    assert y._op == y.op == "mul"


def test_no_other_attributes_and_no_subclasses() -> None:
    v = Value(1.0)
    with pytest.raises(AttributeError):
        v.name = "x"  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"gradwalk\.Value"):
        type("MyValue", (Value,), {})


def test_a_value_can_be_referenced_weakly() -> None:
    v = Value(1.0)
    reference = weakref.ref(v)
    assert reference() is v
    del v
    assert reference() is None


# --- operators ----------------------------------------------------------------------------------

BINARY: list[Callable[[Any, Any], Any]] = [
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.floordiv, operator.mod, operator.pow),
]
SIDES: list[Any] = [2, True, 2.5, np.float64(2.5), np.float32(2.5), np.int64(2), np.longdouble(2.5)]


@pytest.mark.parametrize("apply", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("number", SIDES, ids=lambda n: f"{type(n).__name__}")
def test_operators_take_numbers_on_either_side(apply: Any, number: Any) -> None:
    v = Value(3.25)
    for y, plain in (
        (apply(v, number), apply(3.25, float(number))),
        (apply(number, v), apply(float(number), 3.25)),
        (apply(v, Value(number)), apply(3.25, float(number))),
    ):
        assert type(y) is Value
        assert y.data == plain
        assert len(y.operands) == 2


@pytest.mark.parametrize("apply", BINARY, ids=lambda f: f.__name__)
@pytest.mark.parametrize("thing", ["2", None, 1j, Decimal(2), [2.0], {}], ids=repr)
def test_operators_refuse_what_is_no_real_number(apply: Any, thing: Any) -> None:
    v = Value(3.0)
    for pair in ((v, thing), (thing, v)):
        if apply is operator.mod and isinstance(pair[0], str):
            continue  # str % anything is formatting
        with pytest.raises(TypeError):
            apply(*pair)


def test_operators_leave_room_for_the_other_operand() -> None:
    class Unit:
        def __radd__(self, other: Any) -> str:
            return "radd"

        def __gt__(self, other: Any) -> str:  # type: ignore[override]
            return "gt"

    assert Value(1.0) + Unit() == "radd"
    assert (Value(1.0) < Unit()) == "gt"


def test_unary_operators_and_divmod() -> None:
    v = Value(-2.5)
    assert (-v).data == 2.5
    assert (+v).data == -2.5
    assert abs(v).data == 2.5
    assert round(v).data == -2.0
    assert (math.floor(v).data, math.ceil(v).data) == (-3.0, -2.0)
    assert tuple(part.data for part in divmod(v, 2)) == divmod(-2.5, 2)
    assert tuple(part.data for part in divmod(2, v)) == divmod(2, -2.5)
    assert tuple(part.data for part in divmod(v, Value(2))) == divmod(-2.5, 2)
    assert pow(v, 2).data == 6.25


def test_division_by_zero_is_what_ieee_754_says() -> None:
    v, zero = Value(3.0), Value(0.0)
    assert ((v / 0).data, (-v / zero).data, (v / -0.0).data) == (inf, -inf, -inf)
    assert isnan((zero / 0).data)
    assert isnan((v % 0).data)


@pytest.mark.parametrize(
    ("forward", "x", "y"),
    [
        (lambda x: x**2, 1e200, inf),
        (lambda x: x**3, -1e200, -inf),
        (lambda x: x**-1, -0.0, -inf),
        (lambda x: 2.0**x, 2000.0, inf),
        (lambda x: 1.0 // x, 0.0, inf),
        (lambda x: x % 0.0 + x, 1.0, nan),
    ],
)
def test_where_python_raises_a_row_has_the_answer_of_ieee_754(
    forward: Callable[[Any], Any], x: float, y: float, bits: Any
) -> None:
    row = gradwalk.pointwise("python_raises", lambda t, y, x: t * forward(x), forward=forward)
    leaf = Value(x)
    assert bits(row(x)) == bits(row(leaf).data) == bits(gradients(row(leaf), leaf)) == bits(y)


def test_builtins_of_python_work_on_lists_of_values() -> None:
    a, b, c = Value(3.0), Value(-1.0), Value(2.0)
    assert max(a, b, c) is a
    assert min([a, b, c]) is b
    assert (max(a, 2), min(a, 2)) == (a, 2)
    assert [v.data for v in sorted([a, b, c])] == [-1.0, 2.0, 3.0]
    total = sum([a, b, c])
    assert total.data == 4.0
    total.backward()
    assert (a.grad, b.grad, c.grad) == (1.0, 1.0, 1.0)


# --- comparison, identity, truth ----------------------------------------------------------------

COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("compare", COMPARISONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("other", [2, 3, 4.0, nan, inf, True, np.float64(3.0), np.float32(4.0)])
def test_comparisons_are_by_value_and_give_a_plain_bool(compare: Any, other: Any) -> None:
    v, plain = Value(3.0), float(other)
    for result, expected in (
        (compare(v, other), compare(3.0, plain)),
        (compare(other, v), compare(plain, 3.0)),
        (compare(v, Value(other)), compare(3.0, plain)),
    ):
        assert type(result) is bool
        assert result is expected


@pytest.mark.parametrize("compare", COMPARISONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("thing", ["2", None, [2.0]], ids=repr)
def test_comparisons_refuse_what_is_no_number(compare: Any, thing: Any) -> None:
    for pair in ((Value(3.0), thing), (thing, Value(3.0))):
        with pytest.raises(TypeError):
            compare(*pair)


def test_a_huge_int_compares_exactly() -> None:
    assert Value(1e308) < 10**400
    assert Value(2.0**53) < 2**53 + 1


BEYOND = 10**400
ARITHMETIC = "add sub mul truediv floordiv mod pow iadd imul"
OVERFLOWS = [
    *(getattr(operator, name) for name in ARITHMETIC.split()),
    *(divmod, gradwalk.maximum, gradwalk.hypot, gradwalk.atan2, np.multiply),
]


@pytest.mark.parametrize("f", OVERFLOWS, ids=lambda f: f.__name__)
def test_an_int_beyond_the_floats_is_an_overflow_as_for_floats(f: Any) -> None:
    def check(x: Any) -> Any:
        for pair in ((x * 1.0, BEYOND), (-BEYOND, x * 1.0)):
            with pytest.raises(FloatRangeError, match="a number of 1329 bits"):
                f(*pair)
        return x * 1.0

    for x in (2.0, np.array(2.0)):
        gradwalk.grad(check)(x)
        gradwalk.grad(gradwalk.grad(check))(x)
        gradwalk.jvp(check, (x,), (x,))
        gradwalk.taylor(check, x, 1)
        gradwalk.grad(gradwalk.checkpoint(check))(x)
    gradwalk.vmap(check)(np.array([2.0, 1.0]))
    for make in (Value, Tensor, lambda x: Tensor([x], requires_grad=True), lambda x: Tensor([1])):
        check(make(2.0))


def test_an_int_beyond_the_floats_elsewhere() -> None:
    v = Value(2.0)
    for use in (
        lambda: Value(BEYOND),
        lambda: setattr(v, "data", BEYOND),
        lambda: gradwalk.exp(BEYOND),
        lambda: gradwalk.logsumexp([v, BEYOND]),
        lambda: sum([v, BEYOND]),
        lambda: gradwalk.stack([Tensor(2.0), BEYOND]),
    ):
        with pytest.raises(OverflowError, match="fits a float"):
            use()
    assert gradwalk.stack([Tensor(2.0), 10**30]).tolist() == [2.0, 1e30]


def test_equality_is_by_value_and_hash_by_identity() -> None:
    a, twin = Value(3.0), Value(3.0)
    assert a == twin
    assert len({a, twin, a}) == 2
    assert {a: 1, twin: 2}[a] == 1
    before = hash(a)
    a.data = 4.0
    assert hash(a) == before
    assert a in {a: "found"}


def test_truth_is_that_of_the_number() -> None:
    assert [bool(Value(x)) for x in (0.0, -0.0, 1e-300, -1.0, nan)] == [False, False, *[True] * 3]


# --- no silent way back to float ----------------------------------------------------------------

DETACHING: list[Callable[[Any], Any]] = [
    *(float, int, complex, math.exp, math.sqrt, math.trunc, math.sin),
    *(lambda v: round(v, 2), np.float64),
]


@pytest.mark.parametrize("convert", DETACHING)
def test_conversion_says_how_to_get_the_number_and_how_to_differentiate(convert: Any) -> None:
    with pytest.raises(TypeError, match=r"v\.data") as caught:
        convert(Value(3.0))
    if isinstance(caught.value, SilentDetachError):  # NumPy wraps the message in one of its own
        assert "Value(3.0, grad=0.0)" in caught.value.got
        assert "to differentiate" in caught.value.fix


@pytest.mark.parametrize("convert", DETACHING)
def test_no_advice_names_an_operation_without_a_derivative(convert: Any) -> None:
    with pytest.raises(TypeError) as caught:
        convert(Value(3.0))
    advised = re.findall(r"gradwalk\.(\w+)\(|\b(\w+)\(v\)", getattr(caught.value, "fix", ""))
    names = {name for pair in advised for name in pair if name in TABLE}
    assert all(TABLE[name].differentiable for name in names)


def test_float_and_math_functions_name_gradwalks_exp() -> None:
    for convert in (float, math.exp):
        with pytest.raises(SilentDetachError, match=r"v\.data .*gradwalk\.exp\(v\)"):
            convert(Value(3.0))


def test_a_value_is_no_index() -> None:
    with pytest.raises(TypeError):
        [1, 2, 3][Value(1.0)]  # type: ignore[call-overload]


# --- text ---------------------------------------------------------------------------------------


def test_repr_str_and_format() -> None:
    v = Value(3.14159)
    v.grad = -0.5
    assert repr(v) == str(v) == f"{v}" == "Value(3.14159, grad=-0.5)"
    assert repr(Value(1.0, label="w")) == "Value(1.0, grad=0.0, label='w')"
    assert format(v, ".4f") == f"{v:.4f}" == "3.1416"
    assert f"{v:>10.2f}|{v:+.1e}" == "      3.14|+3.1e+00"
    with pytest.raises(ValueError, match="format code"):
        format(v, "q")


# --- powers -------------------------------------------------------------------------------------

POWERS = [  # a, b, a**b, its derivative by a, by b; NaN where there is no real answer
    (2.0, 3.0, 8.0, 12.0, 8.0 * LN2),
    (2.0, -1.0, 0.5, -0.25, 0.5 * LN2),
    (2.0, 0.0, 1.0, 0.0, LN2),
    (1.0, 5.0, 1.0, 5.0, 0.0),
    (4.0, 0.5, 2.0, 0.25, 2.0 * math.log(4.0)),
    (0.0, 0.0, 1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 1.0, 0.0),
    (0.0, 2.0, 0.0, 0.0, 0.0),
    (0.0, 1.5, 0.0, 0.0, 0.0),
    (0.0, 0.5, 0.0, inf, 0.0),
    (0.0, 0.3, 0.0, inf, 0.0),
    (0.0, -1.0, inf, -inf, -inf),
    (0.0, -2.0, inf, -inf, -inf),
    (-0.0, 1.0, -0.0, 1.0, 0.0),
    (-0.0, -1.0, -inf, -inf, None),
    (-2.0, 2.0, 4.0, -4.0, nan),
    (-2.0, 3.0, -8.0, 12.0, nan),
    (-2.0, -1.0, -0.5, -0.25, nan),
    (-2.0, 0.0, 1.0, 0.0, nan),
    (-8.0, 1.0 / 3.0, nan, nan, nan),
    (-0.5, 0.5, nan, nan, nan),
    (1e-200, 0.25, 1e-50, 2.5e149, 1e-50 * math.log(1e-200)),
    (1e200, 2.0, inf, 2e200, inf),
    (inf, 0.0, 1.0, 0.0, inf),
    (inf, 2.0, inf, inf, inf),
    (0.5, inf, 0.0, None, None),
]


@pytest.mark.parametrize(("a", "b", "y", "by_a", "by_b"), POWERS)
def test_powers_and_their_derivatives(
    a: float, b: float, y: float, by_a: float | None, by_b: float | None, bits: Any
) -> None:
    def close(got: float, expected: float | None) -> bool:
        return expected is None or got == pytest.approx(expected, rel=1e-14, nan_ok=True)

    base, exponent = Value(a), Value(b)
    both = base**exponent
    assert close(both.data, y)
    assert isnan(y) or math.copysign(1.0, both.data) == math.copysign(1.0, y)
    got_a, got_b = gradients(both, [base, exponent])
    assert close(got_a, by_a)
    assert close(got_b, by_b)
    assert bits((base**b).data) == bits((a**exponent).data) == bits(both.data)
    assert bits(gradients(base**b, base)) == bits(got_a), "a constant exponent changes nothing"
    assert bits(gradients(a**exponent, exponent)) == bits(got_b)


@pytest.mark.parametrize(
    ("n", "derivatives"),
    [(0, (0, 0, 0)), (1, (1, 0, 0)), (2, (0, 2, 0)), (3, (0, 0, 6)), (4, (0, 0, 0))],
)
def test_whole_powers_of_zero_in_every_order(n: int, derivatives: tuple[float, ...]) -> None:
    x = Value(0.0)
    y = x**n
    for expected in derivatives:
        y = gradients(y, x, create_graph=True)
        assert y.data == expected


# --- functions ----------------------------------------------------------------------------------

ONE_ARGUMENT = [
    *("exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sqrt", "cbrt", "square"),
    *("reciprocal", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *(
        "asinh",
        "atanh",
        "sigmoid",
        "log_sigmoid",
        "softplus",
        "relu",
        "leaky_relu",
        "elu",
        "selu",
        "silu",
    ),
    *("gelu", "hardtanh", "abs", "sign", "clip", "erf", "erfc", "lgamma", "digamma", "sinc"),
    *("floor", "ceil", "round", "acosh"),
]
TWO_ARGUMENTS = ["atan2", "maximum", "minimum", "hypot", "logaddexp", "pow"]
NO_METHODS = {"gelu", "where", "fma"}


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_a_function_takes_floats_and_values_alike(name: str, bits: Any) -> None:
    function, x = getattr(gradwalk, name), 1.5 if name == "acosh" else 0.75
    plain, y = function(x), function(Value(x))
    assert type(plain) is float
    assert type(y) is Value
    assert bits(y.data) == bits(plain)
    assert bits(function(np.float64(x))) == bits(plain)
    if name not in NO_METHODS:
        assert bits(getattr(Value(x), name)().data) == bits(plain)


@pytest.mark.parametrize("name", TWO_ARGUMENTS)
def test_a_function_of_two_numbers_takes_any_mixture(name: str, bits: Any) -> None:
    function = getattr(gradwalk, name)
    plain = function(0.5, 2)
    assert type(plain) is float
    for a, b in ((Value(0.5), Value(2)), (Value(0.5), 2), (0.5, Value(2.0))):
        y = function(a, b)
        assert type(y) is Value
        assert bits(y.data) == bits(plain)


def test_functions_with_options() -> None:
    x = Value(-2.0)
    assert gradwalk.leaky_relu(x).data == -0.02
    assert x.leaky_relu(negative_slope=0.5).data == gradwalk.leaky_relu(-2.0, 0.5) == -1.0
    assert x.clip(-1, 1).data == gradwalk.clip(x, max=-3.0).data + 2.0 == -1.0
    assert gradwalk.hardtanh(x, max_val=5.0).data == -1.0
    assert gradwalk.where(x > 0, x, 7).data == 7.0
    assert gradwalk.fma(x, 3, Value(1.0)).data == gradwalk.fma(-2.0, 3.0, 1.0) == -5.0
    assert gradwalk.gelu(x, approximate="tanh").data != gradwalk.gelu(x).data


def test_functions_of_a_list() -> None:
    xs = [Value(0.0), Value(math.log(3.0))]
    assert [s.data for s in gradwalk.softmax(xs)] == pytest.approx([0.25, 0.75], rel=1e-15)
    assert gradwalk.logsumexp(xs).data == pytest.approx(2 * LN2, rel=1e-15)
    logs = gradwalk.log_softmax([xs[0], math.log(3.0)])
    assert [s.data for s in logs] == pytest.approx([math.log(0.25), math.log(0.75)], rel=1e-15)
    assert gradwalk.softmax([0.0, 0.0]) == [0.5, 0.5]


@pytest.mark.parametrize("x", [2.0, Value(2.0), np.float32(2.0)])
def test_none_asks_for_the_default_in_every_place(x: Any) -> None:
    def number(result: Any) -> float:
        return result.data if isinstance(result, Value) else result

    assert number(gradwalk.clip(x, None, 1.0)) == number(gradwalk.clip(x, max=1.0)) == 1.0
    assert number(gradwalk.clip(x, 3.0, None)) == 3.0
    assert number(gradwalk.hardtanh(x, None, None)) == 1.0
    assert number(gradwalk.leaky_relu(x, None)) == 2.0
    with pytest.raises(TypeError, match="real number"):
        gradwalk.maximum(x, None)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
@pytest.mark.parametrize("wrong", [1.0, Value(1.0), None])
def test_a_function_of_a_list_says_so(name: str, wrong: Any) -> None:
    with pytest.raises(
        NotANumberError, match=rf"{name}\(xs\): expected a list .* Write {name}\(\[a, b\]"
    ):
        getattr(gradwalk, name)(wrong)
