"""What type checkers and readers of ``help`` see of Tensors is what there is."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value, linalg, random, tensor
from gradwalk.engine import functions
from gradwalk.engine.operators import Operators
from gradwalk.errors import GradwalkError
from gradwalk.tensor import printed
from gradwalk.tensor.graph import interface

Parameters = list[tuple[str, str, str | None]]


def test_what_type_checkers_read_is_what_is_printed() -> None:
    for path, text in printed.render().items():
        assert Path(path).read_text("utf-8") == text, "a method or a row has changed: make stubs"


def test_the_texts_are_printed_into_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printed, "render", lambda: {str(tmp_path / "f.pyi"): "y = √x\n"})
    printed.main()
    assert (tmp_path / "f.pyi").read_text("utf-8") == "y = √x\n"


def declared_by(module: types.ModuleType) -> list[ast.stmt]:
    """Return what the printed file of a module says."""
    path = Path(module.__file__ or "").with_suffix(".pyi")
    return ast.parse(path.read_text(encoding="utf-8")).body


def functions_among(body: Iterable[ast.stmt]) -> list[ast.FunctionDef]:
    return [n for n in body if isinstance(n, ast.FunctionDef)]


(METHODS_OF,) = [n.body for n in declared_by(interface) if isinstance(n, ast.ClassDef)]
DECLARED = {n.name: n for n in functions_among(METHODS_OF)}


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


def required(node: ast.FunctionDef) -> list[str]:
    """Return the types of the arguments that have to be given."""
    args = [*node.args.posonlyargs, *node.args.args][1:]
    given = args[: len(args) - len(node.args.defaults)]
    return [ast.unparse(a.annotation or a) for a in given]


GIVING_TENSORS = [
    name
    for name, node in DECLARED.items()
    if ast.unparse(node.returns or node) == "Self"
    and {*required(node)} <= {"ArrayLike"}
    and not (node.args.vararg or node.decorator_list)
]


@pytest.mark.parametrize("name", GIVING_TENSORS)
def test_methods_give_the_tensors_that_are_declared(name: str) -> None:
    assert len(GIVING_TENSORS) > 150
    # matrices need two axes, bits integers, and masks bools
    for data, kind in product(([[1, 0], [1, 1]], [0, 1]), (float, int, bool)):
        x = Tensor(data, dtype=kind)
        with suppress(GradwalkError), np.errstate(all="ignore"):
            y = getattr(x, name)(*[x for _ in required(DECLARED[name])])
            if y is not NotImplemented:
                assert type(y) is Tensor
                return
    pytest.fail("no Tensor has been accepted")


# --- what the functions of the table take and give ------------------------------------------------

KINDS_OF_FUNCTIONS = {n.name: n for n in declared_by(functions) if isinstance(n, ast.ClassDef)}
DECLARATIONS = [
    pytest.param(ast.unparse(n.target), call, id=f"{ast.unparse(n.target)}-{place}")
    for n in declared_by(functions)
    if isinstance(n, ast.AnnAssign)
    for place, call in enumerate(
        functions_among(KINDS_OF_FUNCTIONS[ast.unparse(n.annotation)].body)
    )
]
FLOATS, WHOLE = np.ones(2, np.float32), np.ones(2, int)
KINDS_OF_RESULTS: dict[str, Callable[[Any], bool]] = {
    "float": lambda y: type(y) is float,
    "C": lambda y: type(y) in (Value, Tensor),
    "F": lambda y: type(y) is np.ndarray and y.dtype == np.float32,
    "Floats": lambda y: isinstance(y, np.ndarray | np.generic),
    "list[float]": lambda y: [*map(type, y)] == [float, float],
    "list[C]": lambda y: [*map(type, y)] == [Value, Value],
    "list[Value]": lambda y: [*map(type, y)] == [Value, Value],
    "Value": lambda y: type(y) is Value,
}


def examples(annotation: str, carrier: Any, constants: list[Any]) -> list[Any]:
    """Return arguments of each type in a union."""
    known = {"Number": [1.0, 1, np.float32(1.0)], "F": [FLOATS], "Array": [FLOATS, WHOLE]}
    known |= {"C": [carrier], "Constant": constants, "None": [None], "str": ["tanh"]}
    known |= {"Iterable[float]": [[1.0, 2.0]], "Iterable[C | float]": [[Value(1.0), 2.0]]}
    known |= {"Iterable[Value | float]": [[Value(1.0), 2.0]]}
    names = [annotation] if annotation in known else annotation.split(" | ")
    return [x for name in names for x in known.get(name, [])]


def calls(name: str, node: ast.FunctionDef) -> Iterator[list[Any]]:
    """Yield arguments that a declaration allows: each type of each argument once at least."""
    of_arrays = ast.unparse(node.returns or node) == "Floats"
    carriers = [(Tensor(FLOATS), [1.0, WHOLE])]
    if name not in printed.LISTS:  # no Value stands for a list; with an array it is a Tensor
        carriers += [(Value(1.0), [1.0])]
    for carrier, constants in [(None, [FLOATS, WHOLE])] if of_arrays else carriers:
        types = [ast.unparse(a.annotation or a) for a in node.args.args[1:]]
        usual = [x for x in (examples(t, carrier, constants) for t in types) if x]
        for place, each in enumerate(usual):
            for x in each:
                yield [some[0] if i != place else x for i, some in enumerate(usual)]


@pytest.mark.parametrize(("name", "node"), DECLARATIONS)
def test_functions_take_and_give_what_is_declared(name: str, node: ast.FunctionDef) -> None:
    right, tried = KINDS_OF_RESULTS[ast.unparse(node.returns or node)], list(calls(name, node))
    with np.errstate(all="ignore"):
        assert [args for args in tried if not right(getattr(gradwalk, name)(*args))] == []
    assert tried


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
