"""Write special.json and stats.json: values and first derivatives of special and stats, in mpmath.

Every function is computed at 80 digits, by series or by quadrature of its integral; derivatives
are central differences with steps of 1e-20. A cell is [arguments, value, its condition number,
[slope, its condition number] for each argument]. Condition numbers are Σ |xᵢ ∂ᵢf / f|. Where an
argument is 0, infinite, NaN or outside of the domain, the value is SciPy's, and a slope is the
limit from inside, or null where there is none.

Run ``python tests/expected/make_special.py``; it takes minutes, a few with gmpy2.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special
import scipy.stats

inf, nan = math.inf, math.nan
DIGITS, STEP = 80, mp.mpf(10) ** -20
Exact = Callable[..., Any]


# --- integrals ------------------------------------------------------------------------------------


@cache
def _nodes(n: int) -> list[tuple[Any, Any]]:
    """Return points and weights of Gauss and Legendre on [0, 1]."""
    found = []
    with mp.workdps(DIGITS + 20):
        for k in range(n):
            x = mp.cos(mp.pi * (k + mp.mpf(3) / 4) / (n + mp.mpf(1) / 2))
            for _ in range(9):
                before, this = mp.mpf(1), x
                for j in range(2, n + 1):
                    before, this = this, ((2 * j - 1) * x * this - (j - 1) * before) / j
                slope = n * (x * this - before) / (x * x - 1)
                x -= this / slope
            found.append(((1 + x) / 2, 1 / ((1 - x * x) * slope * slope)))
    return found


def _panel(f: Exact, a: Any, b: Any) -> Any:
    return (b - a) * sum(w * f(a + (b - a) * x) for x, w in _nodes(40))


def _integral(phi: Exact, start: Any) -> Any:
    """Return ∫₀^∞ e^-φ, for a convex φ that increases from 0; ``start`` is a rough scale."""
    end = start
    while phi(end) < 190:
        end = 2 * end
    while phi(end / 2) > 190:
        end = end / 2
    total, stack = mp.mpf(0), [(mp.mpf(0), end, _panel(lambda v: mp.exp(-phi(v)), 0, end))]
    while stack:
        a, b, whole = stack.pop()
        m = (a + b) / 2
        left, right = (_panel(lambda v: mp.exp(-phi(v)), *ends) for ends in ((a, m), (m, b)))
        if abs(left + right - whole) < mp.mpf(10) ** -62 * (total + left + right):
            total += left + right
        else:
            stack += [(m, b, right), (a, m, left)]
    return total


def digits_for(*xs: Any) -> int:
    """Return the digits that 1 - x needs for the smallest of some numbers."""
    least = min([mp.mpf(1), *[abs(x) for x in xs if x]])
    return DIGITS + int(-mp.log10(least)) + 5


def shared(f: Exact) -> Exact:
    """Return f with its results kept: the methods of a distribution ask for the same tails."""
    known: dict[Any, Any] = {}

    def of(*args: Any) -> Any:
        key = (*args, mp.mp.dps)
        if key not in known:
            if len(known) > 500:
                known.clear()
            known[key] = f(*args)
        return known[key]

    return of


@shared
def gamma_tails(a: Any, x: Any) -> tuple[Any, Any]:
    """Return P(a, x) and Q(a, x)."""
    with mp.workdps(digits_for(a, x)):
        front = mp.exp(a * mp.log(x) - x - mp.loggamma(a))
        if x <= a or x < 1:
            if a < 200:
                total = term = 1 / a
                k = 1
                while abs(term) > mp.eps * total:
                    term = term * x / (a + k)
                    total, k = total + term, k + 1
            else:
                total = _integral(lambda v: a * v + x * mp.expm1(-v), 1 / mp.sqrt(a))
            return front * total, 1 - front * total
    with mp.workdps(digits_for(1)):
        front = mp.exp(a * mp.log(x) - x - mp.loggamma(a))
        q = front * _integral(lambda v: x * mp.expm1(v) - a * v, 1 / mp.sqrt(x))
        return 1 - q, q


@shared
def beta_tails(a: Any, b: Any, x: Any, y: Any = None) -> tuple[Any, Any]:
    """Return I(a, b, x) and 1 - I, where y = 1 - x."""
    with mp.workdps(digits_for(a, b, x, y or 1)):
        y = 1 - x if y is None else y
        c = a + b
        few = [u < 0.6 and c * u < 200 for u in (x, y)]
        if not few[0] and (few[1] or x > a / c):
            q, p = beta_tails(b, a, y, x)
            return p, q
        beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(c)
        front = mp.exp(a * mp.log(x) + b * mp.log(y) - beta)
        if few[0]:
            total = term = 1 / a
            k = 0
            while abs(term) > mp.eps * total:
                term = term * x * (c + k) / (a + 1 + k)
                total, k = total + term, k + 1
        else:
            scale = 1 / mp.sqrt(c * x * y + a * y)
            with mp.workdps(min(mp.mp.dps, 120)):
                total = _integral(lambda v: a * v + c * mp.log(y + x * mp.exp(-v)), scale)
        return front * total, 1 - front * total


def erfcinv(q: Any) -> Any:
    if q > 1:
        return -erfcinv(2 - q)
    if q > 0.1:
        return mp.erfinv(1 - q)
    y = mp.sqrt(-mp.log(q))
    for _ in range(60):
        y = y + (mp.erfc(y) - q) / mp.erfc(y) / (2 * y + 1 / (y + 1))
    return y


def ndtr(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def log_ndtr(x: Any) -> Any:
    far = mp.erfc(abs(x) / mp.sqrt(2)) / 2
    if x < -1e5:  # DLMF 7.12.1
        s = sum((-1) ** k * mp.fac2(2 * k - 1) / x ** (2 * k) for k in range(12))
        return -x * x / 2 - mp.log(-x * mp.sqrt(2 * mp.pi)) + mp.log(s)
    return mp.log(far) if x < 0 else mp.log1p(-far)


def inverse(f: Exact, slope: Exact, p: Any, start: float, high: Any) -> Any:
    """Return the x in (0, high) with f(x) = p, by Newton's steps from near it."""
    x = mp.mpf(start)
    if not 0 < x < high:
        low, top = mp.mpf(10) ** -3000, mp.mpf(high)
        for _ in range(80):  # halved in powers
            m = mp.sqrt(low * top)
            low, top = (m, top) if f(m) < p else (low, m)
        x = mp.sqrt(low * top)
    for _ in range(60):
        step = (f(x) - p) / slope(x)
        step = max(min(step, x / 2), -x, (x - high) / 2)
        x = x - step
        if abs(step) < x * mp.mpf(10) ** -40:  # the next one would be its square
            return x - (f(x) - p) / slope(x)
    raise ArithmeticError("no solution")


def lgamma(x: Any) -> Any:
    return mp.log(abs(mp.gamma(x))) if x < 1e4 else mp.loggamma(x)


def betaln(a: Any, b: Any) -> Any:
    with mp.workdps(digits_for(a, b) + 40):
        return mp.log(abs(beta(a, b))) if min(a, b) < 0 else (
            mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b))  # fmt: skip


def beta(a: Any, b: Any) -> Any:
    if a > 0 and b > 0:
        return mp.exp(betaln(a, b))
    with mp.workdps(digits_for(a, b) + 60):
        return beta(a + 1, b) * (a + b) / a if a < 0 else beta(a, b + 1) * (a + b) / b


def xlogy(x: Any, y: Any) -> Any:
    return x * mp.log(y)


def xlog1py(x: Any, y: Any) -> Any:
    return x * mp.log1p(y)


def softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def logit(p: Any) -> Any:
    with mp.workdps(digits_for(p)):
        return mp.log(p / (1 - p))


# --- the grids ------------------------------------------------------------------------------------

EDGES = [nan, -inf, inf, 0.0]
SIZES = [1e-300, 1e-150, 1e-20, 1e-8, 1e-3, 0.1, 0.45, 0.9, 1.0, 1.4616, 1.7, 2.0, 3.2, 5.0, 7.7]
SIZES += [12.0, 26.4, 29.9, 37.0, 100.0, 170.3, 650.0, 1e3, 1e4, 1e8, 1e16, 1e100, 1e300]
LINE = [*EDGES, -0.0, *SIZES, *[-x for x in SIZES]]
UNIT = [1e-300, 1e-20, 1e-8, 0.01, 0.3, 0.5, 0.6, 0.975, 1.0 - 1e-8, 1.0 - 2.0**-53]
PROBABILITY = [*EDGES, 1.0, -0.5, 1.5, *UNIT]
POSITIVE = [*EDGES, -1.0, -1.5, 1e-300, 1e-8, 0.01, 0.5, 1.0, 3.0, 30.0, 1e3, 1e4, 1e8, 1e16]
VALUES = [*EDGES, 1e-8, 0.5, -3.0, 30.0, -700.0, 1e4, -1e16]
BETAS = [*EDGES, -1.5, 1e-300, 1e-8, 0.5, 3.0, 150.0, 1e4, 1e8, 1e16]


def gamma_grid() -> Iterator[tuple[float, ...]]:
    """Every pair, and near the mean."""
    yield from product(POSITIVE, POSITIVE)
    for a in (0.3, 1.0, 30.0, 190.0, 210.0, 1e3, 1e4, 1e5, 1e6, 1e8, 1e10, 1e12, 1e14, 1e16):
        yield from ((a, a + s * a**0.5) for s in (-6.0, -1.0, -1e-3, 0.3, 2.0, 7.0, 20.0)
                    if a + s * a**0.5 > 0.0)  # fmt: skip


def beta_grid() -> Iterator[tuple[float, ...]]:
    for a, b in product(BETAS, BETAS):
        at = [0.5]
        if 0.0 < a < inf and 0.0 < b < inf:
            mean, size = a / (a + b), (a * b / (a + b + 1.0)) ** 0.5 / (a + b)
            at += [0.0, 1.0, 1e-300, 1e-8, 0.9, 1.0 - 2.0**-53]
            at += [mean + s * size for s in (-5.0, -0.5, 0.0, 1.0, 3.0)]
        yield from ((a, b, x) for x in at if 0.0 <= x <= 1.0)
    yield from ((2.0, 3.0, x) for x in (nan, inf, -inf, -0.5, 1.5))


def gamma_quantile(a: Any, p: Any) -> Any:
    def density(u: Any) -> Any:
        return mp.exp((a - 1) * mp.log(u) - u - mp.loggamma(a))

    start = float(scipy.special.gammaincinv(float(a), float(p)))
    return inverse(lambda u: gamma_tails(a, u)[0], density, p, start, 2 * a + 4000)


def beta_quantile(a: Any, b: Any, p: Any) -> Any:
    def density(u: Any) -> Any:
        return mp.exp((a - 1) * mp.log(u) + (b - 1) * mp.log(1 - u) - betaln(a, b))

    start = float(scipy.special.betaincinv(float(a), float(b), float(p)))
    return inverse(lambda u: beta_tails(a, b, u)[0], density, p, start, 1)


def t_quantile(q: Any, df: Any) -> Any:
    if q == 0.5:
        return mp.mpf(0)
    p = min(q, 1 - q)
    start = -float(scipy.stats.t.ppf(float(p), float(df)))
    x = inverse(
        lambda x: -t_tails(x, df)[1], lambda x: mp.exp(t_log(x, df)), -p, start, mp.mpf(10) ** 3000
    )
    return x if q > 0.5 else -x


def softmax(x: Any, y: Any) -> Any:
    return 1 / (1 + mp.exp(y - x))


REAL, POS, PROB = (-inf, inf), (0.0, inf), (0.0, 1.0)
ONE = {
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), REAL), "digamma": (mp.digamma, REAL),
    "entr": (lambda x: -x * mp.log(x), POS), "erf": (mp.erf, REAL), "erfc": (mp.erfc, REAL),
    "erfcinv": (erfcinv, (0.0, 2.0)), "erfinv": (mp.erfinv, (-1.0, 1.0)),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x) if x < 1e4 else
              sum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(12))
              / (x * mp.sqrt(mp.pi)), REAL),
    "exp10": (lambda x: mp.mpf(10) ** x, REAL), "exp2": (lambda x: mp.mpf(2) ** x, REAL),
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), REAL), "expm1": (mp.expm1, REAL),
    "gamma": (mp.gamma, REAL), "gammaln": (lgamma, REAL),
    "i0": (lambda x: bessel(0, x), REAL), "i1": (lambda x: bessel(1, x), REAL),
    "i0e": (lambda x: mp.exp(-abs(x)) * bessel(0, x), REAL),
    "i1e": (lambda x: mp.exp(-abs(x)) * bessel(1, x), REAL),
    "log1p": (mp.log1p, (-1.0, inf)), "log_expit": (lambda x: -softplus(-x), REAL),
    "log_ndtr": (log_ndtr, REAL), "logit": (logit, PROB), "ndtr": (ndtr, REAL),
    "ndtri": (lambda p: -mp.sqrt(2) * erfcinv(2 * p), PROB), "psi": (mp.digamma, REAL),
    "sinc": (lambda x: mp.sinpi(x) / (mp.pi * x), REAL),
}  # fmt: skip
"""Functions of one number: in mpmath, and their open domain."""


def bessel(n: int, x: Any) -> Any:
    size = abs(x)
    if size < 2e3:
        return mp.besseli(n, x)
    total = term = mp.mpf(1)
    for k in range(1, 40):  # DLMF 10.40.1
        term = -term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * size)
        total += term
    return mp.exp(size) / mp.sqrt(2 * mp.pi * size) * total * (-1 if n % 2 and x < 0 else 1)


MORE = {
    "beta": (beta, (REAL, REAL), lambda: product(BETAS, BETAS)),
    "betaln": (betaln, (REAL, REAL), lambda: product(BETAS, BETAS)),
    "betainc": (lambda a, b, x: beta_tails(a, b, x)[0], (POS, POS, PROB), beta_grid),
    "betaincc": (lambda a, b, x: beta_tails(a, b, x)[1], (POS, POS, PROB), beta_grid),
    "gammainc": (lambda a, x: gamma_tails(a, x)[0], (POS, POS), gamma_grid),
    "gammaincc": (lambda a, x: gamma_tails(a, x)[1], (POS, POS), gamma_grid),
    "gammaincinv": (gamma_quantile, (POS, PROB), lambda: product(
        [*EDGES, -1.0, 0.02, 0.5, 3.0, 1e3, 1e8, 1e16],
        [*EDGES, 1.0, -0.5, 1.5, 1e-20, 0.1, 0.5, 0.99])),
    "betaincinv": (beta_quantile, (POS, POS, PROB), lambda: product(
        [nan, inf, 0.0, -1.0, 0.5, 3.0, 1e4, 1e8], [0.0, 0.5, 30.0, 1e6],
        [*EDGES, 1.0, -0.5, 1.5, 1e-20, 0.1, 0.5, 0.99])),
    "logsumexp": (lambda x, y: y + mp.log1p(mp.exp(x - y)), (REAL, REAL),
        lambda: product(VALUES, VALUES)),
    "softmax": (softmax, (REAL, REAL), lambda: product(VALUES, VALUES)),
    "log_softmax": (lambda x, y: -softplus(y - x), (REAL, REAL), lambda: product(VALUES, VALUES)),
    "polygamma": (lambda n, x: mp.digamma(x) if n == 0 else mp.psi(int(n), x), (None, REAL),
        lambda: product([0.0, 1.0, 2.0, 5.0], [*EDGES, *SIZES, -0.5, -1.25, -7.3, -100.1])),
    "rel_entr": (lambda x, y: x * mp.log(x / y), (POS, POS), lambda: product(POSITIVE, POSITIVE)),
    "xlogy": (xlogy, (REAL, POS), lambda: product(POSITIVE, POSITIVE)),
    "xlog1py": (xlog1py, (REAL, (-1.0, inf)), lambda: product(POSITIVE, POSITIVE)),
}  # fmt: skip
"""Functions of more numbers: in mpmath, their open domain, their arguments."""

# --- distributions --------------------------------------------------------------------------------

X_REAL = [*EDGES, *[s * v for v in (1e-300, 1e-8, 0.5, 1.0, 3.0, 10.0, 40.0, 1e3, 1e8, 1e16)
                    for s in (1.0, -1.0)]]  # fmt: skip
X_POS = [nan, inf, -inf, -1.0, 0.0, 1e-300, 1e-8, 0.5, 1.0, 3.0, 40.0, 1e3, 1e8, 1e16]
SHAPE = [nan, inf, 0.0, -1.0, 1e-8, 0.3, 1.0, 2.0, 4.5, 1e3, 1e8, 1e16]
COUNTS = [nan, inf, -inf, -1.0, 0.5, 0.0, 1.0, 2.0, 7.0, 300.0, 1e8, 1e16]


def near(shapes: list[float], at: list[float], width: Callable[[float], float],
         center: Callable[[float], float] = lambda a: a) -> list[tuple[float, ...]]:  # fmt: skip
    """Every x for every shape, and x near the centre of the distribution of each large shape."""
    more = [(float(round(center(a) + s * width(a))), a) for a in (1e3, 1e6, 1e8, 1e16)
            for s in (-30.0, -4.0, 0.0, 3.0, 40.0)]  # fmt: skip
    return [*[(x, a) for a in shapes for x in at], *[m for m in more if m[0] >= 0.0]]


def t_tails(x: Any, df: Any) -> tuple[Any, Any]:
    with mp.workdps(digits_for(x, df)):
        low = beta_tails(df / 2, mp.mpf(1) / 2, df / (df + x * x), x * x / (df + x * x))[0] / 2
        return (low, 1 - low) if x < 0 else (1 - low, low)


def t_log(x: Any, df: Any) -> Any:
    with mp.workdps(mp.mp.dps + 40):
        return -(df + 1) / 2 * mp.log1p(x * x / df) - mp.log(df) / 2 - betaln(mp.mpf(0.5), df / 2)


def beta_log(x: Any, a: Any, b: Any) -> Any:
    return (a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - betaln(a, b)


def gamma_log(x: Any, a: Any) -> Any:
    return (a - 1) * mp.log(x) - x - mp.loggamma(a)


def binom_log(k: Any, n: Any, p: Any) -> Any:
    return (mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
            + (k * mp.log(p) if k else 0) + ((n - k) * mp.log1p(-p) if n - k else 0))  # fmt: skip


def binom_tails(k: Any, n: Any, p: Any) -> tuple[Any, Any]:
    q, c = beta_tails(k + 1, n - k, p)
    return c, q


def laplace_tails(x: Any) -> tuple[Any, Any]:
    far = mp.exp(-abs(x)) / 2
    return (far, 1 - far) if x < 0 else (1 - far, far)


FAMILIES: dict[str, tuple[Exact, Exact, tuple[float, float], list[Any], list[tuple[float, ...]]]]
FAMILIES = {
    "norm": (lambda x: -x * x / 2 - mp.log(2 * mp.pi) / 2, lambda x: (ndtr(x), ndtr(-x)), REAL,
             [], [(x,) for x in X_REAL]),
    "t": (t_log, t_tails, REAL, [POS], [(x, d) for d in SHAPE for x in X_REAL]),
    "gamma": (gamma_log, lambda x, a: gamma_tails(a, x), POS, [POS],
              near(SHAPE, X_POS, math.sqrt)),
    "chi2": (lambda x, d: gamma_log(x / 2, d / 2) - mp.log(2),
             lambda x, d: gamma_tails(d / 2, x / 2), POS, [POS],
             near(SHAPE, X_POS, lambda d: math.sqrt(2.0 * d))),
    "beta": (beta_log, lambda x, a, b: beta_tails(a, b, x), PROB, [POS, POS],
             [(x, a, b) for a in (nan, inf, 0.0, -1.0, 0.3, 1.0, 2.0, 1e8)
              for b in (0.3, 2.0, 1e16)
              for x in (nan, -inf, 0.0, 1e-300, 1e-8, 0.3, 1.0, 2.0)]),
    "expon": (lambda x: -x, lambda x: (-mp.expm1(-x), mp.exp(-x)), POS, [], [(x,) for x in X_POS]),
    "uniform": (lambda x: 0 * x, lambda x: (x, 1 - x), PROB, [],
                [(x,) for x in (nan, inf, -inf, -1.0, 0.0, 1e-300, 1e-8, 0.3, 1.0 - 1e-8, 1.0)]),
    "laplace": (lambda x: -abs(x) - mp.log(2), laplace_tails, REAL, [], [(x,) for x in X_REAL]),
    "logistic": (lambda x: -x - 2 * softplus(-x),
                 lambda x: (1 / (1 + mp.exp(-x)), 1 / (1 + mp.exp(x))), REAL, [],
                 [(x,) for x in X_REAL]),
    "lognorm": (lambda x, s: -(mp.log(x) / s) ** 2 / 2 - mp.log(s * x) - mp.log(2 * mp.pi) / 2,
                lambda x, s: (ndtr(mp.log(x) / s), ndtr(-mp.log(x) / s)), POS, [POS],
                [(x, s) for s in (nan, 0.0, -1.0, 0.3, 1.0, 20.0, 1e8) for x in X_POS]),
    "poisson": (lambda k, m: k * mp.log(m) - m - mp.loggamma(k + 1),
                lambda k, m: gamma_tails(k + 1, m)[::-1], (-0.5, inf), [POS],
                near(SHAPE, COUNTS, math.sqrt)),
    "bernoulli": (lambda k, p: mp.log(p) if k else mp.log1p(-p),
                  lambda k, p: (mp.mpf(1), mp.mpf(0)) if k else (1 - p, p), (-0.5, 1.5), [PROB],
                  [(k, p) for p in PROBABILITY for k in COUNTS[:9]]),
    "binom": (binom_log, binom_tails, (-0.5, inf), [None, PROB],
              [(k, n, p) for n in (nan, -1.0, 0.0, 1.0, 4.0, 1e3, 1e8) for p in
               (nan, 0.0, 1.0, -0.5, 1.5, 1e-8, 0.3, 1.0 - 1e-8)
               for k in (*COUNTS[:9], 290.0, 3e7 - 5e4, 3e7, 3e7 + 1e4)]),
}  # fmt: skip
"""Log-density, both tails, the support, the domains of shapes, and (x, *shapes)."""


def normal_quantile(p: Any) -> Any:
    return -mp.sqrt(2) * erfcinv(2 * p)


QUANTILES: dict[str, Exact] = {
    "norm": normal_quantile, "t": t_quantile, "gamma": lambda q, a: gamma_quantile(a, q),
    "chi2": lambda q, d: 2 * gamma_quantile(d / 2, q),
    "beta": lambda q, a, b: beta_quantile(a, b, q), "expon": lambda q: -mp.log1p(-q),
    "uniform": lambda q: q, "logistic": logit,
    "laplace": lambda q: mp.log(2 * q) if q < 0.5 else -mp.log(2 * (1 - q)),
    "lognorm": lambda q, s: mp.exp(s * normal_quantile(q)),
}  # fmt: skip
AT = {"t": [0.3, 2.0, 4.5, 1e3, 1e8, 1e16], "gamma": [0.3, 1.0, 4.5, 1e3, 1e8],
      "chi2": [0.3, 1.0, 4.5, 1e3, 1e8], "lognorm": [0.3, 1.0, 20.0]}  # fmt: skip


def quantile_grid(name: str) -> list[tuple[float, ...]]:
    if name == "beta":
        return [(q, a, b) for q in PROBABILITY for a in (0.3, 2.0, 1e4) for b in (0.3, 1.0, 1e6)]
    more = AT.get(name)
    bad = [nan, -1.0, 0.0]
    return [(q, d) for d in [*bad, *more] for q in PROBABILITY] if more else [
        (q,) for q in PROBABILITY]  # fmt: skip


def method(name: str, which: str) -> Exact:
    """Return a method of a distribution as a function in mpmath."""
    density, tails, _, _, _ = FAMILIES[name]
    if which == "ppf":
        return QUANTILES[name]
    if which in ("logpdf", "logpmf"):
        return density
    if which in ("pdf", "pmf"):
        return lambda *args: mp.exp(density(*args))
    side, log = int(which.endswith("sf")), which.startswith("log")

    def tail(x: Any, *shapes: Any) -> Any:
        y = tails(x, *shapes)[side]
        if log and abs(y - 1) < 1e-5:  # a sum would have rounded the other one off
            return mp.log1p(-tails(x, *shapes)[1 - side])
        return mp.log(y) if log else y

    return tail


OTHER = {"gammainc": "gammaincc", "gammaincc": "gammainc", "betainc": "betaincc"}
OTHER |= {"betaincc": "betainc", "cdf": "sf", "sf": "cdf"}


def tasks() -> Iterator[tuple[str, str, list[Any], list[tuple[float, ...]]]]:
    for name, (_, domain) in ONE.items():
        at = PROBABILITY if domain == PROB else LINE + UNIT
        yield "special", name, [domain], [(x,) for x in at]
    for name, (_, domains, grid) in MORE.items():
        yield "special", name, list(domains), list(dict.fromkeys(grid()))
    for name, (_, _, support, shapes, grid) in FAMILIES.items():
        discrete = support[0] == -0.5
        for which in ("logpmf", "pmf") if discrete else ("logpdf", "pdf"):
            yield "stats", f"{name}.{which}", [None if discrete else support, *shapes], grid
        if name in QUANTILES:
            yield "stats", f"{name}.ppf", [PROB, *shapes], quantile_grid(name)
        for which in ("cdf", "sf", "logcdf", "logsf"):
            yield "stats", f"{name}.{which}", [None if discrete else support, *shapes], grid


def exact_of(room: str, name: str) -> Exact:
    if room == "stats":
        return method(*name.split("."))
    return (ONE.get(name) or MORE[name])[0]  # type: ignore[no-any-return]


def scipys(room: str, name: str) -> Exact:
    if name in ("softmax", "log_softmax"):
        return lambda x, y: getattr(scipy.special, name)([x, y])[0]
    if name == "logsumexp":
        return lambda x, y: scipy.special.logsumexp([x, y])
    if room == "special":
        return np.sinc if name == "sinc" else getattr(scipy.special, name)  # type: ignore[no-any-return]
    family, which = name.split(".")
    return getattr(getattr(scipy.stats, family), which)  # type: ignore[no-any-return]


# --- one cell -------------------------------------------------------------------------------------


def regular(room: str, name: str, domains: list[Any], args: tuple[float, ...]) -> bool:
    """Return whether all arguments are inside of the domain."""
    for x, domain in zip(args, domains, strict=True):
        if domain and not (domain[0] < x < domain[1]):
            return False
        if not math.isfinite(x):
            return False
    if name in ("digamma", "psi", "gamma", "gammaln", "polygamma"):
        return not (args[-1] <= 0.0 and args[-1] == math.floor(args[-1]))
    if name in ("beta", "betaln"):
        return not any(x <= 0.0 and x == math.floor(x) for x in (*args, args[0] + args[1]))
    if name in ("cbrt", "sinc", "i0e", "i1e", "laplace.logpdf", "laplace.pdf"):  # no slope at 0
        return args[0] != 0.0
    family = name.split(".")[0]
    if family in ("poisson", "bernoulli", "binom"):
        top = 1.0 if family == "bernoulli" else args[1] if family == "binom" else inf
        if not 0.0 <= args[0] <= top or args[0] != math.floor(args[0]):
            return False
        if family == "binom" and name.split(".")[1] not in ("logpmf", "pmf"):
            return args[0] < top
        if family == "bernoulli" and args[0] == 1.0:
            return name.split(".")[1] in ("logpmf", "pmf")
    return True


def number(x: Any) -> float:
    return float(x) if abs(x) < mp.mpf("1.7976931348623158e308") else math.copysign(inf, x)


def moved(step: Any, args: list[Any], *steps: tuple[int, int]) -> list[Any]:
    found = list(args)
    for i, side in steps:
        found[i] = found[i] + side * (abs(args[i]) or 1) * step
    return found


def cell(room: str, name: str, domains: list[Any], args: tuple[float, ...]) -> Any:
    steps = name.split(".")[-1] in ("cdf", "sf", "logcdf", "logsf") and domains[0] is None
    if steps and args[0] % 1.0 == 0.5:  # a probability of at most k jumps at whole numbers only
        return [list(args), *cell(room, name, domains, (math.floor(args[0]), *args[1:]))[1:]]
    if not regular(room, name, domains, args):
        return singular(room, name, domains, args)
    even = len(args) < 3  # a tiny argument may be lost in a sum, or be squared
    small = min([abs(x) for x in args if x and even] or [1.0])
    shifted = name in ("sinc", "softmax", "log_softmax", "logsumexp")
    large = max(map(abs, args)) if shifted else 1.0
    small = 1e-300 if name in ("softmax", "log_softmax", "logsumexp") else small
    with mp.workdps(DIGITS + int(2 * abs(min(0.0, math.log10(small))) + math.log10(large + 1.0))):
        step = STEP / mp.mpf(abs(large)) if large > 1.0 else STEP
        f, xs = exact_of(room, name), [mp.mpf(x) for x in args]
        whole, sign = f(*xs), 1
        other = OTHER.get(name.split(".")[-1])
        if other and whole > 0.5:  # slopes of the smaller tail keep their digits
            f, sign = exact_of(room, name.replace(name.split(".")[-1], other)), -1
        memo: dict[Any, Any] = {}

        def at(*steps: tuple[int, int]) -> Any:
            if steps not in memo:
                memo[steps] = f(*moved(step, xs, *steps))
            return memo[steps]

        free = [i for i, d in enumerate(domains) if d is not None]
        y, y0 = whole, at()
        h = [(abs(x) or 1) * step for x in xs]
        slopes, size = [], mp.mpf(0)
        first = {i: (at((i, 1)) - at((i, -1))) / (2 * h[i]) for i in free}
        size = sum((abs(xs[i] * first[i]) for i in free), mp.mpf(0)) / abs(y) if y else 0

        def second(i: int, j: int) -> Any:
            if i == j:
                return (at((i, 1)) + at((i, -1)) - 2 * y0) / h[i] ** 2
            a, b = sorted((i, j))
            both = at((a, 1), (b, 1)) - at((a, 1), (b, -1)) - at((a, -1), (b, 1))
            return (both + at((a, -1), (b, -1))) / (4 * h[i] * h[j])

        for i in range(len(xs)):
            if i not in free:
                slopes.append(None)
                continue
            bend = mp.mpf(0)
            for j in free:
                bend += abs(xs[j] * second(i, j))
            slope = sign * first[i]
            if name.endswith(
                ("inv", ".ppf")
            ):  # a slope of an inverse is that at its rounded result
                k = free[-1] if room == "special" else 0
                bend += abs(y * second(i, k) / first[k]) if first[k] else 0
            slopes.append([number(slope), number(bend / abs(slope)) if slope else 0.0])
        return [list(args), number(y), number(size), slopes]


LIMITS = {("i0", inf): inf, ("i0", -inf): inf, ("i1", inf): inf, ("i1", -inf): -inf,
          ("sinc", inf): 0.0, ("sinc", -inf): 0.0, ("gammaln", -inf): nan}  # fmt: skip
"""Limits where SciPy has NaN, and what is no limit."""


def possible(name: str, domains: list[Any], args: tuple[float, ...]) -> bool:
    """Return whether there is such a distribution; else SciPy's logcdf may be 0."""
    if any(map(math.isnan, args)):
        return False
    family = name.split(".")[0]
    if family in ("bernoulli", "binom") and not 0.0 <= args[-1] <= 1.0:
        return False
    if family == "binom":
        return args[1] >= 0.0
    closed = family == "poisson"
    return family == "bernoulli" or all(a > 0.0 or (closed and a == 0.0) for a in args[1:])


def singular(room: str, name: str, domains: list[Any], args: tuple[float, ...]) -> Any:
    """The value is SciPy's; the slopes are limits from inside, where there are some."""
    with np.errstate(all="ignore"):
        whole = [int(args[0]), *args[1:]] if name == "polygamma" else args
        y = float(scipys(room, name)(*whole))
    whole_axis = name.endswith(("pdf", "pmf")) and math.isinf(args[0])
    if whole_axis and math.isnan(y) and not math.isnan(float(scipys(room, name)(1.0, *args[1:]))):
        y = 0.0  # SciPy has ∞ · 0 there
    if any(map(math.isnan, args)):
        y = nan
    if name in ("softmax", "log_softmax") and max(args) == inf and not any(map(math.isnan, args)):
        share = (args[0] == inf) / args.count(inf)  # what is infinite shares the whole
        y = share if name == "softmax" else math.log(share) if share else -inf
    if name.startswith("t.") and args[1] == inf and math.isfinite(args[0]):
        return [list(args), number(method("norm", name[2:])(mp.mpf(args[0]))), args[0] ** 2,
                [None, None]]  # fmt: skip
    if name == "polygamma" and args[1] == -inf:
        y = nan
    if room == "stats" and not possible(name, domains, args):
        return [list(args), nan, 0.0, [None] * len(args)]
    if room == "stats" and any(map(math.isinf, args[1:])) and not name.startswith("t."):
        y = nan  # an infinite shape
    elif name.endswith(("pdf", "pmf")) and math.isinf(args[0]) and not math.isnan(y):
        y = -inf if name.split(".")[1].startswith("log") else 0.0
    for at, limit in LIMITS.items():
        if at[0] == name and at[1:] == args:
            y = limit
    if name in ("beta", "betaln") and any(map(math.isinf, args)) and not any(
            map(math.isnan, args)):  # fmt: skip
        y = (0.0 if name == "beta" else -inf) if min(args) > 0.0 else nan
    return [list(args), y, 0.0, [None] * len(args)]


def run(tasks: Any) -> Any:
    """Compute a cell of each of some functions, of the same arguments."""
    found = []
    for task in tasks:
        try:
            found.append(cell(*task))
        except Exception as e:  # which cell it was
            print("failed:", task, repr(e), file=sys.stderr, flush=True)
            found.append(None)
    return found


def write(path: Path, found: dict[str, list[Any]]) -> None:
    """Write a line for each cell."""
    lines = [f'"{n}": [\n' + ",\n".join(map(json.dumps, c)) + "]" for n, c in found.items()]
    path.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


def main() -> None:
    only = sys.argv[1:]
    for room in ("special", "stats"):
        path = Path(__file__).with_name(f"{room}.json")
        found = json.loads(path.read_text(encoding="utf-8")) if only and path.exists() else {}
        groups: dict[Any, list[Any]] = {}
        for r, name, domains, grid in tasks():
            if r == room and (not only or name in only or name.split(".")[0] in only):
                groups.setdefault((name.split(".")[0], tuple(grid)), []).append((name, domains))
        for (_, grid), functions in groups.items():
            work = [[(room, n, domains, args) for n, domains in functions] for args in grid]
            with Pool(2) as pool:
                columns = zip(*pool.map(run, work, chunksize=4), strict=True)
            for (name, _), cells in zip(functions, columns, strict=True):
                found[name] = [c for c in cells if c]  # those that failed were printed
                print(name, len(work), flush=True)
            write(path, found)


if __name__ == "__main__":
    main()
