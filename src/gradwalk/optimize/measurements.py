"""Measured data, and their differences from the results of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.expect import describe
from ..core.pytree import flatten
from ..errors import NonFiniteError, NotANumberError, OptionError, SizeError
from ..tensor import Tensor
from .flat import numbers

if TYPE_CHECKING:
    from .space import Vector

__all__ = ["Data", "array", "tensors"]


class Data:
    """The data to fit, and their standard deviations."""

    free: int
    sigma: Vector

    def __init__(self, ys: object, sigma: object, count: int) -> None:
        self.ys: Vector = array(ys, "curve_fit: ys")
        self.sigma, self.free = _deviations(sigma, self.ys), self.ys.size - count
        if self.free < 0:
            raise SizeError(
                where="curve_fit: ys",
                expected=f"at least {count} numbers for {count} parameters",
                got=str(self.ys.size),
                fix="Measure more, or fix parameters by equal bounds.",
            )

    def differences(self, found: Sequence[Any]) -> list[Any]:
        """Return (model - data) / sigma for the results of the model."""
        shapes = [tuple(getattr(y, "shape", ())) for y in found]
        if shapes == [self.ys.shape]:
            return [(found[0] - _operand(self.ys)) / _operand(self.sigma)]
        if shapes != [()] * self.ys.size or self.ys.ndim != 1:
            raise SizeError(
                where="curve_fit: the result of the model",
                expected=f"the shape of ys, {self.ys.shape}",
                got=f"shape {shapes[0]}" if len(shapes) == 1 else f"{len(shapes)} results",
                fix="Write a model(xs, ...) that computes all data at once.",
            )
        triples = zip(found, self.ys.tolist(), self.sigma.tolist(), strict=True)
        return [(y - datum) / deviation for y, datum, deviation in triples]


def _operand(x: Vector) -> Tensor | float:
    """Return an array of data as an operand of Values or Tensors."""
    return Tensor(x) if x.shape else float(x)


def tensors(xs: object) -> Any:
    """Return the points at which the model is computed, with lists and arrays as Tensors."""
    if isinstance(xs, list):
        try:
            return Tensor(xs, float)
        except (TypeError, ValueError):
            pass  # a list of something else
    leaves, structure = flatten(xs)
    return structure.unflatten([Tensor(x) if isinstance(x, np.ndarray) else x for x in leaves])


def array(x: object, where: str) -> Vector:
    """Return data as an array of float64."""
    try:
        found = np.array(numbers(x, where), float)
    except (TypeError, ValueError):
        raise NotANumberError(
            where=where,
            expected="numbers: an array, a Tensor, or a list",
            got=describe(x),
            fix="Pass the measured values in one array.",
        ) from None
    if np.isfinite(found).all():
        return found
    raise NonFiniteError(
        where=where,
        expected="finite numbers",
        got=f"{found[~np.isfinite(found)][0]} at {np.argwhere(~np.isfinite(found))[0].tolist()}",
        fix="Remove missing measurements.",
    )


def _deviations(sigma: object, ys: Vector) -> Vector:
    """Return the standard deviation of each number."""
    if sigma is None:
        return np.ones_like(ys)
    found = array(sigma, "curve_fit: sigma")
    if found.shape not in ((), ys.shape):
        raise SizeError(
            where="curve_fit: sigma",
            expected=f"one number, or the shape of ys, {ys.shape}",
            got=f"shape {found.shape}",
            fix="Pass the standard deviation of each number in ys.",
        )
    if not (found > 0.0).all():
        raise OptionError(
            where="curve_fit: sigma",
            expected="positive numbers",
            got=f"{found.min():g}",
            fix="Pass a small sigma for data that are exact.",
        )
    return np.broadcast_to(found, ys.shape).copy()
