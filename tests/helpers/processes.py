"""Programs in interpreters of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["run_jax", "run_python", "run_together"]


def run_python(program: str, *args: str, **environment: str) -> str:
    """Run a program in an interpreter of its own, on the same engine; its output."""
    return run_together(program, [args], strict=True, **environment)[0]


def run_jax(program: str, arguments: Sequence[Sequence[str]] = ((),), devices: int = 1) -> None:
    """Run a program of JAX on the processor, once for each list of arguments at the same time.

    JAX counts its devices when it is imported, so it needs a process of its own for several. Each
    of the processes has to print "right" at its end.
    """
    flags = f"--xla_force_host_platform_device_count={devices}"
    told = run_together(program, arguments, JAX_PLATFORMS="cpu", XLA_FLAGS=flags)
    assert all(out.endswith("right\n") for out in told), told


def run_together(
    program: str, arguments: Sequence[Sequence[str]], strict: bool = False, **environment: str
) -> list[str]:
    """Run processes of a program at the same time; their outputs. ``strict``: warnings are errors.

    When one of them fails, the others are ended.
    """
    options = ["-W", "error"] if strict else []
    running: list[Any] = [
        subprocess.Popen(
            [sys.executable, *options, "-c", program, *args],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for args in arguments
    ]
    try:
        told = [process.communicate(timeout=300) for process in running]
    finally:
        for process in running:
            process.kill()
    for process, (_, errors) in zip(running, told, strict=True):
        assert process.returncode == 0, errors[-2000:]
    return [out for out, _ in told]
