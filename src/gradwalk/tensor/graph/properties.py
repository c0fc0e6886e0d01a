"""Facts about the array of a Tensor, and conversions to Python numbers and NumPy arrays."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, Self, cast, overload

import numpy as np

from ...core.expect import describe, expect_no_assignment
from ...engine.node import recording
from ...errors import NotANumberError, OptionError, SilentDetachError, SizeError, UsageError
from ...levels.programs import reads
from .detaching import detaching
from .types import Array, DType, DTypeLike

__all__ = ["Facts", "Size", "check_flag"]


class Size(int):
    """How many elements there are: an int that answers PyTorch's ``t.size()``, too."""

    shape: tuple[int, ...]

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> Self:
        """Return the size of an array of a shape."""
        size = cls(math.prod(shape))
        size.shape = shape
        return size

    @overload
    def __call__(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def __call__(self, dim: int) -> int: ...
    def __call__(self, dim: int | None = None) -> tuple[int, ...] | int:
        """Return the shape, or the length of the axis ``dim``.

        >>> from gradwalk import Tensor
        >>> t = Tensor([[1.0, 2.0, 3.0]])
        >>> t.size, t.size(), t.size(-1)
        (3, (1, 3), 3)
        """
        if dim is None:
            return self.shape
        if -len(self.shape) <= dim < len(self.shape):
            return self.shape[dim]
        raise SizeError(
            where="t.size(dim)",
            expected=f"an axis of {len(self.shape)}",
            got=describe(dim),
            fix="Count from 0 at the front, or from -1 at the back.",
        )

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


class Facts:
    """The half of a `Tensor` that reads its array and records nothing."""

    __slots__ = ()
    _data: Array
    _node: Any
    label: str
    requires_grad: bool
    _is_traced: Callable[[], bool]

    def __init_subclass__(cls) -> None:
        if not cls.__module__.startswith("gradwalk."):
            raise UsageError(
                where=f"class {cls.__name__}(Tensor)",
                expected="no subclass, because every operation would return a plain Tensor",
                got="one",
                fix="Write self.tensor = Tensor(data) in a class of your own.",
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self._data.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._data.ndim

    @property
    def size(self) -> Size:
        """The number of elements. Called, as PyTorch's method is, it returns the shape."""
        return Size.of(self.shape)

    @property
    def dtype(self) -> DType:
        """The NumPy dtype of the elements."""
        return self._data.dtype

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The number of bytes of all elements."""
        return self.size * self.itemsize

    @property
    def real(self) -> Self:
        """The Tensor itself: its elements are real."""
        return self

    @property
    def imag(self) -> Array:
        """Zeros, the imaginary parts."""
        return np.zeros(self.shape, self.dtype)

    def conj(self) -> Self:
        """Return the Tensor itself: its elements are real."""
        return self

    conjugate = conj

    def item(self) -> float:
        """Return the only element as a number of Python.

        Inside a transform that differentiates by it, it stays traced: a Tensor of shape ().

        Returns
        -------
        float
            The element; an int or a bool if the dtype is one of these.

        Raises
        ------
        SizeError
            If the Tensor does not have exactly one element.

        Examples
        --------
        >>> from gradwalk import Tensor
        >>> Tensor([2.0]).item()
        2.0
        """
        if not self._is_detached():
            self._expect_one_number()
            return cast("Any", self).reshape(-1)[0]  # type: ignore[no-any-return]
        data = self._data
        if data.size != 1:  # of the array: `size` is an object of its own, which takes 0.4 µs
            self._expect_one_number()
        reads(self)
        return data.item()  # type: ignore[no-any-return]

    def _expect_one_number(self) -> None:
        if self.size != 1:
            raise SizeError(
                where="Tensor.item()",
                expected="a Tensor of one number",
                got=f"shape {self.shape}",
                fix="Write t.tolist() for all of them, or reduce it first: t.mean().item().",
            )

    def _is_detached(self) -> bool:
        """Return whether plain numbers lose nothing that a running transform wants."""
        return recording.paused > 0 or not self._is_traced()

    def numpy(self) -> Array:
        """Return a copy of the elements as an array, through which no gradient flows.

        Returns
        -------
        the shape of the Tensor
            The copy.

        See Also
        --------
        detach, tolist

        Examples
        --------
        >>> from gradwalk import Tensor
        >>> Tensor([1.0, 2.0]).numpy()
        array([1., 2.])
        """
        reads(self)
        return self._data.copy()

    def tolist(self) -> Any:
        """Return the elements as nested lists, of what `item` returns.

        Returns
        -------
        list
            Lists as deep as there are axes; a number for a Tensor without axes.

        Examples
        --------
        >>> from gradwalk import Tensor
        >>> Tensor([[1.0, 2.0]]).tolist()
        [[1.0, 2.0]]
        """
        if self._is_detached():
            reads(self)
            return self._data.tolist()
        return [x.tolist() for x in self] if self.ndim else self.item()  # type: ignore

    def __len__(self) -> int:
        if self.ndim:
            return self.shape[0]
        raise NotANumberError(
            where="len(t)",
            expected="a Tensor with axes",
            got=repr(self),
            fix="Write t.size for how many numbers there are, t[None] for a list of this one.",
        )

    def __bool__(self) -> bool:
        if self.size != 1:
            raise SizeError(
                where="bool(t), as in `if t:`, `and`, `or` and `not`",
                expected="a Tensor of one number",
                got=f"shape {self.shape}",
                fix="Write t.any() or t.all(); conditions of arrays are joined by &, | and ~.",
            )
        reads(self)
        return bool(self._data)  # no error for a gradient: a condition chooses steps, and has none

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        self._expect_one_number()
        reads(self)
        return format(self._data.item(), spec)

    def __float__(self) -> float:
        if self.requires_grad:
            expect_no_assignment(self)
        return float(self._number("float(t)"))

    def __int__(self) -> int:
        return int(self._number("int(t)"))

    def __index__(self) -> int:
        number = self._detached("an index")
        if number.size == 1 and number.dtype.kind in "iu" and not number.ndim:
            return int(number)
        raise NotANumberError(
            where="an index, a length or an axis",
            expected="an integer",
            got=repr(self),
            fix="Write int(t) for a Tensor of one number, [a, b] for a list of Tensors.",
        )

    def _number(self, where: str) -> Any:
        """Return the only element. Raise `SilentDetachError` if its gradient would be lost."""
        if self.size == 1:
            return self._detached(where).item()
        raise NotANumberError(
            where=where,
            expected="a Tensor of one number",
            got=f"shape {self.shape}",
            fix="Write t.tolist() for all of them, t[0] for the first, np.exp(t) for math.exp(t).",
        )

    def _detached(self, where: str, number: str = "t.detach().item() for the number") -> Any:
        if self._node is None:
            reads(self)
            return self._data
        raise self._detach_error(where, number)

    def _detach_error(self, where: str, number: str) -> SilentDetachError:
        return SilentDetachError(
            where=where,
            expected="plain numbers",
            got=f"{self!r}, whose gradient would be lost silently",
            fix=f"Write {number}, a function of gradwalk to differentiate.",
        )

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray[Any, np.dtype[np.generic]]:  # generic: ``array * t`` is ``t.__rmul__``
        if self.requires_grad:
            raise detaching(self)
        if copy is False:
            raise OptionError(
                where="numpy.asarray(t, copy=...)",
                expected="None or True, because no array shares the memory of a Tensor",
                got="copy=False",
                fix="Leave it out; t.data is the array itself.",
            )
        reads(self)
        array = np.array(self._data, dtype=dtype)  # a copy: writing leaves the Tensor as it is
        # numpy.nditer writes into what it gets, and the copy would be lost
        array.flags.writeable = "nditer" not in sys._getframe(1).f_code.co_names
        return array

    def __repr__(self) -> str:
        reads(self)
        text = np.array2string(self._data, separator=", ", prefix="Tensor(")
        # as in NumPy's repr: `[]` alone would not tell (0, 3) from (2, 0)
        shape = f", shape={self.shape}" if not self.size and self.ndim > 1 else ""
        # the dtypes that `Tensor(...)` would infer from the text again
        dtype = "" if self.dtype in (np.float64, np.int64, np.bool_) else f", dtype={self.dtype}"
        flag = ", requires_grad=True" if self.requires_grad else ""
        label = f", label={self.label!r}" if self.label else ""
        return f"Tensor({text}{shape}{dtype}{flag}{label})"


def check_flag(tensor: Any, flag: Any) -> None:
    """Raise `OptionError` for a ``requires_grad`` that cannot be set."""
    if not isinstance(flag, (bool, np.bool_)):
        raise OptionError(
            where="Tensor(requires_grad=...)",
            expected="True or False",
            got=describe(flag),
            fix="Pass options by keyword: Tensor(data, dtype=float, requires_grad=True).",
        )
    if flag and tensor.dtype.kind != "f":
        raise OptionError(
            where="Tensor(requires_grad=True)",
            expected="a floating dtype",
            got=f"dtype {tensor.dtype}",
            fix="Write Tensor(data, dtype=float, requires_grad=True).",
        )
    if flag != (tensor._node is not None) and tensor._node is not None and tensor._node._primitive:
        raise OptionError(
            where="Tensor.requires_grad",
            expected="a leaf",
            got=f"the result of {tensor._node.op}",
            fix="Write t.detach() for a Tensor through which no gradient flows.",
        )
