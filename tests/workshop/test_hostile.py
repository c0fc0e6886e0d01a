"""The hostile files are read here, never run: each is Python, or is meant not to be."""

from __future__ import annotations

import pytest

from .engines import ENGINES
from .hostile import ENDING, ENDLESS, HOSTILE, LYING

NOT_PYTHON = {"null_bytes", "other_encoding", "deeply_nested"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_compiled(name: str) -> None:
    text = HOSTILE[name]
    assert text != ENGINES["closures"].text
    if name in NOT_PYTHON:
        with pytest.raises((SyntaxError, ValueError, MemoryError, RecursionError)):
            compile(text.encode(), f"{name}.py", "exec")
    else:
        assert "Value" in compile(text, f"{name}.py", "exec").co_names


def test_there_are_many_of_each_sort() -> None:
    assert len(HOSTILE) == len(ENDLESS) + len(ENDING) + len(LYING)
    assert min(map(len, (ENDLESS, ENDING, LYING))) >= 10
