"""Print what arrays compute in vectors from the table: ``vector_kernels.h``.

It runs at build time, as `kernel_header` does. A primitive or a rule has such a kernel if it is
arithmetic, choices and functions that ``native/buffers/vectors.h`` has without branches. Its name
there is that of the C library with ``v_`` before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core.primitive import Primitive
from ...ops import TABLE
from .c import CONDITIONS, MASKS, Spelling, print_function
from .kernel_header import kernels
from .lanes import RuleKernel, rule_kernels
from .var import trace

__all__ = ["fingerprint", "render"]

FUNCTIONS = {"exp", "expm1", "log", "log1p", "tanh", "erf", "erfc"}
"""Functions of ``native/buffers/vectors.h`` for all numbers."""

CIRCULAR = {"sin", "cos"}
"""Functions for numbers of moderate size; the loop computes others one by one."""

EXACT = {"sqrt", "fabs", "floor", "ceil", "round", "fma"}
"""Functions that the processor has, of one rounding or none."""

IN_VECTOR_H = {"sqrt", "fabs"}
"""Those of them that ``native/buffers/vectors.h`` has."""

COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
ARITHMETIC = {"neg", "add", "sub", "mul", "div", "where", *COMPARISONS}
"""Operators of C, for programs on arrays."""

HEADER = """\
/* Generated from the table of gradwalk by gradwalk.program.printing.vector_header; do not edit. */
#define VECTOR_FINGERPRINT "{fingerprint}"

"""


def _name(primitive: Primitive) -> str:
    return f"{'v' if primitive.libm else 'w'}_{primitive.libm or primitive.name}"


IN_VECTORS = Spelling(_name, "choose({}, {}, {})")


def _arguments(primitive: Primitive) -> list[str]:
    return [f"x{index}" for index in range(primitive.arity)]


def _is_printed(primitive: Primitive) -> bool:
    """Return whether an expression computes the primitive, without a call."""
    return bool(primitive.infix) or primitive.name in ("where", "neg", *CONDITIONS)


def _calls(f: Callable[..., Any], names: Sequence[str]) -> dict[Primitive, None]:
    """Return the primitives that a function calls, those that they call included, in order."""
    found: dict[Primitive, None] = {}
    pending = [trace(f, names)]
    while pending:
        for primitive in pending.pop().table:
            if primitive not in found:
                found[primitive] = None
                if not (primitive.libm or _is_printed(primitive) or primitive in MASKS):
                    pending.append(trace(primitive.forward, _arguments(primitive)))
    return found


def _fits(calls: dict[Primitive, None]) -> bool:
    """Return whether all calls run in vectors, and at least one is not what NumPy does as well."""
    usual = all(
        p.name not in ("floordiv", "mod") and (_is_printed(p) or p.libm in FUNCTIONS | EXACT)
        for p in calls
        if p.libm or p in MASKS
    )
    return usual and any(p.libm in FUNCTIONS for p in calls)


def _forwards() -> Iterator[Primitive]:
    """Yield the primitives whose values are computed in vectors."""
    for primitive in kernels():
        if primitive.libm or _is_printed(primitive):
            if primitive.libm in FUNCTIONS | CIRCULAR:
                yield primitive
        elif _fits(_calls(primitive.forward, _arguments(primitive))):
            yield primitive


def _arithmetic() -> Iterator[Primitive]:
    """Yield what programs on arrays compute beside these: what the processor has, and choices."""
    for primitive in (*kernels(), *(TABLE[name] for name in COMPARISONS)):
        if primitive.libm or _is_printed(primitive):
            if primitive.libm in IN_VECTOR_H or primitive.name in ARITHMETIC:
                yield primitive
        elif all(
            p.name in ARITHMETIC or p.libm in IN_VECTOR_H or not (p.libm or _is_printed(p))
            for p in _calls(primitive.forward, _arguments(primitive))
        ):
            yield primitive


def _rules() -> Iterator[RuleKernel]:
    """Yield the rules that are computed in vectors."""
    for rule in rule_kernels(kernels()):
        if _fits(_calls(_formula(rule), _parameters(rule))):
            yield rule


def _formula(rule: RuleKernel) -> Callable[..., Any]:
    found = rule.primitive.rules[rule.argument]
    assert found is not None
    return found


def _parameters(rule: RuleKernel) -> list[str]:
    return ["t", "y", *_arguments(rule.primitive)]


def _print(f: Callable[..., Any], name: str, parameters: Sequence[str]) -> str:
    given = ", ".join(f"double {parameter}" for parameter in parameters)
    signature = f"INLINE double {name}({given})"
    text = print_function(trace(f, parameters), signature, ["return {};"], IN_VECTORS)
    return text.replace("&&", "&").replace("||", "|")  # both sides in all lanes, so no branch


def _body() -> str:
    forwards, rules = list(_forwards()), list(_rules())
    called: dict[Primitive, None] = {}
    for f, parameters in [(p.forward, _arguments(p)) for p in forwards if not p.libm] + [
        (_formula(rule), _parameters(rule)) for rule in rules
    ]:
        called |= _calls(f, parameters)
    called |= dict.fromkeys(forwards)
    basic = [p for p in _arithmetic() if p not in forwards]
    for p in basic:
        called |= {} if p.libm or _is_printed(p) else _calls(p.forward, _arguments(p))
    called |= dict.fromkeys(p for p in basic if not _is_printed(p))
    own = [p for p in called if not (p.libm or _is_printed(p))]
    operators = [p for p in basic if _is_printed(p)]
    parts = [_prototype(p) for p in own]
    parts += [_print(lambda *x, p=p: p(*x), _name(p), _arguments(p)) for p in operators]
    parts += [_print(p.forward, _name(p), _arguments(p)) for p in own]
    parts += [_print(_formula(rule), f"w_{rule.name}", _parameters(rule)) for rule in rules]
    lists = [_table("KERNELS", forwards, rules), _table("ARITHMETIC", basic, [])]
    return "".join([*parts, *lists])


def _prototype(primitive: Primitive) -> str:
    given = ", ".join(["double"] * primitive.arity)
    return f"INLINE double {_name(primitive)}({given});\n"


def _table(name: str, forwards: Sequence[Primitive], rules: Sequence[RuleKernel]) -> str:
    """Return a list of kernels: name, number of operands, which of all arguments they are (a bit
    for each), and what one lane computes.
    """
    lines = [_entry(p.name, _name(p), range(p.arity), p.arity) for p in forwards]
    lines += [_entry(r.name, f"w_{r.name}", r.operands, 2 + r.primitive.arity) for r in rules]
    return f"#define VECTOR_{name}(F) \\\n" + " \\\n".join(lines) + "\n"


def _entry(name: str, function: str, operands: Sequence[int], count: int) -> str:
    lane_of = {operand: f"x{i}[i]" for i, operand in enumerate(operands)}
    given = ", ".join(lane_of.get(i, "0.0") for i in range(count))
    bits = sum(1 << operand for operand in operands)
    return f"    F({name}, {len(operands)}, {bits}, {function}({given}))"


def fingerprint() -> str:
    """Return a fingerprint of the table: compiled loops with another one are outdated."""
    return hashlib.sha256(_body().encode()).hexdigest()[:16]


def render() -> str:
    """Return the text of vector_kernels.h."""
    return HEADER.format(fingerprint=fingerprint()) + _body()


if __name__ == "__main__":
    print(render())
