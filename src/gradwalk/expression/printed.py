"""Print the language of formulas as TypeScript: ``web/src/expression/language.ts``.

Run ``python -m gradwalk.expression.printed FILE`` after a change of `gradwalk.expression.language`.
The file is kept with the source, and a test compares it with what this module prints.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import language
from .program import CALLABLE, FUNCTIONS

__all__ = ["render"]

HEADER = """\
/** Printed by `python -m gradwalk.expression.printed`; do not edit. */
"""
WIDTH = 100
RECORDS = ("MESSAGES", "PATTERNS")
"""Tables whose keys are written in the program, so that the compiler checks them."""


def render() -> str:
    """Return the text of language.ts."""
    tables = {name: getattr(language, name) for name in language.__all__}
    tables |= {"FUNCTIONS": sorted(FUNCTIONS), "CALLABLE": CALLABLE}
    return HEADER + "".join(_constant(name, table) for name, table in tables.items())


def _constant(name: str, table: Any) -> str:
    if not isinstance(table, dict):
        return f"\nexport const {name}{_annotation(table)} = {_text(table)};\n"
    if name in RECORDS:
        lines = "".join(f"  {key}: {_text(value)},\n" for key, value in table.items())
        return f"\nexport const {name} = {{\n{lines}}} as const;\n"
    kind = _kind(next(iter(table.values())))
    lines = _packed(f"[{_text(key)}, {_text(value)}]," for key, value in table.items())
    return f"\nexport const {name}: ReadonlyMap<string, {kind}> = new Map([\n{lines}]);\n"


def _packed(entries: Iterable[str]) -> str:
    """Return entries with as many on a line as have room there."""
    lines = [""]
    for entry in entries:
        if lines[-1] and len(lines[-1]) + len(entry) > WIDTH:
            lines.append("")
        lines[-1] += f" {entry}"
    return "".join(f" {line}\n" for line in lines)


def _annotation(table: Any) -> str:
    """Return the type of a list of strings; other types are inferred."""
    return ": readonly string[]" if isinstance(table, list) and isinstance(table[0], str) else ""


def _kind(value: Any) -> str:
    """Return the type of the values of a table."""
    kinds = {str: "string", int: "number", tuple: "readonly [number, number]", list: "string[]"}
    return kinds[type(value)]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Write language.ts into the file that is named, or to standard output."""
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(render(), encoding="utf-8")
    else:
        sys.stdout.write(render())


if __name__ == "__main__":
    main()
