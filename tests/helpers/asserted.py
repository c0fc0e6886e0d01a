"""A plugin that fails every test in which no assertion ran: ``GRADWALK_COUNT_ASSERTIONS=1``.

Counted are ``assert`` in tests and in `tests/helpers`, ``pytest.raises`` and its kin, what NumPy
asserts, and what waits for the page in a browser. A test whose proof is that nothing happens says
so: ``@pytest.mark.silent("no warning is given")``.

It costs time, so ``make test`` does without. pytest's own hook for assertions that pass costs more:
it puts every operand into words.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.assertion import rewrite

__all__ = ["NONE_RAN", "NO_REASON", "pytest_configure", "pytest_runtest_call"]

NONE_RAN = (
    "no assertion ran in this test, so it cannot fail. Assert what it proves; if that is the "
    'absence of an error or of a warning, mark it: @pytest.mark.silent("why")'
)
NO_REASON = 'expected the reason of the marker silent, got none. Write @pytest.mark.silent("why")'
WAITS = {"Page": "wait_for_function wait_for_selector wait_for_url", "Locator": "wait_for"}

_ran = 0


def _gradwalk_asserted() -> None:
    global _ran
    _ran += 1


def _count(owner: Any, name: str) -> None:
    """Let a function of a module or a class count its calls."""
    check: Callable[..., Any] = getattr(owner, name)

    @functools.wraps(check)
    def counted(*args: Any, **options: Any) -> Any:
        _gradwalk_asserted()
        return check(*args, **options)

    setattr(owner, name, counted)


class _CountAsserts(ast.NodeTransformer):
    """Puts a call before every ``assert``."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        (call,) = ast.parse(f"{_gradwalk_asserted.__name__}()").body
        for part in ast.walk(call):
            ast.copy_location(part, node)
        return [call, node]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "silent(reason): the absence of an error is the proof")
    setattr(builtins, _gradwalk_asserted.__name__, _gradwalk_asserted)
    rewritten = rewrite.rewrite_asserts

    def counting(tree: ast.Module, *rest: Any) -> None:
        rewritten(_CountAsserts().visit(tree), *rest)

    rewrite.rewrite_asserts = counting
    rewrite.PYC_TAIL = f".counted{rewrite.PYC_TAIL}"  # beside the files of runs that do not count
    package = __name__.rpartition(".")[0]
    helpers = [f"{package}.{path.stem}" for path in Path(__file__).parent.glob("*.py")]
    pytest.register_assert_rewrite(*[name for name in helpers if name not in sys.modules])
    for name in ("raises", "warns", "deprecated_call"):
        _count(pytest, name)
    for name in dir(np.testing):
        if name.startswith("assert_"):
            _count(np.testing, name)
    if importlib.util.find_spec("playwright"):
        api = importlib.import_module("playwright.sync_api")
        _count(type(api.expect), "__call__")
        for kind, names in WAITS.items():
            for name in names.split():
                _count(getattr(api, kind), name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    before = _ran
    yield
    marker = item.get_closest_marker("silent")
    if marker is not None and not marker.args:
        pytest.fail(NO_REASON, pytrace=False)
    if isinstance(item, pytest.Function) and _ran == before and marker is None:
        pytest.fail(NONE_RAN, pytrace=False)
