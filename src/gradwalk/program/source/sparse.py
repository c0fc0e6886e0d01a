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
    reach = _reach(writer.flat, set(moving))
    starts, columns, values = [0], [], []
    for y in flat.outputs:
        row = _row(writer, atoms(y), reach)
        for x in sorted(row.keys() & column.keys()):
            columns.append(column[x])
            values.append(row[x])
        starts.append(len(columns))
    return _finish(writer, flat, atoms, values), (starts, columns)


def _copy(flat: Flat) -> tuple[Writer, _Atoms]:
    writer = Writer(flat.inputs)
    atoms = _Atoms()
    for i in range(flat.inputs):
        atoms.known[i] = i
    for i, (primitive, operands, _) in enumerate(flat.operations):
        atoms.known[flat.inputs + i] = writer.apply(primitive, tuple(map(atoms, operands)))
    return writer, atoms


class _Atoms:
    """What the atoms of a program are in another one."""

    def __init__(self) -> None:
        self.known: dict[int, Atom] = {}

    def __call__(self, atom: Atom) -> Atom:
        return atom if isinstance(atom, float) else self.known[atom]


def _reach(flat: Flat, moving: set[int]) -> set[Atom]:
    """Return the atoms that depend on inputs that move."""
    found: set[Atom] = set(moving)
    for i, (primitive, operands, _) in enumerate(flat.operations):
        pairs = zip(operands, primitive.rules, strict=True)
        if any(rule is not None and o in found and not isinstance(o, float) for o, rule in pairs):
            found.add(flat.inputs + i)
    return found


def _row(writer: Writer, y: Atom, reach: set[Atom]) -> dict[int, Atom]:
    """Return the derivatives of a number by all inputs that it depends on."""
    found: dict[int, Atom] = {y: 1.0} if isinstance(y, int) and y in reach else {}
    for atom in _ancestors(writer.flat, found, reach):
        t = found.pop(atom, None)
        if t is None:
            continue
        partial, _ = writer.local(atom)
        operands = writer.flat.operations[atom - writer.flat.inputs].operands
        for o, d in zip(operands, partial, strict=True):
            if d is not None and o in reach and isinstance(o, int):
                found[o] = writer.plus(found.get(o), writer.times(t, d))
    return found


def _ancestors(flat: Flat, roots: dict[int, Atom], reach: set[Atom]) -> list[int]:
    """Return the operations that a number depends on, the last first."""
    seen = {root for root in roots if root >= flat.inputs}
    pending = list(seen)
    while pending:
        for o in flat.operations[pending.pop() - flat.inputs].operands:
            if isinstance(o, int) and o >= flat.inputs and o in reach and o not in seen:
                seen.add(o)
                pending.append(o)
    return sorted(seen, reverse=True)


def _finish(writer: Writer, flat: Flat, atoms: _Atoms, values: Sequence[Atom]) -> Flat:
    outputs = [writer.apply(OR_ZERO, (v,)) for v in values]
    made = writer.flat
    made.outputs = [*map(atoms, flat.outputs), *outputs]
    for check in flat.checks:
        atom = atoms(check.atom)
        if isinstance(atom, int):
            made.checks.append(check._replace(atom=atom))
    return needed(made)


def sparse_hessian(flat: Flat, moving: Sequence[int]) -> tuple[Flat, Pattern]:
    """Return a program of the result, its gradient and the nonzero second derivatives."""
    writer, atoms = _copy(flat)
    reach = _reach(writer.flat, set(moving))
    slopes, pairs = _push(writer, atoms(flat.outputs[0]), reach)
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
    gradient = [slopes.get(x, 0.0) for x in moving]
    return _finish(writer, flat, atoms, [*gradient, *values]), (starts, columns)


Pairs = dict[int, dict[int, Atom]]
"""The second derivatives by two numbers, each pair twice."""


def _push(writer: Writer, y: Atom, reach: set[Atom]) -> tuple[dict[int, Atom], Pairs]:
    slopes: dict[int, Atom] = {y: 1.0} if isinstance(y, int) and y in reach else {}
    pairs: Pairs = {}
    for atom in _ancestors(writer.flat, slopes, reach):
        t = slopes.pop(atom, None)
        partial, second = writer.local(atom)
        operands = writer.flat.operations[atom - writer.flat.inputs].operands
        edges = [
            (o, d)
            for o, d in zip(operands, partial, strict=True)
            if d is not None and o in reach and isinstance(o, int)
        ]
        _pass_on(writer, pairs, atom, edges)
        if t is None:
            continue
        for (i, j), d in second.items():
            a, b = operands[i], operands[j]
            if isinstance(a, int) and isinstance(b, int) and a in reach and b in reach:
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
    total = writer.plus(pairs.get(a, {}).get(b), w)
    pairs.setdefault(a, {})[b] = total
    pairs.setdefault(b, {})[a] = total
