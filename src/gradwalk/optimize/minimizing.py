"""`minimize`: the minimum of a function of any container, by the methods of SciPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..transforms.gradients import expect_function
from .constraints import constrained
from .display import showing
from .flat import Flat
from .methods import LEAST_SQUARES, Method, chosen, scipy_optimize
from .minimum import Minimum, Step
from .objective import Objective
from .residuals import Residuals
from .searching import Ended, Walk, by_least_squares, by_minimize, expect_limit
from .space import Space

__all__ = ["held", "limits_of", "minimize"]

Callback = Callable[[Step], Any]


def minimize(
    f: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: str | None = None,
    *,
    bounds: Any = None,
    constraints: Sequence[Mapping[str, Any]] | Mapping[str, Any] = (),
    tolerance: float | None = None,
    max_steps: int | None = None,
    progress: bool | None = None,
    callback: Callback | None = None,
    options: Mapping[str, Any] | None = None,
) -> Minimum:
    """A local minimum of ``f(x, *args)`` near ``x0``, by a method of SciPy with exact derivatives.

        min f(x)   subject to   lower ≤ x ≤ upper,   g(x) = 0,   h(x) ≥ 0

    ``x0`` is a float, an array, a Tensor, a Module, or a container of these; ``f`` gets the like
    with Values and Tensors in it, as under `grad`, and returns one number. The result's ``x`` is
    of the kinds of x0. The search itself goes on in float64, whatever the precision of x0. All
    parameters of a Module move, frozen ones too; everything else is held constant.

    ``method``: with gradients BFGS (the default), CG, L-BFGS-B (the default with bounds, or of
    more than 500 numbers), TNC, SLSQP (the default with constraints); with exact products of the
    Hessian Newton-CG, trust-ncg, trust-krylov, trust-constr; with the whole Hessian trust-exact,
    dogleg; or ``"least_squares"``, for which f returns residuals, numbers in any container, half
    the sum of whose squares is minimized with their exact Jacobian (Nocedal & Wright, 2006, has
    them all). Methods that use no derivatives are refused.

    ``bounds`` is a tuple (lower, upper), each a number, None, or a container like x0; equal bounds
    hold a number where it is. ``constraints``: dictionaries ``{"type": "eq", "fun": g}`` and
    ``{"type": "ineq", "fun": h}``. ``tolerance`` is what the method compares with its measure of
    convergence (mostly the largest slope); by default that of SciPy. The search ends after
    ``max_steps``, or when ``callback(step)`` returns True. ``progress`` shows a line on a
    terminal; False never does, True does without a terminal too. ``options`` go to SciPy.

    Not to converge is no error: ``converged`` and ``message`` say so. A NaN is a `NonFiniteError`,
    and so is an infinity at the start; later it makes all methods but L-BFGS-B and TNC come back
    with a shorter step. f may depend on nothing else that wants derivatives (`SilentDetachError`);
    ``no_grad()`` around the call holds that constant.

    >>> from gradwalk import minimize
    >>> def rosenbrock(p):
    ...     return (1.0 - p[0]) ** 2 + 100.0 * (p[1] - p[0] ** 2) ** 2
    >>> found = minimize(rosenbrock, [-1.2, 1.0], method="trust-ncg", tolerance=1e-8)
    >>> found.converged, [round(x, 6) for x in found.x]
    (True, [1.0, 1.0])
    """
    expect_function(f, "minimize")
    expect_limit(max_steps, "minimize(max_steps=...)")
    scipy = scipy_optimize("gradwalk.minimize")
    space = Space(Flat(x0, "minimize: x0"), bounds, "minimize")
    how = chosen(method, len(space.start), space.bounded, bool(constraints))
    more = args if isinstance(args, tuple) else (args,)

    def call(leaves: Sequence[Any]) -> Any:
        return f(space.flat.tree.unflatten(leaves), *more)

    squares = how is LEAST_SQUARES
    of: Objective | Residuals = Residuals(call, space, "minimize")
    if not squares:
        of = Objective(call, space, "minimize", how.returns)
    given = {**limits_of(how, max_steps, len(space.start)), **(options or {})}
    with showing(progress) as show:
        walk = Walk(of, show, callback, max_steps if how.name in COUNTED_HERE else None)
        if not space.moves.any():
            ended = held(of, walk)
        elif isinstance(of, Residuals):
            ended = by_least_squares(scipy, of, walk, tolerance, given)
        else:
            limits = constrained(constraints, space, how, scipy)
            ended = by_minimize(scipy, of, walk, how, tolerance, constraints=limits, options=given)
    return _minimum(of, walk, ended, how)


COUNTED_HERE = ("TNC", "least_squares")
"""Methods whose own limit counts evaluations, not steps."""


def limits_of(how: Method, steps: int | None, count: int) -> dict[str, int]:
    """The options of a method that let it take so many steps, and its evaluations for them."""
    if how.name == "TNC":  # whose own limit, 10 evaluations for each number, ends most searches
        return {"maxfun": 2**31 - 1 if steps else 100 * max(count, 10)}
    if steps is None:
        return {}
    if how is LEAST_SQUARES:
        return {"max_nfev": 100 * max(steps, count)}
    evaluations = {"maxfun": max(15_000, 20 * steps)} if how.name == "L-BFGS-B" else {}
    return {"maxiter": steps, **evaluations}


def held(of: Objective | Residuals, walk: Walk) -> Ended:
    """The end of a search in which nothing may move."""
    x = of.space.start
    walk.reach(x, *of.at(x))
    return Ended(x, True, "the bounds hold every number where it is")


def _minimum(of: Objective | Residuals, walk: Walk, ended: Ended, how: Method) -> Minimum:
    """The result, at the point where the method has ended: not always one that callbacks saw."""
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
    )
