"""Print a program as C."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import NamedTuple

from ...core.primitive import Primitive
from .var import Atom, Instruction, Program

__all__ = ["CONDITIONS", "Spelling", "print_function", "print_number"]

C_NAMES = {"floordiv": "ieee_floordiv", "mod": "ieee_mod", "pow": "ieee_pow", "round": "rint"}
"""Functions whose C name differs from the name in the table (see native/ieee.h)."""

CONDITIONS = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
CONDITIONS += ["logical_and", "logical_or"]
"""Rows whose result is true or false, an int in C."""


def function_in_c(primitive: Primitive) -> str:
    """Return the C function that computes a primitive: libm's, or the one printed for it."""
    if primitive.libm:
        return C_NAMES.get(primitive.libm, primitive.libm)
    return f"f_{primitive.name}"


class Spelling(NamedTuple):
    """How C computes what is not written with an operator."""

    function: Callable[[Primitive], str] = function_in_c
    """The C function that computes a primitive."""

    choice: str = "{} ? {} : {}"
    """A choice between two numbers, by a condition."""


SCALARS = Spelling()


def print_function(
    program: Program,
    signature: str,
    results: list[str],
    spelling: Spelling = SCALARS,
) -> str:
    """Return a C function that computes ``program``, in the given spelling.

    Each output is stored by a statement of ``results``, in which ``{}`` stands for the value. A
    mask in front of an only output makes the function return 0 where it blocks; otherwise
    it returns 1. A single result that begins with ``return`` makes the function return the value.
    """
    lines: list[str] = []
    done: set[int] = set()
    outputs = list(program.outputs)
    mask = program.mask(outputs[0]) if len(outputs) == 1 else None
    while mask:
        condition, outputs[0] = mask.args
        lines += _statements(program, done, spelling, condition)
        negation = "!" if mask.primitive and mask.primitive.name == "pass_if" else ""
        lines.append(f"if ({negation}{_atom(program, condition)}) return 0;")
        mask = program.mask(outputs[0])
    lines += _statements(program, done, spelling, *outputs)
    lines += [r.format(_atom(program, o)) for r, o in zip(results, outputs, strict=True)]
    if not results[0].startswith("return"):
        lines.append("return 1;")
    return f"{signature}\n{{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def _statements(
    program: Program, done: set[int], spelling: Spelling, *atoms: Atom | None
) -> list[str]:
    """Return the definitions that ``atoms`` need and that are not ``done``."""
    lines = []
    for index, instruction in program.pending(done, *atoms):
        kind = (
            "int"
            if instruction.primitive and instruction.primitive.name in CONDITIONS
            else "double"
        )
        lines.append(f"const {kind} v{index} = {_expression(program, instruction, spelling)};")
    return lines


def _expression(program: Program, instruction: Instruction, spelling: Spelling) -> str:
    primitive = instruction.primitive
    assert primitive is not None
    args = [_atom(program, arg) for arg in instruction.args]
    if primitive.name == "where":
        return spelling.choice.format(*args)
    if primitive.name == "neg":
        return f"-{args[0]}"
    if primitive.infix:
        return f" {primitive.infix} ".join(args)
    return f"{spelling.function(primitive)}({', '.join(args)})"


def _atom(program: Program, atom: Atom | None) -> str:
    if isinstance(atom, int):
        return program.instructions[atom].name or f"v{atom}"
    assert atom is not None
    return print_number(atom)


def print_number(x: float) -> str:
    """Return a constant of C."""
    if isfinite(x):
        return f"({x.hex()})" if x < 0.0 else x.hex()
    return "INFINITY" if x == inf else "-INFINITY" if x == -inf else "NAN"
