"""Constraints with exact derivatives, as SciPy takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.expect import describe
from ..errors import OptionError, SizeError
from ..transforms.arguments import outputs_of
from .methods import Method
from .objective import Call, Objective
from .residuals import Residuals
from .space import Space

if TYPE_CHECKING:
    from .space import Vector

__all__ = ["constrained", "listed"]

WHERE = "minimize(constraints=...)"


def listed(constraints: Any) -> list[Any]:
    """Return one constraint, or several, as a list."""
    single = isinstance(constraints, Mapping) or hasattr(constraints, "lb")
    return [constraints] if single or not isinstance(constraints, Iterable) else list(constraints)


def constrained(
    constraints: Sequence[Any], space: Space, how: Method, scipy: ModuleType
) -> list[object]:
    """Return all constraints, in SciPy's form for the method."""
    return [_constraint(given, space, how, scipy) for given in constraints]


def _constraint(given: Any, space: Space, how: Method, scipy: ModuleType) -> object:
    if isinstance(given, scipy.LinearConstraint):
        return _linear(given, space, scipy)
    if isinstance(given, scipy.NonlinearConstraint):
        return _nonlinear(given.fun, (given.lb, given.ub), space, how, scipy)
    _expect_known(given)
    fun, more = given["fun"], given.get("args", ())
    if how.second:
        top = 0.0 if given["type"] == "eq" else np.inf
        return _nonlinear(lambda x: fun(x, *more), (0.0, top), space, how, scipy)
    results = Residuals(lambda leaves: fun(_inner(leaves, space), *more), space, WHERE)
    return {"type": given["type"], "fun": results.value, "jac": results.derivative}


def _inner(leaves: Sequence[Any], space: Space) -> Any:
    return space.flat.tree.unflatten(leaves)


def _nonlinear(
    fun: Callable[[Any], Any], sides: tuple[Any, Any], space: Space, how: Method, scipy: ModuleType
) -> object:
    """Return lower <= fun(x) <= upper with exact derivatives."""

    def call(leaves: Sequence[Any]) -> Any:
        return fun(_inner(leaves, space))

    results = Residuals(call, space, WHERE)
    second = {"hess": _weighted_hessian(call, space)} if how.second else {}
    return scipy.NonlinearConstraint(results.value, *sides, results.derivative, **second)


def _linear(given: Any, space: Space, scipy: ModuleType) -> object:
    """Return lower <= A x <= upper for the free numbers of x."""
    matrix = given.A.toarray() if hasattr(given.A, "toarray") else np.atleast_2d(given.A)
    if matrix.shape[1] != len(space.free):
        raise SizeError(
            where=f"{WHERE}: LinearConstraint(A, ...)",
            expected=f"a matrix of {len(space.free)} columns, one for each number of x",
            got=f"shape {matrix.shape}",
            fix="Pass one column for each number, in the order of the leaves of x0.",
        )
    rest = matrix[:, ~space.free] @ space.flat.start[~space.free]
    return scipy.LinearConstraint(matrix[:, space.free], given.lb - rest, given.ub - rest)


def _expect_known(given: Any) -> None:
    known = isinstance(given, Mapping) and {"type", "fun"} <= set(given)
    known = known and set(given) <= {"type", "fun", "args", "jac"} and callable(given["fun"])
    if not known or given["type"] not in ("eq", "ineq"):
        raise OptionError(
            where=WHERE,
            expected='dictionaries {"type": "eq" or "ineq", "fun": g}, perhaps with "args", '
            "or SciPy's LinearConstraint and NonlinearConstraint",
            got=describe(given),
            fix="Pass a function g: g(x) = 0 for eq, g(x) >= 0 for ineq.",
        )


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
