"""Random Tensors from seeds: ``gradwalk.random``.

``seed`` is an integer (equal ones give equal bits), a generator to draw from
(`numpy.random.Generator` or `random.Random`), or ``None`` for new draws each time. No global
generator is touched.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from ...core.expect import describe, index_of
from ...core.rooms import as_room
from ...core.seeds import repeatable
from ...errors import OptionError
from ..graph.convert import dtype_of
from ..graph.tensor import Tensor
from ..graph.types import Array, DTypeLike, Seed, Shape
from .arguments import axis_of, operand, shape_of
from .creation import leaf, plain
from .types import ArrayLike, unary_function

__all__ = ["bernoulli", "choice", "integers", "normal", "permutation", "uniform"]
METHODS: tuple[str, ...] = ()


# a function under `checkpoint` draws the same numbers when it runs again
@repeatable
def _generator(seed: Seed) -> np.random.Generator:
    """Return the generator that ``seed`` describes."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, Random):  # its next bits, so that further calls draw other numbers
        return np.random.default_rng(seed.getrandbits(128))
    if seed is None or (index_of(seed) is not None and seed.__index__() >= 0):
        return np.random.default_rng(None if seed is None else seed.__index__())
    raise OptionError(
        where="seed",
        expected="a non-negative integer, a generator or None",
        got=describe(seed),
        fix="Pass an int for reproducible draws, or a generator: numpy.random.default_rng(0).",
    )


def _floating(dtype: Any, where: str) -> Any:
    found = dtype_of(np.float64 if dtype is None else dtype, f"{where}(dtype)")
    _demand(found.kind == "f", f"{where}(dtype)", "a floating dtype", found)
    return found


def _demand(holds: Any, where: str, expected: str, got: object) -> None:
    if not holds:
        fix = "See the ranges in help(gradwalk.random)."
        raise OptionError(where=where, expected=expected, got=describe(got), fix=fix)


def _mark(draw: Tensor, requires_grad: bool, label: str) -> Any:
    """Return the result as a leaf, unless gradients flow through it to parameters."""
    if draw.requires_grad:
        draw.label = label
        return draw
    return leaf(draw._data, requires_grad, label)


def _sizes(shape: Any, where: str, *parameters: Any) -> tuple[int, ...]:
    """Return the shape, the first argument. NumPy's functions take it last, as a tuple."""
    for parameter in parameters:
        if isinstance(parameter, tuple):
            raise OptionError(
                where=where,
                expected="the shape first, and numbers or arrays after it",
                got=f"shape={describe(shape)}, and the parameter {describe(parameter)}",
                fix="Write normal((2, 3), mean, std) or uniform((2, 3), low, high).",
            )
    return shape_of(shape, where)


def normal(
    shape: Shape = (),
    mean: Tensor | Array | float = 0.0,
    std: Tensor | Array | float = 1.0,
    *,
    seed: Seed = None,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
) -> Tensor:
    """Draw from normal distributions.

        y = mean + std · z,  z ~ N(0, 1)

    Equal seeds give equal numbers in every dtype, up to rounding.

    Parameters
    ----------
    shape
        The lengths of the axes; () for one number.
    mean : any shape
        The mean. If it is a Tensor, the gradient of the draw flows to it.
    std : any shape
        The standard deviation, >= 0. If it is a Tensor, the gradient of the draw flows to it.
    seed
        An integer (equal ones give equal bits), a generator to draw from, or ``None`` for new draws
        each time.
    dtype
        The floating dtype of the result; float64 if ``None``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.

    Returns
    -------
    the given shape, or that which shape, mean and std broadcast to
        The numbers.

    Raises
    ------
    OptionError
        If ``std`` is negative, ``shape``, ``seed`` or ``dtype`` is not of its kind, or the
        parameters come first, as in NumPy.
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> normal(3, seed=1).shape
    (3,)
    >>> bool((normal(3, seed=1) == normal(3, seed=1)).all())
    True
    """
    kind = _floating(dtype, "normal")
    sizes = _sizes(shape, "normal", mean, std)
    _demand(not np.any(_numbers(std) < 0.0), "normal(std)", "a number >= 0", std)
    _numbers(mean)  # for its error: a list is no parameter of a distribution
    # drawn in double precision: equal seeds give equal numbers, up to the rounding of the dtype
    draw = _generator(seed).standard_normal(sizes).astype(kind)
    # the draw is a constant, so that gradients flow to the parameters (reparametrisation)
    return _mark(Tensor._of(draw) * std + mean, requires_grad, label)


def uniform(
    shape: Shape = (),
    low: Tensor | Array | float = 0.0,
    high: Tensor | Array | float = 1.0,
    *,
    seed: Seed = None,
    dtype: DTypeLike | None = None,
    requires_grad: bool = False,
    label: str = "",
) -> Tensor:
    """Draw numbers that are equally likely anywhere between two bounds.

        y = low + (high - low) · u,  0 <= u < 1

    Parameters
    ----------
    shape
        The lengths of the axes; () for one number.
    low : any shape
        The lower bound, included. If it is a Tensor, the gradient of the draw flows to it.
    high : any shape
        The upper bound, >= ``low``, not included. If it is a Tensor, the gradient of the draw flows
        to it.
    seed
        An integer (equal ones give equal bits), a generator to draw from, or ``None`` for new draws
        each time.
    dtype
        The floating dtype of the result; float64 if ``None``.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.

    Returns
    -------
    the given shape, or that which shape, low and high broadcast to
        The numbers.

    Raises
    ------
    OptionError
        If low > high, ``shape``, ``seed`` or ``dtype`` is not of its kind, or the parameters come
        first, as in NumPy.
    SizeError
        If the shapes do not broadcast together.

    Examples
    --------
    >>> bool((uniform(5, -1.0, 1.0, seed=2) >= -1.0).all())
    True
    """
    kind = _floating(dtype, "uniform")
    sizes = _sizes(shape, "uniform", low, high)
    ordered = np.all(_numbers(low) <= _numbers(high))
    _demand(ordered, "uniform(low, high)", "low <= high", (low, high))
    draw = _generator(seed).random(sizes).astype(kind)
    below_one = np.nextafter(kind.type(1.0), kind.type(0.0))  # rounding must not reach 1
    return _mark(Tensor._of(np.minimum(draw, below_one)) * (high - low) + low, requires_grad, label)


def integers(
    low: int,
    high: int | None = None,
    shape: Shape = (),
    *,
    seed: Seed = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Draw integers that are equally likely.

    Parameters
    ----------
    low
        The least integer; with no ``high``, the end, and 0 is the least.
    high
        The end, which is not included.
    shape
        The lengths of the axes; () for one number.
    seed
        An integer (equal ones give equal bits), a generator to draw from, or ``None`` for new draws
        each time.
    dtype
        The integer dtype of the result; int64 if ``None``.

    Returns
    -------
    the given shape
        The integers.

    Raises
    ------
    OptionError
        If there is no integer between the bounds, these do not fit the dtype, or ``shape``,
        ``seed`` or ``dtype`` is not of its kind.

    Examples
    --------
    >>> integers(1, 7, 10, seed=3).shape
    (10,)
    """
    low, high = (0, low) if high is None else (low, high)  # as in NumPy: integers(6) is below 6
    kind = dtype_of(np.int64 if dtype is None else dtype, "integers(dtype)")
    _demand(kind.kind in "iu", "integers(dtype)", "an integer dtype", kind)
    whole = index_of(low) is not None and index_of(high) is not None
    limits = np.iinfo(kind)
    fits = whole and limits.min <= low.__index__() < high.__index__() <= limits.max + 1
    _demand(fits, "integers(low, high)", f"integers, low < high, in {kind}", (low, high))
    draw = _generator(seed).integers(int(low), int(high), shape_of(shape, "integers"), kind)
    return Tensor._of(draw)


@unary_function
def permutation(x: ArrayLike, *, axis: int = 0, seed: Seed = None) -> Tensor:
    """Shuffle the integers below a number, or the rows of an array.

    Parameters
    ----------
    x : () or any shape
        An integer n shuffles 0, …, n - 1; gradients flow to the rows of an array.
    axis
        The axis whose parts are shuffled.
    seed
        An integer (equal ones give equal bits), a generator to draw from, or ``None`` for new draws
        each time.

    Returns
    -------
    the shape of x, or (n,)
        The shuffled integers or rows.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.
    OptionError
        If ``x`` is a negative integer, or ``seed`` is not a seed.

    Examples
    --------
    >>> sorted(permutation(4, seed=4).tolist())
    [0, 1, 2, 3]
    """
    order, x, before = _order(x, axis, "permutation")
    # indices are shuffled instead of x, because gradients flow through an index
    chosen = _generator(seed).permutation(order)
    return Tensor._of(chosen) if x is None else x[(*before, chosen)]


@unary_function
def choice(
    x: ArrayLike,
    shape: Shape = (),
    *,
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
    seed: Seed = None,
) -> Tensor:
    """Draw integers below a number, or rows of an array.

    Parameters
    ----------
    x : () or any shape
        An integer n draws from 0, …, n - 1; gradients flow to the rows of an array.
    shape
        How many to draw; () draws one.
    replace
        Whether the same integer or row may be drawn again.
    p : (n,)
        The probability of each integer or row; ``None`` makes them equal.
    axis
        The axis whose parts are drawn.
    seed
        An integer (equal ones give equal bits), a generator to draw from, or ``None`` for new draws
        each time.

    Returns
    -------
    the given shape, or that of x with it instead of axis
        The integers or rows.

    Raises
    ------
    SizeError
        If ``x`` has no such axis.
    OptionError
        If there are too few to draw from, ``p`` does not have a number >= 0 for each or does not
        add up to 1, or ``seed`` is not a seed.

    Examples
    --------
    >>> choice(3, 2, p=[0.0, 0.0, 1.0], seed=5)
    Tensor([2, 2])
    """
    order, x, before = _order(x, axis, "choice")
    sizes = shape_of(shape, "choice")
    count = int(np.prod(sizes))
    enough = len(order) >= (1 if replace else count) or count == 0
    _demand(enough, "choice(replace=False)", f"at most {len(order)} draws", count)
    chosen = _generator(seed).choice(order, sizes, replace, _weights(p, len(order)))
    return Tensor._of(np.asarray(chosen)) if x is None else x[(*before, chosen)]


def bernoulli(
    p: ArrayLike = 0.5, shape: Shape | None = None, *, seed: Seed = None, dtype: DTypeLike = bool
) -> Tensor:
    """Draw True with a probability, else False.

    Parameters
    ----------
    p : any shape
        The probability, between 0 and 1.
    shape
        The lengths of the axes; ``None`` takes the shape of ``p``.
    seed
        An integer (equal ones give equal bits), a generator to draw from, or ``None`` for new draws
        each time.
    dtype
        The dtype of the result, in which True is 1.

    Returns
    -------
    the given shape, or that of p
        The draws.

    Raises
    ------
    OptionError
        If a probability is outside of [0, 1], or ``shape``, ``seed`` or ``dtype`` is not of its
        kind.
    SizeError
        If ``p`` does not broadcast to the shape.

    Examples
    --------
    >>> bernoulli(1.0, 2, seed=6)
    Tensor([ True,  True])
    """
    chances = _numbers(p)
    _demand(np.all((chances >= 0) & (chances <= 1)), "bernoulli(p)", "0 <= p <= 1", p)
    sizes = chances.shape if shape is None else shape_of(shape, "bernoulli")
    draw = _generator(seed).random(sizes) < chances
    return Tensor._of(np.asarray(draw).astype(dtype_of(dtype, "bernoulli(dtype)")))


def _numbers(x: object) -> Any:
    """Return the plain numbers of a parameter."""
    return x._data if isinstance(x, Tensor) else plain(x, "gradwalk.random")


def _order(x: object, axis: int, where: str) -> tuple[Any, Any, tuple[slice, ...]]:
    """Return indices to shuffle, the array they index (or ``None``), and the axes before them."""
    count = None if getattr(x, "ndim", 0) else index_of(x)
    if count is not None:
        _demand(count >= 0, f"{where}(x)", "a non-negative integer, or an array", x)
        return np.arange(count), None, ()
    x = operand(x, where)
    axis = axis_of(axis, x.ndim, where)
    return np.arange(x.shape[axis]), x, (slice(None),) * axis


def _weights(p: object, count: int) -> Any:
    """Return the probabilities of ``count`` choices, or ``None``."""
    if p is None:
        return None
    weights = _numbers(p)
    good = weights.shape == (count,) and np.all(weights >= 0) and abs(weights.sum() - 1) < 1e-8
    _demand(good, "choice(p)", f"{count} numbers >= 0 that add up to 1", p)
    return weights


as_room(__name__)
