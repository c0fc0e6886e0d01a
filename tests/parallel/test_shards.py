"""What a function does to its shard reaches nothing else; its errors arrive as they are."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor
from gradwalk.errors import UsageError, WorkerError
from gradwalk.parallel import Here, Pool, Processes, map_grad
from gradwalk.workers.blocks import store


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Count no threads here: those of the executors live as long as the module."""


WORKERS = ["here", "threads", "one process", "two processes"]


@pytest.fixture(scope="module")
def executors() -> Iterator[dict[str, Any]]:
    with ThreadPoolExecutor(2) as threads, Processes(1) as one, Processes(2) as two:
        yield dict(zip(WORKERS, [Here(), Pool(threads), one, two], strict=True))


DATA = np.arange(60_000.0).reshape(3000, 20) / 60_000.0
LAYOUTS: dict[str, Any] = {
    "every eighth": DATA[::8],
    "from the end": DATA[::-1],
    "columns": DATA[:, 3:5],
    "transposed": DATA.T,
    "one row for all": np.broadcast_to(DATA[0], (50, 20)),
    "a pair, as in the manual": (DATA[1::8], DATA[1::8, 0]),
    "in a dictionary": {"x": [DATA[::2, ::2]], "y": 3.0},
    "a Tensor": Tensor(DATA[::3]),
    "integers": np.arange(10_000)[::3],
}


def arrays_of(shard: Any) -> list[Any]:
    if isinstance(shard, dict):
        shard = list(shard.values())
    if isinstance(shard, (list, tuple)):
        return [x for part in shard for x in arrays_of(part)]
    found = getattr(shard, "_data", shard)
    return [found] if isinstance(found, np.ndarray) else []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_of_any_layout_are_shared(layout: str) -> None:
    for shared in (False, True):
        block = store(LAYOUTS[layout], shared=shared)
        assert len(block.part.pickled) < 1000  # so the numbers lie elsewhere, once


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_cannot_be_written_to(executors: Any, workers: str, layout: str) -> None:
    executor, sent = executors[workers], LAYOUTS[layout]

    def look(shard: Any, _: float) -> Any:
        arrays = arrays_of(shard)
        refused = [not a.flags.writeable for a in arrays]
        whole = [a.flags.c_contiguous or a.flags.f_contiguous for a in arrays]
        return refused, whole, [a.copy() for a in arrays]

    refused, whole, got = executor.map(look, executor.scatter([sent, sent]), 1.0)[1]
    expected = arrays_of(sent)
    assert whole == [True] * len(expected)
    # a Tensor copies its array when it is unpickled: what is written into it reaches nothing
    assert refused == [not isinstance(sent, Tensor)] * len(expected)
    for x, y in zip(got, expected, strict=True):
        np.testing.assert_array_equal(x, y)


def counts(w: Any, shard: Any) -> Any:
    """Change everything that can be changed, and return a number that shows it."""
    shard["seen"].append(1.0)
    shard["draws"] = shard["draws"] + 1.0
    noise = shard["generator"].standard_normal()
    return w * (len(shard["seen"]) + shard["draws"] + noise)


def test_a_function_that_changes_its_shard_depends_on_no_worker(executors: Any) -> None:
    generators = [np.random.default_rng(i) for i in range(5)]
    shards = [{"seen": [], "draws": 0.0, "generator": g} for g in generators]
    found = []
    for executor in executors.values():
        step: Any = map_grad(counts, shards, workers=executor)
        found += [step(2.0) for _ in range(3)]
        assert step.value(2.0) == found[0][0]
    assert len(set(found)) == 1
    assert shards[0]["seen"] == []


def test_a_function_that_changes_its_parameters(executors: Any) -> None:
    def f(shard: float, w: Any) -> Any:
        w["steps"].append(shard)
        return len(w["steps"])

    for executor in executors.values():
        given: dict[str, list[float]] = {"steps": []}
        assert executor.map(f, executor.scatter([1.0, 2.0, 3.0]), given) == [1, 1, 1]
        assert given == {"steps": []}


def test_shards_are_those_of_the_moment_when_they_were_sent(executors: Any) -> None:
    for executor in executors.values():
        x = np.ones(10_000)
        handles = executor.scatter([x, x[::2]])
        x[:] = 7.0
        assert executor.map(lambda x, _: float(x.sum()), handles, 0.0) == [10_000.0, 5_000.0]


# --- errors ---------------------------------------------------------------------------------------


class Odd(Exception):  # noqa: N818
    """An error that cannot be unpickled: its arguments are not those of its class."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} and {b} do not fit")


class Holds(Exception):  # noqa: N818
    """An error that cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("something is locked")
        self.lock = threading.Lock()


def raising(kind: str) -> Any:
    class Local(ValueError):  # noqa: N818
        pass

    errors = {
        "OSError": OSError(5, "no such disk"),
        "TimeoutError": TimeoutError("too slow"),
        "ConnectionError": ConnectionResetError("the data base has gone"),
        "a class of the function": Local("local"),
        "a subclass of BrokenPipeError": BrokenPipeError("pipe"),
        "StopIteration": StopIteration(3),
    }

    def f(w: Any, shard: Any) -> Any:
        if kind == "odd":
            raise Odd(1, 2)
        if kind == "holds":
            raise Holds
        raise errors[kind]

    return f, errors.get(kind)


KINDS = ["OSError", "TimeoutError", "ConnectionError", "a class of the function"]
KINDS += ["a subclass of BrokenPipeError", "StopIteration"]


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_the_function_arrive_as_they_are(executors: Any, workers: str, kind: str) -> None:
    f, error = raising(kind)
    step: Any = map_grad(f, [1.0, 2.0], workers=executors[workers])
    with pytest.raises(Exception, match=str(error.args[-1])) as caught:
        step(1.0)
    assert type(caught.value).__name__ == type(error).__name__
    assert str(caught.value) == str(error)


@pytest.mark.parametrize("workers", WORKERS[1:])
@pytest.mark.parametrize(("kind", "words"), [("odd", "1 and 2 do not fit"), ("holds", "is locked")])
def test_errors_that_cannot_be_sent_are_named(
    executors: Any, workers: str, kind: str, words: str
) -> None:
    step: Any = map_grad(raising(kind)[0], [1.0, 2.0], workers=executors[workers])
    with pytest.raises(WorkerError, match=words) as caught:
        step(1.0)
    assert kind.title() in caught.value.got
    assert "in f\n" in str(caught.value.__cause__)  # the traceback of the worker
    assert executors[workers].map(pow, executors[workers].scatter([2.0]), 3.0) == [8.0]


def test_a_shard_that_cannot_be_copied_is_refused() -> None:
    with pytest.raises(UsageError, match="lock"):
        map_grad(lambda w, shard: w, [threading.Lock()], workers=Here())
