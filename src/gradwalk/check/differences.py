"""Derivatives from function values alone, with an estimate of their error.

Central differences with steps h, h/2, h/4, …, extrapolated to step 0: Ridders, Accurate
computation of F'(x) and F'(x) F''(x) (1982). The starting step is adapted too: relative to x and
relative to 1, smaller where a kink is in the way, and of all answers the one that is surest.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf, isfinite, nan

__all__ = ["Difference", "Function", "KinkBetween", "differentiate", "examine", "wrong"]

EPSILON = sys.float_info.epsilon
WIDEST_STEP, DECADES = 0.05, 8  # steps from 5e-2 down to 5e-9, of |x| and of 1
HALVINGS = 10
SURE = 1e-11  # relative error at which no other step is tried
WORSE = 2.0  # an extrapolation this much worse than the best: rounding has taken over
ROUGH = 0.1  # an error this large a part of how much f changes: no slope was found at all
NOISY = 4.0  # errors up to so many times the rounding are rounding
JUMP = 1e-3  # one-sided slopes that differ by more than this part are two slopes

Function = Callable[[float], float]
KinkBetween = Callable[[float, float], str]
"""The name of a kink or a jump between two arguments, "" if there is none."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A numeric derivative, its estimated error, and what is known about kinks.

    Not ``clear``: no step showed a slope. ``kink`` names one that was seen within ``reach``, if
    any. If no step was free of it, x is ``at_kink``: then ``left`` and ``right`` are the slopes on
    the two sides, NaN where there is none.
    """

    value: float
    error: float
    clear: bool = False
    kink: str = ""
    reach: float = 0.0
    at_kink: bool = False
    left: float = nan
    right: float = nan


def examine(
    f: Function, x: float, kink_between: KinkBetween, analytic: float, digits: float
) -> Difference:
    """Return the derivative of ``f`` at ``x``; if ``analytic`` disagrees, also from both sides."""
    found = differentiate(f, x, kink_between)
    suspicious = isfinite(analytic) and found.clear and wrong(analytic, found, digits)
    if suspicious and not found.at_kink:
        left, right = one_sided(f, x)
        if abs(left - right) > JUMP * max(abs(left), abs(right)):
            return replace(found, kink="a kink", at_kink=True, left=left, right=right)
    return found


def wrong(analytic: float, numeric: Difference, digits: float) -> bool:
    """Return whether the two differ by more than their digits and the estimated error allow."""
    slack = 10.0**-digits * max(abs(analytic), abs(numeric.value)) + NOISY * numeric.error
    return not abs(analytic - numeric.value) <= slack


def differentiate(f: Function, x: float, kink_between: KinkBetween) -> Difference:
    """Return the derivative of ``f`` at ``x`` from the step with the smallest error estimate.

    Of two answers that contradict each other, that of the smaller step counts: the wider one has
    looked across a pole, or past the waves of f.
    """
    best, kink, reach, y = Difference(nan, inf), "", 0.0, f(x)
    free = False
    for h in _steps(x):
        found = kink_between(x - h, x + h)
        if found:
            kink, reach = found, h
            continue
        free = True
        value, error, noise = _extrapolated(lambda s: _central(f, x, s), h, 4.0, y)
        if error < best.error or abs(value - best.value) > NOISY * (error + best.error):
            change = max(abs(f(x + h) - y), abs(f(x - h) - y))
            best = Difference(value, error, error <= max(ROUGH * change / h, NOISY * noise))
        if error <= SURE * abs(value):
            break
    at_kink = bool(kink) and not free
    left, right = one_sided(f, x) if at_kink else (nan, nan)
    return replace(best, kink=kink, reach=reach, at_kink=at_kink, left=left, right=right)


def one_sided(f: Function, x: float) -> tuple[float, float]:
    """Return the slopes from the left and from the right, NaN where there is none."""
    return _side(f, x, -1.0), _side(f, x, 1.0)


def _side(f: Function, x: float, sign: float) -> float:
    best, least, y = nan, inf, f(x)
    for h in _steps(x):
        value, error, noise = _extrapolated(lambda s: _one(f, x, s), sign * h, 2.0, y)
        if error < least and error <= max(ROUGH * abs(value), NOISY * noise):
            best, least = value, error
    return best


def _steps(x: float) -> Iterator[float]:
    """Return the starting steps, wide ones first, all large enough to change x."""
    sizes = {abs(x), 1.0} - {0.0}
    steps = {WIDEST_STEP * size * 10.0**-k for size in sizes for k in range(DECADES)}
    for h in sorted(steps, reverse=True):
        if isfinite(x + h) and x + h * 2.0**-HALVINGS != x != x - h * 2.0**-HALVINGS:
            yield h


def _central(f: Function, x: float, h: float) -> float:
    low, high = x - h, x + h
    return (f(high) - f(low)) / (high - low)


def _one(f: Function, x: float, h: float) -> float:
    return (f(x + h) - f(x)) / ((x + h) - x)


def _extrapolated(slope: Function, h: float, order: float, y: float) -> tuple[float, float, float]:
    """Return the limit of ``slope`` at step 0, its error, and the part of it that is rounding.

    The error of a slope is a series in powers of h² (``order`` 4) or of h (``order`` 2).
    """
    best, least, noise = nan, inf, 0.0
    above: list[float] = []
    for k in range(HALVINGS):
        step = h * 2.0**-k
        row = [slope(step)]
        for j, coarser in enumerate(above, start=1):
            factor = order**j
            row.append((factor * row[-1] - coarser) / (factor - 1.0))
            error = max(abs(row[j] - row[j - 1]), abs(row[j] - coarser))
            if error < least:
                best, least, noise = row[j], error, EPSILON * abs(y / step)
        if above and abs(row[-1] - above[-1]) >= WORSE * least:
            break
        above = row
    return best, max(least, noise), noise
