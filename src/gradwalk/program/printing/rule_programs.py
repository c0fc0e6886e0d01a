"""Print rules as lists of primitives, for levels: there a rule computes with tracers and Values.

A rule that an enclosing transform traces or records is a program of other operations than on plain
numbers, see `Primitive.inline`. Nothing is shared that the rule itself does not share, so that the
native engine adds contributions in the order of Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...core.primitive import Primitive, Rule
from ...ops import TABLE
from ..program import Program, needed
from .c import print_number
from .var import Var, trace

__all__ = ["print_rule_programs"]

HEAD = """\
enum {{
    OP_pass_if = OP_COUNT,
    OP_mask_if,
{names}    OP_BEHIND
}};

enum {{ MAX_RULE = {longest} }}; /* t, y, the arguments, and the operations of the longest rule */

typedef struct {{
    uint8_t op;
    int16_t operands[3]; /* earlier entries, or -1 - a constant */
}} RuleStep;

typedef struct {{
    int16_t first, count, output; /* count: of its steps; -1: there is no rule */
}} RuleProgram;

#define CONDITION_CASES \\
{conditions}
static const double RULE_CONSTANTS[] = {{{constants}}};
static const RuleStep RULE_STEPS[] = {{
{steps}}};
static const RuleProgram RULE_PROGRAMS[OP_COUNT][3] = {{
{table}}};
static const RuleProgram RULE_OF_SQUARE = {square}; /* of pow, for the exponent 2 */
static const char DIFFERENTIABLE[OP_COUNT] = {{
{differentiable}}};
"""


class Traced(Var):
    """An unknown number of which derivatives will be taken."""

    __slots__ = ()
    _records: ClassVar[bool] = True
    _merges: ClassVar[bool] = False

    def __ror__(self, other: bool) -> bool | Traced:
        return other or self  # a condition that is known already


class Rules:
    """All rules, one behind the other."""

    longest: int

    def __init__(self) -> None:
        self.constants: dict[str, int] = {}
        self.steps: list[str] = []
        self.longest = 0

    def row(self, primitive: Primitive) -> str:
        """Return where the rules of a primitive are."""
        entries = [self.rule(rule, 2 + primitive.arity) for rule in primitive.rules]
        entries += [NO_RULE] * (3 - primitive.arity)
        return f"    [OP_{primitive.name}] = {{{', '.join(entries)}}},\n"

    def rule(self, rule: Rule | None, given: int) -> str:
        """Return where a rule is, of so many numbers."""
        if rule is None:
            return NO_RULE
        program = trace(rule, [""] * given, Traced)
        places = {i: i for i in range(given)}
        first = len(self.steps)
        for k in needed(program, program.outputs)[0]:
            primitive, atoms, [result], *_ = program[k]
            operands = ", ".join([self._operand(program, a, places) for a in atoms])
            self.steps.append(f"    {{OP_{primitive.name}, {{{operands}}}}},\n")
            places[result] = len(places)
        self.longest = max(self.longest, len(places))
        return f"{{{first}, {len(self.steps) - first}, {places[program.outputs[0]]}}}"

    def _operand(self, program: Program, atom: int, places: dict[int, int]) -> str:
        if atom >= 0:
            return str(places[atom])
        number = print_number(program.consts[~atom])
        return str(-1 - self.constants.setdefault(number, len(self.constants)))


NO_RULE = "{0, -1, 0}"


def print_rule_programs(primitives: Sequence[Primitive], conditions: Sequence[Primitive]) -> str:
    """Return the part of ``kernels.h`` that ``native/levels/rules.h`` is made from."""
    rules = Rules()
    table = "".join(map(rules.row, primitives))
    slope: Any = TABLE["pow"].rules[0]
    square = rules.rule(lambda t, y, a, b: slope(t, y, a, 2.0), 4)
    return HEAD.format(
        names="".join(f"    OP_{c.name},\n" for c in conditions),
        longest=rules.longest,
        conditions="".join(
            f"    case OP_{c.name}: return x[0] {c.infix} x[1]; \\\n" for c in conditions
        ),
        constants=", ".join(rules.constants),
        steps="".join(rules.steps),
        table=table,
        square=square,
        differentiable="".join(f"    [OP_{p.name}] = 1,\n" for p in primitives if p.differentiable),
    )
