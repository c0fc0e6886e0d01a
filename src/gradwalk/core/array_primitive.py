"""Rows on whole arrays: LINEAR and GENERAL, beside the pointwise rows of `primitive`.

They differ from a pointwise row in two ways only: an operation may have options (``axis``,
``shape``), which are passed by keyword and recorded with the node, and its Jacobian is no longer
diagonal. A rule is the VJP: ``(t, y, *arguments, **options) -> share``. Forward mode needs no
second rule: a linear operation is its own JVP, and that of any other is its VJP transposed.
"""

from __future__ import annotations

import dis
from functools import cache
from inspect import CO_VARARGS
from types import CodeType, FunctionType
from typing import Any

from .backend import arrays
from .carrier import Carrier, carrier_among
from .primitive import Primitive, Rule

__all__ = ["ArrayPrimitive", "general", "kept", "linear", "multilinear", "needs"]


class ArrayPrimitive(Primitive):
    """A row whose arguments are arrays.

    ``kind``     "linear": in all arguments together; "multilinear": in each of them alone;
                 "general": in none
    ``outputs``  how many arrays come out; with more than one, ``y`` and ``t`` are tuples
    ``variadic`` any number of arguments; the one rule is told the ``index`` of its argument
    ``kinks``    what happens at ties and other points without a derivative
    """

    __slots__ = ("kind", "outputs", "variadic")

    def __init__(
        self,
        name: str,
        rules: tuple[Rule | None, ...],
        kind: str,
        outputs: int = 1,
        variadic: bool = False,
        **facts: Any,
    ) -> None:
        super().__init__(name, rules, **facts)
        self.kind, self.outputs, self.variadic = kind, outputs, variadic  # type: ignore[misc]

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Apply the row: to arrays, or let the carrier among ``args`` decide."""
        for arg in args:
            if isinstance(arg, Carrier):
                carrier = carrier_among(args)
                if carrier._rank == 0:  # numbers only, which become arrays here
                    carrier = arrays().Tensor
                return carrier._apply(self, args, options)
        return self.forward(*args, **options)


def linear(name: str, *rules: Rule | None, **facts: Any) -> ArrayPrimitive:
    """A row that is linear in all its arguments together: sums, and numbers moved about.

    >>> from gradwalk.ops.array.structure import reshape
    >>> reshape.kind
    'linear'
    """
    return _array_row(name, rules, "linear", **facts)


def multilinear(name: str, *rules: Rule | None, **facts: Any) -> ArrayPrimitive:
    """A row that is linear in each of its arguments while the others are held: products."""
    return _array_row(name, rules, "multilinear", **facts)


def general(name: str, *rules: Rule | None, **facts: Any) -> ArrayPrimitive:
    """A row that is not linear: its forward mode is its VJP transposed."""
    return _array_row(name, rules, "general", **facts)


def _array_row(
    name: str, rules: tuple[Rule | None, ...], kind: str, **facts: Any
) -> ArrayPrimitive:
    if len(rules) > 1 and "params" not in facts:
        facts["params"] = " ".join("abcdef"[: len(rules)])
    return ArrayPrimitive(name, rules, kind, **facts)


# --- what a rule looks at -------------------------------------------------------------------------

_SHAPE_ONLY = ("shape", "ndim", "dtype", "size")


@cache
def needs(rule: Rule) -> tuple[str, ...]:
    """The parameters whose numbers a rule uses; only these are kept in memory for it.

    Whoever asks ``x.shape`` does not need x. Read off the compiled rule, so that nobody has to
    declare it.

    >>> needs(lambda t, y, a, b: t * b)
    ('t', 'b')
    """
    code = rule.__code__
    count = _fixed(code) + bool(code.co_flags & CO_VARARGS)
    return tuple(name for name in code.co_varnames[:count] if name in _loaded(code))


def _loaded(code: CodeType) -> set[str]:
    found: set[str] = set()
    instructions = list(dis.get_instructions(code))
    for here, after in zip(instructions, [*instructions[1:], None], strict=True):
        if "LOAD" in here.opname:
            shape_only = after and after.opname == "LOAD_ATTR" and after.argval in _SHAPE_ONLY
            names = here.argval if isinstance(here.argval, tuple) else (here.argval,)
            if here.opname.startswith("STORE"):  # Python 3.13 stores one and loads one at a time
                names = names[1:]
            found.update(names[:-1] if shape_only else names)
    return found


@cache
def kept(primitive: Primitive, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
    """Of the result and each argument: whether a rule of the ``wanted`` arguments needs it."""
    rules = zip(primitive.rules, wanted, strict=True)
    if getattr(primitive, "variadic", False):
        rules = zip(primitive.rules, (True,), strict=True)
    used: set[int] = set()
    for rule, want in rules:
        if rule and want:
            used |= _positions(rule, len(wanted) + 1)
    return tuple(i in used for i in range(len(wanted) + 1))


def _positions(rule: Rule, count: int) -> set[int]:
    """Of the result (0) and the arguments (from 1 on): what a rule needs."""
    if not isinstance(rule, FunctionType):  # any other callable does not show what it looks at
        return set(range(count))
    code = rule.__code__
    names = code.co_varnames[1 : code.co_argcount]
    found = {i for i, name in enumerate(names) if name in needs(rule)}
    if code.co_flags & CO_VARARGS and code.co_varnames[_fixed(code)] in needs(rule):
        found |= set(range(len(names), count))
    return found


def _fixed(code: CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount
