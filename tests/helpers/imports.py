"""Reads which module of a package imports which other one, hidden imports included.

Counted is whatever names a module: import statements at any depth, those that only a type checker
sees, `import_module("...")`, a dotted string as first argument of any call (``lazily(".arrays")``),
and a string that is completed at run time (``import_module(f".{name}")``, as in a ``__getattr__``),
which stands for every module that it could name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

RELATIVE = re.compile(r"\.+[a-z_][a-z_0-9.]*")
LOADERS = ("import_module", "__import__")


def modules_of(package: Path) -> dict[str, Path]:
    """Every module below a package, by its dotted name."""
    paths = sorted(package.rglob("*.py"))
    parts = {path: path.relative_to(package.parent).with_suffix("").parts for path in paths}
    return {".".join(names).removesuffix(".__init__"): path for path, names in parts.items()}


def edges_of(modules: Mapping[str, Path]) -> dict[str, dict[str, int]]:
    """For each module: every other one that it imports, with the first line that says so."""
    found: dict[str, dict[str, int]] = {}
    for module, path in modules.items():
        found[module] = {}
        for target, line in _named(module, path, modules):
            if target != module:
                found[module].setdefault(target, line)
    return found


def _named(module: str, path: Path, modules: Mapping[str, Path]) -> Iterator[tuple[str, int]]:
    root = module.split(".")[0]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in _names_in(node, package, modules):
            while name and name not in modules:  # what is imported may be an attribute
                name = name.rpartition(".")[0]
            if name.split(".")[0] == root:
                yield name, node.lineno  # type: ignore[attr-defined]


def _names_in(node: ast.AST, package: str, modules: Mapping[str, Path]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = _absolute(package, "." * node.level + (node.module or ""))
        inner = [f"{base}.{alias.name}" for alias in node.names]
        return [name if name in modules else base for name in inner]
    if isinstance(node, ast.Call) and node.args:
        return _names_in_call(ast.unparse(node.func), node.args[0], package, modules)
    return []


def _names_in_call(
    called: str, argument: ast.expr, package: str, modules: Mapping[str, Path]
) -> list[str]:
    loads = called.split(".")[-1] in LOADERS
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        text = argument.value
        names = RELATIVE.fullmatch(text) and _absolute(package, _first(text)) in modules
        return [_absolute(package, text)] if loads or names else []
    if loads and isinstance(argument, ast.JoinedStr):
        start = argument.values[0]
        stem = start.value if isinstance(start, ast.Constant) else "."
        below = _absolute(package, str(stem).rstrip(".") or ".")
        return [name for name in modules if name.startswith(f"{below}.")]
    return []


def _first(name: str) -> str:
    """Return a relative name up to its first part: ``.a`` of ``.a.b``. It may be an attribute."""
    dots = len(name) - len(name.lstrip("."))
    return name[:dots] + name[dots:].partition(".")[0]


def _absolute(package: str, name: str) -> str:
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    base = package.split(".")
    kept = base[: len(base) + 1 - level]
    return ".".join([*kept, *([name.lstrip(".")] if name.lstrip(".") else [])])


def circles(edges: Mapping[str, object]) -> list[list[str]]:
    """The groups of modules that import one another (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in edges:
        work = [(start, iter(edges[start]))] if start not in index else []  # type: ignore[call-overload]
        while work:
            here, rest = work[-1]
            if here not in index:
                index[here] = low[here] = len(index)
                stack.append(here)
            for other in rest:
                if other not in index:
                    work.append((other, iter(edges.get(other, ()))))  # type: ignore[call-overload]
                    break
                if other in stack:
                    low[here] = min(low[here], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == index[here]:
                    at = stack.index(here)
                    group, stack[at:] = stack[at:], []
                    if len(group) > 1:
                        found.append(sorted(group))
    return found
