"""More activation functions: with a slope that is learned, with gates, without exponentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engine.functions import abs as _abs
from ...engine.functions import hardtanh, sigmoid, softplus, tanh, where
from ...errors import SizeError
from ...ops.array.structure import reshape
from ...tensor import split
from ...tensor.functions.arguments import axis_of, operand

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["glu", "hardsigmoid", "hardswish", "mish", "prelu", "relu6", "softsign"]


def relu6(input: Tensor | ArrayLike) -> Tensor:
    """Return x, limited to the range from 0 to 6.

    Parameters
    ----------
    input : any shape
        The x of the formula.

    Returns
    -------
    the shape of input
        The results, number by number.

    Raises
    ------
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    hardtanh, gradwalk.nn.ReLU6

    Examples
    --------
    >>> relu6([-1.0, 7.0]).tolist()
    [0.0, 6.0]
    """
    y: Any = hardtanh(operand(input, "relu6"), 0.0, 6.0)
    return y  # type: ignore[no-any-return]


def hardsigmoid(input: Tensor | ArrayLike) -> Tensor:
    """Return relu6(x + 3) / 6.

    Parameters
    ----------
    input : any shape
        The x of the formula.

    Returns
    -------
    the shape of input
        The results, number by number.

    Raises
    ------
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    sigmoid, relu6, gradwalk.nn.Hardsigmoid

    Examples
    --------
    >>> hardsigmoid([-3.0, 0.0]).tolist()
    [0.0, 0.5]
    """
    x: Any = operand(input, "hardsigmoid")
    y: Tensor = relu6(x + 3.0) / 6.0
    return y


def hardswish(input: Tensor | ArrayLike) -> Tensor:
    """Return x relu6(x + 3) / 6.

    Parameters
    ----------
    input : any shape
        The x of the formula.

    Returns
    -------
    the shape of input
        The results, number by number.

    Raises
    ------
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    silu, hardsigmoid, gradwalk.nn.Hardswish

    References
    ----------
    Howard and others, Searching for MobileNetV3 (2019).

    Examples
    --------
    >>> hardswish([0.0, 3.0]).tolist()
    [0.0, 3.0]
    """
    x: Any = operand(input, "hardswish")
    y: Tensor = x * relu6(x + 3.0) / 6.0
    return y


def mish(input: Tensor | ArrayLike) -> Tensor:
    """Return x tanh(ln(1 + e^x)).

    Parameters
    ----------
    input : any shape
        The x of the formula.

    Returns
    -------
    the shape of input
        The results, number by number.

    Raises
    ------
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    silu, softplus, gradwalk.nn.Mish

    References
    ----------
    Misra, Mish: a self regularized non-monotonic activation function (2019).

    Examples
    --------
    >>> mish([0.0]).tolist()
    [0.0]
    """
    x: Any = operand(input, "mish")
    y: Tensor = x * tanh(softplus(x))
    return y


def softsign(input: Tensor | ArrayLike) -> Tensor:
    """Return x / (1 + |x|).

    Parameters
    ----------
    input : any shape
        The x of the formula.

    Returns
    -------
    the shape of input
        The results, number by number.

    Raises
    ------
    NotANumberError
        If ``input`` holds something other than numbers.

    See Also
    --------
    tanh, gradwalk.nn.Softsign

    Examples
    --------
    >>> softsign([-1.0]).tolist()
    [-0.5]
    """
    x: Any = operand(input, "softsign")
    y: Tensor = x / (1.0 + _abs(x))
    return y


def glu(input: Tensor | ArrayLike, dim: int = -1) -> Tensor:
    """Return a σ(b), where a and b are the halves of x along an axis.

    Parameters
    ----------
    input : any shape with at least one axis
        The x whose halves are a and b.
    dim
        The axis that is halved; its length must be even.

    Returns
    -------
    (..., length / 2, ...)
        The gated first halves: the shape of input with half of the axis.

    Raises
    ------
    SizeError
        If ``input`` has no such axis, or its length is odd.

    See Also
    --------
    sigmoid, gradwalk.nn.GLU

    References
    ----------
    Dauphin and others, Language modeling with gated convolutional networks (2017).

    Examples
    --------
    >>> glu([4.0, 0.0]).tolist()
    [2.0]
    """
    x: Any = operand(input, "glu")
    place = axis_of(dim, x.ndim, "glu")
    if x.shape[place] % 2:
        raise SizeError(
            where="glu(input)",
            expected="an even length, for two halves",
            got=f"shape {x.shape}, axis {place}",
            fix="Pass dim=... for the axis that has both halves.",
        )
    a, b = split(x, 2, place)
    y: Tensor = a * sigmoid(b)
    return y


def prelu(input: Tensor | ArrayLike, weight: Tensor | ArrayLike) -> Tensor:
    """Return x for x > 0 and w x otherwise, with one w or one for each channel, axis 1.

    Parameters
    ----------
    input : any shape
        The x of the formula, with channels on axis 1.
    weight : (), (1,) or (channels,)
        The w of the formula: the slope left of 0.

    Returns
    -------
    the shape of input
        The results, number by number.

    Raises
    ------
    SizeError
        If ``weight`` has neither one number nor one for each channel.

    See Also
    --------
    leaky_relu, gradwalk.nn.PReLU

    References
    ----------
    He, Zhang, Ren and Sun, Delving deep into rectifiers (2015).

    Examples
    --------
    >>> prelu([-2.0, 3.0], [0.25]).tolist()
    [-0.5, 3.0]
    """
    x: Any = operand(input, "prelu")
    w: Any = operand(weight, "prelu(weight)")
    channels = x.shape[1] if x.ndim > 1 else 1
    if w.ndim > 1 or w.size not in (1, channels):
        raise SizeError(
            where="prelu(weight)",
            expected=f"one number, or {channels}, one for each channel",
            got=f"shape {w.shape}",
            fix="Put channels on axis 1 of the input.",
        )
    w = reshape(w, shape=(-1, *(1,) * max(0, x.ndim - 2)) if w.size > 1 else ())
    y: Tensor = where(x > 0.0, x, w * x)
    return y
