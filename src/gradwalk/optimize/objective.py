"""A function of a vector for SciPy: values and exact derivatives, each counted."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..core.pytree import flatten
from ..errors import NonFiniteError
from ..transforms import grad, linearize
from ..transforms.gradients import value_and_gradient_of
from ..workers import Executor
from .flat import numbers
from .minimum import Evaluations
from .space import Space

if TYPE_CHECKING:
    from .space import Vector

__all__ = ["Call", "Derived", "DerivedObjective", "Objective", "expect_finite"]

Call = Callable[[Sequence[Any]], Any]
PARTS = 16
"""Of the columns of a Hessian that workers divide."""
CACHED = 4
"""The number of cached points: trust regions return to one while they reject others."""


class Counted(Protocol):
    """A function in a search, for messages."""

    space: Space
    where: str
    steps: int


class Objective:
    """A function of one result, and its derivatives. Recent points are cached."""

    space: Space
    where: str
    products: int
    runs: int

    def __init__(
        self,
        call: Call,
        space: Space,
        where: str,
        returns: bool = True,
        executor: Executor | None = None,
    ) -> None:
        self.space, self.where, self._returns = space, where, returns
        self._call, self._executor = call, executor
        self.steps = self.runs = self.products = 0
        self._both = value_and_gradient_of(call, 0, False, where)
        self._gradient = grad(call)
        self._cache: dict[bytes, tuple[float, Vector]] = {}
        self._record: tuple[bytes, Any] | None = None

    @property
    def evaluations(self) -> Evaluations:
        """The evaluations so far."""
        return Evaluations(self.runs, self.runs, self.products)

    def at(self, x: Vector) -> tuple[float, Vector]:
        """Return the value and the gradient."""
        key = x.tobytes()
        result = self._cache.pop(key, None) or self._run(x)
        self._cache[key] = result  # now the youngest entry
        if len(self._cache) > CACHED:
            del self._cache[next(iter(self._cache))]
        return result

    def value(self, x: Vector) -> float:
        """Return the value."""
        return self.at(x)[0]

    def gradient(self, x: Vector) -> Vector:
        """Return a copy of the gradient, because some methods write into it."""
        return self.at(x)[1].copy()

    def product(self, x: Vector, v: Vector) -> Vector:
        """Return the Hessian times ``v``."""
        self.products += 1
        result = self._tangent(x)(self.space.flat.parts(self.space.whole(v, 0.0)))
        product = self._free(result, "the Hessian")
        expect_finite(product, f"{self.where}: a product of the Hessian", self, x)
        return product

    def hessian(self, x: Vector) -> Vector:
        """Return all second derivatives, from a product for each column."""
        units = np.eye(len(x))
        if self._executor is None:
            return np.column_stack([self.product(x, unit) for unit in units])
        self.products += len(x)
        parts = self._executor.scatter(np.array_split(units, min(len(x), PARTS)))
        found = self._executor.map(_products, parts, self._call, self.space, self.where, x)
        return np.column_stack(self._executor.reduce(operator.add, found))

    def _tangent(self, x: Vector) -> Callable[[Any], Any]:
        """Return the derivative of the gradient: one record serves all products at a point."""
        key = x.tobytes()
        if self._record is None or self._record[0] != key:
            self._record = None  # free the old record before the new one needs memory
            self._record = key, linearize(self._gradient, self.space.parts(x))[1]
        return self._record[1]

    def _run(self, x: Vector) -> tuple[float, Vector]:
        expect_finite(x, "the point to try", self, x)
        value, derivatives = self._both(self.space.parts(x))
        value = float(numbers(value, f"{self.where}: f(x)"))
        gradient = self._free(derivatives, "the gradient")
        if self.runs and self._returns and value == np.inf:  # the method will try a shorter step
            gradient = np.where(np.isfinite(gradient), gradient, 0.0)
        else:
            expect_finite(value, "f(x)", self, x)
        expect_finite(gradient, "the gradient", self, x)
        self.runs += 1
        return value, gradient

    def _free(self, leaves: Sequence[Any], what: str) -> Vector:
        return self.space.free_part(self.space.flat.vector(leaves, f"{self.where}: {what}"))


def _products(units: Vector, call: Call, space: Space, where: str, x: Vector) -> list[Vector]:
    """Return the Hessian times each of ``units``, in a worker."""
    of = Objective(call, space, where)
    return [of.product(x, unit) for unit in units]


class Derived(Protocol):
    """A function that brings its derivatives, as `gradwalk.parallel.map_grad` returns."""

    def __call__(self, x: Any, /) -> tuple[Any, Any]:
        """Return the value and the gradient."""
        ...

    def product(self, x: Any, v: Any, /) -> Any:
        """Return the Hessian times ``v``."""
        ...


class DerivedObjective(Objective):
    """An objective whose function brings its derivatives."""

    def __init__(self, f: Derived, space: Space, where: str, returns: bool = True) -> None:
        super().__init__(f, space, where, returns)
        tree = space.flat.tree

        def both(leaves: Sequence[Any]) -> tuple[Any, list[Any]]:
            value, gradient = f(tree.unflatten(leaves))
            return value, flatten(gradient)[0]

        self._both, self._f = both, f

    def _tangent(self, x: Vector) -> Callable[[Any], Any]:
        tree = self.space.flat.tree
        at = tree.unflatten(self.space.parts(x))
        return lambda v: flatten(self._f.product(at, tree.unflatten(v)))[0]


def expect_finite(found: float | Vector, what: str, of: Counted, x: Vector) -> None:
    """Raise `NonFiniteError` at the point ``x`` for a NaN or an infinity."""
    if np.all(np.isfinite(found)):
        return
    first = np.ravel(found)[np.flatnonzero(~np.isfinite(found))[0]]
    raise NonFiniteError(
        where=f"{of.where}, step {of.steps}: {what}",
        expected="finite numbers",
        got=f"{first} at {_point(of.space, x)}",
        fix="Start elsewhere, or set bounds= within which f is finite. After the start, all "
        "methods except L-BFGS-B and TNC try a shorter step where f returns inf.",
    )


def _point(space: Space, x: Vector) -> str:
    """Return the first few numbers of a point, by name."""
    names = space.flat.names("x")
    pairs = list(zip(names, space.whole(x), strict=True))[:4]
    shown = ", ".join(f"{name} = {number:.6g}" for name, number in pairs)
    return f"{shown}, ..." if len(names) > 4 else shown
