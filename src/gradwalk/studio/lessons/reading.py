"""The conversion of lessons into blocks for the page."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import FileError

__all__ = [
    "TOLERANCE",
    "Choice",
    "Course",
    "Lesson",
    "Question",
    "courses",
    "lessons",
    "read",
    "spans",
]

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
class Choice:
    """A question whose answer is one of several sentences.

    ``options``  sentences, and feedback on each
    ``right``    the number of the correct option, from 1
    """

    name: str
    ask: str
    options: tuple[tuple[str, str], ...]
    right: int


@dataclass(frozen=True)
class Lesson:
    """One lesson: its title, the blocks of its page, and its questions by name.

    ``id``      its address on the page, unique among all courses
    ``number``  its place in its course, from 1
    """

    id: str
    number: int
    title: str
    summary: str
    blocks: tuple[dict[str, Any], ...]
    questions: Mapping[str, Question | Choice] = field(repr=False)

    def page(self) -> dict[str, Any]:
        """Return the lesson for the browser, without the answers."""
        return {
            "id": self.id,
            "number": self.number,
            "title": self.title,
            "summary": self.summary,
            "blocks": list(self.blocks),
        }


@dataclass(frozen=True)
class Course:
    """Lessons that belong together, in order. ``called`` is the word for one of them."""

    name: str
    title: str
    called: str
    lead: str
    lessons: tuple[Lesson, ...] = field(repr=False)

    def page(self) -> dict[str, Any]:
        """Return the course for the browser, without the answers."""
        return {
            "name": self.name,
            "title": self.title,
            "called": self.called,
            "lead": self.lead,
            "lessons": [lesson.page() for lesson in self.lessons],
        }


@cache
def courses() -> tuple[Course, ...]:
    """Return the courses. Each has a folder of its own.

    >>> [course.title for course in courses()]
    ['Understand gradients', 'Build it yourself']
    """
    return (
        Course(
            "gradients",
            "Understand gradients",
            "Lesson",
            "Six short lessons on the backward pass. Step through the graphs and answer the "
            "questions. The engine checks your answers. The accepted tolerance is shown beside "
            "each question.",
            _lessons(FOLDER / "gradients", ""),
        ),
        Course(
            "build",
            "Build it yourself",
            "Chapter",
            "Write your own engine, from an empty file to a network that learns XOR. Twelve "
            "chapters, about two sittings. Each explains one phase of the workshop, and ends with "
            "questions, among them those of interviews.",
            _lessons(FOLDER / "engine", "build-"),
        ),
    )


def lessons() -> tuple[Lesson, ...]:
    """Return the lessons of all courses in order.

    >>> [lesson.title for lesson in lessons()][:2]
    ['Values that record their operations', 'The chain rule on one path']
    """
    return tuple(lesson for course in courses() for lesson in course.lessons)


def _lessons(folder: Path, prefix: str) -> tuple[Lesson, ...]:
    return tuple(read(path, prefix) for path in sorted(folder.glob("*.toml")))


def read(path: Path, prefix: str) -> Lesson:
    """Return the lesson of a file. The number in front of its name is its place in the course.

    Raise `FileError` for a block of no known kind.
    """
    text = tomllib.loads(path.read_text(encoding="utf-8"))
    number = int(path.name.partition("-")[0])
    questions = {q.name: q for part in text["block"] for q in _questions(part, path.name)}
    blocks = tuple(b for part in text["block"] for b in _blocks(part, questions, path.name))
    return Lesson(f"{prefix}{number}", number, text["title"], text["summary"], blocks, questions)


def _questions(part: Mapping[str, Any], file: str) -> Iterator[Question | Choice]:
    match part:
        case {"question": record}:
            mistakes = tuple((m["answer"], m["words"]) for m in record.get("mistakes", ()))
            yield Question(**{**record, "mistakes": mistakes})
        case {"choice": record}:
            options = tuple((option["option"], option["words"]) for option in record["options"])
            if record["right"] not in range(1, len(options) + 1):
                raise FileError(
                    where=file,
                    expected=f"an integer between 1 and {len(options)} as the correct option",
                    got=f"right = {record['right']!r}",
                    fix=f"Set right in the choice {record['name']!r}.",
                )
            yield Choice(record["name"], record["ask"], options, record["right"])


def _blocks(
    part: Mapping[str, Any], questions: Mapping[str, Question | Choice], file: str
) -> Iterator[dict[str, Any]]:
    """Yield the blocks of one part of a lesson. The keys of a part determine its kind."""
    match part:
        case {"walk": formula, "values": values, "caption": caption}:
            walk = {"kind": "walk", "formula": formula, "values": values, "caption": caption}
            yield {**walk, "beside": _paragraphs(part.get("text", ""))}
        case {"text": text}:
            for paragraph in _paragraphs(text):
                yield {"kind": "text", "spans": paragraph}
        case {"heading": text}:
            yield {"kind": "heading", "text": text}
        case {"code": text}:
            yield {"kind": "code", "text": text.strip("\n")}
        case {"solution": text}:
            yield {"kind": "solution", "text": text.strip("\n")}
        case {"cell": ask, "phase": int(phase)}:
            yield {"kind": "cell", "spans": spans(ask), "phase": phase}
        case {"question": {"name": name}} | {"choice": {"name": name}}:
            yield _asked(questions[name])
        case {"table": rows, "label": label}:
            head, *body = ([spans(cell) for cell in row] for row in rows)
            yield {"kind": "table", "label": label, "head": head, "rows": body}
        case {"room": room, "words": words}:
            yield {"kind": "room", "room": room, "words": words}
        case _:
            raise FileError(
                where=file,
                expected="a block of a known kind, with its members",
                got=f"a block with {', '.join(part) or 'nothing'}",
                fix="Compare it with the other lessons.",
            )


def _paragraphs(text: str) -> list[list[dict[str, str]]]:
    return [spans(paragraph) for paragraph in re.split(r"\n\s*\n", text.strip()) if paragraph]


def _asked(question: Question | Choice) -> dict[str, Any]:
    if isinstance(question, Choice):
        return {
            "kind": "choice",
            "name": question.name,
            "spans": spans(question.ask),
            "options": [spans(text) for text, _ in question.options],
        }
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
