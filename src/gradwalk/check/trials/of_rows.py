"""Experiments on the rows of a batch: whether a model mixes its samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from .calls import recorded
from .formulas import probes
from .trial import Finding, Trial, array_of, like

__all__ = ["misread_scores", "mixed_samples"]

FEW, MOST = 3, 12  # rows of the experiment
CHANGED = {"float64": 1e-9, "float32": 1e-5}
"""How far outputs move, relative to their size, by more than rounding."""
FIRST = "Write batch_first=True, or swap the axes before the layer and after it."
ORDER = (
    "Look for reshape or view where permute or transpose was meant, because reshape keeps the "
    "order in memory; and for a loop over axis 0."
)
SERIAL = 3.0  # standard errors of a correlation of rows that follow each other


class _Rows:
    """The model in the mode of evaluation, called with some rows of the first batch."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        *inputs, self.target = trial.batches[0] if len(trial.batches[0]) > 1 else (
            *trial.batches[0], *trial.batches[0]
        )  # fmt: skip
        self.inputs = inputs
        self.arrays = [array_of(x) for x in inputs]
        self.goal = array_of(self.target)
        self.all = len(self.arrays[0])
        self.some = min(self.all - 1, MOST)

    @property
    def are_samples(self) -> bool:
        """Whether the rows of all parts are samples, and not moments of one series."""
        x, y = self.arrays[0], self.goal
        if self.some < FEW or any(z is None or len(z) != self.all for z in (*self.arrays, y)):
            return False
        if x.ndim < 2 or not self.trial.ordered:
            return x.ndim > 2 or (x.ndim == 2 and (x.dtype.kind in "iu" or not self._is_serial()))
        sequences = x.ndim > 2 or x.dtype.kind in "iu"
        return sequences and y.shape[:2] != x.shape[:2]  # else axis 0 may be time

    def _is_serial(self) -> bool:
        """Return whether rows depend on the rows before."""
        table = np.concatenate([z.reshape(self.all, -1) for z in (*self.arrays, self.goal)], 1)
        spread = table.std(0)
        z = (table - table.mean(0))[:, spread > 0.0] / spread[spread > 0.0]
        return bool((abs((z[1:] * z[:-1]).mean(0)) > SERIAL / self.all**0.5).any())

    def outputs(self, rows: Sequence[int]) -> Any:
        """Return the outputs for some rows."""
        trial = self.trial
        with trial.undone(), trial.quietly():
            return self.once(rows)

    def once(self, rows: Sequence[int]) -> Any:
        """Return the outputs for some rows, and let generators go on."""
        parts = [
            like(x, a[list(rows)])
            for x, a in zip((*self.inputs, self.target), (*self.arrays, self.goal), strict=True)
        ]
        if hasattr(self.trial.model, "eval"):
            self.trial.model.eval()
        out = array_of(self.trial.forward(parts)[0])
        if out is None or out.ndim == 0 or len(out) != len(rows) or out.dtype.kind != "f":
            raise ValueError
        return out

    def gap(self, a: Any, b: Any) -> Any:
        """Return how far each output is from another one, relative to all; 0.0 for rounding."""
        size = abs(a).max() or 1.0
        gap = abs(a - b).reshape(len(a), -1).max(1) / size
        return np.where(gap > CHANGED.get(str(a.dtype), 1e-2), gap, 0.0)


def mixed_samples(trial: Trial) -> Iterator[Finding]:
    """Find a model that mixes the samples of a batch, by their place in it."""
    if trial.has_values:
        return
    rows = _Rows(trial)
    if not rows.are_samples:
        return
    order = [*range(rows.some)]
    rows.outputs(order[:-1])  # an output whose first axis is time has another length
    plain = rows.outputs(order)
    for changed in (0, rows.some - 1):
        others = rows.gap(plain, rows.outputs([rows.some if i == changed else i for i in order]))
        others[changed] = 0.0
        if others.any():
            break
    else:
        return
    guilty = _along_axis_0(trial, rows, order)
    if guilty or not _is_symmetric(trial, rows, order, plain):
        where, remedy = (f"{guilty} takes axis 0, the samples, for places", FIRST) if guilty else (
            "in another order of the samples the outputs are others", ORDER
        )  # fmt: skip
        yield Finding(
            "the model mixes the samples of a batch with each other",
            f"with another sample {changed}, {int((others > 0).sum())} of {rows.some - 1} other "
            f"outputs change, by up to {others.max():.2g} of their size, in the mode of "
            f"evaluation; {where}",
            remedy,
        )


def _along_axis_0(trial: Trial, rows: _Rows, order: list[int]) -> str:
    """Return a module without ``batch_first`` that gets the samples in axis 0, in words."""
    names = {id(m): name for name, m in trial.model.named_modules()}
    with trial.undone(), trial.quietly(), recorded([*trial.model.modules()]) as calls:
        rows.once(order)
    for module, args, _ in calls:
        inner = getattr(module, "self_attn", module)
        shape: tuple[int, ...] = np.shape(array_of(args[0])) if args else ()
        is_last = getattr(inner, "batch_first", None) is False
        if is_last and len(shape) == 3 and shape[0] == rows.some:
            where = ".".join(x for x in (trial.model_name, names[id(module)]) if x)
            return f"{where} ({type(module).__name__}, batch_first=False)"
    return ""


def _is_symmetric(trial: Trial, rows: _Rows, order: list[int], plain: Any) -> bool:
    """Return whether outputs follow the order of the samples, as statistics of a batch do.

    Noise does not, so a model with noise counts as symmetric.
    """
    with trial.undone(), trial.quietly():
        rows.once(order)
        if rows.gap(plain, rows.once(order)).any():
            return True
    shuffled = np.random.default_rng(1).permutation(rows.some)
    moved, both = rows.outputs(shuffled.tolist()), plain[shuffled]
    forms = [both, both[:, shuffled]] if plain.shape[1:2] == (rows.some,) else [both]
    return any(not rows.gap(form, moved).any() for form in forms)


# --- scores that are read in another order --------------------------------------------------------


def misread_scores(trial: Trial) -> Iterator[Finding]:
    """Find a loss that reads scores of other places for a label, because they were reshaped."""
    y, out = trial.targets, trial.outputs
    if y is None or out is None or y.ndim != 2 or out.ndim != 3 or y.dtype.kind not in "iu":
        return
    classes, left = divmod(out.size, y.size)
    forms = [p for p in permutations(range(3)) if out.transpose(p).shape == (*y.shape, classes)]
    if left or classes < 2 or not forms or y.min() < 0 or y.max() >= classes or min(y.shape) < 2:
        return
    scores = probes(out)[0]
    places = [(0, 1), (1, 0), (len(y) // 2, y.shape[1] - 1)]
    read = [(place, _read(trial, scores, y, place, classes)) for place in places]
    if any(not 1 < at.sum() <= classes for _, at in read):
        return  # a loss of whole sequences
    if not any(all(at.transpose(p)[place].sum() == at.sum() for place, at in read) for p in forms):
        place, at = read[-1]
        where = ", ".join(str(tuple(map(int, index))) for index in np.argwhere(at)[:3])
        yield Finding(
            "the loss reads the scores of other places than its labels have",
            f"scores have shape {out.shape} and labels {y.shape}; if the label {place} changes, "
            f"the gradients of the scores {where} do",
            "Look for reshape or view where permute or transpose was meant.",
        )


def _read(trial: Trial, scores: Any, y: Any, place: tuple[int, int], classes: int) -> Any:
    """Return of which scores the gradients change with a label."""
    other = y.copy()
    other[place] = (y[place] + 1) % classes
    one, two = (trial.slopes(scores, labels) for labels in (y, other))
    return abs(one - two) > CHANGED.get(str(one.dtype), 1e-2) * abs(one).max()
