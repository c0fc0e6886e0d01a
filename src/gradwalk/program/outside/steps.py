"""The steps of a check: each reads one thing of another, and compares it with what was there.

A check starts at the function and at those arguments that are no numbers, and finds everything
again by the ways on which the function gets at it. So an equal object in the place of another one
passes, and a check keeps no object of the user alive but classes, functions and texts.

This is the specification; the native engine does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from types import CodeType, MemberDescriptorType
from typing import Any, Final, NamedTuple

from ... import native
from ...core.carrier import is_tensor
from ...core.numeric import Array

__all__ = ["ABSENT", "Step", "content_of", "find", "format_of", "layout_of", "same_atom"]
__all__ += ["slot_of", "target_of"]
__all__ += ["CONST", "ROOT", "KEY", "PLACE", "CELL", "GET", "SLOT", "VARS", "MEMBERS", "OF_CLASS"]
__all__ += ["TARGET"]
__all__ += ["ANY", "IS", "ATOM", "TYPE", "LEAF", "SIZED", "ATOMS", "NAMED", "AGAIN", "CONTENT"]

ABSENT: Final[Any] = type("Absent", (), {"__repr__": lambda self: "absent"})()
"""Stands for what is not there."""

CONST, ROOT, KEY, PLACE, CELL, GET, SLOT, VARS, MEMBERS, OF_CLASS, TARGET = range(11)
"""How a step reads its parent: the key itself; an argument; an item of a dictionary; a member of
a list or a tuple; the content of a function's cell; an attribute of an object of Python's own
classes; a slot; the dictionary of an object; the members of a set; an attribute of a class; what a
weak reference refers to."""

ANY, IS, ATOM, TYPE, LEAF, SIZED, ATOMS, NAMED, AGAIN, CONTENT = range(10)
"""What it expects: anything; this object; an equal constant; this class; a Tensor or a Value of
this layout; this class and length; this class and these constants, as members or keys; a dictionary
with these keys of some names; what another step has found; an array or a buffer of this class with
these bytes, and the format of its buffer."""


class Step(NamedTuple):
    """One step: ``reads`` and ``checks`` are of the constants above."""

    reads: int
    parent: int
    key: Any
    checks: int
    expected: Any


def same_atom(a: object, b: object) -> bool:
    """Return whether two constants are the same: of one type, with the same bits."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in (int, str, bytes, bool, CodeType):
        return bool(a == b)
    return repr(a) == repr(b)


def content_of(x: Any) -> Any:
    """Return what an array, a buffer or a number of a class of its own holds, for comparison."""
    for base in (int, float, complex, str, bytes):
        if isinstance(x, base):
            return None, (), base.__repr__(x)
    if type(x).__name__ == "ndarray" or not hasattr(x, "__array__"):
        view = x if hasattr(x, "tobytes") and hasattr(x, "dtype") else memoryview(x)
        form = view.dtype.str if view is x else view.format
        if form.endswith("O"):
            return form, view.shape, tuple(map(repr, x.ravel().tolist()))
        return form, view.shape, view.tobytes()
    import numpy as np  # here: only arrays need it

    array: Array = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x)
    return (*content_of(array), repr(getattr(x, "columns", None)), repr(getattr(x, "index", None)))


def format_of(x: Any) -> str | None:
    """Return the format of a buffer, ``None`` if there is no plain one."""
    try:
        form = memoryview(x).format
        return None if "O" in form else form  # the addresses of objects say nothing
    except (TypeError, ValueError, BufferError):
        return None


def layout_of(x: Any) -> Any:
    """Return the class of a Tensor or a Value, with shape, dtype and flag of a Tensor."""
    if not is_tensor(x):
        return type(x), None
    array = x._data  # a Tensor that shows an array which was written to has another class before
    return type(x), array.shape, array.dtype, x.requires_grad


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


def target_of(x: ContextVar[Any] | Callable[[], Any]) -> Any:
    """Return what a weak reference refers to, or what a context variable is set to."""
    return x.get(ABSENT) if isinstance(x, ContextVar) else x()


def slot_of(x: object, slot: MemberDescriptorType) -> Any:
    """Return what is in a slot of an object, `ABSENT` if nothing is."""
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
    TARGET: lambda parent, key: target_of(parent),
}


def _named(x: object, expected: Any) -> bool:
    keys, names = expected
    if not isinstance(x, dict):
        return False
    return tuple(x) == keys or (names is not None and names & set(x) == names & set(keys))


def _atoms(x: Any, atoms: Sequence[Any]) -> bool:
    return len(x) == len(atoms) and all(map(same_atom, x, atoms))


def _content(x: object, expected: Any) -> bool:
    return type(x) is expected[0] and bool(content_of(x) == expected[1])


MATCHES: Final[dict[int, Callable[[Any, Any], bool]]] = {
    ANY: lambda x, expected: True,
    IS: lambda x, expected: x is expected,
    ATOM: same_atom,
    TYPE: lambda x, expected: type(x) is expected,
    LEAF: lambda x, expected: layout_of(x) == expected,
    SIZED: lambda x, expected: type(x) is expected[0] and len(x) == expected[1],
    ATOMS: lambda x, expected: type(x) is expected[0] and _atoms(x, expected[1]),
    NAMED: _named,
    CONTENT: _content,
}


def read(reads: int, parent: object, key: object) -> Any:
    """Return what a step reads of its parent, `ABSENT` if it is not there."""
    return READ[reads](parent, key)


def matches(checks: int, x: object, expected: object) -> bool:
    """Return whether a step has found what it expects."""
    return MATCHES[checks](x, expected)


def find(
    steps: tuple[Step, ...], roots: Sequence[Any], places: tuple[tuple[int, str], ...]
) -> list[Any] | int:
    """Return the numbers in some places, or the index of the first step that does not match.

    A place has the index of a step that finds a Tensor or a Value, and the attribute to read.
    """
    if native.engine is not None:
        numbers: list[Any] | int = native.engine.find(
            steps, roots, places, read, matches, ABSENT, LAYOUT
        )
        return numbers
    found: list[Any] = []
    for i, (reads, parent, key, checks, expected) in enumerate(steps):
        x = key if reads == CONST else read(reads, roots if reads == ROOT else found[parent], key)
        same = x is found[expected] if checks == AGAIN else matches(checks, x, expected)
        if not same:
            return i
        found.append(x)
    return [getattr(found[place], name) for place, name in places]


LAYOUT: Final = ("_data", "shape", "dtype", "requires_grad")
"""What the native engine compares of a Tensor."""
