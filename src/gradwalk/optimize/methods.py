"""The methods of `scipy.optimize.minimize` that use derivatives, and what each can do."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from ..core.expect import describe
from ..errors import MissingExtraError, OptionError

__all__ = ["LEAST_SQUARES", "METHODS", "Method", "chosen", "scipy_optimize"]


class Method(NamedTuple):
    """The name of a method, which second derivatives it takes, the limits that it keeps.

    ``returns``: where a function is infinite it takes a shorter step. L-BFGS-B takes an infinity
    for convergence, and TNC makes a NaN of it.
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
"""With more numbers than these the matrix that BFGS keeps is too large to be the default."""


def chosen(name: Any, count: int, bounded: bool, constrained: bool) -> Method:
    """The method of that name, or the default; it can keep the limits that there are."""
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
                expected=f"a method that keeps {limit}: {', '.join(able)}",
                got=f"{method.name}, which cannot",
                fix="Choose one of those, or leave method out.",
            )
    return method


def _unknown(name: Any) -> OptionError:
    blind = isinstance(name, str) and name.lower() in BLIND
    return OptionError(
        where="minimize(method=...)",
        expected=f"one of {', '.join(m.name for m in METHODS.values())}",
        got=f"{name}, which uses no derivatives" if blind else describe(name),
        fix="For a function without derivatives call scipy.optimize.minimize itself."
        if blind
        else "Upper and lower case are the same; without method= one is chosen.",
    )


def scipy_optimize(where: str) -> Any:
    """The module `scipy.optimize`, if it is installed."""
    try:
        return import_module("scipy.optimize")
    except ImportError as error:
        raise MissingExtraError(
            where=where,
            expected="SciPy, which has the methods",
            got=f"an installation without it ({error})",
            fix='Install the extra: pip install "gradwalk[scipy]".',
        ) from error
