"""The text of an engine that makes the mistakes of a model of the workshop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CORE = """\
import math
import random


class Value:
    def __init__(self, data, op="", parents=(), slopes=()):
        self.data = float(data)
        self.grad = 0.0
        self.op = op
        self.parents = parents
        self.slopes = slopes

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, "add", (self, other), (1.0, 1.0))

    def __sub__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data - other.data, "sub", (self, other), (1.0, -1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, "mul", (self, other), (other.data, self.data))

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        a, b = self.data, other.data
        return Value(a / b, "div", (self, other), (1 / b, -a / b**2))

    def __pow__(self, n):
        return Value(self.data**n, "pow", (self,), (n * self.data ** (n - 1),))

    def __neg__(self):
        return Value(-self.data, "neg", (self,), (-1.0,))

    def __radd__(self, other):
        return Value(other) + self

    def __rsub__(self, other):
        return Value(other) - self

    def __rmul__(self, other):
        return Value(other) * self

    def __rtruediv__(self, other):
        return Value(other) / self

    def exp(self):
        y = math.exp(self.data)
        return Value(y, "exp", (self,), (y,))

    def log(self):
        return Value(math.log(self.data), "log", (self,), (1 / self.data,))

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, "tanh", (self,), (1 - y * y,))

    def sigmoid(self):
        y = 0.5 * (1 + math.tanh(0.5 * self.data))
        return Value(y, "sigmoid", (self,), (y * (1 - y),))

    def relu(self):
        return Value(max(self.data, 0.0), "relu", (self,), (float(self.data > 0),))

    def children(self):
        return self.parents

    def backward(self):
"""

SORTED = """\
        order = []
        visited = set()
        stack = [(self, 0)]
        visited.add(self)
        while stack:
            v, k = stack.pop()
            if k == len(v.children()):
                order.append(v)
                continue
            stack.append((v, k + 1))
            child = v.children()[k]
            if child not in visited:
                visited.add(child)
                stack.append((child, 0))
"""
EVERY = SORTED.replace("            if child not in visited:\n                visited.add(child)\n"
                       "                stack", "            stack")  # fmt: skip
APPENDED = SORTED.replace(
    "            if k == len(v.children()):\n                order.append(v)\n",
    "            if k:\n                order.append(v)\n            if k == len(v.children()):\n",
)
REQUEUED = """\
        order = []
        queue = [self]
        while queue:
            v = queue.pop(0)
            order.append(v)
            for child in v.children():
                if child not in queue:
                    queue.append(child)
"""
BY_VALUE = SORTED.replace("child not in visited", "child.data not in visited").replace(
    "visited.add(child)", "visited.add(child.data)").replace(
    "visited.add(self)", "visited.add(self.data)")  # fmt: skip
ROOT_FIRST = """\
        order = []
        visited = set()
        stack = [self]
        while stack:
            v = stack.pop()
            if v not in visited:
                visited.add(v)
                order.append(v)
                stack.extend(reversed(v.children()))
"""
PATHS = """\
        order = []
        stack = [self]
        while stack:
            v = stack.pop()
            order.append(v)
            stack.extend(reversed(v.children()))
"""
LEVELS = """\
        order = []
        visited = {self}
        queue = [self]
        while queue:
            v = queue.pop(0)
            order.append(v)
            for child in v.children():
                if child not in visited:
                    visited.add(child)
                    queue.append(child)
"""
LEVEL_PATHS = """\
        order = [self]
        for v in order:
            order.extend(v.children())
"""
STACK_PATHS = LEVELS.replace("pop(0)", "pop()").replace(
    "                if child not in visited:\n                    visited.add(child)\n"
    "                    queue", "                queue")  # fmt: skip
CHAIN = """\
        order = [self]
        while order[-1].children():
            order.append(order[-1].children()[{}])
"""
REVERSE = "        order.reverse()\n"
WALKS = {
    "right": SORTED + REVERSE,
    "not_reversed": SORTED,
    "no_visited": EVERY + REVERSE,
    "no_visited_not_reversed": EVERY,
    "root_first": ROOT_FIRST,
    "every_path": PATHS,
    "levels": LEVELS,
    "levels_every_path": LEVEL_PATHS,
    "last_in": LEVELS.replace("pop(0)", "pop()"),
    "last_in_every_path": STACK_PATHS,
    "root_first_reversed": ROOT_FIRST + REVERSE,
    "by_value": BY_VALUE + REVERSE,
    "requeued": REQUEUED,
    "requeued_last_in": REQUEUED.replace("pop(0)", "pop()"),
    "by_operation": BY_VALUE.replace(".data", ".op") + REVERSE,
    "appended_in_loop": APPENDED + REVERSE,
    "seed_late": "        order = []\n",
    "root_only": "        order = [self]\n",
    "two_levels": "        order = [self, *self.children()]\n",
    "not_the_root": SORTED + REVERSE + "        order = order[1:]\n",
    "not_the_last": SORTED + REVERSE + "        order = order[:-1]\n",
    "leaves_only": SORTED + REVERSE + "        order = [v for v in order if not v.parents]\n",
    "first_operand": CHAIN.format(0),
    "last_operand": CHAIN.format(-1),
    "nothing": "        order = []\n",
    "created": SORTED + "        order.sort(key=lambda v: v.number)\n",
}
"""How the engine orders its nodes, for each name in `simulate.ORDERS`."""

FACTORS = {"out": "slope * v.grad", "none": "slope", "own": "slope * u.grad",
           "square": "slope * v.grad * v.grad", "data": "slope * v.data",
           "sum": "slope + v.grad"}  # fmt: skip
COUNTED = (
    ("class Value:\n", "class Value:\n    made = 0\n\n"),
    ("        self.op = op\n",
     "        self.op = op\n        self.number = Value.made = Value.made + 1\n"),
)  # fmt: skip


def engine_of(change: Mapping[str, Any]) -> str:
    """Return the text of an engine with the mistakes of a model, given as its changed fields."""
    order = change.get("order", "right")
    core = CORE
    if order == "created":
        for old, new in COUNTED:
            core = core.replace(old, new, 1)
    if "start" in change:
        core = core.replace("self.grad = 0.0", f"self.grad = {change['start']}")
    seed = change.get("seed", 1.0)
    text = core + WALKS[order]
    text += f"        self.grad = {'self.data' if seed is None else seed}\n" if seed != 0 else ""
    text += "        for v in order:\n"
    text += "            v.grad = 1.0\n" if change.get("reseed") else ""
    merged = change.get("merged", frozenset())
    text += "            done = []\n" if merged else ""
    slopes = {"right": "v.slopes", "swapped": "v.slopes[::-1]", "first": "v.slopes[:1]"}
    which = slopes[change.get("pairing", "right")]
    text += f"            for k, (u, slope) in enumerate(zip(v.parents, {which})):\n"
    if merged:
        which = "u in done" if "every" in merged else f"v.op in {sorted(merged)} and u in done"
        text += f"                if {which}:\n                    continue\n"
        text += "                done.append(u)\n"
    ops = sorted({op for kind in ("push", "incoming") for op, _ in change.get(kind, {})})
    word = "if"
    for op in ops:
        ks = [k for kind in ("push", "incoming") for name, k in change.get(kind, {}) if name == op]
        for k in sorted(set(ks)):
            push = change.get("push", {}).get((op, k), "+=")
            factor = FACTORS[change.get("incoming", {}).get((op, k), "out")]
            text += f'                {word} v.op == "{op}" and k == {k}:\n'
            text += f"                    {pushed(push, factor)}\n"
            word = "elif"
    factor = FACTORS[change.get("every_incoming", "out")]
    last = pushed(change.get("every_push", "+="), factor)
    if ops:
        text += f"                else:\n                    {last}\n"
    else:
        text += f"                {last}\n"
    return text + ("            v.grad = 0.0\n" if change.get("cleared") else "")


def pushed(push: str, given: str) -> str:
    """Return the statement that puts a contribution into a gradient."""
    if push == "first":
        return f"u.grad = u.grad or {given}"
    if push == "*=":
        return f"u.grad = u.grad * ({given}) if u.grad else {given}"
    return f"u.grad {push} {given}"
