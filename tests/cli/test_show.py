"""``gradwalk show``: the files it is asked for, and what it refuses before it prints anything."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

from gradwalk.cli.app import app

FORMULA = ["show", "a * b", "a=2", "b=3"]
FILES = {"--svg": "graph.svg", "--dot": "graph.dot", "--html": "walk.html"}
each = pytest.mark.parametrize(("option", "name"), FILES.items())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and a page without a build of the front-end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gradwalk.studio.explore.page_of", lambda document: "<!doctype html>")
    return tmp_path


def gradwalk(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, words)
    return done.exit_code, done.output


def refused(*words: str) -> str:
    """The one line of a call that was refused, and nothing before it."""
    code, output = gradwalk(*words)
    assert code == 2
    assert output.startswith("gradwalk: ")
    assert output.count("\n") == 1
    return output


@each
def test_a_file_is_written_and_announced(folder: Path, option: str, name: str) -> None:
    code, output = gradwalk(*FORMULA, option, name)
    assert code == 0
    assert "data  6" in output
    assert output.endswith(f"{name}\n")
    assert (folder / name).stat().st_size > 10


@each
def test_a_file_that_is_there_is_replaced(folder: Path, option: str, name: str) -> None:
    (folder / name).write_text("before", encoding="utf-8")
    assert gradwalk(*FORMULA, option, name)[0] == 0
    assert "before" not in (folder / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "name", "ending"), [("--svg", "g.png", ".svg"), ("--html", "bad.txt", ".html")]
)
def test_a_file_of_another_kind_is_refused_first(
    folder: Path, option: str, name: str, ending: str
) -> None:
    said = refused(*FORMULA, option, name)
    assert f"{option}: expected a file name that ends in {ending}, got '{name}'" in said
    assert not list(folder.iterdir())


@each
def test_a_folder_that_is_not_there_is_named_first(option: str, name: str) -> None:
    said = refused(*FORMULA, option, f"no/{name}")
    assert f"no/{name}: expected a writable file, got the error 'No such file or d" in said
    assert said.endswith("Create the folder first: mkdir -p no.\n")


@each
def test_a_directory_is_no_file(folder: Path, option: str, name: str) -> None:
    (folder / name).mkdir()
    assert f"{name}: expected a writable file, got the error 'Is a dir" in refused(
        *FORMULA, option, name
    )


@each
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_may_not_be_written_is_named_first(
    folder: Path, option: str, name: str
) -> None:
    (folder / "shut").mkdir(mode=0o500)
    assert "got the error 'Permission denied'" in refused(*FORMULA, option, f"shut/{name}")


@each
def test_what_the_file_system_refuses_is_told_first(
    monkeypatch: pytest.MonkeyPatch, option: str, name: str
) -> None:
    def shut(self: Path, *args: Any, **options: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", shut)
    assert "got the error 'Permission denied'" in refused(*FORMULA, option, name)


def test_nothing_is_left_behind_where_the_formula_is_wrong(folder: Path) -> None:
    (folder / "old.dot").write_text("kept", encoding="utf-8")
    refused("show", "a +", "a=1", "--svg", "new.svg", "--dot", "old.dot")
    refused("show", "a", "--svg", "new.svg", "--dot", "old.dot")
    assert [file.name for file in folder.iterdir()] == ["old.dot"]
    assert (folder / "old.dot").read_text(encoding="utf-8") == "kept"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of POSIX systems")
def test_what_is_no_file_is_not_tried(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    said = refused("show", "a", "--dot", "pipe")
    assert "got none for 'a'" in said
