"""The workshop: a learner writes an engine, and is told by name what is wrong with it."""

from .check import check, check_text
from .report import Mistake, Phase, Report, Step, Unexplained, Walk
from .skeletons import skeleton

__all__ = [
    "Mistake",
    "Phase",
    "Report",
    "Step",
    "Unexplained",
    "Walk",
    "check",
    "check_text",
    "skeleton",
]
