"""Functions of many results: the residuals of least squares, and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.pytree import flatten
from ..engine.value import Value, no_grad
from ..levels.level import unwrap
from ..tensor import Tensor
from ..transforms import jacobian
from ..transforms.arguments import outputs_of
from .flat import numbers
from .minimum import Evaluations
from .objective import Call, expect_finite
from .space import Space

__all__ = ["Residuals"]


class Residuals:
    """A function of many results as one vector, and its Jacobian."""

    def __init__(self, call: Call, space: Space, where: str) -> None:
        self.space, self.where, self._call = space, where, call
        self.steps = self.runs = self.slopes = 0
        self._jacobian = jacobian(self._twice, has_aux=True)
        self._value: tuple[bytes, Any] = b"none", None
        self._slope: tuple[bytes, Any] = b"none", None

    @property
    def evaluations(self) -> Evaluations:
        """What has been computed so far."""
        return Evaluations(self.runs, self.slopes, 0)

    def at(self, x: Any) -> tuple[float, Any]:
        """Half the sum of their squares, and its gradient."""
        residuals = self.value(x)
        return 0.5 * float(residuals @ residuals), residuals @ self.slope(x)

    def value(self, x: Any) -> Any:
        """All results in one vector."""
        key = x.tobytes()
        if self._value[0] != key:
            self._value = key, self._run(x)
        return self._value[1].copy()

    def slope(self, x: Any) -> Any:
        """Their derivatives, a row for each."""
        key = x.tobytes()
        if self._slope[0] != key:
            self._slope = key, self._differentiated(x)
        return self._slope[1].copy()

    def _twice(self, leaves: Sequence[Any]) -> tuple[Any, Any]:
        """The results to be differentiated, and as they are: do they depend on anything else?"""
        ys = self._call(leaves)
        return ys, ys

    def _differentiated(self, x: Any) -> Any:
        found, results = self._jacobian(self.space.parts(x))
        for y in flatten(results)[0]:
            numbers(y, f"{self.where}: f(x)")
        matrix = self._matrix(found)[:, self.space.moves]
        expect_finite(matrix, "the Jacobian", self, x)
        self.slopes += 1
        return matrix

    def _run(self, x: Any) -> Any:
        expect_finite(x, "the point to try", self, x)
        with no_grad():
            ys = outputs_of(self._call([*map(_carrier, self.space.parts(x))]), self.where)[0]
        found = np.concatenate([np.ravel(unwrap(y)) for y in ys])
        found = found.astype(float)
        if self.runs:  # an infinity says: too far
            expect_finite(np.where(np.isinf(found), 0.0, found), "f(x)", self, x)
        else:
            expect_finite(found, "f(x)", self, x)
        self.runs += 1
        return found

    def _matrix(self, found: Any) -> Any:
        """The blocks of a Jacobian in one matrix: a row of blocks for each result."""
        sizes = [int(np.prod(shape)) for shape in self.space.flat.shapes]
        where = f"{self.where}: the Jacobian"
        blocks = [numbers(x, where) for x in flatten(found)[0]]
        rows = [blocks[i : i + len(sizes)] for i in range(0, len(blocks), len(sizes))]
        return np.vstack([_side_by_side(row, sizes) for row in rows])


def _carrier(part: Any) -> Any:
    """A leaf as a transform would hand it to the function."""
    return Value(part) if isinstance(part, float) else Tensor(part)


def _side_by_side(blocks: list[Any], sizes: list[int]) -> Any:
    pairs = list(zip(blocks, sizes, strict=True))
    height = max(np.size(block) // size for block, size in pairs if size)
    return np.hstack([np.reshape(block, (height, size)) for block, size in pairs])
