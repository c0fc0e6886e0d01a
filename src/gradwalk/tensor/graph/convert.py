"""Conversion to arrays: the data of Tensors, and operands that are not Tensors."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from numbers import Rational
from typing import Any, NoReturn

import numpy as np

from ...core.carrier import is_tensor
from ...core.expect import as_float, describe, is_number, is_table
from ...core.primitive import Primitive
from ...engine.node import Node as ScalarNode
from ...errors import GradwalkError, NotANumberError, OptionError, SilentDetachError, SizeError
from ...levels.level import Tracer, running
from ...libraries import LibraryArray, array_of, is_foreign
from ...libraries.held import Operand, joint, two_places
from .node import CONSTANT_NODE, Node
from .types import Array, DTypeLike

__all__ = ["REFUSALS", "ValueSource", "array_like", "as_array", "as_operand", "copied"]
__all__ += ["ones_of", "refuse", "to_array", "zeros_of"]


class ValueSource(Node):
    """A leaf that stands for Values: the scalar engine continues the backward pass from it."""

    __slots__ = ("values",)

    def __init__(self, values: list[Any]) -> None:
        super().__init__(None, (), (len(values),), np.dtype(np.float64))  # Values are doubles
        self.values: list[Any] = values

    @property
    def data(self) -> Any:
        """The numbers that the Values have now, as an array."""
        return np.reshape([v.data for v in self.values], self.shape)


def to_array(
    data: object, dtype: DTypeLike | None = None, where: str = "Tensor(data)"
) -> np.ndarray[Any, Any]:
    """Return a new array with the elements of ``data``: bools, integers or floats."""
    if isinstance(data, (Node, ScalarNode)) or _holds_nodes(data):
        raise NotANumberError(
            where=where,
            expected="plain numbers",
            got=f"{describe(data)}, whose gradient would be lost silently",
            fix="Write gradwalk.stack([a, b]) to keep it, or .data for the numbers alone.",
        )
    # Outside of transforms, Tensor(t) is an explicit copy. Inside, t may be what is differentiated.
    if isinstance(data, Tracer) or (running.depth and getattr(data, "_node", None) is not None):
        raise SilentDetachError(
            where=where,
            expected="plain numbers",
            got=f"{describe(data)}, whose derivative would be lost silently",
            fix="Use gradwalk.asarray(x) or gradwalk.stack([x]) to keep it, x.detach() to drop it.",
        )
    if not (dtype is None or isinstance(dtype, (type, np.dtype))):
        dtype = dtype_of(dtype, f"{where.partition('(')[0]}(dtype)")  # no error of the data
    data = data._data if is_tensor(data) else data  # type: ignore[attr-defined]
    if type(data) is not np.ndarray and (found := _of_library(data)) is not None:
        return found.copy() if dtype is None else found.astype(dtype)  # type: ignore[no-any-return]
    try:
        array = np.array(data, dtype=dtype)  # Tensors share no memory
        if array.dtype.kind == "O" and is_table(data):  # of columns of several dtypes
            with suppress(ValueError, TypeError):
                array = np.array(data, dtype=float)
    except (ValueError, TypeError, OverflowError) as error:
        raise NotANumberError(
            where=where,
            expected="numbers, or nested lists of them with equal lengths",
            got=f"{describe(data)} ({error})",
            fix="Check that every row has the same length and every entry is a number.",
        ) from error
    if _is_missing_some(data, array, dtype is None):
        raise NotANumberError(
            where=where,
            expected="a number in every place",
            got=f"missing entries (None, NA or masked): {describe(data)}",
            fix="Put numbers there, as .fillna(0.0) does, or remove these rows.",
        )
    return _expect_real(array, data, where)


def _of_library(data: Any) -> Any:
    """Return an array of another library, also of a Tensor, as Tensors hold it, or ``None``."""
    if is_tensor(data):
        held = getattr(data, "_data", None)
        return held if type(held) is LibraryArray else None
    if type(data) is LibraryArray:
        return data
    return array_of(data) if is_foreign(data) else None


def array_like(
    data: Any,
    like: Any,
    where: str,
    expected: str = "an array of shape {}",
    fix: str = "Make a new Tensor for an array of another shape.",
) -> Any:
    """Return a new array of numbers in the dtype of the array ``like``, and where it lies.

    `SizeError` if the shapes differ.
    """
    return like_shape(_beside(data, like, where), like, where, expected, fix)


def like_shape(
    new: Any,
    like: Any,
    where: str,
    expected: str = "an array of shape {}",
    fix: str = "Make a new Tensor for an array of another shape.",
) -> Any:
    """Return ``new``. Raise `SizeError` if its shape is another one."""
    if new.shape == like.shape:
        return new
    raise SizeError(
        where=where,
        expected=expected.format(like.shape),
        got=f"one of shape {new.shape}",
        fix=fix,
    )


def _beside(data: Any, like: Any, where: str) -> Any:
    found = _of_library(data)
    if type(like) is not LibraryArray:
        if found is not None:
            raise two_places(where, "numpy", found.place)
        return to_array(data, like.dtype, where)
    if found is None:
        if isinstance(data, np.ndarray) or is_tensor(data):
            raise two_places(where, like.place, "numpy")
        return like.beside(to_array(data, like.dtype, where))
    joint(where, like.place, found.place)
    return found.astype(like.dtype)


def _is_missing_some(data: Any, array: Array, natural: bool) -> bool:
    """Return whether entries of ``data`` are missing, which NumPy has made NaN, False or a number.

    A NaN that is a float in ``data`` is not missing.
    """
    if isinstance(data, np.ma.MaskedArray):
        return bool(np.ma.is_masked(data))
    hidden = np.isnan(array).any() if array.dtype.kind == "f" else array.dtype.kind == "b"
    if not hidden or isinstance(data, (np.ndarray, float)) or (natural and array.dtype.kind == "b"):
        return False
    columns = [data, *getattr(data, "columns", ())]  # of Arrow and polars, which count
    counts = [getattr(column, "null_count", 0) for column in columns]
    if any(np.any(count() if callable(count) else count) for count in counts):
        return True
    entries = np.array(data, dtype=object).flat
    return any(x is None or type(x).__name__ == "NAType" for x in entries)


def _holds_nodes(data: object) -> bool:
    """Return whether nested lists contain a Value, or a Tensor with a gradient."""
    pending, seen = [data], set()
    while pending:
        members = pending.pop()
        if isinstance(members, (list, tuple)):
            if id(members) not in seen:  # a list may contain itself
                seen.add(id(members))
                pending.extend(members)
        elif isinstance(members, (Tracer, ScalarNode)) or _flows(members):
            return members is not data  # data itself is not nested: the caller decides
    return False


def _flows(x: object) -> bool:
    return getattr(x, "_node", None) is not None


def _expect_real(array: Array, data: object, where: str) -> np.ndarray[Any, Any]:
    if array.dtype.kind in "biuf":
        return array
    kinds = {"c": "complex numbers", "O": "Python objects", "U": "text", "S": "text"}
    raise NotANumberError(
        where=where,
        expected="real numbers, integers or bools",
        got=f"{kinds.get(array.dtype.kind, array.dtype.name)}: {describe(data)}",
        fix=_advice(array),
    )


def _advice(array: Array) -> str:
    """Return advice for an array whose elements are not real numbers."""
    if array.dtype.kind == "c":
        return "Treat real and imaginary parts as two Tensors."
    if array.dtype.kind == "O" and any(isinstance(x, ScalarNode) for x in array.flat):
        return "Use gradwalk.stack(values), which makes a Tensor and keeps the gradients."
    return "Convert them to numbers first."


# --- arrays of NumPy or of another library --------------------------------------------------------


def as_array(x: Any) -> Operand:
    """Return a number of NumPy as an array, and arrays of any library unchanged."""
    return x if type(x) is LibraryArray else np.asarray(x)


def copied(x: Any) -> Operand:
    """Return a new array; those of other libraries are never written to."""
    return x if type(x) is LibraryArray else np.array(x)


def ones_of(tensor: Any) -> Operand:
    """Return ones in the shape of a Tensor, and where its array lies."""
    x = tensor._data
    if type(x) is LibraryArray:
        return LibraryArray(x.place.full(x.shape, 1.0, x.dtype), x.place)
    return np.ones(x.shape, x.dtype)


def zeros_of(leaf: Any) -> Operand:
    """Return zeros in the shape of a leaf of a graph, and where its array lies."""
    if leaf.place is not None:
        return LibraryArray(leaf.place.full(leaf.shape, 0.0, leaf.dtype), leaf.place)
    return np.zeros(leaf.shape, leaf.dtype)


# --- operands and results -------------------------------------------------------------------------


def as_operand(arg: object, where: str) -> tuple[Any, Node]:
    """Return array and node of an argument that is not a Tensor.

    Arrays are copied, because the caller may change them before the backward pass reads them.
    """
    if type(arg) is np.ndarray and arg.dtype.kind in "biuf":
        return arg.copy(), CONSTANT_NODE
    # a NumPy scalar has a dtype, which takes part in promotion (NEP 50); Python numbers have none
    if isinstance(arg, (bool, np.generic)):
        return _expect_real(np.asarray(arg), arg, where) if isinstance(arg, np.generic) else arg, (
            CONSTANT_NODE
        )
    if isinstance(arg, (float, int)) or type(arg) is LibraryArray:
        return arg, CONSTANT_NODE
    if isinstance(arg, Rational):  # a fraction, which meets floats as a float
        return as_float(arg, where), CONSTANT_NODE
    if isinstance(arg, ScalarNode):
        source = ValueSource([arg])
        source.shape = ()  # one number without axes, as the operation sees it
        return np.asarray(arg.data), source
    if is_tensor(arg):  # a view that was stale until now
        return arg._data, CONSTANT_NODE if arg._node is None else arg._node  # type: ignore[attr-defined]
    if is_foreign(arg):
        return array_of(arg).copy(), CONSTANT_NODE
    if isinstance(arg, (np.ndarray, list, tuple)) or is_table(arg):
        return to_array(arg, where=where), CONSTANT_NODE
    raise NotANumberError(
        where=where,
        expected="a Tensor, an array, a Value or a number",
        got=describe(arg),
        fix="Write float(x) for a decimal number, x.real for a complex one."
        if is_number(arg)
        else "Convert it with gradwalk.Tensor(...).",
    )


def dtype_of(dtype: Any, where: str) -> Any:
    """Return a NumPy dtype of real numbers, integers or bools."""
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError):
        found = np.dtype(object)  # refused below
    if found.kind in "biuf":
        return found
    raise OptionError(
        where=where,
        expected="float64, float32, float16, an integer dtype or bool",
        got=describe(dtype),
        fix="Write Tensor([2, 3]) for several numbers, gradwalk.zeros((2, 3)) for a shape."
        if isinstance(dtype, (int, float, list, tuple))
        else "Write dtype=float, or dtype=np.float32 for single precision.",
    )


REFUSALS = (ValueError, TypeError, OverflowError, AttributeError)
"""What NumPy raises for operands that it does not take."""


def refuse(primitive: Primitive, raws: Sequence[Any], error: Exception) -> NoReturn:
    """Raise the error for operands that NumPy has refused, with their shapes and dtypes."""
    if isinstance(error, GradwalkError):  # raised by a kernel, with a better message
        raise error
    for raw in raws:
        if type(raw) is int:
            as_float(raw, primitive.name)  # raises for an int that is too large
    shapes = [np.shape(raw) for raw in raws]
    if primitive.kind == "pointwise" and not _can_broadcast(shapes):
        raise SizeError(
            where=primitive.name,
            expected="shapes that agree from the right, or are 1 there",
            got=" and ".join(map(str, shapes)),
            fix="Reshape one of them, or add an axis: x[:, None].",
        ) from error
    dtypes = ", ".join(str(getattr(raw, "dtype", type(raw).__name__)) for raw in raws)
    wrong = NotANumberError if isinstance(error, TypeError) else OptionError
    raise wrong(
        where=primitive.name,
        expected="operands that NumPy takes",
        got=f"{dtypes} ({error})",
        fix="Convert them first, with astype(float) for one.",
    ) from error


def _can_broadcast(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Return whether shapes fit together."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True
