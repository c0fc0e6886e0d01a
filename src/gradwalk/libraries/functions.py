"""NumPy's functions that are no ufuncs, by the functions of the array API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from .array import FUNCTIONS, LibraryArray, apply
from .held import Operand, Raw, joint, lacking
from .places import Place

__all__ = ["like", "on_place"]


WEAK = ("torch", "jax")
"""Libraries that choose between an array and a number of Python."""


def on_place(x: Operand, place: Place, dtype: Any = None) -> LibraryArray:
    """Return ``x`` at a place: an array that is there, or a constant of a rule."""
    if type(x) is LibraryArray:
        return x if dtype is None else x.astype(dtype, copy=False)
    x = np.asarray(x, dtype)
    if not x.ndim:  # made there, and not sent
        return LibraryArray(place.full((), x.item(), x.dtype), place)
    return LibraryArray(place.put(x), place)


def like(x: LibraryArray, raw: Raw) -> LibraryArray:
    """Return an array of the library of ``x`` as the table computes with it."""
    return x._with(raw)


def _first(xs: Sequence[Any]) -> LibraryArray:
    return next(x for x in xs if type(x) is LibraryArray)


def _alike(xs: Sequence[Any]) -> tuple[Place, list[Any]]:
    """Return the place of several arrays, and them in their common dtype."""
    place = _first(xs).place
    dtype = result_type(*xs)
    for x in xs:
        if type(x) is LibraryArray:
            place = joint("an operation", place, x.place)
    return place, [on_place(x, place, dtype).raw for x in xs]


def result_type(*xs: Any) -> np.dtype[Any]:
    """Return the dtype of a result, by NumPy's promotion."""
    return np.result_type(*[x.dtype if hasattr(x, "dtype") else x for x in xs])


def where(condition: Operand, a: Operand, b: Operand) -> LibraryArray:
    """Return elements of ``a`` where a condition is true, otherwise of ``b``."""
    place, (x, y) = _first((condition, a, b)).place, (a, b)
    dtype = result_type(a, b)
    raws = []
    for arg, other in ((x, y), (y, x)):
        number = isinstance(arg, (bool, int, float)) and not isinstance(arg, np.generic)
        if type(arg) is float and type(other) is LibraryArray and place.library in WEAK:
            raws.append(arg)  # the other one decides the dtype
            continue
        raws.append(place.full((), arg, dtype) if number else on_place(arg, place, dtype).raw)
    test = on_place(condition, place)
    test = test if test.dtype.kind == "b" else apply(np.not_equal, (test, 0))
    return LibraryArray(place.xp.where(test.raw, *raws), place)


def concatenate(arrays: Any, axis: int | None = 0, dtype: Any = None) -> LibraryArray:
    """Return arrays end to end."""
    place, raws = _alike(list(arrays))
    if axis is None:
        raws, axis = [place.xp.reshape(raw, (-1,)) for raw in raws], 0
    return LibraryArray(place.xp.concat(raws, axis=axis), place)


def stack(arrays: Any, axis: int = 0) -> LibraryArray:
    """Return arrays side by side."""
    place, raws = _alike(list(arrays))
    return LibraryArray(place.xp.stack(raws, axis=axis), place)


def broadcast_to(x: LibraryArray, shape: Any) -> LibraryArray:
    """Return x repeated along new axes, and axes of length 1."""
    lengths = tuple(shape) if hasattr(shape, "__len__") else (shape,)
    return like(x, x.place.xp.broadcast_to(x.raw, lengths))


def moveaxis(x: LibraryArray, source: Any, destination: Any) -> LibraryArray:
    """Return x with axes at other places."""
    return like(x, x.place.xp.moveaxis(x.raw, source, destination))


def filled(number: float) -> Callable[..., LibraryArray]:
    """Return `numpy.zeros_like` or `numpy.ones_like`."""

    def make(x: LibraryArray, dtype: Any = None, shape: Any = None, **_: Any) -> LibraryArray:
        lengths = x.shape if shape is None else shape
        return like(x, x.place.full(lengths, number, x.dtype if dtype is None else dtype))

    return make


def full_like(
    x: LibraryArray, number: Operand, dtype: Any = None, shape: Any = None
) -> LibraryArray:
    """Return one number in the shape of x."""
    lengths = x.shape if shape is None else shape
    return like(x, x.place.full(lengths, number, x.dtype if dtype is None else dtype))


def named(name: str, *options: str) -> Callable[..., Any]:
    """Return a function of one array by the array API's function of a name."""

    def call(x: LibraryArray, *args: Any, **how: Any) -> LibraryArray:
        how.update(zip(options, args, strict=False))
        return like(x, _function(x.place, name)(x.raw, **how))

    return call


def of_numbers(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of one array that gets bools as integers."""

    def call(x: LibraryArray, *args: Any, **how: Any) -> Any:
        return f(x.astype(np.int8) if x.dtype.kind == "b" else x, *args, **how)

    return call


def _function(place: Place, name: str) -> Any:
    found: Any = place.xp
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise lacking(name, place)
    return _as_lapack(found) if name.startswith("linalg.") else found


def _as_lapack(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses a matrix by NumPy's error, which the table explains."""

    def call(*args: Any, **options: Any) -> Any:
        try:
            return f(*args, **options)
        except RuntimeError as error:  # of PyTorch
            raise LinAlgError(str(error).partition("\n")[0]) from error

    return call


def several(name: str, *options: str) -> Callable[..., Any]:
    """Return a function of one array with several results."""

    def call(x: LibraryArray, *args: Any, **how: Any) -> Any:
        how.update(zip(options, args, strict=False))
        return tuple([like(x, raw) for raw in _function(x.place, name)(x.raw, **how)])

    return call


def cumulative(name: str) -> Callable[..., LibraryArray]:
    """Return a running sum or product."""

    def call(x: LibraryArray, axis: int) -> LibraryArray:
        kind = x.dtype if x.dtype.kind == "f" else np.dtype(np.int64)
        x = x.astype(kind, copy=False)
        return like(x, _function(x.place, name)(x.raw, axis=axis))

    return call


def solve(a: Operand, b: Operand) -> LibraryArray:
    """Return the solution of linear equations."""
    place, raws = _alike((a, b))
    return LibraryArray(_function(place, "linalg.solve")(*raws), place)


def pinv(x: LibraryArray, rtol: Any = None) -> LibraryArray:
    """Return the pseudo-inverse; singular values up to ``rtol`` times the largest count as 0."""
    cut = {} if rtol is None else {"rtol": on_place(np.asarray(rtol), x.place, x.dtype).raw}
    return like(x, _function(x.place, "linalg.pinv")(x.raw, **cut))


def take_along_axis(x: LibraryArray, places: Operand, axis: int = -1) -> LibraryArray:
    """Return numbers of x by their places along an axis."""
    ids = on_place(places, x.place, np.int64)
    return like(x, x.place.xp.take_along_axis(x.raw, ids.raw, axis=axis))


def searchsorted(
    a: Operand, v: Operand, side: str = "left", sorter: Operand = None
) -> LibraryArray:
    """Return the places where the numbers v would keep a sorted array sorted."""
    place, (sorted_, wanted) = _alike((a, v))
    order = {} if sorter is None else {"sorter": on_place(sorter, place, np.int64).raw}
    found = LibraryArray(place.xp.searchsorted(sorted_, wanted, side=side, **order), place)
    return found.astype(np.int64, copy=False)


def isclose(
    a: Operand, b: Operand, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Operand:
    """Return whether numbers are equal up to NumPy's tolerance."""
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    found: Any = (np.isfinite(b) & near) | np.equal(a, b)
    return found | (np.isnan(a) & np.isnan(b)) if equal_nan else found


def rounded(x: Operand, decimals: int = 0) -> Operand:
    """Return the nearest numbers with so many decimals, as NumPy computes them."""
    if x.dtype.kind != "f" and decimals >= 0:
        return x
    power = 10.0 ** abs(decimals)
    if decimals < 0:
        return (np.rint(x / power) * power).astype(x.dtype, copy=False)
    return np.rint(x * power) / power if decimals else np.rint(x)


def expand_dims(x: LibraryArray, axis: Any) -> LibraryArray:
    """Return x with new axes of length 1."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    count = x.ndim + len(axes)
    new, rest = {i % count for i in axes}, iter(x.shape)
    return x.reshape(tuple(1 if i in new else next(rest) for i in range(count)))


def tile(x: LibraryArray, reps: Any) -> LibraryArray:
    """Return x several times over."""
    return like(x, x.place.xp.tile(x.raw, reps if isinstance(reps, tuple) else (reps,)))


def split(x: LibraryArray, parts: int, axis: int = 0) -> list[LibraryArray]:
    """Return equal parts along an axis."""
    width = x.shape[axis] // parts
    front = (slice(None),) * (axis % x.ndim)
    return [x[(*front, slice(i * width, (i + 1) * width))] for i in range(parts)]


def einsum(equation: str, *args: Any, optimize: Any = None) -> LibraryArray:
    """Return an explicit Einstein sum by products and sums of whole arrays."""
    place, raws = _alike(args)
    own = getattr(place.xp, "einsum", None)
    if own is not None and "..." not in equation:
        return LibraryArray(own(equation, *raws), place)
    if "..." in equation:
        raise lacking(f"einsum({equation!r})", place)
    inputs, result = equation.split("->")
    operands = [LibraryArray(raw, place) for raw in raws]
    letters = list(dict.fromkeys(inputs.replace(",", "")))
    total: Any = 1.0
    for axes, x in zip(inputs.split(","), operands, strict=True):
        axes, x = _diagonal(axes, x)
        kept = [a for a in letters if a in axes]
        x = x.transpose([axes.index(a) for a in kept]) if x.ndim else x
        lengths = dict(zip(kept, x.shape, strict=True))
        total = total * x.reshape(tuple(lengths.get(a, 1) for a in letters))
    gone = tuple(i for i, a in enumerate(letters) if a not in result)
    total = total.sum(axis=gone)
    left = [a for a in letters if a in result]
    return total.transpose([left.index(a) for a in result]) if left else total  # type: ignore[no-any-return]


def _diagonal(axes: str, x: LibraryArray) -> tuple[str, LibraryArray]:
    """Return an operand without axes that repeat another."""
    for a in dict.fromkeys(axes):
        while axes.count(a) > 1:
            i, j = axes.index(a), axes.rindex(a)
            n = x.shape[i]
            lengths = [n if k == i else n if k == j else 1 for k in range(x.ndim)]
            x = (x * np.eye(n, dtype=x.dtype).reshape(lengths)).sum(axis=j)
            axes = axes[:j] + axes[j + 1 :]
    return axes, x


FUNCTIONS.update({
    np.where: where,
    np.result_type: result_type,
    np.concatenate: concatenate,
    np.stack: stack,
    np.broadcast_to: broadcast_to,
    np.moveaxis: moveaxis,
    np.zeros_like: filled(0),
    np.ones_like: filled(1),
    np.full_like: full_like,
    np.expand_dims: expand_dims,
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x: x.size,
    np.copy: lambda x: x.copy(),
    np.reshape: lambda x, shape: x.reshape(shape),
    np.ravel: lambda x: x.reshape(-1),
    np.transpose: lambda x, axes=(): x.transpose(axes),
    np.swapaxes: lambda x, a, b: x.swapaxes(a, b),
    np.squeeze: lambda x, axis=None: x.squeeze(axis),
    np.sum: lambda x, axis=None, keepdims=False: x.sum(axis, keepdims),
    np.max: lambda x, axis=None, keepdims=False: x.max(axis, keepdims),
    np.min: lambda x, axis=None, keepdims=False: x.min(axis, keepdims),
    np.all: lambda x, axis=None, keepdims=False: x.all(axis, keepdims),
    np.any: lambda x, axis=None, keepdims=False: x.any(axis, keepdims),
    np.count_nonzero: lambda x, axis=None, keepdims=False: (x != 0).sum(axis, keepdims),
    np.clip: lambda x, low=None, high=None: x.clip(low, high),
    np.flip: named("flip", "axis"),
    np.roll: named("roll", "shift", "axis"),
    np.tril: named("tril", "k"),
    np.triu: named("triu", "k"),
    np.argmax: of_numbers(named("argmax", "axis")),
    np.argmin: of_numbers(named("argmin", "axis")),
    np.argsort: named("argsort", "axis"),
    np.cumsum: cumulative("cumulative_sum"),
    np.cumprod: cumulative("cumulative_prod"),
    np.tile: tile,
    np.split: split,
    np.nonzero: lambda x: several("nonzero")(x._with(x.place.told(x.raw))),
    np.take_along_axis: take_along_axis,
    np.searchsorted: searchsorted,
    np.isclose: isclose,
    np.round: rounded,
    np.einsum: einsum,
    np.linalg.solve: solve,
    np.linalg.inv: named("linalg.inv"),
    np.linalg.det: named("linalg.det"),
    np.linalg.cholesky: named("linalg.cholesky"),
    np.linalg.eigh: several("linalg.eigh"),
    np.linalg.eigvalsh: named("linalg.eigvalsh"),
    np.linalg.qr: several("linalg.qr"),
    np.linalg.svd: several("linalg.svd", "full_matrices"),
    np.linalg.matrix_norm: named("linalg.matrix_norm"),
    np.abs: abs,
    np.rint: lambda x: apply(np.rint, (x,)),
    np.linalg.slogdet: several("linalg.slogdet"),
    np.linalg.svdvals: named("linalg.svdvals"),
    np.linalg.pinv: pinv,
    np.linalg.matrix_rank: named("linalg.matrix_rank"),
})  # fmt: skip
