"""The lessons: to read, to walk, to answer."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gradwalk.studio.lessons import Choice, Lesson, Question, courses
from gradwalk.studio.lessons.answers import solution

from ..helpers.course import engine
from ..helpers.workshop_reports import ENGINE, WRONG

expect = pytest.importorskip("playwright.sync_api").expect

LESSONS, CHAPTERS = (course.lessons for course in courses())
ALL = (*LESSONS, *CHAPTERS)


def enter(page: Any, studio: Any, id: str | int | None = None) -> None:
    page.goto(studio.at("#/lessons" + (f"/{id}" if id else "")))
    title = next((lesson.title for lesson in ALL if lesson.id == str(id)), "Lessons")
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
    region = page.get_by_role("region", name="Understand gradients")
    links = region.get_by_role("listitem").get_by_role("link")
    expect(links).to_have_count(6)
    build = page.get_by_role("region", name="Build it yourself")
    expect(build.get_by_role("listitem").get_by_role("link")).to_have_count(12)
    expect(build.get_by_role("link", name="in the workshop")).to_have_attribute(
        "href", "#/workshop"
    )
    axe(page)
    links.first.click()
    for lesson in LESSONS[1:]:
        expect(page).to_have_url(re.compile(f"#/lessons/{lesson.number - 1}$"))
        page.get_by_role("link", name=f"Next lesson {lesson.title}").click()
        expect(page.get_by_role("heading", name=lesson.title, level=1)).to_be_focused()
        assert page.evaluate("scrollY") == 0
    page.get_by_role("link", name=f"Previous lesson {LESSONS[4].title}").click()
    expect(page.get_by_role("heading", name=LESSONS[4].title)).to_be_visible()


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.title)
def test_a_lesson_shows_all_its_blocks(studio: Any, page: Any, axe: Any, lesson: Lesson) -> None:
    enter(page, studio, lesson.id)
    for block in lesson.blocks:
        if block["kind"] == "walk":
            walk = page.get_by_role("region", name=block["caption"])
            expect(walk.locator("svg.picture [role=button]").first).to_be_visible()
        if block["kind"] == "code":
            expect(
                page.locator(".lesson > .code", has_text=block["text"].splitlines()[0])
            ).to_be_visible()
        if block["kind"] == "room":
            link = page.get_by_role("main").get_by_role("link", name=block["words"])
            expect(link).to_have_attribute("href", f"#/{block['room']}")
        if block["kind"] == "cell":
            expect(page.get_by_role("textbox", name="Your engine, in Python")).to_be_visible()
    expect(page.get_by_role("region", name="Question")).to_have_count(len(lesson.questions))
    axe(page)


# --- questions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("lesson", ALL, ids=lambda lesson: lesson.title)
def test_the_engines_answers_are_right_and_known_mistakes_are_explained(
    studio: Any, page: Any, lesson: Lesson
) -> None:
    enter(page, studio, lesson.id)
    for name, question in lesson.questions.items():
        one = card(page, lesson, name)
        if isinstance(question, Choice):
            choose_each(one, question)
            continue
        for mistake, words in question.mistakes:
            answer(one, number(mistake, question))
            expect(told(one)).to_contain_text("Not yet.")
            expect(told(one)).to_contain_text(words)
        answer(one, repr(solution(question)))
        expect(told(one)).to_contain_text("Correct.")
        expect(told(one)).to_contain_text(question.explain)
    word = "chapter" if lesson in CHAPTERS else "lesson"
    expect(page.get_by_text(f"You have answered all questions of this {word}.")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Lessons", exact=True).click()
    count = len(lesson.questions)
    entry = page.locator(f'.lesson-entry a[href="#/lessons/{lesson.id}"]')
    expect(entry).to_contain_text(f"{count} of {count} questions")


def choose_each(one: Any, choice: Choice) -> None:
    """Choose each option, the correct one last."""
    radios = one.get_by_role("radio")
    expect(radios).to_have_count(len(choice.options))
    order = sorted(range(1, len(choice.options) + 1), key=lambda number: number == choice.right)
    for number in order:
        radios.nth(number - 1).check()
        one.get_by_role("button", name="Check").click()
        expect(told(one)).to_contain_text("Correct." if number == choice.right else "Not yet.")
        expect(told(one)).to_contain_text(choice.options[number - 1][1])


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


def test_a_choice_is_made_by_keyboard_and_stored(studio: Any, page: Any) -> None:
    enter(page, studio, "build-4")
    question = CHAPTERS[3].questions["plus"]
    assert isinstance(question, Choice)
    one = card(page, CHAPTERS[3], "plus")
    one.get_by_role("button", name="Check").click()
    expect(one.get_by_role("alert")).to_contain_text("Choose an answer first.")
    one.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(told(one)).to_contain_text("Not yet. That is a side effect")
    one.get_by_role("button", name="Show the answer").click()
    expect(told(one)).to_contain_text("The answer is “Because a value may be used several times")
    one.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(told(one)).to_contain_text("Correct.")
    page.reload()
    expect(one.get_by_role("radio").nth(1)).to_be_checked()
    expect(told(one)).to_contain_text("Correct.")


# --- the engine in a chapter ----------------------------------------------------------------------


def reports(page: Any, *found: dict[str, Any]) -> list[Any]:
    """Answer each run with the next of these reports; return what was run."""
    asked: list[Any] = []

    def respond(route: Any) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(json=found[min(len(asked), len(found)) - 1])

    page.route("**/api/workshop", respond)
    return asked


def state(phase: int, state: str) -> dict[str, Any]:
    """A report without mistakes, with one phase in this state."""
    others = {"state": "passed", "checks": 9, "failed": 0}
    phases = [{"phase": n, **others} for n in range(1, 13)]
    phases[phase - 1] |= {"state": state, "checks": 0}
    return {**WRONG, "verdict": "right", "mistakes": [], "unexplained": [], "phases": phases}


def test_the_engine_is_written_and_checked_in_a_chapter(
    studio: Any, page: Any, screenshot: Any, axe: Any
) -> None:
    asked = reports(page, WRONG, state(2, "missing"), state(3, "missing"))
    enter(page, studio, "build-2")
    cell = page.get_by_role("region", name="Your engine", exact=True)
    phase = cell.locator(".chapter-phase")
    expect(phase).to_contain_text("Phase 2, local derivatives, is not checked yet.")
    expect(cell.locator(".phase[aria-current=step]")).to_contain_text("local derivatives")
    field = cell.get_by_role("textbox", name="Your engine, in Python")
    field.fill(ENGINE)
    field.press("Control+Enter")
    expect(phase).to_contain_text("has a mistake")
    expect(cell.get_by_role("heading", name="the derivative of tanh")).to_be_visible()
    expect(cell.get_by_role("region", name="Your walk")).to_be_visible()
    expect(cell.get_by_role("button", name="Next")).to_have_count(0)  # it is of phase 11
    cell.get_by_role("button", name="1 Nudge").click()
    expect(cell.get_by_role("region", name="Hints")).to_contain_text("Can tanh fall?")
    screenshot("lessons-build-2-mistake", full_page=True)
    axe(page)
    run = cell.get_by_role("button", name="Run", exact=True)
    run.click()
    expect(phase).to_contain_text("is not written yet")
    expect(phase).to_contain_text("For each operation")
    run.click()
    expect(phase).to_contain_text(re.compile(r"is passed\.\s*9 checks ran\."))
    expect(cell.locator(".phase.current .phase-state")).to_have_text("passed")
    assert asked[0] == {"source": ENGINE, "name": "my_engine.py"}
    assert len(asked) == 3


def test_from_the_empty_file_to_xor(studio: Any, page: Any, screenshot: Any) -> None:
    """Write the solution of each chapter, with the real judge, and one mistake on the way."""
    field = page.get_by_role("textbox", name="Your engine, in Python")
    phase = page.locator(".chapter-phase")
    run = page.get_by_role("button", name="Run", exact=True)
    enter(page, studio, "build-1")
    expect(field).to_have_value(engine(0))
    for chapter in CHAPTERS:
        if chapter.number == 4:
            rule = "self.grad += other.data * out.grad"
            field.fill(engine(4).replace(rule, rule.replace("+=", "=")))
            run.click()
            expect(page.get_by_role("heading", name="overwrites the gradient")).to_be_visible()
            expect(phase).to_contain_text("Phase 4, contributions add up, has a mistake.")
            screenshot("lessons-build-4-mistake", full_page=True)
        last = chapter is CHAPTERS[-1]
        field.fill(engine(chapter.number) + "\nprint(xor()[::20], flush=True)\n" * last)
        run.click()
        expect(phase).to_contain_text(f"Phase {chapter.number}, ")
        expect(phase).to_contain_text("is passed.")
        expect(page.locator(".finding")).to_have_count(0)
        if not last:
            page.get_by_role("link", name="Next chapter").click()
            expect(page.locator(".lesson-place")).to_contain_text(f"{chapter.number + 1} of 12")
    expect(page.locator(".phases")).to_contain_text("12 of 12 passed")
    page.locator(".printed summary").click()
    losses = re.findall(r"\d+\.\d+", page.locator(".printed pre").inner_text())
    assert float(losses[-1]) < 0.1 < float(losses[0])


def test_the_file_grows_from_chapter_to_chapter_and_is_the_workshops(
    studio: Any, page: Any
) -> None:
    enter(page, studio, "build-1")
    field = page.get_by_role("textbox", name="Your engine, in Python")
    field.fill("mine = 1\n")
    page.get_by_role("link", name="Next chapter").click()
    expect(page.get_by_role("heading", name=CHAPTERS[1].title, level=1)).to_be_focused()
    expect(field).to_have_value("mine = 1\n")
    page.get_by_role("link", name="Open in the workshop").click()
    expect(page.get_by_role("heading", name="Workshop", level=1)).to_be_attached()
    expect(field).to_have_value("mine = 1\n")
    page.get_by_role("main").get_by_role("link", name="Build it yourself").click()
    expect(page.get_by_role("heading", name=CHAPTERS[0].title, level=1)).to_be_visible()


def test_keys_of_the_page_leave_the_two_walks_of_a_chapter_alone(studio: Any, page: Any) -> None:
    reports(page, WRONG)
    enter(page, studio, "build-2")
    page.get_by_role("textbox", name="Your engine, in Python").fill(ENGINE)
    page.get_by_role("button", name="Run", exact=True).click()
    walks = page.get_by_role("region", name="Two walks")
    count = walks.locator(".walks-count")
    before = count.inner_text()
    page.get_by_role("link", name="Next chapter").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    expect(count).to_have_text(before)
    walks.get_by_role("button", name="Step back").focus()
    page.keyboard.press("Home")
    expect(count).to_have_text(re.compile("^Step 0 of"))


def test_a_solution_is_shown_on_request(studio: Any, page: Any) -> None:
    enter(page, studio, "build-11")
    written = page.locator(".solution .code")
    expect(written).to_be_hidden()
    page.get_by_text("One way to write it").click()
    expect(written).to_be_visible()
    expect(written).to_contain_text("for node in reversed(order):")


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
    for lesson in ALL:
        enter(page, studio, lesson.id)
        walks = page.locator(".walked")
        for walked in walks.all():
            names = walked.locator("svg.picture .node .name").evaluate_all(HEIGHTS)
            assert min(names) >= least, lesson.title
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_how_to_read_the_picture_is_said_once(studio: Any, page: Any) -> None:
    for lesson in ALL:
        enter(page, studio, lesson.id)
        legends = page.get_by_text("How to read the picture")
        assert sum(legend.is_visible() for legend in legends.all()) == 1


@pytest.mark.parametrize("number", [None, 1, 3, 6, "build-3"])
def test_screens(studio: Any, page: Any, screenshot: Any, number: str | int | None) -> None:
    enter(page, studio, number)
    screenshot(f"lessons-{number or 'list'}", full_page=True)


@pytest.mark.parametrize("number", [None, 1, 3, 6, "build-3", "build-6"])
def test_screens_of_a_phone(
    studio: Any, phone: Any, screenshot: Any, axe: Any, number: str | int | None
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
