"""Carriers: the kinds of number that a row can be applied to.

`IEEEFloat` is the smallest of them, a float that knows all answers of IEEE 754.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import nan
from typing import Any, ClassVar, Protocol

from .ieee import NAMES

__all__ = [
    "BEYOND_PYTHON",
    "Carrier",
    "TensorLike",
    "IEEEFloat",
    "carrier_among",
    "is_tensor",
    "total",
]


class Carrier:
    """Whatever a row can be applied to, besides plain numbers."""

    __slots__ = ()
    _is_tensor: ClassVar[bool] = False
    _is_number: ClassVar[bool] = False

    @property
    def _rank(self) -> int:
        """Of several carriers among the arguments the highest decides."""
        return 0

    @classmethod
    def _apply(cls, primitive: Any, args: tuple[Any, ...]) -> Any:
        """The result of ``row`` on ``args``, of which at least one is a ``cls``."""
        raise NotImplementedError


class TensorLike(Protocol):
    """What a Tensor is to rooms that must not import it."""

    def backward(self, gradient: Any = None, retain_graph: bool = True) -> None:
        """Add the gradients of this result to its leaves."""


def carrier_among(args: Iterable[Any]) -> Any:
    """The argument that decides what a row does, or ``None``: the first of the highest rank."""
    found = None
    for arg in args:
        if isinstance(arg, Carrier) and (found is None or arg._rank > found._rank):
            found = arg
    return found


def is_tensor(x: Any) -> bool:
    """Whether ``x`` is a Tensor, or stands for one; the question does not load NumPy."""
    return isinstance(x, Carrier) and x._is_tensor


BEYOND_PYTHON = (ZeroDivisionError, OverflowError)  # 1.0 / 0.0, 1e200 ** 2; IEEE 754 has answers


class IEEEFloat(float, Carrier):
    """A float whose operators follow IEEE 754, for rules that raised an error on plain floats."""

    __slots__ = ()
    _is_number: ClassVar[bool] = True

    @classmethod
    def _apply(cls, primitive: Any, args: tuple[Any, ...]) -> Any:
        if primitive.libm:
            return IEEEFloat(NAMES[primitive.libm](*map(float, args)))
        result = primitive.forward(*map(IEEEFloat, args))
        return IEEEFloat(result) if type(result) is float else result

    def __neg__(self) -> IEEEFloat:
        return IEEEFloat(-float(self))


def _operator(name: str, reflected: bool) -> Callable[[IEEEFloat, float], IEEEFloat]:
    def operate(self: IEEEFloat, other: float) -> IEEEFloat:
        a, b = (other, self) if reflected else (self, other)
        return IEEEFloat(NAMES[name](float(a), float(b)))

    return operate


for _name in ("add", "sub", "mul", "div", "floordiv", "mod", "pow"):
    _slot = "truediv" if _name == "div" else _name
    setattr(IEEEFloat, f"__{_slot}__", _operator(_name, reflected=False))
    setattr(IEEEFloat, f"__r{_slot}__", _operator(_name, reflected=True))


def total(forward: Callable[..., Any]) -> Callable[..., Any]:
    """``forward`` on floats, rerun in total arithmetic if Python has no answer."""

    def evaluate(*args: float) -> Any:
        try:
            y = forward(*args)
        except BEYOND_PYTHON:
            return float(forward(*map(IEEEFloat, args)))
        return nan if type(y) is complex else y  # (-1.0) ** 0.5 has no real value

    return evaluate
