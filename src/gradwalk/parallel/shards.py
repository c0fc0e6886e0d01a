"""A function that is a sum over shards of data, and its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar

from ..core.calls import expect_function
from ..core.expect import describe
from ..core.pytree import flatten
from ..errors import UsageError
from ..transforms import hvp, value_and_grad
from ..transforms.arguments import is_plain
from ..workers import Executor, Processes, executor_of
from ..workers.executor import plus

__all__ = ["ShardedSum", "map_grad"]

S = TypeVar("S")
W = TypeVar("W")
P = ParamSpec("P")


class ShardedSum(Generic[W]):
    """A sum over shards of data: calling it returns the value and the gradient.

    See `map_grad`. `gradwalk.minimize` accepts one as its function.

    Parameters
    ----------
    f
        The function ``f(params, shard)`` of one number.
    executor
        The workers.
    handles
        What the executor's ``scatter`` has returned for the shards.
    keeps
        An object that has to live as long as the shards do.
    """

    executor: Executor

    def __init__(
        self, f: Callable[[W, Any], Any], executor: Executor, handles: Any, keeps: object = None
    ) -> None:
        self.executor = executor
        self._f, self._handles, self._keeps = f, handles, keeps

    def __call__(self, params: W) -> tuple[float, W]:
        """Return Σ f(params, shard) and its gradient."""
        return self._sum(partial(_value_and_gradient, self._f), params)  # type: ignore[no-any-return]

    def value(self, params: W) -> float:
        """Return Σ f(params, shard)."""
        return self._sum(partial(_value, self._f), params)  # type: ignore[no-any-return]

    def product(self, params: W, vector: W) -> W:
        """Return the Hessian of the sum times ``vector``, by `gradwalk.hvp` of every shard."""
        return self._sum(partial(_product, self._f), params, vector)  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the workers, and give their memory back."""
        self._handles, self._keeps = [], None
        if hasattr(self.executor, "close"):
            self.executor.close()

    def __enter__(self) -> ShardedSum[W]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _sum(self, function: Callable[..., Any], *common: Any) -> Any:
        for leaf in flatten(common)[0]:
            if not is_plain(leaf):
                raise UsageError(
                    where="a sum over shards",
                    expected="plain numbers and arrays: workers do not see transforms of this "
                    "process",
                    got=describe(leaf),
                    fix="Call it outside transforms; it returns the gradient itself, and "
                    "product(params, vector) is the product of its Hessian.",
                )
        return self.executor.reduce(plus, self.executor.map(function, self._handles, *common))


def map_grad(
    f: Callable[[W, S], Any], shards: Iterable[S], workers: int | Executor | None = None
) -> ShardedSum[W]:
    """Return the function that computes a sum over shards and its gradient, on many processes.

        w ↦ (Σᵢ f(w, shardᵢ),  ∂/∂w Σᵢ f(w, shardᵢ))

    The sums are taken in pairs of neighbours (`gradwalk.workers.summed`), so any number of workers
    gives the same bits for the same shards. Random numbers come from a seed within the shard, never
    from the worker.

    Errors of ``f`` are raised here, with the number of the shard. A worker that dies is replaced,
    and only its parts are computed again. An interrupt ends the workers and leaves no partial
    result.

    Parameters
    ----------
    f
        ``f(w, shard)`` returns one number, as under `grad`; w is a number, an array, or a
        container.
    shards
        Any objects that can be pickled, one at least. They are sent once, arrays in shared memory,
        where ``f`` cannot write to them; containers are new in every call.
    workers
        A number of processes, or an `Executor`; a process for each core if ``None``.

    Returns
    -------
    a ShardedSum
        A function of w that returns (value, gradient).

    Raises
    ------
    UsageError
        If there is no shard, or by a call inside a transform.
    OptionError
        If ``f`` is no function, or ``workers`` are none.

    See Also
    --------
    gradwalk.distributed.objective

    Examples
    --------
    >>> import numpy as np
    >>> from gradwalk.parallel import Here, map_grad
    >>> shards = [np.array([1.0, 2.0]), np.array([3.0])]
    >>> step = map_grad(lambda w, x: ((w * x) ** 2).sum(), shards, workers=Here())
    >>> step(2.0), step.product(2.0, 1.0)
    ((56.0, 56.0), 28.0)
    """
    expect_function(f, "map_grad")
    parts: Sequence[S] = list(shards)
    if not parts:
        raise UsageError(
            where="map_grad(f, shards)",
            expected="one shard of data or more",
            got="none",
            fix="Write shards = [data[i::8] for i in range(8)].",
        )
    executor = Processes() if workers is None else executor_of(workers, "map_grad")
    return ShardedSum(f, executor, executor.scatter(parts))


def _value_and_gradient(f: Callable[..., Any], shard: Any, params: Any) -> tuple[Any, Any]:
    both: Callable[..., tuple[Any, Any]] = value_and_grad(f)
    value, gradient = both(params, shard)
    return _plain(value), gradient


def _value(f: Callable[..., Any], shard: Any, params: Any) -> Any:
    return _plain(f(params, shard))


def _product(f: Callable[..., Any], shard: Any, params: Any, vector: Any) -> Any:
    def of_shard(w: Any) -> Any:
        return f(w, shard)

    return hvp(of_shard, params, vector)


def _plain(value: Any) -> float:
    return float(value.item() if hasattr(value, "item") else value)
