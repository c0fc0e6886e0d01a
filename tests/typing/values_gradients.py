"""Gradients of Values: `gradients`, higher orders, `no_grad` as a context and as a decorator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_type

from gradwalk import GradwalkError, Value, gradients, no_grad

x, y = Value(2.0), Value(3.0)
z = x**3 * y

assert_type(gradients(z, x), float)
assert_type(gradients(z, (x, y)), tuple[float, ...])
assert_type(gradients(z, [x, y]), tuple[float, ...])
dx, dy = gradients(z, (x, y))
assert_type(dx, float)

first = gradients(z, x, create_graph=True)
assert_type(first, Value)
assert_type(gradients(first, x), float)
assert_type(gradients(z, [x, y], create_graph=True), tuple[Value, ...])

with no_grad():
    assert_type(x * 3, Value)


@no_grad()
def predict(weights: list[Value], inputs: list[float]) -> Value:
    return sum((w * i for w, i in zip(weights, inputs, strict=True)), Value(0.0))


assert_type(predict([x, y], [1.0, 2.0]), Value)


def descend(start: float, rate: float = 0.1, steps: int = 20) -> Iterator[Value]:
    v = Value(start, label="v")
    for _ in range(steps):
        loss = (v - 1.0) ** 2
        loss.backward()
        v.data -= rate * v.grad
        v.grad = 0.0
        yield loss


losses = [loss.data for loss in descend(3.0)]
assert_type(losses, list[float])
assert losses[-1] < losses[0]

try:
    Value("2")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
except GradwalkError as error:
    assert_type(str(error), str)
