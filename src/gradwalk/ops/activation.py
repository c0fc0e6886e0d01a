"""THE TABLE, part 4: the functions that neurons use."""

from __future__ import annotations

from typing import Any

from ..primitive import gate, pointwise, unless
from .arithmetic import abs, clip, maximum, where
from .exponential import exp, expm1, log1p
from .special import erfc

# Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14.
SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
SQRT_HALF, SQRT_2_PI, INV_SQRT_2PI = 0.7071067811865476, 0.7978845608028654, 0.3989422804014327


# fmt: off
# --- logistic -------------------------------------------------------------------------------
def _sigmoid(x: Any) -> Any:
    e = exp(-abs(x))
    return where(x < 0.0, e, 1.0) / (1.0 + e)


def _logistic_slope(t: Any, x: Any) -> Any:
    """t σ(x) σ(-x), without the cancellation in y (1 - y)."""
    e = exp(-abs(x))
    return t * e / ((1.0 + e) * (1.0 + e))


sigmoid     = pointwise("sigmoid", lambda t, y, x: _logistic_slope(t, x), forward=_sigmoid,
                        tex=r"\sigma(x) = \frac{1}{1 + e^{-x}}", summary="Logistic function of x",
                        points=(0.0, 1000.0, -1000.0))
softplus    = pointwise("softplus", lambda t, y, x: t * sigmoid(x),
                        forward=lambda x: maximum(x, 0.0) + log1p(exp(-abs(x))),
                        tex=r"\ln(1 + e^{x})", summary="A smooth maximum of x and 0",
                        points=(0.0, 1000.0, -1000.0))
log_sigmoid = pointwise("log_sigmoid", lambda t, y, x: t * sigmoid(-x),
                        forward=lambda x: -softplus(-x),
                        tex=r"\ln \sigma(x)", summary="Logarithm of the logistic function of x",
                        points=(0.0, 1000.0, -1000.0))
silu        = pointwise("silu", lambda t, y, x: t * (sigmoid(x) * (1.0 + x * sigmoid(-x))),
                        forward=lambda x: x * sigmoid(x),
                        tex=r"x \, \sigma(x)", summary="x times its logistic function (swish)",
                        points=(0.0, 1000.0, -1000.0))

# --- piecewise linear -----------------------------------------------------------------------
relu        = pointwise("relu", lambda t, y, x: unless(x <= 0.0, t),
                        forward=lambda x: where(x <= 0.0, 0.0, x),
                        tex=r"\max(x, 0)", summary="x if it is positive, else 0",
                        kinks="slope 0 at 0", points=(0.0,))
leaky_relu  = pointwise("leaky_relu", lambda t, y, x, s: where(x > 0.0, t, t * s),
                        lambda t, y, x, s: gate(x <= 0.0, t * x),
                        forward=lambda x, s: where(x > 0.0, x, x * s),
                        params="x negative_slope", defaults=(0.01,),
                        tex=r"\max(x, 0) + s \min(x, 0)", points=((0.0, 0.01),),
                        summary="x if it is positive, else a small multiple of x",
                        kinks="the negative slope at 0")
hardtanh    = pointwise("hardtanh", lambda t, y, x, lo, hi: unless((x <= lo) | (x >= hi), t),
                        lambda t, y, x, lo, hi: gate(x < lo, t),
                        lambda t, y, x, lo, hi: gate(x > hi, t),
                        forward=lambda x, lo, hi: clip(x, lo, hi),
                        params="x min_val max_val", defaults=(-1.0, 1.0),
                        tex=r"\min(\max(x, \ell), h)", summary="x, held between two bounds",
                        kinks="slope 0 on both bounds", points=((-1.0, -1.0, 1.0),))

# --- exponential on the left ----------------------------------------------------------------
elu         = pointwise("elu", lambda t, y, x, a: where(x > 0.0, t, t * a * exp(x)),
                        lambda t, y, x, a: gate(x <= 0.0, t * expm1(x)),
                        forward=lambda x, a: where(x > 0.0, x, a * expm1(x)),
                        params="x alpha", defaults=(1.0,), points=((0.0, 1.0), (1000.0, 1.0)),
                        tex=r"\begin{cases} x & x > 0 \\ \alpha (e^{x} - 1) & x \le 0 \end{cases}",
                        summary="x if it is positive, else alpha (e^x - 1)",
                        kinks="the slope from the left, alpha, at 0")
selu        = pointwise("selu",
                        lambda t, y, x: t * where(x > 0.0, SELU_SCALE,
                                                  SELU_SCALE * SELU_ALPHA * exp(x)),
                        forward=lambda x: SELU_SCALE * where(x > 0.0, x, SELU_ALPHA * expm1(x)),
                        tex=r"\lambda \operatorname{elu}(x, \alpha)", points=(0.0, 1000.0),
                        summary="The self-normalising elu",
                        kinks="the slope from the left at 0")

# --- gaussian -------------------------------------------------------------------------------
gelu        = pointwise("gelu",
                        lambda t, y, x: t * (0.5 * erfc(-x * SQRT_HALF)
                                             + x * INV_SQRT_2PI * exp(-0.5 * x * x)),
                        forward=lambda x: 0.5 * x * erfc(-x * SQRT_HALF),
                        tex=r"x \, \Phi(x)", summary="x times the normal distribution function",
                        points=(0.0, 100.0, -100.0))


def _gelu_tanh_argument(x: Any) -> Any:
    return SQRT_2_PI * (x + 0.044715 * x * x * x)


gelu_tanh   = pointwise("gelu_tanh",
                        lambda t, y, x: t * (
                            sigmoid(2.0 * _gelu_tanh_argument(x))
                            + x * _logistic_slope(2.0, 2.0 * _gelu_tanh_argument(x))
                            * SQRT_2_PI * (1.0 + 0.134145 * x * x)),
                        forward=lambda x: x * sigmoid(2.0 * _gelu_tanh_argument(x)),
                        tex=r"\frac{x}{2}\left(1 + \tanh \sqrt{2/\pi}(x + 0.044715 x^3)\right)",
                        summary="The tanh form of gelu (Hendrycks and Gimpel 2016)",
                        points=(0.0, 100.0, -100.0))
