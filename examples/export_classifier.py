"""Train a small classifier, and export it with its gradient for a microcontroller.

python examples/export_classifier.py [FOLDER]

The file classify.c has the trained weights in it, allocates nothing, and states how many bytes of
memory and stack it needs. The gradient says which input would change the answer most.
"""

import re
import sys
from pathlib import Path

from gradwalk import export, grad, sigmoid
from gradwalk.data import moons
from gradwalk.nn import MLP, binary_cross_entropy_with_logits
from gradwalk.optim import Adam

points = moons(60, noise=0.1, seed=3)
model = MLP(2, [8, 8, 1], activation="tanh", seed=1)
optimizer = Adam(model.parameters(), lr=0.05)
for _ in range(60):
    logits = [model(point) for point in points.inputs]
    loss = binary_cross_entropy_with_logits(logits, points.targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.data:.4f}")


def classify(point):
    """Return the probability of the second moon."""
    return sigmoid(model(point))


path = Path(sys.argv[1] if len(sys.argv) > 1 else ".", "classify.c")
export(classify, [0.5, 0.25], path=path)
text = path.read_text()
print(f"{path.name}: {len(text.splitlines())} lines")
print(re.search(r"Memory: [^.]*\.", text.replace("\n *", ""))[0])
print("at (0.5, 0.25):", *(f"{s.data:.3f}" for s in grad(classify)([0.5, 0.25])))
