"""The array half of gradwalk, under the names that `core.backend.ArrayBackend` declares.

Only this module and `gradwalk` itself know every room. It is loaded when the first array comes
along, and loads all of `gradwalk.tensor` with it.
"""

from __future__ import annotations

from typing import Any

from . import tensor as tensor
from .levels.programs import lifted, program_for
from .libraries.places import is_foreign as is_foreign
from .libraries.places import refuse_foreign as refuse_foreign
from .ops.array import evaluation as _evaluation
from .ops.array import reduction as _reduction
from .ops.array.structural_zero import mask_if as mask_if
from .ops.array.structural_zero import pass_if as pass_if
from .tensor.functions.joining import stack as stack
from .tensor.graph.choices import recorded_choice as recorded_choice
from .tensor.graph.convert import as_operand as as_operand
from .tensor.graph.convert import refuse as refuse
from .tensor.graph.node import constant_of as constant_of
from .tensor.graph.runs import run_of_tensors as run_of_tensors
from .tensor.graph.tensor import Tensor as Tensor
from .tensor.numpy.scalars import array_of_scalar as array_of_scalar
from .tensor.numpy.scalars import function_of_scalars as function_of_scalars
from .tensor.numpy.scalars import ufunc_of_scalars as ufunc_of_scalars
from .tensor.tracing.array_series import compute_coefficients as compute_coefficients
from .tensor.tracing.array_series import lazy_series as lazy_series
from .tensor.tracing.batching import apply_batched as apply_batched
from .tensor.tracing.batching import repeat_for_batch as repeat_for_batch
from .tensor.tracing.filled import filled_like as filled_like
from .tensor.tracing.filled import seed_like as seed_like
from .tensor.tracing.plain import PlainArray as PlainArray
from .tensor.tracing.plain import PlainNumber as PlainNumber
from .tensor.tracing.plain import class_of_result as class_of_result
from .tensor.tracing.tracers import FLOAT64 as FLOAT64
from .tensor.tracing.tracers import ArrayTracer as ArrayTracer
from .tensor.tracing.tracers import as_arrays as as_arrays
from .tensor.tracing.tracers import become as become
from .tensor.tracing.tracers import instantiate_zeros as instantiate_zeros
from .tensor.tracing.tracers import leaf_node as leaf_node
from .tensor.tracing.tracers import mask as mask
from .tensor.tracing.tracers import record_on_tape as record_on_tape
from .tensor.tracing.tracers import snapshot as snapshot
from .tensor.tracing.tracers import trace_jvp as trace_jvp


def remember(node: Any, seed: Any, found: Any, result: Any, again: bool, /) -> object:
    """Find what made gradients non-finite. The search is loaded when there is something to find."""
    from .inspect.remembering import remember

    return remember(node, seed, found, result, again)


def remember_zeros(node: Any, seed: Any, leaves: Any, result: Any, /) -> None:
    """Find what made the gradients of leaves 0."""
    from .inspect.remembering import remember_zeros

    remember_zeros(node, seed, leaves, result)


def evaluate(primitive: Any, args: tuple[Any, ...], /) -> Any:
    """Evaluate a primitive on arrays and numbers; what belongs into a program, in the program."""
    if (program := program_for(args)) is not None:
        return program.apply(primitive, args, {})
    return _evaluation.evaluate(primitive, args)


def reduce(name: str, x: Any, axis: int | tuple[int, ...] | None, /, **options: Any) -> Any:
    """Apply the primitive of this name that reduces, along ``axis`` of ``x``."""
    return _reduction.along(getattr(_reduction, name), lifted(x), axis, **options)
