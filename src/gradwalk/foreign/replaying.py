"""The operations of a recorded graph, run once more for observers, which see them as they run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..core.places import located
from ..ops.array.conventions import original
from ..program.run import run_of
from ..tensor import Tensor
from .places import Place, at

__all__ = ["replayed"]


def replayed(result: Any, facts: Sequence[tuple[Place | None, Any, list[Any]]] = ()) -> Any:
    """Run each operation of a graph at its line, on the numbers that it had; return the result.

    ``facts`` are comparisons, which are no part of the graph: place, primitive, operands.
    """
    for where, comparison, numbers in facts:
        at(where, comparison, *map(_recorded, numbers))
    run = run_of(result)
    program = run.program
    with run.quiet():
        for k in range(len(program)):
            operands = [_operand(run, a) for a in program.operands(k)]
            if any(x is None for x in operands):
                continue
            file, line = located(program.line(k))
            place = (file, line, "adopted") if file else None
            primitive: Any = original(program.primitive(k))
            options = program.params.get(k, {})
            at(place, partial(primitive, **options), *operands)
    return result


def _operand(run: Any, atom: int) -> Any:
    x = run.number(atom)
    return x if atom < 0 or x is None else _recorded(x)


def _recorded(x: Any) -> Any:
    return Tensor(x, requires_grad=getattr(x, "dtype", None) is not None and x.dtype.kind == "f")
