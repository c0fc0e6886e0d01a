"""Folding of a graph of thousands of nodes into a few dozen boxes.

Nodes that do the same work share a box. Two nodes do the same work if they apply the same operation
to operands that do the same work. Leaves do the same work if their names differ only in their
indices (``layers.0.weights.7`` and ``layers.0.weights.8``) or, without a name, if the same work
uses them. A sum of many terms counts as one operation on the kinds of its terms, in whatever order
the terms were added. So the loss of a network over a thousand points folds into the network itself.

A graph that never does the same work twice is cut into bands of equal depth instead. A recurrence
is such a graph: each step works on the result of the step before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from .graph import Item, distances, tally

__all__ = ["Group", "fold"]

# The nesting of a sum does not matter, and a - b is a sum of a and -b.
CHAINS = {"add": "sum", "sub": "sum", "mul": "product", "maximum": "max", "minimum": "min"}
BANDS = 8


@dataclass(slots=True)
class Group:
    """A box of the folded picture: its members, and how often they use each other box."""

    title: str
    members: list[int] = field(default_factory=list)
    inputs: Counter[int] = field(default_factory=Counter)


def fold(items: list[Item], max_nodes: int) -> list[Group]:
    """Fold the graph into at most ``max_nodes`` groups, operands first. The root stays alone."""
    keys = _same_work(items)
    if len(set(keys)) > max_nodes:
        keys = _same_depth(items, min(BANDS, (max_nodes - 1) // 2))
    return _quotient(items, keys)


def pattern(name: str) -> str:
    """Replace the indices in a name by ``*``, except a first one that more parts follow.

    >>> pattern("l0.n3.w7"), pattern("layers.0.weights.7"), pattern("w[3][1]"), pattern("x12")
    ('l0.n*.w*', 'layers.0.weights.*', 'w[*][*]', 'x*')
    """
    first = re.match(r"\D*\d+\.(?=.)", name)
    kept = first.end() if first else 0
    return name[:kept] + re.sub(r"\d+", "*", name[kept:])


# --- by the same work ---------------------------------------------------------------------------


def _same_work(items: list[Item]) -> list[Hashable]:
    """Return the kind of work of every node. Unnamed leaves take part in a second round only."""
    patterns = {name: pattern(name) for name in {item.name: None for item in items}}
    leaves: dict[int, Hashable] = {
        i: (patterns[item.name],) for i, item in enumerate(items) if not item.inputs
    }
    heads = _heads(items)
    kinds = _kinds(items, leaves, patterns, heads)
    uses: dict[int, dict[int, None]] = {i: {} for i in leaves if not items[i].name}
    for i, item in enumerate(items):
        for j in item.inputs:
            if j in uses:
                uses[j][kinds[i]] = None
    for i, users in uses.items():
        leaves[i] = (items[i].constant, frozenset(users))
    keys: list[Hashable] = [*_kinds(items, leaves, patterns, heads)]
    keys[-1] = "root"
    return keys


def _heads(items: list[Item]) -> list[int]:
    """Return, for each partial sum, the node with the whole sum. Other nodes map to themselves."""
    heads = list(range(len(items)))
    uses = Counter(j for item in items for j in item.inputs)
    for i in reversed(range(len(items))):
        family = _family(items[i])
        for j in items[i].inputs:
            if family and uses[j] == 1 and _family(items[j]) == family:
                heads[j] = heads[i]
    return heads


def _family(item: Item) -> str:
    """Return the chain that a node can be part of. Nodes with names stay visible."""
    return "" if item.name else CHAINS.get(item.op, "")


def _kinds(
    items: list[Item], leaves: dict[int, Hashable], patterns: dict[str, str], heads: list[int]
) -> list[int]:
    """Return a number per node, equal for equal work. Each edge is visited once."""
    numbers: dict[Hashable, int] = {}
    terms: dict[int, dict[int, None]] = {}
    kinds: list[int] = []
    for i, item in enumerate(items):
        key: Hashable
        if i in leaves:
            key = leaves[i]
        elif family := _family(item):
            known = terms.setdefault(heads[i], {})
            known.update((kinds[j], None) for j in item.inputs if heads[j] != heads[i])
            key = (family, frozenset(known)) if heads[i] == i else None
        else:
            key = (item.op, patterns[item.name], *[kinds[j] for j in item.inputs])
        kinds.append(numbers.setdefault(key, len(numbers)))
    return [kinds[head] for head in heads]


# --- by depth -----------------------------------------------------------------------------------


def _same_depth(items: list[Item], bands: int) -> list[Hashable]:
    """Return the band of every node, by its distance from the root. Named leaves stand apart.

    There are at most ``bands`` bands, ``bands`` kinds of named leaves, and the root.
    """
    steps = distances([item.inputs for item in items])
    deepest = max(steps)
    width = -(-deepest // bands)
    keys: list[Hashable] = [_band((deepest - s) // width * width, width) for s in steps]
    named = {i: pattern(x.name) for i, x in enumerate(items) if x.name and not x.inputs}
    if len(set(named.values())) <= bands:
        for i, name in named.items():
            keys[i] = (name,)
    keys[-1] = "root"
    return keys


def _band(start: int, width: int) -> str:
    return f"depth {start + 1:,}–{start + width:,}" if width > 1 else f"depth {start + 1:,}"


# --- the folded graph ---------------------------------------------------------------------------


def _quotient(items: list[Item], keys: list[Hashable]) -> list[Group]:
    place = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    groups = [Group(key if isinstance(key, str) else "") for key in place]
    for i, (item, key) in enumerate(zip(items, keys, strict=True)):
        group = groups[place[key]]
        group.members.append(i)
        for j in item.inputs:
            if keys[j] != key:
                group.inputs[place[keys[j]]] += 1
    for group in groups:
        group.title = group.title or _title([items[i] for i in group.members])
    return _sorted(groups)


def _title(members: list[Item]) -> str:
    """Return what the members have in common: their name, or their operation."""
    patterns = list({pattern(name): None for name in {item.name: None for item in members}})
    if patterns[0] and len(patterns) == 1:
        return patterns[0]
    ops = list({item.op: None for item in members})
    return tally(members) if len(ops) == 1 else CHAINS[ops[0]]


def _sorted(groups: list[Group]) -> list[Group]:
    """Sort groups so that operands come first, and otherwise by their first members."""
    users: list[list[int]] = [[] for _ in groups]
    for k, group in enumerate(groups):
        for j in group.inputs:
            users[j].append(k)
    pending = [len(group.inputs) for group in groups]
    order = [k for k, count in enumerate(pending) if not count]
    for k in order:  # the loop appends to the list that it reads
        for user in users[k]:
            pending[user] -= 1
            if not pending[user]:
                order.append(user)
    assert len(order) == len(groups), "a folded graph has no cycle"
    place = {k: new for new, k in enumerate(order)}
    for group in groups:
        group.inputs = Counter({place[j]: n for j, n in group.inputs.items()})
    return [groups[k] for k in order]
