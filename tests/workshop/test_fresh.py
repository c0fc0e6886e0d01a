"""Engines that the judge was not made with: right ones pass, and mistakes are named."""

from __future__ import annotations

import pytest
from tests.workshop.engines import ENGINES
from tests.workshop.fresh import FRESH
from tests.workshop.mistakes import FOUND, Mistake
from tests.workshop.more_engines import MORE
from tests.workshop.observed import BASES, differences, observed
from tests.workshop.test_pairs import named

from gradwalk.workshop import check_text

MISSED = {"train_gradient_halved"}
"""Mistakes that are not named yet."""
FAILS = pytest.mark.xfail(strict=True, reason="the judge does not know it yet")
CASES = [
    pytest.param(m, id=f"{m.id}-{m.base}", marks=[mark for mark, has in (
        (FAILS, m.id in MISSED), (pytest.mark.long, i % 8 > 0)) if has])
    for i, m in enumerate(FRESH)
]  # fmt: skip


@pytest.mark.parametrize("text", MORE.values(), ids=MORE.keys())
def test_right_engines_of_other_styles_pass(text: str) -> None:
    report = check_text(text)
    assert report.error is None
    assert report.unexplained == ()
    assert [m.id for m in report.mistakes if m.level == "wrong"] == []
    assert {m.id for m in report.mistakes} <= {"deep_recursion", "exponential"}


@pytest.mark.parametrize("mistake", CASES)
def test_a_new_mistake_is_named(mistake: Mistake) -> None:
    assert named(check_text(mistake.text), mistake)


@pytest.mark.parametrize("m", FRESH, ids=lambda m: f"{m.id}-{m.base}")
def test_each_is_a_mistake(m: Mistake) -> None:
    seen = differences(BASES[m.base], observed(ENGINES[m.base], m.text))
    assert seen
    assert "import" not in seen
    assert m.half == "fresh"


def test_the_new_mistakes_are_new() -> None:
    ids = {m.id for m in FRESH}
    assert len(ids) >= 60
    assert not ids & {m.id for m in FOUND}
    assert {m.phase for m in FRESH} >= set(range(1, 10))
