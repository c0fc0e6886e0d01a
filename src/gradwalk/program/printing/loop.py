"""Print a program as a loop in C over arrays of one type."""

from __future__ import annotations

from ...core.primitive import Primitive
from ..program import Program, needed
from .c import print_atom

__all__ = ["print_loop"]


def print_loop(program: Program, signature: str, kind: str, arrays: int, results: list[str]) -> str:
    """Return a C function that computes ``program`` for each ``i`` below ``n``.

    ``kind`` is the C type of the arrays.

    The first ``arrays`` parameters are members of arrays, the rest are doubles. What depends on the
    latter alone is computed once, in double precision, and rounded where it meets an array: so are
    Python's numbers where they meet NumPy's arrays. ``SQRT_float`` is the square root of floats.
    """
    moving = set(range(arrays))
    before, inside = [], []
    for k in needed(program, program.outputs)[0]:
        primitive, operands, [result], *_ = program[k]
        terms = [print_atom(program, a) for a in operands]
        if moving.isdisjoint(operands):
            before.append(f"const double v{result} = {_expression(primitive, terms, '')};")
        else:
            terms = [_term(x, a in moving, kind) for x, a in zip(terms, operands, strict=True)]
            moving.add(result)
            inside.append(f"const {kind} v{result} = {_expression(primitive, terms, kind)};")
    inside += [
        f"{target} = {print_atom(program, o)};"
        for target, o in zip(results, program.outputs, strict=True)
    ]
    body = "".join(f"        {line}\n" for line in inside)
    loop = f"    for (Py_ssize_t i = 0; i < n; i++) {{\n{body}    }}\n"
    return f"{signature}\n{{\n" + "".join(f"    {line}\n" for line in before) + loop + "}\n"


def _term(text: str, moves: bool, kind: str) -> str:
    return text if moves or kind == "double" else f"({kind}){text}"


def _expression(primitive: Primitive, terms: list[str], kind: str) -> str:
    if primitive.infix:
        return f" {primitive.infix} ".join(terms)
    if primitive.libm == "sqrt" and kind:
        return f"SQRT_{kind}({terms[0]})"
    return f"{f'({kind})' if kind else ''}f_{primitive.name}({', '.join(terms)})"
