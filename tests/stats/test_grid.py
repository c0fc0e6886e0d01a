"""Every method of every distribution on a grid: values and slopes against 80 digits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradwalk import grad, stats
from gradwalk.stats import Distribution

from ..helpers.grid import cells_of, failures

DISTRIBUTIONS = {n: d for n in stats.__all__ if isinstance(d := getattr(stats, n), Distribution)}
TAILS = ("cdf", "sf", "logcdf", "logsf")
FIXED: dict[str, tuple[int, ...]] = {"poisson": (0,), "bernoulli": (0,), "binom": (0, 1)}
"""Arguments without a derivative: counts."""

LIMITS: dict[str, tuple[str, set[Any]]] = {
    "lognorm.pdf": ("the slope overflows, and its parts are infinities of both signs",
                    {("slope 0", (1e-300, 20.0)), ("slope 0", (1e-300, 1e8))}),
    "lognorm.ppf": ("the quantile is denormal", {("slope 0", (1e-300, 20.0))}),
    "chi2.ppf": ("the quantile underflows", {("slope 0", (1e-300, 1.0))}),
    "binom.logpmf": ("ln of the number of ways, 18, has lost digits of a sum near -1",
                     {("value", (1.0, 1e8, 1e-8))}),
    "binom.logcdf": ("the tail itself is known to 18 ulp",
                     {("value", (0.0, 1e8, 1e-8)), ("value", (0.5, 1e8, 1e-8))}),
}  # fmt: skip
"""What is known to fall short, and why; a cell that comes out right must leave this table."""


def methods(dist: Distribution) -> tuple[str, ...]:
    densities = ("logpmf", "pmf") if dist.discrete else ("logpdf", "pdf", "ppf")
    return (*densities, *TAILS)


NAMES = [f"{name}.{method}" for name, dist in DISTRIBUTIONS.items() for method in methods(dist)]


def test_every_method_is_on_the_grid() -> None:
    assert cells_of("stats").keys() == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_values_and_slopes(name: str) -> None:
    family, method = name.split(".")
    f = getattr(DISTRIBUTIONS[family], method)
    found = failures(f, cells_of("stats")[name], FIXED.get(family, ()))
    _, known = LIMITS.get(name, ("", set()))
    assert found.keys() == known, found


@pytest.mark.parametrize("name", [n for n, dist in DISTRIBUTIONS.items() if not dist.discrete])
def test_a_scale_that_is_not_positive_makes_nan(name: str) -> None:
    dist, x = DISTRIBUTIONS[name], np.array([-1.0, 0.0, 0.5, 1.0, 9.0])
    shapes = {"t": (3.0,), "gamma": (2.0,), "chi2": (3.0,), "beta": (2.0, 3.0), "lognorm": (0.7,)}
    for method in ("logpdf", "pdf", *TAILS):
        for scale in (0.0, -1.0, np.nan):
            y = getattr(dist, method)(x, *shapes.get(name, ()), 0.0, scale)
            assert np.isnan(np.asarray(y)).all(), (method, scale)


@pytest.mark.parametrize(
    ("f", "args", "slopes"),
    [
        (stats.gamma.pdf, (0.0, 2.0), (1.0, 0.0)),
        (stats.gamma.pdf, (0.0, 1.0), (-1.0, -np.inf)),
        (stats.gamma.pdf, (0.0, 3.0), (0.0, 0.0)),
        (stats.chi2.pdf, (0.0, 4.0), (0.25, 0.0)),
        (stats.beta.pdf, (0.0, 2.0, 3.0), (12.0, 0.0, 0.0)),
        (stats.beta.pdf, (1.0, 3.0, 2.0), (-12.0, 0.0, 0.0)),
        (stats.beta.pdf, (1.0, 3.0, 3.0), (0.0, 0.0, 0.0)),
        (stats.lognorm.cdf, (0.0, 0.7), (0.0, 0.0)),
        (stats.lognorm.pdf, (0.0, 0.7), (0.0, 0.0)),
        (stats.expon.cdf, (0.0,), (1.0,)),
        (stats.laplace.cdf, (0.0,), (0.5,)),
    ],
)
def test_slopes_at_the_edge_of_the_support(f: Any, args: Any, slopes: Any) -> None:
    """One element there would spoil the gradient of a whole sum."""
    assert grad(f, tuple(range(len(args))))(*args) == slopes


@pytest.mark.parametrize(
    ("f", "args", "slope"),
    [
        (stats.poisson.pmf, (0.0, 0.0), -1.0),
        (stats.poisson.pmf, (1.0, 0.0), 1.0),
        (stats.poisson.pmf, (2.0, 0.0), 0.0),
        (stats.poisson.cdf, (0.0, 0.0), -1.0),
        (stats.poisson.cdf, (3.0, 0.0), 0.0),
        (stats.binom.pmf, (0.0, 4.0, 0.0), -4.0),
        (stats.binom.pmf, (1.0, 4.0, 0.0), 4.0),
        (stats.binom.pmf, (2.0, 4.0, 0.0), 0.0),
        (stats.binom.pmf, (4.0, 4.0, 1.0), 4.0),
        (stats.binom.pmf, (3.0, 4.0, 1.0), -4.0),
        (stats.binom.cdf, (0.0, 4.0, 0.0), -4.0),
        (stats.bernoulli.pmf, (1.0, 0.0), 1.0),
        (stats.bernoulli.logpmf, (0.0, 0.0), -1.0),
    ],
)
def test_slopes_of_probabilities_at_the_ends_of_parameters(f: Any, args: Any, slope: float) -> None:
    assert grad(f, argnums=len(args) - 1)(*args) == pytest.approx(slope, rel=1e-15)


def test_classes_outside_have_no_probability() -> None:
    p = np.array([0.2, 0.3, 0.5])
    got = np.asarray(stats.categorical.logpmf([-1, 0, 2, 3], p))
    np.testing.assert_allclose(got, [-np.inf, np.log(0.2), np.log(0.5), -np.inf])
    slopes = grad(lambda p: stats.categorical.pmf([-1, 0, 3], p).sum())(p)
    np.testing.assert_allclose(slopes, [0.8, -0.2, -0.2], rtol=1e-15)
