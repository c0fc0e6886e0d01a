"""Work divided among processes, and on clusters of Dask, beside the same work without them.

``python -m benchmarks.scaling map_grad`` prints one line of JSON. Both sides run in turn in the
same program, on one thread each, and the fastest run of each counts. These are times of a clock:
on a machine that does other work they measure that work too, so the load is among the facts.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import gradwalk as gw
from gradwalk.optim import SGD
from gradwalk.parallel import Here, Processes, map_grad

Run = Callable[[], Any]
SHARDS, WIDTH, HIDDEN = 8, 20, 200
WEIGHTS = np.full((WIDTH, HIDDEN), 0.01)


def logistic(w: Any, shard: Any) -> Any:
    """Return the logistic loss of a network with one hidden layer on a shard."""
    x, y = shard
    return gw.softplus(-gw.tanh(x @ w).sum(axis=1) * y).sum()


def shard_of(rows: int, seed: int = 0) -> tuple[Any, Any]:
    """Return the rows of a shard and their labels."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, WIDTH)), np.sign(rng.normal(size=rows))


def rows_that_take(seconds: float) -> int:
    """Return how many rows of a shard take so long on one core."""
    step = map_grad(logistic, [shard_of(2_000)], workers=Here())
    return int(2_000 * seconds / fastest([partial(step, WEIGHTS)], 7)[0])


def fastest(runs: list[Run], rounds: int) -> list[float]:
    """Return the seconds of the fastest of each of some runs, which take turns."""
    best = [float("inf")] * len(runs)
    for _ in range(rounds):
        for i, run in enumerate(runs):
            start = perf_counter()
            run()
            best[i] = min(best[i], perf_counter() - start)
    return best


# --- one machine ----------------------------------------------------------------------------------


def of_map_grad(workers: Any) -> Run:
    """Return one step over shards of about 100 ms."""
    rows = rows_that_take(0.1)
    step = map_grad(logistic, [shard_of(rows, i) for i in range(SHARDS)], workers)
    return partial(step, WEIGHTS)


def of_fit(workers: Any) -> Run:
    """Return one epoch of two batches of 8,000 rows, whose eight shards take about 60 ms."""
    x, y = shard_of(16_000)
    sizes = gw.nn.Linear(WIDTH, 600), gw.nn.Tanh(), gw.nn.Linear(600, 600), gw.nn.Tanh()
    model = gw.nn.Sequential(*sizes, gw.nn.Linear(600, 1))
    optimizer = SGD(model.parameters(), lr=0.01)

    def squares(output: Any, target: Any) -> Any:
        return ((output[:, 0] - target) ** 2).mean()

    def run() -> None:
        options = {"epochs": 1, "batch_size": 8_000, "seed": 0, "progress": False}
        gw.fit(model, squares, optimizer, (x, y), workers=workers, **options)

    return run


def of_jacobian(workers: Any) -> Run:
    """Return a Jacobian of 256 rows, whose sixteen parts take about 32 ms each."""
    a = np.random.default_rng(0).normal(size=(256, 400)) / 20.0

    def f(x: Any) -> Any:
        for _ in range(60):
            x = gw.tanh(a.T @ (a @ x))
        return x[:256]

    return partial(gw.jacobian(f, mode="reverse", workers=workers), np.ones(400))


def speedup(work: Callable[[Any], Run], rounds: int) -> dict[str, Any]:
    """Measure how many times faster two workers are than this process alone."""
    with Processes(2) as two:
        alone, divided = fastest([work(Here()), work(two)], rounds)
    return {"total": alone / divided, "alone_ms": alone * 1e3, "divided_ms": divided * 1e3}


# --- Dask -----------------------------------------------------------------------------------------


@contextmanager
def cluster_of(workers: int) -> Iterator[Any]:
    """Yield a client of a cluster of processes with one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as machines,
        Client(machines) as client,
    ):
        yield client


def plainly(shards: list[Any], w: Any) -> Any:
    """Compute some shards in a loop, in one process."""
    return [gw.value_and_grad(logistic)(w, shard) for shard in shards]


def dask_cost(rounds: int) -> dict[str, Any]:
    """Measure a step of 16 shards of 100 ms on Dask, over two processes that only compute them."""
    rows, w = rows_that_take(0.1), WEIGHTS
    shards = [shard_of(rows, i) for i in range(16)]
    with Processes(2) as two, cluster_of(2) as client:
        step = map_grad(logistic, shards, workers=client)
        halves = two.scatter([shards[::2], shards[1::2]])
        plain, dask = fastest([lambda: two.map(plainly, halves, w), lambda: step(w)], rounds)
    return {"total": dask / plain, "plain_ms": plain * 1e3, "dask_ms": dask * 1e3}


def dask_growth(rounds: int) -> dict[str, Any]:
    """Measure what a step costs that computes nothing, with 1, 2, 4 and 8 workers.

    There are 2 and 16 shards a worker, and weights of 80 bytes and of 8 MB.
    """
    steps: dict[str, float] = {}
    for workers in (1, 2, 4, 8):
        with cluster_of(workers) as client:
            for shards in (2 * workers, 16 * workers):
                step = map_grad(_nothing, list(range(shards)), workers=client)
                (best,) = fastest([partial(step, np.ones(10))], rounds)
                steps[f"{workers} workers, {shards} shards"] = best * 1e3
            large = fastest([partial(step, np.ones(1_000_000))], 3)[0]
            steps[f"{workers} workers, {shards} shards, 8 MB"] = large * 1e3
    return {"total": steps["2 workers, 4 shards"], "steps_ms": steps}


def _nothing(w: Any, shard: int) -> Any:
    return (w * float(shard)).sum()


WORKS: dict[str, Callable[[int], dict[str, Any]]] = {
    "map_grad": partial(speedup, of_map_grad),
    "fit": partial(speedup, of_fit),
    "jacobian": partial(speedup, of_jacobian),
    "dask": dask_cost,
    "growth": dask_growth,
}


def main() -> None:
    """Measure the work that the command line names."""
    parser = argparse.ArgumentParser(description="Measure divided work; prints JSON.")
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    before = os.getloadavg()[0]
    print(json.dumps(WORKS[options.work](options.steps) | {"load_before": before}))


if __name__ == "__main__":
    main()
