"""A character GPT number by number, and the five lines that change when its step is replayed.

A transformer of one layer (Vaswani et al., 2017; Radford et al., 2019) without biases, with RMSNorm
(Zhang and Sennrich, 2019) and Adam (Kingma and Ba, 2015): one document a step, as short programs
that teach it do. `Value` is the scalar class that such a program has. `Replayed` says which lines
change: two lookups by token, the maximum in the softmax, the optimizer, and the call.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from importlib import import_module
from operator import add, mul
from typing import Any

from examples.gpt import END, NAMES, alphabet_of

from . import baseline

WIDTH, HEADS, BLOCK = 16, 4, 16
SIZE = WIDTH // HEADS
RATE, BETAS, EPS = 0.01, (0.85, 0.99), 1e-8

Vector = list[Any]
Matrix = list[Vector]


class Value:
    """A number that stores its operands and its derivatives with respect to them."""

    __slots__ = ("data", "grad", "operands", "slopes")

    def __init__(self, data: float, operands: Any = (), slopes: Any = ()) -> None:
        self.data, self.grad, self.operands, self.slopes = data, 0.0, operands, slopes

    def __add__(self, x: Value | float) -> Value:
        other = x if isinstance(x, Value) else Value(x)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, x: Value | float) -> Value:
        other = x if isinstance(x, Value) else Value(x)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n: float) -> Value:
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def __neg__(self) -> Value:
        return self * -1.0

    def __sub__(self, other: Value | float) -> Value:
        return self + (-other)

    def __truediv__(self, other: Value | float) -> Value:
        return self * other**-1.0

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
        return Value(max(0.0, self.data), (self,), (float(self.data > 0.0),))

    def backward(self) -> None:
        """Add ∂self/∂node to the ``grad`` of every node."""
        order: list[Value] = []
        seen: set[Value] = set()

        def visit(node: Value) -> None:
            if node not in seen:
                seen.add(node)
                for operand in node.operands:
                    visit(operand)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for operand, slope in zip(node.operands, node.slopes, strict=True):
                operand.grad += slope * node.grad


def dot(a: Vector, b: Vector) -> Any:
    """Return a · b."""
    return sum(map(mul, a, b))


def linear(weights: Matrix, x: Vector) -> Vector:
    """Return W x."""
    return [dot(row, x) for row in weights]


def rms_norm(x: Vector) -> Vector:
    """Return x divided by its root mean square."""
    scale = (dot(x, x) * (1.0 / len(x)) + 1e-5) ** -0.5
    return [xi * scale for xi in x]


class GPT:
    """The plain program: a token is an index, and every step builds its graph."""

    def __init__(self, scalar: Callable[[float], Any], alphabet: str, seed: int = 0) -> None:
        rng = random.Random(seed)

        def matrix(rows: int, columns: int) -> Matrix:
            return [[scalar(rng.gauss(0.0, 0.08)) for _ in range(columns)] for _ in range(rows)]

        self.scalar, self.alphabet = scalar, alphabet
        self.token, self.position = matrix(len(alphabet), WIDTH), matrix(BLOCK, WIDTH)
        self.query, self.key, self.value = (matrix(WIDTH, WIDTH) for _ in range(3))
        self.mix, self.up = matrix(WIDTH, WIDTH), matrix(4 * WIDTH, WIDTH)
        self.down, self.head = matrix(WIDTH, 4 * WIDTH), matrix(len(alphabet), WIDTH)
        self.optimizer = self.adam()

    def parameters(self) -> Vector:
        """Return every learned number."""
        matrices = [self.token, self.position, self.query, self.key, self.value, self.mix, self.up]
        return [p for matrix in (*matrices, self.down, self.head) for row in matrix for p in row]

    def row(self, token: Any) -> Vector:
        """Return the row of a token in the table of tokens."""
        return self.token[token]

    def chance(self, chances: Vector, token: Any) -> Any:
        """Return the chance of a token."""
        return chances[token]

    def largest(self, x: Vector) -> Any:
        """Return the largest number."""
        return max(xi.data for xi in x)

    def adam(self) -> Any:
        """Return the optimizer."""
        return baseline.Adam(self.parameters(), lr=RATE, betas=BETAS, eps=EPS)

    def step(self, tokens: Sequence[int]) -> float:
        """Compute the loss of a document, and all gradients."""
        loss = self.loss(tokens[:-1], tokens[1:])
        loss.backward()
        return float(loss.data)

    def softmax(self, x: Vector) -> Vector:
        """Return exp(x) / Σ exp(x), shifted by the largest x."""
        largest = self.largest(x)
        powers = [(xi - largest).exp() for xi in x]
        total = sum(powers)
        return [power / total for power in powers]

    def loss(self, tokens: Sequence[Any], targets: Sequence[Any]) -> Any:
        """Return the mean of -ln of the chances of the targets."""
        chances = map(self.softmax, self.logits(tokens))
        losses = [-self.chance(*both).log() for both in zip(chances, targets, strict=True)]
        return sum(losses) * (1.0 / len(losses))

    def logits(self, tokens: Sequence[Any]) -> Iterator[Vector]:
        """Yield for each position the scores of the next token."""
        keys: list[Vector] = []
        values: list[Vector] = []
        for token, position in zip(tokens, self.position, strict=False):
            x = rms_norm(list(map(add, self.row(token), position)))
            x = list(map(add, x, self.attend(rms_norm(x), keys, values)))
            hidden = [h.relu() for h in linear(self.up, rms_norm(x))]
            x = list(map(add, x, linear(self.down, hidden)))
            yield linear(self.head, x)

    def attend(self, x: Vector, keys: list[Vector], values: list[Vector]) -> Vector:
        """Return what each head has read from all positions up to this one."""
        query, heads = linear(self.query, x), []
        keys.append(linear(self.key, x))
        values.append(linear(self.value, x))
        for part in (slice(start, start + SIZE) for start in range(0, WIDTH, SIZE)):
            scores = [dot(query[part], key[part]) * SIZE**-0.5 for key in keys]
            weights = self.softmax(scores)
            columns = zip(*(value[part] for value in values), strict=True)
            heads += [dot(weights, list(column)) for column in columns]
        return linear(self.mix, heads)


class Replayed(GPT):
    """The same program, recorded once per length of a document: a token is a row of numbers."""

    def row(self, token: Any) -> Vector:
        """Return Σ hot · row, whose one hot number chooses the row."""
        return [dot(token, list(column)) for column in zip(*self.token, strict=True)]

    def chance(self, chances: Vector, token: Any) -> Any:
        """Return Σ hot · chance."""
        return dot(token, chances)

    def largest(self, x: Vector) -> Any:
        """Return the largest number as an operation, which every replay computes."""
        return reduce(import_module("gradwalk").maximum, x)

    def adam(self) -> Any:
        """Return the optimizer of the engine, and no recorded steps yet."""
        self.steps: dict[int, tuple[Matrix, Callable[[], float]]] = {}
        optim = import_module("gradwalk.optim")
        return optim.Adam(self.parameters(), lr=RATE, betas=BETAS, eps=EPS)

    def step(self, tokens: Sequence[int]) -> float:
        """Set the hot numbers of a document, and compute loss and gradients again."""
        if len(tokens) not in self.steps:
            hot = [[self.scalar(0.0) for _ in self.alphabet] for _ in tokens]
            loss = self.loss(hot[:-1], hot[1:])
            self.steps[len(tokens)] = hot, import_module("gradwalk").replay(loss)
        hot, run = self.steps[len(tokens)]
        for numbers, token in zip(hot, tokens, strict=True):
            numbers[token].data = 1.0
        loss = run()
        for numbers, token in zip(hot, tokens, strict=True):
            numbers[token].data = 0.0
        return loss


def train(model: GPT, names: Sequence[str], steps: int) -> Iterator[float]:
    """Train on one name per step, and yield the loss of each step."""
    for step in range(steps):
        name = names[step % len(names)]
        model.optimizer.zero_grad()  # a short document does not reach the last positions
        loss = model.step([model.alphabet.index(c) for c in END + name + END])
        model.optimizer.step()
        yield loss


def names_by_length() -> list[str]:
    """Return the names, one of each length first: each is recorded before the clock starts."""
    first = {len(name): name for name in reversed(NAMES)}
    return [*first.values(), *(name for name in NAMES if name not in first.values())]


def model_of(engine: str) -> GPT:
    """Return the program for an engine: ``microgpt`` has its own Value and loop."""
    scalar = Value if engine == "microgpt" else import_module("gradwalk").Value
    kind = Replayed if engine == "gradwalk.replay" else GPT
    return kind(scalar, alphabet_of(NAMES))
