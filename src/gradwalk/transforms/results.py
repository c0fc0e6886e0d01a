"""Results of transforms: zeros where there is no derivative, and the caller's kinds of number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.pytree import PyTree, flatten
from ..engine.scalar import Scalar
from ..levels.level import Tracer
from .arguments import FLOATS, is_plain, kind_of, zeros_like

__all__ = ["instantiate_zeros", "ones_like", "to_caller", "tree_to_caller"]


def ones_like(x: object) -> Any:
    """Return ones in the shape and precision of a primal."""
    return arrays().filled_like(x, 1.0) if hasattr(x, "dtype") else 1.0


def instantiate_zeros(derivatives: Sequence[Any], primals: Sequence[Any]) -> list[Any]:
    """Return derivatives with zeros in the shape of the primal where there is none."""
    pairs = zip(derivatives, primals, strict=True)
    return [zeros_like(x) if t is None else t for t, x in pairs]


def to_caller(results: list[Any], leaves: Sequence[Any]) -> list[Any]:
    """Return results in the caller's kinds of number, which ``leaves`` shows.

    Carriers give carriers, floats give floats, and everything else gives arrays. A result that a
    graph or an outer transform depends on stays what it is.
    """
    if set(map(type, results)) <= FLOATS:  # no leaf has to be looked at
        return results
    kinds = set(map(kind_of, leaves))
    return [_to_caller(result, kinds) for result in results]


def tree_to_caller(structure: PyTree, results: list[Any], leaves: Sequence[Any]) -> Any:
    """Return a container of results in the caller's kinds of number.

    A result may be a container itself, such as a tuple of Taylor coefficients.
    """
    # flattened again, because each result may be a container
    inner, whole = flatten(structure.unflatten(results))
    return whole.unflatten(to_caller(inner, leaves))


def _to_caller(x: Any, kinds: set[str]) -> Any:
    if type(x) is float:
        return x
    if isinstance(x, (Tracer, Scalar)) or not is_plain(x) or "carrier" in kinds:
        return x
    if kinds == {"float"} and getattr(x, "shape", None) == ():
        return float(x)
    return x._data[()] if is_tensor(x) else x  # a NumPy scalar if there are no axes
