"""What explanations cost when nothing is asked: this tree beside another one, in turn.

    python -m benchmarks.explanations OTHER   # OTHER/src has a built gradwalk to compare with

A line per program: the time of both, the least of several rounds, and the ratio. The
bars are 1.1 for Tensors and 1.0 for Values. Without OTHER the times of this tree are printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS = 7


def programs() -> dict[str, tuple[Callable[[], Any], int]]:
    """Return programs by name, each with how often it runs in one measurement."""
    import numpy as np

    from gradwalk import Tensor, Value, nn, optim

    t = Tensor(np.ones(3), requires_grad=True)
    x, y = Value(0.5), Value(2.0)
    rows = Tensor(np.linspace(-1.0, 1.0, 64).reshape(32, 2))
    targets = Tensor(np.ones((32, 1)))
    model = nn.Sequential(nn.Linear(2, 16, seed=0), nn.Tanh(), nn.Linear(16, 1, seed=1))
    optimizer = optim.SGD(model.parameters(), lr=1e-6)
    scalar = nn.MLP(2, [8, 1], seed=0)
    steps = optim.SGD(scalar.parameters(), lr=1e-6)

    def tensor_step() -> None:
        optimizer.zero_grad()
        ((model(rows) - targets) ** 2).mean().backward()
        optimizer.step()

    def value_step() -> None:
        steps.zero_grad()
        loss = (scalar([0.5, -0.5]) - 1.0) ** 2
        loss.backward()
        steps.step()

    return {
        "Tensor: t * t": (lambda: t * t, 20_000),
        "Tensor: t.log()": (lambda: t.log(), 20_000),
        "Tensor: t.sum()": (lambda: t.sum(), 20_000),
        "Tensor: t @ t": (lambda: t @ t, 20_000),
        "Tensor: 2.0 * t": (lambda: 2.0 * t, 20_000),
        "Tensor: a training step": (tensor_step, 500),
        "Value: x * y": (lambda: x * y, 50_000),
        "Value: x.exp()": (lambda: x.exp(), 50_000),
        "Value: backward": (lambda: (x * y + x).backward(), 20_000),
        "Value: a training step": (value_step, 500),
    }


def measure() -> dict[str, float]:
    """Return the seconds of each program, the least of five repeats."""
    found = programs().items()
    return {k: min(timeit.repeat(f, number=n // 5, repeat=5)) * 5 / n for k, (f, n) in found}


def measured(tree: Path) -> dict[str, float]:
    """Measure another tree in a process of its own."""
    command = [sys.executable, __file__, "--measure"]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)  # type: ignore[no-any-return]


def main(arguments: list[str]) -> None:
    """Print the times, with ratios if another tree is named."""
    if arguments == ["--measure"]:
        print(json.dumps(measure()))
        return
    trees = [Path(__file__).resolve().parents[1], *map(Path, arguments[:1])]
    best: list[dict[str, float]] = [{} for _ in trees]
    for _ in range(ROUNDS):  # in turn: a load on the machine meets both
        for tree, found in zip(trees, best, strict=True):
            for name, seconds in measured(tree).items():
                found[name] = min(seconds, found.get(name, seconds))
    for name, seconds in best[0].items():
        others = "".join(f"{o[name] * 1e9:12,.0f} ns{seconds / o[name]:8.2f}" for o in best[1:])
        print(f"{name:26}{seconds * 1e9:12,.0f} ns{others}")


if __name__ == "__main__":
    main(sys.argv[1:])
