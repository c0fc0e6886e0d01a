"""Special functions on numbers and arrays alike: of statistics, of information, of remainders."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from ...core.carrier import Carrier
from ...ops.arithmetic import abs, equal, less, logical_and, mod, sign, where
from ...ops.exponential import log, log1p
from ...ops.families import FAMILIES
from ...ops.trigonometric import atanh
from ..graph.tensor import Tensor
from .arguments import operand
from .elementwise import function_named
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


def given(x: object, where: str) -> Any:
    """Return numbers, arrays and what is traced unchanged, and lists as a Tensor."""
    return x if isinstance(x, (float, int, Carrier)) else operand(x, where)


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Tensor:
    """Return the regularised incomplete beta function.

        y = Iₓ(a, b) = ∫₀ˣ sᵃ⁻¹ (1 - s)ᵇ⁻¹ ds / B(a, b)

    It has derivatives in all three arguments.

    Parameters
    ----------
    a, b : any shape
        The parameters, > 0; elsewhere the result is NaN.
    x : any shape
        The upper limit of the integral, between 0 and 1; elsewhere the result is NaN.

    Returns
    -------
    the shape that the arguments broadcast to
        A float for plain numbers, a Value if there is one among them, else an array or a Tensor.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    See Also
    --------
    gradwalk.special.betaincc, gradwalk.special.betaincinv

    Examples
    --------
    >>> round(betainc(2.0, 2.0, 0.5), 6)
    0.5
    """
    y: Any = FAMILIES["betainc"](*(given(v, "betainc") for v in (a, b, x)))
    return y


# --- compositions ---------------------------------------------------------------------------------


def logit(p: ArrayLike) -> Tensor:
    """Return the logarithm of the odds, exact near 1/2, where the logarithms cancel.

        y = ln(p / (1 - p))

    Parameters
    ----------
    p : any shape
        Probabilities: 0 gives -inf, 1 gives inf, and outside of [0, 1] the result is NaN.

    Returns
    -------
    the shape of p
        The log-odds.

    See Also
    --------
    sigmoid

    Examples
    --------
    >>> round(logit(0.75), 6)
    1.098612
    """
    x: Any = given(p, "logit")
    central = abs(x - 0.5) < 0.25
    return where(central, 2.0 * atanh(2.0 * x - 1.0), log(x) - log1p(-x))


def xlogy(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x ln y, and 0 where x = 0.

    Where x = 0 and the logarithm is not finite, no gradient flows.

    Parameters
    ----------
    x : any shape
        The factor.
    y : any shape
        The argument of the logarithm, >= 0.

    Returns
    -------
    the shape that the arguments broadcast to
        A float for plain numbers, a Value if there is one among them, else an array or a Tensor.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    See Also
    --------
    xlog1py

    Examples
    --------
    >>> xlogy(0.0, 0.0), xlogy(2.0, 1.0)
    (0.0, 0.0)
    """
    return _times(log, x, y, "xlogy")


def xlog1py(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x ln(1 + y), and 0 where x = 0.

    Where x = 0 and the logarithm is not finite, no gradient flows.

    Parameters
    ----------
    x : any shape
        The factor.
    y : any shape
        The argument of the logarithm less 1, >= -1.

    Returns
    -------
    the shape that the arguments broadcast to
        A float for plain numbers, a Value if there is one among them, else an array or a Tensor.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    See Also
    --------
    xlogy

    Examples
    --------
    >>> xlog1py(0.0, -1.0)
    0.0
    """
    return _times(log1p, x, y, "xlog1py")


def _times(f: Callable[..., Any], x: object, y: object, where_: str) -> Any:
    a: Any = given(x, where_)
    b: Any = given(y, where_)
    with np.errstate(all="ignore"):  # SciPy does not warn of poles either
        finite = less(abs(f(b)), inf)
    lost = less(finite, logical_and(equal(a, 0.0), equal(b, b)))
    return where(lost, 0.0, a * f(where(lost, 1.0, b)))


def fmod(a: ArrayLike, b: ArrayLike) -> Tensor:
    """Return the remainder of a / b with the sign of a.

        y = a - b trunc(a / b)

    Parameters
    ----------
    a, b : any shape
        The dividend and the divisor; the remainder of b = 0 is NaN.

    Returns
    -------
    the shape that the arguments broadcast to
        A float for plain numbers, a Value if there is one among them, else an array or a Tensor.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    See Also
    --------
    remainder

    Examples
    --------
    >>> fmod(-7.0, 3.0)
    -1.0
    """
    x: Any = given(a, "fmod")
    rest: Any = mod(abs(x), abs(given(b, "fmod")))
    return where(x < 0.0, -rest, rest)


def heaviside(x: ArrayLike, at_0: ArrayLike) -> Tensor:
    """Return 0 for x < 0, 1 for x > 0, and a given number at 0.

    Parameters
    ----------
    x : any shape
        The argument; it gets no gradient.
    at_0 : any shape
        The result where x = 0, which alone gets a gradient.

    Returns
    -------
    the shape that the arguments broadcast to
        A float for plain numbers, a Value if there is one among them, else an array or a Tensor.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> heaviside(-2.0, 0.5), heaviside(0.0, 0.5)
    (0.0, 0.5)
    """
    v: Any = given(x, "heaviside")
    step: Any = 0.5 * (sign(v) + 1.0)
    return where(equal(v, 0.0), given(at_0, "heaviside"), step)


def lerp(start: ArrayLike, end: ArrayLike, weight: ArrayLike) -> Tensor:
    """Return the number at a fraction of the way from start to end.

        y = start + weight (end - start)

    Parameters
    ----------
    start, end : any shape
        The ends; both are met exactly.
    weight : any shape
        The fraction: 0 is ``start``, 1 is ``end``.

    Returns
    -------
    the shape that the arguments broadcast to
        A float for plain numbers, a Value if there is one among them, else an array or a Tensor.

    Raises
    ------
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> lerp(1.0, 3.0, 0.25)
    1.5
    """
    a: Any = given(start, "lerp")
    b: Any = given(end, "lerp")
    w: Any = given(weight, "lerp")
    return where(less(w, 0.5), a + w * (b - a), b - (b - a) * (1.0 - w))  # exact at both ends
