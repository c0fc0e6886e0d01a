"""Experiments on inputs: without influence, too large, or the same as the targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...inspect.activations import activations
from .graph import AFFINE, MOVES, Graph
from .of_rows import mixed_samples
from .trial import Finding, Trial, array_of, like

__all__ = ["copied_targets", "flat_inputs", "without_influence"]

FEW, MOST = 4, 256  # rows, and places of the inputs
SHARE = 1.0 / 3.0  # of the places: pooling leaves out some at the end
LARGE = 100.0  # inputs, which should be about 1
FLAT, MOSTLY = 1e-6, 0.9  # from a limit of tanh or sigmoid, and of the results
LIMITS = {"tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0)}
SCALE = "Scale the inputs to about 1: x = (x - x.mean(0)) / x.std(0)."


class _Probe:
    """The model in the mode of evaluation, called with changed inputs."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.given, self.target = trial.batches[0][0], trial.batches[0][-1]
        self.x = array_of(self.given)
        single = len(trial.batches[0]) <= 2 and not trial.has_values and self.x is not None
        self.is_known = single and self.x.ndim in (2, 3) and len(self.x) >= FEW

    def __call__(self, x: Any) -> Any:
        with self.trial.quietly():
            return array_of(self.trial.forward((like(self.given, x), self.target))[0])

    def mixed(self, x: Any, where: Any) -> Any:
        """Return inputs that have those of other rows at some places."""
        changed = x.copy()
        changed[where] = np.roll(x, 1, 0)[where]
        return changed


def _evaluated(trial: Trial) -> None:
    if hasattr(trial.model, "eval"):
        trial.model.eval()


# --- inputs without influence ---------------------------------------------------------------------


def without_influence(trial: Trial) -> Iterator[Finding]:
    """Find places of the inputs on which no output depends, whatever the weights are.

    Places that are equal in all rows, as those of a padding are, tell nothing. A model that draws
    what it leaves out is another one in each call.
    """
    probe = _Probe(trial)
    if not probe.is_known or _are_targets(trial, probe.x):
        return
    with trial.undone():
        _evaluated(trial)
        _drawn(trial)
        x = _scaled(probe.x)
        first = probe(x)
        if first is None or not np.array_equal(first, probe(x)):
            return
        for axis in range(1, x.ndim if x.dtype.kind == "f" else 2):
            places = _varying(x, axis)
            still = [j for j, at in places if np.array_equal(first, probe(probe.mixed(x, at)))]
            few = len(still) < SHARE * len(places) or len(still) == len(places)
            if not few and not any(mixed_samples(trial)):  # which reads samples for places
                yield _of_places(first, axis, still, [j for j, _ in places])


def _of_places(out: Any, axis: int, still: list[int], places: list[int]) -> Finding:
    colons = ":, " * axis
    told = ", ".join(f"x[{colons}{j}]" for j in still[:5]) + (" ..." if len(still) > 5 else "")
    other = next(j for j in places if j not in still)
    return Finding(
        f"the outputs do not depend on {len(still)} of {len(places)} places of the inputs",
        f"with the numbers of other rows in {told} not one of {out.size} outputs changes, whatever "
        f"the weights are; with others in x[{colons}{other}] they do",
        "Look for a state that is set again in each step of a loop, for a variable that is "
        "overwritten, or for an index that leaves them out.",
    )


def _are_targets(trial: Trial, x: Any) -> bool:
    """Return whether the target is the input, of which a coder may leave out parts on purpose."""
    y = trial.targets
    return y is None or (y.shape == x.shape and bool((y == x).all()))


def _drawn(trial: Trial) -> None:
    """Give the parameters random numbers, so that no weight of 0 and no dead unit decides."""
    random = np.random.default_rng(0)
    for _, p in trial.parameters:
        shape = np.shape(array_of(p))
        array = random.normal(size=shape) / (shape[-1] if shape else 1) ** 0.5
        trial.put(p, array)


def _scaled(x: Any) -> Any:
    """Return inputs of about 1, so that no activation lies flat."""
    if x.dtype.kind != "f" or abs(x).max() <= LARGE:
        return x
    return ((x - x.mean(0)) / (x.std(0) + 1e-12)).astype(x.dtype)


def _varying(x: Any, axis: int) -> list[tuple[int, Any]]:
    """Return the places along an axis that differ from row to row, with their indices."""
    if x.shape[axis] > MOST:
        return []
    places = [(j, (slice(None),) * axis + (j,)) for j in range(x.shape[axis])]
    return [(j, at) for j, at in places if (x[at] != np.roll(x[at], 1, 0)).any()]


# --- inputs that are too large --------------------------------------------------------------------


def flat_inputs(trial: Trial) -> Iterator[Finding]:
    """Find inputs in the hundreds or thousands, for which tanh or sigmoid lie flat."""
    graph = trial.graph
    for name, size, told in _in_calls(trial) if graph is None else _in_graph(graph):
        yield Finding(
            f"the inputs are too large for {name}",
            f"they are up to {size:.2g}, and {told}, where {name} is flat and lets no gradient "
            "through",
            SCALE,
        )
        return


def _in_graph(graph: Graph) -> Iterator[tuple[str, float, str]]:
    for k in range(len(graph)):
        name, made = graph.name(k), graph.run.number(graph.results(k)[0])
        if name not in LIMITS or made is None or np.size(made) < FEW:
            continue
        low, high = LIMITS[name]
        share = float(((made - low < FLAT) | (high - made < FLAT)).mean())
        size = _size_of_data(graph, graph.operands(k)[0])
        if share > MOSTLY and size > LARGE:
            yield name, size, f"{share:.0%} of its results lie at its limits"


def _size_of_data(graph: Graph, atom: int) -> float:
    """Return the largest number of the data behind one layer; 0.0 for other variables."""
    while atom in graph.makers:
        k = graph.makers[atom]
        inner = [a for a in graph.operands(k) if a not in graph.weights]
        if graph.name(k) not in (*AFFINE, *MOVES, "add") or len(inner) != 1:
            return 0.0
        if graph.name(k) in AFFINE and inner[0] < 0:
            return float(abs(np.asarray(graph.run.number(inner[0]))).max(initial=0.0))
        atom = inner[0]
    return 0.0


def _in_calls(trial: Trial) -> Iterator[tuple[str, float, str]]:
    """Yield the same from the calls of modules, the first layer alone."""
    seen = activations(trial.model, tuple(trial.batches[0][:-1]))
    for name, module in trial.model.named_modules():
        if [*module.parameters()] and not [*module.children()]:
            size, told = seen.inputs_of(name), seen.flat_after(name)
            if size > LARGE and told:
                yield "sigmoid or tanh", size, told
            return


# --- targets that are the inputs ------------------------------------------------------------------


def copied_targets(trial: Trial) -> Iterator[Finding]:
    """Find a model of sequences whose target at each place is the input there: it has to be next.

    Such a model sees what is before a place, and the place itself. Coders see all places, and a
    model or a loss that shifts by itself does not compare a place with itself.
    """
    probe, out = _Probe(trial), trial.outputs
    x, y = probe.x, trial.targets
    if (
        not probe.is_known
        or out is None
        or x.shape[1] < 2
        or not _are_targets(trial, x)
        or y is None
    ):
        return
    if y.dtype.kind == "f" and (x.ndim != 3 or x.shape[2] != 1):
        return  # a coder of several numbers for each place may be causal
    if not _compares_places(trial, y, out) or not _is_causal(trial, probe):
        return
    place = x.shape[1] // 2
    yield Finding(
        "the targets are the inputs: they are not shifted",
        f"all {y.size} are equal, and the output at place {place} depends on the inputs up to and "
        f"at place {place}, so that the model need only copy them",
        "Shift them by one: inputs = x[:, :-1], targets = x[:, 1:].",
    )


def _compares_places(trial: Trial, y: Any, out: Any) -> bool:
    """Return whether the loss is least for outputs that are the target, and not the next one."""
    if y.dtype.kind in "iu":
        classes = out.shape[-1]
        if out.size != y.size * classes or y.min() < 0 or y.max() >= classes:
            return False
        best = [20.0 * np.eye(classes)[z] - 20.0 for z in (y, np.roll(y, -1, 1))]
    else:
        best = [y, np.roll(y, -1, 1)]
    own, following = (trial.probe(z.reshape(out.shape)) for z in best)
    return own < following


def _is_causal(trial: Trial, probe: _Probe) -> bool:
    """Return whether the output at a place depends on the input there, and on no later one."""
    x, rows = probe.x, len(probe.x)
    place = x.shape[1] // 2
    with trial.undone():
        _evaluated(trial)
        first, here, later = (
            probe(z).reshape(rows, x.shape[1], -1)
            for z in (
                x,
                probe.mixed(x, (slice(None), place)),
                probe.mixed(x, (slice(None), slice(place, None))),
            )
        )
    same = np.allclose(first[:, :place], later[:, :place], rtol=1e-5, atol=1e-7)
    return same and not np.allclose(first[:, place], here[:, place], rtol=1e-5, atol=1e-7)
