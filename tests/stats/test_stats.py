"""Distributions: SciPy's numbers, and derivatives in x and every parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

import gradwalk as gw
from gradwalk import Tensor, Value, grad, stats, vmap
from gradwalk.errors import GradwalkError
from gradwalk.stats import Distribution

from ..helpers.array_checks import check

SHAPES: dict[str, tuple[float, ...]] = {
    "norm": (), "t": (3.5,), "gamma": (2.3,), "chi2": (3.0,), "beta": (2.0, 3.0), "expon": (),
    "laplace": (), "logistic": (), "lognorm": (0.7,), "uniform": (), "poisson": (2.5,),
    "bernoulli": (0.3,), "binom": (4.0, 0.3),
}  # fmt: skip
DISTRIBUTIONS = {n: d for n in stats.__all__ if isinstance(d := getattr(stats, n), Distribution)}
SMOOTH = [n for n, d in DISTRIBUTIONS.items() if not d.discrete]
OTHERS = {"Distribution", "Frozen", "categorical", "dirichlet", "mixture", "multivariate_normal"}
X, Q = np.linspace(-3.0, 5.0, 17), np.array([0.01, 0.3, 0.55, 0.99])


def test_every_distribution_is_tested() -> None:
    assert set(stats.__all__) - OTHERS == DISTRIBUTIONS.keys() == SHAPES.keys()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_numbers_are_scipys(name: str) -> None:
    ours, theirs, shapes = DISTRIBUTIONS[name], getattr(scipy.stats, name), SHAPES[name]
    placed: list[Any] = [(), (0.5, 2.0)] if not ours.discrete else [(), (1.0,)]
    methods = (
        ("logpmf", "pmf", "cdf") if ours.discrete else ("logpdf", "pdf", "cdf", "sf", "logcdf")
    )
    x = np.arange(-1.0, 8.0) if ours.discrete else X
    with np.errstate(all="ignore"):
        for place in placed:
            for method in methods:
                expected = getattr(theirs, method)(x, *shapes, *place)
                for given in (x, Tensor(x)):
                    got = np.asarray(getattr(ours, method)(given, *shapes, *place))
                    np.testing.assert_allclose(
                        got, expected, rtol=1e-11, atol=1e-14, err_msg=method
                    )
            if not ours.discrete:
                expected = theirs.ppf(Q, *shapes, *place)
                np.testing.assert_allclose(ours.ppf(Q, *shapes, *place), expected, rtol=1e-11)


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("method", ["logpdf", "cdf", "ppf"])
def test_derivatives_in_x_and_all_parameters(name: str, method: str) -> None:
    at = [np.array([0.3, 0.62])] if method == "ppf" else [np.array([0.71, 0.93])]
    args = [*at, *map(np.asarray, SHAPES[name]), np.array(0.1), np.array(1.3)]
    order = 1 if method != "logpdf" else 2
    check(getattr(DISTRIBUTIONS[name], method), *args, order=order, dtypes=("float64",), rtol=2e-5)


@pytest.mark.parametrize("name", ["poisson", "bernoulli", "binom"])
def test_derivatives_of_discrete_ones(name: str) -> None:
    k = np.array([0.0, 1.0])
    rates = SHAPES[name]
    fixed, free = (rates[:-1], np.asarray(rates[-1]))
    for method in ("logpmf", "cdf"):
        f = getattr(DISTRIBUTIONS[name], method)
        check(lambda p, f=f: f(k, *fixed, p), free, order=1, dtypes=("float64",))


@pytest.mark.parametrize("name", SMOOTH)
def test_samples_follow_the_distribution_and_their_parameters(name: str) -> None:
    dist, shapes = DISTRIBUTIONS[name], SHAPES[name]
    x = dist.sample(*shapes, 0.5, 2.0, size=2000, seed=1)
    theirs = getattr(scipy.stats, name)(*shapes, 0.5, 2.0)
    assert scipy.stats.kstest(np.asarray(x), theirs.cdf).pvalue > 1e-3
    slope = grad(lambda s: gw.mean(dist.sample(*shapes, scale=s, size=50, seed=2)))(2.0)
    assert slope == pytest.approx(np.mean(dist.sample(*shapes, size=50, seed=2)))


def test_values_and_frozen_distributions() -> None:
    mu, sigma = Value(0.5), Value(2.0)
    y = stats.norm(mu, sigma).logpdf(1.0)
    y.backward()
    assert (mu.grad, sigma.grad) == pytest.approx((0.125, 0.0625 / 2.0 - 0.5))
    assert vmap(grad(stats.t.cdf, argnums=1))(X, np.full(17, 3.0)).shape == (17,)


def test_vectors_and_classes() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=(3, 3))
    cov, mean, x = a @ a.T + np.eye(3), rng.normal(size=3), rng.normal(size=(4, 3))
    expected = scipy.stats.multivariate_normal.logpdf(x, mean, cov)
    np.testing.assert_allclose(stats.multivariate_normal.logpdf(x, mean, cov), expected, rtol=1e-12)
    check(lambda x, m, c: stats.multivariate_normal.logpdf(x, m, c), x[0], mean, cov + cov.T,
          order=1, wrt=(0, 1), dtypes=("float64",))  # fmt: skip
    draws = np.asarray(stats.multivariate_normal.sample(mean, cov, 20_000, seed=0))
    np.testing.assert_allclose(np.cov(draws.T), cov, atol=0.15)
    p, alpha = np.array([0.2, 0.3, 0.5]), np.array([1.5, 2.0, 0.7])
    expected = scipy.stats.dirichlet.logpdf(p, alpha)
    assert float(stats.dirichlet.logpdf(p, alpha)) == pytest.approx(expected, rel=1e-13)
    check(stats.dirichlet.logpdf, p, alpha, dtypes=("float64",))
    np.testing.assert_allclose(np.asarray(stats.dirichlet.sample(alpha, 5, 0)).sum(-1), 1.0)
    np.testing.assert_allclose(stats.categorical.pmf([0, 2], 3.0 * p), [0.2, 0.5])
    check(lambda p: stats.categorical.logpmf([0, 2, 2], p), p)
    assert float(stats.categorical.entropy(p)) == pytest.approx(scipy.stats.entropy(p))


def test_mixtures() -> None:
    def density(w: Any, m: Any) -> Any:
        return stats.mixture(w, [stats.norm(m[0]), stats.norm(m[1], 2.0), stats.laplace()]).logpdf(
            X
        )

    w, m = np.array([0.2, 0.3, 0.5]), np.array([-1.0, 1.5])
    parts = [
        scipy.stats.norm.pdf(X, -1.0),
        scipy.stats.norm.pdf(X, 1.5, 2.0),
        scipy.stats.laplace.pdf(X),
    ]
    np.testing.assert_allclose(density(w, m), np.log(w @ parts), rtol=1e-12)
    check(density, w, m, dtypes=("float64",))


@pytest.mark.parametrize("call", [
    lambda: stats.gamma.logpdf(1.0), lambda: stats.norm.logpdf(1.0, 0.0, 1.0, 2.0),
    lambda: stats.norm.cdf(1.0, mu=2.0), lambda: stats.poisson.ppf(0.5, 2.0),
    lambda: stats.mixture([1.0], []), lambda: stats.norm.sample(seed="a"),
])  # fmt: skip
def test_what_does_not_fit_is_explained(call: Any) -> None:
    with pytest.raises(GradwalkError):
        call()
