"""Operations written one after the other, and the derivatives of one operation by its operands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...core.primitive import Primitive
from ...ops import TABLE
from ...ops.masks import MASKS, PLUS
from ..printing.var import trace
from ..program import Program
from ..program import needed as needed_of
from .flat import Atom, Constants, Flat, needed, write

__all__ = ["Local", "Writer"]

ADD, MUL, POW = TABLE["add"], TABLE["mul"], TABLE["pow"]
NAMED = {mask.name: mask for mask in MASKS}

Local = tuple[list[Atom | None], dict[tuple[int, int], Atom]]
"""The first derivatives of an operation, and its second ones by pairs of operands i <= j."""


class Writer:
    """A program that grows. Equal operations are written once."""

    flat: Flat
    one: Atom
    zero: Atom

    def __init__(self, inputs: int, constants: Constants) -> None:
        self.flat = Flat(inputs, constants)
        self.one, self.zero = constants.atom(1.0), constants.atom(0.0)
        self._powers = {constants.atom(n): n for n in (2.0, 3.0, 4.0)}
        # by primitive first: Python's garbage collector never looks at tuples of numbers again
        self._known: dict[Primitive, dict[tuple[Atom, ...], Atom]] = defaultdict(dict)
        self._rules: dict[tuple[Primitive, int], Program] = {}
        self._models: dict[tuple[Any, ...], tuple[Flat, Local]] = {}

    def apply(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
        """Return the result of a primitive."""
        known = self._known[primitive]
        found = known.get(operands)
        if found is None:
            found = known[operands] = self._power(primitive, operands)
        return found

    def _power(self, primitive: Primitive, operands: tuple[Atom, ...]) -> Atom:
        """Write an operation; small powers as products, whose derivatives are short."""
        power = self._powers.get(operands[1]) if primitive is POW else None
        if power is None:
            return write(self.flat, primitive, operands)
        x = operands[0]
        square = self.times(x, x)
        return square if power == 2.0 else self.times(square, x if power == 3.0 else square)

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
        masked = self.flat.masks and (self.flat.is_masked(a) or self.flat.is_masked(b))
        return self.apply(PLUS if masked else ADD, (a, b))

    # --- derivatives of one operation -------------------------------------------------------------

    def local(self, atom: int) -> Local:
        """Return the derivatives of an operation by its operands, ``None`` where there are none."""
        index = atom - self.flat.inputs
        primitive, operands = self.flat.primitives[index], self.flat.operands[index]
        moved = [o for o in operands if o >= 0]
        constants = operands if len(moved) < len(operands) else ()
        key = primitive, *[o if o < 0 else 0 for o in constants]
        found = self._models.get(key)
        if found is None:
            found = self._models[key] = _model(self, primitive, operands)
        model, (first, second) = found
        moved.append(atom)
        for p, args in zip(model.primitives, model.operands, strict=True):
            moved.append(self.apply(p, tuple([moved[o] if o >= 0 else o for o in args])))
        return (
            [moved[a] if a is not None and a >= 0 else a for a in first],
            {pair: moved[a] if a >= 0 else a for pair, a in second.items()},
        )

    def rule(self, primitive: Primitive, place: int, args: tuple[Atom, ...]) -> Atom | None:
        """Return the contribution to an operand: args are t, y and the operands."""
        rule = primitive.rules[place]
        if rule is None:
            return None
        if (primitive, place) not in self._rules:
            names = ["t", "y", *[f"x{i}" for i in range(primitive.arity)]]
            self._rules[primitive, place] = trace(rule, names)
        return self._replay(self._rules[primitive, place], args)

    def _replay(self, program: Program, args: tuple[Atom, ...]) -> Atom | None:
        atom, consts = self.flat.constants.atom, program.consts
        done: dict[int, Atom] = dict(enumerate(args))
        for k in needed_of(program, program.outputs)[0]:
            primitive, operands, [result], *_ = program[k]
            atoms = [done[o] if o >= 0 else atom(consts[~o]) for o in operands]
            done[result] = self.apply(NAMED.get(primitive.name, primitive), tuple(atoms))
        [output] = program.outputs
        if output < 0 and consts[~output] is None:
            return None
        return done[output] if output >= 0 else atom(consts[~output])


def _model(like: Writer, primitive: Primitive, operands: tuple[Atom, ...]) -> tuple[Flat, Local]:
    """Return the derivatives of a primitive as a program of its operands and its result."""
    moving = [k for k, o in enumerate(operands) if o >= 0]
    writer = Writer(len(moving) + 1, like.flat.constants)
    y = len(moving)
    args = tuple([moving.index(k) if k in moving else operands[k] for k in range(len(operands))])
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
    return _used(writer.flat, partial, second)


def _used(
    flat: Flat, partial: Sequence[Atom | None], second: dict[tuple[int, int], Atom]
) -> tuple[Flat, Local]:
    """Return a model without what no derivative needs."""
    flat.outputs = [a for a in (*partial, *second.values()) if a is not None]
    flat = needed(flat)
    found = iter(flat.outputs)
    first = [None if a is None else next(found) for a in partial]
    return flat, (first, {pair: next(found) for pair in second})


def _tangent(writer: Writer, atom: Atom, tangents: dict[Atom, Atom]) -> Atom | None:
    """Return the derivative of an atom in the direction of these tangents."""
    if atom < 0:
        return None
    for index in range(atom - writer.flat.inputs + 1):
        here = writer.flat.inputs + index
        primitive, operands = writer.flat.primitives[index], writer.flat.operands[index]
        total: Atom | None = None
        for k, o in enumerate(operands):
            t = tangents.get(o) if o >= 0 else None
            if t is not None and t != writer.zero and primitive.rules[k] is not None:
                part = writer.rule(primitive, k, (t, here, *operands))
                total = total if part is None else writer.plus(total, part)
        if total is not None:
            tangents[here] = total
    return tangents.get(atom)
