"""What a recorder has written down, as a `Program`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ...ops.masks import OR_ZERO, PLUS
from ..program import GUARD, Aval, Builder, Program
from .entries import Entry
from .recorder import Recorder

__all__ = ["masked_operands", "needed", "program_of_entries"]

AWARE = (PLUS, OR_ZERO)
"""Primitives that look at absent operands themselves."""


def needed(entries: Sequence[Entry], ends: Sequence[Any]) -> set[Any]:
    """Return the entries that ``ends`` are computed from."""
    found = set(ends)
    for entry in reversed(entries):
        if entry in found:
            found.update(o for o in entry.operands if isinstance(o, Entry))
    return found


def program_of_entries(
    inputs: Sequence[Entry], recorder: Recorder, outputs: Sequence[Entry | float]
) -> Program:
    """Return the program of ``outputs``, without what neither they nor guards need.

    A guard stands behind what was computed before it.
    """
    guards = recorder.guards
    kept = needed(recorder.entries, [*outputs, *(guard.entry for guard in guards)])
    builder = Builder()
    atoms: dict[Any, int] = {entry: builder.input() for entry in inputs}
    written: list[Entry | None] = [*inputs]  # that of each variable
    part = import_module(".array_recorder", __package__).PART if recorder.has_arrays else None

    def atom(x: Any) -> int:
        if isinstance(x, Entry):
            found = atoms.get(x)
            if found is None:  # a constant array
                found = atoms[x] = builder.constant(x.constant)  # type: ignore[attr-defined]
            return found
        return builder.constant(x)

    add, constant = builder.add, builder.constant
    asked = 0
    for position, entry in enumerate([*recorder.entries, None]):
        while asked < len(guards) and guards[asked].position <= position:
            guard = guards[asked]
            params = {"answer": guard.answer, "line": guard.line}
            builder.add(GUARD, [atom(guard.entry)], params, 0)
            asked += 1
        if entry is None or entry not in kept:
            continue
        if part is None:  # numbers alone, in half of the time
            operands = [constant(o) if type(o) is float else atoms[o] for o in entry.operands]
            atoms[entry] = add(entry.primitive, operands)
            written.append(entry)
            continue
        if entry.primitive is part:
            (several,) = entry.operands
            atoms[entry] = atoms[several] + entry.options["index"]
            written[atoms[entry]] = entry
            continue
        assert entry.primitive is not None
        count = getattr(entry, "count", 1)
        operands = [atom(o) for o in entry.operands]
        atoms[entry] = builder.add(entry.primitive, operands, getattr(entry, "options", {}), count)
        written += [entry if count == 1 else None] * count
    program = builder.program([*map(atom, outputs)])
    if recorder.has_arrays:
        program.avals = [*map(_aval, written)]
    if any(e is not None and e.masked for e in written):
        program.absent = bytearray([e is not None and e.masked for e in written])
    return program


def _aval(entry: Any) -> Aval | None:
    """Return shape and dtype of an array; ``None`` for a number, or what no equation reads."""
    shape = getattr(entry, "shape", None)
    return None if shape is None else Aval(shape, entry.dtype)


def masked_operands(program: Program, k: int) -> int:
    """Return a bit for each operand of an equation that may be absent."""
    absent = program.absent
    if absent is None or program.primitive(k) in AWARE:
        return 0
    return sum(1 << i for i, a in enumerate(program.operands(k)) if a >= 0 and absent[a])
