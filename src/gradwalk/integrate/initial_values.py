"""`solve_ivp` and `odeint`: SciPy's signatures and results, with derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.calls import expect_function
from ..core.carrier import Carrier
from ..core.expect import as_float, describe, index_of, one_of
from ..core.functions import Function
from ..core.pytree import flatten
from ..errors import ConvergenceError, OptionError
from ..tensor import Tensor, asarray, concat, stack
from ..transforms import custom_rule, vjp
from .stepping import (
    DONE,
    Options,
    Path,
    State,
    is_traced,
    number,
    number_of,
    take_steps,
    time_of,
    vector,
)
from .tableaus import METHODS, Tableau

__all__ = ["OdeResult", "odeint", "solve_ivp"]


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


Gradient = Literal["steps", "adjoint"]


@dataclass
class OdeResult:
    """A solution of `solve_ivp`: ``y[:, i]`` is the state at ``t[i]``.

    Parameters
    ----------
    t : (times,)
        The times of the steps, or those that were asked for.
    y : (n, times)
        The states.
    sol
        ``sol(t)`` returns the state at a time in between, of shape (n,), if ``dense_output`` was
        asked for; else ``None``.
    nfev
        The number of evaluations of the function.
    status
        0, or -1 if the end was not reached.
    message
        Why the solver stopped.
    success
        Whether the end was reached.
    t_events, y_events
        ``None``: events are not implemented.
    njev, nlu
        0: the methods need no Jacobian.
    """

    t: State
    y: State
    sol: Callable[[Any], Any] | None
    nfev: int
    status: int
    message: str
    success: bool
    t_events: None = None
    y_events: None = None
    njev: int = 0
    nlu: int = 0

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


def solve_ivp(
    fun: Function,
    t_span: Sequence[Any],
    y0: State,
    method: str = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: None = None,
    vectorized: bool = False,
    args: tuple[Any, ...] | None = None,
    *,
    rtol: float = 1e-3,
    atol: Any = 1e-6,
    first_step: float | None = None,
    max_step: float = math.inf,
    gradient: Gradient = "steps",
) -> OdeResult:
    """Solve y' = fun(t, y, *args) from ``y(t0) = y0``, with SciPy's options and steps.

    Derivatives with respect to ``y0``, ``args``, ``t_span`` and ``t_eval``, and to what ``fun``
    closes over, pass through the steps as they were taken, or come from the adjoint equation.

    Parameters
    ----------
    fun
        The right side, ``fun(t, y, *args)``: it returns as many numbers in one axis as the state
        has.
    t_span
        The first and the last time; the last may be the smaller one.
    y0 : (n,) or ()
        The state at the first time: a list, an array, a Tensor, or one number.
    method
        "RK45", the method of Dormand and Prince, also called "dopri5", or "RK23".
    t_eval : (times,), optional
        The times of the states in the result, in order and within ``t_span``; those of the steps if
        ``None``.
    dense_output
        Whether the result has ``sol``, which interpolates; not for the adjoint equation.
    events, vectorized
        Not implemented: leave them out.
    args
        Further arguments of ``fun``: a tuple, or a single one.
    rtol
        The relative error that a step may have.
    atol : () or (n,)
        The absolute error that a step may have, >= 0: one number, or one for each of the state.
    first_step
        The length of the first step, above 0; the solver finds one if ``None``.
    max_step
        The longest step, above 0.
    gradient
        "steps" differentiates the steps. "adjoint" solves the adjoint equation backward in time
        instead, and stores no steps: for long solutions, whose parameters are all in ``args``. Its
        derivatives are as precise as ``rtol`` and ``atol``.

    Returns
    -------
    an OdeResult
        Its ``t`` has shape (times,) and ``y`` shape (n, times). A solution that does not reach the
        end is no error: see ``success`` and ``message``.

    Raises
    ------
    OptionError
        If an option is out of range, not implemented, or times are not in order, or ``fun`` is no
        function.
    SizeError
        If ``y0`` has several axes.

    See Also
    --------
    odeint

    References
    ----------
    Dormand and Prince, A family of embedded Runge-Kutta formulae (1980).

    Examples
    --------
    >>> solution = solve_ivp(lambda t, y: [y[1], -y[0]], (0.0, 1.0), [0.0, 1.0], rtol=1e-9)
    >>> solution.success, bool(abs(solution.y[0, -1] - np.sin(1.0)) < 1e-6)
    (True, True)
    """
    expect_function(fun, "solve_ivp")
    tableau = METHODS[one_of("solve_ivp(method)", method, METHODS)]
    if events is not None or vectorized:
        raise OptionError(
            where="solve_ivp(events, vectorized)",
            expected="neither: they are not implemented",
            got=describe(events if events is not None else vectorized),
            fix="Leave them out, and search sol(t) of dense_output=True for events.",
        )
    begin, end = _span(t_span)
    given = () if args is None else tuple(args) if isinstance(args, (list, tuple)) else (args,)
    start = vector(y0, "solve_ivp(y0)")
    options = _options(rtol, atol, first_step, max_step, len(start))
    times = None if t_eval is None else _times(t_eval, begin, end)
    one_of("solve_ivp(gradient=...)", gradient, ("steps", "adjoint"))
    if gradient == "adjoint":
        if dense_output:
            raise OptionError(
                where='solve_ivp(gradient="adjoint")',
                expected="dense_output=False, because no steps are stored",
                got="dense_output=True",
                fix='Use t_eval=..., or gradient="steps".',
            )
        return _adjoint(fun, begin, end, times, start, given, tableau, options)
    path = take_steps(_function(fun, given), begin, end, start, tableau, options)
    if times is None:
        t, states = path.times, path.states
    else:
        reached = number(path.times[-1])
        sign = math.copysign(1.0, number(end) - number(begin))
        t = [s for s in times if sign * (number(s) - reached) <= 0.0]
        states = [path.at(s) for s in t]
    return _result(t, states, path, path.at if dense_output else None)


@overload
def odeint(
    func: Function,
    y0: Tensor,
    t: State,
    args: tuple[Any, ...] = (),
    *,
    tfirst: bool = False,
    rtol: float = 1.49012e-8,
    atol: Any = 1.49012e-8,
    h0: float = 0.0,
    hmax: float = 0.0,
    mxstep: int = 100_000,
    gradient: Gradient = "steps",
) -> Tensor: ...
@overload
def odeint(
    func: Function,
    y0: ArrayLike,
    t: State,
    args: tuple[Any, ...] = (),
    *,
    tfirst: bool = False,
    rtol: float = 1.49012e-8,
    atol: Any = 1.49012e-8,
    h0: float = 0.0,
    hmax: float = 0.0,
    mxstep: int = 100_000,
    gradient: Gradient = "steps",
) -> NDArray[np.float64]: ...
def odeint(
    func: Function,
    y0: State,
    t: State,
    args: tuple[Any, ...] = (),
    *,
    tfirst: bool = False,
    rtol: float = 1.49012e-8,
    atol: Any = 1.49012e-8,
    h0: float = 0.0,
    hmax: float = 0.0,
    mxstep: int = 100_000,
    gradient: Gradient = "steps",
) -> Any:
    """Return the states at given times of y' = func(y, t, *args), one row for each.

    The arguments are those of SciPy's `odeint`, but the method is that of Dormand and Prince, for
    equations that are not stiff. Derivatives are those of `solve_ivp`.

    Parameters
    ----------
    func
        The right side, ``func(y, t, *args)``: it returns as many numbers in one axis as the state
        has.
    y0 : (n,)
        The state at the first time.
    t : (times,)
        The times, in order.
    args
        Further arguments of ``func``: a tuple, or a single one.
    tfirst
        Whether ``func`` is called as ``func(t, y, *args)``.
    rtol
        The relative error that a step may have.
    atol : () or (n,)
        The absolute error that a step may have, >= 0: one number, or one for each of the state.
    h0
        The length of the first step; 0 leaves it to the solver.
    hmax
        The longest step; 0 for no limit.
    mxstep
        The most steps; 0 for no limit.
    gradient
        "steps" differentiates the steps, "adjoint" solves the adjoint equation, as in `solve_ivp`.

    Returns
    -------
    (times, n)
        The states; the first row is ``y0``.

    Raises
    ------
    ConvergenceError
        If the last time is not reached.
    OptionError
        If an option is out of range, the times are not in order, or ``func`` is no function.
    SizeError
        If ``y0`` has several axes.

    See Also
    --------
    solve_ivp

    Examples
    --------
    >>> odeint(lambda y, t: -2.0 * y, [1.0], [0.0, 0.5]).round(5).tolist()
    [[1.0], [0.36788]]
    """
    expect_function(func, "odeint")
    times = _times(t, None, None)
    one_of("odeint(gradient=...)", gradient, ("steps", "adjoint"))
    start = vector(y0, "odeint(y0)")
    first, longest = as_float(h0, "odeint(h0)"), as_float(hmax, "odeint(hmax)")
    options = _options(rtol, atol, first or None, longest or math.inf, len(start))
    if (most := index_of(mxstep)) is None:
        raise OptionError(
            where="odeint(mxstep)",
            expected="a number of steps, an integer",
            got=describe(mxstep),
            fix="Leave it out for 100000 steps at most.",
        )
    options.most = most

    called: Callable[..., Any] = func

    def fun(t: State, y: State, *args: Any) -> Any:
        return called(t, y, *args) if tfirst else called(y, t, *args)

    given = tuple(args) if isinstance(args, (list, tuple)) else (args,)
    tableau = METHODS["RK45"]
    if gradient == "adjoint":
        return solve_by_adjoint(fun, _stacked(times), start, given, tableau, options)
    path = take_steps(_function(fun, given), times[0], times[-1], start, tableau, options)
    if path.message != DONE:
        raise ConvergenceError(
            where="odeint",
            expected=f"a solution until t = {number(times[-1])}",
            got=f"one until t = {number(path.times[-1])}. {path.message}",
            fix="Use a smaller interval, larger tolerances, or a larger mxstep.",
        )
    return _stacked([start, *[path.at(time) for time in times[1:]]])


def _function(fun: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[Any, Any], Any]:
    def derivative(t: State, y: State) -> Any:
        return vector(fun(t, y, *args), "the result of the function")

    return derivative


def _options(rtol: Any, atol: Any, first_step: Any, max_step: Any, length: int) -> Options:
    least = 100 * float(np.finfo(float).eps)
    found = max(as_float(rtol, "rtol"), least)
    limits = vector(atol, "atol")
    if np.any(number_of(limits) < 0) or len(limits) not in (1, length):
        raise OptionError(
            where="atol",
            expected="a number >= 0, or one for each member of the state",
            got=describe(atol),
            fix="Write atol=1e-6, SciPy's default.",
        )
    for name, step in (("first_step", first_step), ("max_step", max_step)):
        if step is not None and not as_float(step, name) > 0:
            raise OptionError(
                where=name,
                expected="a positive number",
                got=describe(step),
                fix="Leave it out for the length that the solver finds.",
            )
    return Options(found, atol, first_step, max_step)


def _span(t_span: Any) -> tuple[Any, Any]:
    """Return the first and the last time."""
    try:
        begin, end = t_span
    except (TypeError, ValueError) as error:
        raise OptionError(
            where="solve_ivp(t_span)",
            expected="the first and the last time",
            got=describe(t_span),
            fix="Pass a pair of numbers: (0.0, 1.0).",
        ) from error
    return time_of(begin, "solve_ivp(t_span)"), time_of(end, "solve_ivp(t_span)")


def _times(times: State, begin: State, end: State) -> list[Any]:
    """Return the times as a list of numbers, traced ones too."""
    found = list(times) if isinstance(times, (list, tuple)) else list(vector(times, "the times"))
    found = [time_of(t, "the times") for t in found]
    plain = np.array([number(t) for t in found])
    steps = np.diff(plain)
    inside = True
    if begin is not None:
        low, high = sorted((number(begin), number(end)))
        inside = bool(np.all((plain >= low) & (plain <= high)))
    ordered = np.all(steps >= 0) or np.all(steps <= 0)
    if begin is not None:
        ordered = np.all(steps * math.copysign(1.0, number(end) - number(begin)) >= 0)
    if not found or not ordered or not inside:
        raise OptionError(
            where="the times",
            expected="times in order" + ("" if begin is None else ", inside t_span"),
            got=describe(plain),
            fix="Pass them in order: np.linspace(0.0, 1.0, 11).",
        )
    return found


def _stacked(members: list[Any]) -> Any:
    """Return numbers or states in one array; a Tensor if one of them is traced."""
    return stack(members) if any(map(is_traced, members)) else np.stack(members)


def _result(times: list[Any], states: list[Any], path: Path, sol: Any) -> OdeResult:
    done = path.message == DONE
    y = _stacked(states).T if states else np.empty((len(path.states[0]), 0))
    t = _stacked(times) if times else np.empty(0)
    return OdeResult(t, y, sol, path.evaluations, 0 if done else -1, path.message, done)


def _adjoint(
    fun: Callable[..., Any],
    begin: State,
    end: State,
    times: list[Any] | None,
    start: State,
    args: tuple[Any, ...],
    tableau: Tableau,
    options: Options,
) -> OdeResult:
    """Return the solution with derivatives by the adjoint equation."""
    plain = number_of(start)
    path = take_steps(
        _plain_function(fun, args), number(begin), number(end), plain, tableau, options
    )
    inner = path.times[1:-1] if times is None else times
    every = [begin, *inner, end]
    states = solve_by_adjoint(fun, _stacked(every), start, args, tableau, options)
    if times is not None:
        chosen = states[1:-1]
        return OdeResult(_stacked(times), asarray(chosen).T, None, path.evaluations, 0, DONE, True)
    return OdeResult(_stacked(every), states.T, None, path.evaluations, 0, path.message, True)


def _plain_function(fun: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[Any, Any], Any]:
    traced = _function(fun, args)

    def derivative(t: State, y: State) -> Any:
        return number_of(traced(t, y))

    return derivative
