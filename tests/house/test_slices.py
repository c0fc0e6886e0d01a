"""Slices of long runs are the whole together, and each thing is in one of them."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..helpers.slices import Progress, Slice, today
from ..mutants.table import mutants

ROOT = Path(__file__).parents[2]


@given(st.integers(1, 40), st.lists(st.text(), unique=True))
def test_each_name_is_in_one_slice(count, names):
    for name in names:
        assert [Slice(f"{k}/{count}").has(name) for k in range(1, count + 1)].count(True) == 1


@given(st.integers(1, 40), st.integers(1, 5), st.dates(date(2026, 1, 1), date(2030, 1, 1)))
def test_all_slices_have_their_turn(count, each_day, start):
    days = [start + timedelta(i) for i in range(-(-count // each_day))]
    seen = {today(count, each_day, k, day) for day in days for k in range(each_day)}
    assert seen == {f"{k}/{count}" for k in range(1, count + 1)}


@pytest.mark.parametrize("text", ["", "0/4", "5/4", "1", "a/b", "1/4/2", "-1/4"])
def test_what_is_no_slice(text):
    with pytest.raises(SystemExit, match="2/24"):
        Slice(text)


def test_slices_of_mutants_are_of_one_size():
    names = [f"{m.file} {m.why}" for m in mutants()]
    sizes = [sum(map(Slice(f"{k}/8").has, names)) for k in range(1, 9)]
    assert sum(sizes) == len(names)
    assert max(sizes) < 2 * len(names) / 8


def test_pytest_runs_a_slice_and_tells_what_is_left(tmp_path):
    (tmp_path / "conftest.py").write_text(
        "from tests.helpers import slices\n"
        "def pytest_configure(config):\n"
        "    config.pluginmanager.register(slices.plugin(), 'slice')\n"
    )
    case = "@pytest.mark.parametrize('k', [1, 2])\ndef test_{}(k): pass\n"
    cases = "".join(map(case.format, range(20)))
    (tmp_path / "test_cases.py").write_text(f"import pytest\n{cases}")
    ran = []
    for k in (1, 2, 3):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", str(tmp_path)],
            env={"GRADWALK_SLICE": f"{k}/3", "PYTHONPATH": str(ROOT), "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        )
        ran.append(set(re.findall(r"test_cases.py::(test_\d+)\[", done.stdout)))
        assert f"{2 * len(ran[-1])} passed" in done.stdout
    assert sum(map(len, ran)) == 20
    assert len(set.union(*ran)) == 20


def test_progress(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "__stdout__", written)
    progress = Progress(10, every=0.0)
    for _ in range(4):
        progress.add()
    assert "4 of 10 done" in written.getvalue()
    assert "6 left" in written.getvalue()
    before = written.getvalue()
    quiet = Progress(10, every=60.0)
    quiet.add()
    assert written.getvalue() == before


def test_every_part_of_the_proofs_runs_in_slices():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in ("prove-engines", "prove-mutants", "prove-browser"):
        rule = makefile[makefile.index(f"\n{target}:") :].split("\n\n")[0]
        assert "SLICE" in rule or "THOROUGH" in rule, target
        assert f"$(MAKE) {target} SLICE=" in makefile
