"""Constraints with exact derivatives, as SciPy takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.expect import describe
from ..errors import OptionError
from ..transforms.arguments import outputs_of
from .methods import Method
from .objective import Call, Objective
from .residuals import Residuals
from .space import Space

if TYPE_CHECKING:
    from .space import Vector

__all__ = ["constrained"]

WHERE = "minimize(constraints=...)"


Constraint = Mapping[str, Any]
"""SciPy's form: ``{"type": "eq" or "ineq", "fun": g}``."""


def constrained(
    constraints: Constraint | Sequence[Constraint], space: Space, how: Method, scipy: ModuleType
) -> list[Any]:
    """Return all constraints, in SciPy's form for the method."""
    listed = isinstance(constraints, Iterable) and not isinstance(constraints, Mapping)
    several: Any = constraints if listed else [constraints]
    return [_constraint(given, space, how, scipy) for given in _expect_known(several)]


def _expect_known(constraints: Iterable[Constraint]) -> Iterable[Constraint]:
    for given in constraints:
        known = isinstance(given, Mapping) and {"type", "fun"} <= set(given)
        known = known and set(given) <= {"type", "fun", "args"} and callable(given["fun"])
        if not known or given["type"] not in ("eq", "ineq"):
            raise OptionError(
                where=WHERE,
                expected='dictionaries {"type": "eq" or "ineq", "fun": g}, perhaps with "args"',
                got=describe(given),
                fix="Pass a function g: g(x) = 0 for eq, g(x) >= 0 for ineq.",
            )
        yield given


def _constraint(given: Constraint, space: Space, how: Method, scipy: ModuleType) -> Any:
    def call(leaves: Sequence[Any]) -> Any:
        return given["fun"](space.flat.tree.unflatten(leaves), *given.get("args", ()))

    results = Residuals(call, space, WHERE)
    if how.second:
        top = 0.0 if given["type"] == "eq" else np.inf
        hessian = _weighted_hessian(call, space)
        return scipy.NonlinearConstraint(results.value, 0.0, top, results.derivative, hessian)
    return {"type": given["type"], "fun": results.value, "jac": results.derivative}


def _weighted_hessian(call: Call, space: Space) -> Callable[[Vector, Vector], Vector]:
    """Return a function: the second derivatives of a weighted sum of all results."""

    def hessian(x: Vector, weights: Vector) -> Vector:
        def total(leaves: Sequence[Any]) -> Any:
            ys = outputs_of(call(leaves), WHERE)[0]
            return sum(_dot(y, part) for y, part in zip(ys, _split(weights, ys), strict=True))

        return Objective(total, space, WHERE).hessian(x)

    return hessian


def _split(weights: Vector, ys: list[Any]) -> list[Vector]:
    """Return the weights of each result."""
    sizes = [int(np.prod(getattr(y, "shape", ()))) for y in ys]
    return np.split(weights, np.cumsum(sizes)[:-1])


def _dot(y: Any, weights: Vector) -> Any:
    if hasattr(y, "shape"):
        return (y * weights.reshape(y.shape)).sum()
    return y * float(weights[0])
