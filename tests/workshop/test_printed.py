"""What the page knows of the judge is what the judge prints."""

from __future__ import annotations

from pathlib import Path

from gradwalk.workshop.printed import printed

PRINTED = Path(__file__).parents[2] / "web" / "src" / "workshop" / "phases.ts"


def test_the_phases_of_the_page_are_those_of_the_judge() -> None:
    assert PRINTED.read_text("utf-8") == printed(), "run `make web`"
