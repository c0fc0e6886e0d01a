"""Print a program as C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isfinite
from typing import NamedTuple

from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ..program import Equation, Program, needed

__all__ = ["CONDITIONS", "MASKS", "Spelling", "masking", "pending", "print_atom"]
__all__ += ["print_function", "print_number"]

MASKS = (PASS_IF, MASK_IF)

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
    while len(outputs) == 1 and (mask := masking(program, outputs[0])):
        condition, outputs[0] = mask.operands
        lines += _statements(program, done, spelling, condition)
        negation = "!" if mask.primitive is PASS_IF else ""
        lines.append(f"if ({negation}{print_atom(program, condition)}) return 0;")
    lines += _statements(program, done, spelling, *outputs)
    lines += [r.format(print_atom(program, o)) for r, o in zip(results, outputs, strict=True)]
    if not results[0].startswith("return"):
        lines.append("return 1;")
    return f"{signature}\n{{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def masking(program: Program, atom: int) -> Equation | None:
    """Return the equation of ``atom`` if it is a mask."""
    equation = program.equation(atom)
    return equation if equation and equation.primitive in MASKS else None


def pending(program: Program, done: set[int], *atoms: int) -> Iterator[Equation]:
    """Yield the equations that ``atoms`` need, and add them to ``done``."""
    for k in needed(program, atoms)[0]:
        if k not in done:
            done.add(k)
            yield program[k]


def _statements(program: Program, done: set[int], spelling: Spelling, *atoms: int) -> list[str]:
    """Return the definitions that ``atoms`` need and that are not ``done``."""
    lines = []
    for equation in pending(program, done, *atoms):
        kind = "int" if equation.primitive.name in CONDITIONS else "double"
        [result] = equation.results
        lines.append(f"const {kind} v{result} = {_expression(program, equation, spelling)};")
    return lines


def _expression(program: Program, equation: Equation, spelling: Spelling) -> str:
    primitive = equation.primitive
    args = [print_atom(program, a) for a in equation.operands]
    if primitive.name == "where":
        return spelling.choice.format(*args)
    if primitive.name == "neg":
        return f"-{args[0]}"
    if primitive.infix:
        return f" {primitive.infix} ".join(args)
    return f"{spelling.function(primitive)}({', '.join(args)})"


def print_atom(program: Program, atom: int) -> str:
    """Return a variable or a constant of C."""
    return program.name(atom) if atom >= 0 else print_number(program.consts[~atom])


def print_number(x: float) -> str:
    """Return a constant of C."""
    if isfinite(x):
        return f"({x.hex()})" if x < 0.0 else x.hex()
    return "INFINITY" if x == inf else "-INFINITY" if x == -inf else "NAN"
