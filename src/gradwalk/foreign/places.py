"""Lines of the user's program around operations that run later."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, TypeVar

from ..core.places import Line

__all__ = ["Place", "at", "is_line", "line_at"]

R = TypeVar("R")

Place = tuple[str, int, str]
"""A file, a line in it, and the name of the function that the line belongs to."""

_codes: dict[Place, CodeType] = {}


def _call(f: Callable[..., Any], args: Any) -> Any:
    return f(*args)  # the line of this call is replaced by the line of the user


def is_line(code: CodeType) -> bool:
    """Return whether code stands for a line of a program, and for no expression in it."""
    return code.co_code == _call.__code__.co_code and code.co_filename != __file__


def _code(place: Place) -> CodeType:
    code = _codes.get(place)
    if code is None:
        file, line, name = place
        # the call is one line below the head of the function
        code = _call.__code__.replace(co_filename=file, co_firstlineno=line - 1, co_name=name)
        _codes[place] = code
    return code


def line_at(place: Place) -> Line:
    """Return a place as a recorded line, which `why` reads as it reads those of graphs."""
    code = _code(place)
    return code, next(a for a, _, n in code.co_lines() if n == place[1])


def at(place: Place | None, f: Callable[..., R], *args: Any) -> R:
    """Return ``f(*args)``, called from a frame that stands at a line of the user's program.

    Graphs, observers and warnings take the innermost frame outside of gradwalk for the line of an
    operation. ``None`` stands for an unknown line, and leaves the frames as they are.
    """
    if place is None:
        return f(*args)
    found: R = FunctionType(_code(place), {})(f, args)
    return found
