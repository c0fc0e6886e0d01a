"""Gradient clipping, between ``backward()`` and ``step()``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from typing import Any, TypeAlias

from ..core.carrier import Carrier, TensorLike, is_tensor
from ..core.expect import as_float, describe
from ..engine.functions import maximum, where
from ..engine.value import Value
from ..errors import NonFiniteError, NotANumberError, OptionError
from ..levels.level import Tracer
from ..levels.programs import recorder

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

Clipped: TypeAlias = Iterable[Value | TensorLike] | Value | TensorLike
Gradient: TypeAlias = Any  # a float, or an array of NumPy, which this module does not import

_EPS = 1e-6  # PyTorch's, so that the numbers are the same


def clip_grad_norm_(
    params: Clipped,
    max_norm: float,
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
) -> float:
    """Scale all gradients down together so that their norm is at most a bound, and return the norm.

        g ← g min(1, max_norm / (‖g‖ + 1e-6)),  ‖g‖ = (Σ |gᵢ|ᵖ)^(1/p),  p = ``norm_type``

    The result is the norm before clipping. As in PyTorch, a NaN makes NaN of all gradients, and an
    infinite one sets the finite ones to 0.

    Parameters
    ----------
    params
        Values and Tensors, or a single one, between ``backward()`` and ``step()``; ‖g‖ is over
        all their numbers. Tensors without a gradient do not count.
    max_norm
        The bound, >= 0.
    norm_type
        The p of the formula, > 0; ``math.inf`` or "inf" takes the largest |gᵢ|.
    error_if_nonfinite
        Whether an infinite or NaN norm is an error, before any gradient changes.

    Raises
    ------
    NonFiniteError
        If the norm is infinite or NaN, with ``error_if_nonfinite``.
    NotANumberError
        If a parameter is neither a Value nor a Tensor, or an option is no number.
    OptionError
        If ``max_norm`` is negative, or ``norm_type`` not positive.

    See Also
    --------
    clip_grad_value_

    References
    ----------
    Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural networks (2013).

    Examples
    --------
    >>> x, y = Value(0.0), Value(0.0)
    >>> x.grad, y.grad = 3.0, 4.0
    >>> clip_grad_norm_([x, y], max_norm=1.0)
    5.0
    >>> round(x.grad, 4), round(y.grad, 4)
    (0.6, 0.8)
    """
    parameters = _parameters(params)
    p = math.inf if norm_type == "inf" else _positive("clip_grad_norm_(norm_type=...)", norm_type)
    bound = _positive("clip_grad_norm_(max_norm=...)", max_norm, zero=True)
    if any(isinstance(_gradient(parameter), Tracer) for parameter in parameters):
        found: float = _clip_in_program(parameters, bound, p, error_if_nonfinite)
        return found
    total = _norm([_size(_gradient(parameter), p) for parameter in parameters], p)
    if error_if_nonfinite and not math.isfinite(total):
        raise NonFiniteError(
            where="clip_grad_norm_",
            expected="a finite norm of the gradients",
            got=f"{total}",
            fix="Look for the first infinite or NaN gradient, or try a smaller learning rate.",
        )
    factor = bound / (total + _EPS)
    if not factor >= 1.0:  # true for a NaN too, which spreads to all gradients as in PyTorch
        for parameter in parameters:
            parameter.grad = _scaled(_gradient(parameter), factor)
    return total


def clip_grad_value_(params: Clipped, clip_value: float) -> None:
    """Clip every gradient to an interval around 0.

    Parameters
    ----------
    params
        Values and Tensors, or a single one, between ``backward()`` and ``step()``.
    clip_value
        The largest gradient that is left, >= 0; the smallest is -clip_value.

    Raises
    ------
    NotANumberError
        If a parameter is neither a Value nor a Tensor, or ``clip_value`` is no number.
    OptionError
        If ``clip_value`` is negative.

    See Also
    --------
    clip_grad_norm_

    Examples
    --------
    >>> x = Value(0.0)
    >>> x.grad = -7.0
    >>> clip_grad_value_([x], 0.5)
    >>> x.grad
    -0.5
    """
    bound = _positive("clip_grad_value_(clip_value=...)", clip_value, zero=True)
    for parameter in _parameters(params):
        if is_tensor(parameter):
            parameter.grad = _gradient(parameter).clip(-bound, bound)
        elif abs(parameter.grad) > bound:
            parameter.grad = math.copysign(bound, parameter.grad)


def _parameters(params: Clipped) -> list[Any]:
    """Return the parameters that have a gradient."""
    several = isinstance(params, Iterable) and not isinstance(params, Carrier)
    members: list[Any] = [*params] if several else [params]  # type: ignore[misc]
    for member in members:
        if not isinstance(member, Value) and not is_tensor(member):
            raise NotANumberError(
                where="clipping(params)",
                expected="Values or Tensors, whose gradients are clipped",
                got=describe(member),
                fix="Pass model.parameters(), between backward() and step().",
            )
    return [member for member in members if _gradient(member) is not None]


def _gradient(parameter: Any) -> Gradient:
    """Return a gradient as its node holds it: with NumPy's methods, whatever its library."""
    if not is_tensor(parameter):
        return parameter.grad
    if (program := recorder()) is not None:  # where one of an earlier call is an input
        return program.updates.gradient_of(parameter)
    return None if parameter._node is None else parameter._node.grad


def _size(gradient: Gradient, p: float) -> float:
    """Return the p-norm of one gradient, computed in double precision."""
    if isinstance(gradient, float) or gradient.size == 0:
        return abs(gradient) if isinstance(gradient, float) else 0.0
    numbers = abs(gradient.reshape(-1).astype("float64"))
    peak = float(numbers.max())
    if p == math.inf or not 0.0 < peak < math.inf:
        return peak
    numbers /= peak  # so that no power overflows
    total = numbers @ numbers if p == 2.0 else (numbers**p).sum()
    return peak * math.pow(float(total), 1.0 / p)


def _clip_in_program(parameters: list[Any], bound: float, p: float, refused: bool) -> Any:
    """Scale gradients that a program computes, and return their norm: no number is asked for."""
    if refused:
        raise OptionError(
            where="clip_grad_norm_(error_if_nonfinite=True) inside compile",
            expected="error_if_nonfinite=False: the norm is known when the program runs",
            got="True",
            fix="Leave it out, and look at the norm that compile returns.",
        )
    gradients = [_gradient(parameter) for parameter in parameters]
    total = _norm_in_program([g for g in gradients if g.size], p)
    shrink = bound / (total + _EPS)
    for parameter, g in zip(parameters, gradients, strict=True):
        # at most 1; a NaN spreads
        parameter.grad = (g * (shrink - (shrink - 1.0).relu())).astype(g.dtype)
    return total.item()


def _norm_in_program(gradients: list[Any], p: float) -> Any:
    """Return the p-norm of all numbers, divided by the largest so that no power overflows."""
    sizes = [abs(g.astype("float64")) for g in gradients]
    peak = reduce(maximum, [size.max() for size in sizes])
    if p == math.inf:
        return peak
    usual = (peak > 0.0) & (peak < math.inf)
    scale = where(usual, peak, 1.0)
    total = sum(((size / scale) ** p).sum() for size in sizes)
    return where(usual, scale * total ** (1.0 / p), peak)


def _scaled(gradient: Gradient, factor: float) -> Gradient:
    if isinstance(gradient, float):
        return gradient * factor
    import numpy as np  # already loaded: the gradient is an array

    with np.errstate(all="ignore"):
        return gradient * factor


def _norm(gradients: list[float], p: float) -> float:
    if p == 2.0:
        return math.hypot(*gradients)
    sizes = [abs(gradient) for gradient in gradients]
    if any(math.isnan(size) for size in sizes):
        return math.nan
    peak = max(sizes, default=0.0)
    if p == math.inf or peak in (0.0, math.inf):
        return peak
    # Divide by the largest gradient, so that no power overflows.
    return peak * math.pow(math.fsum((size / peak) ** p for size in sizes), 1.0 / p)


def _positive(where: str, option: object, zero: bool = False) -> float:
    number = as_float(option, where)
    if number > 0.0 or (zero and number == 0.0):
        return number
    raise OptionError(
        where=where,
        expected="a number >= 0" if zero else "a positive number",
        got=describe(option),
        fix="Pass 1.0, a usual bound of a norm, or 2.0, the usual norm.",
    )
