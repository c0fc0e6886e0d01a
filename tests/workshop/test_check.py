"""The judge of the workshop: right engines pass, mistakes are named, and nothing is silent."""

from __future__ import annotations

import gc
import json
import random
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from tests.workshop.engines import ENGINES, Engine
from tests.workshop.hostile import ENDING, ENDLESS, LYING
from tests.workshop.mistakes import FOUND, Mistake

from gradwalk.errors import FileError, OptionError
from gradwalk.ops import TABLE
from gradwalk.workshop import Report, check, check_text, skeleton
from gradwalk.workshop.graph import local
from gradwalk.workshop.inside import check_here
from gradwalk.workshop.search import Found, fitting, formulas
from gradwalk.workshop.source import Source
from gradwalk.workshop.wording import DERIVATIVES, variants

PUBLIC = [m for m in FOUND if m.public]
OTHERS = [m for m in FOUND if not m.public]


def named(report: Report, mistake: Mistake) -> list[int | None]:
    """The lines of the mistakes whose words name ``mistake``."""
    texts = [(f"{m.title} {m.says}".lower(), m.line) for m in report.mistakes]
    return [
        line
        for text, line in texts
        if all(any(word in text for word in group) for group in mistake.words)
    ]


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES.keys())
def test_right_engines_of_any_style_pass(engine: Engine) -> None:
    report = check_text(engine.text)
    assert report.error is None
    assert report.unexplained == ()
    wrong = [m for m in report.mistakes if m.level == "wrong"]
    assert {m.phase for m in wrong} <= engine.findings, wrong
    limits = {m.phase for m in report.mistakes if m.level == "limit"}
    assert limits <= engine.limits
    assert all(p.checks > 0 for p in report.phases if p.state == "passed")


@pytest.mark.parametrize("mistake", PUBLIC, ids=lambda m: f"{m.id}-{m.base}")
def test_mistakes_are_named(mistake: Mistake) -> None:
    report = check_text(mistake.text)
    lines = named(report, mistake)
    assert lines, [m.title for m in report.mistakes]
    state = report.phases[mistake.phase - 1].state
    assert state in ("wrong", "limit", "waiting"), (mistake.phase, state)


@pytest.mark.prove
def test_lines_are_found() -> None:
    """Within two lines, for four of five; where a line was removed it is a matter of taste."""
    near = 0
    for mistake in PUBLIC:
        lines = named(check_text(mistake.text), mistake)
        near += any(line is not None and abs(line - mistake.line) <= 2 for line in lines)
    assert near >= 0.8 * len(PUBLIC)


@pytest.mark.parametrize("mistake", OTHERS[::9], ids=lambda m: f"{m.id}-{m.base}")
def test_no_mistake_is_silent(mistake: Mistake) -> None:
    report = check_text(mistake.text)
    assert report.mistakes or report.unexplained
    assert report.verdict == "wrong" or {m.level for m in report.mistakes} <= {"limit", "remark"}


@pytest.mark.prove
def test_most_mistakes_are_named() -> None:
    """Nine of ten, of mistakes that were written by other hands than the judge."""
    found = [bool(named(check_text(m.text), m)) for m in OTHERS]
    assert sum(found) >= 0.9 * len(found)


# --- mutations ------------------------------------------------------------------------------------

TAPE = ENGINES["tape"].text
RULES = {
    "mul": ("(other.data, self.data)", "({}, self.data)", "self.data", "other.data",
            "(self.data * other.data)"),
    "div": ("(1 / b, -a / b ** 2)", "(1 / b, {})", "a", "b", "(a / b)"),
    "exp": ("(self,), (e,)", "(self,), ({},)", "self.data", "", "e"),
    "tanh": ("(1 - t * t,)", "({},)", "self.data", "", "t"),
}  # fmt: skip


def mutants(count: int) -> Iterator[tuple[str, str, str]]:
    """Engines in which one derivative is another small formula."""
    points = {"a": (1.3, -0.4, 2.2), "b": (0.7, 1.9, -1.1), "y": (0.8, -0.3, 0.5)}
    texts = [found.text for found, _ in islice(formulas(points), 3000)]
    chosen = random.Random(3)
    for _ in range(count):
        op = chosen.choice(sorted(RULES))
        old, new, a, b, y = RULES[op]
        text = chosen.choice(texts)
        if not b and re.search(r"\bb\b", text):
            continue
        names = {"a": f"({a})", "b": f"({b})", "y": f"({y})"}
        rule = re.sub(r"\b[aby]\b", lambda m, names=names: names[m.group()], text)
        assert old in TAPE
        yield op, text, _IMPORTS + TAPE.replace(old, new.format(f"float({rule})"), 1)


_IMPORTS = (
    "from math import cos, exp, log, sin, sqrt, tanh\n"
    "def sigmoid(x):\n    return 1 / (1 + exp(-x))\n"
)


def test_any_wrong_derivative_is_found_at_its_operation() -> None:
    for op, text, engine in mutants(40):
        report = check_text(engine)
        wrong = [m for m in report.mistakes if m.level == "wrong"]
        assert report.verdict == "wrong" or right(op, text), (op, text)
        assert all(m.op in (op, "") for m in wrong if m.phase in (2, 3, 4)), (op, text, wrong)


def right(op: str, text: str) -> bool:
    """Whether a formula is the right derivative, in other words."""
    k = 1 if op == "div" else 0
    rows = [(1.3, 0.7), (-0.4, 1.9), (2.2, -1.1)]
    for row in rows:
        args = row[: TABLE[op].arity]
        y = float(TABLE[op](*args))
        got = Found(text, 1, 1).evaluate({"a": row[0], "b": row[1], "y": y})
        if abs(got - local(op, k, y, args)) > 1e-9:
            return False
    return True


@pytest.mark.parametrize("key", DERIVATIVES, ids=lambda key: f"{key[0]}-{key[1]}")
def test_the_derivatives_that_are_shown_are_those_of_the_table(key: tuple[str, int]) -> None:
    op, k = key
    for a, b in ((1.7, 2.0), (0.4, 3.0), (2.5, -1.0)):
        args = (a, b)[: TABLE[op].arity]
        y = float(TABLE[op](*args))
        names = {"a": a, "b": b, "n": b, "y": y}
        shown = Found(DERIVATIVES[key], 1, 1).evaluate(names)
        assert shown == pytest.approx(local(op, k, y, args), rel=1e-12)
        wrong = [Found(row[1], 1, 1) for row in variants(op, k)]
        assert all(isinstance(x.evaluate(names), float) for x in wrong)


def test_the_search_finds_a_formula_by_its_numbers() -> None:
    a, y = (1.6, -0.7, 0.3, -2.1), (0.9217, -0.6044, 0.2913, -0.9705)
    for wanted in ("1 - a ** 2", "y * (1 - a)", "a + y", "exp(a) / y"):
        points = [{"a": p, "y": q} for p, q in zip(a, y, strict=True)]
        numbers = [Found(wanted, 1, 1).evaluate(point) for point in points]
        found = fitting({"a": a, "y": y}, numbers)
        assert found is not None
        again = [found.evaluate(point) for point in points]
        assert again == pytest.approx(numbers)


# --- pairs, beginnings, files that cannot be used -------------------------------------------------


@pytest.mark.parametrize("first", ["tanh", "exp"])
@pytest.mark.parametrize("second", ["mul", "div"])
def test_two_mistakes_in_one_file_are_both_named(first: str, second: str) -> None:
    rules = {
        "tanh": ("(1 - t * t,)", "(1 - self.data ** 2,)"),
        "exp": ("(self,), (e,)", "(self,), (1.0,)"),
        "mul": ("(other.data, self.data)", "(self.data, other.data)"),
        "div": ("-a / b ** 2", "a / b ** 2"),
    }  # fmt: skip
    text = TAPE
    for key in (first, second):
        assert rules[key][0] in text
        text = text.replace(*rules[key], 1)
    found = {m.op for m in check_text(text).mistakes if m.level == "wrong"}
    assert {first, second} <= found


def test_the_skeleton_is_no_mistake() -> None:
    report = check_text(skeleton())
    assert report.verdict == "right"
    assert {p.state for p in report.phases} == {"missing"}
    assert "a + b" in report.missing


UNUSABLE = {
    "class Value(:\n": 1, "1 / 0\n": 1, "": None, "x = 1\n": None,
    "class Value:\n    def __init__(self): pass\n": None, "while True:\n    pass\n": 1,
    "import sys\nsys.exit()\n": 2, "import os\nos._exit(0)\n": None,
    "x = bytearray(10 * 2**30)\n": 1, "input()\n": 1,
}  # fmt: skip


@pytest.mark.parametrize("text", UNUSABLE)
def test_a_file_that_cannot_be_used_says_why(text: str) -> None:
    report = check_text(text)
    assert report.verdict == "unusable"
    assert report.error is not None
    assert report.error["message"]
    if UNUSABLE[text] is not None:
        assert abs(report.error["line"] - UNUSABLE[text]) <= 1


QUICK = {**ENDING, **LYING}


def ends_with_a_word(report: Report) -> bool:
    """Whether a report says what was wrong, or that nothing was."""
    said = report.error or report.stopped or report.mistakes or report.unexplained
    return bool(said) or all(p.state in ("passed", "missing") for p in report.phases)


@pytest.mark.parametrize("text", QUICK.values(), ids=QUICK.keys())
def test_hostile_files_end_with_a_word(text: str) -> None:
    assert ends_with_a_word(check_text(text))


@pytest.mark.prove
@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_endless_files_end_with_a_word(text: str) -> None:
    report = check_text(text, timeout=30)
    assert ends_with_a_word(report)
    assert report.seconds < 15


def test_an_endless_backward_pass_is_named_with_its_line() -> None:
    report = check_text(ENDLESS["endless_in_backward"])
    assert report.mistakes[0].id == "never_ends"
    line = report.mistakes[0].line
    assert line is not None
    shown = ENDLESS["endless_in_backward"].split("\n")[line - 2 : line + 1]
    assert any("while True" in x for x in shown)


HARMLESS = {
    "closed output": "\nimport sys\nsys.stdout.close()\nsys.stderr.close()\n",
    "a process left behind": "\nimport os, time\nif os.fork() == 0:\n    time.sleep(60)\n",
    "a thread left behind":
        "\nimport threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n",
    "an exit handler": "\nimport atexit, time\natexit.register(time.sleep, 60)\n",
    "ignored signals": "\nimport signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n",
    "much output": "\nfor i in range(100000):\n    print('x' * 50)\n",
    "output like a report": "\nprint('{\"end\": \"mul.0\", \"record\": {}}', '{\"done\": true}')\n",
}  # fmt: skip


@pytest.mark.parametrize("line", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_a_file_does_beside_its_engine_does_not_matter(line: str) -> None:
    report = check_text(TAPE + line)
    assert report.verdict == "right", report.mistakes
    assert len(report.printed) <= 10_000


def test_the_same_is_found_in_this_process() -> None:
    text = TAPE.replace("(1 - t * t,)", "(1 - self.data ** 2,)", 1)
    begun: list[str] = []
    here, there = check_here(text + "\nprint('hello')\n", started=begun.append), check_text(text)
    assert [m.id for m in here.mistakes] == [m.id for m in there.mistakes]
    assert here.printed == "hello\n"
    assert "tanh.0" in begun
    assert check_here(text, skip=begun[1:3]).stopped is not None


def test_the_report_is_json() -> None:
    report = check_text(TAPE.replace("(1 - t * t,)", "(1 - self.data ** 2,)", 1))
    row = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert row["schema"] == "gradwalk-workshop/1"
    first = row["mistakes"][0]
    assert first["walk"]["node"] == "a"
    assert first["walk"]["right"] == pytest.approx(0.15052, abs=1e-4)
    assert len(row["phases"]) == 12
    assert all(len(m["hints"]) == 3 for m in row["mistakes"])


def test_wrong_arguments() -> None:
    with pytest.raises(FileError, match="check"):
        check("there/is/no/such/file.py")
    with pytest.raises(OptionError, match="phases"):
        check_text("", phases=[13])
    with pytest.raises(OptionError, match="timeout"):
        check_text("", timeout=0)
    with pytest.raises(FileError, match="class"):
        check(int)


def test_a_class_is_found_in_its_file(tmp_path: Path) -> None:
    spec = tmp_path / "an_engine.py"
    spec.write_text(TAPE, encoding="utf-8")
    names: dict[str, type] = {"__name__": "an_engine"}  # type: ignore[dict-item]
    exec(compile(TAPE, str(spec), "exec"), names)
    assert check(names["Value"]).verdict == "right"


def test_phases_can_be_chosen() -> None:
    text = TAPE.replace("(1 - t * t,)", "(1 - self.data ** 2,)", 1)
    assert check_text(text, phases=[1, 4]).verdict == "right"
    assert check_text(text, phases=[2]).verdict == "wrong"


def test_files_are_read_by_many_threads_at_once() -> None:
    text = ENGINES["closures"].text

    def read(depth: int) -> int:  # trees that are made at other depths of calls
        return read(depth - 1) if depth else len(Source(text).tree.body)

    def change(phase: str, info: object) -> None:  # threads change while a tree is made
        time.sleep(0)

    gc.callbacks.append(change)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(read, range(64)))) == 1
    finally:
        gc.callbacks.remove(change)
