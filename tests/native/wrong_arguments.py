"""Call a function of a compiled module with drawn arguments: ``module function seed count``.

Run by `test_wrong_arguments` in a process of its own, because what it looks for ends the process.
"""

from __future__ import annotations

import importlib
import random
import sys
import warnings
from array import array
from contextlib import suppress
from typing import Any

import numpy as np

import gradwalk as gw
from gradwalk import Tensor, Value
from gradwalk.levels.jvp import JVPLevel
from gradwalk.levels.vjp import VJPLevel
from gradwalk.ops import TABLE
from gradwalk.program.builder import Builder


def pool() -> list[Any]:
    """Return what arguments are drawn from: what the modules work with, and other things."""
    a, b = Value(2.0), Value(-3.0)
    c = a * b + gw.tanh(a)
    freed = a * b
    freed.backward(retain_graph=False)
    custom = gw.pointwise("custom", lambda t, y, x: t, forward=lambda x: x)
    t = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    u = (t * 2.0).sum()
    level = VJPLevel("a test")
    plain = [None, True, 0, -1, 2**70, 1.5, float("nan"), "add", b"bytes", (), [], {}, object()]
    values = [a, b, c, freed, custom(a), level.leaf(1.0), t, u, t._node, u._node]
    arrays = [np.zeros(3), np.ones((2, 2)), np.zeros(3, np.float32), np.arange(4), np.zeros(0)]
    arrays += [np.ones(6)[::2], array("d", [1.0, 2.0]), memoryview(bytearray(16)), bytearray(8)]
    kinds = [TABLE["add"], TABLE["exp"], TABLE["where"], custom, int, Value, Tensor, VJPLevel]
    kinds += [JVPLevel, level, JVPLevel("a test"), len, lambda *args: None, sys._getframe().f_code]
    return plain + values + arrays + kinds


def drawn(draw: random.Random, things: list[Any], depth: int = 0) -> Any:
    """Return one thing, or a container of some."""
    kind = draw.random() if depth < 2 else 1.0
    if kind < 0.25:
        return tuple(drawn(draw, things, depth + 1) for _ in range(draw.randrange(4)))
    if kind < 0.4:
        return [drawn(draw, things, depth + 1) for _ in range(draw.randrange(4))]
    return draw.choice(things)


def right(name: str) -> list[Any]:
    """Return arguments that a function takes, one of which is then replaced."""
    a, b = Value(2.0), Value(-3.0)
    c = a * b + gw.tanh(a)
    level, duals = VJPLevel("a test"), JVPLevel("a test")
    with level:
        x = level.leaf(2.0)
        y = x * x + 1.0
    t = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    ones = np.ones(3)
    known: dict[str, list[Any]] = {
        "replay": [1.0, (c, a)],
        "gradients": [c, 1.0, (a, b)],
        "leaves": [c],
        "readings": [c],
        "weighted_sum": [[a, b], [1.0, b], 0.0],
        "clear_gradients": [[a, b]],
        "set_line": [c, main.__code__, 2],
        "tape_gradients": [level, [y], [1.0], False],
        "tape_tangents": [level, [y], [{x._payload: 1.0}]],
        "map_primitive": [TABLE["exp"], -1, np.zeros(3), np.zeros(3, np.int8), (ones,)],
        "map_mask": [TABLE["relu"], 0, np.zeros(3), np.zeros(3, np.int8), (ones, ones, ones)],
        "select": [np.ones(3, bool), ones, ones, np.zeros(3)],
        "emptied": [np.ones(3, bool), ones, np.zeros(3)],
        "finite": [[ones, t._data]],
        "sweep": [(t * 2.0).sum()._node, np.ones(()), False],
        "function": [TABLE["exp"]],
        "forward_type": [type(duals)],
        "write_graph": [Builder(), (c, a)],
        "compiled": compiled(),
    }
    return known.get(name, [])


def compiled() -> list[Any]:
    """Return the columns of a program with a guard, as its executor passes them."""
    f = gw.compile(gw.grad(lambda x, y: gw.relu(x) * y + 0.5 if x > y else x))
    program = f.program(2.0, 1.0)
    names = tuple([None if p.name == "guard" else p.name for p in program.table])
    columns = [program.op, program.first, program.atoms, program.absent]
    answers = tuple([guard["answer"] for guard in program.guards()])
    return [2, tuple(program.consts), names, *columns, program.outputs, answers]


def main(module: str, name: str, seed: str, count: str) -> None:
    """Call the function, use what it returns, and print how many calls raised nothing."""
    function = getattr(importlib.import_module(module), name)
    draw, accepted = random.Random(f"{name} {seed}"), 0
    warnings.simplefilter("ignore")
    for _ in range(int(count)):
        things = pool()
        args = right(name)
        for _ in range(draw.choice((0, 1, 1, 1, 2))):
            if args:
                args[draw.randrange(len(args))] = drawn(draw, things)
        if not args or draw.random() < 0.2:
            many = draw.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 6))
            args = [drawn(draw, things) for _ in range(many)]
        with suppress(Exception):
            found = function(*args)
            accepted += 1
            repr(found)
            for method in ("run", "compute", "write_gradients"):
                if hasattr(found, method):
                    getattr(found, method)()
            if callable(found):
                found(*args[:2])
        with suppress(Exception):  # the library is still there
            (Value(2.0) * 3.0).backward()
    print(accepted)


if __name__ == "__main__":
    main(*sys.argv[1:])
