"""Batches as a level: a tracer is an array of examples, of which a function sees one.

    vmap(f)(x)[i] = f(x[i])

The examples lie along the first axis of the primal. What a row does with all of them at once is
written once per kind of row and per meaning of an option, in `tensor.batching`. The results are
computed one level down, where they may be recorded, moved along tangents, or batched in their turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.backend import arrays
from ..errors import NotANumberError
from .level import Level, Tracer

__all__ = ["VmapLevel", "batched", "varies"]


class VmapLevel(Level):
    """A run of a function on ``size`` examples at once. Tracers of it have no extra."""

    def __init__(self, size: int, mode: str = "vmap") -> None:
        self.size, self.mode = size, mode

    def apply(self, primitive: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """The results of the row for all examples, one level down."""
        return arrays().apply_batched(self, primitive, args, options)

    def boxed(self, y: Any) -> Any:
        """The tracer of a result; one without axes is the same for all examples."""
        return y if self.owns(y) or not y.ndim else self.box(y, None)

    def lowered(self, y: Any) -> Any:
        """A result for all examples, the first axis being theirs."""
        return y._primal if self.owns(y) else arrays().repeat_for_batch(self, y)

    def shape(self, primal: Any) -> tuple[int, ...]:
        """The shape of one example."""
        return primal.shape[1:]  # type: ignore[no-any-return]

    def numbers(self, primal: Any) -> Any:
        """There is no one array of numbers: each example has its own."""
        raise NotANumberError(
            where=f"inside of {self.mode}",
            expected="a computation that takes the same steps for all examples",
            got="a question for the numbers of one: if, while, item(), data, a size or a mask",
            fix="Write gradwalk.where(condition, a, b) for a choice between two results.",
        )


def varies(x: Any) -> bool:
    """Whether the numbers of ``x`` differ from example to example of a batch."""
    while isinstance(x, Tracer):
        if isinstance(x._level, VmapLevel):
            return True
        x = x._primal
    return False


def batched(
    g: Callable[[Sequence[Any]], Sequence[Any]], seeds: Sequence[Any], mode: str = "vmap"
) -> list[Any]:
    """What ``g`` gives for many lists of seeds at once: ``g`` of each, side by side.

    Each of ``seeds`` is an array, or what stands for one, with the examples along its first axis;
    so is each result. A result that is ``None`` remains so.
    """
    with VmapLevel(seeds[0].shape[0], mode) as batch:
        found = g([batch.box(seed, None) for seed in seeds])
        return [y if y is None else batch.lowered(y) for y in found]
