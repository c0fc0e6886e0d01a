"""Tensors of one number: zeros, ones, and memory to write into."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.expect import describe, index_of
from ...errors import OptionError
from ..graph.convert import dtype_of
from ..graph.tensor import Tensor
from ..graph.types import DTypeLike, Shape
from .arguments import shape_of
from .creation import leaf

__all__ = ["empty", "ones", "zeros"]
METHODS: tuple[str, ...] = ()


def _sized(where: str, size: tuple[Any, ...], shape: Any, dtype: Any) -> tuple[Any, Any]:
    """Return shape and dtype of ``zeros((2, 3), dtype)``, or of PyTorch's ``zeros(2, 3)``."""
    if size and shape is None and index_of(size[-1]) is None:  # NumPy's form
        shape, *more = size
        if len(more) + (dtype is not None) <= 1:
            return shape_of(shape, where), _kind(more[0] if more else dtype, where)
    elif bool(size) != (shape is not None):
        given = size[0] if len(size) == 1 else size
        return shape_of(given if shape is None else shape, where), _kind(dtype, where)
    raise OptionError(
        where=where,
        expected="a shape, and a dtype",
        got=describe(size),
        fix=f"Write {where}((2, 3), dtype=float), with other options by keyword.",
    )


def _kind(dtype: Any, where: str) -> np.dtype[Any]:
    return dtype_of(np.float64 if dtype is None else dtype, f"{where}(dtype)")


def zeros(
    *size: Shape | DTypeLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return zeros of a shape.

    Parameters
    ----------
    *size
        The shape, as one tuple or length by length, as in PyTorch. After a tuple the dtype may
        follow, as in NumPy.
    shape
        The shape by name: an integer or a tuple.
    dtype
        The dtype of the result; float64 if ``None``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the given shape
        A new Tensor.

    Raises
    ------
    OptionError
        If the shape is not made of non-negative integers, ``dtype`` is not the name of a dtype that
        Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> zeros((2, 3))
    Tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    array = np.zeros(*_sized("zeros", size, shape, dtype))
    return leaf(array, requires_grad, label, device)


def ones(
    *size: Shape | DTypeLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return ones of a shape.

    Parameters
    ----------
    *size
        The shape, as one tuple or length by length, as in PyTorch. After a tuple the dtype may
        follow, as in NumPy.
    shape
        The shape by name: an integer or a tuple.
    dtype
        The dtype of the result; float64 if ``None``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the given shape
        A new Tensor.

    Raises
    ------
    OptionError
        If the shape is not made of non-negative integers, ``dtype`` is not the name of a dtype that
        Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> ones(3, dtype=int)
    Tensor([1, 1, 1])
    """
    array = np.ones(*_sized("ones", size, shape, dtype))
    return leaf(array, requires_grad, label, device)


def empty(
    *size: Shape | DTypeLike,
    shape: Shape | None = None,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return a Tensor of a shape whose elements are unspecified.

    In fact they are zeros, because memory that was never written would make runs differ.

    Parameters
    ----------
    *size
        The shape, as one tuple or length by length, as in PyTorch. After a tuple the dtype may
        follow, as in NumPy.
    shape
        The shape by name: an integer or a tuple.
    dtype
        The dtype of the result; float64 if ``None``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the given shape
        A new Tensor.

    Raises
    ------
    OptionError
        If the shape is not made of non-negative integers, ``dtype`` is not the name of a dtype that
        Tensors have, or ``device`` is not known.

    Examples
    --------
    >>> empty((2, 0)).shape
    (2, 0)
    """
    array = np.zeros(*_sized("empty", size, shape, dtype))
    return leaf(array, requires_grad, label, device)
