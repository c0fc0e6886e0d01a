"""Sums over the chunks of Dask's collections, on real clusters of processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import distributed
from gradwalk.errors import OptionError, SizeError, UsageError
from gradwalk.parallel import Here, map_grad, sweep

from ..helpers.clusters import (
    PARTS,
    QUIET,
    W,
    X,
    Y,
    cluster_of,
    collections,
    logistic,
    trained,
)

pytestmark = QUIET


@pytest.fixture(
    scope="module",
    params=[2, pytest.param(1, marks=pytest.mark.prove), pytest.param(3, marks=pytest.mark.prove)],
)
def cluster(request: pytest.FixtureRequest) -> Iterator[Any]:
    with cluster_of(request.param) as client:
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


def test_what_is_not_a_collection(cluster: Any) -> None:
    with pytest.raises(UsageError, match=r"from_array"):
        distributed.value_and_grad(logistic, W, (X, Y), cluster)
    x, y = collections()
    with pytest.raises(SizeError, match="rechunk"):
        distributed.value_and_grad(logistic, W, (x, y.rechunk(500)), cluster)
    with pytest.raises(UsageError, match="a client of Dask, got str 'tcp://x'"):
        distributed.value_and_grad(logistic, W, collections(), "tcp://x")
    with pytest.raises(OptionError, match="Leave out workers"):
        trained(workers=2, client=cluster)


def test_errors_say_which_chunk(cluster: Any) -> None:
    def wrong(w: Any, part: Any) -> Any:
        return w if part[0] == 3 else w.sum()

    import dask.bag

    bag = dask.bag.from_sequence(range(6), npartitions=6)
    with pytest.raises(SizeError, match="one number") as caught:
        distributed.value_and_grad(wrong, np.ones(2), bag, cluster)
    assert caught.value.__notes__ == ["in part 3 of 6, on a worker of Dask"]


def test_a_client_is_an_executor_everywhere(cluster: Any) -> None:
    assert trained(client=cluster) == trained(workers=cluster) == trained(workers=Here())
    assert [r for _, r in sweep(lambda a: a * a, {"a": [1, 2]}, workers=cluster)] == [1, 4]
    jacobian = gw.jacobian(lambda x: x**2, workers=cluster)(np.arange(3.0))
    assert jacobian.tolist() == np.diag([0.0, 2.0, 4.0]).tolist()
    found = gw.minimize(
        lambda w: logistic(w, (X, Y)), W, method="trust-exact", workers=cluster, progress=False
    )
    assert found.converged
