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

from ..core.rooms import as_room
from . import init
from .activations import ACTIVATIONS
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
from .pytree import flatten_module as _flatten_module  # noqa: F401

if TYPE_CHECKING:
    from ..data import DataLoader
    from . import functional
    from .activation_modules import (
        ELU,
        GELU,
        SELU,
        Hardtanh,
        LeakyReLU,
        LogSigmoid,
        LogSoftmax,
        ReLU,
        Sigmoid,
        SiLU,
        Softmax,
        Softplus,
        Tanh,
    )
    from .adaptive import AdaptiveMaxPool1d, AdaptiveMaxPool2d
    from .attention import MultiheadAttention, TransformerBlock, TransformerEncoderLayer
    from .bags import EmbeddingBag
    from .cells import GRUCell, LSTMCell, RNNCell
    from .containers import ModuleDict, ModuleList, Sequential
    from .convolution import (
        Conv1d,
        Conv2d,
        Conv3d,
        ConvTranspose1d,
        ConvTranspose2d,
        Flatten,
    )
    from .dropout import Dropout
    from .further_activations import GLU, Hardsigmoid, Hardswish, Mish, PReLU, ReLU6, Softsign
    from .further_loss_modules import (
        CosineEmbeddingLoss,
        CosineSimilarity,
        CTCLoss,
        GaussianNLLLoss,
        HingeEmbeddingLoss,
        MarginRankingLoss,
        MultiMarginLoss,
        PairwiseDistance,
        PoissonNLLLoss,
        SoftMarginLoss,
        TripletMarginLoss,
    )
    from .group_norms import BatchNorm3d, GroupNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
    from .images import Fold, PixelShuffle, PixelUnshuffle, Unfold
    from .interpolation import Upsample
    from .linear import Embedding, Identity, Linear
    from .loss_modules import (
        BCELoss,
        BCEWithLogitsLoss,
        CrossEntropyLoss,
        HuberLoss,
        KLDivLoss,
        L1Loss,
        MSELoss,
        NLLLoss,
        SmoothL1Loss,
    )
    from .normalization import BatchNorm1d, BatchNorm2d, LayerNorm, RMSNorm
    from .parameters import Parameter, ParameterDict, ParameterList
    from .pooling import (
        AdaptiveAvgPool1d,
        AdaptiveAvgPool2d,
        AvgPool1d,
        AvgPool2d,
        MaxPool1d,
        MaxPool2d,
    )
    from .recurrent import GRU, LSTM, RNN
    from .transformers import (
        Transformer,
        TransformerDecoder,
        TransformerDecoderLayer,
        TransformerEncoder,
    )

_MODULES_OF_TENSORS = {
    "activation_modules": "ELU GELU Hardtanh LeakyReLU LogSigmoid LogSoftmax ReLU SELU SiLU "
    "Sigmoid Softmax Softplus Tanh",
    "attention": "MultiheadAttention TransformerBlock TransformerEncoderLayer",
    "cells": "GRUCell LSTMCell RNNCell",
    "containers": "ModuleDict ModuleList Sequential",
    "convolution": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d Flatten",
    "dropout": "Dropout",
    "linear": "Embedding Identity Linear",
    "loss_modules": "BCELoss BCEWithLogitsLoss CrossEntropyLoss HuberLoss KLDivLoss L1Loss "
    "MSELoss NLLLoss SmoothL1Loss",
    "normalization": "BatchNorm1d BatchNorm2d LayerNorm RMSNorm",
    "pooling": "AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d MaxPool1d MaxPool2d",
    "recurrent": "GRU LSTM RNN",
    "adaptive": "AdaptiveMaxPool1d AdaptiveMaxPool2d",
    "bags": "EmbeddingBag",
    "further_activations": "GLU Hardsigmoid Hardswish Mish PReLU ReLU6 Softsign",
    "further_loss_modules": "CTCLoss CosineEmbeddingLoss CosineSimilarity GaussianNLLLoss "
    "HingeEmbeddingLoss MarginRankingLoss MultiMarginLoss PairwiseDistance PoissonNLLLoss "
    "SoftMarginLoss TripletMarginLoss",
    "group_norms": "BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "images": "Fold PixelShuffle PixelUnshuffle Unfold",
    "interpolation": "Upsample",
    "parameters": "Parameter ParameterDict ParameterList",
    "transformers": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder",
}
_HOMES = {name: home for home, names in _MODULES_OF_TENSORS.items() for name in names.split()}
"""The file of each module of Tensors. These files import NumPy, so `__getattr__` loads them."""

__all__ = [
    "ACTIVATIONS",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "CTCLoss",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "DataLoader",
    "Dropout",
    "ELU",
    "Embedding",
    "EmbeddingBag",
    "Flatten",
    "Fold",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LSTM",
    "LSTMCell",
    "Layer",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MLP",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "Neuron",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNN",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "Transformer",
    "TransformerBlock",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "Unfold",
    "Upsample",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "functional",
    "hinge",
    "huber",
    "init",
    "kl_div",
    "mae",
    "mse",
    "nll",
    "smooth_l1",
]


def __getattr__(name: str) -> Any:
    """Import modules of Tensors on first use, because they need NumPy."""
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


as_room(__name__)
