"""Primitives: an operation, its derivatives and its properties, one record each.

A primitive has one rule per argument: ``(t, y, *args) -> contribution``. The incoming gradient
``t`` is an argument of the rule, and the rule is linear in it. The Jacobian of a pointwise
operation is diagonal, hence symmetric, so the same line is the VJP (``t`` is a cotangent) and the
JVP (``t`` is a tangent).

The types of the arguments decide what calling a primitive does. Plain numbers and arrays are
evaluated. A carrier (`Value`, `Tensor`, a tracer, `Var`) records, traces or prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, TypeVar, overload
from weakref import WeakValueDictionary

from ..errors import GradwalkError, NotANumberError, OptionError
from .backend import arrays
from .calls import expect_facts
from .carrier import BEYOND_PYTHON, Carrier, IEEEFloat, carrier_among, records, total
from .expect import as_float, describe, is_array, is_table
from .functions import OfAny
from .ieee import NAMES
from .numeric import Numeric

__all__ = ["REALS", "Carrier", "Interval", "Primitive", "Rule", "IEEEFloat", "pass_if", "pointwise"]
__all__ += ["mask_if"]

C = TypeVar("C", bound=Carrier)
N = TypeVar("N", bound=Numeric)

Rule = Callable[..., Any]
Interval = tuple[float, float]
"""An open interval of arguments. Outside it a function is NaN or infinite."""

REALS: Interval = (-inf, inf)


PRIMITIVES: WeakValueDictionary[str, Primitive] = WeakValueDictionary()
"""All primitives that are alive, by name. Of several with one name, the first."""


def _with_tensors(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with Tensors for columns and tables of other libraries."""
    return tuple(arrays().Tensor(x) if is_table(x) else x for x in args)


class Primitive:
    """One operation of the table, with its derivatives and its properties.

    ``name``      its name, in the table and in every picture
    ``forward``   the operation: a function written in primitives, or the one that `ieee` has
                  under the name ``libm``
    ``rules``     one per argument: ``(t, y, *args) -> contribution``; ``None``: no derivative
    ``params``    argument names; ``defaults`` belong to the last of them
    ``tex``       the formula; ``infix`` its operator in Python, C and JavaScript, if any
    ``domain``    an open interval per argument; ``kinks`` the documented convention where the
                  derivative jumps; ``points`` arguments that every test must try
    """

    kind: str = "pointwise"
    __slots__ = (
        "__weakref__", "defaults", "derived", "differentiable", "domain", "evaluate", "forward",
        "infix", "kinks", "libm", "name", "params", "points", "rules", "summary", "tex",
    )  # fmt: skip

    name: str
    rules: tuple[Rule | None, ...]
    summary: str
    tex: str
    infix: str
    kinks: str
    defaults: tuple[float, ...]
    params: tuple[str, ...]
    domain: tuple[Interval, ...]
    points: tuple[tuple[float, ...], ...]

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
        self.derived: dict[Any, Any] = {}  # the results of functions `per_primitive`
        self.infix, self.kinks = infix, kinks
        self.params, self.defaults = tuple(params.split()), defaults
        self.libm: str = name if forward is None else forward if isinstance(forward, str) else ""
        self.forward: Rule = NAMES[self.libm] if self.libm else forward  # type: ignore[assignment]
        self.evaluate: Rule = self.forward if self.libm else total(self.forward)
        each = isinstance(domain[0], tuple)
        self.domain = domain if each else (domain,) * self.arity  # type: ignore[assignment]
        self.points = tuple(p if isinstance(p, tuple) else (p,) for p in points)
        # Without any rule an operation is declared to have no derivative.
        self.differentiable: bool = any(rule is not None for rule in rules)
        PRIMITIVES.setdefault(name, self)  # a user's primitive cannot replace one of the table

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.params)

    @property
    def required(self) -> int:
        """The number of arguments without a default."""
        return self.arity - len(self.defaults)

    @property
    def signature(self) -> str:
        """The arguments as in a function definition: ``x, negative_slope=0.01``."""
        optional = zip(self.params[self.required :], self.defaults, strict=True)
        named = [f"{name}={value}" for name, value in optional]
        return ", ".join([*self.params[: self.required], *named])

    def contributions(self, t: Any, y: Any, args: Sequence[Any]) -> Any:
        """Return the contribution of ``t`` to each argument.

        ``None`` means no contribution, which is not the same as 0.0.
        """
        return [rule and self.contribution(rule, t, y, args) for rule in self.rules]

    def contribution(self, rule: Rule, t: Any, y: Any, args: Sequence[Any]) -> Any:
        """Return the contribution of ``t`` to the argument that ``rule`` belongs to."""
        try:
            return rule(t, y, *args)
        except BEYOND_PYTHON:  # only plain floats raise: IEEE 754 defines the result
            contribution = rule(*[IEEEFloat(a) if type(a) is float else a for a in (t, y, *args)])
            return float(contribution) if type(contribution) is IEEEFloat else contribution

    def slopes(self, y: float, args: Sequence[float]) -> tuple[float, ...]:
        """Return ∂y/∂argument for each argument, 0.0 where no gradient flows."""
        return tuple(0.0 if c is None else c for c in self.contributions(1.0, y, args))

    @overload  # numbers alone match this one first
    def __call__(self, x: float, /, *args: float) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, x: C | float, /, *args: C | float) -> C: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, x: N | float, /, *args: N | float) -> N: ...
    @overload
    def __call__(self, x: object, /, *args: object) -> Numeric: ...

    def __call__(self, *args: Any) -> Any:
        """Evaluate on plain numbers, or apply by the carrier among ``args``."""
        for arg in args:
            if type(arg) is not float:  # tested first: rules on floats are the inner loop of a pass
                return self._dispatch(args)
        return self.evaluate(*args)

    def _dispatch(self, args: tuple[Any, ...]) -> Any:
        carrier = carrier_among(args)
        if carrier is not None:
            try:
                return carrier._apply(self, args)
            except NotANumberError:  # Values refuse arrays, which Tensors take
                self._expect_no_list(args)
                if any(map(is_table, args)):
                    return self._dispatch(_with_tensors(args))
                if not any(map(is_array, args)):
                    raise
                return arrays().Tensor._apply(self, args)
        if any(map(is_array, args)):
            try:
                return arrays().evaluate(self, args)
            except (TypeError, ValueError, AttributeError, OverflowError):
                # NumPy refuses the arrays: so do Tensors, and say why
                return arrays().Tensor._apply(self, args)
        self._expect_no_list(args)
        if any(map(is_table, args)):
            return self._dispatch(_with_tensors(args))
        return self.evaluate(*[as_float(a, self.name) for a in args])

    def inline(self, *args: N | float) -> N:
        """Return ``self(*args)`` where it is recorded, and elsewhere the formula itself.

        For slopes in rules: a recorded one is a node, whose own rules keep all digits.
        """
        return self(*args) if records(*args) else self.forward(*args)

    def _expect_no_list(self, args: Sequence[Any]) -> None:
        """Raise `NotANumberError` for a list, which may be meant as an array."""
        for arg in args:
            if isinstance(arg, (list, tuple)):
                raise NotANumberError(
                    where=self.name,
                    expected="a number, an array, a Value or a Tensor",
                    got=describe(arg),
                    fix="Write gradwalk.stack(xs) for a list xs of numbers or Values.",
                )

    def explain(self, error: Exception, args: tuple[Any, ...]) -> None:
        """Name the argument that is wrong in an error of ours; `function` calls it."""
        if isinstance(error, GradwalkError):
            from .explaining import name_argument  # with the first error: it needs `inspect`

            name_argument(error, self.name, dict(zip(self.params, args, strict=False)))

    def bind(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        """Return all arguments in order, with defaults for those left out or ``None``."""
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
        positional = [f"{len(args)} by position"] if args else []
        raise NotANumberError(
            where=f"{self.name}({self.signature})",
            expected="these arguments",
            got=", ".join([*positional, *sorted(f"{name}=..." for name in named)]) or "none",
            fix=f"Write gradwalk.{self.name}({', '.join(self.params[: self.required])}).",
        )

    def __repr__(self) -> str:
        return f"<primitive {self.name}({', '.join(self.params)})>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Primitive:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if PRIMITIVES.setdefault(self.name, self) is not self:
            raise OptionError(
                where="pickling a graph",
                expected="primitives with unique names",
                got=f"a second primitive called {self.name!r}",
                fix="Give your primitive another name.",
            )
        return _primitive, (self.name,)


def _primitive(name: str) -> Primitive:
    known = PRIMITIVES.get(name)
    if known is not None:
        return known
    raise OptionError(
        where="unpickling a graph",
        expected="a known primitive",
        got=repr(name),
        fix="Define it with gradwalk.pointwise before you load graphs that use it.",
    )


def pointwise(
    name: str,
    *rules: OfAny | None,
    forward: str | OfAny | None = None,
    summary: str = "",
    tex: str = "",
    infix: str = "",
    params: str | None = None,
    defaults: tuple[float, ...] = (),
    domain: Interval | tuple[Interval, ...] = REALS,
    kinks: str = "",
    points: Iterable[float | tuple[float, ...]] = (),
) -> Primitive:
    """Return a primitive that acts on each number separately, with one rule per argument.

    It differentiates in all modes and to any order, on numbers, arrays, Values and Tensors.

    Parameters
    ----------
    name
        The name in graphs, pictures and messages. A primitive of gradwalk keeps its own name.
    *rules
        For each argument the contribution to it, ``rule(t, y, *args)``: the incoming gradient t
        times the derivative, in functions of gradwalk and operators. ``None`` for an argument
        without derivative; with ``None`` alone the operation is declared to have none.
    forward
        The operation, a function of the arguments in functions of gradwalk and operators, or the
        name of a C function of the mathematical library. ``None`` takes the C function called
        ``name``.
    summary
        One line that says what it computes.
    tex
        The formula, for pictures and listings.
    infix
        The operator in Python, C and JavaScript, such as "+", if there is one.
    params
        The names of the arguments, separated by blanks; x for one rule, a b c … for several, if
        ``None``.
    defaults
        The numbers that stand for the last arguments where they are left out.
    domain
        The open interval (low, high) of numbers that it is defined for, or a tuple with one for
        each argument.
    kinks
        The convention where the derivative jumps, in words: `gradwalk.check.kinks` shows it. Empty
        means that there are none.
    points
        Arguments that tests of all primitives must try: numbers, or tuples for several arguments.

    Returns
    -------
    a Primitive
        A function of numbers, arrays, Values and Tensors.

    Raises
    ------
    OptionError
        If there is not one rule for each argument, a rule does not take t, y and the arguments, or
        there is no operation.

    See Also
    --------
    pass_if, mask_if, custom_rule

    Examples
    --------
    >>> cube = pointwise("cube", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)
    >>> cube(2.0)
    8.0
    """
    if params is None:
        params = " ".join("abcdef"[: len(rules)]) if len(rules) > 1 else "x"
    expect_facts(name, rules, params, forward)
    return Primitive(
        name,
        rules,
        forward=forward,
        summary=summary,
        tex=tex,
        infix=infix,
        params=params,
        defaults=defaults,
        domain=domain,
        kinks=kinks,
        points=points,
    )


def pass_if(condition: object, t: Any) -> Any:
    """Return ``t`` if ``condition`` is true. For use in rules.

    Otherwise there is *no* contribution, which differs from 0: a zero is still multiplied by later
    derivatives, and 0 times an infinite derivative is NaN.

    Parameters
    ----------
    condition : any shape
        A comparison of the arguments of the rule.
    t : the shape of condition
        The contribution.

    Returns
    -------
    the shape of t
        The contribution; of numbers ``None`` if the condition is false, of arrays one that is
        marked where it is.

    See Also
    --------
    mask_if, pointwise
    """
    if type(condition) is not bool:
        if isinstance(condition, Carrier) and not condition._is_number:
            return _masked(condition, t, 0)
        if is_array(condition):
            return arrays().pass_if(condition, t)
    return t if condition else None


def mask_if(condition: object, t: Any) -> Any:
    """Return ``t`` unless ``condition`` is true. For use in rules.

    Comparisons with NaN are false, so they let ``t`` through.

    Parameters
    ----------
    condition : any shape
        A comparison of the arguments of the rule.
    t : the shape of condition
        The contribution.

    Returns
    -------
    the shape of t
        The contribution; of numbers ``None`` if the condition is true, of arrays one that is marked
        where it is.

    See Also
    --------
    pass_if, pointwise
    """
    if type(condition) is not bool:
        if isinstance(condition, Carrier) and not condition._is_number:
            return _masked(condition, t, 1)
        if is_array(condition):
            return arrays().mask_if(condition, t)
    return None if condition else t


def _masked(condition: Carrier, t: Any, which: int) -> Any:
    primitive = (condition._masks or (PASS_IF, MASK_IF))[which]
    return carrier_among((condition, t))._apply(primitive, (condition, t))


PASS_IF = pointwise("pass_if", None, None, forward=pass_if, params="condition t")
MASK_IF = pointwise("mask_if", None, None, forward=mask_if, params="condition t")
