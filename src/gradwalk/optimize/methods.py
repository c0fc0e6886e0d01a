"""The methods of `scipy.optimize.minimize` that use derivatives, and what each can do."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from ..core.expect import describe
from ..errors import MissingExtraError, OptionError

__all__ = ["LEAST_SQUARES", "METHODS", "Method", "chosen", "scipy_optimize"]


class Method(NamedTuple):
    """The name of a method, its second derivatives, and whether it supports bounds and constraints.

    ``returns``: where a function is infinite, the method tries a shorter step. L-BFGS-B would
    report convergence at an infinity, and TNC would continue with a NaN.
    """

    name: str
    second: str = ""  # "products" of the Hessian, or the "matrix"
    bounds: bool = False
    constraints: bool = False
    returns: bool = True


LEAST_SQUARES = Method("least_squares", bounds=True)
METHODS = {
    method.name.lower(): method
    for method in (
        Method("BFGS"),
        Method("CG"),
        Method("L-BFGS-B", bounds=True, returns=False),
        Method("TNC", bounds=True, returns=False),
        Method("SLSQP", bounds=True, constraints=True),
        Method("Newton-CG", "products"),
        Method("trust-ncg", "products"),
        Method("trust-krylov", "products"),
        Method("trust-constr", "products", bounds=True, constraints=True),
        Method("trust-exact", "matrix"),
        Method("dogleg", "matrix"),
        LEAST_SQUARES,
    )
}
BLIND = ("nelder-mead", "powell", "cobyla", "cobyqa")
"""Methods that use no derivatives."""
MANY = 500
"""The largest number of numbers for which BFGS, which stores a matrix, is the default."""


def chosen(name: str | None, count: int, bounded: bool, constrained: bool) -> Method:
    """Return the method of that name, or the default. Raise `OptionError` if it does not fit."""
    if name is None:
        many = bounded or count > MANY
        name = "SLSQP" if constrained else "L-BFGS-B" if many else "BFGS"
    method = METHODS.get(name.lower()) if isinstance(name, str) else None
    if method is None:
        raise _unknown(name)
    for limit, wanted in (("bounds", bounded), ("constraints", constrained)):
        if wanted and not getattr(method, limit):
            able = [m.name for m in METHODS.values() if getattr(m, limit)]
            raise OptionError(
                where=f"minimize(method={method.name!r}, {limit}=...)",
                expected=f"a method that supports {limit}: {', '.join(able)}",
                got=f"{method.name}, which does not",
                fix="Choose one of those, or leave method out.",
            )
    return method


def _unknown(name: object) -> OptionError:
    blind = isinstance(name, str) and name.lower() in BLIND
    return OptionError(
        where="minimize(method=...)",
        expected=f"one of {', '.join(m.name for m in METHODS.values())}",
        got=f"{name}, which uses no derivatives" if blind else describe(name),
        fix="Call scipy.optimize.minimize itself for a function without derivatives."
        if blind
        else "Check the spelling, or leave method out for the default.",
    )


def scipy_optimize(where: str) -> Any:
    """Return the module `scipy.optimize`. Raise `MissingExtraError` if it is not installed."""
    try:
        return import_module("scipy.optimize")
    except ImportError as error:
        raise MissingExtraError(
            where=where,
            expected="SciPy, which has the methods",
            got=f"an installation without it ({error})",
            fix='Install the extra: pip install "gradwalk[scipy]".',
        ) from error
