"""Special functions on numbers and arrays alike: of statistics, of information, of remainders."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from ...ops.arithmetic import abs, equal, less, logical_and, mod, sign, where
from ...ops.exponential import log, log1p
from ...ops.families import FAMILIES
from ...ops.trigonometric import atanh
from ..graph.tensor import Tensor
from .elementwise import from_list, function_named
from .types import ArrayLike, ElementwiseFunction, UnaryElementwise

__all__ = ["beta", "betainc", "betaln", "erfcx", "erfinv", "fmod", "gammainc", "heaviside", "i0"]
__all__ += ["i1", "lerp", "log_ndtr", "logit", "ndtr", "ndtri", "xlog1py", "xlogy"]
METHODS: tuple[str, ...] = ()


def _family(name: str, args: str, result: str) -> Any:
    """Return the function of a primitive of `FAMILIES`, with a call and its rounded result."""
    example = f">>> import gradwalk\n>>> round(gradwalk.{name}({args}), 6)\n{result}"
    return function_named(name, FAMILIES[name], example)


erfinv: UnaryElementwise = _family("erfinv", "0.5", "0.476936")
erfcx: UnaryElementwise = _family("erfcx", "10.0", "0.056141")
ndtr: UnaryElementwise = _family("ndtr", "1.0", "0.841345")
ndtri: UnaryElementwise = _family("ndtri", "0.975", "1.959964")
log_ndtr: UnaryElementwise = _family("log_ndtr", "-10.0", "-53.231285")
i0: UnaryElementwise = _family("i0", "1.0", "1.266066")
i1: UnaryElementwise = _family("i1", "1.0", "0.565159")
beta: ElementwiseFunction = _family("beta", "2.0, 3.0", "0.083333")
betaln: ElementwiseFunction = _family("betaln", "2.0, 3.0", "-2.484907")
gammainc: ElementwiseFunction = _family("gammainc", "1.0, 1.0", "0.632121")


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Tensor:
    """Return the regularised incomplete beta function; it depends on all three.

        y = Iₓ(a, b) = ∫₀ˣ sᵃ⁻¹ (1 - s)ᵇ⁻¹ ds / B(a, b)

    >>> round(betainc(2.0, 2.0, 0.5), 6)
    0.5
    """
    y: Any = FAMILIES["betainc"](*(from_list(v, "betainc") for v in (a, b, x)))
    return y


# --- compositions ---------------------------------------------------------------------------------


def logit(p: ArrayLike) -> Tensor:
    """Return the logarithm of the odds, exact near 1/2, where the logarithms cancel.

        y = ln(p / (1 - p))

    >>> round(logit(0.75), 6)
    1.098612
    """
    x: Any = from_list(p, "logit")
    central = abs(x - 0.5) < 0.25
    return where(central, 2.0 * atanh(2.0 * x - 1.0), log(x) - log1p(-x))


def xlogy(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x ln y, and 0 where x = 0, even if y is 0; there no gradient flows.

    >>> xlogy(0.0, 0.0), xlogy(2.0, 1.0)
    (0.0, 0.0)
    """
    return _times(log, x, y, "xlogy")


def xlog1py(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x ln(1 + y), and 0 where x = 0, even if y is -1; there no gradient flows.

    >>> xlog1py(0.0, -1.0)
    0.0
    """
    return _times(log1p, x, y, "xlog1py")


def _times(f: Callable[..., Any], x: object, y: object, where_: str) -> Any:
    a: Any = from_list(x, where_)
    b: Any = from_list(y, where_)
    with np.errstate(all="ignore"):  # SciPy does not warn of poles either
        finite = less(abs(f(b)), inf)
    lost = less(finite, logical_and(equal(a, 0.0), equal(b, b)))
    return where(lost, 0.0, a * f(where(lost, 1.0, b)))


def fmod(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Return the remainder of a / b with the sign of a; `remainder` has that of b.

        y = a - b trunc(a / b)

    >>> fmod(-7.0, 3.0)
    -1.0
    """
    x: Any = from_list(a, "fmod")
    rest: Any = mod(abs(x), abs(from_list(b, "fmod")))
    return where(x < 0.0, -rest, rest)


def heaviside(x: ArrayLike, at_0: ArrayLike) -> Tensor:
    """Return 0 for x < 0, 1 for x > 0, and ``at_0`` at 0, which alone gets a gradient.

    >>> heaviside(-2.0, 0.5), heaviside(0.0, 0.5)
    (0.0, 0.5)
    """
    v: Any = from_list(x, "heaviside")
    step: Any = 0.5 * (sign(v) + 1.0)
    return where(equal(v, 0.0), from_list(at_0, "heaviside"), step)


def lerp(start: ArrayLike, end: ArrayLike, weight: ArrayLike) -> Tensor:
    """Return the number that lies at the fraction ``weight`` of the way from start to end.

        y = start + weight (end - start)

    >>> lerp(1.0, 3.0, 0.25)
    1.5
    """
    a: Any = from_list(start, "lerp")
    b: Any = from_list(end, "lerp")
    w: Any = from_list(weight, "lerp")
    return where(less(w, 0.5), a + w * (b - a), b - (b - a) * (1.0 - w))  # exact at both ends
