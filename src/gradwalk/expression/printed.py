"""Print the language of formulas as TypeScript: ``web/src/expression/language.ts``.

Run ``python -m gradwalk.expression.printed FILE`` after a change of `gradwalk.expression.language`.
The file is kept with the source, and a test compares it with what this module prints.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from ..core.files import write_file
from . import language
from .functions import CALLABLE, FUNCTIONS

__all__ = ["render"]

HEADER = "/** Printed by `python -m gradwalk.expression.printed`; do not edit. */\n"
TYPES: dict[type, str] = {
    int: "number",
    str: "string",
    tuple: "readonly [number, number]",
    list: "readonly string[]",
}
RECORDS = ("MESSAGES", "PATTERNS")
"""Tables whose keys are written in the program of the page, so that the compiler checks them."""


def render() -> str:
    """Return the text of language.ts."""
    tables = {name: getattr(language, name) for name in language.__all__}
    tables |= {"FUNCTIONS": sorted(FUNCTIONS), "CALLABLE": CALLABLE}
    return HEADER + "".join(_constant(name, table) for name, table in tables.items())


def _constant(name: str, table: Any) -> str:
    if name in RECORDS:
        lines = "".join(f"  {key}: {_text(value)},\n" for key, value in table.items())
        return f"export const {name} = {{\n{lines}}} as const;\n"
    if isinstance(table, dict):
        kind = TYPES[type(next(iter(table.values())))]
        return f"export const {name} = new Map<string, {kind}>({_text([*table.items()])});\n"
    kind = ": readonly string[]" if isinstance(table, list) and isinstance(table[0], str) else ""
    return f"export const {name}{kind} = {_text(table)};\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Write language.ts into the file that is named, or to standard output."""
    if sys.argv[1:]:
        write_file(sys.argv[1], render().encode())
    else:
        sys.stdout.write(render())


if __name__ == "__main__":
    main()
