"""Functions that only `gradwalk.special` has: inverses, scaled ones, and entropies."""

from __future__ import annotations

from typing import Any

from ..ops.arithmetic import floor, where
from ..ops.exponential import exp, pow
from ..ops.families import FAMILIES
from ..ops.gamma import lgamma
from ..tensor import Tensor
from ..tensor.functions.elementwise import from_list, function_named
from ..tensor.functions.special import xlogy
from ..tensor.functions.types import ArrayLike, ElementwiseFunction, UnaryElementwise

__all__ = ["betaincinv", "entr", "erfcinv", "exp10", "gamma", "gammaincc", "gammaincinv", "i0e"]
__all__ += ["i1e", "rel_entr"]


def _family(name: str, args: str, result: str) -> Any:
    example = f">>> from gradwalk import special\n>>> round(special.{name}({args}), 6)\n{result}"
    return function_named(name, FAMILIES[name], example)


erfcinv: UnaryElementwise = _family("erfcinv", "0.5", "0.476936")
i0e: UnaryElementwise = _family("i0e", "1.0", "0.46576")
i1e: UnaryElementwise = _family("i1e", "1.0", "0.20791")
gammaincc: ElementwiseFunction = _family("gammaincc", "1.0, 1.0", "0.367879")
gammaincinv: ElementwiseFunction = _family("gammaincinv", "1.0, 0.5", "0.693147")


def betaincinv(a: ArrayLike, b: ArrayLike, y: ArrayLike) -> Tensor:
    """Return the x with I(a, b, x) = y, the inverse of `betainc`.

    >>> round(betaincinv(2.0, 2.0, 0.5), 6)
    0.5
    """
    x: Any = FAMILIES["betaincinv"](*(from_list(v, "betaincinv") for v in (a, b, y)))
    return x  # type: ignore[no-any-return]


def gamma(x: ArrayLike) -> Tensor:
    """Return the gamma function, as the exponential of its logarithm with the sign put back.

        y = Γ(x)

    >>> round(gamma(5.0), 6)
    24.0
    """
    v: Any = from_list(x, "gamma")
    size, down = exp(lgamma(v)), floor(v)
    odd = down - 2.0 * floor(0.5 * down)
    y: Any = where((v < 0.0) & (odd > 0.5), -size, size)
    return y  # type: ignore[no-any-return]


def exp10(x: ArrayLike) -> Tensor:
    """Return 10 to the power x.

    >>> exp10(2.0)
    100.0
    """
    y: Any = pow(10.0, from_list(x, "exp10"))
    return y  # type: ignore[no-any-return]


def entr(x: ArrayLike) -> Tensor:
    """Return -x ln x, 0 at 0 and -inf below.

    >>> entr(1.0), entr(0.0)
    (-0.0, -0.0)
    """
    v: Any = from_list(x, "entr")
    inside = v >= 0.0
    y: Any = where(inside, -xlogy(where(inside, v, 1.0), where(inside, v, 1.0)), -float("inf"))
    return y  # type: ignore[no-any-return]


def rel_entr(x: ArrayLike, y: ArrayLike) -> Tensor:
    """Return x ln(x / y), 0 where x = 0: the terms of the Kullback-Leibler divergence.

    >>> rel_entr(2.0, 2.0)
    0.0
    """
    a: Any = from_list(x, "rel_entr")
    b: Any = from_list(y, "rel_entr")
    z: Any = xlogy(a, a) - xlogy(a, b)
    return z  # type: ignore[no-any-return]
