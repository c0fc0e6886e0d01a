"""The message of an `InPlaceError`: the variable, and the line of the program that used it."""

from __future__ import annotations

import gc
import linecache
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any, NoReturn

import numpy as np

from ...errors import InPlaceError
from .node import Node

__all__ = ["forbid_leaf", "forbid_view", "name_of", "forbid_overwrite", "place_of"]

_PACKAGE = __name__.partition(".")[0]


def caller() -> FrameType | None:
    """Return the innermost frame that is not of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return frame


def name_of(tensor: Any) -> str:
    """Return a name for a Tensor: its label, or a variable or attribute that holds it."""
    if tensor.label:
        return str(tensor.label)
    # callers as well: the Tensor may have its name there, and be an argument here
    frame = caller()
    while frame:
        for variables in (frame.f_locals, frame.f_globals):
            found = _name_in(tensor, variables)
            if found:
                return found
        frame = frame.f_back
    return "the Tensor"


def _name_in(tensor: object, variables: Mapping[str, Any]) -> str:
    for name, thing in variables.items():
        if thing is tensor:  # not `==`, which compares elements
            return name
    # attributes second: a plain variable is the shorter name for the same Tensor
    for name, thing in variables.items():
        if not isinstance(thing, np.ndarray):  # a `Guarded` refers to the Tensor, too
            for attribute, member in getattr(thing, "__dict__", {}).items():
                if member is tensor:
                    return f"{name}.{attribute}"
    return ""


def place_of(node: Node) -> tuple[str, int, str]:
    """Return file, line and text of the line that recorded a node; no file if it is unknown."""
    if node.line is None:
        return "", 0, node.op
    code, offset = node.line
    # from the code alone, because the frame is gone
    line = next((n for a, b, n in code.co_lines() if a <= offset < b and n), code.co_firstlineno)
    return code.co_filename, line, linecache.getline(code.co_filename, line).strip()


def _describe(node: Node) -> str:
    name, line, text = place_of(node)
    file = name.replace("\\", "/").rpartition("/")[2]
    if not name or _is_ours(node.line):  # a line of gradwalk tells users nothing
        return f"an operation {node.op!r}"
    return f"{text!r} ({file}, line {line})" if text else f"{file}, line {line}, ({node.op})"


def _is_ours(line: tuple[CodeType, int] | None) -> bool:
    here = __file__.replace("\\", "/").rpartition("/tensor/")[0]
    return line is not None and line[0].co_filename.replace("\\", "/").startswith(here)


def _first(nodes: Iterable[Node]) -> str:
    """Return one of several nodes, the same in every run: the first by line."""
    # lines of the user come first: they are where the program can be changed
    places = [(_is_ours(node.line), place_of(node), _describe(node)) for node in nodes]
    return min(places)[2] if places else ""


def forbid_leaf(tensor: Any, what: str) -> NoReturn:
    """Raise `InPlaceError`: a leaf that requires gradients must not be overwritten."""
    leaf, name = tensor._node, name_of(tensor)
    used = _first(_consumers(leaf))
    since = f", which {used} has used" if used else ""
    raise InPlaceError(
        where=what,
        expected="a Tensor that is no leaf, or requires_grad=False",
        got=f"{name}, a leaf that requires gradients{since}",
        fix=f"Write it inside `with gradwalk.no_grad():`, or work on a copy: {name}.clone().",
    )


def _consumers(leaf: Node) -> Iterator[Node]:
    """Return the nodes computed from ``leaf``. The search is slow, so only errors use it."""
    for thing in gc.get_objects():
        if issubclass(type(thing), Node) and any(n is leaf for n in thing._inputs or ()):
            yield thing


def forbid_view(tensor: Any) -> None:
    """Raise `InPlaceError` if ``tensor`` is a view: its root would not notice a write."""
    alias = object.__getattribute__(tensor, "_alias")  # also of a Tensor that leaked
    if type(alias) is not tuple:
        return
    name, root = name_of(tensor), name_of(alias[0])
    raise InPlaceError(
        where=f"writing into {name}.data",
        expected="a Tensor that is no view",
        got=f"{name}, a view of {root}",
        fix=f"Write {name}[...] = array, which reaches {root}.",
    )


def forbid_overwrite(tensor: object, holders: Iterable[Any]) -> None:
    """Raise `InPlaceError` if ``holders`` is not empty: they still use the array of ``tensor``."""
    found = list(holders)
    if not found:
        return
    name, nodes = name_of(tensor), [h for h in found if isinstance(h, Node)]
    # the line that recorded the node explains more than another view does, so nodes come first
    got = f"{name}, whose numbers {_first(nodes)} has kept for its gradient"
    if not nodes:
        got = f"{name}, whose memory {name_of(found[0])} is a view of"
    raise InPlaceError(
        where=f"writing into {name}.data",
        expected="an array that nothing depends on any more",
        got=got,
        fix=f"Write after backward(), or give it a new array: {name}.data = array.",
    )
