"""A compiled function never gives an old answer: what it reads outside is compared at each call.

Programs are put together of a holder (where a number is), a use (what it decides) and changes. The
compiled function has to give what the plain one gives, with its type and its bits.
"""

from __future__ import annotations

import array
import gc
import math
import random
import time
import types
import uuid
import weakref
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, grad, nn, value_and_grad
from gradwalk.core.pytree import flatten
from gradwalk.errors import OptionError
from gradwalk.program import compiling

from ..helpers.amount import amount

USES = {
    "arithmetic": "x * v + v",
    "branch": "x * 2.0 if v else x * 3.0",
    "loop": "sum([x for _ in range(min(abs(int(v)), 4))], x)",
    "index": "[x, x * 2.0, x * 3.0][int(v) % 3]",
    "key": "{'2': x, '2.0': x * 2.0, 'True': x * 3.0, '1': x * 5.0}.get(str(v), x * 7.0)",
    "returned": "[v, x]",
    "kind": "x * 2.0 if isinstance(v, int) else x * 3.0",
    "in a transform": "gw.grad(lambda y: y * y * v)(x)",
}

NUMBERS = [2.0, 2, 3, 1, 1.0, True, False, 0, 0.0, -0.0, -1, -2, 0.5, math.nan]


class Slots:
    __slots__ = ("held",)


class Plain:
    held = 4.0

    def __init__(self, held: Any = None) -> None:
        if held is not None:
            self.held = held

    @property
    def seen(self) -> Any:
        return self.held

    def method(self, x: Any) -> Any:
        return self.held

    def __call__(self) -> Any:
        return self.held

    def __getitem__(self, key: str) -> Any:
        return self.held


@dataclass
class Data:
    held: Any
    other: float = 1.0


@dataclass(frozen=True)
class Frozen:
    held: Any


Pair = namedtuple("Pair", "held other")  # noqa: PYI024


class Layer(nn.Module):
    def __init__(self, held: Any) -> None:
        self.held = held

    def forward(self, x: Any) -> Any:
        return x * self.held


# Each holder: lines before f, the expression that reads the number, the line that changes it. The
# new number is `new`. The lines run as those of a module or, in the second part, of a function.
HOLDERS: dict[str, tuple[str, str, str]] = {
    "name": ("h = old", "h", "h = new"),
    "item": ("h = {'k': old}", "h['k']", "h['k'] = new"),
    "new dictionary": ("h = {'k': old}", "h['k']", "h = {'k': new}"),
    "deleted": ("h = {'k': old}", "h.get('k', 5.0)", "h.pop('k', None) if new else h.update(k=new)"),
    "length": ("h = [old]", "len(h)", "h.append(new)"),
    "member": ("h = [1.0, old]", "h[1]", "h[1] = new"),
    "last": ("h = [old]", "h[-1]", "h.append(new)"),
    "nested": ("h = {'a': [(1, {'b': old})]}", "h['a'][0][1]['b']", "h['a'][0][1]['b'] = new"),
    "tuple": ("h = (1, old)", "h[1]", "h = (1, new)"),
    "attribute": ("h = Plain(old)", "h.held", "h.held = new"),
    "attribute by name": ("h = Plain(old)", "getattr(h, 'he' + 'ld')", "h.held = new"),
    "dictionary of an object": ("h = Plain(old)", "h.__dict__['held']", "h.held = new"),
    "new attribute": ("h = Plain()", "h.held", "h.held = new"),
    "attribute of a class": ("class C(Plain): held = old\nh = C()", "h.held", "C.held = new"),
    "property": ("h = Plain(old)", "h.seen", "h.held = new"),
    "method": ("h = Plain(old)", "h.method(x)", "h.held = new"),
    "bound method": ("o = Plain(old)\nh = o.method", "h(x)", "o.held = new"),
    "operator": ("h = Plain(old)", "h['held']", "h.held = new"),
    "callable": ("h = Plain(old)", "h()", "h.held = new"),
    "slot": ("h = Slots()\nh.held = old", "h.held", "h.held = new"),
    "dataclass": ("h = Data(old)", "h.held", "h.held = new"),
    "frozen": ("h = Frozen(old)", "h.held", "h = Frozen(new)"),
    "named tuple": ("h = Pair(old, 1)", "h.held", "h = Pair(new, 1)"),
    "namespace": ("h = types.SimpleNamespace(held=old)", "h.held", "h.held = new"),
    "module": ("h = types.ModuleType('settings')\nh.held = old", "h.held", "h.held = new"),
    "ordered": ("h = OrderedDict(k=old)", "h['k']", "h['k'] = new"),
    "set": ("h = {old}", "next(iter(h))", "h.clear()\nh.add(new)"),
    "deque": ("h = deque([old])", "h[0]", "h[0] = new"),
    "bytes": ("h = bytearray([1])", "h[0]", "h[0] = int(new == new and new) % 256"),
    "view": ("h = memoryview(bytearray([1]))", "h[0]", "h[0] = int(new == new and new) % 256"),
    "array": ("h = array.array('d', [old])", "h[0]", "h[0] = new"),
    "array of numpy": ("h = np.array([old, 1.0])", "float(h[0])", "h[0] = new"),
    "new array": ("h = np.array([old, 1.0])", "float(h[0])", "h = np.array([new, 1.0])"),
    "array of objects": ("h = np.array([old, 'a'], object)", "h[0]", "h[0] = new"),
    "masked": ("h = np.ma.array([old, 1.0])", "h.sum() is np.ma.masked", "h.mask = bool(new)"),
    "closure": ("def h():\n    return k\nk = old", "h()", "k = new"),
    "default": ("def h(k=old):\n    return k", "h()", "h.__defaults__ = (new,)"),
    "keyword": ("def h(*, k=old):\n    return k", "h()", "h.__kwdefaults__ = {'k': new}"),
    "new function": ("h = lambda: old", "h()", "n = new\nh = lambda: n"),
    "function attribute": ("def h():\n    return h.k\nh.k = old", "h()", "h.k = new"),
    "partial": ("h = partial(Plain.method, Plain(old))", "h(x)", "h.args[0].held = new"),
    "nested function": (
        "def a():\n    def b():\n        return k\n    return b()\nk = old\nh = a",
        "h()",
        "k = new",
    ),
    "setting of a layer": ("h = nn.LeakyReLU(0.1)", "h.negative_slope", "h.negative_slope = new"),
    "layer of a user": ("h = Layer(old)", "h.held", "h.held = new"),
    "text of a global": ("h = old", "globals().get('h', 0.25)", "h = new"),
    "evaluated": ("h = old", "eval('h')", "h = new"),
    "imported": (
        "import sys\nsys.modules['gw_settings'] = types.ModuleType('gw_settings')\n"
        "sys.modules['gw_settings'].held = old\n"
        "def h():\n    import gw_settings\n    return gw_settings.held",
        "h()",
        "sys.modules['gw_settings'].held = new",
    ),
    "imported by name": (
        "import sys\nsys.modules['gw_settings'] = types.ModuleType('gw_settings')\n"
        "sys.modules['gw_settings'].held = old",
        "__import__('gw_settings').held",
        "sys.modules['gw_settings'].held = new",
    ),
}
ONLY_GLOBAL = {"text of a global", "evaluated"}
AS_ARGUMENT = [
    *("attribute", "property", "method", "operator", "callable", "slot", "namespace", "set"),
    *("deque", "bytes", "view", "array", "attribute of a class", "attribute by name", "masked"),
    *("bound method", "closure", "partial", "default", "new function", "setting of a layer"),
]

NAMESPACE = {
    **{"Plain": Plain, "Slots": Slots, "Data": Data, "Frozen": Frozen, "Pair": Pair},
    **{"Layer": Layer, "types": types, "deque": deque, "OrderedDict": OrderedDict, "np": np},
    **{"array": array, "partial": partial, "nn": nn, "gw": gw},
}


def _indented(lines: str) -> str:
    return "".join(f"    {line}\n" for line in lines.split("\n"))


def program(holder: str, use: str, place: str, old: Any) -> tuple[Any, Any, Any]:
    """Return f, what changes the number, and what gives the arguments of a call."""
    before, reads, change = HOLDERS[holder]
    held = ", h" if place == "argument" else ""
    f = f"def f(x{held}):\n    v = {reads}\n    return {USES[use]}\n"
    names = dict(NAMESPACE, old=old, __name__="program_of_a_test")
    if place == "cell":
        bound = " ".join(sorted({w for w in ("h", "k") if f"\n{w} = " in "\n" + before + "\n" + change}))
        nonlocal_ = f"    nonlocal {', '.join(bound.split())}\n" if bound else ""
        source = (
            f"def outer(old):\n{_indented(before)}{_indented(f)}"
            f"    def change(new):\n    {nonlocal_ or '    pass'}\n{_indented(_indented(change))}"
            "    return f, change, lambda: ()\n"
        )
        exec(source, names)
        return names["outer"](old)  # type: ignore[no-any-return]
    exec(f"{before}\n{f}", names)

    def changes(new: Any) -> None:
        names["new"] = new
        exec(change, names)

    return names["f"], changes, (lambda: (names["h"],)) if held else (lambda: ())


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """Return results with their types and bits, or the kind of the error."""
    try:
        leaves, _ = flatten(f(*args))
    except (ArithmeticError, ValueError, TypeError) as error:
        if isinstance(error, OptionError):
            raise
        return type(error)
    return [(type(x).__name__, repr(x)) for x in leaves]


CASES = [
    (holder, use, place)
    for holder in HOLDERS
    for use in USES
    for place in ("global", "cell", "argument")
    if (place != "cell" or holder not in ONLY_GLOBAL)
    and (place != "argument" or holder in AS_ARGUMENT)
]


@pytest.fixture
def recordings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that were recorded."""
    made: list[Any] = []
    record = compiling.record

    def recorded(f: Any, call: Any) -> Any:
        made.append(call)
        return record(f, call)

    monkeypatch.setattr(compiling, "record", recorded)
    return made


def drawn(count: int) -> list[tuple[str, str, str]]:
    """Return cases that are equally spread: every holder, use and place is among a hundred."""
    order = random.Random(1).sample(CASES, len(CASES))
    return order[:count]


@pytest.mark.parametrize("case", drawn(amount(len(CASES), 100)), ids=" - ".join)
def test_attempts_at_a_stale_answer(case: tuple[str, str, str], recordings: list[Any]) -> None:
    holder, use, place = case
    r = random.Random(" ".join(case))
    f, change, given = program(*case, r.choice(NUMBERS[:-1]))
    compiled = gw.compile(f, max_versions=40)
    for _ in range(6):
        for _ in range(2):
            for x in (0.75, -1.5):
                assert outcome(compiled, x, *given()) == outcome(f, x, *given()), case
            made = len(recordings)
            expected = outcome(f, 0.75, *given())
            assert outcome(compiled, 0.75, *given()) == expected
            assert len(recordings) == made or type(expected) is type  # nothing has changed
        change(r.choice(NUMBERS))
    assert outcome(compiled, 0.75, *given()) == outcome(f, 0.75, *given())
