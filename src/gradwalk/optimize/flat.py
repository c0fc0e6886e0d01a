"""Containers of parameters as one vector of numbers, and back in the caller's kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.pytree import Leaf, flatten_with_paths
from ..engine.node import recording
from ..engine.scalar import Scalar
from ..engine.value import Value
from ..errors import NonFiniteError, NotANumberError, OptionError, SilentDetachError
from ..levels.level import Tracer, unwrap
from ..tensor import Tensor
from ..transforms.arguments import expect_float, is_plain

__all__ = ["Flat", "numbers", "readable"]


class Flat:
    """The parameters in a container as a vector of float64, and back.

    ``build`` gives a container like the caller's, in his kinds and precisions; ``parts`` the
    numbers of each leaf, as transforms take them.
    """

    def __init__(self, x0: Any, where: str) -> None:
        leaves, self.tree = flatten_with_paths(x0)
        _expect_numbers(leaves, x0, where)
        self.paths = [leaf.path for leaf in leaves]
        self.leaves = [leaf.value for leaf in leaves]
        self._trained = _trained(leaves, flatten_with_paths(x0)[0])
        self.shapes = [tuple(np.shape(unwrap(x))) for x in self.leaves]
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        self._cuts = list(np.cumsum(sizes)[:-1])
        self.start = self.vector(map(unwrap, self.leaves), where)
        _expect_finite(self, where)

    def vector(self, leaves: Iterable[Any], where: str) -> Any:
        """All the numbers of such leaves."""
        return np.concatenate([np.ravel(numbers(x, where)) for x in leaves]).astype(float)

    def parts(self, vector: Any) -> list[Any]:
        """The leaves with the numbers of ``vector``: floats, and arrays of float64."""
        pieces = zip(np.split(vector, self._cuts), self.shapes, self.leaves, strict=True)
        return [
            float(piece[0]) if _is_number(leaf) else piece.reshape(shape)
            for piece, shape, leaf in pieces
        ]

    def build(self, vector: Any, trained: bool = False) -> Any:
        """A container like the caller's; ``trained``: its Tensors want gradients as his do."""
        flags = self._trained if trained else [False] * len(self.leaves)
        pieces = zip(self.parts(vector), self.leaves, flags, strict=True)
        return self.tree.unflatten([_like(piece, leaf, flag) for piece, leaf, flag in pieces])

    def names(self, word: str) -> list[str]:
        """A name for each number: ``w``, ``layer.bias[0]``, and ``word`` for what has none."""
        ways = [word + way if way[:1] in ("", "[") else way for way in map(readable, self.paths)]
        pairs = zip(ways, self.shapes, strict=True)
        return [f"{way}{place}" for way, shape in pairs for place in _places(shape)]


def numbers(x: Any, where: str) -> Any:
    """The plain numbers of ``x``, unless a derivative would get lost by it."""
    if recording.paused or not (
        isinstance(x, (Tracer, Scalar)) or (is_tensor(x) and not is_plain(x))
    ):
        return unwrap(x)
    raise SilentDetachError(
        where=where,
        expected="a function of its arguments and of constants",
        got=f"{describe(x)}, which depends on something else that wants derivatives",
        fix="A search for a minimum is not differentiated: hold the others constant by "
        "`with gradwalk.no_grad():` around it, or differentiate it by gradwalk.implicit_function.",
    )


def readable(path: str) -> str:
    """The way to a leaf as a person would write it.

    >>> readable("['net'].weight"), readable("[0]")
    ('net.weight', '[0]')
    """
    for mark in ("['", "']"):
        path = path.replace(mark, "." if mark == "['" else "")
    return path.lstrip(".")


def _expect_numbers(leaves: Sequence[Leaf], x0: Any, where: str) -> None:
    for leaf in leaves:
        _expect_number(leaf, where)
    if not any(np.size(unwrap(leaf.value)) for leaf in leaves):
        raise OptionError(
            where=where,
            expected="a number, an array, or a container with some",
            got=describe(x0),
            fix="Start at some point: 1.0, np.ones(3), {'w': 1.0}, a Module.",
        )


def _expect_number(leaf: Leaf, where: str) -> None:
    try:
        expect_float(leaf.value, f"{where}{leaf.path}")
    except NotANumberError as error:
        raise NotANumberError(
            where=error.where,
            expected=error.expected,
            got=error.got,
            fix="Write 2.0 instead of 2, x.astype(float) for an array; what is not to move "
            "belongs into args= or into the function.",
        ) from None


def _expect_finite(flat: Flat, where: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(flat.start))
    if wrong.size:
        raise NonFiniteError(
            where=where,
            expected="finite numbers to start from",
            got=f"{flat.names('x')[wrong[0]]} = {flat.start[wrong[0]]}",
            fix="Start somewhere else.",
        )


def _trained(leaves: Sequence[Leaf], again: Sequence[Leaf]) -> list[bool]:
    """Which Tensors want gradients.

    A Module hands out its parameters as constants that it makes anew each time; they do.
    """
    pairs = zip(leaves, again, strict=True)
    return [is_tensor(x) and (x is not twin or x.requires_grad) for (_, x), (_, twin) in pairs]


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, (float, Scalar))


def _like(piece: Any, leaf: Any, trained: bool) -> Any:
    """Numbers of the kind and precision of ``leaf``."""
    if isinstance(leaf, (float, Scalar)):
        return Value(piece) if isinstance(leaf, Value) else piece
    if is_tensor(leaf):
        return Tensor(piece.astype(leaf.dtype), requires_grad=trained)
    return (
        piece.astype(leaf.dtype)[()] if isinstance(leaf, np.generic) else piece.astype(leaf.dtype)
    )


def _places(shape: tuple[int, ...]) -> Iterable[str]:
    if not shape:
        return [""]
    return (f"[{', '.join(map(str, place))}]" for place in np.ndindex(shape))
