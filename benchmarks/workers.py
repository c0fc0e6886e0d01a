"""The measured programs: each runs in a process of its own and prints one line of JSON.

``python -m benchmarks.workers moons --engine gradwalk --steps 20`` is what the runner starts;
it is useful with a profiler too. Times are seconds of processor time, so other programs are
not counted.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
from collections.abc import Callable
from importlib import import_module
from statistics import mean, median
from time import process_time
from typing import Any

from . import baseline, microgpt, moons

Facts = dict[str, Any]


def scalar_of(engine: str) -> Callable[[float], Any]:
    """Return the scalar class of an engine."""
    if engine == "micrograd":
        return import_module("micrograd.engine").Value  # type: ignore[no-any-return]
    if engine in ("baseline", "float"):
        return baseline.Value if engine == "baseline" else float
    return import_module("gradwalk").Value  # type: ignore[no-any-return]


def resident() -> int:
    """Return the resident memory of this process in bytes: current on Linux, peak elsewhere."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return peak()


def peak() -> int:
    """Return the peak resident memory of this process in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


# --- moons ----------------------------------------------------------------------------------


def moons_step(engine: str) -> Callable[[], tuple[float, ...]]:
    """Make one training step on moons; return its loss and when its two passes ended."""
    points, labels = moons.moons()
    scalar = scalar_of(engine)
    model = NetworkOfGradwalk() if engine == "gradwalk.nn" else moons.MLP(scalar)
    parameters = model.parameters()

    if engine == "gradwalk.replay":
        return replayed(model.loss(points, labels), parameters)

    def step() -> tuple[float, ...]:
        loss = model.loss(points, labels)
        forward = process_time()
        if scalar is float:
            return loss, forward, forward
        loss.backward()
        backward = process_time()
        moons.descend(parameters)
        return loss.data, forward, backward

    return step


def replayed(loss: Any, parameters: list[Any]) -> Callable[[], tuple[float, ...]]:
    """Make the same step by the program that was recorded of the first one."""
    run = import_module("gradwalk").replay(loss)

    def step() -> tuple[float, ...]:
        number, ended = run(), process_time()
        moons.descend(parameters)
        return number, ended, ended

    return step


class NetworkOfGradwalk:
    """The network of `gradwalk.nn` with the same initial weights."""

    def __init__(self) -> None:
        n_in, *sizes = moons.SIZES
        self.network = import_module("gradwalk.nn").MLP(n_in, sizes, activation="relu")
        start = moons.MLP(float).parameters()
        for parameter, number in zip(self.parameters(), start, strict=True):
            parameter.data = number

    def parameters(self) -> list[Any]:
        """Return the weights and biases in the order of `moons.MLP.parameters`."""
        return list(self.network.parameters())

    def loss(self, points: moons.Points, labels: list[float]) -> Any:
        """Return the loss of `moons.MLP.loss`; inputs are plain floats."""
        scores = [self.network(point) for point in points]
        scores = [score[0] if isinstance(score, list) else score for score in scores]
        losses = [(1.0 - y * score).relu() for y, score in zip(labels, scores, strict=True)]
        return moons.total(losses, self.parameters())


def train_moons(options: argparse.Namespace) -> Facts:
    """Measure seconds per training step and per part. The total includes freeing the graph."""
    step = moons_step(options.engine)
    losses, forwards, backwards, totals = [], [], [], []
    for _ in range(options.warm_up + options.steps):
        start = process_time()
        loss, forward, backward = step()
        totals.append(process_time() - start)
        losses.append(loss)
        forwards.append(forward - start)
        backwards.append(backward - forward)
        if options.gc == "off":
            gc.collect()  # outside the clock: reused memory is faster than fresh memory
    skip = options.warm_up
    return {
        "total": mean(totals[skip:]),  # the mean includes the occasional garbage collection
        "forward": median(forwards[skip:]),
        "backward": median(backwards[skip:]),
        "losses": losses[: 1 if options.engine == "float" else skip + 2],  # floats do not learn
    }


def train_flat(options: argparse.Namespace) -> Facts:
    """Measure the resident memory over many training steps of a small network."""
    points, labels = moons.moons(n=4)
    model = moons.MLP(scalar_of(options.engine))
    parameters, after_100, most = model.parameters(), 0, 0
    for step in range(1, options.steps + 1):
        model.loss(points, labels).backward()
        moons.descend(parameters)
        if step == 100:
            after_100 = most = resident()
        elif step % 100 == 0:
            most = max(most, resident())
    return {"after_100": after_100, "most": most, "growth": most / after_100 - 1.0}


# --- GPT ------------------------------------------------------------------------------------


def train_gpt(options: argparse.Namespace) -> Facts:
    """Measure the seconds per training step of the character GPT, with its optimizer."""
    from examples import gpt

    model = gpt.GPT(scalar_of(options.engine), gpt.alphabet_of(gpt.NAMES))
    parameters = model.parameters()
    optimizer = adam_of(options.adam)(parameters, lr=0.01)
    steps = gpt.train(model, optimizer, gpt.NAMES, 2 + options.steps)
    losses = [next(steps), next(steps)]
    start = process_time()
    losses += steps
    total = (process_time() - start) / options.steps
    return {"total": total, "parameters": len(parameters), "losses": losses}


def train_microgpt(options: argparse.Namespace) -> Facts:
    """Measure the seconds per step of the GPT that is replayed once it is recorded."""
    model, names = microgpt.model_of(options.engine), microgpt.names_by_length()
    lengths = len({len(name) for name in names})
    steps = microgpt.train(model, names, lengths + options.steps)
    losses = [next(steps) for _ in range(lengths)]
    start = process_time()
    losses += steps
    total = (process_time() - start) / options.steps
    return {"total": total, "parameters": len(model.parameters()), "losses": losses}


def adam_of(name: str) -> Callable[..., Any]:
    """Return the Adam of `gradwalk.optim`, or the one in plain Python."""
    module = baseline if name == "python" else import_module("gradwalk.optim")
    return module.Adam  # type: ignore[no-any-return]


# --- one long chain -------------------------------------------------------------------------


def walk_chain(options: argparse.Namespace) -> Facts:
    """Build, differentiate and free a chain of two nodes per step; measure bytes per node."""
    scalar = scalar_of(options.engine)
    before = resident()
    leaf = x = scalar(1.0)
    times = [process_time()]
    for _ in range(options.steps):
        x = x * 1.0000001 + 1e-9
    times.append(process_time())
    built = resident()
    x.backward()
    times.append(process_time())
    swept, most = resident(), peak()
    x = None
    times.append(process_time())
    after, nodes = resident(), 2 * options.steps
    return {
        "bytes": (built - before) / nodes,
        "bytes_after_backward": (swept - before) / nodes,
        "bytes_at_peak": (most - before) / nodes,
        "returned": (most - after) / (most - before),
        "gradient": leaf.grad,
        "expected": 1.0000001**options.steps,
        "nodes": nodes,
        **dict(zip(("build", "backward", "free"), map(float.__sub__, times[1:], times))),  # noqa: B905
    }


WORK = {
    "moons": train_moons,
    "flat": train_flat,
    "gpt": train_gpt,
    "microgpt": train_microgpt,
    "chain": walk_chain,
}


def main() -> None:
    """Measure one program with one engine."""
    parser = argparse.ArgumentParser(description="Measure one program; prints JSON.")
    parser.add_argument("work", choices=WORK)
    parser.add_argument("--engine", default="gradwalk")
    parser.add_argument("--gc", choices=("default", "off"), default="default")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--adam", choices=("python", "gradwalk"), default="python")
    options = parser.parse_args()
    if options.gc == "off":
        gc.disable()
    facts = WORK[options.work](options)
    if "gradwalk" in sys.modules:
        facts["engine"] = sys.modules["gradwalk"].ENGINE
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
