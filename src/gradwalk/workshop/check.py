"""Check an engine: run it, judge what was observed, and report twelve phases."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import FileError, OptionError
from .cases import Case, cases_of
from .explain import Explanation, explain
from .facts import METHODS, forward_line, forward_mistakes, missing_operators
from .graph import number
from .nets import PHASE_OF, other_mistakes, slow
from .process import RESTARTS, Observation, watch
from .programs import FORMULAS, OTHERS, jobs
from .report import PHASES, Mistake, Phase, Report, Unexplained
from .source import Source
from .switches import Switch
from .wording import BY_HEART, Words, noun

__all__ = ["check", "check_text", "judge"]


def check(
    target: str | os.PathLike[str] | type,
    *,
    timeout: float = 60.0,
    phases: Iterable[int] | None = None,
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
        return check_text(*_source_of(target), timeout=timeout, phases=phases)
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
    return check_text(text, path.name, timeout=timeout, phases=phases)


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
    return judge(text, name, watch(text, name, jobs(), timeout), asked)


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


def judge(text: str, name: str, seen: Observation, asked: frozenset[int]) -> Report:
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
    cases = cases_of(seen.records)
    mistakes: list[Mistake] = []
    excused: set[str] = set()
    if engine["data"] != "data":
        mistakes.append(_named_value(engine))
    for mistake, group in forward_mistakes(_judged(cases), engine, source):
        if all((m.id, m.line) != (mistake.id, mistake.line) for m in mistakes):
            mistakes.append(mistake)
        excused |= {case.formula.id for case in group}
    rest = [c for c in cases if c.formula.id not in excused and c.formula.forward != 10]
    shared = source.class_gradient() is not None  # then all numbers follow from that
    explanation = Explanation() if shared else explain(rest, source, number(engine["empty"]))
    mistakes += _explained(explanation, source, cases)
    if explanation.unexplained:
        mistakes.append(_placed(explanation.unexplained, rest, source))
    unexplained = [_left(case) for case in explanation.unexplained]
    spoiled = {m.op for m in mistakes if m.op}
    if not any(m.id.startswith(("raises_", "never_")) for m in mistakes):
        mistakes += [m for m in _large(cases, source) if m.op not in spoiled]
    mistakes += _again(cases, source, any(m.level == "wrong" for m in mistakes))
    sound = not any(m.level == "wrong" for m in mistakes) and not unexplained
    counts: dict[int, list[bool]] = {phase: [] for phase in range(1, 13)}
    failed = _count(cases, counts, source)
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
        mistakes = [*_shared(source), *mistakes]
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
    if any(m.id == found.id for m in mistakes):
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


def _named_value(engine: dict[str, Any]) -> Mistake:
    return Mistake(
        "value_for_data",
        1,
        "the number is called value, not data",
        "Most engines and all texts here call it data; yours is right, and is read as it is.",
        "remark",
        hints=("", "", ""),
    )


def _explained(explanation: Explanation, source: Source, cases: list[Case]) -> list[Mistake]:
    rows: list[Mistake] = []
    for switch, group, others in explanation.found:
        if any((m.id, m.op) == (switch.words.id, switch.op) for m in rows):
            continue  # both operands have it
        case = min(group, key=lambda c: (bool(not c.wrong_grads), c.size))
        words = switch.words
        if words.id == "by_value":
            words = _equal_nodes(words, case)
        hints = BY_HEART[words.id][1:] if words.id in BY_HEART else words.hints
        rows.append(
            Mistake(
                words.id,
                switch.phase,
                words.title,
                words.says,
                "wrong",
                switch.op,
                "exact" if not explanation.unexplained else "likely",
                len(group),
                line_of(switch, case, cases, source),
                tuple(dict.fromkeys(o.words.title for o in others[:4])),
                case.shown,
                dict(case.formula.values),
                case.walk(),
                (hints[0], hints[1], hints[2]),
                words.lesson,
                None,
                words.id in ("seed_missing", "nothing", "not_the_root"),
            )
        )
    return rows


def _equal_nodes(words: Words, case: Case) -> Words:
    """Return the words with two nodes of the program that have the same number."""
    graph = case.right
    names = sorted(graph.names, key=lambda name: not graph.nodes[graph.names[name]].op)
    for i, p in enumerate(names):
        for q in names[i + 1 :]:
            x, y = graph.nodes[graph.names[p]].data, graph.nodes[graph.names[q]].data
            if x == y:
                hint = f"{p} is {x:g} and {q} is {y:g}. Are they the same node?"
                return replace(words, hints=(hint, *words.hints[1:]))
    return words


def _placed(wrong: list[Case], cases: list[Case], source: Source) -> Mistake:
    """Return the place of wrong gradients that no model explains: the operation that they share."""
    right = [c for c in cases if c.once and c.ran_backward and not c.wrong_grads]
    ops = sorted({op for c in wrong for op in c.right.ops})
    rated = [
        (sum(op in c.right.ops for c in wrong) / len(wrong)
         - sum(op in c.right.ops for c in right) / max(len(right), 1), op)
        for op in ops
    ]  # fmt: skip
    op = max(rated)[1] if rated else ""
    case = min(wrong, key=lambda c: c.size)
    name = case.wrong_grads[0] if case.wrong_grads else case.formula.values[0][0]
    got = case.grad(name)
    yours = "nothing" if got is None else f"{got:.6g}"
    all_of_them = bool(op) and all(op in c.right.ops for c in wrong)
    where = f" where {noun(op)} is used" if all_of_them else ""
    line = rule_line(op, 0, cases, source) if all_of_them else source.loop()
    forward = {x for c in wrong for part in c.record.get("forward", ()) for x in part}
    if all_of_them and (kept := source.class_write(forward)):
        return Mistake(
            f"{op}_kept_in_class",
            3,
            f"the rule of {noun(op)} keeps its numbers in the class, where a later {op} "
            "overwrites them",
            f"`{source.line(kept)}` is shared by all uses of {op}: backward reads the numbers of "
            "the last one. Each node needs its own.",
            "wrong",
            op,
            "likely",
            len(wrong),
            kept,
            (),
            case.shown,
            dict(case.formula.values),
            case.walk(),
            (
                f"Use {op} twice. Which numbers does the first one have in backward?",
                "They are attributes of the class, so there is one for all.",
                "keep them in the node: `self...` or the context",
            ),
            "graph",
            None,
            True,
        )
    return Mistake(
        f"{op}_place" if all_of_them else "backward_place",
        3,
        f"gradients are wrong{where}, and no known mistake explains all of them",
        f"In this program {name}.grad is {yours}; it must be {case.right_grad(name):.6g}. Look at "
        "what backward passes on, to which operand, in which order, and how often.",
        "wrong",
        op if all_of_them else "",
        "place",
        len(wrong),
        line,
        (),
        case.shown,
        dict(case.formula.values),
        case.walk(),
        (
            "Follow the program by hand: which contributions must arrive?",
            f"{name}.grad: yours {yours}, right {case.right_grad(name):.6g}.",
            "Compare the two walks at the first step that differs.",
        ),
        "order",
    )


def line_of(switch: Switch, case: Case, cases: list[Case], source: Source) -> int | None:
    """Return the line to look at: where the write was observed, or what the source says."""
    writes = [(line, node, new) for line, node, _, new in case.writes if line]
    if switch.where == "write":
        return writes[-1][0] if writes else source.loop()
    if switch.words.id.endswith("_operand_not_stored"):
        engine = source.engine or ""
        made = forward_line(switch.op, METHODS.get(switch.op, switch.op), cases, source, engine)
        return made or rule_line(switch.op, switch.k, cases, source)
    if switch.where == "reseed":
        root = case.seen.root if case.seen else -1
        again = [line for line, node, new in writes if new == 1.0 and node != root]
        return again[0] if again else source.collecting()
    if switch.where == "cleared":
        zero = [line for line, _, new in writes if not new]
        return zero[-1] if zero else source.loop()
    if switch.where == "merged":
        return source.made_of_set() or (writes[-1][0] if writes else source.loop())
    if switch.where == "begin":
        return source.begins("grad")
    if switch.words.id.endswith("_of_number"):
        calls = case.record.get("calls") or [{}]
        return source.returns(calls[0].get("method", ""), source.engine)
    if switch.where != "rule":
        place: int | None = getattr(source, _PLACES[switch.where])()
        return place
    return rule_line(switch.op, switch.k, cases, source)


_PLACES = {
    "seed": "before_loop",
    "loop": "loop",
    "turning": "turning",
    "collecting": "collecting",
    "compared": "compared",
    "queueing": "queueing",
}
"""Which question about the source finds the line of a mistake of the pass."""


def rule_line(op: str, k: int, cases: list[Case], source: Source) -> int | None:
    """Return the line of one rule: only its programs run it, or it writes the gradient."""
    ran: dict[str, list[set[int]]] = {}
    written: dict[tuple[str, int], set[int]] = {}
    for case in cases:
        graph = case.seen
        if graph is None or not case.once:
            continue
        inner = [node for node in graph.nodes if node.op]
        if len(inner) != 1:
            continue
        node = inner[0]
        lines = {x for key in ("ran", "forward") for part in case.record.get(key, ()) for x in part}
        ran.setdefault(node.op, []).append(lines)
        for line, index, _, _ in case.writes:
            for j, ref in enumerate(node.args):
                if isinstance(ref, int) and ref == index:
                    written.setdefault((node.op, j), set()).add(line)
    others = {x for key, parts in ran.items() if key != op for part in parts for x in part}
    own = written.get((op, k), set()) - others
    if own:
        return min(own)
    mine = ran.get(op, [])
    unique = sorted(set.intersection(*mine) - others) if mine else []
    marked = [x for x in unique if "grad" in source.line(x)]
    if marked:
        return marked[min(k, len(marked) - 1)]
    backward = [x for x in unique if x in _ran_backward(op, cases)]
    found = backward or unique
    engine = source.engine or ""
    return found[-1] if found else forward_line(op, METHODS.get(op, op), cases, source, engine)


def _ran_backward(op: str, cases: list[Case]) -> set[int]:
    return {
        x for c in cases if c.formula.single == op for part in c.record.get("ran", ()) for x in part
    }


def _large(cases: list[Case], source: Source) -> list[Mistake]:
    """Phase 10: a finite result that overflows or is NaN; log(0) may end in a clear error."""
    rows: list[Mistake] = []
    for case in cases:
        if case.formula.forward != 10 or case.formula.id == "log.zero":
            continue
        op = case.formula.id.split(".")[0]
        wrong = bool(case.wrong_data) or (
            case.once and case.ran_backward and bool(case.wrong_grads)
        )
        if case.error is None and not wrong:
            continue
        if any(m.op == op for m in rows):
            continue
        got = (
            case.error["type"]
            if case.error
            else str(case.grad("a") if not case.wrong_data else "wrong")
        )
        line = (case.error or {}).get("line") or source.returns(op)
        text = case.formula.text.split("\n")[0].removeprefix("y = ")
        value = case.formula.values[0][1]
        rows.append(
            Mistake(
                f"{op}_overflow",
                10,
                f"{op} of a large number fails: {text} at {value:g} ends in {got} (overflow)",
                "exp of a large number overflows the range of floats; use math.tanh, "
                "or a form whose "
                "exponent is negative.",
                "wrong",
                op,
                "exact",
                1,
                line,
                (),
                case.shown,
                dict(case.formula.values),
                case.walk(),
                (
                    f"What is {op}(1000)?",
                    "exp(1000) is too large for a float; the result is not.",
                    "`math.tanh(x)`, or `exp(-abs(x))`",
                ),
                "activation",
            )
        )
    return rows


def _again(cases: list[Case], source: Source, wrong: bool) -> list[Mistake]:
    """Phase 12: a second graph of the same leaves, when all single graphs are right."""
    if wrong:
        return []
    for case in cases:
        if case.formula.backward != 12 or _unwritten(case):
            continue
        if name := _built_only(case):
            return [_cleared_by_building(case, name, source)]
        if not _second_wrong(case, source):
            continue
        kept = source.kept_default()
        last = case.formula.names[-1]
        return [
            Mistake(
                "second_graph",
                12,
                "the second backward is wrong: something of the first graph is left over (visited, "
                "grads)",
                "A list, set or gradient is shared between calls (global, class "
                "attribute or default "
                "argument), and is not emptied.",
                "wrong",
                "",
                "likely",
                1,
                kept or source.collecting(),
                (),
                case.shown,
                dict(case.formula.values),
                None,
                (
                    f"What does {last}.backward() know of the first graph?",
                    "Something survives the first call.",
                    "make `visited = set()` and `topo = []` inside backward",
                ),
                "order",
            )
        ]
    return []


def _shared(source: Source) -> list[Mistake]:
    """Return what all numbers share by mistake: a gradient, or the list of a default."""
    rows = []
    if line := source.class_gradient():
        rows.append(_one_for_all(
            "grad_on_the_class",
            line,
            "the gradient is one attribute of the class, shared by all numbers",
            "It writes to the class: each object (instance) needs a grad of its own, made in "
            "__init__.",
            "Make two numbers, and write the gradient of one. What has the other?",
            "The class has one gradient for all.",
            "`self.grad += ...`",
        ))  # fmt: skip
    if line := source.kept_default(init=True):
        rows.append(_one_for_all(
            "shared_default",
            line,
            "all numbers share one list of operands: the default of __init__",
            "A default is made once, when the method is defined, and is the same list at each "
            "call; what one node (instance) appends, all have.",
            "Make two numbers, and append to the list of one. What has the other?",
            "The mutable default is shared.",
            "`def __init__(self, data, _prev=()):`",
        ))  # fmt: skip
    return rows


def _one_for_all(id: str, line: int, title: str, says: str, *hints: str) -> Mistake:
    three = hints[0], hints[1], hints[2]
    return Mistake(
        id, 3, title, says, line=line, certainty="likely", hints=three, lesson="graph", again=True
    )


def _cleared_by_building(case: Case, name: str, source: Source) -> Mistake:
    return Mistake(
        "building_changes_grad",
        12,
        f"a new formula of {name} changes {name}.grad",
        f"{name}.grad was there from the first backward, and the line that only computes a new "
        "result has reset (cleared) it: only backward and zero_grad may write gradients.",
        "wrong",
        "",
        "exact",
        1,
        source.mentions(".grad", "__init__", source.engine),
        (),
        case.shown,
        dict(case.formula.values),
        None,
        (
            f"Print {name}.grad before and after the second formula is built.",
            "The operands' gradients are written when a new node is made.",
            "no `.grad =` for operands outside backward",
        ),
        "order",
    )


def _built_only(case: Case) -> str | None:
    """Return a leaf whose gradient is changed by a line that only builds a formula."""
    texts = case.formula.text.split("\n")
    for text, before, after in zip(texts[1:], case.lines, case.lines[1:], strict=False):
        if ".backward()" not in text and ".grad" not in text:
            for name, _ in case.formula.values:
                if before.get(name, {}).get("grad") != after.get(name, {}).get("grad"):
                    return name
    return None


def _second_wrong(case: Case, source: Source) -> bool:
    if case.error is not None or not case.lines:
        # an engine may refuse a second pass through the same node
        return case.error is not None and case.formula.id != "second_use"
    nothing = not any(case.grad(name) for name, _ in case.formula.values)
    if case.formula.id == "second_use" and nothing and source.kept_default() is None:
        return False  # an engine of one pass per graph: it has let the first graph go
    a, b = (v for _, v in case.formula.values)
    allowed = {
        "second_use": ({"a": 3 * b, "b": 3 * a},),
        "second_graph": ({"a": b + 1, "b": a + 1}, {"a": 1.0, "b": 1.0}),
        "second_loss": ({"a": 2 * a * b, "b": a * a},),
        "third_loss": ({"a": 2 * a * b, "b": a * a},),
    }[case.formula.id]
    return not any(
        all(abs((case.grad(n) or 0.0) - want) < 1e-6 for n, want in row.items()) for row in allowed
    )


def _unwritten(case: Case) -> bool:
    """Whether a program did not run because an operator or backward is not written."""
    if case.error is None:
        return not case.ran_backward
    return case.error["line"] is None and "operand" in case.error["message"]


def _count(cases: list[Case], counts: dict[int, list[bool]], source: Source) -> list[Case]:
    """Note for each phase which of its checks are right; return the cases that are not."""
    failed: list[Case] = []

    def note(phase: int, case: Case, right: bool) -> None:
        counts[phase].append(right)
        if not right:
            failed.append(case)

    for case in cases:
        formula = case.formula
        if (case.error and _unwritten(case)) or not case.right.ops:
            continue
        if formula.forward == 10:
            fine = case.error is None and not case.wrong_data and not case.wrong_grads
            note(10, case, fine or formula.id == "log.zero")
        elif formula.backward == 12:
            if case.lines and (case.ran_backward or case.error):
                note(12, case, not _second_wrong(case, source))
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
