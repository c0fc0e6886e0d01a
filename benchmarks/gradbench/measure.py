"""``python -m benchmarks.gradbench.measure``: time the evals beside other libraries, write JSON.

The libraries run in turn, each in a process of its own, on one thread. A time is the median of the
rounds, and a ratio is the median of the ratios of each round.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from .. import report
from ..run import ROOT, agree, python
from .worker import NESTINGS, SIZES, functions

RESULTS = ROOT / "benchmarks" / "gradbench" / "results.json"
PEERS = {
    "jax": ("det", "lse", "llsq", "kmeans", "gmm", "ba", "ht", "lstm", "ode"),
    "torch": ("det", "lse", "llsq", "kmeans", "gmm"),
}
"""The evals that are measured in each other library."""

Facts = dict[str, Any]


def run(name: str, library: str, seconds: float) -> Facts:
    """Return the facts that a worker prints."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(threads, "1")}
    environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    options = ["--library", library, "--seconds", str(seconds)]
    found: Facts = json.loads(
        python(["-m", "benchmarks.gradbench.worker", name, *options], environment)
    )
    return found


def measure(name: str, peers: Sequence[str], rounds: int, seconds: float) -> Facts:
    """Return the times of an eval in every library, and its ratios."""
    turns = []
    for _ in range(rounds):
        turn = {library: run(name, library, seconds) for library in ("gradwalk", *peers)}
        for peer in peers:
            agree(turn["gradwalk"], turn[peer])
        turns.append(turn)
    facts: Facts = {"name": name, "sizes": SIZES[name]}
    facts["ms"] = {library: middle(turn[library] for turn in turns) for library in turns[0]}
    return facts | ratios(name, turns)


def middle(runs: Iterable[Facts]) -> Facts:
    """Return the medians of the rounds, of each function."""
    every = [*runs]
    return {
        function: {key: median(one[function][key] for one in every) for key in times}
        for function, times in every[0].items()
        if function != "losses"
    }


def ratios(name: str, turns: Sequence[dict[str, Facts]]) -> Facts:
    """Return derivative over function and over the fastest other library, for each round's calls.

    The nestings of `particle` and `saddle` are neither: their figure is the slowest of them.
    """
    own = [turn["gradwalk"] for turn in turns]
    if functions(name) == NESTINGS:
        return {"slowest_ms": median(max(one[n]["call"] for n in NESTINGS) for one in own)}
    function, derivative = functions(name)
    cost = median(one[derivative]["call"] / one[function]["call"] for one in own)
    found: Facts = {"over_function": cost}
    peers = {peer for turn in turns for peer in turn} - {"gradwalk"}
    if peers:
        best = {peer: median(turn[peer][derivative]["call"] for turn in turns) for peer in peers}
        fastest = min(best, key=lambda peer: best[peer])
        pairs = [(turn["gradwalk"], turn[fastest]) for turn in turns]
        quotient = median(a[derivative]["call"] / b[derivative]["call"] for a, b in pairs)
        found |= {"peer": fastest, "over_peer": quotient}
    return found


def main() -> None:
    """Measure the evals that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gradbench.measure", description=main.__doc__
    )
    parser.add_argument("--only", action="append", metavar="NAME", choices=SIZES)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each library (default 5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each call (default 1)")
    parser.add_argument("--json", type=Path, help="output file (of a full run: results.json)")
    options = parser.parse_args()
    rows = []
    for name in options.only or SIZES:
        peers = [p for p, evals in PEERS.items() if name in evals and find_spec(p)]
        rows.append(measure(name, peers, options.rounds, options.seconds))
        print(json.dumps(rows[-1]), flush=True)
    path = options.json or (None if options.only else RESULTS)
    if path:
        machine = report.machine()
        machine["versions"] |= report.versions([*PEERS])
        path.write_text(json.dumps({"machine": machine, "evals": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
