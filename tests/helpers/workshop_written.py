"""An engine as a person writes it, part after part, with four mistakes to fix on the way."""

from __future__ import annotations

__all__ = ["FIXES", "PARTS"]

PARTS = {
    "operators": """\
import math
import random


class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        out = Value(self.data ** n, (self,))

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other ** -1
""",
    "numbers on either side": """\
    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return Value(other) - self

    def __rtruediv__(self, other):
        return Value(other) / self
""",
    "backward": """\
    def backward(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack += [(child, False) for child in node._prev]
        self.grad = 1.0
        for node in order:
            node._backward()
""",
    "functions": """\
    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def _backward():
            self.grad = out.data * out.grad

        out._backward = _backward
        return out

    def log(self):
        out = Value(math.log(self.data), (self,))

        def _backward():
            self.grad += out.grad / self.data

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def _backward():
            self.grad += (1 - self.data ** 2) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(max(self.data, 0.0), (self,))

        def _backward():
            self.grad += (self.data > 0) * out.grad

        out._backward = _backward
        return out
""",
    "neurons and training": """\
def numerical_gradient(f, x, eps=1e-5):
    kept = x.data
    x.data = kept + eps
    above = f().data
    x.data = kept - eps
    below = f().data
    x.data = kept
    return (above - below) / (2 * eps)


class Neuron:
    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0.0)

    def __call__(self, x):
        return sum((w * a for w, a in zip(self.w, x)), self.b).tanh()

    def parameters(self):
        return self.w + [self.b]


class Layer:
    def __init__(self, nin, nout):
        self.neurons = [Neuron(nin) for _ in range(nout)]

    def __call__(self, x):
        return [neuron(x) for neuron in self.neurons]

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    def __init__(self, nin, nouts):
        sizes = [nin] + nouts
        self.layers = [Layer(a, b) for a, b in zip(sizes, nouts)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x[0] if len(x) == 1 else x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0.0


def train(model, xs, ys, steps=100, lr=0.1):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        loss.backward()
        for p in model.parameters():
            p.data -= lr * p.grad
        losses.append(loss.data)
    return losses
""",
    "XOR": """\
random.seed(1)
model = MLP(2, [4, 1])
xs, ys = [[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1]
losses = train(model, xs, ys, steps=300, lr=0.1)
print("XOR", [round(model(x).data) for x in xs], losses[-1] < 0.05)
""",
}
"""The parts of the file, in the order in which they are written."""

FIXES = {
    "for node in order:": "for node in reversed(order):",
    "self.grad = out.data * out.grad": "self.grad += out.data * out.grad",
    "(1 - self.data ** 2) * out.grad": "(1 - out.data ** 2) * out.grad",
    "        loss.backward()": "        model.zero_grad()\n        loss.backward()",
}
"""What is wrong in the parts, and what is right."""
