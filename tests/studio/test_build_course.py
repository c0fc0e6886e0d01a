"""The course "Build it yourself": its solutions, put together chapter by chapter, are an engine."""

from __future__ import annotations

import ast
import textwrap
from functools import cache
from typing import Any

import pytest

pytest.importorskip("starlette")

from gradwalk.studio.lessons import Lesson
from gradwalk.workshop import Report, check_text
from gradwalk.workshop.report import PHASES

from ..helpers.course import CHAPTERS, engine, merged, texts

each = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.id)


@cache
def report(number: int) -> Report:
    return check_text(engine(number))


def test_later_definitions_replace_earlier_ones() -> None:
    first = "import math\nclass A:\n    def f(self): return 1\n    def g(self): return 2\n"
    then = "import math\nclass A:\n    def f(self): return 3\ndef h(): return 4\n"
    scope: dict[str, Any] = {}
    exec(merged([first, then]), scope)
    assert (scope["A"]().f(), scope["A"]().g(), scope["h"]()) == (3, 2, 4)
    assert merged([first, then]).count("import math") == 1


@each
def test_a_chapter_has_one_phase_one_cell_and_one_solution(chapter: Lesson) -> None:
    kinds = [block["kind"] for block in chapter.blocks]
    assert [kinds.count(kind) for kind in ("cell", "solution")] == [1, 1]
    assert kinds.index("walk") < kinds.index("cell") < kinds.index("solution")
    assert kinds.index("solution") < kinds.index("choice")
    (cell,) = (block for block in chapter.blocks if block["kind"] == "cell")
    assert cell["phase"] == chapter.number
    said = "".join(span["text"] for span in cell["spans"])
    assert f"phase {chapter.number} is passed" in said


@each
def test_the_solutions_up_to_a_chapter_pass_its_phases(chapter: Lesson) -> None:
    found = report(chapter.number)
    assert found.error is None
    states = {phase.phase: phase.state for phase in found.phases[: chapter.number]}
    assert states == dict.fromkeys(range(1, chapter.number + 1), "passed")
    assert [m.title for m in found.mistakes if m.phase <= chapter.number] == []
    assert [u for u in found.unexplained if u.phase <= chapter.number] == []


@each
def test_a_chapter_adds_to_its_phase(chapter: Lesson) -> None:
    """Chapter 4 tries a mistake in rules that are written, and adds nothing."""
    before, after = (
        report(n).phases[chapter.number - 1] for n in (chapter.number - 1, chapter.number)
    )
    added = before.state != "passed" or before.checks < after.checks
    assert added is (chapter.number != 4)


def test_after_the_last_chapter_everything_is_passed() -> None:
    found = report(len(PHASES))
    assert {phase.state for phase in found.phases} == {"passed"}
    assert (found.mistakes, found.unexplained, found.missing) == ((), (), ())


@pytest.mark.parametrize(
    ("right", "wrong", "op"),
    [
        ("other.grad -= out.grad", "other.grad += out.grad", "sub"),
        ("n * self.data ** (n - 1)", "n * self.data ** n", "pow"),
        ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad", "mul"),
        ("other.grad -= self.data / ", "other.grad += self.data / ", "div"),
    ],
)
def test_a_wrong_rule_of_chapter_2_is_found_before_longer_formulas_work(
    right: str, wrong: str, op: str
) -> None:
    assert engine(2).count(right) == 1
    found = check_text(engine(2).replace(right, wrong))
    assert [m.op for m in found.mistakes if m.phase <= 2] == [op]
    assert found.phases[1].state == "wrong"
    (mistake,) = (m for m in found.mistakes if m.phase <= 2)
    assert mistake.line is not None
    assert mistake.walk is not None
    at = next(n for n, line in enumerate(engine(2).splitlines(), 1) if right in line)
    assert abs(mistake.line - at) <= 2


def test_the_experiment_of_chapter_4_finds_the_mistake() -> None:
    rule = "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad"
    assert engine(4).count(rule) == 1
    found = check_text(engine(4).replace(rule, rule.replace("+=", "=")))
    assert [m.id for m in found.mistakes if m.level == "wrong"] == ["mul_assign"]
    assert found.phases[3].state == "wrong"
    assert found.mistakes[0].walk is not None


def test_the_functions_of_the_chapters_do_what_they_say() -> None:
    scope: dict[str, Any] = {}
    exec(engine(len(PHASES)), scope)
    assert scope["used_twice"]() == 7.0
    value = scope["Value"](3.0)
    assert scope["numerical_gradient"](lambda x: x * x + x, value) == pytest.approx(7.0)
    assert value.data == 3.0
    assert len(scope["MLP"](3, [4, 4, 1]).parameters()) == 41


def test_the_network_of_the_last_chapter_learns_xor() -> None:
    scope: dict[str, Any] = {}
    exec(engine(len(PHASES)), scope)
    losses = scope["xor"]()
    assert len(losses) == 200
    assert losses[-1] < 0.05 < 1 < losses[0]


@each
def test_fragments_of_code_are_python(chapter: Lesson) -> None:
    for text in [*texts(chapter, "code"), *texts(chapter, "solution")]:
        ast.parse(textwrap.dedent(text))
