"""THE TABLE, part 6: the gamma function's logarithm and its derivatives.

On short intervals a polynomial, beyond them the asymptotic series with its coefficients fitted to
the whole ray, below 0 the reflection formulas, expanded in `zeros` where they cancel. All
coefficients are Chebyshev interpolation in 80 digits (a test derives the errors again), each below
2**-55 of the function. Formulas: NIST Digital Library of Mathematical Functions 5.5.3
(reflection), 5.11 (asymptotics), 5.15.6, 25.11.5 (zeta).
"""

from __future__ import annotations

from math import inf, nan, pi
from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import Primitive, pointwise
from .arithmetic import abs, equal, floor, sign, where
from .exponential import exp, log, log1p, pow, sqrt
from .precision import horner, square_error, sum_error
from .special import cos_turn, turn, turn_error
from .trigonometric import cos, sin, tan
from .zeros import DIGAMMA_ZEROS, LGAMMA_ZEROS, near_zero

HALF_LOG_2_PI_E = 0.4189385332046727  # ln(2 pi) / 2 - 1/2
PI_SQUARED = 9.869604401089358

# ln Gamma(x) / ((x - 1) (x - 2)) in powers of x - 1.35, for 0.7 <= x <= 2.
LGAMMA_LOW = (
    0.5065533949558028, -0.16720002551056057, 0.07963311897709796, -0.04394151991657293,
    0.02616519454183449, -0.016299198814354994, 0.0104551409260426, -0.0068444554099211805,
    0.004548196502136987, -0.0030571315077291142, 0.002073660090549705, -0.0014170415698326595,
    0.0009742943790891446, -0.0006734283885835394, 0.00046808732901819296, -0.0003264913781369603,
    0.0002256256176461221, -0.0001575648995167771, 0.00012222168241206267, -8.856099327808067e-05,
    3.0121617846094922e-05, -1.6493110705307276e-05, 7.563803435868602e-05, -6.03231840969914e-05,
    -3.9267653894029616e-05, 3.3168267926053466e-05, 3.859005502802886e-05,
    -2.9409082400081556e-05,
)  # fmt: skip
# ln Gamma(x) / (x - 2) in powers of x - 3, for 2 <= x <= 4.
LGAMMA_MIDDLE = (
    0.6931471805599453, 0.22963715453852182, -0.032170121114408465, 0.0064844867278769855,
    -0.0015286783000983718, 0.00039312727142376536, -0.00010678360725495635,
    3.0101124151042608e-05, -8.712850173201879e-06, 2.5719803065378647e-06,
    -7.707138736197574e-07, 2.336833108747005e-07, -7.153354461018216e-08, 2.2064167537995864e-08,
    -6.830207915407637e-09, 2.129696271774186e-09, -6.895742037420432e-10, 2.1833586937055229e-10,
    -5.256757349194482e-11, 1.605907793603411e-11, -1.1995068248285449e-11, 3.930385267421411e-12,
)  # fmt: skip
# x (ln Gamma(x) - its Stirling approximation) in powers of 1 / x², for 4 <= x.
LGAMMA_TAIL = (
    0.08333333333333331, -0.002777777777721283, 0.0007936507688413778, -0.0005952338614446336,
    0.000841383637018579, -0.0018991999279965492, 0.005848847339849949, -0.01858867406894633,
    0.03710130395124417,
)  # fmt: skip
# The positive zero of digamma, the low part of that number, and digamma(x) / (x - zero) in powers
# of x - 1.5, for 1 <= x <= 2; x² (digamma(x) - ln x + 1 / (2 x)) in powers of 1 / x², for 2 <= x.
DIGAMMA_ZERO, DIGAMMA_ZERO_LOW = 1.4616321449683622, 9.549995429965697e-17
DIGAMMA_LOW = (
    0.9510558760318328, -0.4236274212814606, 0.24054248424078736, -0.14840492305388006,
    0.09498872445282817, -0.06192213327556183, 0.040760833944741226, -0.02697579665686472,
    0.01790724819228875, -0.011908220169786002, 0.007927024136843637, -0.0052799364178857415,
    0.0035180792717028125, -0.0023455016279107115, 0.0015635739915515125, -0.0010364227247828023,
    0.0006899428514219089, -0.00048606417050412354, 0.00032689316473621455,
    -0.00014460384609240088, 9.158816882117e-05, -0.00017837342400462423, 0.00012241591000024265,
)  # fmt: skip
DIGAMMA_TAIL = (
    -0.08333333333333329, 0.008333333333213365, -0.0039682539191525775, 0.004166658607197026,
    -0.007575049062108468, 0.021054092060816425, -0.08189112846363136, 0.4040035928324655,
    -2.2253428296783424, 12.014783159838057, -57.427976109599356, 226.34914930494998,
    -697.0720857646953, 1591.6199010327016, -2515.5283340889673, 2445.478834913569,
    -1098.5517618384063,
)  # fmt: skip
# trigamma(x) in powers of x - 1.5, for 1 <= x <= 2; x³ (trigamma(x) - 1 / x - 1 / (2 x²)) in powers
# of 1 / x², for 2 <= x.
TRIGAMMA_LOW = (
    0.9348022005446793, -0.8287966442343199, 0.7045455170012181, -0.5790416377779087,
    0.463064525101577, -0.3621493650205592, 0.2780808133220816, -0.21030987328689327,
    0.15705320220949961, -0.11604071799470868, 0.08496878329898323, -0.06174052306421802,
    0.044566737089543916, -0.031984273312258636, 0.022840977850181226, -0.016259764971882362,
    0.011520326461733375, -0.008019095725740303, 0.005627134938800117, -0.004391182152045137,
    0.0031156953476403054, -0.001063775547956939, 0.0006775788762954757, -0.0020891833615276248,
    0.0014933783227438191,
)  # fmt: skip
TRIGAMMA_TAIL = (
    0.16666666666666663, -0.03333333333322185, 0.0238095237463548, -0.0333333189606887,
    0.07575582026438687, -0.25297993304111066, 1.1597117387033786, -6.827620629224796,
    47.20775517989001, -343.97588073418245, 2392.7139467804923, -14784.158785482898,
    77328.81287930752, -330937.5842505172, 1125851.2011096, -2952005.901830746, 5727948.256353705,
    -7723794.067395588, 6449417.435073502, -2508053.114507513,
)  # fmt: skip
# B(2j) / (2j)!, j = 1, 2, ...: the Euler-Maclaurin corrections of a sum.
BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000,
             1 / 74724249600, -3617 / 10670622842880000)  # fmt: skip
TERMS = 10  # of the zeta sum, before the corrections


# --- ln Gamma -------------------------------------------------------------------------------
def _lgamma(x: Numeric) -> Numeric:
    a = where(x < 0.0, -x, x)
    r, _ = turn(x)
    small = a < 0.7
    b = where(small, 1.0 + a, a)
    low = where(small, a, a - 1.0) * (where(small, a - 1.0, a - 2.0))
    low = low * horner(LGAMMA_LOW, where(small, a - 0.35, a - 1.35))
    i = 1.0 / b
    tail = (a - 0.5) * (log(a) - 1.0) + (HALF_LOG_2_PI_E + i * horner(LGAMMA_TAIL, i * i))
    middle = (a - 2.0) * horner(LGAMMA_MIDDLE, a - 3.0)
    positive = where(a < 2.0, low, where(a < 4.0, middle, tail))
    # From here on: ln Gamma(1 + a) where a is small, to keep what the logarithm would swallow.
    wave = where(x < 0.0, abs(sin(pi * r)), 1.0)
    far = -log(wave * where(small, 1.0, a) / pi) - positive
    reflected = where(equal(r, 0.0), inf, _lgamma_near_zero(x, wave, far))
    return where(x < 0.0, reflected, where(small, positive - log(a), positive))


def _lgamma_near_zero(x: Numeric, wave: Numeric, far: Numeric) -> Numeric:
    """ln |Gamma| near its zeros, where wave = |sin(pi x)|; elsewhere ``far``."""
    d, change, c = near_zero(LGAMMA_ZEROS, x)
    half = sin(0.5 * pi * d)
    growth = 2.0 * half * (c * cos(0.5 * pi * d) - half)  # wave / wave(zero) - 1
    shrunk = log(wave * sqrt(1.0 + c * c))
    close = change - where(growth > -0.65, log1p(where(growth > -0.65, growth, 0.0)), shrunk)
    return where(equal(c, 0.0), far, close)


# --- digamma and trigamma: at c = x, or 1 - x for negative x --------------------------------
def _cotangent(x: Numeric) -> Numeric:
    """cot(pi x) for negative x; no number, rather than an infinity, at its poles."""
    r, _ = turn(x)
    r = where(x < 0.0, r, 0.25)
    return sign(r) * (cos_turn(r) / sin(pi * abs(r)))


def _near_zero_of_digamma(d: Numeric, c: Numeric, change: Numeric) -> Numeric:
    """pi (1 + c²) tan(pi d) / (1 + c tan(pi d)) + change, with most of the roundings put back."""
    p, square = pi * d, c * c
    t = tan(p)
    product, one = c * t, 1.0 + square
    below, above = 1.0 + product, pi * one
    rest = turn_error(above, one) / pi + sum_error(one, 1.0, square) + square_error(square, c)
    lost = rest / one - sum_error(below, 1.0, product) / below
    term, bend = above * t / below, above * (1.0 + t * t) / (below * below)
    return term + (term * lost + bend * turn_error(p, d) + change)


def _digamma(x: Numeric) -> Numeric:
    c = where(x < 0.0, 1.0 - x, x)
    i = 1.0 / c
    v = where(c < 1.0, c, c - 1.0)
    low = (v - (DIGAMMA_ZERO - 1.0) - DIGAMMA_ZERO_LOW) * horner(DIGAMMA_LOW, v - 0.5)
    low = where(c < 1.0, low - i, low)
    tail = log(c) + (i * i * horner(DIGAMMA_TAIL, i * i) - 0.5 * i)
    positive = where(c < 2.0, low, tail)
    far = where(x < 0.0, positive - pi * _cotangent(x), positive)
    d, change, cotangent = near_zero(DIGAMMA_ZEROS, x)
    close = _near_zero_of_digamma(d, cotangent, change)
    return where(equal(cotangent, 0.0), far, close)


def _trigamma(x: Numeric) -> Numeric:
    c = where(x < 0.0, 1.0 - x, x)
    i = 1.0 / c
    low = horner(TRIGAMMA_LOW, where(c < 1.0, c, c - 1.0) - 0.5)
    low = where(c < 1.0, low + i * i, low)
    tail = i + i * i * (0.5 + i * horner(TRIGAMMA_TAIL, i * i))
    positive = where(c < 2.0, low, tail)
    return where(x < 0.0, _squared_cosecant(x, positive), positive)


def _squared_cosecant(x: Numeric, less: Numeric) -> Numeric:
    """(pi / sin(pi x))² - less, with the rounding of pi x put back."""
    r, _ = turn(x)
    p = pi * r
    pole = abs(r) < 7.458340731200208e-155  # there the square of 1 / r overflows
    s = where(pole, 1.0, sin(p))
    square = PI_SQUARED / (s * s)
    error = 2.0 * turn_error(p, r) * cos(p) / s
    return where(pole, inf, square - (less + square * error))


# --- polygamma of any order -----------------------------------------------------------------
def _cotangent_polynomials(orders: int) -> list[list[float]]:
    """Return the n-th derivative of pi cot(pi x) in powers of cot(pi x): p' -> -(1 + c²) p'(c)."""
    polynomials, p = [], [0, 1]
    for order in range(orders + 1):
        polynomials.append([pi ** (order + 1) * coefficient for coefficient in p])
        slope = [k * coefficient for k, coefficient in enumerate(p)][1:]
        p = [-u - v for u, v in zip([*slope, 0, 0], [0, 0, *slope], strict=True)]
    return polynomials


COTANGENT = _cotangent_polynomials(8)


def _factorial(n: Numeric) -> Numeric:
    product: Numeric | float = 1.0
    for k in range(2, 23):
        product = product * where(n >= k, float(k), 1.0)
    return where(n > 22.0, exp(lgamma(n + 1.0)), product)


def _zeta(s: Numeric, x: Numeric) -> Numeric:
    """Return the sum of (x + k)**-s over k >= 0, the far terms by Euler and Maclaurin."""
    q = x + float(TERMS)
    i = 1.0 / q
    factor, correction = s * i * i, 1.0 / (s - 1.0) + 0.5 * i
    for j, weight in enumerate(BERNOULLI, start=1):
        correction = correction + weight * factor
        factor = factor * ((s + (2.0 * j - 1.0)) * (s + 2.0 * j)) * i * i
    total = correction * pow(q, 1.0 - s)
    for k in reversed(range(TERMS)):
        total = total + pow(x + float(k), -s)
    return total


def _polygamma(n: Numeric, x: Numeric) -> Numeric:
    c = where(x < 0.0, 1.0 - x, x)
    order = where(n < 2.0, 2.0, n)
    size = _factorial(order) * _zeta(order + 1.0, c)
    parity = order - 2.0 * floor(0.5 * order)
    cotangent = _cotangent(x)
    waves: Numeric | float = nan
    for k, polynomial in enumerate(COTANGENT[2:], start=2):
        waves = where(equal(n, float(k)), horner(polynomial, cotangent), waves)
    higher = where(x < 0.0, -size - waves, (2.0 * parity - 1.0) * size)
    first = where(equal(n, 0.0), digamma(x), where(equal(n, 1.0), _trigamma(x), nan))
    return where(n < 2.0, first, where(equal(n, floor(n)), higher, nan))


# fmt: off
lgamma: Final = pointwise("lgamma", lambda t, y, x: t * digamma(x), forward=_lgamma,
    tex=r"\ln |\Gamma(x)|", summary="Logarithm of the absolute value of the gamma function",
    points=(0.5, 1.0, 2.0, 3.0, 1e-300, 1e300, -0.5, -1.5))
digamma: Primitive = pointwise("digamma", lambda t, y, x: t * polygamma(1.0, x), forward=_digamma,
    tex=r"\psi(x)", summary="Derivative of lgamma; NaN at its poles below 0",
    points=(1.0, DIGAMMA_ZERO, 2.0, 1e-300, 1e300, -0.5, -1e-155, -7.4e-155))
polygamma: Primitive = pointwise("polygamma", None, lambda t, y, n, x: t * polygamma(n + 1.0, x),
    params="n x", forward=_polygamma, tex=r"\psi^{(n)}(x)",
    summary="n-th derivative of digamma, for whole n >= 0 (n <= 8 below x = 0)",
    points=((0.0, 3.0), (1.0, 1.0), (1.0, -0.5), (2.0, 3.0)))
