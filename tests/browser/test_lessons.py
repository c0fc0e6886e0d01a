"""The lessons: to read, to walk, to answer."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gradwalk.studio.lessons import Lesson, Question, lessons
from gradwalk.studio.lessons.answers import solution

expect = pytest.importorskip("playwright.sync_api").expect

LESSONS = lessons()


def enter(page: Any, studio: Any, number: int | None = None) -> None:
    page.goto(studio.at("#/lessons" + (f"/{number}" if number else "")))
    title = LESSONS[number - 1].title if number else "Lessons"
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


def card(page: Any, lesson: Lesson, name: str) -> Any:
    """A question of the lesson by its name."""
    return page.get_by_role("region", name="Question").nth(list(lesson.questions).index(name))


def answer(of: Any, text: str) -> None:
    of.get_by_role("textbox").fill(text)
    of.get_by_role("button", name="Check").click()


def told(of: Any) -> Any:
    return of.get_by_role("status")


# --- the list -------------------------------------------------------------------------------------


def test_the_list_leads_to_every_lesson_and_each_to_the_next(
    studio: Any, page: Any, axe: Any
) -> None:
    enter(page, studio)
    links = page.get_by_role("main").get_by_role("listitem").get_by_role("link")
    expect(links).to_have_count(6)
    axe(page)
    links.first.click()
    for lesson in LESSONS[1:]:
        expect(page).to_have_url(re.compile(f"#/lessons/{lesson.number - 1}$"))
        page.get_by_role("link", name=f"Next lesson {lesson.title}").click()
        expect(page.get_by_role("heading", name=lesson.title, level=1)).to_be_focused()
        assert page.evaluate("scrollY") == 0
    page.get_by_role("link", name=f"Previous lesson {LESSONS[4].title}").click()
    expect(page.get_by_role("heading", name=LESSONS[4].title)).to_be_visible()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_a_lesson_shows_all_its_blocks(studio: Any, page: Any, axe: Any, lesson: Lesson) -> None:
    enter(page, studio, lesson.number)
    for block in lesson.blocks:
        if block["kind"] == "walk":
            walk = page.get_by_role("region", name=block["caption"])
            expect(walk.locator("svg.picture [role=button]").first).to_be_visible()
        if block["kind"] == "code":
            expect(page.locator(".code", has_text=block["text"].splitlines()[0])).to_be_visible()
        if block["kind"] == "room":
            link = page.get_by_role("main").get_by_role("link", name=block["words"])
            expect(link).to_have_attribute("href", f"#/{block['room']}")
    expect(page.get_by_role("region", name="Question")).to_have_count(len(lesson.questions))
    axe(page)


# --- questions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_the_engines_answers_are_right_and_known_mistakes_are_explained(
    studio: Any, page: Any, lesson: Lesson
) -> None:
    enter(page, studio, lesson.number)
    for name, question in lesson.questions.items():
        one = card(page, lesson, name)
        for mistake, words in question.mistakes:
            answer(one, number(mistake, question))
            expect(told(one)).to_contain_text("Not yet.")
            expect(told(one)).to_contain_text(words)
        answer(one, repr(solution(question)))
        expect(told(one)).to_contain_text("Correct.")
        expect(told(one)).to_contain_text(question.explain)
    expect(page.get_by_text("You have answered all questions of this lesson.")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Lessons", exact=True).click()
    count = len(lesson.questions)
    entry = page.get_by_role("main").get_by_role("link", name=re.compile(lesson.title))
    expect(entry).to_contain_text(f"{count} of {count} questions")


def number(formula: str, question: Question) -> str:
    """A wrong answer as a reader would type it: the formula with numbers for names."""
    for name, value in question.values.items():
        formula = re.sub(rf"\b{name}\b", f"({value!r})", formula)
    return formula


def test_the_tolerance_is_stated_and_holds(studio: Any, page: Any) -> None:
    enter(page, studio, 1)
    one = card(page, LESSONS[0], "forward")
    expect(one).to_contain_text("Tolerance: 0.1 %")
    answer(one, "-10.009")
    expect(told(one)).to_contain_text("Correct.")
    answer(one, "-10.02")
    expect(told(one)).to_contain_text("Not yet.")


def test_the_engines_number_is_shown_when_asked(studio: Any, page: Any) -> None:
    enter(page, studio, 2)
    one = card(page, LESSONS[1], "path")
    one.get_by_role("textbox").fill("8")
    page.keyboard.press("Enter")
    expect(told(one)).to_contain_text("That is the gradient of v.")
    expect(told(one)).not_to_contain_text("24")
    one.get_by_role("button", name="Show the answer").click()
    expect(told(one)).to_contain_text("The answer is 24.0.")


def test_an_unknown_answer_gets_a_hint_first_and_the_explanation_next(
    studio: Any, page: Any
) -> None:
    enter(page, studio, 3)
    question, one = LESSONS[2].questions["total"], card(page, LESSONS[2], "total")
    answer(one, "7")
    expect(told(one)).to_contain_text("Not yet.")
    expect(told(one)).to_contain_text(question.hint)
    expect(told(one)).not_to_contain_text(question.explain)
    page.reload()
    expect(told(one)).to_contain_text(question.hint)
    answer(one, "8")
    expect(told(one)).to_contain_text(question.explain)
    answer(one, "15")
    expect(told(one)).to_contain_text("Correct.")


def test_an_answer_that_cannot_be_read_is_explained(
    studio: Any, page: Any, problems: list[str]
) -> None:
    enter(page, studio, 1)
    one = card(page, LESSONS[0], "forward")
    answer(one, "minus ten")
    expect(one.get_by_role("alert")).to_contain_text("Expected")
    expect(one.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")
    answer(one, "<img src=x onerror=alert(1)>")
    expect(one.get_by_role("alert")).to_contain_text("<img")
    assert page.locator("img").count() == 0
    problems.clear()  # the browser logs the refusals
    answer(one, "")
    expect(one.get_by_role("alert")).to_contain_text("Type a number first")
    answer(one, "-10")
    expect(told(one)).to_contain_text("Correct.")


# --- progress -------------------------------------------------------------------------------------


def test_progress_survives_a_reload_and_can_be_forgotten(studio: Any, page: Any) -> None:
    enter(page, studio, 1)
    answer(card(page, LESSONS[0], "forward"), "-10")
    expect(told(card(page, LESSONS[0], "forward"))).to_contain_text("Correct.")
    page.reload()
    one = card(page, LESSONS[0], "forward")
    expect(one.get_by_role("textbox")).to_have_value("-10")
    expect(told(one)).to_contain_text("Correct.")
    enter(page, studio)
    entry = page.get_by_role("main").get_by_role("link", name=re.compile(LESSONS[0].title))
    expect(entry).to_contain_text("1 of 2 questions")
    page.get_by_role("button", name="Start over").click()
    expect(entry).to_contain_text("0 of 2 questions")
    page.get_by_role("button", name="Undo").click()
    expect(entry).to_contain_text("1 of 2 questions")
    page.get_by_role("button", name="Start over").click()
    page.reload()
    expect(entry).to_contain_text("0 of 2 questions")


def test_the_lessons_work_where_the_browser_keeps_nothing(studio: Any, page: Any) -> None:
    shut = "get() { throw new DOMException('shut') }"
    page.add_init_script(f"Object.defineProperty(window, 'localStorage', {{ {shut} }})")
    enter(page, studio, 1)
    answer(card(page, LESSONS[0], "nudge"), "-1")
    expect(told(card(page, LESSONS[0], "nudge"))).to_contain_text("Correct.")


def test_a_silent_studio_is_said_to_be_silent(studio: Any, page: Any, problems: list[str]) -> None:
    page.goto(studio.url)
    page.route("**/api/lessons", lambda route: route.abort())
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Lessons").click()
    expect(page.get_by_role("alert")).to_contain_text("The studio does not answer.")
    page.unroute("**/api/lessons")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("link", name=re.compile(LESSONS[0].title)).click()
    page.route("**/api/lessons/answer", lambda route: route.abort())
    one = card(page, LESSONS[0], "forward")
    answer(one, "-10")
    expect(one.get_by_role("alert")).to_contain_text("The studio does not answer.")
    problems.clear()  # the browser logs what failed
    page.unroute("**/api/lessons/answer")
    one.get_by_role("button", name="Check").click()
    expect(told(one)).to_contain_text("Correct.")


# --- the walk in the page -------------------------------------------------------------------------


def test_keys_step_the_walk_that_has_the_focus_and_no_other(studio: Any, page: Any) -> None:
    enter(page, studio, 3)
    captions = [block["caption"] for block in LESSONS[2].blocks if block["kind"] == "walk"]
    first, second = (page.get_by_role("region", name=caption) for caption in captions)
    first.get_by_role("button", name="Step forward").focus()
    page.keyboard.press("ArrowRight")
    expect(first.get_by_role("slider", name="Step of the walk")).to_have_value("1")
    expect(second.get_by_role("slider", name="Step of the walk")).to_have_value("0")
    field = page.get_by_role("region", name="Question").first.get_by_role("textbox")
    field.fill("12")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(first.get_by_role("slider", name="Step of the walk")).to_have_value("1")


def test_a_pasted_minus_is_a_minus(studio: Any, page: Any) -> None:
    enter(page, studio, 1)
    one = card(page, LESSONS[0], "forward")
    answer(one, "\N{MINUS SIGN}10")
    expect(told(one)).to_contain_text("Correct.")


# --- how it looks ---------------------------------------------------------------------------------


HEIGHTS = """texts => texts.map((text) => text.getBoundingClientRect().height)"""


@pytest.mark.parametrize(("width", "least"), [(1280, 9), (1000, 7), (390, 7)])
def test_the_numbers_in_a_picture_can_be_read(
    studio: Any, page: Any, width: int, least: float
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for lesson in LESSONS:
        enter(page, studio, lesson.number)
        walks = page.locator(".walked")
        for walked in walks.all():
            names = walked.locator("svg.picture .node .name").evaluate_all(HEIGHTS)
            assert min(names) >= least, lesson.title
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_how_to_read_the_picture_is_said_once(studio: Any, page: Any) -> None:
    for lesson in LESSONS:
        enter(page, studio, lesson.number)
        legends = page.get_by_text("How to read the picture")
        assert sum(legend.is_visible() for legend in legends.all()) == 1


@pytest.mark.parametrize("number", [None, 1, 3, 6])
def test_screens(studio: Any, page: Any, screenshot: Any, number: int | None) -> None:
    enter(page, studio, number)
    screenshot(f"lessons-{number or 'list'}", full_page=True)


@pytest.mark.parametrize("number", [None, 1, 3, 6])
def test_screens_of_a_phone(
    studio: Any, phone: Any, screenshot: Any, axe: Any, number: int | None
) -> None:
    enter(phone, studio, number)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    screenshot(f"lessons-{number or 'list'}", full_page=True)
    phone.emulate_media(color_scheme="dark")
    axe(phone)


def test_the_table_of_names_is_scrolled_by_keyboard_on_a_phone(studio: Any, phone: Any) -> None:
    enter(phone, studio, 6)
    table = phone.get_by_role("region", name="Table of names")
    table.focus()
    phone.keyboard.press("ArrowRight")
    for _ in range(100):  # it scrolls smoothly
        if table.evaluate("table => table.scrollLeft") > 0:
            break
        phone.wait_for_timeout(20)
    else:
        pytest.fail("the table does not scroll")
