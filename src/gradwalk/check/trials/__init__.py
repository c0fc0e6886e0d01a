"""Experiments on a training whose loss is a number, and wrong.

What may be imported from here: `EXPERIMENTS`, `Finding` and `Trial`.
"""

from __future__ import annotations

from .table import EXPERIMENTS
from .trial import Finding, Trial

__all__ = ["EXPERIMENTS", "Finding", "Trial"]
