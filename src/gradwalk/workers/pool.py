"""The executors of `concurrent.futures` and of packages that follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent import futures
from typing import Any

from .blocks import Block, Failure, apply, store
from .executor import Add, summed

__all__ = ["Pool"]


class Pool:
    """The workers of any ``concurrent.futures.Executor``: threads, processes, loky's, MPI's.

    ``workers=executor`` means ``Pool(executor)`` everywhere. A part is pickled once, and sent with
    each work. The workers may be on other machines, where gradwalk and cloudpickle must be
    installed.

    Parameters
    ----------
    executor
        The executor. It decides how many threads a matrix product uses, and what happens when a
        worker dies; it is left open.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as threads:
    ...     pool = Pool(threads)
    ...     pool.map(pow, pool.scatter([1, 2, 3]), 2)
    [1, 4, 9]
    """

    executor: futures.Executor

    def __init__(self, executor: futures.Executor) -> None:
        self.executor = executor

    def scatter(self, parts: Sequence[object]) -> list[Block]:
        """Pickle every part."""
        return [store(part, shared=False) for part in parts]

    def map(
        self, function: Callable[..., Any], handles: Sequence[Block], *common: object
    ) -> list[Any]:
        """Return all ``function(part, *common)``, in the order of the parts."""
        call, rest = store(function, shared=False).part, store(common, shared=False).part
        waiting = [self.executor.submit(apply, call, x.part, rest) for x in handles]
        try:
            return [_result(x, i, len(waiting)) for i, x in enumerate(waiting)]
        finally:
            for future in waiting:  # after an error
                future.cancel()

    def reduce(self, add: Add, results: Sequence[Any]) -> Any:
        """Return the sum of the results, in the order of `summed`."""
        return summed(results, add)


def _result(future: futures.Future[Any], i: int, count: int) -> Any:
    where = f"in part {i} of {count}, in a worker"
    try:
        return future.result()
    except Failure as failure:
        raise failure.original(where)  # noqa: B904  (which is its cause)
    except Exception as error:
        error.add_note(where)
        raise
