"""The compiled modules take no argument on trust: a wrong one is an error and never a crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradwalk import native

from ..helpers.amount import amount

pytestmark = pytest.mark.skipif(native.engine is None, reason="of the native engine")

WIRING = {"connect", "columns_type", "forward_type", "observe", "read_by", "recorder_type"}
WIRING |= {"step_type", "tensor_methods", "tracer_type"}
"""Functions that the package calls once, with its own classes, when it is imported."""

MODULES = ("_engine", "_tensor", "_vectors") if native.engine is not None else ()
FUNCTIONS = [
    (f"gradwalk.native.{module}", name)
    for module in MODULES
    for name, thing in vars(__import__(f"gradwalk.native.{module}", fromlist=["_"])).items()
    if callable(thing) and name not in WIRING and not name.startswith("_")
]


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_drawn_arguments_do_not_end_the_process(module, name):
    program = Path(__file__).with_name("wrong_arguments.py")
    for seed in range(amount(20, 1)):
        command = [sys.executable, str(program), module, name, str(seed), str(amount(200, 50))]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert ended.returncode == 0, (ended.returncode, ended.stderr[-500:])


def test_what_it_draws_is_taken_at_times():
    program = Path(__file__).with_name("wrong_arguments.py")
    command = [sys.executable, str(program), "gradwalk.native._engine", "gradients", "0", "100"]
    assert int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) > 10
