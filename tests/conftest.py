"""Shared by all tests: the amount that hypothesis draws, a guard against leaks, and fixtures."""

from __future__ import annotations

import gc
import importlib
import os
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

# Threads that wait for each other: with two tests at a time a small product took 12 ms, not 0.1.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

with warnings.catch_warnings():  # without a compiler the tests run on the Python engine
    warnings.filterwarnings("ignore", "import gradwalk: ")
    from gradwalk import Value
from gradwalk.engine import pure
from gradwalk.engine.traced import running_inputs
from gradwalk.levels.level import running
from gradwalk.native import engine as native_engine

from .helpers.amount import THOROUGH
from .helpers.slices import plugin

COUNTING = os.environ.get("GRADWALK_COUNT_ASSERTIONS", "0") not in ("", "0")

if native_engine is None:  # nor do the processes that tests start warn
    os.environ["GRADWALK_PURE"] = "1"

settings.load_profile("thorough" if THOROUGH else "quick")

TESTS = Path(__file__).parent.as_posix()


ON_BOTH_ENGINES = """engine/ levels/ check/ tensor/graph/ ops/array/test_sizes ops/test_points
ops/test_lists transforms/test_basic transforms/test_nesting transforms/test_custom
transforms/test_identity nn/test_values optim/test_values inspect/test_inspect
studio/test_document matrix/"""
"""Tests that the Python engine can fail: they get the marker ``engine``, with which ``make test``
repeats them on that engine. All others see the engines only through what these tests hold."""

ABOVE_THE_ENGINES = """ops/array/test_linalg ops/array/test_products ops/array/test_convolution
ops/array/test_normalization ops/array/test_reductions ops/array/test_ordering tensor/functions/
tensor/numpy/ transforms/test_check_grads transforms/test_gradbench transforms/test_jacobians
transforms/test_sparse transforms/test_taylor transforms/test_vmap studio/test_channel
studio/test_explore studio/test_expressions studio/test_lessons studio/test_server
studio/test_table house/ typing/"""
"""Tests that ``GRADWALK_PURE=1`` leaves out, also in ``make prove``: NumPy computes primitives on
arrays with either engine, and these parts of transforms and page never meet the difference."""


def pytest_configure(config: pytest.Config) -> None:
    """Run a slice of the tests, or count assertions, if the environment asks for it."""
    if COUNTING:
        config.pluginmanager.register(importlib.import_module(".helpers.asserted", __package__))
    found = plugin()
    if found is not None:
        config.pluginmanager.register(found, "gradwalk-slice")


def _belongs(item: pytest.Item, names: str) -> bool:
    return item.path.as_posix().startswith(tuple(f"{TESTS}/{name}" for name in names.split()))


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if _belongs(item, ON_BOTH_ENGINES):
            item.add_marker("engine")
    if os.environ.get("GRADWALK_PURE", "0") in ("", "0"):
        return
    left_out = [item for item in items if _belongs(item, ABOVE_THE_ENGINES)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not _belongs(item, ABOVE_THE_ENGINES)]


def pytest_collection_finish() -> None:
    """Set what all tests have imported aside: collections then look at what a test has made.

    With 15,000 tests in memory a full collection takes a third of a second, and many tests
    make one.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    """A test that leaves a switch behind would change what the next one sees."""
    before, threads = (sys.getrecursionlimit(), sys.getswitchinterval()), threading.active_count()
    yield
    assert gc.isenabled()
    assert (Value(1.0) + 1.0).operands, "a no_grad block was left open"
    assert running.depth == 0, "a transform was left open"
    assert not running_inputs, "a transform was left open"
    assert before == (sys.getrecursionlimit(), sys.getswitchinterval())
    assert threading.active_count() <= threads  # one of a fixture may have ended meanwhile


def _bits(number: Any) -> int | None:
    """The 64 bits of a float, so that -0.0 is not 0.0; every NaN is the same one."""
    if number is None:
        return None
    return -1 if number != number else int.from_bytes(struct.pack(">d", number), "big")


@pytest.fixture(scope="session")
def bits() -> Callable[[Any], int | None]:
    return _bits


@pytest.fixture(scope="session")
def both_engines() -> tuple[ModuleType, Any]:
    """The Python engine and the compiled one, side by side in this process."""
    if native_engine is None:
        pytest.skip("only the Python engine runs here: there is no second one to compare with")
    return pure, native_engine


@pytest.fixture(scope="session", name="run_python")
def _run_python() -> Callable[..., str]:
    from .helpers.processes import run_python  # not before `asserted` counts its assertion

    return run_python
