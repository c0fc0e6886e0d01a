"""Constraints with exact derivatives, as SciPy takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..core.expect import describe
from ..errors import OptionError
from ..transforms.arguments import outputs_of
from .methods import Method
from .objective import Call, Objective
from .residuals import Residuals
from .space import Space

__all__ = ["constrained"]

WHERE = "minimize(constraints=...)"


def constrained(constraints: Any, space: Space, how: Method, scipy: Any) -> list[Any]:
    """All constraints, in the form that the method prefers."""
    several = [constraints] if isinstance(constraints, Mapping) else constraints
    return [_constraint(given, space, how, scipy) for given in _checked(several)]


def _checked(constraints: Any) -> Iterable[Mapping[str, Any]]:
    for given in constraints:
        known = isinstance(given, Mapping) and {"type", "fun"} <= set(given)
        known = known and set(given) <= {"type", "fun", "args"} and callable(given["fun"])
        if not known or given["type"] not in ("eq", "ineq"):
            raise OptionError(
                where=WHERE,
                expected='dictionaries {"type": "eq" or "ineq", "fun": g}, perhaps with "args"',
                got=describe(given),
                fix="g(x) is to be 0, or for ineq not below 0; its derivatives are taken of it.",
            )
        yield given


def _constraint(given: Mapping[str, Any], space: Space, how: Method, scipy: Any) -> Any:
    def call(leaves: Any) -> Any:
        return given["fun"](space.flat.tree.unflatten(leaves), *given.get("args", ()))

    results = Residuals(call, space, WHERE)
    if how.second:
        top = 0.0 if given["type"] == "eq" else np.inf
        hessian = _weighted_hessian(call, space)
        return scipy.NonlinearConstraint(results.value, 0.0, top, results.slope, hessian)
    return {"type": given["type"], "fun": results.value, "jac": results.slope}


def _weighted_hessian(call: Call, space: Space) -> Any:
    """The second derivatives of a weighted sum of all results."""

    def hessian(x: Any, weights: Any) -> Any:
        def total(leaves: Any) -> Any:
            ys = outputs_of(call(leaves), WHERE)[0]
            return sum(_dot(y, share) for y, share in zip(ys, _shared(weights, ys), strict=True))

        return Objective(total, space, WHERE).hessian(x)

    return hessian


def _shared(weights: Any, ys: list[Any]) -> list[Any]:
    """The weights of each result."""
    sizes = [int(np.prod(getattr(y, "shape", ()))) for y in ys]
    return np.split(weights, np.cumsum(sizes)[:-1])


def _dot(y: Any, weights: Any) -> Any:
    if hasattr(y, "shape"):
        return (y * weights.reshape(y.shape)).sum()
    return y * float(weights[0])
