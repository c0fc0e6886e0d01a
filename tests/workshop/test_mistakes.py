"""Each mistake is one: its file differs from the right engine in what can be observed of it."""

from __future__ import annotations

import pytest

from .engines import ENGINES
from .mistakes import FOUND, PAIRS, UNUSABLE, Mistake, Pair
from .observed import BASES, calls, differences, loaded, observed


@pytest.mark.parametrize("m", FOUND, ids=lambda m: f"{m.id}-{m.base}")
def test_a_mistake_is_seen(m: Mistake) -> None:
    engine = ENGINES[m.base]
    if m.kind == "slow":
        assert calls(engine, m.text) > 4 * calls(engine)
    else:
        seen = differences(BASES[m.base], observed(engine, m.text))
        assert seen
        assert "import" not in seen
        assert (seen == ["deep"]) == (m.kind == "deep")
    assert 1 <= m.line <= m.text.count("\n") + 1
    assert all(word == word.lower() for group in m.words for word in group)


@pytest.mark.parametrize("p", PAIRS, ids=lambda p: p.name)
def test_both_mistakes_of_a_pair_are_seen(p: Pair) -> None:
    seen = observed(p.engine, p.text)
    for alone in (p.first, p.second):
        assert differences(observed(p.engine, alone.text), seen)
    assert differences(BASES[p.engine.name], seen)
    assert "import" not in seen


@pytest.mark.parametrize("name", UNUSABLE)
def test_no_number_can_be_made_of_an_unusable_file(name: str) -> None:
    engine = ENGINES["closures"]
    errors = (SyntaxError, ImportError, AttributeError, ArithmeticError, TypeError)
    with pytest.raises(errors), loaded(engine, UNUSABLE[name] or "\n") as module:
        print(module.Value(2.0).data)


def test_the_mistakes_are_of_every_phase_and_of_both_halves() -> None:
    ids = {m.id: m for m in FOUND}
    assert {m.phase for m in FOUND} == set(range(1, 13))
    assert {m.base for m in FOUND} >= set(ENGINES) - {"course", "closures_frozen"}
    for half in ("development", "held_out"):
        assert sum(m.half == half for m in ids.values()) > len(ids) / 3
        assert any(p.half == half for p in PAIRS)
    assert len({(m.id, m.base) for m in FOUND}) == len(FOUND)
    assert len(ids) >= 120
    assert len(PAIRS) >= 20
    assert len(UNUSABLE) >= 10
