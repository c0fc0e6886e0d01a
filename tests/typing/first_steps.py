"""The first program of the README."""

from typing import assert_type

from gradwalk import Value

a = Value(2.0)
b = Value(-3.0)
y = a * b + a**2
assert_type(y, Value)
y.backward()
assert_type(y.data, float)
assert_type(a.grad, float)
assert (a.grad, b.grad) == (1.0, 2.0)
