"""The steps of a check: each reads one thing of another, and compares it with what was there.

A check starts at the function and at those arguments that are no numbers, and finds everything
again by the ways on which the function gets at it. So an equal object in the place of another one
passes, and a check keeps no object of the user alive but classes, functions and texts.

This is the specification; the native engine does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from ...core.carrier import is_tensor
from ...core.numeric import Array

__all__ = ["ABSENT", "READ", "Step", "check", "content_of", "current", "same_atom", "slot_of"]
__all__ += ["CONST", "ROOT", "KEY", "PLACE", "CELL", "GET", "SLOT", "VARS", "MEMBERS", "OF_CLASS"]
__all__ += ["ANY", "IS", "ATOM", "TYPE", "LEAF", "SIZED", "ATOMS", "NAMED", "AGAIN", "CONTENT"]

ABSENT: Final[Any] = type("Absent", (), {"__repr__": lambda self: "absent"})()
"""Stands for what is not there."""

CONST, ROOT, KEY, PLACE, CELL, GET, SLOT, VARS, MEMBERS, OF_CLASS = range(10)
"""How a step reads its parent: the key itself; an argument; an item of a dictionary; a member of
a list or a tuple; the content of a function's cell; an attribute of an object of Python's own
classes; a slot; the dictionary of an object; the members of a set; an attribute of a class."""

ANY, IS, ATOM, TYPE, LEAF, SIZED, ATOMS, NAMED, AGAIN, CONTENT = range(10)
"""What it expects: anything; this object; an equal constant; this class; a Tensor or a Value; this
class and length; this class and these constants, as members or keys; a dictionary with these keys
of some names; what another step has found; an array or a buffer with these bytes."""


class Step(NamedTuple):
    """One step: ``reads`` and ``checks`` are of the constants above."""

    reads: int
    parent: int
    key: Any
    checks: int
    expected: Any


def same_atom(a: Any, b: Any) -> bool:
    """Return whether two constants are the same: of one type, with the same bits."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in (int, str, bytes, bool):
        return bool(a == b)
    return repr(a) == repr(b)


def content_of(x: Any) -> Any:
    """Return what an array or a buffer holds, for comparison."""
    if type(x).__name__ == "ndarray" or not hasattr(x, "__array__"):
        view = x if hasattr(x, "tobytes") and hasattr(x, "dtype") else memoryview(x)
        form = view.dtype.str if view is x else view.format
        if form.endswith("O"):
            return form, view.shape, tuple(map(repr, x.ravel().tolist()))
        return form, view.shape, view.tobytes()
    import numpy as np  # here: only arrays need it

    array: Array = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x)
    return content_of(array)


def current(x: Any) -> Any:
    """Return a Tensor after a write into the array that it shows: its class is the usual one."""
    if is_tensor(x):
        _ = x._data
    return x


def _class_attribute(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return ABSENT


def _cell(function: Any, index: int) -> Any:
    try:
        return function.__closure__[index].cell_contents
    except ValueError:  # of what is not defined yet
        return ABSENT


def slot_of(x: Any, slot: Any) -> Any:
    try:
        return slot.__get__(x)
    except AttributeError:
        return ABSENT


READ: Final[dict[int, Callable[[Any, Any], Any]]] = {
    CONST: lambda parent, key: key,
    ROOT: lambda roots, key: roots[key],
    KEY: lambda parent, key: parent.get(key, ABSENT),
    PLACE: lambda parent, key: parent[key],
    CELL: _cell,
    GET: lambda parent, key: getattr(parent, key, ABSENT),
    SLOT: slot_of,
    VARS: lambda parent, key: getattr(parent, "__dict__", ABSENT),
    MEMBERS: lambda parent, key: tuple(parent),
    OF_CLASS: _class_attribute,
}


def _named(x: Any, expected: Any) -> bool:
    keys, names = expected
    if not isinstance(x, dict):
        return False
    return tuple(x) == keys or (names is not None and names & set(x) == names & set(keys))


def _atoms(x: Any, atoms: Sequence[Any]) -> bool:
    return len(x) == len(atoms) and all(map(same_atom, x, atoms))


CHECK: Final[dict[int, Callable[[Any, Any, list[Any]], bool]]] = {
    ANY: lambda x, expected, found: True,
    IS: lambda x, expected, found: x is expected,
    ATOM: lambda x, expected, found: same_atom(x, expected),
    TYPE: lambda x, expected, found: type(x) is expected,
    LEAF: lambda x, expected, found: type(x) is expected or type(current(x)) is expected,
    SIZED: lambda x, expected, found: type(x) is expected[0] and len(x) == expected[1],
    ATOMS: lambda x, expected, found: type(x) is expected[0] and _atoms(x, expected[1]),
    NAMED: lambda x, expected, found: _named(x, expected),
    AGAIN: lambda x, expected, found: x is found[expected],
    CONTENT: lambda x, expected, found: (
        type(x) is expected[0] and content_of(x) == expected[1]
    ),
}


def check(steps: Sequence[Step], roots: Sequence[Any]) -> list[Any] | int:
    """Return what the steps find, or the index of the first one that finds something else."""
    found: list[Any] = []
    for i, (reads, parent, key, checks, expected) in enumerate(steps):
        x = READ[reads](roots if reads == ROOT else found[parent], key) if reads else key
        if not CHECK[checks](x, expected, found):
            return i
        found.append(x)
    return found
