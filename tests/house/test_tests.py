"""The lists that say which tests run where name tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from ..browser.conftest import CHOSEN
from ..conftest import ABOVE_THE_ENGINES, ON_BOTH_ENGINES

TESTS = Path(__file__).parents[1]


def test_lists_of_engines_name_folders_and_files() -> None:
    for name in (ON_BOTH_ENGINES + " " + ABOVE_THE_ENGINES).split():
        path = TESTS / (name if name.endswith("/") else f"{name}.py")
        assert path.exists(), name


def test_make_runs_tests_that_exist() -> None:
    named = re.findall(r"\btests/[\w/.]*\w", (TESTS.parent / "Makefile").read_text("utf-8"))
    assert len(named) > 8
    assert [path for path in named if not (TESTS.parent / path).exists()] == []


def test_no_test_is_on_both_lists() -> None:
    for name in ON_BOTH_ENGINES.split():
        assert not name.startswith(tuple(ABOVE_THE_ENGINES.split())), name


def test_the_main_paths_through_the_page_are_tests() -> None:
    for file, name in CHOSEN:
        assert f"def {name}(" in (TESTS / "browser" / f"{file}.py").read_text("utf-8"), name


def test_every_package_of_the_page_is_on_a_main_path() -> None:
    chosen = {file for file, _ in CHOSEN}
    assert {"test_walk", "test_lessons", "test_misconceptions", "test_training"} <= chosen
