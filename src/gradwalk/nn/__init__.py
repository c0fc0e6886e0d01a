"""Neural networks: modules, initialisers, activations and losses, of Tensors or of Values.

>>> from gradwalk import Tensor
>>> from gradwalk.nn import Linear, ReLU, Sequential, cross_entropy
>>> model = Sequential(Linear(2, 16, seed=0), ReLU(), Linear(16, 3, seed=1))
>>> model.num_parameters()
99
>>> loss = cross_entropy(model(Tensor([[0.5, -1.0], [2.0, 0.0]])), [0, 2])
>>> loss.backward()

With one Value per weight, to walk through a network number by number:

>>> from gradwalk.nn import MLP, mse
>>> model = MLP(3, [4, 4, 1], seed=0)
>>> len(model.parameters())
41
>>> loss = mse([model([2.0, 3.0, -1.0]), model([3.0, -1.0, 0.5])], [1.0, -1.0])
>>> loss.backward()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import init
from .activations import ACTIVATIONS
from .container import apart as _apart  # noqa: F401
from .layers import MLP, Layer, Neuron
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    hinge,
    huber,
    kl_div,
    mae,
    mse,
    nll,
    smooth_l1,
)
from .module import Module

if TYPE_CHECKING:
    from ..data import DataLoader as DataLoader
    from . import functional as functional
    from .activation_modules import *  # noqa: F403
    from .attention import *  # noqa: F403
    from .cells import GRUCell as GRUCell
    from .cells import LSTMCell as LSTMCell
    from .cells import RNNCell as RNNCell
    from .containers import *  # noqa: F403
    from .convolution import *  # noqa: F403
    from .dropout import Dropout as Dropout
    from .linear import Embedding as Embedding
    from .linear import Identity as Identity
    from .linear import Linear as Linear
    from .loss_modules import *  # noqa: F403
    from .normalization import *  # noqa: F403
    from .recurrent import *  # noqa: F403

_OF_TENSORS = {
    "activation_modules": "ELU GELU Hardtanh LeakyReLU LogSigmoid LogSoftmax ReLU SELU SiLU "
    "Sigmoid Softmax Softplus Tanh",
    "attention": "MultiheadAttention TransformerBlock TransformerEncoderLayer",
    "cells": "GRUCell LSTMCell RNNCell",
    "containers": "ModuleDict ModuleList Sequential",
    "convolution": "AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d Conv1d Conv2d Flatten "
    "MaxPool1d MaxPool2d",
    "dropout": "Dropout",
    "linear": "Embedding Identity Linear",
    "loss_modules": "BCELoss BCEWithLogitsLoss CrossEntropyLoss HuberLoss KLDivLoss L1Loss "
    "MSELoss NLLLoss SmoothL1Loss",
    "normalization": "BatchNorm1d BatchNorm2d LayerNorm RMSNorm",
    "recurrent": "GRU LSTM",
}
_HOMES = {name: home for home, names in _OF_TENSORS.items() for name in names.split()}
"""Where the modules of Tensors are; they load NumPy, so they wait until somebody asks."""

__all__ = ["ACTIVATIONS", "MLP", "Layer", "Module", "Neuron", "init"]
__all__ += ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy"]
__all__ += ["hinge", "huber", "kl_div", "mae", "mse", "nll", "smooth_l1"]
__all__ += [*_HOMES, "DataLoader", "functional"]


def __getattr__(name: str) -> Any:
    """Load what knows NumPy when somebody first asks for it."""
    if name == "functional":
        return import_module(".functional", __name__)
    if name == "DataLoader":
        return import_module("..data", __name__).DataLoader
    if name in _HOMES:
        found = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        return found
    raise AttributeError(f"module 'gradwalk.nn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
