"""Processes on this machine, which read their data in shared memory."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..core.expect import at_least
from ..errors import MissingExtraError, WorkerError
from .blocks import Block, Failure, Part, apply, store
from .executor import Add, summed

__all__ = ["Processes", "inside_worker", "quietly"]

IDLE = 300.0  # seconds after which workers without work end
INSIDE = "GRADWALK_WORKER"
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""A matrix product that threads divide adds in an order that depends on their number."""


class Processes:
    """Worker processes on this machine.

    They start with the first work and end after five minutes without any, by `close`, or with this
    process. Each computes with one thread. Functions may be lambdas and closures. Arrays are
    written into shared memory once, and workers cannot write to them. When a worker dies (killed,
    or out of memory), the rest of its work is done by new ones. An interrupt ends the workers and
    is raised here.

    Parameters
    ----------
    workers
        The number of processes; one for each core that this process may use if 0 or ``None``.
    retries
        How many times workers are replaced in one work. The next death is a `WorkerError`.
    progress
        Whether a line shows how many parts are done; with ``None`` only on a terminal.

    Examples
    --------
    >>> with Processes(2) as workers:  # doctest: +SKIP
    ...     parts = workers.scatter([1.0, 2.0, 3.0])
    ...     workers.map(lambda part, scale: part * scale, parts, 10.0)
    [10.0, 20.0, 30.0]
    """

    retries: int
    progress: bool | None
    workers: int

    def __init__(
        self, workers: int | None = None, *, retries: int = 3, progress: bool | None = None
    ) -> None:
        self.workers = workers or len(_cores())
        at_least("Processes(workers)", self.workers, 1, "Pass None for one process per core.")
        self.retries, self.progress = retries, progress
        self._pool: Any = None
        self._owner = 0

    def scatter(self, parts: Sequence[object]) -> list[Block]:
        """Write every part into shared memory."""
        return [store(part) for part in parts]

    def map(
        self, function: Callable[..., Any], handles: Sequence[Block], *common: object
    ) -> list[Any]:
        """Return all ``function(part, *common)``, in the order of the parts."""
        # apart, so that a function that stays the same is loaded once
        call, rest = store(function), store(common)
        results: dict[int, Any] = {}
        deaths = 0
        with _showing(self.progress, len(handles)) as show:
            while len(results) < len(handles):
                missing = [i for i in range(len(handles)) if i not in results]
                try:
                    self._run(call.part, rest.part, handles, missing, results, show)
                except BrokenProcessPool as error:
                    self.close(kill=True)
                    deaths += 1
                    if deaths > self.retries:
                        raise self._died(deaths, missing, results, len(handles)) from error
                except BaseException:
                    self.close(kill=True)
                    raise
        return [results[i] for i in range(len(handles))]

    def reduce(self, add: Add, results: Sequence[Any]) -> Any:
        """Return the sum of the results, in the order of `summed`."""
        return summed(results, add)

    def close(self, kill: bool = False) -> None:
        """End the workers. They start again with the next work."""
        pool, self._pool = self._pool, None
        if pool is not None and self._owner == os.getpid():
            pool.shutdown(wait=True, kill_workers=kill)

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(
        self,
        call: Part,
        common: Part,
        handles: Sequence[Block],
        missing: Iterable[int],
        results: dict[int, Any],
        show: Callable[[int], None],
    ) -> None:
        """Add the results of all ``missing`` parts, or those before a worker died."""
        pool = self._running()
        waiting: dict[Future[Any], int] = {
            pool.submit(apply, call, handles[i].part, common): i for i in missing
        }
        while waiting:
            done, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            broken = None
            for future in done:
                i = waiting.pop(future)
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    broken = error
                elif isinstance(error, Failure):
                    raise error.original(f"in part {i} of {len(handles)}, in a worker process")
                elif error is not None:
                    error.add_note(f"in part {i} of {len(handles)}, in a worker process")
                    raise error
                else:
                    results[i] = future.result()
            if broken is not None:
                raise broken
            show(len(results))

    def _running(self) -> Any:
        """Return the pool, started if there is none in this process."""
        if self._pool is None or self._owner != os.getpid():
            try:
                from loky import ProcessPoolExecutor
            except ImportError:
                raise MissingExtraError(
                    where="gradwalk.parallel.Processes",
                    expected="the packages loky and cloudpickle",
                    got="no such package",
                    fix="Install them: pip install 'gradwalk[parallel]'.",
                ) from None
            self._owner = os.getpid()
            self._pool = ProcessPoolExecutor(
                self.workers,
                timeout=IDLE,
                env=ONE_THREAD | {INSIDE: "1"},
                initializer=_begin,
                initargs=(self._owner,),
            )
        return self._pool

    def _died(
        self, deaths: int, missing: Sequence[int], results: dict[int, Any], count: int
    ) -> WorkerError:
        left = [i for i in missing if i not in results]
        shown = ", ".join(map(str, left[:5])) + (", ..." if len(left) > 5 else "")
        return WorkerError(
            where="gradwalk.parallel.Processes",
            expected=f"workers that finish their parts in {self.retries + 1} attempts",
            got=f"{deaths} deaths of workers; of {count} parts these are missing: {shown}",
            fix="Make the parts smaller if memory ran out, or run one of them in this process, by "
            "gradwalk.parallel.Here(), to see what kills it.",
        )


def inside_worker() -> bool:
    """Return whether this process is a worker."""
    return INSIDE in os.environ


def _begin(owner: int) -> None:
    """Leave Ctrl-C to the ``owner`` of this worker: it ends them. End when it has been killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_after, args=(owner,), daemon=True).start()


def _end_after(owner: int) -> None:
    while os.getppid() == owner:
        time.sleep(1.0)
    os._exit(1)


def _cores() -> Sequence[int]:
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return sorted(os.sched_getaffinity(0))
    return range(os.cpu_count() or 1)


_QUIET = ContextVar("quiet", default=False)


@contextmanager
def quietly() -> Iterator[None]:
    """Show no progress of parts: the caller shows its own."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


class _showing:  # noqa: N801
    """A line on a terminal for work of more than a second."""

    def __init__(self, wanted: bool | None, count: int) -> None:
        terminal = sys.stderr.isatty()
        self.wanted = (terminal if wanted is None else wanted) and not _QUIET.get()
        self.count, self.start, self.shown = count, time.monotonic(), False

    def __enter__(self) -> Callable[[int], None]:
        return self.show

    def show(self, done: int) -> None:
        if self.wanted and time.monotonic() - self.start > 1.0:
            self.shown = True
            sys.stderr.write(f"\r\x1b[K{done} of {self.count} parts")
            sys.stderr.flush()

    def __exit__(self, *error: object) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
