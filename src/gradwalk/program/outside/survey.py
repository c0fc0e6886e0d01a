"""What a function can read beside the numbers of its arguments, before it is recorded.

From the function and from those arguments that are no numbers one gets to closures, to globals
that the code names, to attributes whose names it reads and to what is in containers. All of that
is written down as steps of a check. So are functions that it calls, with what these read.
"""

from __future__ import annotations

import builtins
import os
import re
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from functools import partial
from operator import attrgetter, methodcaller
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final
from weakref import WeakKeyDictionary

from ...core.carrier import Carrier, is_tensor
from ...core.expect import describe
from ...core.primitive import Primitive
from ...core.pytree import containers, no_parts
from ...engine.value import Value
from ...errors import OptionError
from .impure import Impure, changing, impure_in
from .kinds import (
    STANDARD,
    belongs_to,
    has_parts,
    holds_buffer,
    is_atom,
    is_generator,
    is_iterator,
    top_of,
)
from .names import Names, names_of
from .steps import (
    ABSENT,
    AGAIN,
    ANY,
    ATOM,
    ATOMS,
    CELL,
    CONST,
    CONTENT,
    GET,
    IS,
    KEY,
    LEAF,
    MEMBERS,
    NAMED,
    OF_CLASS,
    PLACE,
    ROOT,
    SIZED,
    SLOT,
    TARGET,
    TYPE,
    VARS,
    Step,
    content_of,
    format_of,
    layout_of,
    slot_of,
    target_of,
)

__all__ = ["Survey"]

MOST: Final = 100_000
"""Steps of a check: a function that reaches more is refused."""

ENVIRONMENT: Final = frozenset(("environ", "getenv"))

BOOKS: Final = frozenset(("collections", "configparser", "functools", "weakref", "queue", "string"))
"""Packages of Python whose objects a user fills: all of their attributes count."""

OPEN: Final = (set, frozenset, deque, weakref.ref, ContextVar)
"""Classes of Python's own whose objects have something in them."""

MAPPINGS: Final = (dict, MappingProxyType)

WRAPPERS: Final[dict[type, tuple[str, ...]]] = {
    BuiltinFunctionType: ("__self__", "__name__"),
    MethodType: ("__func__", "__self__"),
    partial: ("func", "args", "keywords"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget",),
}
"""Python's own objects around functions, with what is in them."""


class Survey:
    """The steps that find everything again which a function may read, and what they have found."""

    steps: list[Step]
    found: list[Any]
    generators: list[Any]

    def __init__(
        self, f: Callable[..., Any], roots: Sequence[Any], classes: Iterable[type]
    ) -> None:
        self.asks_identity: bool = False
        self.impure: Impure = {}
        self._f, self._own = f, top_of(f)
        self._attributes: frozenset[str] = frozenset()
        self._counted: frozenset[str] = frozenset()
        self._globals_read: frozenset[str] = frozenset()
        self.assigns: bool = False  # whether the function may assign an attribute
        self._anything = False
        self._called = set[int]()  # classes that may be called; others are those of objects
        while True:  # a function that is reached late may read attributes of what was there before
            before = self._attributes | self._counted, self._anything, len(self._called)
            self._start()
            for i, root in enumerate(roots):
                self._put(ROOT, 0, i, root, is_root=True)
            for x in (f, *classes):
                self._constant(x)
            self._expand()
            after = self._attributes | self._counted, self._anything, len(self._called)
            if before == after:
                return

    def _owner_of(self, x: object) -> str:
        """Return whose a function, a class or a module is."""
        return "user" if top_of(x) == self._own not in STANDARD else belongs_to(x)

    def _start(self) -> None:
        self.steps, self.found, self.generators = [], [], []
        self._places: dict[int, int] = {}
        self._fixed = set[int]()  # places of what no user can put something else for
        self._pending = deque[int]()

    def reads(self, name: str) -> bool:
        """Return whether the function, or one that it calls, may read what has this name."""
        return name in self._attributes or name in self._globals_read

    def place_of(self, x: object) -> int:
        """Return the place of a Tensor or a Value, which may be in none of the steps."""
        known = self._places.get(id(x))
        return self._step(CONST, 0, x, ANY, None, x) if known is None else known

    # --- steps ------------------------------------------------------------------------------------

    def _step(
        self, reads: int, parent: int, key: object, checks: int, expected: object, x: object
    ) -> int:
        self.steps.append(Step(reads, parent, key, checks, expected))
        self.found.append(x)
        if len(self.steps) > MOST:
            raise OptionError(
                where="compile",
                expected=f"a function that reaches at most {MOST} objects outside",
                got="one that reaches more, each of which every call would have to look at",
                fix="Pass what changes as an argument, or put the numbers into an array.",
            )
        return len(self.steps) - 1

    def _constant(self, x: object) -> None:
        """Look into what is the same object at each call."""
        if is_atom(x) or id(x) in self._places:
            return
        if isinstance(x, (*WRAPPERS, FunctionType, ModuleType, type)):
            at = self._step(CONST, 0, x, ANY, None, x)
            self._fixed.add(at)
            self._remember(at, x)
        else:
            self._put(CONST, 0, x, x)

    def _remember(self, at: int, x: object) -> None:
        self._places[id(x)] = at
        self._pending.append(at)

    def _put(self, reads: int, parent: int, key: object, x: object, is_root: bool = False) -> None:
        """Write down that reading a parent gives ``x``, or the like of it."""
        known = self._places.get(id(x))
        if isinstance(x, (FunctionType, BuiltinFunctionType, MethodType)):
            self.impure |= changing(x, x.__qualname__)
        if x is ABSENT:
            self._step(reads, parent, key, IS, x, x)
        elif is_atom(x):
            self._step(reads, parent, key, ATOM, x, x)
        elif known is not None:
            self._step(reads, parent, key, AGAIN, known, x)
        else:
            if isinstance(x, type):
                self._called.add(id(x))
            checks, expected = self._check_of(x, is_root)
            at = self._step(reads, parent, key, checks, expected, x)
            if checks == IS:
                self._fixed.add(at)
            self._remember(at, x)

    def _check_of(self, x: object, is_root: bool) -> tuple[int, Any]:
        kind = type(x)
        if isinstance(x, Carrier):
            is_leaf = is_tensor(x) or (isinstance(x, Value) and not x.operands)
            return (LEAF, layout_of(x)) if is_leaf else (IS, x)
        if isinstance(x, (ModuleType, type)):
            return IS, x
        if isinstance(
            x, FunctionType
        ):  # one that is made anew at each call is the same by its code
            made = x.__closure__ or "<" in x.__qualname__
            return (TYPE, kind) if made else (IS, x)
        if isinstance(x, (list, tuple)):
            return (ATOMS, (kind, tuple(x))) if _are_atoms(x) else (SIZED, (kind, len(x)))
        if isinstance(x, MAPPINGS):
            return (ATOMS, (kind, tuple(x))) if _are_atoms(x) else (SIZED, (kind, len(x)))
        if holds_buffer(x):
            return CONTENT, (kind, content_of(x), format_of(x))
        if isinstance(x, OPEN) or has_parts(x) or is_generator(x) or is_iterator(x):
            return TYPE, kind
        if is_root:
            raise _opaque(x)
        return IS, x

    def _expand(self) -> None:
        while self._pending:
            at = self._pending.popleft()
            self._look_into(at, self.found[at])

    def _look_into(self, at: int, x: Any) -> None:
        kind = type(x)
        if isinstance(x, (attrgetter, methodcaller)):
            self._attributes |= set(re.findall(r"\w+", repr(x.__reduce__())))
        elif isinstance(x, (weakref.ref, ContextVar)):
            self._put(TARGET, at, None, target_of(x))
        elif is_generator(x) or is_iterator(x):
            impure = changing(x, "SystemRandom")
            self.impure |= impure
            self.generators += [] if impure else [x]
        elif kind is FunctionType:
            self._function(at, x)
        elif kind in WRAPPERS:
            for name in WRAPPERS[kind]:
                self._read(GET, at, name, getattr(x, name))
        elif isinstance(x, ModuleType):
            self._module(at, x)
        elif isinstance(x, type):
            self._class(at, x)
        elif isinstance(x, Carrier):
            read = (
                {"label"} if is_tensor(x) else {"grad", "label"}
            )  # gradients of Tensors are inputs
            for name in self._attributes & read:
                self._put(GET, at, name, getattr(x, name, ABSENT))
        else:
            self._members(at, x)
            self._attributes_of(at, x)

    def _read(self, reads: int, at: int, key: object, x: object) -> None:
        """Look into a part of something; what is fixed needs no check for its parts."""
        if at in self._fixed:
            self._constant(x)
        else:
            self._put(reads, at, key, x)

    # --- functions, modules and classes -----------------------------------------------------------

    def _function(self, at: int, f: FunctionType) -> None:
        owner = self._owner_of(f)
        if at not in self._fixed or (owner == "user" and f is not self._f):
            self._put(GET, at, "__code__", f.__code__)
        if at not in self._fixed:
            there = self._dictionary(f.__globals__)
            self._step(GET, at, "__globals__", AGAIN, there, f.__globals__)
        names = names_of(f.__code__)
        for i, name in enumerate(f.__code__.co_freevars):
            content = _content((f.__closure__ or ())[i])
            if owner != "user":
                self._read(CELL, at, i, content)
            elif name in names.cells:
                self._put(CELL, at, i, content)
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(f, name) is not None:
                self._put(GET, at, name, getattr(f, name))
        if owner == "user":
            self._learn(names, f)
            self._globals(f, names)
            if vars(f):
                self._attributes_of(at, f)

    def _learn(self, names: Names, f: FunctionType) -> None:
        self._attributes |= names.attributes
        self._counted |= names.counted
        for name, *rest in names.chains:
            x = f.__globals__.get(name)
            if not isinstance(x, ModuleType) or self._owner_of(x) == "user":
                self._attributes |= set(rest)
        self._globals_read |= names.globals
        self.assigns = self.assigns or names.assigns
        self._anything = self._anything or names.anything
        self.asks_identity = self.asks_identity or names.asks_identity
        self.impure |= impure_in(names, f)
        if any(ENVIRONMENT.intersection(chain) for chain in (names.attributes, *names.chains)):
            self._constant(os.environ._data)  # type: ignore[attr-defined]

    def _globals(self, f: FunctionType, names: Names) -> None:
        at = self._dictionary(f.__globals__)
        for name in sorted(names.globals):
            x = f.__globals__.get(name, ABSENT)
            if x is not ABSENT or hasattr(builtins, name):
                self._put(KEY, at, name, x)
        for name in sorted(names.modules):
            module = sys.modules.get(name)
            if module is not None and self._owner_of(module) == "user":
                self._put(KEY, self._dictionary(sys.modules), name, module)

    def _dictionary(self, x: dict[str, Any]) -> int:
        """Return the place of the dictionary of a module."""
        if id(x) not in self._places:
            self._places[id(x)] = self._step(CONST, 0, x, ANY, None, x)
        return self._places[id(x)]

    def _module(self, at: int, module: ModuleType) -> None:
        if self._owner_of(module) == "user":
            there = self._dictionary(vars(module))
            for name in sorted((self._attributes | {"__getattr__"}) & vars(module).keys()):
                self._put(KEY, there, name, vars(module)[name])

    def _class(self, at: int, cls: type) -> None:
        """Look at the attributes of a class that are read, and at its special methods."""
        if self._owner_of(cls) != "user":
            return
        self._constant(type(cls))
        called = self._attributes | ({"forward"} if hasattr(cls, "named_parameters") else set())
        seen = set[str]()
        for base in cls.__mro__:
            if self._owner_of(base) != "user":
                continue
            for name, x in vars(base).items():
                special = name.startswith("__") and isinstance(x, FunctionType)
                special = special and (name not in MAKING or id(cls) in self._called)
                if name not in seen and (special or name in called):
                    seen.add(name)
                    if not isinstance(x, MemberDescriptorType):
                        self._put(OF_CLASS, at, name, x)

    # --- objects ----------------------------------------------------------------------------------

    def _members(self, at: int, x: object) -> None:
        checks = self.steps[at].checks
        if isinstance(x, (list, tuple)):
            for i, member in enumerate(x if checks == SIZED else ()):
                self._put(PLACE, at, i, member)
        elif isinstance(x, MAPPINGS):
            if checks == SIZED:  # with keys that are objects
                self._list(at, x)
            for key, member in x.items():
                self._put(KEY, at, key, member)
        elif isinstance(x, (set, frozenset, deque)):
            self._list(at, x)

    def _list(self, at: int, x: Iterable[Any]) -> None:
        members = tuple(x)
        atoms = _are_atoms(members)
        expected = (tuple, members if atoms else len(members))
        there = self._step(MEMBERS, at, None, ATOMS if atoms else SIZED, expected, members)
        if not atoms:
            for i, member in enumerate(members):
                self._put(PLACE, there, i, member)

    def _attributes_of(self, at: int, x: object) -> None:
        cls = type(x)
        self._constant(cls)
        names = self._names_for(x)
        held = getattr(x, "__dict__", None)
        if isinstance(held, dict):
            chosen = [name for name in held if names is None or name in names]
            there = self._step(VARS, at, None, NAMED, (tuple(held), names), held)
            for name in chosen:
                self._put(KEY, there, name, held[name])
        for name, slot in slots_of(cls).items():
            if names is None or name in names:
                self._put(SLOT, at, slot, slot_of(x, slot))

    def _names_for(self, x: object) -> frozenset[str] | None:
        """Return the names of the attributes that may be read of an object; ``None`` for all."""
        cls = type(x)
        container = containers[cls]
        if container is not None and container.parts_of is not no_parts:
            if hasattr(cls, "named_parameters") and self._owner_of(cls) == "user":
                # plain settings of a module of the user are read where its code names them
                parts = {n for n, part in vars(x).items() if not is_atom(part)}
                return self._attributes | self._counted | parts
            return None
        held, owner = dict(getattr(x, "__dict__", {})), self._owner_of(cls)
        if isinstance(x, Primitive):
            return frozenset(("forward", "rules"))
        if hasattr(cls, "_plan") and hasattr(x, "param_groups"):
            return frozenset()  # a step of an optimizer says itself what it depends on
        if owner == "gradwalk":  # but not what it remembers for itself
            held |= {name: slot_of(x, slot) for name, slot in slots_of(cls).items()}
            return frozenset(n for n, part in held.items() if n == "_f" or _is_open(n, part))
        if self._anything or holds_buffer(x):
            return None
        if owner == "foreign":
            if top_of(cls) in BOOKS or top_of(cls) not in sys.stdlib_module_names:
                return None
            return self._attributes | {n for n, part in held.items() if isinstance(part, CODE)}
        return self._attributes | {"__wrapped__"}

    def pin(self, x: object) -> None:
        """Let the check ask for this object, of which another one like it is no stand-in."""
        if id(x) in self._places:
            step = self.steps[self._places[id(x)]]
            self._step(step.reads, step.parent, step.key, IS, x, x)


MAKING: Final = frozenset(
    ("__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__")
)
"""Special methods that make an object and end it."""

CODE: Final[tuple[type, ...]] = (FunctionType, *WRAPPERS)


def _is_open(name: str, part: object) -> bool:
    return isinstance(part, CODE) or not (name[0] == "_" or isinstance(part, set))


_slots: WeakKeyDictionary[type, dict[str, Any]] = WeakKeyDictionary()


def slots_of(cls: type) -> dict[str, Any]:
    """Return the slots of a class that was written in Python."""
    if cls not in _slots:
        found: dict[str, Any] = {}
        for base in cls.__mro__:
            if top_of(base) not in sys.stdlib_module_names:
                members = vars(base).items()
                found = {n: s for n, s in members if isinstance(s, MemberDescriptorType)} | found
        _slots[cls] = found
    return _slots[cls]


def _are_atoms(members: Iterable[object]) -> bool:
    # a builtin function may draw, or read a clock
    return all(is_atom(x) and not isinstance(x, BuiltinFunctionType) for x in members)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # of what is not defined yet
        return ABSENT


def _opaque(x: object) -> OptionError:
    return OptionError(
        where="compile(f)",
        expected="arguments whose contents can be compared from call to call",
        got=describe(x),
        fix="Pass the numbers and texts that f takes from it; or let f close over it.",
    )
