"""Checks of JSON values: every number in its range, or an error that names the member."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from ...core.expect import describe
from ...errors import DataError

__all__ = ["Point", "known", "members", "points", "real", "refuse", "switch", "whole"]

Point = tuple[float, float, int]
"""x, y and the label, 0 or 1."""

FARTHEST = 1e6
"""The largest coordinate that the picture can show."""


def refuse(where: str, expected: str, got: str, fix: str) -> NoReturn:
    """Raise the error with these four parts."""
    raise DataError(where=where, expected=expected, got=got, fix=fix)


def whole(where: str, thing: object, low: int, high: int) -> int:
    """Check for an integer in a range.

    >>> whole("count", 3, 1, 10)
    3
    """
    if isinstance(thing, int) and not isinstance(thing, bool) and low <= thing <= high:
        return thing
    expected = f"an integer between {low:,} and {high:,}"
    refuse(where, expected, _short(thing), "Choose an integer in this range.")


def real(where: str, thing: object, low: float, high: float) -> float:
    """Check for a finite number in a range.

    >>> real("lr", 1, 0.0, 10.0)
    1.0
    """
    if isinstance(thing, (int, float)) and not isinstance(thing, bool) and low <= thing <= high:
        return float(thing)
    expected = f"a number between {low:g} and {high:g}"
    refuse(where, expected, _short(thing), "Choose a number in this range.")


def known(where: str, thing: object, names: Iterable[str]) -> str:
    """Check for one of some names."""
    choices = tuple(names)
    if isinstance(thing, str) and thing in choices:
        return thing
    refuse(where, f"one of {', '.join(choices)}", _short(thing), "Check the spelling.")


def switch(where: str, thing: object) -> bool:
    """Check for true or false."""
    if isinstance(thing, bool):
        return thing
    refuse(where, "true or false", _short(thing), "Write it without quotation marks.")


def members(where: str, thing: object, names: Iterable[str]) -> Mapping[str, Any]:
    """Check for a JSON object without other members than these."""
    choices = tuple(names)
    if not isinstance(thing, dict):
        refuse(where, "a JSON object", _short(thing), 'Write it like {"name": 1}.')
    for name in thing:
        if name not in choices:
            got = _short(name)
            refuse(where, f"members among {', '.join(choices)}", got, "Check the spelling.")
    return thing


def points(where: str, thing: object, most: int) -> tuple[Point, ...]:
    """Check for a list of at most ``most`` points [x, y, label].

    >>> points("points", [[0.5, -1, 1]], 10)
    ((0.5, -1.0, 1),)
    """
    return tuple(several(where, thing, most, "points", _point))


def several(
    where: str, thing: object, most: int, what: str, read: Callable[[str, Any], Any]
) -> list[Any]:
    """Check for a list of at most ``most`` members, and read each by ``read(where, member)``."""
    if not isinstance(thing, list):
        refuse(where, f"a list of {what}", _short(thing), "Put them between [ and ].")
    if len(thing) > most:
        refuse(where, f"at most {most:,} {what}", f"{len(thing):,}", "Leave some of them out.")
    return [read(f"{where}[{index}]", one) for index, one in enumerate(thing)]


def _point(where: str, thing: object) -> Point:
    if not isinstance(thing, list) or len(thing) != 3:
        refuse(where, "a point [x, y, label]", _short(thing), "Write [0.5, -1, 1].")
    x, y = (real(f"{where}[{i}]", thing[i], -FARTHEST, FARTHEST) for i in (0, 1))
    return x, y, whole(f"{where}[2]", thing[2], 0, 1)


def _short(thing: object) -> str:
    """Describe a value. Huge integers are not written out, because Python may refuse to."""
    if isinstance(thing, int) and thing.bit_length() > 64:
        return f"an integer of {thing.bit_length()} bits"
    if isinstance(thing, float) and not math.isfinite(thing):
        return "a number that is not finite"
    if isinstance(thing, (list, dict)):
        kind = "a list" if isinstance(thing, list) else "an object"
        return f"{kind} with {len(thing):,} members"
    return describe(thing)
