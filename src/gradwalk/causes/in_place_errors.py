"""The message of an `InPlaceError`: the variable, and the line of the program that used it."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from ..core.carrier import Carrier
from ..core.places import here, located, name_in_program, place, warn_user
from ..errors import CutGraphWarning, InPlaceError
from .shared_graphs import told, two_paths

__all__ = ["forbid_leaf", "forbid_overwrite", "forbid_view", "name_of", "warn_of_result"]


def name_of(tensor: Any) -> str:
    """Return a name for a Tensor: its label, or a variable or attribute that holds it."""
    return str(tensor.label) or name_in_program(lambda thing: thing is tensor) or "the Tensor"


def _first(nodes: Iterable[Any]) -> str:
    """Return one of several nodes, the same in every run: the first by line."""
    # lines of the user come first: they are where the program can be changed
    found = [(not located(node.line)[0], located(node.line), told(node)) for node in nodes]
    return min(found)[2] if found else ""


def forbid_leaf(tensor: Any, what: str) -> NoReturn:
    """Raise `InPlaceError`: a leaf that requires gradients must not be overwritten."""
    leaf, name = tensor._node, name_of(tensor)
    used = _first(_consumers(leaf))
    tree = two_paths(name, [f"{used}: uses it"], [f"{here()}: overwrites it"]) if used else ""
    since = f", which a graph has used:{tree}" if used else ""
    raise InPlaceError(
        where=what,
        expected="a Tensor that is not a leaf, or requires_grad=False",
        got=f"{name}, a leaf that requires gradients{since}",
        fix=f"Write it inside `with gradwalk.no_grad():`, or work on a copy: {name}.clone().",
    )


def warn_of_result(tensor: Any, what: str) -> None:
    """Warn of an update inside ``no_grad()`` of a result that is trained as if it were a leaf.

    It is a plain number afterwards, so the next pass no longer reaches it. Only a line that reads a
    gradient trains it: activations are shifted inside ``no_grad()``, too.
    """
    if ".grad" not in here():
        return
    node, name = tensor._node, name_of(tensor)
    line = place(getattr(node, "line", None)) or node.op
    warn_user(
        CutGraphWarning(
            where=what,
            expected="a leaf, which an update inside no_grad() leaves one",
            got=f"{name}, the result of {line}: it requires no gradient from here on",
            fix="Put the whole start into Tensor(..., requires_grad=True): "
            "Tensor(0.01 * numbers, requires_grad=True).",
        )
    )


def _consumers(leaf: Any) -> Iterator[Any]:
    """Return the nodes computed from ``leaf``. The search is slow, so only errors use it."""
    for thing in gc.get_objects():
        if issubclass(type(thing), type(leaf)) and any(n is leaf for n in thing._inputs or ()):
            yield thing


def forbid_view(tensor: Any) -> None:
    """Raise `InPlaceError` if ``tensor`` is a view: its root would not notice a write."""
    alias = object.__getattribute__(tensor, "_alias")  # also of a Tensor that leaked
    if type(alias) is not tuple:
        return
    name, root = name_of(tensor), name_of(alias[0])
    raise InPlaceError(
        where=f"writing into {name}.data",
        expected="a Tensor that is not a view",
        got=f"{name}, a view of {root}",
        fix=f"Write {name}[...] = array, which reaches {root}.",
    )


def forbid_overwrite(tensor: object, holders: Iterable[Any]) -> None:
    """Raise `InPlaceError` if ``holders`` is not empty: they still use the array of ``tensor``."""
    found = list(holders)
    if not found:
        return
    name, nodes = name_of(tensor), [h for h in found if not isinstance(h, Carrier)]
    # the line that recorded the node explains more than another view does, so nodes come first
    what = "whose numbers a gradient needs" if nodes else "whose memory a view shows"
    user = f"{_first(nodes)}: keeps them for its gradient" if nodes else name_of(found[0])
    maker = place(tensor._node.line) if tensor._node is not None else ""  # type: ignore[attr-defined]
    got = f"{name}, {what}:{two_paths(maker or name, [user], [f'{here()}: overwrites them'])}"
    raise InPlaceError(
        where=f"writing into {name}.data",
        expected="an array that nothing depends on any more",
        got=got,
        fix=f"Write after backward(), or give it a new array: {name}.data = array.",
    )
