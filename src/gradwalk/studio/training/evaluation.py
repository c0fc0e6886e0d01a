"""The evaluation of the network on all points, and on a grid.

Training uses Values, but evaluation uses Tensors. A boundary of 40 × 40 cells takes 1,600
predictions per frame, and only arrays are fast enough for thirty frames a second. Both use the same
table of primitives and agree up to rounding. The training never uses results of this module.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.functions import sigmoid
from ...engine.value import no_grad
from ...nn import ACTIVATIONS
from ...nn.functional import linear
from ...tensor import Tensor
from .reading import Point
from .run import Run

__all__ = ["Evaluation", "boundary", "evaluate", "extent_of", "surfaces", "tested"]

Extent = tuple[float, float, float, float]
"""x low, x high, y low, y high."""

LARGEST = float(np.finfo(float).max)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Loss and accuracy on all points. ``None`` without points, or if the loss is not finite.

    ``outputs``  the means of the neurons' outputs, for each layer
    ``dead``     the neurons with output 0 for every point, for each layer with relu, whose
                 derivative is then 0 as well
    """

    loss: float | None
    accuracy: float | None
    outputs: list[list[float]]
    dead: list[list[int]]


def evaluate(run: Run) -> Evaluation:
    """Evaluate the network on all points, without changing the run."""
    widths = [len(layer.neurons) for layer in run.model.layers]
    if not run.points:
        return Evaluation(None, None, [[0.0] * n for n in widths], [[] for _ in widths])
    answers = _answers(run, np.array(run.points)[:, :2])
    return Evaluation(
        *_judged(run, run.points, answers[-1][:, 0]),
        [_finite(layer.mean(axis=0)) for layer in answers],
        [_dead(layer) if _can_die(run, i) else [] for i, layer in enumerate(answers)],
    )


def tested(run: Run) -> dict[str, Any] | None:
    """Return loss and accuracy on points that the network does not learn from.

    They are drawn like the training points, with another seed. The user's own points are all
    learned from, so there is ``None`` for them.
    """
    if not run.test:
        return None
    scores = _answers(run, np.array(run.test)[:, :2])[-1][:, 0]
    loss, accuracy = _judged(run, run.test, scores)
    return {"loss": loss, "accuracy": accuracy, "points": run.test}


def _judged(run: Run, points: tuple[Point, ...], scores: Any) -> tuple[float | None, float]:
    """Return the loss of scores, ``None`` if it is not finite, and their accuracy."""
    labels = np.array([label for *_, label in points])
    loss = _loss(run, scores, np.array([run.target(label) for *_, label in points]))
    accuracy = float(((scores > 0.0) == (labels > 0.5)).mean())
    return loss if math.isfinite(loss) else None, accuracy


def _answers(run: Run, inputs: Any) -> list[Any]:
    """Return the outputs of each layer, as arrays with one row per point."""
    found, x = [], Tensor(inputs)
    with no_grad(), np.errstate(all="ignore"):
        for layer in run.model.layers:
            x = linear(x, _numbers(layer.weights), [n.bias.data for n in layer.neurons])
            activation = ACTIVATIONS[str(layer.neurons[0].activation or "linear")]
            x = x if activation is None else activation(x)
            found.append(x.data)
    return found


def _numbers(rows: list[list[Any]]) -> np.ndarray[Any, Any]:
    return np.array([[weight.data for weight in row] for row in rows])


def _loss(run: Run, scores: Any, targets: Any) -> float:
    with no_grad(), np.errstate(all="ignore"):
        return float(run.loss_of(Tensor(scores), Tensor(targets)).data)


def _can_die(run: Run, layer: int) -> bool:
    return run.model.layers[layer].neurons[0].activation == "relu"


def _dead(outputs: Any) -> list[int]:
    return [int(neuron) for neuron in np.flatnonzero((outputs == 0.0).all(axis=0))]


def _finite(numbers: Any) -> list[float]:
    """Return numbers for JSON: infinities become the largest float, and NaN becomes 0."""
    made: list[float] = np.nan_to_num(numbers, nan=0.0, posinf=LARGEST, neginf=-LARGEST).tolist()
    return made


# --- the boundary -----------------------------------------------------------------------------


def extent_of(points: tuple[Point, ...]) -> Extent:
    """Return a square around the points, with a margin.

    Its sides are rounded, so that it stays in place while a point inside is dragged.

    >>> extent_of(((-1.0, -1.0, 0), (1.0, 1.0, 0)))
    (-1.5, 1.5, -1.5, 1.5)
    """
    xs, ys = [p[0] for p in points] or [0.0], [p[1] for p in points] or [0.0]
    half = max(max(xs) - min(xs), max(ys) - min(ys)) / 2 or 1.0
    unit = 10.0 ** math.floor(math.log10(half)) / 2
    x, y = (round((min(side) + max(side)) / 2 / unit) * unit for side in (xs, ys))
    # a rounded centre may be further from a point than half of the side and its margin
    far = max(abs(v - centre) for side, centre in ((xs, x), (ys, y)) for v in side)
    reach = math.ceil(max(half * 1.15, far) / unit) * unit
    return x - reach, x + reach, y - reach, y + reach


def boundary(run: Run, resolution: int) -> dict[str, Any]:
    """Return the predictions at the centres of resolution × resolution cells, from 0 to 1.

    For bce this is the probability of label 1, sigmoid(score). The other losses aim at -1 and 1,
    and the score s becomes (1 + s) / 2, clipped to [0, 1]. Cells come row by row from the bottom
    left.
    """
    return surfaces(run, resolution)[0]


def surfaces(run: Run, resolution: int) -> tuple[dict[str, Any], list[list[str]]]:
    """Return the `boundary`, and for each layer the outputs of its neurons on the same square.

    An output is text: one letter of `LEVELS` for each of `CELLS` × `CELLS` cells or fewer, from
    minus the largest magnitude to plus it. Networks of many neurons have none.
    """
    extent = extent_of(run.points)
    answers = _answers(run, _grid(extent, resolution))
    scores = answers[-1][:, 0]
    squeezed = sigmoid(scores) if run.configuration.loss == "bce" else (1.0 + scores) / 2.0
    values = np.nan_to_num(squeezed, nan=0.5).clip(0.0, 1.0).round(4).tolist()
    drawn = {"resolution": resolution, "extent": extent, "values": values}
    few = sum(layer.shape[1] for layer in answers) <= MOST_MAPS
    return drawn, [_maps(layer, resolution) if few else [] for layer in answers]


CELLS, MOST_MAPS = 13, 160
LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"


def _maps(outputs: Any, resolution: int) -> list[str]:
    cells = min(CELLS, resolution)
    at = ((np.arange(cells) + 0.5) * resolution / cells).astype(int)
    square = outputs.reshape(resolution, resolution, -1)[at][:, at].reshape(cells * cells, -1)
    square = np.nan_to_num(square, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
    largest = np.abs(square).max(axis=0)
    scaled = square / np.where(largest > 0.0, largest, 1.0)
    middle = len(LEVELS) // 2
    places = (middle + np.rint(scaled * middle)).astype(int)
    return ["".join([LEVELS[i] for i in column]) for column in places.T]


def _grid(extent: Extent, resolution: int) -> Any:
    centres = (np.arange(resolution) + 0.5) / resolution
    x, y = (low + (high - low) * centres for low, high in (extent[:2], extent[2:]))
    return np.stack([np.tile(x, resolution), np.repeat(y, resolution)], axis=1)
