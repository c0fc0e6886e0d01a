"""Export the kinematics of a robot arm, with its Jacobian, to C and JavaScript.

python examples/export_robot.py [FOLDER]

The arm has six joints, given by their Denavit-Hartenberg parameters. Its Jacobian says how the hand
moves when the joints turn.
"""

import sys
from math import pi
from pathlib import Path

from gradwalk import cos, export, jacobian, sin

ARM = [  # offset along z, length along x, twist about x
    (0.34, 0.0, -pi / 2), (0.0, 0.4, 0.0), (0.0, 0.05, -pi / 2),
    (0.42, 0.0, pi / 2), (0.0, 0.0, -pi / 2), (0.08, 0.0, 0.0),
]  # fmt: skip


def hand(angles):
    """Return where the hand is, and the direction in which it points."""
    x, y, z = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    place = [0.0, 0.0, 0.0]
    for angle, (offset, length, twist) in zip(angles, ARM, strict=True):
        c, s, ct, st = cos(angle), sin(angle), cos(twist), sin(twist)
        turned = [c * a + s * b for a, b in zip(x, y, strict=True)]
        across = [c * b - s * a for a, b in zip(x, y, strict=True)]
        place = [p + offset * d + length * a for p, d, a in zip(place, z, turned, strict=True)]
        y, z = (
            [ct * a + st * b for a, b in zip(across, z, strict=True)],
            [ct * b - st * a for a, b in zip(across, z, strict=True)],
        )
        x = turned
    return place + z


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rest = [0.1, -0.6, 0.9, 0.2, 0.5, -0.3]
for name in ("hand.c", "hand.js"):
    export(hand, rest, path=folder / name, derivatives="jacobian")
    text = (folder / name).read_text()
    print(f"{name}: {len(text.splitlines())} lines, {len(text.encode()):,} bytes")
print("hand at", *(f"{float(v):.3f}" for v in hand(rest)[:3]))
for row in jacobian(hand)(rest)[:3]:
    print(*(f"{v:7.3f}" for v in row))
