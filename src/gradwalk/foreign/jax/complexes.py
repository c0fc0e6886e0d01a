"""Complex numbers: a region of a jaxpr from real operands to real results, as one function.

Tensors have real numbers only. What lies between the operation that makes complex numbers and those
that make real ones of them is one operation that gradwalk does not see into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import is_live
from . import library as jax
from .calling import Equation, bind, inexact, to_jax

__all__ = ["Complex", "joined", "leaf_of"]


@dataclass(frozen=True)
class Complex:
    """A complex array, and JAX's function that computes it of the real Tensors ``inputs``.

    ``names``  the operations in it
    """

    value: Any
    inputs: tuple[Any, ...]
    run: Callable[..., Any]
    names: tuple[str, ...]

    @property
    def dtype(self) -> Any:
        """The type of the numbers."""
        return self.value.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(self.value.shape)


def leaf_of(value: Any, real: Any, imaginary: Any) -> Complex:
    """Return a complex argument of the program, made of two Tensors."""
    return Complex(value, (real, imaginary), lambda a, b: jax.lax.complex(a, b), ())


def joined(eqn: Equation, xs: Sequence[Any]) -> tuple[Any, list[Any], tuple[str, ...]]:
    """Return an equation as a function of real Tensors, these Tensors, and the operations in it."""
    inputs: dict[int, Any] = {}
    for x in xs:
        for part in x.inputs if isinstance(x, Complex) else (x,) if is_live(x) else ():
            inputs.setdefault(id(part), part)
    names = [name for x in xs if isinstance(x, Complex) for name in x.names]
    order = list(inputs)

    def run(*some: Any) -> list[Any]:
        known = dict(zip(order, some, strict=True))
        args = []
        for x, v in zip(xs, eqn.invars, strict=True):
            if isinstance(x, Complex):
                args.append(x.run(*[known[id(part)] for part in x.inputs]))
            else:
                args.append(known[id(x)] if id(x) in known else to_jax(x, v.aval))
        return bind(eqn, args)

    # the Tensors live as long as the function: ids are theirs
    run.inputs = list(inputs.values())  # type: ignore[attr-defined]
    return run, list(inputs.values()), tuple(dict.fromkeys([*names, eqn.primitive.name]))


def parts(eqn: Equation, out: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return which results are complex, and which are real floating numbers."""
    kinds = [np.issubdtype(np.asarray(y).dtype, np.complexfloating) for y in out]
    floats = [inexact(v.aval) and not kind for v, kind in zip(eqn.outvars, kinds, strict=True)]
    return [i for i, k in enumerate(kinds) if k], [i for i, f in enumerate(floats) if f]
