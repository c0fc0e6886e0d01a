"""Containers of parameters as one vector of numbers, and back in the caller's types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.pytree import Leaf, PyTree, flatten_with_paths
from ..engine.node import recording
from ..engine.scalar import Scalar
from ..engine.value import Value
from ..errors import NonFiniteError, NotANumberError, OptionError, SilentDetachError
from ..levels.level import Tracer, unwrap
from ..tensor import Tensor
from ..transforms.arguments import expect_float, float_of, is_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Flat", "numbers", "readable"]


class Flat:
    """The parameters in a container as a vector of float64, and back.

    ``build`` returns a container with the types and precisions of the caller's; ``parts`` returns
    the numbers of each leaf, as arguments of transforms.
    """

    tree: PyTree

    def __init__(self, x0: object, where: str) -> None:
        leaves, self.tree = flatten_with_paths(x0)
        leaves = [Leaf(leaf.path, _floating(leaf.value)) for leaf in leaves]
        _expect_numbers(leaves, x0, where)
        self.paths: list[str] = [leaf.path for leaf in leaves]
        self.leaves: list[Any] = [leaf.value for leaf in leaves]
        self._trained = _trained(leaves, flatten_with_paths(x0)[0])
        self.shapes: list[tuple[Any, ...]] = [tuple(np.shape(unwrap(x))) for x in self.leaves]
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        self._cuts = list(np.cumsum(sizes)[:-1])
        self.start: NDArray[np.float64] = self.vector(map(unwrap, self.leaves), where)
        _expect_finite(self, where)

    def vector(self, leaves: Iterable[Any], where: str) -> NDArray[np.float64]:
        """Return all numbers of such leaves."""
        return np.concatenate([np.ravel(numbers(x, where)) for x in leaves]).astype(float)

    def parts(self, vector: NDArray[np.float64]) -> list[float | NDArray[np.float64]]:
        """Return the leaves with the numbers of ``vector``: floats, and arrays of float64."""
        pieces = zip(np.split(vector, self._cuts), self.shapes, self.leaves, strict=True)
        return [
            float(piece[0]) if _is_number(leaf) else piece.reshape(shape)
            for piece, shape, leaf in pieces
        ]

    def build(self, vector: NDArray[np.float64], trained: bool = False) -> Any:
        """Return a container like the caller's; ``trained`` copies ``requires_grad`` of Tensors."""
        flags = self._trained if trained else [False] * len(self.leaves)
        pieces = zip(self.parts(vector), self.leaves, flags, strict=True)
        return self.tree.unflatten([_like(piece, leaf, flag) for piece, leaf, flag in pieces])

    def names(self, word: str) -> list[str]:
        """Return a name for each number: ``w``, ``layer.bias[0]``, or ``word`` with indices."""
        paths = [
            word + path if path[:1] in ("", "[") else path for path in map(readable, self.paths)
        ]
        pairs = zip(paths, self.shapes, strict=True)
        return [f"{path}{index}" for path, shape in pairs for index in _indices(shape)]


def numbers(x: object, where: str) -> Any:
    """Return the plain numbers of ``x``. Raise `SilentDetachError` if that loses a derivative."""
    if recording.paused or not (
        isinstance(x, (Tracer, Scalar)) or (is_tensor(x) and not is_plain(x))
    ):
        return unwrap(x)
    raise SilentDetachError(
        where=where,
        expected="a function of its arguments and of constants",
        got=f"{describe(x)}, which depends on something else that requires a gradient",
        fix="Write `with gradwalk.no_grad():` around the search to treat the rest as constant, or "
        "differentiate the minimum with gradwalk.implicit_function.",
    )


def readable(path: str) -> str:
    """Return the path to a leaf in the notation of attributes.

    >>> readable("['net'].weight"), readable("[0]")
    ('net.weight', '[0]')
    """
    for mark in ("['", "']"):
        path = path.replace(mark, "." if mark == "['" else "")
    return path.lstrip(".")


def _floating(x: Any) -> Any:
    """Return integers as floats: a start is only a place to begin from."""
    if isinstance(x, (np.ndarray, np.integer)) and x.dtype.kind in "iu":
        return x.astype(float)
    return float_of(x)


def _expect_numbers(leaves: Sequence[Leaf], x0: object, where: str) -> None:
    for leaf in leaves:
        _expect_number(leaf, where)
    if not any(np.size(unwrap(leaf.value)) for leaf in leaves):
        raise OptionError(
            where=where,
            expected="a number, an array, or a container with some",
            got=describe(x0),
            fix="Pass a starting point, such as 1.0, np.ones(3), {'w': 1.0} or a Module.",
        )


def _expect_number(leaf: Leaf, where: str) -> None:
    try:
        expect_float(leaf.value, f"{where}{leaf.path}")
    except NotANumberError as error:
        raise NotANumberError(
            where=error.where,
            expected=error.expected,
            got=error.got,
            fix="Write 2.0 instead of 2, or x.astype(float) for an array. Pass constants in args=.",
        ) from None


def _expect_finite(flat: Flat, where: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(flat.start))
    if wrong.size:
        raise NonFiniteError(
            where=where,
            expected="a finite starting point",
            got=f"{flat.names('x')[wrong[0]]} = {flat.start[wrong[0]]}",
            fix="Pass finite start values.",
        )


def _trained(leaves: Sequence[Leaf], again: Sequence[Leaf]) -> list[bool]:
    """Return which Tensors require gradients in the result.

    A Module flattens to new constants each time: a leaf that is not the same ``again`` is one.
    """
    pairs = zip(leaves, again, strict=True)
    return [is_tensor(x) and (x is not twin or x.requires_grad) for (_, x), (_, twin) in pairs]


def _is_number(leaf: object) -> bool:
    return isinstance(leaf, (float, Scalar))


def _like(piece: Any, leaf: Any, trained: bool) -> Any:
    """Return numbers with the type and precision of ``leaf``."""
    if isinstance(leaf, (float, Scalar)):
        return Value(piece) if isinstance(leaf, Value) else piece
    if is_tensor(leaf):
        return Tensor(piece.astype(leaf.dtype), requires_grad=trained)
    return (
        piece.astype(leaf.dtype)[()] if isinstance(leaf, np.generic) else piece.astype(leaf.dtype)
    )


def _indices(shape: tuple[int, ...]) -> Iterable[str]:
    if not shape:
        return [""]
    return (f"[{', '.join(map(str, index))}]" for index in np.ndindex(shape))
