"""Dtypes and constants under the names of the array API, and the rules of promotion."""

from __future__ import annotations

import builtins
import math
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ...core.expect import describe, one_of
from ...errors import OptionError
from ...levels.vmap import varies
from ...ops.array.facts import plain
from ...ops.array.structure import astype as _astype
from ..graph.convert import dtype_of
from ..graph.placed import at_place
from ..graph.tensor import Tensor
from ..graph.types import Array, DType, DTypeLike, Number
from .arguments import operand
from .types import ArrayLike, Operand, unary_function
from .varying import stand_in

__all__ = ["astype", "bool", "can_cast", "e", "finfo", "float16", "float32", "float64", "iinfo"]
__all__ += ["inf", "int16", "int32", "int64", "int8", "isdtype", "nan", "newaxis", "pi"]
__all__ += ["result_type", "uint16", "uint32", "uint64", "uint8"]
METHODS = ("astype",)

float64: DType = np.dtype("float64")
float32: DType = np.dtype("float32")
float16: DType = np.dtype("float16")
int64: DType = np.dtype("int64")
int32: DType = np.dtype("int32")
int16: DType = np.dtype("int16")
int8: DType = np.dtype("int8")
uint64: DType = np.dtype("uint64")
uint32: DType = np.dtype("uint32")
uint16: DType = np.dtype("uint16")
uint8: DType = np.dtype("uint8")
bool: DType = np.dtype("bool")
e: float = math.e
inf: float = math.inf
nan: float = math.nan
newaxis: None = None
pi: float = math.pi


Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


class FloatingFacts(NamedTuple):
    """The result of `finfo`: Python numbers, and their dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


def _plain(x: Any) -> Operand:
    """Return an array or dtype that represents a Tensor in NumPy's rules of promotion."""
    if varies(x):
        return stand_in(x)
    return x._data if isinstance(x, Tensor) else x


@unary_function
def astype(
    x: ArrayLike, dtype: DTypeLike, *, copy: builtins.bool = True, device: str | None = None
) -> Tensor:
    """Return x in another dtype.

    Gradients flow from one floating dtype to another, and not through integers and bools.

    Parameters
    ----------
    x : any shape
        The elements.
    dtype
        The dtype of the result.
    copy
        Whether the result is a copy even if ``x`` has this dtype already.
    device
        Where the array lies afterwards, as in `to_device`; ``None`` leaves it where it is.

    Returns
    -------
    the shape of x
        The elements in this dtype.

    Raises
    ------
    OptionError
        If ``dtype`` is not the name of a dtype that Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> astype(Tensor([1.5, -1.5]), int)
    Tensor([ 1, -1])
    """
    if device is not None:
        return at_place(astype(x, dtype, copy=copy), device, "astype(device)")
    x, kind = operand(x, "astype"), dtype_of(dtype, "astype(dtype)")
    if not copy and x.dtype == kind:
        return x  # the very same Tensor: nothing shares its memory
    # gradients flow between floating dtypes only: other conversions are not recorded
    if kind.kind == "f" or isinstance(x, np.ndarray):
        return _astype(x, dtype=kind)
    return plain(x, dtype=kind) if varies(x) else Tensor._of(x._data.astype(kind))


def result_type(*arrays_and_dtypes: Tensor | Array | Number | DTypeLike) -> DType:
    """Return the dtype that NumPy's promotion gives arrays, dtypes and (weak) Python numbers.

    Parameters
    ----------
    *arrays_and_dtypes : any shape
        Arrays, dtypes and their names. Numbers of Python are weak: they take the dtype of the
        arrays beside them.

    Returns
    -------
    numpy.dtype
        The dtype of a result of all of them.

    Raises
    ------
    OptionError
        If an argument is neither an array nor a dtype.

    Examples
    --------
    >>> result_type(Tensor([1, 2]), "float32", 1.0)
    dtype('float64')
    """
    members = [_plain(x) if _has_numbers(x) else _kind(x, "result_type") for x in arrays_and_dtypes]
    return np.result_type(*members)


def _has_numbers(x: Any) -> builtins.bool:
    return isinstance(x, (Tensor, np.ndarray, np.generic, int, float))


def _kind(dtype: Any, where: str) -> Any:
    """Return the dtype of an array, or the one that ``dtype`` names."""
    if isinstance(dtype, (Tensor, np.ndarray, np.generic)):
        return dtype.dtype
    try:
        return np.dtype(dtype)
    except (TypeError, ValueError):
        return dtype_of(dtype, f"{where}(dtype)")  # which says what dtypes there are


def can_cast(from_: Tensor | DTypeLike, to: DTypeLike, casting: Casting = "safe") -> builtins.bool:
    """Return whether elements of one dtype convert to another.

    Parameters
    ----------
    from_ : any shape
        An array, or a dtype.
    to
        The dtype of the result.
    casting
        What is allowed: "no" and "equiv" only the dtype itself, "safe" conversions without loss,
        "same_kind" also those to fewer bits of the same kind, "unsafe" all.

    Returns
    -------
    bool
        Whether the conversion is allowed.

    Raises
    ------
    OptionError
        If ``from_`` or ``to`` is not a dtype, or ``casting`` is not one of the five.

    Examples
    --------
    >>> can_cast("int32", "float64"), can_cast(Tensor([0.5]), "int64")
    (True, False)
    """
    one_of("can_cast(casting)", casting, ("no", "equiv", "safe", "same_kind", "unsafe"))
    return np.can_cast(_kind(from_, "can_cast"), _kind(to, "can_cast"), casting)


def isdtype(dtype: DType | type, kind: DType | str | tuple[DType | str, ...]) -> builtins.bool:
    """Return whether a dtype is of a kind.

    Parameters
    ----------
    dtype
        The dtype.
    kind
        A dtype, one of "bool", "signed integer", "unsigned integer", "integral", "real floating",
        "complex floating" and "numeric", or a tuple of these, of which one must fit.

    Returns
    -------
    bool
        Whether one kind fits.

    Raises
    ------
    OptionError
        If ``dtype`` is not a dtype, or ``kind`` is not known.

    Examples
    --------
    >>> isdtype(float32, "real floating"), isdtype(bool, ("integral", int8))
    (True, False)
    """
    try:
        return np.isdtype(dtype, kind)
    except (TypeError, ValueError) as error:
        raise OptionError(
            where="isdtype(dtype, kind)",
            expected="a dtype, and a kind of the array API",
            got=f"{describe(dtype)} and {describe(kind)}",
            fix='Write isdtype(t.dtype, "real floating").',
        ) from error


def finfo(dtype: Tensor | DTypeLike) -> FloatingFacts:
    """Return the limits of a floating dtype.

    Parameters
    ----------
    dtype : any shape
        The dtype, or an array that has it.

    Returns
    -------
    FloatingFacts
        A tuple of ``bits``, ``eps`` (the distance from 1 to the next number), ``max``, ``min``,
        ``smallest_normal`` and ``dtype``.

    Raises
    ------
    OptionError
        If ``dtype`` is not a floating dtype.

    Examples
    --------
    >>> finfo(float64).eps == 2.0**-52
    True
    """
    found = np.finfo(_of_kind("fc", dtype, "finfo"))
    # the array API asks for Python floats
    eps, most, least = float(found.eps), float(found.max), float(found.min)
    return FloatingFacts(found.bits, eps, most, least, float(found.smallest_normal), found.dtype)


def iinfo(dtype: Tensor | DTypeLike) -> np.iinfo[Any]:
    """Return the limits of an integer dtype.

    Parameters
    ----------
    dtype : any shape
        The dtype, or an array that has it.

    Returns
    -------
    numpy.iinfo
        An object with ``bits``, ``max`` and ``min``.

    Raises
    ------
    OptionError
        If ``dtype`` is not an integer dtype.

    Examples
    --------
    >>> iinfo(int8).max
    127
    """
    return np.iinfo(_of_kind("iu", dtype, "iinfo"))


def _of_kind(kinds: str, dtype: Any, where: str) -> Any:
    found = _kind(dtype, where)
    if found.kind in kinds:
        return found
    raise OptionError(
        where=where,
        expected="a floating dtype" if kinds == "fc" else "an integer dtype",
        got=describe(dtype),
        fix="Write finfo(float32) for floating dtypes, iinfo(int32) for integers.",
    )
