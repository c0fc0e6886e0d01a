"""`Var`, the carrier without a number: operations on it are recorded as a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from ...core.primitive import Primitive
from ...engine.operators import Operators
from ...errors import SilentDetachError
from ...ops import TABLE
from ..builder import Builder
from ..program import NO_PARAMS, Program

__all__ = ["Var", "trace"]


class Var(Operators):
    """An unknown number: every primitive applied to it becomes an equation, equal ones one."""

    __slots__ = ("atom", "builder")
    _records: ClassVar[bool] = False
    _merges: ClassVar[bool] = True

    builder: Builder
    atom: int

    def __init__(self, builder: Builder, atom: int) -> None:
        self.builder, self.atom = builder, atom

    @classmethod
    def _apply(cls, primitive: Primitive, args: tuple[Any, ...]) -> Var:
        builder = next(a.builder for a in args if isinstance(a, Var))
        atoms = [_atom(builder, a) for a in args]
        if cls._merges:
            return cls(builder, builder.add_once(primitive, atoms, NO_PARAMS, 1))
        return cls(builder, builder.add(primitive, atoms))

    __hash__: Final = Operators.__hash__

    def __eq__(self, other: object) -> Var:  # type: ignore[override]
        return self._apply(TABLE["equal"], (self, other))

    def __ne__(self, other: object) -> Var:  # type: ignore[override]
        return self._apply(TABLE["not_equal"], (self, other))

    def __lt__(self, other: object) -> Var:
        return self._apply(TABLE["less"], (self, other))

    def __le__(self, other: object) -> Var:
        return self._apply(TABLE["less_equal"], (self, other))

    def __gt__(self, other: object) -> Var:
        return self._apply(TABLE["greater"], (self, other))

    def __ge__(self, other: object) -> Var:
        return self._apply(TABLE["greater_equal"], (self, other))

    def __and__(self, other: object) -> Var:
        return self._apply(TABLE["logical_and"], (self, other))

    def __or__(self, other: object) -> Var:
        return self._apply(TABLE["logical_or"], (self, other))

    def __bool__(self) -> bool:
        raise SilentDetachError(
            where="bool(Var)",
            expected="a condition that is known now",
            got="a comparison of unknown numbers",
            fix="Choose with where(condition, a, b) instead of if.",
        )


def trace(f: Callable[..., Any], parameters: Sequence[str], carrier: type[Var] = Var) -> Program:
    """Trace ``f`` once on unknown numbers called ``parameters``, and return the program.

    A result without a contribution is the constant ``None``.

    >>> print(trace(lambda x: x * x + 1.0, ["x"]))
    program of x
      v1 = mul x x
      v2 = add v1 1.0
      return v2
    """
    builder = Builder()
    result = f(*[carrier(builder, builder.input(name=name)) for name in parameters])
    results = result if isinstance(result, tuple) else (result,)
    return builder.program([_atom(builder, r) for r in results])


def _atom(builder: Builder, x: Any) -> int:
    if isinstance(x, Var):
        return x.atom
    return builder.constant(None if x is None else float(x))
