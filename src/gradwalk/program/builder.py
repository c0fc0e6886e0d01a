"""`Builder`: what writes a program; and `restricted`: a part of one, for some inputs and outputs.

Every way in writes here: the recorder of `compile`, the walk of a graph, code of your own.
`Columns` is the half of a builder that the native engine has too.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final

from .. import native
from ..core.places import Line
from ..core.primitive import Primitive
from ..ops import TABLE
from .program import NO_PARAMS, SMALL, Aval, Program, needed, params_key

__all__ = ["IDENTITIES", "READ", "Builder", "Columns", "restricted"]

IDENTITIES: Final[dict[str, tuple[tuple[int, float], ...]]] = {
    "mul": ((0, 1.0), (1, 1.0)),
    "div": ((1, 1.0),),
    "sub": ((1, 0.0),),
    "pow": ((1, 1.0),),
}
"""Operations that give an operand back, bit for bit, if the other one is this constant."""

READ: Final = Primitive("read", (), forward=lambda: 0.0, summary="An input that came late")
"""What stands for an input among equations, while a program is written."""


class Columns:
    """Equations as they are written, operands before their consumers."""

    table: list[Primitive]
    consts: list[Any]
    variables: int
    inputs: int

    def __init__(self) -> None:
        self.table, self.consts, self.variables, self.inputs = [], [], 0, 0
        self._op, self._first, self._atoms = array("H"), array("i", [0]), array("i")
        self._outs: array[int] | None = None
        self._absent = bytearray()
        self._places: dict[int, int] = {}  # by identity: black boxes are equal to each other
        self._numbers: dict[str, int] = {}
        self._written: dict[Any, int] = {}

    def __len__(self) -> int:
        """Return the number of equations."""
        return len(self._op)

    def variable(self) -> int:
        """Return the variable of one more input."""
        if self._op:
            return self.append(READ, ())
        self.inputs = self.variables = self.variables + 1
        return self.inputs - 1

    def constant(self, x: Any, own: bool = False) -> int:
        """Return the atom of a constant. Floats of the same bits are one, except its ``own``."""
        merged = type(x) is float and not own
        found = self._numbers.get(x.hex()) if merged else None
        if found is None:
            self.consts.append(x)
            found = -len(self.consts)
            if merged:
                self._numbers[x.hex()] = found
        return found

    def append(
        self, primitive: Primitive, operands: Sequence[int], count: int = 1, masked: bool = False
    ) -> int:
        """Return the first result of one more equation, which has ``count`` results.

        ``masked``: a mask may let nothing of the result through.
        """
        place = self._places.get(id(primitive))
        if place is None:
            if len(self.table) == 1 << 16:
                raise OverflowError("a program of more than 65,536 different primitives")
            place = self._places[id(primitive)] = len(self.table)
            self.table.append(primitive)
        if self._outs is None and count != 1:
            self._outs = array("i", range(self.inputs, self.variables + 1))
        out = self.variables
        self.variables = out + count
        self._op.append(place)
        self._atoms.extend(operands)
        self._first.append(len(self._atoms))
        if self._outs is not None:
            self._outs.append(out + count)
        if masked:
            self._absent.extend(bytes(out - len(self._absent)))
            self._absent.append(1)
        return out

    def write(self, primitive: Primitive, operands: Sequence[int], masked: bool = False) -> int:
        """Return the result of an equation, which is written once however often it comes."""
        for place, constant in IDENTITIES.get(primitive.name, ()):
            same = operands[1 - place]
            if same >= 0 and operands[place] == self._numbers.get(constant.hex()):
                return same
        key = (primitive, *operands)
        found = self._written.get(key)
        if found is None:
            found = self._written[key] = self.append(primitive, operands, 1, masked)
        return found

    def is_masked(self, atom: int) -> bool:
        """Return whether a mask may let nothing of an atom through."""
        return 0 <= atom < len(self._absent) and bool(self._absent[atom])

    def columns(self) -> tuple[bytes, bytes, bytes, bytes | None, bytes | None]:
        """Return the columns op, first, atoms, outs and absent of `Program`."""
        absent = self._absent and bytes(self._absent).ljust(self.variables, b"\0")
        outs = None if self._outs is None else bytes(self._outs)
        return bytes(self._op), bytes(self._first), bytes(self._atoms), outs, absent or None


if not TYPE_CHECKING and native.engine is not None:  # the class above is the specification
    Columns = native.engine.columns_type(
        READ, tuple([(TABLE[name], *pair) for name, pairs in IDENTITIES.items() for pair in pairs])
    )


class Builder(Columns):
    """What writes a program: inputs, then equations, operands before their consumers.

    >>> from gradwalk.ops import TABLE
    >>> from gradwalk.program.builder import Builder
    >>> builder = Builder()
    >>> x = builder.input(name="x")
    >>> y = builder.add(TABLE["mul"], [x, builder.constant(2.0)])
    >>> print(builder.program([y]))
    program of x
      v1 = mul x 2.0
      return v1
    """

    def __init__(self) -> None:
        super().__init__()
        self.params: dict[int, Mapping[str, Any]] = {}
        self.sources: dict[int, Any] = {}
        self.names: dict[int, str] = {}
        self.avals: dict[int, Aval] = {}
        """Shape and dtype of variables that are arrays."""
        self._lines: dict[Line, int] = {}
        self._origins: array[int] | None = None
        self._merged: dict[Any, int] = {}

    def input(self, source: Any = None, name: str = "") -> int:
        """Return the variable of one more input. Of one that comes late, see `program`."""
        atom: int = self.variable()
        if source is not None:
            self.sources[atom] = source
        if name:
            self.names[atom] = name
        return atom

    def constant_once(self, key: Any, x: Any) -> int:
        """Return the atom of a constant, which is one for all that have this key."""
        found = self._merged.get(("constant", key))
        if found is None:
            found = self._merged["constant", key] = self.constant(x)
        return found

    def add(
        self,
        primitive: Primitive,
        operands: Sequence[int],
        params: Mapping[str, Any] = NO_PARAMS,
        count: int = 1,
        origin: Line | None = None,
    ) -> int:
        """Return the first result of one more equation, which has ``count`` results."""
        if params or origin is not None or self._origins is not None:
            self._note(params, origin)
        return self.append(primitive, operands, count)

    def add_once(
        self, primitive: Primitive, operands: Sequence[int], params: Mapping[str, Any], count: int
    ) -> int:
        """Return what `add` returns, for an equation that is written once however often it comes.

        That cannot be said of one whose options have no key, as large arrays.
        """
        try:
            key = (primitive, *operands, *params_key(params, SMALL))
            found = self._merged.get(key)
        except TypeError:
            return self.add(primitive, operands, params, count)
        if found is None:
            found = self._merged[key] = self.add(primitive, operands, params, count)
        return found

    def _note(self, params: Mapping[str, Any], origin: Line | None) -> None:
        """Write down options and line of the equation that comes next."""
        k = len(self)
        if params:
            self.params[k] = params
        if origin is not None and self._origins is None:
            self._origins = array("i")
        if self._origins is not None:
            self._origins.extend([-1] * (k - len(self._origins)))
            at = -1 if origin is None else self._lines.setdefault(origin, len(self._lines))
            self._origins.append(at)

    def locate(self, lines: Sequence[Line | None]) -> None:
        """Write down the line of each equation, in their order, instead of one by one."""
        places: dict[tuple[int, int], int] = {}  # a code object takes 0.2 us to hash
        self._lines, found = {}, array("i", bytes(4 * len(lines)))
        for k, line in enumerate(lines):
            if line is None:
                found[k] = -1
                continue
            at = places.get((id(line[0]), line[1]))
            if at is None:
                at = places[id(line[0]), line[1]] = self._lines.setdefault(line, len(self._lines))
            found[k] = at
        self._origins = found if self._lines else None

    def program(self, outputs: Sequence[int], inputs: Sequence[int] | None = None) -> Program:
        """Return the program of ``outputs``; for these ``inputs``, see `restricted`.

        Inputs that came behind equations must be among those.
        """
        program = Program()
        op, first, atoms, outs, absent = self.columns()
        program.inputs, program.outputs = self.inputs, tuple(outputs)
        program.table, program.consts = self.table, self.consts
        program.op, program.first, program.atoms = (
            array("H", op),
            array("i", first),
            array("i", atoms),
        )
        program.outs = None if outs is None else array("i", outs)
        program.absent = None if absent is None else bytearray(absent)
        program.params, program.sources, program.names = self.params, self.sources, self.names
        program.places, program.origins = [*self._lines], self._origins
        if program.origins is not None:
            program.origins.extend([-1] * (len(program) - len(program.origins)))
        program.avals = None
        if self.avals:
            program.avals = [self.avals.get(a) for a in range(self.variables)]
        return program if inputs is None else restricted(program, inputs, outputs)


def restricted(program: Program, inputs: Sequence[int], outputs: Sequence[int]) -> Program:
    """Return the program of ``outputs`` without what neither they nor guards need.

    ``inputs`` are variables, which become the inputs in this order: how they are computed is not
    part of it. Inputs of the program that are needed beside them follow them.
    """
    kept, wanted = needed(program, outputs, inputs, guards=True)
    chosen, late = {*inputs}, list[int]()
    if READ in program.table:
        late = [program.results(k)[0] for k in kept if program.primitive(k) is READ]
        kept = [k for k in kept if program.primitive(k) is not READ]
    first = [*inputs, *[a for a in range(program.inputs) if wanted[a] and a not in chosen], *late]
    whole = len(kept) == len(program) and first == [*range(program.inputs)]
    if whole and all(wanted[program.variables :]):
        found = copy(program)
        found.outputs = tuple(outputs)
        return found
    return _part(program, first, kept, outputs, wanted)


def _part(
    program: Program,
    inputs: Sequence[int],
    kept: Sequence[int],
    outputs: Sequence[int],
    wanted: bytearray,
) -> Program:
    """Return the program of some of the equations, with its variables numbered anew."""
    size, builder, chosen = program.variables, Builder(), {*inputs}
    outs = program.outs or range(program.inputs, size + 1)
    moved = array("i", bytes(4 * (size + len(program.consts))))
    for a in inputs:
        moved[a] = builder.input(program.sources.get(a))
    for c, x in enumerate(program.consts):
        if wanted[size + len(program.consts) - 1 - c]:
            moved[~c] = builder.constant(x, ~c in program.names)
    to, append = moved.__getitem__, builder.append
    op, first, atoms, table = program.op, program.first, program.atoms, program.table
    plain = program.outs is None and not program.params and program.origins is None
    for k in kept:
        operands = [*map(to, atoms[first[k] : first[k + 1]])]
        if plain:
            moved[outs[k]] = append(table[op[k]], operands)
            continue
        count, params = outs[k + 1] - outs[k], program.params.get(k, NO_PARAMS)
        y = builder.add(table[op[k]], operands, params, count, program.line(k))
        for i in range(count):
            if not (count > 1 and outs[k] + i in chosen):
                moved[outs[k] + i] = y + i
    found = builder.program([*map(to, outputs)])
    variables = [*inputs, *[a for k in kept for a in range(outs[k], outs[k + 1])]]
    if program.names:
        there = {a: name for a, name in program.names.items() if a in chosen or wanted[a]}
        found.names = {to(a): name for a, name in there.items()}
    if program.avals is not None:
        found.avals = [program.avals[a] for a in variables]
    if program.absent is not None:
        absent = bytearray([program.absent[a] for a in variables])
        found.absent = absent if any(absent) else None
    return found
