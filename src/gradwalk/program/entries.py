"""The entries of a program: its inputs, and the results of its operations."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from ..core.primitive import Primitive

__all__ = ["IDENTITIES", "Entry", "Guard", "Traced"]

Traced: TypeAlias = Any
"""A tracer of a recorder, of a number or of an array."""

IDENTITIES: dict[str, tuple[tuple[int, float], ...]] = {
    "mul": ((0, 1.0), (1, 1.0)),
    "div": ((1, 1.0),),
    "sub": ((1, 0.0),),
    "pow": ((1, 1.0),),
}
"""Operations that give an operand back, bit for bit, if the other one is this constant."""


class Entry:
    """A number of a program: an input, or the result of a primitive."""

    __slots__ = ("absent", "masked", "operands", "primitive", "source")
    primitive: Primitive | None
    operands: tuple[Entry | float, ...]
    masked: bool
    absent: bool
    source: Any

    def __init__(
        self,
        primitive: Primitive | None,
        operands: tuple[Entry | float, ...] = (),
        masked: bool = False,
        absent: bool = False,
        source: object = None,
    ) -> None:
        self.primitive, self.operands = primitive, operands
        self.masked = masked  # whether a mask may have let nothing through,
        self.absent = absent  # and whether it has let nothing through in the recorded run
        self.source = source  # the Value that an input is read from


class Guard(NamedTuple):
    """A question that the program has asked about its numbers, with the answer it was given.

    The answer is a bool, or the array that was read. ``position`` counts the operations before it.
    """

    entry: Entry
    answer: Any
    line: str
    position: int
