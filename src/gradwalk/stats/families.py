"""The distributions of one number: each a few lines of formulas.

A density, both tails and the logarithms of all three have a formula each: 1 - cdf loses what the
cdf is below 1, and the logarithm of a tail that underflows is -inf.
"""

from __future__ import annotations

from math import inf, log, pi
from typing import Any, Final

from ..core.primitive import Primitive
from ..engine.functions import abs, cosh, exp, expm1, floor, log1p, sigmoid, softplus, where
from ..engine.functions import log as ln
from ..ops.arithmetic import equal
from ..ops.families import FAMILIES
from ..special import (
    betainc,
    betaincc,
    betaincinv,
    gammainc,
    gammaincc,
    gammaincinv,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    xlog1py,
    xlogy,
)
from .distribution import Distribution

__all__ = ["bernoulli", "beta", "binom", "chi2", "expon", "gamma", "laplace", "logistic"]
__all__ += ["lognorm", "norm", "poisson", "t", "uniform"]

SQRT_2_PI, LOG_SQRT_2_PI, LOG_2 = (2.0 * pi) ** 0.5, 0.5 * log(2.0 * pi), log(2.0)
TINY = 5e-324  # the least positive number
gamma_density: Primitive = FAMILIES["gamma_density"]
log_gamma_density: Primitive = FAMILIES["log_gamma_density"]
beta_density: Primitive = FAMILIES["beta_density"]
log_beta_density: Primitive = FAMILIES["log_beta_density"]
log_gammainc: Primitive = FAMILIES["log_gammainc"]
log_gammaincc: Primitive = FAMILIES["log_gammaincc"]
log_betainc: Primitive = FAMILIES["log_betainc"]
log_betaincc: Primitive = FAMILIES["log_betaincc"]
t_sf: Primitive = FAMILIES["t_sf"]
log_t_sf: Primitive = FAMILIES["log_t_sf"]
t_log_density: Primitive = FAMILIES["t_log_density"]
t_ppf: Primitive = FAMILIES["t_ppf"]


def _positive(*shapes: Any) -> Any:
    valid = _finite(shapes[0])
    for shape in shapes[1:]:
        valid = valid & _finite(shape)
    return valid


def _finite(shape: Any) -> Any:
    return (shape > 0.0) & (shape < inf)


def _log_less_exp(x: Any) -> Any:
    """ln(1 - e^-x) for x >= 0"""
    near = x < LOG_2
    return where(near, ln(-expm1(-where(near, x, 0.5))), log1p(-exp(-where(near, 1.0, x))))


def _split(x: Any) -> tuple[Any, Any, Any]:
    """Return whether x < 0, and x on each side, 0 on the other: slopes are right on both."""
    left = x < 0.0
    return left, where(left, x, 0.0), where(left, 0.0, x)


def _laplace_cdf(x: Any) -> Any:
    left, low, high = _split(x)
    return where(left, 0.5 * exp(low), 1.0 - 0.5 * exp(-high))


def _laplace_logcdf(x: Any) -> Any:
    left, low, high = _split(x)
    return where(left, low - LOG_2, log1p(-0.5 * exp(-high)))


def _laplace_ppf(q: Any) -> Any:
    left = q < 0.5
    return where(left, ln(2.0 * where(left, q, 0.5)), -ln(2.0 * where(left, 0.5, 1.0 - q)))


def _logistic_log(x: Any) -> Any:
    """-2 ln(2 cosh(x / 2)), which has the slope -tanh(x / 2)."""
    near = abs(x) < 1.0
    middle = -2.0 * (ln(cosh(0.5 * where(near, x, 0.0))) + LOG_2)
    far = where(near, 1.0, x)
    return where(near, middle, -far - 2.0 * softplus(-far))


def _lognorm_ppf(q: Any, s: Any) -> Any:
    inside = q > 0.0
    return where(inside, exp(s * ndtri(where(inside, q, 0.5))), 0.0)


def _lognorm_pdf(x: Any, s: Any) -> Any:
    z = ln(x) / s
    return exp(-0.5 * z * z) / x / (s * SQRT_2_PI)


def _binom(f: Any, over: float) -> Any:
    """Return f of beta parameters and p below k = n, and from there on what is ``over``."""

    def tail(k: Any, n: Any, p: Any) -> Any:
        down = floor(k)
        all_of_them = down >= n
        some = where(all_of_them, 0.0, down)
        left = where(all_of_them, 1.0, n - some)
        return where(all_of_them, over, f(some + 1.0, left, p))

    return tail


def _binom_density(k: Any, n: Any, p: Any, log: bool) -> Any:
    possible = k <= n
    j, m = where(possible, k, 0.0), where(possible, n, 0.0)
    if log:
        y = log_beta_density(j + 1.0, m - j + 1.0, p) - ln(m + 1.0)
        y = where(equal(j, 0.0), xlog1py(m, -p), where(equal(j, m), xlogy(m, p), y))
    else:
        y = beta_density(j + 1.0, m - j + 1.0, p) / (m + 1.0)
    return where(possible, y, -inf if log else 0.0)


def _probability(p: Any) -> Any:
    return (p >= 0.0) & (p <= 1.0)


# fmt: off
norm: Final = Distribution("norm", "", lambda x: -0.5 * x * x - LOG_SQRT_2_PI,
    ndtr, lambda x: ndtr(-x), log_ndtr, lambda x: log_ndtr(-x), ndtri)
t: Final = Distribution("t", "df", t_log_density,
    lambda x, df: t_sf(-x, df), t_sf, lambda x, df: log_t_sf(-x, df), log_t_sf, t_ppf,
    density=FAMILIES["t_density"], valid=lambda df: df > 0.0)
gamma: Final = Distribution("gamma", "a", lambda x, a: log_gamma_density(a, x),
    lambda x, a: gammainc(a, x), lambda x, a: gammaincc(a, x),
    lambda x, a: log_gammainc(a, x), lambda x, a: log_gammaincc(a, x),
    lambda q, a: gammaincinv(a, q), (0.0, inf), lambda x, a: gamma_density(a, x), _positive)
chi2: Final = Distribution("chi2", "df", lambda x, df: log_gamma_density(0.5 * df, 0.5 * x) - LOG_2,
    lambda x, df: gammainc(0.5 * df, 0.5 * x), lambda x, df: gammaincc(0.5 * df, 0.5 * x),
    lambda x, df: log_gammainc(0.5 * df, 0.5 * x), lambda x, df: log_gammaincc(0.5 * df, 0.5 * x),
    lambda q, df: 2.0 * gammaincinv(0.5 * df, q), (0.0, inf),
    lambda x, df: 0.5 * gamma_density(0.5 * df, 0.5 * x), _positive)
beta: Final = Distribution("beta", "a b", lambda x, a, b: log_beta_density(a, b, x),
    lambda x, a, b: betainc(a, b, x), lambda x, a, b: betaincc(a, b, x),
    lambda x, a, b: log_betainc(a, b, x), lambda x, a, b: log_betaincc(a, b, x),
    lambda q, a, b: betaincinv(a, b, q), (0.0, 1.0), lambda x, a, b: beta_density(a, b, x),
    _positive)
expon: Final = Distribution("expon", "", lambda x: -x, lambda x: -expm1(-x), lambda x: exp(-x),
    _log_less_exp, lambda x: -x, lambda q: -log1p(-q), (0.0, inf))
uniform: Final = Distribution("uniform", "", lambda x: 0.0 * x, lambda x: x, lambda x: 1.0 - x,
    ln, lambda x: log1p(-x), lambda q: q, (0.0, 1.0))
laplace: Final = Distribution("laplace", "", lambda x: -abs(x) - LOG_2,
    _laplace_cdf, lambda x: _laplace_cdf(-x), _laplace_logcdf, lambda x: _laplace_logcdf(-x),
    _laplace_ppf)
logistic: Final = Distribution("logistic", "", _logistic_log,
    sigmoid, lambda x: sigmoid(-x), log_expit, lambda x: log_expit(-x), logit)
lognorm: Final = Distribution("lognorm", "s",
    lambda x, s: -0.5 * (ln(x) / s) ** 2 - ln(s) - ln(x) - LOG_SQRT_2_PI,
    lambda x, s: ndtr(ln(x) / s), lambda x, s: ndtr(-ln(x) / s),
    lambda x, s: log_ndtr(ln(x) / s), lambda x, s: log_ndtr(-ln(x) / s),
    _lognorm_ppf, (TINY, inf), _lognorm_pdf, _positive)
poisson: Final = Distribution("poisson", "mu", lambda k, mu: log_gamma_density(k + 1.0, mu),
    lambda k, mu: gammaincc(floor(k) + 1.0, mu), lambda k, mu: gammainc(floor(k) + 1.0, mu),
    lambda k, mu: log_gammaincc(floor(k) + 1.0, mu), lambda k, mu: log_gammainc(floor(k) + 1.0, mu),
    None, (0.0, inf), lambda k, mu: gamma_density(k + 1.0, mu),
    lambda mu: (mu >= 0.0) & (mu < inf), True)
bernoulli: Final = Distribution("bernoulli", "p",
    lambda k, p: where(equal(k, 1.0), ln(p), log1p(-p)),
    lambda k, p: where(k >= 1.0, 1.0, 1.0 - p), lambda k, p: where(k >= 1.0, 0.0, p),
    lambda k, p: where(k >= 1.0, 0.0, log1p(-p)), lambda k, p: where(k >= 1.0, -inf, ln(p)),
    None, (0.0, 1.0), lambda k, p: where(equal(k, 1.0), p, 1.0 - p), _probability, True)
binom: Final = Distribution("binom", "n p", lambda k, n, p: _binom_density(k, n, p, True),
    _binom(betaincc, 1.0), _binom(betainc, 0.0), _binom(log_betaincc, 0.0),
    _binom(log_betainc, -inf), None, (0.0, inf), lambda k, n, p: _binom_density(k, n, p, False),
    lambda n, p: (n >= 0.0) & (n < inf) & equal(n % 1.0, 0.0) & _probability(p), True)
# fmt: on
