"""Export the cost of a controller, with its gradient, to C: a pendulum that swings up.

python examples/export_controller.py [FOLDER]

A model-predictive controller solves this problem again at every tick: which torques bring the
pendulum up at the least cost. Its solver calls cost_gradient of the file cost.c.
"""

import sys
from pathlib import Path

from gradwalk import cos, export, grad, sin

STEPS, DT = 40, 0.05


def cost(torques, angle, speed):
    """Return the cost of torques from a state: effort, and the distance from the upper rest."""
    total = 0.0
    for torque in torques:
        speed = speed + DT * (torque - 9.81 * sin(angle))
        angle = angle + DT * speed
        total = total + 0.01 * torque * torque + 0.1 * speed * speed + (1.0 + cos(angle))
    return total


path = Path(sys.argv[1] if len(sys.argv) > 1 else ".", "cost.c")
export(cost, [0.0] * STEPS, 0.1, 0.0, path=path)
text = path.read_text()
print(f"{path.name}: {len(text.splitlines())} lines, {text.count('for (')} loops")
print(*(line for line in text.splitlines() if line.startswith("int")), sep="\n")

# The same gradient in Python, for plain descent from a push that goes back and forth.
torques = [1.0 if k % 20 < 10 else -1.0 for k in range(STEPS)]
before = cost(torques, 0.1, 0.0)
for _ in range(200):
    slopes = grad(cost)(torques, 0.1, 0.0)
    torques = [t - 0.3 * s for t, s in zip(torques, slopes, strict=True)]
print(f"cost {before:.2f} -> {cost(torques, 0.1, 0.0):.2f}")
