"""What may stand beside a traced number: the numbers that may stand beside a float."""

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, Value, compile, grad, jvp, vmap
from gradwalk.errors import GradwalkError

OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
NUMBERS = (2, True, 0.75, Fraction(1, 3), Fraction(5, 2), np.float64(0.3), np.int8(2))
NUMBERS += (np.bool_(True), 300)
WAYS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "Value": lambda f: f(Value(1.7)).data,
    "Tensor": lambda f: f(Tensor(1.7)).item(),
    "jvp": lambda f: jvp(f, (1.7,), (1.0,))[0],
    "jvp of a grad": lambda f: jvp(lambda x: grad(lambda c: c * f(x))(1.0), (1.7,), (1.0,))[0],
    "compile": lambda f: compile(f)(1.7),
    "vmap": lambda f: vmap(f)(np.array([1.7]))[0],
}


def beside(apply: Any, number: Any, side: str) -> Callable[[Any], Any]:
    """Return x ↦ x ∘ number, or number ∘ x."""
    return (lambda x: apply(x, number)) if side == "left" else lambda x: apply(number, x)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("apply", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_a_number_counts_as_the_float_it_is(way: str, side: str, apply: Any, number: Any) -> None:
    f = beside(apply, number, side)
    expected = beside(apply, float(number), side)(1.7)
    assert WAYS[way](f) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize("side", ["left", "right"])
def test_its_gradient_flows(number: Any, side: str) -> None:
    f, g = (beside(operator.truediv, n, side) for n in (number, float(number)))
    assert grad(f)(1.7) == grad(g)(1.7)


@pytest.mark.parametrize("carrier", [Value(2.0), Tensor(2.0), Tensor([1.0, 2.0])], ids=repr)
@pytest.mark.parametrize("apply", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "thing",
    ["2", None, 1j, Decimal(2), np.complex128(1j), np.datetime64("2020-01-01"), np.str_("2"), {}],
    ids=repr,
)
def test_anything_else_is_refused_on_either_side(carrier: Any, apply: Any, thing: Any) -> None:
    for pair in ((carrier, thing), (thing, carrier)):
        with pytest.raises((TypeError, GradwalkError)) as caught:
            apply(*pair)
        assert not isinstance(caught.value, RecursionError)
