"""Docstrings of what is public: a summary each, an example for most. The ratchet only rises."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import gradwalk
from gradwalk import Tensor, Value, nn
from gradwalk.tensor.functions.elementwise import EXAMPLES

ROOMS = """check data distributed inspect integrate nn nn.functional nn.init optim optimize parallel
sklearn special stats tensor training transforms"""
CLASSES = (Value, Tensor, nn.Module, gradwalk.optim.Optimizer)
WITH_EXAMPLE = 0.9
"""The share of public callables with an example that runs; raise it when you have added some."""


def callables() -> Iterator[tuple[str, Any]]:
    """Yield every public function and class, and every method of the main classes, once."""
    seen = set()
    for room in ("", *ROOMS.split()):
        module = importlib.import_module(f"gradwalk.{room}".rstrip("."))
        for name in module.__all__:
            thing = getattr(module, name)
            error = inspect.isclass(thing) and issubclass(thing, Exception)
            ours = inspect.isroutine(thing) or inspect.isclass(thing)
            if ours and not error:
                if id(thing) not in seen and thing.__doc__:
                    yield f"{module.__name__}.{name}", thing
                seen.add(id(thing))
    for cls in CLASSES:
        for name in dir(cls):
            member = inspect.getattr_static(cls, name)
            method = callable(getattr(cls, name, None)) and not isinstance(member, property)
            if method and not name.startswith("_"):
                yield f"{cls.__name__}.{name}", getattr(cls, name)


CALLABLES = dict(callables())


@pytest.mark.parametrize("name", CALLABLES)
def test_a_docstring_has_a_summary(name: str) -> None:
    text = inspect.getdoc(CALLABLES[name]) or ""
    summary = text.partition("\n\n")[0].partition(">>>")[0].strip()
    assert len(summary.split()) >= 2, text
    assert summary.endswith((".", ":")) or "): " in summary, summary


def test_most_docstrings_have_an_example() -> None:
    without = [name for name, thing in CALLABLES.items() if ">>>" not in (thing.__doc__ or "")]
    share = 1 - len(without) / len(CALLABLES)
    assert share >= WITH_EXAMPLE, without


MADE = [name for name, thing in CALLABLES.items() if "<locals>" in str(thing.__qualname__)]
MADE += [f"gradwalk.{name}" for name in EXAMPLES]
"""Functions that a table makes: they are in no module where doctest would find them."""


@pytest.mark.parametrize("name", [n for n in MADE if ">>>" in (CALLABLES[n].__doc__ or "")])
def test_the_example_of_a_function_that_a_table_makes_is_true(name: str) -> None:
    thing = CALLABLES[name]
    names = {**getattr(thing, "__globals__", {}), "gradwalk": gradwalk}
    parsed = doctest.DocTestParser().get_doctest(thing.__doc__ or "", names, name, None, None)
    lines: list[str] = []
    doctest.DocTestRunner(verbose=False).run(parsed, out=lines.append)
    assert not lines, "".join(lines)
