"""Elementwise functions under the names of the array API.

Functions of the scalar engine with the same name (``gradwalk.exp``) take Tensors as well. This
module has the others, and the operators and methods that only arrays have.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf
from typing import Any, cast

import numpy as np

from ...core.numeric import Numeric
from ...core.primitive import Primitive
from ...engine.operators import described, manual
from ...engine.scalar import Scalar
from ...errors import NotANumberError
from ...levels.level import unwrap
from ...ops import TABLE
from ...ops.array import facts
from ...ops.array.structure import astype
from ..graph.tensor import Tensor
from .arguments import operand
from .creation import plain
from .types import (
    ArrayLike,
    BinaryFunction,
    ElementwiseFunction,
    UnaryElementwise,
    UnaryFunction,
    binary_function,
    unary_function,
)

__all__ = ["absolute", "add", "allclose", "bitwise_and", "bitwise_invert", "bitwise_left_shift"]
__all__ += ["bitwise_or", "bitwise_right_shift", "bitwise_xor", "copysign", "divide", "divmod"]
__all__ += ["equal", "floor_divide", "greater", "greater_equal", "isclose", "isfinite", "isinf"]
__all__ += ["isnan", "less", "less_equal", "logical_and", "logical_not", "logical_or"]
__all__ += ["logical_xor", "multiply", "nan_to_num", "negative", "nextafter", "not_equal"]
__all__ += ["positive", "remainder", "signbit", "subtract", "trunc"]


EXAMPLES = {
    "floor_divide": ("[7.0, -7.0], 2.0", "[3.0, -4.0]"),
    "less": ("[1.0, 3.0], 2.0", "[True, False]"),
    "less_equal": ("[1.0, 2.0], 2.0", "[True, True]"),
    "greater": ("[1.0, 3.0], 2.0", "[False, True]"),
    "greater_equal": ("[1.0, 2.0], 2.0", "[False, True]"),
    "equal": ("[1.0, 2.0], 2.0", "[False, True]"),
    "not_equal": ("[1.0, 2.0], 2.0", "[True, False]"),
    "logical_and": ("[True, True], [True, False]", "[True, False]"),
    "logical_or": ("[True, False], [False, False]", "[True, False]"),
    "logical_not": ("[True, False]", "[False, True]"),
    "logical_xor": ("[True, True], [True, False]", "[False, True]"),
    "bitwise_and": ("[6, 5], 3", "[2, 1]"),
    "bitwise_or": ("[6, 5], 3", "[7, 7]"),
    "bitwise_xor": ("[6, 5], 3", "[5, 6]"),
    "bitwise_invert": ("[0, 5]", "[-1, -6]"),
    "bitwise_left_shift": ("[1, 3], 2", "[4, 12]"),
    "bitwise_right_shift": ("[4, 9], 2", "[1, 2]"),
    "isnan": ('[1.0, float("nan")]', "[False, True]"),
    "isinf": ('[1.0, float("inf")]', "[False, True]"),
    "isfinite": ('[1.0, float("inf")]', "[True, False]"),
    "signbit": ("[1.0, -0.0]", "[False, True]"),
    "trunc": ("[1.7, -1.7]", "[1.0, -1.0]"),
    "nextafter": ("[1.0], 2.0", "[1.0000000000000002]"),
}


def example_of(name: str) -> str:
    """Return a call of a function and its result, as a doctest; or nothing."""
    if name not in EXAMPLES:
        return ""
    args, result = EXAMPLES[name]
    return f">>> import gradwalk\n>>> gradwalk.{name}({args}).tolist()\n{result}\n"


METHODS = ("clip", "pow", "round", "trunc")

Function = Callable[..., Any]


# --- primitives of scalars under their names for arrays -------------------------------------------


def function_named(name: str, primitive: Primitive, example: str = "") -> Any:
    """Return the function ``name`` that applies a primitive of one or two arguments."""

    def one(x: ArrayLike, /) -> Numeric:
        return primitive(from_list(x, name))

    def two(a: ArrayLike, b: ArrayLike, /) -> Numeric:
        return primitive(from_list(a, name), from_list(b, name))

    return _describe(one if primitive.arity == 1 else two, name, primitive, example)


def from_list(x: object, name: str) -> object:
    # numbers stay weak and Values stay scalars: only lists have no meaning for a primitive
    return operand(x, name) if isinstance(x, (list, tuple)) else x


def _describe(call: Function, name: str, primitive: Primitive, example: str = "") -> Function:
    call.__name__ = call.__qualname__ = name
    if primitive.differentiable and not example:  # the manual shows local derivatives
        text = manual(primitive).replace(f"{primitive.name}(", f"{name}(")
    else:
        text = described(primitive, example or example_of(name))
    call.__doc__, call.primitive = text, primitive  # type: ignore[attr-defined]
    return call


absolute: UnaryElementwise = function_named("absolute", TABLE["abs"])
negative: UnaryElementwise = function_named("negative", TABLE["neg"])
add: ElementwiseFunction = function_named("add", TABLE["add"])
subtract: ElementwiseFunction = function_named("subtract", TABLE["sub"])
multiply: ElementwiseFunction = function_named("multiply", TABLE["mul"])
divide: ElementwiseFunction = function_named("divide", TABLE["div"])
floor_divide: ElementwiseFunction = function_named("floor_divide", TABLE["floordiv"])
remainder: ElementwiseFunction = function_named("remainder", TABLE["mod"])
less: ElementwiseFunction = function_named("less", TABLE["less"])
less_equal: ElementwiseFunction = function_named("less_equal", TABLE["less_equal"])
greater: ElementwiseFunction = function_named("greater", TABLE["greater"])
greater_equal: ElementwiseFunction = function_named("greater_equal", TABLE["greater_equal"])
equal: ElementwiseFunction = function_named("equal", TABLE["equal"])
not_equal: ElementwiseFunction = function_named("not_equal", TABLE["not_equal"])
logical_and: ElementwiseFunction = function_named("logical_and", TABLE["logical_and"])
logical_or: ElementwiseFunction = function_named("logical_or", TABLE["logical_or"])


def divmod(a: ArrayLike, b: ArrayLike) -> tuple[Tensor, Tensor]:
    """Return floor of a / b, and the remainder.

    >>> divmod(Tensor([7.0, -7.0]), 2.0)
    (Tensor([ 3., -4.]), Tensor([1., 1.]))
    """
    x: Any = a
    return floor_divide(x, b), remainder(x, b)


# --- facts and bits -------------------------------------------------------------------------------


def _fact(primitive: Primitive, kinds: str = "biuf") -> Any:
    """Return the function of a primitive of `facts`, for arguments of some kinds of dtype."""

    def one(x: ArrayLike, /) -> Numeric:
        x = operand(x, primitive.name)
        _demand_kind(x, kinds, primitive.name)
        return primitive(x)

    def two(a: ArrayLike, b: ArrayLike, /) -> Numeric:
        arrays = [operand(x, primitive.name) for x in (a, b)]
        for x in arrays:
            _demand_kind(x, kinds, primitive.name)
        # checked as arrays, applied as they came: Python numbers do not promote
        return primitive(*_keep_weak((a, b), arrays))

    return _describe(one if primitive.arity == 1 else two, primitive.name, primitive)


def _demand_kind(array: Tensor, kinds: str, where: str) -> None:
    if array.dtype.kind not in kinds:
        raise NotANumberError(
            where=where,
            expected="integers or bools",
            got=f"dtype {array.dtype}",
            fix="Write x.astype(int): only integers and bools have bits.",
        )


def _keep_weak(args: tuple[Any, ...], arrays: list[Any]) -> list[Any]:
    """Return Python numbers unchanged, because they adapt to the dtype of the other operand."""
    weak = [type(a) in (int, float, bool) for a in args]
    if all(weak):
        return arrays
    return [a if w else x for a, x, w in zip(args, arrays, weak, strict=True)]


isnan: UnaryFunction[[]] = _fact(facts.isnan)
isinf: UnaryFunction[[]] = _fact(facts.isinf)
isfinite: UnaryFunction[[]] = _fact(facts.isfinite)
signbit: UnaryFunction[[]] = _fact(facts.signbit)
logical_not: UnaryFunction[[]] = _fact(facts.logical_not)
logical_xor: BinaryFunction[[]] = _fact(facts.logical_xor)
bitwise_and: BinaryFunction[[]] = _fact(facts.bitwise_and, "biu")
bitwise_or: BinaryFunction[[]] = _fact(facts.bitwise_or, "biu")
bitwise_xor: BinaryFunction[[]] = _fact(facts.bitwise_xor, "biu")
bitwise_invert: UnaryFunction[[]] = _fact(facts.invert, "biu")
bitwise_left_shift: BinaryFunction[[]] = _fact(facts.left_shift, "iu")
bitwise_right_shift: BinaryFunction[[]] = _fact(facts.right_shift, "iu")
trunc: UnaryFunction[[]] = _fact(facts.trunc)
nextafter: BinaryFunction[[]] = _fact(facts.nextafter)


@binary_function
def isclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Return whether a equals b up to a tolerance, element by element.

        |a - b| <= atol + rtol · |b|

    >>> isclose(Tensor([1.0, 2.0]), [1.0, 2.1])
    Tensor([ True, False])
    """
    bounds: Any = {"rtol": plain(unwrap(rtol), "isclose"), "atol": plain(unwrap(atol), "isclose")}
    xs = operand(a, "isclose"), operand(b, "isclose")
    return facts.isclose(*xs, equal_nan=equal_nan, **bounds)


def allclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Return whether `isclose` holds for all elements.

    >>> allclose(Tensor([1.0, 2.0]), [1.0, 2.1])
    False
    """
    return bool(np.all(getattr(close := isclose(a, b, rtol, atol, equal_nan), "_data", close)))


# --- compositions ---------------------------------------------------------------------------------


@unary_function
def positive(x: ArrayLike) -> Tensor:
    """Return a copy of x.

        y = x

    >>> positive(Tensor([1.0, -2.0]))
    Tensor([ 1., -2.])
    """
    x = operand(x, "positive")
    return astype(x, dtype=x.dtype)


@binary_function
def copysign(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Return the absolute value of a with the sign of b, which gets no gradient.

        y = |a| if b >= +0 else -|a|;  slope 0 at a = 0

    >>> copysign(Tensor([1.0, -2.0]), [-0.0, -3.0])
    Tensor([-1., -2.])
    """
    number = type(b) in (int, float)  # a comparison with 0 would miss the sign of -0.0
    unit = math.copysign(1.0, cast(float, b)) if number else facts.unit(operand(b, "copysign"))
    adapts = not number and type(a) in (int, float)  # as Python numbers do to the dtype of b
    size: Any = a if adapts else operand(a, "copysign")
    return TABLE["mul"](TABLE["abs"](size), unit)


@unary_function
def nan_to_num(
    x: ArrayLike, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Replace NaN and infinities in x by numbers; replaced elements get no gradient.

    Infinities become the largest numbers of the dtype by default.

    >>> nan_to_num(Tensor([1.0, float("nan"), float("inf")]), posinf=9.0)
    Tensor([1., 0., 9.])
    """
    x = operand(x, "nan_to_num")
    if x.dtype.kind != "f":
        return positive(x)
    where, largest = TABLE["where"], float(np.finfo(x.dtype).max)
    # `where` blocks the gradient of replaced elements: a factor 0 would make NaN of an infinite one
    x = where(equal(x, -inf), -largest if neginf is None else neginf, x)
    x = where(equal(x, inf), largest if posinf is None else posinf, x)
    return where(isnan(x), nan, x)


def clip(x: ArrayLike, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Tensor:
    """Limit x to the range from ``min`` to ``max``; ``None`` is no limit.

        y = min(max(x, lo), hi);  slope 1 on both bounds

    >>> clip(Tensor([1, 5]), max=3)
    Tensor([1, 3])
    """
    if isinstance(x, Scalar):
        low: Any = -inf if min is None else min
        high: Any = inf if max is None else max
        return TABLE["clip"](x, low, high)
    x = operand(x, "clip")
    if min is None and max is None:
        return positive(x)
    # one bound alone is a clip with the other one out of reach, in the dtype of x
    least, most = _range(x.dtype)
    bounds: tuple[Any, Any] = least if min is None else min, most if max is None else max
    return TABLE["clip"](x, *bounds)


def _range(dtype: Any) -> tuple[Any, Any]:
    """Return the least and the largest number of a dtype."""
    if dtype.kind == "f":
        return -inf, inf
    if dtype.kind == "b":
        return False, True
    limits = np.iinfo(dtype)  # bounds of ±inf would turn integers into floats
    return limits.min, limits.max


@unary_function
def round(x: ArrayLike, decimals: int = 0) -> Tensor:
    """Round to so many decimals, ties to the even number; without a derivative.

    >>> round(Tensor([0.125, 2.5])), round(Tensor([0.125, 2.5]), 2)
    (Tensor([0., 2.]), Tensor([0.12, 2.5 ]))
    """
    return facts.decimals(operand(x, "round"), decimals=decimals)


@binary_function
def pow(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Raise a to the power b.

        y = aᵇ

    >>> pow(Tensor([1.0, 2.0]), 3.0)
    Tensor([1., 8.])
    """
    exponent: Any = b
    if isinstance(a, Tensor):
        return a**b
    number = isinstance(a, Scalar) or isinstance(b, Scalar)  # whose power is a scalar, too
    return TABLE["pow"](a if number else operand(a, "pow"), exponent)
