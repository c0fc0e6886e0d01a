"""Docstrings of gradwalk as reStructuredText: its marks are escaped, formulas keep their lines.

>>> lines = ["Return x*y, a_ and `add`.", "", "    y = a_*b", "", ">>> 2*3", "6"]
>>> print(*reread(lines), sep=chr(10))
Return x\\*y, a\\_ and `add`.
<BLANKLINE>
::
<BLANKLINE>
    y = a_*b
<BLANKLINE>
>>> 2*3
6
"""

from __future__ import annotations

import re
from itertools import groupby

from gradwalk import errors

__all__ = ["reread"]

ERROR = re.compile(rf"^`({'|'.join(errors.__all__)})`$")
ITEM = re.compile(r"(``[^`]+``|`[^`]+`)  +(?=\S)")


def reread(lines: list[str]) -> list[str]:
    """Replace the lines of a docstring by reStructuredText in place, and return them."""
    blocks = [
        list(found) for full, found in groupby(lines, key=lambda line: bool(line.strip())) if full
    ]
    out: list[str] = []
    quoted = False
    for block in blocks:
        indented = all(line.startswith("  ") for line in block)
        if block[0].lstrip().startswith(">>>"):
            quoted, text = False, block
        elif indented:
            text = block if quoted else ["::", "", *block]
            quoted = True
        else:
            quoted, text = False, prose(block)
        out += [*text, ""]
    lines[:] = out[:-1]
    return lines


def prose(block: list[str]) -> list[str]:
    """Escape the marks of a paragraph; lines that describe arguments become a list.

    Indented lines after others, such as a formula without an empty line before it, become a literal
    block.
    """
    first = next((n for n, line in enumerate(block) if ITEM.match(line)), None)
    if first is not None:
        items = [
            ("* " if ITEM.match(line) else "  ") + escaped(ITEM.sub(r"\1: ", line).strip())
            for line in block[first:]
        ]
        return [*map(escaped, block[:first]), "", *items]
    out: list[str] = []
    listed = False
    for line in block:
        listed = listed or line.startswith(("* ", "- "))
        if line.startswith("  ") and not listed:
            if not (out and out[-1].startswith("  ")):
                out += ["", "::", ""]
            out.append(line)
            continue
        if out and out[-1].startswith("  ") and not listed:
            out.append("")
        mark, rest = (line[:2], line[2:]) if line.startswith(("* ", "- ")) else ("", line)
        out.append(mark + escaped(rest))
    return out


def escaped(line: str) -> str:
    """Escape what reStructuredText would read as a mark, outside of code."""
    parts = re.split(r"(``.+?``|`[^`]+`)", line)
    return "".join(
        ERROR.sub(r"`~gradwalk.errors.\1`", part)
        if index % 2
        else re.sub(r"([\\*|])|_(?!\w)|`", lambda m: "\\" + m[0], part)
        for index, part in enumerate(parts)
    )
