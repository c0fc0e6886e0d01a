"""The lessons: their answers are the engine's, and what they say about mistakes is about those."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

import httpx
from starlette.applications import Starlette

import gradwalk
from gradwalk.errors import ExpressionError, FileError, GradwalkError
from gradwalk.expression import parse
from gradwalk.studio.lessons import (
    Choice,
    Course,
    Lesson,
    Question,
    courses,
    judge,
    lessons,
    routes,
)
from gradwalk.studio.lessons.answers import key, solution
from gradwalk.studio.lessons.reading import read, spans

GRADIENTS, BUILD = courses()
ASKED = [(lesson, q) for lesson in lessons() for q in lesson.questions.values()]
QUESTIONS = [(lesson, q) for lesson, q in ASKED if isinstance(q, Question)]
CHOICES = [q for _, q in ASKED if isinstance(q, Choice)]
each = pytest.mark.parametrize(
    ("lesson", "question"), QUESTIONS, ids=lambda part: getattr(part, "name", "")
)


def blocks(kind: str, course: Course | None = None) -> list[dict[str, Any]]:
    found = course.lessons if course else lessons()
    return [block for lesson in found for block in lesson.blocks if block["kind"] == kind]


def ask(method: str, path: str, **options: Any) -> httpx.Response:
    """What the lessons' routes answer."""

    async def asking() -> httpx.Response:
        transport = httpx.ASGITransport(app=Starlette(routes=routes()))
        async with httpx.AsyncClient(transport=transport, base_url="http://studio") as client:
            return await client.request(method, path, **options)

    return asyncio.run(asking())


def test_there_are_six_lessons_and_twelve_chapters() -> None:
    assert [lesson.id for lesson in GRADIENTS.lessons] == [str(n) for n in range(1, 7)]
    assert [lesson.id for lesson in BUILD.lessons] == [f"build-{n}" for n in range(1, 13)]
    for course in courses():
        assert [lesson.number for lesson in course.lessons] == [*range(1, len(course.lessons) + 1)]
    assert all(lesson.questions for lesson in lessons())
    assert all({"walk", "text"} <= {b["kind"] for b in lesson.blocks} for lesson in lessons())


@each
def test_the_right_answer_is_right(lesson: Lesson, question: Question) -> None:
    right = judge(question, repr(solution(question)))
    assert right.right
    assert right.words == question.explain


@each
def test_every_mistake_is_wrong_and_has_words_of_its_own(
    lesson: Lesson, question: Question
) -> None:
    said = set()
    for mistake, words in question.mistakes:
        numbers = {name: question.values[name] for name in parse(mistake).names}
        found = judge(question, repr(parse(mistake).evaluate(numbers).data))
        assert not found.right
        assert found.words == words
        said.add(words)
    assert len(said) == len(question.mistakes)


@each
def test_an_answer_that_is_no_known_mistake_gets_a_hint_first(
    lesson: Lesson, question: Question
) -> None:
    unknown = judge(question, "123456.789")
    assert not unknown.right
    assert unknown.words == question.explain
    assert unknown.hint == question.hint
    assert unknown.hint
    assert unknown.hint != question.explain
    assert judge(question, repr(solution(question))).hint == ""
    for mistake, _ in question.mistakes:
        numbers = {name: question.values[name] for name in parse(mistake).names}
        assert judge(question, repr(parse(mistake).evaluate(numbers).data)).hint == ""


@each
def test_a_hint_does_not_give_the_number_away(lesson: Lesson, question: Question) -> None:
    plain = question.hint.replace("\N{MINUS SIGN}", "-")
    for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", plain):
        assert not judge(question, number).right, number
    assert len(question.hint) <= 160


@each
def test_answers_within_the_tolerance_are_right(lesson: Lesson, question: Question) -> None:
    expected, tolerance = solution(question), question.tolerance
    step = tolerance * (abs(expected) or 1.0)
    assert judge(question, repr(expected + 0.9 * step)).right
    assert not judge(question, repr(expected + 1.1 * step)).right


@pytest.mark.parametrize(
    "question", [q for _, q in QUESTIONS if q.answer.endswith(".grad")], ids=lambda q: q.name
)
def test_gradients_are_those_of_differences(question: Question) -> None:
    name = question.answer.partition(".")[0]
    formula, h = parse(question.formula), 1e-6

    def result(nudge: float) -> float:
        moved = {**question.values, name: question.values[name] + nudge}
        return formula.evaluate(moved).data

    assert solution(question) == pytest.approx((result(h) - result(-h)) / (2 * h), abs=1e-6)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.name)
def test_each_option_of_a_choice_has_feedback_of_its_own(choice: Choice) -> None:
    assert len(choice.options) >= 3
    assert len({text for text, _ in choice.options}) == len(choice.options)
    assert len({words for _, words in choice.options}) == len(choice.options)
    assert all(words for _, words in choice.options)
    for number, (_, words) in enumerate(choice.options, 1):
        found = judge(choice, str(number))
        assert found.right is (number == choice.right)
        assert (found.words, found.hint, found.expected) == (words, "", choice.right)
    assert not judge(choice, "0").right
    assert not judge(choice, "99").right


def test_the_correct_options_are_in_all_places() -> None:
    """The place of an option gives no hint."""
    places = [choice.right for choice in CHOICES]
    for place in (1, 2, 3):
        assert 0.2 < places.count(place) / len(places) < 0.5


def test_keys_can_be_written_as_json() -> None:
    for _, question in ASKED:
        json.dumps(asdict(key(question)), allow_nan=False)


def test_walks_can_be_walked() -> None:
    assert blocks("walk")
    for block in blocks("walk"):
        parse(block["formula"]).evaluate(block["values"]).backward()


def test_code_runs_and_the_names_of_the_table_exist() -> None:
    scope = {"Value": gradwalk.Value}
    for block in blocks("code", GRADIENTS):
        exec(block["text"], scope)
    assert scope["w"].grad.shape == (2, 2)  # type: ignore[attr-defined]
    (table,) = blocks("table", GRADIENTS)
    for row in table["rows"]:
        for cell in row[1:3]:
            code = "".join(span["text"] for span in cell)
            for name in re.findall(r"\b(nn\.\w+|optim\.\w+|[a-z_]+(?=\()|Value|Tensor)", code):
                assert _exists(name), name


def _exists(name: str) -> bool:
    room, _, member = name.rpartition(".")
    if room:
        return hasattr(getattr(gradwalk, room), member)
    parts = [gradwalk.Value, gradwalk.Tensor, gradwalk.nn.Module, gradwalk.optim.SGD, gradwalk]
    return any(hasattr(part, name) for part in parts)


def test_spans() -> None:
    assert spans("a `b` c\n  **d**.") == [
        {"style": "plain", "text": "a "},
        {"style": "code", "text": "b"},
        {"style": "plain", "text": " c "},
        {"style": "strong", "text": "d"},
        {"style": "plain", "text": "."},
    ]


LESSON = "title = 'T'\nsummary = 'S'\n[[block]]\n"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("cell = 'Write.'\nphase = '3'", "a block with cell, phase"),
        ("cell = 'Write.'", "a block with cell"),
        ("walk = 'a'\nvalues = {a = 1}", "a block with walk, values"),
        ("txt = 'A text.'", "a block with txt"),
        ("table = [['a']]", "a block with table"),
        (
            "choice = {name = 'c', ask = '?', right = 3, options = [{option = 'a', words = 'b'}]}",
            "between 1 and 1 as the correct option, got right = 3",
        ),
    ],
)
def test_a_block_that_cannot_be_read_is_an_error(tmp_path: Path, block: str, message: str) -> None:
    file = tmp_path / "07-x.toml"
    file.write_text(LESSON + block, "utf-8")
    with pytest.raises(FileError, match=message) as found:
        read(file, "c-")
    assert found.value.where == "07-x.toml"


def test_every_kind_of_block_is_read(tmp_path: Path) -> None:
    file = tmp_path / "07-x.toml"
    parts = [
        "text = 'One.\\n\\nTwo.'".replace("'", '"'),
        "heading = 'H'",
        "code = 'x = 1'",
        "solution = 'y = 2'",
        "cell = 'Write `f`.'\nphase = 12",
        "walk = 'a'\nvalues = {a = 1.0}\ncaption = 'C'\ntext = 'Beside.'",
        "choice = {name = 'c', ask = '?', right = 1, options = [{option = 'a', words = 'b'}]}",
        "table = [['a'], ['b']]\nlabel = 'L'",
        "room = 'walk'\nwords = 'W'",
    ]
    file.write_text(LESSON + "\n[[block]]\n".join(parts), "utf-8")
    lesson = read(file, "c-")
    assert (lesson.id, lesson.number, list(lesson.questions)) == ("c-7", 7, ["c"])
    kinds = "text text heading code solution cell walk choice table room"
    assert [block["kind"] for block in lesson.blocks] == kinds.split()
    assert lesson.blocks[6]["beside"] == [[{"style": "plain", "text": "Beside."}]]
    assert lesson.blocks[7]["options"] == [[{"style": "plain", "text": "a"}]]


def test_a_question_about_no_node_of_its_formula_is_an_error() -> None:
    question = Question("q", "?", "a * a", {"a": 1.0}, "b.grad", "")
    with pytest.raises(GradwalkError, match="Fix the lesson"):
        judge(question, "1")


@pytest.mark.parametrize("answer", ["seven", "2 * x", "-"])
def test_an_answer_that_is_no_number_is_an_error(answer: str) -> None:
    with pytest.raises(ExpressionError):
        judge(QUESTIONS[0][1], answer)


def test_a_name_in_an_answer_has_no_value() -> None:
    with pytest.raises(ExpressionError, match=r"got the name 'b'\. Write its number instead"):
        judge(QUESTIONS[0][1], "a_ = 2\na_ * b")


@pytest.mark.parametrize("minus", ["-", "\N{MINUS SIGN}", "\N{EN DASH}", "\N{NON-BREAKING HYPHEN}"])
def test_a_pasted_minus_is_a_minus(minus: str) -> None:
    question = lessons()[0].questions["forward"]
    assert judge(question, f"{minus}10").right
    assert judge(question, f"10 * {minus}3/3").right
    assert not judge(question, "10").right


# --- over the wire --------------------------------------------------------------------------------


def test_the_page_gets_lessons_without_answers() -> None:
    sent = ask("GET", "/api/lessons").json()
    assert [course["title"] for course in sent] == ["Understand gradients", "Build it yourself"]
    pages = [page for course in sent for page in course["lessons"]]
    assert [page["title"] for page in pages] == [lesson.title for lesson in lessons()]
    asked = [b for page in pages for b in page["blocks"] if b["kind"] in ("question", "choice")]
    assert len(asked) == len(ASKED)
    secret = {"answer", "explain", "hint", "mistakes", "right", "words"}
    assert not any(secret & set(block) for block in asked)


def test_answers_are_judged() -> None:
    asked = {"lesson": "3", "question": "total"}
    right = ask("POST", "/api/lessons/answer", json={**asked, "answer": "15"})
    wrong = ask("POST", "/api/lessons/answer", json={**asked, "answer": " 9.0 "})
    assert right.json()["right"] is True
    assert wrong.json()["right"] is False
    assert "replaced" in wrong.json()["words"]
    assert wrong.json()["expected"] == 15.0
    assert wrong.json()["hint"] == ""
    unknown = ask("POST", "/api/lessons/answer", json={**asked, "answer": "7"})
    assert unknown.json()["hint"] == lessons()[2].questions["total"].hint


@pytest.mark.parametrize("answer", ["", "x", "import os", "2 +", "__import__('os')"])
def test_what_is_no_number_is_said_in_four_parts(answer: str) -> None:
    asked = {"lesson": "1", "question": "forward", "answer": answer}
    reply = ask("POST", "/api/lessons/answer", json=asked)
    assert reply.status_code == 422
    assert set(reply.json()) == {"where", "expected", "got", "fix"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff", 400),
        (b"[]", 400),
        (b'{"answer": 3}', 400),
        (b'{"lesson": "9", "question": "forward", "answer": "1"}', 404),
        (b'{"lesson": "1", "question": "none", "answer": "1"}', 404),
        (b'{"lesson": 1, "question": "forward", "answer": "1"}', 404),
    ],
)
def test_requests_that_make_no_sense(body: bytes, status: int) -> None:
    assert ask("POST", "/api/lessons/answer", content=body).status_code == status
