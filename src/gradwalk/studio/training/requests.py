"""The requests of the page. All messages are read here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ...errors import DataError, GradwalkError
from .configuration import LIMITS, Configuration
from .frames import Watch
from .reading import known, members, points, refuse, switch, whole

__all__ = ["MOST_STEPS", "Request", "read", "refusal"]

MOST_STEPS = 10_000
"""The largest number of updates in one request."""


@dataclass(frozen=True, slots=True)
class Request:
    """A valid message: its type and content."""

    type: str
    content: Any = None


def read(text: str | None) -> Request:
    """Read the request in a message. Raise `DataError` for an invalid one.

    >>> read('{"type": "step", "count": 3}')
    Request(type='step', content=3)
    """
    message = _parsed(text)
    if not isinstance(message, dict) or "type" not in message:
        fix = 'Write it like {"type": "start"}.'
        refuse("message", "a JSON object with a type", type(message).__name__, fix)
    kind = known("message.type", message["type"], READERS)
    return Request(kind, READERS[kind]({k: v for k, v in message.items() if k != "type"}))


def _parsed(text: str | None) -> Any:
    if text is None:
        refuse("message", "text", "bytes", "Send JSON as text.")
    size = len(text.encode(errors="surrogatepass"))
    if size > LIMITS.bytes:
        fix = "Send less at once, such as fewer points or a shorter table."
        refuse("message", f"at most {LIMITS.bytes:,} bytes", f"{size:,} bytes", fix)
    try:
        return json.loads(text, parse_constant=_no_number)
    except DataError:  # of a NaN, in four parts already
        raise
    except RecursionError:
        refuse("message", "JSON", "brackets that are nested too deeply", "Send a flat object.")
    except ValueError as error:
        refuse("message", "JSON", f"other text ({error})", "Send one JSON object.")


def _no_number(name: str) -> NoReturn:
    refuse("message", "JSON, which has only finite numbers", name, "Leave it out.")


# --- one reader for each type -----------------------------------------------------------------


def _member(type_: str, message: Mapping[str, Any], name: str) -> Any:
    """Return the only member of a message."""
    return _all_of(type_, message, name)[0]


def _all_of(type_: str, message: Mapping[str, Any], *names: str) -> list[Any]:
    """Return the members of a message, all of which are required."""
    members(type_, message, names)
    for name in names:
        if name not in message:
            refuse(type_, f"the member {name}", "none", f'Add "{name}" to the message.')
    return [message[name] for name in names]


def _nothing(type_: str) -> Callable[[Mapping[str, Any]], None]:
    def read_nothing(message: Mapping[str, Any]) -> None:
        members(type_, message, ())

    return read_nothing


def _configure(message: Mapping[str, Any]) -> Configuration:
    return Configuration.of(_member("configure", message, "configuration"))


def _points(message: Mapping[str, Any]) -> tuple[tuple[float, float, int], ...]:
    return points("points.points", _member("points", message, "points"), LIMITS.points)


def _csv(message: Mapping[str, Any]) -> str:
    text = _member("csv", message, "text")
    if not isinstance(text, str):
        refuse("csv.text", "the text of a table", type(text).__name__, "Send it as a string.")
    return text


def _start(message: Mapping[str, Any]) -> int | None:
    given = members("start", message, ("perFrame",)).get("perFrame")
    return None if given is None else whole("start.perFrame", given, 1, MOST_STEPS)


def _number(type_: str, name: str, low: int, high: int) -> Callable[[Mapping[str, Any]], int]:
    place = f"{type_}.{name}"
    return lambda message: whole(place, _member(type_, message, name), low, high)


def _watch(message: Mapping[str, Any]) -> Watch:
    gradients, resolution = _all_of("watch", message, "gradients", "resolution")
    cells = whole("watch.resolution", resolution, 0, LIMITS.resolution)
    return Watch(switch("watch.gradients", gradients), cells)


READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "configure": _configure,
    "points": _points,
    "csv": _csv,
    "start": _start,
    "pause": _nothing("pause"),
    "step": _number("step", "count", 1, MOST_STEPS),
    "rewind": _nothing("rewind"),
    "restore": _nothing("restore"),
    "watch": _watch,
    "shown": _number("shown", "frame", 0, 2**53),
    "walk": _number("walk", "example", 0, LIMITS.points - 1),
}


def refusal(error: GradwalkError) -> dict[str, str]:
    """Return the answer to an invalid request: the four parts of the error."""
    parts = {"where": error.where, "expected": error.expected, "got": error.got, "fix": error.fix}
    return {"type": "refused", **parts}
