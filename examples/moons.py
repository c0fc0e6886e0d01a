"""Train a small network to separate two moons, and print its predictions.

python examples/moons.py --steps 100
"""

from __future__ import annotations

import argparse

from gradwalk import ENGINE, no_grad
from gradwalk.data import Dataset, moons
from gradwalk.nn import MLP, binary_cross_entropy_with_logits
from gradwalk.optim import Adam


def train(model: MLP, points: Dataset, steps: int) -> None:
    """Run full-batch training steps, each of which moves every weight a little downhill."""
    optimizer = Adam(model.parameters(), lr=0.05)
    for step in range(1, steps + 1):
        logits = [model(point) for point in points.inputs]
        loss = binary_cross_entropy_with_logits(logits, points.targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0 or step == steps:
            right = [(z > 0) == (t == 1) for z, t in zip(logits, points.targets, strict=True)]
            print(f"step {step:4}   loss {loss:.4f}   accuracy {sum(right) / len(right):.0%}")


@no_grad()
def picture(model: MLP, points: Dataset, columns: int = 60, rows: int = 18) -> str:
    """Draw the plane as text, shaded where the model predicts 1, with the points as 0 and 1."""
    xs, ys = zip(*points.inputs, strict=True)
    left, low = min(xs) - 0.3, min(ys) - 0.3
    dx, dy = (max(xs) + 0.3 - left) / columns, (max(ys) + 0.3 - low) / rows
    cells = [
        ["░" if model([left + (i + 0.5) * dx, low + (j + 0.5) * dy]) > 0 else " "
         for i in range(columns)]
        for j in range(rows)
    ]  # fmt: skip
    for (x, y), target in zip(points.inputs, points.targets, strict=True):
        cells[int((y - low) / dy)][int((x - left) / dx)] = str(target)
    return "\n".join("".join(row) for row in reversed(cells))


def main() -> None:
    """Train, and print the border that the network has learned between the moons."""
    parser = argparse.ArgumentParser(description="Train a network to separate two moons.")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    points = moons(options.points, noise=0.1, seed=options.seed)
    model = MLP(2, [16, 16, 1], activation="tanh", seed=options.seed)
    print(f"{len(model.parameters())} parameters, {ENGINE} engine")
    train(model, points, options.steps)
    print(picture(model, points))


if __name__ == "__main__":
    main()
