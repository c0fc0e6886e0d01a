"""Carriers of one number: comparisons, and errors for conversions that would lose the gradient.

A scalar compares by its number. It is hashed by its identity, because nodes are kept in sets.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Self

from ..core.backend import arrays
from ..core.carrier import Carrier
from ..core.expect import as_float, expect_no_assignment, is_array, is_number
from ..errors import SilentDetachError
from ..ops import TABLE
from .observing import notify, observers
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

    __hash__: Final = object.__hash__

    def __eq__(self, other: object) -> bool:
        return NotImplemented if (b := _compared(self, other)) is None else _answer(self.data == b)

    def __ne__(self, other: object) -> bool:
        return NotImplemented if (b := _compared(self, other)) is None else _answer(self.data != b)

    def __lt__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _compared(self, other)) is None else _answer(self.data < b)

    def __le__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _compared(self, other)) is None else _answer(self.data <= b)

    def __gt__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _compared(self, other)) is None else _answer(self.data > b)

    def __ge__(self, other: Scalar | Number) -> bool:
        return NotImplemented if (b := _compared(self, other)) is None else _answer(self.data >= b)

    def __format__(self, spec: str) -> str:
        return format(self.data, spec) if spec else repr(self)

    def __round__(self, digits: int | None = None) -> Self:
        if digits is not None:
            self._detached(f"round(v, {digits})", f"round(v.data, {digits})", "v without rounding")
        return self.round()

    def __float__(self) -> float:
        expect_no_assignment(self)
        self._detached("float(v), or a function of math on a Value", "v.data", "gradwalk.exp(v)")

    def __int__(self) -> int:
        self._detached("int(v)", "int(v.data)", "v without rounding")

    def __complex__(self) -> complex:
        self._detached("complex(v)", "complex(v.data)", "gradwalk.exp(v)")

    @property
    def real(self) -> Self:
        """The number itself, as of a float."""
        return self

    @property
    def imag(self) -> float:
        """The imaginary part, 0.0, as of a float."""
        return 0.0

    def conjugate(self) -> Self:
        """Return the number itself, as a float does.

        Examples
        --------
        >>> from gradwalk import Value
        >>> x = Value(2.0)
        >>> x.conjugate() is x
        True
        """
        return self

    def is_integer(self) -> bool:
        """Return whether the number is an integer, as a float does.

        Examples
        --------
        >>> from gradwalk import Value
        >>> Value(2.0).is_integer(), Value(2.5).is_integer()
        (True, False)
        """
        return self.data.is_integer()

    def __trunc__(self) -> int:
        self._detached("math.trunc(v)", "math.trunc(v.data)", "v without rounding")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        answer = self._compared(ufunc, method, inputs)
        if answer is not None:
            return answer
        return arrays().ufunc_of_scalars(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return arrays().function_of_scalars(function, args, options)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return arrays().array_of_scalar(self, dtype)

    @staticmethod
    def _compared(ufunc: Any, method: str, inputs: Sequence[Any]) -> bool | None:
        """Return the answer if a number of NumPy is compared with a scalar, and else ``None``."""
        reflected = _REFLECTED.get(ufunc.__name__) if method == "__call__" else None
        if reflected is None:
            return None
        # NumPy makes an array without axes of its number
        a, b = [x[()] if is_array(x) and not x.ndim else x for x in inputs]
        both = all(isinstance(x, Scalar) or is_number(x) for x in (a, b))
        return bool(reflected(b, a)) if both else None

    def _detached(self, where: str, number: str, differentiable: str) -> NoReturn:
        raise SilentDetachError(
            where=where,
            expected="a plain number",
            got=f"{self!r}, whose gradient would be lost silently",
            fix=f"Write {number} for the number, {differentiable} to differentiate.",
        )


Real.register(Scalar)  # as float, so that numpy.isscalar and isinstance(x, Real) say the same

_REFLECTED = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.gt,
    "less_equal": operator.ge,
    "greater": operator.lt,
    "greater_equal": operator.le,
}
"""By the name of NumPy's function, the operator that gives its answer with operands exchanged."""


def _answer(answer: Any) -> bool:
    """Return a plain bool, also for NumPy's; the condition of a program stays one."""
    return answer if isinstance(answer, Carrier) else bool(answer)  # type: ignore[return-value]


def _compared(x: Scalar, other: object) -> Any:
    """Return the number to compare ``x`` with, after observers have seen both."""
    b = _number(other)
    if observers and b is not None:
        notify(None, (x, other), None)
    return b


def _number(other: object) -> Any:
    """Return the number to compare with as it is: ints and fractions compare exactly."""
    if isinstance(other, Scalar):
        return other.data
    return other if is_number(other) else None


def weighted_sum(weights: Sequence[Any], inputs: Sequence[Any], start: object) -> Any:
    """Return start + w₀x₀ + w₁x₁ + …, recorded as these multiplications and additions."""
    for weight, x in zip(weights, inputs, strict=True):
        if is_array(x):
            as_float(x, "mul")  # a neuron takes numbers, so this raises
        start = start + TABLE["mul"](weight, x)
    return start
