"""Print a file: its header comment, its tables and memory, and its functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from ..._version import __version__
from ..program import Program
from .dialects import C, JavaScript
from .function import Dialect, Function, Tables, cells_of
from .steps import Array, questions

__all__ = ["LANGUAGES", "Description", "Printed", "print_file"]

LANGUAGES: dict[str, type[C] | type[JavaScript]] = {".c": C, ".js": JavaScript}
"""By the end of the name of a file."""

BITS = {
    "C": "The numbers have the bits that gradwalk computes with the same libm, if the file is "
    "compiled with -std=c99 -ffp-contract=off -fno-builtin at any -O (clang takes the same flags), "
    "and never with -ffast-math. Link with -lm.",
    "JavaScript": "Sums, products, quotients and square roots have the bits of gradwalk. exp, sin, "
    "pow and their like are those of the JavaScript engine, whose last digits may differ. In Node "
    "call require of this file; a page that loads it as a script has the functions as globals.",
}

USE = (
    "A function returns 0, or the number of a question in this list that has another answer than "
    "it had for the examples: the numbers are then those of another branch of the program."
)


class Printed(NamedTuple):
    """A function to print: its name, its program, and the arrays that it fills."""

    name: str
    program: Program
    results: Sequence[Array]
    pattern: tuple[Sequence[int], Sequence[int]] | None = None
    """Where rows of a sparse matrix begin, and the columns of its numbers."""


class Description(NamedTuple):
    """What the header comment says of parameters and results, name by name."""

    title: str
    names: Sequence[tuple[str, str]]


def print_file(
    functions: Sequence[Printed], arrays: Sequence[Array], about: Description, suffix: str
) -> str:
    """Return the text of a file in the language that a suffix stands for."""
    dialect = LANGUAGES[suffix]()
    tables = Tables()
    lines = list(dict.fromkeys(line for f in functions for *_, line in questions(f.program)))
    made = [
        Function(f.name, f.program, arrays, f.results, lines, dialect, tables) for f in functions
    ]
    bodies = "\n".join(f.text for f in made)
    primitives = {name: p for f in made for name, p in f.primitives.items()}
    called = set(re.findall(r"\b(?:f_|ieee[_.])\w+", bodies))
    library = dialect.functions(called, primitives)
    parts = [
        _header(made, about, lines, dialect, tables, library),
        _before(dialect),
        "".join(dialect.table(*table) for table in _tables(tables)),
        _patterns(functions, dialect),
        _memory(made, dialect),
        library,
        bodies,
        _after(functions, dialect),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


def _tables(tables: Tables) -> list[tuple[str, Sequence[float], bool]]:
    return [(name, numbers, whole) for name, whole, numbers in tables.numbers]


def _before(dialect: Dialect) -> str:
    if dialect.language == "C":
        return "#include <math.h>\n#include <stdint.h>\n"
    return '(function (root) {\n"use strict";\n'


def _patterns(functions: Sequence[Printed], dialect: Dialect) -> str:
    return "".join(
        dialect.pattern(f"{f.name}_{word}", numbers)
        for f in functions
        if f.pattern
        for word, numbers in zip(("rows", "columns"), f.pattern, strict=True)
    )


def _after(made: Sequence[Printed], dialect: Dialect) -> str:
    if dialect.language == "C":
        return ""
    sparse = [f"{f.name}_{word}" for f in made if f.pattern for word in ("rows", "columns")]
    names = ", ".join([*(f.name for f in made), *sparse])
    root = 'typeof module === "object" && module.exports ? module.exports : globalThis'
    return f"Object.assign(root, {{ {names} }});\n}})({root});\n"


def _memory(made: Sequence[Function], dialect: Dialect) -> str:
    cells = cells_of(made)
    masked = any(f.plan.masked_cells for f in made)
    if not cells:
        return ""
    if dialect.language == "C":
        some = f"static unsigned char some[{cells}];\n" if masked else ""
        return f"static double cell[{cells}];\n{some}"
    some = f"const some = new Uint8Array({cells});\n" if masked else ""
    return f"const cell = new Float64Array({cells});\n{some}"


# --- the comment ----------------------------------------------------------------------------------


def _header(
    made: Sequence[Function],
    about: Description,
    questions: Sequence[str],
    dialect: Dialect,
    tables: Tables,
    library: str,
) -> str:
    lines = [f"{about.title}, exported by gradwalk {__version__}.", ""]
    end = ";" if dialect.language == "C" else ""
    lines += [f"{dialect.head(f.name, f.arrays, f.results)}{end}" for f in made] + [""]
    for name, text in about.names:
        lines += _wrapped(text, f"{name}: ")
    lines.append("")
    if questions:
        lines += _wrapped(USE)
        lines += [f"  {k}: {_file(line)}" for k, line in enumerate(questions, 1)]
    else:
        lines.append("A function returns 0.")
    lines += ["", *_wrapped(_bytes(made, dialect, tables, library))]
    lines += _wrapped(BITS[dialect.language])
    text = "".join(f" * {line}".rstrip() + "\n" for line in lines)
    return "/*" + text[2:].replace("*/", "* /") + " */\n"


def _wrapped(text: str, start: str = "") -> list[str]:
    return wrap(start + text, 96, subsequent_indent="    " if start else "", break_on_hyphens=False)


def _file(line: str) -> str:
    return re.split(r"[/\\]", line)[-1]


def _bytes(made: Sequence[Function], dialect: Dialect, tables: Tables, library: str) -> str:
    cells = cells_of(made)
    static = cells * (9 if any(f.plan.masked_cells for f in made) else 8)
    text = f"Memory: {static:,} bytes of static data, {tables.size:,} bytes of constant tables"
    if dialect.language == "C":
        stack = 512 + 12 * max(f.names for f in made) + 16 * library.count("=")
        stack += 64 * library.count("static double")
        text += f", at most {stack:,} bytes of stack besides what libm needs"
    return (
        f"{text}. Nothing is allocated. All calls share the static data, so one call must end "
        "before the next begins; results must not overlap parameters."
    )
