"""``gradwalk workshop``: check an engine that the user writes, and print one mistake at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import typer
from rich.table import Table
from rich.text import Text

from ..errors import FileError, OptionError
from ..workshop import Mistake, Report, check, skeleton
from ..workshop.classes import class_table, record, settings_of
from ..workshop.report import Phase
from .terminal import INTERRUPTED, MISTAKE, console

__all__ = ["workshop"]

SIGNS: Final = {"passed": "✓", "wrong": "✗", "missing": "·", "limit": "~", "waiting": "…"}
WORDS: Final = {
    "passed": "passed", "wrong": "a mistake", "missing": "not written yet",
    "limit": "right for small graphs", "waiting": "not judged until the mistake is repaired",
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
        raise OptionError(where="FILE", expected="the file with your engine",
                          got="no file", fix="Write gradwalk workshop my_engine.py.")  # fmt: skip
    if not file.is_file():
        raise FileError(where="FILE", expected="the Python file with your engine",
                        got=f"{file}, which {'is a folder' if file.exists() else 'does not exist'}",
                        fix=_advice(file))  # fmt: skip
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
            "or have read.\n",
            style="dim",
        )
    while True:
        stamp = file.stat().st_mtime_ns
        settings = settings_of(file.parent)
        hints = min(hints, settings.hints)
        phases = [phase] if phase is not None else settings.phases
        report = check(file, timeout=timeout, phases=phases, settings=settings)
        _print(report, file, hints, as_json, phases)
        if progress is not None:
            record(progress, file, report, hints)
        if not watch:
            raise typer.Exit(_status(report))
        try:
            while file.exists() is False or file.stat().st_mtime_ns == stamp:
                time.sleep(PATIENCE)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


def _advice(file: Path) -> str:
    """Return what to write instead of a path that is no file: a name that is like it."""
    folder = file if file.is_dir() else file.parent
    names = [path.name for path in folder.glob("*.py")] if folder.is_dir() else []
    near = names[:1] if file.is_dir() else get_close_matches(file.name, names, 1)
    if near:
        return f"Write gradwalk workshop {folder / near[0]}."
    return f"Begin a new file: gradwalk workshop --new {folder / 'my_engine.py'}."


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


def _print(
    report: Report, file: Path, hints: int, as_json: bool, phases: Sequence[int] | None
) -> None:
    if as_json:
        typer.echo(json.dumps(report.as_json(), allow_nan=False))
        return
    out = console()
    if report.error is not None:
        line = f", line {report.error['line']}" if report.error["line"] else ""
        out.print(f"{file.name}{line} cannot be used: {report.error['message']}", style="red")
        _printed(report)
        return
    asked = [row for row in report.phases if phases is None or row.phase in phases]
    for row in asked:
        style = {"wrong": "red", "passed": "green"}.get(row.state, "dim")
        out.print(
            Text(f"{SIGNS[row.state]} {row.phase:2}  {row.title:32} {WORDS[row.state]}", style)
        )
    if report.missing:
        out.print(f"Not written yet: {', '.join(report.missing)}.", style="dim")
    if report.mistakes:
        _print_mistake(report.mistakes[0], file, hints)
    if len(report.mistakes) > 1:
        more = [m.level for m in report.mistakes[1:]]
        counts = [(more.count(level), word) for level, word in KINDS.items() if level in more]
        words = " and ".join(f"{n} more {word.lower()}{'s' * (n > 1)}" for n, word in counts)
        out.print(f"\nThere {'is' if len(more) == 1 else 'are'} {words}. Correct this one first.")
    if report.unexplained and not any(m.level == "wrong" for m in report.mistakes):
        _print_unexplained(report)
    elif report.unexplained:
        count = len(report.unexplained)
        many = "program is" if count == 1 else "programs are"
        out.print(f"\n{count} {many} wrong for another reason, too.")
    if report.stopped:
        out.print(f"\nStopped: {report.stopped}.", style="red")
    if report.verdict == "right" and not report.mistakes:
        _print_right(asked, phases is not None)
    _printed(report)


def _print_right(asked: Sequence[Phase], some: bool) -> None:
    """Say that nothing is wrong, and what can be written next."""
    out = console()
    absent = [row for row in asked if row.state == "missing"]
    if len(absent) < len(asked):
        where = f" in phase {', '.join(str(row.phase) for row in asked)}" if some else ""
        out.print(f"\nNo mistake was found{where} in what is written.")
    if some:
        out.print("The other phases were not judged.", style="dim")
    if absent:
        row = absent[0]
        out.print(f"\nNext, phase {row.phase}, {row.title}: {row.asks}")


def _printed(report: Report) -> None:
    if report.printed.strip():
        out = console()
        out.print("\nYour file printed:", style="dim")
        out.print(Text(report.printed.rstrip(), "dim"))


KINDS: Final = {"wrong": "Mistake", "limit": "Limit", "remark": "Remark"}


def _print_mistake(mistake: Mistake, file: Path, hints: int) -> None:
    out = console()
    out.print(f"\n{KINDS[mistake.level]} in phase {mistake.phase}: {mistake.title}", style="bold")
    if mistake.program:
        out.print("\n  " + mistake.program.replace("\n", "\n  "))
    if mistake.values:
        out.print(
            "  with " + ", ".join(f"{k} = {v:g}" for k, v in mistake.values.items()), style="dim"
        )
    _print_walk(mistake)
    out.print()
    for number, hint in enumerate(mistake.hints[:hints], 1):
        if hint:
            example = "One way to write it: " if number == 3 and hint.startswith("`") else ""
            out.print(f"Hint {number}: {example}{hint}")
    if hints >= 2:
        out.print(f"\n{mistake.says}")
    if hints >= 3 and mistake.line:
        out.print(f"Look at {file.name}, line {mistake.line}.")
    if mistake.others:
        out.print("It could also be:", style="dim")
        for other in mistake.others:
            out.print(f"  - {other}", style="dim")
    if hints < 3 and mistake.hints[2]:
        out.print(f"More help: --hints {hints + 1}", style="dim")


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
