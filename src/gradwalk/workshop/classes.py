"""A class of learners: a file of progress for each, one table of all, and a teacher's settings."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ..errors import FileError, OptionError
from .report import PHASES, Report

__all__ = ["Settings", "class_table", "record", "settings_of"]


SCHEMA: Final = "gradwalk-workshop-progress/1"


@dataclass(frozen=True)
class Settings:
    """What a teacher chose in ``workshop.toml``: the phases that count, and the hints allowed."""

    phases: tuple[int, ...] | None = None
    hints: int = 3


def settings_of(folder: Path) -> Settings:
    """Return the settings in ``workshop.toml`` beside the learner's file, if it is there."""
    path = folder / "workshop.toml"
    if not path.exists():
        return Settings()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileError(where="workshop.toml", expected="a TOML file", got=str(error),
                        fix="Write phases = [1, 2, 3] and hints = 2.") from None  # fmt: skip
    unknown = table.keys() - {"phases", "hints"}
    if unknown:
        raise OptionError(where="workshop.toml", expected="the keys phases and hints",
                          got=", ".join(sorted(unknown)), fix="Remove the other keys.")  # fmt: skip
    phases, hints = table.get("phases"), table.get("hints", 3)
    if phases is not None and (
        not isinstance(phases, list) or not all(x in range(1, 13) for x in phases)
    ):
        raise OptionError(where="workshop.toml", expected="phases from 1 to 12", got=repr(phases),
                          fix="Write phases = [1, 2, 3].")  # fmt: skip
    if hints not in (0, 1, 2, 3):
        raise OptionError(where="workshop.toml", expected="hints from 0 to 3", got=repr(hints),
                          fix="Write hints = 2.")  # fmt: skip
    return Settings(None if phases is None else tuple(phases), hints)


def record(path: Path, file: Path, report: Report, hints: int) -> None:
    """Add a run to a file of progress: phases by the day first passed, mistakes by id, hints."""
    row: dict[str, Any] = {"schema": SCHEMA, "phases": {}, "mistakes": {}, "hints": {}, "runs": 0}
    if os.path.exists(path):
        row = _read(path)
    today = datetime.now(UTC).date().isoformat()
    row["runs"] += 1
    row["engine"] = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    for phase in report.phases:
        if phase.state in ("passed", "limit"):
            row["phases"].setdefault(str(phase.phase), today)
    for mistake in report.mistakes:
        row["mistakes"][mistake.id] = row["mistakes"].get(mistake.id, 0) + 1
    if report.mistakes and hints:
        first = report.mistakes[0].id
        row["hints"][first] = max(hints, row["hints"].get(first, 0))
    try:
        path.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise FileError(
            where="--progress",
            expected="a path that can be written",
            got=f"{path}: {error.strerror}",
            fix="Pass another path.",
        ) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        if row["schema"] != SCHEMA:
            raise ValueError(f"schema {row['schema']!r}")
        if not all(isinstance(row[k], dict) for k in ("phases", "mistakes", "hints")):
            raise ValueError("phases, mistakes and hints must be objects")
        row["runs"] = int(row["runs"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(where=str(path), expected="a file of progress of gradwalk workshop",
                        got=f"{type(error).__name__}: {error}",
                        fix="Pass another path, or remove the file.") from None  # fmt: skip
    found: dict[str, Any] = row
    return found


def class_table(folder: Path) -> str:
    """Return a table of all files of progress in a folder, and the commonest mistakes."""
    paths = sorted(folder.glob("*.json")) if os.path.isdir(folder) else []
    if not paths:
        raise FileError(
            where="--class",
            expected="a folder with files of progress (.json)",
            got=str(folder),
            fix="Pass a folder with the files that --progress has written.",
        )
    width = max(len(path.stem) for path in paths)
    head = " ".join(f"{i:2}" for i in range(1, len(PHASES) + 1))
    lines = [f"{'':{width}}  {head}  runs"]
    met: Counter[str] = Counter()
    for path in paths:
        row = _read(path)
        marks = " ".join(
            " ✓" if str(i) in row["phases"] else " ·" for i in range(1, len(PHASES) + 1)
        )
        lines.append(f"{path.stem:{width}}  {marks}  {row['runs']:4}")
        met.update(row["mistakes"].keys())
    if met:
        lines += ["", "Commonest mistakes:"]
        lines += [f"{count:4}  {name}" for name, count in met.most_common(5)]
    return "\n".join(lines)
