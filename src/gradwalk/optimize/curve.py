"""The result of `curve_fit`: parameters with their uncertainties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from .minimum import Evaluations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

P = TypeVar("P")

__all__ = ["CurveFit", "Measured", "measured"]

ROWS = 20
"""The largest number of parameters in the repr."""


class Measured(NamedTuple):
    """A fitted number with its name and uncertainty."""

    name: str
    value: float
    uncertainty: float

    def __str__(self) -> str:
        return f"{self.name} = {measured(self.value, self.uncertainty)}"


@dataclass(frozen=True, eq=False, repr=False)
class CurveFit(Generic[P]):
    """The result of `gradwalk.curve_fit`. As in SciPy it unpacks: ``popt, pcov = curve_fit(...)``.

    Parameters
    ----------
    parameters
        The parameters of the best fit, in the structure of the starting point.
    uncertainties
        Their standard deviations, in the same structure.
    covariance : (parameters, parameters)
        The covariance matrix, in the order of ``table``.
    residuals : the shape of ys
        Data minus model.
    chi2
        The sum of the squares of the residuals, each divided by its sigma if there is one.
    reduced_chi2
        ``chi2`` divided by the degrees of freedom; NaN without any.
    degrees_of_freedom
        The number of data minus the number of parameters.
    steps
        The number of steps of the search.
    evaluations
        How often the model and its Jacobian were evaluated.
    converged
        Whether the search has converged.
    message
        Why it ended, and which parameters the data do not determine.
    table
        Name, value and uncertainty of each number.

    Examples
    --------
    >>> from gradwalk import curve_fit
    >>> fit = curve_fit(lambda x, w: w * x, [1.0, 2.0], [2.0, 4.0], p0=[1.0])
    >>> type(fit).__name__
    'CurveFit'
    """

    parameters: P
    uncertainties: P
    covariance: NDArray[np.float64]
    residuals: NDArray[np.float64]
    chi2: float
    reduced_chi2: float
    degrees_of_freedom: int
    steps: int
    evaluations: Evaluations
    converged: bool
    message: str
    table: tuple[Measured, ...]

    def __iter__(self) -> Iterator[Any]:
        """Yield ``parameters`` and ``covariance``: ``popt, pcov = curve_fit(...)``."""
        yield self.parameters
        yield self.covariance

    def __repr__(self) -> str:
        ended = "converged" if self.converged else "NOT converged"
        free = self.degrees_of_freedom
        rows = [f"  {row}" for row in self.table[:ROWS]]
        rest = len(self.table) - ROWS
        lines = [
            f"CurveFit({ended} after {self.steps} steps: {self.message}",
            *rows,
            *([f"  and {rest} more"] if rest > 0 else []),
            f"  chi2 = {self.chi2:.6g} for {free} degrees of freedom)",
        ]
        return "\n".join(lines)


def measured(x: float, uncertainty: float) -> str:
    """Return a number and its uncertainty as text, to two digits of the uncertainty.

    >>> measured(2.01234, 0.0312), measured(12345.6, 432.1), measured(2.5e-9, 3e-11)
    ('2.012 ± 0.031', '12350 ± 430', '(2.500 ± 0.030)e-09')
    """
    if not (math.isfinite(uncertainty) and uncertainty > 0.0 and math.isfinite(x)):
        return f"{x:.6g} ± {uncertainty:.2g}"
    top = math.floor(math.log10(max(abs(x), uncertainty)))
    power = 0 if -4 <= top <= 6 else top
    x, uncertainty = x / 10.0**power, uncertainty / 10.0**power
    digits = 1 - math.floor(math.log10(float(f"{uncertainty:.1e}")))
    shown = f"{_rounded(x, digits)} ± {_rounded(uncertainty, digits)}"
    return f"({shown})e{power:+03d}" if power else shown


def _rounded(x: float, digits: int) -> str:
    return f"{round(x, digits):.{max(digits, 0)}f}"
