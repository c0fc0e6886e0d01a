"""The sentences in source files: comments and texts of TypeScript and Python, texts of lessons."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator

__all__ = ["Prose", "of_lesson", "of_python", "of_typescript"]

Prose = tuple[int, str]
"""A line number and a text, with CODE in place of what is computed."""

STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
COMMENT = re.compile(r"//([^\n]*)|/\*(.*?)\*/", re.DOTALL)
JSX = re.compile(r"(?<=[>}])[^<>{};=]*?[A-Za-z]{2,}[^<>{};=]*(?=[<{])")
ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|([^u]))")
CODE = "CODE"


def of_typescript(text: str, jsx: bool = False) -> list[Prose]:
    """Return the comments, the strings and, with ``jsx``, the text between tags."""
    scanner = _Scanner(text)
    scanner.scan()
    found = scanner.found
    if jsx:
        code = "".join(scanner.code).replace("&apos;", "’")
        for match in JSX.finditer(code):
            found.append((code.count("\n", 0, match.start()) + 1, match[0]))
    return sorted((line, _joined(text)) for line, text in found)


class _Scanner:
    """A reader of TypeScript that distinguishes comments, strings and code.

    A quotation mark in a regular expression counts as the beginning of a string. A string ends with
    its line, so the rest of the file is not affected.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[Prose] = []
        self.code: list[str] = []
        """The text without comments and strings, with all its lines."""

    def scan(self) -> None:
        """Read up to the end, or to the brace that closes the expression of a template."""
        depth, end, last = 0, -1, -1  # where the last string has ended, and its index in `found`
        while self.at < len(self.text):
            start, sign = self.at, self.text[self.at]
            if match := COMMENT.match(self.text, start):
                self._pass(match.end())
                self._add(start, re.sub(r"\n\s*\*", "\n", (match[1] or match[2] or "").strip("*")))
            elif sign == "`" or (match := STRING.match(self.text, start)):
                continues = end >= 0 and self.text[end:start].strip() == "+"
                if match:
                    text = match[0][1:-1]
                    self._pass(match.end())
                else:
                    text = self._template()
                if continues:
                    line, before = self.found[last]
                    self.found[last] = (line, before + _unescaped(text))
                else:
                    last = self._add(start, text)
                end = self.at
            else:
                depth += (sign == "{") - (sign == "}")
                if depth < 0:
                    return
                self.code.append(sign)
                self.at += 1

    def _template(self) -> str:
        """Read a template and the code in it. Return its text, with CODE for the code."""
        parts = []
        self.at += 1
        while self.text[self.at] != "`":
            if self.text.startswith("${", self.at):
                self.at += 2
                self.scan()
                parts.append(CODE)
                self.at += 1
            else:
                length = 2 if self.text[self.at] == "\\" else 1
                parts.append(self.text[self.at : self.at + length])
                self._pass(self.at + length)
        self._pass(self.at + 1)
        return "".join(parts)

    def _pass(self, end: int) -> None:
        """Leave a part of the text out of the code, except the ends of its lines."""
        self.code.append("\n" * self.text.count("\n", self.at, end))
        self.at = end

    def _add(self, start: int, text: str) -> int:
        self.found.append((self.text.count("\n", 0, start) + 1, _unescaped(text)))
        return len(self.found) - 1


def _unescaped(text: str) -> str:
    return ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1] or CODE, text)


def _joined(text: str) -> str:
    return " ".join(text.split())


def of_python(text: str, docstrings: bool = False) -> list[Prose]:
    """Return the strings, with ``docstrings`` also the docstrings and the comments."""
    found: list[Prose] = []
    skipped: set[int] = set()  # parents are walked before their children
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(document)) as value):
                skipped.add(id(value))
                found += _paragraphs(value.lineno, document) if docstrings else ()
            case ast.JoinedStr(values=parts):
                skipped.update(map(id, parts))
                texts = [str(p.value) if isinstance(p, ast.Constant) else CODE for p in parts]
                found.append((node.lineno, "".join(texts)))
            case ast.Constant(value=str(string)) if id(node) not in skipped:
                found.append((node.lineno, string))
    return sorted([*found, *(_comments(text) if docstrings else ())])


def _paragraphs(line: int, text: str) -> Iterator[Prose]:
    """Yield the paragraphs of a docstring that are neither formulas nor examples."""
    for paragraph in re.split(r"\n\s*\n", text):
        if ">>>" not in paragraph and not paragraph.startswith("        "):
            yield line, _joined(re.sub(r"``[^`]*``|`[^`]*`", CODE, paragraph))
        line += paragraph.count("\n") + 2


def _comments(text: str) -> Iterator[Prose]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


TEXTS = ("title", "summary", "text", "caption", "heading", "words", "ask", "explain", "hint")
TEXTS += ("cell", "option", "label")
"""The members of a lesson that are sentences."""


def of_lesson(text: str) -> list[str]:
    """Return the sentences of a lesson, with CODE in place of code."""
    found: list[str] = []

    def collect(part: object) -> None:
        if isinstance(part, dict):
            for key, value in part.items():
                if key in TEXTS and isinstance(value, str):
                    found.append(_joined(re.sub(r"`[^`]*`", CODE, value)))
                else:
                    collect(value)
        elif isinstance(part, list):
            for value in part:
                collect(value)

    collect(tomllib.loads(text))
    return found
