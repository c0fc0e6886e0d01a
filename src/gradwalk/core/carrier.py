"""Carriers: the kinds of number that a primitive can be applied to.

`IEEEFloat` is the smallest of them, a float whose operators follow IEEE 754.
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
    "records",
    "total",
]


class Carrier:
    """An argument that decides what applying a primitive does: record, trace or print."""

    __slots__ = ()
    _is_tensor: ClassVar[bool] = False
    _is_number: ClassVar[bool] = False
    _is_reading: ClassVar[bool] = False  # a number that was read out of a program
    _masks: ClassVar[tuple[Any, ...]] = ()  # the primitives of a condition, if not the usual ones
    _records: ClassVar[bool] = True  # whether what is applied to it can be differentiated

    @property
    def _rank(self) -> int:
        """The rank. Of several carriers among the arguments, the highest rank decides."""
        return 0

    @classmethod
    def _apply(cls, primitive: Any, args: tuple[Any, ...]) -> Any:
        """Return ``primitive(*args)``, where at least one argument is a ``cls``."""
        raise NotImplementedError


class TensorLike(Protocol):
    """A Tensor, for packages that must not import it."""

    def backward(self, gradient: Any = None, retain_graph: bool = True) -> None:
        """Add the gradients of this result to its leaves."""


def carrier_among(args: Iterable[object]) -> Any:
    """Return the argument that decides what a primitive does: the first of the highest rank.

    ``None`` means that no carrier is among the arguments.
    """
    first = None
    for arg in args:
        if isinstance(arg, Carrier) and (first is None or arg._rank > first._rank):
            first = arg
    return first


def records(*args: object) -> bool:
    """Return whether an argument makes what is applied to it differentiable."""
    return any(isinstance(arg, Carrier) and arg._records for arg in args)


def is_tensor(x: object) -> bool:
    """Return whether ``x`` is a Tensor or a tracer of one, without loading NumPy."""
    return isinstance(x, Carrier) and x._is_tensor


BEYOND_PYTHON = (ZeroDivisionError, OverflowError)  # 1.0 / 0.0, 1e200 ** 2


class IEEEFloat(float, Carrier):
    """A float whose operators follow IEEE 754, for rules that raised an error on plain floats."""

    __slots__ = ()
    _is_number: ClassVar[bool] = True
    _records: ClassVar[bool] = False

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
    """Return ``forward`` on floats, rerun in the arithmetic of IEEE 754 where Python raises."""

    def evaluate(*args: float) -> Any:
        try:
            y = forward(*args)
        except BEYOND_PYTHON:
            return float(forward(*map(IEEEFloat, args)))
        return nan if type(y) is complex else y  # (-1.0) ** 0.5 has no real value

    return evaluate
