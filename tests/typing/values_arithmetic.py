"""Arithmetic, comparisons, methods and attributes of Values, as users write them."""

from __future__ import annotations

from typing import assert_type

from gradwalk import Value


def neuron(w: Value, x: float, b: Value) -> Value:
    return (w * x + b).tanh()


def polynomial(a: Value, b: Value) -> Value:
    c = a * b + 1.0
    c += 2 * a - b / 3
    return -(c**2) + 2**a + abs(b) % 3 - 7 // a


a, b = Value(2.0, label="a"), Value(-3)
y = polynomial(a, b)
assert_type(y, Value)
assert_type(a * b + 1.0, Value)
assert_type(1 - a, Value)
assert_type(2**a, Value)
assert_type(+a, Value)
assert_type(divmod(a, b), tuple[Value, Value])
assert_type(sum([a, b], Value(0.0)), Value)
assert_type(round(a), Value)
assert_type(neuron(a, 0.5, b), Value)

assert_type(a < b, bool)
assert_type(a >= 1, bool)
assert_type(0.0 < a, bool)  # noqa: SIM300
assert_type(a == b, bool)
assert_type(max(a, b), Value)
assert_type(sorted([a, b]), list[Value])
if a:
    assert a.data == 2.0

assert_type(a.relu(), Value)
assert_type(a.exp().log1p().leaky_relu(0.1), Value)
assert_type(a.maximum(b).minimum(0.5).clip(-1.0, max=b), Value)
assert_type(a.pow(3).gelu(approximate="tanh"), Value)

y.backward()
y.backward(retain_graph=False)
assert_type(y.data, float)
assert_type(a.grad, float)
assert_type(a.label, str)
assert_type(y.op, str)
a.data, a.grad, b.label = 1, 0.0, "b"

total = a + b
assert_type(total.operands, tuple[Value, ...])
assert_type(total.local_gradients, tuple[float, ...])
assert_type(total.detach(), Value)
assert_type({a, b}, set[Value])
