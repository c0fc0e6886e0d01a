"""Functions that only `gradwalk.special` has: inverses, scaled ones, and entropies."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from ..ops.arithmetic import div, equal, floor, where
from ..ops.exponential import exp, log, log1p, pow
from ..ops.families import FAMILIES
from ..ops.gamma import lgamma
from ..tensor import Tensor
from ..tensor.functions.elementwise import function_named
from ..tensor.functions.special import given, xlogy
from ..tensor.functions.types import ArrayLike, ElementwiseFunction, UnaryElementwise

__all__ = [
    "betaincc",
    "betaincinv",
    "entr",
    "erfcinv",
    "exp10",
    "gamma",
    "gammaincc",
    "gammaincinv",
    "i0e",
]
__all__ += ["i1e", "rel_entr"]


def _family(name: str, args: str, result: str) -> Any:
    example = f">>> from gradwalk import special\n>>> round(special.{name}({args}), 6)\n{result}"
    return function_named(name, FAMILIES[name], example)


erfcinv: UnaryElementwise = _family("erfcinv", "0.5", "0.476936")
i0e: UnaryElementwise = _family("i0e", "1.0", "0.46576")
i1e: UnaryElementwise = _family("i1e", "1.0", "0.20791")
gammaincc: ElementwiseFunction = _family("gammaincc", "1.0, 1.0", "0.367879")
gammaincinv: ElementwiseFunction = _family("gammaincinv", "1.0, 0.5", "0.693147")


def betaincc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Tensor:
    """Return the complement of the regularised incomplete beta function, exact where it is small.

        y = 1 - Iₓ(a, b)

    Parameters
    ----------
    a, b : any shape
        The parameters, > 0; elsewhere the result is NaN.
    x : any shape
        The limit of the integral, between 0 and 1; elsewhere the result is NaN.

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
    betainc

    Examples
    --------
    >>> betaincc(1.0, 20.0, 0.75) == 0.25**20
    True
    """
    y: Any = FAMILIES["betaincc"](*(given(v, "betaincc") for v in (a, b, x)))
    return y  # type: ignore[no-any-return]


def betaincinv(a: ArrayLike, b: ArrayLike, y: ArrayLike) -> Tensor:
    """Return the inverse of the regularised incomplete beta function in its third argument.

        Iₓ(a, b) = y

    Parameters
    ----------
    a, b : any shape
        The parameters, > 0; elsewhere the result is NaN.
    y : any shape
        The value of `betainc`, between 0 and 1; elsewhere the result is NaN.

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
    betainc

    Examples
    --------
    >>> round(betaincinv(2.0, 2.0, 0.5), 6)
    0.5
    """
    x: Any = FAMILIES["betaincinv"](*(given(v, "betaincinv") for v in (a, b, y)))
    return x  # type: ignore[no-any-return]


def gamma(x: ArrayLike) -> Tensor:
    """Return the gamma function.

        y = Γ(x)

    Parameters
    ----------
    x : any shape
        The argument. At -1, -2, …, where the sign changes, the result is NaN.

    Returns
    -------
    the shape of x
        A float for a plain number, a Value for a Value, else an array or a Tensor.

    See Also
    --------
    gammaln

    Examples
    --------
    >>> round(gamma(5.0), 6)
    24.0
    """
    v: Any = given(x, "gamma")
    small = (v > -0.5) & (v < 0.5)  # Γ(x) = Γ(1 + x) / x: a logarithm of 1e300 has lost digits
    with np.errstate(divide="ignore"):  # SciPy does not warn of poles either
        raised = div(exp(lgamma(1.0 + where(small, v, 0.0))), where(small, v, 1.0))
    size, down = exp(lgamma(where(small, 1.0, v))), floor(v)
    odd = down - 2.0 * floor(0.5 * down)
    far = where((v < 0.0) & (odd > 0.5), -size, size)
    y: Any = where(small, raised, where((v < 0.0) & equal(down, v), nan, far))
    return y  # type: ignore[no-any-return]


def exp10(x: ArrayLike) -> Tensor:
    """Return 10 to the power x.

        y = 10ˣ

    Parameters
    ----------
    x : any shape
        The exponent.

    Returns
    -------
    the shape of x
        A float for a plain number, a Value for a Value, else an array or a Tensor.

    Examples
    --------
    >>> exp10(2.0)
    100.0
    """
    y: Any = pow(10.0, given(x, "exp10"))
    return y  # type: ignore[no-any-return]


def entr(x: ArrayLike) -> Tensor:
    """Return the terms of the entropy.

        y = -x ln x

    Parameters
    ----------
    x : any shape
        Probabilities: 0 gives 0, and negative numbers give -inf.

    Returns
    -------
    the shape of x
        A float for a plain number, a Value for a Value, else an array or a Tensor.

    See Also
    --------
    rel_entr

    Examples
    --------
    >>> entr(1.0), entr(0.0)
    (-0.0, -0.0)
    """
    v: Any = given(x, "entr")
    below = v < 0.0
    inner = where(below, 1.0, v)
    y: Any = where(below, -inf, -xlogy(inner, inner))
    return y  # type: ignore[no-any-return]


def rel_entr(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return the terms of the Kullback-Leibler divergence.

        z = x ln(x / y)

    Parameters
    ----------
    x, y : any shape
        Probabilities. As in SciPy the result is 0 where x = 0 <= y, and inf where x < 0, y < 0, or
        x > 0 = y.

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
    entr

    Examples
    --------
    >>> rel_entr(2.0, 2.0)
    0.0
    """
    a: Any = given(x, "rel_entr")
    b: Any = given(y, "rel_entr")
    outside = (a < 0.0) | (b < 0.0) | (equal(b, 0.0) & (a > 0.0))
    inside = (a > 0.0) & (b > 0.0)
    u, v = where(inside, a, 1.0), where(inside, b, 1.0)
    near = (u < 2.0 * v) & (v < 2.0 * u)  # there two logarithms cancel
    ratio = log1p(where(near, (u - v) / where(near, v, 1.0), 0.0))
    z = u * where(near, ratio, log(u) - log(v))
    whole = equal(a, a) & equal(b, b)
    ends = where(whole, where(outside, inf, 0.0), nan)
    return where(inside, z, ends)  # type: ignore[no-any-return]
