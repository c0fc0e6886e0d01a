"""The Protocol of executors, the one of this process, and the order of sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..core.pytree import flatten, flatten_like
from ..errors import SizeError
from .blocks import Block, fresh, store

__all__ = ["Executor", "Here", "plus", "summed"]

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


def summed(results: Sequence[T], add: Callable[[T, T], T]) -> T:
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

    Examples
    --------
    >>> import operator
    >>> here = Here()
    >>> here.reduce(operator.add, here.map(pow, here.scatter([1, 2, 3]), 2))
    14
    """

    def scatter(self, parts: Sequence[object]) -> list[Block]:
        """Copy every part, as workers have it: arrays that cannot be written to."""
        return [store(part, shared=False) for part in parts]

    def map(
        self, function: Callable[..., Any], handles: Sequence[Block], *common: object
    ) -> list[Any]:
        """Return all ``function(part, *common)``, each with containers of its own."""
        return [function(handle.copy(), *fresh(common)) for handle in handles]

    def reduce(self, add: Add, results: Sequence[Any]) -> Any:
        """Return the sum of the results, in the order of `summed`."""
        return summed(results, add)
