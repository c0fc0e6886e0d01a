"""The record that a row of the table is, its constructor, and how a row meets its arguments.

A row says what an operation computes and, once per argument, which share of a seed ``t`` goes to
that argument. The seed is inside the rule: a rule is linear in ``t``, and because the Jacobian of a
pointwise operation is diagonal the same line is the VJP (fed a cotangent) and the JVP (fed a
tangent). What happens when a row is called depends on its arguments alone: plain numbers are
evaluated, arrays number by number; a carrier (`Value`, `Tensor`, `Var`) does with the row whatever
it exists for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, ClassVar

from ..errors import OptionError
from .backend import arrays
from .carrier import BEYOND_PYTHON, Carrier, IEEEFloat, carrier_among, total
from .expect import as_float, is_array
from .ieee import NAMES

__all__ = ["REALS", "Carrier", "Interval", "Primitive", "Rule", "IEEEFloat", "pass_if", "pointwise"]
__all__ += ["mask_if"]

Rule = Callable[..., Any]
Interval = tuple[float, float]
"""An open interval of arguments; what lies outside gives NaN or an infinity."""

REALS: Interval = (-inf, inf)


PRIMITIVES: dict[str, Primitive] = {}
"""Every row there is, the user's own among them: by name, the first one of a name."""


class Primitive:
    """One row of the table: an operation, its derivatives, and the facts about it.

    ``name``      how the row is called, in the table and in every picture
    ``forward``   the operation itself: a function written in rows, or one of `ieee` by the name
                  ``libm``
    ``rules``     one per argument: ``(t, y, *args) -> contribution``; ``None``: no derivative
    ``params``    argument names; ``defaults`` belong to the last of them
    ``tex``       the formula; ``infix`` its operator in Python, C and JavaScript, if it has one
    ``domain``    an open interval per argument; ``kinks`` the stated convention where the
                  derivative jumps; ``points`` arguments that every test must try
    """

    kind: ClassVar[str] = "pointwise"
    __slots__ = (
        "defaults", "differentiable", "domain", "evaluate", "forward", "infix", "kinks", "libm",
        "name", "params", "points", "rules", "summary", "tex",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        rules: tuple[Rule | None, ...],
        *,
        forward: str | Rule | None = None,
        summary: str = "",
        tex: str = "",
        infix: str = "",
        params: str = "x",
        defaults: tuple[float, ...] = (),
        domain: Interval | tuple[Interval, ...] = REALS,
        kinks: str = "",
        points: Iterable[float | tuple[float, ...]] = (),
    ) -> None:
        self.name, self.rules, self.summary, self.tex = name, rules, summary, tex
        self.infix, self.kinks = infix, kinks
        self.params, self.defaults = tuple(params.split()), defaults
        self.libm = name if forward is None else forward if isinstance(forward, str) else ""
        self.forward: Rule = NAMES[self.libm] if self.libm else forward  # type: ignore[assignment]
        self.evaluate: Rule = self.forward if self.libm else total(self.forward)
        self.domain = domain if isinstance(domain[0], tuple) else (domain,) * self.arity
        self.points = tuple(p if isinstance(p, tuple) else (p,) for p in points)
        # Whether any argument has a rule; False is a declaration, not a gap.
        self.differentiable = any(rule is not None for rule in rules)
        PRIMITIVES.setdefault(name, self)

    @property
    def arity(self) -> int:
        """How many arguments the row takes."""
        return len(self.params)

    @property
    def required(self) -> int:
        """How many arguments have no default."""
        return self.arity - len(self.defaults)

    @property
    def signature(self) -> str:
        """The arguments as a call is written: ``x, negative_slope=0.01``."""
        optional = zip(self.params[self.required :], self.defaults, strict=True)
        named = [f"{name}={value}" for name, value in optional]
        return ", ".join([*self.params[: self.required], *named])

    def contributions(self, t: Any, y: Any, args: Sequence[Any]) -> Any:
        """What a seed ``t`` gives to each argument; ``None`` is no contribution at all."""
        return [rule and self.contribution(rule, t, y, args) for rule in self.rules]

    def contribution(self, rule: Rule, t: Any, y: Any, args: Sequence[Any]) -> Any:
        """What a seed ``t`` gives to the argument of one of the rules."""
        try:
            return rule(t, y, *args)
        except BEYOND_PYTHON:  # plain floats; every other carrier has an answer
            contribution = rule(*[IEEEFloat(a) if type(a) is float else a for a in (t, y, *args)])
            return float(contribution) if type(contribution) is IEEEFloat else contribution

    def slopes(self, y: float, args: Sequence[float]) -> tuple[float, ...]:
        """∂y/∂argument for each argument; 0.0 where no gradient flows."""
        contributions = self.contributions(1.0, y, args)
        return tuple(
            0.0 if contribution is None else contribution for contribution in contributions
        )

    def __call__(self, *args: Any) -> Any:
        """Apply the row: evaluate it on numbers, or let the carrier among ``args`` decide."""
        for arg in args:
            if type(arg) is not float:
                return self._dispatch(args)
        return self.evaluate(*args)

    def _dispatch(self, args: tuple[Any, ...]) -> Any:
        carrier = carrier_among(args)
        if carrier is not None:
            return carrier._apply(self, args)
        if any(map(is_array, args)):
            return arrays().evaluate(self, args)
        return self.evaluate(*[as_float(a, self.name) for a in args])

    def bind(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        """All arguments in order, defaults filled in; ``None`` asks for the default too."""
        missing = object()
        given: list[Any] = [missing] * self.required + list(self.defaults)
        known = named.keys() <= set(self.params[len(args) :])
        if known and len(args) <= self.arity:
            positions = [*range(len(args)), *map(self.params.index, named)]
            for index, arg in zip(positions, [*args, *named.values()], strict=True):
                if arg is not None or index < self.required:
                    given[index] = arg
            if all(value is not missing for value in given):
                return tuple(given)
        raise TypeError(
            f"{self.name}({', '.join(self.params)}): expected these arguments, got {len(args)} "
            f"positional and {sorted(named)} by name. See help(gradwalk.{self.name})."
        )

    def __repr__(self) -> str:
        return f"<row {self.name}({', '.join(self.params)})>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Primitive:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if PRIMITIVES[self.name] is not self:
            raise OptionError(
                where="pickling a graph",
                expected="rows with names of their own",
                got=f"a second row called {self.name!r}",
                fix="Give your row another name.",
            )
        return _primitive, (self.name,)


def _primitive(name: str) -> Primitive:
    if name in PRIMITIVES:
        return PRIMITIVES[name]
    raise OptionError(
        where="unpickling a graph",
        expected="a known row",
        got=repr(name),
        fix="Define the row (gradwalk.pointwise) before you load what uses it.",
    )


def pointwise(name: str, *rules: Rule | None, **facts: Any) -> Primitive:
    """A row whose operation acts on each number alone: one rule per argument.

    >>> cube = pointwise("cube", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)
    >>> cube(2.0)
    8.0
    """
    if len(rules) > 1 and "params" not in facts:
        facts["params"] = " ".join("abcdef"[: len(rules)])
    _check_facts(name, rules, **facts)
    return Primitive(name, rules, **facts)


def _check_facts(
    name: str, rules: Sequence[Any], params: str = "x", forward: Any = None, **others: Any
) -> None:
    """Refuse a row that could not be called, or whose gradient would be cut short."""
    if len(rules) != len(params.split()):
        raise OptionError(
            where=f"pointwise({name!r})",
            expected=f"one rule for each argument ({params})",
            got=f"{len(rules)}",
            fix="params= names the arguments; None is the rule of one without a derivative.",
        )
    if not callable(forward) and (forward or name) not in NAMES:
        raise OptionError(
            where=f"pointwise({name!r})",
            expected="the operation itself",
            got=f"no forward, and no function of C called {forward or name!r}",
            fix="Write forward=lambda x: ..., in rows and operators.",
        )


def pass_if(condition: Any, t: Any) -> Any:
    """In a rule: ``t`` where ``condition`` holds, and otherwise *no contribution at all*.

    Not zero: a zero would still be multiplied further on, and 0 times an infinite slope is NaN.
    """
    if type(condition) is not bool:
        if isinstance(condition, Carrier):
            return carrier_among((condition, t))._apply(PASS_IF, (condition, t))
        if is_array(condition):
            return arrays().pass_if(condition, t)
    return t if condition else None


def mask_if(condition: Any, t: Any) -> Any:
    """In a rule: the gate that a true ``condition`` shuts (and that a NaN leaves open)."""
    if type(condition) is not bool:
        if isinstance(condition, Carrier):
            return carrier_among((condition, t))._apply(MASK_IF, (condition, t))
        if is_array(condition):
            return arrays().mask_if(condition, t)
    return None if condition else t


PASS_IF = pointwise("gate", None, None, forward=pass_if, params="condition t")
MASK_IF = pointwise("unless", None, None, forward=mask_if, params="condition t")
