"""Workers that are slow, full or killed, and schedulers that are gone: the same bits, later."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradwalk import distributed
from gradwalk.errors import WorkerError
from gradwalk.parallel import Here, map_grad

from ..helpers.clusters import (
    PARTS,
    QUIET,
    W,
    cluster_of,
    collections,
    logistic,
    once,
    squares,
    trained,
)

dask = pytest.importorskip("dask")
Client = pytest.importorskip("distributed").Client
pytestmark = QUIET


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Count no threads here: those of Dask come and go."""


@pytest.fixture(scope="module")
def two() -> Any:
    with cluster_of(2) as client:
        yield client


def kill_writer(path: Path) -> None:
    """Kill the process that writes its process id into a file, as soon as it has."""
    for _ in range(600):
        if path.exists() and path.read_text().endswith("\n"):
            os.kill(int(path.read_text()), signal.SIGKILL)
            return
        time.sleep(0.05)


@pytest.mark.parametrize("training", [True, False])
def test_a_worker_killed_in_the_middle_of_a_step_changes_no_bit(
    two: Any, tmp_path: Path, training: bool
) -> None:
    first = once(tmp_path / "pid")

    def waits(*args: Any) -> Any:
        if first():
            time.sleep(30.0)  # the killer comes before
        return (squares if training else logistic)(*args)

    killer = threading.Thread(target=kill_writer, args=(tmp_path / "pid",))
    killer.start()
    if training:
        assert trained(waits, client=two) == trained(workers=Here())
    else:
        found = distributed.value_and_grad(waits, W, collections(), two)
        expected = map_grad(logistic, PARTS, Here())(W)
        assert (found[0], found[1].tobytes()) == (expected[0], expected[1].tobytes())
    killer.join()
    assert (tmp_path / "pid").exists()


def test_a_slow_worker_changes_no_bit(two: Any) -> None:
    slow = next(iter(two.run(os.getpid).values()))

    def loss(w: Any, chunk: Any) -> Any:
        time.sleep(0.5 if os.getpid() == slow else 0.0)
        return logistic(w, chunk)

    found = distributed.value_and_grad(loss, W, collections(), two)
    expected = map_grad(logistic, PARTS, Here())(W)
    assert (found[0], found[1].tobytes()) == (expected[0], expected[1].tobytes())


def test_a_worker_whose_disk_is_full_keeps_its_data_in_memory() -> None:
    # Dask writes to the disk what is above 5 % of the memory: 10 of the 40 MB of a worker
    limits = {"distributed.worker.memory.target": 0.05, "distributed.worker.memory.spill": False}
    with dask.config.set(limits), cluster_of(2, memory_limit="600MB") as client:
        full, _ = client.scheduler_info()["workers"]
        nothing = (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        client.run(resource.setrlimit, resource.RLIMIT_FSIZE, nothing, workers=[full])
        parts = [np.full(1_000_000, float(i)) for i in range(10)]
        step = map_grad(lambda w, x: (w * x).sum(), parts, client)
        for _ in range(3):
            assert step(2.0) == (90e6, 45e6)
        on_disk = client.run(lambda dask_worker: len(dask_worker.data.slow))
        assert on_disk.pop(full) == 0 < sum(on_disk.values())


@pytest.mark.prove
def test_two_clusters_at_the_same_time(two: Any) -> None:
    with cluster_of(1) as other:
        assert two.scheduler.address != other.scheduler.address
        steps = [distributed.objective(logistic, collections(), x) for x in (two, other)]
        expected = map_grad(logistic, PARTS, Here())(W)
        for step in 2 * steps:
            assert (step(W)[0], step(W)[1].tobytes()) == (expected[0], expected[1].tobytes())
        assert trained(client=two) == trained(client=other) == trained(workers=Here())


SCHEDULER = """
import sys
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.mark.prove
def test_a_scheduler_that_is_gone_is_a_clear_error_and_leaves_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "scheduler.py").write_text(SCHEDULER)
    expected = trained(epochs=4, workers=Here())
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

            def kill(history: Any) -> None:
                if len(history) == 2:
                    os.killpg(run.pid, signal.SIGKILL)

            path = tmp_path / "run.safetensors"
            with pytest.raises(WorkerError, match="resume=True"):
                trained(epochs=4, client=client, checkpoint=path, callbacks=kill)
            with pytest.raises(WorkerError, match="resume=True"):
                step.value(W)
    assert trained(epochs=4, workers=Here(), checkpoint=path, resume=True) == expected


@pytest.mark.parametrize("error", [OSError(5, "no such disk"), TimeoutError("too slow")])
def test_an_error_of_the_function_is_no_lost_scheduler(two: Any, error: Exception) -> None:
    def loss(w: Any, chunk: Any) -> Any:
        raise error

    with pytest.raises(type(error), match=str(error.args[-1])):
        distributed.value_and_grad(loss, W, collections(), two)


def test_a_loss_that_writes_into_its_chunk_leaves_it_as_it_is(two: Any) -> None:
    import dask.array

    x = dask.array.ones((40, 2), chunks=(10, 2)).persist(scheduler=two)

    def loss(w: Any, chunk: Any) -> Any:
        with pytest.raises(ValueError, match="read-only"):
            chunk *= 2.0
        return (chunk * w).sum()

    found = [distributed.value_and_grad(loss, 3.0, x, two) for _ in range(3)]
    assert found == [(240.0, 80.0)] * 3
