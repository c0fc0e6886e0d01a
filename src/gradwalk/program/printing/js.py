"""Print a program as TypeScript.

C functions are those of `Math` where every browser computes them accurately, and otherwise the
functions of the same name in ``web/src/engine/ieee.ts``.
"""

from __future__ import annotations

from math import inf, isfinite

from ...core.primitive import PASS_IF
from ..program import Equation, Program, needed
from .c import CONDITIONS, masking, pending

__all__ = ["print_function", "print_number", "signature"]

MATH = ["exp", "expm1", "cosh", "sinh", "tanh", "sin", "cos", "tan", "asin", "acos", "atan"]
MATH += ["atan2", "asinh", "acosh", "atanh", "sqrt", "cbrt", "log", "log1p", "log2", "log10"]
MATH += ["floor", "ceil"]
"""Functions that JavaScript's `Math` computes as C does, at poles, infinities and NaN too."""

RENAMED = {"fabs": "Math.abs"}
OPERATORS = {"==": "===", "!=": "!=="}
RESERVED = {"ieee", "Math", "t", "null", "const", "function", "return", "if"}
LOGICAL = ("logical_and", "logical_or")


def signature(name: str, parameters: list[str], program: Program, result: str) -> str:
    """Print the head of a function; unused parameters begin with ``_``."""
    _, used = needed(program, program.outputs)
    while parameters and not used[len(parameters) - 1]:  # a call may pass more than are asked for
        parameters = parameters[:-1]
    names = [n if used[i] else f"_{n}" for i, n in enumerate(parameters)]
    return f"function {name}({', '.join(f'{n}: number' for n in names)}): {result}"


def print_function(program: Program, head: str) -> str:
    """Print a function that returns the only output of ``program``, or null where it is masked.

    >>> from gradwalk.program import trace
    >>> print(print_function(trace(lambda t, x: t * x, ["t", "x"]), "function f(t, x)"))
    function f(t, x) {
      const v2 = t * x;
      return v2;
    }
    """
    lines: list[str] = []
    done: set[int] = set()
    [output] = program.outputs
    while mask := masking(program, output):
        condition, output = mask.operands
        lines += _statements(program, done, condition)
        blocks = _truth(program, condition, negated=mask.primitive is PASS_IF)
        lines.append(f"if ({blocks}) return null;")
    lines += _statements(program, done, output)
    lines.append(f"return {_number(program, output)};")
    return f"{head} {{\n" + "".join(f"  {line}\n" for line in lines) + "}"


def _statements(program: Program, done: set[int], *atoms: int) -> list[str]:
    """Return the definitions that ``atoms`` need and that are not ``done``."""
    equations = pending(program, done, *atoms)
    return [f"const v{e.results[0]} = {_expression(program, e)};" for e in equations]


def _expression(program: Program, equation: Equation) -> str:
    primitive, args = equation.primitive, equation.operands
    if primitive.name in LOGICAL:
        return f" {primitive.infix} ".join(_truth(program, arg) for arg in args)
    numbers = [_number(program, arg) for arg in args]
    if primitive.name == "where":
        return f"{_truth(program, args[0])} ? {numbers[1]} : {numbers[2]}"
    if primitive.name == "neg":
        return f"-{numbers[0]}"
    if primitive.infix:
        return f" {OPERATORS.get(primitive.infix, primitive.infix)} ".join(numbers)
    name = _name(primitive.libm) if primitive.libm else f"f_{primitive.name}"
    return f"{name}({', '.join(numbers)})"


def _name(libm: str) -> str:
    return f"Math.{libm}" if libm in MATH else RENAMED.get(libm, f"ieee.{libm}")


def _is_condition(program: Program, atom: int) -> bool:
    """Return whether an atom is a boolean in JavaScript."""
    equation = program.equation(atom)
    return equation is not None and equation.primitive.name in CONDITIONS


def _truth(program: Program, atom: int, negated: bool = False) -> str:
    """Print an atom as a condition in which NaN is true, as in C and Python."""
    text = _atom(program, atom)
    if _is_condition(program, atom):
        return f"!{text}" if negated else text
    return f"{text} {'===' if negated else '!=='} 0"


def _number(program: Program, atom: int) -> str:
    text = _atom(program, atom)
    return f"Number({text})" if _is_condition(program, atom) else text


def _atom(program: Program, atom: int) -> str:
    if atom >= 0:
        return program.name(atom)
    text = print_number(program.consts[~atom])
    return f"({text})" if text.startswith("-") else text


def print_number(x: float) -> str:
    """Print a number that JavaScript reads with the same bits.

    >>> print_number(0.1), print_number(2.0), print_number(-1e300), print_number(float("inf"))
    ('0.1', '2', '-1e+300', 'Infinity')
    """
    if isfinite(x):
        return repr(x).removesuffix(".0")
    return "Infinity" if x == inf else "-Infinity" if x == -inf else "NaN"
