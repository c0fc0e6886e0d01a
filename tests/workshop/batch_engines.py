"""Five right engines of other students, complete, and written after the judge."""

from __future__ import annotations

EDGES = '''\
"""My autograd engine. A graph is made of arrows: each one knows its target and its slope."""
from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Number = int | float


@dataclass(eq=False)
class Edge:
    """An arrow from a result to one of its inputs, with the local slope."""

    target: "Value"
    slope: float


class Value:
    """A number that remembers how it was computed."""

    def __init__(self, data: Number, edges: Iterable[Edge] = (), name: str = "") -> None:
        assert isinstance(data, (int, float)), f"a Value holds a number, not {data!r}"
        self.data = data
        self.grad = 0.0
        self.edges = list(edges)
        self.name = name

    def __repr__(self) -> str:
        return f"<Value {self.name} {self.data:.5g} | {self.grad:.5g}>"

    # ---- operators -------------------------------------------------------
    def __add__(self, other: Number | Value) -> Value:
        match other:
            case Value():
                return Value(self.data + other.data, [Edge(self, 1.0), Edge(other, 1.0)])
            case int() | float():
                return Value(self.data + other, [Edge(self, 1.0)])
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, other: Number | Value) -> Value:
        match other:
            case Value():
                return Value(
                    self.data * other.data,
                    [Edge(self, other.data), Edge(other, self.data)],
                )
            case int() | float():
                return Value(self.data * other, [Edge(self, other)])
        return NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Value:
        return Value(-self.data, [Edge(self, -1.0)])

    def __sub__(self, other: Number | Value) -> Value:
        match other:
            case Value():
                return Value(self.data - other.data, [Edge(self, 1.0), Edge(other, -1.0)])
            case int() | float():
                return Value(self.data - other, [Edge(self, 1.0)])
        return NotImplemented

    def __rsub__(self, other: Number) -> Value:
        return Value(other - self.data, [Edge(self, -1.0)])

    def __truediv__(self, other: Number | Value) -> Value:
        match other:
            case Value():
                q = self.data / other.data
                return Value(q, [Edge(self, 1 / other.data), Edge(other, -q / other.data)])
            case int() | float():
                return Value(self.data / other, [Edge(self, 1 / other)])
        return NotImplemented

    def __rtruediv__(self, other: Number) -> Value:
        return Value(other / self.data, [Edge(self, -other / self.data**2)])

    def __pow__(self, exponent: Number) -> Value:
        assert isinstance(exponent, (int, float)), "only constant exponents"
        slope = exponent * self.data ** (exponent - 1)
        return Value(self.data**exponent, [Edge(self, slope)])

    # ---- functions -------------------------------------------------------
    def exp(self) -> Value:
        e = math.exp(self.data)
        return Value(e, [Edge(self, e)])

    def log(self) -> Value:
        return Value(math.log(self.data), [Edge(self, 1 / self.data)])

    def tanh(self) -> Value:
        t = math.tanh(self.data)
        return Value(t, [Edge(self, 1 - t * t)])

    def sigmoid(self) -> Value:
        s = 0.5 * (1 + math.tanh(self.data / 2))
        return Value(s, [Edge(self, s * (1 - s))])

    def relu(self) -> Value:
        on = self.data > 0
        return Value(self.data if on else 0.0, [Edge(self, 1.0 if on else 0.0)])

    # ---- the backward pass -----------------------------------------------
    def _sorted(self) -> list[Value]:
        """Every node after all of its inputs."""
        done: list[Value] = []
        seen: set[int] = set()
        todo: list[tuple[Value, bool]] = [(self, False)]
        while todo:
            node, finished = todo.pop()
            if finished:
                done.append(node)
                continue
            if id(node) in seen:
                continue
            seen.add(id(node))
            todo.append((node, True))
            for edge in node.edges:
                todo.append((edge.target, False))
        return done

    def backward(self, gradient: float = 1.0) -> None:
        order = self._sorted()
        for node in order:
            if node.edges:
                node.grad = 0.0
        self.grad = gradient
        for node in reversed(order):
            for edge in node.edges:
                edge.target.grad += edge.slope * node.grad


ACTIVATIONS: dict[str, Callable[[Value], Value]] = {
    "tanh": Value.tanh,
    "relu": Value.relu,
    "sigmoid": Value.sigmoid,
    "linear": lambda v: v,
}


class Neuron:
    def __init__(self, n_in: int, activation: str = "tanh") -> None:
        bound = 1 / n_in**0.5
        self.weights = [Value(random.uniform(-bound, bound)) for _ in range(n_in)]
        self.bias = Value(0.0)
        self.activation = activation

    def __call__(self, inputs: Sequence[Number | Value]) -> Value:
        total = self.bias
        for weight, value in zip(self.weights, inputs):
            total = total + weight * value
        return ACTIVATIONS[self.activation](total)

    def parameters(self) -> list[Value]:
        return [*self.weights, self.bias]


class Layer:
    def __init__(self, n_in: int, n_out: int, activation: str = "tanh") -> None:
        self.neurons = [Neuron(n_in, activation) for _ in range(n_out)]

    def __call__(self, inputs: Sequence[Number | Value]) -> Value | list[Value]:
        outputs = [neuron(inputs) for neuron in self.neurons]
        return outputs if len(outputs) > 1 else outputs[0]

    def parameters(self) -> list[Value]:
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    def __init__(self, n_in: int, n_outs: Sequence[int], activation: str = "tanh") -> None:
        self.layers: list[Layer] = []
        for n_out in n_outs:
            self.layers.append(Layer(n_in, n_out, activation))
            n_in = n_out

    def __call__(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def parameters(self) -> list[Value]:
        return [p for layer in self.layers for p in layer.parameters()]

    def zero_grad(self) -> None:
        for p in self.parameters():
            p.grad = 0.0


def numerical_gradient(f: Callable[[], Value], x: Value, eps: float = 1e-6) -> float:
    """Central difference: nudge x up and down and look at f."""
    middle = x.data
    x.data = middle + eps
    above = f().data
    x.data = middle - eps
    below = f().data
    x.data = middle
    return (above - below) / (2 * eps)


def train(model, xs, ys, steps: int = 100, lr: float = 0.05, momentum: float = 0.8):
    """Gradient descent with momentum. Returns the loss of each step."""
    params = model.parameters()
    velocity = [0.0] * len(params)
    losses: list[float] = []
    for _ in range(steps):
        loss = Value(0.0)
        for x, y in zip(xs, ys):
            loss = loss + (model(x) - y) ** 2
        model.zero_grad()
        loss.backward()
        for i, p in enumerate(params):
            velocity[i] = momentum * velocity[i] + p.grad
            p.data = p.data - lr * velocity[i]
        losses.append(loss.data)
    return losses


if __name__ == "__main__":
    random.seed(1)
    net = MLP(2, [4, 1])
    print(train(net, [(0, 0), (0, 1), (1, 0), (1, 1)], [-1, 1, 1, -1])[-1])
'''

GATES = '''\
# Circuit of gates, as in the lecture on backprop: every gate can run forward and backward.
import math
import random


class Gate:
    """Base class. `forward` takes numbers, `backward` gives one number per input wire."""

    def __call__(self, *wires):
        self.wires = [w if isinstance(w, Value) else Value(w) for w in wires]
        out = Value(self.forward(*[w.data for w in self.wires]))
        out.gate = self
        return out

    def send(self, dout):
        for wire, d in zip(self.wires, self.backward(dout)):
            wire.grad += d


class AddGate(Gate):
    def forward(self, x, y):
        return x + y

    def backward(self, dz):
        return [dz, dz]


class MulGate(Gate):
    def forward(self, x, y):
        self.x = x
        self.y = y
        return x * y

    def backward(self, dz):
        dx = self.y * dz
        dy = self.x * dz
        return [dx, dy]


class InverseGate(Gate):
    def forward(self, x):
        self.z = 1.0 / x
        return self.z

    def backward(self, dz):
        return [-self.z * self.z * dz]


class PowerGate(Gate):
    def __init__(self, p):
        self.p = p

    def forward(self, x):
        self.x = x
        return x ** self.p

    def backward(self, dz):
        return [self.p * self.x ** (self.p - 1) * dz]


class ExpGate(Gate):
    def forward(self, x):
        self.z = math.exp(x)
        return self.z

    def backward(self, dz):
        return [self.z * dz]


class LogGate(Gate):
    def forward(self, x):
        self.x = x
        return math.log(x)

    def backward(self, dz):
        return [dz / self.x]


class TanhGate(Gate):
    def forward(self, x):
        self.z = math.tanh(x)
        return self.z

    def backward(self, dz):
        return [(1.0 - self.z * self.z) * dz]


class SigmoidGate(Gate):
    def forward(self, x):
        if x >= 0:
            self.z = 1.0 / (1.0 + math.exp(-x))
        else:
            e = math.exp(x)
            self.z = e / (1.0 + e)
        return self.z

    def backward(self, dz):
        return [self.z * (1.0 - self.z) * dz]


class ReluGate(Gate):
    def forward(self, x):
        self.open = x > 0
        return max(0.0, x)

    def backward(self, dz):
        return [dz if self.open else 0.0]


class Value:
    def __init__(self, data, label=None):
        self.data = data
        self.label = label
        self.grad = 0.0
        self.gate = None

    def __str__(self):
        return "%s = %.4f (d = %.4f)" % (self.label, self.data, self.grad)

    def __add__(self, other):
        return AddGate()(self, other)

    def __radd__(self, other):
        return AddGate()(other, self)

    def __mul__(self, other):
        return MulGate()(self, other)

    def __rmul__(self, other):
        return MulGate()(other, self)

    def __neg__(self):
        return MulGate()(self, -1.0)

    def __sub__(self, other):
        return self + (-1.0) * other

    def __rsub__(self, other):
        return other + (-1.0) * self

    def reciprocal(self):
        return InverseGate()(self)

    def __truediv__(self, other):
        if isinstance(other, Value):
            return self * other.reciprocal()
        return self * (1.0 / other)

    def __rtruediv__(self, other):
        return other * self.reciprocal()

    def __pow__(self, p):
        return PowerGate(p)(self)

    def exp(self):
        return ExpGate()(self)

    def log(self):
        return LogGate()(self)

    def tanh(self):
        return TanhGate()(self)

    def sigmoid(self):
        return SigmoidGate()(self)

    def relu(self):
        return ReluGate()(self)

    def circuit(self):
        """All values that this one depends on; inputs come first."""
        found, ordered = {self}, []
        path = [(self, 0)]
        while path:
            value, k = path.pop()
            wires = value.gate.wires if value.gate is not None else []
            if k < len(wires):
                path.append((value, k + 1))
                if wires[k] not in found:
                    found.add(wires[k])
                    path.append((wires[k], 0))
            else:
                ordered.append(value)
        return ordered

    def backward(self):
        ordered = self.circuit()
        self.grad = 1.0
        while ordered:
            value = ordered.pop()
            if value.gate is not None:
                value.gate.send(value.grad)


class Component:
    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0


class Neuron(Component):
    def __init__(self, n_inputs, activation=TanhGate):
        self.w = []
        for i in range(n_inputs):
            self.w.append(Value(random.uniform(-1.0, 1.0), label="w%d" % i))
        self.b = Value(random.uniform(-1.0, 1.0), label="b")
        self.activation = activation

    def __call__(self, x):
        products = [w * xi for w, xi in zip(self.w, x)]
        z = sum(products) + self.b
        if self.activation is None:
            return z
        return self.activation()(z)

    def parameters(self):
        return self.w + [self.b]


class Layer(Component):
    def __init__(self, n_inputs, n_neurons, activation=TanhGate):
        self.neurons = [Neuron(n_inputs, activation) for _ in range(n_neurons)]

    def __call__(self, x):
        return [neuron(x) for neuron in self.neurons]

    def parameters(self):
        result = []
        for neuron in self.neurons:
            result += neuron.parameters()
        return result


class MLP(Component):
    def __init__(self, n_inputs, layer_sizes):
        self.hidden = []
        previous = n_inputs
        for size in layer_sizes[:-1]:
            self.hidden.append(Layer(previous, size))
            previous = size
        self.output = Layer(previous, layer_sizes[-1], activation=None)

    def __call__(self, x):
        for layer in self.hidden:
            x = layer(x)
        y = self.output(x)
        return y[0] if len(y) == 1 else y

    def parameters(self):
        result = []
        for layer in self.hidden:
            result += layer.parameters()
        result += self.output.parameters()
        return result


def numerical_gradient(f, x, h=1e-5):
    old = x.data
    x.data = old + h
    f_plus = f().data
    x.data = old - h
    f_minus = f().data
    x.data = old
    return (f_plus - f_minus) / (2.0 * h)


def batches(xs, ys, size):
    for start in range(0, len(xs), size):
        yield xs[start:start + size], ys[start:start + size]


def train(model, xs, ys, steps=100, lr=0.05, batch_size=8):
    losses = []
    for step in range(steps):
        total = 0.0
        for bx, by in batches(xs, ys, batch_size):
            loss = sum([(model(x) - y) ** 2 for x, y in zip(bx, by)]) / len(bx)
            model.zero_grad()
            loss.backward()
            for p in model.parameters():
                p.data -= lr * p.grad
            total += loss.data * len(bx)
        losses.append(total / len(xs))
    return losses
'''

PULLBACKS = '''\
"""Reverse mode with pullbacks: every primitive returns its value and a function that pulls back."""

import functools
import math
import random
from collections import deque


class Value:
    def __init__(self, data, inputs=(), pullback=None, *, label=""):
        self.data = data
        self.grad = 0.0
        self.inputs = tuple(inputs)
        self.pullback = pullback
        self.label = label

    def __repr__(self):
        return f"Value({self.data!r})"

    def __add__(self, other):
        return add(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __sub__(self, other):
        return subtract(self, other)

    def __rsub__(self, other):
        return subtract(other, self)

    def __mul__(self, other):
        return multiply(self, other)

    def __rmul__(self, other):
        return multiply(other, self)

    def __truediv__(self, other):
        return divide(self, other)

    def __rtruediv__(self, other):
        return divide(other, self)

    def __pow__(self, other):
        return power(self, other)

    def __rpow__(self, other):
        return power(other, self)

    def __neg__(self):
        return negate(self)

    def exp(self):
        return exp(self)

    def log(self):
        return log(self)

    def tanh(self):
        return tanh(self)

    def sigmoid(self):
        return sigmoid(self)

    def relu(self):
        return relu(self)

    def backward(self):
        # How many arrows still have to arrive at each node
        pending = {self: 0}
        queue = deque([self])
        while queue:
            node = queue.popleft()
            for parent in node.inputs:
                if parent not in pending:
                    pending[parent] = 0
                    queue.append(parent)
                pending[parent] += 1

        cotangents = {node: 0.0 for node in pending}
        cotangents[self] = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            bar = cotangents[node]
            node.grad += bar
            if node.pullback is None:
                continue
            for parent, amount in zip(node.inputs, node.pullback(bar)):
                cotangents[parent] += amount
                pending[parent] -= 1
                if pending[parent] == 0:
                    ready.append(parent)


def as_value(thing):
    return thing if isinstance(thing, Value) else Value(thing)


def primitive(rule):
    """Turn a rule on numbers into a function of Values."""

    @functools.wraps(rule)
    def build(*args):
        inputs = [as_value(a) for a in args]
        number, pullback = rule(*[i.data for i in inputs])
        return Value(number, inputs, pullback)

    return build


@primitive
def add(x, y):
    return x + y, lambda bar: (bar, bar)


@primitive
def subtract(x, y):
    return x - y, lambda bar: (bar, -bar)


@primitive
def multiply(x, y):
    return x * y, lambda bar: (bar * y, bar * x)


@primitive
def divide(x, y):
    return x / y, lambda bar: (bar / y, -bar * x / (y * y))


@primitive
def negate(x):
    return -x, lambda bar: (-bar,)


@primitive
def power(x, n):
    z = x**n

    def pullback(bar):
        dx = n * x ** (n - 1)
        dn = z * math.log(x) if x > 0 else 0.0
        return bar * dx, bar * dn

    return z, pullback


@primitive
def exp(x):
    z = math.exp(x)
    return z, lambda bar: (bar * z,)


@primitive
def log(x):
    return math.log(x), lambda bar: (bar / x,)


@primitive
def tanh(x):
    z = math.tanh(x)
    return z, lambda bar: (bar * (1 - z) * (1 + z),)


@primitive
def sigmoid(x):
    z = 1 / (1 + math.exp(-x)) if x > -700 else 0.0
    return z, lambda bar: (bar * z * (1 - z),)


@primitive
def relu(x):
    if x > 0:
        return x, lambda bar: (bar,)
    return 0.0, lambda bar: (0.0,)


class Neuron:
    def __init__(self, nin, act=tanh):
        self.params = [Value(random.gauss(0.0, 0.7)) for _ in range(nin + 1)]
        self.act = act

    def __call__(self, x):
        *w, b = self.params
        z = b
        for wi, xi in zip(w, x):
            z += wi * xi
        return self.act(z)

    def parameters(self):
        return list(self.params)


class Layer:
    def __init__(self, nin, nout, act=tanh):
        self.units = [Neuron(nin, act) for _ in range(nout)]

    def __call__(self, x):
        return [unit(x) for unit in self.units]

    def parameters(self):
        return [p for unit in self.units for p in unit.parameters()]


class MLP:
    def __init__(self, nin, nouts):
        self.sizes = [nin, *nouts]
        self.layers = [Layer(a, b) for a, b in zip(self.sizes[:-1], self.sizes[1:])]

    def __call__(self, x):
        out = functools.reduce(lambda value, layer: layer(value), self.layers, x)
        return out[0] if len(out) == 1 else out

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0


def numerical_gradient(f, x, eps=1e-5):
    def at(shift):
        keep = x.data
        x.data = keep + shift
        try:
            return f().data
        finally:
            x.data = keep

    return (at(eps) - at(-eps)) / (2 * eps)


def train(model, xs, ys, steps=200, lr=0.1, tolerance=1e-12):
    """Train until the loss is below `tolerance`, for at most `steps` steps."""
    losses = []
    for _ in range(steps):
        errors = [(model(x) - y) for x, y in zip(xs, ys)]
        loss = sum(e * e for e in errors) / len(errors)
        losses.append(loss.data)
        if loss.data < tolerance:
            break
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= lr * p.grad
    return losses
'''

SERIALS = '''\
import itertools
import math
import random

_serial = itertools.count()


class Value:
    """
    Scalar value for automatic differentiation.

    Every new object gets a bigger serial number than the objects it was computed
    from, so sorting by the number is a topological sort!
    """

    def __init__(self, data, parents=()):
        self.data = float(data)
        self.grad = 0.0
        self.parents = parents
        self.number = next(_serial)
        self.push = None  # function of the incoming gradient

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = to_value(other)
        out = Value(self.data + other.data, (self, other))

        def push(g):
            self.grad += g
            other.grad += g

        out.push = push
        return out

    def __mul__(self, other):
        other = to_value(other)
        out = Value(self.data * other.data, (self, other))

        def push(g):
            self.grad += g * other.data
            other.grad += g * self.data

        out.push = push
        return out

    def __pow__(self, k):
        assert not isinstance(k, Value), "k must be a plain number"
        out = Value(self.data ** k, (self,))

        def push(g):
            self.grad += g * k * self.data ** (k - 1)

        out.push = push
        return out

    def __neg__(self):
        return self * (-1)

    def __sub__(self, other):
        other = to_value(other)
        out = Value(self.data - other.data, (self, other))

        def push(g):
            self.grad += g
            other.grad -= g

        out.push = push
        return out

    def __truediv__(self, other):
        other = to_value(other)
        out = Value(self.data / other.data, (self, other))

        def push(g):
            self.grad += g / other.data
            other.grad -= g * out.data / other.data

        out.push = push
        return out

    # numbers on the left hand side
    def __radd__(self, other):
        return to_value(other) + self

    def __rmul__(self, other):
        return to_value(other) * self

    def __rsub__(self, other):
        return to_value(other) - self

    def __rtruediv__(self, other):
        return to_value(other) / self

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def push(g):
            self.grad += g * out.data

        out.push = push
        return out

    def log(self):
        assert self.data > 0, "log of a number that is not positive"
        out = Value(math.log(self.data), (self,))

        def push(g):
            self.grad += g / self.data

        out.push = push
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def push(g):
            self.grad += g * (1 - out.data ** 2)

        out.push = push
        return out

    def sigmoid(self):
        if self.data < 0:
            e = math.exp(self.data)
            s = e / (1 + e)
        else:
            s = 1 / (1 + math.exp(-self.data))
        out = Value(s, (self,))

        def push(g):
            self.grad += g * out.data * (1 - out.data)

        out.push = push
        return out

    def relu(self):
        out = Value(max(self.data, 0.0), (self,))

        def push(g):
            if self.data > 0:
                self.grad += g

        out.push = push
        return out

    def ancestors(self):
        found = {self.number: self}
        waiting = [self]
        while waiting:
            for parent in waiting.pop().parents:
                if parent.number not in found:
                    found[parent.number] = parent
                    waiting.append(parent)
        return found

    def backward(self):
        found = self.ancestors()
        self.grad = 1.0
        for number in sorted(found, reverse=True):
            node = found[number]
            if node.push is not None:
                node.push(node.grad)


def to_value(x):
    if isinstance(x, Value):
        return x
    return Value(x)


# quick self test
_a, _b = Value(2), Value(-3)
_c = _a * _b + _a
_c.backward()
assert _a.grad == -2 and _b.grad == 2, "self test"
print("self test ok:", _c)


class Neuron:
    def __init__(self, nin, nonlin=True):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0)
        self.nonlin = nonlin

    def __call__(self, x):
        assert len(x) == len(self.w), (len(x), len(self.w))
        s = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return s.tanh() if self.nonlin else s

    def parameters(self):
        return self.w + [self.b]


class Layer:
    def __init__(self, nin, nout, nonlin=True):
        self.neurons = []
        for _ in range(nout):
            self.neurons.append(Neuron(nin, nonlin))

    def __call__(self, x):
        out = [n(x) for n in self.neurons]
        if len(out) == 1:
            return out[0]
        return out

    def parameters(self):
        ps = []
        for n in self.neurons:
            ps.extend(n.parameters())
        return ps


class MLP:
    def __init__(self, nin, nouts):
        sz = [nin] + list(nouts)
        last = len(nouts) - 1
        self.layers = [Layer(sz[i], sz[i + 1], nonlin=(i < last)) for i in range(len(nouts))]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        ps = []
        for layer in self.layers:
            ps.extend(layer.parameters())
        return ps

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0


def numerical_gradient(f, x, eps=1e-4):
    x0 = x.data
    x.data = x0 + eps
    hi = f().data
    x.data = x0 - eps
    lo = f().data
    x.data = x0
    return (hi - lo) / (2 * eps)


def mse(outputs, targets):
    assert len(outputs) == len(targets)
    total = Value(0.0)
    for out, target in zip(outputs, targets):
        total = total + (out - target) ** 2
    return total / len(outputs)


def train(model, xs, ys, steps=100, lr=0.2):
    """The rate falls from lr to a tenth of it."""
    losses = []
    for k in range(steps):
        loss = mse([model(x) for x in xs], ys)
        model.zero_grad()
        loss.backward()
        rate = lr * (1.0 - 0.9 * k / steps)
        for p in model.parameters():
            p.data += -rate * p.grad
        losses.append(loss.data)
    return losses
'''

MIXIN = '''\
# Moteur de dérivation automatique. Auteur : un étudiant de deuxième année.
import abc
import math
import random


class Arithmetique(abc.ABC):
    """Les opérateurs, en fonction de `_un` (un opérande) et `_deux` (deux opérandes)."""

    @abc.abstractmethod
    def _un(self, y, d): ...

    @abc.abstractmethod
    def _deux(self, autre, y, d1, d2): ...

    def __add__(self, autre):
        autre = self.valeur(autre)
        return self._deux(autre, self.data + autre.data, 1.0, 1.0)

    def __sub__(self, autre):
        autre = self.valeur(autre)
        return self._deux(autre, self.data - autre.data, 1.0, -1.0)

    def __mul__(self, autre):
        autre = self.valeur(autre)
        return self._deux(autre, self.data * autre.data, autre.data, self.data)

    def __truediv__(self, autre):
        autre = self.valeur(autre)
        x, y = self.data, autre.data
        return self._deux(autre, x / y, 1.0 / y, -x / y**2)

    def __pow__(self, n):
        return self._un(self.data**n, n * self.data ** (n - 1))

    def __neg__(self):
        return self._un(-self.data, -1.0)

    def __radd__(self, autre):
        return self + autre

    def __rmul__(self, autre):
        return self * autre

    def __rsub__(self, autre):
        return self.valeur(autre) - self

    def __rtruediv__(self, autre):
        return self.valeur(autre) / self


class Value(Arithmetique):
    __slots__ = ("data", "grad", "enfants", "derivees", "_vu")

    def __init__(self, data, enfants=(), derivees=()):
        self.data = data
        self.grad = 0.0
        self.enfants = enfants
        self.derivees = derivees
        self._vu = False

    def __repr__(self):
        return "Value(%g)" % self.data

    @classmethod
    def valeur(cls, x):
        return x if isinstance(x, cls) else cls(x)

    def _un(self, y, d):
        return Value(y, (self,), (d,))

    def _deux(self, autre, y, d1, d2):
        return Value(y, (self, autre), (d1, d2))

    def exp(self):
        y = math.exp(self.data)
        return self._un(y, y)

    def log(self):
        return self._un(math.log(self.data), 1.0 / self.data)

    def tanh(self):
        y = math.tanh(self.data)
        return self._un(y, 1.0 - y**2)

    def sigmoid(self):
        z = math.exp(-abs(self.data))
        y = 1.0 / (1.0 + z) if self.data >= 0 else z / (1.0 + z)
        return self._un(y, y * (1.0 - y))

    def relu(self):
        if self.data > 0:
            return self._un(self.data, 1.0)
        return self._un(0.0, 0.0)

    def _trier(self, liste):
        """Parcours en profondeur : les enfants avant leur parent."""
        if self._vu:
            return
        self._vu = True
        for enfant in self.enfants:
            enfant._trier(liste)
        liste.append(self)

    def backward(self):
        liste = []
        self._trier(liste)
        for noeud in liste:
            noeud._vu = False
            if noeud.enfants:
                noeud.grad = 0.0
        self.grad = 1.0
        for noeud in liste[::-1]:
            for enfant, d in zip(noeud.enfants, noeud.derivees):
                enfant.grad += d * noeud.grad


class Module:
    def parameters(self):
        """Tous les paramètres, une seule liste."""
        resultat = []
        for attribut in vars(self).values():
            if isinstance(attribut, Value):
                resultat.append(attribut)
            elif isinstance(attribut, list):
                for element in attribut:
                    if isinstance(element, Value):
                        resultat.append(element)
                    elif isinstance(element, Module):
                        resultat += element.parameters()
        return resultat

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0


class Neuron(Module):
    def __init__(self, nin, activation="sigmoid"):
        self.poids = [Value(random.uniform(-2, 2)) for _ in range(nin)]
        self.biais = Value(random.uniform(-2, 2))
        self.activation = activation

    def __call__(self, entrees):
        somme = self.biais
        for i in range(len(self.poids)):
            somme = somme + self.poids[i] * entrees[i]
        if self.activation:
            return getattr(somme, self.activation)()
        return somme


class Layer(Module):
    def __init__(self, nin, nout, activation="sigmoid"):
        self.neurones = [Neuron(nin, activation) for _ in range(nout)]

    def __call__(self, entrees):
        return [n(entrees) for n in self.neurones]


class MLP(Module):
    def __init__(self, nin, nouts, activation="sigmoid"):
        tailles = [nin] + list(nouts)
        self.couches = [Layer(a, b, activation) for a, b in zip(tailles, tailles[1:])]

    def __call__(self, entrees):
        sortie = entrees
        for couche in self.couches:
            sortie = couche(sortie)
        return sortie[0] if len(sortie) == 1 else sortie


def numerical_gradient(f, x, eps=1e-6):
    depart = x.data
    resultats = []
    for delta in (eps, -eps):
        x.data = depart + delta
        resultats.append(f().data)
    x.data = depart
    haut, bas = resultats
    return (haut - bas) / (2 * eps)


def perte(model, xs, ys):
    """Moyenne des carrés des écarts."""
    carres = [(model(x) - y) ** 2 for x, y in zip(xs, ys)]
    return sum(carres) / len(carres)


def train(model, xs, ys, lr=0.5, steps=200, verbose=False):
    losses = []
    for etape in range(1, steps + 1):
        loss = perte(model, xs, ys)
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data = p.data - lr * p.grad
        losses.append(loss.data)
        if verbose and etape % 10 == 0:
            print("étape", etape, "perte", loss.data)
    return losses
'''

BATCH_ENGINES = {
    "edges": EDGES,
    "gates": GATES,
    "pullbacks": PULLBACKS,
    "serials": SERIALS,
    "mixin": MIXIN,
}
