"""Sums over shards: the same bits for any number of workers, whatever happens to them."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk.errors import OptionError, UsageError, WorkerError
from gradwalk.nn import MLP, BatchNorm1d, Dropout, Linear, Module, Sequential, Tanh, mse
from gradwalk.optim import Adam
from gradwalk.parallel import Here, Processes, map_grad, multistart, sweep
from gradwalk.workers import blocks, executor_of, summed

SHARED = Path("/dev/shm")


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Count no threads here: those of a pool end a little after its workers."""


@pytest.fixture(scope="module", params=[1, 2, 3])
def workers(request: pytest.FixtureRequest) -> Iterator[Processes]:
    with Processes(request.param) as executor:
        yield executor


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    with Processes(2) as executor:
        yield executor


# --- the order of sums ----------------------------------------------------------------------------


@given(st.integers(1, 70))
def test_sums_use_every_result_once_and_are_shallow(count: int) -> None:
    def add(x: tuple[list[int], int], y: tuple[list[int], int]) -> tuple[list[int], int]:
        return x[0] + y[0], 1 + max(x[1], y[1])

    used, depth = summed([([i], 0) for i in range(count)], add)
    assert used == list(range(count))
    assert depth == (count - 1).bit_length()


def loss(params: dict[str, Any], shard: tuple[Any, Any]) -> Any:
    x, y = shard
    return ((gw.tanh(x @ params["w"]) * params["scale"] - y) ** 2).sum()


def shards_of(count: int) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(count)
    return [(rng.normal(size=(1 + 5000 * (i == 1), 3)), rng.normal()) for i in range(count)]


PARAMS = {"w": np.array([0.5, -1.0, 2.0]), "scale": 0.3}


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_any_number_of_workers_gives_the_same_bits(workers: Processes, count: int) -> None:
    shards = shards_of(count)
    value, gradient = map_grad(loss, shards, workers)(PARAMS)
    here = map_grad(loss, shards, Here())
    assert value == here.value(PARAMS)
    assert gradient["w"].tobytes() == here(PARAMS)[1]["w"].tobytes()
    assert gradient["scale"] == here(PARAMS)[1]["scale"]
    whole = gw.value_and_grad(lambda p: sum(loss(p, shard) for shard in shards))(PARAMS)
    np.testing.assert_allclose(value, whole[0], rtol=1e-13)
    np.testing.assert_allclose(gradient["w"], whole[1]["w"], rtol=1e-12)
    product = map_grad(loss, shards, workers).product(PARAMS, PARAMS)
    expected = gw.hvp(lambda p: sum(loss(p, shard) for shard in shards))(PARAMS, PARAMS)
    np.testing.assert_allclose(product["w"], expected["w"], rtol=1e-10)


@pytest.mark.skipif(not SHARED.exists(), reason="needs the shared memory of Linux")
def test_shared_memory_is_given_back(two: Processes) -> None:
    step = map_grad(lambda w, x: (w * x).sum(), [np.ones(100_000)] * 3, two)
    names = [handle.part.name for handle in step._handles]
    assert all((SHARED / name).exists() for name in names)
    assert step(2.0) == (600_000.0, 300_000.0)
    del step
    assert not any((SHARED / name).exists() for name in names)


def test_without_room_in_shared_memory_arrays_are_sent(
    two: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_is_free", lambda size: False)
    step = map_grad(lambda w, x: (w * x).sum(), [np.ones(100_000)] * 3, two)
    assert step(2.0) == (600_000.0, 300_000.0)


# --- what goes wrong ------------------------------------------------------------------------------


def test_a_worker_that_dies_costs_time_only(two: Processes, tmp_path: Path) -> None:
    flag = str(tmp_path / "died")

    def mortal(w: Any, x: Any) -> Any:
        if x == 2.0 and not os.path.exists(flag):
            open(flag, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return w * w * x

    assert map_grad(mortal, [1.0, 2.0, 3.0, 4.0], two)(3.0) == (90.0, 60.0)
    assert os.path.exists(flag)


def test_workers_that_die_again_and_again_are_an_error(two: Processes) -> None:
    def fatal(w: Any, x: Any) -> Any:
        return os.kill(os.getpid(), signal.SIGKILL) if x == 2.0 else w * x

    with Processes(2, retries=1) as executor, pytest.raises(WorkerError, match="are missing:"):
        map_grad(fatal, [1.0, 2.0, 3.0], executor)(1.0)
    assert map_grad(operator.mul, [1.0, 2.0], two)(1.0) == (3.0, 3.0)


def test_errors_of_a_function_say_which_shard() -> None:
    def wrong(w: Any, x: Any) -> Any:
        if x == 2.0:
            raise ValueError("a two")
        return w * x

    with Processes(2) as executor, pytest.raises(ValueError, match="a two") as caught:
        map_grad(wrong, [1.0, 2.0, 3.0], executor)(1.0)
    assert caught.value.__notes__ == ["in part 1 of 3, in a worker process"]


def test_a_shard_cannot_be_written_to() -> None:
    def writes(w: Any, x: Any) -> Any:
        x[0] = 5.0
        return w * x.sum()

    with Processes(1) as executor, pytest.raises(ValueError, match="read-only"):
        map_grad(writes, [np.ones(100_000)], executor)(1.0)


INTERRUPTED = """
import sys, time
from gradwalk.parallel import Processes, map_grad
import os

def slow(w, x):
    os.write(1, b"%d\\n" % os.getpid())  # both print at the same time
    time.sleep(60.0)
    return w * x

if __name__ == "__main__":
    import numpy as np
    step = map_grad(slow, [np.ones(100_000)] * 2, Processes(2))
    print(step._handles[0].part.name, flush=True)
    step(1.0)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs the list of processes of Linux")
def test_an_interrupt_ends_the_workers(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(INTERRUPTED)
    run = subprocess.Popen(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None
    block = SHARED / run.stdout.readline().strip()
    assert block.exists()
    pids = [int(run.stdout.readline()) for _ in range(2)]
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    _, said = run.communicate(timeout=20)
    assert said.count("KeyboardInterrupt") == 1
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            break
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not block.exists()


def test_transforms_do_not_reach_into_workers(two: Processes) -> None:
    step = map_grad(operator.mul, [1.0, 2.0], two)
    with pytest.raises(UsageError, match="product"):
        gw.grad(lambda w: step(w)[0])(1.0)


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_numbers_of_workers_that_are_none(workers: Any) -> None:
    with pytest.raises(OptionError, match="workers=2"):
        executor_of(workers, "fit")


def test_workers_do_not_divide_their_parts_again(two: Processes) -> None:
    def nested(w: Any, x: Any) -> Any:
        return w * len(sweep(lambda a: a, {"a": [x, x]}, workers=2))

    assert map_grad(nested, [1.0, 2.0], two)(3.0) == (12.0, 4.0)


# --- what is built on it --------------------------------------------------------------------------


def test_sweeps_and_starts_come_in_order(two: Processes) -> None:
    choices = sweep(lambda a, b: 10 * a + b, {"a": [1, 2], "b": (3, 4)}, workers=two)
    assert [result for _, result in choices] == [13, 14, 23, 24]
    assert choices[1][0] == {"a": 1, "b": 4}
    lowest = multistart(lambda x: (x * x - 1.0) ** 2 + 0.1 * x, [1.0, -1.0, -1.1], workers=two)
    assert lowest.x == pytest.approx(-1.01227, abs=1e-4)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_jacobians(workers: Processes, mode: Any) -> None:
    a = np.random.default_rng(0).normal(size=(40, 37))

    def f(x: dict[str, Any]) -> Any:
        return {"long": gw.tanh(a @ x["x"]), "short": x["x"][:2] * x["s"], "one": x["s"] ** 2}

    at = {"x": np.linspace(-1.0, 1.0, 37), "s": 3.0}
    found = gw.jacobian(f, mode=mode, workers=workers)(at)
    here = gw.jacobian(f, mode=mode, workers=Here())(at)
    expected = gw.jacobian(f, mode=mode)(at)
    for name in expected:
        for part in ("x", "s"):
            np.testing.assert_allclose(found[name][part], expected[name][part], rtol=1e-13)
            assert np.all(found[name][part] == here[name][part])
    nested = gw.jacobian(gw.jacobian(lambda x: x**3, workers=workers))(np.array([1.0, 2.0]))
    assert nested[1, 1, 1] == 12.0


@pytest.mark.parametrize("method", ["L-BFGS-B", "Newton-CG"])
def test_minima_of_sums(two: Processes, method: str) -> None:
    shards = shards_of(3)

    def lowest(f: Any) -> Any:
        return gw.minimize(f, PARAMS, method=method, max_steps=5, progress=False)

    found = lowest(map_grad(loss, shards, two))
    assert found.x["w"].tobytes() == lowest(map_grad(loss, shards, Here())).x["w"].tobytes()
    expected = lowest(lambda p: sum(loss(p, shard) for shard in shards))
    assert found.value == pytest.approx(expected.value, rel=1e-6)


@pytest.mark.parametrize("method", ["trust-exact", "least_squares"])
def test_minima_with_divided_derivatives(two: Processes, method: str) -> None:
    x = np.linspace(0.0, 1.0, 30)

    def residuals(p: dict[str, Any]) -> Any:
        return p["a"] * gw.exp(p["b"] * x) - 2.0 * np.exp(-x)

    squares = method == "least_squares"
    f: Any = residuals if squares else lambda p: (residuals(p) ** 2).sum()
    found = gw.minimize(f, {"a": 1.0, "b": 0.0}, method=method, workers=two, progress=False)
    assert (found.x["a"], found.x["b"]) == pytest.approx((2.0, -1.0), abs=1e-4)


# --- training -------------------------------------------------------------------------------------


def squares(output: Any, target: Any) -> Any:
    return ((output - target) ** 2).mean()


def trained(workers: Any, model: Module | None = None, loss: Any = squares) -> Any:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(101, 3))
    model = model or Sequential(Linear(3, 8, seed=0), Tanh(), Linear(8, 2, seed=1))
    history = gw.fit(
        model,
        loss,
        Adam(model.parameters(), lr=0.01),
        (x, x[:, :2] ** 2),
        epochs=3,
        batch_size=40,
        metrics={"error": lambda output, target: abs(output - target).mean()},
        seed=0,
        workers=workers,
        progress=False,
    )
    return history, [np.array(p.data).tobytes() for p in model.parameters()]


def test_training_gives_the_same_bits(workers: Processes) -> None:
    history, weights = trained(workers)
    assert weights == trained(Here())[1]
    np.testing.assert_allclose(history["loss"], trained(None)[0]["loss"], rtol=1e-12)
    np.testing.assert_allclose(history["error"], trained(None)[0]["error"], rtol=1e-12)


def test_networks_of_values_are_trained_too(two: Processes) -> None:
    x = np.random.default_rng(0).normal(size=(20, 2))
    losses = []
    for workers in (two, None):
        model = MLP(2, [3, 1], seed=0)
        optimizer = Adam(model.parameters(), lr=0.05)
        data = x, x[:, 0] * x[:, 1]
        history = gw.fit(
            model, mse, optimizer, data, epochs=2, seed=0, workers=workers, progress=False
        )
        losses.append(history["loss"])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "loss", "text"),
    [
        (None, lambda output, target: ((output - target) ** 2).sum(), "mean over the rows"),
        (Sequential(Linear(3, 2), BatchNorm1d(2)), squares, "running_mean"),
        (Sequential(Linear(3, 2), Dropout(0.5)), squares, "random draws"),
    ],
)
def test_what_workers_would_get_wrong_is_an_error(model: Any, loss: Any, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        trained(Here(), model, loss)
