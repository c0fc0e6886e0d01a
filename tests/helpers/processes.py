"""Programs in interpreters of their own."""

from __future__ import annotations

import os
import subprocess
import sys

__all__ = ["run_python"]


def run_python(program: str, *args: str, **environment: str) -> str:
    """Run a program in an interpreter of its own, on the same engine; its output."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *args],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
