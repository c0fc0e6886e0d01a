"""`Program`: a list of applied primitives, which every way in makes and every way out reads.

A program is a sequence of equations, each of which applies a primitive to operands. An operand is
an *atom*, an int: ``a >= 0`` is a variable, and ``a < 0`` is the constant ``~a``. The variables are
the inputs first, then the results of the equations in their order. The columns are arrays of
integers, so a program takes about 20 bytes for an equation, and equal programs are found to be
equal by a comparison of bytes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from ..core.carrier import Carrier
from ..core.places import Line, short_file, short_place
from ..core.primitive import Primitive
from ..errors import OptionError
from ..ops.masks import MASKS, OR_ZERO, PLUS

__all__ = ["GUARD", "NO_PARAMS", "SMALL", "Aval", "Equation", "Program", "answers", "apply_plainly"]
__all__ += ["backward_order", "evaluate", "frozen", "needed", "number_of", "params_key", "provide"]
__all__ += ["reverse", "same_bits"]

NO_PARAMS: Mapping[str, Any] = MappingProxyType({})
SHOWN = 10_000
"""Equations of a program that its listing shows."""


class Aval(NamedTuple):
    """What is known of an array without its numbers."""

    shape: tuple[int, ...]
    dtype: Any


class Guard(Primitive):
    """The primitive of a question that a program has asked, which has no result.

    Its equation has the ``answer`` of the recorded run, a bool or an array, and the ``line`` of the
    user's program. A program is right only for numbers that give the same answer.
    """

    kind: str = "guard"
    __slots__ = ()

    def __call__(self, x: Any, *, answer: Any, line: str) -> tuple[()]:  # type: ignore[override]
        """Return no result. Raise `OptionError` for another answer than that of the recording."""
        if not answers(x, answer):
            raise OptionError(
                where="program(*inputs)",
                expected=f"numbers that take the branch of the recorded run, {line}",
                got="others",
                fix="Write compile(f).program(*args) for the program of these numbers.",
            )
        return ()


GUARD: Final = Guard("guard", (None,), forward=lambda x: x, summary="A question about a number")


def answers(x: Any, answer: Any) -> bool:
    """Return whether a question has the answer that it had in the recorded run."""
    return same_bits(x, answer) if hasattr(answer, "tobytes") else bool(x) is answer


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays are the same, down to the signs of zeros."""
    same = (a.shape, a.dtype) == (b.shape, b.dtype)
    return bool(same and (a is b or a.tobytes() == b.tobytes()))


class Equation(NamedTuple):
    """One application of a primitive.

    ``operands``  its atoms: variables, or constants as negative numbers
    ``results``   the variables that it defines: one, but for a primitive with several results
    ``params``    the options of the primitive, by keyword
    ``origin``    the line of the user's program, if it was recorded: a code object and an offset
    """

    primitive: Primitive
    operands: tuple[int, ...]
    results: range
    params: Mapping[str, Any]
    origin: Line | None


class Program:
    """Equations in columns, as `Builder` has written them. A program is not changed any more.

    ``inputs``    the number of inputs: the variables from 0
    ``outputs``   the atoms of the results
    ``table``     the distinct primitives, of which ``op[k]`` is the place of that of equation k
    ``first``     where its operands are: ``atoms[first[k]:first[k + 1]]``
    ``outs``      its first result; ``None`` if every equation has one: then it is ``inputs + k``
    ``params``    the options of those equations that have any
    ``consts``    the constants: floats, and arrays that are not written into
    ``sources``   for each input what it is read from, if it is: a Value or a Tensor, which has
                  another number in another run
    ``avals``     shape and dtype of each variable that is an array, ``None`` for a number; all are
                  numbers if there is no list
    ``absent``    1 for a variable that is a contribution which a mask may let nothing through of
    ``names``     the names of variables and constants, as far as they have any
    ``places``    the lines of the user's program, and ``origins`` the place of each equation, -1
                  for none

    >>> from gradwalk import Value, program_of
    >>> x, y = Value(2.0, label="x"), Value(3.0, label="y")
    >>> program = program_of(x * y + 1.0)
    >>> print(program)
    program of x, y
      v2 = mul x y
      v3 = add v2 1.0
      return v3
    >>> [(e.primitive.name, e.operands, list(e.results)) for e in program]
    [('mul', (0, 1), [2]), ('add', (2, -1), [3])]
    >>> program(4.0, 5.0), program()  # without numbers, those of the Values
    (21.0, 7.0)
    """

    __slots__ = (
        "absent", "atoms", "avals", "consts", "first", "inputs", "names", "op", "origins",
        "outputs", "outs", "params", "places", "sources", "table",
    )  # fmt: skip

    inputs: int
    outputs: tuple[int, ...]
    table: list[Primitive]
    op: array[int]
    first: array[int]
    atoms: array[int]
    outs: array[int] | None
    params: dict[int, Mapping[str, Any]]
    consts: list[Any]
    sources: dict[int, Any]
    avals: list[Aval | None] | None
    absent: bytearray | None
    names: dict[int, str]
    places: list[Line]
    origins: array[int] | None

    def __len__(self) -> int:
        """Return the number of equations."""
        return len(self.op)

    def __getitem__(self, k: int) -> Equation:
        """Return equation k."""
        if not -len(self) <= k < len(self):
            raise IndexError(k)  # ends a loop of Python
        k %= len(self)
        params = self.params.get(k, NO_PARAMS)
        return Equation(self.primitive(k), self.operands(k), self.results(k), params, self.line(k))

    def __iter__(self) -> Iterator[Equation]:
        """Yield the equations, operands first."""
        return map(self.__getitem__, range(len(self)))

    def primitive(self, k: int) -> Primitive:
        """Return the primitive of equation k.

        Parameters
        ----------
        k
            The number of the equation, from 0.
        """
        return self.table[self.op[k]]

    def operands(self, k: int) -> tuple[int, ...]:
        """Return the atoms of the operands of equation k.

        Parameters
        ----------
        k
            The number of the equation, from 0.

        Returns
        -------
        a tuple of integers
            Variables are >= 0, the inputs first; the constant ``consts[i]`` is ``-1 - i``.
        """
        return tuple(self.atoms[self.first[k] : self.first[k + 1]])

    def results(self, k: int) -> range:
        """Return the variables that equation k defines.

        Parameters
        ----------
        k
            The number of the equation, from 0.
        """
        if self.outs is None:
            return range(self.inputs + k, self.inputs + k + 1)
        return range(self.outs[k], self.outs[k + 1])

    def line(self, k: int) -> Line | None:
        """Return the line of the user's program that equation k comes from, if it is known.

        Parameters
        ----------
        k
            The number of the equation, from 0.
        """
        at = -1 if self.origins is None else self.origins[k]
        return None if at < 0 else self.places[at]

    def guards(self) -> list[Mapping[str, Any]]:
        """Return the ``answer`` and the ``line`` of each equation of `GUARD`."""
        if GUARD not in self.table:
            return []
        at = self.table.index(GUARD)
        return [self.params[k] for k, place in enumerate(self.op) if place == at]

    def maker(self, atom: int) -> int | None:
        """Return which equation defines a variable; ``None`` for inputs and constants.

        Parameters
        ----------
        atom
            A variable, >= 0, or a constant, < 0.
        """
        if atom < self.inputs:
            return None
        return atom - self.inputs if self.outs is None else bisect_right(self.outs, atom) - 1

    def equation(self, atom: int) -> Equation | None:
        """Return the equation that defines a variable; ``None`` for inputs and constants.

        Parameters
        ----------
        atom
            A variable, >= 0, or a constant, < 0.
        """
        k = self.maker(atom)
        return None if k is None else self[k]

    @property
    def variables(self) -> int:
        """The number of variables."""
        return self.inputs + len(self) if self.outs is None else self.outs[-1]

    def name(self, atom: int) -> str:
        """Return how an atom is written: its name or ``v7``, or the number of a constant.

        Parameters
        ----------
        atom
            A variable, >= 0, or a constant, < 0.
        """
        if atom >= 0 or atom in self.names:
            return self.names.get(atom) or f"v{atom}"
        x = self.consts[~atom]
        return f"{x.dtype}{list(x.shape)}" if hasattr(x, "dtype") else repr(x)

    def __str__(self) -> str:
        given = ", ".join(map(self.name, range(self.inputs)))
        rows = [self._row(self[k]) for k in range(min(len(self), SHOWN))]
        more = [f"… {len(self) - SHOWN:,} more equations …"] if len(self) > SHOWN else []
        last = f"return {', '.join(map(self.name, self.outputs))}"
        return "\n  ".join([f"program of {given or 'nothing'}", *rows, *more, last])

    def _row(self, equation: Equation) -> str:
        """Return the listing's line of an equation."""
        results = ", ".join(map(self.name, equation.results)) or "_"
        params = dict(equation.params)
        place = short_file(params.pop("line")) if equation.primitive is GUARD else ""
        options = " ".join(f"{name}={x!r}" for name, x in params.items())
        operands = " ".join(map(self.name, equation.operands))
        words = f"{results} = {' '.join(filter(None, (equation.primitive.name, operands)))}"
        words += f" [{options}]" if options else ""
        place = place or short_place(equation.origin)
        return f"{words:<40}  # {place}" if place else words

    def __repr__(self) -> str:
        return f"<program of {self.inputs:,} inputs: {len(self):,} equations>"

    def _key(self) -> object:
        columns = (self.op, self.first, self.atoms, self.outs, self.absent)
        parts = [None if c is None else bytes(c) for c in columns]
        options = [(k, params_key(o)) for k, o in sorted(self.params.items())]
        consts = [*map(_bits, self.consts)]
        return self.inputs, self.outputs, self.table, parts, options, consts, self.avals

    def __eq__(self, other: object) -> bool:
        """Return whether both compute the same in the same order, down to the bits of constants."""
        return isinstance(other, Program) and self._key() == other._key()

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    # --- running ----------------------------------------------------------------------------------

    def __call__(self, *inputs: Any) -> Any:
        """Return the result, or a tuple of several, for other inputs.

        Parameters
        ----------
        *inputs
            Numbers, arrays, Values or Tensors. Those that are not given, the last ones, are read
            from where they came from.

        Raises
        ------
        OptionError
            If there are too many inputs, or too few and the others have no source.
        """
        env = evaluate(self, self._given(inputs, "program(*inputs)"))
        found = [_plain(env[a] if a >= 0 else self.consts[~a]) for a in self.outputs]
        return found[0] if len(found) == 1 else tuple(found)

    def _given(self, inputs: Sequence[Any], where: str) -> list[Any]:
        """Return the inputs, the last ones from their sources."""
        given = [*inputs]
        for i in range(len(given), self.inputs):
            if i not in self.sources:
                break
            given.append(number_of(self.sources[i]))
        if len(given) != self.inputs:
            count = f"{self.inputs} input{'s' * (self.inputs != 1)}"
            raise OptionError(
                where=where,
                expected=f"{count}: {', '.join(map(self.name, range(self.inputs))) or 'none'}",
                got=f"{len(inputs)}",
                fix="Pass one number, array, Value or Tensor for each of them, in this order.",
            )
        return given

    def evaluate(self, *inputs: Any, on: Any) -> Any:
        """Return what a call returns, computed by the arrays of another library.

        The transforms and compilers of that library see its own operations:
        ``jax.jit(lambda x: program.evaluate(x, on=jax.numpy))``.

        Parameters
        ----------
        *inputs
            Arrays of the library, or numbers and arrays of NumPy, which are put there. Those that
            are not given are read from where they came from.
        on
            The library, as ``jax.numpy`` or ``torch``, or a place by name, as ``"torch:cuda"``.

        Returns
        -------
        the result, or a tuple of several
            Arrays of the library.

        Raises
        ------
        OptionError
            If ``on`` is no such library, it lacks an operation, or there are too many or too few
            inputs.
        MissingExtraError
            If ``array-api-compat`` is not installed.

        Examples
        --------
        >>> from gradwalk import Value, program_of
        >>> x = Value(2.0)
        >>> program_of(x * x + 1.0).evaluate(3.0, on="numpy")
        10.0
        """
        given = self._given(inputs, "program.evaluate(*inputs)")
        found = _Slot.functions["evaluate"]()(self, given, on)
        found = [*map(_plain, found)]
        return found[0] if len(found) == 1 else tuple(found)

    def grad(self, *inputs: Any) -> Program:
        """Return the program of the gradient of the result by each input.

            x̄ᵢ = ∂result/∂xᵢ, an array of the shape of xᵢ; of an array, of the sum of its elements

        A rule that branches on numbers makes it right for those of the same branch only, which it
        then checks.

        Parameters
        ----------
        *inputs
            Where it is recorded. Those that are not given are read from where they came from.

        Returns
        -------
        a Program
            It has the same inputs, and one result for each.

        Raises
        ------
        OptionError
            If there are too few inputs and the others have no source.

        Examples
        --------
        >>> from gradwalk import Value, program_of
        >>> x, y = Value(2.0, label="x"), Value(3.0, label="y")
        >>> slopes = program_of(x * y * y).grad()
        >>> slopes(), slopes(1.0, 4.0)
        ((9.0, 12.0), (16.0, 8.0))
        """
        found: Program = _Slot.functions["grad"]()(self, inputs)
        return found

    # --- invariants -------------------------------------------------------------------------------

    def check(self) -> Program:
        """Return the program itself. Raise `AssertionError` if it breaks a rule of its kind.

        Operands come before results, columns are as long as they have to be, everything that is
        named exists, and constants are numbers or arrays that cannot be written into.
        """
        assert len(self.first) == len(self) + 1, "a column of another length"
        assert self.outs is None or len(self.outs) == len(self) + 1, "a column of another length"
        assert self.avals is None or len(self.avals) == self.variables, "a column of another length"
        assert self.origins is None or len(self.origins) == len(self), "a column of another length"
        assert len({*map(id, self.table)}) == len(self.table), (
            "a primitive that is in the table twice"
        )
        for k, equation in enumerate(self):
            assert equation.results or equation.primitive is GUARD, f"equation {k} has no result"
            for atom in equation.operands:
                assert -len(self.consts) <= atom < equation.results.start, f"{k} reads {atom}"
        for atom in self.outputs:
            assert -len(self.consts) <= atom < self.variables, f"the output {atom} is not there"
        assert all(0 <= i < self.inputs for i in self.sources), "a source of no input"
        assert all(-len(self.consts) <= a < self.variables for a in self.names), "a name of nothing"
        assert all(0 <= k < len(self) for k in self.params), "options of no equation"
        writable = [x for x in self.consts if getattr(getattr(x, "flags", None), "writeable", 0)]
        assert not writable, "a constant that can be written into"
        return self


class _Slot:
    functions: ClassVar[dict[str, Callable[[], Callable[..., Any]]]] = {}


def provide(**functions: Callable[[], Callable[..., Any]]) -> None:
    """Store how methods are loaded that record, or know other libraries, and so this file."""
    _Slot.functions |= functions


def evaluate(
    program: Program,
    inputs: Sequence[Any],
    apply: Callable[[Primitive, list[Any], Mapping[str, Any]], object] | None = None,
) -> list[Any]:
    """Return the numbers of all variables, by any interpretation of a primitive.

    ``apply(primitive, operands, params)`` returns a result, or a tuple of several.
    """
    run = apply or apply_plainly
    # variables from the front, constants from the back: an atom is the index of its number
    env = [*inputs, *[None] * (program.variables - program.inputs), *program.consts[::-1]]
    table, atoms, outs = program.table, program.atoms.tolist(), program.outs
    start, out, params = 0, program.inputs, program.params
    for k, (place, end) in enumerate(zip(program.op, program.first[1:], strict=True)):
        args = [env[a] for a in atoms[start:end]]
        y: Any = run(table[place], args, params.get(k, NO_PARAMS))
        start = end
        if outs is not None and outs[k + 1] != out + 1:
            env[out : outs[k + 1]] = y
            out = outs[k + 1]
        else:  # of an operation with several results, here with one alone
            env[out] = y[0] if type(y) is tuple or type(y) is list else y
            out += 1
    return env[:out]


def needed(
    program: Program, atoms: Iterable[int], given: Iterable[int] = (), guards: bool = False
) -> tuple[list[int], bytearray]:
    """Return the equations that ``atoms`` are computed from, in their order.

    And return a 1 for each atom that they read, or that is one of ``atoms``; of constants from the
    end. What is ``given`` is computed by nothing. With ``guards``, the guards are ends too.
    """
    wanted = bytearray(program.variables + len(program.consts))
    computed = bytearray(b"\1") * program.variables
    for a in atoms:
        wanted[a] = 1
    for a in given:
        computed[a] = 0
    op, first, operands, kept = program.op, program.first, program.atoms, list[int]()
    outs = program.outs or range(program.inputs, program.variables + 1)
    guard = program.table.index(GUARD) if guards and GUARD in program.table else -1
    several = program.outs is not None
    for k in range(len(op) - 1, -1, -1):
        y = outs[k]
        if op[k] != guard:
            if several and outs[k + 1] != y + 1:
                if not any(wanted[a] and computed[a] for a in range(y, outs[k + 1])):
                    continue
            elif not (wanted[y] and computed[y]):
                continue
        kept.append(k)
        for a in operands[first[k] : first[k + 1]]:
            wanted[a] = 1
    return kept[::-1], wanted


def _plus(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


_WITH_MASKS: dict[Primitive, Callable[..., Any]] = {
    PLUS: _plus,
    MASKS[0]: lambda condition, t: t if condition else None,
    MASKS[1]: lambda condition, t: None if condition else t,
    OR_ZERO: lambda t: 0.0 if t is None else t,
}
"""What looks at contributions that a mask lets nothing through of: such a one is ``None``."""


def apply_plainly(primitive: Primitive, args: list[Any], params: Mapping[str, Any]) -> object:
    """Return what a primitive gives for numbers, arrays or any carrier.

    A contribution that is absent is ``None``, and so is what is computed of it.
    """
    known = _WITH_MASKS.get(primitive)
    if known is not None:
        return known(*args)
    if any(a is None for a in args):
        return None
    again = getattr(primitive, "again", None)  # of an operation that has a function as its body
    y: Any = primitive(*args, **params) if again is None else again(*args, **params)
    if getattr(y, "shape", None) == () and not isinstance(y, Carrier):
        return y.__array__()  # NumPy makes numbers of arrays without axes, which lose their dtype
    return float(y) if type(y) is bool else y


def reverse(
    program: Program,
    seeds: Mapping[int, Any],
    pull: Callable[[int, Any], Sequence[Any]],
    cotangents: dict[int, Any],
    order: Sequence[tuple[int, int]] | None = None,
) -> Iterator[tuple[int, Any, Sequence[Any]]]:
    """Yield variables with their cotangents and the contributions of their equations to operands.

    ``seeds`` are the cotangents of outputs. ``pull(k, t)`` applies the rules of equation k; for
    several results ``t`` is a dictionary, by the number of the result. The cotangent is ``None``
    where none arrives. Of several results the first one stands for all. ``cotangents`` collects
    those of all variables. ``order`` is `backward_order` of the outputs, if it is known already.
    """
    cotangents |= seeds
    first, atoms, outs = program.first, program.atoms.tolist(), program.outs
    sums = set[int]()  # what is kept nowhere else
    for atom, k in backward_order(program, seeds) if order is None else order:
        t = cotangents.get(atom)
        if k < 0:
            yield atom, t, ()
            continue
        if outs is not None and outs[k + 1] > atom + 1:
            made = enumerate(program.results(k))
            t = {i: cotangents[y] for i, y in made if y in cotangents} or None
        operands = atoms[first[k] : first[k + 1]]
        contributions = [None] * len(operands) if t is None else pull(k, t)
        for a, contribution in zip(operands, contributions, strict=True):
            if contribution is None or a < 0:
                continue
            so_far = cotangents.get(a)
            if so_far is None:
                cotangents[a] = contribution
            elif a in sums and getattr(so_far, "accumulates", False):
                so_far += contribution  # a copy of a large leaf for each of its parts takes longer
                cotangents[a] = so_far
            else:
                cotangents[a] = so_far + contribution
                sums.add(a)
        yield atom, t, contributions


def backward_order(program: Program, ends: Collection[int]) -> list[tuple[int, int]]:
    """Return the variables that ``ends`` are computed from, and their equations, -1 for inputs.

    Consumers come before operands, and of several results the first one stands for all. The order
    is that of `engine.reverse.reverse_steps`, so that sums have the same bits.
    """
    first, atoms, inputs = program.first, program.atoms.tolist(), program.inputs
    uses, equations = [0] * (program.variables + len(program.consts)), needed(program, ends)[0]
    if len(equations) == len(program):
        for a in atoms:
            uses[a] += 1
    else:
        for i in equations:
            for a in atoms[first[i] : first[i + 1]]:
                uses[a] += 1
    several = {} if program.outs is None else dict.fromkeys(equations, 0)
    for i in several:
        several[i] = sum(uses[y] > 0 or y in ends for y in program.results(i))
    order, ready = [], [a for a in ends if not uses[a]]
    while ready:
        atom = ready.pop()
        if atom < inputs:
            order.append((atom, -1))
            continue
        k = atom - inputs if program.outs is None else bisect_right(program.outs, atom) - 1
        if several:
            atom, several[k] = program.results(k)[0], several[k] - 1
            if several[k]:
                continue  # the equation is ready when all of its results are
        order.append((atom, k))
        for a in atoms[first[k] : first[k + 1]]:
            if a >= 0:
                uses[a] -= 1
                if not uses[a]:
                    ready.append(a)
    return order


def frozen(x: Any) -> object:
    """Return a constant as a program keeps it: an array as a copy that is read-only."""
    if not getattr(getattr(x, "flags", None), "writeable", False):
        return x
    kept = x.copy()
    kept.flags.writeable = False
    return kept


def _plain(x: Any) -> object:
    """Return a result as NumPy gives it: a number of its own instead of an array without axes."""
    return x[()] if getattr(x, "shape", None) == () and not isinstance(x, Carrier) else x


def _bits(x: Any) -> object:
    if isinstance(x, float):
        return x.hex()
    return (x.shape, str(x.dtype), x.tobytes()) if hasattr(x, "tobytes") else x


SMALL = 1024
"""Bytes of an array up to which it can be part of a key that is looked up."""


def params_key(params: Mapping[str, Any], most: float = inf) -> tuple[object, ...]:
    """Return what equal options have in common.

    Raise `TypeError` for an array of more than ``most`` bytes.
    """
    found = [(n, list if n == "memo" else _key_of(x, most)) for n, x in sorted(params.items())]
    return tuple(found)  # a memo is where a rule finds what its operation has kept


def _key_of(x: Any, most: float) -> object:
    if isinstance(x, float):
        return x.hex()
    if hasattr(x, "tobytes") and not isinstance(x, type):
        if x.nbytes > most:
            raise TypeError
        return x.shape, x.dtype, x.tobytes()
    if type(x) is slice:
        return "slice", x.start, x.stop, x.step
    return tuple([_key_of(part, most) for part in x]) if type(x) is tuple else (type(x), x)


def number_of(source: Any) -> object:
    """Return the number that a source has now, or the array of a Tensor."""
    return source._data if hasattr(source, "_data") else source.data
