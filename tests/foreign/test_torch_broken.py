"""Broken programs of PyTorch, run as scripts: cause, line and remedy; repaired, they are quiet."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gradwalk.foreign.torch.watching import Watch  # noqa: E402
from gradwalk.inspect import why  # noqa: E402

from .torch_broken import HEAD, PROGRAMS  # noqa: E402

pytestmark = pytest.mark.peer

NAMES = [
    pytest.param(name, marks=[pytest.mark.quick] if PROGRAMS[name].quick else [])
    for name in PROGRAMS
]


def watched(folder: Path, source: str) -> Any:
    """Run a script as ``gradwalk why`` does."""
    script = folder / "train.py"
    script.write_text(HEAD + source, encoding="utf-8")
    watch = Watch()
    with warnings.catch_warnings(), watch:
        warnings.simplefilter("ignore")  # of std of one sample, which is the mistake
        runpy.run_path(str(script), run_name="__main__")
    return watch


def line_of(source: str) -> int:
    lines = (HEAD + source).splitlines()
    return 1 + next(i for i, text in enumerate(lines) if text.endswith("# <-"))


@pytest.mark.parametrize("name", NAMES)
def test_the_cause_of_a_broken_program_is_named(tmp_path: Path, name: str) -> None:
    known = PROGRAMS[name]
    watch = watched(tmp_path, known.source)
    assert watch.found is not None
    cause = why(watch.found)
    assert cause.op == known.op
    assert f"(train.py, line {line_of(known.source)})" in cause.line
    assert any(word in cause.fix for word in known.remedy), cause.fix
    assert not watch.found.agreement.differences, watch.found.agreement
    assert not watch.found.opaque


@pytest.mark.parametrize("name", NAMES)
def test_the_repaired_program_is_quiet(tmp_path: Path, name: str) -> None:
    known = PROGRAMS[name]
    assert known.source.count(known.old) == 1
    watch = watched(tmp_path, known.source.replace(known.old, known.new))
    assert watch.found is None, why(watch.found)
    assert watch.passes >= 1


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_that_is_carried_out_works(tmp_path: Path, name: str) -> None:
    source = PROGRAMS[name].source
    for k in range(3):  # the same mistake may stand in several lines
        folder = tmp_path / str(k)  # another file each time: lines of files are cached
        folder.mkdir()
        watch = watched(folder, source)
        edit = why(watch.found).edit if watch.found is not None else None
        if edit is None:
            break
        whole = edit.apply((folder / "train.py").read_text("utf-8"))
        assert whole.startswith(HEAD)
        source = whole.removeprefix(HEAD)
    assert watch.found is None or source == PROGRAMS[name].source, why(watch.found)


def test_most_remedies_are_edits(tmp_path: Path) -> None:
    edits = 0
    for k, known in enumerate(PROGRAMS.values()):
        folder = tmp_path / str(k)
        folder.mkdir()
        edits += why(watched(folder, known.source).found).edit is not None
    assert edits >= len(PROGRAMS) / 2


def test_the_programs_are_many() -> None:
    assert len(PROGRAMS) >= 16
    assert sum(known.quick for known in PROGRAMS.values()) == 4
