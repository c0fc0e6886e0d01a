"""The architecture is a test too: import law, table law, documentation, size."""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gradwalk
from gradwalk.core.primitive import PRIMITIVES, Primitive
from gradwalk.core.unicode_math import plain
from gradwalk.engine import functions
from gradwalk.ops import TABLE, composite
from gradwalk.ops.array import TABLE as ARRAY_TABLE

from ..helpers.imports import circles, edges_of, modules_of

ROOT = Path(gradwalk.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
MODULES = modules_of(ROOT)
EDGES = edges_of(MODULES)
ROOMS = ("check", "data", "inspect", "integrate", "nn", "optim", "optimize", "parallel")
ROOMS += ("sklearn", "special", "stats", "training", "transforms")
HEAVY = ("numpy", "pandas", "scipy", "sklearn", "matplotlib", "typer", "rich", "click", "dask")
HEAVY += ("hypothesis", "mpmath", "starlette")

# The floors of the house, the lowest first: a room imports from lower floors only, and rooms on one
# floor not from each other.
FLOORS = """
_version errors
core
causes
native
ops
engine
ops.array levels workers
libraries
optim
program
tensor.graph
tensor.functions
tensor.numpy tensor.pytorch
tensor.tracing
tensor
special
stats
transforms
foreign
expression data inspect workshop
check
nn optimize integrate
training parallel
sklearn
studio distributed
cli
wiring
gradwalk
__main__
"""
RANK = {room: rank for rank, line in enumerate(FLOORS.split("\n")) for room in line.split()}
KNOWS_ALL = {"gradwalk", "gradwalk.wiring", "gradwalk.__main__"}


def room(module: str) -> str:
    """``gradwalk.ops.special`` lives in the room ``ops``, the face in a room of its own."""
    parts = module.split(".")[1:]
    return next((r for r in (".".join(parts[:2]), ".".join(parts[:1])) if r in RANK), "gradwalk")


# --- the import law -----------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_one_way(module: str) -> None:
    home = room(module)
    upwards = [
        f"{module}, line {line}: {home} must not import {target}"
        for target, line in EDGES[module].items()
        if room(target) != home and RANK[room(target)] >= RANK[home]
    ]
    assert upwards == [] or module in KNOWS_ALL


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.pyi")), ids=lambda path: path.name)
def test_stubs_import_one_way(path: Path) -> None:
    module = ".".join(("gradwalk", *path.relative_to(ROOT).with_suffix("").parts))
    targets = {room(target) for target in edges_of({**MODULES, module: path})[module]}
    assert [r for r in targets - {room(module)} if RANK[r] >= RANK[room(module)]] == []


def test_the_native_engine_imports_no_module_of_gradwalk() -> None:
    """What C needs of Python is passed to it: ``connect(...)``."""
    sources = [path for path in (ROOT / "native").rglob("*") if path.suffix in (".c", ".h")]
    assert len(sources) > 20
    for path in sources:
        assert "PyImport_" not in path.read_text(encoding="utf-8"), path.name


def test_every_room_has_its_floor() -> None:
    assert {room(module) for module in MODULES} == RANK.keys()
    homeless = {p.name for p in ROOT.iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert homeless <= RANK.keys()


def test_no_two_files_import_each_other() -> None:
    edges = {module: EDGES[module] for module in MODULES if module not in KNOWS_ALL}
    assert circles(edges) == []


def test_few_modules_stand_in_the_root() -> None:
    assert len(list(ROOT.glob("*.py"))) <= 10


@pytest.mark.parametrize("name", [m for m, p in MODULES.items() if p.name == "__init__.py"])
def test_a_room_says_what_it_is_for(name: str) -> None:
    module = importlib.import_module(name)
    first, _, rest = (module.__doc__ or "").partition("\n")
    assert re.fullmatch(r"\S.*\.", first), "one sentence on the first line"
    assert getattr(module, "__all__", ()) or "may be imported from here" in rest


HIDDEN = {
    "low/a.py": 'def f():\n    return import_module("..high.b", __package__)\n',
    "low/c.py": "if TYPE_CHECKING:\n    from ..high import b\n",
    "low/d.py": 'LAZY = lazily("..high.b")\n',
    "low/__init__.py": "def __getattr__(name):\n    return import_module(f'.{name}', __name__)\n",
    "low/e.py": "def f():\n    from . import c\n    import house.high.b\n",
    "high/b.py": "from ..low import e\n",
    "__init__.py": "",
    "high/__init__.py": "",
}
"""A house in which every arrow back up is hidden in another way."""


def test_hidden_imports_are_seen(tmp_path: Path) -> None:
    for name, text in HIDDEN.items():
        path = tmp_path / "house" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    edges = edges_of(modules_of(tmp_path / "house"))
    for name in "ace":
        assert "house.high.b" in edges[f"house.low.{name}"]
    assert "house.high.b" in edges["house.low.d"]
    assert {f"house.low.{name}" for name in "acde"} <= edges["house.low"].keys()
    assert circles(edges) == [["house.high.b", "house.low.c", "house.low.e"]]


def test_the_reader_of_imports_sees_them() -> None:
    """The law would hold for nothing if the reader were blind."""
    assert {"gradwalk.errors", "gradwalk.core.ieee"} <= EDGES["gradwalk.core.primitive"].keys()
    assert "gradwalk.ops.arithmetic" in EDGES["gradwalk.ops"]
    assert {"gradwalk.native", "gradwalk.engine.pure"} <= EDGES["gradwalk.engine.value"].keys()
    assert {f"gradwalk.{name}" for name in ROOMS} <= EDGES["gradwalk"].keys()


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
    assert "gradwalk.engine.value" in loaded
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


def makers(kind: type[Primitive]) -> Iterator[tuple[str, str]]:
    """Yield module and name of every class of primitives, and of the functions that make them."""
    yield kind.__module__, kind.__name__
    for below in kind.__subclasses__():
        yield from makers(below)


CONSTRUCTORS = {"gradwalk.core.primitive": {"pointwise"}}
CONSTRUCTORS["gradwalk.core.array_primitive"] = {"linear", "multilinear", "general"}
for _module in MODULES:
    importlib.import_module(_module)
for _module, _name in makers(Primitive):
    CONSTRUCTORS.setdefault(_module, set()).add(_name)


def imported(module: str, tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Return for each imported name of a file, however it is called there, module and name."""
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        source = ".".join([*above, *([node.module] if node.module else [])])
        source = source if node.level else node.module or ""
        for alias in node.names:
            thing = getattr(sys.modules.get(source), alias.name, None)
            home = getattr(thing, "__module__", source)
            known = alias.name in CONSTRUCTORS.get(home, ())
            found[alias.asname or alias.name] = (home if known else source, alias.name)
    return found


def is_rule(node: ast.AST, functions: set[str]) -> bool:
    """Return whether an expression is a function that is written in this file."""
    return isinstance(node, ast.Lambda) or (isinstance(node, ast.Name) and node.id in functions)


def rules_written(module: str, text: str | None = None) -> Iterator[int]:
    """Lines on which a file makes a primitive with a rule, or has a table of rules of primitives.

    A primitive may be made by a function of `core`, by a class or a subclass of it, under any name.
    """
    text = MODULES[module].read_text(encoding="utf-8") if text is None else text
    tree = ast.parse(text)
    names = imported(module, tree)
    functions = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    own = CONSTRUCTORS.get(module, set()) | {
        n.name for n in ast.walk(tree)
        if isinstance(n, ast.ClassDef)
        and any(names.get(ast.unparse(b), ("", ""))[1] in ("Primitive", "ArrayPrimitive")
                for b in n.bases)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).split(".")[-1]
            home, name = names.get(called, (module, called))
            made = name in CONSTRUCTORS.get(home, ()) or called in own
            given = [*node.args[1:], *[k.value for k in node.keywords if k.arg == "rules"]]
            flat = [x for g in given for x in (g.elts if isinstance(g, ast.Tuple) else [g])]
            if made and any(is_rule(x, functions) for x in flat):
                yield node.lineno
        elif isinstance(node, ast.Dict):
            keys = [names.get(ast.unparse(key), ("", ""))[0] for key in node.keys if key]
            if (
                keys
                and all(key.startswith("gradwalk.ops.") for key in keys)
                and any(is_rule(value, functions) for value in node.values)
            ):
                yield node.lineno


NO_DERIVATIVES = {"gradwalk.tensor.graph.views": "for each view how a write reaches its root"}
"""Tables of functions of primitives that are no rules."""


@pytest.mark.parametrize("module", MODULES)
def test_derivatives_are_written_in_the_table_only(module: str) -> None:
    lines = list(rules_written(module))
    if module in NO_DERIVATIVES:
        assert len(lines) == 1, NO_DERIVATIVES[module]
        return
    assert not lines or room(module) in ("ops", "ops.array", "ops.families"), lines


SHAPES = {
    "a function of core": ("primitive import pointwise", "pointwise('f', {})"),
    "another name": ("primitive import pointwise as p", "p('f', {})"),
    "a name that is computed": ("primitive import pointwise", "pointwise(f'f_{{n}}', {})"),
    "a name from a variable": ("array_primitive import linear", "linear(word, {})"),
    "a class": ("array_primitive import ArrayPrimitive", "ArrayPrimitive('f', ({},), 'linear')"),
    "a class by keyword": ("primitive import Primitive", "Primitive('f', rules=({},))"),
    "a subclass": ("primitive import Primitive", "class P(Primitive): pass\nP('f', ({},))"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rule", ["lambda t, y, x: t", "rule"])
def test_the_reader_of_rules_sees_every_shape(shape: str, rule: str) -> None:
    line, made = SHAPES[shape]
    for level in ("..", "gradwalk."):
        text = f"from {level}core.{line}\ndef rule(t, y, x): return t\n{made}"
        assert list(rules_written("gradwalk.levels.taylor", text.format(rule))), text
        assert not list(rules_written("gradwalk.levels.taylor", text.format("None")))


def test_the_reader_of_rules_sees_tables() -> None:
    table = "from ..ops.arithmetic import add, mul\nT = {add: %s, mul: %s}"
    rule = "lambda y, a, b: a"
    assert list(rules_written("gradwalk.levels.taylor", table % (rule, rule)))
    assert not list(rules_written("gradwalk.levels.taylor", table % ("1", "2")))
    assert len(list(rules_written("gradwalk.ops.exponential"))) >= 10
    assert list(rules_written("gradwalk.ops.series"))
    assert not list(rules_written("gradwalk.ops.composite"))


def test_rules_of_living_primitives_come_from_the_table() -> None:
    """What the reader might miss: the code of every rule that exists lies in the table."""
    table = str(MODULES["gradwalk.ops"].parent)
    seen = 0
    for primitive in [*PRIMITIVES.values()]:
        for rule in primitive.rules:
            file = getattr(getattr(rule, "__code__", None), "co_filename", "")
            if rule is not None and "gradwalk" in file and "tests" not in file:
                seen += 1
                assert file.startswith(table), (primitive, file)
    assert seen > 200


@pytest.mark.parametrize("primitive", TABLE.values(), ids=TABLE)
def test_a_row_states_its_facts(primitive: Primitive) -> None:
    assert TABLE[primitive.name] is primitive
    assert primitive.tex, "every row has its formula"
    assert len(primitive.rules) == len(primitive.domain) == primitive.arity
    assert primitive.infix or primitive.summary, "every row is described"
    assert all(len(point) == primitive.arity for point in primitive.points)
    assert all(low < high for low, high in primitive.domain)


@pytest.mark.parametrize("primitive", ARRAY_TABLE.values(), ids=ARRAY_TABLE)
def test_a_row_on_arrays_states_its_facts(primitive: Primitive) -> None:
    assert primitive.tex
    assert primitive.summary
    assert primitive.kind in ("linear", "multilinear", "general")
    assert primitive.differentiable or all(rule is None for rule in primitive.rules)


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
    assert not [name for name in dir(gradwalk) if name.startswith("_") and name != "__version__"]


def has_arguments(thing: Any) -> bool:
    return callable(thing) and not (inspect.isclass(thing) and issubclass(thing, Exception))


CALLABLE = [name for name in sorted(gradwalk.__all__) if has_arguments(getattr(gradwalk, name))]


@pytest.mark.parametrize("name", CALLABLE)
def test_help_shows_a_signature(name: str) -> None:
    thing = getattr(gradwalk, name)
    parameters = inspect.signature(thing).parameters
    bare = gradwalk.ENGINE == "python" and getattr(thing, "primitive", None)
    assert bare or list(parameters) != ["args", "named"], "which arguments does it take?"


COMMANDS = {"gradwalk.__main__"}
"""What runs when it is imported."""
IMPORTABLE = [module for module in MODULES if module not in COMMANDS]


@pytest.mark.parametrize("module", IMPORTABLE)
def test_every_public_name_is_documented(module: str) -> None:
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
                and hasattr(thing, member)  # not `Module.cuda`, which says what to use instead
                and not inspect.getdoc(getattr(thing, member))
            ]
            assert not undocumented, f"{module}.{name}: {undocumented}"


PUBLIC = [
    name for name in sorted(TABLE)
    if getattr(getattr(gradwalk, name, None), "primitive", None) is TABLE[name]
]  # fmt: skip
"""The primitives that users call by their name."""


def test_most_primitives_are_public() -> None:
    assert len(PUBLIC) > 50
    assert {"exp", "sin", "relu", "softplus", "atan2", "where"} <= set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_the_manual_page_of_a_function_shows_formula_and_conventions(name: str) -> None:
    primitive, function = TABLE[name], getattr(gradwalk, name)
    assert function.__name__ == name
    assert function.__doc__.startswith(primitive.summary)
    assert f"    y = {plain(primitive.tex)}\n" in function.__doc__
    assert primitive.kinks in function.__doc__
    assert primitive.differentiable or "no derivative" in function.__doc__


@pytest.mark.parametrize("module", IMPORTABLE)
def test_examples_in_docstrings_run(module: str) -> None:
    results = doctest.testmod(importlib.import_module(module))
    assert results.failed == 0


def test_public_concepts_carry_an_example() -> None:
    for thing in (gradwalk, gradwalk.Value.backward, gradwalk.gradients, gradwalk.no_grad):
        assert ">>>" in (thing.__doc__ or "")


# --- size ---------------------------------------------------------------------------------------


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


VAGUE = 0.15  # of the arguments, and of the results, at most: those that are annotated as Any


def vague(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield for each annotation of an argument or a result which it is, and whether it is Any."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield "result", ast.unparse(node.returns) == "Any"
        elif isinstance(node, ast.arg) and node.annotation is not None:
            yield "argument", ast.unparse(node.annotation) == "Any"


@pytest.mark.parametrize("kind", ["argument", "result"])
def test_few_annotations_are_any(kind: str) -> None:
    found = [is_any for path in FILES for which, is_any in vague(path) if which == kind]
    assert sum(found) <= VAGUE * len(found), f"{sum(found)} of {len(found)}"


def test_the_reader_of_annotations_sees_them(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("def f(x: Any, *args: Any, y: list[Any]) -> Any: ...\n")
    assert list(vague(path)).count(("argument", True)) == 2
    assert ("result", True) in vague(path)


def test_no_file_says_todo() -> None:
    for path in FILES:
        assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", path.read_text(encoding="utf-8")), path


# --- the page: the same laws in TypeScript --------------------------------------------------------

WEB = sorted((ROOT.parent.parent / "web" / "src").rglob("*.ts*"))
WEB_ORDER = (
    "document engine expression debug ui picture walk misconceptions workshop training lessons "
    "shell entries"
)


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
    assert [t for t in web_imports(path) if rank(web_room(t)) > rank(web_room(path))] == []


def web_edges() -> dict[str, list[str]]:
    """For each file of the page, as a path without its ending: the files that it imports."""
    files = {str(path.resolve().with_suffix("")) for path in WEB}
    index = {name: f"{name}/index" for name in {str(Path(name).parent) for name in files}}
    named = {
        str(path.resolve().with_suffix("")): [str(t).removesuffix(".ts") for t in web_imports(path)]
        for path in WEB
    }
    edges = {a: [b if b in files else index.get(b, b) for b in bs] for a, bs in named.items()}
    unknown = {b for bs in edges.values() for b in bs} - files
    assert not unknown, "every import is a file that was read"
    return edges


def test_no_two_files_of_the_page_import_each_other() -> None:
    assert circles(web_edges()) == []


def test_the_reader_of_the_pages_imports_sees_them() -> None:
    seen = {(web_room(path), web_room(target)) for path in WEB for target in web_imports(path)}
    assert {("walk", "picture"), ("shell", "lessons"), ("engine", "document")} <= seen
