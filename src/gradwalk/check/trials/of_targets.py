"""Experiments on networks that a step should leave alone: targets, fakes, lost parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...inspect.magnitudes import norm
from .calls import place_of_calls
from .graph import AFFINE, MOVES, Graph
from .trial import Finding, Named, Trial, array_of

__all__ = [
    "is_aside",
    "not_detached",
    "other_model",
    "own_target",
    "sees_others",
    "without_optimizer",
]

CHAIN = (*MOVES, "mul", "add", "max", "neg")
"""What a target is made of, after the network."""
ASIDE = ("target", "teacher", "ema", "old", "frozen", "momentum", "average")
"""Parts of the names of networks that no gradient should reach."""


def _trained(named: Named) -> Named:
    return [(n, p) for n, p in named if getattr(p, "requires_grad", True)]


def _shown(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _twins(one: Named, other: Named) -> bool:
    """Return whether two modules have parameters of equal names and shapes."""
    shapes = [[(n, np.shape(array_of(p))) for n, p in named] for named in (one, other)]
    return bool(one) and shapes[0] == shapes[1]


def is_aside(name: str) -> bool:
    """Return whether a name tells of a network that no gradient should reach."""
    return any(word in name.lower() for word in ASIDE)


# --- parameters without an optimizer --------------------------------------------------------------


def without_optimizer(trial: Trial) -> Iterator[Finding]:
    """Find parameters that require a gradient and get one, but that no optimizer has."""
    aside = {id(p) for part in _parts_aside(trial) for _, p in part.named} | trial.held
    lost = [(n, p) for n, p in _trained(trial.parameters) if id(p) not in aside]
    if not lost or not trial.held & {id(p) for _, p in trial.parameters}:
        return
    lost = [(n, p) for n, p in lost if id(p) not in trial.held_by_others]
    gradients = trial.gradients(trial.batches[0], [p for _, p in lost])
    found = {n: g for (n, _), g in zip(lost, gradients, strict=True) if g is not None and g.any()}
    if not found:
        return
    optimizer, model, count = trial.optimizer_name, trial.model_name, len(found)
    yield Finding(
        f"the optimizer does not have {_shown([*found])}",
        f"{count} of {len(trial.parameters)} parameters of {model} get gradients of norm "
        f"{_size(found.values()):.3g}, and {optimizer} has none of these {count}, so they stay as "
        "they are",
        f"Make {optimizer} from {model}.parameters() after the last layer was made; to keep them "
        "as they are, set requires_grad=False.",
    )


def other_model(trial: Trial) -> Iterator[Finding]:
    """Find an optimizer whose parameters are those of another model, or of an earlier copy."""
    mine = _trained(trial.parameters)
    if not mine or trial.held & {id(p) for _, p in trial.parameters}:
        return
    gradients = trial.gradients(trial.batches[0], [p for _, p in mine])
    held = trial.held_parameters
    reached = any(g is not None for g in trial.gradients(trial.batches[0], held))
    kinds = [{str(p.dtype) for p in ps if hasattr(p, "dtype")} for ps in (held, [mine[0][1]])]
    if not _size(gradients) or reached or not kinds[1] <= kinds[0]:
        return  # copies of parameters in another precision are updated on purpose
    shapes = [[np.shape(array_of(p)) for p in ps] for ps in (held, [p for _, p in mine])]
    twin = ", of the same shapes as a copy has" if shapes[0] == shapes[1] else ""
    optimizer, model = trial.optimizer_name, trial.model_name
    yield Finding(
        f"the optimizer does not have the parameters of {model}",
        f"it has {len(held)} others{twin}, and no gradient of the loss reaches them; the "
        f"{len(mine)} of {model} get gradients of norm {_size(gradients):.3g} and stay as they are",
        f"Make {optimizer} from {model}.parameters(), after {model} was made for the last time.",
    )


def _size(gradients: Any) -> float:
    return norm([np.asarray(g, float) for g in gradients if g is not None])


# --- networks beside the trained one --------------------------------------------------------------


@dataclass
class _Network:
    """A network that the optimizer may not have: its name, its parameters, and its gradients."""

    name: str
    named: Named
    held: bool
    twin: bool
    size: float = 0.0
    reached: int = 0

    def told(self, trial: Trial) -> str:
        names = _shown([n for n, _ in self.named])
        return (
            f"{self.reached} of its {len(self.named)} parameters ({names}) get gradients of norm "
            f"{self.size:.3g}, and {trial.optimizer_name} "
        )

    def not_constant(self, trial: Trial) -> Finding:
        follows = "moves them too" if self.held else "does not have them"
        return Finding(
            f"the target from {self.name} is not detached",
            f"{self.told(trial)}{follows}: a target is a constant of this step",
            f"Write with no_grad(): around the call of {self.name}, or {self.name}(...).detach().",
        )

    def not_detached(self, trial: Trial) -> Finding:
        return Finding(
            f"the output of {self.name} is not detached",
            f"{self.told(trial)}does not update them: the step of {trial.model_name} computes them "
            "for nothing, and adds them to those of their own step",
            f"Write {self.name}(...).detach().",
        )


def _measured(trial: Trial, networks: list[_Network]) -> Iterator[_Network]:
    """Yield the networks that gradients reach, with their sizes."""
    for network in networks:
        network.named = _trained(network.named)
        if network.named:
            gradients = trial.gradients(trial.batches[0], [p for _, p in network.named])
            network.size = _size(gradients)
            network.reached = sum(g is not None for g in gradients)
        if network.size:
            yield network


def not_detached(trial: Trial) -> Iterator[Finding]:
    """Find gradients that flow into a network that this step should leave alone."""
    others, hidden = trial.held_by_others, {id(p) for m in trial.hidden for p in m.parameters()}
    for part in _measured(trial, _parts_aside(trial)):
        if not {id(p) for _, p in part.named} & others:
            yield part.not_constant(trial)
    for network in _measured(trial, _others(trial)):
        ids = {id(p) for _, p in network.named}
        known = bool(ids & others)
        place, mixed = _place(trial, network)
        own = ids <= hidden and not mixed  # a layer of the model, which does not have it
        if place == "before" and (mixed or not (known or own)) and not network.held:
            yield network.not_detached(trial)
        elif place == "beside" and not known and (network.twin or is_aside(network.name)):
            yield network.not_constant(trial)


def _others(trial: Trial) -> list[_Network]:
    """Return the networks beside the model, and parts of it that another optimizer has."""
    parts = [
        (f"{trial.model_name}.{name}", m)
        for name, m in getattr(trial.model, "named_children", list)()
        if (ids := {id(p) for _, p in _trained([*m.named_parameters()])})
        and not ids & trial.held
        and ids <= trial.held_by_others
    ]
    return [
        _Network(
            name, named := [*m.named_parameters()],
            any(id(p) in trial.held for _, p in named), _twins(trial.parameters, named),
        )
        for name, m in [*trial.others, *parts]
    ]  # fmt: skip


def _parts_aside(trial: Trial) -> list[_Network]:
    """Return the parts of the model that are twins of others and meant to stand aside.

    The optimizer does not have them, or they have such a name.
    """
    named = {
        name: [*m.named_parameters()]
        for name, m in getattr(trial.model, "named_modules", list)()
        if name
    }
    held = {name: any(id(p) in trial.held for _, p in named[name]) for name in named}
    found: list[str] = []
    for name, part in named.items():
        if any(name.startswith(f"{outer}.") for outer in found) or len(part) < 2:
            continue  # a part of a part that has been named
        twins = [other for other in named if other != name and _twins(named[other], part)]
        if twins and (is_aside(name) or (not held[name] and any(held[x] for x in twins))):
            found.append(name)
    model = trial.model_name
    return [_Network(f"{model}.{name}", named[name], held[name], True) for name in found]


def _place(trial: Trial, network: _Network) -> tuple[str, bool]:
    """Return where a network stands, before, after or beside the trained one.

    Also return whether trained weights work on what does not depend on it, too.
    """
    graph = trial.graph
    if graph is None:
        return place_of_calls(trial, [p for _, p in network.named])
    held = {a for p in trial.held_parameters if (a := graph.atom(p)) is not None}
    atoms = {a for _, p in network.named if (a := graph.atom(p)) is not None}
    return _place_of(graph, held, atoms), _sees_others(graph, held, atoms)


def sees_others(trial: Trial, parameters: list[Any]) -> bool:
    """Return whether trained weights also work on what does not depend on other parameters."""
    named = [("", p) for p in parameters]
    return _place(trial, _Network("", named, False, False))[1]


def _place_of(graph: Graph, held: set[int], others: set[int]) -> str:
    """Return where other weights stand: "before" the trained ones, "after" or "beside" them."""
    mine, theirs = graph.depending(held), graph.depending(others)
    before = after = False
    for k in range(len(graph)):
        operands = graph.operands(k)
        leaves = {graph.weights[a] for a in operands if a in graph.weights}
        inner = [a for a in operands if a >= 0 and a not in graph.weights]
        before |= bool(leaves & held) and any(a in theirs for a in inner)
        after |= bool(leaves & others) and any(a in mine for a in inner)
    return "before" if before else "after" if after else "beside"


def _sees_others(graph: Graph, held: set[int], others: set[int]) -> bool:
    """Return whether trained weights also work on what does not depend on the others."""
    theirs = graph.depending(others)
    for leaf in held:
        inputs = [
            [a for a in graph.operands(k) if a not in graph.weights]
            for k in range(len(graph))
            if any(graph.weights.get(a) == leaf for a in graph.operands(k))
        ]
        known = [any(a in theirs for a in x) for x in inputs if x]
        if True in known and False in known:
            return True
    return False


# --- the network itself ---------------------------------------------------------------------------


def own_target(trial: Trial) -> Iterator[Finding]:
    """Find a target r + γ max Q(s'), or r + γ V(s'), of the trained network, with its graph."""
    graph = trial.graph
    if graph is None:
        return
    held = {a for p in trial.held_parameters if (a := graph.atom(p)) is not None}
    mine = graph.depending(held)
    for k in range(len(graph)):
        if graph.name(k) not in AFFINE or not set(graph.operands(k)) & held:
            continue
        source = graph.results(k)[0]
        end, steps = _followed(graph, source, mine)
        users = graph.users.get(end, [])
        if len(users) != 1 or not {"mul", "add"} <= steps:
            continue
        beside = [a for a in graph.operands(users[0]) if a != end and a in mine]
        found = graph.cotangents.get(source)
        if not _are_two_calls(graph, source, beside, mine) or found is None:
            continue
        if size := _size([found]):
            yield Finding(
                "the target is not detached",
                f"outputs of {trial.model_name} of shape {graph.run.shape(source)}, scaled and "
                f"added to a constant, are compared with other outputs of it, and get gradients of "
                f"norm {size:.3g} themselves: the target moves with the prediction",
                "Write with no_grad(): around the target, or detach() after "
                f"{trial.model_name}(...).",
            )


def _followed(graph: Graph, atom: int, mine: set[int]) -> tuple[int, set[str]]:
    """Follow a result through discounts and rewards, and return the end and what was passed."""
    steps = set[str]()
    while len(users := graph.users.get(atom, [])) == 1:
        name, operands = graph.name(users[0]), graph.operands(users[0])
        if name not in CHAIN or any(a in mine for a in operands if a != atom):
            break
        if name in ("mul", "add") and not _fits(graph, name, operands):
            break
        steps.add(name)
        atom = graph.results(users[0])[0]
    return atom, steps


def _are_two_calls(graph: Graph, source: int, beside: list[int], mine: set[int]) -> bool:
    """Return whether results are of two calls of one network, which share weights only."""
    weights = set(graph.weights)
    inner = (graph.behind(source) - weights) & mine
    apart = not any((graph.behind(a) - weights) & inner for a in beside)
    return bool(beside) and apart and any(_same_weights(graph, source, a) for a in beside)


def _fits(graph: Graph, name: str, operands: tuple[int, ...]) -> bool:
    """Return whether constants are discounts (0 to 1) in a product, or rewards in a sum."""
    numbers = [graph.run.number(a) for a in operands if a < 0]
    if not numbers:
        return False
    if name == "mul":
        return all(bool(((np.asarray(x) >= 0) & (np.asarray(x) <= 1)).all()) for x in numbers)
    return any(np.size(x) > 1 for x in numbers)


def _same_weights(graph: Graph, one: int, other: int) -> bool:
    """Return whether two results depend on the same weights."""
    leaves = [
        {graph.weights[a] for a in graph.behind(x) if a in graph.weights} for x in (one, other)
    ]
    return bool(leaves[0]) and leaves[0] <= leaves[1]
