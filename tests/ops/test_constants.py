"""The constants in the table, each worked out again from what it stands for."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import mpmath as mp
import pytest

from gradwalk.ops import activation, exponential, gamma, gelu, special, zeros

from ..helpers.arguments import DIGITS
from ..helpers.reference import REFERENCE


def digamma_zero() -> Any:
    return mp.findroot(lambda x: mp.psi(0, x), 1.46)


def gelu_zero() -> Any:
    return mp.findroot(REFERENCE["gelu"][1], -0.75)


def gelu_tanh_zero() -> Any:
    return mp.findroot(REFERENCE["gelu_tanh"][1], -0.75)


def lgamma_tail(x):
    return (mp.loggamma(x) - ((x - 0.5) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)) * x


# coefficients, the variable of the polynomial, what it stands for, and where
POLYNOMIALS: dict[str, tuple[Any, ...]] = {
    "sinc'": (
        special.SINC_SLOPE,
        lambda x: x * x,
        lambda x: REFERENCE["sinc"][1](x) / x,
        1e-4,
        0.5,
    ),
    "lgamma low": (
        gamma.LGAMMA_LOW,
        lambda x: x - mp.mpf("1.35"),
        lambda x: mp.loggamma(x) / ((x - 1) * (x - 2)),
        0.7,
        2.0,
    ),
    "lgamma middle": (
        gamma.LGAMMA_MIDDLE,
        lambda x: x - 3,
        lambda x: mp.loggamma(x) / (x - 2),
        2.0,
        4.0,
    ),
    "lgamma tail": (gamma.LGAMMA_TAIL, lambda x: 1 / x**2, lgamma_tail, 4.0, 1000.0),
    "digamma low": (
        gamma.DIGAMMA_LOW,
        lambda x: x - 1.5,
        lambda x: mp.psi(0, x) / (x - digamma_zero()),
        1.0,
        2.0,
    ),
    "digamma tail": (
        gamma.DIGAMMA_TAIL,
        lambda x: 1 / x**2,
        lambda x: x * x * (mp.psi(0, x) - mp.log(x) + 1 / (2 * x)),
        2.0,
        1000.0,
    ),
    "trigamma low": (gamma.TRIGAMMA_LOW, lambda x: x - 1.5, lambda x: mp.psi(1, x), 1.0, 2.0),
    "trigamma tail": (
        gamma.TRIGAMMA_TAIL,
        lambda x: 1 / x**2,
        lambda x: x**3 * (mp.psi(1, x) - 1 / x - 1 / (2 * x * x)),
        2.0,
        1000.0,
    ),
    "gelu'": (
        gelu.GELU_SLOPE,
        lambda x: x + mp.mpf("1.8"),
        lambda x: REFERENCE["gelu"][1](x) * mp.exp(x * x / 2) / (x - gelu_zero()),
        -3.3,
        -0.3,
    ),
    "gelu_tanh'": (
        gelu.GELU_TANH_SLOPE,
        lambda x: x - gelu_tanh_zero(),
        lambda x: REFERENCE["gelu_tanh"][1](x) / (x - gelu_tanh_zero()),
        -1.3,
        -0.3,
    ),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_stand_for_their_functions(name: str):
    """Rounded coefficients included: the tails are small corrections and need fewer bits."""
    coefficients, variable, f, low, high = POLYNOMIALS[name]
    bits = 48 if "tail" in name else 52.5
    with mp.workdps(DIGITS):
        for k in range(60):
            x = low + (high - low) * (mp.mpf(k) + mp.mpf("0.37")) / 60
            expected = f(x)
            v = variable(x)
            got = mp.fsum(c * v**k for k, c in enumerate(coefficients))
            assert abs(got / expected - 1) < 2.0**-bits


def in_two(high: float, low: float) -> Callable[[Any], bool]:
    return lambda exact: abs(mp.mpf(high) + mp.mpf(low) - exact) < abs(exact) * mp.mpf(2) ** -78


def rounded(number: float) -> Callable[[Any], bool]:
    return lambda exact: float(exact) == number


ZEROS = [
    *((entry, REFERENCE["lgamma"][0], 1) for entry in zeros.LGAMMA_ZEROS),
    *((entry, mp.digamma, -1) for entry in zeros.DIGAMMA_ZEROS),
]


@pytest.mark.parametrize(("entry", "f", "sign"), ZEROS)
def test_zeros_below_0(entry: Any, f: Any, sign: int):
    zero, low, start, end, c, coefficients = entry
    with mp.workdps(DIGITS):
        exact = mp.findroot(f, (mp.mpf(zero), mp.mpf(zero) + mp.mpf(2) ** -60), tol=1e-80)
        assert in_two(zero, low)(exact)
        assert rounded(c)(mp.cot(mp.pi * exact))
        for k in range(20):
            x = start + (end - start) * (mp.mpf(k) + mp.mpf("0.37")) / 20
            d = x - exact
            slope = sign * (f(1 - exact) - f(1 - x)) / d
            got = mp.fsum(c * d**k for k, c in enumerate(coefficients))
            larger = max(abs(slope), abs(f(x) / d))
            assert abs(got - slope) < larger * mp.mpf(2) ** -53, x


def test_intervals_of_zeros_hold_one_zero_and_do_not_overlap():
    for table in (zeros.LGAMMA_ZEROS, zeros.DIGAMMA_ZEROS):
        for zero, _, start, end, *_ in table:
            assert start < zero < end
        for (_, _, start, *_), (_, _, _, end, *_) in itertools.pairwise(table):
            assert end <= start


@pytest.mark.parametrize(("zero", "low", "cosine", "sine"), zeros.SINC_SLOPE_ZEROS)
def test_zeros_of_the_slope_of_sinc(zero: float, low: float, cosine: float, sine: float):
    with mp.workdps(DIGITS):
        exact = mp.findroot(lambda x: mp.sinpi(x) - mp.pi * x * mp.cospi(x), zero)
        assert in_two(zero, low)(exact)
        assert rounded(cosine)(mp.cospi(exact))
        assert rounded(sine)(mp.sinpi(exact))


A, E, G, N = activation, exponential, gamma, gelu
CONSTANTS: list[tuple[Callable[[Any], bool], Callable[[], Any]]] = [
    (rounded(E.LN2), lambda: mp.log(2)),
    (rounded(E.INV_LN2), lambda: 1 / mp.log(2)),
    (rounded(E.INV_LN10), lambda: 1 / mp.log(10)),
    (rounded(special.TWO_OVER_SQRT_PI), lambda: 2 / mp.sqrt(mp.pi)),
    (rounded(special.MINUS_FOUR_OVER_SQRT_PI), lambda: -4 / mp.sqrt(mp.pi)),
    (rounded(E.MINUS_TWO_THIRDS), lambda: -mp.mpf(2) / 3),
    (in_two(N.SQRT2, N.SQRT2_LOW), lambda: mp.sqrt(2)),
    (rounded(G.PI_SQUARED), lambda: mp.pi**2),
    (in_two(special.PI_HEAD, special.PI_TAIL), lambda: mp.pi),
    (rounded(G.HALF_LOG_2_PI_E), lambda: mp.log(2 * mp.pi) / 2 - 0.5),
    (in_two(G.DIGAMMA_ZERO, G.DIGAMMA_ZERO_LOW), digamma_zero),
    (rounded(N.SQRT_HALF), lambda: mp.sqrt(0.5)),
    (rounded(N.INV_SQRT_2PI), lambda: 1 / mp.sqrt(2 * mp.pi)),
    (in_two(N.SQRT_HALF_HEAD, N.SQRT_HALF_TAIL), lambda: mp.sqrt(0.5)),
    (rounded(N.CUBIC), lambda: mp.mpf("0.044715") * mp.sqrt(8 / mp.pi)),
    (in_two(N.CUBIC_HEAD, N.CUBIC_TAIL), lambda: mp.mpf("0.044715") * mp.sqrt(8 / mp.pi)),
    (rounded(N.LINEAR), lambda: 1 / mp.mpf("0.044715")),
    (in_two(N.LINEAR_HEAD, N.LINEAR_TAIL), lambda: 1 / mp.mpf("0.044715")),
    (in_two(A.SILU_ZERO, A.SILU_ZERO_LOW), lambda: -1 - mp.lambertw(mp.exp(-1))),
    (rounded(A.SILU_ZERO_EXP), lambda: mp.lambertw(mp.exp(-1))),
    (in_two(N.GELU_ZERO, N.GELU_ZERO_LOW), gelu_zero),
    (in_two(N.GELU_TANH_ZERO, N.GELU_TANH_ZERO_LOW), gelu_tanh_zero),
    *(
        (rounded(weight), lambda j=j: mp.bernoulli(2 * j) / mp.factorial(2 * j))
        for j, weight in enumerate(G.BERNOULLI, start=1)
    ),
]


@pytest.mark.parametrize(("stands_for", "exact"), CONSTANTS)
def test_constants(stands_for: Callable[[Any], bool], exact: Callable[[], Any]):
    with mp.workdps(DIGITS):
        assert stands_for(mp.re(exact()))


def test_heads_have_few_bits():
    """Their products are exact only then."""
    for number, quantum in (
        (special.PI_HEAD, 2.0**-24),
        (N.SQRT_HALF_HEAD, 2.0**-26),
        (N.CUBIC_HEAD, 2.0**-29),
    ):
        assert (number / quantum).is_integer()
    assert (N.LINEAR_HEAD * 2.0**24).is_integer()
