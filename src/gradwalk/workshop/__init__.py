"""The workshop: a learner writes an engine, and is told by name what is wrong with it."""

from .check import check, check_text
from .classes import Settings, settings_of
from .report import Mistake, Phase, Report, Step, Unexplained, Walk
from .skeletons import skeleton

__all__ = [
    "Mistake",
    "Phase",
    "Report",
    "Settings",
    "Step",
    "Unexplained",
    "Walk",
    "check",
    "check_text",
    "settings_of",
    "skeleton",
]
