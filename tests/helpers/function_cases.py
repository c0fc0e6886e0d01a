"""Calls of the functions of samples, joins, segments and special values, each with its peer.

A case is a call, what it is drawn from, and NumPy's or SciPy's function (``None`` where it has
none). The tables are used by `tests/tensor/functions/test_peers.py` for values and derivatives, and
by `tests/transforms/test_vmap.py`, where a test requires that no public function is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.special

from gradwalk import tensor as t
from gradwalk.tensor.functions import linalg

__all__ = ["CALLED", "FUNCTIONS", "MATRICES", "Case"]

Draw = Callable[[Any], Any]


class Case(NamedTuple):
    """A function of arrays, what they are drawn from, and a peer for arrays of NumPy."""

    call: Callable[..., Any]
    draws: list[Draw]
    peer: Callable[..., Any] | None


def real(*shape: int) -> Draw:
    return lambda rng: rng.normal(size=shape)


def between(low: float, high: float, *shape: int) -> Draw:
    return lambda rng: rng.uniform(low, high, shape)


def gaps(*shape: int) -> Draw:
    def draw(rng: Any) -> Any:
        x = rng.normal(size=shape)
        x.reshape(-1)[::3] = np.nan
        return x

    return draw


def ordered(n: int) -> Draw:
    return lambda rng: np.cumsum(rng.uniform(0.5, 1.5, n))


def whole(high: int, *shape: int) -> Draw:
    return lambda rng: rng.integers(0, high, shape)


def _same(name: str, *draws: Draw, **options: Any) -> Case:
    """The function of the same name and the same options."""
    f, peer = getattr(t, name), getattr(np, name, None) or getattr(scipy.special, name)
    return Case(lambda *a: f(*a, **options), [*draws], lambda *a: peer(*a, **options))


def _segments(name: str, f: Any, start: float) -> Case:
    def peer(x: Any, ids: Any) -> Any:
        y = np.full((4, *x.shape[1:]), start)
        f.at(y, ids, x)
        return y

    return Case(lambda x, ids: getattr(t, name)(x, ids, 4), [real(5, 2), whole(3, 5)], peer)


def _mean(x: Any, ids: Any) -> Any:
    return np.stack([x[ids == k].mean(0) if (ids == k).any() else x[0] * np.nan for k in range(3)])


def _piece(x: Any, xp: Any) -> Any:
    return xp.piecewise(x, [x < 0.0, x > 1.0], [lambda x: -x, lambda x: x * x, lambda x: 3.0 * x])


ROW_PAIR, SQUARE = (real(3), real(4)), real(3, 3)
NANS = ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian")

FUNCTIONS: dict[str, list[Case]] = {
    **{name: [_same(name, gaps(5)), _same(name, gaps(3, 4), axis=1, keepdims=True),
              _same(name, gaps(3, 4), axis=0)] for name in (*NANS, "nanargmax", "nanargmin")},
    **{name: [_same(name, gaps(5)), _same(name, gaps(3, 4), axis=1)]
       for name in ("nancumsum", "nancumprod")},
    "nanquantile": [_same("nanquantile", gaps(3, 5), q=[0.2, 0.7], axis=1)],
    "nanpercentile": [_same("nanpercentile", gaps(7), q=35.0, keepdims=True)],
    "cummax": [Case(lambda x: t.cummax(x, 1), [real(2, 5)],
                    lambda x: np.maximum.accumulate(x, axis=1))],
    "cummin": [Case(t.cummin, [real(5)], np.minimum.accumulate)],
    "logcumsumexp": [Case(lambda x: t.logcumsumexp(x, 0), [real(5, 2)],
                          lambda x: np.logaddexp.accumulate(x, axis=0))],
    "partition": [Case(lambda x: t.partition(x, 2), [real(2, 5)], np.sort)],
    "argpartition": [Case(lambda x: t.argpartition(x, 2), [real(5)], np.argsort)],
    **{name: [_same(name, real(5), real(3), mode=mode) for mode in ("full", "same", "valid")]
       + [_same(name, real(2), real(4), mode=mode) for mode in ("full", "same", "valid")]
       for name in ("convolve", "correlate")},
    "gradient": [
        Case(t.gradient, [real(5)], np.gradient),
        Case(lambda f, h: t.gradient(f, h, edge_order=2), [real(5), ordered(5)],
             lambda f, h: np.gradient(f, h, edge_order=2)),
        Case(lambda f: t.gradient(f, 0.5, axis=1), [real(2, 4)],
             lambda f: np.gradient(f, 0.5, axis=1))],
    "interp": [_same("interp", between(0.0, 7.0, 6), ordered(5), real(5)),
               _same("interp", between(0.0, 7.0, 6), ordered(5), real(5), left=-1.0, right=2.0)],
    "cov": [_same("cov", real(3, 5)), _same("cov", real(5)), _same("cov", real(5, 2), rowvar=False),
            Case(lambda x, y: t.cov(x, y, bias=True), [real(5), real(5)],
                 lambda x, y: np.cov(x, y, bias=True)),
            Case(lambda x: t.cov(x, fweights=[1, 2, 1], aweights=[0.5, 1.0, 2.0]), [real(2, 3)],
                 lambda x: np.cov(x, fweights=[1, 2, 1], aweights=[0.5, 1.0, 2.0]))],
    "corrcoef": [_same("corrcoef", real(3, 5))],
    "add_at": [Case(lambda x, i, v: t.add_at(x, (i, 1), v), [real(3, 2), whole(3, 4), real(4)],
                    lambda x, i, v: x + np.stack([0 * x[:, 0],
                                                  np.bincount(i, v, minlength=3)], axis=1))],
    "segment_sum": [_segments("segment_sum", np.add, 0.0)],
    "segment_prod": [_segments("segment_prod", np.multiply, 1.0)],
    "segment_max": [_segments("segment_max", np.maximum, -np.inf)],
    "segment_min": [_segments("segment_min", np.minimum, np.inf)],
    "segment_mean": [Case(lambda x, ids: t.segment_mean(x, ids, 3), [real(5, 2), whole(3, 5)],
                          _mean)],
    "array": [Case(lambda x, y: t.array([[x, y], [y, x]]), [real(), real()], None)],
    "block": [Case(lambda a, b: t.block([[a, b], [b, a]]), [real(2, 2), real(2, 2)],
                   lambda a, b: np.block([[a, b], [b, a]]))],
    "insert": [_same("insert", SQUARE, obj=1, values=5.0, axis=1),
               Case(lambda x, v: t.insert(x, [0, 2], v, 0), [SQUARE, real(2, 3)],
                    lambda x, v: np.insert(x, [0, 2], v, 0)),
               Case(lambda x, v: t.insert(x, slice(0, 2), v), [real(4), real(2)],
                    lambda x, v: np.insert(x, slice(0, 2), v)),
               Case(lambda x, v: t.insert(x, 1, v, 1), [real(2, 3), real(2)],
                    lambda x, v: np.insert(x, 1, v, 1))],
    "delete": [_same("delete", SQUARE, obj=1, axis=1), _same("delete", real(5), obj=[0, -1]),
               _same("delete", real(5), obj=slice(1, 4))],
    "piecewise": [Case(lambda x: _piece(x, t), [real(6)], lambda x: _piece(x, np))],
    "apply_along_axis": [
        Case(lambda x: t.apply_along_axis(lambda r: r[1:] * r[:-1], 0, x), [real(3, 2)],
             lambda x: np.apply_along_axis(lambda r: r[1:] * r[:-1], 0, x))],
    "erfinv": [_same("erfinv", between(-0.99, 0.99, 6))],
    **{name: [_same(name, real(6))] for name in ("erfcx", "ndtr", "log_ndtr")},
    "ndtri": [_same("ndtri", between(0.01, 0.99, 6))],
    "logit": [_same("logit", between(0.01, 0.99, 6))],
    "i0": [_same("i0", between(-3.0, 3.0, 6))],
    "i1": [_same("i1", between(-3.0, 3.0, 6))],
    **{name: [_same(name, between(0.3, 4.0, 2), between(0.3, 14.0, 2))]
       for name in ("beta", "betaln", "gammainc")},
    "betainc": [_same("betainc", between(0.3, 4.0, 1), between(0.3, 14.0, 1),
                      between(0.1, 0.9, 1))],
    "fmod": [_same("fmod", real(5), between(0.3, 2.0, 5))],
    "heaviside": [_same("heaviside", real(5), real(5))],
    "xlogy": [_same("xlogy", real(5), between(0.3, 2.0, 5))],
    "xlog1py": [_same("xlog1py", real(5), between(-0.7, 2.0, 5))],
    "lerp": [Case(t.lerp, [real(3), real(3), between(0.0, 1.0, 3)], lambda a, b,
        w: a + w * (b - a))],
    "conv3d": [Case(t.conv3d, [real(2, 2, 3, 3, 2), real(3, 2, 2, 2, 2), real(3)], None)],
    "conv_transpose1d": [
        Case(lambda x, w: t.conv_transpose1d(x, w, None, 2, 1, 1, 2), [real(2, 4, 3), real(4, 2,
            3)],
             None)],
    "conv_transpose2d": [Case(t.conv_transpose2d, [real(2, 2, 3, 3), real(2, 3, 2, 2), real(3)],
        None)],
    "conv_transpose3d": [Case(t.conv_transpose3d, [real(1, 2, 2, 2, 2), real(2, 1, 2, 2, 2)],
        None)],
}  # fmt: skip
"""Functions of the root."""


def _triangular(lower: bool, **options: Any) -> Case:
    def draw(rng: Any) -> Any:
        return rng.normal(size=(3, 3)) + 3.0 * np.eye(3)

    return Case(lambda a, b: linalg.solve_triangular(a, b, lower=lower, **options),
                [draw, real(3, 2)],
                lambda a, b: scipy.linalg.solve_triangular(a, b, lower=lower,
                    **options))  # fmt: skip


def _factor(rng: Any) -> Any:
    return np.tril(rng.normal(size=(3, 3))) + 3.0 * np.eye(3)


MATRICES: dict[str, list[Case]] = {
    "solve_triangular": [_triangular(True), _triangular(False, trans=1, unit_diagonal=True)],
    "cholesky_solve": [Case(linalg.cholesky_solve, [real(3), _factor],
                            lambda b, l: scipy.linalg.cho_solve((l, True), b))],
    "lu": [Case(lambda x, i=i: linalg.lu(x)[i], [real(*shape)], lambda x,
        i=i: scipy.linalg.lu(x)[i])
           for shape in ((3, 3), (4, 2), (2, 4)) for i in (1, 2)],
    "expm": [Case(linalg.expm, [SQUARE], scipy.linalg.expm)],
    "cond": [Case(linalg.cond, [SQUARE], np.linalg.cond),
             Case(lambda x: linalg.cond(x, 1), [SQUARE], lambda x: np.linalg.cond(x, 1))],
}  # fmt: skip
"""Functions of `linalg`."""

CALLED = {"r_", "c_"}
"""What is not called but indexed."""
