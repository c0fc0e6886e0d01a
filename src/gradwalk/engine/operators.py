"""The mixin with the operators and methods of every carrier, made from the table."""

# mypy: disable-error-code="empty-body"
# ruff: noqa: D102
# The methods of `Operators` are written as signatures. Their bodies and their documentation come
# from the table, by the loop at the end.

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from math import inf
from types import FunctionType
from typing import Any, Self

from ..core.expect import is_table
from ..core.primitive import Carrier, Primitive
from ..core.unicode_math import plain
from ..errors import NotANumberError
from ..ops import TABLE
from ..ops.composite import gelu

__all__ = ["METHODS", "Operators", "declared", "described", "function", "manual", "section"]

Operation = Callable[..., Any]
"""A function that applies a primitive to any carriers and numbers."""

OPERAND = "Value | Tensor | Array | Number"
RESULT = "Value | Tensor | Array | float"
"""What functions of numbers take and give, in words of their signatures."""


def function(primitive: Primitive) -> Operation:
    """Return the function that users call for ``primitive``, with defaults and documentation."""
    arity, required = primitive.arity, primitive.required

    def call(*args: Any, **named: Any) -> Any:
        # the usual call needs no binding, which takes longer than the operation
        if named or len(args) != arity or any(arg is None for arg in args[required:]):
            args = primitive.bind(*args, **named)
        try:
            return primitive(*args)
        except Exception as error:
            primitive.explain(error, args)
            raise

    call.__name__ = call.__qualname__ = primitive.name
    call.__doc__ = manual(primitive)
    call.__module__ = "gradwalk"
    call.primitive = primitive  # type: ignore[attr-defined]
    call.__wrapped__ = declared(primitive)  # type: ignore[attr-defined]  # for its signature
    return call


def declared(primitive: Primitive) -> FunctionType:
    """Return a function with the parameters and types that users pass to a primitive.

    `inspect` reads the signature from it. A `Signature` would load `inspect`, which takes 5 ms.
    """
    names, code = primitive.params, declared.__code__
    code = code.replace(co_argcount=len(names), co_nlocals=len(names), co_varnames=names)
    shown = FunctionType(code, {}, primitive.name, primitive.defaults)
    shown.__annotations__ = dict.fromkeys(names, OPERAND) | {"return": RESULT}
    return shown


def manual(primitive: Primitive) -> str:
    """Return the docstring of a primitive, composed of its properties."""
    return described(primitive, _example(primitive))


ARGUMENT = "A number, a Value, an array or a Tensor{}."
RETURNED = """\
A float for plain numbers, a Value if there is one among them, else an array or a Tensor of
    the shape that the arguments broadcast to."""


def described(primitive: Primitive, example: str) -> str:
    """Return the docstring of a primitive with an example, in the sections of NumPy's style."""
    facts = []
    if primitive.kinks:
        facts.append(f"Where the derivative jumps: {primitive.kinks}.")
    if not primitive.differentiable:
        facts.append("Declared to have no derivative: no gradient passes through it.")
    listed: dict[str, list[str]] = {}
    for name, interval in zip(primitive.params, primitive.domain, strict=True):
        listed.setdefault(_argument(*interval), []).append(name)
    arguments = [f"{', '.join(names)} : any shape\n    {text}" for text, names in listed.items()]
    return "\n\n".join(
        [
            f"{primitive.summary}.",
            f"    y = {plain(primitive.tex)}",
            *filter(None, ["\n".join(facts)]),
            section("Parameters", "\n".join(arguments)),
            section("Returns", f"any shape\n    {RETURNED}"),
            *([section("Examples", example)] if example else []),
        ]
    )


def _argument(low: float, high: float) -> str:
    """Return the description of an argument from an open interval."""
    if (low, high) == (-inf, inf):
        return ARGUMENT.format("")
    return ARGUMENT.format(f" in ({low:g}, {high:g}); elsewhere the result is NaN or an infinity")


def section(title: str, text: str) -> str:
    """Return a section of a docstring: a title, a line below it, and the text."""
    return f"{title}\n{'-' * len(title)}\n{text}"


def _example(primitive: Primitive) -> str:
    """Return a call with its result and its local derivatives, as a doctest."""
    numbers = [0.5, 1.5, 2.5][: primitive.required]
    numbers = [
        x if low < x < high else low + x
        for x, (low, high) in zip(numbers, primitive.domain[: primitive.required], strict=True)
    ]
    args = (*numbers, *primitive.defaults)
    y = primitive.evaluate(*args)
    shown, values = list(map(str, numbers)), [f"gradwalk.Value({x})" for x in numbers]
    if primitive.params[0] == "condition":
        shown[0], values[0] = "2.0 > 1.0", "gradwalk.Value(2.0) > 1.0"
    call = f">>> gradwalk.{primitive.name}("
    return (
        f">>> import gradwalk\n{call}{', '.join(shown)})\n{y!r}\n"
        f"{call}{', '.join(values)}).local_gradients\n{primitive.slopes(y, args)!r}"
    )


def _unary(primitive: Primitive) -> Operation:
    def operate(self: Any) -> Any:
        return self._apply(primitive, (self,))

    return operate


def _binary(primitive: Primitive) -> Operation:
    def operate(self: Any, other: object) -> Any:
        try:
            return self._apply(primitive, (self, other))
        except NotANumberError:  # the other operand may implement the operator
            return primitive(self, other) if is_table(other) else NotImplemented

    return operate


def _reflected(primitive: Primitive) -> Operation:
    def operate(self: Any, other: object) -> Any:
        try:
            return self._apply(primitive, (other, self))
        except NotANumberError:
            return primitive(other, self) if is_table(other) else NotImplemented

    return operate


class Operators(Carrier):
    """``x + y``, ``abs(x)``, ``x.exp()`` and so on: each method applies one primitive."""

    __slots__ = ()
    __pandas_priority__ = 5000  # above its tables: ``series * x`` calls a method of x

    # fmt: off
    def __neg__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __floor__(self) -> Self: ...
    def __ceil__(self) -> Self: ...
    def __add__(self, other: Self | float, /) -> Self: ...
    def __radd__(self, other: Self | float, /) -> Self: ...
    def __sub__(self, other: Self | float, /) -> Self: ...
    def __rsub__(self, other: Self | float, /) -> Self: ...
    def __mul__(self, other: Self | float, /) -> Self: ...
    def __rmul__(self, other: Self | float, /) -> Self: ...
    def __truediv__(self, other: Self | float, /) -> Self: ...
    def __rtruediv__(self, other: Self | float, /) -> Self: ...
    def __floordiv__(self, other: Self | float, /) -> Self: ...
    def __rfloordiv__(self, other: Self | float, /) -> Self: ...
    def __mod__(self, other: Self | float, /) -> Self: ...
    def __rmod__(self, other: Self | float, /) -> Self: ...
    def __pow__(self, other: Self | float, /) -> Self: ...
    def __rpow__(self, other: Self | float, /) -> Self: ...

    def neg(self) -> Self: ...
    def abs(self) -> Self: ...
    def pow(self, b: Self | float) -> Self: ...
    def square(self) -> Self: ...
    def reciprocal(self) -> Self: ...
    def sqrt(self) -> Self: ...
    def cbrt(self) -> Self: ...
    def hypot(self, b: Self | float) -> Self: ...
    def exp(self) -> Self: ...
    def expm1(self) -> Self: ...
    def exp2(self) -> Self: ...
    def log(self) -> Self: ...
    def log1p(self) -> Self: ...
    def log2(self) -> Self: ...
    def log10(self) -> Self: ...
    def logaddexp(self, b: Self | float) -> Self: ...
    def sin(self) -> Self: ...
    def cos(self) -> Self: ...
    def tan(self) -> Self: ...
    def asin(self) -> Self: ...
    def acos(self) -> Self: ...
    def atan(self) -> Self: ...
    def atan2(self, x: Self | float) -> Self: ...
    def sinc(self) -> Self: ...
    def sinh(self) -> Self: ...
    def cosh(self) -> Self: ...
    def tanh(self) -> Self: ...
    def asinh(self) -> Self: ...
    def acosh(self) -> Self: ...
    def atanh(self) -> Self: ...
    def sigmoid(self) -> Self: ...
    def log_sigmoid(self) -> Self: ...
    def softplus(self) -> Self: ...
    def silu(self) -> Self: ...
    def relu(self) -> Self: ...
    def leaky_relu(self, negative_slope: float = 0.01) -> Self: ...
    def elu(self, alpha: float = 1.0) -> Self: ...
    def selu(self) -> Self: ...
    def hardtanh(self, min_val: float = -1.0, max_val: float = 1.0) -> Self: ...
    def erf(self) -> Self: ...
    def erfc(self) -> Self: ...
    def lgamma(self) -> Self: ...
    def digamma(self) -> Self: ...
    def maximum(self, b: Self | float) -> Self: ...
    def minimum(self, b: Self | float) -> Self: ...
    def clip(self, min: Self | float = -inf, max: Self | float = inf) -> Self: ...
    def sign(self) -> Self: ...
    def floor(self) -> Self: ...
    def ceil(self) -> Self: ...
    def round(self) -> Self: ...
    # fmt: on

    def gelu(self, approximate: str = "none") -> Self:
        """Return x Φ(x), where Φ is the normal distribution.

            y = x Φ(x)

        Parameters
        ----------
        approximate
            "none" for the exact function, "tanh" for its approximation.

        Returns
        -------
        the shape of x
            The values.

        Raises
        ------
        OptionError
            If ``approximate`` is neither of the two.

        See Also
        --------
        gradwalk.gelu
        """
        return gelu(self, approximate)  # type: ignore[no-any-return]

    def __pos__(self) -> Self:
        return self

    def __divmod__(self, other: Self | float) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: Self | float) -> tuple[Self, Self]:
        return other // self, other % self


_BINARY = {name: TABLE[name] for name in ("add", "sub", "mul", "floordiv", "mod", "pow")}
_BINARY["truediv"] = TABLE["div"]
_BODIES = {f"__{name}__": _unary(TABLE[name]) for name in ("neg", "abs", "floor", "ceil")}
_BODIES |= {f"__{name}__": _binary(primitive) for name, primitive in _BINARY.items()}
_BODIES |= {f"__r{name}__": _reflected(primitive) for name, primitive in _BINARY.items()}

METHODS = tuple(name for name in vars(Operators) if name in TABLE)
"""The primitives that are also methods of a carrier, called on their first argument."""

for _name, _body in _BODIES.items():
    setattr(Operators, _name, update_wrapper(_body, vars(Operators)[_name]))
for _name in METHODS:
    if vars(Operators)[_name].__doc__:
        continue  # written above, with options that the primitive has not
    _body = function(TABLE[_name])
    _body.__wrapped__ = vars(Operators)[_name]  # type: ignore[attr-defined]  # for its signature
    setattr(Operators, _name, _body)
