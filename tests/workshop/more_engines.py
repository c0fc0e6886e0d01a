"""A second set of right engines, in styles that the judge was not made with: none is a mistake."""

from __future__ import annotations

# Nodes are dataclasses, rules are functions chosen by the type of the operation.
DISPATCHED = """\
from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from functools import singledispatch


@dataclass
class Op:
    inputs: tuple


class Add(Op): ...
class Sub(Op): ...
class Mul(Op): ...
class Div(Op): ...
class Neg(Op): ...
class Exp(Op): ...
class Log(Op): ...
class Tanh(Op): ...
class Relu(Op): ...


@dataclass
class Pow(Op):
    exponent: float = 1.0


@singledispatch
def rule(op, out):
    raise NotImplementedError(type(op))


@rule.register
def _(op: Add, out):
    return out.grad, out.grad


@rule.register
def _(op: Sub, out):
    return out.grad, -out.grad


@rule.register
def _(op: Mul, out):
    x, y = op.inputs
    return y.data * out.grad, x.data * out.grad


@rule.register
def _(op: Div, out):
    x, y = op.inputs
    return out.grad / y.data, -out.grad * x.data / (y.data * y.data)


@rule.register
def _(op: Neg, out):
    return (-out.grad,)


@rule.register
def _(op: Pow, out):
    (x,) = op.inputs
    return (op.exponent * x.data ** (op.exponent - 1) * out.grad,)


@rule.register
def _(op: Exp, out):
    return (out.data * out.grad,)


@rule.register
def _(op: Log, out):
    return (out.grad / op.inputs[0].data,)


@rule.register
def _(op: Tanh, out):
    return ((1 - out.data * out.data) * out.grad,)


@rule.register
def _(op: Relu, out):
    return (out.grad if op.inputs[0].data > 0 else 0.0,)


@dataclass(eq=False)
class Value:
    data: float
    op: Op | None = None
    grad: float = field(default=0.0, repr=False)

    def __add__(self, other):
        other = lift(other)
        return Value(self.data + other.data, Add((self, other)))

    def __sub__(self, other):
        other = lift(other)
        return Value(self.data - other.data, Sub((self, other)))

    def __mul__(self, other):
        other = lift(other)
        return Value(self.data * other.data, Mul((self, other)))

    def __truediv__(self, other):
        other = lift(other)
        return Value(self.data / other.data, Div((self, other)))

    def __pow__(self, n):
        return Value(self.data**n, Pow((self,), n))

    def __neg__(self):
        return Value(-self.data, Neg((self,)))

    def __radd__(self, other):
        return lift(other) + self

    def __rsub__(self, other):
        return lift(other) - self

    def __rmul__(self, other):
        return lift(other) * self

    def __rtruediv__(self, other):
        return lift(other) / self

    def exp(self):
        return Value(math.exp(self.data), Exp((self,)))

    def log(self):
        return Value(math.log(self.data), Log((self,)))

    def tanh(self):
        return Value(math.tanh(self.data), Tanh((self,)))

    def relu(self):
        return Value(max(0.0, self.data), Relu((self,)))

    def backward(self):
        self.grad = 1.0
        for node in sort(self):
            if node.op is not None:
                for x, g in zip(node.op.inputs, rule(node.op, node)):
                    x.grad += g


def lift(x):
    return x if isinstance(x, Value) else Value(x)


def sort(root):
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            if node.op:
                stack.extend((x, False) for x in node.op.inputs)
    return reversed(order)
"""

# Operators are made by a loop with setattr; gradients in a dict by id until the end.
SETATTR = """\
import math
import random


class Scalar:
    def __init__(self, data, parents=(), partials=()):
        self.data = data
        self.grad = 0
        self._parents = parents
        self._partials = partials

    def __repr__(self):
        return "Scalar(%g)" % self.data

    def backward(self):
        order, seen = [], set()
        todo = [self]
        while todo:
            v = todo[-1]
            fresh = [p for p in v._parents if id(p) not in seen]
            seen.add(id(v))
            if fresh:
                todo.extend(fresh[:1])
            else:
                todo.pop()
                order.append(v)
        adjoint = {id(v): 0.0 for v in order}
        adjoint[id(self)] = 1.0
        for v in reversed(order):
            for p, d in zip(v._parents, v._partials):
                adjoint[id(p)] += d * adjoint[id(v)]
        for v in order:
            v.grad += adjoint[id(v)]


BINARY = {
    "add": (lambda a, b: a + b, lambda a, b: (1, 1)),
    "sub": (lambda a, b: a - b, lambda a, b: (1, -1)),
    "mul": (lambda a, b: a * b, lambda a, b: (b, a)),
    "truediv": (lambda a, b: a / b, lambda a, b: (1 / b, -a / b**2)),
}
UNARY = {
    "__neg__": (lambda a: -a, lambda a, y: -1),
    "exp": (math.exp, lambda a, y: y),
    "log": (math.log, lambda a, y: 1 / a),
    "tanh": (math.tanh, lambda a, y: 1 - y * y),
    "relu": (lambda a: a if a > 0 else 0.0, lambda a, y: 1.0 if a > 0 else 0.0),
    "sigmoid": (
        lambda a: math.exp(min(a, 0)) / (1 + math.exp(-abs(a))),
        lambda a, y: y * (1 - y),
    ),
}


def _binary(f, partials):
    def method(self, other):
        if not isinstance(other, Scalar):
            other = Scalar(other)
        args = self.data, other.data
        return Scalar(f(*args), (self, other), partials(*args))

    def reflected(self, other):
        return method(Scalar(other), self)

    return method, reflected


def _unary(f, partial):
    def method(self):
        y = f(self.data)
        return Scalar(y, (self,), (partial(self.data, y),))

    return method


for name, (f, partials) in BINARY.items():
    forward, reflected = _binary(f, partials)
    setattr(Scalar, f"__{name}__", forward)
    setattr(Scalar, f"__r{name}__", reflected)
for name, (f, partial) in UNARY.items():
    setattr(Scalar, name, _unary(f, partial))


def _pow(self, n):
    return Scalar(self.data**n, (self,), (n * self.data ** (n - 1),))


Scalar.__pow__ = _pow
"""

# Types everywhere; a generic base; parents are named tuples; grad is a property.
GENERIC = """\
from __future__ import annotations

import math
import random
from typing import Callable, Generic, Iterator, NamedTuple, TypeVar, Union

T = TypeVar("T", bound=float)
Number = Union[int, float]


class Edge(NamedTuple):
    source: "Var"
    weight: float


class Node(Generic[T]):
    __slots__ = ("_data", "_grad", "edges")

    def __init__(self, data: T, edges: tuple[Edge, ...] = ()) -> None:
        self._data = data
        self._grad: float | None = None
        self.edges = edges

    @property
    def data(self) -> T:
        return self._data

    @data.setter
    def data(self, number: T) -> None:
        self._data = number

    @property
    def grad(self) -> float:
        return 0.0 if self._grad is None else self._grad

    @grad.setter
    def grad(self, number: float) -> None:
        self._grad = number


class Var(Node[float]):
    __slots__ = ()

    @classmethod
    def of(cls, x: Var | Number) -> Var:
        return x if isinstance(x, cls) else cls(float(x))

    def __add__(self, other: Var | Number) -> Var:
        rhs = Var.of(other)
        return Var(self.data + rhs.data, (Edge(self, 1.0), Edge(rhs, 1.0)))

    def __mul__(self, other: Var | Number) -> Var:
        rhs = Var.of(other)
        return Var(self.data * rhs.data, (Edge(self, rhs.data), Edge(rhs, self.data)))

    def __pow__(self, n: Number) -> Var:
        return Var(self.data**n, (Edge(self, n * self.data ** (n - 1)),))

    def __neg__(self) -> Var:
        return self * -1.0

    def __sub__(self, other: Var | Number) -> Var:
        return self + -Var.of(other)

    def __truediv__(self, other: Var | Number) -> Var:
        return self * Var.of(other) ** -1

    def __rtruediv__(self, other: Number) -> Var:
        return Var.of(other) / self

    def __rsub__(self, other: Number) -> Var:
        return Var.of(other) - self

    __radd__ = __add__
    __rmul__ = __mul__

    def _map(self, f: Callable[[float], float], df: Callable[[float, float], float]) -> Var:
        y = f(self.data)
        return Var(y, (Edge(self, df(self.data, y)),))

    def exp(self) -> Var:
        return self._map(math.exp, lambda x, y: y)

    def log(self) -> Var:
        return self._map(math.log, lambda x, y: 1 / x)

    def tanh(self) -> Var:
        return self._map(math.tanh, lambda x, y: 1 - y**2)

    def relu(self) -> Var:
        return self._map(lambda x: max(x, 0.0), lambda x, y: float(x > 0))

    def _topological(self) -> Iterator[Var]:
        users: dict[Var, int] = {self: 0}
        pile = [self]
        while pile:
            for edge in pile.pop().edges:
                if edge.source not in users:
                    users[edge.source] = 0
                    pile.append(edge.source)
                users[edge.source] += 1
        pile = [self]
        while pile:
            node = pile.pop()
            yield node
            for edge in node.edges:
                users[edge.source] -= 1
                if not users[edge.source]:
                    pile.append(edge.source)

    def backward(self, gradient: float = 1.0) -> None:
        self.grad = gradient
        for node in self._topological():
            for source, weight in node.edges:
                source.grad = source.grad + weight * node.grad
"""

# backward is a generator of steps, which `backward` runs to its end.
STEPS = """\
import math
import random


class Value:
    def __init__(self, data, parents=(), op=""):
        self.data, self.grad = data, 0.0
        self.parents, self.op = parents, op
        self.push = None

    def __add__(self, other):
        other = as_value(other)
        out = Value(self.data + other.data, (self, other), "+")
        out.push = lambda g: (g, g)
        return out

    def __mul__(self, other):
        other = as_value(other)
        out = Value(self.data * other.data, (self, other), "*")
        out.push = lambda g: (g * other.data, g * self.data)
        return out

    def __pow__(self, k):
        out = Value(self.data ** k, (self,), f"**{k}")
        out.push = lambda g: (g * k * self.data ** (k - 1),)
        return out

    def __neg__(self): return self * -1
    def __sub__(self, other): return self + (-as_value(other))
    def __truediv__(self, other): return self * as_value(other) ** -1
    def __radd__(self, other): return self + other
    def __rmul__(self, other): return self * other
    def __rsub__(self, other): return as_value(other) + (-self)
    def __rtruediv__(self, other): return as_value(other) * self ** -1

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")
        out.push = lambda g: (g * (1.0 - out.data ** 2),)
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")
        out.push = lambda g: (g * out.data,)
        return out

    def steps(self):
        topo, seen = [], set()
        stack = [(self, iter(self.parents))]
        seen.add(self)
        while stack:
            node, children = stack[-1]
            child = next(children, None)
            if child is None:
                topo.append(node)
                stack.pop()
            elif child not in seen:
                seen.add(child)
                stack.append((child, iter(child.parents)))
        self.grad = 1.0
        yield self, self.grad
        while topo:
            node = topo.pop()
            if node.push is None:
                continue
            for parent, g in zip(node.parents, node.push(node.grad)):
                parent.grad += g
                yield parent, g

    def backward(self):
        for _ in self.steps():
            pass


def as_value(x):
    return x if isinstance(x, Value) else Value(x)
"""

# A linked tape: each entry knows the one before it. Leaves have no entry.
LINKED = """\
import math
import random


class Entry:
    last = None

    def __init__(self, node, inputs, partials):
        self.node = node
        self.inputs = inputs
        self.partials = partials
        self.before = Entry.last
        Entry.last = self


class Variable:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.entry = None

    def derived(self, data, *pairs):
        out = Variable(data)
        out.entry = Entry(out, [v for v, _ in pairs], [d for _, d in pairs])
        return out

    def coerce(self, x):
        return x if isinstance(x, Variable) else Variable(x)

    def __add__(self, o):
        o = self.coerce(o)
        return self.derived(self.data + o.data, (self, 1.0), (o, 1.0))

    def __sub__(self, o):
        o = self.coerce(o)
        return self.derived(self.data - o.data, (self, 1.0), (o, -1.0))

    def __mul__(self, o):
        o = self.coerce(o)
        return self.derived(self.data * o.data, (self, o.data), (o, self.data))

    def __truediv__(self, o):
        o = self.coerce(o)
        q = self.data / o.data
        return self.derived(q, (self, 1 / o.data), (o, -q / o.data))

    def __pow__(self, n):
        if isinstance(n, Variable):
            y = self.data ** n.data
            return self.derived(
                y, (self, n.data * self.data ** (n.data - 1)), (n, y * math.log(self.data))
            )
        return self.derived(self.data ** n, (self, n * self.data ** (n - 1)))

    def __neg__(self):
        return self.derived(-self.data, (self, -1.0))

    def __radd__(self, o):
        return self.coerce(o) + self

    def __rsub__(self, o):
        return self.coerce(o) - self

    def __rmul__(self, o):
        return self.coerce(o) * self

    def __rtruediv__(self, o):
        return self.coerce(o) / self

    def exp(self):
        e = math.e ** self.data
        return self.derived(e, (self, e))

    def tanh(self):
        t = math.tanh(self.data)
        return self.derived(t, (self, (1 - t) * (1 + t)))

    def sigmoid(self):
        s = (1 + math.tanh(self.data / 2)) / 2
        return self.derived(s, (self, s - s * s))

    def backward(self):
        needed = {self: 1.0}
        entry = self.entry
        while entry is not None:
            g = needed.get(entry.node)
            if g is not None:
                for v, d in zip(entry.inputs, entry.partials):
                    needed[v] = needed.get(v, 0.0) + d * g
            entry = entry.before
        Entry.last = None
        for v, g in needed.items():
            v.grad += g
"""

# Operations are classes with __call__; weak references to users; gradients are asked for.
WEAK = """\
import math
import random
import weakref


class Operation:
    def __call__(self, *args):
        self.args = [a if isinstance(a, Value) else Value(a) for a in args]
        out = Value(self.value(*[a.data for a in self.args]))
        out.creator = self
        self.output = weakref.ref(out)
        return out


class Plus(Operation):
    def value(self, x, y): return x + y
    def partials(self, y): return [1.0, 1.0]


class Minus(Operation):
    def value(self, x, y): return x - y
    def partials(self, y): return [1.0, -1.0]


class Times(Operation):
    def value(self, x, y): return x * y
    def partials(self, y): return [self.args[1].data, self.args[0].data]


class Over(Operation):
    def value(self, x, y): return x / y

    def partials(self, q):
        bottom = self.args[1].data
        return [1 / bottom, -q / bottom]


class Power(Operation):
    def __init__(self, n):
        self.n = n

    def value(self, x): return x ** self.n
    def partials(self, y): return [self.n * self.args[0].data ** (self.n - 1)]


class Negative(Operation):
    def value(self, x): return -x
    def partials(self, y): return [-1.0]


class Exponential(Operation):
    def value(self, x): return math.exp(x)
    def partials(self, y): return [y]


class Logarithm(Operation):
    def value(self, x): return math.log(x)
    def partials(self, y): return [1.0 / self.args[0].data]


class Tanh(Operation):
    def value(self, x): return math.tanh(x)
    def partials(self, y): return [1.0 - y * y]


class Relu(Operation):
    def value(self, x): return x * (x > 0)
    def partials(self, y): return [float(y > 0)]


class Value:
    creator = None

    def __init__(self, data):
        self.data = float(data)
        self.grad = 0.0

    def __add__(self, x): return Plus()(self, x)
    def __radd__(self, x): return Plus()(x, self)
    def __sub__(self, x): return Minus()(self, x)
    def __rsub__(self, x): return Minus()(x, self)
    def __mul__(self, x): return Times()(self, x)
    def __rmul__(self, x): return Times()(x, self)
    def __truediv__(self, x): return Over()(self, x)
    def __rtruediv__(self, x): return Over()(x, self)
    def __pow__(self, n): return Power(n)(self)
    def __neg__(self): return Negative()(self)
    def exp(self): return Exponential()(self)
    def log(self): return Logarithm()(self)
    def tanh(self): return Tanh()(self)
    def relu(self): return Relu()(self)

    def backward(self):
        order = []
        state = {}
        stack = [self]
        while stack:
            v = stack[-1]
            if state.get(v) == "open":
                state[v] = "done"
                order.append(v)
            if v in state:
                stack.pop() if state[v] == "done" else None
                continue
            state[v] = "open"
            if v.creator:
                stack += [a for a in v.creator.args if a not in state]
        self.grad = 1.0
        for v in order[::-1]:
            if v.creator:
                for a, d in zip(v.creator.args, v.creator.partials(v.data)):
                    a.grad += d * v.grad
"""

# One class, and `match` on the name of the operation.
MATCHED = """\
import cmath
import random


class Value:
    def __init__(self, data, op=None, args=()):
        self.data = data
        self.grad = 0.0
        self.op = op
        self.args = args

    @staticmethod
    def make(op, *args):
        args = tuple(a if isinstance(a, Value) else Value(a) for a in args)
        numbers = [a.data for a in args]
        match op, numbers:
            case "+", [x, y]:
                result = x + y
            case "-", [x, y]:
                result = x - y
            case "*", [x, y]:
                result = x * y
            case "/", [x, y]:
                result = x / y
            case "neg", [x]:
                result = -x
            case "exp", [x]:
                result = cmath.exp(x).real
            case "tanh", [x]:
                result = cmath.tanh(x).real if abs(x) < 20 else float(x > 0) - float(x < 0)
            case "log", [x]:
                result = cmath.log(x).real
            case "relu", [x]:
                result = x if x > 0 else 0.0
            case _:
                raise ValueError(op)
        return Value(result, op, args)

    def partials(self):
        match self.op, [a.data for a in self.args]:
            case "+", _:
                return 1.0, 1.0
            case "-", _:
                return 1.0, -1.0
            case "*", [x, y]:
                return y, x
            case "/", [x, y]:
                return 1 / y, -x / (y * y)
            case "neg", _:
                return (-1.0,)
            case "exp", _:
                return (self.data,)
            case "tanh", _:
                return (1 - self.data ** 2,)
            case "log", [x]:
                return (1 / x,)
            case "relu", [x]:
                return (1.0 if x > 0 else 0.0,)
            case ("**", n), [x]:
                return (n * x ** (n - 1),)
        return ()

    def __add__(self, other): return self.make("+", self, other)
    def __radd__(self, other): return self.make("+", other, self)
    def __sub__(self, other): return self.make("-", self, other)
    def __rsub__(self, other): return self.make("-", other, self)
    def __mul__(self, other): return self.make("*", self, other)
    def __rmul__(self, other): return self.make("*", other, self)
    def __truediv__(self, other): return self.make("/", self, other)
    def __rtruediv__(self, other): return self.make("/", other, self)
    def __neg__(self): return self.make("neg", self)
    def __pow__(self, n): return Value(self.data ** n, ("**", n), (self,))
    def exp(self): return self.make("exp", self)
    def log(self): return self.make("log", self)
    def tanh(self): return self.make("tanh", self)
    def relu(self): return self.make("relu", self)

    def backward(self):
        consumers = {}
        todo = [self]
        while todo:
            node = todo.pop()
            for arg in node.args:
                if arg not in consumers:
                    consumers[arg] = []
                    todo.append(arg)
                consumers[arg].append(node)
        waiting = {node: len(users) for node, users in consumers.items()}
        self.grad, ready = 1.0, [self]
        for node in ready:
            for arg, slope in zip(node.args, node.partials()):
                arg.grad += slope * node.grad
                waiting[arg] -= 1
                if waiting[arg] == 0:
                    ready.append(arg)
"""

# The gradient lives in an object of its own; hooks and labels; `__iadd__` makes a new node.
BOXED = """\
import itertools
import math
import random

serial = itertools.count()


class Gradient:
    __slots__ = ("number",)

    def __init__(self):
        self.number = 0.0

    def add(self, x):
        self.number += x


class Value:
    def __init__(self, data, backward=None, label=""):
        self.data = data
        self.box = Gradient()
        self.rule = backward
        self.label = label or f"v{next(serial)}"
        self.made = next(serial)
        self.sources = ()

    @property
    def grad(self):
        return self.box.number

    @grad.setter
    def grad(self, x):
        self.box.number = x

    def result(self, data, *sources):
        out = Value(data)
        out.sources = sources
        return out

    def other(self, x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, x):
        x = self.other(x)
        out = self.result(self.data + x.data, self, x)
        out.rule = lambda g: (self.box.add(g), x.box.add(g))
        return out

    def __iadd__(self, x):
        return self + x

    def __mul__(self, x):
        x = self.other(x)
        a, b = self.data, x.data
        out = self.result(a * b, self, x)
        out.rule = lambda g: (self.box.add(g * b), x.box.add(g * a))
        return out

    def __pow__(self, n):
        a = self.data
        out = self.result(a ** n, self)
        out.rule = lambda g: self.box.add(g * n * a ** (n - 1))
        return out

    def __sub__(self, x):
        return self + self.other(x) * -1

    def __neg__(self):
        return 0 - self

    def __truediv__(self, x):
        return self * self.other(x) ** -1

    def __radd__(self, x):
        return self.other(x) + self

    def __rmul__(self, x):
        return self.other(x) * self

    def __rsub__(self, x):
        return self.other(x) - self

    def __rtruediv__(self, x):
        return self.other(x) / self

    def tanh(self):
        t = math.tanh(self.data)
        out = self.result(t, self)
        out.rule = lambda g: self.box.add(g * (1 - t * t))
        return out

    def sigmoid(self):
        return (self * 0.5).tanh() * 0.5 + 0.5

    def relu(self):
        out = self.result(max(self.data, 0.0), self)
        out.rule = lambda g: self.box.add(g * (out.data > 0))
        return out

    def backward(self):
        found, todo = {self}, [self]
        while todo:
            for s in todo.pop().sources:
                if s not in found:
                    found.add(s)
                    todo.append(s)
        self.grad = 1.0
        for v in sorted(found, key=lambda v: -v.made):
            if v.rule:
                v.rule(v.grad)
"""

# A recursive pull with functools.cache; comparison and conversion are defined as well.
COMPARED = """\
import math
import random


class Value:
    def __init__(self, data):
        self.data = float(data)
        self.grad = 0.0
        self._edges = []

    def _from(self, data, edges):
        out = Value(data)
        out._edges = edges
        return out

    def __float__(self):
        return self.data

    def __lt__(self, other):
        return self.data < float(other)

    def __gt__(self, other):
        return self.data > float(other)

    def __bool__(self):
        return True

    def __add__(self, other):
        if isinstance(other, Value):
            return self._from(self.data + other.data, [(self, 1.0), (other, 1.0)])
        if isinstance(other, (int, float)):
            return self._from(self.data + other, [(self, 1.0)])
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, other):
        if isinstance(other, Value):
            return self._from(self.data * other.data, [(self, other.data), (other, self.data)])
        if isinstance(other, (int, float)):
            return self._from(self.data * other, [(self, other)])
        return NotImplemented

    __rmul__ = __mul__

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __pow__(self, n):
        if not isinstance(n, (int, float)):
            raise TypeError("only numbers as exponents")
        return self._from(self.data**n, [(self, n * self.data ** (n - 1))])

    def __truediv__(self, other):
        return self * (other**-1)

    def __rtruediv__(self, other):
        return other * self**-1

    def exp(self):
        try:
            e = math.exp(self.data)
        except OverflowError:
            e = math.inf
        return self._from(e, [(self, e)])

    def log(self):
        if self.data <= 0:
            raise ValueError("log needs a positive number")
        return self._from(math.log(self.data), [(self, 1 / self.data)])

    def tanh(self):
        t = math.tanh(self.data)
        return self._from(t, [(self, 1 - t**2)])

    def sigmoid(self):
        if self > 0:
            s = 1 / (1 + math.exp(-self.data))
        else:
            s = 1 - 1 / (1 + math.exp(self.data))
        return self._from(s, [(self, s * (1 - s))])

    def relu(self):
        return self * 1.0 if self > 0 else self * 0.0

    def zero(self):
        self.grad = 0.0

    def backward(self):
        def visit(root):
            stack, done = [root], []
            seen = set()
            while stack:
                v = stack.pop()
                if isinstance(v, tuple):
                    done.append(v[0])
                elif id(v) not in seen:
                    seen.add(id(v))
                    stack.append((v,))
                    stack.extend(p for p, _ in v._edges)
            return done

        order = visit(self)
        total = {id(self): 1.0}
        while order:
            v = order.pop()
            g = total.pop(id(v), 0.0)
            v.grad += g
            for p, d in v._edges:
                total[id(p)] = total.get(id(p), 0.0) + g * d
"""

# Each number carries its derivatives with respect to all numbers before it: forward mode.
FORWARD = """\
import math
import random


class Value:
    def __init__(self, data, known=None):
        self.data = data
        self.grad = 0.0
        self.known = {self: 1.0} if known is None else {**known, self: 1.0}

    @staticmethod
    def combine(data, *pairs):
        known = {}
        for value, slope in pairs:
            for key, d in value.known.items():
                known[key] = known.get(key, 0.0) + slope * d
        return Value(data, known)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self.combine(self.data + other.data, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self.combine(self.data * other.data, (self, other.data), (other, self.data))

    def __pow__(self, n):
        return self.combine(self.data ** n, (self, n * self.data ** (n - 1)))

    def tanh(self):
        t = math.tanh(self.data)
        return self.combine(t, (self, 1 - t * t))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -1 * other

    def __truediv__(self, other):
        return self * other ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self ** -1 * other

    def backward(self):
        for value, slope in self.known.items():
            value.grad += slope
"""

# A number is computed when it is first asked for.
LAZY = """\
import math
import random


class Value:
    def __init__(self, data=None, formula=None, args=(), slopes=None):
        self._data = data
        self.formula = formula
        self.args = args
        self.slopes = slopes
        self.grad = 0.0

    @property
    def data(self):
        todo = [self]
        while todo:
            v = todo[-1]
            waiting = [a for a in v.args if a._data is None]
            if v._data is None and waiting:
                todo.extend(waiting)
                continue
            todo.pop()
            if v._data is None:
                v._data = v.formula(*[a._data for a in v.args])
        return self._data

    @data.setter
    def data(self, number):
        self._data = number

    def __add__(self, other):
        return Value(None, lambda a, b: a + b, (self, to(other)), lambda y, a, b: (1, 1))

    def __sub__(self, other):
        return Value(None, lambda a, b: a - b, (self, to(other)), lambda y, a, b: (1, -1))

    def __mul__(self, other):
        return Value(None, lambda a, b: a * b, (self, to(other)), lambda y, a, b: (b, a))

    def __truediv__(self, other):
        return Value(
            None, lambda a, b: a / b, (self, to(other)), lambda y, a, b: (1 / b, -y / b)
        )

    def __pow__(self, n):
        return Value(None, lambda a: a ** n, (self,), lambda y, a: (n * a ** (n - 1),))

    def __neg__(self):
        return Value(None, lambda a: -a, (self,), lambda y, a: (-1,))

    def __radd__(self, other):
        return to(other) + self

    def __rsub__(self, other):
        return to(other) - self

    def __rmul__(self, other):
        return to(other) * self

    def __rtruediv__(self, other):
        return to(other) / self

    def exp(self):
        return Value(None, math.exp, (self,), lambda y, a: (y,))

    def log(self):
        return Value(None, math.log, (self,), lambda y, a: (1 / a,))

    def tanh(self):
        return Value(None, math.tanh, (self,), lambda y, a: (1 - y * y,))

    def relu(self):
        return Value(None, lambda a: max(a, 0.0), (self,), lambda y, a: (int(a > 0),))

    def backward(self):
        self.data
        counts = {self: 0}
        todo = [self]
        while todo:
            for a in todo.pop().args:
                if a not in counts:
                    counts[a] = 0
                    todo.append(a)
                counts[a] += 1
        self.grad = 1.0
        todo = [self]
        while todo:
            v = todo.pop()
            if v.slopes:
                numbers = [a.data for a in v.args]
                for a, slope in zip(v.args, v.slopes(v.data, *numbers)):
                    a.grad += slope * v.grad
            for a in v.args:
                counts[a] -= 1
                if counts[a] == 0:
                    todo.append(a)


def to(x):
    return x if isinstance(x, Value) else Value(x)
"""

# Each path passes its own product on: right, and too slow for graphs with many paths.
BY_PATHS = """\
import math
import random


class Value:
    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents

    def backward(self, gradient=1.0):
        self.grad += gradient
        for parent, slope in self.parents:
            parent.backward(slope * gradient)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __pow__(self, n):
        return Value(self.data ** n, [(self, n * self.data ** (n - 1))])

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, [(self, 1 - t ** 2)])

    def relu(self):
        return Value(max(0, self.data), [(self, 1.0 if self.data > 0 else 0.0)])

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other ** -1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return (-self) + other

    def __rtruediv__(self, other):
        return other * self ** -1
"""

# --- parts ----------------------------------------------------------------------------------------

NET_NAMED = """

class Module:
    def __init__(self):
        self._parameters = {}
        self._modules = {}

    def __setattr__(self, name, thing):
        if isinstance(thing, Value):
            self.__dict__.setdefault("_parameters", {})[name] = thing
        elif isinstance(thing, Module):
            self.__dict__.setdefault("_modules", {})[name] = thing
        self.__dict__[name] = thing

    def parameters(self):
        out = list(self.__dict__.get("_parameters", {}).values())
        for module in self.__dict__.get("_modules", {}).values():
            out += module.parameters()
        return out

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0


class Neuron(Module):
    def __init__(self, nin, nonlin=True):
        self.nin, self.nonlin = nin, nonlin
        for i in range(nin):
            setattr(self, f"w{i}", Value(random.uniform(-1, 1)))
        self.b = Value(0.0)

    def __call__(self, x):
        y = self.b
        for i, xi in enumerate(x):
            y = y + getattr(self, f"w{i}") * xi
        return y.tanh() if self.nonlin else y


class Layer(Module):
    def __init__(self, nin, nout, **kwargs):
        self.count = nout
        for i in range(nout):
            setattr(self, f"n{i}", Neuron(nin, **kwargs))

    def __call__(self, x):
        out = [getattr(self, f"n{i}")(x) for i in range(self.count)]
        return out if len(out) > 1 else out[0]


class MLP(Module):
    def __init__(self, nin, nouts):
        self.count = len(nouts)
        for i, (a, b) in enumerate(zip([nin, *nouts], nouts)):
            setattr(self, f"layer{i}", Layer(a, b, nonlin=i < len(nouts) - 1))

    def __call__(self, x):
        for i in range(self.count):
            x = getattr(self, f"layer{i}")(x)
        return x
"""

NET_BIAS_FIRST = """

def dot(ws, xs):
    total = 0
    for w, x in zip(ws, xs, strict=True):
        total = total + w * x
    return total


class Neuron:
    def __init__(self, nin, act="tanh"):
        self.params = [Value(random.gauss(0, 0.5)) for _ in range(nin + 1)]
        self.act = act

    def __call__(self, xs):
        z = self.params[0] + dot(self.params[1:], xs)
        if self.act == "tanh":
            return z.tanh()
        return z

    def parameters(self):
        return self.params


class Layer:
    def __init__(self, nin, nout, act="tanh"):
        self.neurons = [Neuron(nin, act) for _ in range(nout)]

    def __call__(self, xs):
        return [n(xs) for n in self.neurons]

    def parameters(self):
        return [p for n in self.neurons for p in n.parameters()]


class MLP:
    def __init__(self, nin, nouts):
        shape = [nin] + nouts
        self.layers = []
        for i in range(len(nouts)):
            act = "tanh" if i + 1 < len(nouts) else None
            self.layers.append(Layer(shape[i], shape[i + 1], act))

    def __call__(self, xs):
        for layer in self.layers:
            xs = layer(xs)
        return xs[0] if len(xs) == 1 else xs

    def parameters(self):
        out = []
        for layer in self.layers:
            out += layer.parameters()
        return out

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0
"""

TRAIN_SINGLE = """

class SGD:
    def __init__(self, params, lr=0.01):
        self.params = params
        self.lr = lr

    def zero_grad(self):
        for p in self.params:
            p.grad = 0.0

    def step(self):
        for p in self.params:
            p.data = p.data - self.lr * p.grad


def squared_error(prediction, target):
    difference = prediction - target
    return difference * difference


def mean_squared_error(predictions, targets):
    errors = [squared_error(p, t) for p, t in zip(predictions, targets)]
    return sum(errors) * (1.0 / len(errors))


def train(model, xs, ys, steps=100, lr=0.1):
    optimizer = SGD(model.parameters(), lr=lr)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        predictions = list(map(model, xs))
        loss = mean_squared_error(predictions, ys)
        loss.backward()
        optimizer.step()
        losses.append(loss.data)
    return losses
"""

TRAIN_HALF = """

def half_squares(model, xs, ys):
    total = Value(0.0)
    for x, y in zip(xs, ys):
        total = total + 0.5 * (y - model(x)) ** 2
    return total


def train(model, xs, ys, steps=200, lr=0.05):
    losses = []
    while len(losses) < steps:
        for p in model.parameters():
            p.grad = 0.0
        loss = half_squares(model, xs, ys)
        loss.backward()
        losses.append(float(loss.data))
        for p in model.parameters():
            p.data += -lr * p.grad
    return losses
"""

TRAIN_ONE_BY_ONE = """

def train(model, xs, ys, steps=20, lr=0.05):
    losses = []
    for epoch in range(steps):
        epoch_loss = 0.0
        for x, y in zip(xs, ys):
            model.zero_grad()
            loss = (model(x) - y) ** 2
            loss.backward()
            for p in model.parameters():
                p.data -= lr * p.grad
            epoch_loss += loss.data
        losses.append(epoch_loss / len(xs))
    return losses
"""

NUMERICAL_HALF = """

def numerical_gradient(f, x, eps=1e-5):
    saved = x.data
    values = []
    for sign in (+1, -1):
        x.data = saved + sign * eps / 2
        values.append(f().data)
    x.data = saved
    return (values[0] - values[1]) / eps
"""


def named(text: str, name: str) -> str:
    """Return a part with another name for the class of numbers."""
    return text.replace("Value(", f"{name}(").replace("(thing, Value)", f"(thing, {name})")


MORE = {
    "dispatched": DISPATCHED + NET_NAMED + NUMERICAL_HALF + TRAIN_SINGLE,
    "setattr": SETATTR + named(NET_BIAS_FIRST + NUMERICAL_HALF + TRAIN_HALF, "Scalar"),
    "generic": GENERIC + named(NET_NAMED + NUMERICAL_HALF + TRAIN_ONE_BY_ONE, "Var"),
    "steps": STEPS + NET_BIAS_FIRST + TRAIN_SINGLE,
    "linked": LINKED + named(NET_NAMED + TRAIN_HALF, "Variable"),
    "weak": WEAK + NET_BIAS_FIRST + NUMERICAL_HALF + TRAIN_ONE_BY_ONE,
    "matched": MATCHED + NET_NAMED + TRAIN_HALF,
    "boxed": BOXED + NET_BIAS_FIRST + NUMERICAL_HALF + TRAIN_SINGLE,
    "forward": FORWARD + NET_BIAS_FIRST + NUMERICAL_HALF + TRAIN_HALF,
    "lazy": LAZY + NET_BIAS_FIRST + TRAIN_SINGLE,
    "by_paths": BY_PATHS + NET_BIAS_FIRST + TRAIN_HALF,
    "compared": COMPARED + NET_NAMED + TRAIN_ONE_BY_ONE,
}
