"""The table of experiments: a row is a function of a `Trial` that yields what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .of_classes import class_losses, softmax_along
from .of_data import class_order, constant_columns, leakage, negative_labels
from .of_layers import linear_layers, linear_model, repeated_layer, unused_twin
from .of_shapes import attention_axis, broadcast, output_axis, squashed_twice
from .of_signs import sigmoid_twice, signs
from .of_steps import forgotten_zero_grad, learning_rate, modes
from .of_targets import not_detached, own_target, without_optimizer
from .of_weights import decayed_twice, half_precision
from .trial import Finding, Trial

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: dict[str, Callable[[Trial], Iterator[Finding]]] = {
    "labels below 0": negative_labels,
    "constant columns": constant_columns,
    "the target among the inputs": leakage,
    "the order of the rows": class_order,
    "shapes that broadcast": broadcast,
    "losses of classes": class_losses,
    "the axis of a softmax in the loss": softmax_along,
    "the axis of outputs that sum to 1": output_axis,
    "the axis of attention": attention_axis,
    "labels of a binary cross entropy": signs,
    "a sigmoid before the one of the loss": sigmoid_twice,
    "softmax and sigmoid twice in the graph": squashed_twice,
    "training and evaluation": modes,
    "parameters without an optimizer": without_optimizer,
    "networks beside the trained one": not_detached,
    "targets of the trained network": own_target,
    "layers that a list has twice": repeated_layer,
    "layers that are never used": unused_twin,
    "linear layers in a row": linear_layers,
    "linear models": linear_model,
    "weights that decay twice": decayed_twice,
    "sums in float16": half_precision,
    "the gradients of earlier steps": forgotten_zero_grad,
    "the learning rate": learning_rate,
}
"""What each experiment looks at, in the order of the report."""
