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
from .explain import OwnMistake
from .programs import Formula, own_formula
from .report import PHASES, Report
from .wording import DERIVATIVES, Words

__all__ = ["Settings", "class_table", "record", "settings_of"]


SCHEMA: Final = "gradwalk-workshop-progress/1"


@dataclass(frozen=True)
class Settings:
    """What a teacher wrote into ``workshop.toml``.

    ``phases``     the phases that count; ``None``: all
    ``hints``      the hints that may be shown, from 0 to 3
    ``programs``   small programs of the teacher, which are run beside the others
    ``mistakes``   wrong derivatives that have the teacher's words
    """

    phases: tuple[int, ...] | None = None
    hints: int = 3
    programs: tuple[Formula, ...] = ()
    mistakes: tuple[OwnMistake, ...] = ()


def settings_of(folder: Path) -> Settings:
    """Return the settings in ``workshop.toml`` beside the learner's file, if it is there.

    Parameters
    ----------
    folder
        The folder of the learner's file.

    Returns
    -------
    Settings
        The phases, hints, programs and mistakes that a teacher has chosen; all phases and three
        hints without such a file.

    Raises
    ------
    FileError
        The file cannot be read, or is not TOML.
    OptionError
        A key or a value is not a setting. Programs and derivatives may have names, numbers,
        operators, and exp, log, tanh, sigmoid and relu only.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "workshop.toml").write_text("phases = [1, 2]\\nhints = 1")
    ...     settings_of(Path(folder)).phases
    (1, 2)
    """
    path = folder / "workshop.toml"
    if not path.exists():
        return Settings()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileError(where="workshop.toml", expected="a TOML file", got=str(error),
                        fix="Write phases = [1, 2, 3] and hints = 2.") from None  # fmt: skip
    unknown = table.keys() - {"phases", "hints", "program", "mistake"}
    if unknown:
        raise OptionError(
            where="workshop.toml",
            expected="the keys phases, hints, program and mistake",
            got=", ".join(sorted(unknown)),
            fix="Remove the other keys.",
        )
    phases, hints = table.get("phases"), table.get("hints", 3)
    if phases is not None and (
        not isinstance(phases, list) or not all(x in range(1, 13) for x in phases)
    ):
        raise OptionError(where="workshop.toml", expected="phases from 1 to 12", got=repr(phases),
                          fix="Write phases = [1, 2, 3].")  # fmt: skip
    if hints not in (0, 1, 2, 3):
        raise OptionError(where="workshop.toml", expected="hints from 0 to 3", got=repr(hints),
                          fix="Write hints = 2.")  # fmt: skip
    programs = [_program(i, row) for i, row in enumerate(_tables(table, "program"), 1)]
    mistakes = [_mistake(i, row) for i, row in enumerate(_tables(table, "mistake"), 1)]
    chosen = None if phases is None else tuple(phases)
    return Settings(chosen, hints, tuple(programs), tuple(mistakes))


def _tables(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = table.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise OptionError(where="workshop.toml", expected=f"tables [[{key}]]", got=repr(rows)[:60],
                          fix=f"Write [[{key}]], and its keys below.")  # fmt: skip
    return rows


def _program(number: int, row: dict[str, Any]) -> Formula:
    """Return a teacher's program: ``text``, ``values`` and ``why``."""
    values, text = row.get("values"), row.get("text")
    named = isinstance(values, dict) and all(
        name.isidentifier() and type(x) in (int, float) for name, x in values.items()
    )
    made = None
    if named and isinstance(text, str):
        made = own_formula(f"own.{number}", text, values, str(row.get("why", "")))  # type: ignore[arg-type]
    if made is None:
        raise OptionError(
            where=f"workshop.toml, program {number}",
            expected="text with lines such as y = tanh(a) * b, and values of its names",
            got=f"text = {text!r}, values = {values!r}",
            fix='Write text = "y = a * b" and values = {a = 2, b = 3}.',
        )
    return made


def _mistake(number: int, row: dict[str, Any]) -> OwnMistake:
    """Return a teacher's mistake: ``op``, ``operand``, ``derivative``, ``title`` and ``hints``."""
    op, operand = row.get("op"), row.get("operand", "a")
    derivative, title, hints = row.get("derivative"), row.get("title"), row.get("hints")
    texts = isinstance(derivative, str) and isinstance(title, str)
    three = isinstance(hints, list) and len(hints) == 3 and all(isinstance(x, str) for x in hints)
    k = {"a": 0, "b": 1}.get(str(operand), 0)
    names = {"a": 1.0, "b": 1.0, "n": 1.0, "y": 1.0}
    if (
        not texts
        or not three
        or (op, k) not in DERIVATIVES
        or own_formula("own", f"z = {derivative}", names, "") is None
    ):
        raise OptionError(
            where=f"workshop.toml, mistake {number}",
            expected="op, operand, derivative (a formula of a, b, n, y), title and three hints",
            got=repr(row)[:80],
            fix='Write op = "tanh", derivative = "1 - a", title = "...", hints = ["", "", ""].',
        )
    right = f"Yours is `{derivative}`; it must be `{DERIVATIVES[str(op), k]}`."
    words = Words(f"own_{number}", str(title), str(row.get("says", right)), tuple(hints))  # type: ignore[arg-type]
    return OwnMistake(str(op), k, str(derivative), words)


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
