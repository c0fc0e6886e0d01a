"""Print the arithmetic of the native engine from the table: ``kernels.h``.

It runs at build time (see setup.py). Every pointwise primitive is applied to `Var`: its forward
becomes ``f_NAME``, the rule of argument i becomes ``r_NAME_i``, and every update of the optimizers
``u_NAME`` for one number, ``a_NAME_float`` and ``a_NAME_double`` for arrays. No
derivative is written in C by hand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from ...core.primitive import Primitive
from ...ops import TABLE
from ...optim.updates import UPDATES, Update
from .. import print_function, trace
from ..program import Program
from .c import CONDITIONS, MASKS
from .lanes import print_lanes
from .loop import print_loop
from .rule_programs import print_rule_programs

__all__ = ["fingerprint", "kernels", "render"]

HEADER = """\
/* Generated from the table of gradwalk by gradwalk.program.printing.kernel_header; do not edit. */
#define FINGERPRINT "{fingerprint}"

#ifdef __GNUC__ /* correctly rounded either way, but only what the compiler knows is vectorized */
#define SQRT_float __builtin_sqrtf
#define SQRT_double __builtin_sqrt
#else
#define SQRT_float sqrtf
#define SQRT_double sqrt
#endif

#if defined __GNUC__ && !defined __clang__ && defined __x86_64__ && defined __GLIBC__
/* The same bits, four numbers at a time where the processor can. */
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif
"""

TABLES = """\
enum {{
    OP_LEAF,
    OP_PYTHON,
    OP_FIRST,
    OP_BEFORE = OP_FIRST - 1,
{ops}    OP_COUNT
}};

#define FORWARDS \\
{forwards}
static const struct {{ const char *name; int arity; }} KERNELS[] = {{
{names}}};

typedef int (*Update)(double *p, double g, double *const *s, Py_ssize_t i, const double *h);
typedef void (*Update_float)(float *p, const float *g, float *const *s, Py_ssize_t n,
                             const double *h);
typedef void (*Update_double)(double *p, const double *g, double *const *s, Py_ssize_t n,
                              const double *h);
static const struct {{
    const char *name;
    Update update;
    int states, hyper;
    Update_float floats;
    Update_double doubles;
}} UPDATES[] = {{
{updates}}};
"""


def kernels() -> list[Primitive]:
    """Return the primitives that have a native kernel: all whose result is a number."""
    return [primitive for primitive in TABLE.values() if primitive.name not in CONDITIONS]


def _doubles(names: tuple[str, ...]) -> str:
    return ", ".join(f"double {name}" for name in names)


def _arguments(primitive: Primitive) -> tuple[str, ...]:
    """Argument names in C; those of the primitive might collide with ``t``, ``y`` or a keyword."""
    return tuple(f"x{index}" for index in range(primitive.arity))


def _forward(primitive: Primitive) -> str:
    names = _arguments(primitive)
    signature = f"static inline double f_{primitive.name}({_doubles(names)})"
    printed = primitive.libm or primitive.name == "where"  # by the printer itself
    program = trace(primitive if printed else primitive.forward, names)
    return print_function(program, signature, ["return {};"])


def _rules(primitive: Primitive) -> str:
    names = ("t", "y", *_arguments(primitive))
    functions = []
    for index, rule in enumerate(primitive.rules):
        if rule is not None:
            given = f"{_doubles(names)}, double *contribution"
            signature = f"static inline int r_{primitive.name}_{index}({given})"
            functions.append(print_function(trace(rule, names), signature, ["*contribution = {};"]))
    return "".join(functions)


def _cases(primitives: list[Primitive], arity: int) -> str:
    """One case per primitive of this arity: give each operand its contribution."""
    lines = []
    for primitive in primitives:
        if primitive.arity != arity:
            continue
        x = _x(primitive)
        contributions = "".join(
            f" CONTRIBUTION({index}, r_{primitive.name}_{index}(t, y, {x}, &contribution))"
            for index, rule in enumerate(primitive.rules)
            if rule is not None
        )
        lines.append(f"    case OP_{primitive.name}:{contributions} break; \\\n")
    return f"#define CASES_{arity} \\\n" + "".join(lines) + "\n"


def masking_rules(primitive: Primitive) -> list[int]:
    """Return the rules of a primitive that only mask t.

    The arguments only decide: what is let through is t, or a constant multiple of it.
    """
    programs = [
        (i, trace(r, ("t", "y", *_arguments(primitive))))
        for i, r in enumerate(primitive.rules)
        if r
    ]
    return [i for i, p in programs if {*MASKS} & {*p.table} and _flat(p, p.outputs)]


def _flat(program: Program, atoms: Iterable[Any]) -> bool:
    """Return whether outputs depend on anything but t and constants through conditions only."""
    for atom in atoms:
        equation = program.equation(atom)
        if equation is None:
            if atom > 0:  # t is the first input
                return False
            continue
        name = equation.primitive.name
        decided = int(name in ("pass_if", "mask_if", "where", "sign"))
        if not decided and name not in ("mul", "div", "neg"):
            return False
        if not _flat(program, equation.operands[decided:]):
            return False
    return True


def _mask_loops(primitives: list[Primitive]) -> str:
    calls = [
        f"F({primitive.name}, {i}, {primitive.arity})"
        for primitive in primitives
        for i in masking_rules(primitive)
    ]
    return "#define MASK_RULES(F) " + " ".join(calls) + "\n"


def _update(update: Update) -> str:
    states = [f"s[{slot}][i]" for slot in range(len(update.state))]
    hyper = [f"h[{index}]" for index in range(len(update.hyper))]
    program = trace(update.rule, ["*p", "g", *states, *hyper])
    signature = (
        f"static int u_{update.name}(double *p, double g, double *const *s, Py_ssize_t i,"
        " const double *h)"
    )
    return print_function(program, signature, [f"{name} = {{}};" for name in ("*p", *states)])


def _array_update(update: Update, kind: str) -> str:
    states = [f"s{slot}[i]" for slot in range(len(update.state))]
    hyper = [f"h[{index}]" for index in range(len(update.hyper))]
    program = trace(update.rule, ["p[i]", "g[i]", *states, *hyper])
    pointers = "".join(f", {kind} *restrict s{slot}" for slot in range(len(states)))
    loop = print_loop(
        program,
        f"static void l_{update.name}_{kind}({kind} *restrict p, const {kind} *restrict g"
        f"{pointers}, Py_ssize_t n, const double *h)",
        kind,
        2 + len(states),
        ["p[i]", *states],
    )
    given = "".join(f", s[{slot}]" for slot in range(len(states)))
    return (
        f"{loop}\nstatic void a_{update.name}_{kind}({kind} *p, const {kind} *g, {kind} *const *s,"
        f" Py_ssize_t n, const double *h)\n{{\n    l_{update.name}_{kind}(p, g{given}, n, h);\n}}\n"
    )


def _tables(primitives: list[Primitive]) -> str:
    ops = "".join(f"    OP_{primitive.name},\n" for primitive in primitives)
    forwards = "".join(
        f"    case OP_{r.name}: return f_{r.name}({_x(r)}); \\\n" for r in primitives
    )
    names = "".join(f'    {{"{primitive.name}", {primitive.arity}}},\n' for primitive in primitives)
    updates = "".join(
        f'    {{"{u.name}", u_{u.name}, {len(u.state)}, {len(u.hyper)}, a_{u.name}_float, '
        f"a_{u.name}_double}},\n"
        for u in UPDATES.values()
    )
    return TABLES.format(ops=ops, forwards=forwards, names=names, updates=updates)


def _x(primitive: Primitive) -> str:
    return ", ".join(f"x[{index}]" for index in range(primitive.arity))


def _body() -> str:
    primitives = kernels()
    prototypes = "".join(
        f"static inline double f_{r.name}({_doubles(_arguments(r))});\n" for r in primitives
    )
    parts = [prototypes, *map(_forward, primitives), *map(_rules, primitives)]
    parts += [_cases(primitives, arity) for arity in (1, 2, 3)]
    parts.append(_mask_loops(primitives))
    parts += map(_update, UPDATES.values())
    parts += [_array_update(u, kind) for u in UPDATES.values() for kind in ("float", "double")]
    parts.append(_tables(primitives))
    conditions = [TABLE[name] for name in CONDITIONS]
    parts += [printed(primitives, conditions) for printed in (print_rule_programs, print_lanes)]
    return "\n".join(parts)


def fingerprint() -> str:
    """Return a fingerprint of the table: a compiled engine with another one is outdated."""
    return _digest(_body())


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def render() -> str:
    """Return the text of kernels.h."""
    body = _body()
    return HEADER.format(fingerprint=_digest(body)) + body


if __name__ == "__main__":
    print(render())
