"""The protocol of GradBench: a JSON message a line, and a JSON response a line."""

from __future__ import annotations

import json
import traceback
from collections.abc import Iterable
from importlib import import_module
from typing import IO, Any

from .evals import NAMES
from .runs import Prepare, evaluate

Message = dict[str, Any]


class RefusalError(Exception):
    """What a message asks for and this tool cannot do; the response carries the sentence."""


def serve(lines: Iterable[str], out: IO[str]) -> None:
    """Answer each message by one line, which is flushed; ``end`` is the last message."""
    for line in lines:
        if not line.strip():
            continue
        response, last = answer(line)
        out.write(f"{response}\n")
        out.flush()
        if last:
            return


def answer(line: str) -> tuple[str, bool]:
    """Return the response to a line, and whether no other message follows."""
    message: Any = None
    try:
        message = parse(line)
        response = respond(message)
    except Exception as error:
        response = {"success": False, "error": explained(error)}
    sent = message if isinstance(message, dict) else {}
    return written({"id": sent.get("id"), **response}), sent.get("kind") == "end"


def parse(line: str) -> Message:
    """Return the message of a line."""
    try:
        message = json.loads(line)
    except ValueError as error:
        raise RefusalError(f"expected a JSON message, got {shortened(line)}: {error}.") from None
    if not isinstance(message, dict) or type(message.get("id")) is not int:
        raise RefusalError(f"expected an object with an integer id, got {shortened(line)}.")
    return message


def respond(message: Message) -> Message:
    """Return the response to a message, without its id."""
    kind = message.get("kind")
    if kind == "start":
        return {"tool": "gradwalk"}
    if kind == "define":
        functions_of(message.get("module"))
        return {"success": True}
    if kind == "evaluate":
        return evaluated(message)
    return {}


def functions_of(module: object) -> dict[str, Prepare]:
    """Return the functions of an eval."""
    if module not in NAMES:
        raise RefusalError(f"unknown module {module!r}: there are {', '.join(NAMES)}.")
    found: dict[str, Prepare] = import_module(f".evals.{module}", __package__).FUNCTIONS
    return found


def evaluated(message: Message) -> Message:
    """Run a function as often as the input wishes; return its output and its times."""
    functions, function = functions_of(message.get("module")), message.get("function")
    if not isinstance(function, str) or function not in functions:
        raise RefusalError(f"unknown function {function!r}: there are {', '.join(functions)}.")
    given = message.get("input")
    wishes = given if isinstance(given, dict) else {}
    runs = {name: wishes[name] for name in ("min_runs", "min_seconds") if name in wishes}
    output, timings = evaluate(functions[function](given), **runs)
    return {"success": True, "output": output, "timings": timings}


def explained(error: Exception) -> str:
    """Return the sentence of a refusal, and the traceback of any other error."""
    return (
        str(error)
        if isinstance(error, RefusalError)
        else "".join(traceback.format_exception(error))
    )


def written(response: Message) -> str:
    """Return a response as strict JSON, which has no NaN and no infinity."""
    try:
        return json.dumps(response, allow_nan=False)
    except (TypeError, ValueError) as error:
        failed = {"id": response["id"], "success": False, "error": f"the output: {error}."}
        return json.dumps(failed)


def shortened(line: str) -> str:
    """Return a line for a message."""
    line = line.strip()
    return line if len(line) <= 60 else f"{line[:57]}..."
