"""Sparse derivatives of a program, written operation by operation.

A row of a Jacobian is one reverse pass over the operations that the result depends on. The Hessian
is pushed along the edges of the graph: each operation passes on what it has with other numbers, so
that only pairs that meet are ever computed (R. Gower, M. Mello, A new framework for the computation
of Hessians, 2012).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.masks import OR_ZERO
from ..program import GUARD, Program
from .local import DerivativeWriter
from .steps import questions
from .writer import Atom

__all__ = ["sparse_hessian", "sparse_jacobian"]

Pattern = tuple[list[int], list[int]]
"""Where rows begin, and the column of each number: a matrix in CSR form."""


def sparse_jacobian(program: Program, moving: Sequence[int]) -> tuple[Program, Pattern]:
    """Return a program of the results and of the nonzero derivatives, and where they are."""
    writer, atoms = _copy(program)
    column = {x: j for j, x in enumerate(moving)}
    reach = _reach(writer, moving)
    starts, columns, values = [0], [], []
    for y in program.outputs:
        row = _row(writer, atoms[y], reach)
        for x in sorted(row.keys() & column.keys()):
            columns.append(column[x])
            values.append(row[x])
        starts.append(len(columns))
    return _finish(writer, program, atoms, values), (starts, columns)


def _copy(program: Program) -> tuple[DerivativeWriter, list[Atom]]:
    """Return a program with the same operations, and what its variables are there."""
    writer = DerivativeWriter(program.inputs)
    consts = [*map(writer.constant, program.consts)]
    atoms = [*range(program.inputs)]
    for k in range(len(program)):
        if program.primitive(k) is not GUARD:
            moved = [atoms[o] if o >= 0 else consts[~o] for o in program.operands(k)]
            atoms.append(writer.apply(program.primitive(k), tuple(moved)))
    return writer, [*atoms, *reversed(consts)]


def _reach(writer: DerivativeWriter, moving: Sequence[int]) -> bytearray:
    """Return for each variable whether it depends on inputs that move."""
    found = bytearray(writer.variables)
    for x in moving:
        found[x] = 1
    for atom in range(writer.inputs, len(found)):
        primitive, operands = writer.operation(atom)
        for o, rule in zip(operands, primitive.rules, strict=True):
            if o >= 0 and found[o] and rule is not None:
                found[atom] = 1
    return found


def _row(writer: DerivativeWriter, y: Atom, reach: bytearray) -> dict[int, Atom]:
    """Return the derivatives of a number by all inputs that it depends on."""
    found: dict[int, Atom] = {y: writer.one} if y >= 0 and reach[y] else {}
    for atom in _ancestors(writer, found, reach):
        t = found.pop(atom, None)
        if t is None:
            continue
        for o, d in _edges(writer, atom, writer.local(atom)[0], reach):
            found[o] = writer.plus(found.get(o), writer.times(t, d))
    return found


def _edges(
    writer: DerivativeWriter, atom: int, partial: Sequence[Atom | None], reach: bytearray
) -> list[tuple[int, Atom]]:
    """Return the operands of an operation that move, each with its derivative."""
    _, operands = writer.operation(atom)
    pairs = zip(operands, partial, strict=True)
    return [(o, d) for o, d in pairs if d is not None and o >= 0 and reach[o]]


def _ancestors(writer: DerivativeWriter, roots: dict[int, Atom], reach: bytearray) -> list[int]:
    """Return the operations that a number depends on, the last first."""
    inputs = writer.inputs
    seen = {root for root in roots if root >= inputs}
    pending = list(seen)
    while pending:
        for o in writer.operation(pending.pop())[1]:
            if o >= inputs and reach[o] and o not in seen:
                seen.add(o)
                pending.append(o)
    return sorted(seen, reverse=True)


def _finish(
    writer: DerivativeWriter, program: Program, atoms: Sequence[Atom], values: Sequence[Atom]
) -> Program:
    results = [writer.apply(OR_ZERO, (v,)) if writer.is_masked(v) else v for v in values]
    for atom, answer, line in questions(program):
        writer.guard(atoms[atom], answer, line)
    outputs = [*[atoms[o] for o in program.outputs], *results]
    return writer.program(outputs, range(writer.inputs))


def sparse_hessian(program: Program, moving: Sequence[int]) -> tuple[Program, Pattern]:
    """Return a program of the result, its gradient and the nonzero second derivatives."""
    writer, atoms = _copy(program)
    reach = _reach(writer, moving)
    [y] = program.outputs
    slopes, pairs = _push(writer, atoms[y], reach)
    place = {x: i for i, x in enumerate(moving)}
    rows: list[dict[int, Atom]] = [{} for _ in moving]
    for a, others in pairs.items():
        for b, w in others.items():
            rows[place[a]][place[b]] = w
    starts, columns, values = [0], [], []
    for row in rows:
        for j in sorted(row):
            columns.append(j)
            values.append(row[j])
        starts.append(len(columns))
    gradient = [slopes.get(x, writer.zero) for x in moving]
    return _finish(writer, program, atoms, [*gradient, *values]), (starts, columns)


Pairs = dict[int, dict[int, Atom]]
"""The second derivatives by two numbers, each pair twice."""


def _push(writer: DerivativeWriter, y: Atom, reach: bytearray) -> tuple[dict[int, Atom], Pairs]:
    slopes: dict[int, Atom] = {y: writer.one} if y >= 0 and reach[y] else {}
    pairs: Pairs = {}
    for atom in _ancestors(writer, slopes, reach):
        t = slopes.pop(atom, None)
        partial, second = writer.local(atom)
        edges = _edges(writer, atom, partial, reach)
        if atom in pairs:
            _pass_on(writer, pairs, atom, edges)
        if t is None:
            continue
        _, operands = writer.operation(atom)
        for (i, j), d in second.items():
            a, b = operands[i], operands[j]
            if a >= 0 and b >= 0 and reach[a] and reach[b]:
                w = writer.times(t, d)
                _add(writer, pairs, a, b, w)
                if i != j and a == b:  # x * x: the pair counts in both orders
                    _add(writer, pairs, a, b, w)
        for o, d in edges:
            slopes[o] = writer.plus(slopes.get(o), writer.times(t, d))
    return slopes, pairs


def _pass_on(
    writer: DerivativeWriter, pairs: Pairs, atom: int, edges: Sequence[tuple[int, Atom]]
) -> None:
    """Replace an operation by its operands in all pairs."""
    own = pairs.pop(atom, {})
    square = own.pop(atom, None)
    for other, w in own.items():
        del pairs[other][atom]
        for o, d in edges:
            part = writer.times(w, d)
            _add(writer, pairs, o, other, part)
            if o == other:
                _add(writer, pairs, o, other, part)
    if square is not None:
        for i, (a, d) in enumerate(edges):
            part = writer.times(square, d)
            for j, (b, e) in enumerate(edges[i:]):
                w = writer.times(part, e)
                _add(writer, pairs, a, b, w)
                if j and a == b:
                    _add(writer, pairs, a, b, w)


def _add(writer: DerivativeWriter, pairs: Pairs, a: int, b: int, w: Atom) -> None:
    row = pairs.setdefault(a, {})
    row[b] = total = writer.plus(row.get(b), w)
    if a != b:
        pairs.setdefault(b, {})[a] = total
