"""The observer: run the learner's file on programs, and write down what is observed, no more.

The file runs alone (``python -I observer.py``): it imports nothing of gradwalk, so nothing of the
judge is in the process of the learner. A job is a JSON object with the text, the programs and the
limits. Each program is announced before it begins and answered after it has ended.

What is observed of a program: the numbers of every name after every line, the operations that the
learner's class has applied, the operands that its nodes store, and each write to a gradient with
its line.
"""

from __future__ import annotations

import inspect
import io
import json
import math
import random
import re
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, Final

__all__ = ["Engine", "Job", "Learner", "found_engine", "load", "observe", "observe_all"]

Record = dict[str, Any]
Job = Mapping[str, Any]

OPERATORS: Final = {
    "__add__": "add",
    "__radd__": "add",
    "__sub__": "sub",
    "__rsub__": "sub",
    "__mul__": "mul",
    "__rmul__": "mul",
    "__truediv__": "div",
    "__rtruediv__": "div",
    "__pow__": "pow",
    "__rpow__": "pow",
    "__neg__": "neg",
}
"""Python's methods and the operations that they stand for."""

FUNCTIONS: Final = ("exp", "log", "tanh", "sigmoid", "relu")
PARENTS: Final = (
    "_prev",
    "prev",
    "parents",
    "_parents",
    "children",
    "_children",
    "inputs",
    "_inputs",
    "operands",
    "args",
    "_args",
    "deps",
    "_ctx",
    "ctx",
    "creator",
    "_creator",
)
"""Attributes in which engines usually keep operands; others are searched after them."""

GRADS: Final = ("grad", "g", "gradient", "_grad")
SECONDS: Final = 1.0
"""Seconds that a program may take, unless it says otherwise."""

LATE: Final = 3
"""Programs that may take too long before the others are left out."""

QUICK: Final = 0.1
"""Seconds that a file may take to load, for it to be loaded more than once."""

GROWN: Final = 300
"""Lines of one backward pass after which the file is loaded anew: something in it has grown, as
a tape that all programs share does. It takes two of the styles from 5 s to 1 s."""

STEPS: Final = 20_000
"""Lines of one backward pass that are traced at most."""


class TooLongError(BaseException):
    """A program takes longer than it may; no ``except Exception`` of the learner catches it."""


WAITING: Final = 2.5
"""How many times as long a program may take by the clock: the machine may be busy otherwise."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooLongError` in the learner's code after some seconds, where signals can do that.

    The seconds are those of the processor, so that a busy machine does not make an engine slow.
    A program that waits uses none, and is ended by the clock.
    """
    timer = getattr(signal, "setitimer", None)
    if timer is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: object) -> None:
        raise TooLongError(f"it took more than {seconds:g} s")

    clocks = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, WAITING * seconds),
    )
    before = [signal.signal(name, late) for name, _, _ in clocks]
    for _, clock, most in clocks:
        timer(clock, most)
    try:
        yield
    finally:
        for (name, clock, _), old in zip(clocks, before, strict=True):
            timer(clock, 0)
            signal.signal(name, old)


class UnusableError(Exception):
    """The file has no class that can be checked."""


class Engine:
    """The learner's class of numbers: how to make one, and how to read it."""

    def __init__(self, kind: type, module: Mapping[str, Any]) -> None:
        self.kind: type = kind
        self.module: Mapping[str, Any] = module
        probe = kind(2.0)
        self.data: str = "data" if hasattr(probe, "data") else "value"
        self.grad: str = next((name for name in GRADS if hasattr(probe, name)), "grad")
        self.known: list[str] = [name for name in OPERATORS if self._own(name)]
        self.backward: bool = self._own("backward")
        self.held: set[str] = set()  # the attributes in which nodes keep their operands
        self.functions: dict[str, str] = {}
        for name in FUNCTIONS:
            if self._own(name):
                self.functions[name] = "method"
            elif isinstance(module.get(name), (types.FunctionType, type)) and self._works(name):
                self.functions[name] = "function"

    def _own(self, name: str) -> bool:
        """Whether the class, or a base of it that the learner wrote, has a method."""
        return any(name in vars(base) for base in self.kind.__mro__[:-1])

    def _works(self, name: str) -> bool:
        with suppress(Exception):
            return isinstance(self.module[name](self.kind(0.5)), self.kind)
        return True  # it is meant for Values: the programs say what is wrong with it

    def function(self, name: str) -> Callable[[Any], Any]:
        """Return a function such as ``tanh``, which may be a method of the class."""
        if self.functions[name] == "function":
            return lambda x: self.module[name](x)
        return lambda x: getattr(x, name)()

    def read(self, item: object) -> Record:
        """Return the numbers of a node: its data and its gradient, and what they are instead."""
        if not isinstance(item, self.kind):
            number = isinstance(item, (int, float))
            return {"is": type(item).__name__, "data": plain(item) if number else None}
        return {
            "data": plain(getattr(item, self.data, None)),
            "grad": plain(getattr(item, self.grad, None)),
        }


def plain(number: object) -> Any:
    """Return a number for JSON: a float or ``None``, and a text for anything else."""
    if number is None or isinstance(number, str):
        return number if number is None else f"text {number[:40]!r}"
    with suppress(Exception):
        got = float(number)  # type: ignore[arg-type]
        return got if math.isfinite(got) else {"float": repr(got)}
    return f"a {type(number).__name__}"


# --- the file ------------------------------------------------------------------------------------


class Learner:
    """What the learner's file has: its names, and its class of numbers."""

    def __init__(self, text: str, name: str) -> None:
        began = time.perf_counter()
        self.code: types.CodeType = compile(text, name, "exec")
        self.name: str = name
        self.module: dict[str, Any] = load(self.code, name)
        self.seconds: float = time.perf_counter() - began
        self.engine: Engine = found_engine(self.module)

    def renew(self) -> None:
        """Run the file again, where that is quick: a list that all programs share begins anew."""
        if self.seconds < QUICK:
            with suppress(Exception), redirect_stdout(io.StringIO()):
                module = load(self.code, self.name)
                self.engine, self.module = found_engine(module), module


def load(code: types.CodeType, name: str) -> dict[str, Any]:
    """Run the learner's file, and return its names. What it raises is raised."""
    module = types.ModuleType("my_engine")
    module.__file__ = name
    sys.modules["my_engine"] = module  # dataclasses and pickles look there
    exec(code, module.__dict__)
    return module.__dict__


def found_engine(module: Mapping[str, Any]) -> Engine:
    """Return the class of numbers: one with ``data`` and operators, best with ``backward``."""
    best: tuple[int, str] | None = None
    for name, kind in list(module.items()):
        if not isinstance(kind, type) or kind.__module__ != "my_engine":
            continue
        methods = {key for base in kind.__mro__[:-1] for key in vars(base)}
        score = 4 * len(methods & OPERATORS.keys()) + 8 * ("backward" in methods)
        score += 2 * (name in ("Value", "Var", "Variable", "Scalar", "Tensor", "Node"))
        with suppress(Exception):
            probe = kind(2.0)
            named = hasattr(probe, "data") or hasattr(probe, "value")
            if named and score + 1 > (best[0] if best else 0):
                best = score + 1, name
    if best is None:
        raise UnusableError(_no_class(module))
    return Engine(module[best[1]], module)


def _no_class(module: Mapping[str, Any]) -> str:
    own = [k for k, v in module.items() if isinstance(v, type) and v.__module__ == "my_engine"]
    if not own:
        return "no class"
    for name in own:
        try:
            probe = module[name](2.0)
        except Exception as error:
            if name in ("Value", "Var", "Variable", "Scalar", "Tensor", "Node"):
                return f"{name}(2.0) raises {type(error).__name__}: {error}"
        else:
            if name in ("Value", "Var", "Variable", "Scalar", "Tensor", "Node"):
                return f"{name}(2.0) has no attribute data: {sorted(vars(probe))[:6]}"
    return f"no class with data among {', '.join(own[:6])}"


# --- formulas ------------------------------------------------------------------------------------


class Calls:
    """The operations that a program applies, as a tree: which method called which."""

    def __init__(self, engine: Engine) -> None:
        self.engine: Engine = engine
        self.nodes: list[Any] = []
        self.index: dict[int, int] = {}
        self.rows: list[Record] = []
        self.open: list[Record] = []

    def node(self, item: object) -> int:
        key = id(item)
        if key not in self.index:
            self.index[key] = len(self.nodes)
            self.nodes.append(item)
        return self.index[key]

    def ref(self, item: object) -> Any:
        if isinstance(item, self.engine.kind):
            return ["node", self.node(item)]
        return ["number", plain(item)]

    def wrapped(self, name: str, op: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            row: Record = {"op": op, "method": name, "args": [self.ref(x) for x in args]}
            row["inside"] = []
            self.open.append(row)
            try:
                result = inner(*args, **named)
            finally:
                self.open.pop()
            row["result"] = self.ref(result)
            (self.open[-1]["inside"] if self.open else self.rows).append(row)
            return result

        return call

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Put the wrappers into the class and the module, and take them out again."""
        engine, module = self.engine, self.engine.module
        before: list[tuple[Any, str, Any]] = []
        names = [(engine.kind, key, op) for key, op in OPERATORS.items()]
        names += [(engine.kind, key, key) for key in FUNCTIONS]
        for holder, key, op in names:
            base = next((b for b in holder.__mro__[:-1] if key in vars(b)), None)
            if base is None:
                continue
            inner = vars(base)[key]
            if not callable(inner):
                continue
            with suppress(Exception):
                setattr(base, key, self.wrapped(key, op, inner))
                before.append((base, key, inner))
        for key, style in engine.functions.items():
            if style == "function" and isinstance(module, dict):
                inner = module[key]
                if isinstance(inner, types.FunctionType):
                    module[key] = self.wrapped(key, key, inner)
                    before.append((module, key, inner))
        try:
            yield
        finally:
            for holder, key, inner in reversed(before):
                if isinstance(holder, dict):
                    holder[key] = inner
                else:
                    setattr(holder, key, inner)

    def parents(self, item: object) -> list[int] | None:
        """Return the operands that a node stores, in the order in which it stores them."""
        names = [*PARENTS, *(k for k in getattr(item, "__dict__", {}) if k not in PARENTS)]
        for name in names:
            with suppress(Exception):
                held = getattr(item, name)
                for inner in (held, *(getattr(held, key) for key in PARENTS if _has(held, key))):
                    if isinstance(inner, (list, tuple, set, frozenset)):
                        flat = [x for y in inner for x in (y if isinstance(y, tuple) else (y,))]
                        kept = [x for x in flat if isinstance(x, self.engine.kind)]
                        if kept and all(x is not item for x in kept):
                            self.engine.held.add(name)
                            return [self.node(x) for x in kept]
        return [] if any(_empty(getattr(item, name, None)) for name in self.engine.held) else None


def _empty(held: object) -> bool:
    return isinstance(held, (list, tuple, set, frozenset)) and not held


def _has(held: object, key: str) -> bool:
    return not isinstance(held, (int, float, str, type(None))) and hasattr(held, key)


class Writes:
    """Each change of a gradient during a backward pass, with the line that made it."""

    def __init__(self, engine: Engine, nodes: list[Any], name: str) -> None:
        self.engine: Engine = engine
        self.nodes: list[Any] = nodes
        self.name: str = name
        self.rows: list[list[Any]] = []
        self.lines: list[int] = []
        self.last: list[Any] = self._now()
        self.at: dict[int, int] = {}
        self.steps: int = 0

    def _now(self) -> list[Any]:
        return [plain(getattr(node, self.engine.grad, None)) for node in self.nodes]

    def look(self, line: int) -> None:
        now = self._now()
        for index, (old, new) in enumerate(zip(self.last, now, strict=True)):
            if old != new:
                self.rows.append([line, index, old, new])
        self.last = now

    def trace(self, frame: types.FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != self.name or self.steps > STEPS:
            return None
        key = id(frame)
        if event in ("line", "return"):
            self.steps += 1
            if key in self.at:
                self.look(self.at[key])
            self.at[key] = frame.f_lineno
            if event == "line":
                self.lines.append(frame.f_lineno)
        elif event == "call":
            back = frame.f_back
            if back is not None and id(back) in self.at:
                self.look(self.at[id(back)])
            self.at.pop(key, None)
        return self.trace


def _names(engine: Engine, program: Job) -> dict[str, Any]:
    names: dict[str, Any] = {
        key: engine.kind(value) for key, value in program.get("values", {}).items()
    }
    for name in engine.functions:
        names[name] = engine.function(name)
    names["Value"] = engine.kind
    return names


def observe(learner: Learner, program: Job, name: str, traced: bool) -> Record:
    """Run one program, line by line, and return the numbers of its names after every line."""
    engine = learner.engine
    names = _names(engine, program)
    leaves = {key: names[key] for key in program.get("values", {})}
    calls = Calls(engine)
    for item in leaves.values():
        calls.node(item)
    record: Record = {"lines": [], "error": None}
    held: dict[str, Any] = dict(leaves)
    try:
        for number, line in enumerate(program["text"].split("\n")):
            if ".backward()" in line and not engine.backward:
                break
            shown = line
            if engine.grad != "grad" or engine.data != "data":
                shown = re.sub(r"\.grad\b", f".{engine.grad}", line)
                shown = re.sub(r"\.data\b", f".{engine.data}", shown)
            code = compile(shown, f"<line {number + 1}>", "exec")
            if traced and ".backward()" in line:
                for item in list(calls.nodes):
                    calls.parents(item)
                writes = Writes(engine, calls.nodes, name)
                before = sys.gettrace()
                sys.settrace(writes.trace)
                try:
                    exec(code, names)
                finally:
                    sys.settrace(before)
                    writes.look(writes.lines[-1] if writes.lines else 0)
                    record.setdefault("writes", []).append(writes.rows)
                    record.setdefault("ran", []).append(sorted(set(writes.lines)))
                    record["steps"] = len(writes.lines)
            elif traced:
                covered: set[int] = set()
                before = sys.gettrace()
                sys.settrace(_coverage(covered, name))
                try:
                    with calls.watching():
                        exec(code, names)
                finally:
                    sys.settrace(before)
                    record.setdefault("forward", []).append(sorted(covered))
            else:
                exec(code, names)
            for key in program["names"]:
                if (key in names and not callable(names[key])) or isinstance(
                    names.get(key), engine.kind
                ):
                    held[key] = names[key]
            record["lines"].append({k: engine.read(held[k]) for k in program["names"] if k in held})
    except BaseException as error:
        record["error"] = _error(error, name)
    if traced:
        record["calls"] = calls.rows
        record["nodes"] = [
            {**engine.read(node), "parents": calls.parents(node)} for node in calls.nodes[:64]
        ]
        record["named"] = {k: calls.index[id(v)] for k, v in held.items() if id(v) in calls.index}
    return record


def _coverage(covered: set[int], name: str) -> Any:
    def trace(frame: types.FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != name:
            return None
        if event == "line":
            covered.add(frame.f_lineno)
        return trace

    return trace


def _error(error: BaseException, name: str) -> Record:
    lines = []
    trail = error.__traceback__
    while trail is not None:
        if trail.tb_frame.f_code.co_filename == name:
            lines.append(trail.tb_lineno)
        trail = trail.tb_next
    return {
        "type": type(error).__name__,
        "message": str(error)[:300],
        "line": lines[-1] if lines else None,
        "first": lines[0] if lines else None,
        "lines": lines[-12:],
    }


# --- deep and wide graphs ------------------------------------------------------------------------


def observe_deep(learner: Learner, program: Job, name: str) -> Record:
    """Add ``a`` to a sum many times, and see whether its gradient arrives."""
    engine = learner.engine
    a = engine.kind(1.0)
    y = a
    try:
        for _ in range(program["times"]):
            y = y + a
        y.backward()
    except RecursionError as error:
        return {"error": {**_error(error, name), "type": "RecursionError"}}
    except Exception as error:
        return {"error": _error(error, name)}
    return {"error": None, "y": engine.read(y), "a": engine.read(a)}


def observe_wide(learner: Learner, program: Job, name: str) -> Record:
    """Double ``a`` many times by ``x = x + x``: a graph with 2 ** times paths."""
    engine = learner.engine
    counts: list[list[Any]] = []
    for times in range(4, program["times"] + 1, 2):
        x = a = engine.kind(1.0)
        start = time.process_time()
        try:
            for _ in range(times):
                x = x + x
            x.backward()
        except Exception as error:
            return {"error": _error(error, name), "counts": counts}
        counts.append([times, time.process_time() - start, engine.read(a)["grad"]])
        if 4 * counts[-1][1] > program["most"]:  # two doublings more take four times as long
            break
    return {"error": None, "counts": counts}


# --- nets, training and numerical gradients ------------------------------------------------------


def _parameters(model: Any) -> list[Any]:
    found = model.parameters() if callable(model.parameters) else model.parameters
    return list(found)


def _values_inside(engine: Engine, item: Any, path: str = "self") -> list[tuple[str, Any]]:
    """Every Value that an object holds, with the path to it: ``self.w[0]``."""
    found: list[tuple[str, Any]] = []
    work: list[tuple[str, Any, int]] = [(path, item, 0)]
    seen: set[int] = set()
    while work:
        where, thing, depth = work.pop(0)
        if id(thing) in seen or depth > 6:
            continue
        if isinstance(thing, engine.kind):
            found.append((where, thing))
            continue
        seen.add(id(thing))
        if isinstance(thing, dict):
            work += [(f"{where}[{k!r}]", v, depth + 1) for k, v in thing.items()]
        elif isinstance(thing, (list, tuple)):
            work += [(f"{where}[{i}]", v, depth + 1) for i, v in enumerate(thing)]
        elif type(thing).__module__ == "my_engine":
            keys = [*getattr(thing, "__dict__", {})]
            for kind in type(thing).__mro__:
                slots = vars(kind).get("__slots__", ())
                keys += [slots] if isinstance(slots, str) else list(slots)
            for key in keys:
                with suppress(Exception):
                    work.append((f"{where}.{key}", getattr(thing, key), depth + 1))
    return found


def _outputs(engine: Engine, out: Any) -> list[Any]:
    """Return the results of a net as a flat list; a single Value is a list of one."""
    if isinstance(out, (list, tuple)):
        return [x for part in out for x in _outputs(engine, part)]
    return [out]


def _number(engine: Engine, item: Any) -> float:
    return float(getattr(item, engine.data) if isinstance(item, engine.kind) else item)


def _set(engine: Engine, item: Any, number: float) -> None:
    setattr(item, engine.data, number)


def _made(model: Any, engine: Engine, xs: list[Any], values: bool) -> list[Any]:
    return _outputs(engine, model([engine.kind(x) for x in xs] if values else list(xs)))


FIXED: Final = (0.31, -0.47, 0.62, -0.15, 0.53, 0.24, -0.38, 0.71, -0.59, 0.44, 0.17, -0.66)
"""Weights that nets are given, so that nothing depends on the learner's random numbers."""


def _fixed(count: int) -> list[float]:
    return [FIXED[i % len(FIXED)] * (1 + 0.013 * i) for i in range(count)]


def _weighted(engine: Engine, outs: list[Any]) -> float:
    return sum((1.0 + 0.5 * i) * _number(engine, out) for i, out in enumerate(outs))


def _influences(
    engine: Engine, model: Any, held: list[tuple[str, Any]], xs: list[Any], values: bool
) -> list[Any]:
    """How much each Value in a net moves its outputs, by finite differences."""
    rows, step = [], 1e-5
    for path, value in held:
        kept = _number(engine, value)
        _set(engine, value, kept + step)
        up = _weighted(engine, _made(model, engine, xs, values))
        _set(engine, value, kept - step)
        down = _weighted(engine, _made(model, engine, xs, values))
        _set(engine, value, kept)
        rows.append([path, (up - down) / (2 * step)])
    return rows


def observe_net(learner: Learner, program: Job, name: str) -> Record:
    """Make a net, set its weights, and compare what each parameter does with its gradient."""
    engine, module = learner.engine, learner.module
    made = program["class"]
    facts: Record = {"error": None}
    try:
        random.seed(11)
        model = module[made](*program["args"])
        facts["inside"] = [[k, plain(_number(engine, v))] for k, v in _values_inside(engine, model)]
        if not hasattr(model, "parameters"):
            facts["parameters"] = None
        else:
            first, second = _parameters(model), _parameters(model)
            facts["parameters"] = [
                "value" if isinstance(p, engine.kind) else type(p).__name__ for p in first
            ]
            facts["distinct"] = len({id(p) for p in first})
            facts["same"] = [id(p) for p in first] == [id(p) for p in second]
            paths: dict[int, str] = {}
            for path, value in _values_inside(engine, model):
                paths.setdefault(id(value), path)  # a Value may be held under several names
            facts["paths"] = [paths.get(id(p)) for p in first]
            facts["start"] = [
                plain(_number(engine, p)) if isinstance(p, engine.kind) else None for p in first
            ]
        held: list[tuple[str, Any]] = []
        for path, value in _values_inside(engine, model):
            if all(value is not other for _, other in held):
                held.append((path, value))
        for (_, value), number in zip(held, _fixed(len(held)), strict=True):
            _set(engine, value, number)
        facts["fixed"] = [[path, _number(engine, value)] for path, value in held]
        xs = program["xs"]
        values = False
        try:
            out = model(list(xs))
        except Exception as error:
            facts["numbers"] = _error(error, name)
            values = True
            out = model([engine.kind(x) for x in xs])
        outs = _outputs(engine, out)
        facts["shape"] = "list" if isinstance(out, (list, tuple)) else "value"
        facts["kinds"] = ["value" if isinstance(x, engine.kind) else type(x).__name__ for x in outs]
        facts["outputs"] = [plain(_number(engine, x)) for x in outs]
        facts["again"] = [plain(_number(engine, x)) for x in _made(model, engine, xs, values)]
        facts["line"] = []
        for t in program["scales"]:
            scaled = _made(model, engine, [t * x for x in xs], values)
            facts["line"].append([plain(_number(engine, x)) for x in scaled])
        facts["inputs"] = []
        for i in range(len(xs)):
            moved = [x + 0.25 * (i == j) for j, x in enumerate(xs)]
            facts["inputs"].append(
                [plain(_number(engine, x)) for x in _made(model, engine, moved, values)]
            )
        facts["influence"] = _influences(engine, model, held, xs, values)
        before = [_number(engine, value) for _, value in held]
        for _, value in held:  # positive and small: no relu blocks, and no tanh saturates
            _set(engine, value, 0.4 * abs(_number(engine, value)))
        positive = _influences(engine, model, held, [abs(x) for x in xs], values)
        facts["positive"] = positive
        for (_, value), number in zip(held, before, strict=True):
            _set(engine, value, number)
        if engine.backward:
            for _, value in held:
                with suppress(Exception):
                    setattr(value, engine.grad, type(getattr(value, engine.grad))(0))
            outs = _made(model, engine, xs, values)
            total = outs[0]
            for i, item in enumerate(outs[1:], 1):
                total = total + item * (1.0 + 0.5 * i)
            total.backward()
            facts["grads"] = [[path, plain(getattr(v, engine.grad, None))] for path, v in held]
        if hasattr(model, "zero_grad"):
            before = [_number(engine, v) for _, v in held]
            model.zero_grad()
            facts["zeroed"] = [[path, plain(getattr(v, engine.grad, None))] for path, v in held]
            facts["kept"] = [
                _number(engine, v) == x for (_, v), x in zip(held, before, strict=True)
            ]
    except Exception as error:
        facts["error"] = _error(error, name)
    return facts


def observe_numerical(learner: Learner, program: Job, name: str) -> Record:
    """Call ``numerical_gradient`` on ``a * a * a + a``, and write down where it looked."""
    engine = learner.engine
    looked: list[Any] = []
    call = learner.module[program["function"]]
    facts: Record = {"error": None, "tries": []}
    for style in ("value", "number"):
        x = engine.kind(program["at"]) if style == "value" else float(program["at"])
        looked = []

        def f(*args: Any, looked: list[Any] = looked, x: Any = x) -> Any:
            v = args[0] if args else x
            looked.append(plain(_number(engine, v)))
            return v * v * v + v

        attempt: Record = {"style": style}
        try:
            args = [f, x] + ([program["eps"]] if program["eps"] is not None else [])
            attempt["result"] = plain(_number(engine, call(*args)))
            attempt["after"] = plain(_number(engine, x))
            attempt["looked"] = looked[:12]
            attempt["error"] = None
        except Exception as error:
            attempt["error"] = _error(error, name)
        facts["tries"].append(attempt)
        if attempt["error"] is None:
            break
    return facts


class Data:
    """Each change of a parameter's data while ``train`` runs, with its line."""

    def __init__(self, engine: Engine, items: list[Any], name: str) -> None:
        self.engine: Engine = engine
        self.items: list[Any] = items
        self.name: str = name
        self.rows: list[list[Any]] = []
        self.last: list[Any] = self.now()
        self.at: dict[int, int] = {}
        self.steps: int = 0
        self.left: list[list[Any]] = []
        self.passed: set[int] = set()  # frames of the backward pass, which writes no data

    def now(self) -> list[Any]:
        return [plain(getattr(item, self.engine.data, None)) for item in self.items]

    def begun(self) -> None:
        """Note whether gradients of an earlier step are left when a backward pass begins."""
        self.look(0)
        grads = [getattr(item, self.engine.grad, None) for item in self.items]
        self.left.append([len(self.rows), any(grads)])

    def look(self, line: int) -> None:
        now = self.now()
        for index, (old, new) in enumerate(zip(self.last, now, strict=True)):
            if old != new:
                grad = plain(getattr(self.items[index], self.engine.grad, None))
                self.rows.append([line, index, old, new, grad])
        self.last = now

    def trace(self, frame: types.FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_filename != self.name or self.steps > 40 * STEPS:
            return None
        if frame.f_code.co_name in OPERATORS or frame.f_code.co_name in FUNCTIONS:
            return None
        if event == "call":
            # without this, four steps of an engine with a tape take 5 s instead of .3
            if frame.f_code.co_name == "backward" or id(frame.f_back) in self.passed:
                if id(frame.f_back) not in self.passed:
                    self.begun()
                self.passed.add(id(frame))
                return None
            self.passed.discard(id(frame))
        self.steps += 1
        if event in ("line", "return"):
            key = id(frame)
            if key in self.at:
                self.look(self.at[key])
            self.at[key] = frame.f_lineno
        elif event == "call":
            self.at.pop(id(frame), None)
        return self.trace


def _losses(engine: Engine, model: Any, xs: Any, ys: Any) -> list[float]:
    found = []
    for x, y in zip(xs, ys, strict=True):
        outs = _outputs(engine, model(list(x)))
        found.append(sum((_number(engine, out) - y) ** 2 for out in outs))
    return found


def _slopes(engine: Engine, model: Any, items: list[Any], xs: Any, ys: Any) -> list[list[float]]:
    """Return the derivatives of each squared error by each parameter, by finite differences."""
    rows = []
    for item in items:
        kept, step = _number(engine, item), 1e-5
        _set(engine, item, kept + step)
        up = _losses(engine, model, xs, ys)
        _set(engine, item, kept - step)
        down = _losses(engine, model, xs, ys)
        _set(engine, item, kept)
        rows.append([(a - b) / (2 * step) for a, b in zip(up, down, strict=True)])
    return rows


STEPS_CALLED: Final = ("step", "epoch", "iter", "round", "n_", "num", "times", "tours", "etape")
RATE_CALLED: Final = ("lr", "rate", "alpha", "eta", "learn", "step_size", "pas", "gamma")


def _settings(train: Callable[..., Any], steps: int, lr: float) -> tuple[list[Any], dict[str, Any]]:
    """Return how to pass the number of steps and the learning rate: by name where it is known."""
    try:
        names = list(inspect.signature(train).parameters)[3:]
    except (TypeError, ValueError):
        return [steps, lr], {}
    rate = next((n for n in names if n.lower().startswith(RATE_CALLED) or "rate" in n), None)
    count = next((n for n in names if n != rate and n.lower().startswith(STEPS_CALLED)), None)
    if rate is None or count is None:
        return [steps, lr], {}
    return [], {count: steps, rate: lr}


def observe_train(learner: Learner, program: Job, name: str) -> Record:
    """Run ``train`` for a few steps from fixed weights, and write down each write to a weight."""
    engine, module = learner.engine, learner.module
    facts: Record = {"error": None}
    try:
        random.seed(5)
        model = module[program["class"]](*program["args"])
        items = [p for p in _parameters(model) if isinstance(p, engine.kind)]
        for item, number in zip(items, _fixed(len(items)), strict=True):
            _set(engine, item, number)
        start = [_number(engine, p) for p in items]
        xs, ys = program["xs"], program["ys"]
        facts["before"] = _losses(engine, model, xs, ys)
        facts["outs"] = [
            [_number(engine, out) for out in _outputs(engine, model(list(x)))] for x in xs
        ]
        watch = Data(engine, items, name)
        held = sys.gettrace()
        if program["trace"]:
            sys.settrace(watch.trace)
        try:
            given, named = _settings(module["train"], program["steps"], program["lr"])
            result = module["train"](model, [list(x) for x in xs], list(ys), *given, **named)
        finally:
            sys.settrace(held)
        watch.look(0)
        facts["writes"], facts["left"] = watch.rows, watch.left
        facts["start"] = start
        facts["end"] = watch.now()
        facts["reached"] = any(getattr(item, engine.grad, None) for item in items)
        facts["after"] = _losses(engine, model, xs, ys)
        again = _parameters(model)
        facts["same"] = [id(p) for p in again] == [id(p) for p in items]
        if isinstance(result, (list, tuple)):
            facts["losses"] = [plain(getattr(x, engine.data, x)) for x in result]
            facts["kinds"] = sorted({type(x).__name__ for x in result})
        else:
            facts["losses"] = None
            facts["kinds"] = [type(result).__name__]
        if program["trace"]:
            facts["slopes"] = []
            points = _points(start, watch.rows)
            facts["points"] = points
            for point in points:
                for item, number in zip(items, point, strict=True):
                    _set(engine, item, number)
                facts["slopes"].append(_slopes(engine, model, items, xs, ys))
                facts.setdefault("errors", []).append(_losses(engine, model, xs, ys))
    except Exception as error:
        facts["error"] = _error(error, name)
    return facts


def _points(start: list[float], rows: list[list[Any]]) -> list[list[float]]:
    """Return the weights at the beginning of each step, which ends at a second write."""
    points, now = [list(start)], list(start)
    written: set[int] = set()
    for _, index, _, new, _ in rows:
        if index in written:
            points.append(list(now))
            written = set()
        written.add(index)
        if not isinstance(new, float):
            break
        now[index] = new
    points.append(list(now))
    return points[:8]


KINDS: Final[dict[str, Callable[[Learner, Job, str], Record]]] = {
    "deep": observe_deep,
    "wide": observe_wide,
    "net": observe_net,
    "numerical": observe_numerical,
    "train": observe_train,
}
"""Programs that are not formulas, by the name of their kind."""


def _formula(learner: Learner, program: Job, name: str) -> Record:
    seen = observe(learner, program, name, traced=True)
    if seen["error"] and seen["error"]["type"] == "TooLongError":
        return seen
    bare = observe(learner, program, name, traced=False)
    if seen["error"] and not bare["error"]:
        seen = {**bare, "calls": [], "nodes": [], "named": {}}
    seen["again"] = bare["lines"] if bare["lines"] != seen["lines"] else None
    return seen


def observe_all(
    learner: Learner,
    job: Job,
    say: Callable[[Record], None],
    skip: Iterable[str] = (),
) -> None:
    """Run all programs of a job; each is announced before, and answered after."""
    skipped, late, grown = set(skip), 0, False
    for program in job["programs"]:
        key = program["id"]
        if key in skipped or _lacking(learner, program):
            continue
        say({"begin": key})
        random.seed(7)
        run = KINDS.get(program.get("kind", ""), _formula)
        if run is not _formula and grown:
            learner.renew()
        began = time.perf_counter()
        try:
            with limited(program.get("seconds", SECONDS)):
                record = run(learner, program, job["name"])
        except BaseException as error:
            record = {"lines": [], "error": _error(error, job["name"]), "crash": True}
        record["seconds"] = round(time.perf_counter() - began, 4)
        say({"end": key, "record": record})
        if record.get("steps", 0) > GROWN:
            grown = True
            learner.renew()
        late += (record["error"] or {}).get("type") == "TooLongError"
        if late >= LATE:
            say({"late": key})
            return


def _lacking(learner: Learner, program: Job) -> bool:
    """Whether a program needs something that the learner has not written."""
    engine, module = learner.engine, learner.module
    return (
        not set(program.get("functions_needed", ())) <= engine.functions.keys()
        or not all(callable(module.get(key)) for key in program.get("names_needed", ()))
        or not set(program.get("operators_needed", ())) <= set(engine.known)
        or (program.get("backward_needed", False) and not engine.backward)
    )


def described(learner: Learner) -> Record:
    """Return what the file has: the class, its operators, and the classes of nets."""
    engine = learner.engine
    has = learner.module
    return {
        "engine": engine.kind.__name__,
        "data": engine.data,
        "grad": engine.grad,
        "operators": engine.known,
        "functions": engine.functions,
        "backward": engine.backward,
        "names": sorted(k for k, v in has.items() if callable(v) and not k.startswith("__")),
        "empty": plain(getattr(engine.kind(2.0), engine.grad, None)),
    }


def run_job(job: Job, say: Callable[[Record], None]) -> None:
    """Load the file and run the programs; what cannot be loaded is one record."""
    try:
        with limited(5.0):
            learner = Learner(job["text"], job["name"])
    except SyntaxError as error:
        say(
            {
                "unusable": {
                    "type": type(error).__name__,
                    "message": str(error.msg),
                    "line": error.lineno,
                }
            }
        )
        return
    except UnusableError as error:
        say({"unusable": {"type": "", "message": str(error), "line": None}})
        return
    except BaseException as error:
        say({"unusable": _error(error, job["name"])})
        return
    say({"engine": described(learner)})
    observe_all(learner, job, say, job.get("skip", ()))
    say({"done": True})


# --- a process of its own ------------------------------------------------------------------------


def limit() -> None:
    """Bound the memory, the time and the files of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows has none of it: only the time is bounded, by the parent
        return
    for what, number in (
        ("RLIMIT_AS", 2 << 30),
        ("RLIMIT_CPU", 60),
        ("RLIMIT_FSIZE", 1 << 20),
        ("RLIMIT_CORE", 0),
    ):
        with suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, what), (number, number))


def main() -> None:
    """Read a job from the standard input, and write records to the descriptor that it names."""
    import os

    job = json.loads(sys.stdin.buffer.read())
    report = os.fdopen(job["report"], "w", encoding="utf-8")
    word, write, flush, dumps = job["word"], report.write, report.flush, json.dumps

    def say(record: Record) -> None:
        write(f"{word} {dumps(record)}\n")
        flush()

    limit()
    sys.stdin = io.StringIO()
    leave = os._exit
    run_job(job, say)
    with suppress(Exception):
        sys.stdout.flush()
    leave(0)  # threads and exit handlers of the learner do not run on


if __name__ == "__main__":
    main()
