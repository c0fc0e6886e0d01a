"""The baseline of the measurements: the fastest scalar autograd in plain Python we could write.

Slots instead of a dict, local gradients stored as floats instead of closures, no reference cycles,
and a backward pass without recursion. `Adam` is the textbook loop over such scalars.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Value:
    """A float, its operands, and its partial derivative with respect to each of them."""

    __slots__ = ("data", "grad", "operands", "partials")

    def __init__(
        self,
        data: float,
        operands: tuple[Value, ...] = (),
        partials: tuple[float, ...] = (),
    ) -> None:
        self.data, self.grad, self.operands, self.partials = data, 0.0, operands, partials

    def __add__(self, other: Value | float) -> Value:
        if isinstance(other, Value):
            return Value(self.data + other.data, (self, other), (1.0, 1.0))
        return Value(self.data + other, (self,), (1.0,))

    def __sub__(self, other: Value | float) -> Value:
        if isinstance(other, Value):
            return Value(self.data - other.data, (self, other), (1.0, -1.0))
        return Value(self.data - other, (self,), (1.0,))

    def __mul__(self, other: Value | float) -> Value:
        if isinstance(other, Value):
            a, b = self.data, other.data
            return Value(a * b, (self, other), (b, a))
        return Value(self.data * other, (self,), (other,))

    def __truediv__(self, other: Value | float) -> Value:
        if isinstance(other, Value):
            b = other.data
            y = self.data / b
            return Value(y, (self, other), (1.0 / b, -y / b))
        return Value(self.data / other, (self,), (1.0 / other,))

    def __pow__(self, n: float) -> Value:
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def __neg__(self) -> Value:
        return Value(-self.data, (self,), (-1.0,))

    def __rsub__(self, other: float) -> Value:
        return Value(other - self.data, (self,), (-1.0,))

    def __rtruediv__(self, other: float) -> Value:
        y = other / self.data
        return Value(y, (self,), (-y / self.data,))

    __radd__, __rmul__ = __add__, __mul__

    def exp(self) -> Value:
        """Return e to the power of x."""
        y = math.exp(self.data)
        return Value(y, (self,), (y,))

    def log(self) -> Value:
        """Return the natural logarithm of x."""
        return Value(math.log(self.data), (self,), (1.0 / self.data,))

    def relu(self) -> Value:
        """Return x if it is positive, else 0."""
        return Value(self.data, (self,), (1.0,)) if self.data > 0.0 else Value(0.0, (self,), (0.0,))

    def backward(self) -> None:
        """Add ∂self/∂node to every node's ``grad``, the last node first."""
        self.grad = 1.0
        for node in reversed(_sorted(self)):
            gradient = node.grad
            for operand, partial in zip(node.operands, node.partials):  # noqa: B905  (speed)
                operand.grad += partial * gradient


def _sorted(root: Value) -> list[Value]:
    """Return all computed nodes under ``root``, operands before the nodes computed from them.

    ``None`` on the stack marks that all nodes under the node below it are in the result.
    """
    order: list[Value] = []
    seen: set[Value] = set()
    stack: list[Any] = [root]
    pop, push, note, place = stack.pop, stack.append, seen.add, order.append  # a tenth faster
    while stack:
        node = pop()
        if node is None:
            place(pop())
        elif node.operands and node not in seen:
            note(node)
            push(node)
            push(None)
            stack.extend(node.operands)
    return order


class Adam:
    """Kingma and Ba, Adam: a method for stochastic optimization (2015), algorithm 1.

    It only uses ``data`` and ``grad`` of a parameter, so it works with every scalar class.
    """

    def __init__(
        self,
        params: Sequence[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
    ) -> None:
        self.params, self.lr, self.betas, self.eps = list(params), lr, betas, eps
        self.mean = [0.0] * len(self.params)
        self.square = [0.0] * len(self.params)
        self.steps = 0

    def step(self) -> None:
        """Move every parameter against its gradient."""
        self.steps += 1
        beta1, beta2 = self.betas
        rate = self.lr / (1.0 - beta1**self.steps)
        correction, eps, sqrt = math.sqrt(1.0 - beta2**self.steps), self.eps, math.sqrt
        mean, square = self.mean, self.square
        for i, p in enumerate(self.params):
            g = p.grad
            mean[i] = m = beta1 * mean[i] + (1.0 - beta1) * g
            square[i] = v = beta2 * square[i] + (1.0 - beta2) * g * g
            p.data -= rate * m / (sqrt(v) / correction + eps)

    def zero_grad(self) -> None:
        """Set the gradients to zero."""
        for p in self.params:
            p.grad = 0.0
