"""The graph of one example's loss, at the current step of a training."""

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
"""The most parameters of a walk. Each parameter has about three nodes."""

_PATH = re.compile(r"layers\.(\d+)\.neurons\.(\d+)\.(?:weights\.(\d+)|bias)")


def document(run: Run, example: int) -> dict[str, Any]:
    """Return the graph of the loss of one point in the page's format.

    Parameters are named ``w[layer,neuron,input]`` and ``b[layer,neuron]``, the sum of a neuron
    ``z[layer,neuron]``, and its output ``a[layer,neuron]``. The other names are ``x0``, ``x1``,
    ``score``, ``target`` and ``loss``. The nodes of a neuron form a group ``layers.0.neurons.3``.

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
        node.pop("group", None)  # the loss looks like an activation of the last layer
    for node, label in zip(made["nodes"], labels, strict=True):
        node["label"] = _short(label)
    return made


def loss_of_example(run: Run, example: int) -> Any:
    """Return the loss of one point as a Value. Parameters are labelled with their paths.

    The graph is built on copies of the parameters, so that it does not affect the training. Its
    numbers are those of the training, bit for bit.
    """
    if not run.points:
        refuse("walk.example", "the number of a point", "no points", "Add some points first.")
    x, y, label = run.points[whole("walk.example", example, 0, len(run.points) - 1)]
    if (count := len(run.parameters)) > WALKABLE:
        fix = "Use fewer neurons."
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
        parameter.label = path  # folders of the document come from these labels
    return model


def _forward(model: MLP, x: list[Any]) -> Any:
    for i, layer in enumerate(model.layers):
        x = [_fire(neuron, f"[{i},{j}]", x) for j, neuron in enumerate(layer.neurons)]
    return x[0]


def _fire(neuron: Neuron, place: str, x: list[Any]) -> Any:
    """Compute a neuron as its ``__call__`` does, and label the intermediate results."""
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
