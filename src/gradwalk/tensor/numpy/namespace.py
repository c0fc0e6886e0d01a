"""The array API on Tensors: what ``x.__array_namespace__()`` gives to libraries.

https://data-apis.org/array-api/2024.12. Every name means the same as ``gradwalk.<name>``; ``round``
and ``clip`` keep the dtype of integers, and ``reshape`` takes ``shape`` by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.value import engine
from ...ops import TABLE
from .. import functions
from ..functions import dtypes, elementwise, linalg, shapes
from ..functions.types import Operand

__array_api_version__ = "2024.12"

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64"
NAMES = f"""
e inf nan newaxis pi {DTYPES}
astype can_cast finfo iinfo isdtype result_type
arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril
triu zeros zeros_like
abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift
bitwise_or bitwise_right_shift bitwise_xor ceil clip copysign cos cosh divide equal exp expm1 floor
floor_divide greater greater_equal hypot isfinite isinf isnan less less_equal log log10 log1p log2
logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter
not_equal positive pow reciprocal remainder round sign signbit sin sinh sqrt square subtract tan
tanh trunc
take take_along_axis
matmul matrix_transpose tensordot vecdot
broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll
squeeze stack tile unstack
argmax argmin count_nonzero nonzero searchsorted where
unique_all unique_counts unique_inverse unique_values
argsort sort
cumulative_prod cumulative_sum max mean min prod std sum var
all any diff
"""
"""The functions and constants of the standard, as far as complex numbers are not needed."""


def _reshape(x: Operand, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Operand:
    """Return the elements in another shape."""
    y = shapes.reshape(x, tuple(shape))
    return elementwise.positive(y) if copy else y


def _broadcast_arrays(*arrays: Any) -> list[Any]:
    """Repeat arrays to their common shape."""
    return list(shapes.broadcast_arrays(*arrays))


# the standard asks for arguments or dtypes that the public functions of these names lack
_STRICT = {"round": elementwise.round, "clip": elementwise.clip, "pow": elementwise.pow}
_STRICT |= {"reshape": _reshape, "broadcast_arrays": _broadcast_arrays}


def _functions() -> Iterator[tuple[str, Any]]:
    """Return the public function of each name: of arrays, else of the primitive of that name."""
    for name in NAMES.split():
        if name in _STRICT:
            yield name, _STRICT[name]
        elif name in functions.__all__:
            yield name, getattr(functions, name)
        else:
            yield name, engine.function(TABLE[name])


_PUBLIC = dict(_functions())
__all__ = ["__array_api_version__", "__array_namespace_info__", "linalg", *_PUBLIC]
globals().update(_PUBLIC)  # libraries read xp.sin: the module is the namespace


class Info:
    """What this namespace can do: the inspection functions of the standard.

    >>> Info().default_dtypes()["real floating"]
    dtype('float64')
    """

    def capabilities(self) -> dict[str, Any]:
        """Return what is supported: boolean masks, and shapes that depend on data."""
        # NumPy 2 allows arrays of 64 axes
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Return the only device."""
        return "cpu"

    def devices(self) -> list[str]:
        """Return all devices."""
        return ["cpu"]

    def default_dtypes(self, *, device: object = None) -> dict[str, Any]:
        """Return the default dtypes by kind. There are no complex numbers."""
        kinds = {"integral": dtypes.int64, "indexing": dtypes.int64}
        return {"real floating": dtypes.float64, **kinds}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """Return the dtypes of a kind, or all, by name."""
        every = {name: getattr(dtypes, name) for name in DTYPES.split()}
        return {n: d for n, d in every.items() if kind is None or np.isdtype(d, kind)}


def __array_namespace_info__() -> Info:  # noqa: N807  (the standard's name)
    """Return the capabilities of this namespace."""
    return Info()
