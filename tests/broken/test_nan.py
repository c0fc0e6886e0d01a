"""Programs that make a NaN: `why` names the cause, and raises no alarm on the mended twins."""

from __future__ import annotations

import pytest

from . import more, nan_tensors, nan_values

BROKEN = {**nan_values.BROKEN, **nan_tensors.BROKEN, **more.BROKEN}
pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning"),
]


@pytest.mark.parametrize("program", BROKEN, ids=lambda p: f"{p.__module__[-7:]}-{p.__name__}")
def test_the_cause_is_named(program):
    told = str(cause := program(False))
    assert cause
    missing = [words for words in BROKEN[program] if words not in told]
    assert not missing, told


@pytest.mark.parametrize("program", BROKEN, ids=lambda p: f"{p.__module__[-7:]}-{p.__name__}")
def test_a_mended_program_raises_no_alarm(program):
    assert not (cause := program(True)), cause
