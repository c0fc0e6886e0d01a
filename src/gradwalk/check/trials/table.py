"""The table of experiments: a row is a function of a `Trial` that yields what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .of_calls import order_of_calls
from .of_classes import class_losses, softmax_along
from .of_data import class_order, constant_columns, leakage, negative_labels
from .of_goals import raised_density, unreachable_targets, wrong_sign
from .of_hidden import hidden_layers
from .of_inputs import copied_targets, flat_inputs, without_influence
from .of_layers import linear_layers, linear_model, repeated_layer, unused_twin
from .of_rates import far_targets, learning_rate
from .of_relations import unrelated_targets
from .of_rows import misread_scores, mixed_samples
from .of_shapes import attention_axis, broadcast, output_axis, squashed_twice
from .of_signs import sigmoid_twice, signs
from .of_starts import equal_units, zero_weights
from .of_steps import forgotten_zero_grad, modes
from .of_targets import not_detached, other_model, own_target, without_optimizer
from .of_weights import decayed_twice, half_precision, zero_products
from .trial import Finding, Trial

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: dict[str, Callable[[Trial], Iterator[Finding]]] = {
    "labels below 0": negative_labels,
    "constant columns": constant_columns,
    "the target among the inputs": leakage,
    "the order of the rows": class_order,
    "shapes that broadcast": broadcast,
    "the sign of the loss": wrong_sign,
    "the sign of a density": raised_density,
    "targets out of reach": unreachable_targets,
    "targets and inputs": unrelated_targets,
    "samples of a batch": mixed_samples,
    "the order of scores": misread_scores,
    "losses of classes": class_losses,
    "the axis of a softmax in the loss": softmax_along,
    "the axis of outputs that sum to 1": output_axis,
    "the axis of attention": attention_axis,
    "labels of a binary cross entropy": signs,
    "a sigmoid before the one of the loss": sigmoid_twice,
    "softmax and sigmoid twice in the graph": squashed_twice,
    "training and evaluation": modes,
    "parameters without an optimizer": without_optimizer,
    "an optimizer of another model": other_model,
    "networks beside the trained one": not_detached,
    "targets of the trained network": own_target,
    "layers that a list has twice": repeated_layer,
    "layers that are never used": unused_twin,
    "linear layers in a row": linear_layers,
    "linear models": linear_model,
    "weights that decay twice": decayed_twice,
    "products of zeros": zero_products,
    "sums in float16": half_precision,
    "the calls of a step": order_of_calls,
    "the gradients of earlier steps": forgotten_zero_grad,
    "the learning rate": learning_rate,
    "the distance to the targets": far_targets,
    "layers that the model does not know": hidden_layers,
    "units that are alike": equal_units,
    "weights of 0": zero_weights,
    "inputs without influence": without_influence,
    "inputs that are too large": flat_inputs,
    "targets that are the inputs": copied_targets,
}
"""What each experiment looks at, in the order of the report."""
