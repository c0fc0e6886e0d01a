"""Every program, by every way in, at every way out: right, or refused by a rule of the table.

`make test` runs a part of the cells, always the same one, and every row of `KNOWN`; ``make prove``
runs all. ``python -m tests.matrix`` counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from gradwalk import ENGINE

from ..helpers.amount import THOROUGH
from ..helpers.exported import COMPILERS, NODE
from .cells import CLOCK, about, known, outcome, refusal, says
from .limits import KNOWN, REFUSALS
from .page import PAGE, page
from .programs import POINTS, PROGRAMS, TAGS, plant_in
from .ways import (
    SLOPES,
    WAYS_IN,
    WAYS_OUT,
    Subject,
    loss_of,
    numbers,
    reference,
    subjects,
    ways_out,
)

TORCH = find_spec("torch") is not None
MISSING = {name for name, found in (("C", COMPILERS), ("JS", NODE)) if not found}

SHARES = {"precision": 40, "elements": 30, "why": 20, "kinks": 20, "suspects": 20, "paths": 15,
          "machine": 15, "replay": 15, "document": 15, "TeX": 15}  # fmt: skip
"""In `make test` a way out runs for one of so many programs and ways in, others a 8th."""


def chosen(s: Subject, way_out: str) -> bool:
    """Return whether a cell belongs to this amount of tests."""
    name = f"{s.program.name} {s.name} {way_out}"
    return THOROUGH or crc32(name.encode()) % SHARES.get(way_out, 8) == 0


CASES = [
    pytest.param(name, way, marks=pytest.mark.peer if "PyTorch" in way else ())
    for name, p in PROGRAMS.items()
    for way, how in WAYS_IN.items()
    if how.kind in p.kinds and (p.formula or not how.reads)
]


@pytest.mark.parametrize(("program", "way_in"), CASES)
def test_cells(program: str, way_in: str) -> None:
    if "PyTorch" in way_in:
        pytest.importorskip("torch", reason="PyTorch is not installed: NOT TESTED")
    s = Subject(PROGRAMS[program], way_in)
    cells = [way_out for way_out in ways_out(s) if chosen(s, way_out)]
    wrong = {way_out: found for way_out in cells if (found := complaint(s, way_out))}
    assert not wrong


def complaint(s: Subject, way_out: str) -> str:
    """Return what is wrong with a cell, ``""`` if nothing is."""
    row = known(s, way_out)
    if row is not None and row.error == "Hangs":
        return ""
    found = outcome(s, way_out)
    if row is not None:
        return "" if says(row, found) else f"{found}, and KNOWN has another end: {row}"
    allowed = found.kind == "right" or refusal(s, way_out, found) is not None
    return "" if allowed else str(found)


def cells_of(row: Any) -> Iterator[tuple[Subject, str]]:
    """The cells that a row of a table is about."""
    for p in PROGRAMS.values():
        for s in subjects(p):
            for way_out in ways_out(s):
                if about(row, s, way_out):
                    yield s, way_out


def skip_what_is_missing(row: Any) -> None:
    if "PyTorch" in row.way_in and not TORCH:
        pytest.skip("PyTorch is not installed: NOT TESTED")
    if row.engine not in ("*", ENGINE):
        pytest.skip("of the other engine")
    if set(row.way_out.split("|")) <= MISSING:
        pytest.skip("no compiler and no Node: NOT TESTED")


@pytest.mark.parametrize("row", REFUSALS, ids=str)
def test_a_rule_that_no_cell_needs_goes(row: Any) -> None:
    skip_what_is_missing(row)
    assert any(
        known(s, way_out) is None and says(row, outcome(s, way_out)) for s, way_out in cells_of(row)
    )


@pytest.mark.parametrize("row", KNOWN, ids=str)
def test_what_is_known_to_fail_still_does(row: Any) -> None:
    """A repair takes its row out of the table."""
    skip_what_is_missing(row)
    cells = [(s, way_out) for s, way_out in cells_of(row) if known(s, way_out) is row]
    assert cells
    s, way_out = cells[0]
    if row.error != "Hangs":
        assert says(row, outcome(s, way_out))
    elif THOROUGH and CLOCK:
        assert says(row, outcome(s, way_out, 10.0))


# the derivative of `stopped` is another one on purpose
PAIRS = [(name, kind) for name, p in PROGRAMS.items() for kind in p.kinds if name != "stopped"]


@pytest.mark.parametrize(("program", "kind"), PAIRS)
def test_the_reference_agrees_with_differences(program: str, kind: str) -> None:
    p = PROGRAMS[program]
    f, at, v = plant_in(p, ""), POINTS[kind], SLOPES[kind]

    def difference(h: float) -> Any:
        high, low = (
            numbers(loss_of(f(*(x + k * h * t for x, t in zip(at, v, strict=True)))))
            for k in (1, -1)
        )
        return (high - low) / (2.0 * h)

    right = reference(program, False, kind, 0)
    rough = "float32" in p.tags
    h = 1e-2 if rough else 1e-4
    found = (4.0 * difference(h / 2.0) - difference(h)) / 3.0  # Richardson
    np.testing.assert_allclose(found, right.slope, rtol=1e-3 if rough else 1e-7, atol=1e-7)
    along = sum(float(np.sum(g * t)) for g, t in zip(right.gradient, v, strict=True))
    np.testing.assert_allclose(along, right.slope, rtol=1e-6 if rough else 1e-12)


def test_the_programs_are_many_and_of_all_kinds() -> None:
    assert len(PROGRAMS) >= 60
    assert {tag for p in PROGRAMS.values() for tag in p.tags} == set(TAGS)
    met = {way for p in PROGRAMS.values() for s in subjects(p) for way in ways_out(s)}
    assert met | MISSING == {*WAYS_OUT}


def test_the_page_of_limits_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.matrix --page"
