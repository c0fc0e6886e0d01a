"""Gradients of sums over data that does not fit one machine, on a cluster that Dask runs.

Needs ``pip install 'gradwalk[dask]'``. The same program runs on the processes of one machine
(`gradwalk.parallel`).
"""

from __future__ import annotations

from ..core.rooms import as_room
from ..workers.dask import DaskExecutor
from .collections import objective, value_and_grad

__all__ = ["DaskExecutor", "objective", "value_and_grad"]

as_room(__name__)
