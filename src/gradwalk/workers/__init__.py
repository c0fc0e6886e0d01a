"""Where work runs that is divided into parts: in this process, or in others on this machine.

`Executor` is what a cluster has to offer as well. Sums are taken in one order, however many
workers there are, so that their number does not change a bit of the result.
"""

from __future__ import annotations

from ..core.rooms import as_room
from .choice import executor_of
from .executor import Executor, Here, summed
from .pool import Pool
from .processes import Processes, quietly

__all__ = ["Executor", "Here", "Pool", "Processes", "executor_of", "quietly", "summed"]

as_room(__name__)
