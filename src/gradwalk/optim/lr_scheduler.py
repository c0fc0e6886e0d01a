"""`schedulers`, under PyTorch's name.

>>> from gradwalk.optim import lr_scheduler, schedulers
>>> lr_scheduler.StepLR is schedulers.StepLR
True
"""

from __future__ import annotations

from ..core.calls import explain_room
from .cycles import OneCycleLR, ReduceLROnPlateau
from .schedulers import (
    CosineAnnealingLR,
    ExponentialLR,
    LinearLR,
    LRScheduler,
    SequentialLR,
    StepLR,
)

__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LinearLR", "SequentialLR"]
__all__ += ["OneCycleLR", "ReduceLROnPlateau", "StepLR"]

explain_room(globals())
