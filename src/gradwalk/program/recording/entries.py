"""The entries of a program: its inputs, and the results of its operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ... import native
from ...core.primitive import Primitive
from ...ops import TABLE

__all__ = ["IDENTITIES", "Entries", "Entry", "Guard", "Traced", "Unrolled"]

Traced: TypeAlias = Any
"""A tracer of a recorder, of a number or of an array."""

IDENTITIES: dict[str, tuple[tuple[int, float], ...]] = {
    "mul": ((0, 1.0), (1, 1.0)),
    "div": ((1, 1.0),),
    "sub": ((1, 0.0),),
    "pow": ((1, 1.0),),
}
"""Operations that give an operand back, bit for bit, if the other one is this constant."""


class Unrolled(Exception):  # noqa: N818  # no error: the program is recorded once more
    """A loop is not one instruction: its steps ask questions, or differ."""


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


class Entries(list[Entry]):
    """The entries of a program in the order in which they were computed."""

    known: dict[Any, Entry]

    def __init__(self) -> None:
        super().__init__()
        self.known = {}

    def write(
        self,
        primitive: Primitive,
        operands: tuple[Entry | float, ...],
        masked: bool = False,
        absent: bool = False,
    ) -> Entry:
        """Return the entry of an operation, which is written down once however often it comes."""
        key: Any = (primitive, *operands)
        if float in map(type, operands):
            for place, constant in IDENTITIES.get(primitive.name, ()):
                same = operands[1 - place]
                if _is(operands[place], constant) and isinstance(same, Entry):
                    return same
            key = (primitive, *[o.hex() if type(o) is float else o for o in operands])
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = Entry(primitive, operands, masked, absent)
            self.append(found)
        return found


def _is(x: object, number: float) -> bool:
    """Return whether an operand is this constant; -0.0 is not 0.0."""
    return type(x) is float and x.hex() == number.hex()


if not TYPE_CHECKING and native.engine is not None:  # these classes are the specification
    Entry, Entries = native.engine.entry_types(
        tuple([(TABLE[name], *pair) for name, pairs in IDENTITIES.items() for pair in pairs])
    )


class Guard(NamedTuple):
    """A question that the program has asked about its numbers, with the answer it was given.

    The answer is a bool, or the array that was read. ``position`` counts the operations before it.
    """

    entry: Entry
    answer: Any
    line: str
    position: int
