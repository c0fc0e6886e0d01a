"""Special functions against mpmath, within a derived number of ulp, and their derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.special

from gradwalk import grad, special
from gradwalk.ops.families import FAMILIES
from gradwalk.ops.families.incomplete import betainc_of_order, gammainc_of_order

RNG = np.random.default_rng(0)
UNIT = np.concatenate(
    [RNG.uniform(-1, 1, 40), 1 - 10.0 ** RNG.uniform(-15, -1, 20), [1e-300, -0.6]]
)
PART = np.concatenate([RNG.uniform(0, 1, 40), 10.0 ** RNG.uniform(-300, -1, 20)])
LINE = np.concatenate([RNG.uniform(-6, 6, 40), RNG.uniform(-26, 38, 30), [0.0, 3.0]])
A, B = 10.0 ** RNG.uniform(-2, 3, 80), 10.0 ** RNG.uniform(-2, 3, 80)
X = A * 10.0 ** RNG.uniform(-0.7, 0.5, 80)
Z = np.minimum(RNG.beta(np.maximum(A, 0.05), np.maximum(B, 0.05)), 1.0 - 1e-15)


def erfcinv(q: Any) -> Any:
    if q > 0.1:
        return mp.erfinv(1 - q)
    y = mp.sqrt(-mp.log(q))
    for _ in range(60):
        y = y + (mp.erfc(y) - q) / mp.erfc(y) / (2 * y + 1 / (y + 1))
    return y


def ndtri(p: Any) -> Any:
    return -mp.sqrt(2) * erfcinv(2 * p) if p < 0.45 else mp.sqrt(2) * mp.erfinv(2 * p - 1)


def _log_ndtr(x: Any) -> Any:
    far = mp.erfc(abs(x) / mp.sqrt(2)) / 2
    return mp.log(far) if x < 0 else mp.log1p(-far)


def scaled(n: int) -> Callable[[Any], Any]:
    return lambda x: mp.exp(-abs(x)) * mp.besseli(n, x)


CONDITION = 0.0
"""The bound is 8 ulp times 1 + κ, where κ = Σ |xᵢ ∂f/∂xᵢ / f| is the condition number.

One rounding of the arguments alone moves the result by κ / 2 ulp. gammaincc is 1 - P for a from
1/2 and x below 1 or below a: there it is 8 (1 + κ) / Q, the errors of P in ulp of Q.
"""


def _condition(exact: Callable[..., Any], args: list[Any], y: Any) -> float:
    total = mp.mpf(0)
    for i, x in enumerate(args):
        step = x * mp.mpf(10) ** -15 * (1 - x if len(args) == 3 and i == 2 else 1)
        moved = [*args[:i], x + step, *args[i + 1 :]]
        total += abs((exact(*moved) - y) / step * x / y)
    return float(total)


# name: (the function in mpmath, arguments, the bound in ulp)
EXACT: dict[str, tuple[Callable[..., Any], tuple[Any, ...], float]] = {
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), (LINE,), 4.0),
    "erfinv": (mp.erfinv, (UNIT,), 4.0),
    "erfcinv": (erfcinv, (np.append(PART, 1.9),), 4.0),
    "ndtri": (ndtri, (PART,), 4.0),
    "ndtr": (lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, (LINE,), 4.0),
    "log_ndtr": (_log_ndtr, (LINE,), 8.0),
    "i0": (lambda x: mp.besseli(0, x), (LINE,), 16.0),
    "i1": (lambda x: mp.besseli(1, x), (LINE,), 16.0),
    "i0e": (scaled(0), (LINE,), 16.0),
    "i1e": (scaled(1), (LINE,), 16.0),
    "betaln": (lambda a, b: mp.log(mp.beta(a, b)), (A, B), CONDITION),
    "beta": (mp.beta, (A / 9.0, B / 9.0), CONDITION),
    "gamma_density": (
        lambda a, x: mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a)), (A, X), CONDITION),
    "beta_density": (
        lambda a, b, x: x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b), (A, B, Z), CONDITION),
    "gammainc": (lambda a, x: mp.gammainc(a, 0, x, regularized=True), (A, X), CONDITION),
    "gammaincc": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), (A, X), CONDITION),
    "betainc": (lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True), (A, B, Z), CONDITION),
    "betaincc": (lambda a, b, x: mp.betainc(a, b, x, 1, regularized=True), (A, B, Z), CONDITION),
}  # fmt: skip
OF_STATS = {"log_betainc", "log_betaincc", "log_beta_density", "log_gammainc", "log_gammaincc"}
OF_STATS |= {"log_gamma_density", "log_t_sf", "t_density", "t_log_density", "t_ppf", "t_sf"}
"""What methods of distributions are; `tests/stats/test_grid.py` compares those with 80 digits."""
INVERSES = {"gammaincinv": "gammainc", "betaincinv": "betainc"}


def test_every_family_has_a_reference() -> None:
    assert EXACT.keys() | INVERSES.keys() | OF_STATS == FAMILIES.keys()


@pytest.mark.parametrize("name", EXACT)
def test_values_within_a_stated_error(name: str) -> None:
    exact, columns, bound = EXACT[name]
    got = np.asarray(FAMILIES[name](*columns))
    with mp.workdps(60):
        for y, given in zip(got, zip(*columns, strict=True), strict=True):
            args = [mp.mpf(float(a)) for a in given]
            expected = exact(*args)
            number = float(FAMILIES[name](*map(float, given)))
            if not 1e-290 < abs(expected) < 1e300:
                continue
            allowed = bound or 8.0 * (1.0 + _condition(exact, args, expected))
            if name == "gammaincc" and given[0] >= 0.5 and given[1] < max(given[0], 1.0):
                allowed /= float(expected)
            error = max(abs(y - expected), abs(number - expected))
            assert error <= allowed * math.ulp(float(expected)), (name, given)


@pytest.mark.parametrize("a", [1e-300, 1e-12, 1e-5, 1e-3, 0.02, 0.1, 0.3, 0.499])
def test_the_rest_above_x_is_right_for_small_a(a: float) -> None:
    exact, _, _ = EXACT["gammaincc"]
    with mp.workdps(60):
        for x in (1e-300, 1e-20, 1e-4, 0.1, 0.5, 0.56, 0.9, 1.0 - 1e-12, 1.05, 3.0):
            expected = exact(mp.mpf(a), mp.mpf(x))
            allowed = 8.0 * (1.0 + _condition(exact, [mp.mpf(a), mp.mpf(x)], expected))
            error = abs(special.gammaincc(a, x) - expected)
            assert error <= allowed * math.ulp(float(expected)), x


@pytest.mark.parametrize("p", [1e-12, 0.1, 0.9])
@pytest.mark.parametrize("a", [0.005, 0.05, 0.5])
@pytest.mark.parametrize("name", INVERSES)
def test_inverses_of_small_parameters(name: str, a: float, p: float) -> None:
    """Their x may be 1e-280; the function of it comes back within the bound of the function."""
    exact, _, _ = EXACT[INVERSES[name]]
    for more in [()] if name == "gammaincinv" else [(0.05,), (0.5,), (30.0,)]:
        x, most = (
            float(FAMILIES[name](a, *more, p)),
            math.inf if name == "gammaincinv" else 1.0 - 1e-9,
        )
        with mp.workdps(60):
            args = [mp.mpf(v) for v in (a, *more, min(max(x, 1e-290), most))]
            back = exact(*args)
            allowed = 8.0 * math.ulp(p) * (1.0 + _condition(exact, args, back))
            assert back <= p + allowed or x < 1e-290, (more, x)  # so small that digits are lost
            assert back >= p - allowed or x > most, (more, x)


@pytest.mark.parametrize("name", INVERSES)
def test_inverses_come_back(name: str) -> None:
    fair = (A >= 0.1) & (B >= 0.1)  # else x is nearer to 1 than a float can be
    columns = (A[fair], B[fair]) if name == "betaincinv" else (A[fair],)
    p = RNG.uniform(0.01, 0.99, len(A[fair]))
    x = FAMILIES[name](*columns, p)
    steep = np.asarray(
        FAMILIES["beta_density" if len(columns) > 1 else "gamma_density"](*columns, x)
    )
    back = np.asarray(FAMILIES[INVERSES[name]](*columns, x))
    assert (abs(back - p) <= 1e-11 + 4e-16 * abs(steep * x)).all()


@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if f.arity == 1])
def test_first_and_second_derivatives(name: str) -> None:
    exact, (points,), _ = EXACT[name]
    f = FAMILIES[name]
    for x in [float(x) for x in points if 0.05 < abs(x) < (0.95 if max(points) <= 2.0 else 5.0)][
        :12
    ]:
        with mp.workdps(50):
            first, second = (mp.diff(exact, mp.mpf(x), n) for n in (1, 2))
        assert grad(f)(x) == pytest.approx(float(first), rel=1e-13)
        assert grad(grad(f))(x) == pytest.approx(float(second), rel=1e-11)


@pytest.mark.parametrize(("a", "x"), [(0.7, 0.5), (3.0, 9.0), (40.0, 35.0)])
def test_derivatives_of_gammainc_in_a(a: float, x: float) -> None:
    with mp.workdps(40):
        for n in (1, 2, 3):
            exact = mp.diff(lambda a: mp.gammainc(a, 0, x, regularized=True), a, n)
            assert float(gammainc_of_order(n)(a, x)) == pytest.approx(
                float(exact), rel=1e-9, abs=1e-14
            )
        mixed = mp.diff(lambda a, x: mp.gammainc(a, 0, x, regularized=True), (a, x), (1, 1))
    both = grad(grad(special.gammainc, argnums=0), argnums=1)(a, x)
    assert both == pytest.approx(float(mixed), rel=1e-9)


@pytest.mark.parametrize(("a", "b", "x"), [(0.7, 2.0, 0.3), (8.0, 3.0, 0.9)])
def test_derivatives_of_betainc_in_a_and_b(a: float, b: float, x: float) -> None:
    with mp.workdps(40):
        for m, n in ((1, 0), (0, 1), (1, 1), (2, 0)):
            exact = mp.diff(lambda a, b: mp.betainc(a, b, 0, x, regularized=True), (a, b), (m, n))
            assert float(betainc_of_order(m, n)(a, b, x)) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("name", special.__all__)
def test_names_and_numbers_are_scipys(name: str) -> None:
    f, peer = (
        getattr(special, name),
        getattr(scipy.special, name, np.sinc if name == "sinc" else None),
    )
    if name in ("softmax", "log_softmax", "logsumexp", "polygamma"):
        args: tuple[Any, ...] = (
            (1, np.array([0.3, 0.8])) if name == "polygamma" else (np.array([0.3, 2.0]),)
        )
    else:
        count = next(k for k in (1, 2, 3) if _takes(peer, k))
        args = tuple(np.array(v) for v in ([0.3, 0.8], [0.45, 0.7], [0.2, 0.9]))[:count]
    np.testing.assert_allclose(f(*args), peer(*args), rtol=1e-12)


def _takes(f: Any, count: int) -> bool:
    return getattr(f, "nin", 1) == count
