"""A search under way: what it has seen, who watches it, and how SciPy is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.expect import describe
from ..errors import OptionError
from .display import Show
from .methods import Method
from .minimum import Step
from .objective import Objective
from .residuals import Residuals

__all__ = ["Ended", "Walk", "by_least_squares", "by_minimize", "expect_limit"]


class Ended(NamedTuple):
    """Where a search has ended, and what its method says about it."""

    x: Any
    converged: bool
    message: str


class EarlyEndError(Exception):
    """A search is to end where it is, though its method would go on."""


class Walk:
    """The points that a search has accepted: it counts, shows and remembers them."""

    def __init__(
        self, of: Objective | Residuals, show: Show, callback: Any, limit: int | None = None
    ) -> None:
        self._of, self._show, self._callback, self._limit = of, show, callback, limit
        self.x: Any = None
        self.value, self.gradient = np.nan, np.zeros(0)
        self.history: list[float] = []

    @property
    def norm(self) -> float:
        """The length of the gradient within the bounds."""
        return float(np.linalg.norm(self._of.space.uphill(self.x, self.gradient)))

    def reach(self, x: Any, value: float, gradient: Any) -> None:
        """Take note of the start or of a step; the end of the search, if somebody wishes it."""
        self.x, self.value, self.gradient = x.copy(), float(value), gradient
        self.history.append(self.value)
        steps = self._of.steps = len(self.history) - 1
        self._show(steps, self.value, self.norm)
        if steps and self._callback is not None and self._callback(self._step(steps)):
            raise EarlyEndError("ended by the callback")
        if self._limit is not None and steps >= self._limit:
            raise EarlyEndError(f"ended after max_steps={self._limit}")

    def _step(self, number: int) -> Step:
        space = self._of.space
        return Step(number, space.flat.build(space.whole(self.x)), self.value, self.norm)

    def run(self, search: Callable[[], Any]) -> Ended:
        """The end of ``search``, which may be an early one."""
        try:
            with np.errstate(all="ignore"):  # where f is infinite, SciPy computes inf - inf
                found = search()
        except EarlyEndError as end:
            return Ended(self.x, False, str(end))
        return Ended(found.x, bool(found.success), str(found.message))


def by_minimize(
    scipy: Any, of: Objective, walk: Walk, how: Method, tolerance: Any, **options: Any
) -> Ended:
    """The search of `scipy.optimize.minimize`."""
    space = of.space
    second: dict[str, Any] = {"products": {"hessp": of.product}, "matrix": {"hess": of.hessian}}
    limits = {"bounds": scipy.Bounds(space.lower, space.upper)} if space.bounded else {}

    def seen(x: Any, *state: Any) -> None:
        walk.reach(x, *of.at(x))

    def search() -> Any:
        walk.reach(space.start, *of.at(space.start))
        return scipy.minimize(
            of.value,
            space.start,
            jac=of.gradient,
            method=how.name,
            tol=tolerance,
            callback=seen,
            **second.get(how.second, {}),
            **limits,
            **options,
        )

    return walk.run(lambda: _with_known_options(search, scipy, options.get("options")))


def _with_known_options(search: Callable[[], Any], scipy: Any, options: Any) -> Any:
    """SciPy only warns of an option that means nothing to it."""
    if not options:
        return search()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Unknown solver options", scipy.OptimizeWarning)
        try:
            return search()
        except scipy.OptimizeWarning as warning:
            raise _unknown_options(str(warning)) from None


def _unknown_options(got: str) -> OptionError:
    return OptionError(
        where="minimize(options=...)",
        expected="options that the method of SciPy has",
        got=got,
        fix="scipy.optimize.show_options('minimize', method) lists them.",
    )


TRF_OPTIONS = {"method", "ftol", "xtol", "gtol", "x_scale", "loss", "f_scale", "max_nfev"}
TRF_OPTIONS |= {"tr_solver", "tr_options"}


def by_least_squares(
    scipy: Any, of: Residuals, walk: Walk, tolerance: Any, options: dict[str, Any]
) -> Ended:
    """The search of `scipy.optimize.least_squares`.

    It asks for a Jacobian at the start and after each step, and so each of them is seen.
    """
    space = of.space
    if unknown := set(options) - TRF_OPTIONS:
        raise _unknown_options(f"unknown options: {', '.join(sorted(map(str, unknown)))}")
    ends = {} if tolerance is None else dict.fromkeys(("ftol", "xtol", "gtol"), tolerance)

    def slope(x: Any) -> Any:
        if walk.x is None or not np.array_equal(x, walk.x):
            walk.reach(x, *of.at(x))
        return of.slope(x)

    chosen = {"x_scale": "jac", "bounds": (space.lower, space.upper), **ends, **options}
    return walk.run(lambda: scipy.least_squares(of.value, space.start, slope, **chosen))


def expect_limit(number: Any, where: str) -> None:
    """Refuse a limit that is no whole number above zero."""
    if number is not None and (not isinstance(number, int) or number < 1 or number is True):
        raise OptionError(
            where=where,
            expected="a whole number from 1, or None",
            got=describe(number),
            fix="Leave it out for the limit of the method.",
        )
