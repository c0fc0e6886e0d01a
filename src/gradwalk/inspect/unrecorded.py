"""The line that made a number by operations that no graph records: those on data.

What requires no gradient leaves no graph, and recording it would cost every program. Two things
remain: the registry into which Python writes the lines at which NumPy has warned, and the numbers
in the program's variables. So the statements that a number comes from are followed back, as long
as their variables are not finite.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from types import FrameType, ModuleType
from typing import Any

from ..causes.source import Assignment, assignments, functions_of, scope_at, syntax_of
from ..core.places import located, place
from ..foreign.places import line_at
from .edits import ALIASES, Edit, edit_of, text_at
from .origins import Origin, Spot, first_bad
from .places import numbers_of

__all__ = ["Unrecorded", "unrecorded"]

MOST = 200  # statements that are followed
LONG = 1000  # members of a container that are looked at
_NOT_FINITE = re.compile(r"\b(nan|inf)\b", re.IGNORECASE)
SAFE = re.compile(r"\b(zeros|ones|full|arange|linspace|eye|rand\w*|normal|uniform|integers)\(")
"""Calls that make finite numbers of nothing."""
RISKY = ("log", "log2", "log10", "log1p", "sqrt", "exp", "expm1", "divide", "power", "arccos")
BAD, FINE, UNKNOWN = "bad", "fine", "unknown"

ENCOUNTERED = " encountered in "
QUOTIENT = f"invalid value{ENCOUNTERED}divide"  # what is likely where a warning is switched off
OPERANDS: dict[str, tuple[float, ...]] = {
    "divide by zero in log": (0.0,),
    "divide by zero in div": (1.0, 0.0),
    "divide by zero in pow": (0.0, -1.0),
    "invalid value in log": (-1.0,),
    "invalid value in div": (0.0, 0.0),
    "invalid value in sqrt": (-1.0,),
    "invalid value in pow": (-1.0, 0.5),
    "invalid value in asin": (2.0,),
    "invalid value in acos": (2.0,),
    "overflow in exp": (1000.0,),
}
"""Operands with which an operation gives the warning: an edit depends on what was wrong."""


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """A line that made a number, and how that is known.

    ``file``, ``line``  where the line stands
    ``warning``         what NumPy has warned of there, ``""`` if it has not
    ``name``            the variable that holds the number, ``""`` if none does
    ``is_data``         whether the line computes nothing from other variables
    """

    file: str
    line: int
    warning: str = ""
    name: str = ""
    is_data: bool = False

    @property
    def told(self) -> str:
        """The reason in words."""
        if self.warning:
            return f"NumPy has warned of it: {self.warning}"
        if self.is_data:
            return f"the data of {self.name} have it from the start"
        return f"the line gives {self.name}, and all that it reads is finite"

    @property
    def fix(self) -> str:
        """What to do about it."""
        if self.is_data:
            return (
                f"Find each missing entry: numpy.argwhere(~numpy.isfinite({self.name})). Leave "
                f"these rows out, or put a number there, such as the mean of the others."
            )
        if self.warning.startswith("overflow"):
            return (
                "Make the numbers smaller that this line reads: divide the data by their standard "
                "deviation, or compute in wider numbers: float64."
            )
        return (
            "Look at the numbers that this line reads: a division by a standard deviation of 0, "
            "a logarithm of 0, or a root of a negative number gives no finite number."
        )

    @property
    def place(self) -> str:
        """The text of the line, and where it stands."""
        return place(line_at((self.file, self.line, "")))

    def edit(self, dtype: str) -> Edit | None:
        """Return how to write the operation safely of which NumPy has warned."""
        alone = not self.is_data and not re.search(rf"\b({'|'.join(RISKY)})\(", self.place)
        warning = self.warning or (QUOTIENT if alone else "")
        kind, _, name = warning.partition(ENCOUNTERED)
        name = name.removeprefix("scalar ")
        op = next((op for op, names in ALIASES.items() if name in names), name)
        args = OPERANDS.get(f"{kind} in {op}")
        if args is None:
            return None
        line = line_at((self.file, self.line, ""))
        result = inf if kind == "overflow" else nan
        return edit_of(Origin("forward", Spot(op, (), result, args, line, dtype=dtype), result))


def unrecorded(frames: Sequence[FrameType], origin: Origin, name: str) -> Unrecorded | None:
    """Return the line that made a constant or a leaf, ``None`` if nothing tells it.

    Leaves change in place, so of a leaf only warnings count.

    Parameters
    ----------
    frames
        Frames of the program, the innermost first.
    origin
        An origin in a number that no recorded operation made.
    name
        The variable that holds it, ``""`` if there is none.
    """
    file, line = located(origin.spot.line)
    if name and frames:
        found = _Search(frames[0].f_code.co_filename, frames).find(name, frames[0].f_lineno)
    else:
        search = _Search(file, frames)
        found = search.find(text_at(origin.spot.line) or search.text_of(line), line)
    return None if found and origin.kind == "leaf" and not found.warning else found


Step = tuple[ast.AST, ast.AST, int, int]
"""A scope, an expression in it, a line that it stands above, and how many statements back."""


class _Search:
    """A search through the statements of a file that a number may come from."""

    def __init__(self, file: str, frames: Sequence[FrameType]) -> None:
        self.file = file
        self.frames = [f for f in frames if f.f_code.co_filename == file]
        self.tree = syntax_of(file)
        self.warned = _warnings(file, self.frames)
        self.functions = {} if self.tree is None else functions_of(self.tree)
        self.seen = set[tuple[ast.AST, str]]()
        self.found: list[tuple[int, Unrecorded]] = []  # how many statements back, and what

    def find(self, text: str, line: int) -> Unrecorded | None:
        """Return what made a number that an expression reads, the first event of all."""
        try:
            start = ast.parse(f"({text})", mode="eval").body
        except (SyntaxError, ValueError):
            return None
        if self.tree is None:
            return None
        pending: list[Step] = [(scope_at(self.tree, line), start, line, 0)]
        for scope, expression, above, depth in pending:  # grows during the loop
            if len(pending) < MOST:
                pending += self._before(scope, expression, above, depth)
        warned = [pair for pair in self.found if pair[1].warning]
        return max(warned or self.found, key=lambda pair: pair[0], default=(0, None))[1]

    def text_of(self, line: int) -> str:
        """Return the variables of a line as an expression, where its columns are not known."""
        nodes = ast.walk(self.tree) if self.tree is not None else ()
        here = [n for n in nodes if isinstance(n, ast.Name) and n.lineno == line]
        return ", ".join(dict.fromkeys(n.id for n in here))

    def _before(self, scope: ast.AST, expression: ast.AST, line: int, depth: int) -> Iterator[Step]:
        """Yield the expressions that the variables of an expression were computed by."""
        assert self.tree is not None
        for name in _names(expression):
            if (scope, name) in self.seen or self.state(scope, name) == FINE:
                continue
            self.seen.add((scope, name))
            made = list(assignments(self.tree, scope, name, line))
            for inner, statement, value in made:
                self._judge(inner, statement, value, name, depth)
                if self._is_suspect(made, value, name):
                    self._compare(inner, statement, value, name, depth)
                yield inner, value, line if inner is scope else _last(statement), depth + 1
                for function in self._called(value):
                    returned = ast.Tuple([*_returned(function)], ast.Load())
                    yield function, returned, _last(function), depth + 1

    def _is_suspect(self, made: Sequence[Assignment], value: ast.AST, name: str) -> bool:
        """Return whether one of several statements alone can have made a number not finite."""
        if len(made) == 1 or _NOT_FINITE.search(ast.unparse(value)):
            return True
        risky = [a for a in made if any(map(_is_risky, ast.walk(a.value)))]
        read = {n for a in made for n in _names(a.value)} - {name}
        states = [self.state(made[0].scope, n) for n in read]
        starts = any(SAFE.search(ast.unparse(a.value)) for a in made) or FINE in states
        return [a.value for a in risky] == [value] and starts and BAD not in states

    def _judge(
        self, scope: ast.AST, statement: ast.stmt, value: ast.AST, name: str, depth: int
    ) -> None:
        """Store the lines of a statement, and of what it calls, of which NumPy has warned."""
        own = value if isinstance(statement, ast.For) else statement
        told = [(depth, *pair) for pair in self._warned_in(own)]
        for function in self._called(value):
            told += [(depth + 1, *pair) for pair in self._warned_in(function)]
        for back, line, warning in told:
            self.found.append((back, Unrecorded(self.file, line, warning, name)))

    def _compare(
        self, scope: ast.AST, statement: ast.stmt, value: ast.AST, name: str, depth: int
    ) -> None:
        """Store a statement that made a number that is not finite of variables that are."""
        read = [self.state(scope, n) for n in _names(value) if n != name]
        if self.state(scope, name) == BAD and BAD not in read:
            # computed from what it was before, or by a logarithm of a number
            again = name in _names(value) or any(map(_is_risky, ast.walk(value)))
            written = bool(_NOT_FINITE.search(ast.unparse(value)))
            is_data = written or (FINE not in read and not again)
            told = Unrecorded(self.file, statement.lineno, "", name, is_data)
            self.found.append((depth, told))

    def _warned_in(self, node: Any) -> Iterator[tuple[int, str]]:
        yield from ((n, text) for n, text in self.warned if node.lineno <= n <= _last(node))

    def _called(self, expression: ast.AST) -> Iterator[ast.AST]:
        """Yield the functions of the file that an expression calls."""
        for node in ast.walk(expression):
            called = getattr(node, "func", None)
            name = getattr(called, "attr", getattr(called, "id", ""))
            if name in self.functions:
                yield self.functions[name]

    def state(self, scope: ast.AST, name: str) -> str:
        """Return whether the numbers of a variable are finite, as far as a frame knows it."""
        if scope is self.tree:
            known = [self.frames[0].f_globals] if self.frames else []
        else:
            first = getattr(scope, "lineno", 0)
            known = [f.f_locals for f in self.frames if f.f_code.co_firstlineno == first]
        return next((_state(v[name]) for v in known if name in v), UNKNOWN)


def _is_risky(node: ast.AST) -> bool:
    """Return whether an expression can make a number that is not finite of finite ones."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, (ast.Div, ast.Pow))
    called = getattr(node, "func", None) if isinstance(node, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) in RISKY


def _names(expression: ast.AST) -> Iterator[str]:
    """Yield the variables and attributes that an expression reads."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"self.{node.attr}"  # of an object that a method has prepared


def _returned(function: Any) -> Iterator[ast.expr]:
    if isinstance(function, ast.Lambda):
        yield function.body
    found = (n.value for n in ast.walk(function) if isinstance(n, ast.Return))
    yield from (value for value in found if value is not None)


def _last(node: Any) -> int:
    return int(node.end_lineno or node.lineno)


def _warnings(file: str, frames: Sequence[FrameType]) -> list[tuple[int, str]]:
    """Return the lines of a file at which NumPy has warned of its numbers."""
    known = [f.f_globals for f in frames]
    known += [vars(m) for m in [*sys.modules.values()] if getattr(m, "__file__", "") == file]
    registry: dict[Any, Any] = next(
        (g["__warningregistry__"] for g in known if "__warningregistry__" in g), {}
    )
    keys = [k for k in registry if isinstance(k, tuple) and len(k) == 3]
    return [(k[2], str(k[0])) for k in keys if ENCOUNTERED in str(k[0])]


def _state(thing: Any) -> str:
    """Return whether all numbers of an object are finite; unknown for what has no numbers."""
    if isinstance(thing, (float, int)) and not isinstance(thing, bool):
        return FINE if isfinite(thing) else BAD
    if isinstance(thing, dict):
        thing = [*thing.values()]
    if isinstance(thing, (list, tuple)):
        found = {_state(x) for x in thing[:LONG]}
        return next((state for state in (BAD, FINE) if state in found), UNKNOWN)
    if isinstance(getattr(thing, "data", None), float):  # a Value
        return _state(thing.data)
    if not hasattr(thing, "dtype") or isinstance(thing, (type, ModuleType)):
        return UNKNOWN
    numbers = numbers_of(thing)
    try:
        return UNKNOWN if numbers is None else FINE if first_bad(numbers) is None else BAD
    except (TypeError, ValueError, RuntimeError):  # of a library that NumPy cannot read
        return UNKNOWN
