"""Experiments on layers: one instead of several, and none between two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.value import Value
from .calls import calls_of
from .graph import AFFINE, Graph
from .trial import Finding, Trial, array_of, like

__all__ = ["linear_layers", "linear_model", "repeated_layer", "unused_twin"]

LINEAR = ("reshape", "add", "mul")
"""What may stand between two products with weights, if its other operands are constants."""
EXACT = {"float64": 1e-9, "float32": 1e-5}
"""How far a linear function may be from one, relative, by rounding."""


# --- layers that are used twice -------------------------------------------------------------------


def repeated_layer(trial: Trial) -> Iterator[Finding]:
    """Find a list that has one layer several times."""
    for name, container in getattr(trial.model, "named_modules", list)():
        for attribute, m, places in _repeated(container):
            size, kind = sum(int(np.size(array_of(p))) for p in m.parameters()), type(m).__name__
            where = ".".join(x for x in (trial.model_name, name, attribute) if x)
            yield Finding(
                f"one layer is used {len(places)} times",
                f"{' and '.join(f'{where}[{i}]' for i in places[:3])} are one {kind} with {size} "
                f"numbers, where {len(places)} layers would have {len(places) * size}",
                f"Make a new {kind} for each place.",
            )


def _repeated(container: Any) -> Iterator[tuple[str, Any, list[int]]]:
    """Yield modules that a list has several times: the attribute, the module, and its places."""
    lists = [(name, x) for name, x in vars(container).items() if isinstance(x, (list, tuple))]
    if hasattr(container, "append") and hasattr(container, "__iter__"):
        lists.append(("", [*container]))
    for attribute, members in lists:
        for m in {id(m): m for m in members if hasattr(m, "named_parameters")}.values():
            places = [i for i, x in enumerate(members) if x is m]
            if len(places) > 1 and [*m.parameters()]:
                yield attribute, m, places


def unused_twin(trial: Trial) -> Iterator[Finding]:
    """Find a layer that is called twice, one after the other, while its twin is never called."""
    uses = _uses_in_calls(trial) if trial.graph is None else _uses_in_graph(trial, trial.graph)
    homes = [
        (name, type(m).__name__, [*m.parameters()])
        for name, m in getattr(trial.model, "named_modules", list)()
        if not [*m.children()]
    ]
    kinds = {name: (kind, _shape(ps)) for name, kind, ps in homes if ps}
    for name, count in uses.items():
        alike = [n for n, kind in kinds.items() if kind == kinds.get(name) and n not in uses]
        if count > 1 and alike:
            kind, shape = kinds[name]
            model = trial.model_name
            yield Finding(
                f"{model}.{name} is used {count} times, and {model}.{alike[0]} never",
                f"both are {kind} with weights of shape {shape}; no gradient reaches {alike[0]}",
                f"Call {alike[0]} in forward().",
            )


def _shape(parameters: list[Any]) -> tuple[int, ...]:
    return tuple(np.shape(array_of(parameters[0])))


def _uses_in_graph(trial: Trial, graph: Graph) -> dict[str, int]:
    """Return how often layers are used, one after the other; 1 for those beside each other."""
    found: dict[str, int] = {}
    for name, m in getattr(trial.model, "named_modules", list)():
        atoms = {a for p in m.parameters() if (a := graph.atom(p)) is not None}
        if [*m.children()] or not atoms:
            continue
        leaf = min(atoms)
        uses = [
            k
            for k in range(len(graph))
            if leaf in [graph.weights.get(a) for a in graph.operands(k)]
            and any(a not in graph.weights for a in graph.operands(k))
        ]
        found[name] = 1 if _are_beside(graph, uses) else len(uses)
    return found


def _are_beside(graph: Graph, uses: list[int]) -> bool:
    """Return whether no use of a weight depends on another one."""
    later = {k: graph.depending(set(graph.results(k))) for k in uses}
    return not any(set(graph.operands(b)) & later[a] for a in uses for b in uses if a != b)


def _uses_in_calls(trial: Trial) -> dict[str, int]:
    """Return how often layers are called with another result of theirs behind their argument."""
    names = {id(m): name for name, m in trial.model.named_modules()}
    found: dict[str, int] = {}
    for module, args, _ in calls_of(trial):
        if id(module) in names and not [*module.children()] and [*module.parameters()]:
            name = names[id(module)]
            inner = bool(args) and getattr(args[0], "requires_grad", False)
            found[name] = found.get(name, 0) + 1 if inner else max(found.get(name, 0), 1)
    return found


# --- no activation between layers -----------------------------------------------------------------


def linear_layers(trial: Trial) -> Iterator[Finding]:
    """Find two products with weights in a row, which are one product."""
    graph = trial.graph
    if trial.has_values:
        return
    pairs = _called_pairs(trial) if graph is None else _graph_pairs(trial, graph)
    for first, one, second, two, wide in pairs:
        if len(one) != 2 or len(two) != 2 or wide not in one or wide not in two:
            continue
        ends = _other(one, wide), _other(two, wide)
        if wide < min(ends):
            continue  # a product of low rank
        yield Finding(
            "two linear layers without an activation between them",
            f"{first} of shape {one} and {second} of shape {two}: their product is one matrix of "
            f"shape {(ends[1], ends[0])} and rank {min(ends)}, so "
            f"{int(np.prod(one) + np.prod(two))} numbers act as {ends[0] * ends[1]}",
            f"Put an activation between them, such as nn.ReLU(), in {trial.model_name}.",
        )


Pair = tuple[str, tuple[int, ...], str, tuple[int, ...], int]
"""Two weights: their names and shapes, and the numbers between them."""


def _other(shape: tuple[int, ...], middle: int) -> int:
    return shape[1] if shape[0] == middle else shape[0]


def _graph_pairs(trial: Trial, graph: Graph) -> Iterator[Pair]:
    """Yield weights of products that follow each other in a graph."""
    names = {graph.atom(p): name for name, p in trial.parameters if not isinstance(p, Value)}
    for k in range(len(graph)):
        later = _factor(graph, k)
        maker = None if later is None else _maker(graph, later[0])
        earlier = None if maker is None else _factor(graph, maker)
        if later is None or earlier is None or later[1] == earlier[1]:
            continue
        if {later[1], earlier[1]} <= names.keys():
            one, two = earlier[1], later[1]
            wide = graph.run.shape(later[0])[-1]
            yield names[one], graph.run.shape(one), names[two], graph.run.shape(two), wide


def _maker(graph: Graph, data: int) -> int | None:
    """Return the equation behind biases, masks and reshapes that makes a variable for one user."""
    maker, uses = graph.makers.get(data), graph.users.get(data, [])
    while maker is not None and graph.name(maker) in LINEAR and len(uses) == 1:
        inner = [a for a in graph.operands(maker) if a not in graph.weights and a >= 0]
        biased = all(a in graph.weights or a in inner for a in graph.operands(maker))
        if len(inner) != 1 or (graph.name(maker) == "add" and not biased):
            break  # an addition of data is a path around the layer
        maker, uses = graph.makers.get(inner[0]), graph.users.get(inner[0], [])
    return maker if len(uses) == 1 else None


def _factor(graph: Graph, k: int) -> tuple[int, int] | None:
    """Return data and weight of an equation that multiplies data by a weight."""
    if graph.name(k) not in AFFINE:
        return None
    data, weight = graph.operands(k)[:2]
    if weight in graph.weights and data not in graph.weights:
        return data, graph.weights[weight]
    return None


def _called_pairs(trial: Trial) -> Iterator[Pair]:
    """Yield weights of linear modules of which one is called with the result of the other."""
    names = {id(m): name for name, m in trial.model.named_modules()}
    made: dict[int, Any] = {}
    calls = [(m, args, y) for m, args, y in calls_of(trial) if type(m).__name__ == "Linear"]
    for module, args, result in calls:
        before = made.get(id(args[0])) if args else None
        if before is not None and before is not module and {id(before), id(module)} <= names.keys():
            one, two = (tuple(m.weight.shape) for m in (before, module))
            yield f"{names[id(before)]}.weight", one, f"{names[id(module)]}.weight", two, one[0]
        made[id(result)] = module


def linear_model(trial: Trial) -> Iterator[Finding]:
    """Find whether the output of a model of Values is linear in its inputs."""
    arrays = [array_of(x) for x in trial.batches[0][:-1]]
    widths = _widths(trial)
    if len(arrays) != 1 or arrays[0] is None or arrays[0].ndim != 2 or len(widths) < 2:
        return
    if any(w < min(arrays[0].shape[1], widths[-1]) for w in widths[:-1]):
        return
    change, gap, dtype = _moved(trial, arrays[0])
    if change and gap <= EXACT.get(dtype, 0.0) * change:
        yield Finding(
            "the model is linear: no activation stands between its layers",
            f"the same change of the inputs changes the outputs of all rows equally, to "
            f"{gap / change:.1g} of the change, though {trial.model_name} has {len(widths)} layers",
            "Put an activation between the layers, such as relu or tanh.",
        )


def _moved(trial: Trial, x: Any) -> tuple[float, float, str]:
    """Return how far outputs move with inputs, and how much that depends on the row."""
    given, target = trial.batches[0][0], trial.batches[0][-1]
    move = np.random.default_rng(0).normal(size=x.shape) * (3.0 * x.std() + 1.0)
    with trial.quietly():
        a, b, c, d = (
            array_of(trial.forward((like(given, z), target))[0])
            for z in (x, x + move, x[::-1], x[::-1] + move)
        )
    return float(abs(b - a).max()), float(abs((b - a) - (d - c)).max()), str(a.dtype)


def _widths(trial: Trial) -> list[int]:
    """Return the numbers of neurons of the layers of a model of Values."""
    found: dict[str, set[str]] = {}
    for name, _ in trial.parameters if trial.has_values else ():
        layer, _, rest = name.partition(".neurons.")
        if rest:
            found.setdefault(layer, set()).add(rest.partition(".")[0])
    return [len(x) for x in found.values()]
