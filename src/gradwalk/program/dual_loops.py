"""Print a rule and the tangent of the rule as C loops over arrays of doubles.

The tangent of a rule needs no rule of its own: each operation in a rule is a primitive, whose rules
serve both modes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import combinations
from typing import Any

from ..core.primitive import Primitive
from .c import _atom
from .var import Atom, Program, trace

__all__ = ["PAIRS", "print_pairs", "used"]

ARITHMETIC = {"add", "sub", "mul", "div", "neg"}
"""The operations that a loop may have: those that a compiler makes vectors of."""

PAIRS = """\
#if defined __GNUC__ && !defined __clang__ && defined __x86_64__ && defined __GLIBC__
/* The same bits, four numbers at a time where the processor can. */
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif

typedef struct {
    const double *at[5], *moving[5]; /* t, y and the arguments; their tangents */
    const uint64_t *open[5]; /* where these tangents come through: all ones, else 0 */
    double *out, *dout; /* what the rule gives, and its tangent */
} Pairs;

typedef struct {
    int op, rule, moving; /* by bits: which of t, y and the arguments move */
    void (*loop)(const Pairs *, Py_ssize_t);
    void (*masked)(const Pairs *, Py_ssize_t); /* the same where tangents are shut in places */
} PairLoop;

static inline double let_through(double x, uint64_t open)
{
    union {
        double number;
        uint64_t bits;
    } both = {x};
    both.bits &= open;
    return both.number;
}
"""


def used(primitive: Primitive, index: int) -> list[int]:
    """Which of t, y and the arguments a rule of + - * / looks at; none if it has anything else, or
    only passes t on."""
    program = _program(primitive, index)
    if program is None or program.outputs[0] == 0 or not isinstance(program.outputs[0], int):
        return []
    needed = program.needed(*program.outputs)
    primitives = [program.instructions[i].primitive for i in needed]
    if any(primitive.name not in ARITHMETIC for primitive in primitives if primitive):
        return []
    return [i for i in needed if program.instructions[i].primitive is None]


def print_pairs(primitive: Primitive, index: int) -> tuple[str, list[str]]:
    """Loops for one rule, at rest and for each set of operands that move, and their table."""
    operands = used(primitive, index)
    texts, entries = [], []
    for count in range(len(operands) + 1):
        for moving in combinations(operands, count):
            pattern = sum(1 << i for i in moving)
            name = f"{primitive.name}_{index}_{pattern}"
            texts.append(_loop(primitive, index, moving, (), f"p_{name}"))
            masked = f"q_{name}" if moving[-1:] > (0,) else f"p_{name}"
            if masked[0] == "q":
                texts.append(_loop(primitive, index, moving, [i for i in moving if i], masked))
            entries.append(
                f"    {{OP_{primitive.name}, {index}, {pattern}, p_{name}, {masked}}},\n"
            )
    return "".join(texts), entries


def _program(primitive: Primitive, index: int) -> Program | None:
    rule: Callable[..., Any] | None = primitive.rules[index]
    names = ["t", "y", *[f"x{i}" for i in range(primitive.arity)]]
    return trace(rule, names) if rule else None


def _loop(
    primitive: Primitive, index: int, moving: Collection[int], masked: Collection[int], name: str
) -> str:
    program = _program(primitive, index)
    assert program is not None
    names = [i.name for i in program.instructions if i.primitive is None]
    pointers = [
        (f"const double *restrict {names[i]}", f"p->at[{i}]") for i in used(primitive, index)
    ]
    pointers += [(f"const double *restrict d_{names[i]}", f"p->moving[{i}]") for i in moving]
    pointers += [(f"const uint64_t *restrict open_{names[i]}", f"p->open[{i}]") for i in masked]
    pointers += [("double *restrict out", "p->out")]
    pointers += [("double *restrict dout", "p->dout")] if moving else []
    body = "".join(f"        {line}\n" for line in _Body(program, moving, masked).lines)
    return (
        f"VECTORS static void l_{name}({', '.join(p for p, _ in pointers)}, Py_ssize_t n)\n{{\n"
        f"    for (Py_ssize_t i = 0; i < n; i++) {{\n{body}    }}\n}}\n"
        f"static void {name}(const Pairs *p, Py_ssize_t n)\n{{\n"
        f"    l_{name}({', '.join(place for _, place in pointers)}, n);\n}}\n"
    )


class _Body:
    """The statements for one number, with the tangents of what moves."""

    def __init__(self, program: Program, moving: Collection[int], masked: Collection[int]) -> None:
        self.program = program
        names = [i.name for i in program.instructions]
        self.tangents = {i: f"d_{names[i]}[i]" for i in moving}
        self.open = {i: f"open_{names[i]}[i]" for i in masked}
        self.lines: list[str] = []
        end = program.outputs[0]
        for index in program.needed(end):
            if program.instructions[index].primitive:
                self._step(index)
        self.lines.append(f"out[i] = {self._number(end)};")
        if moving:
            assert isinstance(end, int)
            self.lines.append(f"dout[i] = {self.tangents[end]};")

    def _number(self, atom: Atom | None) -> str:
        name = _atom(self.program, atom)
        is_operand = isinstance(atom, int) and not self.program.instructions[atom].primitive
        return f"{name}[i]" if is_operand else name

    def _step(self, index: int) -> None:
        primitive, args, _ = self.program.instructions[index]
        assert primitive is not None
        numbers = ", ".join(map(self._number, args))
        self.lines.append(f"const double v{index} = f_{primitive.name}({numbers});")
        moving = [(k, a) for k, a in enumerate(args) if isinstance(a, int) and a in self.tangents]
        for k, a in moving:
            call = (
                f"r_{primitive.name}_{k}({self.tangents[a]}, v{index}, {numbers}, &s{index}_{k});"
            )
            self.lines.append(f"double s{index}_{k}; {call}")
            if a in self.open:
                held = f"let_through(s{index}_{k}, {self.open[a]})"
                self.lines.append(f"s{index}_{k} = {held};")
        if moving:
            self.tangents[index] = f"d{index}"
            terms = " + ".join(f"s{index}_{k}" for k, _ in moving)
            self.lines.append(f"const double d{index} = {terms};")
        if moving and all(a in self.open for _, a in moving):
            self.open[index] = "(" + " | ".join(self.open[a] for _, a in moving) + ")"
