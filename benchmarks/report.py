"""The results of the benchmarks: a table, a JSON file and a picture."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .bars import Bar
from .run import ROOT, Measured

PEERS = ("gradwalk", "micrograd", "numpy", "matplotlib")
COLOURS = {"aim": "#1b7f5c", "must": "#6aa84f", "missed": "#b3372f", "": "#7a869a"}
SMALLEST = 0.05  # the start of the axes of the picture

Row = tuple[Bar, Measured]


def machine() -> dict[str, Any]:
    """Return the facts about this machine."""
    import gradwalk

    return {
        "date": date.today().isoformat(),
        "commit": commit(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiler": platform.python_compiler(),
        "engine": gradwalk.ENGINE,
        "versions": {"gradwalk": gradwalk.__version__, **versions(PEERS[1:])},
    }


def commit() -> str:
    """Return the commit of the source that is measured, or nothing outside of a repository."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()


def processor() -> str:
    """Return the model name of the processor, from the system."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return platform.processor() or platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of the installed packages."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def described(facts: dict[str, Any]) -> str:
    """Return the machine in two lines."""
    packages = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return (
        f"{facts['processor']}, {facts['cores']} cores, {facts['system']}\n"
        f"{facts['python']} ({facts['compiler']}), {facts['engine']} engine, {packages}"
    )


COLUMNS = "{:<32} {:>8} {:<13} {:>17} {:>6} {:>5}  {:<7} {}"
HEAD = COLUMNS.format("", "median", "", "(min - max)", "must", "aim", "reached", "peak MB").rstrip()


def line(bar: Bar, measured: Measured) -> str:
    """Return one line of the table."""
    sign = "≥" if bar.more_is_better else "≤"
    return COLUMNS.format(
        bar.title,
        short(measured.median),
        bar.unit,
        f"({short(min(measured.rounds))} - {short(max(measured.rounds))})",
        "" if bar.must is None else f"{sign} {bar.must:g}",
        "" if bar.aim is None else f"{bar.aim:g}",
        bar.verdict(measured),
        memory(measured),
    ).rstrip()


def memory(measured: Measured) -> str:
    """Return the peak megabytes of both processes, gradwalk's first, if they are compared."""
    facts = measured.facts
    if "over_peak_mb" not in facts:
        return ""
    return f"{short(facts['over_peak_mb'])} / {short(facts['under_peak_mb'])}"


def short(number: float) -> str:
    """Return a number with about three digits."""
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:.3g}"


def as_json(facts: dict[str, Any], rows: Sequence[Row]) -> str:
    """Return the machine and every round of every bar."""
    bars = [
        {
            "name": bar.name,
            "title": bar.title.strip(),
            "unit": bar.unit,
            "must": bar.must,
            "aim": bar.aim,
            "more_is_better": bar.more_is_better,
            "median": measured.median,
            "min": min(measured.rounds),
            "max": max(measured.rounds),
            "rounds": list(measured.rounds),
            "reached": bar.verdict(measured),
            "facts": measured.facts,
        }
        for bar, measured in rows
    ]
    return json.dumps({"machine": facts, "bars": bars}, indent=2) + "\n"


def draw(facts: dict[str, Any], rows: Sequence[Row], path: Path) -> None:
    """Draw bar charts with a logarithmic axis: one if more is better, one if less is."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "gradwalk"  # equal numbers give an equal picture
    from matplotlib import pyplot

    halves = {
        "more is better": [row for row in rows if row[0].more_is_better],
        "less is better": [row for row in rows if not row[0].more_is_better],
    }
    halves = {title: half for title, half in halves.items() if half}
    figure, panels = pyplot.subplots(
        len(halves),
        figsize=(9.0, 0.42 * len(rows) + 1.2 * len(halves) + 0.6),
        height_ratios=[len(half) + 0.5 for half in halves.values()],
        layout="constrained",
        squeeze=False,
    )
    for axes, (title, half) in zip(panels.flat, halves.items(), strict=True):
        panel(axes, half)
        axes.set_title(title, loc="left", fontsize=10)
    figure.suptitle(described(facts), fontsize=7, color="#555555")
    figure.supxlabel("solid mark: must, dotted mark: aim, thin line: all rounds", fontsize=8)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def panel(axes: Any, rows: Sequence[Row]) -> None:
    """Draw one bar per row, with marks for its must and its aim."""
    for place, (bar, measured) in enumerate(rows):
        # zero has no place on a logarithmic axis
        low, middle, high = (
            max(number, SMALLEST)
            for number in (min(measured.rounds), measured.median, max(measured.rounds))
        )
        axes.barh(place, middle, height=0.62, color=COLOURS[bar.verdict(measured)])
        axes.hlines(place, low, high, color="black", linewidth=1.0)
        marks = [mark for mark in (bar.must, bar.aim) if mark is not None]
        for mark, style in zip(marks, "-:", strict=False):
            axes.vlines(mark, place - 0.42, place + 0.42, color="black", linestyle=style)
        end = max(high, *marks, SMALLEST) * 1.15
        axes.text(end, place, f"{short(measured.median)} {bar.unit}", va="center", fontsize=9)
    axes.set_xscale("log")
    largest = max(max(measured.rounds) for _, measured in rows)
    axes.set_xlim(SMALLEST, 20.0 * max(largest, 100.0))
    axes.set_yticks(range(len(rows)), [bar.title for bar, _ in rows], fontsize=9)
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
