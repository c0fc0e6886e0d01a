"""The array half of gradwalk, under the names that `core.backend.ArrayBackend` declares.

Only this module and `gradwalk` itself know every room. It is loaded when the first array comes
along, and loads all of `gradwalk.tensor` with it.
"""

from __future__ import annotations

from typing import Any

from . import tensor as tensor
from .ops.array import reduction as _reduction
from .ops.array.evaluation import evaluate as evaluate
from .ops.array.structural_zero import mask_if as mask_if
from .ops.array.structural_zero import pass_if as pass_if
from .tensor.fusion.choices import recorded_choice as recorded_choice
from .tensor.fusion.fused import in_one_pass as in_one_pass
from .tensor.graph.tensor import Tensor as Tensor
from .tensor.numpy.protocol import array_ufunc as array_ufunc
from .tensor.numpy.protocol import ufunc_of_values as ufunc_of_values
from .tensor.tracing.array_series import forced as forced
from .tensor.tracing.array_series import lazy_series as lazy_series
from .tensor.tracing.batching import applied as applied
from .tensor.tracing.batching import repeated as repeated
from .tensor.tracing.tracers import FLOAT64 as FLOAT64
from .tensor.tracing.tracers import ArrayTracer as ArrayTracer
from .tensor.tracing.tracers import dense as dense
from .tensor.tracing.tracers import filled_like as filled_like
from .tensor.tracing.tracers import gated as gated
from .tensor.tracing.tracers import leaf_node as leaf_node
from .tensor.tracing.tracers import moved as moved
from .tensor.tracing.tracers import pull as pull
from .tensor.tracing.tracers import pushed as pushed
from .tensor.tracing.tracers import record_on_tape as record_on_tape
from .tensor.tracing.tracers import seed_like as seed_like


def reduce(name: str, x: Any, axis: Any, /, **options: Any) -> Any:
    """Apply the primitive of this name that reduces, along ``axis`` of ``x``."""
    return _reduction.along(getattr(_reduction, name), x, axis, **options)
