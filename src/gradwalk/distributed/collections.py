"""Sums over the chunks of Dask's collections, and their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..core.calls import expect_function
from ..core.expect import describe
from ..errors import MissingExtraError, SizeError, UsageError
from ..parallel import ShardedSum
from ..workers.dask import DaskExecutor

__all__ = ["objective", "value_and_grad"]

W = TypeVar("W")


def value_and_grad(
    loss: Callable[[W, Any], Any], params: W, data: Any, client: Any = None
) -> tuple[float, W]:
    """Return the sum of ``loss(params, chunk)`` over all chunks of ``data``, and its gradient.

        Σᵢ loss(w, chunkᵢ)   and   ∂/∂w Σᵢ loss(w, chunkᵢ)

    Each chunk is computed on a worker, used, and dropped, unless it is persisted. The parameters
    are sent once; the sums are taken on the workers in pairs of neighbours, so the same chunks
    give the same bits on any number of workers.

    Parameters
    ----------
    loss
        ``loss(params, chunk)`` returns one number. It gets NumPy arrays, pandas' DataFrames or
        lists, or tuples of them.
    params
        What it is differentiated by: a number, an array or a container.
    data
        A Dask array, DataFrame, Series or bag, or a tuple of them with equal numbers of chunks,
        such as (x, y). An array is divided along its first axis only.
    client
        A client of Dask; the current one if ``None``.

    Returns
    -------
    (value, gradient)
        The gradient is like ``params``.

    Raises
    ------
    UsageError
        If there is no client, or ``data`` is no collection of Dask.
    SizeError
        If collections have different numbers of chunks.
    OptionError
        If ``loss`` is no function.
    MissingExtraError
        If Dask is not installed.

    See Also
    --------
    objective
    """
    return objective(loss, data, client)(params)


def objective(loss: Callable[[W, Any], Any], data: Any, client: Any = None) -> ShardedSum[W]:
    """Return the function of params that `value_and_grad` computes, for `gradwalk.minimize`.

    Parameters
    ----------
    loss
        ``loss(params, chunk)`` returns one number, as in `value_and_grad`.
    data
        A collection of Dask, or a tuple of them, as in `value_and_grad`.
    client
        A client of Dask; the current one if ``None``.

    Returns
    -------
    a ShardedSum
        Its ``product(params, vector)`` is the product of the Hessian of the sum and a vector, which
        Newton-CG uses.

    Raises
    ------
    UsageError
        If there is no client, or ``data`` is no collection of Dask.
    SizeError
        If collections have different numbers of chunks.
    OptionError
        If ``loss`` is no function.
    MissingExtraError
        If Dask is not installed.

    See Also
    --------
    value_and_grad
    """
    expect_function(loss, "gradwalk.distributed")
    executor = DaskExecutor(_client() if client is None else client)
    # chunks that are persisted live as long as the collection itself
    return ShardedSum(loss, executor, _chunks(data), keeps=data)


def _client() -> Any:
    try:
        from distributed import default_client
    except ImportError:
        raise _missing() from None
    try:
        return default_client()
    except ValueError:
        raise UsageError(
            where="gradwalk.distributed",
            expected="a client of Dask",
            got="none in this process",
            fix="Start one: client = dask.distributed.Client().",
        ) from None


def _chunks(data: Any) -> list[Any]:
    """Return the chunks of data, not computed yet, in order."""
    if not isinstance(data, tuple):
        return _chunks_of(data)
    try:
        from dask import delayed
    except ImportError:
        raise _missing() from None
    columns = [_chunks_of(x) for x in data]
    counts = [len(column) for column in columns]
    if len(set(counts)) != 1:
        raise SizeError(
            where="gradwalk.distributed: a tuple of collections",
            expected="collections with equal numbers of chunks",
            got=f"{counts}",
            fix="Write y = y.rechunk(x.chunks[0]).",
        )
    return [delayed(row) for row in zip(*columns, strict=True)]


def _chunks_of(data: Any) -> list[Any]:
    try:
        from dask import is_dask_collection
    except ImportError:
        raise _missing() from None
    if not is_dask_collection(data) or not hasattr(data, "to_delayed"):
        raise UsageError(
            where="gradwalk.distributed",
            expected="an array, DataFrame, Series or bag of Dask, or a tuple of them",
            got=describe(data),
            fix="Make one: dask.array.from_array(x, chunks=(100_000, -1)). For data of this "
            "process use gradwalk.parallel.map_grad.",
        )
    if hasattr(data, "rechunk"):
        data = data.rechunk(dict.fromkeys(range(1, data.ndim), -1))
    chunks = data.to_delayed()
    return list(chunks.ravel()) if hasattr(chunks, "ravel") else list(chunks)


def _missing() -> MissingExtraError:
    return MissingExtraError(
        where="gradwalk.distributed",
        expected="the packages dask and distributed",
        got="no such packages",
        fix="Install them: pip install 'gradwalk[dask]'.",
    )
