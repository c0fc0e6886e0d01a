"""The conversion of lessons into blocks for the page."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["TOLERANCE", "Lesson", "Question", "lessons", "spans"]

FOLDER = Path(__file__).parent
TOLERANCE = 1e-3
"""How far an answer may be off, as a part of the right one, if the question says nothing else."""

MARKED = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*")


@dataclass(frozen=True)
class Question:
    """A question about a formula. The engine computes the answer.

    ``answer``     ``a.grad``, ``d.data``, or a formula of the variables
    ``tolerance``  relative to the answer, or absolute if the answer is 0
    ``mistakes``   formulas of common wrong answers, with feedback on each
    ``hint``       feedback on the first wrong answer that is not among them
    """

    name: str
    ask: str
    formula: str
    values: Mapping[str, float]
    answer: str
    explain: str
    tolerance: float = TOLERANCE
    mistakes: tuple[tuple[str, str], ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class Lesson:
    """One lesson: its title, the blocks of its page, and its questions by name."""

    number: int
    title: str
    summary: str
    blocks: tuple[dict[str, Any], ...]
    questions: Mapping[str, Question] = field(repr=False)

    def page(self) -> dict[str, Any]:
        """Return the lesson for the browser, without the answers."""
        return {
            "number": self.number,
            "title": self.title,
            "summary": self.summary,
            "blocks": list(self.blocks),
        }


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons in order.

    >>> [lesson.title for lesson in lessons()][:2]
    ['Values that record their operations', 'The chain rule on one path']
    """
    return tuple(_lesson(path) for path in sorted(FOLDER.glob("*.toml")))


def _lesson(path: Path) -> Lesson:
    text = tomllib.loads(path.read_text(encoding="utf-8"))
    questions = {q["name"]: _question(q) for b in text["block"] if (q := b.get("question"))}
    blocks = tuple(block for part in text["block"] for block in _blocks(part, questions))
    return Lesson(int(path.name[0]), text["title"], text["summary"], blocks, questions)


def _question(record: Mapping[str, Any]) -> Question:
    mistakes = tuple((m["answer"], m["words"]) for m in record.get("mistakes", ()))
    return Question(**{**record, "mistakes": mistakes})


def _blocks(part: Mapping[str, Any], questions: Mapping[str, Question]) -> Iterator[dict[str, Any]]:
    """Yield the blocks of one part of a lesson. The keys of a part determine its kind."""
    match part:
        case {"text": text}:
            for paragraph in re.split(r"\n\s*\n", text.strip()):
                yield {"kind": "text", "spans": spans(paragraph)}
        case {"heading": text}:
            yield {"kind": "heading", "text": text}
        case {"code": text}:
            yield {"kind": "code", "text": text.strip("\n")}
        case {"walk": formula, "values": values}:
            yield {"kind": "walk", "formula": formula, "values": values, "caption": part["caption"]}
        case {"question": {"name": name}}:
            yield _asked(questions[name])
        case {"table": rows}:
            head, *body = ([spans(cell) for cell in row] for row in rows)
            yield {"kind": "table", "head": head, "rows": body}
        case {"room": room, "words": words}:
            yield {"kind": "room", "room": room, "words": words}


def _asked(question: Question) -> dict[str, Any]:
    return {
        "kind": "question",
        "name": question.name,
        "spans": spans(question.ask),
        "formula": question.formula,
        "values": question.values,
        "tolerance": question.tolerance,
    }


def spans(text: str) -> list[dict[str, str]]:
    """Split a paragraph into pieces of one style each.

    >>> spans("The sum `a + b` is **new**.")[1]
    {'style': 'code', 'text': 'a + b'}
    """
    pieces, end, line = [], 0, " ".join(text.split())
    for found in MARKED.finditer(line):
        pieces.append({"style": "plain", "text": line[end : found.start()]})
        code, strong = found.groups()
        pieces.append({"style": "code" if code else "strong", "text": code or strong})
        end = found.end()
    pieces.append({"style": "plain", "text": line[end:]})
    return [piece for piece in pieces if piece["text"]]
