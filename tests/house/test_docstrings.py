"""Docstrings of what is public: a summary, all sections, and an example for most."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import gradwalk
from gradwalk import Tensor, Value, errors, nn
from gradwalk.tensor.functions.elementwise import EXAMPLES

from ..helpers.sections import ORDER, parsed

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


# --- sections -------------------------------------------------------------------------------------

ARRAYS = re.compile(r"\b(Tensor|ArrayLike|Array|NDArray|ndarray|Predictions|LossResult)\b")
"""Types of parameters and results that have a shape."""

SHAPE = re.compile(r"\(.*\)|\bshape\b|\blike\b")
PLAIN = (Value,)  # numbers, whose methods have no arrays


def parameters(thing: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters that a caller passes, by their names in the docstring, with stars."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    protocol = getattr(thing, "_is_protocol", False)  # is not called
    given = () if protocol else inspect.signature(thing).parameters.values()
    return {stars.get(p.kind, "") + p.name: p for p in given if p.name != "self"}


def raised(thing: Any) -> set[str]:
    """Return the names of the errors that the body of a function, or the constructor, raises."""
    function = inspect.unwrap(thing.__init__ if inspect.isclass(thing) else thing)
    written = isinstance(function, FunctionType) and Path(function.__code__.co_filename).is_file()
    if not written or getattr(thing, "_is_protocol", False):  # a dataclass makes its own
        return set()
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [
        n.exc.func
        for n in ast.walk(tree)
        if isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call)
    ]
    return {call.id for call in calls if isinstance(call, ast.Name) and call.id.endswith("Error")}


def lacking(name: str, thing: Any) -> list[str]:
    """Return what the sections of a docstring lack."""
    page = parsed(inspect.getdoc(thing) or "")
    wanted, entries = parameters(thing), page.entries("Parameters")
    if name.split(".")[0] in {cls.__name__ for cls in CLASSES} and inspect.isroutine(thing):
        for own in [n for n in list(entries)[:1] if n not in wanted]:
            del entries[own]  # a function that is a method too describes the object
    lacks = [f"{name}: not described" for name in wanted if not entries.get(name, ("", ""))[1]]
    lacks += [f"{name}: no parameter" for name in entries if name not in wanted]
    shapes = page.entries("Shape")
    lacks += [
        f"{name}: no shape"
        for name, parameter in wanted.items()
        if ARRAYS.search(str(parameter.annotation))
        and name in entries
        and not SHAPE.search(entries[name][0])
        and name not in shapes
    ]
    if not inspect.isclass(thing) and "Shape" not in page.sections:
        result = str(inspect.signature(thing).return_annotation)
        text = page.sections.get("Returns", "") + page.sections.get("Yields", "")
        if ARRAYS.search(result) and not SHAPE.search(text):
            lacks.append("the result: no shape")
    errors_named = page.entries("Raises")
    lacks += [
        f"{name}: raised, not described"
        for name in sorted(raised(thing))
        if name not in errors_named
    ]
    lacks += [
        f"{name}: no error of gradwalk or of Python" for name in errors_named if not known(name)
    ]
    if ">>>" in (inspect.getdoc(thing) or "") and ">>>" not in page.sections.get("Examples", ""):
        lacks.append("Examples: no heading")
    known_sections = [title for title in ORDER if title in page.sections]
    if list(page.sections) != known_sections:
        lacks.append(f"sections: {list(page.sections)}")
    return lacks


def known(name: str) -> bool:
    return name in errors.__all__ or hasattr(builtins, name)


def test_the_sections_of_docstrings_are_complete() -> None:
    lacks = {name: found for name, thing in CALLABLES.items() if (found := lacking(name, thing))}
    assert not lacks, "\n".join(f"{name}: {'; '.join(found)}" for name, found in lacks.items())
