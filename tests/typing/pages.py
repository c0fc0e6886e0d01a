"""The code of README and of the manual as programs, one per page, for type checkers.

A page is a session, in which a name may be bound again to something of another type. In a program
it gets a new name each time: ``x``, then ``x_2``. Statements that a page shows because they raise
an error are left out, and so are results.
"""

from __future__ import annotations

import ast
import doctest
import io
import json
import re
import token
import tokenize
from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path

__all__ = ["PAGES", "examples", "program", "write"]

ROOT = Path(__file__).parents[2]
MANUAL = ROOT / "docs" / "manual"
PAGES = [ROOT / "README.md", *sorted(MANUAL.rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(>>>.*?)^```$", re.DOTALL | re.MULTILINE)
SESSION = ("UnusedExpression", "UnusedImport", "UnusedVariable", "PossiblyUnboundVariable")
"""What pyright reports of programs and not of a session, which shows the results of expressions."""

UNTYPED = re.compile(r"import (torch|pandas)|from sklearn")
"""Libraries without types: what they return is unknown."""

UNKNOWN = ("Argument", "Lambda", "Member", "Parameter", "Variable")
OF_UNTYPED: tuple[str, ...] = (
    "MissingTypeStubs",
    "MissingImports",
    "UntypedBaseClass",
    "AttributeAccessIssue",
)
OF_UNTYPED += tuple(f"Unknown{kind}Type" for kind in UNKNOWN)
MYPY = '# mypy: disable-error-code="import-untyped,import-not-found,misc"\n'


def program(page: Path) -> str:
    """Return the statements of a page that raise no error, with names of their own."""
    statements = [example.source for example in examples(page) if example.exc_msg is None]
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    untyped = UNTYPED.search("".join(statements))
    rules = SESSION + (OF_UNTYPED if untyped else ())
    out = ["# pyright: " + ", ".join(f"report{rule}=false" for rule in rules) + "\n"]
    out += [MYPY] if untyped else []
    return "".join([*out, *(_renamed(source, names, counts) for source in statements)])


def examples(page: Path) -> list[doctest.Example]:
    """Return the statements of a page with what it says of their results."""
    blocks = BLOCK.findall(page.read_text("utf-8"))
    return doctest.DocTestParser().get_examples("".join(blocks))


def write(folder: Path) -> list[Path]:
    """Write the programs of all pages to a folder, with the options of pyright."""
    options = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "src")]}
    (folder / "pyrightconfig.json").write_text(json.dumps(options), "utf-8")
    paths = []
    for page in PAGES:
        name = "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
        paths.append(folder / f"{name}.py")
        paths[-1].write_text(program(page), "utf-8")
    return paths


def _renamed(source: str, names: dict[str, str], counts: dict[str, int]) -> str:
    """Return a statement with the current names, and give names that it binds again new ones."""
    (statement,) = ast.parse(source).body
    before = dict(names)
    bound = dict.fromkeys(_bound(statement))
    for name in bound:
        counts[name] = counts.get(name, 0) + 1
        names[name] = name if counts[name] == 1 else f"{name}_{counts[name]}"
    for name in _stored(statement):  # within a loop, say
        counts.setdefault(name, 1)
    within = isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.For, ast.With, ast.Try))
    targets = {position for node in ast.walk(statement) for position in _targets(node, bound)}
    lines = source.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    keywords = set(_keywords(tokens))
    for before_, now in reversed(list(zip([tokens[0], *tokens], tokens, strict=False))):
        (row, column), name = now.start, now.string
        if now.type != token.NAME or before_.string == "." or now.start in keywords:
            continue
        known = names if within or (row, column) in targets else before
        line = lines[row - 1]
        lines[row - 1] = line[:column] + known.get(name, name) + line[column + len(name) :]
    return "".join(lines)


def _keywords(tokens: list[tokenize.TokenInfo]) -> Iterator[tuple[int, int]]:
    """Yield the places of keywords of arguments, ``f(name=1)``, and of names with a default."""
    depth = 0
    for now, after in pairwise(tokens):
        depth += (now.string in ("(", "[", "{")) - (now.string in (")", "]", "}"))
        if depth and now.type == token.NAME and after.string == "=":
            yield now.start


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds without computing their values from the old ones."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
        return
    nodes = list(ast.walk(statement))
    kept: set[ast.AST] = {n.target for n in nodes if isinstance(n, ast.AugAssign)}
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for loop in nodes:
        if isinstance(loop, ast.For):
            read -= {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        read = set()  # the old values are read before
    yield from (name for name in _stored(statement, kept) if name not in read)


def _stored(statement: ast.stmt, but: Collection[ast.AST] = ()) -> Iterator[str]:
    for node in _of_session(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in but:
            yield node.id


def _of_session(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement outside of functions and comprehensions."""
    inner = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, inner):
            yield from _of_session(child)


def _targets(node: ast.AST, bound: dict[str, None]) -> Iterator[tuple[int, int]]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in bound:
        yield node.lineno, node.col_offset
