"""Run the tests against every mutant: ``python -m tests.mutants [words of the mutants ...]``.

Each mutant gets a copy of the tree. It is killed if its tests fail there. The program fails if a
mutant survives, if a mutant that is called equivalent is killed, if the text of one is not found,
or if tests fail without any mutant.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..helpers.slices import Progress, Slice
from .table import ROOT, Mutant, mutants

QUICK = "not (peer or browser or types or long or prove)"
FAILED, PASSED = 1, 0  # exit codes of pytest
LONGEST = 600.0  # seconds: what runs longer hangs, which is noticed too
SKIPPED = shutil.ignore_patterns(
    *(".git", ".venv*", "node_modules", "__pycache__", "build", "dist", "site", ".*_cache"),
)


def copied(folder: str) -> Path:
    tree = Path(folder) / "tree"
    shutil.copytree(ROOT, tree, ignore=SKIPPED)
    return tree


def built(tree: Path) -> None:
    """Build the native engine of a tree from what is there."""
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--force"]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)


def tested(tree: Path, tests: Iterable[str], engine: str) -> tuple[int, str]:
    """Return pytest's exit code and output."""
    environment = os.environ | {
        "PYTHONPATH": str(tree / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",  # a mutant has the time and the size of what it replaces
        "GRADWALK_PURE": str(int(engine == "python")),
    }
    paths = [f"tests/{name}" for name in tests]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", QUICK]
    try:
        done = subprocess.run(
            [*command, *paths],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        return FAILED, "it hangs"
    return done.returncode, done.stdout + done.stderr


def failure(output: str) -> str:
    """Return the line of pytest's summary that names the test that failed."""
    lines = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (lines or output.strip().splitlines() or [""])[-1][:100]


def verdict(mutant: Mutant) -> tuple[bool, str]:
    """Return whether a mutant meets what the table says of it, and a line about it."""
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(folder)
        path = mutant.path(tree)
        try:
            path.write_text(mutant.applied(path.read_text("utf-8")), "utf-8")
        except (LookupError, FileNotFoundError) as error:
            return False, f"NOT FOUND  {error}"
        if mutant.is_compiled:
            built(tree)
        code, output = tested(tree, mutant.tests, mutant.engine)
    told = f"{mutant.file}: {mutant.why}"
    if code < 0 or (code == FAILED and "Fatal Python error" in output):
        return not mutant.equivalent, f"killed     {told}: the interpreter crashed"
    if code not in (PASSED, FAILED):
        return False, f"BROKEN     {told}: {failure(output)}"
    if mutant.equivalent:
        return code == PASSED, f"{'equivalent' if code == PASSED else 'KILLED    '} {told}"
    if code == PASSED:
        return False, f"SURVIVED   {told}"
    return True, f"killed     {told}: {failure(output)}"


def unharmed(chosen: list[Mutant]) -> bool:
    """Whether the same tests pass without any mutant."""
    ok = True
    for engine in ("native", "python"):
        tests = sorted({name for m in chosen if m.engine == engine for name in m.tests})
        code, output = tested(ROOT, tests, engine) if tests else (PASSED, "")
        if code != PASSED:
            print(f"BROKEN     without a mutant ({engine} engine): {failure(output)}")
            ok = False
    return ok


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("words", nargs="*", help="only mutants with these words in file or why")
    parser.add_argument("--slice", help="only one of several parts: 2/16")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    chosen = [m for m in mutants() if all(word in f"{m.file} {m.why}" for word in options.words)]
    if options.slice:
        part = Slice(options.slice)
        chosen = [m for m in chosen if part.has(f"{m.file} {m.why}")]
    print(f"{len(chosen)} mutants; first their tests without any", flush=True)
    progress = Progress(len(chosen))
    progress.beat()
    started, good = time.monotonic(), [unharmed(chosen)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for fine, line in pool.map(verdict, chosen):
            good.append(fine)
            print(line, flush=True)
            progress.add()
    minutes = (time.monotonic() - started) / 60.0
    print(f"{len(chosen)} mutants, {good.count(False)} not as they should be, {minutes:.1f} min")
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
