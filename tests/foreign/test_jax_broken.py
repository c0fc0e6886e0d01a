"""Broken programs of JAX: the cause, its line and a remedy are named, and the twin is quiet."""

from __future__ import annotations

import inspect

import pytest

jax = pytest.importorskip("jax")

import gradwalk  # noqa: E402
from gradwalk.inspect import why  # noqa: E402

from .jax_broken import PROGRAMS  # noqa: E402

pytestmark = pytest.mark.peer

NAMES = [
    pytest.param(name, marks=[pytest.mark.quick] if PROGRAMS[name].quick else [])
    for name in PROGRAMS
]


def line_of(name: str) -> int:
    """Return the line of the program that ends in the mark."""
    lines, first = inspect.getsourcelines(PROGRAMS[name].broken)
    return first + next(i for i, text in enumerate(lines) if text.rstrip().endswith("# <-"))


@pytest.mark.parametrize("name", NAMES)
def test_the_cause_of_a_broken_program_is_named(name: str) -> None:
    known = PROGRAMS[name]
    run = gradwalk.adopt(known.broken, *known.args)
    cause = why(run)
    assert cause.op == known.op
    assert f"jax_broken.py, line {line_of(name)})" in cause.line
    assert any(word in cause.fix for word in known.remedy), cause.fix
    assert not run.agreement.differences, run.agreement


@pytest.mark.parametrize("name", NAMES)
def test_the_mended_twin_is_quiet(name: str) -> None:
    known = PROGRAMS[name]
    run = gradwalk.adopt(known.mended, *known.args)
    assert not why(run), why(run)
    assert not run.agreement.differences, run.agreement


def test_the_programs_are_many() -> None:
    assert len(PROGRAMS) >= 10
    assert sum(p.quick for p in PROGRAMS.values()) == 4
