"""The table of mutants fits the source; `make prove` runs them."""

from __future__ import annotations

import pytest

from .table import ROOT, Mutant, mutants

TABLE = mutants()


def test_there_are_enough() -> None:
    assert len([m for m in TABLE if not m.equivalent]) >= 40


@pytest.mark.parametrize("mutant", TABLE, ids=lambda m: m.why)
def test_a_mutant_is_applied(mutant: Mutant) -> None:
    """Its text stands in the source once, and its tests are there."""
    source = mutant.path(ROOT).read_text("utf-8")
    assert mutant.applied(source) != source
    assert mutant.tests
    for name in mutant.tests:
        file, _, function = name.partition("::")
        path = ROOT / "tests" / file
        assert path.exists(), name
        assert not function or f"def {function}(" in path.read_text("utf-8"), name
