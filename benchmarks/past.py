"""This tree beside the one of a week before, in turn: what has become slower.

    python -m benchmarks.past                 # the last commit that is a week older than HEAD
    python -m benchmarks.past --commit 388896a
    python -m benchmarks.past --tree OTHER    # OTHER/src has a built gradwalk

A line per program: the time of both, the least of several rounds, and the ratio. Programs are
usual loops and single operations, of Values and Tensors. The exit status is 1 if a ratio is above
1.1, so that a schedule sees it. The commit is built in build/past, without an installation.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS, LIMIT = 7, 1.1
ROOT = Path(__file__).resolve().parents[1]


def programs() -> dict[str, tuple[Callable[[], Any], int]]:
    """Return programs by name, each with how often it runs in one measurement."""
    import numpy as np

    import gradwalk
    from gradwalk import Tensor, Value, nn, no_grad, optim

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

    weights = [Tensor(np.full(shape, 0.1), requires_grad=True) for shape in ((2, 16), (16, 1))]

    def usual_loop() -> float:
        loss = (((rows @ weights[0]).tanh() @ weights[1] - targets) ** 2).mean()
        loss.backward()
        for p in weights:
            p.data -= 0.01 * p.grad
            p.grad = None
        return loss.item()

    compiled = gradwalk.compile(lambda x: x * x + 1.0)
    cube = gradwalk.grad(lambda x: x * x * x)

    def value_step() -> None:
        steps.zero_grad()
        loss = (scalar([0.5, -0.5]) - 1.0) ** 2
        loss.backward()
        steps.step()

    def paused() -> None:
        with no_grad():
            pass

    return {
        "Tensor: t * t": (lambda: t * t, 20_000),
        "Tensor: t.log()": (lambda: t.log(), 20_000),
        "Tensor: t.sum()": (lambda: t.sum(), 20_000),
        "Tensor: t @ t": (lambda: t @ t, 20_000),
        "Tensor: 2.0 * t": (lambda: 2.0 * t, 20_000),
        "Tensor: a training step": (tensor_step, 500),
        "Tensor: p.data -= lr * p.grad": (usual_loop, 500),
        "Value: x * y": (lambda: x * y, 50_000),
        "Value: x.exp()": (lambda: x.exp(), 50_000),
        "Value: backward": (lambda: (x * y + x).backward(), 20_000),
        "Value: a training step": (value_step, 500),
        "grad of a function": (lambda: cube(2.0), 5_000),
        "call of a compiled function": (lambda: compiled(2.0), 20_000),
        "no_grad": (paused, 20_000),
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


def week_before() -> str:
    """Return the last commit that is a week older than this tree."""
    now = int(git("log", "-1", "--format=%ct"))
    return git("rev-list", "-1", f"--before={now - 7 * 86400}", "HEAD")


def git(*words: str) -> str:
    """Return what a command of git prints."""
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def built(commit: str) -> Path:
    """Return a folder with the sources of a commit and its engine, made if it is not there."""
    commit = git("rev-parse", "--short=12", commit)
    tree = ROOT / "build" / "past" / commit
    if not (tree / "built").exists():
        tree.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive.stdout, check=True)
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        subprocess.run(command, cwd=tree, check=True, capture_output=True)
        (tree / "built").touch()
    return tree


def main() -> int:
    """Print the times, with ratios; return 1 if something is slower than the limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.past", description=main.__doc__)
    parser.add_argument("--commit", help="what to compare with (default: a week before HEAD)")
    parser.add_argument("--tree", type=Path, help="a folder whose src has a built gradwalk")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure()))
        return 0
    other = options.tree or built(options.commit or week_before())
    print(f"{'':34}{'this tree':>14}{other.name:>15}   ratio")
    best: list[dict[str, float]] = [{}, {}]
    for _ in range(options.rounds):  # in turn: a load on the machine meets both
        for tree, found in zip((ROOT, other), best, strict=True):
            for name, seconds in measured(tree).items():
                found[name] = min(seconds, found.get(name, seconds))
    slower = 0
    for name, seconds in best[0].items():
        before = best[1][name]
        slower += seconds / before > options.limit
        print(f"{name:34}{seconds * 1e9:11,.0f} ns{before * 1e9:12,.0f} ns{seconds / before:8.2f}")
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
