"""A real browser on the real studio: what the tests of the page share.

``GRADWALK_STATIC``       a folder with another build of the page
``GRADWALK_SCREENSHOTS``  where pictures of the screens go (default ``build/screenshots``)
``GRADWALK_BROWSER``      ``require``: without a browser the tests fail, they are not skipped
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import gradwalk

ROOT = Path(__file__).parents[2]
STATIC = Path(
    os.environ.get("GRADWALK_STATIC") or Path(gradwalk.__file__).parent / "studio" / "static"
)
SCREENSHOTS = Path(os.environ.get("GRADWALK_SCREENSHOTS") or ROOT / "build" / "screenshots")
REQUIRED = os.environ.get("GRADWALK_BROWSER") == "require"
NO_BROWSER = "no browser was found, so nothing of the page was tested"
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: drives a real browser (make test-browser)")
    if REQUIRED and importlib.util.find_spec("playwright") is None:
        pytest.exit("GRADWALK_BROWSER=require: Playwright is not installed", returncode=1)


MAIN_PATHS = """
shell: every_room_has_an_address_and_a_link
shell: by_keyboard_alone_one_comes_past_the_head_and_into_the_picture
walk: forward_fills_in_data_and_backward_passes_gradients_on back_in_time_is_exactly_where_we_were
walk: everything_in_time_by_keyboard a_typed_value_computes_everything_anew_and_time_stays
walk: the_paths_of_a_gradient_add_up_to_it stops_beyond_a_bound_and_at_a_named_node
walk_teaches: every_number_is_readable_and_every_step_is_seen
walk_teaches: an_arrow_after_choosing_a_graph_steps_it
walk_teaches: a_nudge_of_any_number_shows_prediction_and_truth a_reload_continues_where_the_walk_was
walk_teaches: each_step_begins_with_a_plain_sentence the_last_line_says_what_a_gradient_is_good_for
walk_teaches: a_right_prediction_is_confirmed_and_lesson_1_has_its_own_names
walk_sources: a_typed_formula_is_walked a_mistake_is_pointed_at what_is_typed_is_never_run
walk_shared: a_link_reproduces_graph_step_and_edits the_picture_as_svg_and_as_png
walk_shared: the_offline_file_is_the_walk_without_a_server the_walk_can_be_seen_and_heard
debugger: the_first_wrong_number_is_named_and_shown the_table_is_filtered_and_sorted
debugger: steps_go_over_into_and_out_of_a_group two_runs_side_by_side
picture: a_click_selects_a_node_and_an_edge a_double_click_edits_a_leaf_and_everything_follows
picture: groups_open_and_close the_files_are_whole
offline: the_file_is_the_whole_walk an_edit_computes_everything_again nothing_else_runs_in_the_file
elements: an_array_opens_and_one_number_of_it_is_edited
lessons: the_list_leads_to_every_lesson_and_each_to_the_next
lessons: the_engines_answers_are_right_and_known_mistakes_are_explained
lessons: progress_survives_a_reload_and_can_be_forgotten from_the_empty_file_to_xor
misconceptions: both_runs_stop_at_the_first_node_that_differs one_transport_steps_both
misconceptions: the_list_makes_an_order_that_loses_something
training: it_learns_xor_while_one_looks_on one_update_at_a_time rewind_and_the_same_run_again
training: what_the_server_refuses_is_told_in_four_parts a_dropped_connection_resumes
training: points_are_added_dragged_and_deleted
workshop: a_mistake_is_named_and_both_walks_stop_at_the_first_difference a_run_is_stopped
workshop: the_code_of_a_link_is_shown_and_not_run
workshop_written: an_engine_is_written_from_the_empty_file_to_xor
workshop_written: stop_ends_the_process_of_a_loop_that_never_ends
try_it: each_example_of_the_page_shows_what_the_manual_shows
workshop_sealed: no_way_leads_to_another_server
site: the_site_walks_without_a_server recorded_runs_play_and_nothing_else_is_asked
site: every_question_of_the_site_is_judged_as_by_the_engine
security: the_printed_address_lets_in_and_leaves_no_token_behind
security: another_page_cannot_write_even_with_the_cookie another_page_cannot_open_the_socket
"""
"""What ``make test`` runs: every package is opened, and used in its usual way, in a window of one
size. All other tests get the marker ``prove``."""

CHOSEN = {
    (f"test_{file}", f"test_{name}")
    for file, _, names in (line.partition(": ") for line in MAIN_PATHS.split("\n"))
    for name in names.split()
}


@pytest.hookimpl(tryfirst=True)  # before -m "not browser" chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            name = item.name.partition("[")[0]
            if (item.path.stem, name) not in CHOSEN or "[phone]" in item.name:
                item.add_marker("prove")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(NO_BROWSER in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.section("NO BROWSER", sep="!", red=True, bold=True)
        terminalreporter.line(f"{count} tests were SKIPPED: {NO_BROWSER}.")
        terminalreporter.line("Install Chromium, or run: python -m playwright install chromium")


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Playwright starts threads when it needs them; that guard is for tests of the engine."""


# --- the studio -----------------------------------------------------------------------------------

SERVE = """
import sys
from functools import partial
from pathlib import Path
from gradwalk.studio.launch import serve
serve(port=0, browser=False, say=partial(print, flush=True), static=Path(sys.argv[1]))
"""


@dataclass(frozen=True)
class Studio:
    """A running studio: ``url`` lets a browser in, ``address`` is the same without the token."""

    url: str

    @property
    def address(self) -> str:
        return self.url.partition("?")[0]

    @property
    def token(self) -> str:
        return self.url.partition("token=")[2]

    def at(self, place: str) -> str:
        """The address of a room, such as ``#/training``."""
        return self.url + place


@pytest.fixture(scope="session")
def static() -> Path:
    """Where the built page lies."""
    return STATIC


@pytest.fixture(scope="session")
def studio() -> Iterator[Studio]:
    """The real server, in a process of its own, on a free port."""
    command = [sys.executable, "-c", SERVE, str(STATIC)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), f"no studio in {STATIC}: see its error above"
        yield Studio(url)
        server.terminate()


# --- the browser ----------------------------------------------------------------------------------


def found() -> str | None:
    """A Chromium on PATH."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


def longest(fixture_name: str, config: pytest.Config) -> str:
    """Return the scope of the browser: the session, or a module if other tests run as well.

    Playwright keeps a loop of asyncio open in this thread, and tests of the server need their own.
    """
    return "session" if all("browser" in path for path in config.args) else "module"


@pytest.fixture(scope=longest)
def browser() -> Iterator[Any]:
    """Chromium; without one the tests are skipped, or fail if it is required."""
    missing = pytest.fail if REQUIRED else pytest.skip
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        missing(f"{NO_BROWSER}: Playwright is not installed")
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=found(), args=FLAGS)
        except Error as error:
            missing(f"{NO_BROWSER}: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture
def problems() -> Iterator[list[str]]:
    """What a page has complained about; a test that provokes it clears the list."""
    seen: list[str] = []
    yield seen
    assert not seen, "the page complained"


LOCAL = ("file", "data", "blob", "about")


def opened(browser: Any, problems: list[str], **options: Any) -> Iterator[Any]:
    """A page in a context of its own, all of whose complaints and requests are noted."""
    context = browser.new_context(reduced_motion="no-preference", **options)
    context.set_default_timeout(15_000)

    def asked(request: Any) -> None:
        url = urlsplit(request.url)
        if url.scheme not in LOCAL and url.hostname != "127.0.0.1":
            problems.append(f"a request to another host: {request.url}")

    def said(message: Any) -> None:
        if message.type in ("error", "warning"):
            problems.append(f"console {message.type}: {message.text}")

    context.on("request", asked)
    context.on("console", said)
    context.on("weberror", lambda error: problems.append(f"error: {error.error}"))
    yield context.new_page()
    context.close()


@pytest.fixture
def page(browser: Any, problems: list[str]) -> Iterator[Any]:
    """A window of 1280 × 800; it must not complain, nor ask any other host."""
    yield from opened(browser, problems, viewport={"width": 1280, "height": 800})


@pytest.fixture
def phone(browser: Any, problems: list[str]) -> Iterator[Any]:
    """A phone of 390 × 844 with a touch screen, held to the same."""
    size = {"width": 390, "height": 844}
    yield from opened(browser, problems, viewport=size, has_touch=True, is_mobile=True)


@pytest.fixture
def walk(studio: Studio, page: Any) -> Any:
    """The studio's first screen, ready to step."""
    page.goto(studio.url)
    page.get_by_role("button", name="Step forward").wait_for()
    return page


@pytest.fixture
def screenshot(request: pytest.FixtureRequest) -> Callable[..., list[Path]]:
    """``screenshot(name)`` keeps the screen in light and in dark; ``of=`` another page."""

    def take(name: str, of: Any = None, full_page: bool = False) -> list[Path]:
        only_phone = "phone" in request.fixturenames and "page" not in request.fixturenames
        page = of or request.getfixturevalue("phone" if only_phone else "page")
        size = page.viewport_size
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        files = []
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            files.append(SCREENSHOTS / f"{name}-{size['width']}x{size['height']}-{theme}.png")
            page.screenshot(path=files[-1], full_page=full_page)
        page.emulate_media(color_scheme="light")
        return files

    return take


@pytest.fixture(scope="session")
def axe() -> Callable[[Any], None]:
    """``axe(page)``: no serious violation of the rules for accessible pages."""
    source = (ROOT / "web/node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")

    def check(page: Any) -> None:
        page.evaluate(source + "; undefined")
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        bad = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
        told = [
            f"{v['id']} ({v['impact']}): {v['help']}: {[n['html'][:200] for n in v['nodes']][:5]}"
            for v in bad
        ]
        assert not told, "\n".join(told)

    return check
