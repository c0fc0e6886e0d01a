"""Docstrings of gradwalk as reStructuredText: sections become lists, formulas are set.

>>> lines = ["Return x*y, a_ and `add`.", "", "    y = a²", "", "Parameters", "----------"]
>>> lines += ["x, y : (n,)", "    The factors."]
>>> print(*reread(lines), sep=chr(10))
Return x\\*y, a\\_ and `add`.
<BLANKLINE>
.. math::
<BLANKLINE>
   y = a^{2}
<BLANKLINE>
.. rubric:: Parameters
<BLANKLINE>
``x``, ``y`` : ``(n,)``
    The factors.
"""

from __future__ import annotations

import re
from itertools import groupby

from gradwalk import errors

from .formulas import is_formula, tex

__all__ = ["reread"]

ERROR = re.compile(rf"^`({'|'.join(errors.__all__)})`$")
ITEM = re.compile(r"(``[^`]+``|`[^`]+`)  +(?=\S)")
TITLE = re.compile(r"^[A-Z][A-Za-z ]+$")
UNDERLINE = re.compile(r"^-{3,}$")


def reread(lines: list[str], formula: str = "", bound: str = "") -> list[str]:
    """Replace the lines of a docstring by reStructuredText in place, and return them.

    ``formula`` is the formula in TeX, where it is known better than the text has it. ``bound`` is
    the argument that a method does not have.
    """
    starts = [
        i for i in range(len(lines) - 1) if TITLE.match(lines[i]) and UNDERLINE.match(lines[i + 1])
    ]
    out = paragraphs(lines[: starts[0]] if starts else lines, formula)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        body = lines[start + 2 : end]
        out += [f".. rubric:: {lines[start]}", "", *_section(lines[start], body, bound), ""]
    lines[:] = out[: -1 if out and not out[-1] else None]
    return lines


def _section(title: str, body: list[str], bound: str) -> list[str]:
    """Return the body of a section: a list of definitions, of names, or paragraphs."""
    if title == "See Also":
        return [re.sub(r"([\w.]+)", r":py:obj:`~\1`", line) for line in body]
    if title not in ("Parameters", "Returns", "Yields", "Raises", "Shape"):
        return paragraphs(body)
    out: list[str] = []
    left_out = False
    for line in body:
        if line.startswith(" ") or not line:
            if not left_out:
                out.append(line[:4] + escaped(line[4:]))
            continue
        names, _, shape = line.partition(" : ")
        listed = [name for name in names.split(", ") if title != "Parameters" or name != bound]
        left_out = not listed
        if title in ("Returns", "Yields"):
            out += ["", f"``{line}``"]
        elif title == "Raises":
            out += ["", ", ".join(escaped(f"`{name}`") for name in listed)]
        elif listed:
            terms = ", ".join(f"``{name}``" for name in listed)
            out += ["", f"{terms} : ``{shape}``" if shape else terms]
    return out[1:]


def paragraphs(lines: list[str], formula: str = "") -> list[str]:
    """Return paragraphs, examples and formulas as reStructuredText."""
    blocks = [
        list(found) for full, found in groupby(lines, key=lambda line: bool(line.strip())) if full
    ]
    out: list[str] = []
    quoted = False
    for block in blocks:
        indented = all(line.startswith("  ") for line in block)
        if block[0].lstrip().startswith(">>>"):
            quoted, text = False, block
        elif indented and not quoted and is_formula(block):
            given = [formula] if formula else [tex(line) for line in block]
            text = [".. math::", "", *(f"   {line}" for line in [r" \\\\ ".join(given)])]
            formula = ""
        elif indented:
            text = block if quoted else ["::", "", *block]
            quoted = True
        else:
            quoted, text = False, prose(block)
        out += [*text, ""]
    return out


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
