"""Training steps that repeat: recorded when they come a second time, and replayed from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import native
from ..engine.value import Value
from ..nn import MLP, Layer, Neuron, binary_cross_entropy_with_logits, hinge, mse
from ..program.replay import Replay

__all__ = ["Replays"]


def _signed_cross_entropy(outputs: Sequence[Any], signs: Sequence[Any]) -> Any:
    """Return the cross-entropy of labels 0 and 1 as signs 1 and -1, with the same bits.

    The loss chooses softplus(x) or softplus(-x) by the label. The program multiplies by the sign.
    """
    scores = [sign * x for sign, x in zip(signs, outputs, strict=True)]
    return binary_cross_entropy_with_logits(scores, [0.0] * len(scores))


LOSSES: dict[Any, tuple[Callable[..., Any], Callable[[float], float]]] = {
    mse: (mse, float),
    hinge: (hinge, float),
    binary_cross_entropy_with_logits: (_signed_cross_entropy, lambda t: -1.0 if t else 1.0),
}
"""The losses that are replayed: how they are recorded, and what the program reads for a target.

`cross_entropy` is not among them: it reads the largest logit, and a class chooses a logit.
"""


Forward = tuple[Any, Any, Callable[[], object]]


class _Step(NamedTuple):
    """A recorded step: what it reads, its outputs, and its program."""

    leaves: list[Value]
    outputs: list[Any]
    replay: Replay


class Replays:
    """The recorded steps of a network of Values, by the shape of their batches.

    A step is replayed if nothing but numbers can change from one call to the next: an `MLP` whose
    activations have names, and a loss of the library. All others run as they are written.
    """

    model: Any
    loss: Any

    def __init__(self, model: Any, loss: Any) -> None:
        self.model, self.loss = model, loss
        self._parts: list[Any] = []
        self._steps: dict[int, _Step | None] = {}
        self.refresh()

    @property
    def serves(self) -> bool:
        """Whether steps are replayed."""
        return native.engine is not None and bool(self._parts)

    def refresh(self) -> None:
        """Forget all steps if the network has other parameters or activations than before."""
        parts = _parts(self.model) if self.loss in LOSSES else []
        same = len(parts) == len(self._parts)
        if not same or any(a is not b for a, b in zip(parts, self._parts, strict=True)):
            self._parts, self._steps = parts, {}

    def forward(self, inputs: Sequence[Any], targets: Sequence[Any]) -> Forward:
        """Return the outputs and the loss of a batch, and what computes its gradients.

        The second batch of a shape is recorded, and those after it are replayed.
        """
        recorded = self._step(inputs, targets)
        if recorded is None:
            outputs = [self.model(row) for row in inputs]
            loss = self.loss(outputs, targets)
            return outputs, loss, loss.backward
        numbers = [x for row in inputs for x in row] + self._goals(targets)
        for leaf, x in zip(recorded.leaves, numbers, strict=True):
            leaf.data = x
        recorded.replay.forward()
        return recorded.outputs, recorded.replay.loss, recorded.replay.backward

    def graph(self, inputs: Sequence[Any], targets: Sequence[Any]) -> Any:
        """Return the loss of a batch with its graph, which a replay does not build."""
        return self.loss([self.model(row) for row in inputs], targets)

    def _step(self, inputs: Sequence[Any], targets: Sequence[Any]) -> _Step | None:
        """Return the recorded step of a batch; ``None`` if it is the first of its shape."""
        if not self.serves:
            return None
        count = len(inputs)
        if count in self._steps and self._steps[count] is None:
            self._steps[count] = self._record(inputs, targets)
        return self._steps.setdefault(count)

    def _goals(self, targets: Sequence[float]) -> list[float]:
        """Return the targets as the program reads them."""
        return [LOSSES[self.loss][1](t) for t in targets]

    def _record(self, inputs: Sequence[Any], targets: Sequence[float]) -> _Step:
        rows = [list(map(Value, row)) for row in inputs]
        goals = list(map(Value, self._goals(targets)))
        outputs = [self.model(row) for row in rows]
        loss = LOSSES[self.loss][0](outputs, goals)
        flat = [y for output in outputs for y in (output if type(output) is list else [output])]
        step = _Step([x for row in [*rows, goals] for x in row], outputs, Replay(loss, flat))
        loss.backward(retain_graph=False)  # frees the graph; the caller clears the gradients
        return step


def _parts(model: Any) -> list[Any]:
    """Return what a step of a network is made of; nothing if it may depend on anything else."""
    if type(model) is not MLP or any(type(layer) is not Layer for layer in model.layers):
        return []
    neurons = [neuron for layer in model.layers for neuron in layer.neurons]
    if not all(type(n) is Neuron and isinstance(n.activation, str | None) for n in neurons):
        return []
    return [*model.layers, *model.parameters()]
