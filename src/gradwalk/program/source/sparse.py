"""Sparse derivatives of a program, written operation by operation.

A row of a Jacobian is one reverse pass over the operations that the result depends on. The Hessian
is pushed along the edges of the graph: each operation passes on what it has with other numbers, so
that only pairs that meet are ever computed (R. Gower, M. Mello, A new framework for the computation
of Hessians, 2012).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.masks import OR_ZERO
from .flat import Atom, Flat, needed
from .local import Writer

__all__ = ["sparse_hessian", "sparse_jacobian"]

Pattern = tuple[list[int], list[int]]
"""Where rows begin, and the column of each number: a matrix in CSR form."""


def sparse_jacobian(flat: Flat, moving: Sequence[int]) -> tuple[Flat, Pattern]:
    """Return a program of the results and of the nonzero derivatives, and where they are."""
    writer, atoms = _copy(flat)
    column = {x: j for j, x in enumerate(moving)}
    reach = _reach(writer.flat, moving)
    starts, columns, values = [0], [], []
    for y in flat.outputs:
        row = _row(writer, atoms[y] if y >= 0 else y, reach)
        for x in sorted(row.keys() & column.keys()):
            columns.append(column[x])
            values.append(row[x])
        starts.append(len(columns))
    return _finish(writer, flat, atoms, values), (starts, columns)


def _copy(flat: Flat) -> tuple[Writer, list[Atom]]:
    """Return a program with the same operations, and what its atoms are there."""
    writer = Writer(flat.inputs, flat.constants)
    atoms = [*range(flat.inputs)]
    for primitive, operands in zip(flat.primitives, flat.operands, strict=True):
        moved = tuple([atoms[o] if o >= 0 else o for o in operands])
        atoms.append(writer.apply(primitive, moved))
    return writer, atoms


def _reach(flat: Flat, moving: Sequence[int]) -> bytearray:
    """Return for each atom whether it depends on inputs that move."""
    found = bytearray(flat.inputs + len(flat.primitives))
    for x in moving:
        found[x] = 1
    for atom, (primitive, operands) in enumerate(
        zip(flat.primitives, flat.operands, strict=True), flat.inputs
    ):
        for o, rule in zip(operands, primitive.rules, strict=True):
            if o >= 0 and found[o] and rule is not None:
                found[atom] = 1
    return found


def _row(writer: Writer, y: Atom, reach: bytearray) -> dict[int, Atom]:
    """Return the derivatives of a number by all inputs that it depends on."""
    found: dict[int, Atom] = {y: writer.one} if y >= 0 and reach[y] else {}
    for atom in _ancestors(writer.flat, found, reach):
        t = found.pop(atom, None)
        if t is None:
            continue
        for o, d in _edges(writer, atom, writer.local(atom)[0], reach):
            found[o] = writer.plus(found.get(o), writer.times(t, d))
    return found


def _edges(
    writer: Writer, atom: int, partial: Sequence[Atom | None], reach: bytearray
) -> list[tuple[int, Atom]]:
    """Return the operands of an operation that move, each with its derivative."""
    operands = writer.flat.operands[atom - writer.flat.inputs]
    pairs = zip(operands, partial, strict=True)
    return [(o, d) for o, d in pairs if d is not None and o >= 0 and reach[o]]


def _ancestors(flat: Flat, roots: dict[int, Atom], reach: bytearray) -> list[int]:
    """Return the operations that a number depends on, the last first."""
    seen = {root for root in roots if root >= flat.inputs}
    pending = list(seen)
    while pending:
        for o in flat.operands[pending.pop() - flat.inputs]:
            if o >= flat.inputs and reach[o] and o not in seen:
                seen.add(o)
                pending.append(o)
    return sorted(seen, reverse=True)


def _finish(writer: Writer, flat: Flat, atoms: Sequence[Atom], values: Sequence[Atom]) -> Flat:
    made = writer.flat
    results = [writer.apply(OR_ZERO, (v,)) if made.is_masked(v) else v for v in values]
    made.outputs = [*[atoms[o] if o >= 0 else o for o in flat.outputs], *results]
    made.checks = [c._replace(atom=atoms[c.atom]) for c in flat.checks if atoms[c.atom] >= 0]
    return needed(made)


def sparse_hessian(flat: Flat, moving: Sequence[int]) -> tuple[Flat, Pattern]:
    """Return a program of the result, its gradient and the nonzero second derivatives."""
    writer, atoms = _copy(flat)
    reach = _reach(writer.flat, moving)
    [y] = flat.outputs
    slopes, pairs = _push(writer, atoms[y] if y >= 0 else y, reach)
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
    return _finish(writer, flat, atoms, [*gradient, *values]), (starts, columns)


Pairs = dict[int, dict[int, Atom]]
"""The second derivatives by two numbers, each pair twice."""


def _push(writer: Writer, y: Atom, reach: bytearray) -> tuple[dict[int, Atom], Pairs]:
    slopes: dict[int, Atom] = {y: writer.one} if y >= 0 and reach[y] else {}
    pairs: Pairs = {}
    for atom in _ancestors(writer.flat, slopes, reach):
        t = slopes.pop(atom, None)
        partial, second = writer.local(atom)
        edges = _edges(writer, atom, partial, reach)
        if atom in pairs:
            _pass_on(writer, pairs, atom, edges)
        if t is None:
            continue
        operands = writer.flat.operands[atom - writer.flat.inputs]
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


def _pass_on(writer: Writer, pairs: Pairs, atom: int, edges: Sequence[tuple[int, Atom]]) -> None:
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


def _add(writer: Writer, pairs: Pairs, a: int, b: int, w: Atom) -> None:
    row = pairs.setdefault(a, {})
    row[b] = total = writer.plus(row.get(b), w)
    if a != b:
        pairs.setdefault(b, {})[a] = total
