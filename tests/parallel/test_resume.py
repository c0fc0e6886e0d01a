"""A training on workers that is interrupted or killed, and goes on: the same bits, nothing left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradwalk.parallel import Here

from ..helpers.clusters import trained

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path("/dev/shm")
PROGRAM = """
import os, sys
import time
from contextlib import nullcontext
import numpy as np
from gradwalk.parallel import Processes
from tests.helpers import clusters

def slow(output, target):
    time.sleep(0.01)
    return clusters.squares(output, target)

def told(history):
    print(len(history), flush=True)

if __name__ == "__main__":
    dask = sys.argv[1] == "client"
    with clusters.cluster_of(2) if dask else nullcontext() as client:
        options = {"client": client} if dask else {"workers": 2}
        held = Processes().scatter([np.ones(100_000)])
        print(os.getpid(), flush=True)
        weights = clusters.trained(
            slow, 3, checkpoint=sys.argv[2], checkpoint_batches=2, resume=True, callbacks=told,
            **options,
        )
        print(b"".join(weights).hex())
"""


@pytest.fixture(autouse=True)
def nothing_leaks() -> None:
    """Count no threads here: those of a pool end a little after its workers."""


def children() -> set[str]:
    """Return the processes of the trainings below."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"GRADWALK_RESUMED=" in path.read_bytes():
                found.add(path.parent.name)
        except OSError:
            continue
    return found


@pytest.mark.skipif(not SHARED.exists(), reason="needs the list of processes of Linux")
@pytest.mark.parametrize(
    ("workers", "end"),
    [
        ("processes", signal.SIGINT),
        pytest.param("processes", signal.SIGKILL, marks=pytest.mark.prove),
        pytest.param("client", signal.SIGINT, marks=pytest.mark.prove),
        pytest.param("client", signal.SIGKILL, marks=pytest.mark.prove),
    ],
)
def test_a_training_that_ends_early_goes_on(tmp_path: Path, workers: str, end: int) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join(map(str, (ROOT, ROOT / "src")))
    command = [sys.executable, "program.py", workers, str(tmp_path / "run.safetensors")]
    environment = os.environ | {"PYTHONPATH": path, "GRADWALK_RESUMED": "1"}
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        assert run.stdout is not None
        assert [next(run.stdout).strip() for _ in range(2)] == [str(run.pid), "1"]
        assert list(SHARED.glob(f"gradwalk_{run.pid}_*"))
        if end == signal.SIGINT:
            os.killpg(run.pid, end)  # as a terminal does
        else:
            os.kill(run.pid, end)
        run.communicate(timeout=30)
    for _ in range(600):  # they look once a second, and under load later
        if not children():
            break
        time.sleep(0.1)
    assert not children()
    assert not list(SHARED.glob(f"gradwalk_{run.pid}_*"))
    again = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    lines = again.stdout.split()
    assert lines[1:-1] == ["2", "3"]
    assert lines[-1] == b"".join(trained(epochs=3, workers=Here())).hex()
