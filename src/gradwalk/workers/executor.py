"""The Protocol of executors, the one of this process, and the order of sums."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..core.expect import describe, index_of
from ..core.pytree import flatten, flatten_like
from ..errors import OptionError, SizeError

__all__ = ["Executor", "Here", "executor_of", "plus", "summed"]

T = TypeVar("T")
Add = Callable[[Any, Any], Any]


@runtime_checkable
class Executor(Protocol):
    """Workers that apply functions to parts of data.

    An executor for another engine has these three methods. Results come in the order of the parts,
    and an error of a function is raised by the call that needs its result.
    """

    def scatter(self, parts: Sequence[object]) -> Sequence[Any]:
        """Send every part to where it is computed with, once, and return a handle for each."""
        ...

    def map(self, function: Callable[..., Any], handles: Sequence[Any], *common: object) -> Any:
        """Return all ``function(part, *common)``, or handles of them."""
        ...

    def reduce(self, add: Add, results: Any) -> Any:
        """Return the sum of what `map` returned, in the order of `summed`."""
        ...


def summed(results: Sequence[T], add: Callable[[T, T], T] = operator.add) -> T:
    """Return the sum of ``results``, by neighbours in pairs, and by pairs of sums.

        ((r₀ + r₁) + (r₂ + r₃)) + (r₄ + r₅)

    This order depends on the number of the results only. Its rounding error grows with the
    logarithm of that number (Higham, 1993).

    >>> summed(["a", "b", "c", "d", "e"], lambda x, y: f"({x}{y})")
    '(((ab)(cd))e)'
    """
    if not results:
        raise SizeError(
            where="gradwalk.workers.summed(results)",
            expected="one result or more",
            got="none",
            fix="Pass at least one part of the data.",
        )
    row = list(results)
    while len(row) > 1:
        pairs = zip(row[::2], row[1::2], strict=False)  # the last of an odd number is alone
        row = [add(x, y) for x, y in pairs] + row[len(row) // 2 * 2 :]
    return row[0]


def plus(x: Any, y: Any) -> Any:
    """Return the sum of two containers of the same structure, number by number.

    >>> plus({"a": 1.0, "b": [2.0]}, {"a": 10.0, "b": [20.0]})
    {'a': 11.0, 'b': [22.0]}
    """
    leaves, structure = flatten(x)
    others = flatten_like(y, structure, "a sum of results", "the result of another part")
    return structure.unflatten([a + b for a, b in zip(leaves, others, strict=True)])


class Here:
    """The executor of this very process, one part after the other.

    >>> here = Here()
    >>> here.reduce(operator.add, here.map(pow, here.scatter([1, 2, 3]), 2))
    14
    """

    def scatter(self, parts: Sequence[object]) -> list[object]:
        """Return the parts themselves."""
        return list(parts)

    def map(
        self, function: Callable[..., Any], handles: Sequence[Any], *common: object
    ) -> list[Any]:
        """Return all ``function(part, *common)``."""
        return [function(part, *common) for part in handles]

    def reduce(self, add: Add, results: Sequence[Any]) -> Any:
        """Return the sum of the results, in the order of `summed`."""
        return summed(results, add)


def executor_of(workers: object, where: str) -> Executor:
    """Return the executor that an argument ``workers`` names: a number of processes, a client of
    Dask, or an executor itself.

    In a worker process it is that process: parts of parts are not divided further.
    """
    from .dask import DaskExecutor, is_client
    from .processes import Processes, inside_worker

    if is_client(workers):
        return DaskExecutor(workers)
    if isinstance(workers, Executor):
        return workers
    count = index_of(workers)
    if count is None or count < 1 or isinstance(workers, bool):
        raise OptionError(
            where=f"{where}(workers=...)",
            expected="a number of processes, 1 or more, a client of Dask, or an Executor",
            got=describe(workers),
            fix="Write workers=2, or pass gradwalk.parallel.Processes(2).",
        )
    return Here() if inside_worker() else _shared(Processes, count)


@cache
def _shared(make: Callable[[int], Executor], count: int) -> Executor:
    """Return the processes that all calls with this number share: starting them takes a second."""
    return make(count)
