"""Truncated power series as a level: a tracer is the start of a Taylor series.

    x(h) = x₀ + x₁ h + x₂ h² + …

Sums, products and quotients of series are those of polynomials. Every other primitive follows from
its rules: for the derivative of its argument, a rule returns the derivative of its result,

    y' = rule(x', y, x)   and so   k yₖ = [rule(x', y, x)]ₖ₋₁

with the rule evaluated on series, of which only the coefficients below k are needed. They are
computed in order and on demand, because a rule may use its own result, and primitives whose rules
use further primitives. Source: Griewank and Walther, Evaluating Derivatives
(2008), chapter 13; coefficients on demand: van der Hoeven, Relax, but don't be too lazy (2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..core.backend import Options, arrays
from ..core.carrier import Carrier
from ..core.primitive import Primitive
from ..engine.forward import tangent_of
from ..engine.node import recording
from ..ops.arithmetic import add, div, mul, neg, sub, where
from ..ops.exponential import SERIES
from .level import Level
from .vjp import is_arraylike

__all__ = ["POLYNOMIAL", "TaylorLevel", "Solution", "Stream"]

Following = Callable[[int], Any]


class Stream:
    """The coefficients of a series, computed on demand. ``None`` stands for no contribution."""

    __slots__ = ("following", "known")

    following: Following | None
    known: list[Any]

    def __init__(self, start: object, following: Following | None = None) -> None:
        self.known, self.following = [start], following

    def __getitem__(self, k: int) -> Any:
        known = self.known
        # in order: coefficient k of a result may need all that are below it, its own included
        while len(known) <= k:
            known.append(None if self.following is None else self.following(len(known)))
        return known[k]


class Solution(Stream):
    """The solution of y' = derivative, where the derivative may depend on y itself."""

    __slots__ = ("_derivative", "derivative_of")

    def __init__(self, start: object) -> None:
        super().__init__(start, self._next)
        self.derivative_of: Callable[[], Stream] | None = None
        self._derivative: Stream | None = None

    def _next(self, k: int) -> Any:
        if self._derivative is None and self.derivative_of is not None:
            self._derivative = self.derivative_of()
        # k yₖ = [y']ₖ₋₁: the derivative is asked for one coefficient less, so the circle ends
        c = None if self._derivative is None else self._derivative[k - 1]
        return c if c is None or k == 1 else c / float(k)

    def advance(self) -> None:
        """Compute one more coefficient, if any beyond the first was read."""
        if self._derivative is not None:
            self[len(self.known)]

    def forget(self) -> None:
        """Free the derivative, which refers to the solution: a reference cycle."""
        self.derivative_of = self._derivative = None


class TaylorLevel(Level):
    """A run on truncated series. The payload of a tracer is the stream of its coefficients."""

    mode = "taylor"

    def __init__(self, order: int) -> None:
        self.order = order
        self._known: dict[Any, Any] | None = None  # inside a rule: the results so far
        self._solutions: list[Solution] = []

    def variable(self, primal: Any, one: Any) -> Any:
        """Return the tracer of x₀ + h."""
        stream = Stream(primal)
        stream.known.append(one)
        return self.box(primal, stream)

    def stream(self, x: Any) -> Stream:
        """Return the coefficients of an argument. A constant has only the first."""
        return x._payload if self.owns(x) else Stream(x)

    def coefficients(self, y: Any) -> list[Any]:
        """Return all coefficients of a result."""
        stream = self.stream(y)
        return [stream[k] for k in range(self.order + 1)]

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Any:
        """Return the result with all coefficients. Inside a rule they are computed on demand."""
        y = primitive(*self.primals(args), **options)
        if not primitive.differentiable or recording.paused:
            return y
        if self._known is not None:
            return self._lazy(primitive, args, options, y)
        self._known = {}
        try:
            found = self._lazy(primitive, args, options, y)
            scalar = type(y) is not tuple and not is_arraylike(y)
            return self.complete(found) if scalar else arrays().compute_coefficients(self, found)
        finally:
            for solution in self._solutions:
                solution.forget()
            self._known, self._solutions = None, []

    # --- on demand --------------------------------------------------------------------------------

    def _lazy(self, primitive: Primitive, args: Sequence[Any], options: Options, y: Any) -> Any:
        """Return the result as a tracer, or several, with coefficients on demand.

        Rules can be circular: the rule of sin uses cos, whose rule uses sin. The second use finds
        the first result.
        """
        if type(y) is tuple or is_arraylike(y):
            return arrays().lazy_series(self, primitive, args, options, y)
        if primitive is mul and any(type(a) is float and a == 1.0 for a in args):
            return next(a for a in args if self.owns(a))
        if primitive in SERIES:
            return SERIES[primitive](*args)
        key = (primitive, *map(id, args))
        if key not in self._known:  # type: ignore[operator]
            found = self._lazy_number(primitive, args, y)
            self._known[key] = found, args  # type: ignore[index]  # args stay alive, so that their ids stay unique
        return self._known[key][0]  # type: ignore[index]

    def _lazy_number(self, primitive: Primitive, args: Sequence[Any], y: Any) -> Any:
        """Return the result of a primitive on numbers, with coefficients on demand."""
        if primitive in POLYNOMIAL:
            return self.box(y, polynomial(primitive, y, [self.stream(a) for a in args]))
        return self.solution(y, lambda z: tangent_of(primitive, z, args, self.derivatives(args)))

    def solution(self, y: Any, derivative_at: Callable[[Any], Any]) -> Any:
        """Return the tracer that begins with ``y`` and has the derivative ``slope_at(itself)``."""
        (tracer,) = self.solutions((y,), lambda z: (derivative_at(*z),))
        return tracer

    def solutions(
        self, ys: Sequence[Any], derivatives_at: Callable[[Any], Sequence[Any]]
    ) -> tuple[Any, ...]:
        """Return the tracers of several results whose derivatives are computed together."""
        streams = [Solution(y) for y in ys]
        tracers = tuple([self.box(*pair) for pair in zip(ys, streams, strict=True)])
        found: list[Any] = []

        def derivative(i: int) -> Stream:
            if not found:
                found.extend(derivatives_at(tracers))
            return self.stream(found[i])

        for i, stream in enumerate(streams):
            stream.derivative_of = partial(derivative, i)
        self._solutions += streams
        return tracers

    def derivatives(self, args: Sequence[Any]) -> list[Any]:
        """Return x' of every argument that has a tangent, ``None`` for the others."""
        return [self._derivative(self.stream(a)) for a in args]

    def _derivative(self, x: Stream) -> Any:
        start = x[1]
        return None if start is None else self.box(start, Stream(start, derivative_of(x)))

    # --- in order ---------------------------------------------------------------------------------

    def complete(self, y: Any) -> Any:
        """Return ``y`` with all coefficients, or the plain number if all of them are ``None``."""
        stream = self.stream(y)
        for k in range(1, self.order + 1):
            for solution in self._solutions[::-1]:  # innermost first, which keeps recursion shallow
                solution.advance()
            stream[k]
        stream.following = None  # complete: frees what the coefficients came from
        has_tangent = any(c is not None for c in stream.known[1:])
        return y if has_tangent else y._primal


# --- polynomials ----------------------------------------------------------------------------------


def derivative_of(x: Stream) -> Following:
    """Return the coefficients of the derivative: x'ₖ = (k + 1) xₖ₊₁."""

    def following(k: int) -> Any:
        c = x[k + 1]
        return None if c is None else c * (k + 1.0)

    return following


def convolve(a: Stream, b: Stream, k: int, first: int = 0) -> Any:
    """Return Σ aᵢ bₖ₋ᵢ for i from 0 to k - first."""
    total = None
    for i in range(k + 1 - first):
        u, v = a[i], b[k - i]
        if u is not None and v is not None:
            total = u * v if total is None else total + u * v
    return total


def plus(a: Any, b: Any) -> Any:
    """Return a + b, either of which may be ``None``."""
    return b if a is None else a if b is None else a + b


def negative(a: Any) -> Any:
    """Return -a, or ``None``."""
    return None if a is None else -a


def _quotient(y: Stream, a: Stream, b: Stream) -> Following:
    """Return the coefficients of a / b, from y b = a: yₖ b₀ = aₖ - Σ yᵢ bₖ₋ᵢ, where i < k."""

    def following(k: int) -> Any:
        rest = plus(a[k], negative(convolve(y, b, k, first=1)))
        return None if rest is None else div(rest, b[0])

    return following


def _choice(y: Stream, c: Stream, a: Stream, b: Stream) -> Following:
    """Return the coefficients of one branch; of both, where a program chooses in each run."""
    condition = c[0]
    if not isinstance(condition, Carrier) or condition._is_number:
        return (a if condition else b).__getitem__

    def following(k: int) -> Any:
        u, v = a[k], b[k]
        if u is None and v is None:
            return None
        return where(condition, 0.0 if u is None else u, 0.0 if v is None else v)

    return following


POLYNOMIAL: dict[Any, Callable[..., Following]] = {
    neg: lambda y, a: lambda k: negative(a[k]),
    add: lambda y, a, b: lambda k: plus(a[k], b[k]),
    sub: lambda y, a, b: lambda k: plus(a[k], negative(b[k])),
    mul: lambda y, a, b: lambda k: convolve(a, b, k),
    div: _quotient,
    where: _choice,  # arrays need both branches, see `array_series`
}
"""For each primitive: the coefficients of its result ``y`` after the first."""


def polynomial(primitive: Primitive, start: object, args: Sequence[Stream]) -> Stream:
    """Return the result of a primitive in `POLYNOMIAL`."""
    y = Stream(start)
    y.following = POLYNOMIAL[primitive](y, *args)
    return y
