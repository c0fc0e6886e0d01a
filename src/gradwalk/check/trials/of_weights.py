"""Experiments on weights and sums: decay that counts twice, and float16."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...engine.value import Value
from ...inspect.magnitudes import norm
from .graph import Graph
from .trial import Finding, Named, Trial, array_of

__all__ = ["decayed_twice", "half_precision", "zero_products"]

LOST = 1e-2  # of a sum, relative, by the rounding of float16
OFTEN = 2  # additions that are lost by chance
ROUNDED = 1e-9  # of the gradients of all, that may be rounding
MANY = 32  # parameters of 0 that are tried


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


def zero_products(trial: Trial) -> Iterator[Finding]:
    """Find two parameters of 0 that only act as a product: each keeps the other one at 0.

    Three weights and more of nothing but zeros are found by `zero_weights`.
    """
    weights = [x for _, p in trial.parameters if np.ndim(x := array_of(p)) > 1]
    if len(weights) > 2 and not any(map(np.any, weights)):
        return
    names = [n for n, p in trial.parameters if getattr(p, "requires_grad", True)]
    still = _still(trial, [x for x in trial.parameters if x[0] in names])
    unlocked = {name: _unlocked(trial, still, name) for name, _ in still[:MANY]}
    pairs = [
        (a, b) for a, found in unlocked.items() for b in found if a < b and a in unlocked.get(b, {})
    ]
    if pairs:
        a, b = pairs[0]
        more = f"; so are {len(pairs) - 1} more pairs" if len(pairs) > 1 else ""
        yield Finding(
            f"{a} and {b} stay 0: each is a factor of the other one's gradient",
            f"both are 0, and so are their gradients; for random numbers in {a} the gradient of "
            f"{b} has norm {unlocked[a][b]:.3g}, and its own is still 0{more}",
            "Start one of the two from random numbers: nn.init.kaiming_uniform_(weight).",
        )


def _still(trial: Trial, named: Named) -> Named:
    """Return parameters that are 0 and get gradients of 0."""
    named = [(n, p) for n, p in named if not np.any(array_of(p))]
    gradients = trial.gradients(trial.batches[0], [p for _, p in named]) if named else []
    return [x for x, g in zip(named, gradients, strict=True) if g is not None and not np.any(g)]


def _unlocked(trial: Trial, still: Named, name: str) -> dict[str, float]:
    """Return the norms of gradients that are not 0 if one parameter is random.

    Return none if its own gradient is not 0 then, or the loss is another one.
    """
    p = dict(still)[name]

    def tried(scale: float, measure: Callable[[], Any]) -> Any:
        with trial.undone():
            trial.put(p, scale * np.random.default_rng(0).normal(size=np.shape(array_of(p))))
            return measure()

    if tried(0.0, trial.value_of_model) != tried(1.0, trial.value_of_model):
        return {}
    found = tried(1.0, lambda: trial.gradients(trial.batches[0]))
    sizes = {
        n: norm([g]) for (n, _), g in zip(trial.parameters, found, strict=True) if g is not None
    }
    least = ROUNDED * norm([*sizes.values()])
    locked = {n for n, _ in still if sizes.get(n, 0.0) > least}
    return {} if name in locked else {n: sizes[n] for n in locked}
