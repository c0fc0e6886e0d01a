"""The signatures of the methods of a Tensor that have an axis, for type checkers.

``dim`` and ``keepdim`` are PyTorch's names for ``axis`` and ``keepdims``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from ...core.carrier import Carrier
from .types import Array, Axes, Axis, DTypeLike, Nested, Number, TopK

__all__ = ["ReductionMethods"]

Operand: TypeAlias = Carrier | Array | Number | Nested
"""What a method takes besides a Tensor."""


class ReductionMethods:
    """Reductions, order, and elements by their indices."""

    __slots__ = ()

    if TYPE_CHECKING:
        # --- reductions ---------------------------------------------------------------------------

        def sum(
            self,
            axis: Axes = None,
            *,
            dtype: DTypeLike | None = None,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def mean(
            self,
            axis: Axes = None,
            *,
            dtype: DTypeLike | None = None,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def prod(
            self,
            axis: Axes = None,
            *,
            dtype: DTypeLike | None = None,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def var(
            self,
            axis: Axes = None,
            *,
            correction: float | None = None,
            ddof: float | None = None,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def std(
            self,
            axis: Axes = None,
            *,
            correction: float | None = None,
            ddof: float | None = None,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def max(self, axis: Axes = None, *, keepdims: bool = False) -> Self: ...
        def min(self, axis: Axes = None, *, keepdims: bool = False) -> Self: ...
        def all(
            self,
            axis: Axes = None,
            *,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def any(
            self,
            axis: Axes = None,
            *,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def norm(
            self,
            ord: float = 2,
            axis: Axes = None,
            *,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def softmax(self, axis: Axes = -1, *, dim: Axes = None) -> Self: ...
        def log_softmax(self, axis: Axes = -1, *, dim: Axes = None) -> Self: ...
        def logsumexp(
            self,
            axis: Axes = None,
            *,
            keepdims: bool = False,
            dim: Axes = None,
            keepdim: bool = False,
        ) -> Self: ...
        def cumsum(
            self, axis: Axis = None, *, dtype: DTypeLike | None = None, dim: Axis = None
        ) -> Self: ...
        def cumprod(
            self, axis: Axis = None, *, dtype: DTypeLike | None = None, dim: Axis = None
        ) -> Self: ...

        # --- order --------------------------------------------------------------------------------

        def argmax(
            self,
            axis: Axis = None,
            *,
            keepdims: bool = False,
            dim: Axis = None,
            keepdim: bool = False,
        ) -> Self: ...
        def argmin(
            self,
            axis: Axis = None,
            *,
            keepdims: bool = False,
            dim: Axis = None,
            keepdim: bool = False,
        ) -> Self: ...
        def argsort(
            self,
            axis: Axis = -1,
            *,
            descending: bool = False,
            stable: bool = True,
            dim: Axis = None,
        ) -> Self: ...
        def searchsorted(
            self,
            x2: Operand,
            *,
            side: Literal["left", "right"] = "left",
            sorter: Operand | None = None,
        ) -> Self: ...
        def topk(
            self, k: int, axis: int = -1, *, largest: bool = True, dim: Axis = None
        ) -> TopK[Self]: ...

        # --- elements by their indices ------------------------------------------------------------

        def take(self, indices: Operand, axis: Axis = None, *, dim: Axis = None) -> Self: ...
        def gather(self, axis: int, indices: Operand, *, dim: Axis = None) -> Self: ...
        def scatter(
            self, axis: int, indices: Operand, values: Operand, *, dim: Axis = None
        ) -> Self: ...
        def scatter_add(
            self, axis: int, indices: Operand, values: Operand, *, dim: Axis = None
        ) -> Self: ...
        def nonzero(self) -> tuple[Self, ...]: ...
