"""The functions of NumPy and their names in gradwalk: the tables of `protocol`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.numeric import Numeric
from ...ops import TABLE
from ..functions import elementwise, products, reductions, repeating, shapes
from ..functions.arguments import operand
from ..functions.types import Operand
from ..graph.types import Axes
from .compositions_of_numpy import COMPOSITIONS

__all__ = ["COMPOSED", "PLAIN", "REDUCTIONS", "RENAMED", "UFUNCS"]


STATISTICS: dict[str, str] = {
    **{
        f"nan{name}": f"nan{name} a axis=axis keepdims=keepdims"
        for name in ("max", "min", "argmax", "argmin", "mean", "median")
    },
    **{f"nan{name}": f"nan{name} a axis=axis dtype=dtype" for name in ("cumsum", "cumprod")},
    **{
        f"nan{name}": f"nan{name} a axis=axis dtype=dtype keepdims=keepdims"
        for name in ("sum", "prod")
    },
    **{
        f"nan{name}": f"nan{name} a axis=axis ddof=correction correction=correction "
        "keepdims=keepdims"
        for name in ("var", "std")
    },
    **{
        f"nan{name}": f"nan{name} a q axis=axis keepdims=keepdims"
        for name in ("quantile", "percentile")
    },
    "cov": "cov m y=y rowvar=rowvar bias=bias ddof=ddof fweights=fweights aweights=aweights",
    "corrcoef": "corrcoef x y=y rowvar=rowvar",
    "interp": "interp x xp fp left=left right=right period=period",
    "convolve": "convolve a v mode=mode",
    "correlate": "correlate a v mode=mode",
    "quantile": "quantile a q axis=axis keepdims=keepdims",
    "partition": "partition a kth axis=axis",
    "argpartition": "argpartition a kth axis=axis",
    "block": "block arrays",
    "insert": "insert arr obj values axis=axis",
    "delete": "delete arr obj axis=axis",
    "apply_along_axis": "apply_along_axis func1d axis arr",
    "piecewise": "piecewise x condlist funclist",
}
"""``numpy name: gradwalk's name, arguments by position, and by keyword as numpy=gradwalk``."""

Function = Callable[..., Any]

UFUNCS = {
    "absolute": "abs",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "conjugate": "positive",  # real numbers are their own conjugates
    "copysign": "copysign",
    "divmod": "divmod",
    "fabs": "abs",
    "invert": "bitwise_invert",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "left_shift": "bitwise_left_shift",
    "logaddexp": "logaddexp",
    "logical_not": "logical_not",
    "logical_xor": "logical_xor",
    "matmul": "matmul",
    "nextafter": "nextafter",
    "not_equal": "not_equal",
    "positive": "positive",
    "power": "elementwise.pow",  # by `**`, which has faster powers
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "signbit": "signbit",
    "trunc": "trunc",
    "vecdot": "vecdot",
}
"""Ufuncs with a function of gradwalk; others are found as the evaluation of a primitive."""

REDUCTIONS = {
    ("add", "reduce"): "sum",
    ("multiply", "reduce"): "prod",
    ("maximum", "reduce"): "max",
    ("minimum", "reduce"): "min",
    ("logical_and", "reduce"): "all",
    ("logical_or", "reduce"): "any",
    ("logaddexp", "reduce"): "logsumexp",
    ("add", "accumulate"): "cumulative_sum",
    ("multiply", "accumulate"): "cumulative_prod",
    ("maximum", "accumulate"): "cummax",
    ("minimum", "accumulate"): "cummin",
    ("logaddexp", "accumulate"): "logcumsumexp",
}

RENAMED = {
    # reductions
    "sum": "sum a axis=axis dtype=dtype keepdims=keepdims",
    "prod": "prod a axis=axis dtype=dtype keepdims=keepdims",
    "mean": "mean a axis=axis dtype=dtype keepdims=keepdims",
    # NumPy takes either name for the number that is subtracted from n
    "var": "var a axis=axis ddof=correction correction=correction keepdims=keepdims",
    "std": "std a axis=axis ddof=correction correction=correction keepdims=keepdims",
    "max": "max a axis=axis keepdims=keepdims",
    "min": "min a axis=axis keepdims=keepdims",
    "amax": "max a axis=axis keepdims=keepdims",
    "amin": "min a axis=axis keepdims=keepdims",
    "all": "all a axis=axis keepdims=keepdims",
    "any": "any a axis=axis keepdims=keepdims",
    "argmax": "argmax a axis=axis keepdims=keepdims",
    "argmin": "argmin a axis=axis keepdims=keepdims",
    "count_nonzero": "count_nonzero a axis=axis keepdims=keepdims",
    "cumulative_sum": "cumulative_sum x axis=axis dtype=dtype include_initial=include_initial",
    "cumulative_prod": "cumulative_prod x axis=axis dtype=dtype include_initial=include_initial",
    "cumsum": "cumsum a axis=axis dtype=dtype",
    "cumprod": "cumprod a axis=axis dtype=dtype",
    "diff": "diff a n=n axis=axis prepend=prepend append=append",
    "median": "median a axis=axis keepdims=keepdims",
    **STATISTICS,
    # order
    "searchsorted": "searchsorted a v side=side sorter=sorter",
    "nonzero": "nonzero a",
    "unique": "unique ar return_index=return_index return_inverse=return_inverse "
    "return_counts=return_counts axis=axis equal_nan=equal_nan",
    "unique_values": "unique_values x",
    "unique_counts": "unique_counts x",
    "unique_inverse": "unique_inverse x",
    "unique_all": "unique_all x",
    # products
    "dot": "dot a b",
    "inner": "inner a b",
    "outer": "outer a b",
    "kron": "kron a b",
    "cross": "cross a b axis=axis",
    "tensordot": "tensordot a b axes=axes",
    # numpy.trace is of any two axes, numpy.linalg.trace of the last two
    "trace": "products.trace a offset=offset axis1=axis1 axis2=axis2 dtype=dtype",
    # shapes
    "reshape": "reshape a shape",
    "ravel": "ravel a",
    "broadcast_to": "broadcast_to array shape",
    "concatenate": "concat arrays axis=axis",
    "stack": "stack arrays axis=axis",
    "unstack": "unstack x axis=axis",
    "split": "split ary indices_or_sections axis=axis",
    "expand_dims": "expand_dims a axis=axis",
    "squeeze": "squeeze a axis=axis",
    "transpose": "transpose a axes",
    "matrix_transpose": "matrix_transpose x",
    "moveaxis": "moveaxis a source destination",
    "swapaxes": "swapaxes a axis1 axis2",
    "flip": "flip m axis=axis",
    "roll": "roll a shift axis=axis",
    "repeat": "repeat a repeats axis=axis",
    "tile": "tile A reps",
    "diag": "diag v k=k",
    "tril": "tril m k=k",
    "triu": "triu m k=k",
    "diagonal": "diagonal a offset=offset axis1=axis1 axis2=axis2",
    # parts
    "take": "take a indices axis=axis",
    "take_along_axis": "take_along_axis arr indices axis=axis",
    # each number
    # NumPy 2 has the array API's names beside its own
    "clip": "elementwise.clip a a_min=min a_max=max min=min max=max",
    "round": "elementwise.round a decimals=decimals",
    "around": "elementwise.round a decimals=decimals",
    "astype": "astype x dtype copy=copy",
    "isclose": "isclose a b rtol=rtol atol=atol equal_nan=equal_nan",
    "allclose": "allclose a b rtol=rtol atol=atol equal_nan=equal_nan",
    "nan_to_num": "nan_to_num x nan=nan posinf=posinf neginf=neginf",
    "sinc": "sinc x",
    "copy": "positive a",
    # the like of another
    "zeros_like": "zeros_like a dtype=dtype",
    "ones_like": "ones_like a dtype=dtype",
    "empty_like": "empty_like prototype dtype=dtype",
    "full_like": "full_like a fill_value dtype=dtype",
    # linear algebra
    "linalg.solve": "linalg.solve a b",
    "linalg.inv": "linalg.inv a",
    "linalg.det": "linalg.det a",
    "linalg.slogdet": "linalg.slogdet a",
    "linalg.cond": "linalg.cond x p=p",
    "linalg.cholesky": "linalg.cholesky a upper=upper",
    "linalg.svdvals": "linalg.svdvals x",
    "linalg.eigh": "linalg.eigh a",
    "linalg.eigvalsh": "linalg.eigvalsh a",
    "linalg.norm": "linalg.norm x ord=ord axis=axis keepdims=keepdims",
    "linalg.vector_norm": "linalg.vector_norm x ord=ord axis=axis keepdims=keepdims",
    "linalg.matrix_norm": "linalg.matrix_norm x ord=ord keepdims=keepdims",
    "linalg.matrix_power": "linalg.matrix_power a n",
    "linalg.pinv": "linalg.pinv a rtol=rtol",
    "linalg.matrix_rank": "linalg.matrix_rank A rtol=rtol",
    "linalg.cross": "cross x1 x2 axis=axis",
    "linalg.trace": "linalg.trace x offset=offset",
    "linalg.diagonal": "linalg.diagonal x offset=offset",
    "linalg.matmul": "matmul x1 x2",
    "linalg.outer": "outer x1 x2",
    "linalg.tensordot": "tensordot x1 x2 axes=axes",
    "linalg.matrix_transpose": "matrix_transpose x",
}
"""``numpy name: gradwalk's name, arguments by position, and by keyword as numpy=gradwalk``."""

PLAIN = {"shape", "ndim", "size", "array_equal", "array_equiv", "array_repr", "array_str"}
PLAIN |= {"array2string", "iscomplexobj", "isrealobj", "result_type", "can_cast"}
PLAIN |= {"min_scalar_type", "shares_memory", "may_share_memory", "common_type"}
"""Functions whose results are facts, in which no gradient could be lost."""


# --- functions that are called in another way -----------------------------------------------------


def _where(condition: Any, *branches: Any) -> Any:
    return TABLE["where"](condition, *branches) if branches else np.nonzero(condition)


def _vdot(a: Operand, b: Operand) -> Operand:
    return products.inner(shapes.ravel(a), shapes.ravel(b))


def _pad(array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0.0) -> Operand:
    return repeating.pad(array, pad_width, mode, constant_values)


def _either(name: str) -> Function:
    """Return the larger or smaller of two numbers, ignoring NaN."""

    def call(a: Operand, b: Operand) -> Numeric:
        # `where`, so that the operand that is not chosen gets no gradient, NaN or not
        where, isnan = TABLE["where"], elementwise.isnan
        return where(isnan(a), b, where(isnan(b), a, TABLE[name](a, b)))

    return call


def _join_along(dimensions: int, axis: int) -> Function:
    """Return ``numpy.vstack`` or a similar function: arrays of enough axes, joined along one."""

    def call(tup: Sequence[Operand]) -> Operand:
        return np.concatenate([_at_least(x, dimensions) for x in tup], axis=axis)

    return call


def _hstack(tup: Sequence[Operand]) -> Operand:
    parts = [_at_least(x, 1) for x in tup]
    # as NumPy: vectors end to end, everything else column by column
    return np.concatenate(parts, axis=0 if parts[0].ndim == 1 else 1)


def _column_stack(tup: Sequence[Operand]) -> Operand:
    parts = [_at_least(x, 1) for x in tup]
    return np.concatenate([x[:, None] if x.ndim == 1 else x for x in parts], axis=1)


def _at_least(x: Operand, dimensions: int) -> Operand:
    x = operand(x, "numpy")
    if x.ndim >= dimensions:
        return x
    if x.ndim == 2:
        return shapes.expand_dims(x, 2)
    # NumPy's atleast_3d puts a vector into the middle: (1, n, 1)
    return shapes.reshape(x, (1, *x.shape, 1, 1)[:dimensions] if x.ndim else (1,) * dimensions)


def _at_least_each(dimensions: int) -> Function:
    def call(*arys: Any) -> Any:
        found = [_at_least(x, dimensions) for x in arys]
        return found[0] if len(found) == 1 else tuple(found)

    return call


def _times(factor: float) -> Function:
    return lambda x: x * factor


def _range_of(a: Operand, axis: Axes = None, keepdims: bool = False) -> Operand:
    options: Any = {"axis": axis, "keepdims": keepdims}
    return reductions.max(a, **options) - reductions.min(a, **options)


COMPOSED: dict[str, Function] = {
    **COMPOSITIONS,
    "where": _where,
    "vdot": _vdot,
    "pad": _pad,
    "fmax": _either("maximum"),
    "fmin": _either("minimum"),
    "deg2rad": _times(np.pi / 180.0),
    "radians": _times(np.pi / 180.0),
    "rad2deg": _times(180.0 / np.pi),
    "degrees": _times(180.0 / np.pi),
    "ptp": _range_of,
    "einsum": products.einsum,
    "broadcast_arrays": shapes.broadcast_arrays,
    "real": lambda val: shapes.reshape(val, np.shape(val)),
    "meshgrid": repeating.meshgrid,
    "vstack": _join_along(2, 0),
    "dstack": _join_along(3, 2),
    "hstack": _hstack,
    "column_stack": _column_stack,
    "atleast_1d": _at_least_each(1),
    "atleast_2d": _at_least_each(2),
    "atleast_3d": _at_least_each(3),
}
"""Functions whose arguments do not correspond one by one."""
