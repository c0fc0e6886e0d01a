"""Sums over the chunks of Dask's collections, on real clusters of processes."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import distributed
from gradwalk.errors import SizeError, UsageError, WorkerError
from gradwalk.nn import Linear, Sequential, Tanh
from gradwalk.optim import Adam
from gradwalk.parallel import Here, map_grad

cloudpickle = pytest.importorskip("cloudpickle")
dask = pytest.importorskip("dask")
Client = pytest.importorskip("distributed").Client

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import tests
# sockets and ports of clusters that other tests have at the same time
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Port:UserWarning"),
]
ROWS, WIDTH, CHUNKS = 6000, 4, 6
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, WIDTH))
Y = np.sign(X @ np.arange(1.0, WIDTH + 1.0) + RNG.normal(size=ROWS))
W = np.linspace(-1.0, 1.0, WIDTH)
PARTS = list(zip(np.split(X, CHUNKS), np.split(Y, CHUNKS), strict=True))


def logistic(w: Any, chunk: tuple[Any, Any]) -> Any:
    x, y = chunk
    return gw.softplus(-(x @ w) * y).sum()


def collections() -> tuple[Any, Any]:
    import dask.array as da

    return da.from_array(X, chunks=(ROWS // CHUNKS, 2)), da.from_array(Y, chunks=ROWS // CHUNKS)


@pytest.fixture(
    scope="module",
    params=[2, pytest.param(1, marks=pytest.mark.prove), pytest.param(3, marks=pytest.mark.prove)],
)
def cluster(request: pytest.FixtureRequest) -> Iterator[Any]:
    from distributed import LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # of workers that a test kills
    with (
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=request.param, threads_per_worker=1, dashboard_address=":0"
        ) as machines,
        Client(machines) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Count no threads here: those of Dask come and go."""


def test_any_number_of_workers_gives_the_bits_of_this_process(cluster: Any) -> None:
    value, gradient = distributed.value_and_grad(logistic, W, collections(), cluster)
    expected = map_grad(logistic, PARTS, Here())(W)
    assert value == expected[0]
    assert gradient.tobytes() == expected[1].tobytes()
    whole = gw.value_and_grad(logistic)(W, (X, Y))
    np.testing.assert_allclose(gradient, whole[1], rtol=1e-11)


@pytest.mark.prove
@pytest.mark.parametrize("method", ["L-BFGS-B", "Newton-CG"])
def test_minima(cluster: Any, method: str) -> None:
    f = distributed.objective(logistic, tuple(x.persist() for x in collections()), cluster)
    found = gw.minimize(f, W, method=method, max_steps=3, progress=False)
    here = gw.minimize(
        map_grad(logistic, PARTS, Here()), W, method=method, max_steps=3, progress=False
    )
    assert found.x.tobytes() == here.x.tobytes()


def test_bags_and_frames(cluster: Any) -> None:
    import dask.bag
    import dask.dataframe
    import pandas

    bag = dask.bag.from_sequence(range(10), npartitions=3)
    assert distributed.value_and_grad(lambda w, part: sum(w * i for i in part), 2.0, bag) == (
        90.0,
        45.0,
    )
    frame = dask.dataframe.from_pandas(pandas.DataFrame({"u": [1.0, 2.0, 3.0]}), npartitions=2)

    def product(w: Any, part: Any) -> Any:
        return (w * part["u"].to_numpy()).sum()

    assert distributed.value_and_grad(product, 2.0, frame) == (12.0, 6.0)


def trained(workers: Any) -> list[bytes]:
    model = Sequential(Linear(WIDTH, 5, seed=0), Tanh(), Linear(5, 1, seed=1))

    def squares(output: Any, target: Any) -> Any:
        time.sleep(0.02)
        return ((output[:, 0] - target) ** 2).mean()

    optimizer = Adam(model.parameters(), lr=0.01)
    data = X[:200], Y[:200]
    gw.fit(
        model,
        squares,
        optimizer,
        data,
        epochs=2,
        batch_size=50,
        seed=0,
        workers=workers,
        progress=False,
    )
    return [np.array(p.data).tobytes() for p in model.parameters()]


def test_a_worker_that_is_killed_changes_no_bit(cluster: Any) -> None:
    expected = trained(Here())
    assert trained(cluster) == expected
    victim = next(iter(cluster.run(os.getpid).values()))
    killer = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
    killer.start()
    assert trained(cluster) == expected
    killer.join()


SCHEDULER = """
import sys
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.mark.prove
def test_a_scheduler_that_is_gone_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "scheduler.py").write_text(SCHEDULER)
    with subprocess.Popen(
        [sys.executable, "scheduler.py"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as run:
        assert run.stdout is not None
        with (
            dask.config.set({"distributed.comm.timeouts.connect": "2s"}),
            Client(run.stdout.readline().strip(), timeout="20s") as client,
        ):
            step = distributed.objective(logistic, collections(), client)
            assert step.value(W) > 0.0
            os.killpg(run.pid, signal.SIGKILL)
            with pytest.raises(WorkerError, match="resume=True"):
                step.value(W)


def test_what_is_not_a_collection(cluster: Any) -> None:
    with pytest.raises(UsageError, match=r"from_array"):
        distributed.value_and_grad(logistic, W, (X, Y), cluster)
    x, y = collections()
    with pytest.raises(SizeError, match="rechunk"):
        distributed.value_and_grad(logistic, W, (x, y.rechunk(500)), cluster)
