"""Generated figures say when, where and on which source they were measured, and are not old."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ("benchmarks/results.json", "benchmarks/gradbench/results.json")
OLDEST = 200
"""How many commits of the source may have followed the one that was measured."""


def git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def whole_history() -> bool:
    """Return whether this is a repository that has every commit, which a shallow clone has not."""
    if not (ROOT / ".git").exists():
        return False
    return git("rev-parse", "--is-shallow-repository") == "false"


@pytest.mark.parametrize("path", MEASURED)
def test_figures_say_when_and_where_they_were_measured(path: str) -> None:
    machine = json.loads((ROOT / path).read_text("utf-8"))["machine"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", machine["date"])
    assert re.fullmatch(r"[0-9a-f]{12}", machine["commit"])
    assert machine["processor"]
    assert machine["versions"]["gradwalk"]


@pytest.mark.skipif(not whole_history(), reason="needs the whole history of the repository")
@pytest.mark.parametrize("path", MEASURED)
def test_figures_are_not_older_than_the_code_they_measure(path: str) -> None:
    commit = json.loads((ROOT / path).read_text("utf-8"))["machine"]["commit"]
    since = int(git("rev-list", "--count", f"{commit}..HEAD", "--", "src"))
    assert since <= OLDEST, f"{path}: {since} commits since; run `make bench` on a quiet machine"


@pytest.mark.parametrize(
    "page", ["README.md", "docs/manual/benchmarks.md", "docs/manual/gradbench.md"]
)
def test_pages_with_figures_carry_their_date_and_commit(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert re.search(r"Measured on \d{4}-\d\d-\d\d at commit [0-9a-f]{12}", text)
