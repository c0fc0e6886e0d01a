"""First steps: build an expression, run the backward pass, read the gradients.

python examples/walk.py
"""

from gradwalk import Value
from gradwalk.inspect import tree

# A Value is a number that records the operation that produced it.
a, b, c, d = Value(2.0), Value(3.0), Value(4.0), Value(5.0)
y = (a * b + c) * (a + d)

# One backward pass computes the derivative of y with respect to every Value in the graph.
y.backward()
print(tree(y))

# The gradient of a is 31: a small change of a changes y by 31 times as much.
nudge = 0.001
nudged = ((a.data + nudge) * b.data + c.data) * (a.data + nudge + d.data)
print()
print(f"gradient of a           {a.grad:.3f}")
print(f"y moved by nudge times  {(nudged - y.data) / nudge:.3f}")

# Gradient descent: a small step of every leaf against its gradient makes y smaller.
for leaf in (a, b, c, d):
    leaf.data -= 0.01 * leaf.grad
smaller = (a * b + c) * (a + d)
print(f"y before and after      {y.data:.3f} {smaller.data:.3f}")
