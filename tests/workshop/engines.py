"""Engines that are right, as learners write them: the judge of the workshop must pass each of them.

An engine is the text of one file: a core (the class of numbers and its operations), and the parts
that follow it (neurons, the numerical gradient, training). The cores differ in all that a learner
is free to choose. `mistakes` edits these texts, so each line of a core that a mistake touches
must be found in it by its words. What an engine does otherwise without being wrong is said by its
fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

OPERATORS = frozenset({"+", "-", "*", "/", "**", "neg"})
FUNCTIONS = frozenset({"exp", "log", "tanh", "sigmoid", "relu"})
EVERYTHING = frozenset({"net", "numerical", "train"})


@dataclass(frozen=True)
class Engine:
    """The text of a right engine, and what a judge has to know of it.

    ``second`` says what a second loss with an inner node of the first does: the gradients of the
    leaves add up ("adds"), those of inner nodes pile up as well ("piles"), the first ones are
    replaced ("replaces"), or the graph is gone ("once").
    """

    name: str
    text: str
    kind: str = "Value"
    attribute: str = "data"
    methods: bool = True
    operators: frozenset[str] = OPERATORS
    functions: frozenset[str] = FUNCTIONS
    parts: frozenset[str] = EVERYTHING
    second: str = "piles"
    empty: float | None = 0.0
    """The gradient before `backward()`."""
    limits: frozenset[int] = frozenset()
    """Phases in which a remark `limit` is right: 11 for a `backward()` that recurses."""
    findings: frozenset[int] = frozenset()
    """Phases in which a true mistake may be named, as courses leave it in."""
    inner: bool = True
    """Whether inner nodes keep a gradient after `backward()`."""
    layer: str = "one"
    """What a layer of a single neuron returns: "one" Value, or a "list" of it."""
    last: str = "active"
    """Whether the last layer of an MLP is "active" or "linear"."""
    at_zero: float = 0.0
    """The derivative of relu at 0."""
    remarks: frozenset[str] = field(default_factory=frozenset)


# --- the parts after the core ---------------------------------------------------------------------

NET_PLAIN = """

class Neuron:
    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0.0)

    def __call__(self, x):
        z = self.b
        for wi, xi in zip(self.w, x):
            z = z + wi * xi
        return z.tanh()

    def parameters(self):
        return self.w + [self.b]


class Layer:
    def __init__(self, nin, nout):
        self.neurons = [Neuron(nin) for _ in range(nout)]

    def __call__(self, x):
        outs = [n(x) for n in self.neurons]
        return outs[0] if len(outs) == 1 else outs

    def parameters(self):
        return [p for n in self.neurons for p in n.parameters()]


class MLP:
    def __init__(self, nin, nouts):
        sizes = [nin] + list(nouts)
        self.layers = [Layer(sizes[i], sizes[i + 1]) for i in range(len(nouts))]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0
"""

NET_MODULE = """

class Module:
    def parameters(self):
        return []

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0


class Neuron(Module):
    def __init__(self, nin, nonlin=True):
        self.weights = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.bias = Value(0.0)
        self.nonlin = nonlin

    def __call__(self, x):
        act = sum((w * xi for w, xi in zip(self.weights, x)), self.bias)
        return act.relu() if self.nonlin else act

    def parameters(self):
        return [*self.weights, self.bias]


class Layer(Module):
    def __init__(self, nin, nout, **options):
        self.neurons = [Neuron(nin, **options) for _ in range(nout)]

    def __call__(self, x):
        out = [neuron(x) for neuron in self.neurons]
        return out[0] if len(out) == 1 else out

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP(Module):
    def __init__(self, nin, nouts):
        widths = [nin, *nouts]
        last = len(nouts) - 1
        self.layers = [
            Layer(widths[i], widths[i + 1], nonlin=i != last) for i in range(len(nouts))
        ]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]
"""

NET_LISTED = """

class Neuron:
    def __init__(self, n_inputs):
        self.weights = []
        for _ in range(n_inputs):
            self.weights.append(Value(random.gauss(0, 1)))
        self.bias = Value(random.uniform(-0.5, 0.5))

    def forward(self, inputs):
        total = self.bias
        for w, x in zip(self.weights, inputs):
            total = total + w * x
        return total.tanh()

    __call__ = forward

    def parameters(self):
        params = []
        for w in self.weights:
            params.append(w)
        params.append(self.bias)
        return params


class Layer:
    def __init__(self, n_inputs, n_outputs):
        self.neurons = []
        for _ in range(n_outputs):
            self.neurons.append(Neuron(n_inputs))

    def __call__(self, inputs):
        outputs = []
        for neuron in self.neurons:
            outputs.append(neuron(inputs))
        return outputs

    def parameters(self):
        params = []
        for neuron in self.neurons:
            params.extend(neuron.parameters())
        return params


class MLP:
    def __init__(self, n_inputs, layer_sizes):
        self.layers = []
        size = n_inputs
        for n in layer_sizes:
            self.layers.append(Layer(size, n))
            size = n

    def __call__(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def parameters(self):
        params = []
        for layer in self.layers:
            params.extend(layer.parameters())
        return params

    def zero_grad(self):
        for param in self.parameters():
            param.grad = 0.0
"""

NET_SCALED = """

class Neuron:
    def __init__(self, nin, activate=True):
        scale = 1 / math.sqrt(nin)
        self.w = [Value(random.uniform(-scale, scale)) for _ in range(nin)]
        self.b = Value(random.uniform(-scale, scale))
        self.activate = activate

    def __call__(self, x):
        s = sum((wi * xi for wi, xi in zip(self.w, x)), start=self.b)
        if self.activate:
            s = s.sigmoid()
        return s

    def parameters(self):
        yield from self.w
        yield self.b


class Layer:
    def __init__(self, nin, nout, activate=True):
        self.units = tuple(Neuron(nin, activate) for _ in range(nout))

    def __call__(self, x):
        y = [unit(x) for unit in self.units]
        if len(y) == 1:
            return y[0]
        return y

    def parameters(self):
        return [p for unit in self.units for p in unit.parameters()]


class MLP:
    def __init__(self, nin, nouts):
        sizes = [nin] + list(nouts)
        self.layers = []
        for k, (i, o) in enumerate(zip(sizes, sizes[1:])):
            self.layers.append(Layer(i, o, activate=k < len(nouts) - 1))

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        return sum((layer.parameters() for layer in self.layers), [])

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0
"""

NUMERICAL = """

def numerical_gradient(f, x, eps=1e-5):
    kept = x.data
    x.data = kept + eps
    plus = f().data
    x.data = kept - eps
    minus = f().data
    x.data = kept
    return (plus - minus) / (2 * eps)
"""

NUMERICAL_FINALLY = """

def numerical_gradient(f, x, eps=1e-6):
    before = x.data
    try:
        x.data = before + eps
        up = f()
        x.data = before - eps
        down = f()
    finally:
        x.data = before
    return (up.data - down.data) / (2 * eps)
"""

TRAIN = """

def train(model, xs, ys, steps=100, lr=0.1):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= lr * p.grad
        losses.append(loss.data)
    return losses
"""

TRAIN_MEAN = """

def train(model, xs, ys, steps=50, lr=0.05):
    history = []
    params = model.parameters()
    for step in range(steps):
        total = 0
        for x, y in zip(xs, ys):
            error = model(x) - y
            total = total + error * error
        loss = total * (1 / len(xs))

        for p in params:
            p.grad = 0.0
        loss.backward()

        for p in params:
            p.data = p.data - lr * p.grad
        history.append(loss.data)
    return history
"""

TRAIN_MOMENTUM = """

def train(model, xs, ys, steps=100, lr=0.05, beta=0.5):
    losses = []
    velocity = {p: 0.0 for p in model.parameters()}
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        loss.backward()
        for p in model.parameters():
            velocity[p] = beta * velocity[p] - lr * p.grad
            p.data += velocity[p]
        model.zero_grad()
        losses.append(loss.data)
    return losses
"""

TRAIN_LISTED = """

def mse(predictions, targets):
    total = Value(0.0)
    for prediction, target in zip(predictions, targets):
        if not isinstance(target, (list, tuple)):
            target = [target]
        for p, t in zip(prediction, target):
            total = total + (p - t) ** 2
    return total / len(predictions)


def train(model, xs, ys, steps=100, lr=0.1):
    losses = []
    for _ in range(steps):
        predictions = [model(x) for x in xs]
        loss = mse(predictions, ys)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= lr * p.grad
        losses.append(loss.data)
    return losses
"""

TRAIN_SGD = """

class SGD:
    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = lr

    def step(self):
        for p in self.params:
            p.data += -self.lr * p.grad

    def zero_grad(self):
        for p in self.params:
            p.grad = 0.0


def train(model, xs, ys, steps=100, lr=0.1):
    optimizer = SGD(model.parameters(), lr)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        loss.backward()
        optimizer.step()
        losses.append(loss.data)
    return losses
"""

# --- closures -------------------------------------------------------------------------------------

CLOSURES = """\
import math
import random


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op

    def __repr__(self):
        return f"Value({self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    def __pow__(self, n):
        out = Value(self.data ** n, (self,), "**")

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad
        out._backward = _backward
        return out

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

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad
        out._backward = _backward
        return out

    def log(self):
        out = Value(math.log(self.data), (self,), "log")

        def _backward():
            self.grad += 1 / self.data * out.grad
        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t ** 2) * out.grad
        out._backward = _backward
        return out

    def sigmoid(self):
        x = self.data
        s = 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
        out = Value(s, (self,), "sigmoid")

        def _backward():
            self.grad += s * (1 - s) * out.grad
        out._backward = _backward
        return out

    def relu(self):
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward():
            self.grad += (self.data > 0) * out.grad
        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()
"""

# As in lectures that build it live: tanh from exp(2x), which overflows for large x.
COURSE = """\
import math
import random


class Value:
    \"\"\"One scalar of a computation, with its gradient.\"\"\"

    def __init__(self, data, parents=(), op="", label=""):
        self.data = data
        self.grad = 0.0
        self.parents = set(parents)
        self.op = op
        self.label = label
        self.local_step = lambda: None

    def __repr__(self):
        return f"Value({self.label or self.op}: {self.data:.4f})"

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def local_step():
            self.grad += 1.0 * out.grad
            other.grad += 1.0 * out.grad

        out.local_step = local_step
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def local_step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out.local_step = local_step
        return out

    def __pow__(self, power):
        assert isinstance(power, (int, float)), "powers are plain numbers"
        out = Value(self.data**power, (self,), f"**{power}")

        def local_step():
            self.grad += power * (self.data ** (power - 1)) * out.grad

        out.local_step = local_step
        return out

    def exp(self):
        e = math.exp(self.data)
        out = Value(e, (self,), "exp")

        def local_step():
            self.grad += e * out.grad

        out.local_step = local_step
        return out

    def tanh(self):
        e = math.exp(2 * self.data)
        t = (e - 1) / (e + 1)
        out = Value(t, (self,), "tanh")

        def local_step():
            self.grad += (1 - t * t) * out.grad

        out.local_step = local_step
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return other + (-self)

    def __rtruediv__(self, other):
        return other * self**-1

    def backward(self):
        order = []
        seen = set()

        def visit(node):
            if node in seen:
                return
            seen.add(node)
            for parent in node.parents:
                visit(parent)
            order.append(node)

        visit(self)

        self.grad = 1.0
        for node in reversed(order):
            node.local_step()
"""

# The structure of micrograd, in words of its own.
MICROGRAD = """\
import random


class Value:
    def __init__(self, data, _children=(), _op=''):
        self.data = data
        self.grad = 0
        self._prev = set(_children)
        self._op = _op
        self._backward = lambda: None

    def _lift(self, x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = self._lift(other)
        total = Value(self.data + other.data, (self, other), '+')

        def _backward():
            self.grad += total.grad
            other.grad += total.grad
        total._backward = _backward
        return total

    def __mul__(self, other):
        other = self._lift(other)
        product = Value(self.data * other.data, (self, other), '*')

        def _backward():
            self.grad += other.data * product.grad
            other.grad += self.data * product.grad
        product._backward = _backward
        return product

    def __pow__(self, k):
        power = Value(self.data ** k, (self,), f'**{k}')

        def _backward():
            self.grad += k * self.data ** (k - 1) * power.grad
        power._backward = _backward
        return power

    def relu(self):
        clipped = Value(0 if self.data < 0 else self.data, (self,), 'ReLU')

        def _backward():
            self.grad += (clipped.data > 0) * clipped.grad
        clipped._backward = _backward
        return clipped

    def backward(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)
        build(self)
        self.grad = 1
        for v in topo[::-1]:
            v._backward()

    def __neg__(self): return self * -1
    def __radd__(self, other): return self + other
    def __sub__(self, other): return self + (-other)
    def __rsub__(self, other): return other + (-self)
    def __rmul__(self, other): return self * other
    def __truediv__(self, other): return self * other ** -1
    def __rtruediv__(self, other): return other * self ** -1
    def __repr__(self): return f'Value(data={self.data}, grad={self.grad})'
"""

# Closures made by one helper for each number of operands; an own stack for the order.
HELPER = """\
import math
import random


def lift(x):
    return x if isinstance(x, Value) else Value(x)


class Value:
    def __init__(self, data):
        self.data = float(data)
        self.grad = 0.0
        self.inputs = ()
        self.pull = None

    @staticmethod
    def unary(x, y, slope):
        out = Value(y)
        out.inputs = (x,)

        def pull(g):
            x.grad += g * slope

        out.pull = pull
        return out

    @staticmethod
    def binary(x1, x2, y, slope1, slope2):
        out = Value(y)
        out.inputs = (x1, x2)

        def pull(g):
            x1.grad += g * slope1
            x2.grad += g * slope2

        out.pull = pull
        return out

    def __add__(self, o):
        o = lift(o)
        return Value.binary(self, o, self.data + o.data, 1.0, 1.0)

    def __sub__(self, o):
        o = lift(o)
        return Value.binary(self, o, self.data - o.data, 1.0, -1.0)

    def __mul__(self, o):
        o = lift(o)
        return Value.binary(self, o, self.data * o.data, o.data, self.data)

    def __truediv__(self, o):
        o = lift(o)
        q = self.data / o.data
        return Value.binary(self, o, q, 1 / o.data, -q / o.data)

    def __pow__(self, n):
        return Value.unary(self, self.data**n, n * self.data ** (n - 1))

    def __neg__(self):
        return Value.unary(self, -self.data, -1.0)

    def __radd__(self, o):
        return lift(o) + self

    def __rsub__(self, o):
        return lift(o) - self

    def __rmul__(self, o):
        return lift(o) * self

    def __rtruediv__(self, o):
        return lift(o) / self

    def exp(self):
        y = math.exp(self.data)
        return Value.unary(self, y, y)

    def log(self):
        return Value.unary(self, math.log(self.data), 1 / self.data)

    def tanh(self):
        y = math.tanh(self.data)
        return Value.unary(self, y, 1 - y * y)

    def sigmoid(self):
        y = (math.tanh(self.data / 2) + 1) / 2
        return Value.unary(self, y, y * (1 - y))

    def relu(self):
        return Value.unary(self, max(self.data, 0.0), float(self.data > 0))

    def backward(self):
        order, done, stack = [], set(), [(self, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                order.append(node)
            elif node not in done:
                done.add(node)
                stack.append((node, True))
                stack.extend((x, False) for x in node.inputs)
        self.grad = 1.0
        for node in reversed(order):
            if node.pull:
                node.pull(node.grad)
"""

# --- classes of functions -------------------------------------------------------------------------

CLASSES = """\
import math
import random


class Function:
    def __init__(self, *parents):
        self.parents = parents

    @classmethod
    def apply(cls, *args):
        parents = [a if isinstance(a, Value) else Value(a) for a in args]
        op = cls(*parents)
        out = Value(op.forward(*[p.data for p in parents]))
        out._ctx = op
        return out


class Add(Function):
    def forward(self, a, b):
        return a + b

    def backward(self, g):
        return g, g


class Sub(Function):
    def forward(self, a, b):
        return a - b

    def backward(self, g):
        return g, -g


class Mul(Function):
    def forward(self, a, b):
        self.a, self.b = a, b
        return a * b

    def backward(self, g):
        return g * self.b, g * self.a


class Div(Function):
    def forward(self, a, b):
        self.a, self.b = a, b
        return a / b

    def backward(self, g):
        return g / self.b, -g * self.a / self.b ** 2


class Pow(Function):
    def forward(self, a, n):
        self.a, self.n = a, n
        return a ** n

    def backward(self, g):
        return g * self.n * self.a ** (self.n - 1), 0.0


class Neg(Function):
    def forward(self, a):
        return -a

    def backward(self, g):
        return (-g,)


class Exp(Function):
    def forward(self, a):
        self.e = math.exp(a)
        return self.e

    def backward(self, g):
        return (g * self.e,)


class Log(Function):
    def forward(self, a):
        self.a = a
        return math.log(a)

    def backward(self, g):
        return (g / self.a,)


class Tanh(Function):
    def forward(self, a):
        self.t = math.tanh(a)
        return self.t

    def backward(self, g):
        return (g * (1 - self.t ** 2),)


class Sigmoid(Function):
    def forward(self, a):
        self.s = 1 / (1 + math.exp(-a)) if a > 0 else 1 - 1 / (1 + math.exp(a))
        return self.s

    def backward(self, g):
        return (g * self.s * (1 - self.s),)


class Relu(Function):
    def forward(self, a):
        self.a = a
        return max(0.0, a)

    def backward(self, g):
        return (g if self.a > 0 else 0.0,)


class Value:
    def __init__(self, data):
        self.data = float(data)
        self.grad = 0.0
        self._ctx = None

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    @property
    def _prev(self):
        return self._ctx.parents if self._ctx else ()

    def backward(self):
        uses = {self: 0}
        stack = [self]
        while stack:
            for p in stack.pop()._prev:
                if p not in uses:
                    uses[p] = 0
                    stack.append(p)
                uses[p] += 1
        self.grad = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            grads = node._ctx.backward(node.grad) if node._ctx else ()
            for p, g in zip(node._prev, grads):
                p.grad += g
                uses[p] -= 1
                if uses[p] == 0:
                    ready.append(p)

    def __add__(self, other):
        return Add.apply(self, other)

    def __radd__(self, other):
        return Add.apply(other, self)

    def __sub__(self, other):
        return Sub.apply(self, other)

    def __rsub__(self, other):
        return Sub.apply(other, self)

    def __mul__(self, other):
        return Mul.apply(self, other)

    def __rmul__(self, other):
        return Mul.apply(other, self)

    def __truediv__(self, other):
        return Div.apply(self, other)

    def __rtruediv__(self, other):
        return Div.apply(other, self)

    def __pow__(self, n):
        return Pow.apply(self, n)

    def __neg__(self):
        return Neg.apply(self)

    def exp(self):
        return Exp.apply(self)

    def log(self):
        return Log.apply(self)

    def tanh(self):
        return Tanh.apply(self)

    def sigmoid(self):
        return Sigmoid.apply(self)

    def relu(self):
        return Relu.apply(self)
"""

# As a large library does: static methods with a context, no gradient before, one backward a graph.
TORCHLIKE = """\
import math
import random


class Context:
    def __init__(self):
        self.saved = ()

    def save_for_backward(self, *values):
        self.saved = values


class Function:
    @classmethod
    def apply(cls, *tensors):
        ctx = Context()
        out = Tensor(cls.forward(ctx, *[t.data for t in tensors]))
        out.grad_fn = (cls, ctx, tensors)
        return out


class AddFunction(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output


class MulFunction(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved
        return grad_output * y, grad_output * x


class DivFunction(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x / y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved
        return grad_output / y, -grad_output * x / (y * y)


class PowFunction(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(x, n)
        return x ** n

    @staticmethod
    def backward(ctx, grad_output):
        x, n = ctx.saved
        return grad_output * n * x ** (n - 1), None


class ExpFunction(Function):
    @staticmethod
    def forward(ctx, x):
        result = math.exp(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved
        return (grad_output * result,)


class LogFunction(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return math.log(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved
        return (grad_output / x,)


class TanhFunction(Function):
    @staticmethod
    def forward(ctx, x):
        result = math.tanh(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved
        return (grad_output * (1 - result * result),)


class ReluFunction(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x if x > 0 else 0.0

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved
        return (grad_output if x > 0 else 0.0,)


def as_tensor(x):
    return x if isinstance(x, Tensor) else Tensor(x)


class Tensor:
    def __init__(self, data):
        self.data = float(data)
        self.grad = None
        self.grad_fn = None

    def __add__(self, other):
        return AddFunction.apply(self, as_tensor(other))

    def __mul__(self, other):
        return MulFunction.apply(self, as_tensor(other))

    def __truediv__(self, other):
        return DivFunction.apply(self, as_tensor(other))

    def __pow__(self, n):
        return PowFunction.apply(self, as_tensor(n))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -as_tensor(other)

    def __rsub__(self, other):
        return as_tensor(other) - self

    def __rtruediv__(self, other):
        return as_tensor(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        return ExpFunction.apply(self)

    def log(self):
        return LogFunction.apply(self)

    def tanh(self):
        return TanhFunction.apply(self)

    def relu(self):
        return ReluFunction.apply(self)

    def backward(self, gradient=1.0):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            t, ready = stack.pop()
            if ready:
                order.append(t)
                continue
            if id(t) in seen:
                continue
            seen.add(id(t))
            stack.append((t, True))
            if t.grad_fn == "freed":
                raise RuntimeError("the graph was freed by the first backward()")
            if t.grad_fn is not None:
                stack.extend((parent, False) for parent in t.grad_fn[2])

        incoming = {id(self): gradient}
        for t in reversed(order):
            g = incoming.pop(id(t))
            if t.grad_fn is None:
                t.grad = g if t.grad is None else t.grad + g
                continue
            function, ctx, parents = t.grad_fn
            for parent, d in zip(parents, function.backward(ctx, g)):
                incoming[id(parent)] = incoming.get(id(parent), 0.0) + (d or 0.0)
            t.grad_fn = "freed"
"""

# A class for each operation: each node is an object of it.
SUBCLASSES = """\
import math
import random


class Node:
    def __init__(self, data, *operands):
        self.data = data
        self.operands = operands
        self.grad = 0.0

    def derivatives(self):
        return []

    def __add__(self, other):
        return Plus(self, node(other))

    def __radd__(self, other):
        return Plus(node(other), self)

    def __sub__(self, other):
        return Minus(self, node(other))

    def __rsub__(self, other):
        return Minus(node(other), self)

    def __mul__(self, other):
        return Times(self, node(other))

    def __rmul__(self, other):
        return Times(node(other), self)

    def __truediv__(self, other):
        return Over(self, node(other))

    def __rtruediv__(self, other):
        return Over(node(other), self)

    def __pow__(self, exponent):
        return Power(self, exponent)

    def __neg__(self):
        return Minus(Node(0.0), self)

    def exp(self):
        return Exp(self)

    def log(self):
        return Log(self)

    def tanh(self):
        return Tanh(self)

    def sigmoid(self):
        return Sigmoid(self)

    def relu(self):
        return Relu(self)

    def backward(self):
        order = []
        marked = set()
        path = [(self, iter(self.operands))]
        marked.add(self)
        while path:
            current, rest = path[-1]
            for operand in rest:
                if operand not in marked:
                    marked.add(operand)
                    path.append((operand, iter(operand.operands)))
                    break
            else:
                order.append(current)
                path.pop()
        self.grad = 1.0
        while order:
            current = order.pop()
            for operand, d in zip(current.operands, current.derivatives()):
                operand.grad += d * current.grad


def node(x):
    return x if isinstance(x, Node) else Node(x)


class Plus(Node):
    def __init__(self, a, b):
        super().__init__(a.data + b.data, a, b)

    def derivatives(self):
        return [1.0, 1.0]


class Minus(Node):
    def __init__(self, a, b):
        super().__init__(a.data - b.data, a, b)

    def derivatives(self):
        return [1.0, -1.0]


class Times(Node):
    def __init__(self, a, b):
        super().__init__(a.data * b.data, a, b)

    def derivatives(self):
        a, b = self.operands
        return [b.data, a.data]


class Over(Node):
    def __init__(self, a, b):
        super().__init__(a.data / b.data, a, b)

    def derivatives(self):
        a, b = self.operands
        return [1 / b.data, -self.data / b.data]


class Power(Node):
    def __init__(self, a, exponent):
        super().__init__(a.data**exponent, a)
        self.exponent = exponent

    def derivatives(self):
        (a,) = self.operands
        return [self.exponent * a.data ** (self.exponent - 1)]


class Exp(Node):
    def __init__(self, a):
        super().__init__(math.exp(a.data), a)

    def derivatives(self):
        return [self.data]


class Log(Node):
    def __init__(self, a):
        super().__init__(math.log(a.data), a)

    def derivatives(self):
        return [1 / self.operands[0].data]


class Tanh(Node):
    def __init__(self, a):
        super().__init__(math.tanh(a.data), a)

    def derivatives(self):
        return [1 - self.data**2]


class Sigmoid(Node):
    def __init__(self, a):
        super().__init__(0.5 + 0.5 * math.tanh(0.5 * a.data), a)

    def derivatives(self):
        return [self.data * (1 - self.data)]


class Relu(Node):
    def __init__(self, a):
        super().__init__(max(a.data, 0.0), a)

    def derivatives(self):
        return [1.0 if self.operands[0].data > 0 else 0.0]
"""

# --- tapes ----------------------------------------------------------------------------------------

TAPE = """\
import math
import random

TAPE = []


def wrap(x):
    return x if isinstance(x, Value) else Value(x)


def record(number, inputs, slopes):
    out = Value(number)
    TAPE.append((out, inputs, slopes))
    return out


class Value:
    def __init__(self, data):
        self.data = float(data)
        self.grad = 0.0

    def __add__(self, other):
        other = wrap(other)
        return record(self.data + other.data, (self, other), (1.0, 1.0))

    def __radd__(self, other):
        return wrap(other) + self

    def __sub__(self, other):
        other = wrap(other)
        return record(self.data - other.data, (self, other), (1.0, -1.0))

    def __rsub__(self, other):
        return wrap(other) - self

    def __mul__(self, other):
        other = wrap(other)
        return record(self.data * other.data, (self, other), (other.data, self.data))

    def __rmul__(self, other):
        return wrap(other) * self

    def __truediv__(self, other):
        other = wrap(other)
        a, b = self.data, other.data
        return record(a / b, (self, other), (1 / b, -a / b ** 2))

    def __rtruediv__(self, other):
        return wrap(other) / self

    def __neg__(self):
        return record(-self.data, (self,), (-1.0,))

    def __pow__(self, n):
        return record(self.data ** n, (self,), (n * self.data ** (n - 1),))

    def exp(self):
        e = math.exp(self.data)
        return record(e, (self,), (e,))

    def log(self):
        return record(math.log(self.data), (self,), (1 / self.data,))

    def tanh(self):
        t = math.tanh(self.data)
        return record(t, (self,), (1 - t * t,))

    def sigmoid(self):
        x = self.data
        s = 1 / (1 + math.exp(-x)) if x >= 0 else 1 - 1 / (1 + math.exp(x))
        return record(s, (self,), (s * (1 - s),))

    def relu(self):
        x = self.data
        return record(max(x, 0.0), (self,), (1.0 if x > 0 else 0.0,))

    def backward(self):
        self.grad = 1.0
        for out, inputs, slopes in reversed(TAPE):
            for v, slope in zip(inputs, slopes):
                v.grad += slope * out.grad
        TAPE.clear()
"""

# A tape for each thread, and one for each `with`; entries are functions of the gradients.
THREADS = """\
import contextlib
import math
import random
import threading

local = threading.local()


def current_tape():
    if not hasattr(local, "tapes"):
        local.tapes = [[]]
    return local.tapes[-1]


@contextlib.contextmanager
def new_tape():
    current_tape()
    local.tapes.append([])
    try:
        yield local.tapes[-1]
    finally:
        local.tapes.pop()


class Var:
    def __init__(self, data):
        self.data = float(data)
        self.grad = 0.0

    def _to(self, result, *edges):
        out = Var(result)

        def push(grads):
            g = grads.get(out, 0.0)
            if g != 0.0:
                for operand, derivative in edges:
                    grads[operand] = grads.get(operand, 0.0) + derivative * g

        current_tape().append(push)
        return out

    def __add__(self, other):
        if isinstance(other, Var):
            return self._to(self.data + other.data, (self, 1.0), (other, 1.0))
        return self._to(self.data + other, (self, 1.0))

    def __mul__(self, other):
        if isinstance(other, Var):
            return self._to(self.data * other.data, (self, other.data), (other, self.data))
        return self._to(self.data * other, (self, other))

    def __pow__(self, n):
        return self._to(self.data**n, (self, n * self.data ** (n - 1)))

    def __neg__(self):
        return self._to(-self.data, (self, -1.0))

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        if isinstance(other, Var):
            return self * other.reciprocal()
        return self * (1 / other)

    def __rtruediv__(self, other):
        return self.reciprocal() * other

    def reciprocal(self):
        r = 1 / self.data
        return self._to(r, (self, -r * r))

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        y = math.exp(self.data)
        return self._to(y, (self, y))

    def log(self):
        return self._to(math.log(self.data), (self, 1 / self.data))

    def tanh(self):
        y = math.tanh(self.data)
        return self._to(y, (self, 1 - y**2))

    def relu(self):
        return self._to(max(0.0, self.data), (self, 0.0 if self.data < 0 else 1.0))

    def backward(self):
        grads = {self: 1.0}
        for push in reversed(current_tape()):
            push(grads)
        for var, g in grads.items():
            var.grad += g
"""

# --- tables of rules ------------------------------------------------------------------------------

TABLE = """\
import math
import random


def stable_sigmoid(x):
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    return math.exp(x) / (1.0 + math.exp(x))


FORWARD = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "neg": lambda a: -a,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "sigmoid": stable_sigmoid,
    "relu": lambda a: a if a > 0 else 0.0,
}

# One function of (result, operands) for each operand.
RULES = {
    "add": (lambda y, a, b: 1.0, lambda y, a, b: 1.0),
    "sub": (lambda y, a, b: 1.0, lambda y, a, b: -1.0),
    "mul": (lambda y, a, b: b, lambda y, a, b: a),
    "div": (lambda y, a, b: 1 / b, lambda y, a, b: -y / b),
    "pow": (lambda y, a, b: b * a ** (b - 1), lambda y, a, b: y * math.log(a) if a > 0 else 0.0),
    "neg": (lambda y, a: -1.0,),
    "exp": (lambda y, a: y,),
    "log": (lambda y, a: 1 / a,),
    "tanh": (lambda y, a: 1 - y**2,),
    "sigmoid": (lambda y, a: y * (1 - y),),
    "relu": (lambda y, a: 1.0 if a > 0 else 0.0,),
}


class Scalar:
    def __init__(self, data, op=None, args=()):
        self.data = float(data)
        self.op = op
        self.args = args
        self.grad = 0.0

    @staticmethod
    def make(op, *args):
        args = tuple(a if isinstance(a, Scalar) else Scalar(a) for a in args)
        return Scalar(FORWARD[op](*(a.data for a in args)), op, args)

    def __add__(self, other): return Scalar.make("add", self, other)
    def __radd__(self, other): return Scalar.make("add", other, self)
    def __sub__(self, other): return Scalar.make("sub", self, other)
    def __rsub__(self, other): return Scalar.make("sub", other, self)
    def __mul__(self, other): return Scalar.make("mul", self, other)
    def __rmul__(self, other): return Scalar.make("mul", other, self)
    def __truediv__(self, other): return Scalar.make("div", self, other)
    def __rtruediv__(self, other): return Scalar.make("div", other, self)
    def __pow__(self, other): return Scalar.make("pow", self, other)
    def __rpow__(self, other): return Scalar.make("pow", other, self)
    def __neg__(self): return Scalar.make("neg", self)

    def exp(self): return Scalar.make("exp", self)
    def log(self): return Scalar.make("log", self)
    def tanh(self): return Scalar.make("tanh", self)
    def sigmoid(self): return Scalar.make("sigmoid", self)
    def relu(self): return Scalar.make("relu", self)

    def backward(self):
        # Kahn: a node is ready when all that use it are done.
        pending = {}
        found = [self]
        for s in found:
            for a in s.args:
                if a in pending:
                    pending[a] += 1
                else:
                    pending[a] = 1
                    found.append(a)
        for s in found:
            if s.op is not None:
                s.grad = 0.0
        self.grad = self.grad + 1.0 if self.op is None else 1.0
        ready = [self]
        for s in ready:
            if s.op is None:
                continue
            values = [a.data for a in s.args]
            for a, rule in zip(s.args, RULES[s.op]):
                a.grad += rule(s.data, *values) * s.grad
                pending[a] -= 1
                if not pending[a]:
                    ready.append(a)
"""

# --- other orders ---------------------------------------------------------------------------------

# The newest node first, by the number of its creation.
HEAP = """\
import heapq
import itertools
import math
import random

counter = itertools.count()


class Value:
    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents
        self.index = next(counter)

    def __add__(self, other):
        other = Value.of(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = Value.of(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __sub__(self, other):
        other = Value.of(other)
        return Value(self.data - other.data, ((self, 1.0), (other, -1.0)))

    def __truediv__(self, other):
        other = Value.of(other)
        return Value(
            self.data / other.data,
            ((self, 1 / other.data), (other, -self.data / other.data**2)),
        )

    def __pow__(self, n):
        return Value(self.data**n, ((self, n * self.data ** (n - 1)),))

    def __neg__(self):
        return Value(-self.data, ((self, -1.0),))

    def __radd__(self, other):
        return Value.of(other) + self

    def __rmul__(self, other):
        return Value.of(other) * self

    def __rsub__(self, other):
        return Value.of(other) - self

    def __rtruediv__(self, other):
        return Value.of(other) / self

    @staticmethod
    def of(x):
        if isinstance(x, Value):
            return x
        return Value(x)

    def exp(self):
        e = math.exp(self.data)
        return Value(e, ((self, e),))

    def log(self):
        return Value(math.log(self.data), ((self, 1 / self.data),))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, ((self, 1 - t * t),))

    def relu(self):
        if self.data > 0:
            return Value(self.data, ((self, 1.0),))
        return Value(0.0, ((self, 0.0),))

    def backward(self):
        pending = {self.index: 1.0}
        queue = [(-self.index, self)]
        while queue:
            _, v = heapq.heappop(queue)
            g = pending.pop(v.index)
            v.grad += g
            for parent, slope in v.parents:
                if parent.index in pending:
                    pending[parent.index] += slope * g
                else:
                    pending[parent.index] = slope * g
                    heapq.heappush(queue, (-parent.index, parent))
"""

# Nodes sorted by their distance from the leaves.
LEVELS = """\
import math
import random


class Value:
    def __init__(self, data, children=(), slopes=()):
        self.data = data
        self.grad = 0.0
        self.children = frozenset(children)
        self.edges = tuple(zip(children, slopes))
        self.level = 1 + max((c.level for c in children), default=0)

    def _value(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value._value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        other = Value._value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -1 * Value._value(other)

    def __rsub__(self, other):
        return Value._value(other) - self

    def __truediv__(self, other):
        return self * Value._value(other) ** -1

    def __rtruediv__(self, other):
        return Value._value(other) * self**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def exp(self):
        y = math.exp(self.data)
        return Value(y, (self,), (y,))

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, (self,), (1 - y**2,))

    def sigmoid(self):
        return ((self * 0.5).tanh() + 1) * 0.5

    def relu(self):
        slope = 1.0 if self.data > 0 else 0.5 if self.data == 0 else 0.0
        return Value(max(self.data, 0), (self,), (slope,))

    def backward(self):
        nodes = {self}
        todo = [self]
        while todo:
            for child in todo.pop().children:
                if child not in nodes:
                    nodes.add(child)
                    todo.append(child)
        self.grad = 1.0
        for v in sorted(nodes, key=lambda v: v.level, reverse=True):
            for child, slope in v.edges:
                child.grad += slope * v.grad
"""

# Each node counts those that use it; the last one to report starts it.
COUNTS = """\
import math
import random


class Variable:
    def __init__(self, data, args=(), derivs=()):
        self.data = float(data)
        self.args = list(args)
        self.derivs = list(derivs)
        self.grad = 0.0
        self.users = 0

    def __add__(self, rhs):
        rhs = variable(rhs)
        return Variable(self.data + rhs.data, [self, rhs], [1.0, 1.0])

    def __sub__(self, rhs):
        rhs = variable(rhs)
        return Variable(self.data - rhs.data, [self, rhs], [1.0, -1.0])

    def __mul__(self, rhs):
        rhs = variable(rhs)
        return Variable(self.data * rhs.data, [self, rhs], [rhs.data, self.data])

    def __truediv__(self, rhs):
        rhs = variable(rhs)
        result = self.data / rhs.data
        return Variable(result, [self, rhs], [1.0 / rhs.data, -result / rhs.data])

    def __pow__(self, p):
        if isinstance(p, Variable):
            return (p * self.log()).exp()
        return Variable(self.data**p, [self], [p * self.data ** (p - 1)])

    def __neg__(self):
        return Variable(-self.data, [self], [-1.0])

    def __radd__(self, lhs):
        return variable(lhs) + self

    def __rsub__(self, lhs):
        return variable(lhs) - self

    def __rmul__(self, lhs):
        return variable(lhs) * self

    def __rtruediv__(self, lhs):
        return variable(lhs) / self

    def exp(self):
        result = math.exp(self.data)
        return Variable(result, [self], [result])

    def log(self):
        return Variable(math.log(self.data), [self], [1.0 / self.data])

    def tanh(self):
        result = math.tanh(self.data)
        return Variable(result, [self], [1.0 - result**2])

    def sigmoid(self):
        result = 0.5 * (math.tanh(0.5 * self.data) + 1.0)
        return Variable(result, [self], [result * (1.0 - result)])

    def relu(self):
        return Variable(max(0.0, self.data), [self], [1.0 if self.data >= 0 else 0.0])

    def backward(self):
        found = [self]
        self.users = 0
        seen = {id(self)}
        for node in found:
            for arg in node.args:
                if id(arg) not in seen:
                    seen.add(id(arg))
                    arg.users = 0
                    found.append(arg)
                arg.users += 1
        for node in found:
            if node.args:
                node.grad = 0.0
        self._receive(1.0)

    def _receive(self, grad):
        todo = [(self, grad)]
        while todo:
            node, g = todo.pop()
            node.grad += g
            node.users -= 1
            if node.users <= 0:
                todo.extend((a, d * node.grad) for a, d in zip(node.args, node.derivs))


def variable(x):
    return x if isinstance(x, Variable) else Variable(x)
"""

# The gradient of a node is asked of those that use it, and remembered.
PULL = """\
import math
import random


class Value:
    def __init__(self, data, operands=()):
        self.data = float(data)
        self.operands = operands
        self.grad = 0.0

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)])

    def __pow__(self, n):
        return Value(self.data**n, [(self, n * self.data ** (n - 1))])

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return self**-1 * other

    __radd__ = __add__
    __rmul__ = __mul__

    def exp(self):
        y = math.exp(self.data)
        return Value(y, [(self, y)])

    def log(self):
        return Value(math.log(self.data), [(self, 1 / self.data)])

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, [(self, 1 - y * y)])

    def relu(self):
        return Value(self.data * (self.data > 0), [(self, 1.0 * (self.data > 0))])

    def backward(self):
        users = {self: []}
        todo = [self]
        while todo:
            node = todo.pop()
            for operand, slope in node.operands:
                if operand not in users:
                    users[operand] = []
                    todo.append(operand)
                users[operand].append((node, slope))

        memo = {self: 1.0}

        def gradient(node):
            if node not in memo:
                memo[node] = sum(slope * gradient(user) for user, slope in users[node])
            return memo[node]

        for node in reversed(list(users)):
            node.grad += gradient(node)
"""

# Gradients live in a dictionary, and only leaves get them at the end.
DICTIONARY = """\
import math
import random


class Value:
    def __init__(self, data, parents=(), derivatives=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents
        self.derivatives = derivatives

    def __add__(self, other):
        other = make(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __sub__(self, other):
        other = make(other)
        return Value(self.data - other.data, (self, other), (1.0, -1.0))

    def __mul__(self, other):
        other = make(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __truediv__(self, other):
        other = make(other)
        inverse = 1.0 / other.data
        return Value(self.data * inverse, (self, other), (inverse, -self.data * inverse**2))

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def __neg__(self):
        return Value(-self.data, (self,), (-1.0,))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return make(other) - self

    def __rtruediv__(self, other):
        return make(other) / self

    def exp(self):
        result = math.exp(self.data)
        return Value(result, (self,), (result,))

    def log(self):
        return Value(math.log(self.data), (self,), (1.0 / self.data,))

    def tanh(self):
        result = math.tanh(self.data)
        return Value(result, (self,), (1.0 - result * result,))

    def sigmoid(self):
        result = 0.5 * (1.0 + math.tanh(self.data / 2))
        return Value(result, (self,), (result * (1.0 - result),))

    def relu(self):
        positive = self.data > 0
        return Value(self.data if positive else 0.0, (self,), (1.0 if positive else 0.0,))

    def topological_order(self):
        order, seen = [], set()
        stack = [self]
        while stack:
            node = stack[-1]
            if node in seen:
                stack.pop()
                continue
            missing = [p for p in node.parents if p not in seen]
            if missing:
                stack.extend(missing)
            else:
                seen.add(node)
                order.append(node)
                stack.pop()
        return order

    def backward(self):
        grads = {self: 1.0}
        for node in reversed(self.topological_order()):
            g = grads.pop(node)
            if not node.parents:
                node.grad += g
            for parent, derivative in zip(node.parents, node.derivatives):
                grads[parent] = grads.get(parent, 0.0) + derivative * g


def make(x):
    return x if isinstance(x, Value) else Value(x)
"""

# The numbers themselves live in lists; a Value is an index into them.
INDICES = """\
import math
import random

DATA, GRAD, EDGES = [], [], []


class Value:
    def __init__(self, data, edges=()):
        self.i = len(DATA)
        DATA.append(float(data))
        GRAD.append(0.0)
        EDGES.append(edges)

    @property
    def data(self):
        return DATA[self.i]

    @data.setter
    def data(self, number):
        DATA[self.i] = number

    @property
    def grad(self):
        return GRAD[self.i]

    @grad.setter
    def grad(self, number):
        GRAD[self.i] = number

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data + other.data, [(self.i, 1.0), (other.i, 1.0)])

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        return Value(self.data * other.data, [(self.i, other.data), (other.i, self.data)])

    def __pow__(self, n):
        return Value(self.data**n, [(self.i, n * self.data ** (n - 1))])

    def __neg__(self):
        return Value(-self.data, [(self.i, -1.0)])

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return Value(other) - self

    def __truediv__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        x, y = self.data, other.data
        return Value(x / y, [(self.i, 1 / y), (other.i, -x / (y * y))])

    def __rtruediv__(self, other):
        return Value(other) / self

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def exp(self):
        y = math.exp(self.data)
        return Value(y, [(self.i, y)])

    def log(self):
        return Value(math.log(self.data), [(self.i, 1 / self.data)])

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, [(self.i, 1 - y * y)])

    def sigmoid(self):
        y = 0.5 * math.tanh(0.5 * self.data) + 0.5
        return Value(y, [(self.i, y * (1 - y))])

    def relu(self):
        return Value(max(0.0, self.data), [(self.i, float(self.data > 0))])

    def backward(self):
        grads = [0.0] * (self.i + 1)
        grads[self.i] = 1.0
        for i in range(self.i, -1, -1):
            g = grads[i]
            if g == 0.0:
                continue
            GRAD[i] += g
            for j, slope in EDGES[i]:
                grads[j] += slope * g
"""

# --- other ways to write the class ----------------------------------------------------------------

SLOTS = """\
import math
import random
import weakref


class Node:
    __slots__ = ("data", "grad", "_prev", "_backward", "__weakref__")
    __array_priority__ = 1000

    def __init__(self, data, _prev=()):
        self.data = float(data)
        self.grad = 0.0
        self._prev = _prev
        self._backward = None

    def __float__(self):
        return self.data

    def __lt__(self, other):
        return self.data < float(other)

    def __gt__(self, other):
        return self.data > float(other)

    def __abs__(self):
        return -self if self < 0 else self

    def __add__(self, other):
        other = other if isinstance(other, Node) else Node(other)
        out = Node(self.data + other.data, (self, other))
        ref = weakref.ref(out)

        def _backward():
            g = ref().grad
            self.grad += g
            other.grad += g

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Node) else Node(other)
        out = Node(self.data * other.data, (self, other))
        ref = weakref.ref(out)

        def _backward():
            g = ref().grad
            self.grad += g * other.data
            other.grad += g * self.data

        out._backward = _backward
        return out

    def __pow__(self, n):
        out = Node(self.data**n, (self,))
        ref = weakref.ref(out)

        def _backward():
            self.grad += ref().grad * n * self.data ** (n - 1)

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __truediv__(self, other):
        return self * other**-1.0

    def __rtruediv__(self, other):
        return self**-1.0 * other

    __radd__ = __add__
    __rmul__ = __mul__

    def _elementwise(self, y, slope):
        out = Node(y, (self,))
        ref = weakref.ref(out)

        def _backward():
            self.grad += ref().grad * slope

        out._backward = _backward
        return out

    def exp(self):
        e = math.exp(self)
        return self._elementwise(e, e)

    def log(self):
        return self._elementwise(math.log(self.data), 1 / self.data)

    def tanh(self):
        t = math.tanh(self)
        return self._elementwise(t, 1 - t * t)

    def relu(self):
        return self._elementwise(max(self.data, 0.0), 0.0 if self.data <= 0 else 1.0)

    def backward(self):
        order = []
        seen = {self}
        stack = [(self, iter(self._prev))]
        while stack:
            node, children = stack[-1]
            child = next(children, None)
            if child is None:
                order.append(node)
                stack.pop()
            elif child not in seen:
                seen.add(child)
                stack.append((child, iter(child._prev)))
        self.grad = 1.0
        for node in reversed(order):
            if node._backward is not None:
                node._backward()
"""

DATACLASS = """\
from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

sys.setrecursionlimit(50_000)


@dataclass(eq=False)
class Var:
    data: float
    grad: float = 0.0
    parents: tuple[Var, ...] = field(default=(), repr=False)
    push: Callable[[float], None] = field(default=lambda g: None, repr=False)

    def __add__(self, other: Var | float) -> Var:
        other = var(other)

        def push(g: float) -> None:
            self.grad += g
            other.grad += g

        return Var(self.data + other.data, parents=(self, other), push=push)

    def __mul__(self, other: Var | float) -> Var:
        other = var(other)

        def push(g: float) -> None:
            self.grad += g * other.data
            other.grad += g * self.data

        return Var(self.data * other.data, parents=(self, other), push=push)

    def __truediv__(self, other: Var | float) -> Var:
        other = var(other)

        def push(g: float) -> None:
            self.grad += g / other.data
            other.grad -= g * self.data / other.data**2

        return Var(self.data / other.data, parents=(self, other), push=push)

    def __pow__(self, n: float) -> Var:
        def push(g: float) -> None:
            self.grad += g * n * self.data ** (n - 1)

        return Var(self.data**n, parents=(self,), push=push)

    def __neg__(self) -> Var:
        def push(g: float) -> None:
            self.grad -= g

        return Var(-self.data, parents=(self,), push=push)

    def __sub__(self, other: Var | float) -> Var:
        other = var(other)

        def push(g: float) -> None:
            self.grad += g
            other.grad -= g

        return Var(self.data - other.data, parents=(self, other), push=push)

    def __radd__(self, other: float) -> Var:
        return var(other) + self

    def __rmul__(self, other: float) -> Var:
        return var(other) * self

    def __rsub__(self, other: float) -> Var:
        return var(other) - self

    def __rtruediv__(self, other: float) -> Var:
        return var(other) / self

    def exp(self) -> Var:
        y = math.exp(self.data)

        def push(g: float) -> None:
            self.grad += g * y

        return Var(y, parents=(self,), push=push)

    def log(self) -> Var:
        def push(g: float) -> None:
            self.grad += g / self.data

        return Var(math.log(self.data), parents=(self,), push=push)

    def tanh(self) -> Var:
        y = math.tanh(self.data)

        def push(g: float) -> None:
            self.grad += g * (1 - y * y)

        return Var(y, parents=(self,), push=push)

    def relu(self) -> Var:
        def push(g: float) -> None:
            if self.data > 0:
                self.grad += g

        return Var(max(0.0, self.data), parents=(self,), push=push)

    def backward(self) -> None:
        order: list[Var] = []
        seen: set[int] = set()

        def visit(v: Var) -> None:
            if id(v) in seen:
                return
            seen.add(id(v))
            for parent in v.parents:
                visit(parent)
            order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v.push(v.grad)


def var(x: Var | float) -> Var:
    return x if isinstance(x, Var) else Var(float(x))
"""

# No gradient before the first backward, and none of inner nodes from an earlier one.
NONE = """\
import math
import random


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = None
        self.parents = []

    def receive(self, g):
        if self.grad is None:
            self.grad = g
        else:
            self.grad = self.grad + g

    def link(self, *pairs):
        self.parents = list(pairs)
        return self

    def __add__(self, other):
        if not isinstance(other, Value):
            return Value(self.data + other).link((self, 1))
        return Value(self.data + other.data).link((self, 1), (other, 1))

    def __sub__(self, other):
        if not isinstance(other, Value):
            return Value(self.data - other).link((self, 1))
        return Value(self.data - other.data).link((self, 1), (other, -1))

    def __mul__(self, other):
        if not isinstance(other, Value):
            return Value(self.data * other).link((self, other))
        return Value(self.data * other.data).link((self, other.data), (other, self.data))

    def __truediv__(self, other):
        if not isinstance(other, Value):
            return Value(self.data / other).link((self, 1 / other))
        q = self.data / other.data
        return Value(q).link((self, 1 / other.data), (other, -q / other.data))

    def __rsub__(self, other):
        return Value(other - self.data).link((self, -1))

    def __rtruediv__(self, other):
        return Value(other / self.data).link((self, -other / self.data ** 2))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return Value(-self.data).link((self, -1))

    def __pow__(self, n):
        return Value(self.data ** n).link((self, n * self.data ** (n - 1)))

    def exp(self):
        y = math.exp(self.data)
        return Value(y).link((self, y))

    def log(self):
        return Value(math.log(self.data)).link((self, 1 / self.data))

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y).link((self, 1 - y * y))

    def sigmoid(self):
        if self.data < 0:
            e = math.exp(self.data)
            y = e / (1 + e)
        else:
            y = 1 / (1 + math.exp(-self.data))
        return Value(y).link((self, y * (1 - y)))

    def relu(self):
        if self.data > 0:
            return Value(self.data).link((self, 1))
        return Value(0).link((self, 0))

    def backward(self):
        order, state, stack = [], {}, [self]
        while stack:
            v = stack[-1]
            if id(v) not in state:
                state[id(v)] = "open"
                stack.extend(p for p, _ in v.parents if id(p) not in state)
            else:
                stack.pop()
                if state[id(v)] == "open":
                    state[id(v)] = "closed"
                    order.append(v)
        for v in order:
            if v.parents:
                v.grad = None
        self.receive(1.0)
        for v in reversed(order):
            for p, d in v.parents:
                p.receive(d * v.grad)
"""

# Every backward begins with zeros in the whole graph.
RESET = """\
import math
import random


class Value:
    def __init__(self, data, prev=()):
        self.data = float(data)
        self.grad = 0.0
        self._prev = tuple(prev)
        self._grad_fn = None

    def __add__(self, other):
        other = ensure_value(other)
        out = Value(self.data + other.data, (self, other))
        out._grad_fn = lambda g: (g, g)
        return out

    def __sub__(self, other):
        other = ensure_value(other)
        out = Value(self.data - other.data, (self, other))
        out._grad_fn = lambda g: (g, -g)
        return out

    def __mul__(self, other):
        other = ensure_value(other)
        out = Value(self.data * other.data, (self, other))
        out._grad_fn = lambda g: (g * other.data, g * self.data)
        return out

    def __truediv__(self, other):
        other = ensure_value(other)
        out = Value(self.data / other.data, (self, other))
        out._grad_fn = lambda g: (g / other.data, -g * self.data / (other.data * other.data))
        return out

    def __pow__(self, k):
        out = Value(self.data ** k, (self,))
        out._grad_fn = lambda g: (g * k * self.data ** (k - 1),)
        return out

    def __neg__(self):
        out = Value(-self.data, (self,))
        out._grad_fn = lambda g: (-g,)
        return out

    def __radd__(self, other):
        return ensure_value(other).__add__(self)

    def __rsub__(self, other):
        return ensure_value(other).__sub__(self)

    def __rmul__(self, other):
        return ensure_value(other).__mul__(self)

    def __rtruediv__(self, other):
        return ensure_value(other).__truediv__(self)

    def exp(self):
        out = Value(math.exp(self.data), (self,))
        out._grad_fn = lambda g: (g * out.data,)
        return out

    def log(self):
        out = Value(math.log(self.data), (self,))
        out._grad_fn = lambda g: (g / self.data,)
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))
        out._grad_fn = lambda g: (g * (1 - out.data ** 2),)
        return out

    def sigmoid(self):
        z = math.exp(-abs(self.data))
        out = Value(1 / (1 + z) if self.data >= 0 else z / (1 + z), (self,))
        out._grad_fn = lambda g: (g * out.data * (1 - out.data),)
        return out

    def relu(self):
        out = Value(max(self.data, 0), (self,))
        out._grad_fn = lambda g: (g if self.data > 0 else 0.0,)
        return out

    def backward(self):
        order = []
        visited = set()
        stack = [(self, 0)]
        while stack:
            node, i = stack.pop()
            if i == 0 and node in visited:
                continue
            visited.add(node)
            if i < len(node._prev):
                stack.append((node, i + 1))
                stack.append((node._prev[i], 0))
            else:
                order.append(node)

        for node in order:
            node.grad = 0.0
        self.grad = 1.0
        for node in order[::-1]:
            if node._grad_fn is not None:
                for parent, g in zip(node._prev, node._grad_fn(node.grad)):
                    parent.grad += g


def ensure_value(x):
    if isinstance(x, Value):
        return x
    return Value(x)
"""

# Functions instead of methods, and `value` instead of `data`.
FREE = """\
import math
import random


class Var:
    def __init__(self, value, inputs=(), rule=None):
        self.value = value
        self.grad = 0.0
        self.inputs = inputs
        self.rule = rule

    def __add__(self, other):
        return add(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __sub__(self, other):
        return add(self, neg(other))

    def __rsub__(self, other):
        return add(other, neg(self))

    def __mul__(self, other):
        return mul(self, other)

    def __rmul__(self, other):
        return mul(other, self)

    def __truediv__(self, other):
        return mul(self, inv(other))

    def __rtruediv__(self, other):
        return mul(other, inv(self))

    def __pow__(self, n):
        return power(self, n)

    def __neg__(self):
        return neg(self)

    def backward(self):
        backward(self)


def as_var(x):
    return x if isinstance(x, Var) else Var(x)


def add(x, y):
    x, y = as_var(x), as_var(y)
    return Var(x.value + y.value, (x, y), lambda g: (g, g))


def mul(x, y):
    x, y = as_var(x), as_var(y)
    return Var(x.value * y.value, (x, y), lambda g: (g * y.value, g * x.value))


def neg(x):
    x = as_var(x)
    return Var(-x.value, (x,), lambda g: (-g,))


def inv(x):
    x = as_var(x)
    return Var(1 / x.value, (x,), lambda g: (-g / x.value**2,))


def power(x, n):
    return Var(x.value**n, (x,), lambda g: (g * n * x.value ** (n - 1),))


def exp(x):
    y = math.exp(x.value)
    return Var(y, (x,), lambda g: (g * y,))


def log(x):
    return Var(math.log(x.value), (x,), lambda g: (g / x.value,))


def tanh(x):
    y = math.tanh(x.value)
    return Var(y, (x,), lambda g: (g * (1 - y * y),))


def sigmoid(x):
    y = 0.5 * (1 + math.tanh(x.value / 2))
    return Var(y, (x,), lambda g: (g * y * (1 - y),))


def relu(x):
    return Var(max(0.0, x.value), (x,), lambda g: (g if x.value > 0 else 0.0,))


def toposort(root):
    count = {root: 0}
    stack = [root]
    while stack:
        for x in stack.pop().inputs:
            if x in count:
                count[x] += 1
            else:
                count[x] = 1
                stack.append(x)
    ready = [root]
    while ready:
        node = ready.pop()
        yield node
        for x in node.inputs:
            count[x] -= 1
            if count[x] == 0:
                ready.append(x)


def backward(root):
    nodes = list(toposort(root))
    for node in nodes:
        if node.inputs:
            node.grad = 0.0
    root.grad = 1.0
    for node in nodes:
        if node.rule is not None:
            for x, g in zip(node.inputs, node.rule(node.grad)):
                x.grad += g
"""

# Type hints everywhere, Values as exponents, every operator a primitive.
TYPED = """\
from __future__ import annotations

import math
import random
from typing import Callable, Iterable, Sequence, Union

Number = Union[int, float]
Operand = Union["Value", int, float]


def noop() -> None:
    return None


class Value:
    data: float
    grad: float

    def __init__(self, data: Number, children: Iterable[Value] = ()) -> None:
        self.data = float(data)
        self.grad = 0.0
        self._prev: tuple[Value, ...] = tuple(children)
        self._backward: Callable[[], None] = noop

    @classmethod
    def _cast(cls, x: Operand) -> Value:
        return x if isinstance(x, cls) else cls(x)

    def __add__(self, other: Operand) -> Value:
        rhs = self._cast(other)
        out = Value(self.data + rhs.data, (self, rhs))

        def backward() -> None:
            self.grad += out.grad
            rhs.grad += out.grad

        out._backward = backward
        return out

    def __sub__(self, other: Operand) -> Value:
        rhs = self._cast(other)
        out = Value(self.data - rhs.data, (self, rhs))

        def backward() -> None:
            self.grad += out.grad
            rhs.grad -= out.grad

        out._backward = backward
        return out

    def __mul__(self, other: Operand) -> Value:
        rhs = self._cast(other)
        out = Value(self.data * rhs.data, (self, rhs))

        def backward() -> None:
            self.grad += rhs.data * out.grad
            rhs.grad += self.data * out.grad

        out._backward = backward
        return out

    def __truediv__(self, other: Operand) -> Value:
        rhs = self._cast(other)
        out = Value(self.data / rhs.data, (self, rhs))

        def backward() -> None:
            self.grad += out.grad / rhs.data
            rhs.grad += -self.data / rhs.data**2 * out.grad

        out._backward = backward
        return out

    def __pow__(self, other: Operand) -> Value:
        if isinstance(other, Value):
            return self._power(other)
        n = other
        out = Value(self.data**n, (self,))

        def backward() -> None:
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = backward
        return out

    def _power(self, exponent: Value) -> Value:
        out = Value(self.data**exponent.data, (self, exponent))

        def backward() -> None:
            self.grad += exponent.data * self.data ** (exponent.data - 1) * out.grad
            if self.data > 0:
                exponent.grad += out.data * math.log(self.data) * out.grad

        out._backward = backward
        return out

    def __neg__(self) -> Value:
        out = Value(-self.data, (self,))

        def backward() -> None:
            self.grad += -out.grad

        out._backward = backward
        return out

    def __radd__(self, other: Number) -> Value:
        return self._cast(other) + self

    def __rsub__(self, other: Number) -> Value:
        return self._cast(other) - self

    def __rmul__(self, other: Number) -> Value:
        return self._cast(other) * self

    def __rtruediv__(self, other: Number) -> Value:
        return self._cast(other) / self

    def exp(self) -> Value:
        out = Value(math.exp(self.data), (self,))

        def backward() -> None:
            self.grad += out.data * out.grad

        out._backward = backward
        return out

    def log(self) -> Value:
        out = Value(math.log(self.data), (self,))

        def backward() -> None:
            self.grad += out.grad / self.data

        out._backward = backward
        return out

    def tanh(self) -> Value:
        out = Value(math.tanh(self.data), (self,))

        def backward() -> None:
            self.grad += (1.0 - out.data**2) * out.grad

        out._backward = backward
        return out

    def sigmoid(self) -> Value:
        out = Value(0.5 * (1.0 + math.tanh(0.5 * self.data)), (self,))

        def backward() -> None:
            self.grad += out.data * (1.0 - out.data) * out.grad

        out._backward = backward
        return out

    def relu(self) -> Value:
        out = Value(max(self.data, 0.0), (self,))

        def backward() -> None:
            self.grad += (1.0 if out.data > 0 else 0.0) * out.grad

        out._backward = backward
        return out

    def backward(self) -> None:
        order: list[Value] = []
        seen: set[Value] = {self}
        stack: list[tuple[Value, int]] = [(self, 0)]
        while stack:
            node, i = stack.pop()
            if i < len(node._prev):
                stack.append((node, i + 1))
                child = node._prev[i]
                if child not in seen:
                    seen.add(child)
                    stack.append((child, 0))
            else:
                order.append(node)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
"""

# Nothing is recorded inside `no_grad`.
NO_GRAD = """\
import math
import random


class no_grad:
    active = False

    def __enter__(self):
        self.before = no_grad.active
        no_grad.active = True

    def __exit__(self, *error):
        no_grad.active = self.before


class Value:
    def __init__(self, data, requires_grad=True):
        self.data = float(data)
        self.grad = 0.0
        self.requires_grad = requires_grad
        self.history = []

    def _result(self, number, *history):
        history = [] if no_grad.active else [(v, d) for v, d in history if v.requires_grad]
        out = Value(number, requires_grad=bool(history))
        out.history = history
        return out

    @staticmethod
    def _constant(x):
        return x if isinstance(x, Value) else Value(x, requires_grad=False)

    def __add__(self, other):
        other = self._constant(other)
        return self._result(self.data + other.data, (self, 1.0), (other, 1.0))

    def __sub__(self, other):
        other = self._constant(other)
        return self._result(self.data - other.data, (self, 1.0), (other, -1.0))

    def __mul__(self, other):
        other = self._constant(other)
        return self._result(self.data * other.data, (self, other.data), (other, self.data))

    def __truediv__(self, other):
        other = self._constant(other)
        a, b = self.data, other.data
        return self._result(a / b, (self, 1 / b), (other, -a / b**2))

    def __pow__(self, n):
        return self._result(self.data**n, (self, n * self.data ** (n - 1)))

    def __neg__(self):
        return self._result(-self.data, (self, -1.0))

    def __radd__(self, other):
        return self._constant(other) + self

    def __rsub__(self, other):
        return self._constant(other) - self

    def __rmul__(self, other):
        return self._constant(other) * self

    def __rtruediv__(self, other):
        return self._constant(other) / self

    def exp(self):
        e = math.exp(self.data)
        return self._result(e, (self, e))

    def log(self):
        return self._result(math.log(self.data), (self, 1 / self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return self._result(t, (self, 1 - t**2))

    def sigmoid(self):
        s = 0.5 * (1 + math.tanh(0.5 * self.data))
        return self._result(s, (self, s * (1 - s)))

    def relu(self):
        return self._result(max(self.data, 0.0), (self, 1.0 if self.data > 0 else 0.0))

    def backward(self):
        depth = {self: 0}
        order = []
        todo = [(self, False)]
        while todo:
            v, leave = todo.pop()
            if leave:
                order.append(v)
            elif depth.get(v) != -1:
                depth[v] = -1
                todo.append((v, True))
                for u, _ in v.history:
                    todo.append((u, False))
        grads = dict.fromkeys(order, 0.0)
        grads[self] = 1.0
        for v in reversed(order):
            for u, d in v.history:
                grads[u] += d * grads[v]
        for v, g in grads.items():
            v.grad += g


def numerical_gradient(f, x, eps=1e-5):
    with no_grad():
        saved = x.data
        x.data = saved + eps
        high = f().data
        x.data = saved - eps
        low = f().data
        x.data = saved
    return (high - low) / (2 * eps)
"""

# --- engines that are not finished ----------------------------------------------------------------

MINIMAL = """\
class Value:
    def __init__(self, data, parents=()):
        self.data = data
        self.grad = 0.0
        self.parents = parents

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __pow__(self, n):
        return Value(self.data**n, ((self, n * self.data ** (n - 1)),))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + other * -1

    def __truediv__(self, other):
        return self * other**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return self * -1 + other

    def __rtruediv__(self, other):
        return self**-1 * other

    def backward(self):
        order = []
        seen = set()

        def visit(v):
            if v in seen:
                return
            seen.add(v)
            for parent, _ in v.parents:
                visit(parent)
            order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for parent, slope in v.parents:
                parent.grad += slope * v.grad
"""

BEGUN = """\
class Scalar:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.sources = []

    def __add__(self, other):
        if not isinstance(other, Scalar):
            other = Scalar(other)
        out = Scalar(self.data + other.data)
        out.sources = [(self, 1.0), (other, 1.0)]
        return out

    def __mul__(self, other):
        if not isinstance(other, Scalar):
            other = Scalar(other)
        out = Scalar(self.data * other.data)
        out.sources = [(self, other.data), (other, self.data)]
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        waiting = {}
        nodes = [self]
        for node in nodes:
            for source, _ in node.sources:
                if source not in waiting:
                    waiting[source] = 0
                    nodes.append(source)
                waiting[source] += 1
        self.grad = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            for source, slope in node.sources:
                source.grad += slope * node.grad
                waiting[source] -= 1
                if waiting[source] == 0:
                    ready.append(source)
"""

SOFTMAX = """

def softmax(values):
    top = max(v.data for v in values)
    exps = [(v - top).exp() for v in values]
    total = sum(exps)
    return [e / total for e in exps]


def cross_entropy(logits, target):
    return -softmax(logits)[target].log()


def binary_cross_entropy(p, y):
    return -(y * p.log() + (1 - y) * (1 - p).log())
"""


def fitted(part: str, kind: str, attribute: str = "data", methods: bool = True) -> str:
    """Return a part in the names of an engine: its class, its number, functions for methods."""
    part = re.sub(r"\bValue\b", kind, part)
    part = re.sub(r"\.data\b", f".{attribute}", part)
    return part if methods else re.sub(r"\b(\w+)\.(tanh|relu|sigmoid)\(\)", r"\2(\1)", part)


def replaced(text: str, *edits: tuple[str, str]) -> str:
    """Return a text with each old piece, which stands in it once, replaced by its new one."""
    for old, new in edits:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} stands in the text {text.count(old)} times, not once.")
        text = text.replace(old, new)
    return text


NETS = {"plain": NET_PLAIN, "module": NET_MODULE, "listed": NET_LISTED, "scaled": NET_SCALED}


def built(
    name: str, core: str, net: str = "", numerical: str = "", train: str = "", **fields: object
) -> Engine:
    """Return an engine made of a core and its parts."""
    kind, attribute = str(fields.get("kind", "Value")), str(fields.get("attribute", "data"))
    parts = [NETS[net] if net else "", numerical, train]
    fit = "".join(
        fitted(part, kind, attribute, bool(fields.get("methods", True))) for part in parts
    )
    has = [word for word, part in zip(("net", "numerical", "train"), parts, strict=True) if part]
    if "def numerical_gradient" in core:
        has.append("numerical")
    fields.setdefault("layer", "list" if net == "listed" else "one")
    fields.setdefault("last", "linear" if net in ("module", "scaled") else "active")
    return Engine(name, core + fit, parts=frozenset(has), **fields)  # type: ignore[arg-type]


DEEP = frozenset({11})
NO_SIGMOID = FUNCTIONS - {"sigmoid"}
ZERO_NONE = ("            p.grad = 0.0\n", "            p.grad = None\n")
RAISED = replaced(
    CLOSURES, ("import random\n", "import random\nimport sys\n\nsys.setrecursionlimit(100_000)\n")
)
ORDERED = replaced(RAISED, ("set(_children)", "list(_children)"), ("reversed(topo)", "topo[::-1]"))
FREED = replaced(
    HELPER,
    ("node.pull(node.grad)\n", "node.pull(node.grad)\n            node.pull = None\n"
     "            node.inputs = ()\n"),
)  # fmt: skip
FROZEN = replaced(RAISED, ("set(_children)", "frozenset(_children)"))
NO_ZERO_TORCH = fitted(
    replaced(NET_PLAIN, ZERO_NONE) + NUMERICAL
    + replaced(TRAIN, ("p.data -= lr * p.grad", "p.data -= lr * (p.grad or 0.0)")),
    "Tensor",
)  # fmt: skip
PARTS_OF_NO_GRAD = replaced(
    NET_SCALED + TRAIN_MEAN,
    ("        for p in params:\n            p.data = p.data - lr * p.grad\n",
     "        with no_grad():\n            for p in params:\n"
     "                p.data = p.data - lr * p.grad\n"),
)  # fmt: skip

ALL = (
    built("closures", CLOSURES, "plain", NUMERICAL, TRAIN, limits=DEEP),
    built("closures_raised", RAISED, "scaled", NUMERICAL_FINALLY, TRAIN_MEAN),
    built("closures_ordered", ORDERED, "listed", NUMERICAL, TRAIN_LISTED),
    built("closures_frozen", FROZEN + SOFTMAX, "module", NUMERICAL, TRAIN_SGD),
    built(
        "course", COURSE, "plain", "", TRAIN,
        functions=frozenset({"exp", "tanh"}), limits=DEEP, findings=frozenset({10}),
    ),
    built("micrograd", MICROGRAD, "module", functions=frozenset({"relu"}), limits=DEEP),
    built("helper", HELPER, "scaled", NUMERICAL, TRAIN_MOMENTUM),
    built("freed", FREED, "plain", NUMERICAL_FINALLY, TRAIN_MEAN, second="once"),
    built("classes", CLASSES, "plain", NUMERICAL, TRAIN),
    Engine(
        "torchlike", TORCHLIKE + NO_ZERO_TORCH, kind="Tensor", functions=NO_SIGMOID, second="once",
        empty=None, inner=False,
    ),
    built("subclasses", SUBCLASSES, "module", NUMERICAL, TRAIN_MEAN, kind="Node"),
    built("tape", TAPE, "plain", NUMERICAL, TRAIN, second="once"),
    built(
        "threads", THREADS, "listed", NUMERICAL, TRAIN_LISTED,
        kind="Var", functions=NO_SIGMOID, second="adds", at_zero=1.0,
    ),
    built("table", TABLE, "scaled", NUMERICAL, TRAIN_MOMENTUM, kind="Scalar", second="adds"),
    built("heap", HEAP, "plain", NUMERICAL_FINALLY, TRAIN_SGD, functions=NO_SIGMOID, second="adds"),
    built(
        "levels", LEVELS, "module", NUMERICAL, TRAIN_MEAN,
        functions=FUNCTIONS - {"log"}, at_zero=0.5,
    ),
    built(
        "counts", COUNTS, "listed", "", TRAIN_LISTED,
        kind="Variable", second="adds", at_zero=1.0,
    ),
    built(
        "pull", PULL, "plain", NUMERICAL, TRAIN_MEAN,
        functions=NO_SIGMOID, second="adds", limits=DEEP,
    ),
    built("dictionary", DICTIONARY, "scaled", NUMERICAL, TRAIN, second="adds", inner=False),
    built("indices", INDICES, "listed", NUMERICAL, TRAIN_LISTED, second="adds"),
    built(
        "slots", SLOTS, "module", NUMERICAL_FINALLY, TRAIN_SGD,
        kind="Node", functions=NO_SIGMOID,
    ),
    built("dataclass", DATACLASS, "plain", NUMERICAL, TRAIN_MEAN, kind="Var", functions=NO_SIGMOID),
    Engine(
        "none", NONE + replaced(NET_PLAIN, ZERO_NONE) + NUMERICAL + TRAIN, second="adds", empty=None
    ),
    built("reset", RESET, "scaled", NUMERICAL_FINALLY, TRAIN_MOMENTUM, second="replaces"),
    built(
        "free", FREE, "plain", NUMERICAL, TRAIN,
        kind="Var", attribute="value", methods=False, second="adds",
    ),
    built("typed", TYPED, "module", NUMERICAL, TRAIN),
    Engine(
        "no_grad", NO_GRAD + PARTS_OF_NO_GRAD, second="adds", last="linear",
    ),
    built("minimal", MINIMAL, functions=frozenset(), limits=DEEP),
    built("begun", BEGUN, kind="Scalar", operators=frozenset({"+", "*"}), functions=frozenset()),
)  # fmt: skip

ENGINES = {engine.name: engine for engine in ALL}
