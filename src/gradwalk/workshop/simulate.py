"""A right engine with switches: each switch is a mistake that learners make.

`simulate` runs the backward pass of a graph as an engine with these mistakes would. A mistake
explains what was observed if the simulated gradients are the observed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Final

from .graph import Graph, Node, local

__all__ = ["ORDERS", "Model", "RIGHT", "Run", "simulate"]

Rule = Callable[[tuple[float, ...], float], float]
Switch = tuple[str, int]
"""An operation and one of its operands."""

LIMIT: Final = 3000
"""Nodes that a simulated pass processes at most: wrong orders can be exponential."""


@dataclass(frozen=True)
class Model:
    """What an engine does; the defaults are right.

    ``rules``      other local derivatives, by operation and operand; ``"mul#"`` stands for a
                   product with a plain number, where that has a rule of its own
    ``start``      the gradient that a new node has
    ``push``       how a contribution is put into a gradient: ``+=``, ``=``, ``-=``; ``first``: only
                   if the gradient is still 0; ``*=``: by a product, once it is not 0
    ``incoming``   what a local derivative is multiplied by: ``out``, ``none``, ``own``, ``square``
    ``seed``       the gradient of the result before the pass; ``None``: its data
    ``order``      one of `ORDERS`
    ``merged``     operations whose equal operands count once; ``every`` stands for all
    ``reseed``     whether each node that is processed gets the gradient 1 first
    ``cleared``    whether each node that is processed gets the gradient 0 afterwards
    ``pairing``    which derivative an operand gets: its own (``right``), that of the other one
                   (``swapped``), or its own if it is the ``first``
    """

    rules: Mapping[Switch, Rule] = field(default_factory=dict)
    push: Mapping[Switch, str] = field(default_factory=dict)
    incoming: Mapping[Switch, str] = field(default_factory=dict)
    seed: float | None = 1.0
    start: float = 0.0
    every_push: str = "+="
    every_incoming: str = "out"
    order: str = "right"
    merged: frozenset[str] = frozenset()
    reseed: bool = False
    cleared: bool = False
    pairing: str = "right"

    def but(self, **changes: object) -> Model:
        """Return a model with one more switch."""
        return replace(self, **changes)  # type: ignore[arg-type]


RIGHT: Final = Model()


@dataclass
class Run:
    """The gradients after a simulated pass, and each write to one, in order."""

    grads: list[float | None]
    writes: list[tuple[int, float]]
    complete: bool = True


class _EndlessError(Exception):
    """An order takes more nodes than `LIMIT`: it may be exponential, or the graph has a cycle."""


def _bounded(order: Sequence[object], waiting: Sequence[object]) -> None:
    if len(order) + len(waiting) > LIMIT:
        raise _EndlessError


def _children(node: Node, flipped: bool) -> list[int]:
    """Return the operands, in the order in which the learner's node stores them if it does."""
    found = node.stored if node.stored is not None else node.operands
    return list(reversed(found)) if flipped else list(found)


def _post_order(
    graph: Graph, flipped: bool, visited: bool, by: str = "", each: bool = False
) -> list[int]:
    """Return operands before results; ``each``: a node again for each of its operands."""
    order: list[int] = []
    seen: set[object] = set()
    stack: list[tuple[int, int]] = [(graph.root, 0)]

    def key(index: int) -> object:
        return getattr(graph.nodes[index], by) if by else index

    seen.add(key(graph.root))
    while stack:
        _bounded(order, stack)
        index, k = stack.pop()
        children = _children(graph.nodes[index], flipped)
        if k and each:
            order.append(index)
        if k == len(children):
            if not each:
                order.append(index)
            continue
        stack.append((index, k + 1))
        child = children[k]
        if not visited or key(child) not in seen:
            seen.add(key(child))
            stack.append((child, 0))
    return order


def _pre_order(graph: Graph, flipped: bool, visited: bool) -> list[int]:
    order: list[int] = []
    seen: set[int] = set()
    stack = [graph.root]
    while stack:
        _bounded(order, stack)
        index = stack.pop()
        if visited and index in seen:
            continue
        seen.add(index)
        order.append(index)
        stack.extend(reversed(_children(graph.nodes[index], flipped)))
    return order


def _by_levels(graph: Graph, flipped: bool, visited: bool, stack: bool = False) -> list[int]:
    order: list[int] = []
    seen = {graph.root}
    queue = [graph.root]
    while queue:
        _bounded(order, queue)
        index = queue.pop() if stack else queue.pop(0)
        order.append(index)
        for child in _children(graph.nodes[index], flipped):
            if not visited or child not in seen:
                seen.add(child)
                queue.append(child)
    return order


def _requeued(graph: Graph, flipped: bool, stack: bool = False) -> list[int]:
    """Queue each node that does not wait, though it may have been taken out before."""
    order: list[int] = []
    queue = [graph.root]
    while queue:
        _bounded(order, queue)
        index = queue.pop() if stack else queue.pop(0)
        order.append(index)
        for child in _children(graph.nodes[index], flipped):
            if child not in queue:
                queue.append(child)
    return order


def _right(graph: Graph, flipped: bool) -> list[int]:
    return _post_order(graph, flipped, True)[::-1]


def _first_only(graph: Graph, k: int) -> list[int]:
    """From the result down through one operand of each operation."""
    order, index = [graph.root], graph.root
    while operands := _children(graph.nodes[index], False):
        _bounded(order, [])
        index = operands[0 if k == 0 else -1]
        order.append(index)
    return order


ORDERS: Final[dict[str, Callable[[Graph, bool], list[int]]]] = {
    "right": _right,
    "not_reversed": lambda g, f: _post_order(g, f, True),
    "no_visited": lambda g, f: _post_order(g, f, False)[::-1],
    "no_visited_not_reversed": lambda g, f: _post_order(g, f, False),
    "root_first": lambda g, f: _pre_order(g, f, True),
    "every_path": lambda g, f: _pre_order(g, f, False),
    "levels": lambda g, f: _by_levels(g, f, True),
    "levels_every_path": lambda g, f: _by_levels(g, f, False),
    "last_in": lambda g, f: _by_levels(g, f, True, stack=True),
    "last_in_every_path": lambda g, f: _by_levels(g, f, False, stack=True),
    "requeued": _requeued,
    "requeued_last_in": lambda g, f: _requeued(g, f, stack=True),
    "root_first_reversed": lambda g, f: _pre_order(g, f, True)[::-1],
    "by_value": lambda g, f: _post_order(g, f, True, by="data")[::-1],
    "by_operation": lambda g, f: _post_order(g, f, True, by="op")[::-1],
    "appended_in_loop": lambda g, f: _post_order(g, f, True, each=True)[::-1],
    "seed_late": lambda g, f: [],
    "root_only": lambda g, f: [g.root],
    "two_levels": lambda g, f: [g.root, *_children(g.nodes[g.root], f)],
    "not_the_root": lambda g, f: _right(g, f)[1:],
    "not_the_last": lambda g, f: _right(g, f)[:-1],
    "leaves_only": lambda g, f: [i for i in _right(g, f) if not g.nodes[i].operands],
    "first_operand": lambda g, f: _first_only(g, 0),
    "last_operand": lambda g, f: _first_only(g, 1),
    "nothing": lambda g, f: [],
    "created": lambda g, f: sorted(_right(g, f)),
}
"""How an engine goes through a graph: a list of nodes, whose rules are applied one by one."""


_PUSHED: Final[dict[str, Callable[[float, float], float]]] = {
    "+=": lambda old, given: old + given,
    "=": lambda old, given: given,
    "-=": lambda old, given: old - given,
    "first": lambda old, given: old or given,
    "*=": lambda old, given: old * given if old else given,
}


def simulate(graph: Graph, model: Model, flipped: bool = False) -> Run:
    """Run the backward pass of ``graph`` with the mistakes of ``model``."""
    grads = [model.start] * len(graph.nodes)
    writes: list[tuple[int, float]] = []
    seed = graph.nodes[graph.root].data if model.seed is None else model.seed
    grads[graph.root] = seed
    if seed:
        writes.append((graph.root, seed))
    try:
        order = ORDERS[model.order](graph, flipped)
    except _EndlessError:
        return Run([0.0] * len(grads), [], complete=False)
    for index in order:
        node = graph.nodes[index]
        if model.reseed and grads[index] != 1.0:
            grads[index] = 1.0
            writes.append((index, 1.0))
        for operand, contribution, how in _contributions(graph, node, index, grads, model):
            old = grads[operand]
            new = _PUSHED[how](old, contribution)
            grads[operand] = new
            if new != old:
                writes.append((operand, new))
        if model.cleared and grads[index]:
            grads[index] = 0.0
            writes.append((index, 0.0))
    return Run(list(grads), writes)


def _contributions(
    graph: Graph, node: Node, index: int, grads: list[float], model: Model
) -> Iterator[tuple[int, float, str]]:
    values = graph.values(node)
    pushed: set[int] = set()
    merged = "every" in model.merged or node.op in model.merged
    for k, operand in enumerate(node.args):
        if not isinstance(operand, int) or (merged and operand in pushed):
            continue
        pushed.add(operand)
        if model.pairing == "first" and k:
            continue
        both = model.pairing == "swapped" and len(node.args) == 2 and node.op != "pow"
        switch = (node.op, 1 - k if both else k)
        way = model.incoming.get(switch, model.every_incoming)
        t = {"out": grads[index], "none": 1.0, "own": grads[operand],
             "square": grads[index] * grads[index], "data": node.data, "sum": 1.0}[way]  # fmt: skip
        own = (f"{node.op}#", k) if model.rules and len(node.operands) < len(node.args) else switch
        rule = model.rules.get(own) or model.rules.get(switch)
        added = grads[index] if way == "sum" else 0.0
        try:
            given = rule(values, node.data) * t if rule else local(*switch, node.data, values, t)
        except (ArithmeticError, ValueError):
            given = nan
        yield operand, given + added, model.push.get(switch, model.every_push)
