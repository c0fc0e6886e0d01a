"""The listing of a program: what is computed, line by line, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Instruction", "Source", "listing"]

Source = tuple[int, int] | tuple[tuple[int, ...]] | float
"""Where the numbers of an operand are: a first cell and the step to the next, or every cell; or
the number itself."""


class Instruction(NamedTuple):
    """One line of a program.

    The operands of a sum have the lanes of its first term, then those of the second, and so on.
    """

    kernel: str
    """What computes the lanes; empty for a sum of numbers that are there already."""

    lanes: int
    out: int
    """The cell of the first result; the others follow."""

    sources: Sequence[Source]
    terms: int = 1
    sum: str = ""
    """The kernel that adds the terms."""

    starts: bool = False
    """Whether the sum begins with numbers of its own, the last operand, and not with a term."""


def _operations(instruction: Instruction) -> int:
    """Return how many operations on numbers an instruction is."""
    lanes, terms = instruction.lanes, instruction.terms
    own = lanes * terms if instruction.kernel not in ("", "copy") else 0
    return own + (lanes * (terms - 1 + instruction.starts) if instruction.sum else 0)


def listing(instructions: Sequence[Sequence[object]]) -> str:
    """Return one line per instruction. Every result has a number of its own.

    >>> print(listing([("mul", 3, 4, [(0, 1), (3, 0)]), ("add", 1, 7, [(4, 0), (5, 0)])]))
    4 operations in 2 instructions
    c4..c6  mul  c0..c2 c3  3 lanes
    c7      add  c4 c5
    >>> print(listing([("mul", 1, 6, [(0, 1), (3, 1)], 3, "add", False)]))
    5 operations in 1 instructions
    c6  add of mul  c0..c2 c3..c5  3 terms
    """
    written = [Instruction(*i) for i in instructions]  # type: ignore[arg-type]
    lines = [_line(instruction) for instruction in _numbered(written)]
    widths = [max((len(line[k]) for line in lines), default=0) for k in range(3)]
    rows = [
        f"{out:<{widths[0]}}  {kernel:<{widths[1]}}  {sources:<{widths[2]}}  {size}".rstrip()
        for out, kernel, sources, size in lines
    ]
    total = sum(map(_operations, written))
    return "\n".join([f"{total:,} operations in {len(lines):,} instructions", *rows])


def _line(instruction: Instruction) -> tuple[str, str, str, str]:
    kernel, lanes, out, sources, terms, total, starts = instruction
    counts = [lanes * terms] * len(sources)
    if starts:
        counts[-1] = lanes
    sizes = [f"{lanes} lanes"] * (lanes > 1) + [f"{terms} terms"] * (terms > 1)
    return (
        _cells(out, 1, lanes),
        " of ".join(filter(None, (total, kernel))),
        " ".join(_source(*both) for both in zip(sources, counts, strict=True)),
        ", ".join(sizes),
    )


def _numbered(instructions: Sequence[Instruction]) -> Iterator[Instruction]:
    """Yield instructions in which no cell is used again for another number."""
    after = min((i.out for i in instructions), default=0)
    numbers: dict[int, int] = {}
    for instruction in instructions:
        sources = [_renumbered(source, instruction, numbers) for source in instruction.sources]
        for lane in range(instruction.lanes):
            numbers[instruction.out + lane] = after + lane
        yield instruction._replace(out=after, sources=sources)
        after += instruction.lanes


def _renumbered(source: Source, instruction: Instruction, numbers: dict[int, int]) -> Source:
    if isinstance(source, float):
        return source
    if len(source) == 1:
        cells: Iterable[int] = source[0]
    elif source[1] == 0:
        return numbers.get(source[0], source[0]), 0
    else:
        count = instruction.lanes * instruction.terms
        if instruction.starts and source is instruction.sources[-1]:
            count = instruction.lanes
        cells = range(source[0], source[0] + source[1] * count, source[1])
    found = [numbers.get(cell, cell) for cell in cells]
    steps = {b - a for a, b in pairwise(found)}
    return (found[0], steps.pop()) if len(steps) == 1 else (tuple(found),)


def _source(source: Source, lanes: int) -> str:
    if isinstance(source, float):
        return repr(source)
    if len(source) == 2:
        return _cells(*source, lanes)
    first, second, *rest = (f"c{cell}" for cell in source[0])
    return f"[{first} {second} {rest[0]}{' ...' if rest[1:] else ''}]"


def _cells(start: int, step: int, lanes: int) -> str:
    if lanes == 1 or step == 0:
        return f"c{start}"
    return f"c{start}..c{start + step * (lanes - 1)}" + (f" by {step}" if abs(step) != 1 else "")
