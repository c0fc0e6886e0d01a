"""Print what the machine of programs executes: a loop over lanes for each primitive and each rule.

The loops themselves are macros of ``native/program/machine.h``; printed here is the number that
one lane computes, of which operands, and which kernel a rule is in the reverse pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...core.primitive import Primitive
from ..program import needed
from .var import trace

__all__ = ["RuleKernel", "print_lanes", "rule_kernels"]

LANES = ("a", "b", "c", "d", "e")
"""The operands of a kernel, in the order in which it has them."""

HEAD = """\
enum {{ MAX_LANES = 5 }}; /* operands of a kernel: t, y and three arguments */
typedef struct {{
    uint16_t kernel;  /* PASSES: the contribution is t itself; 0: there is none */
    uint8_t count, operands[MAX_LANES]; /* 0 is t, 1 is y, 2 + i is argument i */
}} Rule;

enum {{ PASSES = 1 }};
enum {{
    LAST_FORWARD = OP_COUNT - 1,
    KERNEL_plus, KERNEL_pass_if, KERNEL_mask_if, KERNEL_or_zero,
{names}    KERNEL_COUNT
}};

{forwards}
{rules}
#define PER_KERNEL(NAMED) \\
{all}
static const Rule RULES[OP_COUNT][3] = {{
{table}}};
"""


class RuleKernel(NamedTuple):
    """A rule as the reverse pass of a program uses it."""

    primitive: Primitive
    argument: int
    operands: tuple[int, ...]
    """Which of t (0), y (1) and the arguments (2, ...) the rule looks at."""

    passes: bool
    """Whether the contribution is the incoming gradient itself."""

    @property
    def name(self) -> str:
        """The name of the C function."""
        return f"{self.primitive.name}_{self.argument}"


def rule_kernels(primitives: Sequence[Primitive]) -> list[RuleKernel]:
    """Return a kernel for every rule of the primitives."""
    return [
        _kernel(primitive, index, rule)
        for primitive in primitives
        for index, rule in enumerate(primitive.rules)
        if rule is not None
    ]


def _kernel(primitive: Primitive, index: int, rule: Callable[..., Any]) -> RuleKernel:
    names = ["t", "y", *[f"x{i}" for i in range(primitive.arity)]]
    program = trace(rule, names)
    _, read = needed(program, program.outputs)
    # t comes first even if a rule forgets it: a shut mask upstream blocks every rule
    operands = tuple(i for i in range(len(names)) if not i or read[i])
    return RuleKernel(primitive, index, operands, program.outputs == (0,))


def print_lanes(primitives: Sequence[Primitive], conditions: Sequence[Primitive]) -> str:
    """Return the part of ``kernels.h`` that ``native/program/machine.h`` is made from."""
    rules = rule_kernels(primitives)
    computed = [rule for rule in rules if not rule.passes]
    kernels: list[Primitive | RuleKernel] = [*conditions, *computed]
    every = [f"    NAMED({p.name}, OP_{p.name}, {p.arity})" for p in primitives]
    every += [f"    NAMED({p.name}, KERNEL_{p.name}, {p.arity})" for p in conditions]
    every += [f"    NAMED({r.name}, KERNEL_{r.name}, {len(r.operands)})" for r in computed]
    return HEAD.format(
        names="".join(f"    KERNEL_{kernel.name},\n" for kernel in kernels),
        forwards="\n".join(_forwards(primitives, conditions, count) for count in (1, 2, 3)),
        rules="\n".join(_rules(computed, count) for count in range(1, 6)),
        all=" \\\n".join(every) + "\n",
        table="".join(_row(primitive, rules) for primitive in primitives),
    )


def _forwards(primitives: Sequence[Primitive], conditions: Sequence[Primitive], count: int) -> str:
    lanes = ", ".join(LANES[:count])
    entries = [f"    F({p.name}, f_{p.name}({lanes}))" for p in primitives if p.arity == count]
    if count == 2:
        entries += [f"    F({c.name}, a {c.infix} b)" for c in conditions]
    return f"#define FORWARD_LANES_{count}(F) \\\n" + " \\\n".join(entries) + "\n"


def _rules(rules: Sequence[RuleKernel], count: int) -> str:
    entries = [
        f"    F({rule.name}, r_{rule.name}({_arguments(rule)}, &contribution))"
        for rule in rules
        if len(rule.operands) == count
    ]
    return f"#define RULE_LANES_{count}(F)" + "".join(f" \\\n{entry}" for entry in entries) + "\n"


def _arguments(rule: RuleKernel) -> str:
    lane_of = dict(zip(rule.operands, LANES, strict=False))
    return ", ".join(lane_of.get(i, "0.0") for i in range(2 + rule.primitive.arity))


def _row(primitive: Primitive, rules: Sequence[RuleKernel]) -> str:
    entries = [
        f"[{rule.argument}] = {{{'PASSES' if rule.passes else f'KERNEL_{rule.name}'}, "
        f"{len(rule.operands)}, {{{', '.join(map(str, rule.operands))}}}}}"
        for rule in rules
        if rule.primitive is primitive
    ]
    return f"    [OP_{primitive.name}] = {{{', '.join(entries) or '{0}'}}},\n"
