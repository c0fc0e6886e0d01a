"""THE TABLE of arrays: rules with plain zeros, and the conventions of other frameworks.

The rules of gradwalk return structural zeros, which stay 0 whatever they are multiplied by. Other
frameworks multiply plain zeros, and 0 * inf is NaN. At some points they also take another slope. A
program that was run by a framework is differentiated by these rules, so that a NaN of the framework
is a NaN here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ...core.array_primitive import linear, per_primitive
from ...core.primitive import Primitive, Rule
from .. import TABLE
from .evaluation import function_of, rules_of
from .multi_output import PART
from .structural_zero import elements_of

__all__ = ["CONVENTIONS", "dense", "original", "stop_gradient"]
__all__ += ["STEPS"]


def _power(t: Any, y: Any, a: Any, b: Any) -> Any:
    """t b a**(b - 1), which is 0 for the exponent 0 whatever a is."""
    flat = np.equal(b, 0.0)
    slope = np.where(flat, 0.0, b * np.power(a, np.where(flat, 1.0, np.subtract(b, 1.0))))
    return t * slope


def _exponent(t: Any, y: Any, a: Any, b: Any) -> Any:
    """t a**b ln a; for the base 0 it is 0 where the exponent is not negative."""
    power, none = np.power(a, b), np.equal(a, 0.0)
    return t * np.where(none & np.greater_equal(b, 0.0), 0.0, power * np.log(a))


def _exponent_of_jax(t: Any, y: Any, a: Any, b: Any) -> Any:
    """t a**b ln a, in which JAX takes ln 1 for the logarithm of 0."""
    return t * (np.log(np.where(np.equal(a, 0.0), 1.0, a)) * np.power(a, b))


def _length(t: Any, a: Any, b: Any) -> Any:
    return t * a / np.hypot(a, b)


def _sigmoid(t: Any, y: Any, x: Any) -> Any:
    """t y (1 - y), which is 0 where y is rounded to 1, and not the exact small number."""
    s = 1.0 / (1.0 + np.exp(-x))
    return t * ((1.0 - s) * s)


def _tanh(t: Any, y: Any, x: Any) -> Any:
    s = np.tanh(x)
    return t * (1.0 - s * s)


def _square(a: Any, b: Any) -> Any:
    return a * a + b * b


# fmt: off
stop_gradient: Final = linear("stop_gradient", lambda t, y, x: None, forward=np.copy, tex="x",
    summary="x, of which no contribution reaches the operand")

CONVENTIONS: Final[Mapping[str, Mapping[str, tuple[Rule, ...]]]] = {
    "torch": {
        "sigmoid": (_sigmoid,),
        "tanh": (_tanh,),
        "abs": (lambda t, y, x: t * np.sign(x),),
        "pow": (_power, _exponent),
        "hypot": (lambda t, y, a, b: _length(t, a, b), lambda t, y, a, b: _length(t, b, a)),
        "atan2": (lambda t, z, y, x: t * np.where(np.equal(_square(y, x), 0.0), 0.0,
                                                  x / _square(y, x)),
                  lambda t, z, y, x: t * np.where(np.equal(_square(y, x), 0.0), 0.0,
                                                  -y / _square(y, x))),
    },
    "jax": {
        "abs": (lambda t, y, x: t * np.where(np.greater_equal(x, 0.0), 1.0, -1.0),),
        "pow": (lambda t, y, a, b: t * (b * np.power(a, b - 1.0)), _exponent_of_jax),
        "hypot": (lambda t, y, a, b: _length(t, a, b), lambda t, y, a, b: _length(t, b, a)),
        "atan2": (lambda t, z, y, x: t * (x / _square(y, x)),
                  lambda t, z, y, x: t * (-y / _square(y, x))),
        "acosh": (lambda t, y, x: t * (1.0 / np.sqrt(x * x - 1.0)),),
        "asinh": (lambda t, y, x: t * (1.0 / np.sqrt(x * x + 1.0)),),
        "atan": (lambda t, y, x: t / (1.0 + x * x),),
        "expm1": (lambda t, y, x: t * (y + 1.0),),
        "sigmoid": (lambda t, y, x: t * (y * (1.0 - y)),),
        "tanh": (lambda t, y, x: (t + t * y) * (1.0 - y),),
    },
}
"""The rules that hold at kinks and edges instead of the table's, by framework and operation.

They read the result, and of the operands those that the rules of the table read.
"""
# fmt: on


@per_primitive
def dense(primitive: Any, framework: str) -> Any:
    """Return a primitive with plain zeros, and with the conventions of a framework."""
    if primitive is PART or "original" in primitive.derived or hasattr(primitive, "joint_vjp"):
        return primitive
    found = _copied(primitive)
    pointwise = primitive.kind == "pointwise"
    own = CONVENTIONS[framework].get(primitive.name) if pointwise else None  # not of a black box
    given = own or (rules_of(primitive) if pointwise else primitive.rules)
    rules = tuple([rule and _dense_rule(rule) for rule in given])
    found.rules = rules
    variadic = getattr(primitive, "variadic", False)
    known: Any = (function_of, rules_of)
    found.derived = {
        known[0].__wrapped__: function_of(primitive),
        known[1].__wrapped__: () if variadic else rules,
        "original": primitive,
    }
    return found


def _copied(primitive: Any) -> Any:
    """Return a second primitive of the same name, which users do not find by the name."""
    found = object.__new__(type(primitive))
    for kind in type(primitive).__mro__:
        for slot in getattr(kind, "__slots__", ()):
            if slot[:2] != "__" and hasattr(primitive, slot):
                setattr(found, slot, getattr(primitive, slot))
    return found


def _flat(name: str) -> Any:
    """Return a step function that is recorded, though no contribution passes it."""
    primitive, found = TABLE[name], _copied(TABLE[name])
    found.rules, found.differentiable = (lambda t, y, x: None,), True
    known: Any = (function_of, rules_of)
    found.derived = {
        known[0].__wrapped__: function_of(primitive),
        known[1].__wrapped__: found.rules,
        "original": primitive,
    }
    return found


STEPS: Final = {name: _flat(name) for name in ("floor", "ceil", "round", "sign")}
"""Step functions that graphs of other frameworks have, so that `why` finds where they end."""


def _dense_rule(rule: Rule) -> Rule:
    def contribution(t: Any, y: Any, *args: Any, **options: Any) -> Any:
        several = type(t) is tuple
        t = tuple(map(elements_of, t)) if several else elements_of(t)
        with np.errstate(all="ignore"):
            return elements_of(rule(t, y, *args, **options))

    return contribution


def original(primitive: Any) -> Primitive:
    """Return the primitive of the table that a dense one was made of, or the primitive itself."""
    found: Primitive = primitive.derived.get("original", primitive)
    return found
