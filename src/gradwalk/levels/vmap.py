"""Batches as a level: a tracer is an array of examples, and a function sees one of them.

    vmap(f)(x)[i] = f(x[i])

The examples lie along the first axis of the primal. The package `tensor.tracing` has one batching
rule per kind of primitive and per meaning of an option. Results are computed one level down, where
they may be recorded, have tangents, or be batched again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.backend import Options, arrays
from ..core.carrier import is_tensor
from ..core.primitive import Primitive
from ..errors import NotANumberError
from .level import Level, Tracer
from .programs import program_for

__all__ = ["VmapLevel", "batch_of", "batched", "varies"]


class VmapLevel(Level):
    """A run of a function on ``size`` examples at once. Its tracers have no payload."""

    mode: str
    size: int

    def __init__(self, size: int, mode: str = "vmap") -> None:
        self.size, self.mode = size, mode

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Any:
        """Return the results of the primitive for all examples, one level down."""
        return arrays().apply_batched(self, primitive, args, options)

    def boxed(self, y: Any) -> Any:
        """Return the tracer of a result. A result without axes is the same for all examples."""
        return y if self.owns(y) or not y.ndim else self.box(y, None)

    def lowered(self, y: Any) -> Any:
        """Return a result for all examples, which lie along the first axis."""
        return y._primal if self.owns(y) else arrays().repeat_for_batch(self, y)

    def shape(self, primal: Any) -> tuple[int, ...]:
        """Return the shape of one example."""
        return primal.shape[1:]  # type: ignore[no-any-return]

    def numbers(self, primal: Any) -> Any:
        """Raise `NotANumberError`, because each example has numbers of its own."""
        raise NotANumberError(
            where=f"inside {self.mode}",
            expected="a computation that takes the same steps for all examples",
            got="a question for the numbers of one: if, while, data, a size or a mask",
            fix="Write gradwalk.where(condition, a, b) for a choice between two results.",
        )


def batch_of(x: object) -> VmapLevel | None:
    """Return the innermost batch that ``x`` belongs to."""
    while isinstance(x, Tracer):
        if isinstance(x._level, VmapLevel):
            return x._level
        x = x._primal
    return None


def varies(x: object) -> bool:
    """Return whether the numbers of ``x`` differ between examples, or between runs of a program."""
    while isinstance(x, Tracer):  # vmap(grad(f)): the batch is among the primals
        if isinstance(x._level, VmapLevel) or x._level.records_program:
            return True
        x = x._primal
    return is_tensor(x) and program_for([x]) is not None


def batched(
    g: Callable[[Sequence[Any]], Sequence[Any]], seeds: Sequence[Any], mode: str = "vmap"
) -> list[Any]:
    """Return the results of ``g`` for many lists of seeds at once.

    The examples lie along the first axis of each seed and of each result. Seeds are arrays or
    carriers of arrays. Results that are ``None`` stay ``None``.
    """
    with VmapLevel(seeds[0].shape[0], mode) as batch:
        found = g([batch.box(seed, None) for seed in seeds])
        return [y if y is None else batch.lowered(y) for y in found]
