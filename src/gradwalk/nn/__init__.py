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

from ..core.calls import public
from ..core.rooms import as_room
from . import init
from .activations.names import ACTIVATIONS
from .layers import MLP, Layer, Neuron
from .losses.functions import (
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
from .modules.module import Module
from .modules.pytree import flatten_module as _flatten_module  # noqa: F401

if TYPE_CHECKING:
    from ..data import DataLoader
    from . import functional
    from .activations.modules import (
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
    from .activations.variants import GLU, Hardsigmoid, Hardswish, Mish, PReLU, ReLU6, Softsign
    from .attention.multihead import MultiheadAttention, TransformerBlock, TransformerEncoderLayer
    from .attention.transformers import (
        Transformer,
        TransformerDecoder,
        TransformerDecoderLayer,
        TransformerEncoder,
    )
    from .bags import EmbeddingBag
    from .dropout import Dropout
    from .group_norms import BatchNorm3d, GroupNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
    from .images.adaptive import AdaptiveMaxPool1d, AdaptiveMaxPool2d
    from .images.convolution import (
        Conv1d,
        Conv2d,
        Conv3d,
        ConvTranspose1d,
        ConvTranspose2d,
        Flatten,
    )
    from .images.interpolation import Upsample
    from .images.patches import Fold, PixelShuffle, PixelUnshuffle, Unfold
    from .images.pooling import (
        AdaptiveAvgPool1d,
        AdaptiveAvgPool2d,
        AvgPool1d,
        AvgPool2d,
        MaxPool1d,
        MaxPool2d,
    )
    from .linear import Embedding, Identity, Linear
    from .losses.modules import (
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
    from .losses.pair_modules import (
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
    from .modules.containers import ModuleDict, ModuleList, Sequential
    from .modules.parameters import Parameter, ParameterDict, ParameterList
    from .normalization import BatchNorm1d, BatchNorm2d, LayerNorm, RMSNorm
    from .recurrence.cells import GRUCell, LSTMCell, RNNCell
    from .recurrence.recurrent import GRU, LSTM, RNN

_MODULES_OF_TENSORS = {
    "activations.modules": "ELU GELU Hardtanh LeakyReLU LogSigmoid LogSoftmax ReLU SELU SiLU "
    "Sigmoid Softmax Softplus Tanh",
    "attention.multihead": "MultiheadAttention TransformerBlock TransformerEncoderLayer",
    "recurrence.cells": "GRUCell LSTMCell RNNCell",
    "modules.containers": "ModuleDict ModuleList Sequential",
    "images.convolution": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d Flatten",
    "dropout": "Dropout",
    "linear": "Embedding Identity Linear",
    "losses.modules": "BCELoss BCEWithLogitsLoss CrossEntropyLoss HuberLoss KLDivLoss L1Loss "
    "MSELoss NLLLoss SmoothL1Loss",
    "normalization": "BatchNorm1d BatchNorm2d LayerNorm RMSNorm",
    "images.pooling": "AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d MaxPool1d MaxPool2d",
    "recurrence.recurrent": "GRU LSTM RNN",
    "images.adaptive": "AdaptiveMaxPool1d AdaptiveMaxPool2d",
    "bags": "EmbeddingBag",
    "activations.variants": "GLU Hardsigmoid Hardswish Mish PReLU ReLU6 Softsign",
    "losses.pair_modules": "CTCLoss CosineEmbeddingLoss CosineSimilarity GaussianNLLLoss "
    "HingeEmbeddingLoss MarginRankingLoss MultiMarginLoss PairwiseDistance PoissonNLLLoss "
    "SoftMarginLoss TripletMarginLoss",
    "group_norms": "BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "images.patches": "Fold PixelShuffle PixelUnshuffle Unfold",
    "images.interpolation": "Upsample",
    "modules.parameters": "Parameter ParameterDict ParameterList",
    "attention.transformers": "Transformer TransformerDecoder TransformerDecoderLayer "
    "TransformerEncoder",
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
        found = public(getattr(import_module(f".{_HOMES[name]}", __name__), name))
        globals()[name] = found
        return found
    raise AttributeError(f"module 'gradwalk.nn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


as_room(__name__)
