"""The programs of the manual that need PyTorch or JAX run as they stand there."""

from __future__ import annotations

from typing import Any

import pytest

from ..helpers.libraries import Library
from ..helpers.pages import ROOT, blocks

PAGE = ROOT / "docs" / "manual" / "arrays.md"
PROGRAMS = [block for block in blocks(PAGE, "py") if "cuda" not in block]


@pytest.mark.peer
@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_of_the_page_runs(program: str) -> None:
    for library in ("torch", "jax"):
        Library(library)  # with 64 bits of JAX, as in all other tests of this process
    found: dict[str, Any] = {}
    exec(compile(program, str(PAGE), "exec"), found)
    assert found.keys() - {"__builtins__"}


def test_the_page_has_programs() -> None:
    assert len(PROGRAMS) >= 3
