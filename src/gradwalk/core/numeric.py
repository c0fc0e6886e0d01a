"""What rules compute with, for type checkers: numbers and arrays of any kind.

A rule runs on floats, arrays, Values, Tensors, tracers and on `Var`. It uses their arithmetic and
nothing else, so arithmetic is all that its annotations promise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

if TYPE_CHECKING:  # importing gradwalk does not load NumPy
    import numpy as np

__all__ = ["Array", "Numeric", "NumericArray"]

Array: TypeAlias = "np.ndarray[Any, Any]"
"""An array of NumPy: what the forward functions of primitives on arrays compute with."""


class Numeric(Protocol):
    """A number of any kind, or an array of them."""

    # fmt: off
    def __neg__(self) -> Self: ...
    def __add__(self, other: Any, /) -> Self: ...
    def __radd__(self, other: Any, /) -> Self: ...
    def __sub__(self, other: Any, /) -> Self: ...
    def __rsub__(self, other: Any, /) -> Self: ...
    def __mul__(self, other: Any, /) -> Self: ...
    def __rmul__(self, other: Any, /) -> Self: ...
    def __truediv__(self, other: Any, /) -> Self: ...
    def __rtruediv__(self, other: Any, /) -> Self: ...
    def __and__(self, other: Any, /) -> Self: ...
    def __or__(self, other: Any, /) -> Self: ...
    def __lt__(self, other: Any, /) -> Self: ...
    def __le__(self, other: Any, /) -> Self: ...
    def __gt__(self, other: Any, /) -> Self: ...
    def __ge__(self, other: Any, /) -> Self: ...
    # fmt: on


class NumericArray(Numeric, Protocol):
    """An array of any kind: one of NumPy, a Tensor, or a tracer of one."""

    @property
    def shape(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def ndim(self) -> int: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102
    @property
    def dtype(self) -> Any: ...  # noqa: D102
    @property
    def mT(self) -> Self: ...  # noqa: D102, N802
    def __getitem__(self, key: Any, /) -> Self: ...
    def __iter__(self) -> Iterator[Self]: ...
