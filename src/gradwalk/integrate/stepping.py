"""Steps of explicit Runge-Kutta methods, of lengths that SciPy's solvers choose.

Numbers decide how long a step is, and derivatives pass through its result: the derivative is that
of the steps as they were taken. Times may be traced: the first step begins at the traced start, and
the last ends at the traced end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..core.carrier import Carrier
from ..core.expect import as_float, describe
from ..errors import SizeError
from ..tensor import asarray, stack
from ..tensor.graph.types import Array
from .tableaus import Tableau

__all__ = ["Options", "Path", "State", "Segment", "is_traced", "number", "number_of", "take_steps"]
__all__ += ["time_of", "vector"]

TOO_SMALL = "Required step size is less than spacing between numbers."
DONE = "The solver successfully reached the end of the integration interval."
TOO_MANY = "The solver took more than {} steps: the equation may be stiff."

State: TypeAlias = Any
"""A time or a state: plain numbers, or traced ones, with which a program computes alike."""

Derivative = Callable[[State, State], State]


@dataclass
class Options:
    """How precise the steps are, and how many and how long at most."""

    rtol: float = 1e-3
    atol: Any = 1e-6
    first_step: float | None = None
    max_step: float = math.inf
    most: int = 100_000


@dataclass
class Segment:
    """One step: where it began, how long it is, and its stages."""

    t: float
    start: State
    length: State
    y: State
    stages: list[Any]
    tableau: Tableau

    def at(self, t: State) -> Any:
        """Return the interpolant of the step at a time."""
        x = (t - self.start) / self.length
        powers = [x]
        for _ in self.tableau.dense[0][1:]:
            powers.append(powers[-1] * x)
        rows = zip(self.tableau.dense, self.stages, strict=True)
        moved = _total(
            [(sum(w * p for w, p in zip(row, powers, strict=True)), k) for row, k in rows]
        )
        return self.y + self.length * moved


@dataclass
class Path:
    """The steps that were taken: times, states, and how it ended."""

    times: list[Any]
    states: list[Any]
    segments: list[Segment] = field(default_factory=list)
    evaluations: int = 0
    message: str = DONE

    def at(self, t: State) -> Any:
        """Return the state at a time between the first and the last, by interpolation."""
        ends = [number(t) for t in self.times]
        sign = 1.0 if ends[-1] >= ends[0] else -1.0
        place = int(np.searchsorted(sign * np.array(ends), sign * number(t), side="left"))
        if not self.segments:
            return self.states[0]
        return self.segments[min(max(place - 1, 0), len(self.segments) - 1)].at(t)


def is_traced(x: object) -> bool:
    """Return whether derivatives flow through ``x``."""
    return isinstance(x, Carrier) and bool(getattr(x, "requires_grad", True))


def number_of(x: State) -> Any:
    """Return the plain numbers of a state or a parameter."""
    return x.data if isinstance(x, Carrier) else x  # type: ignore[attr-defined]


def number(x: State) -> float:
    """Return the plain number of a time."""
    return float(number_of(x))


def time_of(t: State, where: str) -> Any:
    """Return a time: a traced number as it is, others as a float."""
    if isinstance(t, Carrier) and not getattr(t, "ndim", 0):
        return t
    return as_float(t[()] if isinstance(t, np.ndarray) and not t.ndim else t, where)


def vector(y: State, where: str) -> Any:
    """Return a state as an array in one axis: traced numbers as a Tensor."""
    if isinstance(y, (list, tuple)) and any(isinstance(x, Carrier) for x in y):
        y = stack(y)
    if isinstance(y, Carrier):
        y = asarray(y)  # type: ignore[arg-type]
        y = y if y.requires_grad else y.data
    else:
        y = _array(y)
    if y.ndim > 1 or y.dtype.kind not in "biuf":
        raise SizeError(
            where=where,
            expected="numbers in one axis",
            got=describe(y),
            fix="Reshape the state to one axis, and back inside the function.",
        )
    return y.reshape(-1) if y.dtype.kind == "f" else y.reshape(-1).astype(float)


def _array(y: State) -> Array:
    """Return anything as an array; rows of unequal length as one of objects."""
    try:
        return np.asarray(y)
    except ValueError:
        return np.asarray(y, object)


def _plain(y: State) -> Array:
    return np.asarray(number_of(y))


def _total(terms: Sequence[tuple[Any, Any]]) -> Any:
    """Return the sum of weights times stages, without those of weight 0."""
    found: Any = 0.0
    for weight, stage in terms:
        if is_traced(weight) or isinstance(weight, Carrier) or weight:
            found = found + weight * stage
    return found


def _norm(x: Array) -> float:
    return float(np.linalg.norm(x) / x.size**0.5)


def _first_step(
    f: Derivative, t: float, y: Array, f0: Array, end: float, tableau: Tableau, options: Options
) -> float:
    """Return the length of the first step: Hairer, Nørsett and Wanner (1993), section II.4."""
    interval = abs(end - t)
    if not y.size or not interval:
        return interval
    scale = options.atol + np.abs(y) * options.rtol
    d0, d1 = _norm(y / scale), _norm(f0 / scale)
    h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, interval)
    h = math.copysign(h0, end - t)
    f1 = _plain(f(t + h, y + h * f0))
    d2 = _norm((f1 - f0) / scale) / h0
    small = d1 <= 1e-15 and d2 <= 1e-15
    h1 = max(1e-6, h0 * 1e-3) if small else (0.01 / max(d1, d2)) ** (1 / (tableau.order + 1))
    return min(100 * h0, h1, interval, options.max_step)


def take_steps(
    f: Derivative, start: State, end: State, y: State, tableau: Tableau, options: Options
) -> Path:
    """Integrate y' = f(t, y) from ``start`` to ``end``."""
    path = Path([start], [y])

    def counted(t: State, y: State) -> Any:
        path.evaluations += 1
        return f(t, y)

    now, last = number(start), number(end)
    direction = math.copysign(1.0, last - now) if last != now else 0.0
    k = counted(start, y)
    length = options.first_step
    if length is None:
        length = _first_step(counted, now, _plain(y), _plain(k), last, tableau, options)
    while direction * (now - last) < 0:
        least = 10 * abs(math.nextafter(now, direction * math.inf) - now)
        length, rejected = min(max(length, least), options.max_step), False
        while True:
            if length < least:
                path.message = TOO_SMALL
                return path
            until = now + length * direction
            until = last if direction * (until - last) > 0 else until
            # times that are traced stay so, and others are plain
            begin, stop = path.times[-1], end if until == last else until
            h = stop - begin
            length = abs(until - now)
            stages = _stages(counted, begin, h, y, k, tableau)
            after = y + h * _total(list(zip(tableau.b, stages, strict=True)))
            k_after = counted(stop, after)
            scale = options.atol + np.maximum(abs(_plain(y)), abs(_plain(after))) * options.rtol
            error = np.dot(np.stack([_plain(s) for s in (*stages, k_after)]).T, tableau.error)
            size = _norm(error * (until - now) / scale)
            if size < 1:
                factor = min(10.0, 0.9 * size ** (-1 / (tableau.order + 1))) if size else 10.0
                length *= min(1.0, factor) if rejected else factor
                break
            length *= max(0.2, 0.9 * size ** (-1 / (tableau.order + 1))) if size == size else 0.2
            rejected = True
        path.segments.append(Segment(now, begin, h, y, [*stages, k_after], tableau))
        now, y, k = until, after, k_after
        path.times.append(stop)
        path.states.append(y)
        if len(path.segments) == options.most and direction * (now - last) < 0:
            path.message = TOO_MANY.format(options.most)
            return path
    return path


def _stages(f: Derivative, t: State, h: State, y: State, k: State, tableau: Tableau) -> list[Any]:
    found = [k]
    for c, row in zip(tableau.c[1:], tableau.a[1:], strict=True):
        moved = _total(list(zip(row, found, strict=True)))
        found.append(f(t + c * h, y + moved * h))
    return found
