"""Check an engine: run it, judge what was observed, and report twelve phases."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable
from pathlib import Path
from threading import Event
from typing import Any

from ..errors import FileError, OptionError
from .cases import Case, cases_of
from .classes import Settings
from .explain import Explanation, explain
from .facts import forward_mistakes, missing_operators
from .findings import (
    again,
    explained,
    large,
    named_value,
    placed,
    second_wrong,
    shared,
    unwritten,
)
from .graph import number
from .nets import PHASE_OF, other_mistakes, slow
from .process import RESTARTS, Observation, watch
from .programs import FORMULAS, OTHERS, jobs
from .report import PHASES, Mistake, Phase, Report, Unexplained
from .source import Source

__all__ = ["check", "check_text", "judge"]


def check(
    target: str | os.PathLike[str] | type,
    *,
    timeout: float = 60.0,
    phases: Iterable[int] | None = None,
    settings: Settings | None = None,
) -> Report:
    """Check a learner's engine, and name the mistakes in it.

    The file is run in a process of its own, on small programs. What it computes is compared with
    the right numbers, and what is wrong is explained by mistakes that give the same numbers.

    Parameters
    ----------
    target
        The file with the engine, or its class: then the file, or the cell, that
        defines the class is read.
    timeout
        Seconds after which the run ends; 60 by default.
    phases
        The phases to judge, from 1 to 12; all by default.
    settings
        Programs and mistakes of a teacher, as in a file workshop.toml.

    Returns
    -------
    Report
        The phases, the mistakes, and what was not understood.

    Raises
    ------
    FileError
        The file cannot be read.
    OptionError
        A phase is not between 1 and 12, or the timeout is not positive.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from gradwalk.workshop import check, skeleton
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "my_engine.py"
    ...     _ = file.write_text(skeleton())
    ...     print([phase.state for phase in check(file).phases][:2])
    ['missing', 'missing']
    """
    if isinstance(target, type):
        text, name = _source_of(target)
        return check_text(text, name, timeout=timeout, phases=phases, settings=settings)
    path = Path(target)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(
            where="check",
            expected="a Python file in UTF-8",
            got=f"{path}: {error}",
            fix="Check the path, or write a new file with gradwalk workshop --new.",
        ) from None
    return check_text(text, path.name, timeout=timeout, phases=phases, settings=settings)


def _source_of(kind: type) -> tuple[str, str]:
    """Return the text in which a class was written: a file, or the cell of a notebook."""
    for item in vars(kind).values():
        code = getattr(item, "__code__", None)
        name = str(getattr(code, "co_filename", ""))
        if lines := linecache.getlines(name):
            return "".join(lines), Path(name).name
    raise FileError(
        where="check",
        expected="a class whose source can be found",
        got=f"the class {kind.__name__}",
        fix="Save it as my_engine.py, and pass the path.",
    )


def check_text(
    text: str,
    name: str = "my_engine.py",
    *,
    timeout: float = 60.0,
    phases: Iterable[int] | None = None,
    cancelled: Event | None = None,
    settings: Settings | None = None,
) -> Report:
    """Check an engine whose source is ``text``; see `check`.

    Parameters
    ----------
    text
        The source of the engine.
    name
        The name of the file, for messages.
    timeout
        Seconds after which the run ends; 60 by default.
    phases
        The phases to judge, from 1 to 12; all by default.
    cancelled
        An event which, once another thread has set it, ends the run and its processes.
        The verdict is then ``"unusable"``.
    settings
        Programs and mistakes of a teacher, as in a file workshop.toml.

    Returns
    -------
    Report
        The phases, the mistakes, and what was not understood.

    Raises
    ------
    OptionError
        A phase is not between 1 and 12, or the timeout is not positive.

    Examples
    --------
    >>> check_text("class Value(").verdict
    'unusable'
    """
    asked = _asked(phases)
    if not timeout > 0:
        raise OptionError(
            where="timeout",
            expected="a positive number of seconds",
            got=repr(timeout),
            fix="Pass timeout=60.",
        )
    chosen = settings or Settings()
    seen = watch(text, name, jobs(chosen.programs), timeout, cancelled)
    return judge(text, name, seen, asked, chosen)


def _asked(phases: Iterable[int] | None) -> frozenset[int]:
    asked = frozenset(range(1, 13) if phases is None else phases)
    for phase in asked:
        if phase not in range(1, 13):
            raise OptionError(
                where="phases",
                expected="integers from 1 to 12",
                got=repr(phase),
                fix="Pass phases=[1, 2, 3].",
            )
    return asked


def judge(
    text: str,
    name: str,
    seen: Observation,
    asked: frozenset[int],
    settings: Settings = Settings(),  # noqa: B008 - it cannot be changed
) -> Report:
    """Return the report on what was observed; nothing is run here."""
    stopped = "; ".join(_stop(row) for row in seen.stopped) or None
    if seen.late or seen.out_of_time or seen.restarts > RESTARTS:
        stopped = f"{stopped}; " if stopped else ""
        stopped += "the other programs were left out, because too many did not end"
    if seen.unusable is not None or seen.engine is None:
        error = seen.unusable or {"type": "", "message": "nothing was observed", "line": None}
        words = f"{error['type']}: {error['message']}" if error["type"] else error["message"]
        return Report(
            name,
            None,
            _empty(),
            (),
            seconds=seen.seconds,
            restarts=seen.restarts,
            stopped=stopped,
            printed=seen.printed,
            error={"line": error.get("line"), "message": words},
        )
    source = Source(text, seen.engine["engine"])
    engine = seen.engine
    cases = cases_of(seen.records, settings.programs)
    mistakes: list[Mistake] = []
    excused: set[str] = set()
    if engine["data"] != "data":
        mistakes.append(named_value())
    for mistake, group in forward_mistakes(_judged(cases), engine, source):
        if all((m.id, m.line) != (mistake.id, mistake.line) for m in mistakes):
            mistakes.append(mistake)
        excused |= {case.formula.id for case in group}
    rest = [c for c in cases if c.formula.id not in excused and c.formula.forward != 10]
    # then all wrong numbers follow from that
    one = source.class_gradient() is not None or any(m.id == "data_changed" for m in mistakes)
    empty = number(engine["empty"])
    explanation = Explanation() if one else explain(rest, source, empty, settings.mistakes)
    mistakes += explained(explanation, source, cases)
    known = {m.op for m in mistakes if m.op}
    if foreign := [c for c in explanation.unexplained if not known & c.right.ops]:
        mistakes.append(placed(foreign, rest, source))
    unexplained = [_left(case) for case in explanation.unexplained]
    if any(m.id == "data_changed" for m in mistakes):
        mistakes = [m for m in mistakes if m.id == "data_changed"]
    spoiled = {m.op for m in mistakes if m.op}
    if not any(m.id.startswith(("raises_", "never_")) for m in mistakes):
        mistakes += [m for m in large(cases, source) if m.op not in spoiled]
    if not any(m.level == "wrong" for m in mistakes):
        mistakes += again(cases, source)
    sound = not any(m.level == "wrong" for m in mistakes) and not unexplained
    counts: dict[int, list[bool]] = {phase: [] for phase in range(1, 13)}
    failed = _count(cases, counts, source)
    if not engine["backward"]:
        counts[3], counts[4] = [], []
    if not any(name.startswith("__r") for name in engine["operators"]):
        counts[5] = []
    for row in seen.stopped:
        formula, other = FORMULAS.get(row["id"]), OTHERS.get(row["id"])
        phase = formula.backward if formula else PHASE_OF[other["kind"]] if other else 3
        counts[phase].append(False)
        if row["id"] == "wide":
            mistakes.append(slow(source))
        else:
            unexplained.append(_stopped(row, phase))
    for _, phase, found in other_mistakes(seen.records, seen.stopped, source, engine, sound):
        counts[phase].append(found is None or found.level != "wrong")
        if found is not None and _new(found, mistakes):
            mistakes.append(found)
    if not unexplained and not any(m.level == "wrong" for m in mistakes):
        unexplained = [_left(case) for case in failed]  # what is wrong is always said
    if unexplained or any(m.level == "wrong" for m in mistakes):
        mistakes = [*shared(source), *mistakes]
    kept = [m for m in mistakes if m.phase in asked]
    kept.sort(key=lambda m: ({"wrong": 0, "limit": 1, "remark": 2}[m.level], m.phase))
    return Report(
        name,
        engine["engine"],
        _phases(counts, mistakes, unexplained, asked),
        tuple(kept),
        tuple(u for u in unexplained if u.phase in asked),
        tuple(missing_operators(cases, engine)),
        seen.seconds,
        seen.restarts,
        stopped,
        seen.printed,
    )


def _new(found: Mistake, mistakes: list[Mistake]) -> bool:
    """Whether a mistake of a net is not the echo of one that is known."""
    if any(m.id in (found.id, "data_changed") for m in mistakes):
        return False
    number_left = "unsupported operand" in found.title and "'int' and" in found.title
    if number_left and any(m.id.startswith("r") and m.id.endswith("_missing") for m in mistakes):
        return False
    known = {m.line for m in mistakes if m.line}
    return not (found.id.endswith("_raises") and found.line in known)


def _judged(cases: list[Case]) -> list[Case]:
    """Cases without those whose errors are a matter of taste: log(0), engines of one pass."""
    return [c for c in cases if not (c.error and c.formula.forward in (10, 12))]


def _stop(row: dict[str, Any]) -> str:
    how = f"took more than {row['seconds']:g} s" if row["why"] == "time" else "ended the process"
    return f"{row['id']} {how}"


def _stopped(row: dict[str, Any], phase: int) -> Unexplained:
    formula = FORMULAS.get(row["id"])
    text = formula.text if formula else row["id"]
    how = "did not end" if row["why"] == "time" else "ended the whole process"
    values = dict(formula.values) if formula else {}
    return Unexplained(phase, text, values, {}, {}, f"The program {how}.")


def _left(case: Case) -> Unexplained:
    names = [name for name, _ in case.formula.values]
    return Unexplained(
        case.formula.backward,
        case.shown,
        dict(case.formula.values),
        {n: case.grad(n) for n in names},
        {n: case.right_grad(n) for n in names},
    )


def _count(cases: list[Case], counts: dict[int, list[bool]], source: Source) -> list[Case]:
    """Note for each phase which of its checks are right; return the cases that are not."""
    failed: list[Case] = []

    def note(phase: int, case: Case, right: bool) -> None:
        counts[phase].append(right)
        if not right:
            failed.append(case)

    for case in cases:
        formula = case.formula
        if (case.error and unwritten(case)) or not case.right.ops:
            continue
        if formula.forward == 10:
            fine = case.error is None and not case.wrong_data and not case.wrong_grads
            note(10, case, fine or formula.id == "log.zero")
        elif formula.backward == 12:
            if case.lines and (case.ran_backward or case.error):
                note(12, case, not second_wrong(case, source))
        else:
            note(formula.forward, case, not case.wrong_data and case.error is None)
            if case.ran_backward and any(".backward()" in x for x in formula.text.split("\n")):
                note(formula.backward, case, not case.wrong_grads)
    return failed


def _phases(
    counts: dict[int, list[bool]],
    mistakes: list[Mistake],
    unexplained: list[Unexplained],
    asked: frozenset[int],
) -> tuple[Phase, ...]:
    rows = []
    first_wrong = min((m.phase for m in mistakes if m.level == "wrong"), default=13)
    for phase in range(1, 13):
        checks = counts[phase]
        own = [m for m in mistakes if m.phase == phase]
        failed = sum(not x for x in checks)
        state = "passed"
        if any(m.level == "wrong" for m in own):
            state = "wrong"
        elif not checks:
            state = "missing"
        elif any(m.level == "limit" for m in own):
            state = "limit"
        elif failed:
            state = "waiting" if first_wrong < 13 or not unexplained else "wrong"
        rows.append(Phase(phase, state if phase in asked else "waiting", len(checks), failed))
    return tuple(rows)


def _empty() -> tuple[Phase, ...]:
    return tuple(Phase(i, "missing", 0, 0) for i in range(1, len(PHASES) + 1))
