"""Signatures of the public functions, for type checkers.

Each function accepts numbers, NumPy arrays and carriers (`Value`, `Tensor`), and returns a result
of the kind that was passed. One type variable describes all carriers, because this package must not
import Tensors.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING, Protocol, TypeVar, overload

from ..core.carrier import Carrier

if TYPE_CHECKING:  # importing gradwalk does not load NumPy
    import numpy as np
    from numpy.typing import NDArray

    Number = float | np.floating | np.integer | np.bool_
    Array = NDArray[np.floating] | NDArray[np.integer] | NDArray[np.bool_]
    Constant = Number | Array
    Floats = NDArray[np.floating]

__all__ = ["Atan2", "Binary", "Clip", "Elu", "Gelu", "Hardtanh", "LeakyRelu", "LogSumExp"]
__all__ += ["Polygamma", "Softmax", "Ternary", "Unary", "Where"]

C = TypeVar("C", bound=Carrier)
F = TypeVar("F", bound="NDArray[np.floating]")
Axis = int | tuple[int, ...] | None


class Unary(Protocol):
    """A function of one number."""

    @overload
    def __call__(self, x: Number) -> float: ...
    @overload
    def __call__(self, x: C) -> C: ...
    @overload
    def __call__(self, x: F) -> F: ...
    @overload
    def __call__(self, x: Array) -> Floats: ...


class Binary(Protocol):
    """A function of two numbers."""

    @overload  # numbers alone match this one first
    def __call__(self, a: Number, b: Number) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: C, b: C | Constant) -> C: ...
    @overload
    def __call__(self, a: Constant, b: C) -> C: ...
    @overload
    def __call__(self, a: Constant, b: Constant) -> Floats: ...


class Atan2(Protocol):
    """The angle of a point."""

    @overload  # numbers alone match this one first
    def __call__(self, y: Number, x: Number) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, y: C, x: C | Constant) -> C: ...
    @overload
    def __call__(self, y: Constant, x: C) -> C: ...
    @overload
    def __call__(self, y: Constant, x: Constant) -> Floats: ...


class Polygamma(Protocol):
    """Derivatives of `digamma`, by their order."""

    @overload
    def __call__(self, n: Number, x: Number) -> float: ...
    @overload
    def __call__(self, n: C | Constant, x: C) -> C: ...
    @overload
    def __call__(self, n: Constant, x: Array) -> Floats: ...


class Ternary(Protocol):
    """A function of three numbers."""

    @overload  # numbers alone match this one first
    def __call__(self, a: Number, b: Number, c: Number) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, a: C, b: C | Constant, c: C | Constant) -> C: ...
    @overload
    def __call__(self, a: Constant, b: C, c: C | Constant) -> C: ...
    @overload
    def __call__(self, a: Constant, b: Constant, c: C) -> C: ...
    @overload
    def __call__(self, a: Constant, b: Constant, c: Constant) -> Floats: ...


class Where(Protocol):
    """A choice between two numbers."""

    @overload  # numbers alone match this one first
    def __call__(self, condition: Number, a: Number, b: Number) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, condition: C, a: C | Constant, b: C | Constant) -> C: ...
    @overload
    def __call__(self, condition: Constant, a: C, b: C | Constant) -> C: ...
    @overload
    def __call__(self, condition: Constant, a: Constant, b: C) -> C: ...
    @overload
    def __call__(self, condition: Constant, a: Constant, b: Constant) -> Floats: ...


class Clip(Protocol):
    """A number limited to an interval. ``None`` means no limit."""

    @overload
    def __call__(self, x: Number, min: Number | None = -inf, max: Number | None = inf) -> float: ...
    @overload
    def __call__(
        self, x: C, min: C | Constant | None = -inf, max: C | Constant | None = inf
    ) -> C: ...
    @overload
    def __call__(
        self, x: Array, min: Constant | None = -inf, max: Constant | None = inf
    ) -> Floats: ...


class LeakyRelu(Protocol):
    """`relu` with a slope for negative numbers."""

    @overload
    def __call__(self, x: Number, negative_slope: Number = 0.01) -> float: ...
    @overload
    def __call__(self, x: C, negative_slope: C | Constant = 0.01) -> C: ...
    @overload
    def __call__(self, x: F, negative_slope: Number = 0.01) -> F: ...
    @overload
    def __call__(self, x: Array, negative_slope: Constant = 0.01) -> Floats: ...


class Elu(Protocol):
    """An exponential linear unit."""

    @overload
    def __call__(self, x: Number, alpha: Number = 1.0) -> float: ...
    @overload
    def __call__(self, x: C, alpha: C | Constant = 1.0) -> C: ...
    @overload
    def __call__(self, x: F, alpha: Number = 1.0) -> F: ...
    @overload
    def __call__(self, x: Array, alpha: Constant = 1.0) -> Floats: ...


class Hardtanh(Protocol):
    """An identity limited to an interval."""

    @overload
    def __call__(self, x: Number, min_val: Number = -1.0, max_val: Number = 1.0) -> float: ...
    @overload
    def __call__(self, x: C, min_val: C | Constant = -1.0, max_val: C | Constant = 1.0) -> C: ...
    @overload
    def __call__(self, x: F, min_val: Number = -1.0, max_val: Number = 1.0) -> F: ...
    @overload
    def __call__(self, x: Array, min_val: Constant = -1.0, max_val: Constant = 1.0) -> Floats: ...


class Gelu(Protocol):
    """A Gaussian error linear unit."""

    @overload
    def __call__(self, x: Number, approximate: str = "none") -> float: ...
    @overload
    def __call__(self, x: C, approximate: str = "none") -> C: ...
    @overload
    def __call__(self, x: F, approximate: str = "none") -> F: ...
    @overload
    def __call__(self, x: Array, approximate: str = "none") -> Floats: ...


class Softmax(Protocol):
    """A function from a list to a list, or along an axis of an array."""

    @overload
    def __call__(self, xs: C, axis: Axis = -1) -> C: ...
    @overload
    def __call__(self, xs: F, axis: Axis = -1) -> F: ...
    @overload
    def __call__(self, xs: Array, axis: Axis = -1) -> Floats: ...
    @overload  # a list of floats alone matches this one first
    def __call__(  # type: ignore[overload-overlap]
        self, xs: Iterable[float], axis: Axis = -1
    ) -> list[float]: ...
    @overload
    def __call__(self, xs: Iterable[C | float], axis: Axis = -1) -> list[C]: ...


class LogSumExp(Protocol):
    """A function from a list to a number, or along axes of an array."""

    @overload
    def __call__(self, xs: C, axis: Axis = None, *, keepdims: bool = False) -> C: ...
    @overload
    def __call__(self, xs: Array, axis: Axis = None, *, keepdims: bool = False) -> Floats: ...
    @overload  # a list of floats alone matches this one first
    def __call__(  # type: ignore[overload-overlap]
        self, xs: Iterable[float], axis: Axis = None, *, keepdims: bool = False
    ) -> float: ...
    @overload
    def __call__(
        self, xs: Iterable[C | float], axis: Axis = None, *, keepdims: bool = False
    ) -> C: ...
