"""The types of losses: Tensors give a Tensor, Values a Value, plain numbers a float."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    Protocol,
    TypeAlias,
    cast,
    overload,
)

from ...engine.value import Value

if TYPE_CHECKING:
    import numpy as np

    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["Loss", "LossResult", "PlainNumbers", "Predictions", "Scalars", "loss"]

Options = ParamSpec("Options")

PlainNumbers: TypeAlias = "float | Sequence[float | Sequence[float]] | np.ndarray[Any, Any]"
"""A number, a list of numbers, or a list of rows of numbers."""

Scalars: TypeAlias = "float | Value | Sequence[float | Value | Sequence[float | Value]]"
"""`PlainNumbers` with Values among them."""

Predictions: TypeAlias = "Tensor | ArrayLike | Scalars"
"""Predictions, or targets, of any kind."""

LossResult: TypeAlias = "Tensor | Value | float | list[Value] | list[float]"


class Loss(Protocol[Options]):
    """A function of predictions and targets; the kind of its arguments decides its result."""

    @overload
    def __call__(
        self,
        predictions: Tensor,
        targets: Predictions,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Tensor: ...
    @overload
    def __call__(
        self,
        predictions: Predictions,
        targets: Tensor,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Tensor: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self,
        predictions: PlainNumbers,
        targets: PlainNumbers,
        /,
        *,
        reduction: Literal["none"],
        **options: float,
    ) -> list[float]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self,
        predictions: PlainNumbers,
        targets: PlainNumbers,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> float: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self,
        predictions: Scalars,
        targets: Scalars,
        /,
        *,
        reduction: Literal["none"],
        **options: float,
    ) -> list[Value]: ...
    @overload
    def __call__(
        self,
        predictions: Scalars,
        targets: Scalars,
        /,
        *args: Options.args,
        **options: Options.kwargs,
    ) -> Value: ...


def loss(
    function: Callable[Concatenate[Predictions, Predictions, Options], LossResult],
) -> Loss[Options]:
    """Return ``function``, typed as a `Loss`."""
    return cast("Loss[Options]", function)
