"""Operations written one after the other, and the derivatives of one operation by its operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.primitive import Primitive
from ...ops import TABLE
from ...ops.masks import PLUS
from ..program import Program
from .writer import Atom, Element, Writer

__all__ = ["DerivativeWriter", "Local"]

ADD, MUL, POW = TABLE["add"], TABLE["mul"], TABLE["pow"]

Local = tuple[list[Atom | None], dict[tuple[int, int], Atom]]
"""The first derivatives of an operation, and its second ones by pairs of operands i <= j."""


class DerivativeWriter(Writer):
    """A program that grows, with the derivatives of its operations."""

    one: Atom
    zero: Atom

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.one, self.zero = self.constant(1.0), self.constant(0.0)
        self._powers = {self.constant(n): n for n in (2.0, 3.0, 4.0)}
        self._models: dict[tuple[Any, ...], tuple[Program, list[Atom], Local]] = {}
        for _ in range(inputs):
            self.input()
        self._operations: list[tuple[Primitive, tuple[Atom, ...]]] = []

    def apply(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
        """Write an operation; small powers as products, whose derivatives are short."""
        power = self._powers.get(operands[1]) if primitive is POW else None
        if power is not None:
            x = operands[0]
            square = self.times(x, x)
            return square if power == 2.0 else self.times(square, x if power == 3.0 else square)
        known, found = self.variables, super().apply(primitive, operands)
        if self.variables > known:
            self._operations.append((primitive, operands))
        return found

    def operation(self, atom: Atom) -> tuple[Primitive, tuple[Atom, ...]]:
        """Return the primitive and the operands that a variable was computed by."""
        return self._operations[atom - self.inputs]

    def times(self, a: Atom, b: Atom) -> Atom:
        """Return a product."""
        if a == self.one:
            return b
        if b == self.one:
            return a
        return self.apply(MUL, (a, b))

    def plus(self, a: Atom | None, b: Atom) -> Atom:
        """Return the sum of two contributions."""
        if a is None:
            return b
        masked = self.is_masked(a) or self.is_masked(b)
        return self.apply(PLUS if masked else ADD, (a, b))

    # --- derivatives of one operation -------------------------------------------------------------

    def local(self, atom: Atom) -> Local:
        """Return the derivatives of an operation by its operands, ``None`` where there are none."""
        primitive, operands = self.operation(atom)
        moved = [o for o in operands if o >= 0]
        constants = operands if len(moved) < len(operands) else ()
        key = primitive, *[o if o < 0 else 0 for o in constants]
        if key not in self._models:
            model, found = _model(self, primitive, operands)
            self._models[key] = model, [*map(self.constant, model.consts)], found
        model, consts, (first, second) = self._models[key]
        moved.append(atom)

        def to(a: Atom) -> Atom:
            return moved[a] if a >= 0 else consts[~a]

        for k in range(len(model)):
            moved.append(self.apply(model.primitive(k), tuple(map(to, model.operands(k)))))
        return (
            [None if a is None else to(a) for a in first],
            {pair: to(a) for pair, a in second.items()},
        )

    def carrier(self, atom: Atom) -> Any:
        """Return what rules compute with, which divide by constants as by variables."""
        return Element(self, atom)

    def rule(self, primitive: Primitive, place: int, args: tuple[Atom, ...]) -> Atom | None:
        """Return the contribution to an operand: args are t, y and the operands."""
        rule = primitive.rules[place]
        found = None if rule is None else rule(*map(self.carrier, args))
        if found is None:
            return None
        return found.atom if type(found) is Element else self.constant(float(found))


def _model(
    like: DerivativeWriter, primitive: Primitive, operands: tuple[Atom, ...]
) -> tuple[Program, Local]:
    """Return the derivatives of a primitive as a program of its operands and its result."""
    moving = [k for k, o in enumerate(operands) if o >= 0]
    y = len(moving)
    writer = DerivativeWriter(y + 1)
    args = tuple(
        [
            moving.index(k) if o >= 0 else writer.constant(like.consts[~o])
            for k, o in enumerate(operands)
        ]
    )
    partial = [
        writer.rule(primitive, k, (writer.one, y, *args)) if k in moving else None
        for k in range(len(operands))
    ]
    second: dict[tuple[int, int], Atom] = {}
    for i in moving:
        for j in moving:
            a, slope = partial[i], partial[j]
            if i > j or a is None or slope is None:
                continue
            found = _tangent(writer, a, {args[j]: writer.one, y: slope})
            if found is not None and found != writer.zero:
                second[i, j] = found
    return _used(writer, partial, second)


def _used(
    writer: Writer, partial: Sequence[Atom | None], second: dict[tuple[int, int], Atom]
) -> tuple[Program, Local]:
    """Return a model without what no derivative needs."""
    outputs = [a for a in (*partial, *second.values()) if a is not None]
    model = writer.program(outputs, range(writer.inputs))
    found = iter(model.outputs)
    first = [None if a is None else next(found) for a in partial]
    return model, (first, {pair: next(found) for pair in second})


def _tangent(writer: DerivativeWriter, atom: Atom, tangents: dict[Atom, Atom]) -> Atom | None:
    """Return the derivative of an atom in the direction of these tangents."""
    if atom < 0:
        return None
    for here in range(writer.inputs, atom + 1):
        primitive, operands = writer.operation(here)
        total: Atom | None = None
        for k, o in enumerate(operands):
            t = tangents.get(o) if o >= 0 else None
            if t is not None and t != writer.zero and primitive.rules[k] is not None:
                part = writer.rule(primitive, k, (t, here, *operands))
                total = total if part is None else writer.plus(total, part)
        if total is not None:
            tangents[here] = total
    return tangents.get(atom)
