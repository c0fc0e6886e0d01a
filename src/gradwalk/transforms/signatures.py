"""Type variables of the transforms: what a transformed function takes and returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..engine.value import Value
    from ..tensor import Tensor

__all__ = ["Aux", "Carrier", "Element", "Number", "P", "R", "Ts", "X", "Y"]

P = ParamSpec("P")
Ts = TypeVarTuple("Ts")
X = TypeVar("X")
"""The type of the argument to differentiate by, and so of its gradient."""

Y = TypeVar("Y")
"""The type of the argument after it."""

R = TypeVar("R")
Aux = TypeVar("Aux")

if TYPE_CHECKING:
    Number = TypeVar("Number", bound=float | Value | Tensor | NDArray[Any])
    """One number or one array, not a container: its blocks of derivatives are like it."""

    Carrier = TypeVar("Carrier", bound=Value | Tensor)
    Element = TypeVar("Element", bound=Tensor | NDArray[Any])
else:  # NumPy is not loaded for annotations
    Number, Carrier, Element = TypeVar("Number"), TypeVar("Carrier"), TypeVar("Element")
