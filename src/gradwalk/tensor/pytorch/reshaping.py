"""Methods that rearrange, under PyTorch's names. NumPy has no methods of these names."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.expect import at_least, describe, index_of
from ...errors import KeyRangeError, SizeError
from ..functions import joining, shapes
from ..functions.arguments import axis_of, shape_of
from ..functions.repeating import flip as flip_axes
from ..functions.repeating import tile as repeat_whole
from ..graph.tensor import Tensor
from ..graph.types import Shape
from ..graph.views import is_contiguous as in_order

__all__ = ["chunk", "contiguous", "dim", "expand", "expand_as", "flip", "is_contiguous", "listed"]
__all__ += ["narrow", "numel", "permute", "select", "split", "t", "tile", "unbind", "unsqueeze"]
__all__ += ["view", "view_as"]


def listed(axes: tuple[Any, ...]) -> Any:
    """Return ``(0, 1)`` for the arguments ``0, 1`` and for ``(0, 1)``."""
    return axes[0] if len(axes) == 1 and isinstance(axes[0], Sequence) else axes


def view(self: Tensor, *shape: Shape) -> Tensor:
    """Return the elements in the same order in another shape, as `reshape` does.

    Parameters
    ----------
    *shape
        The lengths of the axes, one by one or as a tuple. One of them may be -1: it takes the
        length that the others leave.

    Returns
    -------
    the given shape
        The elements; a view where NumPy makes one.

    Raises
    ------
    SizeError
        If the shape has another number of elements, or more than one -1.
    OptionError
        If a length is not an integer, or negative and not -1.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> x.view(3, -1).tolist()
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    """
    return shapes.reshape(self, *shape)


def view_as(self: Tensor, other: Any) -> Tensor:
    """Return the elements in the same order in the shape of another array.

    Parameters
    ----------
    other : any shape with as many elements
        The array whose shape is taken.

    Returns
    -------
    the shape of other
        The elements; a view where NumPy makes one.

    Raises
    ------
    SizeError
        If ``other`` has another number of elements.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0, 3.0, 4.0]).view_as(Tensor([[0.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return shapes.reshape(self, other.shape)


def dim(self: Tensor) -> int:
    """Return the number of axes, ``ndim``.

    Returns
    -------
    int
        The number of axes.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0]]).dim()
    2
    """
    return self.ndim


def numel(self: Tensor) -> int:
    """Return the number of elements.

    Returns
    -------
    int
        The product of the lengths of all axes.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0]]).numel()
    2
    """
    return int(self.size)


def unsqueeze(self: Tensor, dim: int) -> Tensor:
    """Add an axis of length 1.

    Parameters
    ----------
    dim
        The position of the new axis in the result.

    Returns
    -------
    the shape of the Tensor with the new axis
        A view of the Tensor.

    Raises
    ------
    SizeError
        If the result has no such axis.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0]).unsqueeze(0).shape
    (1, 2)
    """
    return shapes.expand_dims(self, dim)


def permute(self: Tensor, *dims: Shape) -> Tensor:
    """Return the axes in another order.

    Parameters
    ----------
    *dims
        All axes in their new order, one by one or as a tuple.

    Returns
    -------
    the shape of the Tensor in the new order
        A view of the Tensor.

    Raises
    ------
    SizeError
        If the axes are not named once each.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([[[1.0, 2.0]]]).permute(2, 0, 1).shape
    (2, 1, 1)
    """
    return shapes.permute_dims(self, listed(dims))


def contiguous(self: Tensor) -> Tensor:
    """Return the Tensor itself: `view` and `reshape` take any order in memory.

    Returns
    -------
    the shape of the Tensor
        The Tensor itself.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> x = Tensor([1.0, 2.0])
    >>> x.contiguous() is x
    True
    """
    return self


def is_contiguous(self: Tensor) -> bool:
    """Return whether the elements lie row by row in memory.

    Returns
    -------
    bool
        Whether they do.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).T.is_contiguous()
    False
    """
    return in_order(self)


def t(self: Tensor) -> Tensor:
    """Return the transpose of a matrix, or a vector as it is.

    Returns
    -------
    (m, n) for a matrix of shape (n, m)
        A view of the Tensor.

    Raises
    ------
    SizeError
        If the Tensor has more than two axes.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0]]).t().tolist()
    [[1.0], [2.0]]
    """
    if self.ndim > 2:
        raise SizeError(
            where="t.t()",
            expected="a matrix or a vector",
            got=f"shape {self.shape}",
            fix="Write t.mT to exchange the last two axes.",
        )
    return shapes.transpose(self)


def expand(self: Tensor, *shape: Shape) -> Tensor:
    """Repeat the Tensor along new axes in front and along axes of length 1.

    Parameters
    ----------
    *shape
        The lengths of the result, one by one or as a tuple; -1 keeps a length.

    Returns
    -------
    the given shape
        The repeated elements.

    Raises
    ------
    SizeError
        If the Tensor does not broadcast to the shape.
    OptionError
        If a length is not an integer, or less than -1.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([[1.0], [2.0]]).expand(-1, 3).tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    wanted = tuple(listed(shape))
    own = (1,) * (len(wanted) - self.ndim) + self.shape
    kept = zip(wanted, own, strict=False)
    lengths = tuple(n if index_of(m) is not None and m == -1 else m for m, n in kept)
    return shapes.broadcast_to(self, lengths if len(own) == len(wanted) else wanted)


def expand_as(self: Tensor, other: Any) -> Tensor:
    """Repeat the Tensor to the shape of another array.

    Parameters
    ----------
    other : any shape that the Tensor broadcasts to
        The array whose shape is taken.

    Returns
    -------
    the shape of other
        The repeated elements.

    Raises
    ------
    SizeError
        If the Tensor does not broadcast to the shape.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0]).expand_as(Tensor([[0.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    return shapes.broadcast_to(self, other.shape)


def split(
    self: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Split the Tensor into consecutive parts of a given length, or of the lengths in a list.

    The function `gradwalk.split` takes the number of parts, as NumPy's does.

    Parameters
    ----------
    split_size_or_sections
        The length of every part but the last, which may be shorter; or a list with the length of
        each part.
    dim
        The axis to cut.

    Returns
    -------
    the shape of the Tensor, shorter along dim
        A tuple of views, one for each part.

    Raises
    ------
    SizeError
        If there is no such axis, the length is not positive, or the lengths do not add up to that
        of the axis.
    OptionError
        If a length in the list is not a non-negative integer.

    Examples
    --------
    >>> [part.tolist() for part in Tensor([1.0, 2.0, 3.0]).split(2)]
    [[1.0, 2.0], [3.0]]
    """
    length = self.shape[axis_of(dim, self.ndim, "t.split")]
    each = split_size_or_sections
    if index_of(each) is not None and int(each) > 0:  # type: ignore[arg-type]
        cuts = list(range(int(each), length, int(each)))  # type: ignore[arg-type]
    else:
        sizes = shape_of(each, "t.split") if isinstance(each, Sequence) else (-1,)
        if sum(sizes) != length:
            raise SizeError(
                where="t.split(split_size_or_sections)",
                expected=f"a positive length, or lengths that add up to {length}",
                got=describe(each),
                fix="Use gradwalk.split(t, n) for n equal parts.",
            )
        cuts = [int(n) for n in np.cumsum(sizes)[:-1]]
    return tuple(joining.split(self, cuts, dim))


def chunk(self: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split the Tensor into at most a given number of parts of one length.

    Parameters
    ----------
    chunks
        The largest number of parts; the last part may be shorter.
    dim
        The axis to cut.

    Returns
    -------
    the shape of the Tensor, shorter along dim
        A tuple of views, one for each part.

    Raises
    ------
    SizeError
        If there is no such axis.
    OptionError
        If ``chunks`` is not a positive integer.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> [part.tolist() for part in Tensor([1.0, 2.0, 3.0]).chunk(2)]
    [[1.0, 2.0], [3.0]]
    """
    length = self.shape[axis_of(dim, self.ndim, "t.chunk")]
    count = at_least("t.chunk(chunks)", chunks, 1, "Write t.chunk(2) for two parts.")
    return split(self, max(1, -(-length // count)), dim)


def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the parts of the Tensor along an axis.

    Parameters
    ----------
    dim
        The axis to take apart.

    Returns
    -------
    the shape of the Tensor without dim
        A tuple with a view for each index of the axis.

    Raises
    ------
    SizeError
        If there is no such axis.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> [part.tolist() for part in Tensor([[1.0, 2.0], [3.0, 4.0]]).unbind()]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return joining.unstack(self, dim)


def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return consecutive elements along an axis.

    Parameters
    ----------
    dim
        The axis.
    start
        The first index; negative ones count from the back.
    length
        How many elements to return.

    Returns
    -------
    the shape of the Tensor, with this length along dim
        A view of the Tensor.

    Raises
    ------
    SizeError
        If there is no such axis.
    KeyRangeError
        If the elements are not all within the axis.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0, 3.0, 4.0]).narrow(0, 1, 2).tolist()
    [2.0, 3.0]
    """
    place = axis_of(dim, self.ndim, "t.narrow")
    size, given = self.shape[place], (start, length)
    first, count = (-1 if index_of(n) is None else operator.index(n) for n in given)
    first = first + size if index_of(start) is not None and first < 0 else first
    if first < 0 or count < 0 or first + count > size:
        raise KeyRangeError(
            where="t.narrow(start, length)",
            expected=f"integers, for elements within an axis of length {size}",
            got=f"{describe(start)} and {describe(length)}",
            fix="Pass a length of at most t.shape[dim] - start.",
        )
    return self[(*[slice(None)] * place, slice(first, first + count))]


def select(self: Tensor, dim: int, index: int) -> Tensor:
    """Return the part at one index of an axis.

    Parameters
    ----------
    dim
        The axis.
    index
        The index; negative ones count from the back.

    Returns
    -------
    the shape of the Tensor without dim
        A view of the Tensor.

    Raises
    ------
    SizeError
        If there is no such axis.
    KeyRangeError
        If the index is out of bounds.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).select(1, 0).tolist()
    [1.0, 3.0]
    """
    return self[(*[slice(None)] * axis_of(dim, self.ndim, "t.select"), index)]


def flip(self: Tensor, *dims: Shape) -> Tensor:
    """Reverse the order of the elements along some axes.

    Parameters
    ----------
    *dims
        The axes, one by one or as a tuple; none leaves the order as it is.

    Returns
    -------
    the shape of the Tensor
        A view of the Tensor.

    Raises
    ------
    SizeError
        If there is no such axis, or an axis is named twice.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0, 3.0]).flip(0).tolist()
    [3.0, 2.0, 1.0]
    """
    return flip_axes(self, listed(dims))


def tile(self: Tensor, *dims: Shape) -> Tensor:
    """Repeat the whole Tensor along each axis.

    Parameters
    ----------
    *dims
        How often, for each axis, one by one or as a tuple; new axes are added in front if there are
        more numbers than axes.

    Returns
    -------
    the shape whose lengths are those of the Tensor times dims
        The repeated elements.

    Raises
    ------
    OptionError
        If a number of repetitions is not a non-negative integer.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0]).tile(2).tolist()
    [1.0, 2.0, 1.0, 2.0]
    """
    return repeat_whole(self, listed(dims))
