"""Repeated runs of one function, and their times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

Input = Mapping[str, Any]
Timing = dict[str, str | int]


@dataclass(frozen=True)
class Job:
    """What is timed, and how its result becomes JSON."""

    run: Callable[[], Any]
    output: Callable[[Any], Any] = float


Prepare = Callable[[Any], Job]


def listed(array: Any) -> Any:
    """Return an array as nested lists of floats."""
    return array.tolist()


def evaluate(job: Job, min_runs: int = 1, min_seconds: float = 0.0) -> tuple[Any, list[Timing]]:
    """Return the output of a job and the times of its runs.

    The first run, which records and compiles, is reported as ``first``. At least ``min_runs``
    others follow, and more until they took ``min_seconds``.
    """
    result, nanoseconds = _timed(job)
    timings: list[Timing] = [{"name": "first", "nanoseconds": nanoseconds}]
    elapsed = 0
    while len(timings) <= min_runs or elapsed < 1e9 * min_seconds:
        result, nanoseconds = _timed(job)
        timings.append({"name": "evaluate", "nanoseconds": nanoseconds})
        elapsed += nanoseconds
    return job.output(result), timings


def _timed(job: Job) -> tuple[Any, int]:
    start = perf_counter_ns()
    result = job.run()
    return result, perf_counter_ns() - start
