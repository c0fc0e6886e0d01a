"""THE TABLE, part 9: what the losses of classes are composed of.

Each part of a softmax takes one member x of the list, a constant ``shift`` (the largest member, so
that nothing overflows), and ``rest``, the sum of e^(x - shift) over the *other* members. With
``rest``, 1 - p is computed without cancellation.
"""

from __future__ import annotations

from math import inf
from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import REALS, pointwise
from .activation import gap_error
from .arithmetic import equal, maximum, where
from .exponential import POSITIVE, exp, log, log1p
from .precision import gap
from .slope import slope

# PyTorch's binary_cross_entropy has these bounds too.
LOG_FLOOR, NEVER = -100.0, 1e-12

# fmt: off


def _exp_difference(a: Numeric, b: Numeric) -> Numeric:
    d = gap(a, b)
    e, error = exp(d), gap_error(d, a, b)
    return where(equal(error, 0.0) | equal(e, inf), e, e + e * error)


exp_difference: Final = pointwise(
    "exp_difference", lambda t, y, a, b: t * y, lambda t, y, a, b: -t * y,
    forward=_exp_difference, tex=r"e^{a - b}",
    summary="e to the power a - b, with the rounding of a - b put back",
    points=((0.0, 0.0), (-700.3, 0.7), (1e308, -1e308)))


share_slope: Final = slope("share_slope", lambda t, a, b: t * (a / (b + a)),
    lambda s, z, t, a, b: s * t * (b / (b + a)) / (b + a),
    lambda s, z, t, a, b: -s * t * (a / (b + a)) / (b + a),
    tex=r"\frac{t \, a}{a + b}", summary="Fraction a / (a + b), times t",
    domain=(REALS, POSITIVE, POSITIVE),
    points=((1.0, 1.0, 1.0), (1.0, 1e-20, 1.0), (-2.0, 1.0, 1e-300)))


def _share_of_rest(t: Numeric, x: Numeric, shift: Numeric, rest: Numeric) -> Numeric:
    """t (1 - p)"""
    return share_slope.inline(t, rest, exp_difference(x, shift))


def _own_share(t: Numeric, x: Numeric, shift: Numeric, rest: Numeric) -> Numeric:
    """t p"""
    return share_slope.inline(t, exp_difference(x, shift), rest)


def _slope_of_rest(t: Numeric, x: Numeric, shift: Numeric, rest: Numeric) -> Numeric:
    """t p / (e^(x - shift) + rest)"""
    e = exp_difference(x, shift)
    return t * e / ((e + rest) * (e + rest))


def _softmax(x: Numeric, shift: Numeric, rest: Numeric) -> Numeric:
    e = exp_difference(x, shift)
    return e / (e + rest)


def _log_softmax(x: Numeric, shift: Numeric, rest: Numeric) -> Numeric:
    d = gap(x, shift)
    e = exp(d)
    return where(rest < e, -log1p(rest / e), d - log(e + rest))


def _logsumexp(x: Numeric, shift: Numeric, rest: Numeric) -> Numeric:
    e = exp(gap(x, shift))
    return where(rest < e, x + log1p(rest / e), shift + log(e + rest))


def _log(p: Numeric) -> Numeric:
    return maximum(log(p), LOG_FLOOR)


def _log_rest(p: Numeric) -> Numeric:
    return maximum(log1p(-p), LOG_FLOOR)


def _label_surprise(p: Numeric, label: Numeric) -> Numeric:
    return -(label * _log(p) + (1.0 - label) * _log_rest(p))


def _label_slope(t: Numeric, p: Numeric, label: Numeric) -> Numeric:
    """t (1 - label) / (1 - p) - t label / p, bounded: what is never expected can be learned."""
    return t * (1.0 - label) / maximum(1.0 - p, NEVER) - t * label / maximum(p, NEVER)


softmax: Final = pointwise("softmax", lambda t, y, x, s, r: _share_of_rest(t * y, x, s, r),
    lambda t, y, x, s, r: -_share_of_rest(t * y, x, s, r),
    lambda t, y, x, s, r: -_slope_of_rest(t, x, s, r), forward=_softmax, params="x shift rest",
    tex=r"\frac{e^{x - s}}{e^{x - s} + r}", points=((0.0, 0.0, 1.0),),
    summary="Quotient of e^(x - shift) and its sum with the rest")
log_softmax: Final = pointwise("log_softmax", lambda t, y, x, s, r: _share_of_rest(t, x, s, r),
    lambda t, y, x, s, r: -_share_of_rest(t, x, s, r),
    lambda t, y, x, s, r: -t / (exp_difference(x, s) + r),
    forward=_log_softmax, params="x shift rest", tex=r"x - s - \ln(e^{x - s} + r)",
    points=((0.0, 0.0, 1.0),), summary="Logarithm of the softmax of x")
logsumexp: Final = pointwise("logsumexp", lambda t, y, x, s, r: _own_share(t, x, s, r),
    lambda t, y, x, s, r: _share_of_rest(t, x, s, r),
    lambda t, y, x, s, r: t / (exp_difference(x, s) + r), forward=_logsumexp, params="x shift rest",
    tex=r"s + \ln(e^{x - s} + r)", points=((0.0, 0.0, 1.0),),
    summary="Logarithm of the sum of e^x and the rest")
label_surprise: Final = pointwise(
    "label_surprise", lambda t, y, p, label: _label_slope(t, p, label),
    lambda t, y, p, label: t * (_log_rest(p) - _log(p)), forward=_label_surprise,
    params="p label", domain=((0.0, 1.0), (0.0, 1.0)), tex=r"-t \ln p - (1 - t) \ln (1 - p)",
    summary="Surprise at a label, given the probability of a 1",
    kinks="logarithms are at least -100, their slopes at most 1e12",
    points=((0.5, 1.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1e-20, 0.25)))
