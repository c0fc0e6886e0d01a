"""Functions of many results: the residuals of least squares, and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.pytree import flatten
from ..engine.value import Value, no_grad
from ..levels.level import unwrap
from ..tensor import Tensor
from ..transforms import jacobian
from ..transforms.arguments import outputs_of
from ..workers import Executor
from .flat import numbers
from .minimum import Evaluations
from .objective import Call, expect_finite
from .space import Space

if TYPE_CHECKING:
    from .space import Vector

__all__ = ["Residuals"]


class Residuals:
    """A function of many results as one vector, and its Jacobian."""

    space: Space
    where: str
    jacobians: int
    runs: int

    def __init__(
        self, call: Call, space: Space, where: str, executor: Executor | None = None
    ) -> None:
        self.space, self.where, self._call = space, where, call
        self.steps = self.runs = self.jacobians = 0
        self._jacobian = jacobian(partial(_twice, call), has_aux=True, workers=executor)
        self._value: tuple[bytes, Any] = b"none", None
        self._derivative: tuple[bytes, Any] = b"none", None

    @property
    def evaluations(self) -> Evaluations:
        """The evaluations so far."""
        return Evaluations(self.runs, self.jacobians, 0)

    def at(self, x: Vector) -> tuple[float, Vector]:
        """Return half the sum of the squares of all results, and its gradient."""
        residuals = self.value(x)
        return 0.5 * float(residuals @ residuals), residuals @ self.derivative(x)

    def value(self, x: Vector) -> Vector:
        """Return all results in one vector."""
        key = x.tobytes()
        if self._value[0] != key:
            self._value = key, self._run(x)
        vector: Vector = self._value[1].copy()
        return vector

    def derivative(self, x: Vector) -> Vector:
        """Return the Jacobian, with a row for each result."""
        key = x.tobytes()
        if self._derivative[0] != key:
            self._derivative = key, self._differentiate(x)
        matrix: Vector = self._derivative[1].copy()
        return matrix

    def _differentiate(self, x: Vector) -> Vector:
        blocks, results = self._jacobian(self.space.parts(x))
        for y in flatten(results)[0]:
            numbers(y, f"{self.where}: f(x)")  # raises if y depends on something else
        matrix = self._matrix(blocks)[:, self.space.free]
        expect_finite(matrix, "the Jacobian", self, x)
        self.jacobians += 1
        return matrix

    def _run(self, x: Vector) -> Vector:
        expect_finite(x, "the point to try", self, x)
        with no_grad():
            ys = outputs_of(self._call([*map(_carrier, self.space.parts(x))]), self.where)[0]
        vector: Vector = np.concatenate([np.ravel(unwrap(y)) for y in ys]).astype(float)
        if self.runs:  # after the start, an infinity makes the method try a shorter step
            expect_finite(np.where(np.isinf(vector), 0.0, vector), "f(x)", self, x)
        else:
            expect_finite(vector, "f(x)", self, x)
        self.runs += 1
        return vector

    def _matrix(self, found: object) -> Vector:
        """Return the blocks of a Jacobian in one matrix: a row of blocks for each result."""
        sizes = [int(np.prod(shape)) for shape in self.space.flat.shapes]
        where = f"{self.where}: the Jacobian"
        blocks = [numbers(x, where) for x in flatten(found)[0]]
        rows = [blocks[i : i + len(sizes)] for i in range(0, len(blocks), len(sizes))]
        return np.vstack([_side_by_side(row, sizes) for row in rows])


def _twice(call: Call, leaves: Sequence[Any]) -> tuple[Any, Any]:
    """Return the results to differentiate, and again as auxiliary output to check."""
    ys = call(leaves)
    return ys, ys


def _carrier(part: float | Vector) -> Value | Tensor:
    """Return a leaf as a transform passes it to the function."""
    return Value(part) if isinstance(part, float) else Tensor(part)


def _side_by_side(blocks: list[Any], sizes: list[int]) -> Vector:
    pairs = list(zip(blocks, sizes, strict=True))
    height = max(np.size(block) // size for block, size in pairs if size)
    return np.hstack([np.reshape(block, (height, size)) for block, size in pairs])
