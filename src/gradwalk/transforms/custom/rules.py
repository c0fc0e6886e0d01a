"""`custom_rule`: a black box whose derivative is given beside it; `debug`, which doubts it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from functools import wraps
from typing import Any, Protocol, overload

from ...core.calls import expect_function
from ...core.expect import describe
from ...core.functions import Lambda, OfAny, Transformed, Untyped
from ...engine.recording import Scope
from ...errors import OptionError
from ..signatures import P, R
from .arities import expect_rule_arguments
from .blackbox import BlackBox, Call
from .comparison import compare_once, doubting
from .fitting import fit_all, leaves_like, leaves_of_cotangents
from .linear_maps import Refusal, apply_map, apply_transpose, plain_numbers

__all__ = ["custom_rule", "debug"]

REFUSALS = (TypeError, ValueError, AttributeError)
"""What a black box raises that is given something else than plain numbers."""


@overload
def custom_rule(
    f: Lambda,
    *,
    vjp: OfAny | None = None,
    jvp: OfAny | None = None,
    name: str | None = None,
    check: bool | None = None,
) -> Untyped: ...
@overload
def custom_rule(
    f: Callable[P, R],
    *,
    vjp: OfAny | None = None,
    jvp: OfAny | None = None,
    name: str | None = None,
    check: bool | None = None,
) -> Transformed[P, R]: ...
@overload
def custom_rule(
    f: None = None,
    *,
    vjp: OfAny | None = None,
    jvp: OfAny | None = None,
    name: str | None = None,
    check: bool | None = None,
) -> Rule: ...
def custom_rule(
    f: Callable[..., Any] | None = None,
    *,
    vjp: OfAny | None = None,
    jvp: OfAny | None = None,
    name: str | None = None,
    check: bool | None = None,
) -> Callable[..., Any]:
    """Return a function with a derivative that you give, for what gradwalk cannot trace.

        vjp(t, y, *args) = t · ∂f/∂args,   jvp(t, y, *args) = ∂f/∂args · t

    One of the two rules is enough; the other follows, because both are linear in t. For one
    argument, number by number, the two are one line: ``t * slope``. A rule in functions of gradwalk
    (or NumPy's) can be differentiated again. A rule that is a black box itself serves for first
    derivatives; the mode it is not for costs one call per number, up to 1000 of them. Cotangents
    and tangents have the structures and shapes of what they belong to. Keyword arguments, integers
    and everything else that is not floating are constants, also among the results. `vmap` calls
    ``f`` for one example after the other.

    Parameters
    ----------
    f
        Any function. It gets plain floats and arrays, in the containers of the caller, so it may
        call whatever it likes. Without it a decorator is returned.
    vjp
        The rule of reverse mode. It gets the cotangent of the result, the result and the arguments,
        and returns the cotangent of each positional argument: a tuple, or for a single argument
        that one alone; ``None`` for an argument without derivative.
    jvp
        The rule of forward mode. It gets the tangents of the arguments in the same way, the result
        and the arguments, and returns the tangent of the result.
    name
        The name in messages and pictures; that of ``f`` if ``None``.
    check
        Whether the rules are compared with differences when arguments of new shapes come. ``None``
        does so within ``with gradwalk.debug():``, or in a program with GRADWALK_DEBUG=1 in its
        environment.

    Returns
    -------
    a function of the arguments of f
        It returns what ``f`` returns.

    Raises
    ------
    OptionError
        If there is no rule, or a rule or ``f`` is no function.
    UsageError
        If a rule does not take t, the result and the arguments.
    SizeError
        By a derivative, if a rule returns another structure or shape than documented.
    GradientCheckError
        By a derivative that is checked, if a rule differs from the differences.

    See Also
    --------
    debug, implicit_function, pointwise

    Examples
    --------
    >>> import math
    >>> from gradwalk import custom_rule, exp, grad
    >>> @custom_rule(vjp=lambda t, y, x: t * y)
    ... def my_exp(x):
    ...     return math.exp(x)
    >>> grad(my_exp)(0.0), grad(grad(my_exp))(0.0)
    (1.0, 1.0)
    >>> area = custom_rule(lambda a, b: a * b, vjp=lambda t, y, a, b: (t * b, t * a))
    >>> grad(area, argnums=(0, 1))(2.0, 3.0)
    (3.0, 2.0)
    """
    _expect_rules(vjp, jvp)
    _expect_options(name, check)
    if f is None:  # @custom_rule(vjp=...)
        return lambda f: custom_rule(f, vjp=vjp, jvp=jvp, name=name, check=check)
    expect_function(f, "custom_rule")
    expect_rule_arguments(f, vjp, jvp)
    named = str(name or getattr(f, "__name__", type(f).__name__))
    # "<lambda>" says nothing in a picture or a message
    box = Rules(f, "custom" if named == "<lambda>" else named, vjp, jvp, check)

    @wraps(f)
    def call(*args: Any, **options: Any) -> Any:
        return box(*args, **options)

    return call


class Rule(Protocol):
    """What `custom_rule` without a function returns: a decorator."""

    def __call__(self, f: Callable[P, R], /) -> Callable[P, R]:
        """Return ``f`` with the rules."""


def _expect_rules(vjp: object, jvp: object) -> None:
    """Raise `OptionError` for rules that are not functions, before a derivative is needed."""
    fix = "Write vjp=lambda t, y, x: t * slope(x) for one argument."
    for mode, rule in (("vjp", vjp), ("jvp", jvp)):
        if rule is not None and not callable(rule):
            expected, where = "a function, or None", f"custom_rule({mode}=...)"
            raise OptionError(where=where, expected=expected, got=describe(rule), fix=fix)
    if vjp is None and jvp is None:
        expected, got = "a derivative, in one mode at least", "neither vjp nor jvp"
        raise OptionError(where="custom_rule", expected=expected, got=got, fix=fix)


def _expect_options(name: object, check: object) -> None:
    if name is not None and not isinstance(name, str):
        raise OptionError(
            where="custom_rule(name=...)",
            expected="text, which messages and pictures show",
            got=describe(name),
            fix="Leave it out for the name of the function.",
        )
    if check is not None and not isinstance(check, bool):
        raise OptionError(
            where="custom_rule(check=...)",
            expected="True, False or None",
            got=describe(check),
            fix="Write True to compare the rules with differences, None to leave it to debug.",
        )


class Rules(BlackBox):
    """A black box with the rules of its user."""

    has_body = True
    check: bool | None
    jvp: Any
    vjp: Any

    def __init__(
        self, f: Callable[..., Any], name: str, vjp: Any, jvp: Any, check: bool | None
    ) -> None:
        super().__init__(f, name)
        self.vjp, self.jvp, self.check = vjp, jvp, check

    def cotangents(self, call: Call, ts: list[Any], ys: list[Any], xs: list[Any]) -> list[Any]:
        """Return cotangents by ``vjp``, or by ``jvp`` transposed."""
        if self.vjp is not None:
            run = Run(self, "vjp", call, ys, xs)
            return apply_map(run.vjp, ts, xs, run.where)
        run = Run(self, "jvp", call, ys, xs)
        return apply_transpose(run.jvp, xs, ys, ts, run.where)

    def tangents(self, call: Call, ts: list[Any], ys: list[Any], xs: list[Any]) -> list[Any]:
        """Return tangents by ``jvp``, or by ``vjp`` transposed."""
        if self.jvp is not None:
            run = Run(self, "jvp", call, ys, xs)
            return apply_map(run.jvp, ts, ys, run.where)
        run = Run(self, "vjp", call, ys, xs)
        return apply_transpose(run.vjp, ys, xs, ts, run.where)

    def examine(self, call: Call, xs: list[Any], ys: list[Any]) -> None:
        """Compare the rules with finite differences."""
        compare_once(call, xs, ys, lambda: self._rules(call, xs, ys), self.check)

    def _rules(self, call: Call, xs: list[Any], ys: list[Any]) -> dict[str, Any]:
        rules: dict[str, Any] = {}
        if self.vjp is not None:
            rules["vjp"] = Run(self, "vjp", call, ys, xs).vjp
        if self.jvp is not None:
            rules["jvp"] = Run(self, "jvp", call, ys, xs).jvp
        return rules


class Run:
    """A rule at a point, as a linear function of leaves."""

    call: Call
    mode: str
    rule: Any
    xs: list[Any]
    ys: list[Any]

    def __init__(self, rules: Rules, mode: str, call: Call, ys: list[Any], xs: list[Any]) -> None:
        self.rule, self.call, self.mode = getattr(rules, mode), call, mode
        self.where: str = f"{rules.name}: {mode}"
        self.ys, self.xs = ys, xs
        # plain where possible, because a rule may be a black box itself
        point = plain_numbers([*ys, *xs], [*call.floats, *call.numbers])
        self.plain: bool = point is not None
        point = [*ys, *xs] if point is None else point
        self.y: Any = call.result(point[: len(ys)])
        self.args: list[Any] = call.arguments(point[len(ys) :])

    def vjp(self, ts: list[Any]) -> list[Any]:
        """Return the cotangents of the arguments, by ``vjp``."""
        call, raws = self.call, plain_numbers(ts, self.call.floats)
        # constants have no cotangent: None in their places
        given = self._call_rule(call.result(raws or ts, constants=False), raws is not None)
        leaves = leaves_of_cotangents(given, call, self.where)
        names = [f"{self.where} of {name}" for name in call.names]
        return fit_all(leaves, call.argument_flags, self.xs, names)

    def jvp(self, ts: list[Any]) -> list[Any]:
        """Return the tangents of the results, by ``jvp``."""
        call, raws = self.call, plain_numbers(ts, self.call.numbers)
        tangents = call.arguments(raws or ts, constants=False)
        # as documented: for one argument its tangent, without a tuple around it
        t = tangents[0] if call.arity == 1 else tuple(tangents)
        leaves = leaves_like(
            self._call_rule(t, raws is not None), call.tree, self.where, "the result"
        )
        names = [f"{self.where} of the result"] * len(self.ys)
        return fit_all(leaves, call.result_flags, self.ys, names)

    def _call_rule(self, t: object, is_plain: bool) -> Any:
        """Call the rule of the user, and separate its mistakes from those of a black box."""
        if self.plain and is_plain:
            # on plain numbers every error is the rule's own, and reaches the user as it is
            return self.rule(t, self.y, *self.args, **self.call.options)
        try:
            return self.rule(t, self.y, *self.args, **self.call.options)
        except REFUSALS as error:
            if self.plain:  # only t is traced: unit vectors give the matrix
                raise Refusal from error
            raise _black_box(self.where, self.mode, error) from error


def _black_box(where: str, mode: str, error: Exception) -> OptionError:
    return OptionError(
        where=where,
        expected="functions of gradwalk or of NumPy, because it is being differentiated itself",
        got=f"a black box, which raised {type(error).__name__}: see above",
        fix=f"Write {mode} in such functions, or put what it calls into a custom_rule of its own.",
    )


# --- debugging ------------------------------------------------------------------------------------


class debug(ContextDecorator, Scope):  # noqa: N801  (as no_grad)
    """Doubt what users say about derivatives, inside the block, in this thread.

    The rules of every `custom_rule` are compared with differences at the first arguments of new
    shapes, and so are those of every `implicit_function` and `fixed_point`.

    Parameters
    ----------
    on
        False makes a block without comparisons, in a program that GRADWALK_DEBUG=1 has made
        doubtful.

    Examples
    --------
    >>> from gradwalk import custom_rule, debug, grad
    >>> wrong = custom_rule(lambda x: x**3, vjp=lambda t, y, x: t * 2.0 * x**2, name="cube")
    >>> with debug():
    ...     try:
    ...         grad(wrong)(2.0)
    ...     except AssertionError as error:
    ...         print(str(error).partition(", the")[0])
    cube: vjp of argument 0: expected -31.564299
    """

    kind = doubting

    def __init__(self, on: bool = True) -> None:
        self.on = on

    def _recreate_cm(self) -> debug:
        """Return the scope of one call of a decorated function."""
        return debug(self.on)
