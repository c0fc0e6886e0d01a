"""Print the phases and the skeleton for the page: ``python -m gradwalk.workshop.printed FILE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .report import PHASES
from .skeletons import skeleton

__all__ = ["printed"]

HEAD = """/** Printed from the judge by `python -m gradwalk.workshop.printed`; do not edit. */

export interface Phase {
  phase: number;
  title: string;
  /** What to write. */
  asks: string;
  /** Why it is needed. */
  why: string;
}

export const PHASES: readonly Phase[] = [
"""


SKELETON = """/** The file that New opens. */
export const SKELETON = """


def printed() -> str:
    """Return the module of the page with the phases and the skeleton."""
    rows = (
        {"phase": at, "title": title, "asks": asks, "why": why}
        for at, (title, asks, why) in enumerate(PHASES, 1)
    )
    phases = "".join(f"  {json.dumps(row, ensure_ascii=False)},\n" for row in rows)
    return f"{HEAD}{phases}];\n\n{SKELETON}{json.dumps(skeleton(), ensure_ascii=False)};\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(printed(), encoding="utf-8")
