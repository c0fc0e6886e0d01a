"""Roots and fixed points, differentiated by the implicit function theorem: no solver is unrolled.

If r(x, θ) = 0 and ∂r/∂x has an inverse, then x is a function of θ near there, with

    dx = -(∂r/∂x)⁻¹ ∂r/∂θ dθ

however x was found (Krantz and Parks 2013, theorem 3.3.1). The equations are solved by functions of
gradwalk, so the derivative has derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from math import isfinite
from typing import Any, Unpack, overload

from ...core.calls import expect_function
from ...core.expect import at_least, describe
from ...core.functions import Function, Lambda, Transformed, Untyped
from ...core.pytree import PyTree, flatten, flatten_like, flatten_with_paths
from ...errors import ConvergenceError, NonFiniteError, OptionError, SizeError
from ...levels.level import unwrap
from ..arguments import expect_float, is_plain, primal_of
from ..directions import jvp
from ..gradients import vjp
from ..results import to_caller
from ..signatures import P, R, Ts, X
from .arities import expect_residual
from .blackbox import BlackBox, Call, capture_error
from .blackbox_primitives import is_floating, is_number
from .comparison import compare_once
from .linear_maps import size_of, solve_equations, units

__all__ = ["fixed_point", "implicit_function"]


@overload
def implicit_function(solve: Lambda, residual: Function, *, name: str | None = None) -> Untyped: ...
@overload
def implicit_function(
    solve: Callable[P, R], residual: Function, *, name: str | None = None
) -> Transformed[P, R]: ...
def implicit_function(
    solve: Callable[..., Any], residual: Function, *, name: str | None = None
) -> Callable[..., Any]:
    """Return the function θ ↦ x with residual(x, θ) = 0, found by any solver, with its derivative.

        dx = -(∂r/∂x)⁻¹ ∂r/∂θ dθ

    The derivative is that of the x which ``solve`` has found, and as exact as that x solves the
    equations. The matrix ∂r/∂x takes one pass per element of x, and is kept while its equations are
    solved: for n elements n passes, n² memory and n³ operations. In `debug` the derivative is
    compared with differences of ``solve``.

    Parameters
    ----------
    solve
        The solver: ``solve(*args)`` returns x, a number, an array or a container of them. It gets
        plain floats and arrays and may be any program: SciPy, a bisection, a table.
    residual
        The equations: ``residual(x, *args)``, in functions of gradwalk, returns as many numbers as
        x has, in any containers. It is evaluated, not solved.
    name
        The name in messages and pictures; that of ``solve`` if ``None``.

    Returns
    -------
    a function of the arguments of solve
        It returns x. Keyword arguments, which both functions get, and integers are constants.

    Raises
    ------
    OptionError
        If ``solve`` or ``residual`` is no function.
    UsageError
        If ``residual`` does not take x and all arguments of ``solve``.
    SizeError
        By a call, if the residual has another number of elements than x.
    DataError
        By a derivative, if ∂r/∂x is singular.

    See Also
    --------
    fixed_point, custom_rule

    References
    ----------
    Krantz and Parks, The Implicit Function Theorem (2013).

    Examples
    --------
    >>> from gradwalk import grad, implicit_function
    >>> root = implicit_function(lambda a: a**0.5, lambda x, a: x * x - a)
    >>> root(4.0), grad(root)(4.0), grad(grad(root))(4.0)
    (2.0, 0.25, -0.03125)
    """
    expect_function(solve, "implicit_function")
    expect_function(residual, "implicit_function(residual)")
    expect_residual(solve, residual)
    named = str(name or getattr(solve, "__name__", type(solve).__name__))
    box = Implicit(solve, residual, "implicit_function" if named == "<lambda>" else named)

    @wraps(solve)
    def call(*args: Any, **options: Any) -> Any:
        return box(*args, **options)

    return call


class Implicit(BlackBox):
    """A solver, and the equations that it solves."""

    def __init__(self, solve: Any, residual: Any, name: str) -> None:
        super().__init__(solve, name)
        self.residual = residual

    def at(self, call: Call, ys: Sequence[Any], xs: Sequence[Any]) -> list[Any]:
        """Return the leaves of the residual."""
        r = self.residual(call.result(ys), *call.arguments(xs), **call.options)
        return flatten(r)[0]

    def cotangents(self, call: Call, ts: list[Any], ys: list[Any], xs: list[Any]) -> list[Any]:
        """Return -(∂r/∂θ)ᵀ (∂r/∂x)⁻ᵀ t."""
        # computed where it is used: for higher derivatives the matrix is traced like its arguments
        rs, rows = self._rows(call, ys, xs)
        # one solution for all of θ: the transposed order of the factors needs no ∂x/∂θ
        weights = solve_equations(rows, ts, rs, self.name, transpose=True)
        _, pullback = vjp(lambda *xs: self.at(call, ys, xs), *xs)
        return list(pullback([-w for w in weights]))

    def tangents(self, call: Call, ts: list[Any], ys: list[Any], xs: list[Any]) -> list[Any]:
        """Return -(∂r/∂x)⁻¹ ∂r/∂θ t."""
        _, rows = self._rows(call, ys, xs)
        _, moved = jvp(lambda *xs: self.at(call, ys, xs), tuple(xs), tuple(ts))
        return [-t for t in solve_equations(rows, moved, ys, self.name, transpose=False)]

    def _rows(self, call: Call, ys: Sequence[Any], xs: Sequence[Any]) -> tuple[Any, Any]:
        """Return the residual, and ∂r/∂x as a list of leaves like x for each of its elements."""
        rs, pullback = vjp(lambda *ys: self.at(call, ys, xs), *ys)
        return rs, [pullback(unit) for unit in units(rs)]

    def examine(self, call: Call, xs: list[Any], ys: list[Any]) -> None:
        """Raise unless there are as many equations as unknowns, of the arguments alone."""
        rs = self.at(call, [*map(primal_of, ys)], [*map(primal_of, xs)])
        for r in rs:
            if not is_plain(r):  # it uses a traced value around it
                raise capture_error(f"{self.name}: the residual", r)
            expect_float(r, f"{self.name}: the residual")
        found, wanted = sum(map(size_of, rs)), sum(map(size_of, ys))
        if found != wanted:
            raise SizeError(
                where=f"{self.name}: the residual",
                expected=f"{wanted} numbers, as many as what solve returns",
                got=f"{found}",
                fix="Return one equation for each unknown.",
            )
        compare_once(call, xs, ys, lambda: {"vjp": lambda ts: self.cotangents(call, ts, ys, xs)})


# --- fixed points ---------------------------------------------------------------------------------


@overload
def fixed_point(
    f: Lambda,
    x0: X,
    *args: Any,
    tolerance: float = 1e-12,
    max_steps: int = 1000,
    **options: Any,
) -> X: ...
@overload
def fixed_point(
    f: Callable[[X, Unpack[Ts]], X],
    x0: X,
    *args: *Ts,
    tolerance: float = 1e-12,
    max_steps: int = 1000,
) -> X: ...
@overload
def fixed_point(
    f: Callable[..., X],
    x0: X,
    *args: Any,
    tolerance: float = 1e-12,
    max_steps: int = 1000,
    **options: Any,
) -> X: ...
def fixed_point(  # type: ignore[misc]
    f: Callable[..., Any],
    x0: Any,
    *args: Any,
    tolerance: float = 1e-12,
    max_steps: int = 1000,
    **options: Any,
) -> Any:
    """Return the x with x = f(x, *args), found by iteration from ``x0``, with its derivative.

        x ← f(x, θ),   dx = (1 - ∂f/∂x)⁻¹ ∂f/∂θ dθ

    The iteration is not recorded: memory does not grow with its steps. For the derivative, and its
    cost, see `implicit_function`.

    Parameters
    ----------
    f
        The function to iterate, ``f(x, *args, **options)``: it returns the structure and shapes of
        x.
    x0
        Where the iteration starts: a floating-point number, an array or a container. No derivative
        comes to it.
    *args
        Further arguments of ``f``, by which x is differentiated.
    tolerance
        It stops when no number in x has moved by more than ``tolerance`` · max(1, |x|), |x| being
        the largest number of x (or by more than 8 units of rounding, where x is in less than double
        precision). The error of x is then about ρ / (1 - ρ) times that, if the steps shrink by the
        factor ρ. Above 0.
    max_steps
        The most calls of ``f``, >= 1.
    **options
        Keyword arguments of ``f``, which are constants.

    Returns
    -------
    like x0
        The fixed point.

    Raises
    ------
    ConvergenceError
        If x still moves after ``max_steps``.
    NonFiniteError
        If x becomes infinite or undefined.
    SizeError
        If ``f`` returns another structure or shape than x.
    OptionError
        If ``x0`` has no numbers, ``f`` is no function, or an option is out of range.
    NotANumberError
        If a number in ``x0`` is an integer.
    DataError
        By a derivative, if 1 - ∂f/∂x is singular.

    See Also
    --------
    implicit_function, while_loop

    Examples
    --------
    >>> from gradwalk import cos, fixed_point, grad
    >>> x = fixed_point(lambda x, a: cos(a * x), 1.0, 1.0)
    >>> round(x, 6), round(grad(lambda a: fixed_point(lambda x, a: cos(a * x), x, a))(1.0), 6)
    (0.739085, -0.297474)
    """
    expect_function(f, "fixed_point")
    _expect_options(tolerance, max_steps)
    named, tree = flatten_with_paths(x0)
    for leaf in named:
        expect_float(leaf.value, f"fixed_point(x0){leaf.path}")
    if not named:
        raise OptionError(
            where="fixed_point(x0)",
            expected="a number, an array, or a container with some",
            got=describe(x0),
            fix="Pass a starting point, such as 1.0 or np.ones(3).",
        )
    start = [leaf.value for leaf in named]
    step = partial(_step, f, tree)
    # unwrapped, because a fixed point does not depend on where the iteration starts
    first = [primal_of(unwrap(x)) for x in start]

    def solve(*args: Any, **options: Any) -> Any:
        advance = partial(step, args=_as_tensors(args), options=options)
        return tree.unflatten(_iterate(advance, first, tolerance, max_steps))

    def residual(x: object, *args: Any, **options: Any) -> list[Any]:
        xs, _ = flatten(x)
        return [a - b for a, b in zip(xs, step(xs, args=args, options=options), strict=True)]

    # a box for each call, because x0 and the tolerance are parts of its solver
    found = Implicit(solve, residual, "fixed_point")(*args, **options)
    results, structure = flatten(found)
    given = list(filter(is_floating, [*start, *flatten(args)[0]]))
    return structure.unflatten(to_caller(results, given))


def _expect_options(tolerance: object, max_steps: object) -> None:
    if not isinstance(tolerance, (int, float)) or not tolerance > 0.0:
        raise OptionError(
            where="fixed_point(tolerance=...)",
            expected="a number above 0",
            got=describe(tolerance),
            fix="Pass tolerance=1e-12, the default.",
        )
    at_least("fixed_point(max_steps=...)", max_steps, 1, "Pass max_steps=1000, the default.")


def _as_tensors(args: Sequence[Any]) -> Any:
    """Return arguments with arrays as Tensors, as functions of gradwalk take them."""
    leaves, tree = flatten(args)
    return tree.unflatten([primal_of(x) if is_floating(x) else x for x in leaves])


def _step(
    f: Callable[..., Any],
    tree: PyTree,
    xs: Sequence[Any],
    args: Sequence[Any],
    options: Mapping[str, Any],
) -> list[Any]:
    """Return the leaves of f(x), checked against those of x."""
    new = flatten_like(
        f(tree.unflatten(xs), *args, **options), tree, "fixed_point: the result of f", "x0"
    )
    for y, x in zip(new, xs, strict=True):
        if getattr(y, "shape", ()) != getattr(x, "shape", ()) or not is_floating(y):
            raise SizeError(
                where="fixed_point: the result of f",
                expected=f"floating numbers of shape {tuple(getattr(x, 'shape', ()))}, as in x0",
                got=f"shape {tuple(y.shape)}" if hasattr(y, "shape") else describe(y),
                fix="Start from an x0 of the shape that f returns.",
            )
    return new


def _iterate(step: Any, xs: list[Any], tolerance: float, max_steps: int) -> list[Any]:
    """Iterate until the leaves hardly change, and return them."""
    moved = 0.0
    for count in range(1, max_steps + 1):
        before, xs = xs, step(xs)
        for x in xs:
            if not is_plain(x):
                raise capture_error("fixed_point: the result of f", x)
        xs = [unwrap(x) if is_number(b) else x for x, b in zip(xs, before, strict=True)]
        moved, size = _distance(xs, before), _largest(xs)
        if not isfinite(size):
            raise _divergence(count)
        # steps below the rounding of x never get smaller
        if moved <= max(tolerance, *map(_rounding, xs)) * max(1.0, size):
            return xs
    raise ConvergenceError(
        where="fixed_point(f, x0)",
        expected=f"steps of at most {tolerance:g} (times |x|, if that is above 1)",
        got=f"one of {moved:.3g} after {max_steps} steps",
        fix="Start nearer, allow more max_steps or a larger tolerance, or damp f: "
        "x + 0.5 * (f(x) - x) has the same fixed point.",
    )


def _divergence(count: int) -> NonFiniteError:
    return NonFiniteError(
        where="fixed_point(f, x0)",
        expected="finite numbers",
        got=f"an infinity or a NaN after step {count}",
        fix="Start nearer, or damp f: x + 0.5 * (f(x) - x) has the same fixed point.",
    )


def _distance(xs: Sequence[Any], before: Sequence[Any]) -> float:
    return _largest([unwrap(a) - unwrap(b) for a, b in zip(xs, before, strict=True)])


def _largest(xs: Sequence[Any]) -> float:
    """Return the largest absolute value of an element; NaN if there is one."""
    found = 0.0
    for x in map(unwrap, xs):
        size = float(abs(x).max(initial=0.0)) if hasattr(x, "dtype") else abs(x)
        found = size if size > found or size != size else found  # `max` would lose a NaN
    return found


def _rounding(x: object) -> float:
    """Return the least relative step that the precision of ``x`` can represent."""
    if not hasattr(x, "dtype"):
        return 0.0
    import numpy as np

    return 8.0 * float(np.finfo(x.dtype).eps)
