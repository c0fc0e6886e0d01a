"""Executors of other packages: those of `concurrent.futures`, of loky, and of MPI, really run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk.nn import Linear
from gradwalk.optim import SGD
from gradwalk.parallel import Here, Pool, map_grad, multistart, sweep
from gradwalk.workers import executor_of

ROOT = Path(__file__).resolve().parents[2]


def reusable(count: int) -> Executor:
    from loky import get_reusable_executor

    return get_reusable_executor(count)  # type: ignore[no-any-return]


def spawned(count: int) -> Executor:
    return ProcessPoolExecutor(count, get_context("spawn"))


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Count no threads here: those of a pool end a little after its workers."""


@pytest.fixture(scope="module", params=[ThreadPoolExecutor, spawned, reusable])
def pool(request: pytest.FixtureRequest) -> Iterator[Executor]:
    make: Callable[[int], Executor] = request.param
    with make(2) as executor:
        yield executor


def logistic(w: Any, shard: Any) -> Any:
    x, y = shard
    return gw.softplus(-(x @ w) * y).sum()


RNG = np.random.default_rng(0)
SHARDS = [(RNG.normal(size=(9000, 3)), np.sign(RNG.normal(size=9000))) for _ in range(5)]


def test_pools_of_others_give_the_same_bits(pool: Any) -> None:
    w = np.array([0.1, 0.2, -0.3])
    step, here = (map_grad(lambda w, s: logistic(w, s), SHARDS, x) for x in (pool, Here()))
    assert step(w)[0] == here(w)[0]
    assert step(w)[1].tobytes() == here(w)[1].tobytes()
    assert step.product(w, w).tobytes() == here.product(w, w).tobytes()
    step.close()  # the pool is not ours
    assert [y for _, y in sweep(lambda a: a * a, {"a": [1, 2, 3]}, workers=pool)] == [1, 4, 9]
    assert multistart(lambda x: (x - 1.0) ** 2, [0.0, 3.0], workers=pool).x == pytest.approx(1.0)


def test_training_on_pools_of_others(pool: Any) -> None:
    def trained(workers: Any) -> bytes:
        model = Linear(3, 1, seed=0)
        x = SHARDS[0][0][:64]
        gw.fit(
            model,
            lambda output, target: ((output - target) ** 2).mean(),
            SGD(model.parameters(), lr=0.1),
            (x, x[:, :1]),
            epochs=2,
            seed=0,
            workers=workers,
            progress=False,
        )
        return np.array(model.weight.data).tobytes()

    assert trained(pool) == trained(Here())


def test_errors_on_pools_say_which_part(pool: Any) -> None:
    def wrong(w: Any, x: Any) -> Any:
        if x == 2.0:
            raise ValueError("a two")
        return w * x

    with pytest.raises(ValueError, match="a two") as caught:
        map_grad(wrong, [1.0, 2.0, 3.0], pool)(1.0)
    assert "in part 1 of 3, in a worker" in caught.value.__notes__
    assert isinstance(executor_of(pool, "fit"), Pool)


MPI = """
import numpy as np
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor
from gradwalk import minimize, softplus
from gradwalk.parallel import Here, map_grad

def logistic(w, shard):
    x, y = shard
    return softplus(-(x @ w) * y).sum()

def rank(i):
    return MPI.COMM_WORLD.Get_rank()

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    shards = [(rng.normal(size=(900, 3)), np.sign(rng.normal(size=900))) for _ in range(5)]
    w = np.array([0.1, 0.2, -0.3])
    with MPIPoolExecutor() as pool:
        ranks = set(pool.map(rank, range(50)))
        step, here = (map_grad(logistic, shards, workers=x) for x in (pool, Here()))
        same = step(w)[1].tobytes() == here(w)[1].tobytes()
        found, expected = (minimize(f, w, method="Newton-CG", progress=False) for f in (step, here))
        print(sorted(ranks), same, found.x.tobytes() == expected.x.tobytes())
"""


def test_the_executor_of_mpi(tmp_path: Path) -> None:
    python = os.environ.get("GRADWALK_MPI", sys.executable)  # one that has mpi4py
    mpiexec = Path(python).with_name("mpiexec")
    launch = str(mpiexec) if mpiexec.exists() else shutil.which("mpiexec")
    if launch is None or (python == sys.executable and find_spec("mpi4py") is None):
        pytest.skip("NOT TESTED: MPI (pip install mpi4py mpich; or set GRADWALK_MPI to a Python)")
    (tmp_path / "program.py").write_text(MPI)
    command = [launch, "-n", "3", python, "-m", "mpi4py.futures", "program.py"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[1, 2] True True", done.stderr
