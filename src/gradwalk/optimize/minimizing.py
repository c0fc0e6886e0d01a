"""`minimize`: minima of functions of any container, by the methods of SciPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ..core.calls import expect_function
from ..core.expect import as_float
from ..core.functions import Function
from ..errors import OptionError
from ..workers import Executor, executor_of
from .constraints import constrained, listed
from .display import showing
from .flat import Flat
from .methods import LEAST_SQUARES, Method, chosen, scipy_optimize
from .minimum import Minimum, Step
from .objective import Derived, DerivedObjective, Objective
from .residuals import Residuals
from .searching import Ended, Walk, by_least_squares, by_minimize, expect_limit
from .space import Space

__all__ = ["fixed_point", "limits_of", "minimize"]

P = TypeVar("P")
Callback = Callable[[Step], object]
Minimized = Function | Derived
"""A function of x and of ``args``, or one with derivatives of its own."""


def minimize(
    f: Minimized,
    x0: P,
    args: object = (),
    method: str | None = None,
    *,
    bounds: object = None,
    constraints: object = (),
    tolerance: float | None = None,
    tol: float | None = None,
    max_steps: int | None = None,
    progress: bool | None = None,
    callback: Callback | None = None,
    options: Mapping[str, Any] | None = None,
    workers: int | Executor | None = None,
) -> Minimum[P]:
    """Return a local minimum of ``f(x, *args)`` near ``x0``, by a method of SciPy.

        min f(x)   subject to   lower ≤ x ≤ upper,   g(x) = 0,   h(x) ≥ 0

    All derivatives are exact. The search uses float64, whatever the precision of ``x0``. A search
    that does not converge is not an error: see ``converged`` and ``message``.

    Parameters
    ----------
    f
        A function that returns one number. It gets the structure of ``x0`` with Values and Tensors
        in it, as under `grad`. For ``"least_squares"`` it returns residuals, numbers in any
        container. For a sum over data, pass `gradwalk.parallel.map_grad`.
    x0
        Where the search begins: a float, an array, a Tensor, a Module, or a container of these. All
        parameters of a Module are free, frozen ones too.
    args
        Further arguments of ``f``: a tuple, or a single one.
    method
        With gradients BFGS, CG, L-BFGS-B, TNC, SLSQP; with exact products of the Hessian Newton-CG,
        trust-ncg, trust-krylov, trust-constr; with the whole Hessian trust-exact, dogleg; or
        ``"least_squares"``: half the sum of the squares of the residuals is minimized with their
        exact Jacobian. ``None`` is SLSQP with constraints, L-BFGS-B with bounds or for more than
        500 numbers, and BFGS otherwise.
    bounds
        A tuple (lower, upper), each a number, ``None``, or a container like x0; or, as in SciPy, a
        list of pairs, or a `Bounds`. Equal bounds fix a number.
    constraints
        One or a list: ``{"type": "eq", "fun": g}``, ``{"type": "ineq", "fun": h}``,
        `LinearConstraint` (of all numbers in one vector) and `NonlinearConstraint`, whose
        derivatives are computed.
    tolerance
        The limit of the method's measure of convergence (usually the largest derivative); SciPy's
        if ``None``.
    tol
        SciPy's name of ``tolerance``.
    max_steps
        The most steps, >= 1; SciPy's limit if ``None``.
    progress
        Whether a line shows the progress; with ``None`` only on a terminal.
    callback
        A function that gets every `Step`, and ends the search by returning True.
    options
        Further options of SciPy's method, by name.
    workers
        A number of processes, or an `Executor`, that divide the columns of whole Hessians and of
        the Jacobian of residuals; ``None`` computes them here.

    Returns
    -------
    a Minimum
        Its ``x`` has the structure and the types of ``x0``.

    Raises
    ------
    OptionError
        If the method has no derivatives or does not support bounds or constraints, ``x0`` has no
        numbers or is outside of the bounds, or an option is out of range.
    NonFiniteError
        For a NaN, or for an infinity at the start; later, an infinity makes all methods except
        L-BFGS-B and TNC try a shorter step.
    SilentDetachError
        If ``f`` depends on something else that requires a gradient; call in ``no_grad()`` to treat
        it as a constant.
    SizeError
        If ``f`` returns more than one number.
    NotANumberError
        If the result is no floating-point number.
    MissingExtraError
        If SciPy is not installed.

    See Also
    --------
    curve_fit, gradwalk.parallel.multistart

    References
    ----------
    Nocedal and Wright, Numerical Optimization (2006).

    Examples
    --------
    >>> from gradwalk import minimize
    >>> def rosenbrock(p):
    ...     return (1.0 - p[0]) ** 2 + 100.0 * (p[1] - p[0] ** 2) ** 2
    >>> found = minimize(rosenbrock, [-1.2, 1.0], method="trust-ncg", tolerance=1e-8)
    >>> found.converged, [round(x, 6) for x in found.x]
    (True, [1.0, 1.0])
    """
    expect_function(f, "minimize")
    expect_limit(max_steps, "minimize(max_steps=...)")
    tolerance = _one_tolerance(tolerance, tol)
    if callback is not None:
        expect_function(callback, "minimize(callback=...)")
    scipy = scipy_optimize("gradwalk.minimize")
    space = Space(Flat(x0, "minimize: x0"), bounds, "minimize")
    given_limits = listed(constraints)
    how = chosen(method, len(space.start), space.bounded, bool(given_limits))
    more = args if isinstance(args, tuple) else (args,)

    executor = None if workers is None else executor_of(workers, "minimize")

    def call(leaves: Sequence[Any]) -> Any:
        return f(space.flat.tree.unflatten(leaves), *more)

    of: Objective | Residuals
    if how is LEAST_SQUARES:
        of = Residuals(call, space, "minimize", executor)
    elif hasattr(f, "product"):
        derived: Any = f
        of = DerivedObjective(derived, space, "minimize", how.returns)
    else:
        of = Objective(call, space, "minimize", how.returns, executor)
    given = {**limits_of(how, max_steps, len(space.start)), **(options or {})}
    with showing(progress) as show:
        walk = Walk(of, show, callback, max_steps if how.name in COUNTED_HERE else None)
        if not space.free.any():
            ended = fixed_point(of, walk)
        elif isinstance(of, Residuals):
            ended = by_least_squares(scipy, of, walk, tolerance, given)
        else:
            limits = constrained(given_limits, space, how, scipy)
            ended = by_minimize(scipy, of, walk, how, tolerance, constraints=limits, options=given)
    return _minimum(of, walk, ended, how)


def _one_tolerance(tolerance: float | None, tol: float | None) -> float | None:
    for name, given in (("tolerance", tolerance), ("tol", tol)):
        if given is not None:
            as_float(given, f"minimize({name})")
    if tolerance is not None and tol is not None:
        raise OptionError(
            where="minimize(tolerance=..., tol=...)",
            expected="one of them: tol is SciPy's name of tolerance",
            got=f"{tolerance!r} and {tol!r}",
            fix="Leave one of them out.",
        )
    return tol if tolerance is None else tolerance


COUNTED_HERE = ("TNC", "least_squares")
"""Methods whose own limit is on evaluations, not on steps."""


def limits_of(how: Method, steps: int | None, count: int) -> dict[str, int]:
    """Return the options of a method for ``steps`` steps, and enough evaluations for them."""
    if how.name == "TNC":  # its default, 10 evaluations for each number, ends most searches early
        return {"maxfun": 2**31 - 1 if steps else 100 * max(count, 10)}
    if steps is None:
        return {}
    if how is LEAST_SQUARES:
        return {"max_nfev": 100 * max(steps, count)}
    evaluations = {"maxfun": max(15_000, 20 * steps)} if how.name == "L-BFGS-B" else {}
    return {"maxiter": steps, **evaluations}


def fixed_point(of: Objective | Residuals, walk: Walk) -> Ended:
    """Return the end of a search in which every number is fixed."""
    x = of.space.start
    walk.reach(x, *of.at(x))
    return Ended(x, True, "the bounds fix every number")


def _minimum(of: Objective | Residuals, walk: Walk, ended: Ended, how: Method) -> Minimum[Any]:
    """Return the result at the last point of the method, which callbacks may not have seen."""
    space = of.space
    if not np.array_equal(ended.x, walk.x):
        walk.x = ended.x
        walk.value, walk.gradient = of.at(ended.x)
    return Minimum(
        x=space.flat.build(space.whole(walk.x), trained=True),
        value=walk.value,
        gradient=space.flat.build(space.whole(walk.gradient, 0.0)),
        gradient_norm=walk.norm,
        steps=of.steps,
        evaluations=of.evaluations,
        converged=ended.converged,
        message=ended.message,
        method=how.name,
        history=tuple(walk.history),
        status=ended.status,
        inverse_hessian=ended.inverse_hessian,
    )
