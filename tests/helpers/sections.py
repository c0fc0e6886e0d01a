"""The sections of a docstring in NumPy's style: what ``Parameters`` names, with which shape."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["ORDER", "Docstring", "parsed"]

ORDER = ("Parameters", "Returns", "Yields", "Raises", "Shape", "See Also", "References", "Examples")
UNDERLINE = re.compile(r"^-{3,}$")


@dataclass
class Docstring:
    """A docstring taken apart: the text before the sections, and the entries of each section."""

    head: str
    sections: dict[str, str] = field(default_factory=dict)

    def entries(self, section: str) -> dict[str, tuple[str, str]]:
        """Return the entries of a section: for each name the text after its colon, and below it."""
        found: dict[str, tuple[str, str]] = {}
        names: list[str] = []
        for line in self.sections.get(section, "").splitlines():
            if line and not line.startswith(" "):
                left, _, right = line.partition(" : ")
                names = (
                    [name.strip() for name in left.split(", ")] if section != "Returns" else [line]
                )
                found |= dict.fromkeys(names, (right.strip(), ""))
            elif line.strip():
                for name in names:
                    shape, text = found[name]
                    found[name] = (shape, f"{text} {line.strip()}".strip())
        return found


def parsed(text: str) -> Docstring:
    """Return a docstring, as `inspect.getdoc` gives it, taken apart at its underlined titles."""
    lines = text.splitlines()
    starts = [
        i for i in range(len(lines) - 1) if lines[i].strip() and UNDERLINE.match(lines[i + 1])
    ]
    ends = [*starts[1:], len(lines)][: len(starts)]
    head = "\n".join(lines[: starts[0]] if starts else lines)
    return Docstring(
        head.strip(),
        {
            lines[a]: "\n".join(lines[a + 2 : b]).strip("\n")
            for a, b in zip(starts, ends, strict=True)
        },
    )
