"""Measure one eval in one library, and print one line of JSON.

``python -m benchmarks.gradbench.worker gmm --library jax``. The runner sets the environment that
keeps the numerical libraries on one thread.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from time import perf_counter, process_time
from typing import Any

import numpy as np

from .inputs import drawn

SIZES: dict[str, dict[str, int]] = {
    "det": {"ell": 8},
    "lse": {"n": 160_000},
    "llsq": {"n": 2048, "m": 128},
    "kmeans": {"k": 100, "n": 1000, "d": 16},
    "gmm": {"d": 10, "k": 25, "n": 1000},
    "ba": {"n": 49, "m": 7776, "p": 31843},
    "ht": {"points": 100, "vertices": 544},
    "lstm": {"layers": 2, "characters": 1024},
    "ode": {"n": 1000, "s": 100},
    "particle": {},
    "saddle": {},
}
"""The size of each eval, by the arguments of its generator."""

PAIRS = {"kmeans": ("cost", "dir")} | dict.fromkeys(
    ("gmm", "ba", "ht", "lstm"), ("objective", "jacobian")
)
NESTINGS = ("ff", "fr", "rf", "rr")


def functions(name: str) -> tuple[str, ...]:
    """Return the names of the functions of an eval: function and derivative, or all nestings."""
    return NESTINGS if name in ("particle", "saddle") else PAIRS.get(name, ("primal", "gradient"))


def programs(name: str, library: str) -> dict[str, Callable[[], Any]]:
    """Return the calls of an eval at its size."""
    given = drawn(name, **SIZES[name])
    if library == "gradwalk":
        module = import_module(f".evals.{name}", __package__)
        return {key: module.FUNCTIONS[key](given).run for key in functions(name)}
    calls = import_module(f".peers.{library}", __package__).EVALS[name](given)
    return dict(zip(functions(name), calls, strict=True))


def measured(call: Callable[[], Any], seconds: float) -> dict[str, float]:
    """Return the milliseconds of the first call, and of one in the fastest of five stretches.

    Time is the processor's, that of threads included, which a single short call would not show.
    """
    start = perf_counter()
    call()
    first = perf_counter() - start
    return {"first": 1e3 * first, "call": 1e3 * min(stretch(call, seconds / 5) for _ in range(5))}


def stretch(call: Callable[[], Any], seconds: float) -> float:
    """Return the mean seconds of calls that take some seconds together."""
    calls, spent, start = 0, 0.0, process_time()
    while spent < seconds:
        call()
        calls, spent = calls + 1, process_time() - start
    return spent / calls


def total(result: Any) -> float:
    """Return the sum of all numbers of a result: equal programs have equal sums."""
    if isinstance(result, dict):
        return total([*result.values()])
    if isinstance(result, list | tuple):
        return sum(map(total, result))
    return float(np.sum(np.asarray(result, np.float64)))


def main() -> None:
    """Measure the eval that the command line names."""
    parser = argparse.ArgumentParser(description="Measure one eval; prints JSON.")
    parser.add_argument("name", choices=SIZES)
    parser.add_argument("--library", default="gradwalk", choices=("gradwalk", "jax", "torch"))
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    calls = programs(options.name, options.library)
    facts: dict[str, Any] = {key: measured(call, options.seconds) for key, call in calls.items()}
    print(json.dumps(facts | {"losses": [total(call()) for call in calls.values()]}))


if __name__ == "__main__":
    main()
