"""Primitives on whole arrays: linear, multilinear and general ones.

They differ from pointwise primitives in two ways. An operation may have options (``axis``,
``shape``), which are passed by keyword and recorded with the node. And the Jacobian is not
diagonal, so a rule is the VJP only: ``(t, y, *arguments, **options) -> contribution``. Forward
mode needs no second rule: a linear operation is its own JVP, and the JVP of any other operation is
the transpose of its VJP.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import wraps
from inspect import CO_VARARGS
from types import CodeType, FunctionType
from typing import Any, TypeVar, TypeVarTuple, overload

from .backend import arrays
from .carrier import Carrier, carrier_among
from .numeric import NumericArray
from .primitive import Primitive, Rule

A = TypeVar("A", bound=NumericArray)
R = TypeVar("R")
Ts = TypeVarTuple("Ts")

__all__ = ["ArrayPrimitive", "OutputGradients", "general", "linear", "multilinear"]
__all__ += ["names_read", "per_primitive", "residual_flags"]


class ArrayPrimitive(Primitive):
    """A primitive whose arguments are arrays.

    ``kind``     "linear": in all arguments together; "multilinear": in each argument separately;
                 "general": neither
    ``outputs``  the number of results; with more than one, ``y`` and ``t`` are tuples
    ``variadic`` whether it takes any number of arguments; its one rule then gets the ``index`` of
                 the argument
    ``kinks``    the convention at ties and other points without a derivative
    """

    __slots__ = ("kind", "outputs", "variadic")

    kind: str
    outputs: int
    variadic: bool

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
        self.kind, self.outputs, self.variadic = kind, outputs, variadic

    @overload  # type: ignore[override]  # of numbers it gives an array
    def __call__(self, *args: A, **options: object) -> A: ...
    @overload
    def __call__(self, *args: object, **options: object) -> NumericArray: ...

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Evaluate on arrays, or apply by the carrier among ``args``."""
        for arg in args:
            if isinstance(arg, Carrier):
                carrier: Any = arg if len(args) == 1 else carrier_among(args)
                if carrier._rank == 0:  # Values only: whole-array primitives turn them into Tensors
                    carrier = arrays().Tensor
                return carrier._apply(self, args, options)
        try:
            return self.forward(*args, **options)
        except (TypeError, ValueError, OverflowError):
            # NumPy refuses the arrays: so do Tensors, and say why
            return arrays().Tensor._apply(self, args, options)


class OutputGradients(dict[int, Any]):
    """The cotangents, or the tangents, of several results of one operation, by their indices."""

    def __add__(self, other: OutputGradients) -> OutputGradients:
        found = OutputGradients(self)
        for i, t in other.items():
            found[i] = found[i] + t if i in found else t
        return found


def linear(name: str, *rules: Rule | None, **facts: Any) -> ArrayPrimitive:
    """Return a primitive that is linear in all its arguments together, such as a sum or a reshape.

    >>> from gradwalk.ops.array.structure import reshape
    >>> reshape.kind
    'linear'
    """
    return _array_primitive(name, rules, "linear", **facts)


def multilinear(name: str, *rules: Rule | None, **facts: Any) -> ArrayPrimitive:
    """Return a primitive that is linear in each argument separately, such as a product."""
    return _array_primitive(name, rules, "multilinear", **facts)


def general(name: str, *rules: Rule | None, **facts: Any) -> ArrayPrimitive:
    """Return a primitive that is not linear. Its JVP is the transpose of its VJP."""
    return _array_primitive(name, rules, "general", **facts)


def _array_primitive(
    name: str, rules: tuple[Rule | None, ...], kind: str, **facts: Any
) -> ArrayPrimitive:
    if len(rules) > 1 and "params" not in facts:
        facts["params"] = " ".join("abcdef"[: len(rules)])
    return ArrayPrimitive(name, rules, kind, **facts)


def per_primitive(function: Callable[[Any, *Ts], R]) -> Callable[[Any, *Ts], R]:
    """Return a ``function`` of a primitive that computes each result once.

    The primitive keeps the results, so that they die with it. `functools.cache` would keep the
    primitives of users alive, and all that their rules refer to.
    """

    @wraps(function)
    def known(primitive: Any, *args: *Ts) -> R:
        key = (function, args) if args else function
        try:
            return primitive.derived[key]  # type: ignore[no-any-return]
        except KeyError:
            found = primitive.derived[key] = function(primitive, *args)
            return found

    return known


# --- residuals: what a rule reads -----------------------------------------------------------------

_SHAPE_ONLY = ("shape", "ndim", "dtype", "size")


def names_read(rule: Rule) -> tuple[str, ...]:
    """Return the parameters whose numbers a rule reads; a node keeps only these in memory.

    A rule that reads only ``x.shape`` does not read x. The answer comes from the bytecode of the
    rule, so no primitive has to declare its residuals.

    >>> names_read(lambda t, y, a, b: t * b)
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


@per_primitive
def residual_flags(primitive: Primitive, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
    """Return whether the rules of the ``wanted`` arguments read the result and each argument."""
    rules = zip(primitive.rules, wanted, strict=True)
    if getattr(primitive, "variadic", False):
        rules = zip(primitive.rules, (True,), strict=True)
    used: set[int] = set()
    for rule, want in rules:
        if rule and want:
            used |= _positions(rule, len(wanted) + 1)
    return tuple(i in used for i in range(len(wanted) + 1))


def _positions(rule: Rule, count: int) -> set[int]:
    """Return which of the result (0) and the arguments (1, 2, ...) a rule reads."""
    if not isinstance(rule, FunctionType):  # other callables have no bytecode to read
        return set(range(count))
    code = rule.__code__
    names = code.co_varnames[1 : code.co_argcount]
    read = names_read(rule)
    found = {i for i, name in enumerate(names) if name in read}
    if code.co_flags & CO_VARARGS and code.co_varnames[_fixed(code)] in read:
        found |= set(range(len(names), count))
    return found


def _fixed(code: CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount
