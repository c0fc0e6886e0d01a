"""Experiments on what a loss asks for: its sign, and targets that no output can reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...program.run import run_of
from .goals import goal_of, quantities
from .graph import MOVES, Graph
from .trial import Finding, Trial, array_of, like

__all__ = ["raised_density", "unreachable_targets", "wrong_sign"]

FLOOR = 0.02  # of the loss of a constant, below which targets out of reach do no harm
ONE = 0.02  # how far the integral of a density on a grid may be from 1
POINTS = {1: 4001, 2: 301}
"""Points of a grid along each of its axes."""
WIDE = 8.0


def _sense(trial: Trial) -> int:
    """Return 1 if the optimizer minimizes, -1 if it maximizes."""
    return -1 if any(g.get("maximize") for g in trial.optimizer.param_groups) else 1


def _turned(trial: Trial) -> str:
    if _sense(trial) < 0:
        return "Leave out maximize=True."
    return "Change the sign of the loss: an optimizer minimizes, so take -log p, or +(y - t)**2."


def wrong_sign(trial: Trial) -> Iterator[Finding]:
    """Find a loss that is largest where the outputs are right."""
    sign, right, wrong = goal_of(trial)
    if sign * _sense(trial) < 0:
        asked = "minimizes" if sign < 0 else "maximizes"
        yield Finding(
            "the training makes the outputs wrong: the loss has the wrong sign",
            f"the loss is {right:.6g} for outputs that are right, {wrong:.6g} for outputs that are "
            f"wrong, and {trial.optimizer_name} {asked} it",
            _turned(trial),
        )


def raised_density(trial: Trial) -> Iterator[Finding]:
    """Find the mean of log p as a loss, where p integrates to 1 over inputs of 1 or 2 columns."""
    out, inputs = trial.outputs, trial.batches[0][:1]
    x = array_of(inputs[0])
    if out is None or out.size != len(out) or out.dtype.kind != "f" or trial.has_values:
        return
    rises = trial.probe(out + 1.0) - trial.probe(out)
    if not any(abs(rises * _sense(trial) - k) < 1e-3 * k for k in (1.0, float(len(out)))):
        return
    if x.dtype.kind == "f" and len(trial.batches[0]) < 3 and np.size(x) in (len(x), 2 * len(x)):
        total = _integral(trial, x)
        if abs(total - 1.0) < ONE:
            yield Finding(
                "the training makes the data less likely: the loss has the wrong sign",
                f"exp(output) integrates to {total:.3f} over the inputs, so the output is log p; "
                f"the loss is {trial.value:.6g}, and 1 more if each log p is 1 more",
                _turned(trial),
            )


def _integral(trial: Trial, x: Any) -> float:
    """Return the integral of exp(output) over the inputs, on a grid."""
    table = x.reshape(len(x), -1)
    columns, count = table.shape[1], POINTS[table.shape[1]]
    wide = WIDE * max(float(table.std()), 1.0)
    axes = [np.linspace(c.mean() - wide, c.mean() + wide, count) for c in table.T]
    grid = np.stack(np.meshgrid(*axes), -1).reshape(-1, *x.shape[1:])
    first = like(trial.batches[0][0], grid)
    with trial.quietly():
        density = np.exp(np.asarray(array_of(trial.model(first)), float))
    return float(density.sum() * (2.0 * wide / (count - 1)) ** columns)


# --- targets out of reach -------------------------------------------------------------------------

INFINITE = float("inf")
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("relu", "softplus", "exp", "abs", "square"), (0.0, INFINITE)),
    **dict.fromkeys(("sigmoid", "softmax"), (0.0, 1.0)),
    "tanh": (-1.0, 1.0),
    **dict.fromkeys(("log_sigmoid", "log_softmax"), (-INFINITE, 0.0)),
}
"""Between which numbers the results of some functions lie."""
CLIPPED: dict[str, tuple[int | None, int | None]] = {
    "hardtanh": (1, 2),
    "clip": (1, 2),
    "maximum": (1, None),
    "minimum": (None, 1),
}
"""Which operands of some functions are the limits of their results."""
SAVED = (("_saved_min_val", "_saved_max_val"), ("_saved_min", "_saved_max"))
"""Where PyTorch has them."""
SCALED: dict[str, Any] = {
    "mul": np.multiply, "add": np.add, "sub": np.subtract, "div": np.divide, "neg": np.negative
}  # fmt: skip
"""Operations with constants that scale a range."""
VIEWS = ("view", "reshape", "squeeze", "unsqueeze", "select", "slice", "unsafeview", "permute")


def unreachable_targets(trial: Trial) -> Iterator[Finding]:
    """Find targets of a regression that the last function of the model never gives."""
    y, out = trial.targets, trial.outputs
    if y is None or out is None or y.size != out.size or len(np.unique(y)) < 3:
        return
    name, low, high = _range(trial)
    beyond = (y < low) | (y > high)
    if not beyond.any() or (put := next(quantities(trial), None)) is None:
        return
    goal, nearest = y.astype(float), np.clip(y.astype(float), low, high)
    floor, best = put(nearest), put(goal)
    constant = put(np.full_like(goal, np.clip(goal.mean(), low, high)))
    if goal_of(trial)[0] > 0 and floor - best > FLOOR * (constant - best):
        count = int(beyond.sum())
        yield Finding(
            f"{name} at the end of {trial.model_name} never gives some of the targets",
            f"its outputs lie between {low:g} and {high:g}; {count} of {y.size} targets "
            f"({count / y.size:.0%}) do not, which go from {y.min():.3g} to {y.max():.3g}: "
            f"the loss cannot fall below {floor:.4g}",
            f"Leave out {name} at the end, or scale the targets into its range.",
        )


def _range(trial: Trial) -> tuple[str, float, float]:
    """Return the last function of a model, and between which numbers the outputs lie."""
    output = trial.forward(trial.batches[0])[0]
    if trial.is_foreign:
        return _range_of_node(output.grad_fn)
    while isinstance(output, list):
        output = output[0]
    graph = Graph(run_of(output))
    k, scales = _last_function(graph)
    if k is None:
        return "", -INFINITE, INFINITE
    low, high = _limits(graph, k)
    for scale in reversed(scales):
        low, high = sorted(_scaled(graph, scale, end) for end in (low, high))
    return graph.name(k), low, high


def _last_function(graph: Graph) -> tuple[int | None, list[int]]:
    """Return the last operation that bounds the outputs, and what scales them after it."""
    k, scales = len(graph) - 1, list[int]()
    while (name := graph.name(k)) not in RANGES and name not in CLIPPED:
        operands = graph.operands(k)
        inner = [a for a in operands if a >= 0]
        single = all(np.size(graph.run.number(a)) == 1 for a in operands if a < 0)
        if name in SCALED and single:
            scales.append(k)
        elif name == "where":  # softplus, whose large arguments stay as they are
            inner = inner[-1:]
        elif name not in MOVES:
            return None, []
        if len(inner) != 1 or inner[0] not in graph.makers:
            return None, []
        k = graph.makers[inner[0]]
    return k, scales


def _limits(graph: Graph, k: int) -> tuple[float, float]:
    """Return between which numbers the result of an equation lies."""
    name, operands = graph.name(k), graph.operands(k)
    if name in RANGES:
        return RANGES[name]
    atoms = [None if i is None else operands[i] for i in CLIPPED[name]]
    low, high = (
        (np.asarray(graph.run.number(a)) if a is not None and a < 0 else None) for a in atoms
    )
    return (
        -INFINITE if low is None else float(low.min()),
        INFINITE if high is None else float(high.max()),
    )


def _scaled(graph: Graph, k: int, end: float) -> float:
    numbers = [end if a >= 0 else float(np.sum(graph.run.number(a))) for a in graph.operands(k)]
    return float(SCALED[graph.name(k)](*numbers))


def _range_of_node(node: Any) -> tuple[str, float, float]:
    """Return the same as `_range` of a graph of PyTorch."""
    while node is not None:
        name = type(node).__name__.rpartition("Backward")[0].lower()
        if name not in VIEWS:
            low, high = RANGES.get(name, (-INFINITE, INFINITE))
            for at_low, at_high in SAVED:
                known = getattr(node, at_low, None), getattr(node, at_high, None)
                low, high = (
                    a if b is None else float(b) for a, b in zip((low, high), known, strict=True)
                )
            return name, low, high
        node = node.next_functions[0][0]
    return "", -INFINITE, INFINITE
