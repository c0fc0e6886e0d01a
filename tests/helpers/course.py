"""The file of a learner who takes the solution of each chapter of "Build it yourself"."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

from gradwalk.studio.lessons import Lesson, courses
from gradwalk.workshop import skeleton

__all__ = ["CHAPTERS", "engine", "merged", "texts"]

CHAPTERS = courses()[1].lessons


def texts(chapter: Lesson, kind: str) -> list[str]:
    """Return the texts of the blocks of one kind."""
    return [block["text"] for block in chapter.blocks if block["kind"] == kind]


def merged(fragments: list[str]) -> str:
    """Return a file with all fragments. A later definition replaces an earlier one by its name."""
    return ast.unparse(ast.Module(_merged([ast.parse(text) for text in fragments]), []))


def _merged(parts: list[Any]) -> list[ast.stmt]:
    found: dict[str, list[Any]] = {}
    for part in parts:
        for node in part.body:
            name = getattr(node, "name", ast.unparse(node))
            both = isinstance(node, ast.ClassDef) and name in found
            found[name] = [*found[name], node] if both else [node]
    for nodes in found.values():
        if len(nodes) > 1:
            nodes[0].body = _merged([ast.Module(node.body, []) for node in nodes])
    return [nodes[0] for nodes in found.values()]


@cache
def engine(number: int) -> str:
    """Return the file after a chapter; after chapter 0 it is the file that the workshop opens."""
    if number == 0:
        return skeleton()
    return merged([text for chapter in CHAPTERS[:number] for text in texts(chapter, "solution")])
