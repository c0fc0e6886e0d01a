"""Running a search: its record of steps, its callbacks, and the calls of SciPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.expect import describe
from ..errors import OptionError
from .display import Show
from .methods import Method
from .minimum import Step
from .objective import Objective
from .residuals import Residuals

if TYPE_CHECKING:
    from .space import Vector

__all__ = ["Ended", "Walk", "by_least_squares", "by_minimize", "expect_limit"]


class Ended(NamedTuple):
    """The last point of a search, and the status that its method reports."""

    x: Vector
    converged: bool
    message: str
    status: int = 0
    inverse_hessian: Any = None


class EarlyEndError(Exception):
    """A callback or a limit ends a search before its method does."""


class Walk:
    """The record of the points that a search has accepted: counts and shows them."""

    value: float

    def __init__(
        self,
        of: Objective | Residuals,
        show: Show,
        callback: Callable[[Step], object] | None,
        limit: int | None = None,
    ) -> None:
        self._of, self._show, self._callback, self._limit = of, show, callback, limit
        self.x: Any = None
        self.value: float = np.nan
        self.gradient: Vector = np.zeros(0)
        self.history: list[float] = []

    @property
    def norm(self) -> float:
        """The norm of the gradient within the bounds."""
        return float(np.linalg.norm(self._of.space.projected(self.x, self.gradient)))

    def reach(self, x: Vector, value: float, gradient: Vector) -> None:
        """Record the start or a step. Raise `EarlyEndError` if it is the last one."""
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
        """Return the end of ``search``, which may be an early one."""
        try:
            with np.errstate(all="ignore"):  # where f is infinite, SciPy computes inf - inf
                result = search()
        except EarlyEndError as end:
            return Ended(self.x, False, str(end), 99)  # 99: SciPy's for an end by the callback
        inverse = result.get("hess_inv")
        return Ended(
            result.x, bool(result.success), str(result.message), int(result.status), inverse
        )


def by_minimize(
    scipy: ModuleType,
    of: Objective,
    walk: Walk,
    how: Method,
    tolerance: float | None,
    **options: Any,
) -> Ended:
    """Run `scipy.optimize.minimize`."""
    space = of.space
    second: dict[str, Any] = {"products": {"hessp": of.product}, "matrix": {"hess": of.hessian}}
    limits = {"bounds": scipy.Bounds(space.lower, space.upper)} if space.bounded else {}

    def reach(x: Vector, *state: object) -> None:
        walk.reach(x, *of.at(x))

    def search() -> Any:
        walk.reach(space.start, *of.at(space.start))
        return scipy.minimize(
            of.value,
            space.start,
            jac=of.gradient,
            method=how.name,
            tol=tolerance,
            callback=reach,
            **second.get(how.second, {}),
            **limits,
            **options,
        )

    return walk.run(lambda: _with_known_options(search, scipy, options.get("options")))


def _with_known_options(search: Callable[[], Any], scipy: ModuleType, options: object) -> Any:
    """Run ``search``. Raise `OptionError` for unknown options, of which SciPy only warns."""
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
        expected="options of SciPy's method",
        got=got,
        fix="Call scipy.optimize.show_options('minimize', method) to list them.",
    )


TRF_OPTIONS = {"method", "ftol", "xtol", "gtol", "x_scale", "loss", "f_scale", "max_nfev"}
TRF_OPTIONS |= {"tr_solver", "tr_options"}


def by_least_squares(
    scipy: ModuleType, of: Residuals, walk: Walk, tolerance: float | None, options: dict[str, Any]
) -> Ended:
    """Run `scipy.optimize.least_squares`.

    It calls for a Jacobian at the start and after each step, so every step is recorded.
    """
    space = of.space
    if unknown := set(options) - TRF_OPTIONS:
        raise _unknown_options(f"unknown options: {', '.join(sorted(map(str, unknown)))}")
    ends = {} if tolerance is None else dict.fromkeys(("ftol", "xtol", "gtol"), tolerance)

    def derivative(x: Vector) -> Vector:
        if walk.x is None or not np.array_equal(x, walk.x):
            walk.reach(x, *of.at(x))
        return of.derivative(x)

    chosen = {"x_scale": "jac", "bounds": (space.lower, space.upper), **ends, **options}
    return walk.run(lambda: scipy.least_squares(of.value, space.start, derivative, **chosen))


def expect_limit(number: int | None, where: str) -> None:
    """Raise `OptionError` unless a limit is a positive integer or ``None``."""
    if number is not None and (not isinstance(number, int) or number < 1 or number is True):
        raise OptionError(
            where=where,
            expected="a positive integer, or None",
            got=describe(number),
            fix="Leave it out for the limit of the method.",
        )
