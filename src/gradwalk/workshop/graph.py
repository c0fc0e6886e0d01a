"""Graphs that the judge compares: those of a formula, and those that the learner's class built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, isfinite, nan
from typing import Any, Final

from ..ops import TABLE
from .programs import Formula

__all__ = ["Graph", "Node", "Number", "close", "local", "number", "right_graph", "seen_graph"]

Data = float | None


@dataclass
class Node:
    """One number: its operation, its arguments (nodes by index, constants as floats), its data.

    ``stored`` are the operands that the learner's node stores, in its own order.
    """

    op: str
    args: tuple[int | float, ...]
    data: float
    stored: list[int] | None = None

    @property
    def operands(self) -> list[int]:
        """The arguments that are nodes."""
        return [x for x in self.args if isinstance(x, int)]


@dataclass
class Graph:
    """The nodes of one program, operands first, the names of some, and the result."""

    nodes: list[Node] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    root: int = 0

    def values(self, node: Node) -> tuple[float, ...]:
        """Return the numbers of the arguments of a node."""
        return tuple(self.nodes[x].data if isinstance(x, int) else x for x in node.args)

    @property
    def ops(self) -> set[str]:
        """The operations in the graph."""
        return {node.op for node in self.nodes if node.op}


def local(op: str, k: int, y: float, args: tuple[float, ...], t: float = 1.0) -> float:
    """Return what the rule of the table gives to argument ``k``, for the incoming gradient ``t``.

    >>> local("mul", 0, 6.0, (2.0, 3.0))
    3.0
    """
    primitive = TABLE[op]
    rule = primitive.rules[k]
    found = None if rule is None else primitive.contribution(rule, t, y, args)
    return 0.0 if found is None else float(found)


class Number:
    """The judge's number: it evaluates by the table, and records a graph."""

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph: Graph = graph
        self.index: int = index

    @property
    def data(self) -> float:
        """The number."""
        return self.graph.nodes[self.index].data

    def apply(self, op: str, *args: Number | float) -> Number:
        """Apply an operation of the table, and record it."""
        values = [x.data if isinstance(x, Number) else float(x) for x in args]
        y = float(TABLE[op](*values))
        refs = tuple(x.index if isinstance(x, Number) else float(x) for x in args)
        self.graph.nodes.append(Node(op, refs, y))
        return Number(self.graph, len(self.graph.nodes) - 1)

    def backward(self) -> None:
        """Note which number the backward pass begins at."""
        self.graph.root = self.index


def _operator(op: str, reflected: bool) -> Any:
    def method(self: Number, *others: Any) -> Number:
        return self.apply(op, *others, self) if reflected else self.apply(op, self, *others)

    return method


for _op in ("add", "sub", "mul", "truediv", "pow", "neg"):
    _name = "div" if _op == "truediv" else _op
    setattr(Number, f"__{_op}__", _operator(_name, False))
    if _op != "neg":
        setattr(Number, f"__r{_op}__", _operator(_name, True))

FUNCTIONS: Final = ("exp", "log", "tanh", "sigmoid", "relu")


@lru_cache(maxsize=512)
def right_graph(formula: Formula) -> Graph:
    """Return the graph of a formula, with the right numbers, by the table of operations."""
    graph = Graph()
    names: dict[str, Any] = {}
    for name, value in formula.values:
        graph.nodes.append(Node("", (), value))
        names[name] = Number(graph, len(graph.nodes) - 1)
    for name in FUNCTIONS:
        names[name] = lambda x, name=name: x.apply(name, x)
    for line in formula.text.split("\n"):
        if ".grad" not in line:
            exec(line, names)
    graph.names = {k: names[k].index for k in formula.names}
    return graph


def number(seen: Any) -> Data:
    """Read a number of the observer; ``None`` is what no float is."""
    if isinstance(seen, dict):
        return {"nan": nan, "inf": inf, "-inf": -inf}.get(str(seen.get("float")))
    return float(seen) if isinstance(seen, (int, float)) else None


def close(a: Data, b: Data, tolerance: float = 1e-7) -> bool:
    """Whether two numbers agree, up to rounding; NaN agrees with NaN.

    >>> close(1.0, 1.0 + 1e-12), close(1.0, None), close(float("nan"), float("nan"))
    (True, False, True)
    """
    if a is None or b is None:
        return a is b
    if a == b or (a != a and b != b):
        return True
    return isfinite(a) and isfinite(b) and abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def _leaves(rows: list[dict[str, Any]], known: set[int], data: list[Data]) -> Iterator[Any]:
    """Yield the calls that computed a number, operands first.

    A call is taken apart if the calls inside it explain its result. They do not if one of their
    operands comes from somewhere else, such as a method that is no operator.
    """
    for row in rows:
        results = {tuple(inner["result"]) for inner in row["inside"]}
        inside = row["inside"] if tuple(row["result"]) in results else []
        if inside and _explained(row, known, data):
            yield from _leaves(inside, known, data)
        else:
            yield row
        if row["result"][0] == "node":
            known.add(row["result"][1])


def _explained(row: dict[str, Any], known: set[int], data: list[Data]) -> bool:
    """Whether all operands of the calls inside a call are known, or plain numbers."""
    here = known | {value for what, value in row["args"] if what == "node"}
    plain = {number(value) for what, value in row["args"] if what != "node"} | _CONSTANTS
    todo = list(row["inside"])
    made = set()
    while todo:
        inner = todo.pop()
        todo += inner["inside"]
        made.add(tuple(inner["result"]))
    todo = list(row["inside"])
    while todo:
        inner = todo.pop()
        todo += inner["inside"]
        for what, value in inner["args"]:
            if what != "node" or value in here or (what, value) in made:
                continue
            if value >= len(data) or data[value] not in plain:
                return False
    return True


_CONSTANTS: Final[set[Data]] = {-1.0, 0.0, 0.5, 1.0, 2.0}
"""Numbers of which an operator may make nodes by itself."""


REFLECTED: Final = ("__radd__", "__rsub__", "__rmul__", "__rtruediv__", "__rpow__")


def seen_graph(formula: Formula, record: dict[str, Any]) -> Graph | None:
    """Return the graph that the learner's class built, as its operations were called.

    ``a - b`` may be ``a + (-b)``: then the graph has the nodes of ``+`` and of ``-b``. ``None`` if
    something in it is no number.
    """
    graph = Graph()
    rows = record.get("nodes", ())
    for row in rows:
        data, stored = number(row.get("data")), row.get("parents")
        if stored is not None:
            stored = [x for x in stored if x < len(rows)]
        graph.nodes.append(Node("", (), nan if data is None else data, stored))
    if not graph.nodes:
        return None
    named = {name for name, _ in formula.values}
    known = {v for k, v in record["named"].items() if k in named}
    for row in _leaves(record["calls"], known, [node.data for node in graph.nodes]):
        kind, index = row["result"]
        if kind != "node" or index >= len(graph.nodes):
            continue
        args: list[int | float] = []
        for what, value in row["args"]:
            if what == "node":
                args.append(int(value))
            else:
                read = number(value)
                if read is None:
                    return None
                args.append(read)
        if row["method"] in REFLECTED:
            args.reverse()
        node = graph.nodes[index]
        if node.op or any(
            isinstance(x, int) and x == index for x in args
        ):  # an operand was changed and returned
            return None
        node.op, node.args = row["op"], tuple(args)
    graph.names = {k: v for k, v in record["named"].items() if v < len(graph.nodes)}
    root = formula.names[-1]
    if root not in graph.names:
        return None
    graph.root = graph.names[root]
    return graph
