"""Rows of the user as programs that the page can run: their forward and their rules, written down.

The page has the table, printed from Python's. A row of the user's own is run once on unknown
numbers (`compile.Var`); what it does becomes a list of instructions, each of them a known row. A
row that looks at its numbers, or computes elsewhere, cannot be written down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.primitive import MASK_IF, PASS_IF, Primitive
from ..ops import TABLE
from ..program import trace
from ..program.var import Atom, Program
from .json_numbers import json_share

__all__ = ["Rows"]


class Rows:
    """What the page calls each row, and the programs of those that it does not have."""

    def __init__(self) -> None:
        self.programs: dict[str, Any] = {}
        self._names: dict[Primitive, str | None] = {PASS_IF: "pass_if", MASK_IF: "mask_if"}

    def name(self, primitive: Primitive) -> str | None:
        """The name of a row in the document; ``None`` if it cannot be written down.

        >>> from gradwalk import pointwise
        >>> rows = Rows()
        >>> rows.name(pointwise("twice", lambda t, y, x: 2.0 * t, forward=lambda x: x + x))
        'twice'
        >>> rows.programs["twice"]["forward"]
        {'parameters': ['x'], 'instructions': [['x'], ['add', {'at': 0}, {'at': 0}]], 'result': \
{'at': 1}}
        """
        if TABLE.get(primitive.name) is primitive:
            return primitive.name
        if primitive not in self._names:
            self._names[primitive] = None  # a row that uses itself does not end either
            program = self._program(primitive)
            if program is not None:
                self._names[primitive] = name = self._free(primitive.name)
                self.programs[name] = program
        return self._names[primitive]

    def _free(self, name: str) -> str:
        """A name that no other row has: two rows of a user may be called alike."""
        taken = {*TABLE, *self.programs, "pass_if", "mask_if", ""}
        numbered = (f"{name} ({i})" for i in range(2, len(taken) + 3))
        return next(n for n in (name, *numbered) if n not in taken)

    def _program(self, primitive: Primitive) -> dict[str, Any] | None:
        if type(primitive) is not Primitive or len(primitive.rules) != primitive.arity:
            return None
        seeded = ["t", "y", *primitive.params]
        forward = self._written(_named(primitive) or primitive.forward, list(primitive.params))
        rules = [rule and self._written(rule, seeded) for rule in primitive.rules]
        written = [rule for rule in primitive.rules if rule is not None]
        if forward is None or len(written) != sum(rule is not None for rule in rules):
            return None
        return {
            "params": list(primitive.params),
            "tex": primitive.tex,
            "forward": forward,
            "rules": rules,
        }

    def _written(self, f: Callable[..., Any], parameters: list[str]) -> dict[str, Any] | None:
        """The instructions of a function; ``None`` if it does not consist of rows."""
        try:
            program = trace(f, parameters)
        except Exception:  # whatever a user's function makes of something that is no number
            return None
        names = [self.name(i.primitive) if i.primitive else None for i in program.instructions]
        if len(program.outputs) != 1 or None in names[len(parameters) :]:
            return None
        return {
            "parameters": parameters,
            "instructions": [_instruction(program, i, name) for i, name in enumerate(names)],
            "result": _atom(program.outputs[0]),
        }


def _named(primitive: Primitive) -> Primitive | None:
    """The row of the table for a function of C: a user may have taken it by its name."""
    return next((r for r in TABLE.values() if primitive.libm and r.libm == primitive.libm), None)


def _instruction(program: Program, index: int, name: str | None) -> list[Any]:
    instruction = program.instructions[index]
    return [name or instruction.name, *map(_atom, instruction.args)]


def _atom(atom: Atom | None) -> Any:
    return {"at": atom} if isinstance(atom, int) else json_share(atom)
