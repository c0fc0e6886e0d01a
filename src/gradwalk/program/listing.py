"""The listing of a program: what is computed, line by line, for people."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Instruction", "Source", "listing"]

Source = tuple[int, int] | tuple[tuple[int, ...]] | float
"""Where the numbers of an operand are: a first cell and the step to the next, or every cell; or
the number itself."""

Instruction = tuple[str, int, int, Sequence[Source]]
"""The kernel, the number of lanes, the first cell of the results, and the operands."""


def listing(instructions: Sequence[Instruction]) -> str:
    """Return one line per instruction.

    >>> print(listing([("mul", 3, 4, [(0, 1), (3, 0)]), ("add", 1, 7, [(4, 0), (5, 0)])]))
    4 operations in 2 instructions
    c4..c6  mul  c0..c2 c3  3 lanes
    c7      add  c4 c5
    """
    lines = [
        (
            _cells(out, 1, lanes),
            kernel,
            " ".join(_source(source, lanes) for source in sources),
            f"{lanes} lanes" if lanes > 1 else "",
        )
        for kernel, lanes, out, sources in instructions
    ]
    widths = [max((len(line[k]) for line in lines), default=0) for k in range(3)]
    rows = [
        f"{out:<{widths[0]}}  {kernel:<{widths[1]}}  {sources:<{widths[2]}}  {lanes}".rstrip()
        for out, kernel, sources, lanes in lines
    ]
    operations = sum(lanes for _, lanes, *_ in instructions)
    return "\n".join([f"{operations:,} operations in {len(lines):,} instructions", *rows])


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
