"""Many independent runs: starts of a search, and combinations of options."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any, TypeVar

from ..core.calls import expect_function
from ..core.functions import Function
from ..errors import UsageError
from ..optimize import Minimum, minimize
from ..workers import Executor, Processes, executor_of

__all__ = ["multistart", "sweep"]

T = TypeVar("T")
X = TypeVar("X")


def sweep(
    function: Callable[..., T],
    options: Mapping[str, Iterable[Any]],
    workers: int | Executor | None = None,
) -> list[tuple[dict[str, Any], T]]:
    """Return ``(choice, function(**choice))`` for all combinations of ``options``.

    Parameters
    ----------
    function
        A function that takes every name in ``options``.
    options
        The values to try of each name; the last name changes fastest.
    workers
        A number of processes, or an `Executor`; a process for each core if ``None``.

    Returns
    -------
    a list of pairs
        A dictionary of the values and the result for each combination, in this order whatever the
        number of workers.

    Raises
    ------
    UsageError
        If there is no combination.
    OptionError
        If ``function`` is no function, or ``workers`` are none.

    Examples
    --------
    >>> from gradwalk.parallel import Here, sweep
    >>> sweep(lambda lr, size: lr * size, {"lr": [0.1, 0.2], "size": [10]}, workers=Here())
    [({'lr': 0.1, 'size': 10}, 1.0), ({'lr': 0.2, 'size': 10}, 2.0)]
    """
    expect_function(function, "sweep")
    names, columns = list(options), [list(values) for values in options.values()]
    choices = [dict(zip(names, chosen, strict=True)) for chosen in product(*columns)]
    results = _all(function, _with_options, choices, workers, "sweep")
    return list(zip(choices, results, strict=True))


def multistart(
    f: Function,
    starts: Iterable[X],
    workers: int | Executor | None = None,
    **options: Any,
) -> Minimum[X]:
    """Return the lowest minimum that `minimize` finds from any of several starts.

    A search that fails, as by a NaN, is an error with the number of its start.

    Parameters
    ----------
    f
        The function to minimize.
    starts
        Where the searches begin, one at least. Of equal values the first start wins.
    workers
        A number of processes, or an `Executor`; a process for each core if ``None``.
    **options
        The options of `minimize`.

    Returns
    -------
    a Minimum
        That of the lowest value.

    Raises
    ------
    UsageError
        If there is no start.
    OptionError
        If ``f`` is no function, or ``workers`` are none.

    Examples
    --------
    >>> from gradwalk.parallel import Here, multistart
    >>> def two_valleys(x):
    ...     return (x * x - 1.0) ** 2 + 0.1 * x
    >>> round(multistart(two_valleys, [1.0, -1.0], workers=Here()).x, 3)
    -1.012
    """
    expect_function(f, "multistart")
    found = _all(f, _minimum, list(starts), workers, "multistart", options | {"progress": False})
    return min(found, key=lambda end: end.value if not math.isnan(end.value) else math.inf)


# Every run results in a list of one: their sum, in order, has all.
def _all(
    function: Any, task: Any, parts: list[Any], workers: Any, where: str, *common: object
) -> list[Any]:
    if not parts:
        raise UsageError(
            where=where, expected="one run or more", got="none", fix="Pass values to try."
        )
    executor = Processes() if workers is None else executor_of(workers, where)
    results = executor.map(task, executor.scatter(parts), function, *common)
    found: list[Any] = executor.reduce(operator.add, results)
    return found


def _with_options(choice: dict[str, Any], function: Callable[..., Any]) -> list[Any]:
    return [function(**choice)]


def _minimum(start: Any, f: Callable[..., Any], options: dict[str, Any]) -> list[Any]:
    return [minimize(f, start, **options)]
