"""Differences of neighbours along an axis."""

from __future__ import annotations

from typing import Any

from ...core.expect import at_least
from ..graph.tensor import Tensor
from .arguments import axis_of, operand
from .elementwise import not_equal
from .joining import concat
from .shapes import broadcast_to
from .types import ArrayLike, unary_function

__all__ = ["diff"]
METHODS: tuple[str, ...] = ()


@unary_function
def diff(
    x: ArrayLike,
    axis: int = -1,
    n: int = 1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Tensor:
    """Return differences of neighbours along an axis.

        yᵢ = xᵢ₊₁ - xᵢ

    Parameters
    ----------
    x : any shape
        The numbers. For bools the result is whether neighbours differ.
    axis
        The axis along which neighbours are subtracted.
    n
        How often differences are taken, >= 0.
    prepend, append : () or like x, of any length along axis
        Elements joined to ``x`` in front and behind before differences are taken; ``None`` joins
        none. With n = 0 they are not used.

    Returns
    -------
    the shape of x, shorter by n along axis
        The differences.

    Raises
    ------
    SizeError
        If ``x`` has no such axis, or an end does not fit.
    OptionError
        If ``n`` is not a non-negative integer.

    See Also
    --------
    gradient

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> diff(Tensor([1.0, 4.0, 9.0])), diff(Tensor([1.0, 4.0, 9.0]), n=2)
    (Tensor([3., 5.]), Tensor([2.]))
    """
    at_least("diff(n)", n, 0, "Pass n=1 for differences, n=2 for differences of differences.")
    x = operand(x, "diff")
    axis = axis_of(axis, x.ndim, "diff")
    if n == 0:
        return x
    ends = [_end(part, x, axis) for part in (prepend, append) if part is not None]
    if ends:
        x = concat([*ends[: prepend is not None], x, *ends[prepend is not None :]], axis=axis)
    before = (slice(None),) * axis
    for _ in range(n):
        left, right = x[(*before, slice(None, -1))], x[(*before, slice(1, None))]
        # NumPy has no difference of bools, so the result is whether they differ
        x = not_equal(right, left) if x.dtype.kind == "b" else right - left
    return x


def _end(part: Any, x: Tensor, axis: int) -> Tensor:
    """Return the elements to put before or after ``x``. One number is repeated for every line."""
    part = operand(part, "diff")
    if part.ndim:
        return part
    return broadcast_to(part, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
