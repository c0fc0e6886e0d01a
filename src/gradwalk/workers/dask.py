"""The executor of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pickle import loads
from typing import Any, NamedTuple

from ..core.expect import describe
from ..errors import UsageError, WorkerError
from .blocks import Failure, fresh
from .executor import Add

__all__ = ["DaskExecutor", "is_client"]

LOST = ("FutureCancelledError", "KilledWorker", "CancelledError", "FuturesCancelledError")
"""Errors of Dask for data that went with its worker."""


class _Part:
    """A part of data on the cluster, and in this process to send it again."""

    __slots__ = ("future", "original")

    def __init__(self, original: object) -> None:
        self.original = original
        self.future: Any = None


class _Work(NamedTuple):
    """What `DaskExecutor.reduce` runs."""

    function: Callable[..., Any]
    handles: Sequence[Any]
    common: tuple[object, ...]


class DaskExecutor:
    """The workers of a Dask cluster.

    A handle is a part that `scatter` sent, or a lazy chunk of a Dask collection, which the workers
    compute when it is needed and drop afterwards. Common arguments are sent once to every worker.
    Results are added on the workers, by the tree of `gradwalk.workers.summed`, so the same chunks
    give the same bits on any number of workers.

    Parameters
    ----------
    client
        The client of the cluster. A scheduler that it cannot reach is a `WorkerError`.
    retries
        Dask runs the tasks of a worker that dies again on others. If what it held is lost too, this
        sends it again, so many times.

    Raises
    ------
    UsageError
        If ``client`` is no client of Dask.
    """

    client: Any
    retries: int

    def __init__(self, client: Any, *, retries: int = 3) -> None:
        if not is_client(client):
            raise UsageError(
                where="gradwalk.distributed",
                expected="a client of Dask",
                got=describe(client),
                fix='Make one: client = dask.distributed.Client("tcp://scheduler:8786").',
            )
        self.client, self.retries = client, retries

    def scatter(self, parts: Sequence[object]) -> list[_Part]:
        """Return a handle for each part; it is sent with the first work."""
        return [_Part(part) for part in parts]

    def map(self, function: Callable[..., Any], handles: Sequence[Any], *common: object) -> _Work:
        """Return the work, which `reduce` starts."""
        return _Work(function, handles, common)

    def reduce(self, add: Add, results: _Work) -> Any:
        """Return the sum of all ``function(part, *common)``, in the order of `summed`."""
        for attempt in range(self.retries + 1):
            try:
                return self._sum(add, results)
            except Failure as failure:  # of the user's function, whatever its class
                raise failure.original(failure.part)  # noqa: B904  (which is its cause)
            except Exception as error:
                lost = type(error).__name__ in LOST
                if self.client.status != "running" or isinstance(error, OSError):
                    raise self._gone() from error
                if not lost or attempt == self.retries:
                    raise
                for handle in results.handles:
                    if isinstance(handle, _Part):
                        handle.future = None  # it is sent again
        raise AssertionError("unreachable")

    def _sum(self, add: Add, work: _Work) -> Any:
        import cloudpickle
        from dask import delayed

        # Dask's own pickle looks for functions in modules that workers may not have
        text = cloudpickle.dumps((work.function, work.common), protocol=5)
        call = self.client.scatter(text, broadcast=True, hash=False)
        self._send(handle for handle in work.handles if isinstance(handle, _Part))
        chunks = [x.future if isinstance(x, _Part) else x for x in work.handles]
        run, plus = delayed(_run, pure=False), delayed(add, pure=False)
        row = [run(call, chunk, f"{i} of {len(chunks)}") for i, chunk in enumerate(chunks)]
        while len(row) > 1:
            pairs = zip(row[::2], row[1::2], strict=False)  # the last of an odd number is alone
            row = [plus(x, y) for x, y in pairs] + row[len(row) // 2 * 2 :]
        future = self.client.compute(row[0], optimize_graph=False)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _send(self, handles: Any) -> None:
        unsent = [handle for handle in handles if handle.future is None]
        if unsent:
            sent = self.client.scatter([handle.original for handle in unsent], hash=False)
            for handle, future in zip(unsent, sent, strict=True):
                handle.future = future

    def _gone(self) -> WorkerError:
        return WorkerError(
            where="gradwalk.distributed",
            expected="a scheduler of Dask that answers",
            got=f"a client whose status is {self.client.status!r}",
            fix="Start the cluster again, and continue from the last checkpoint: "
            "fit(..., checkpoint=path, resume=True).",
        )


def is_client(x: object) -> bool:
    """Return whether ``x`` is a client of Dask, without loading Dask."""
    return any(base.__module__.startswith("distributed.client") for base in type(x).__mro__)


def _run(call: bytes, part: Any, which: str) -> Any:
    function, common = loads(call)  # a copy for this task, whatever others change
    try:
        # a chunk may be persisted: what a function writes into it would stay there
        return function(fresh(part), *common)
    except Exception as error:
        failure = Failure.of(error)
        failure.part = f"in part {which}, on a worker of Dask"
        raise failure from None
