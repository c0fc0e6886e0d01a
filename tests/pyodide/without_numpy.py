"""Run the tests of Values where NumPy is missing: those that use it skip themselves.

A name that a test module imports and that needs NumPy becomes an `Absent`. A test that is given
or uses one is skipped, and so are tests that start a process or a thread. All others run.
"""

from __future__ import annotations

import builtins
import sys
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

TESTS = """tests/core/test_ieee.py tests/engine/test_engine.py tests/engine/test_memory.py
tests/engine/test_random_programs.py tests/engine/test_value.py tests/nn/test_values.py
tests/ops/test_constants.py tests/ops/test_lists.py tests/ops/test_points.py
tests/ops/test_primitives.py tests/ops/test_second_order.py tests/optim/test_values.py"""

PASSED = 2500
"""How many tests pass at least: a test that is skipped by mistake is noticed."""


class Absent:
    """What stands for a name of NumPy: collecting tests may do anything with it, a test nothing."""

    running = False
    __name__ = "absent"

    def __init__(self, *args: Any, **named: Any) -> None:
        pass

    def _use(self, *args: Any, **named: Any) -> Absent:
        if Absent.running:
            pytest.skip("needs NumPy")
        return self

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._use()

    def __iter__(self) -> Any:
        self._use()
        return iter(())

    __call__ = __getitem__ = __instancecheck__ = _use
    __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __neg__ = __or__ = _use


ABSENT = Absent()
MISSING = object()
real_import = builtins.__import__


def tolerant_import(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    """Import for a test module, with an `Absent` for every name that needs NumPy."""
    scope = globals or {}
    if not str(scope.get("__name__", "")).startswith("tests."):
        return real_import(name, globals, locals, fromlist, level)
    if not fromlist:
        return found_or_absent(real_import, name, globals, locals, (), level)
    module = found_or_absent(import_module, "." * level + name, scope.get("__package__"))
    return SimpleNamespace(**{part: attribute(module, part) for part in fromlist})


def attribute(module: Any, name: str) -> Any:
    """Return what ``from module import name`` imports."""
    found = found_or_absent(getattr, module, name, MISSING)
    return (
        found_or_absent(import_module, f"{module.__name__}.{name}") if found is MISSING else found
    )


def found_or_absent(function: Any, *args: Any) -> Any:
    """Return the result of an import, or the `Absent` if it needs NumPy."""
    try:
        return function(*args)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        return ABSENT


def absent_in(thing: Any) -> bool:
    """Return whether a parameter is, or contains, an `Absent`."""
    if isinstance(thing, (list, tuple, set)):
        return any(map(absent_in, thing))
    if isinstance(thing, dict):
        return any(map(absent_in, thing.values()))
    return type(thing) is Absent


class WithoutNumPy:
    """The plugin: chooses what can run here, and counts."""

    passed = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            if absent_in(getattr(getattr(item, "callspec", None), "params", {})):
                item.add_marker(pytest.mark.skip(reason="needs NumPy"))

    def pytest_collection_finish(self) -> None:
        Absent.running = True
        builtins.__import__ = real_import

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        try:
            return (yield)
        except ModuleNotFoundError as error:
            if error.name != "numpy":
                raise
            pytest.skip("needs NumPy")
        except RuntimeError as error:
            if "can't start new thread" not in str(error):
                raise
            pytest.skip("needs a thread")
        except OSError as error:
            if "does not support processes" not in str(error):
                raise
            pytest.skip("needs a process")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.when == "call" and report.passed


def main(args: list[str]) -> int:
    """Run the tests of Values, or those of the arguments. Return the exit status."""
    builtins.__import__ = tolerant_import
    plugin = WithoutNumPy()
    options = ["-q", "-p", "no:cacheprovider", "-m", "not prove and not long"]
    options += ["-W", "ignore::hypothesis.errors.HypothesisWarning"]  # of its own references
    status = pytest.main([*options, *(args or TESTS.split())], plugins=[plugin])
    if not args and plugin.passed < PASSED:
        print(f"{plugin.passed} tests passed in Pyodide, expected at least {PASSED}")
        return 1
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
