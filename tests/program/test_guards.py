"""A compiled function never gives an old answer: what it reads outside is compared at each call.

Programs are put together of a holder (where a number is), a use (what it decides) and changes. The
compiled function has to give what the plain one gives, with its type and its bits.
"""

from __future__ import annotations

import array
import gc
import math
import os
import random
import threading
import time
import types
import uuid
import weakref
from collections import ChainMap, OrderedDict, UserDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, singledispatch, wraps
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, grad, nn, value_and_grad
from gradwalk.core.pytree import flatten
from gradwalk.errors import ManyVersionsWarning, OptionError
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


Pair = namedtuple("Pair", "held other")


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
    "deleted": (
        "h = {'k': old}",
        "h.get('k', 5.0)",
        "h.pop('k', None) if new else h.update(k=new)",
    ),
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
    "weak reference": ("o = Plain(old)\nh = weakref.ref(o)", "h().held", "o.held = new"),
    "user's dictionary": ("h = UserDict(k=old)", "h['k']", "h['k'] = new"),
    "chain": ("o = {}\nh = ChainMap(o, {'k': old})", "h['k']", "o['k'] = new"),
    "view of a dictionary": (
        "o = {'k': old}\nh = types.MappingProxyType(o)",
        "h['k']",
        "o['k'] = new",
    ),
    "with a default": ("h = defaultdict(lambda: old)", "h['k']", "h['k'] = new"),
    "key": ("h = {'k': 1, old: 2}", "list(h)[1]", "h.popitem()\nh[new] = 2"),
    "key that is an object": ("h = {Frozen(old): 1}", "list(h)[0].held", "h = {Frozen(new): 1}"),
    "getter": ("o = Plain(old)\nh = attrgetter('held')", "h(o)", "o.held = new"),
    "getter of items": ("o = [old]\nh = itemgetter(0)", "h(o)", "o[0] = new"),
    "metaclass": (
        "class Meta(type): pass\nclass h(metaclass=Meta): pass\nMeta.k = old",
        "h.k",
        "Meta.k = new",
    ),
    "class": ("class h:\n    k = old", "h.k", "h.k = new"),
    "base class": ("class B:\n    k = old\nclass C(B): pass\nh = C()", "h.k", "C.k = new"),
    "descriptor": (
        "class D:\n    def __get__(self, *_): return self.k\nclass C: d = D()\nh = C()\n"
        "C.__dict__['d'].k = old",
        "h.d",
        "C.__dict__['d'].k = new",
    ),
    "kept property": (
        "class C:\n    @cached_property\n    def p(self): return k\nk = old\nh = C()",
        "h.p",
        "k = new\nh = C()",
    ),
    "any attribute": (
        "class C:\n    def __getattr__(self, name): return self.__dict__['k']\nh = C()\nh.k = old",
        "h.held",
        "h.k = new",
    ),
    "number of a class of its own": (
        "class F(float): pass\nh = F(old)",
        "float(h)",
        "h = F(new)",
    ),
    "list with an attribute": ("class L(list): pass\nh = L()\nh.k = old", "h.k", "h.k = new"),
    "of this thread": ("h = threading.local()\nh.k = old", "h.k", "h.k = new"),
    "environment": (
        "os.environ['GW_TEST'] = str(old)",
        "float(os.environ['GW_TEST'])",
        "os.environ['GW_TEST'] = str(float(new))",
    ),
    "environment by getenv": (
        "os.environ['GW_TEST'] = str(old)",
        "float(os.getenv('GW_TEST'))",
        "os.environ['GW_TEST'] = str(float(new))",
    ),
    "fields": (
        "h = np.zeros(1, [('a', float), ('b', int)])\nh['a'] = old",
        "float(h['a'][0])",
        "h['a'] = new",
    ),
    "turned array": ("h = np.full((2, 3), float(old)).T", "float(h[0, 1])", "h[0, 1] = new"),
    "matrix": ("h = np.matrix([[float(old)]])", "float(h[0, 0])", "h[0, 0] = new"),
    "array of another library": ("h = Foreign([old])", "h.first()", "h.a[0] = new"),
    "remembered": (
        "@lru_cache\ndef h(): return k\nk = old",
        "h()",
        "k = new\nh.cache_clear()",
    ),
    "dispatched": ("@singledispatch\ndef h(x): return k\nk = old", "h(x)", "k = new"),
    "decorated": (
        "def d(g):\n    @wraps(g)\n    def inner(*a): return g(*a)\n    return inner\n"
        "@d\ndef h(): return k\nk = old",
        "h()",
        "k = new",
    ),
    "in a comprehension": ("h = [old]", "[[y for y in h] for _ in range(1)][0][0]", "h[0] = new"),
    "defined inside": ("h = old", "(lambda: (lambda: h)())()", "h = new"),
    "compiled": ("@gw.compile\ndef h(x): return x * k\nk = old", "h(2.0)", "k = new"),
    "custom rule": (
        "h = gw.custom_rule(lambda x: x * 2.0, vjp=lambda t, y, x: (t * k,))\nk = old",
        "gw.grad(h)(2.0)",
        "k = new",
    ),
    "operation of the user": (
        "h = gw.pointwise('held', lambda t, y, x: t * k, forward=lambda x: x * 2.0)\nk = old",
        "gw.grad(h)(2.0)",
        "k = new",
    ),
    "scan": ("k = old", "gw.scan(lambda c, y: (c * k, c), 1.5, None, length=2)[0]", "k = new"),
    "vmap": ("k = old", "float(gw.vmap(lambda y: y * k)(np.ones(2))[0])", "k = new"),
    "length of a Tensor": ("h = Tensor([1.0])", "len(h)", "h = Tensor([1.0] * (1 + (new == 2)))"),
    "Tensor": ("h = Tensor([2.0, 1.0])", "float(h[0])", "h = Tensor([new, 1.0])"),
    "numbers of a Tensor": (
        "h = Tensor([2.0, 1.0])",
        "float(h[0])",
        "h.data = np.array([new, 1.0])",
    ),
    "written Tensor": ("h = Tensor([2.0, 1.0])", "float(h[0])", "h[0] = float(new)"),
    "shown Tensor": ("o = Tensor([2.0, 1.0])\nh = o[:1]", "float(h[0])", "o[0] = float(new)"),
    "Value": ("h = Value(old)", "h.data", "h = Value(new)"),
    "number of a Value": ("h = Value(old)", "float(h)", "h.data = float(new)"),
    "Value among others": ("h = {'k': [Value(old)]}", "h['k'][0].data", "h['k'][0] = Value(new)"),
    "computed Value": ("h = Value(old) * 2.0", "float(h)", "h = Value(new) * 2.0"),
    "parameter": (
        "h = nn.Linear(1, 1)",
        "float(h(np.ones(1)).data[0])",
        "h.weight = Tensor([[float(new)]], requires_grad=True)",
    ),
    "part of a model": (
        "h = nn.Sequential(nn.LeakyReLU(0.5), nn.Sequential(nn.LeakyReLU(0.25)))",
        "float(h(np.array([-5.0]))[0])",
        "h[1][0].negative_slope = float(new)",
    ),
    "context variable": ("h = ContextVar('h')\nh.set(old)", "h.get()", "h.set(new)"),
    "missing key": (
        "class D(dict):\n    def __missing__(self, key): return k\nk = old\nh = D()",
        "h['k']",
        "k = new",
    ),
    "object in a set": (
        "h = {Plain(old)}\no = next(iter(h))",
        "next(iter(h)).held",
        "o.held = new",
    ),
    "generator function": ("def h(): yield k\nk = old", "next(h())", "k = new"),
    "class that is called": (
        "class h:\n    def __init__(self): self.held = k\nk = old",
        "h().held",
        "k = new",
    ),
    "class in a dictionary": (
        "class C:\n    def __init__(self): self.held = k\nk = old\nh = {'c': C}",
        "h['c']().held",
        "k = new",
    ),
    "static method": (
        "class h:\n    k = old\n    f = staticmethod(lambda: h.k)",
        "h.f()",
        "h.k = new",
    ),
    "class method": (
        "class h:\n    k = old\n    f = classmethod(lambda c: c.k)",
        "h.f()",
        "h.k = new",
    ),
    "new method": (
        "class C:\n    def f(self): return old\nh = C()",
        "h.f()",
        "C.f = lambda _: new",
    ),
    "method of one object": (
        "class C:\n    def f(self): return old\nh = C()",
        "h.f()",
        "n = new\nh.f = lambda: n",
    ),
    "new code": (
        "def h(): return k\ndef g(): return k * 2 if k == k else k\nk = old",
        "h()",
        "h.__code__ = g.__code__\nk = new",
    ),
    "new class": (
        "class C:\n    def __init__(self): self.k = old\nh = C()",
        "h.k",
        "class B:\n    k = 0.25\nh.__class__, h.k = B, new",
    ),
    "new dictionary of an object": ("h = Plain(old)", "h.held", "h.__dict__ = {'held': new}"),
    "iterated": (
        "class C:\n    def __iter__(self): return iter(self.k)\nh = C()\nh.k = [old]",
        "next(iter(h))",
        "h.k[0] = new",
    ),
    "asked for": ("h = Plain()\nh.n = 0", "h.k if hasattr(h, 'k') else 0.5", "h.k = new"),
    "default of getattr": ("h = Plain()", "getattr(h, 'k', 0.25)", "h.k = new"),
    "not defined": ("h = {}", "h['k'] if 'k' in h else 0.25", "h['k'] = new"),
    "label": ("h = Tensor([1.0], label='a')", "len(h.label)", "h.label = 'a' * (2 + (new == 2))"),
    "label of a Value": ("h = Value(1.0)", "len(h.label)", "h.label = 'a' * (2 + (new == 2))"),
    "gradient of a Value": ("h = Value(1.0)", "h.grad", "h.grad = float(new)"),
    "flag": ("h = Tensor([1.0])", "h.requires_grad", "h.requires_grad = bool(new)"),
    "array without axes": ("h = np.array(float(old))", "float(h)", "h[()] = new"),
    "every other number": ("o = np.full(4, float(old))\nh = o[::2]", "float(h[1])", "o[2] = new"),
    "list that a function keeps": (
        "def h(k=[old]): return k[0]",
        "h()",
        "h.__defaults__[0][0] = new",
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
    *("weak reference", "user's dictionary", "chain", "view of a dictionary", "descriptor"),
    *("kept property", "any attribute", "of this thread", "array of another library", "remembered"),
    *("decorated", "compiled", "custom rule", "part of a model", "class", "base class", "matrix"),
]


class Foreign:
    """An array of a library that is not NumPy."""

    def __init__(self, a: Any) -> None:
        self.a = np.array(a, float)

    def __dlpack__(self) -> Any:
        return self.a.__dlpack__()

    def __array__(self, *args: Any, **named: Any) -> Any:
        return self.a

    def first(self) -> Any:
        return float(self.a[0])


NAMESPACE = {
    "ContextVar": ContextVar,
    "weakref": weakref,
    "UserDict": UserDict,
    "ChainMap": ChainMap,
    "defaultdict": defaultdict,
    "attrgetter": attrgetter,
    "itemgetter": itemgetter,
    "threading": threading,
    "os": os,
    "cached_property": cached_property,
    "lru_cache": lru_cache,
    "wraps": wraps,
    "singledispatch": singledispatch,
    "Foreign": Foreign,
    "Tensor": Tensor,
    "Value": Value,
    "Plain": Plain,
    "Slots": Slots,
    "Data": Data,
    "Frozen": Frozen,
    "Pair": Pair,
    "Layer": Layer,
    "types": types,
    "deque": deque,
    "OrderedDict": OrderedDict,
    "np": np,
    "array": array,
    "partial": partial,
    "nn": nn,
    "gw": gw,
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
        bound = " ".join(
            sorted({w for w in ("h", "k") if f"\n{w} = " in "\n" + before + "\n" + change})
        )
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

    def recorded(f: Any, call: Any, *backend: Any) -> Any:
        made.append(call)
        return record(f, call, *backend)

    monkeypatch.setattr(compiling, "record", recorded)
    return made


def drawn(count: int) -> list[tuple[str, str, str]]:
    """Return cases that are equally spread: every holder, use and place is among a hundred."""
    order = random.Random(1).sample(CASES, len(CASES))
    return order[:count]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("case", drawn(amount(len(CASES), 100)), ids=" - ".join)
def test_attempts_at_a_stale_answer(case: tuple[str, str, str], recordings: list[Any]) -> None:
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


# --- what a program reads anew --------------------------------------------------------------------


def test_tensors_and_values_are_replaced_without_a_new_recording(recordings: list[Any]) -> None:
    w, parts = Tensor([1.0, 2.0]), {"b": Value(1.0), "layers": [Tensor([3.0, 4.0])]}
    net = nn.Linear(2, 1)

    def f(x: Any) -> Any:
        return gw.sum(net((w * x + parts["layers"][0]) * parts["b"]))  # type: ignore[index, operator]

    compiled = gw.compile(f)
    for step in range(20):
        assert repr(compiled(2.0)) == repr(Tensor(f(2.0).data))
        w = w - 0.5
        parts["b"] = Value(float(step))
        parts["layers"] = [Tensor([step, 1.0])]
        net.weight = Tensor([[float(step), 0.5]], requires_grad=True)
    assert len(recordings) == 1


def test_methods_of_many_objects(recordings: list[Any]) -> None:
    class Spring:
        def __init__(self, k: float) -> None:
            self.k = k
            self.calls = 0

        @gw.compile
        def energy(self, x: Any) -> Any:
            return 0.5 * self.k * x * x

    for i in range(50):
        spring = Spring(float(i % 3))
        spring.calls = i  # f does not read it
        assert spring.energy(2.0) == 2.0 * (i % 3)
    assert len(recordings) == 3
    last = weakref.ref(spring)
    del spring
    gc.collect()
    assert last() is None


def test_what_changes_at_each_call_ends_by_max_versions() -> None:
    rate = 0.0
    compiled = gw.compile(lambda x: x * rate)
    for step in range(8):
        rate = 0.5 * step
        assert compiled(3.0) == 3.0 * rate
    rate = 99.0
    words = r"max_versions=8\): expected at most 8 different states.*rate"
    with pytest.warns(ManyVersionsWarning, match=words):
        assert compiled(3.0) == 297.0
    for step in range(100):  # as it is written, without another word, and without more versions
        rate = 100.0 + step
        assert compiled(3.0) == 3.0 * rate
    assert sum(map(len, compiled._versions.values())) <= 16
    rate = 0.5
    assert compiled(3.0) == 1.5


def test_answers_of_branches_and_states_outside_are_counted_apart() -> None:
    scale = 1.0
    compiled = gw.compile(lambda x: x * scale if x > 0.0 else -x, max_versions=2)
    for scale in (1.0, 2.0):
        assert [compiled(x) for x in (1.0, -3.0)] == [scale, 3.0]


def test_a_program_keeps_no_array_alive_that_was_replaced() -> None:
    w, settings = Tensor(np.ones(1000)), Plain(Tensor(np.ones(1000)))
    compiled = gw.compile(lambda s, x: gw.sum(w * x + s.held))
    compiled(settings, 2.0)
    old = [weakref.ref(w), weakref.ref(settings.held), weakref.ref(settings)]
    w, settings = Tensor(np.zeros(1000)), Plain(Tensor(np.zeros(1000)))
    assert float(compiled(settings, 2.0).data) == 0.0
    gc.collect()
    assert [reference() for reference in old] == [None, None, None]


def test_functions_that_are_made_anew_are_one_version(recordings: list[Any]) -> None:
    compiled = gw.compile(lambda f, x: f(x) * 2.0)
    for i in range(30):
        k = float(i % 2)
        assert compiled(lambda x, k=k: x + k, 3.0) == 2.0 * (3.0 + k)
    assert len(recordings) == 2


def counted(x: Any) -> Any:
    seen.append(x)
    count["calls"] += 1
    totals.calls = totals.calls + 1
    global number
    number += 1
    return x * 2.0


seen: list[Any] = []
count, number, totals = {"calls": 0}, 0, types.SimpleNamespace(calls=0)


def test_what_is_only_written_is_not_compared(recordings: list[Any]) -> None:
    compiled = gw.compile(counted)
    for x in (1.0, 2.0, 3.0):
        assert compiled(x) == 2.0 * x
    assert len(recordings) == 1
    assert (len(seen), count["calls"], number, totals.calls) == (1, 1, 1, 1)


class Scaled(nn.Module):
    """A module whose settings its own `forward` reads, and counts."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Tensor(np.ones(2), requires_grad=True)
        self.scale, self.calls, self.seen = 1.0, 0, 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        self.seen = self.seen + 1
        return self.weight * x * self.scale * (1.0 + 0.5 * self.seen)


def a_step(model: Any, x: Any) -> Any:
    loss = model(x).sum()
    model.zero_grad()
    loss.backward()
    return loss


@pytest.mark.filterwarnings("ignore::gradwalk.errors.ManyVersionsWarning")
@pytest.mark.parametrize("f", [a_step, lambda model, x: model(x).sum()], ids=["step", "value"])
@pytest.mark.parametrize("closed", [True, False], ids=["closed over", "passed"])
def test_what_the_forward_of_a_module_reads_and_counts_is_compared(f: Any, closed: bool) -> None:
    found = []
    for wrap in (lambda f: f, gw.compile):
        model, x = Scaled(), Tensor(np.ones(2))
        call = wrap(lambda x: f(model, x)) if closed else wrap(f)  # noqa: B023
        args = [x] if closed else [model, x]
        for scale in (1.0, 2.0, 2.0, 3.0):
            model.scale = scale
            found.append((call(*args).item(), model.calls, model.seen))
    assert found[:4] == found[4:]


def test_what_a_function_remembers_is_recorded_again_once(recordings: list[Any]) -> None:
    known: dict[str, float] = {}

    def f(x: Any) -> Any:
        if "k" not in known:
            known["k"] = 3.0
        return x * known["k"]

    compiled = gw.compile(f)
    assert [compiled(2.0) for _ in range(5)] == [6.0] * 5
    assert len(recordings) == 2


def test_a_function_that_changes_what_it_reads() -> None:
    step = 0

    def f(x: Any) -> Any:
        nonlocal step
        step += 1
        return x * step

    compiled = gw.compile(f)
    assert [compiled(2.0) for _ in range(4)] == [2.0, 4.0, 6.0, 8.0]


# --- answers --------------------------------------------------------------------------------------

IDENTITIES: dict[str, Callable[[Any], Any]] = {
    "true": lambda x: x * 2.0 if (x > 0.0) is True else x * 3.0,
    "false": lambda x: x * 2.0 if (x > 0.0) is False else x * 3.0,
    "not": lambda x: x * 2.0 if (x > 0.0) is not True else x * 3.0,
    "by a name": lambda x: (lambda c: x * 2.0 if c is True else x * 3.0)(x <= 0.0),
    "of a helper": lambda x: is_true(x > 0.0) * x,
    "equal": lambda x: x * 2.0 if (x == 1.0) is True else x * 3.0,
}


def is_true(x: Any) -> float:
    return 2.0 if x is True else 3.0


@pytest.mark.parametrize("name", IDENTITIES)
@pytest.mark.parametrize("transform", [lambda f: f, value_and_grad, grad])
def test_the_identity_of_a_comparison(name: str, transform: Any) -> None:
    f = transform(IDENTITIES[name])
    compiled = gw.compile(f)
    for x in (1.0, -1.0, 2.0, 0.0, -0.0):
        assert outcome(compiled, x) == outcome(f, x)


RETURNED: dict[str, Callable[[Any], Any]] = {
    "bool": lambda x: x > 0.0,
    "several": lambda x: {"a": x > 0.0, "b": [x * 2.0, x == 1.0], "c": True},
    "both": lambda x: (x > 0.0) & (x < 2.0),
    "not": lambda x: ~(x > 0.0) if not isinstance(x, float) else not x > 0.0,
    "constants": lambda x: [x, 1, True, None, "a", 2.5],
}


@pytest.mark.parametrize("name", RETURNED)
def test_returned_answers_are_bools(name: str) -> None:
    f = RETURNED[name]
    compiled = gw.compile(f)
    for x in (1.0, -1.0, 3.0):
        assert outcome(compiled, x) == outcome(f, x)


def test_a_returned_object_is_the_one_that_was_passed() -> None:
    compiled = gw.compile(lambda settings, x: (settings, x * 2.0))
    for _ in range(2):
        settings = types.SimpleNamespace(a=1)
        assert compiled(settings, 1.0)[0] is settings


@pytest.mark.parametrize("numbers", [(0.0, -0.0), (1, True, 1.0), (math.nan, 0.0), (0, False)])
def test_static_arguments_are_compared_with_their_bits(numbers: tuple[Any, ...]) -> None:
    compiled = gw.compile(lambda x, n: [x, n, str(n)], static_argnums=1)
    for n in numbers * 2:
        assert repr(compiled(2.0, n)) == repr([2.0, n, str(n)])


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(
    "a", [np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.array([[1.0, 2.0], [3.0, 4.0]])]
)
def test_arrays_of_subclasses_stay_what_they_are(a: Any) -> None:
    if a.ndim == 2:
        a = np.matrix(a)
    run = gw.compile(lambda a: a * a)
    for _ in range(2):
        assert type(run(a)) is type(a)
        assert repr(run(a)) == repr(a * a)


# --- what is refused ------------------------------------------------------------------------------

KEPT = random.SystemRandom()
CLOCK = time.time


def _draws_inside(x: Any) -> Any:
    import secrets

    return x * secrets.randbelow(9)


def _reads_a_file(x: Any) -> Any:
    with open(__file__) as file:
        return x * len(file.read())


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "random": (lambda x: x * random.random(), "draws random numbers"),
    "system": (lambda x: x * random.SystemRandom().random(), "draws random numbers"),
    "kept": (lambda x: x * KEPT.random(), "draws random numbers"),
    "urandom": (lambda x: x * os.urandom(1)[0], "draws random numbers"),
    "secrets": (_draws_inside, "draws random numbers"),
    "uuid": (lambda x: x * uuid.uuid4().int, "draws random numbers"),
    "numpy": (lambda x: x * np.random.random(), "draws random numbers"),
    "bound": ((lambda d: lambda x: x * d())(random.Random(0).random), "draws random numbers"),
    "clock": (lambda x: x * time.time(), "reads the clock"),
    "kept clock": (lambda x: x * CLOCK(), "reads the clock"),
    "clock in a closure": ((lambda c: lambda x: x * c())(time.perf_counter), "reads the clock"),
    "clock by default": (lambda x, c=time.monotonic: x * c(), "reads the clock"),
    "iterator": ((lambda i: lambda x: x * next(i))(iter([1.0, 2.0])), "continues an iterator"),
    "file": (_reads_a_file, "reads a file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_gives_something_else_each_time(name: str) -> None:
    f, text = REFUSED[name]
    with pytest.raises(OptionError, match=text):
        gw.compile(f)(1.0)


@pytest.mark.parametrize(
    "x", [iter([1.0, 2.0]), (y for y in (1.0, 2.0)), map(float, "12")], ids=["list", "own", "map"]
)
def test_iterators_that_go_on(x: Any) -> None:
    with pytest.raises(OptionError, match="continues an iterator"):
        gw.compile(lambda x, y: y * next(x))(x, 1.0)
    assert gw.compile(lambda x, y: y)(x, 1.0) == 1.0


def test_arguments_whose_contents_nobody_can_see() -> None:
    with pytest.raises(OptionError, match="whose contents can be compared"):
        gw.compile(lambda x, y: y)(threading.Lock(), 1.0)


# --- what is no alarm -----------------------------------------------------------------------------


class Clocked:
    made = 0

    def __init__(self) -> None:
        self.start, self.k = time.time(), 2.0
        self.number = Clocked.made
        Clocked.made += 1

    def elapsed(self) -> float:
        return time.time()

    def scaled(self, x: Any) -> Any:
        return x * self.k


def test_what_is_named_and_never_called(recordings: list[Any]) -> None:
    """Neither a clock on a way that is not taken, nor what is read to make other objects."""

    def f(o: Clocked, x: Any, verbose: bool = False) -> Any:
        if verbose:
            print(o.elapsed(), random.random(), os.urandom(1))
        return o.scaled(x)

    compiled = gw.compile(f)
    for x in (1.0, 2.0, 3.0):
        assert compiled(Clocked(), x) == 2.0 * x
    assert len(recordings) == 1


def test_objects_that_change_where_nobody_looks(recordings: list[Any]) -> None:
    class Trainer:
        def __init__(self) -> None:
            self.model, self.history, self.step, self.best = nn.Linear(2, 1), [], 0, math.inf
            self.lock = threading.Lock()

        @gw.compile
        def loss(self, x: Any) -> Any:
            return gw.mean(self.model(x) ** 2)

    trainer = Trainer()
    for step in range(20):
        value = float(trainer.loss(np.ones((3, 2))).data)
        trainer.history.append(value)
        trainer.step, trainer.best = step, min(trainer.best, value)
        trainer.model.weight.data = trainer.model.weight.data * 0.9
    assert len(recordings) == 1
