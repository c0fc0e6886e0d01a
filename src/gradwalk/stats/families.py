"""The distributions of one number: each a line of formulas."""

from __future__ import annotations

from math import inf, log, pi
from typing import Any, Final

from ..engine.functions import abs, exp, expm1, floor, log1p, sigmoid, sign, softplus, sqrt, where
from ..engine.functions import lgamma as gammaln
from ..engine.functions import log as ln
from ..special import (
    betainc,
    betaincinv,
    betaln,
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

LOG_SQRT_2_PI, LOG_2 = 0.5 * log(2.0 * pi), log(2.0)


def _t_part(x: Any, df: Any) -> Any:
    """(1 + x / √(df + x²)) / 2, without cancellation for negative x."""
    w = x / sqrt(df + x * x)
    low = where(x < 0.0, df / (df + x * x) / (1.0 - w), 1.0 + w)
    return 0.5 * low


def _t_ppf(q: Any, df: Any) -> Any:
    z: Any = betaincinv(0.5 * df, 0.5 * df, q)
    return (z - 0.5) * sqrt(df / (z * (1.0 - z)))


def _lognorm(x: Any, s: Any) -> Any:
    return -0.5 * (ln(x) / s) ** 2 - ln(s * x) - LOG_SQRT_2_PI


def _gamma_log(x: Any, a: Any) -> Any:
    return xlogy(a - 1.0, x) - x - gammaln(a)


def _binom_log(k: Any, n: Any, p: Any) -> Any:
    possible = k <= n
    j = where(possible, k, 0.0)
    ways: Any = -ln(n + 1.0) - betaln(n - j + 1.0, j + 1.0)
    return where(possible, ways + xlogy(j, p) + xlog1py(n - j, -p), -inf)


def _binom_cdf(k: Any, n: Any, p: Any) -> Any:
    down = floor(k)
    all_of_them = down >= n
    some = where(all_of_them, 0.0, down)
    return where(all_of_them, 1.0, betainc(n - some, some + 1.0, 1.0 - p))


# fmt: off
norm: Final = Distribution("norm", "", lambda x: -0.5 * x * x - LOG_SQRT_2_PI, ndtr, ndtri,
    logcdf=log_ndtr)
t: Final = Distribution("t", "df", lambda x, df: -betaln(0.5, 0.5 * df) - 0.5 * ln(df)
        - 0.5 * (df + 1.0) * log1p(x * x / df),
    lambda x, df: betainc(0.5 * df, 0.5 * df, _t_part(x, df)), _t_ppf)
gamma: Final = Distribution("gamma", "a", _gamma_log, lambda x, a: gammainc(a, x),
    lambda q, a: gammaincinv(a, q), (0.0, inf))
chi2: Final = Distribution("chi2", "df", lambda x, df: _gamma_log(0.5 * x, 0.5 * df) - LOG_2,
    lambda x, df: gammainc(0.5 * df, 0.5 * x), lambda q, df: 2.0 * gammaincinv(0.5 * df, q),
    (0.0, inf))
beta: Final = Distribution("beta", "a b",
    lambda x, a, b: xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - betaln(a, b),
    lambda x, a, b: betainc(a, b, x), lambda q, a, b: betaincinv(a, b, q), (0.0, 1.0))
expon: Final = Distribution("expon", "", lambda x: -x, lambda x: -expm1(-x), lambda q: -log1p(-q),
    (0.0, inf))
uniform: Final = Distribution("uniform", "", lambda x: 0.0 * x, lambda x: x, lambda q: q,
    (0.0, 1.0))
laplace: Final = Distribution("laplace", "", lambda x: -abs(x) - LOG_2,
    lambda x: where(x < 0.0, 0.5 * exp(-abs(x)), 1.0 - 0.5 * exp(-abs(x))),
    lambda q: -sign(q - 0.5) * ln(where(q < 0.5, 2.0 * q, 2.0 * (1.0 - q))))
logistic: Final = Distribution("logistic", "", lambda x: -x - 2.0 * softplus(-x), sigmoid, logit,
    logcdf=log_expit)
lognorm: Final = Distribution("lognorm", "s",
    lambda x, s: where(x > 0.0, _lognorm(where(x > 0.0, x, 1.0), s), -inf),
    lambda x, s: ndtr(ln(x) / s), lambda q, s: exp(s * ndtri(q)), (0.0, inf))
poisson: Final = Distribution("poisson", "mu", lambda k, mu: xlogy(k, mu) - gammaln(k + 1.0) - mu,
    lambda k, mu: gammaincc(floor(k) + 1.0, mu), None, (0.0, inf), discrete=True)
bernoulli: Final = Distribution("bernoulli", "p", lambda k, p: xlogy(k, p) + xlog1py(1.0 - k, -p),
    lambda k, p: 1.0 - p, None, (0.0, 1.0), discrete=True)
binom: Final = Distribution("binom", "n p", _binom_log, _binom_cdf, None, (0.0, inf), discrete=True)
# fmt: on
