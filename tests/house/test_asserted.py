"""Tests can fail: the plugin that counts their assertions, and where they may return."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..helpers.asserted import NO_REASON, NONE_RAN

ROOT = Path(__file__).parents[2]

# --- the plugin -----------------------------------------------------------------------------------

PASS = {
    "assert": "assert 1 + 1 == 2",
    "raises": "with pytest.raises(ZeroDivisionError):\n        1 / 0",
    "warns": "with pytest.warns(UserWarning):\n        warnings.warn('w')",
    "numpy": "np.testing.assert_allclose(1.0, 1.0)",
    "helper": "numbers.same_bits(1.0)",
    "hypothesis": "@given(st.integers())\n    def inner(n):\n        assert n == n\n    inner()",
    "silent": "pass",
    "skipped": "pytest.skip('no machine')",
}
FAIL = {
    "nothing": ("pass", NONE_RAN),
    "returns": ("return\n    assert True", NONE_RAN),
    "no turn of a loop": ("for x in ():\n        assert x", NONE_RAN),
    "no reason": ("pass", NO_REASON),
    "wrong": ("assert 1 + 1 == 3", "assert (1 + 1) == 3"),
}
HEAD = """import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.helpers import numbers

"""
MARKS = {"silent": '@pytest.mark.silent("no error")\n', "no reason": "@pytest.mark.silent\n"}


def outcome(folder: Path, name: str, body: str) -> tuple[int, str]:
    """What pytest says of one test, with assertions counted."""
    helpers = folder / "tests" / "helpers"
    helpers.mkdir(parents=True)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (helpers / "asserted.py").write_text((ROOT / "tests/helpers/asserted.py").read_text("utf-8"))
    (helpers / "numbers.py").write_text("def same_bits(x):\n    assert x == x\n")
    test = folder / "test_it.py"
    test.write_text(f"{HEAD}{MARKS.get(name, '')}def test_it():\n    {body}\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.helpers.asserted", str(test)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", PASS)
def test_a_test_that_asserts_passes(name: str, tmp_path: Path) -> None:
    code, output = outcome(tmp_path, name, PASS[name])
    assert code == 0, output


@pytest.mark.parametrize("name", FAIL)
def test_a_test_that_asserts_nothing_fails(name: str, tmp_path: Path) -> None:
    body, said = FAIL[name]
    code, output = outcome(tmp_path, name, body)
    assert code == 1, output
    assert said in output


# --- where tests return ---------------------------------------------------------------------------

ASSERTS = {"raises", "warns", "deprecated_call", "skip", "fail", "xfail", "expect", "assume"}
ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def asserts(node: ast.AST) -> bool:
    """Whether a statement, or what a ``with`` opens, is itself an assertion."""
    if isinstance(node, ast.Assert):
        return True
    called = node.func if isinstance(node, ast.Call) else None
    name = ast.unparse(called).rpartition(".")[2] if called else ""
    if name in ASSERTS or name.startswith("assert_"):
        return True
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return any(map(asserts, parts))


def early(body: list[ast.stmt], asserted: bool = False) -> tuple[list[int], bool]:
    """Lines of the ``return`` that may come before any assertion; whether the end has had one.

    What a loop or a ``try`` contains may not run, and a branch counts if the other one does so too.
    """
    lines: list[int] = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.Return) and not asserted:
            lines.append(node.lineno)
        blocks = [
            [n for n in block if isinstance(n, ast.stmt)]
            for block in (getattr(node, name, []) for name in ("body", "orelse", "finalbody"))
        ]
        blocks += [handler.body for handler in getattr(node, "handlers", [])]
        blocks += [case.body for case in getattr(node, "cases", [])]
        heads = [item.context_expr for item in getattr(node, "items", [])]
        within = asserted or any(map(asserts, heads))
        found = [early(block, within) for block in blocks]
        lines += [line for some, _ in found for line in some]
        if isinstance(node, ast.With | ast.AsyncWith):
            asserted = found[0][1]
        elif isinstance(node, ast.If):
            asserted |= all(found[i][1] or ends(blocks[i]) for i in (0, 1))
        elif not any(blocks):
            asserted |= asserts(node)
    return lines, asserted


def ends(block: list[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], ENDS)


def returns_early(text: str) -> Iterator[str]:
    """Yield name and line of every such ``return`` of a file of tests."""
    for node in ast.walk(ast.parse(text)):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and node.name.startswith("test_"):
            yield from (f"{node.name}, line {line}" for line in early(node.body)[0])


EARLY = {
    "at once": "if a:\n        return\n    assert a",
    "in a handler": "try:\n        f()\n    except E:\n        return\n    assert a",
    "in a branch": "if a:\n        assert a\n    else:\n        return\n    assert b",
    "after one branch": "if a:\n        assert a\n    if b:\n        return\n    assert b",
    "after a loop": "for x in a:\n        assert x\n    return",
    "in a with": "with open(a):\n        return",
    "in a case": "match a:\n        case 1:\n            return\n    assert a",
    "after a function": "def f():\n        assert a\n    return",
    "in a loop": "while a:\n        return\n    assert b",
}
LATE = {
    "none": "assert a",
    "after one": "assert a\n    if b:\n        return\n    assert b",
    "after two branches": "if a:\n        assert a\n    else:\n        assert b\n    return",
    "after a branch that ends": "if a:\n        raise E\n    else:\n        assert b\n    return",
    "after raises": "with pytest.raises(E):\n        f()\n    if a:\n        return\n    assert b",
    "after NumPy's": "np.testing.assert_equal(a, b)\n    return",
    "skipped": "if a:\n        pytest.skip('a')\n        return\n    assert b",
    "of a function inside": "def f():\n        return 1\n    assert f()",
}


@pytest.mark.parametrize("body", EARLY.values(), ids=EARLY)
def test_the_reader_sees_early_returns(body: str) -> None:
    assert len([*returns_early(f"def test_it(a, b):\n    {body}\n")]) == 1


@pytest.mark.parametrize("body", LATE.values(), ids=LATE)
def test_the_reader_sees_no_others(body: str) -> None:
    assert [*returns_early(f"def test_it(a, b):\n    {body}\n")] == []


FILES = sorted((ROOT / "tests").rglob("test_*.py"))


def test_no_test_returns_before_it_has_asserted_something() -> None:
    """The case would pass whatever the library does: leave it out of the parameters, or skip it."""
    assert len(FILES) > 200
    found = {f"{path.relative_to(ROOT)}: {line}"
             for path in FILES for line in returns_early(path.read_text("utf-8"))}  # fmt: skip
    assert not found
