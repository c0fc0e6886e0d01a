"""Custom operations as programs that the page can run: their forward and their rules.

The page has its own copy of the table, printed from Python's. A custom operation is traced once on
`program.Var`, and becomes a list of instructions, each of them a known primitive. An operation that
inspects its numbers, or computes them outside gradwalk, cannot be traced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.primitive import MASK_IF, PASS_IF, Primitive
from ..ops import TABLE
from ..program import Program, trace
from .json_numbers import json_contribution

__all__ = ["CustomOperations"]

DEEPEST = 8
"""So many operations use one another at most; derivatives of a special function never end."""


class CustomOperations:
    """The names of primitives in a document, and the programs of custom operations."""

    def __init__(self) -> None:
        self.programs: dict[str, Any] = {}
        self._names: dict[Primitive, str | None] = {PASS_IF: "pass_if", MASK_IF: "mask_if"}
        self._depth = 0

    def name(self, primitive: Primitive) -> str | None:
        """Return the name of a primitive in the document, ``None`` if it cannot be traced.

        >>> from gradwalk import pointwise
        >>> rows = CustomOperations()
        >>> rows.name(pointwise("twice", lambda t, y, x: 2.0 * t, forward=lambda x: x + x))
        'twice'
        >>> rows.programs["twice"]["forward"]
        {'parameters': ['x'], 'instructions': [['x'], ['add', {'at': 0}, {'at': 0}]], 'result': \
{'at': 1}}
        """
        if TABLE.get(primitive.name) is primitive:
            return primitive.name
        if primitive not in self._names and self._depth < DEEPEST:
            self._names[primitive] = None  # an operation that uses itself cannot be traced
            self._depth += 1
            program = self._program(primitive)
            self._depth -= 1
            if program is not None:
                self._names[primitive] = name = self._free(primitive.name)
                self.programs[name] = program
        return self._names.get(primitive)

    def _free(self, name: str) -> str:
        """Return a unique name, because two custom operations may have the same name."""
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
        """Return the instructions of a function, ``None`` if it does not consist of primitives."""
        try:
            program = trace(f, parameters)
        except Exception:  # a user's function may raise anything when called with a Var
            return None
        names = [self.name(equation.primitive) for equation in program]
        if len(program.outputs) != 1 or None in names:
            return None
        steps = [
            [name, *[_atom(program, a) for a in equation.operands]]
            for name, equation in zip(names, program, strict=True)
        ]
        return {
            "parameters": parameters,
            "instructions": [*[[name] for name in parameters], *steps],
            "result": _atom(program, program.outputs[0]),
        }


def _named(primitive: Primitive) -> Primitive | None:
    """Return the primitive of the table for the same C function, if there is one."""
    return next((r for r in TABLE.values() if primitive.libm and r.libm == primitive.libm), None)


def _atom(program: Program, atom: int) -> Any:
    return {"at": atom} if atom >= 0 else json_contribution(program.consts[~atom])
