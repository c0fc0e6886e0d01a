"""Neural networks of Values: modules, initialisers, activations and losses.

>>> from gradwalk.nn import MLP, mse
>>> model = MLP(3, [4, 4, 1], seed=0)
>>> len(model.parameters())
41
>>> loss = mse([model([2.0, 3.0, -1.0]), model([3.0, -1.0, 0.5])], [1.0, -1.0])
>>> loss.backward()
"""

from __future__ import annotations

from . import init
from .activations import ACTIVATIONS
from .layers import MLP, Layer, Neuron
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    hinge,
    huber,
    mae,
    mse,
    nll,
)
from .module import Module

__all__ = ["ACTIVATIONS", "MLP", "Layer", "Module", "Neuron", "init"]
__all__ += ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy"]
__all__ += ["hinge", "huber", "mae", "mse", "nll"]
