"""Two mistakes in one file: both are named, or one with the advice to run again."""

from __future__ import annotations

import random

import pytest
from tests.workshop.mistakes import FOUND, PAIRS, Mistake, Pair, edited

from gradwalk.workshop import Report, check_text


def near(first: Mistake, second: Mistake) -> bool:
    """Whether two mistakes touch the same lines of their engine."""
    lines: list[set[int]] = []
    for m in (first, second):
        text, found = m.engine.text, set()
        for edit in m.edits:
            start = text.find(edit.old)
            above = text[:start].count("\n")
            found |= set(range(above, above + edit.old.count("\n") + 1))
        lines.append(found)
    return bool(lines[0] & lines[1])


def random_pairs(count: int, seed: int = 0) -> list[Pair]:
    """Pairs of mistakes of the same engine, in different phases or operations."""
    chosen = random.Random(seed)
    rows: dict[str, Pair] = {}
    plain = [m for m in FOUND if m.kind == "wrong"]
    while len(rows) < count:
        first = chosen.choice(plain)
        second = chosen.choice([m for m in plain if m.base == first.base])
        if first.id == second.id or near(first, second):
            continue
        pair = Pair(first, second)
        try:
            edited(first.text, second.edits)
        except ValueError:
            continue
        rows[pair.name] = pair
    return list(rows.values())


def named(report: Report, mistake: Mistake) -> bool:
    """Whether a mistake is named in a report."""
    texts = [f"{m.title} {m.says}".lower() for m in report.mistakes]
    return any(all(any(w in text for w in group) for group in mistake.words) for text in texts)


def outcome(pair: Pair) -> str:
    """Return whether both mistakes are found: "complete", "again", "partial", "none", "silent"."""
    report = check_text(pair.text)
    found = [named(report, m) for m in (pair.first, pair.second)]
    if all(found):
        return "complete"
    if not any(m.level == "wrong" for m in report.mistakes) and not report.unexplained:
        return "silent"
    if not any(found):
        return "none"
    other = pair.second if found[0] else pair.first
    told = any(m.again for m in report.mistakes)
    return "again" if told and named(check_text(other.text), other) else "partial"


@pytest.mark.parametrize("pair", PAIRS[::5], ids=lambda p: p.name)
def test_a_pair_is_not_silent(pair: Pair) -> None:
    assert outcome(pair) in ("complete", "again", "partial")


@pytest.mark.long
def test_most_pairs_are_complete() -> None:
    found = {p.name: outcome(p) for p in [*PAIRS, *random_pairs(60)]}
    assert "silent" not in found.values()
    complete = [name for name, kind in found.items() if kind in ("complete", "again")]
    assert len(complete) >= 0.75 * len(found), set(found) - set(complete)
