"""Print the arithmetic of the page from the table: ``web/src/engine/table.ts``.

``python -m gradwalk.studio.printed [FILE]`` runs whenever a row has changed; the file is kept with
the source, and a test proves that it is what the table prints. Every pointwise row is applied to
`Var`: its forward becomes ``f_NAME`` and the rule of argument i ``r_NAME_i``, as in the native
engine. Formulas become MathML by latex2mathml (in the extra ``docs``), which a user does not need.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from ..core.primitive import Primitive
from ..ops import TABLE
from ..program import trace
from ..program.formula import Formula, slope
from ..program.js import RESERVED, print_function, print_number, signature

__all__ = ["mathml", "render"]

HEADER = """\
/** Printed from the table of gradwalk by `python -m gradwalk.studio.printed`; do not edit. */

import * as ieee from "./ieee";
import type { Row } from "./row";

"""


def render() -> str:
    """The text of table.ts."""
    rows = list(TABLE.values())
    functions = [text for row in rows for text in (_forward(row), *_rules(row))]
    records = "".join(f"  {row.name}: {_record(row)},\n" for row in rows)
    table = f"export const TABLE: Record<string, Row> = {{\n{records}}};\n"
    return HEADER + "\n\n".join(functions) + "\n\n" + table


def _parameters(row: Primitive) -> list[str]:
    """The names of the arguments, unless JavaScript or the page has taken one of them."""
    taken = RESERVED.intersection(row.params)
    return [f"x{i}" for i in range(row.arity)] if taken else list(row.params)


def _forward(row: Primitive) -> str:
    names = _parameters(row)
    printed = row.libm or row.name in ("where", "logical_and", "logical_or") or row.infix
    program = trace(row if printed else row.forward, names)
    return print_function(program, signature(f"f_{row.name}", names, program, "number"))


def _rules(row: Primitive) -> list[str]:
    names = ["t", "z" if "y" in row.params else "y", *_parameters(row)]
    functions = []
    for index, rule in enumerate(row.rules):
        if rule is not None:
            program = trace(rule, names)
            head = signature(f"r_{row.name}_{index}", names, program, "number | null")
            functions.append(print_function(program, head))
    return functions


def _record(row: Primitive) -> str:
    rules = [f"r_{row.name}_{i}" if rule else "null" for i, rule in enumerate(row.rules)]
    facts = {
        "name": _text(row.name),
        "params": _text(list(row.params)),
        "defaults": f"[{', '.join(map(print_number, row.defaults))}]",
        "infix": _text(row.infix),
        "summary": _text(row.summary),
        "kinks": _text(row.kinks),
        "tex": _text(row.tex),
        "mathml": _text(mathml(row.tex)),
        "forward": f"f_{row.name}",
        "rules": f"[{', '.join(rules)}]",
        "slopes": f"[{', '.join(_slope(row, i) for i in range(row.arity))}]",
    }
    return "{\n" + "".join(f"    {key}: {value},\n" for key, value in facts.items()) + "  }"


def _slope(row: Primitive, index: int) -> str:
    found: Formula | None = slope(row, index)
    if found is None:
        return "null"
    return f"{{ text: {_text(found.text)}, mathml: {_text(mathml(found.tex))} }}"


def _text(thing: Any) -> str:
    return json.dumps(thing, ensure_ascii=False)


def mathml(tex: str) -> str:
    """A formula for a page of HTML, which knows the name space without being told."""
    convert = import_module("latex2mathml.converter").convert
    return re.sub(r' xmlns="[^"]*"| display="inline"', "", convert(tex))


def main() -> None:
    """Write table.ts into the file that is named, or to standard output."""
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(render(), encoding="utf-8")
    else:
        sys.stdout.write(render())


if __name__ == "__main__":
    main()
