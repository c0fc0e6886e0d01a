"""The same programs on arrays of JAX and PyTorch, over those libraries: times, kernels, memory.

    python benchmarks/places.py cuda
    python benchmarks/places.py cpu --rows jax,scalars --json places.json

A ratio compares two programs that run in turn, in one process, on one device. Every step waits for
its result. Products of matrices have the default precision of the library, which on a GPU is
TF32 of JAX. A row that cannot be measured says why, and the others are measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from benchmarks import report  # noqa: E402
from benchmarks.bars import Bar  # noqa: E402
from benchmarks.elsewhere.work import WORKS, work  # noqa: E402
from benchmarks.run import Measured  # noqa: E402

ON_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ON_ONE_THREAD |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
"""The environment of processes on a CPU, whose cores may be busy."""
LONGEST = 150
"""How many seconds a process may take."""


def bar(name: str, title: str, must: float, aim: float | None, *needs: str, unit: str = "x") -> Bar:
    """Return a row that `work` measures."""
    return Bar(name, title, unit, must, aim, lambda plan: Measured([]), needs=needs)


# fmt: off
BARS = (
    bar("jax", "GPT step compiled, over jax.jit", 1.15, 1.02, "jax"),
    bar("torch", "GPT step compiled, over torch.compile", 1.3, 1.05, "torch"),
    bar("eager", "GPT step on its arrays, over PyTorch", 2.0, 1.3, "torch"),
    bar("kernels", "  its kernels", 2.0, None, "torch"),
    bar("memory", "  its peak memory", 1.3, None, "torch"),
    bar("scalars-black-scholes", "delta of an option, over JAX", 1.2, 1.0, "jax"),
    bar("scalars-pendulum", "  20 steps of a pendulum", 1.2, 1.0, "jax"),
    bar("scalars-likelihood", "  a logistic likelihood", 1.2, 1.0, "jax"),
    bar("scalars-kepler", "  8 iterations of Newton", 1.2, 1.0, "jax"),
    bar("scalars-network", "  a network of 2, 4, 1 units", 1.2, 1.0, "jax"),
    bar("first", "first call of the step, over jax.jit", 2.0, 1.2, "jax"),
    bar("losses-jax-eager", "60 losses on JAX's arrays, off NumPy", 1e-10, None, "jax", unit=""),
    bar("losses-jax", "  the same, compiled", 1e-10, None, "jax", unit=""),
    bar("losses-torch-eager", "60 losses on PyTorch's arrays", 1e-10, None, "torch", unit=""),
    bar("losses-torch", "  the same, compiled", 1e-10, None, "torch", unit=""),
)
# fmt: on

OF_WORK = {"kernels": "eager", "memory": "eager"}
"""The process of a row, where its name does not begin with it."""
COLUMNS = "{:<38} {:>9} {:<19} {:>7} {:>5}  {:<12} {}"
HEAD = COLUMNS.format("", "found", "", "must", "aim", "reached", "")


def work_of(row: str) -> str:
    """Return the process that measures a row."""
    return OF_WORK.get(row) or next(w for w in WORKS if row in (w, f"{w}-eager") or (
        w == "scalars" and row.startswith("scalars-")))  # fmt: skip


def device_named(device: str) -> str:
    """Return the name of the device, of a process that ends before rows are measured."""
    if device == "cpu":
        return report.processor()
    for code in ("import torch; print(torch.cuda.get_device_name())",
                 "import jax; print(jax.devices('cuda')[0].device_kind)"):  # fmt: skip
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.strip()
    return "a GPU that neither PyTorch nor JAX sees"


def facts(device: str) -> dict[str, Any]:
    """Return the facts about this machine and its device."""
    known = report.machine() | {"device": device_named(device), "on": device}
    packages = report.versions(("numpy", "jax", "jaxlib", "torch", "array-api-compat"))
    return known | {"versions": {"gradwalk": known["versions"]["gradwalk"], **packages}}


def measured(device: str, name: str, rows: list[str], folder: str) -> Iterator[dict[str, Any]]:
    """Yield the rows that one process prints; those that it does not print say why."""
    command = [sys.executable, __file__, device, "--work", name, "--rows", ",".join(rows)]
    environment = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false",
                                "TORCHINDUCTOR_CACHE_DIR": f"{folder}/{name}"}  # fmt: skip
    environment |= ON_ONE_THREAD if device == "cpu" else {}
    left, why = list(rows), "not measured"
    with (
        open(f"{folder}/{name}.txt", "w+") as told,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True,
                         env=environment) as process,
    ):  # fmt: skip
        timer = Timer(LONGEST, process.kill)
        timer.start()
        start = time.perf_counter()
        for line in process.stdout or ():
            if line.startswith('{"row"'):
                found = json.loads(line)
                left.remove(found["row"])
                yield found
        process.wait()
        timer.cancel()
        if time.perf_counter() - start >= LONGEST:
            why = f"not ready after {LONGEST} s"
        elif process.returncode:
            told.seek(0)
            why = " ".join(told.read()[-400:].split()) or f"ended with {process.returncode}"
    yield from ({"row": row, "error": why} for row in left)


def line(bar: Bar, found: dict[str, Any]) -> str:
    """Return a row of the table."""
    bounds = (f"≤ {bar.must:g}", "" if bar.aim is None else f"{bar.aim:g}")
    if "rounds" not in found:
        said = found.get("error", "not measured")
        short = "not measured" if said == "not measured" else "error"
        return COLUMNS.format(bar.title, "", "", *bounds, short, "" if short == said else said)
    rounds = Measured(found["rounds"])
    span = f"({report.short(min(rounds.rounds))} - {report.short(max(rounds.rounds))})"
    number = report.short(rounds.median)
    return COLUMNS.format(bar.title, f"{number} {bar.unit}".strip(),
                          span if len(rounds.rounds) > 1 else "", *bounds,
                          bar.verdict(rounds), both(found)).rstrip()  # fmt: skip


PAIRS = (("_ms", "ms"), ("_s", "s"), ("_mb", "MB"), ("", ""), ("_first_s", "s first"))


def both(found: dict[str, Any]) -> str:
    """Return the numbers of gradwalk and of the peer, and what was warned of."""
    parts = [
        f"{report.short(found[f'ours{end}'])} / {report.short(found[f'peer{end}'])} {unit}".strip()
        for end, unit in PAIRS
        if f"ours{end}" in found
    ]
    parts += [found["precision"]] if "precision" in found else []
    return "; ".join(parts + [f"WARNED: {text}" for text in found.get("warned", ())])


def chosen(words: str | None) -> list[Bar]:
    """Return the bars of some names; of a name that others begin with, those too."""
    wanted = words.split(",") if words else [bar.name for bar in BARS]
    return [b for b in BARS if any(b.name == w or b.name.startswith(f"{w}-") for w in wanted)]


def table(device: str, bars: list[Bar]) -> Iterator[tuple[Bar, dict[str, Any]]]:
    """Yield the rows as they are measured."""
    rows = {bar.name: bar for bar in bars}
    memory = rows.pop("memory", None) if device == "cpu" else None  # PyTorch counts on GPUs only
    for name, bar in list(rows.items()):
        if missing := [p for p in (*bar.needs, "array_api_compat") if find_spec(p) is None]:
            yield rows.pop(name), {"row": name, "error": f"{missing[0]} is not installed here"}
    with TemporaryDirectory() as folder:
        for name in dict.fromkeys(map(work_of, rows)):
            asked = [row for row in rows if work_of(row) == name]
            for found in measured(device, name, asked, folder):
                yield rows[found["row"]], found
    if memory:
        yield memory, {"error": "not measured"}


def main() -> None:
    """Measure the rows that the command line selects."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("device", choices=["cpu", "cuda"])
    parser.add_argument("--rows", help="names or their beginnings, with commas: jax,scalars,losses")
    parser.add_argument("--json", type=Path, help="a file for the rows, with every round")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.device, options.work, (options.rows or "").split(","))
        return
    machine, start = facts(options.device), time.perf_counter()
    print(f"{machine['device']}; {report.described(machine)}\n\n{HEAD}", flush=True)
    found = []
    for row, numbers in table(options.device, chosen(options.rows)):
        print(line(row, numbers), flush=True)
        bounds = {"title": row.title.strip(), "unit": row.unit, "must": row.must, "aim": row.aim}
        reached = row.verdict(Measured(numbers["rounds"])) if "rounds" in numbers else ""
        found.append(bounds | numbers | {"name": row.name, "reached": reached})
        if options.json:
            text = json.dumps({"machine": machine, "bars": found}, indent=1)
            options.json.write_text(f"{text}\n", "utf-8")
    print(f"\n{time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
