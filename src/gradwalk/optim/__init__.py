"""Optimizers with PyTorch's keywords and PyTorch's numbers, gradient clipping and schedules.

>>> from gradwalk import Value
>>> from gradwalk.optim import SGD
>>> x = Value(4.0)
>>> optimizer = SGD([x], lr=0.25)
>>> for _ in range(2):
...     optimizer.zero_grad()
...     (x * x).backward()
...     optimizer.step()
>>> x.data
1.0

Parameters are Values or Tensors, also mixed.
"""

from __future__ import annotations

from ..core.rooms import as_room
from . import lr_scheduler
from .clip import clip_grad_norm_, clip_grad_value_
from .cycles import OneCycleLR, ReduceLROnPlateau
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .optimizers import SGD, Adadelta, Adagrad, Adam, AdamW, RMSprop
from .schedulers import (
    CosineAnnealingLR,
    ExponentialLR,
    LinearLR,
    LRScheduler,
    SequentialLR,
    StepLR,
)
from .updates import UPDATES, Update, apply_update

__all__ = ["LBFGS", "Adadelta", "OneCycleLR", "ReduceLROnPlateau"]
__all__ += ["SGD", "UPDATES", "Adagrad", "Adam", "AdamW", "CosineAnnealingLR", "ExponentialLR"]
__all__ += ["LRScheduler", "LinearLR", "Optimizer", "RMSprop", "SequentialLR", "StepLR", "Update"]
__all__ += ["apply_update", "clip_grad_norm_", "clip_grad_value_", "lr_scheduler"]

as_room(__name__)
