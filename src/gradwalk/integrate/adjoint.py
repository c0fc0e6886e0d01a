"""Gradients of solutions by the adjoint equation, which is solved backward in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.carrier import Carrier
from ..core.pytree import flatten
from ..errors import OptionError
from ..tensor import asarray, concat, stack
from ..transforms import custom_rule, vjp
from .stepping import Options, State, is_traced, number_of, take_steps, vector
from .tableaus import Tableau

__all__ = ["solve_by_adjoint"]


def solve_by_adjoint(
    f: Callable[..., Any], times: State, y0: State, args: Any, tableau: Tableau, options: Options
) -> Any:
    """Return the states at ``times``, the first of which is that of ``y0``.

        a' = -a ∂f/∂y,   ḡ = ∫ a ∂f/∂args dt,   t̄ᵢ = ȳᵢ · f(tᵢ, yᵢ)

    L. S. Pontryagin et al. (1962); R. T. Q. Chen et al., Neural ordinary differential equations
    (2018). No step of the forward solution is stored.
    """

    packed, unpacked = _packed(args)

    def at(t: State, y: State, p: State) -> Any:
        return vector(f(t, y, *unpacked(p)), "the derivative")

    def solve(y0: State, times: State, p: State) -> Any:
        def derivative(t: State, y: State) -> Any:
            found = at(t, y, p)
            if is_traced(found):
                raise _closed_over()
            return found

        path = take_steps(derivative, float(times[0]), float(times[-1]), y0, tableau, options)
        return np.stack([y0, *[path.at(float(t)) for t in times[1:]]])

    def rule(t: State, ys: State, y0: State, times: State, p: State) -> Any:
        return _backward(at, t, ys, times, p, tableau, options)

    return custom_rule(solve, vjp=rule, name="the solution of an ODE")(y0, times, packed)


def _packed(args: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return all floating numbers of the arguments in one array, and the way back."""
    leaves, structure = flatten(args)
    moving = [i for i, leaf in enumerate(leaves) if _moves(leaf)]
    shapes = [np.shape(number_of(leaves[i])) for i in moving]

    def unpacked(p: State) -> Any:
        every, at = list(leaves), 0
        for i, shape in zip(moving, shapes, strict=True):
            size = math.prod(shape)
            every[i] = p[at : at + size].reshape(shape) if shape else p[at]
            at += size
        return structure.unflatten(every)

    parts = [
        leaves[i].reshape(-1) if s else stack([leaves[i]])
        for i, s in zip(moving, shapes, strict=True)
    ]
    return vector(concat(parts), "args") if parts else np.zeros(0), unpacked


def _closed_over() -> OptionError:
    return OptionError(
        where='gradient="adjoint"',
        expected="a function whose parameters are all in args",
        got="a function that closes over traced numbers",
        fix='Pass them in args=(...), or use gradient="steps".',
    )


def _backward(
    f: Callable[..., Any],
    t: State,
    ys: State,
    times: State,
    p: State,
    tableau: Tableau,
    options: Options,
) -> Any:
    """Return the cotangents of the initial state, of the times and of the arguments."""
    n = ys.shape[1]

    def derivative(time: State, z: Any) -> Any:
        found, pull = vjp(lambda y, p: asarray(f(time, y, p)), z[:n], p)
        return vector(concat([found, *[-x for x in pull(z[n : 2 * n])]]), "the adjoint equation")

    a, g = 0.0 * t[0], 0.0 * p
    of_times: list[Any] = [0.0] * len(times)
    for i in range(len(times) - 1, 0, -1):
        a = a + t[i]
        of_times[i] = (t[i] * f(times[i], ys[i], p)).sum()
        z = vector(concat([ys[i], a, g]), "the adjoint equation")
        z = take_steps(derivative, times[i], times[i - 1], z, tableau, options).states[-1]
        a, g = z[n : 2 * n], z[2 * n :]
    of_times[0] = -(a * f(times[0], ys[0], p)).sum()
    return a + t[0], stack(of_times), g


def _moves(leaf: Any) -> bool:
    if isinstance(leaf, Carrier) and not hasattr(leaf, "dtype"):
        return True
    return isinstance(leaf, float) or getattr(getattr(leaf, "dtype", None), "kind", "") == "f"
