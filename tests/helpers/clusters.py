"""Clusters of processes on this machine, and a sum over data for them."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk.nn import Linear, Sequential, Tanh
from gradwalk.optim import Adam

cloudpickle = pytest.importorskip("cloudpickle")
pytest.importorskip("distributed")

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import tests
QUIET = [  # sockets and ports of clusters that other tests have at the same time
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


@contextmanager
def cluster_of(workers: int, **options: Any) -> Iterator[Any]:
    """Yield a client of a new cluster of processes with one thread each."""
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # of workers that a test kills
    with (
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", **options
        ) as machines,
        Client(machines) as client,
    ):
        yield client


def logistic(w: Any, chunk: tuple[Any, Any]) -> Any:
    """Return the logistic loss of a chunk."""
    x, y = chunk
    return gw.softplus(-(x @ w) * y).sum()


def collections() -> tuple[Any, Any]:
    """Return the data as arrays of Dask."""
    import dask.array as da

    return da.from_array(X, chunks=(ROWS // CHUNKS, 2)), da.from_array(Y, chunks=ROWS // CHUNKS)


def squares(output: Any, target: Any) -> Any:
    """Return the mean square error."""
    return ((output[:, 0] - target) ** 2).mean()


def trained(loss: Any = squares, epochs: int = 2, **options: Any) -> list[bytes]:
    """Return the weights of a small network after a training."""
    model = Sequential(Linear(WIDTH, 5, seed=0), Tanh(), Linear(5, 1, seed=1))
    optimizer = Adam(model.parameters(), lr=0.01)
    data = X[:200], Y[:200]
    options = {"batch_size": 50, "seed": 0, "progress": False, **options}
    gw.fit(model, loss, optimizer, data, epochs=epochs, **options)
    return [np.array(p.data).tobytes() for p in model.parameters()]


def once(path: Path) -> Any:
    """Return a function that is true in one call in a worker, and writes its process id."""
    owner = os.getpid()

    def first() -> bool:
        if os.getpid() == owner:
            return False
        try:
            with open(path, "x") as file:
                file.write(f"{os.getpid()}\n")
        except FileExistsError:
            return False
        return True

    return first
