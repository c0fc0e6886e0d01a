"""The architecture is a test too: import law, table law, documentation, size."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gradwalk
from gradwalk import functions
from gradwalk.ops import TABLE, composite
from gradwalk.ops.array import TABLE as ARRAY_TABLE
from gradwalk.primitive import Primitive

ROOT = Path(gradwalk.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MODULES = {
    ".".join(("gradwalk", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in FILES
}
ROOMS = ("check", "data", "inspect", "nn", "optim", "transforms")
HEAVY = ("numpy", "matplotlib", "typer", "rich", "click", "hypothesis", "mpmath", "starlette")

# Each room may use those before it; rooms of one line may not use each other.
ORDER = [
    *(
        "_version",
        "errors",
        "leaked",
        "ieee expect",
        "carrier seeds",
        "primitive",
        "arrayrow native",
        "ops kernels",
        "gated",
        "arrays",
        "ops.array",
        "operators",
        "scalar",
        "trace tree",
        "reverse",
        "forward levels",
        "tape",
        "duals batches series",
    ),
    *(
        "pure",
        "value",
        "tensor",
        "leaks",
        "functions serialization",
        "transforms",
        "expression compile data nn optim optimize inspect check",
    ),
    *("", "training native.generate", "studio", "cli", "__main__"),
]
RANK = {room: rank for rank, line in enumerate(ORDER) for room in line.split(" ")}


def room(module: str) -> str:
    """``gradwalk.ops.special`` lives in the room ``ops``; the generator runs at build time only."""
    for inner in ("native.generate", "ops.array"):
        if f"{module}.".startswith(f"gradwalk.{inner}."):
            return inner
    return module.split(".")[1] if "." in module else ""


# --- the import law -----------------------------------------------------------------------------


def is_typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def walk_at_runtime(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker sees: imports inside functions count."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if is_typing_only(child):
            for otherwise in child.orelse:  # type: ignore[attr-defined]
                yield from walk_at_runtime(otherwise)
        else:
            yield from walk_at_runtime(child)


def imports(module: str) -> Iterator[tuple[str, int]]:
    """Every module of the house that ``module`` imports, with the line."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in walk_at_runtime(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((a.name, node.lineno) for a in node.names if a.name.startswith("gradwalk"))
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: len(package.split(".")) + 1 - node.level]
            source = ".".join([*up, *(node.module or "").split(".")]).strip(".")
            source = source if node.level else node.module or ""
            for name in (alias.name for alias in node.names):
                if source.split(".")[0] == "gradwalk":
                    inner = f"{source}.{name}"
                    yield (inner if inner in MODULES else source), node.lineno


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_one_way(module: str) -> None:
    home = room(module)
    assert home in RANK, f"give {home} its place in ORDER"
    for target, line in imports(module):
        assert room(target) == home or RANK[room(target)] < RANK[home], (
            f"{module}, line {line}: {home or 'gradwalk'} must not import {target}"
        )


def test_the_reader_of_imports_sees_them() -> None:
    """The law would hold for nothing if the reader above were blind."""
    seen = {name: {target for target, _ in imports(name)} for name in MODULES}
    assert {"gradwalk.errors", "gradwalk.ieee"} <= seen["gradwalk.primitive"]
    assert "gradwalk.ops.arithmetic" in seen["gradwalk.ops"]
    assert {"gradwalk.native", "gradwalk.pure", "gradwalk.reverse"} <= seen["gradwalk.value"]
    assert not {f"gradwalk.{name}" for name in ROOMS} & seen["gradwalk"], "typing only"


def test_importing_gradwalk_stays_light(run_python: Any) -> None:
    program = """
import sys
import gradwalk
y = (gradwalk.Value(2.0) * 3).exp()
y.backward()
gradwalk.gradients(y, y, create_graph=True)
try:
    gradwalk.Value("2")
except TypeError:
    pass
print(*sorted(sys.modules))
"""
    loaded = set(run_python(program).split())
    assert "gradwalk.value" in loaded
    assert not loaded & set(HEAVY)
    assert not loaded & {f"gradwalk.{name}" for name in (*ROOMS, "cli")}


@pytest.mark.parametrize("name", ROOMS)
def test_rooms_open_when_somebody_enters(name: str) -> None:
    assert getattr(gradwalk, name) is importlib.import_module(f"gradwalk.{name}")
    assert name in dir(gradwalk)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'gradwalk' has no attribute 'tensors'"):
        gradwalk.tensors  # noqa: B018


# --- the law of the table -----------------------------------------------------------------------

ROW_MAKERS = {"pointwise", "linear", "multilinear", "general", "Primitive", "ArrayRow"}


def makes_a_row(call: ast.Call) -> bool:
    named = call.args and ast.unparse(call.args[0]).startswith(("name", "'", '"'))
    return bool(named) and ast.unparse(call.func).split(".")[-1] in ROW_MAKERS


def rules_written(path: Path) -> Iterator[int]:
    """Lines on which a row is made with a rule (something else than ``None`` after the name)."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and makes_a_row(node):
            rules = [a for a in node.args[1:] if ast.unparse(a) not in ("None", "()")]
            if rules:
                yield node.lineno


@pytest.mark.parametrize("module", MODULES)
def test_derivatives_are_written_in_the_table_only(module: str) -> None:
    lines = list(rules_written(MODULES[module]))
    if room(module) in ("primitive", "arrayrow"):  # the constructors hand on what they are given
        source = MODULES[module].read_text(encoding="utf-8").splitlines()
        assert all("return " in source[line - 1] for line in lines)
    elif room(module) not in ("ops", "ops.array"):
        assert not lines


def test_the_reader_of_rules_sees_them() -> None:
    assert len(list(rules_written(MODULES["gradwalk.ops.exponential"]))) >= 10
    assert not list(rules_written(MODULES["gradwalk.ops.composite"]))


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_a_row_states_its_facts(row: Primitive) -> None:
    assert TABLE[row.name] is row
    assert row.tex, "every row has its formula"
    assert len(row.rules) == len(row.domain) == row.arity
    assert row.infix or row.summary, "every row is described"
    assert all(len(point) == row.arity for point in row.points)
    assert all(low < high for low, high in row.domain)


@pytest.mark.parametrize("row", ARRAY_TABLE.values(), ids=ARRAY_TABLE)
def test_a_row_on_arrays_states_its_facts(row: Primitive) -> None:
    assert row.tex
    assert row.summary
    assert row.kind in ("linear", "multilinear", "general")
    assert row.differentiable or all(rule is None for rule in row.rules)


# --- what is public is documented and reachable -------------------------------------------------


def test_every_function_is_reachable_from_the_package() -> None:
    assert len(set(functions.__all__)) == len(functions.__all__)
    for name in functions.__all__:
        assert getattr(gradwalk, name) is getattr(functions, name)
        assert (name in gradwalk.__all__) != hasattr(builtins, name), "import * hides nothing"
    assert set(composite.__all__) <= set(functions.__all__)


def test_all_names_of_the_package_exist() -> None:
    assert len(set(gradwalk.__all__)) == len(gradwalk.__all__)
    assert all(hasattr(gradwalk, name) for name in gradwalk.__all__)
    assert set(gradwalk.__all__) <= set(dir(gradwalk))


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_documented(module: str) -> None:
    if module.endswith("__main__"):
        return
    loaded = importlib.import_module(module)
    assert loaded.__doc__, "a module says what it is for"
    for name in getattr(loaded, "__all__", ()):
        thing = getattr(loaded, name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            assert (thing.__doc__ or "").strip(), f"{module}.{name}"
        if inspect.isclass(thing) and thing.__module__.startswith("gradwalk"):
            undocumented = [
                member
                for member, value in vars(thing).items()
                if not member.startswith("_")
                and inspect.isroutine(value)
                and not inspect.getdoc(getattr(thing, member))
            ]
            assert not undocumented, f"{module}.{name}: {undocumented}"


@pytest.mark.parametrize("name", sorted(TABLE))
def test_the_manual_page_of_a_function_shows_formula_and_conventions(name: str) -> None:
    row, function = TABLE[name], getattr(gradwalk, name, None)
    if getattr(function, "row", None) is not row:
        return  # not public under this name
    assert function.__name__ == name
    assert function.__doc__.startswith(f"{name}({row.params[0]}")
    assert row.tex in function.__doc__
    assert row.kinks in function.__doc__
    assert row.differentiable or "no derivative" in function.__doc__


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_run(module: str) -> None:
    if module.endswith("__main__"):
        return
    results = doctest.testmod(importlib.import_module(module))
    assert results.failed == 0


def test_public_concepts_carry_an_example() -> None:
    for thing in (gradwalk, gradwalk.Value.backward, gradwalk.gradients, gradwalk.no_grad):
        assert ">>>" in (thing.__doc__ or "")


# --- size ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 300, "a room is missing"


def lines_of(function: ast.FunctionDef) -> int:
    """The lines of a function's body, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_functions_stay_small() -> None:
    """The budget of the house: a median of 4 lines, 90 % under 15, 99 % under 30."""
    functions = [
        node
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    sizes = sorted(map(lines_of, functions))
    assert sizes[len(sizes) // 2] <= 4
    assert sizes[len(sizes) * 9 // 10] <= 15
    assert sizes[len(sizes) * 99 // 100] <= 30


def test_no_file_says_todo() -> None:
    for path in FILES:
        assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", path.read_text(encoding="utf-8")), path


# --- the page: the same laws in TypeScript --------------------------------------------------------

WEB = sorted((ROOT.parent.parent / "web" / "src").rglob("*.ts*"))
WEB_ORDER = "document engine expression ui picture walk misconceptions training lessons shell entries"


def web_room(path: Path) -> str:
    """``web/src/engine/graph.ts`` lives in the room ``engine``."""
    return path.relative_to(ROOT.parent.parent / "web" / "src").parts[0].removesuffix(".ts")


def web_imports(path: Path) -> Iterator[Path]:
    """What a file of the page imports from others, styles left out."""
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"""(?:from|import)\s*\(?\s*"(\.[^"]+)\"""", text):
        if ".css" not in name:
            yield (path.parent / name).resolve()


@pytest.mark.parametrize("path", WEB, ids=lambda path: f"{web_room(path)}/{path.name}")
def test_rooms_of_the_page_import_one_way(path: Path) -> None:
    rank = WEB_ORDER.split().index
    for target in web_imports(path):
        assert rank(web_room(target)) <= rank(web_room(path)), target


def test_the_reader_of_the_pages_imports_sees_them() -> None:
    seen = {(web_room(path), web_room(target)) for path in WEB for target in web_imports(path)}
    assert {("walk", "picture"), ("shell", "lessons"), ("engine", "document")} <= seen


@pytest.mark.parametrize("path", WEB, ids=lambda path: f"{web_room(path)}/{path.name}")
def test_files_of_the_page_stay_small(path: Path) -> None:
    if path.name != "table.ts":  # which is printed
        assert len(path.read_text(encoding="utf-8").splitlines()) < 300, "a room is missing"
