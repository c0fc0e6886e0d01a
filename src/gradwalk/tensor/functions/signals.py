"""Functions of sampled curves: convolution, slopes, interpolation, covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.expect import as_float, describe
from ...errors import OptionError, SizeError
from ...ops.arithmetic import clip, where
from ...ops.array.structure import reshape
from ..graph.tensor import Tensor
from ..graph.types import Axes
from . import convolution
from .arguments import axes_of, operand
from .creation import plain
from .decompositions import numbers_of
from .diagonals import diagonal
from .differences import diff
from .indexing import take
from .joining import concat
from .ordering import searchsorted
from .reducing import floating
from .reductions import mean
from .repeating import flip
from .shapes import atleast_2d, moveaxis
from .types import ArrayLike, binary_function, unary_function

__all__ = ["convolve", "corrcoef", "correlate", "cov", "gradient", "interp"]
METHODS: tuple[str, ...] = ()


# --- convolution ----------------------------------------------------------------------------------


@binary_function
def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> Tensor:
    """Return the discrete convolution of two rows of numbers.

        yₖ = Σₙ aₙ vₖ₋ₙ

    Parameters
    ----------
    a : (n,)
        One row.
    v : (m,)
        The other row.
    mode
        How far the rows overlap: "full" gives all n + m - 1 sums, "same" as many as the longer row
        has, "valid" those where the rows overlap completely.

    Returns
    -------
    (n + m - 1,), or a shorter row by mode
        The convolution.

    Raises
    ------
    SizeError
        If an argument does not have one axis, or has no elements.
    OptionError
        If ``mode`` is none of the three.

    See Also
    --------
    correlate, conv1d

    Examples
    --------
    >>> convolve([1.0, 2.0, 3.0], [0.0, 1.0]).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    a, v = _rows("convolve", a, v)
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    return _slide("convolve", a, flip(v), mode)


@binary_function
def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> Tensor:
    """Return the cross-correlation of two rows of numbers.

        yₖ = Σₙ aₙ₊ₖ vₙ

    Parameters
    ----------
    a : (n,)
        The row that is searched.
    v : (m,)
        The row that slides along ``a``.
    mode
        How far the rows overlap: "full" gives all n + m - 1 sums, "same" as many as the longer row
        has, "valid" those where the rows overlap completely.

    Returns
    -------
    (n + m - 1,), or a shorter row by mode
        The sums of products.

    Raises
    ------
    SizeError
        If an argument does not have one axis, or has no elements.
    OptionError
        If ``mode`` is none of the three.

    See Also
    --------
    convolve, conv1d

    Examples
    --------
    >>> correlate([1.0, 2.0, 3.0], [0.0, 1.0]).tolist()
    [2.0, 3.0]
    """
    a, v = _rows("correlate", a, v)
    if v.shape[0] > a.shape[0]:
        return flip(_slide("correlate", v, a, mode))
    return _slide("correlate", a, v, mode)


def _rows(where: str, *rows: object) -> Any:
    found: Any = [operand(x, where) for x in rows]
    if any(x.ndim != 1 or not x.shape[0] for x in found):
        raise SizeError(
            where=where,
            expected="two rows of one number or more",
            got=" and ".join(f"shape {x.shape}" for x in found),
            fix="Use conv1d or conv2d for stacks and images.",
        )
    return found


def _slide(where: str, a: Tensor, v: Tensor, mode: str) -> Tensor:
    """Return the sums of products of v and of what lies under it, as it moves over a."""
    m = v.shape[0]
    pads = {"full": (m - 1, m - 1), "same": (m // 2, (m - 1) // 2), "valid": (0, 0)}
    if not isinstance(mode, str) or mode not in pads:
        raise OptionError(
            where=f"{where}(mode=...)",
            expected='"full", "same" or "valid"',
            got=describe(mode),
            fix='Write mode="same" for as many numbers as the longer row has.',
        )
    zeros = [np.zeros(n, a.dtype) for n in pads[mode]]
    image = reshape(concat([zeros[0], a, zeros[1]]), shape=(1, 1, a.shape[0] + sum(pads[mode])))
    y = convolution.conv1d(image, reshape(v, shape=(1, 1, m)))
    return y[0, 0]


# --- slopes and interpolation ---------------------------------------------------------------------


def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Axes = None, edge_order: int = 1
) -> Tensor | tuple[Tensor, ...]:
    """Return derivatives of sampled curves by differences of neighbours.

        yᵢ = (fᵢ₊₁ - fᵢ₋₁) / (2 h)

    At the two ends the difference is one-sided.

    Parameters
    ----------
    f : any shape
        The samples; integers become floats.
    *varargs : () or (n,)
        Distances h between samples, or the places of all n samples along an axis: one for all axes,
        or one for each; 1 by default.
    axis
        The axis, or the axes, to differentiate along; all axes if ``None``.
    edge_order
        The order of accuracy at the ends, 1 or 2.

    Returns
    -------
    the shape of f
        The derivatives: an array for one axis, a tuple of arrays for several.

    Raises
    ------
    OptionError
        If there are distances for another number of axes, or ``edge_order`` is neither 1 nor 2.
    SizeError
        If ``f`` has no such axis, fewer than ``edge_order`` + 1 samples along it, or another number
        of samples than places.

    See Also
    --------
    diff

    Examples
    --------
    >>> gradient([1.0, 2.0, 4.0]).tolist()
    [1.0, 1.5, 2.0]
    """
    x: Any = floating(operand(f, "gradient"))
    axes = axes_of(axis, x.ndim, "gradient")
    given = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(given) != len(axes) or edge_order not in (1, 2):
        raise OptionError(
            where="gradient",
            expected=f"no distance, one, or one for each of {len(axes)} axes; edge_order 1 or 2",
            got=f"{len(varargs)} distances, edge_order={describe(edge_order)}",
            fix="Write gradient(f) for neighbours at distance 1.",
        )
    found = [_slopes(moveaxis(x, i, 0), h, edge_order) for i, h in zip(axes, given, strict=True)]
    moved = [moveaxis(y, 0, i) for i, y in zip(axes, found, strict=True)]
    return moved[0] if len(moved) == 1 else tuple(moved)


def _slopes(f: Any, spacing: object, order: int) -> Any:
    """Return the slopes along the first axis."""
    n, h = f.shape[0], operand(spacing, "gradient(distances)")
    if n <= order or h.ndim > 1 or (h.ndim and h.shape[0] != n):
        raise SizeError(
            where="gradient",
            expected=f"at least {order + 1} numbers along an axis, and a place for each or none",
            got=f"{n} numbers, and distances of shape {h.shape}",
            fix="Pass axis=... for the axes that are long enough.",
        )
    gaps: Any = diff(h) if h.ndim else reshape(h, shape=(1,)) * np.ones(n - 1)
    gaps = gaps if h.ndim and h.dtype.kind == "f" else gaps.astype(f.dtype)
    gaps = reshape(gaps, shape=(n - 1, *(1,) * (f.ndim - 1)))
    steep, a, b = (f[1:] - f[:-1]) / gaps, gaps[:-1], gaps[1:]
    # of even gaps the number in the middle does not matter, be it NaN
    inner = (b * steep[:-1] + a * steep[1:] if h.ndim else f[2:] - f[:-2]) / (a + b)
    first, last = steep[:1], steep[-1:]
    if order == 2:  # the parabola through three numbers
        first = first + (steep[:1] - steep[1:2]) * gaps[:1] / (gaps[:1] + gaps[1:2])
        last = last + (steep[-1:] - steep[-2:-1]) * gaps[-1:] / (gaps[-1:] + gaps[-2:-1])
    return concat([first, inner, last])


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: float | None = None,
    right: float | None = None,
    period: float | None = None,
) -> Tensor:
    """Interpolate linearly between the points (xp, fp).

        y = fₖ + (fₖ₊₁ - fₖ) (x - pₖ) / (pₖ₊₁ - pₖ)

    It has derivatives in ``x``, ``xp`` and ``fp``. Before the first point and after the last the
    slope is 0.

    Parameters
    ----------
    x : any shape
        Where to interpolate.
    xp : (n,)
        The places of the points, ascending unless ``period`` is given.
    fp : (n,)
        The values of the points.
    left
        The value before the first point; ``None`` is that of the first point.
    right
        The value after the last point; ``None`` is that of the last point.
    period
        The length after which the points repeat; ``None`` for points that do not.

    Returns
    -------
    the shape of x
        The interpolated values.

    Raises
    ------
    SizeError
        If ``xp`` and ``fp`` are not two rows of one length >= 1.

    Examples
    --------
    >>> interp([0.5, 3.0], [0.0, 1.0], [10.0, 20.0]).tolist()
    [15.0, 20.0]
    """
    x, xp, fp = (floating(operand(a, "interp")) for a in (x, xp, fp))
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.shape[0]:
        raise SizeError(
            where="interp(xp, fp)",
            expected="two rows of equal length",
            got=f"shapes {xp.shape} and {fp.shape}",
            fix="Call it once for each row.",
        )
    if period is not None:
        x, xp = x % period, xp % period
        order = np.argsort(numbers_of(xp), kind="stable")
        xp, fp = take(xp, order), take(fp, order)
        xp = concat([xp[-1:] - period, xp, xp[:1] + period])
        fp = concat([fp[-1:], fp, fp[:1]])
    if xp.shape[0] == 1:  # one point has no neighbour
        xp, fp = concat([xp, xp + 1.0]), concat([fp, fp])
    i: Any = clip(searchsorted(xp, x, side="right") - 1, 0, xp.shape[0] - 2)
    x0, y0, x1, y1 = take(xp, i), take(fp, i), take(xp, i + 1), take(fp, i + 1)
    y: Any = (y1 - y0) / (x1 - x0) * (x - x0) + y0
    y = where(x >= xp[-1], fp[-1], where(x < xp[0], fp[0], y))
    y = y if left is None else where(x < xp[0], left, y)
    return y if right is None else where(x > xp[-1], right, y)


# --- covariance -----------------------------------------------------------------------------------


@unary_function
def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
) -> Tensor:
    """Return the covariances of variables.

        C = Σₙ wₙ (xₙ - x̄) (xₙ - x̄)ᵀ / (Σ wₙ - ddof Σ aₙ wₙ / Σ wₙ)

    Parameters
    ----------
    m : (variables, observations) or (observations,)
        The observations; integers become floats.
    y : like m
        More variables, with as many observations; ``None`` for none.
    rowvar
        Whether each row is a variable, else each column.
    bias
        Whether ``ddof`` is 0 by default instead of 1.
    ddof
        What is subtracted from the number of observations; ``None`` is 1, or 0 with ``bias``.
    fweights : (observations,)
        How often each observation occurs; ``None`` is once.
    aweights : (observations,)
        Weights aₙ of the observations; ``None`` is 1 each.

    Returns
    -------
    (variables, variables), or () for one variable
        The covariances.

    Raises
    ------
    SizeError
        If ``m`` or ``y`` has more than two axes, they have different numbers of observations, or a
        weight is missing.

    See Also
    --------
    corrcoef, var

    Examples
    --------
    >>> cov([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    x = _variables(m, rowvar)
    if y is not None:
        x = concat([x, _variables(y, rowvar)])
    less = (0.0 if bias else 1.0) if ddof is None else as_float(ddof, "cov(ddof)")
    counts = [plain(w, "cov(weights)") for w in (fweights, aweights) if w is not None]
    if any(w.shape != x.shape[1:] for w in counts):
        raise SizeError(
            where="cov(weights)",
            expected=f"a weight for each of {x.shape[1]} observations",
            got=", ".join(f"shape {w.shape}" for w in counts),
            fix="Pass as many weights as there are columns.",
        )
    w: Any = np.prod(counts, axis=0).astype(x.dtype) if counts else None
    if w is None:
        d, total = x - mean(x, axis=1, keepdims=True), float(x.shape[1]) - less
        c: Any = d @ d.mT / total if total > 0 else d @ d.mT * np.nan
    else:
        d = x - (x * w).sum(axis=1, keepdims=True) / w.sum()
        spread = 1.0 if aweights is None else (w * plain(aweights, "cov")).sum() / w.sum()
        spread = np.asarray(spread, w.dtype)
        c = (d * w) @ d.mT / (w.sum() - less * spread)
    return c[0, 0] if c.shape == (1, 1) else c


def _variables(m: object, rowvar: bool) -> Tensor:
    x: Any = floating(operand(m, "cov"))
    if x.ndim > 2:
        raise SizeError(
            where="cov(m)",
            expected="one variable, or a row for each",
            got=f"shape {x.shape}",
            fix="Reshape the observations of each variable into one row.",
        )
    rows = atleast_2d(x)
    return rows if rowvar or x.ndim < 2 else rows.mT


@unary_function
def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True) -> Tensor:
    """Return the coefficients of correlation of variables.

        Rᵢⱼ = Cᵢⱼ / √(Cᵢᵢ Cⱼⱼ)

    Parameters
    ----------
    x : (variables, observations) or (observations,)
        The observations; integers become floats.
    y : like x
        More variables, with as many observations; ``None`` for none.
    rowvar
        Whether each row is a variable, else each column.

    Returns
    -------
    (variables, variables), or () for one variable
        The coefficients, between -1 and 1; NaN for a variable that is constant.

    Raises
    ------
    SizeError
        If ``x`` or ``y`` has more than two axes, or they have different numbers of observations.

    See Also
    --------
    cov

    Examples
    --------
    >>> corrcoef([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]).data.round(12).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    c: Any = cov(x, y, rowvar)
    if not c.ndim:
        return c / c
    s: Any = diagonal(c) ** 0.5
    return clip(c / s[:, None] / s, -1.0, 1.0)
