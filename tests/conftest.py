"""What all tests share: seeded hypothesis, a guard against leaked state, and some fixtures."""

from __future__ import annotations

import gc
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

# Threads that wait for each other: with two tests at a time a small product took 12 ms, not 0.1.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from gradwalk import Value
from gradwalk.engine import pure
from gradwalk.levels.level import running
from gradwalk.native import engine as native_engine

settings.register_profile("gradwalk", deadline=None, derandomize=True, database=None)
settings.load_profile("gradwalk")

TESTS = Path(__file__).parent.as_posix()


ABOVE_THE_ENGINES = """ops/array/test_linalg ops/array/test_products ops/array/test_convolution
ops/array/test_normalization ops/array/test_reductions ops/array/test_ordering tensor/functions/
tensor/numpy/ transforms/test_check_grads transforms/test_gradbench transforms/test_jacobians
transforms/test_sparse transforms/test_taylor transforms/test_vmap studio/test_channel
studio/test_explore studio/test_expressions studio/test_lessons studio/test_server
studio/test_table"""
"""Tests that ``GRADWALK_PURE=1`` leaves out: rows on arrays, which NumPy computes on either engine
(the sweeps, which differ, have tests of their own), transforms that meet arrays or tracers alone,
and the parts of the page that never come near the difference between the engines."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("GRADWALK_PURE", "0") in ("", "0"):
        return
    once = tuple(f"{TESTS}/{name}" for name in ABOVE_THE_ENGINES.split())
    left_out = [item for item in items if item.path.as_posix().startswith(once)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.path.as_posix().startswith(once)]


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    """A test that leaves a switch behind would change what the next one sees."""
    before = sys.getrecursionlimit(), sys.getswitchinterval(), threading.active_count()
    yield
    assert gc.isenabled()
    assert (Value(1.0) + 1.0).operands, "a no_grad block was left open"
    assert running.depth == 0, "a transform was left open"
    assert before == (sys.getrecursionlimit(), sys.getswitchinterval(), threading.active_count())


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


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Run a program in an interpreter of its own, on the same engine; its output."""

    def run(program: str, *args: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, *args],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run
