"""Lines and names of the user's program, which errors, warnings and explanations point to."""

from __future__ import annotations

import linecache
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import CO_VARARGS, CO_VARKEYWORDS
from os import sep
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

__all__ = ["HOME", "Line", "caller", "here", "line_of_caller", "located", "name_in_program"]
__all__ += [
    "is_passed",
    "place",
    "runs_inside",
    "short_file",
    "short_place",
    "source_of",
    "text_tree",
    "user_frames",
]
__all__ += ["warn_at", "warn_user"]

HOME = f"{Path(__file__).resolve().parents[1]}{sep}"
"""The folder of the package: a frame outside it belongs to the user."""

Line = tuple[CodeType, int]
"""A code object and an offset in it, from which the line is computed when it is shown."""


def user_frames(frame: FrameType | None = None) -> Iterator[FrameType]:
    """Yield the frames outside of gradwalk, the innermost first."""
    frame = sys._getframe(1) if frame is None else frame
    while frame is not None:
        if not frame.f_code.co_filename.startswith(HOME):
            yield frame
        frame = frame.f_back


def caller() -> FrameType | None:
    """Return the innermost frame outside of gradwalk."""
    return next(user_frames(), None)


def runs_inside(codes: Container[CodeType]) -> bool:
    """Return whether one of these functions runs, called since the line of the program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(HOME):
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


def is_passed(x: Any) -> bool:
    """Return whether the line of the program has passed an array to gradwalk, or a part of it."""
    frame: FrameType | None = sys._getframe(1)
    outermost = frame
    while frame is not None and frame.f_code.co_filename.startswith(HOME):
        outermost, frame = frame, frame.f_back
    if outermost is None:
        return False
    code = outermost.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    given = [outermost.f_locals.get(name) for name in code.co_varnames[:count]]
    owner = _owner(x)
    return any(_owner(part) is owner for part in _with_parts(given))


def _owner(x: Any) -> Any:
    """Return the array that the memory of a view, or of a Tensor, belongs to."""
    array = x if hasattr(x, "_primal") else getattr(x, "_data", x)  # a tracer is not asked
    base = getattr(array, "base", None)
    return array if base is None else base


def _with_parts(things: Iterable[Any]) -> Iterator[Any]:
    for thing in things:
        yield thing
        if isinstance(thing, (list, tuple, dict)):
            yield from _with_parts(thing.values() if isinstance(thing, dict) else thing)


def line_of_caller(depth: int = 1) -> Line:
    """Return the line of the program that is being run: of the innermost frame outside.

    It looks from the frame at ``depth`` on.
    """
    frame = sys._getframe(depth)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HOME):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti  # the line number is computed only for messages


def located(line: Line | None) -> tuple[str, int]:
    """Return file and line; no file for a line of gradwalk itself, or for none."""
    if line is None or line[0].co_filename.startswith(HOME):
        return "", 0
    return line[0].co_filename, _number(*line)


@lru_cache(maxsize=1024)  # paths ask for the same lines again and again: 7 us each
def _number(code: CodeType, offset: int) -> int:
    """Return the line at an offset, from the code alone, because the frame is gone."""
    found = (n for a, b, n in code.co_lines() if a <= offset < b and n)
    return next(found, code.co_firstlineno)


def short_file(file: str) -> str:
    """Return the name of a file without its folder."""
    return file.replace("\\", "/").rpartition("/")[2]


def short_place(line: Line | None) -> str:
    """Return ``train.py, line 12``, or ``""`` if the line is unknown."""
    file, number = located(line)
    return f"{short_file(file)}, line {number}" if file else ""


def source_of(line: Line | None) -> tuple[str, str]:
    """Return ``train.py:12`` and the text of the line, empty if the line is unknown."""
    file, number = located(line)
    return (
        (f"{short_file(file)}:{number}", linecache.getline(file, number).strip())
        if file
        else ("", "")
    )


def place(line: Line | None) -> str:
    """Return a line of the program and where it stands: ``y = x.log()  (train.py, line 12)``."""
    file, number = located(line)
    text = linecache.getline(file, number).strip() if file else ""
    return f"{text}   ({short_place(line)})" if text else short_place(line)


def here() -> str:
    """Return the line of the program that is being run, and where it stands."""
    return place(line_of_caller())


def warn_at(frame: FrameType | None, message: str | Warning, category: type[Warning]) -> None:
    """Warn at the line that ``frame`` is running."""
    names = {} if frame is None else frame.f_globals
    warnings.warn_explicit(
        message,
        category,
        "sys" if frame is None else frame.f_code.co_filename,
        1 if frame is None else frame.f_lineno,
        names.get("__name__", "<string>"),
        names.setdefault("__warningregistry__", {}),
    )


def warn_user(message: Warning) -> None:
    """Warn at the line of the program that is being run."""
    warn_at(caller(), message, type(message))


def name_in_program(wanted: Callable[[Any], bool]) -> str:
    """Return the name of a variable or an attribute of the callers, ``""`` if there is none."""
    for frame in user_frames():
        for variables in (frame.f_locals, frame.f_globals):
            found = _name_in(wanted, variables)
            if found:
                return found
    return ""


def _name_in(wanted: Callable[[Any], bool], variables: Mapping[str, Any]) -> str:
    members = list(variables.items())
    for name, thing in members:
        if wanted(thing):
            return name
    # members second: a plain variable is the shorter name for the same object
    for name, thing in members:
        if isinstance(thing, (list, tuple)) and len(thing) < 1000:
            for i, member in enumerate(thing):
                if wanted(member):
                    return f"{name}[{i}]"
        fields = {} if isinstance(thing, type) else getattr(thing, "__dict__", {})
        for attribute, member in list(fields.items()) if type(fields) is dict else ():
            if attribute[0] != "_" and wanted(member):
                return f"{name}.{attribute}"
    return ""


def text_tree(top: str, branches: Sequence[Sequence[str]]) -> str:
    """Return what several paths share, with the paths below it, as lines of text.

    >>> print(text_tree("h", [["a", "a.backward()"], ["b"]]))
    h
    ├─ a
    │  └─ a.backward()
    └─ b
    """
    lines = [top]
    for i, path in enumerate(branches):
        last = i == len(branches) - 1
        for depth, step in enumerate(path):
            margin = ("   " if last else "│  ") + "   " * (depth - 1) if depth else ""
            lines.append(f"{margin}{'└─' if depth or last else '├─'} {step}")
    return "\n".join(lines)
