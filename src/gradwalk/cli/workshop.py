"""``gradwalk workshop``: check an engine that the user writes, and print one mistake at a time."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

import typer
from rich.table import Table
from rich.text import Text

from ..errors import FileError, OptionError
from ..workshop import Mistake, Report, check, skeleton
from ..workshop.classes import class_table, record, settings_of
from .terminal import INTERRUPTED, MISTAKE, console

__all__ = ["workshop"]

SIGNS: Final = {"passed": "✓", "wrong": "✗", "missing": "·", "limit": "~", "waiting": "…"}
WORDS: Final = {
    "passed": "passed", "wrong": "a mistake", "missing": "not written yet",
    "limit": "right, up to a bound", "waiting": "waits for the mistake above",
}  # fmt: skip
PATIENCE: Final = 0.3
"""Seconds between two looks at the file, with ``--watch``."""


def workshop(
    file: Path | None,
    *,
    new: Path | None,
    watch: bool,
    phase: int | None,
    hints: int,
    as_json: bool,
    progress: Path | None,
    folder: Path | None,
    timeout: float,
) -> None:
    """Check a file; exit 0 without a mistake, 1 with one, 2 if the file cannot be used."""
    if new is not None:
        _write_new(new)
        return
    if folder is not None:
        console().print(class_table(folder))
        return
    if file is None:
        raise OptionError(where="gradwalk workshop", expected="the file with your engine",
                          got="no file", fix="Write gradwalk workshop my_engine.py.")  # fmt: skip
    if not file.exists():
        raise FileError(where="gradwalk workshop", expected="the file with your engine",
                        got=f"{file}, which does not exist",
                        fix=f"Write gradwalk workshop --new {file}.")  # fmt: skip
    if not timeout > 0:
        raise OptionError(
            where="--timeout",
            expected="a positive number of seconds",
            got=f"{timeout:g}",
            fix="Write --timeout 60.",
        )
    if not as_json:
        console().print(
            f"This runs {file.name} on your computer, with your rights. Run only what you wrote "
            "or have read.",
            style="dim",
        )
    while True:
        stamp = file.stat().st_mtime_ns
        settings = settings_of(file.parent)
        hints = min(hints, settings.hints)
        phases = [phase] if phase is not None else settings.phases
        report = check(file, timeout=timeout, phases=phases)
        _print(report, file, hints, as_json)
        if progress is not None:
            record(progress, file, report, hints)
        if not watch:
            raise typer.Exit(_status(report))
        try:
            while file.exists() is False or file.stat().st_mtime_ns == stamp:
                time.sleep(PATIENCE)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


def _status(report: Report) -> int:
    return {"right": 0, "wrong": 1, "unusable": MISTAKE}[report.verdict]


def _write_new(path: Path) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(skeleton(path.name))
    except FileExistsError:
        raise FileError(
            where="--new",
            expected="a path without a file",
            got=f"{path}, which exists",
            fix=f"Write gradwalk workshop {path}, or another name.",
        ) from None
    except OSError as error:
        raise FileError(
            where="--new",
            expected="a path that can be written",
            got=f"{path}: {error.strerror}",
            fix="Pass another path.",
        ) from None
    console().print(
        f"{path} has the beginning of an engine. Check it with: gradwalk workshop {path}"
    )


def _print(report: Report, file: Path, hints: int, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(report.as_json(), allow_nan=False))
        return
    out = console()
    if report.error is not None:
        line = f", line {report.error['line']}" if report.error["line"] else ""
        out.print(f"{file.name}{line} cannot be used: {report.error['message']}", style="red")
        _printed(report)
        return
    for row in report.phases:
        style = {"wrong": "red", "passed": "green"}.get(row.state, "dim")
        out.print(
            Text(f"{SIGNS[row.state]} {row.phase:2}  {row.title:32} {WORDS[row.state]}", style)
        )
    if report.missing:
        out.print(f"Not written yet: {', '.join(report.missing)}.", style="dim")
    if report.mistakes:
        _print_mistake(report.mistakes[0], file, hints)
    if len(report.mistakes) > 1:
        out.print(f"\n{len(report.mistakes) - 1} more: correct this one, and run again.")
    if report.unexplained and not any(m.level == "wrong" for m in report.mistakes):
        _print_unexplained(report)
    elif report.unexplained:
        out.print(f"\n{len(report.unexplained)} programs are wrong for another reason, too.")
    if report.stopped:
        out.print(f"\nStopped: {report.stopped}.", style="red")
    if report.verdict == "right" and not report.mistakes:
        out.print("\nNo mistake was found in what is written.")
    _printed(report)


def _printed(report: Report) -> None:
    if report.printed.strip():
        out = console()
        out.print("\nYour file printed:", style="dim")
        out.print(Text(report.printed.rstrip(), "dim"))


def _print_mistake(mistake: Mistake, file: Path, hints: int) -> None:
    out = console()
    kind = {"wrong": "Mistake", "limit": "Limit", "remark": "Remark"}[mistake.level]
    out.print(f"\n{kind} in phase {mistake.phase}: {mistake.title}", style="bold")
    if mistake.program:
        out.print("\n  " + mistake.program.replace("\n", "\n  "))
    if mistake.values:
        out.print(
            "  with " + ", ".join(f"{k} = {v:g}" for k, v in mistake.values.items()), style="dim"
        )
    _print_walk(mistake)
    shown = [hint for hint in mistake.hints[: max(hints, 1)] if hint]
    if hints >= 2:
        out.print(f"\n{mistake.says}")
    for hint in shown if hints else ():
        out.print(f"Hint: {hint}")
    if hints >= 3 and mistake.line:
        out.print(f"Look at {file.name}, line {mistake.line}.")
    if mistake.others:
        out.print(
            f"Other mistakes leave the same numbers: {'; '.join(mistake.others)}.", style="dim"
        )
    if hints < 3 and mistake.hints[2]:
        out.print(f"More: --hints {max(hints, 1) + 1}", style="dim")


def _print_walk(mistake: Mistake) -> None:
    walk = mistake.walk
    if walk is None or walk.step is None:
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("", "", "yours", "right"):
        table.add_column(title, justify="right" if title else "left")
    for index, step in enumerate(walk.steps[: walk.step + 3]):
        style = "red" if index == walk.step else "dim"
        what = f"{step.node}.grad" if step.kind == "backward" else step.node
        mark = "→" if index == walk.step else ""
        table.add_row(mark, what, _number(step.yours), _number(step.right), style=style)
    console().print(table)


def _number(x: Any) -> str:
    return "–" if x is None else f"{x:.6g}"


def _print_unexplained(report: Report) -> None:
    first = report.unexplained[0]
    out = console()
    out.print("\nThis is wrong, and the reason was not found:", style="bold")
    out.print("\n  " + first.program.replace("\n", "\n  "))
    for name, right in first.right.items():
        out.print(f"  {name}.grad: yours {_number(first.yours.get(name))}, right {_number(right)}")
    if first.error:
        out.print(f"  {first.error}")
