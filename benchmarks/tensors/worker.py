"""Measure one program on arrays in one library, and print one line of JSON.

``python -m benchmarks.tensors.worker moons --library gradwalk --steps 200``. Every library runs on
one thread; the runner sets the environment that the numerical libraries read at their start.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from time import process_time
from typing import Any

from .. import transforms
from . import adopted, explained, micro, moons, networks


def train(step: Any, steps: int) -> dict[str, Any]:
    """Measure seconds per step in the fastest of five stretches, first losses, and peak memory."""
    losses = [step() for _ in range(3)]
    for _ in range(min(steps, 20)):
        step()
    stretches = []
    for _ in range(5):
        start = process_time()
        for _ in range(max(1, steps // 5)):
            step()
        stretches.append((process_time() - start) / max(1, steps // 5))
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return {"total": min(stretches), "losses": losses, "peak_mb": peak / 1e6}


def main() -> None:
    """Measure the program that the command line names."""
    parser = argparse.ArgumentParser(description="Measure one program on arrays; prints JSON.")
    works = ("moons", "mlp", "cnn", "gpt", "overhead", "matmul", "memory", "transforms", "sparse")
    works += (
        "small",
        "compiled",
        "eager",
        "floor",
        "adopted",
        "recording",
        "why",
        "adopted-memory",
    )
    parser.add_argument("work", choices=works)
    parser.add_argument("--library", default="gradwalk")
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    if options.library == "torch" or options.work in ("adopted", "adopted-memory", "recording"):
        import torch

        torch.set_num_threads(1)
    print(json.dumps(measure(options.work, options.library, options.steps)))


def measure(work: str, library: str, steps: int) -> dict[str, Any]:
    """Return the facts of one run."""
    if work == "moons":
        return train(getattr(moons, library)(), steps)
    if work == "overhead":
        return micro.overhead(steps)
    if work == "adopted":
        return train(adopted.step(library), steps)
    if work == "adopted-memory":
        return adopted.memory(library)
    if work == "recording":
        return adopted.recording(steps)
    if work == "why":
        return explained.seconds(library, max(2, steps))
    if work == "floor":
        return micro.floor(steps)
    if work == "matmul":
        return micro.matmul(library, steps)
    if work == "memory":
        return micro.memory(library)
    if work == "transforms":
        return transforms.costs(steps)
    if work == "sparse":
        return transforms.sparse(steps)
    if work == "small":
        return transforms.small(steps)
    if work == "compiled":
        return transforms.compiled(steps)
    if work == "eager":
        return transforms.eager(steps)
    network = {"mlp": networks.digits_mlp, "cnn": networks.digits_cnn, "gpt": networks.gpt}[work]
    return {**train(network(library), steps), "float64": False}


if __name__ == "__main__":
    main()
