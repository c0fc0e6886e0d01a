"""Print a program as a loop in C over arrays of one type."""

from __future__ import annotations

from .c import _atom
from .var import Program

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
    for index in program.needed(*program.outputs):
        instruction = program.instructions[index]
        if instruction.primitive is None:
            continue
        if moving.isdisjoint(a for a in instruction.args if isinstance(a, int)):
            text = _expression(program, index, [_atom(program, a) for a in instruction.args], "")
            before.append(f"const double v{index} = {text};")
        else:
            moving.add(index)
            text = _expression(program, index, _terms(program, index, moving, kind), kind)
            inside.append(f"const {kind} v{index} = {text};")
    inside += [
        f"{target} = {_atom(program, o)};"
        for target, o in zip(results, program.outputs, strict=True)
    ]
    body = "".join(f"        {line}\n" for line in inside)
    loop = f"    for (Py_ssize_t i = 0; i < n; i++) {{\n{body}    }}\n"
    return f"{signature}\n{{\n" + "".join(f"    {line}\n" for line in before) + loop + "}\n"


def _terms(program: Program, index: int, moving: set[int], kind: str) -> list[str]:
    args = program.instructions[index].args
    return [_term(_atom(program, a), a in moving and isinstance(a, int), kind) for a in args]


def _term(text: str, moves: bool, kind: str) -> str:
    return text if moves or kind == "double" else f"({kind}){text}"


def _expression(program: Program, index: int, terms: list[str], kind: str) -> str:
    primitive = program.instructions[index].primitive
    assert primitive is not None
    if primitive.infix:
        return f" {primitive.infix} ".join(terms)
    if primitive.libm == "sqrt" and kind:
        return f"SQRT_{kind}({terms[0]})"
    return f"{f'({kind})' if kind else ''}f_{primitive.name}({', '.join(terms)})"
