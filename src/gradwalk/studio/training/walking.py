"""The graph of one example's loss, at this very step of a training."""

from __future__ import annotations

import re
from typing import Any

from ...engine.value import Value, weighted_sum
from ...nn import ACTIVATIONS, MLP, Neuron
from ..document import document_of
from .reading import refuse, whole
from .run import Run

__all__ = ["WALKABLE", "document", "loss_of_example"]

WALKABLE = 2_000
"""With more parameters than this nobody walks: each has about three nodes."""

_PATH = re.compile(r"layers\.(\d+)\.neurons\.(\d+)\.(?:weights\.(\d+)|bias)")


def document(run: Run, example: int) -> dict[str, Any]:
    """The graph of the loss of one point as the page reads it.

    Parameters are called ``w[layer,neuron,input]`` and ``b[layer,neuron]``, the sum of a neuron
    ``z[layer,neuron]`` and its output ``a[layer,neuron]``; then ``x0``, ``x1``, ``score``,
    ``target`` and ``loss``. What belongs to a neuron is in the group ``layers.0.neurons.3``.

    >>> from .configuration import Configuration
    >>> made = document(Run(Configuration(hidden=())), 0)
    >>> [node["label"] for node in made["nodes"] if node.get("group") == "layers.0.neurons.0"]
    ['b[0,0]', 'w[0,0,0]', '', '', 'w[0,0,1]', '', 'score']
    """
    many = "update" if run.steps == 1 else "updates"
    title = f"The loss of example {example} after {run.steps} {many}"
    made = document_of(loss_of_example(run, example), names=False, title=title)
    labels = [node["label"] for node in made["nodes"]]
    for node in made["nodes"][labels.index("score") + 1 :]:
        node.pop("group", None)  # the loss bends the score as an activation would, but is no layer
    for node, label in zip(made["nodes"], labels, strict=True):
        node["label"] = _short(label)
    return made


def loss_of_example(run: Run, example: int) -> Any:
    """The loss of one point, as a Value; parameters are labelled with their paths.

    The graph is built on copies of the parameters, so that walking it leaves the training alone;
    its numbers are those of the training, bit for bit.
    """
    if not run.points:
        refuse("walk.example", "the number of a point", "no points", "Add some points first.")
    x, y, label = run.points[whole("walk.example", example, 0, len(run.points) - 1)]
    if (count := len(run.parameters)) > WALKABLE:
        fix = "Take fewer neurons."
        refuse("walk", f"at most {WALKABLE:,} parameters", f"{count:,}", fix)
    score = _forward(_copy(run), [Value(x, "x0"), Value(y, "x1")])
    score.label = "score"
    loss = run.loss_of(score, Value(run.target(label), "target"))
    loss.label = "loss"
    return loss


def _copy(run: Run) -> MLP:
    model = MLP(2, [*run.configuration.hidden, 1], run.configuration.activation, init="zeros")
    model.load_state_dict(run.model.state_dict())
    for path, parameter in model.named_parameters():
        parameter.label = path  # which tells the document where each operation belongs
    return model


def _forward(model: MLP, x: list[Any]) -> Any:
    for i, layer in enumerate(model.layers):
        x = [_fire(neuron, f"[{i},{j}]", x) for j, neuron in enumerate(layer.neurons)]
    return x[0]


def _fire(neuron: Neuron, place: str, x: list[Any]) -> Any:
    """What the neuron does when it is called, with names for what comes in between."""
    total = weighted_sum(neuron.weights, x, neuron.bias)
    total.label = f"z{place}"
    activation = ACTIVATIONS[str(neuron.activation or "linear")]
    if activation is None:
        return total
    output = activation(total)
    output.label = f"a{place}"
    return output


def _short(label: str) -> str:
    path = _PATH.fullmatch(label)
    if not path:
        return label
    layer, neuron, weight = path.groups()
    return f"b[{layer},{neuron}]" if weight is None else f"w[{layer},{neuron},{weight}]"
