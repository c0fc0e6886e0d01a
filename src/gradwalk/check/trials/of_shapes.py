"""Experiments on shapes and axes: broadcasting, softmax over another axis, squashing twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .formulas import are_probabilities
from .graph import MOVES, Graph
from .trial import Finding, Trial, shapes

__all__ = ["attention_axis", "broadcast", "output_axis", "squashed_twice"]

AXIS = "Write softmax(scores, axis=-1)."


def output_axis(trial: Trial) -> Iterator[Finding]:
    """Find outputs, or their exponentials, that sum to 1 over the rows of the batch."""
    out = trial.outputs
    if out is None or out.ndim != 2 or out.dtype.kind != "f" or min(out.shape) < 2:
        return
    for name, word, p in (("softmax", "output", out), ("log_softmax", "exp(output)", np.exp(out))):
        if are_probabilities(p, 0) and not are_probabilities(p):
            yield Finding(
                f"{name} is taken over the rows of the batch, not over the classes",
                f"the sum of {word} over the {len(p)} rows of column 0 is {p[:, 0].sum():.4g}, "
                f"over row 0 it is {p[0].sum():.4g}",
                f"Write {name}(scores, axis=-1).",
            )


def attention_axis(trial: Trial) -> Iterator[Finding]:
    """Find a softmax over one axis, before a product that sums over another one."""
    graph = trial.graph
    for k in range(len(graph)) if graph is not None else ():
        assert graph is not None
        axes, made = _softmax_axes(graph, k), graph.results(k)[0]
        shape = graph.run.shape(made)
        if len(axes) != 1 or len(shape) < 2 or axes == (len(shape) - 1,):
            continue
        product, atom = _next(graph, made)
        if product is None or graph.name(product) != "matmul":
            continue
        if graph.operands(product)[0] == atom:
            sums = graph.run.number(made)
            told = "" if sums is None else f"; its first row sums to {sums.sum(-1).ravel()[0]:.3g}"
            yield Finding(
                "the softmax of attention is taken over the wrong axis",
                f"its result of shape {shape} sums to 1 along axis {axes[0]}, but the product "
                f"with the values sums over axis {len(shape) - 1}{told}",
                AXIS,
            )


def _softmax_axes(graph: Graph, k: int) -> tuple[int, ...]:
    """Return the axes of a softmax, also of one that is written as e / e.sum(axis)."""
    if graph.name(k) == "softmax":
        return tuple(graph.options(k)["axis"])
    if graph.name(k) == "div":
        top, bottom = graph.operands(k)
        maker = graph.makers.get(bottom)
        if maker is not None and graph.name(maker) == "sum" and graph.operands(maker) == (top,):
            exp = graph.makers.get(top)
            axis = graph.options(maker).get("axis")
            if exp is not None and graph.name(exp) == "exp" and axis is not None:
                axes = axis if isinstance(axis, tuple) else (axis,)
                return tuple(a % len(graph.run.shape(top)) for a in axes)
    return ()


def _next(graph: Graph, atom: int) -> tuple[int | None, int]:
    """Return the only equation that reads a variable, after masks, and what it reads."""
    while len(users := graph.users.get(atom, [])) == 1:
        k = users[0]
        if graph.name(k) != "mul" or all(a >= 0 for a in graph.operands(k)):
            return k, atom
        atom = graph.results(k)[0]
    return None, atom


SQUASHED: dict[str, tuple[tuple[str, ...], str, str]] = {
    "softmax": (
        ("softmax", "log_softmax", "surprise"),
        "softmax is applied twice",
        "Leave out the first softmax: cross_entropy takes scores (logits).",
    ),
    "sigmoid": (
        ("sigmoid", "logit_surprise", "log_sigmoid"),
        "sigmoid is applied twice",
        "Leave out one sigmoid: binary_cross_entropy_with_logits takes scores (logits).",
    ),
}
"""Functions that lose their meaning when they follow themselves; what follows, and the remedy."""


def squashed_twice(trial: Trial) -> Iterator[Finding]:
    """Find softmax of softmax and sigmoid of sigmoid, anywhere in the graph of the loss."""
    graph = trial.graph
    if graph is None or trial.has_values:
        return
    for k in range(len(graph)):
        row = SQUASHED.get(graph.name(k))
        if row is None:
            continue
        following, what, remedy = row
        made = graph.results(k)[0]
        while len(users := graph.users.get(made, [])) == 1 and graph.name(users[0]) in MOVES:
            made = graph.results(users[0])[0]
        if users and all(graph.name(user) in following for user in users):
            y = graph.run.number(made)
            told = "" if y is None else f", where it is between {y.min():.3g} and {y.max():.3g}"
            yield Finding(
                what,
                f"the result of {graph.name(k)} goes to {graph.name(users[0])}{told}",
                remedy,
            )


def broadcast(trial: Trial) -> Iterator[Finding]:
    """Find a loss that compares every output with every target, by broadcasting."""
    y, out = trial.targets, trial.outputs
    if y is None or out is None or y.size != out.size or y.size < 3 or len(y) != y.size:
        return
    if y.std() == 0.0:
        return
    order = np.random.default_rng(0).permutation(len(y))
    first, other = trial.probe(out, y), trial.probe(out, y[order])
    moved = y[order]
    fitted = trial.probe(out, out.reshape(y.shape)) if y.dtype.kind == "f" else first
    unused = y.dtype.kind == "f" and trial.probe(out, y + y.std()) == first
    if (moved == y).all() or not first or unused:
        return
    alike = y.shape != out.shape and abs(first - other) <= 1e-6 * abs(first)
    if not alike and not _subtracts_all(trial):
        return
    yield Finding(
        "the loss compares every output with every target",
        f"outputs of shape {shapes(out)} and targets of {shapes(y)} meet in an array of "
        f"({out.size}, {y.size}): the loss is {first:.6g} for the targets in their order, and "
        f"{other:.6g} when they are shuffled; for targets equal to the outputs it is {fitted:.3g}",
        "Give both one shape: output[:, 0], or target[:, None].",
    )


def _subtracts_all(trial: Trial) -> bool:
    """Return whether the targets (n,) are subtracted from outputs (n, 1), which gives (n, n)."""
    graph, y = trial.graph, trial.targets
    if graph is None:
        return False
    for k in graph.calls("sub"):
        operands = graph.operands(k)
        sizes = [graph.run.shape(a) for a in operands]
        wide = len(graph.run.shape(graph.results(k)[0])) > max(map(len, sizes)) - 1
        if sorted(sizes) == sorted([(y.size,), (y.size, 1)]) and wide:
            numbers = [graph.run.number(a) for a in operands if a < 0]
            if any(
                np.size(x) == y.size and np.array_equal(np.ravel(x), y.ravel()) for x in numbers
            ):
                return True
    return False
