"""Redraw the pictures of README and manual: ``python -m docs.pictures``.

The graphs have the same bytes every time, which a test checks. The boundary needs
matplotlib, whose versions differ in the last pixels.
"""

from __future__ import annotations

from pathlib import Path

from gradwalk import Value
from gradwalk.data import moons
from gradwalk.inspect import Drawing, draw, plot_boundary
from gradwalk.nn import MLP, binary_cross_entropy_with_logits, mse
from gradwalk.optim import Adam

__all__ = ["GRAPHS", "network", "walk"]

FOLDER = Path(__file__).resolve().parent / "pictures"


def walk() -> Drawing:
    """Draw the example of README."""
    a, b, c, d = Value(2.0, "a"), Value(3.0, "b"), Value(4.0, "c"), Value(5.0, "d")
    y = (a * b + c) * (a + d)
    y.label = "y"
    y.backward()
    return draw(y)


def network() -> Drawing:
    """Draw the loss of a small network, folded into boxes of nodes with the same operation."""
    points = moons(8, noise=0.1, seed=0)
    model = MLP(2, [4, 1], activation="tanh", seed=0)
    loss = mse([model(x) for x in points.inputs], points.targets)
    loss.label = "loss"
    loss.backward()
    return draw(loss, max_nodes=30, names=False)


GRAPHS = {"walk.svg": walk, "network.svg": network}
"""File name -> the function that draws it."""


def boundary(path: Path) -> None:
    """Draw the predictions of a trained network in the plane around the two moons."""
    points = moons(100, noise=0.1, seed=0)
    model = MLP(2, [16, 16, 1], activation="tanh", seed=0)
    optimizer = Adam(model.parameters(), lr=0.05)
    for _ in range(100):
        logits = [model(point) for point in points.inputs]
        loss = binary_cross_entropy_with_logits(logits, points.targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    figure = plot_boundary(model, points, title="moons after 100 steps")
    figure.savefig(path, dpi=80)


def main() -> None:
    """Draw all pictures, and print where they are."""
    FOLDER.mkdir(exist_ok=True)
    for name, picture in GRAPHS.items():
        picture().save(FOLDER / name)
    boundary(FOLDER / "boundary.png")
    print(f"written: {', '.join(sorted(path.name for path in FOLDER.iterdir()))} in {FOLDER}")


if __name__ == "__main__":
    main()
