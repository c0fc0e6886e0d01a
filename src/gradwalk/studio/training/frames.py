"""Frames: the complete state of a run for the page, at one moment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...nn import Layer
from .evaluation import Evaluation, evaluate, surfaces, tested
from .flow import Flow, flows
from .run import Run

__all__ = ["Watch", "frame"]


@dataclass(frozen=True, slots=True)
class Watch:
    """Optional parts of a frame: gradients, and the resolution of the boundary (0: none)."""

    gradients: bool = False
    resolution: int = 40


def frame(run: Run, watch: Watch) -> dict[str, Any]:
    """Return the current frame of a run.

    The session adds its number, ``running`` and the curve. All numbers are finite.

    >>> from .configuration import Configuration
    >>> made = frame(Run(Configuration(hidden=(2,))), Watch(resolution=2))
    >>> made["step"], [layer["name"] for layer in made["layers"]], made["layers"][0]["verdict"]
    (0, ['layers.0', 'layers.1'], 'not yet')
    """
    seen = evaluate(run)
    drawn, maps = surfaces(run, watch.resolution) if watch.resolution else (None, [])
    return {
        "type": "frame",
        "step": run.steps,
        "epoch": run.epochs,
        "loss": seen.loss,
        "accuracy": seen.accuracy,
        "stopped": run.stopped,
        "points": run.points,
        "test": tested(run),
        "layers": _layers(run, watch, seen, maps),
        "boundary": drawn,
    }


def _layers(
    run: Run, watch: Watch, seen: Evaluation, maps: list[list[str]]
) -> list[dict[str, Any]]:
    widths = [len(layer.neurons) for layer in run.model.layers]
    verdicts = flows(run.samples, seen.dead, widths, run.diverged)
    gradients = watch.gradients and run.steps > 0
    return [
        _layer(run, i, seen, flow)
        | {"gradients": _gradients(layer) if gradients else None, "maps": maps[i] if maps else []}
        for i, (layer, flow) in enumerate(zip(run.model.layers, verdicts, strict=True))
    ]


def _layer(run: Run, index: int, seen: Evaluation, flow: Flow) -> dict[str, Any]:
    layer = run.model.layers[index]
    return {
        "name": layer.name,
        "activation": layer.neurons[0].activation or "linear",
        "weights": [[weight.data for weight in row] for row in layer.weights],
        "biases": [neuron.bias.data for neuron in layer.neurons],
        "outputs": seen.outputs[index],
        "norms": [norms[index] for _, norms in run.samples],
        "dead": seen.dead[index],
        "verdict": flow.verdict,
        "words": flow.words,
    }


def _gradients(layer: Layer) -> dict[str, Any] | None:
    """Return the gradients of the last update, ``None`` if one of them is not finite."""
    weights = [[weight.grad for weight in row] for row in layer.weights]
    biases = [neuron.bias.grad for neuron in layer.neurons]
    if not all(math.isfinite(g) for row in [*weights, biases] for g in row):
        return None
    return {"weights": weights, "biases": biases}
