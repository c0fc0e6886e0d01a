"""What derivatives of functions cost, against the function: programs on arrays of 100,000 numbers.

Each program has ten operations or more. `cheap` has none that takes long, so that every array that
a derivative touches shows; `dear` is dominated by the functions themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

import gradwalk as gw

SIZE = 100_000


def cheap(x: Any) -> Any:
    """Sums, products and a maximum."""
    a = x * x + 0.5
    b = a * x - x
    c = gw.maximum(a, b) * 0.25
    d = c + a * b
    return ((d - x) * (d + x)).mean()


def dear(x: Any) -> Any:
    """Transcendental functions."""
    a = gw.sin(x) * gw.exp(-0.5 * x * x)
    b = gw.tanh(a + x) + gw.log1p(x * x)
    return (gw.sqrt(1.0 + b * b) * gw.cos(a)).sum()


def mixed(x: Any) -> Any:
    """A small physical model: parts of the array, differences, a softmax, reductions."""
    step = x[1:] - x[:-1]
    energy = (step * step).sum() + 0.1 * (x**4).sum()
    weights = gw.softmax(x.reshape((-1, 100)), axis=1)
    spread = (weights * x.reshape((-1, 100))).sum(axis=1)
    return energy + (gw.log1p(spread * spread)).sum()


PROGRAMS: dict[str, Callable[[Any], Any]] = {"cheap": cheap, "dear": dear, "mixed": mixed}


def costs(steps: int) -> dict[str, Any]:
    """Seconds of each program, of its gradient and of a Hessian product; their worst ratios."""
    rng = np.random.default_rng(0)
    x, v = rng.normal(size=SIZE), rng.normal(size=SIZE)
    facts: dict[str, Any] = {}
    for name, f in PROGRAMS.items():
        gradient, both, product = gw.grad(f), gw.value_and_grad(f), gw.hvp(f)
        seconds = in_turn([lambda f=f: f(x), lambda: both(x), lambda: gradient(x),
                           lambda: product(x, v)], steps)  # fmt: skip
        facts[name] = seconds
        facts[f"{name}_gradient"], facts[f"{name}_hvp"] = (
            seconds[1] / seconds[0], seconds[3] / seconds[2])  # fmt: skip
    facts["gradient"] = max(facts[f"{name}_gradient"] for name in PROGRAMS)
    facts["hvp"] = max(facts[f"{name}_hvp"] for name in PROGRAMS)
    return facts


def in_turn(jobs: list[Callable[[], Any]], steps: int) -> list[float]:
    """The shortest time of each job, all of them run in turn."""
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(steps):
        for job, seconds in zip(jobs, times, strict=True):
            start = process_time()
            job()
            seconds.append(process_time() - start)
    return [min(seconds) for seconds in times]
