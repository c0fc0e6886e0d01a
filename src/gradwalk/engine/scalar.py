"""Carriers of one number: comparisons, and errors for conversions that would lose the gradient.

A scalar compares by its number. It is hashed by its identity, because nodes are kept in sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from ..core.backend import arrays
from ..core.expect import as_float
from ..errors import NotANumberError, SilentDetachError
from ..ops import TABLE
from .operators import Operators

if TYPE_CHECKING:
    from .signatures import Number

__all__ = ["Scalar", "weighted_sum"]


class Scalar(Operators):
    """A carrier of one number, ``data``."""

    __slots__ = ()
    _is_number: ClassVar[bool] = True  # so a mask is decided by its truth
    data: float

    def __bool__(self) -> bool:
        return bool(self.data != 0.0)

    def __lt__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _number(other)) is None else self.data < b

    def __le__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _number(other)) is None else self.data <= b

    def __gt__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _number(other)) is None else self.data > b

    def __ge__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _number(other)) is None else self.data >= b

    def __format__(self, spec: str) -> str:
        return format(self.data, spec) if spec else repr(self)

    def __round__(self, digits: int | None = None) -> Self:
        if digits is not None:
            self._detached(f"round(v, {digits})", f"round(v.data, {digits})", "round(v)")
        return self.round()

    def __float__(self) -> float:
        self._detached("float(v), or a function of math on a Value", "v.data", "gradwalk.exp(v)")

    def __int__(self) -> int:
        self._detached("int(v)", "int(v.data)", "gradwalk.floor(v)")

    def __complex__(self) -> complex:
        self._detached("complex(v)", "complex(v.data)", "gradwalk.exp(v)")

    def __trunc__(self) -> int:
        self._detached("math.trunc(v)", "math.trunc(v.data)", "gradwalk.floor(v)")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return arrays().ufunc_of_values(ufunc, method, inputs, options)

    def _detached(self, where: str, number: str, differentiable: str) -> NoReturn:
        raise SilentDetachError(
            where=where,
            expected="a plain number",
            got=f"{self!r}, whose gradient would be lost silently",
            fix=f"Write {number} for the number, {differentiable} to differentiate.",
        )


def _number(other: object) -> float | None:
    """Return the number to compare with. Ints stay ints, which compare exactly at any size."""
    if isinstance(other, Scalar):
        return other.data
    try:
        return other if isinstance(other, int) else as_float(other, "comparison")
    except NotANumberError:
        return None


def weighted_sum(weights: Sequence[Any], inputs: Sequence[Any], start: object) -> Any:
    """Return start + w₀x₀ + w₁x₁ + …, recorded as these multiplications and additions."""
    for weight, x in zip(weights, inputs, strict=True):
        start = start + TABLE["mul"](weight, x)
    return start
