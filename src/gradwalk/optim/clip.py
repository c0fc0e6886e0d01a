"""Keeping gradients within bounds, between ``backward()`` and ``step()``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..core.carrier import Carrier, is_tensor
from ..core.expect import as_float, describe
from ..engine.value import Value
from ..errors import NonFiniteError, NotANumberError, OptionError

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

_EPS = 1e-6  # PyTorch's, so that the numbers are the same


def clip_grad_norm_(
    params: Iterable[Any] | Any,
    max_norm: float,
    norm_type: float | str = 2.0,
    error_if_nonfinite: bool = False,
) -> float:
    """Scale all gradients down together so that their norm is at most ``max_norm``.

        g ← g min(1, max_norm / (‖g‖ + 1e-6)),  ‖g‖ = (Σ |gᵢ|ᵖ)^(1/p),  p = ``norm_type``

    ``params`` are Values and Tensors, whose numbers count one by one; a Tensor without a gradient
    is left out. Returns the norm before. ``norm_type`` is positive, ``math.inf`` or ``"inf"`` for
    the largest gradient. With ``error_if_nonfinite`` an infinite or NaN norm is a
    `NonFiniteError`, raised before any gradient changes.

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
    total = _norm([_size(parameter.grad, p) for parameter in parameters], p)
    if error_if_nonfinite and not math.isfinite(total):
        raise NonFiniteError(
            where="clip_grad_norm_",
            expected="a finite norm of the gradients",
            got=f"{total}",
            fix="Look for the first infinite or NaN gradient; a smaller learning rate often helps.",
        )
    factor = bound / (total + _EPS)
    if not factor >= 1.0:  # a NaN spreads, as it does in PyTorch
        for parameter in parameters:
            parameter.grad = _scaled(parameter.grad, factor)
    return total


def clip_grad_value_(params: Iterable[Any] | Any, clip_value: float) -> None:
    """Move every gradient into the interval from -clip_value to clip_value.

    >>> x = Value(0.0)
    >>> x.grad = -7.0
    >>> clip_grad_value_([x], 0.5)
    >>> x.grad
    -0.5
    """
    bound = _positive("clip_grad_value_(clip_value=...)", clip_value, zero=True)
    for parameter in _parameters(params):
        if is_tensor(parameter):
            parameter.grad = parameter.grad.clip(-bound, bound)
        elif abs(parameter.grad) > bound:
            parameter.grad = math.copysign(bound, parameter.grad)


def _parameters(params: Iterable[Any] | Any) -> list[Any]:
    """The parameters that have a gradient."""
    several = isinstance(params, Iterable) and not isinstance(params, Carrier)
    members: list[Any] = list(params) if several else [params]
    for member in members:
        if not isinstance(member, Value) and not is_tensor(member):
            raise NotANumberError(
                where="clipping(params)",
                expected="Values or Tensors, whose gradients are clipped",
                got=describe(member),
                fix="Pass model.parameters(), between backward() and step().",
            )
    return [member for member in members if member.grad is not None]


def _size(gradient: Any, p: float) -> float:
    """The norm of one gradient; of an array in double precision, scaled if a power overflowed."""
    if isinstance(gradient, float) or gradient.size == 0:
        return abs(gradient) if isinstance(gradient, float) else 0.0
    numbers = abs(gradient.reshape(-1).astype("float64"))
    peak = float(numbers.max())
    if p == math.inf or not 0.0 < peak < math.inf:
        return peak
    numbers /= peak
    total = numbers @ numbers if p == 2.0 else (numbers**p).sum()
    return peak * math.pow(float(total), 1.0 / p)


def _scaled(gradient: Any, factor: float) -> Any:
    if isinstance(gradient, float):
        return gradient * factor
    import numpy as np  # which whoever has a Tensor has loaded

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
    # Over the largest gradient, so that no power overflows.
    return peak * math.pow(math.fsum((size / peak) ** p for size in sizes), 1.0 / p)


def _positive(where: str, option: Any, zero: bool = False) -> float:
    number = as_float(option, where)
    if number > 0.0 or (zero and number == 0.0):
        return number
    raise OptionError(
        where=where,
        expected="a number from 0 on" if zero else "a positive number",
        got=describe(option),
        fix="1.0 is a usual bound for a norm, and 2.0 the usual norm.",
    )
