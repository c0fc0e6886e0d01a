"""THE TABLE, part 5: special functions."""

from __future__ import annotations

from math import pi

from ..primitive import pointwise
from .arithmetic import abs, maximum, minimum, where
from .exponential import exp, log, log1p
from .trigonometric import cos, sin

TWO_OVER_SQRT_PI = 1.1283791670955126
# fmt: off

erf  = pointwise("erf",  lambda t, y, x: t * TWO_OVER_SQRT_PI * exp(-x * x),
                 tex=r"\operatorname{erf} x", summary="Error function of x", points=(0.0,))
erfc = pointwise("erfc", lambda t, y, x: -t * TWO_OVER_SQRT_PI * exp(-x * x),
                 tex=r"\operatorname{erfc} x", summary="1 - erf(x), exact for large x",
                 points=(0.0, 20.0))

# Placeholders of textbook accuracy; see the tests for what is proven.
logaddexp = pointwise("logaddexp", lambda t, y, a, b: t * exp(a - y), lambda t, y, a, b: t * exp(b - y),
                      forward=lambda a, b: maximum(a, b) + log1p(exp(minimum(a, b) - maximum(a, b))),
                      tex=r"\ln(e^{a} + e^{b})", summary="Logarithm of e^a + e^b")
sinc = pointwise("sinc", lambda t, y, x: t * where(abs(x) < 1e-4, -pi * pi * x / 3.0, (cos(pi * x) - y) / x),
                 forward=lambda x: where(abs(x) < 1e-200, 1.0, sin(pi * x) / (pi * x)),
                 tex=r"\frac{\sin \pi x}{\pi x}", summary="Sine of pi x over pi x")


def _stirling(x):
    return (x - 0.5) * log(x) - x + 0.9189385332046727 + 1.0 / (12.0 * x)


lgamma    = pointwise("lgamma", lambda t, y, x: t * digamma(x), forward=_stirling)
digamma   = pointwise("digamma", lambda t, y, x: t * polygamma(1.0, x), forward=lambda x: log(x) - 0.5 / x)
polygamma = pointwise("polygamma", None, lambda t, y, n, x: t * polygamma(n + 1.0, x), params="n x",
                      forward=lambda n, x: 1.0 / x)
