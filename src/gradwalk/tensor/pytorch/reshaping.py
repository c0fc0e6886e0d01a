"""Methods that rearrange, under PyTorch's names. NumPy has no methods of these names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.expect import describe, index_of
from ...errors import OptionError, SizeError
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
    """Return the elements in another shape, as `reshape` does; one length may be -1.

    >>> from gradwalk import Tensor
    >>> x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> x.view(3, -1).tolist()
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    """
    return shapes.reshape(self, *shape)


def view_as(self: Tensor, other: Any) -> Tensor:
    """Return the elements in the shape of another array.

    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0, 3.0, 4.0]).view_as(Tensor([[0.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return shapes.reshape(self, other.shape)


def dim(self: Tensor) -> int:
    """Return the number of axes, ``ndim``.

    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0]]).dim()
    2
    """
    return self.ndim


def numel(self: Tensor) -> int:
    """Return the number of elements.

    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0]]).numel()
    2
    """
    return int(self.size)


def unsqueeze(self: Tensor, dim: int) -> Tensor:
    """Add an axis of length 1 at the position ``dim`` of the result.

    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0]).unsqueeze(0).shape
    (1, 2)
    """
    return shapes.expand_dims(self, dim)


def permute(self: Tensor, *dims: Shape) -> Tensor:
    """Return the axes in the order ``dims``, as a tuple or one by one.

    >>> from gradwalk import Tensor
    >>> Tensor([[[1.0, 2.0]]]).permute(2, 0, 1).shape
    (2, 1, 1)
    """
    return shapes.permute_dims(self, listed(dims))


def contiguous(self: Tensor) -> Tensor:
    """Return the Tensor itself: `view` and `reshape` take any order in memory.

    >>> from gradwalk import Tensor
    >>> x = Tensor([1.0, 2.0])
    >>> x.contiguous() is x
    True
    """
    return self


def is_contiguous(self: Tensor) -> bool:
    """Return whether the elements lie row by row in memory.

    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).T.is_contiguous()
    False
    """
    return in_order(self)


def t(self: Tensor) -> Tensor:
    """Return the transpose of a matrix; a vector as it is.

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
    """Repeat axes of length 1 to a shape, in which -1 keeps a length.

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
    """Repeat axes of length 1 to the shape of another array.

    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0]).expand_as(Tensor([[0.0, 0.0], [0.0, 0.0]])).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    return shapes.broadcast_to(self, other.shape)


def split(
    self: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Split along an axis into parts of one length (the last may be shorter), or of the lengths in
    a list. The function `gradwalk.split` takes the number of parts, as NumPy's does.

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
    """Split along an axis into at most ``chunks`` parts of one length; the last may be shorter.

    >>> from gradwalk import Tensor
    >>> [part.tolist() for part in Tensor([1.0, 2.0, 3.0]).chunk(2)]
    [[1.0, 2.0], [3.0]]
    """
    length = self.shape[axis_of(dim, self.ndim, "t.chunk")]
    if index_of(chunks) is None or int(chunks) < 1:
        raise OptionError(
            where="t.chunk(chunks)",
            expected="a positive integer",
            got=describe(chunks),
            fix="Write t.chunk(2) for two parts.",
        )
    return split(self, max(1, -(-length // int(chunks))), dim)


def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the parts along an axis, which they no longer have.

    >>> from gradwalk import Tensor
    >>> [part.tolist() for part in Tensor([[1.0, 2.0], [3.0, 4.0]]).unbind()]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return joining.unstack(self, dim)


def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return ``length`` elements along an axis, from ``start`` on.

    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0, 3.0, 4.0]).narrow(0, 1, 2).tolist()
    [2.0, 3.0]
    """
    place = axis_of(dim, self.ndim, "t.narrow")
    return self[(*[slice(None)] * place, slice(start, start + length))]


def select(self: Tensor, dim: int, index: int) -> Tensor:
    """Return the part at one index of an axis.

    >>> from gradwalk import Tensor
    >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).select(1, 0).tolist()
    [1.0, 3.0]
    """
    return self[(*[slice(None)] * axis_of(dim, self.ndim, "t.select"), index)]


def flip(self: Tensor, *dims: Shape) -> Tensor:
    """Reverse the order of the elements along some axes.

    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0, 3.0]).flip(0).tolist()
    [3.0, 2.0, 1.0]
    """
    return flip_axes(self, listed(dims))


def tile(self: Tensor, *dims: Shape) -> Tensor:
    """Repeat the whole array so many times along each axis.

    >>> from gradwalk import Tensor
    >>> Tensor([1.0, 2.0]).tile(2).tolist()
    [1.0, 2.0, 1.0, 2.0]
    """
    return repeat_whole(self, listed(dims))
