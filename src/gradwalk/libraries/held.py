"""The facts of an array of another library, and what rearranges its elements, by NumPy's names."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np

from ..core.carrier import Carrier
from ..errors import OptionError
from .places import Place, expect_memory, is_traced, is_tracer, numpy_dtype

__all__ = ["CONVERSION", "Held", "Operand", "Raw", "joint", "lacking", "two_places"]

Raw: TypeAlias = Any
"""An array of another library. Of their types there is no common one."""

Operand: TypeAlias = Any
"""An array of a library, a constant array of NumPy, or a number."""

CONVERSION = "a conversion to an array of NumPy"


class Held(Carrier):
    """The half of a `LibraryArray` that computes nothing."""

    __slots__ = ("dtype", "place", "raw")
    _rank = -1  # a Tensor, a tracer or a Value decides before it
    _records: ClassVar[bool] = False
    dtype: np.dtype[Any]
    place: Place
    raw: Any

    def __init__(self, raw: Any, place: Place) -> None:
        if place.device is not None and place.library == "jax" and is_tracer(raw):
            place = place.abstract  # of a constant and a tracer
        self.raw, self.place = raw, place
        self.dtype = numpy_dtype(raw.dtype)

    # --- facts ------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(self.raw.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.raw.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.raw.shape)

    @property
    def strides(self) -> tuple[int, ...]:
        """The steps of an array whose elements lie row by row, as this one is seen."""
        n = self.dtype.itemsize
        return tuple(n * prod(self.shape[i + 1 :]) for i in range(self.ndim))

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The number of bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def known(self) -> bool:
        """Whether there are numbers: a compiler that traces has none."""
        return not is_traced(self.raw)

    def __len__(self) -> int:
        return self.shape[0]

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy as an array of NumPy."""
        return self.place.numbers(self.raw)

    def beside(self, x: Any) -> Self:
        """Return the numbers of an array of NumPy where this array lies."""
        return x if type(x) is type(self) else self._with(self.place.put(x))

    def __float__(self) -> float:
        return float(self.item())

    def item(self) -> Any:
        """Return the only element as a number of Python."""
        return self.numpy().item()

    def __int__(self) -> int:
        return int(self.item())

    def tolist(self) -> Any:
        """Return the elements as nested lists."""
        return self.numpy().tolist()

    def __bool__(self) -> bool:
        return bool(self.place.told(self.raw))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise lacking(CONVERSION, self.place)

    def __repr__(self) -> str:
        return f"<array of {self.place} {self.shape} {self.dtype}>"

    # --- the same elements ------------------------------------------------------------------------

    def _with(self, raw: Any) -> Self:
        if self.place.library != "torch" or raw.dtype is not self.raw.dtype:
            return type(self)(raw, self.place)
        y = object.__new__(type(self))  # `__init__` takes twice the time
        y.raw, y.place, y.dtype = raw, self.place, self.dtype
        return y

    def astype(self, dtype: Any, copy: bool = True) -> Self:
        """Return the elements in another dtype."""
        if not copy and dtype is self.dtype:
            return self
        kind = self.place.dtype(dtype)
        if kind == self.raw.dtype:
            return self.copy() if copy else self
        return self._with(self.place.xp.astype(self.raw, kind))

    def copy(self, order: str = "C") -> Self:
        """Return a copy. Arrays of JAX never change, so that they need none."""
        if self.place.library == "jax":
            return self
        try:
            return self._with(self.place.xp.asarray(self.raw, copy=True))
        except (RuntimeError, MemoryError) as error:
            expect_memory("a copy", self.place, error)
            raise

    def reshape(self, *shape: Any) -> Self:
        """Return the elements in another shape."""
        lengths = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if self.place.library == "torch":  # its package's function takes as long as PyTorch's
            return self._with(self.raw.reshape(tuple(map(int, lengths))))
        return self._with(self.place.xp.reshape(self.raw, tuple(map(int, lengths))))

    def ravel(self) -> Self:
        """Return the elements along one axis."""
        return self.reshape(-1)

    def transpose(self, *axes: Any) -> Self:
        """Return the axes in another order; by default reversed."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        n = len(self.raw.shape)
        order = tuple([int(i) % n for i in order]) or tuple(range(n))[::-1]
        if self.place.library == "torch":
            return self._with(self.raw.permute(order))
        return self._with(self.place.xp.permute_dims(self.raw, order))

    T = property(transpose)

    @property
    def mT(self) -> Self:  # noqa: N802
        """The last two axes exchanged."""
        return self.swapaxes(-1, -2)

    def swapaxes(self, a: int, b: int) -> Self:
        """Return two axes exchanged."""
        order = list(range(self.ndim))
        order[a], order[b] = order[b], order[a]
        return self.transpose(order)

    def squeeze(self, axis: Any = None) -> Self:
        """Return the array without axes of length 1."""
        gone = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        places = {i % self.ndim for i in gone}
        keep = [n for i, n in enumerate(self.shape) if i not in places or n != 1]
        return self.reshape(tuple(keep))


def lacking(what: str, place: Place, error: object = "") -> OptionError:
    """Return the error for what has no form for arrays of a library, or what it refused."""
    reason = str(error).partition("\n")[0]
    return OptionError(
        where=what,
        expected="an operation that gradwalk has for arrays of every library",
        got=f"an array of {place}{reason and f' ({reason})'}",
        fix='Write t.to_device("numpy") before it, and move the result back.',
    )


def joint(where: str, a: Place, b: Place) -> Place:
    """Return the place of what two arrays give. Raise `OptionError` if they lie in two.

    An array of JAX on one device and one without, such as a tracer, give one without.
    """
    if a is b or (a.xp is b.xp and a.device is None):
        return a
    if a.xp is b.xp and b.device is None:
        return b
    raise two_places(where, a, b)


def two_places(where: str, a: object, b: object) -> OptionError:
    """Return the error for operands in two places."""
    return OptionError(
        where=where,
        expected="operands of one library on one device",
        got=f"one on {a} and one on {b}",
        fix=f'Write x.to_device("{a}") for the other one.',
    )
