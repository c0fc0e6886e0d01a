"""What type checkers and readers of ``help`` see of Tensors is what there is."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gradwalk
from gradwalk import Tensor, linalg, random, tensor
from gradwalk.engine.operators import Operators
from gradwalk.tensor.graph import interface, pytorch_interface, reduction_interface

Parameters = list[tuple[str, str, str | None]]


def declarations() -> dict[str, ast.FunctionDef]:
    """Return the methods that the interface declares."""
    found: dict[str, ast.FunctionDef] = {}
    for module in (interface, reduction_interface, pytorch_interface):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        (body,) = [n.body for n in tree.body if isinstance(n, ast.ClassDef)]
        (block,) = [n.body for n in body if isinstance(n, ast.If)]
        found |= {n.name: n for n in block if isinstance(n, ast.FunctionDef)}
    return found


DECLARED = declarations()


def declared_parameters(function: ast.FunctionDef) -> Parameters:
    """Return kind, name and default of each parameter after ``self``."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + [*args.defaults]
    found: list[tuple[str, str, ast.expr | None]] = [
        ("positional", a.arg, d) for a, d in zip(positional, defaults, strict=True)
    ][1:]
    found += [("*", args.vararg.arg, None)] if args.vararg else []
    found += [("keyword", a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    found += [("**", args.kwarg.arg, None)] if args.kwarg else []
    return [
        (kind, name, None if default is None else repr(ast.literal_eval(default)))
        for kind, name, default in found
    ]


KINDS = {"VAR_POSITIONAL": "*", "KEYWORD_ONLY": "keyword", "VAR_KEYWORD": "**"}


def attached_parameters(method: Any) -> Parameters:
    """Return the same facts about a method as it is."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    return [
        (
            KINDS.get(p.kind.name, "positional"),
            p.name,
            None if p.default is p.empty else repr(p.default),
        )
        for p in parameters
    ]


PROPERTIES = [name for name, node in DECLARED.items() if node.decorator_list]


@pytest.mark.parametrize("name", PROPERTIES)
def test_declared_properties_are_attached(name: str) -> None:
    assert isinstance(inspect.getattr_static(Tensor, name), property)


@pytest.mark.parametrize("name", [name for name in DECLARED if name not in PROPERTIES])
def test_declared_methods_are_attached(name: str) -> None:
    method = inspect.getattr_static(Tensor, name)
    assert not isinstance(method, property)
    expected, got = declared_parameters(DECLARED[name]), attached_parameters(method)
    if name.startswith("__"):  # positional by their nature: names do not matter
        expected = [(kind, "", default) for kind, _, default in expected if kind != "**"]
        got = [(kind, "", default) for kind, _, default in got if kind != "**"]
    assert got == expected


def test_attached_methods_are_declared() -> None:
    inherited = {name for name, f in vars(Operators).items() if callable(f)} - {"__doc__"}
    # a declared __getattr__ would hide every wrong name from checkers
    assert tensor._ATTACHED.keys() - {"__getattr__"} | inherited <= DECLARED.keys()


# --- help -----------------------------------------------------------------------------------------


def functions_of(module: types.ModuleType) -> list[tuple[str, Callable[..., Any]]]:
    """Return the public callables of a module."""
    members = [(f"{module.__name__}.{name}", getattr(module, name)) for name in module.__all__]
    return [(name, f) for name, f in members if callable(f)]


METHODS = [
    (f"Tensor.{name}", getattr(Tensor, name))
    for name, method in vars(Tensor).items()
    if callable(method) and (name in DECLARED or not name.startswith("_"))
]
FUNCTIONS = [f for module in (tensor, linalg, random) for f in functions_of(module)]
CALLABLES = FUNCTIONS + METHODS


@pytest.mark.parametrize(("name", "function"), CALLABLES, ids=[name for name, _ in CALLABLES])
def test_help_shows_the_signature(name: str, function: Any) -> None:
    signature = inspect.signature(function)
    assert [p for p in signature.parameters if p not in ("args", "named")]


WRITTEN = [  # not made from the table
    pytest.param(name, function, id=name)
    for name, function in FUNCTIONS
    if not isinstance(function, type) and not hasattr(function, "primitive")
]


@pytest.mark.parametrize(("name", "function"), WRITTEN)
def test_signatures_say_what_the_arguments_are(name: str, function: Any) -> None:
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.annotation not in ("Any", parameter.empty), f"{name}({parameter.name})"
    assert inspect.signature(function).return_annotation != "Any"


HERE_OF_SCALARS = {"log_softmax", "logsumexp", "softmax"}
"""Functions of lists of numbers as well, which the root takes from the engine."""


def test_the_root_has_the_same_functions() -> None:
    other = {name for name in tensor.__all__ if getattr(gradwalk, name) != getattr(tensor, name)}
    assert other <= HERE_OF_SCALARS | {"nan"}
