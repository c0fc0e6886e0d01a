"""Runs of the measured programs in turn, each in its own process, and their ratios."""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Job:
    """One run of a program of `workers` with one engine."""

    work: str
    engine: str = "gradwalk"
    steps: int = 10
    gc: str = "default"
    adam: str = "python"
    pure: bool = False

    def run(self, quick: bool = False) -> dict[str, Any]:
        """Start it, wait for it, and return the facts that it prints."""
        steps = max(2, self.steps // 10) if quick else self.steps
        options = ["--engine", self.engine, "--gc", self.gc, "--adam", self.adam]
        command = ["-m", "benchmarks.workers", self.work, *options, "--steps", str(steps)]
        environment = {**os.environ, **({"GRADWALK_PURE": "1"} if self.pure else {})}
        printed = python(command, environment)
        return json.loads(printed)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class ArrayJob:
    """One run of a program of `tensors.worker` in one library, on one thread."""

    work: str
    library: str = "gradwalk"
    steps: int = 100

    @property
    def engine(self) -> str:
        """The packages that have to be installed."""
        return self.library

    def run(self, quick: bool = False) -> dict[str, Any]:
        """Start it, wait for it, and return the facts that it prints."""
        steps = max(2, self.steps // 10) if quick else self.steps
        options = ["--library", self.library, "--steps", str(steps)]
        command = ["-m", "benchmarks.tensors.worker", self.work, *options]
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        # Freed arrays return to the system at once. Otherwise the peak would be the heap's.
        environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"} | dict.fromkeys(
            threads, "1"
        )
        if "memory" not in self.work:
            environment.pop("MALLOC_MMAP_THRESHOLD_")
        return json.loads(python(command, environment))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class PageJob:
    """One measurement of the page in a browser; see `page`."""

    work: str
    steps: int = 10

    @property
    def engine(self) -> str:
        """The packages that have to be installed."""
        return "playwright"

    def run(self, quick: bool = False) -> dict[str, Any]:
        """Start it, wait for it, and return the facts that it prints."""
        steps = max(2, self.steps // 5) if quick else self.steps
        command = ["-m", "benchmarks.page", self.work, "--steps", str(steps)]
        return json.loads(python(command, {**os.environ}))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class ExportJob:
    """One run of `exported`: the derivatives of a sparse problem, in C or in CasADi's machine."""

    engine: str = "gradwalk"
    variables: int = 400
    steps: int = 2000

    def run(self, quick: bool = False) -> dict[str, Any]:
        """Start it, wait for it, and return the facts that it prints."""
        steps = max(2, self.steps // 10) if quick else self.steps
        options = ["--variables", str(self.variables), "--steps", str(steps)]
        command = ["-m", "benchmarks.exported", "--library", self.engine, *options]
        return json.loads(python(command, {**os.environ}))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Measured:
    """One number per round, and the other facts of the last round."""

    rounds: Sequence[float]
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return median(self.rounds)


@dataclass(frozen=True)
class Plan:
    """The number of rounds, and whether the runs are short."""

    rounds: int = 5
    quick: bool = False


Measurement = Callable[[Plan], Measured]


def python(arguments: Sequence[str], environment: dict[str, str]) -> str:
    """Return what this Python prints. Its errors are shown and end the run."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


AnyJob = Job | ArrayJob | PageJob | ExportJob


def ratio(over: tuple[AnyJob, str], under: tuple[AnyJob, str]) -> Measurement:
    """Measure a number of the first job divided by a number of the second, run in turn.

    A job on both sides runs once per round. Both jobs have to compute the same losses.
    """
    (a, key_a), (b, key_b) = over, under

    def measure(plan: Plan) -> Measured:
        pairs = []
        for _ in range(plan.rounds):
            first = a.run(plan.quick)
            pairs.append((first, first if a == b else b.run(plan.quick)))
            agree(*pairs[-1])
        over_ms = median(first[key_a] for first, _ in pairs) * 1e3
        under_ms = median(second[key_b] for _, second in pairs) * 1e3
        facts = {"over_ms": over_ms, "under_ms": under_ms, "losses_agree": True}
        for side, facts_of in zip(("over", "under"), pairs[-1], strict=True):
            if "peak_mb" in facts_of:
                facts[f"{side}_peak_mb"] = facts_of["peak_mb"]
        return Measured(ratios([(one[key_a], two[key_b]) for one, two in pairs]), facts)

    return measure


def ratios(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Return the quotient of each pair: a slow moment of the machine affects both of its runs."""
    return [over / under for over, under in pairs]


def agree(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Raise an error unless two runs computed the same losses in the steps that both have."""
    tolerance = 1e-9 if first.get("float64", True) else 1e-4
    for a, b in zip(first.get("losses", ()), second.get("losses", ()), strict=False):
        if not math.isclose(a, b, rel_tol=tolerance):
            raise ArithmeticError(f"not the same program: a loss of {a!r} here, {b!r} there")


def faster(slow: Job, fast: Job) -> Measurement:
    """Measure how many times faster ``fast`` runs a whole step."""
    return ratio((slow, "total"), (fast, "total"))


def number(job: AnyJob, key: str, scale: float) -> Measurement:
    """Measure a number of one job, in units of ``1 / scale``."""

    def measure(plan: Plan) -> Measured:
        runs = [job.run(plan.quick) for _ in range(plan.rounds)]
        return Measured([scale * run[key] for run in runs], runs[-1])

    return measure


def chain(job: Job) -> Measurement:
    """Measure the bytes per node of a very long graph. Check its gradient and its freed memory."""

    def measure(plan: Plan) -> Measured:
        runs = [job.run(plan.quick) for _ in range(min(plan.rounds, 3))]
        for run in runs:
            if not math.isclose(run["gradient"], run["expected"], rel_tol=1e-6):
                raise ArithmeticError(f"wrong gradient of the chain: {run['gradient']!r}")
        return Measured([run["bytes"] for run in runs], runs[-1])

    return measure


def growth(job: Job) -> Measurement:
    """Measure the growth of the resident memory after the first 100 training steps, in percent."""

    def measure(plan: Plan) -> Measured:
        runs = [job.run(plan.quick) for _ in range(min(plan.rounds, 2))]
        return Measured([100.0 * run["growth"] for run in runs], runs[-1])

    return measure


def import_time(plan: Plan) -> Measured:
    """Measure the milliseconds of ``import gradwalk``, without Python's start, from byte code."""
    with TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        seen = python(
            ["-c", "import gradwalk, sys; print('numpy' in sys.modules)"], environment
        ).strip()
        pairs = [
            (milliseconds("import gradwalk", environment), milliseconds("pass", environment))
            for _ in range(3 * plan.rounds)
        ]
    start = median(without for _, without in pairs)
    facts = {"raw_ms": median(full for full, _ in pairs), "start_of_python_ms": start}
    return Measured([a - b for a, b in pairs], {**facts, "numpy_imported": seen == "True"})


def milliseconds(program: str, environment: dict[str, str]) -> float:
    """Return the processor time of a Python that runs one line."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    python(["-c", program], environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds * 1e3


def known_types(plan: Plan) -> Measured:
    """Measure the share of public symbols whose types pyright knows, in percent."""
    options = ["--pythonpath", sys.executable, "--ignoreexternal", "--outputjson"]
    command = [sys.executable, "-m", "pyright", "--verifytypes", "gradwalk", *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    found = json.loads(done.stdout)["typeCompleteness"]
    return Measured([100.0 * found["completenessScore"]], found["exportedSymbolCounts"])
