"""All cores of a machine: gradients of sums over parts, many starts, and sweeps.

>>> from gradwalk.parallel import map_grad
>>> def squares(w, part):
...     return sum((w * x - y) ** 2 for x, y in part)
>>> with map_grad(squares, [[(1.0, 2.0)], [(2.0, 3.0)]], workers=1) as step:  # doctest: +SKIP
...     step(1.0)
(2.0, -6.0)
"""

from __future__ import annotations

from ..core.rooms import as_room
from ..workers import Executor, Here, Pool, Processes
from .shards import ShardedSum, map_grad
from .sweeps import multistart, sweep

__all__ = ["Executor", "Here", "Pool", "Processes", "ShardedSum", "map_grad", "multistart", "sweep"]

as_room(__name__)
