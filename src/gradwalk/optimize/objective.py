"""What methods ask of a function: values and exact derivatives on vectors, each counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import NonFiniteError
from ..transforms import grad, linearize
from ..transforms.gradients import value_and_gradient_of
from .flat import numbers
from .minimum import Evaluations
from .space import Space

__all__ = ["Call", "Objective", "expect_finite"]

Call = Callable[[Sequence[Any]], Any]
KEPT = 4
"""How many points are remembered: trust regions come back to one while they reject others."""


class Objective:
    """A function of one result, and its derivatives; no point is computed twice in a row."""

    def __init__(self, call: Call, space: Space, where: str, returns: bool = True) -> None:
        self.space, self.where, self._returns = space, where, returns
        self.steps = self.runs = self.products = 0
        self._both = value_and_gradient_of(call, 0, False, where)
        self._slope = grad(call)
        self._known: dict[bytes, tuple[float, Any]] = {}
        self._record: tuple[bytes, Any] | None = None

    @property
    def evaluations(self) -> Evaluations:
        """What has been computed so far."""
        return Evaluations(self.runs, self.runs, self.products)

    def at(self, x: Any) -> tuple[float, Any]:
        """The value and the gradient."""
        key = x.tobytes()
        found = self._known.pop(key, None) or self._run(x)
        self._known[key] = found  # the youngest of them
        if len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
        return found

    def value(self, x: Any) -> float:
        """The value alone."""
        return self.at(x)[0]

    def gradient(self, x: Any) -> Any:
        """The gradient alone, an array of the caller's own."""
        return self.at(x)[1].copy()

    def product(self, x: Any, v: Any) -> Any:
        """The Hessian times ``v``."""
        self.products += 1
        found = self._tangent(x)(self.space.flat.parts(self.space.whole(v, 0.0)))
        product = self._moving(found, "the Hessian")
        expect_finite(product, f"{self.where}: a product of the Hessian", self, x)
        return product

    def hessian(self, x: Any) -> Any:
        """All second derivatives, a product for each column."""
        return np.column_stack([self.product(x, unit) for unit in np.eye(len(x))])

    def _tangent(self, x: Any) -> Any:
        """The derivative of the gradient: one record serves all products at a point."""
        key = x.tobytes()
        if self._record is None or self._record[0] != key:
            self._record = None  # released before there is another one
            self._record = key, linearize(self._slope, self.space.parts(x))[1]
        return self._record[1]

    def _run(self, x: Any) -> tuple[float, Any]:
        expect_finite(x, "the point to try", self, x)
        value, found = self._both(self.space.parts(x))
        value = float(numbers(value, f"{self.where}: f(x)"))
        gradient = self._moving(found, "the gradient")
        if self.runs and self._returns and value == np.inf:  # too far: the method comes back
            gradient = np.where(np.isfinite(gradient), gradient, 0.0)
        else:
            expect_finite(value, "f(x)", self, x)
        expect_finite(gradient, "the gradient", self, x)
        self.runs += 1
        return value, gradient

    def _moving(self, found: Any, what: str) -> Any:
        vector = self.space.flat.vector(found, f"{self.where}: {what}")
        return self.space.moving(vector)


def expect_finite(found: Any, what: str, of: Any, x: Any) -> None:
    """Refuse a NaN or an infinity, and say where the search has met it."""
    if np.all(np.isfinite(found)):
        return
    first = np.ravel(found)[np.flatnonzero(~np.isfinite(found))[0]]
    raise NonFiniteError(
        where=f"{of.where}, step {of.steps}: {what}",
        expected="finite numbers",
        got=f"{first} at {_point(of.space, x)}",
        fix="Start elsewhere, or set bounds= around where f is finite. Where f returns inf, all "
        "methods but L-BFGS-B and TNC come back with a shorter step, unless it is the start.",
    )


def _point(space: Space, x: Any) -> str:
    """The first few numbers of a point, by name."""
    names = space.flat.names("x")
    pairs = list(zip(names, space.whole(x), strict=True))[:4]
    shown = ", ".join(f"{name} = {number:.6g}" for name, number in pairs)
    return f"{shown}, ..." if len(names) > 4 else shown
