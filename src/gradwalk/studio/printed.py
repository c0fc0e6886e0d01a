"""Print the arithmetic of the page from the table: ``web/src/engine/table.ts``.

Run ``python -m gradwalk.studio.printed [FILE]`` after changing a primitive. The file is kept with
the source, and a test compares it with the table. Every pointwise primitive is applied to `Var`.
Its forward becomes ``f_NAME``, and the rule of argument i becomes ``r_NAME_i``, as in the native
engine. Formulas become MathML with latex2mathml (in the extra ``docs``), which users do not need.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module

from ..core.files import write_file
from ..core.primitive import Primitive
from ..ops import TABLE
from ..program import trace
from ..program.formulas.formula import Formula, slope
from ..program.printing.js import RESERVED, print_function, print_number, signature

__all__ = ["mathml", "render"]

HEADER = """\
/** Printed from the table of gradwalk by `python -m gradwalk.studio.printed`; do not edit. */

import * as ieee from "./ieee";
import type { Primitive } from "./primitive";

"""


def render() -> str:
    """Return the text of table.ts."""
    rows = list(TABLE.values())
    functions = [text for primitive in rows for text in (_forward(primitive), *_rules(primitive))]
    records = "".join(f"  {primitive.name}: {_record(primitive)},\n" for primitive in rows)
    table = f"export const TABLE: Record<string, Primitive> = {{\n{records}}};\n"
    return HEADER + "\n\n".join(functions) + "\n\n" + table


def _parameters(primitive: Primitive) -> list[str]:
    """Return the names of the arguments, changed if JavaScript or the page reserves one."""
    taken = RESERVED.intersection(primitive.params)
    return [f"x{i}" for i in range(primitive.arity)] if taken else list(primitive.params)


def _forward(primitive: Primitive) -> str:
    names = _parameters(primitive)
    printed = (
        primitive.libm
        or primitive.name in ("where", "logical_and", "logical_or")
        or primitive.infix
    )
    program = trace(primitive if printed else primitive.forward, names)
    return print_function(program, signature(f"f_{primitive.name}", names, program, "number"))


def _rules(primitive: Primitive) -> list[str]:
    names = ["t", "z" if "y" in primitive.params else "y", *_parameters(primitive)]
    functions = []
    for index, rule in enumerate(primitive.rules):
        if rule is not None:
            program = trace(rule, names)
            head = signature(f"r_{primitive.name}_{index}", names, program, "number | null")
            functions.append(print_function(program, head))
    return functions


def _record(primitive: Primitive) -> str:
    rules = [
        f"r_{primitive.name}_{i}" if rule else "null" for i, rule in enumerate(primitive.rules)
    ]
    facts = {
        "name": _text(primitive.name),
        "params": _text(list(primitive.params)),
        "defaults": f"[{', '.join(map(print_number, primitive.defaults))}]",
        "infix": _text(primitive.infix),
        "summary": _text(primitive.summary),
        "kinks": _text(primitive.kinks),
        "tex": _text(primitive.tex),
        "mathml": _text(mathml(primitive.tex)),
        "forward": f"f_{primitive.name}",
        "rules": f"[{', '.join(rules)}]",
        "slopes": f"[{', '.join(_slope(primitive, i) for i in range(primitive.arity))}]",
    }
    return "{\n" + "".join(f"    {key}: {value},\n" for key, value in facts.items()) + "  }"


def _slope(primitive: Primitive, index: int) -> str:
    found: Formula | None = slope(primitive, index)
    if found is None:
        return "null"
    return f"{{ text: {_text(found.text)}, mathml: {_text(mathml(found.tex))} }}"


def _text(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False)


def mathml(tex: str) -> str:
    """Return a formula as MathML without the namespace, which HTML implies."""
    convert = import_module("latex2mathml.converter").convert
    return re.sub(r' xmlns="[^"]*"| display="inline"', "", convert(tex))


def main() -> None:
    """Write table.ts into the file that is named, or to standard output."""
    if sys.argv[1:]:
        write_file(sys.argv[1], render().encode())
    else:
        sys.stdout.write(render())


if __name__ == "__main__":
    main()
