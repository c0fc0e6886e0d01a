"""From tracers and graphs back to what the caller understands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.pytree import take_apart
from ..engine.scalar import Scalar
from ..levels.level import Level, Tracer
from .arguments import kind_of, plain

__all__ = ["dense", "lowered", "ones_like", "outside", "zeros_like"]


def zeros_like(x: Any) -> Any:
    """Zeros in the shape and precision of a primal."""
    return arrays().filled_like(x, 0.0) if hasattr(x, "dtype") else 0.0


def ones_like(x: Any) -> Any:
    """Ones in the shape and precision of a primal."""
    return arrays().filled_like(x, 1.0) if hasattr(x, "dtype") else 1.0


def dense(found: Sequence[Any], primals: Sequence[Any]) -> list[Any]:
    """Derivatives, with zeros where there is none."""
    pairs = zip(found, primals, strict=True)
    return [zeros_like(x) if t is None else t for t, x in pairs]


def lowered(x: Any, level: Level) -> Any:
    """A container with the primals of the tracers of one level."""
    leaves, tree = take_apart(x)
    return tree.build(level.primals(leaves))


def outside(x: Any, leaves: Sequence[Any]) -> Any:
    """A container of results in the caller's kinds of number, which ``leaves`` shows.

    Whoever passes carriers gets carriers, whoever passes floats gets floats, and all others get
    arrays. What a graph or a transform outside depends on stays what it is.
    """
    kinds = set(map(kind_of, leaves))
    results, tree = take_apart(x)
    return tree.build([_outside(result, kinds) for result in results])


def _outside(x: Any, kinds: set[str]) -> Any:
    if type(x) is float:
        return x
    if isinstance(x, (Tracer, Scalar)) or not plain(x) or "carrier" in kinds:
        return x
    if kinds == {"float"} and getattr(x, "shape", None) == ():
        return float(x)
    return x._data[()] if is_tensor(x) else x
