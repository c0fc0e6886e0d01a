"""Experiments on weights and sums: decay that counts twice, and float16."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.value import Value
from .graph import Graph
from .trial import Finding, Trial

__all__ = ["decayed_twice", "half_precision"]

LOST = 1e-2  # of a sum, relative, by the rounding of float16
OFTEN = 2  # additions that are lost by chance


def decayed_twice(trial: Trial) -> Iterator[Finding]:
    """Find weights whose square is in the loss twice, or in the loss and in the optimizer."""
    graph = trial.graph
    if graph is None:
        return
    groups = trial.optimizer.param_groups
    decays = {id(p): float(g.get("weight_decay", 0.0)) for g in groups for p in g["params"]}
    squares = {name: _count_squares(graph, p) for name, p in trial.parameters}
    twice = [n for n, p in trial.parameters if squares[n] > 1 and (_is_array(p) or _many(squares))]
    both = [
        (n, d) for n, p in trial.parameters if squares[n] == 1 and (d := decays.get(id(p), 0.0))
    ]
    if twice:
        count = squares[twice[0]]
        yield Finding(
            f"{', '.join(twice[:3])} is decayed {count} times",
            f"its square is in the loss {count} times, as often as it has names in "
            f"{trial.model_name}: tied weights are one parameter",
            f"Sum over {trial.model_name}.parameters(), where each parameter counts once.",
        )
    if both:
        yield Finding(
            f"{', '.join(n for n, _ in both[:3])} is decayed twice",
            f"its square is in the loss, and {trial.optimizer_name} has weight_decay="
            f"{both[0][1]:g} for it",
            "Leave out one of the two.",
        )


def _is_array(p: Any) -> bool:
    return not isinstance(p, Value) and p.ndim > 1


def _many(squares: dict[str, int]) -> bool:
    return sum(count > 1 for count in squares.values()) > 1 and min(squares.values()) > 1


def _count_squares(graph: Graph, p: Any) -> int:
    """Return how often the square of a parameter is taken; 0 if it is not used otherwise."""
    atom = graph.atom(p)
    users = [] if atom is None else graph.users.get(atom, [])
    count = sum(_squares(graph, k, atom) for k in users if atom is not None)
    return count if len(users) > count else 0


def _squares(graph: Graph, k: int, atom: int) -> int:
    """Return 1 if equation k is the square of a variable."""
    name, operands = graph.name(k), graph.operands(k)
    if name == "square" or (name == "mul" and operands == (atom, atom)):
        return 1
    if name == "pow" and operands[0] == atom and operands[1] < 0:
        power = np.asarray(graph.run.number(operands[1]))
        return int(power.size == 1 and float(power.reshape(-1)[0]) == 2.0)
    return 0


def half_precision(trial: Trial) -> Iterator[Finding]:
    """Find sums in float16 that lose what they add."""
    graph = trial.graph
    if graph is None or trial.has_values:
        return
    told = [x for k in range(len(graph)) if (x := _wrong_sum(graph, k))]
    adds = [k for k in graph.calls("add") if _is_half(graph, k) and np.size(_result(graph, k)) == 1]
    lost = [x for k in adds if (x := _lost_term(graph, k))]
    if len(lost) > OFTEN:
        told.append(f"{lost[-1]}, and so for {len(lost)} of {len(adds)} additions")
    if told:
        yield Finding(
            "a sum in float16 loses what it adds",
            told[-1],
            "Sum in float32: x.astype('float32').sum().",
        )


def _result(graph: Graph, k: int) -> Any:
    return graph.run.number(graph.results(k)[0])


def _is_half(graph: Graph, k: int) -> bool:
    """Return whether an equation has a result in float16, whose operands are known."""
    known = all(x is not None for x in graph.run.args(k))
    return known and getattr(_result(graph, k), "dtype", None) == np.float16


def _lost_term(graph: Graph, k: int) -> str:
    """Return an addition in words that has not changed the larger term; ``""`` for others."""
    terms = [float(np.ravel(x)[0]) for x in graph.run.args(k)]
    small, big = sorted(terms, key=abs)
    if not small or float(np.ravel(_result(graph, k))[0]) != big:
        return ""
    return f"{big:g} + {small:g} = {big:g} in float16"


def _wrong_sum(graph: Graph, k: int) -> str:
    """Return a sum in words that is wrong in float16; ``""`` for others."""
    if graph.name(k) not in ("sum", "mean") or not _is_half(graph, k):
        return ""
    args = graph.run.args(k)
    exact = np.asarray(graph.run.evaluated(k, [np.asarray(x, float) for x in args]), float)
    made = np.asarray(_result(graph, k), float)
    gap = np.nan_to_num(abs(made - exact) / abs(exact)).ravel()
    if gap.max(initial=0.0) <= LOST:
        return ""
    worst = int(gap.argmax())
    return (
        f"a {graph.name(k)} of {np.size(args[0])} numbers is {made.ravel()[worst]:g} in float16, "
        f"and {exact.ravel()[worst]:g} in float64"
    )
