"""Engines that the judge was not made with: right ones pass, and mistakes are named."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.workshop.batch import BATCH, BATCH_PAIRS, NEW, OTHER_CHOICES, BatchMistake
from tests.workshop.engines import ENGINES
from tests.workshop.fresh import FRESH
from tests.workshop.mistakes import FOUND, Mistake, Pair
from tests.workshop.more_engines import MORE
from tests.workshop.observed import BASES, differences, observed
from tests.workshop.test_pairs import named, outcome

from gradwalk.workshop import check_text

MISSED = {"train_gradient_halved"}
"""Mistakes that are not named yet."""
FAILS = pytest.mark.xfail(strict=True, reason="the judge does not know it yet")
CASES = [
    pytest.param(m, id=f"{m.id}-{m.base}", marks=[mark for mark, has in (
        (FAILS, m.id in MISSED), (pytest.mark.long, i % 8 > 0)) if has])
    for i, m in enumerate(FRESH)
]  # fmt: skip
RIGHT = {name: engine.text for name, engine in NEW.items()} | OTHER_CHOICES
BATCH_BASES = {name: observed(engine) for name, engine in NEW.items()}
BATCH_MISSED = {
    "nodes_of_one_level_lost",
    "counts_every_path",
    "one_gate_for_all_products",
    "rate_falls_below_zero",
    "negative_gradients_dropped",
    "users_below_zero",
    "saved_in_the_class",
    "momentum_never_decays",
    "square_as_a_case_of_its_own+momentum_ascends-edges",
    "one_gate_for_all_products+zero_grad_misspelt-gates",
    "assign_in_div_first+rate_falls_below_zero-serials",
    "marks_never_cleared+sub_second_gets_nothing-mixin",
}
"""Of the batch: right engines that do not pass, mistakes without a name, and pairs."""


def sampled(rows: Mapping[str, object], every: int) -> list[object]:
    """Mark all rows of a table but some as long, and those that the judge fails."""
    return [
        pytest.param(row, id=name, marks=[mark for mark, has in (
            (FAILS, name in BATCH_MISSED), (pytest.mark.long, i % every > 0)) if has])
        for i, (name, row) in enumerate(rows.items())
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


@pytest.mark.parametrize("text", sampled(RIGHT, 5))
def test_a_right_engine_of_the_batch_passes(text: str) -> None:
    report = check_text(text)
    assert report.error is None
    assert report.unexplained == ()
    assert {m.id for m in report.mistakes} <= {"deep_recursion"}


@pytest.mark.parametrize("mistake", sampled({m.id: m for m in BATCH}, 9))
def test_a_mistake_of_the_batch_is_named(mistake: BatchMistake) -> None:
    assert named(check_text(mistake.text), mistake)


@pytest.mark.parametrize("pair", sampled({p.name: p for p in BATCH_PAIRS}, 7))
def test_a_pair_of_the_batch_is_complete(pair: Pair) -> None:
    assert outcome(pair) in ("complete", "again")


@pytest.mark.parametrize("m", BATCH, ids=lambda m: m.id)
def test_each_of_the_batch_is_a_mistake(m: BatchMistake) -> None:
    right = BATCH_BASES[m.base] if m.base in NEW else BASES[m.base]
    seen = differences(right, observed(m.engine, m.text))
    assert seen
    assert "import" not in seen
    assert (seen == ["deep"]) == (m.kind == "deep")


@pytest.mark.parametrize("pair", BATCH_PAIRS, ids=lambda p: p.name)
def test_both_mistakes_of_a_pair_of_the_batch_are_seen(pair: Pair) -> None:
    seen = observed(pair.engine, pair.text)
    for alone in (pair.first, pair.second):
        assert differences(observed(pair.engine, alone.text), seen)


def test_the_batch_is_new() -> None:
    ids = {m.id for m in BATCH}
    assert len(ids) == len(BATCH) >= 45
    assert not ids & {m.id for m in [*FOUND, *FRESH]}
    assert {m.phase for m in BATCH} == set(range(1, 13))
    assert len(BATCH_PAIRS) >= 15
