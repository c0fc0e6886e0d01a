"""GradBench's own evals find the answers of the tool valid.

``GRADBENCH`` names a clone of GradBench in which ``make -C cpp`` and ``make -C tools/manual`` ran:
most evals compare with these programs. The packages that the evals import have to be installed
for this Python: pydantic, dataclasses-json, SciPy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CLONE = os.environ.get("GRADBENCH", "")

pytestmark = [
    pytest.mark.prove,
    pytest.mark.skipif(not CLONE, reason="GRADBENCH names no clone of GradBench"),
]

SHORT = ("--min-runs", "1", "--min-seconds", "0")
EVALS = [
    ("hello",),
    ("det", "-l", "5", "6", *SHORT),
    ("gmm", "-d", "2", "10", "-k", "5", "10", *SHORT),
    ("ba", "--min", "1", "--max", "1", *SHORT),
    ("ht", "--variant", "simple", "--model", "small", "--min", "1", "--max", "1", *SHORT),
    ("ht", "--variant", "complicated", "--model", "small", "--min", "1", "--max", "1", *SHORT),
    ("kmeans", "-k", "10", "100", "-n", "1000", "-d", "8", *SHORT),
    ("llsq", "-n", "16", "2048", *SHORT),
    ("lse", "-n", "2500", *SHORT),
    ("lstm", "-l", "2", "-c", "1024", *SHORT),
    ("ode", "-n", "1000", "-s", "1", "10", *SHORT),
    ("particle", *SHORT),
    ("saddle", *SHORT),
]


@contextmanager
def process(folder: Path, path: Path, *command: str) -> Iterator[subprocess.Popen[str]]:
    """A Python that talks by lines; it has to end with status 0."""
    environment = os.environ | {
        "PYTHONPATH": f"{path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    }
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        yield started
    assert started.returncode == 0, command


def said(speaker: subprocess.Popen[str], listener: subprocess.Popen[str]) -> dict[str, Any] | None:
    """The next line of one process, which the other receives; ``None`` at its end."""
    assert speaker.stdout is not None
    assert listener.stdin is not None
    if not (line := speaker.stdout.readline()):
        return None
    listener.stdin.write(line)
    listener.stdin.flush()
    message: dict[str, Any] = json.loads(line)
    return message


@pytest.mark.parametrize("arguments", EVALS, ids=lambda arguments: " ".join(arguments[:3]))
def test_every_output_is_valid(arguments: tuple[str, ...]) -> None:
    name, *options = arguments
    clone = Path(CLONE).resolve()
    program = f"python/gradbench/gradbench/evals/{name}/run.py"
    outputs, valid = 0, 0
    with (
        process(clone, clone / "python/gradbench", program, *options) as eval,
        process(ROOT, ROOT / "src", "-m", "benchmarks.gradbench") as tool,
    ):
        while message := said(eval, tool):
            if message["kind"] == "analysis":
                assert message["valid"], message["error"]
                valid += 1
            response = said(tool, eval)
            assert response is not None
            assert response.get("success", True), response["error"]
            outputs += "output" in response
        assert eval.wait() == 0
        assert tool.stdin is not None
        tool.stdin.close()
    assert outputs == valid > 0
