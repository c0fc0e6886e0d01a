"""THE TABLE, part 8: the functions of one member from which softmax over a list is composed.

Each takes one member x of the list, a constant ``shift`` (the largest member, so that nothing
overflows), and ``rest``, the sum of e^(x - shift) over the *other* members. With ``rest``, 1 - p is
computed without cancellation.
"""

from __future__ import annotations

from math import inf
from typing import Final

from ..core.numeric import Numeric
from ..core.primitive import pointwise
from .activation import gap_error
from .arithmetic import equal, where
from .exponential import exp, log, log1p
from .precision import gap

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


def _share_of_rest(t: Numeric, x: Numeric, shift: Numeric, rest: Numeric) -> Numeric:
    """t (1 - p)"""
    return t * (rest / (exp(gap(x, shift)) + rest))


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


softmax: Final = pointwise("softmax", lambda t, y, x, s, r: _share_of_rest(t * y, x, s, r),
    lambda t, y, x, s, r: -_share_of_rest(t * y, x, s, r),
    lambda t, y, x, s, r: -_slope_of_rest(t, x, s, r), forward=_softmax, params="x shift rest",
    tex=r"\frac{e^{x - s}}{e^{x - s} + r}", points=((0.0, 0.0, 1.0),),
    summary="Share of e^(x - shift) in its sum with the rest")
log_softmax: Final = pointwise("log_softmax", lambda t, y, x, s, r: _share_of_rest(t, x, s, r),
    lambda t, y, x, s, r: -_share_of_rest(t, x, s, r),
    lambda t, y, x, s, r: -t / (exp(gap(x, s)) + r), forward=_log_softmax, params="x shift rest",
    tex=r"x - s - \ln(e^{x - s} + r)", points=((0.0, 0.0, 1.0),),
    summary="Logarithm of the share of e^(x - shift)")
logsumexp: Final = pointwise("logsumexp", lambda t, y, x, s, r: t * _softmax(x, s, r),
    lambda t, y, x, s, r: _share_of_rest(t, x, s, r),
    lambda t, y, x, s, r: t / (exp(gap(x, s)) + r), forward=_logsumexp, params="x shift rest",
    tex=r"s + \ln(e^{x - s} + r)", points=((0.0, 0.0, 1.0),),
    summary="Logarithm of the sum of e^x and the rest")
