"""Equations of a jaxpr, run by JAX itself: numbers, and derivatives of one equation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..places import Place
from ..values import Operand, array_of, numbers
from . import library as jax

__all__ = [
    "Aval",
    "Equation",
    "Jaxpr",
    "Variable",
    "bind",
    "concrete",
    "eps_of",
    "floating",
    "from_jax",
    "inexact",
    "is_complex",
]
__all__ = [*__all__, "is_key", "place_of", "vjp_by_jax", "to_jax", "vjp_of"]

Equation: TypeAlias = Any  # of a jaxpr: JAX has no public name for it
Jaxpr: TypeAlias = Any  # with or without its constants
Variable: TypeAlias = Any
Aval: TypeAlias = Any  # the type and the shape of an array


def is_key(x: Operand) -> bool:
    """Return whether ``x`` is an array of random keys, which NumPy does not have."""
    dtype = getattr(x, "dtype", None)
    return dtype is not None and bool(jax.dtypes.issubdtype(dtype, jax.dtypes.extended))


def inexact(aval: Aval) -> bool:
    """Return whether an array has numbers that a gradient can flow through."""
    return hasattr(aval, "dtype") and bool(jax.dtypes.issubdtype(aval.dtype, np.inexact))


def is_complex(aval: Aval) -> bool:
    """Return whether an array has complex numbers."""
    kinds = np.complexfloating
    return hasattr(aval, "dtype") and bool(jax.dtypes.issubdtype(aval.dtype, kinds))


def floating(aval: Aval) -> bool:
    """Return whether an array has real floating numbers."""
    return inexact(aval) and not is_complex(aval)


def eps_of(aval: Aval) -> float:
    """Return the distance from 1 to the next number of an array's type."""
    return float(jax.numpy.finfo(aval.dtype).eps)


def to_jax(x: Operand, aval: Aval) -> Any:
    """Return a Tensor or an array as an array of JAX, in the type that the equation has."""
    return x if is_key(x) or not hasattr(aval, "dtype") else _array(numbers(x), aval.dtype)


def _array(x: Operand, dtype: Any) -> Any:
    return x if getattr(x, "dtype", None) == dtype and hasattr(x, "devices") else jax.numpy.asarray(
        x, dtype
    )  # fmt: skip


def from_jax(y: Operand) -> Any:
    """Return an array of JAX as one of NumPy; keys stay as they are."""
    return y if is_key(y) or not hasattr(y, "dtype") else np.asarray(y)


def bind(eqn: Equation, args: Sequence[Any]) -> list[Any]:
    """Return the results of an equation, computed by JAX."""
    found = eqn.primitive.get_bind_params(eqn.params)
    functions, params = found if isinstance(found, tuple) else ((), found)
    out = eqn.primitive.bind(*functions, *args, **params)
    return list(out) if eqn.primitive.multiple_results else [out]


def concrete(eqn: Equation, xs: Sequence[Any]) -> list[Any]:
    """Return the results of an equation as arrays."""
    args = [to_jax(x, v.aval) for x, v in zip(xs, eqn.invars, strict=True)]
    return [*map(from_jax, bind(eqn, args))]


def vjp_of(eqn: Equation, xs: Sequence[Any], live: Sequence[int], floats: Sequence[int]) -> Any:
    """Return JAX's function of the operands ``live`` to the results ``floats``, and its operands.

    The other operands are constants.
    """
    args = [to_jax(x, v.aval) for x, v in zip(xs, eqn.invars, strict=True)]

    def run(*some: Any) -> tuple[Any, ...]:
        given = list(args)
        for i, s in zip(live, some, strict=True):
            given[i] = s
        out = bind(eqn, given)
        return tuple([out[i] for i in floats])

    return run, [args[i] for i in live]


def vjp_by_jax(run: Any, args: Sequence[Any], ts: Sequence[Any]) -> list[Any]:
    """Return the cotangents of ``args``, as arrays of NumPy, by JAX's own rules."""
    out, pull = jax.vjp(run, *args)
    given = tuple([jax.numpy.asarray(t, y.dtype) for t, y in zip(ts, out, strict=True)])
    return [array_of(t) for t in pull(given)]


def place_of(eqn: Equation, otherwise: Place | None) -> Place | None:
    """Return the line of the user's program that an equation comes from."""
    frame = jax._src.source_info_util.user_frame(eqn.source_info.traceback)
    if frame is None:  # inside of a function of JAX: the line that has called it
        return otherwise
    return frame.file_name, frame.start_line, frame.function_name
