"""First steps: build an expression, walk back through it, read the gradients.

python examples/walk.py
"""

from gradwalk import Value
from gradwalk.inspect import tree

# A Value is a number that remembers where it came from.
a, b, c, d = Value(2.0), Value(3.0), Value(4.0), Value(5.0)
y = (a * b + c) * (a + d)

# One walk backwards gives the slope of y in every number on the way.
y.backward()
print(tree(y))

# What that means: a is used twice, and nudging it moves y by 31 times the nudge.
nudge = 0.001
nudged = ((a.data + nudge) * b.data + c.data) * (a.data + nudge + d.data)
print()
print(f"gradient of a           {a.grad:.3f}")
print(f"y moved by nudge times  {(nudged - y.data) / nudge:.3f}")

# Downhill: a small step of every leaf against its gradient makes y smaller.
for leaf in (a, b, c, d):
    leaf.data -= 0.01 * leaf.grad
smaller = (a * b + c) * (a + d)
print(f"y before and after      {y.data:.3f} {smaller.data:.3f}")
