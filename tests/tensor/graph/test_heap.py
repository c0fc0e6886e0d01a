"""What a training step frees stays with the process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
{first}

def faults_of_a_step():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(131_072, np.float32) for _ in range(16)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print([faults_of_a_step() for _ in range(6)][-1])
"""


def faults(first: str) -> int:
    """Pages that the system has to clear for a step that allocates 8 MB."""
    free = {key: v for key, v in os.environ.items() if not key.startswith(("MALLOC_", "GLIBC_"))}
    command = [sys.executable, "-c", PROGRAM.format(first=first)]
    done = subprocess.run(command, env=free, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.memory
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is about glibc's malloc")
def test_the_arrays_of_the_next_step_lie_where_those_of_the_last_one_did():
    assert faults("") > 1000
    assert faults("import gradwalk.nn; gradwalk.nn.Linear") < 50
