"""``python -m benchmarks``: measure every bar, print the table, write JSON and a picture."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from . import report
from .bars import BARS, Bar
from .run import ROOT, Plan

RESULTS = ROOT / "benchmarks" / "results.json"


def main() -> None:
    """Measure the bars that the command line selects."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="short: small programs, 3 rounds")
    parser.add_argument("--only", action="append", metavar="NAME", choices=[b.name for b in BARS])
    parser.add_argument("--rounds", type=int, help="runs of each engine, in turn (default 5)")
    parser.add_argument("--json", type=Path, help="output file (of a full run: results.json)")
    options = parser.parse_args()

    facts = report.machine()
    print(report.described(facts), report.HEAD, sep="\n\n")
    plan = Plan(options.rounds or (3 if options.quick else 5), options.quick)
    rows: list[report.Row] = []
    for bar in BARS:
        if options.only and bar.name not in options.only:
            continue
        if missing := absent(bar):
            print(f"{bar.title:<42} skipped: {' and '.join(missing)} not installed here")
            continue
        rows.append((bar, bar.measure(plan)))
        print(report.line(*rows[-1]), flush=True)
    path = options.json or (None if options.only or options.quick else RESULTS)
    if path and rows:
        write(facts, rows, path)


def absent(bar: Bar) -> list[str]:
    """Return the modules that a bar needs and this Python cannot import."""
    return [module for module in bar.needs if find_spec(module) is None]


def write(facts: dict[str, object], rows: list[report.Row], path: Path) -> None:
    """Write the JSON file, and the picture next to it if matplotlib is installed."""
    path.write_text(report.as_json(facts, rows), "utf-8")
    print(f"\nwritten: {path}")
    if find_spec("matplotlib") is None:
        print("no picture: matplotlib is not installed here")
        return
    report.draw(facts, rows, path.with_suffix(".svg"))
    print(f"written: {path.with_suffix('.svg')}")


if __name__ == "__main__":
    main()
