"""A function's derivatives, of any order and mode, against differences: `check_grads`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, isfinite, log10
from random import Random
from typing import Any, NamedTuple

from ..core import functions
from ..core.calls import expect_function
from ..core.expect import at_least, describe
from ..core.pytree import flatten_with_paths
from ..core.seeds import generator
from ..errors import GradientCheckError, OptionError
from ..levels.level import unwrap
from .arguments import inputs_of, outputs_of, positions
from .directions import jvp
from .gradients import vjp
from .lines import Function, Line, Numbers, Slope, direction, dot, evaluate, weights_of

__all__ = ["check_grads"]

MODES = {"fwd": "fwd", "rev": "rev", "forward": "fwd", "reverse": "rev"}
RTOL = {8: 1e-6, 4: 2e-3, 2: 1e-1}  # by the bytes of the coarsest number
ATOL = {8: 1e-11, 4: 1e-4, 2: 1e-2}
GROUPS = 4  # at most this many directions: leaves beyond that share one
UNSURE = 2e-4  # up to this part a difference may be wrong: large numbers hide small changes
KINK = 1e-2  # slopes on two sides that differ by more than this part are two slopes


def check_grads(
    f: functions.Function,
    args: Sequence[Any],
    order: int = 1,
    modes: Any = ("fwd", "rev"),
    *,
    argnums: Any = None,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare the derivatives of ``f`` at ``args`` with differences, along random directions.

        Σ u · (∂f/∂x v)  against  d/dh Σ u · f(x + h v)  at h = 0

    The left side is a `jvp` or a `vjp`; the right side central differences, extrapolated to step 0.
    v moves every number in proportion to its size, so that none changes its sign, and a few
    arguments at a time; u and v are the same in every run. The two sides may differ by ``atol +
    rtol * size``, where the size is that of a sum of such numbers, and by the estimated error of
    the difference, as far as 2e-4 of the size.

    Parameters
    ----------
    f
        A function of numbers and arrays, in any containers, that gives the same result twice.
    args
        The tuple of all arguments: numbers and arrays in any containers.
    order
        How many derivatives are checked, >= 1. Order 2 does the same with the derivatives by each
        mode as the function, and so on: "rev over fwd" is reverse mode of forward mode.
    modes
        "fwd" or "forward" for `jvp`, "rev" or "reverse" for `vjp`, or a tuple of these.
    argnums
        The positions of the arguments to check by; all if ``None``.
    atol
        The absolute difference that is allowed, >= 0. ``None`` is 1e-11 in float64, 1e-4 in float32
        and 1e-2 in float16; the coarsest number decides.
    rtol
        The difference that is allowed relative to the size, >= 0. ``None`` is 1e-6 in float64, 2e-3
        in float32 and 0.1 in float16.
    eps
        The widest step; several are tried if ``None``.

    Raises
    ------
    GradientCheckError
        If the sides differ by more. It says where, how many digits agree, and what to look for.
    OptionError
        If ``f`` gives two results for the same arguments, or an option is out of range.
    NotANumberError
        If an argument or a result is not floating-point.

    See Also
    --------
    gradwalk.check.check_gradients

    References
    ----------
    Richardson, The approximate arithmetical solution by finite differences (1911).

    Examples
    --------
    >>> from gradwalk import check_grads, custom_rule, sin
    >>> check_grads(lambda x, y: sin(x) * y, (2.0, 3.0), order=2)
    >>> wrong = custom_rule(lambda x: x**3, vjp=lambda t, y, x: t * 3.003 * x**2)
    >>> try:
    ...     check_grads(wrong, (2.0,), modes="rev")
    ... except AssertionError as error:
    ...     error.where, error.got.partition("of ")[2]
    ('check_grads: rev, of argument 0', 'which 3.0 digits agree')
    """
    expect_function(f, "check_grads")
    wanted = _modes(modes)
    _expect_options(order, {"atol": atol, "rtol": rtol, "eps": eps})
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    places = tuple(range(len(args))) if argnums is None else argnums
    inputs = inputs_of(f, args, {}, places, "check_grads")
    names = [
        f"argument {place}{leaf.path}"
        for place in positions(places, len(args), "check_grads")
        for leaf in flatten_with_paths(args[place])[0]
    ]

    def leaves_of(leaves: Sequence[Any]) -> list[Any]:
        return outputs_of(inputs.call(leaves), "check_grads")[0]

    xs = [unwrap(x) for x in inputs.primals]
    # twice, because a function that draws random numbers has no derivative to compare
    _expect_same(evaluate(leaves_of, xs), evaluate(leaves_of, xs))
    check = Check(wanted, atol, rtol, eps, generator(0))
    check.run(leaves_of, xs, names, order, "")


# --- options --------------------------------------------------------------------------------------


def _modes(modes: object) -> list[str]:
    """Return the modes by their short names."""
    given = (modes,) if isinstance(modes, str) else modes
    if isinstance(given, (tuple, list)) and given and all(mode in [*MODES] for mode in given):
        return list(dict.fromkeys(MODES[mode] for mode in given))
    raise OptionError(
        where="check_grads(modes=...)",
        expected='"fwd" or "forward", "rev" or "reverse", or a tuple of these',
        got=describe(modes),
        fix='Write modes=("fwd", "rev") to check both.',
    )


def _expect_options(order: Any, numbers: dict[str, Any]) -> None:
    fix = "Write order=2 to check first and second derivatives."
    at_least("check_grads(order=...)", order, 1, fix)
    for name, x in numbers.items():
        if x is not None and not (isinstance(x, (int, float)) and 0.0 <= x < inf):
            raise OptionError(
                where=f"check_grads({name}=...)",
                expected="a number that is not negative",
                got=describe(x),
                fix="Write None to choose it by the precision of the arguments.",
            )


def _expect_same(first: Numbers, second: Numbers) -> None:
    for a, b in zip(first, second, strict=True):
        same = (a == b) | ((a != a) & (b != b))  # NaN twice is the same result
        if not (same.all() if hasattr(same, "all") else same):
            raise OptionError(
                where="check_grads(f)",
                expected="a function that gives the same result for the same arguments",
                got=f"{describe(a)}, then {describe(b)}",
                fix="Draw random numbers before, or seed the generator inside f.",
            )


# --- the check ------------------------------------------------------------------------------------


class Check(NamedTuple):
    """What is the same for all functions that are checked: f, and its derivatives."""

    modes: list[str]
    atol: float | None
    rtol: float | None
    eps: float | None
    random: Random

    def run(self, f: Function, xs: Numbers, names: list[str], order: int, path: str) -> None:
        """Check the derivatives of ``f``, and then those of its derivatives."""
        vs = [direction(self.random, x) for x in xs]
        us = weights_of(self.random, f, xs, vs)
        # before the loop: one reverse pass serves all groups of arguments
        claims = {mode: CLAIMS[mode](f, xs, us) for mode in self.modes}
        for group in _groups(len(xs)):
            # a few arguments at a time, so that the message can name the wrong one
            v = [t if i in group else t * 0.0 for i, t in enumerate(vs)]
            line = Line(f, xs, v, us)
            slope = line.slope(self.allowed(line), self.eps)
            of = ", ".join(names[i] for i in group)
            for mode, claim in claims.items():
                self.expect(claim(v), slope, line, f"{mode}{path}, of {of}")
        # the seeds are arguments of the next order, so that mixed derivatives are checked, too
        for mode in self.modes if order > 1 else []:
            seeds, word = (vs, "tangent") if mode == "fwd" else (us, "cotangent")
            of_seeds = [f"{word} {i}" for i in range(len(seeds))]
            inner = DERIVATIVES[mode](f, len(xs))
            self.run(inner, [*xs, *seeds], names + of_seeds, order - 1, f" over {mode}{path}")

    def allowed(self, line: Line) -> Callable[[float], float]:
        """Return how far the two sides may differ, as a function of the size of the sum."""
        atol = ATOL[line.width] if self.atol is None else self.atol
        rtol = RTOL[line.width] if self.rtol is None else self.rtol
        return lambda size: atol + rtol * size

    def expect(self, claimed: float, slope: Slope, line: Line, where: str) -> None:
        """Raise unless the two agree."""
        size = max(slope.size, abs(claimed))
        allowed = self.allowed(line)(size)
        # doubt about the difference is bounded, or any rule of a noisy function would pass
        if abs(claimed - slope.value) <= allowed + min(slope.error, UNSURE * size):
            return
        apart = abs(claimed - slope.value) / (max(abs(claimed), abs(slope.value)) or 1.0)
        digits = max(0.0, -log10(apart)) if isfinite(apart) else 0.0
        raise GradientCheckError(
            where=f"check_grads: {where}",
            expected=f"{slope.value:.10g}, the slope by differences (± {slope.error:.1g})",
            got=f"{claimed:.10g}, of which {digits:.1f} digits agree",
            fix=_hint(slope, line, allowed),
        )


def _hint(slope: Slope, line: Line, allowed: float) -> str:
    left, right = line.sides()
    if abs(left - right) > KINK * max(abs(left), abs(right)) + line.epsilon**0.25:
        return (
            f"There is a kink (slopes {left:.4g} and {right:.4g} on its sides): take another point."
        )
    if line.width < 8:
        return (
            "In this precision differences are coarse: check in float64, or give rtol=; if that "
            "fails too, a rule is wrong, or the graph is cut by .data, detach() or float()."
        )
    if not slope.error <= allowed:  # true for a NaN, too
        return (
            "The differences do not settle: take another point, away from kinks, jumps and poles, "
            "give eps= a smaller step, or rtol= and atol= what you can do with."
        )
    return (
        "A rule is wrong, or the graph is cut by .data, detach() or float(): "
        "for functions of numbers gradwalk.check.check_gradients names the operation."
    )


def _groups(count: int) -> Iterator[list[int]]:
    """Yield the indices of leaves that are varied together."""
    for start in range(min(count, GROUPS)):
        yield list(range(start, count, GROUPS))


# --- what the transforms claim, and derivatives as functions of their own -------------------------


def _by_jvp(f: Function, xs: Numbers, us: Numbers) -> Callable[[Numbers], float]:
    return lambda v: dot(us, jvp(_of_arguments(f), tuple(xs), tuple(v))[1])


def _by_vjp(f: Function, xs: Numbers, us: Numbers) -> Callable[[Numbers], float]:
    contributions = vjp(_of_arguments(f), *xs)[1](us)
    return lambda v: dot(contributions, v)


def _of_arguments(f: Function) -> Callable[..., Any]:
    return lambda *xs: f(xs)


def _jvp_function(f: Function, count: int) -> Function:
    """Return the function (x, v) ↦ ∂f/∂x v."""
    return lambda xs: jvp(_of_arguments(f), tuple(xs[:count]), tuple(xs[count:]))[1]


def _vjp_function(f: Function, count: int) -> Function:
    """Return the function (x, u) ↦ u ∂f/∂x."""
    return lambda xs: list(vjp(_of_arguments(f), *xs[:count])[1](list(xs[count:])))


CLAIMS = {"fwd": _by_jvp, "rev": _by_vjp}
DERIVATIVES = {"fwd": _jvp_function, "rev": _vjp_function}
