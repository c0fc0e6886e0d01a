"""``python -m tests.matrix [texts]``: how many cells are right, and what the others raise.

A text chooses the programs whose names contain it. ``--page`` writes the manual's page of limits.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor

from .cells import outcomes
from .page import PAGE, page
from .programs import PROGRAMS

KINDS = ("right", "refused", "wrong", "crash")


def main(texts: list[str]) -> None:
    """Print each cause with its cells, and the counts and seconds per way out."""
    chosen = [name for name in PROGRAMS if not texts or any(text in name for text in texts)]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    causes: dict[tuple[str, str], list[str]] = defaultdict(list)
    times: dict[str, float] = defaultdict(float)
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for name, rows in zip(chosen, pool.map(outcomes, chosen), strict=True):
            for way_in, way_out, found, seconds in rows:
                times[way_out] += seconds
                counts[way_out][found.kind] += 1
                if found.kind != "right":
                    causes[way_out, f"{found.kind}: {found.cause}"].append(f"{name}/{way_in}")
    for (way_out, text), cells in sorted(causes.items(), key=lambda x: (x[0][0], -len(x[1]))):
        print(f"{way_out:9} {len(cells):4}  {text}\n{'':15} {', '.join(cells)[:400]}")
    print("\nway out    " + "".join(f"{kind:>9}" for kind in KINDS) + "  seconds")
    for way_out, row in counts.items():
        print(f"{way_out:11}{''.join(f'{row[k]:9,}' for k in KINDS)}{times[way_out]:9.1f}")
    whole = sum(counts.values(), Counter[str]())
    print(f"{'all':11}{''.join(f'{whole[k]:9,}' for k in KINDS)}{sum(times.values()):9.1f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--page"]:
        PAGE.write_text(page(), "utf-8")
    else:
        main(sys.argv[1:])
