"""Which executor an argument ``workers`` means."""

from __future__ import annotations

from concurrent import futures
from functools import cache

from ..core.expect import describe, index_of
from ..errors import OptionError
from .dask import DaskExecutor, is_client
from .executor import Executor, Here
from .pool import Pool
from .processes import Processes, inside_worker

__all__ = ["executor_of"]


def executor_of(workers: object, where: str) -> Executor:
    """Return the executor that an argument ``workers`` names: a number of processes, a client of
    Dask, an executor of `concurrent.futures`, or an executor itself.

    In a worker process it is that process: parts of parts are not divided further.
    """
    if is_client(workers):
        return DaskExecutor(workers)
    if isinstance(workers, Executor):
        return workers
    if isinstance(workers, futures.Executor):
        return Pool(workers)
    count = index_of(workers)
    if count is None or count < 1 or isinstance(workers, bool):
        raise OptionError(
            where=f"{where}(workers=...)",
            expected="a number of processes, 1 or more, a client of Dask, or an executor",
            got=describe(workers),
            fix="Write workers=2, or pass gradwalk.parallel.Processes(2).",
        )
    return Here() if inside_worker() else _shared(count)


@cache
def _shared(count: int) -> Executor:
    """Return the processes that all calls with this number share: starting them takes a second."""
    return Processes(count)
