"""Programs of numbers that grow: what is known is not written, and equal equations are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.primitive import Primitive
from ...ops import TABLE
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..builder import Builder
from ..printing.var import Var
from ..program import GUARD

__all__ = ["Atom", "Element", "Writer"]

Atom = int
"""A variable of a program, or ``~i`` for its constant ``i``."""

ADD, MUL, WHERE = TABLE["add"], TABLE["mul"], TABLE["where"]
AWARE = frozenset((*MASKS, PLUS, OR_ZERO))
DECIDES = {"logical_or": 1.0, "logical_and": 0.0}
"""The operand that makes an answer whatever the other one is."""


class Writer(Builder):
    """A builder of a program of numbers, whose constants are computed while it is written."""

    def __init__(self) -> None:
        super().__init__()
        self._masks = False

    def apply(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
        """Return the result of a primitive: a variable, new or known, or a constant."""
        aware = primitive in AWARE
        if aware or min(operands) < 0:
            if not aware and max(operands) < 0:
                numbers = [self.consts[~o] for o in operands]
                return self.constant(float(primitive.evaluate(*numbers)))
            same = self._simpler(primitive, operands)
            if same is not None:
                return same
        masked = (self._masks or aware) and self._is_masked(primitive, operands)
        self._masks = self._masks or masked
        return self.write(primitive, operands, masked)

    def _is_masked(self, primitive: Primitive, operands: tuple[Atom, ...]) -> bool:
        if primitive is OR_ZERO:
            return False
        some = (all if primitive is PLUS else any)(map(self.is_masked, operands))
        return primitive in MASKS or some

    def _simpler(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom | None:
        """Return the operand, or the constant, that an operation always gives."""
        first = self.consts[~operands[0]] if operands[0] < 0 else None
        if primitive in MASKS and first is not None:
            return operands[1] if (first != 0.0) is (primitive is MASKS[0]) else None
        if primitive is OR_ZERO and not self.is_masked(operands[0]):
            return operands[0]
        if primitive is WHERE and first is not None:
            return operands[1 if first else 2]
        decides = DECIDES.get(primitive.name)
        known = [self.consts[~o] != 0.0 for o in operands if o < 0]
        return self.constant(decides) if decides is not None and decides in known else None

    def carrier(self, atom: Atom) -> Any:
        """Return what formulas compute with: a constant is a number."""
        return Element(self, atom) if atom >= 0 else self.consts[~atom]

    def guard(self, atom: Atom, answer: bool, line: str) -> None:
        """Write down that a variable has this answer; that of a constant is known."""
        if atom >= 0:
            self.add(GUARD, [atom], {"answer": answer, "line": line}, 0)


class Element(Var):
    """A number of a program that is written: what is applied to it becomes an equation."""

    __slots__ = ()
    _masks = MASKS
    builder: Writer

    def _apply(self, primitive: Primitive, args: Sequence[Any]) -> Any:  # type: ignore[override]
        writer = self.builder
        atoms = [a.atom if type(a) is Element else writer.constant(float(a)) for a in args]
        return writer.carrier(writer.apply(primitive, tuple(atoms)))

    def __add__(self, other: Any) -> Any:
        return _joined(ADD, self, other)

    def __mul__(self, other: Any) -> Any:
        return _joined(MUL, self, other)

    @property
    def data(self) -> Element:
        """The number, through which no derivative passes: none is taken any more."""
        return self


def _joined(primitive: Primitive, a: Element, b: Any) -> Any:
    """Return ``a + b`` or ``a * b``, of which there are most, in half of the time."""
    if type(b) is not Element:
        return a._apply(primitive, (a, b))
    return a.builder.carrier(a.builder.apply(primitive, (a.atom, b.atom)))
