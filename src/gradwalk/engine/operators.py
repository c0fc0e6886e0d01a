"""One mixin: the operators and methods of every carrier, made from the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.primitive import Carrier, Primitive
from ..errors import NotANumberError
from ..ops import TABLE as T
from ..ops.composite import gelu

__all__ = ["METHODS", "Operators", "function", "manual"]


def function(primitive: Primitive) -> Callable[..., Any]:
    """The function that users call for ``row``: defaults, names, and its manual page."""
    arity, required = primitive.arity, primitive.required

    def call(*args: Any, **named: Any) -> Any:
        if named or len(args) != arity or any(arg is None for arg in args[required:]):
            args = primitive.bind(*args, **named)
        return primitive(*args)

    call.__name__ = call.__qualname__ = primitive.name
    call.__doc__ = manual(primitive)
    call.__module__ = "gradwalk"
    call.primitive = primitive  # type: ignore[attr-defined]
    return call


def manual(primitive: Primitive) -> str:
    """The docstring of a row, put together from its facts."""
    ranges = zip(primitive.params, primitive.domain, strict=True)
    domain = ", ".join(f"{name} in ({low:g}, {high:g})" for name, (low, high) in ranges)
    facts = [f"Domain: {domain}; NaN or an infinity elsewhere."]
    if primitive.kinks:
        facts.append(f"Where the slope jumps: {primitive.kinks}.")
    if not primitive.differentiable:
        facts.append("Declared to have no derivative: it passes no gradient on.")
    facts.append("Plain numbers give a float; with a Value among them the result is a Value.")
    text = [
        f"{primitive.name}({primitive.signature}): {primitive.summary}.",
        f"    y = {primitive.tex}",
        "\n".join(facts),
    ]
    return "\n\n".join([*text, _example(primitive)])


def _example(primitive: Primitive) -> str:
    """A call with its result, and the slopes there."""
    numbers = [0.5, 1.5, 2.5][: primitive.required]
    numbers = [
        x if low < x < high else low + x
        for x, (low, high) in zip(numbers, primitive.domain[: primitive.required], strict=True)
    ]
    args = (*numbers, *primitive.defaults)
    y = primitive.evaluate(*args)
    values = ", ".join(f"gradwalk.Value({x})" for x in numbers)
    return (
        ">>> import gradwalk\n"
        f">>> gradwalk.{primitive.name}({', '.join(map(str, numbers))})\n{y!r}\n"
        f">>> gradwalk.{primitive.name}({values}).local_gradients\n{primitive.slopes(y, args)!r}"
    )


def _binary(primitive: Primitive) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        try:
            return self._apply(primitive, (self, other))
        except NotANumberError:
            return NotImplemented

    return operate


def _reflected(primitive: Primitive) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        try:
            return self._apply(primitive, (other, self))
        except NotANumberError:
            return NotImplemented

    return operate


def _unary(primitive: Primitive) -> Callable[[Any], Any]:
    def operate(self: Any) -> Any:
        return self._apply(primitive, (self,))

    return operate


class Operators(Carrier):
    """``x + y``, ``abs(x)``, ``x.exp()`` and the rest, each one a row of the table."""

    __slots__ = ()

    __neg__ = _unary(T["neg"])
    __abs__ = _unary(T["abs"])
    __floor__ = _unary(T["floor"])
    __ceil__ = _unary(T["ceil"])
    __add__, __radd__ = _binary(T["add"]), _reflected(T["add"])
    __sub__, __rsub__ = _binary(T["sub"]), _reflected(T["sub"])
    __mul__, __rmul__ = _binary(T["mul"]), _reflected(T["mul"])
    __truediv__, __rtruediv__ = _binary(T["div"]), _reflected(T["div"])
    __floordiv__, __rfloordiv__ = _binary(T["floordiv"]), _reflected(T["floordiv"])
    __mod__, __rmod__ = _binary(T["mod"]), _reflected(T["mod"])
    __pow__, __rpow__ = _binary(T["pow"]), _reflected(T["pow"])

    def __pos__(self) -> Any:
        return self

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    # fmt: off
    neg         = function(T["neg"])
    abs         = function(T["abs"])
    pow         = function(T["pow"])
    square      = function(T["square"])
    reciprocal  = function(T["reciprocal"])
    sqrt        = function(T["sqrt"])
    cbrt        = function(T["cbrt"])
    hypot       = function(T["hypot"])
    exp         = function(T["exp"])
    expm1       = function(T["expm1"])
    exp2        = function(T["exp2"])
    log         = function(T["log"])
    log1p       = function(T["log1p"])
    log2        = function(T["log2"])
    log10       = function(T["log10"])
    logaddexp   = function(T["logaddexp"])
    sin         = function(T["sin"])
    cos         = function(T["cos"])
    tan         = function(T["tan"])
    asin        = function(T["asin"])
    acos        = function(T["acos"])
    atan        = function(T["atan"])
    atan2       = function(T["atan2"])
    sinc        = function(T["sinc"])
    sinh        = function(T["sinh"])
    cosh        = function(T["cosh"])
    tanh        = function(T["tanh"])
    asinh       = function(T["asinh"])
    acosh       = function(T["acosh"])
    atanh       = function(T["atanh"])
    sigmoid     = function(T["sigmoid"])
    log_sigmoid = function(T["log_sigmoid"])
    softplus    = function(T["softplus"])
    silu        = function(T["silu"])
    gelu        = gelu
    relu        = function(T["relu"])
    leaky_relu  = function(T["leaky_relu"])
    elu         = function(T["elu"])
    selu        = function(T["selu"])
    hardtanh    = function(T["hardtanh"])
    erf         = function(T["erf"])
    erfc        = function(T["erfc"])
    lgamma      = function(T["lgamma"])
    digamma     = function(T["digamma"])
    maximum     = function(T["maximum"])
    minimum     = function(T["minimum"])
    clip        = function(T["clip"])
    sign        = function(T["sign"])
    floor       = function(T["floor"])
    ceil        = function(T["ceil"])
    round       = function(T["round"])
    # fmt: on


METHODS = tuple(name for name, method in vars(Operators).items() if hasattr(method, "primitive"))
"""The rows that are methods of a carrier too, called on their first argument."""
