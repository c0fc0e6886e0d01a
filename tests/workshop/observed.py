"""What can be seen of an engine by running it: results, gradients, errors, by program.

This is no judge: it computes numbers only, and finite differences of plain floats beside them.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from .engines import ENGINES, Engine

Seen = dict[str, Any]
numbers = itertools.count()


@contextlib.contextmanager
def loaded(engine: Engine, text: str | None = None) -> Iterator[types.ModuleType]:
    """Run the text of an engine as a module. The limit of recursion is put back afterwards."""
    module = types.ModuleType(f"learner_{next(numbers)}")
    limit = sys.getrecursionlimit()
    sys.modules[module.__name__] = module  # a dataclass looks its module up
    try:
        exec(compile(text or engine.text, f"{engine.name}.py", "exec"), module.__dict__)
        yield module
    finally:
        sys.setrecursionlimit(limit)
        del sys.modules[module.__name__]


class Plain:
    """The operations on floats."""

    exp, log, tanh = staticmethod(math.exp), staticmethod(math.log), staticmethod(math.tanh)

    @staticmethod
    def sigmoid(x: float) -> float:
        return 0.5 + 0.5 * math.tanh(0.5 * x)

    @staticmethod
    def relu(x: float) -> float:
        return max(x, 0.0)


@dataclass(frozen=True)
class Api:
    """An engine as programs use it, whatever its names."""

    engine: Engine
    module: types.ModuleType

    def make(self, x: float) -> Any:
        return getattr(self.module, self.engine.kind)(x)

    def data(self, value: Any) -> Any:
        return getattr(value, self.engine.attribute)

    def put(self, value: Any, x: float) -> None:
        setattr(value, self.engine.attribute, x)

    def grad(self, value: Any) -> float:
        return value.grad if value.grad is not None else 0.0

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        if name not in ("exp", "log", "tanh", "sigmoid", "relu"):
            raise AttributeError(name)
        if self.engine.methods:
            return lambda value: getattr(value, name)()
        function: Callable[[Any], Any] = getattr(self.module, name)
        return function


Formula = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """A formula of a, b, c and the operations that it needs."""

    name: str
    needs: frozenset[str]
    formula: Formula


def program(name: str, needs: str, formula: Formula) -> Program:
    return Program(name, frozenset(needs.split()), formula)


def shared(m: Any, a: Any, b: Any, c: Any) -> Any:
    t = a * b
    u = t + c
    return t * u + u * u


def diamond(m: Any, a: Any, b: Any, c: Any) -> Any:
    t = a * b
    return (t + a) * (t * c) + t


def lopsided(m: Any, a: Any, b: Any, c: Any) -> Any:
    t = a * c
    long = ((t + b) * a + c) * b
    return long + t + long * t


def two_inner(m: Any, a: Any, b: Any, c: Any) -> Any:
    s, t = a + b, a * b
    u = s * t
    return u * s + t * u + s


ONE = {
    "a + b": "+", "a - b": "-", "a * b": "*", "a / b": "/", "a ** 2": "**", "a ** 3": "**",
    "a ** -1": "**", "a ** 0.5": "**", "a ** 1": "**", "-a": "neg", "exp(a)": "exp",
    "log(a)": "log",
    "tanh(a)": "tanh", "sigmoid(a)": "sigmoid", "relu(a)": "relu", "relu(-a)": "relu neg",
}  # fmt: skip
"""Programs of one operation, and what they need."""
NUMBERS = {
    "a + 3": "+", "3 + a": "+", "a - 3": "-", "3 - a": "-", "a * 2.5": "*", "2.5 * a": "*",
    "a * 2": "*", "a / 4": "/", "3 / a": "/", "sum([a, b])": "+", "a + 0.25": "+", "0.25 + a": "+",
    "0.5 - a": "-", "a - 0.5": "-", "0.5 / a": "/", "a / 2.5": "/",
}  # fmt: skip
"""Programs with a number on one side."""
FUNCTIONS = ("exp", "log", "tanh", "sigmoid", "relu")


def of_text(text: str) -> Formula:
    """Return the formula of a text, in which functions are those of the engine."""
    calls = {name: f"m.{name}" for name in FUNCTIONS}
    for name, call in calls.items():
        text = text.replace(f"{name}(", f"{call}(")
    formula: Formula = eval(f"lambda m, a, b, c: {text}")
    return formula


def programs() -> tuple[Program, ...]:
    """Return every program: one operation alone, scaled, of inner nodes, twice; whole graphs."""
    texts = dict(ONE)
    for text, needs in ONE.items():
        texts[f"({text}) * c"] = f"{needs} *"
        texts[f"({text}) * 3 + ({text}) * 5"] = f"{needs} * +"
        inner = "(a * c)" if "b" not in text else "(a + b)"
        texts[text.replace("a", inner, 1) if "tanh" not in text else "tanh(a * c)"] = f"{needs} * +"
    texts |= {
        "a + a": "+", "a * a": "*", "a * a + a": "+ *", "a - a": "-", "a / a": "/",
        "a + b + a": "+",
        "(a + b) * (a + b)": "+ *", "a * b + c": "+ *", "(a * b + c) * (a + c)": "+ *",
        "a * b * a": "*", "(a - b) * (b - a)": "- *", "(a / b) / (b / a)": "/",
        "-(a * b) + a": "neg + *",
        "(a ** 2 + b ** 2) ** 0.5": "** +", "tanh(a * b + c) * tanh(a)": "tanh + *",
        "relu(a * b + c) + relu(a - c)": "relu + * -", "exp(tanh(a)) * b": "exp tanh *",
        "log(exp(a) + exp(b))": "log exp +", "sigmoid(a) * sigmoid(b * c)": "sigmoid *",
    }  # fmt: skip
    texts |= NUMBERS
    of_steps = {"shared": shared, "diamond": diamond, "lopsided": lopsided, "two inner": two_inner}
    return (
        *(program(text, needs, of_text(text)) for text, needs in texts.items()),
        *(program(name, "+ *", formula) for name, formula in of_steps.items()),
    )


PROGRAMS = programs()
POINTS = ((1.6, 2.3, -1.5), (0.4, 3.0, 3.0), (3.0, -2.0, 0.7), (-1.25, 0.6, 2.0))


def possible(engine: Engine) -> list[Program]:
    return [p for p in PROGRAMS if p.needs <= engine.operators | engine.functions]


def expected(formula: Formula, point: tuple[float, ...]) -> tuple[float, tuple[float, ...]] | None:
    """Return the result and finite differences of a formula, ``None`` outside its domain."""
    try:
        slopes = []
        for i in range(len(point)):
            h = 1e-6
            up, down = list(point), list(point)
            up[i] += h
            down[i] -= h
            slopes.append((formula(Plain, *up) - formula(Plain, *down)) / (2 * h))
        result = formula(Plain, *point)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return None if isinstance(result, complex) else (result, tuple(slopes))


def outcome(run: Callable[[], Any]) -> Any:
    """Return what a call returns, or the name of its error."""
    try:
        return run()
    except Exception as error:
        return type(error).__name__


def number(x: Any) -> Any:
    """Return a number as a float, and the type of what is none."""
    if isinstance(x, bool | int | float):
        return float(x)
    return type(x).__name__


def evaluated(api: Api, formula: Formula, point: tuple[float, ...]) -> tuple[Any, ...]:
    """Return the result, the gradients and the data of the operands after one backward."""
    leaves = [api.make(x) for x in point]
    y = formula(api, *leaves)
    forward = number(api.data(y))
    y.backward()
    return (forward, *(number(api.grad(v)) for v in leaves), *(number(api.data(v)) for v in leaves))


def one(output: Any) -> Any:
    return output[0] if isinstance(output, list | tuple) else output


def made(api: Api, *sizes: Any) -> Any:
    random.seed(7)
    return api.module.MLP(*sizes)


XS = ((2.0, 3.0, -1.0), (3.0, -1.0, 0.5), (0.5, 1.0, 1.0), (1.0, 1.0, -1.0))
YS = (1.0, -1.0, -1.0, 1.0)


def of_network(api: Api) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is seen of Neuron, Layer and MLP."""

    def counts() -> Any:
        random.seed(7)
        models = [api.module.Neuron(3), api.module.Layer(2, 3), made(api, 3, [4, 4, 1])]
        models.append(made(api, 2, [3, 2]))
        return [len({id(p) for p in list(m.parameters())}) for m in models]

    def lists() -> Any:
        model = made(api, 3, [4, 2])
        first, second = list(model.parameters()), list(model.parameters())
        return [
            len(first),
            [x is y for x, y in zip(first, second, strict=False)],
            type(first[0]).__name__,
        ]

    def gradients() -> Any:
        model = made(api, 3, [4, 3, 1])
        y = one(model([0.4, -0.3, 0.9]))
        y.backward()
        return [number(api.data(y)), *(number(api.grad(p)) for p in model.parameters())]

    def outputs() -> Any:
        model = made(api, 2, [5, 3])
        return [
            number(api.data(y))
            for x in ((0.1, 0.2), (1.0, -1.0), (3.0, 4.0))
            for y in model(list(x))
        ]

    def influence() -> Any:
        random.seed(5)
        neuron = api.module.Neuron(3)
        before = list(neuron.parameters())
        seen = []
        for i, p in enumerate(before):
            api.put(p, 0.1 * (i + 1))
        for p in before:
            api.put(p, api.data(p) + 0.25)
            seen.append(number(api.data(neuron([0.5, 0.8, 1.1]))))
        return seen

    def cleared() -> Any:
        model = made(api, 3, [3, 1])
        values = [number(api.data(p)) for p in model.parameters()]
        for x in XS[:2]:
            one(model(list(x))).backward()
        model.zero_grad()
        return [
            [number(api.grad(p)) for p in model.parameters()],
            [number(api.data(p)) for p in model.parameters()] == values,
        ]

    def of_layer() -> Any:
        random.seed(3)
        return [number(api.data(y)) for y in api.module.Layer(2, 3)([0.3, -0.8])]

    yield "counts", counts
    yield "lists", lists
    yield "gradients", gradients
    yield "outputs", outputs
    yield "influence", influence
    yield "cleared", cleared
    yield "layer", of_layer


def of_training(api: Api) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is seen of `train`."""

    def three() -> Any:
        model = made(api, 3, [3, 1])
        losses = api.module.train(model, [list(x) for x in XS], list(YS), steps=4, lr=0.02)
        return [*map(number, losses), *(number(api.data(p)) for p in model.parameters())]

    def objects() -> Any:
        model = made(api, 3, [2, 1])
        before = list(model.parameters())
        api.module.train(model, [list(x) for x in XS], list(YS), steps=2, lr=0.02)
        return [x is y for x, y in zip(before, model.parameters(), strict=False)]

    yield "three steps", three
    yield "objects", objects


def of_numerical(api: Api) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is seen of `numerical_gradient`."""

    def at_three() -> Any:
        x = api.make(3.0)
        slope = api.module.numerical_gradient(lambda: x * x * x + x, x)
        return [round(slope, 4), api.data(x)]

    def small() -> Any:
        x = api.make(0.5)
        return round(api.module.numerical_gradient(lambda: x * x * x, x, 0.5), 6)

    yield "numerical", at_three
    yield "numerical, eps", small


def of_graphs(api: Api) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is seen of types, of two losses, of large numbers and of large graphs."""

    def kinds() -> Any:
        a, b = api.make(2.0), api.make(3.0)
        results = [a + b, a * b, a + 1, a * 1, a + 0, a * 1.0]
        return [[type(r).__name__ for r in results], [r is a or r is b for r in results]]

    def fresh() -> Any:
        a, b = api.make(2), api.make(0.1)
        c = a * b
        return [number(api.data(a)), number(api.data(b)), str(a.grad), str(c.grad)]

    def second() -> Any:
        a, b = api.make(2.0), api.make(3.0)
        t = a * b
        one, two = t + a, t * 3.0 + b
        one.backward()
        first = number(api.grad(a)), number(api.grad(b))
        two.backward()
        return [*first, number(api.grad(a)), number(api.grad(b))]

    def apart() -> Any:
        a, b = api.make(2.0), api.make(3.0)
        (a * b).backward()
        (a + b).backward()
        return [number(api.grad(a)), number(api.grad(b))]

    def alone() -> Any:
        a = api.make(2.0)
        a.backward()
        return number(api.grad(a))

    def again() -> Any:
        a, b = api.make(2.0), api.make(3.0)
        y = (a * b + a) * b
        y.backward()
        y.backward()
        return [number(api.grad(a)), number(api.grad(b))]

    def large(name: str, x: float) -> Callable[[], Any]:
        def run() -> Any:
            a = api.make(x)
            y = getattr(api, name)(a)
            y.backward()
            return [number(api.data(y)), number(api.grad(a))]

        return run

    def deep() -> Any:
        a = api.make(1.0)
        y = a
        for _ in range(3000):
            y = y + a
        y.backward()
        return [number(api.data(y)), number(api.grad(a))]

    def on_the_right() -> Any:
        a, b, c = api.make(2.0), api.make(3.0), api.make(-1.5)
        y = a
        for _ in range(3):
            y = b * (c + y)
        y.backward()
        return [number(api.grad(v)) for v in (a, b, c)]

    yield "kinds", kinds
    yield "fresh", fresh
    yield "second", second
    yield "apart", apart
    yield "alone", alone
    yield "again", again
    yield "on the right", on_the_right
    for name in ("tanh", "sigmoid"):
        if name in api.engine.functions:
            yield f"{name}(1000)", large(name, 1000.0)
            yield f"{name}(-1000)", large(name, -1000.0)
    if "relu" in api.engine.functions:
        yield "relu(0)", large("relu", 0.0)
    if "log" in api.engine.functions:
        yield "log(1e-20)", large("log", 1e-20)
    yield "deep", deep


def observed(engine: Engine, text: str | None = None) -> Seen:
    """Return everything that is seen of an engine, or of an edited text of it."""
    seen: Seen = {}
    try:
        with loaded(engine, text) as module:
            api = Api(engine, module)
            for p in possible(engine):
                for i, point in enumerate(POINTS):
                    if expected(p.formula, point) is not None:
                        alone = partial(evaluated, api, p.formula, point)
                        seen[f"{p.name} [{i}]"] = outcome(alone)
            groups = [of_graphs(api)]
            if "net" in engine.parts:
                groups.append(of_network(api))
            if "train" in engine.parts:
                groups.append(of_training(api))
            if "numerical" in engine.parts:
                groups.append(of_numerical(api))
            for name, run in itertools.chain(*groups):
                seen[name] = outcome(run)
    except Exception as error:
        seen["import"] = type(error).__name__
    return seen


def alike(x: Any, y: Any) -> bool:
    """Whether two observations agree, up to rounding."""
    if isinstance(x, float) and isinstance(y, float):
        return math.isclose(x, y, rel_tol=1e-7, abs_tol=1e-9) or (x != x and y != y)
    if isinstance(x, list | tuple) and isinstance(y, list | tuple):
        return len(x) == len(y) and all(map(alike, x, y))
    return type(x) is type(y) and bool(x == y)


def differences(x: Seen, y: Seen) -> list[str]:
    """Return the names of the observations in which two engines differ."""
    return [name for name in x | y if not alike(x.get(name), y.get(name))]


def calls(engine: Engine, text: str | None = None, doublings: int = 12) -> int:
    """Return how many calls a backward makes of a graph that doubles x again and again."""
    with loaded(engine, text) as module:
        api = Api(engine, module)
        y = api.make(1.0)
        for _ in range(doublings):
            y = y + y
        made = 0

        def count(frame: Any, event: str, _: Any) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            y.backward()
        finally:
            sys.setprofile(before)
        return made


BASES = {name: observed(engine) for name, engine in ENGINES.items()}
"""What is seen of every right engine."""
