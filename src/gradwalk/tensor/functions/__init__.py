"""The functions of the array API, on Tensors.

What may be imported from here: every function of `__all__`, and the modules ``linalg``, ``random``.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from . import (
    assembling,
    constants,
    convolution,
    creation,
    diagonals,
    differences,
    dtypes,
    elementwise,
    exchange,
    indexing,
    joining,
    linalg,
    nans,
    normalization,
    ordering,
    partitions,
    pooling,
    products,
    random,
    reductions,
    repeating,
    segments,
    shapes,
    signals,
    special,
)
from .assembling import *  # noqa: F403
from .constants import *  # noqa: F403
from .convolution import *  # noqa: F403
from .creation import *  # noqa: F403
from .diagonals import *  # noqa: F403
from .differences import *  # noqa: F403
from .dims import rename_in
from .dtypes import *  # noqa: F403
from .elementwise import *  # noqa: F403
from .exchange import *  # noqa: F403
from .indexing import *  # noqa: F403
from .joining import *  # noqa: F403
from .nans import *  # noqa: F403
from .normalization import *  # noqa: F403
from .ordering import *  # noqa: F403
from .partitions import *  # noqa: F403
from .pooling import *  # noqa: F403
from .products import *  # noqa: F403
from .reductions import *  # noqa: F403
from .repeating import *  # noqa: F403
from .segments import *  # noqa: F403
from .shapes import *  # noqa: F403
from .signals import *  # noqa: F403
from .special import *  # noqa: F403

PARTS: tuple[ModuleType, ...] = (
    *(constants, creation, elementwise, dtypes, exchange, differences),
    *(shapes, joining, repeating, diagonals),
    *(indexing, reductions, ordering, products, convolution),
    *(pooling, normalization),
    *(partitions, nans, segments, signals, assembling, special),
)

__all__ = ["linalg", "random"]
__all__ += [
    "arange", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones",
    "ones_like", "zeros", "zeros_like"
]  # fmt: skip
__all__ += [
    "absolute", "add", "allclose", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "copysign", "divide", "divmod", "equal",
    "floor_divide", "greater", "greater_equal", "isclose", "isfinite", "isinf", "isnan", "less",
    "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor", "multiply",
    "nan_to_num", "negative", "nextafter", "not_equal", "positive", "remainder", "signbit",
    "subtract", "trunc"
]  # fmt: skip
__all__ += [
    "astype", "bool", "can_cast", "e", "finfo", "float16", "float32", "float64", "iinfo", "inf",
    "int16", "int32", "int64", "int8", "isdtype", "nan", "newaxis", "pi", "result_type",
    "uint16", "uint32", "uint64", "uint8"
]  # fmt: skip
__all__ += ["asarray", "from_dlpack", "from_numpy"]
__all__ += ["diff"]
__all__ += [
    "atleast_1d", "atleast_2d", "broadcast_arrays", "broadcast_to", "expand_dims", "flatten",
    "matrix_transpose", "moveaxis", "permute_dims", "ravel", "reshape", "squeeze", "swapaxes",
    "transpose"
]  # fmt: skip
__all__ += ["concat", "concatenate", "split", "stack", "unstack"]
__all__ += ["flip", "meshgrid", "pad", "repeat", "roll", "tile"]
__all__ += ["diag", "diagonal", "tril", "triu"]
__all__ += [
    "embedding", "gather", "nonzero", "one_hot", "put_along_axis", "scatter", "scatter_add",
    "take", "take_along_axis"
]  # fmt: skip
__all__ += [
    "all", "any", "count_nonzero", "cummax", "cummin", "cumprod", "cumsum", "cumulative_prod",
    "cumulative_sum", "log_softmax", "logcumsumexp", "logsumexp", "max", "mean", "min", "norm",
    "prod", "softmax", "std", "sum", "var"
]  # fmt: skip
__all__ += [
    "argmax", "argmin", "argsort", "median", "quantile", "searchsorted", "sort", "topk",
    "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"
]  # fmt: skip
__all__ += ["cross", "dot", "einsum", "inner", "kron", "matmul", "outer", "tensordot", "vecdot"]
__all__ += [
    "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"
]  # fmt: skip
__all__ += [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "max_pool1d",
    "max_pool2d"
]  # fmt: skip
__all__ += ["batch_norm", "layer_norm", "rms_norm"]
__all__ += [
    "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin",
    "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar"
]  # fmt: skip
__all__ += ["add_at", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"]
__all__ += ["convolve", "corrcoef", "correlate", "cov", "gradient", "interp"]
__all__ += ["apply_along_axis", "array", "block", "c_", "delete", "insert", "piecewise", "r_"]
__all__ += [
    "beta", "betainc", "betaln", "erfcx", "erfinv", "fmod", "gammainc", "heaviside", "i0", "i1",
    "lerp", "log_ndtr", "logit", "ndtr", "ndtri", "xlog1py", "xlogy"
]  # fmt: skip
__all__ += ["argpartition", "partition"]

if not TYPE_CHECKING:  # `types` declares PyTorch's names of arguments to checkers
    rename_in(globals(), __all__)
    for room in (linalg, random):
        rename_in(vars(room), room.__all__)
