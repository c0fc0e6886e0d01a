"""The operations on arrays that scalars, levels and transforms call, and the slot for them.

Arrays can reach every package below `gradwalk.tensor`, but NumPy must not be loaded before the
first array. So the array half is declared here as a `Protocol`, `gradwalk.wiring` implements it,
and ``import gradwalk`` only stores how `gradwalk.wiring` is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

__all__ = ["ArrayBackend", "arrays", "provide"]

Options = dict[str, Any]
"""The options of a primitive on arrays, by name."""

Axis = int | tuple[int, ...] | None
Operation = Callable[..., Any]


class LevelLike(Protocol):
    """A level, for packages that must not import it."""

    def box(self, primal: Any, payload: Any) -> Any:
        """Return a tracer of this level."""

    def owns(self, x: object) -> bool:
        """Return whether ``x`` is a tracer of this level."""


class ArrayBackend(Protocol):
    """The array half of gradwalk, for the packages below `gradwalk.tensor`."""

    # --- primitives on arrays (core, ops) ---------------------------------------------------------

    def evaluate(self, primitive: Any, args: tuple[Any, ...], /) -> Any:
        """Evaluate a pointwise primitive on arrays and numbers."""

    def pass_if(self, condition: Any, t: Any, /) -> object:
        """Return ``t`` with structural zeros where ``condition`` is false."""

    def mask_if(self, condition: Any, t: Any, /) -> object:
        """Return ``t`` with structural zeros where ``condition`` is true."""

    def reduce(self, name: str, x: Any, axis: Axis, /, **options: object) -> Any:
        """Apply the primitive of this name that reduces, along ``axis`` of ``x``."""

    def stack(self, arrays: Sequence[Any], axis: int = 0, /) -> Any:
        """Join arrays of one shape along a new axis."""

    def recorded_choice(
        self, primitive: Any, index: int, run: Any, args: tuple[Any, ...], before: Any, /
    ) -> Any:
        """Record a rule that only masks, as one node of a graph of Tensors; t has a mask before."""

    # --- scalars that meet arrays (engine) --------------------------------------------------------

    def ufunc_of_scalars(
        self, ufunc: Any, method: str, inputs: Sequence[Any], options: Options, /
    ) -> Any:
        """Apply a ufunc of NumPy of which a scalar is an argument."""

    def function_of_scalars(self, function: Any, args: Sequence[Any], options: Options, /) -> Any:
        """Apply another function of NumPy of which a scalar is an argument."""

    def array_of_scalar(self, x: Any, dtype: Any, /) -> Any:
        """Return an array that holds the object ``x``, or raise an error inside a transform."""

    # --- tracers that are arrays (levels) ---------------------------------------------------------

    def snapshot(self, x: Any, /) -> Any:
        """Return another handle of an array, which later writes into ``x`` leave as it is."""

    @property
    def Tensor(self) -> Any:  # noqa: N802  (the class)
        """The class `gradwalk.Tensor`."""

    @property
    def ArrayTracer(self) -> Any:  # noqa: N802  (the class)
        """The class of tracers that are arrays."""

    @property
    def PlainArray(self) -> Any:  # noqa: N802  (the class)
        """The class of tracers of arrays that are no Tensors."""

    @property
    def PlainNumber(self) -> Any:  # noqa: N802  (the class)
        """The class of tracers of numbers of Python that are computed of Tensors."""

    def class_of_result(self, args: Sequence[Any], pointwise: bool) -> Any:
        """Return which of the three classes the tracer of a result in a program has."""

    @property
    def FLOAT64(self) -> Any:  # noqa: N802  (a constant)
        """The dtype of scalars among arrays."""

    def mask(self, primitive: Any, condition: Any, t: Any, /) -> object:
        """Return ``t`` with structural zeros, for a mask or a ``t`` that is traced."""

    def instantiate_zeros(self, t: Any, /) -> Any:
        """Return ``t`` with zeros for its structural zeros; ``None`` if it has nothing else."""

    def leaf_node(self, primal: Any, /) -> Any:
        """Return the tape's node of an input that is an array."""

    def record_on_tape(
        self,
        tape: Any,
        primitive: Any,
        args: Sequence[Any],
        raws: Sequence[Any],
        y: Any,
        options: Options,
        /,
    ) -> Any:
        """Return the tracer of an array that ``primitive`` computed, with its node on the tape."""

    def trace_jvp(
        self,
        duals: Any,
        primitive: Any,
        raws: Sequence[Any],
        y: Any,
        tangents: Sequence[Any],
        options: Options,
        /,
    ) -> Any:
        """Return the tracer of an array with its tangent."""

    def apply_batched(
        self, batch: Any, primitive: Any, args: Sequence[Any], options: Options, /
    ) -> Any:
        """Apply a primitive to all examples of a batch."""

    def repeat_for_batch(self, batch: Any, y: Any, /) -> Any:
        """Return ``y`` once for each example of a batch."""

    def lazy_series(
        self,
        series: Any,
        primitive: Any,
        args: Sequence[Any],
        options: Options,
        y: Any,
        /,
    ) -> Any:
        """Return the tracer of an array whose Taylor coefficients are computed on demand."""

    def compute_coefficients(self, series: Any, found: Any, /) -> Any:
        """Compute all Taylor coefficients of a tracer."""

    # --- programs (program) -----------------------------------------------------------------------

    def as_operand(self, x: Any, where: str, /) -> Any:
        """Return the array, or the number, in an operand that is no Tensor, and its node."""

    def as_arrays(self, y: Any, /) -> Any:
        """Return a result, or several, as arrays: NumPy turns results without axes into numbers."""

    def refuse(self, primitive: Any, raws: Sequence[Any], error: Exception, /) -> Any:
        """Raise the error for operands that NumPy has refused."""

    def constant_of(self, node: Any, position: int, /) -> Any:
        """Return a constant operand of a node; ``None`` if the program has dropped it."""

    def become(self, x: Any, result: Any, /) -> None:
        """Make a Tensor, or a tracer, into ``result``."""

    def run_of_tensors(self, tensors: Sequence[Any], whole: bool = True, /) -> Any:
        """Return the program that the graphs of Tensors are, with its numbers."""

    def remember(
        self, node: Any, seed: Any, found: Sequence[Any], result: Any, again: bool, /
    ) -> object:
        """Find what made gradients non-finite, for a pass that frees the graph."""

    def remember_zeros(self, node: Any, seed: Any, leaves: Sequence[Any], result: Any, /) -> None:
        """Find what made the gradients of leaves 0, for a pass that frees the graph."""

    # --- numbers like a given array (transforms) --------------------------------------------------

    def filled_like(self, x: Any, number: float, /) -> Any:
        """Return a Tensor of one number in the shape and precision of ``x``."""

    def is_foreign(self, x: object, /) -> bool:
        """Return whether ``x`` is an array of another library, outside of a Tensor."""

    def refuse_foreign(self, x: object, where: str, /) -> None:
        """Raise an error for an array of another library outside of a Tensor."""

    def seed_like(self, seed: Any, y: Any, /) -> Any:
        """Return ``seed`` as an array in the precision of ``y``."""


class _Slot:
    load: Callable[[], ArrayBackend]


def provide(load: Callable[[], ArrayBackend]) -> None:
    """Store how the array half is loaded. `gradwalk` calls this once, when it is imported."""
    _Slot.load = load


@cache
def arrays() -> ArrayBackend:
    """Return the array half, and load it on the first call."""
    return _Slot.load()
