"""A program on arrays of another library: its equations, by the functions of that library.

`evaluate_on` runs them one by one. `LibraryExecutor` hands all of them to the library's compiler,
as one function of arrays. Numbers stay in Python: what is computed of numbers alone, guards too, is
computed here before, and the function gets them in one array.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from ..core.expect import describe, is_array
from ..core.primitive import Primitive
from ..errors import GradwalkError, OptionError
from ..libraries import LibraryArray, Place
from ..libraries import evaluate as evaluate_there
from ..libraries.compilers import compiled
from ..libraries.places import numpy_dtype, place_named, place_of
from ..ops.masks import MASKS, OR_ZERO, PLUS
from .machine.array_executor import Step, line_of, steps_of
from .program import GUARD, Aval, Program, answers, apply_plainly, evaluate

__all__ = ["LibraryExecutor", "evaluate_on", "put", "run_steps"]

WHERE = "program.evaluate(..., on)"


def evaluate_on(program: Program, inputs: Sequence[Any], on: Any) -> list[Any]:
    """Return the results as arrays of the library: see `Program.evaluate`."""
    if not isinstance(on, (str, ModuleType)):
        raise OptionError(
            where=WHERE,
            expected="a library of arrays, such as jax.numpy or torch, or the name of a place",
            got=describe(on),
            fix='Write on=jax.numpy, or on="torch:cuda".',
        )
    name = on if isinstance(on, str) else on.__name__.partition(".")[0]
    place = place_named(name, None, WHERE)
    if place is None:
        env = evaluate(program, inputs, apply_plainly)
        return [env[a] if a >= 0 else program.consts[~a] for a in program.outputs]
    given = [put(place, x) for x in inputs]
    place = next((x.place for x in given if x.place is not place), place)
    consts = [put(place, x) if type(x) is LibraryArray else x for x in program.consts]
    cells = [*given, *[None] * (program.variables - program.inputs), *consts]
    run_steps([*steps_of(program)], cells, place, _asking(program))
    found = [cells[a] if a >= 0 else program.consts[~a] for a in program.outputs]
    return [y.raw if type(y) is LibraryArray else y for y in map(_present, found)]


def put(place: Place, x: Any) -> LibraryArray:
    """Return a number, an array of NumPy or one of the library as one that is computed with."""
    if isinstance(x, (bool, int, float)) or is_array(x):
        return LibraryArray(place.put(x), place)
    if type(x) is LibraryArray:
        return x if x.place is place else LibraryArray(place.put(x.numpy()), place)
    return LibraryArray(x, place_of(x))


def _asking(program: Program) -> Callable[[Step, Any], None]:
    """Return what compares the guards of a program with their answers, one by one."""
    guards = program.guards()

    def ask(step: Step, x: Any) -> None:
        number = x.numpy() if type(x) is LibraryArray else np.asarray(x)
        GUARD(number if number.ndim else number.item(), **guards[step.out])

    return ask


# --- equations ------------------------------------------------------------------------------------


class Absent(NamedTuple):
    """A contribution of which a mask may let nothing through: see `ops.masks`."""

    x: Any
    where: Any
    """Whether nothing comes through."""


def run_steps(
    steps: Sequence[Step],
    cells: list[Any],
    place: Place,
    ask: Callable[[Step, Any], None],
) -> None:
    """Run equations on arrays of a place, from cells into cells; ``ask`` takes the guards."""
    for step in steps:
        args = [_operand(step, cells[o], g) for o, g in zip(step.operands, step.given, strict=True)]
        if step.primitive is None:
            ask(step, _present(args[0]))
            continue
        y = _applied(step.primitive, args, step.options)
        if step.results == 1:
            y = y[0] if type(y) in (tuple, list) else y
            cells[step.out] = _at(place, y, step.aval)
        else:
            cells[step.out : step.out + step.results] = [_at(place, part, None) for part in y]


def _at(place: Place, y: Any, aval: Any) -> Any:
    """Return a result at the place: of constants alone it is an array of NumPy."""
    if aval is None or type(y) in (LibraryArray, Absent) or y is None:
        return y
    return LibraryArray(place.put(y, aval.dtype), place)


def _operand(step: Step, x: Any, given: Any) -> Any:
    """Return an operand: numbers have the precision of the arrays that they meet."""
    if given is not None or type(x) is not LibraryArray:
        return x
    if step.aval is None and step.results == 1:
        return x
    kinds = [g.dtype for g in step.given if type(g) is Aval]
    kind = np.result_type(*kinds) if kinds else np.dtype(np.float64)
    return x.astype(kind if kind.kind == "f" else np.float64, copy=False)


def _applied(primitive: Primitive, args: list[Any], options: Any) -> Any:
    special = _MASKED.get(primitive)
    if special is not None:
        return special(*args)
    absent = [a.where for a in args if type(a) is Absent]
    if absent:
        y = _applied(primitive, [a.x if type(a) is Absent else a for a in args], options)
        return Absent(y, _any(absent))
    if hasattr(primitive, "again") or not any(type(x) is LibraryArray for x in args):
        return apply_plainly(primitive, args, options)
    place = next(x.place for x in args if type(x) is LibraryArray)
    args = [LibraryArray(place.put(x), place) if is_array(x) else x for x in args]
    return evaluate_there(primitive, tuple(args), dict(options))


def _any(conditions: Sequence[Any]) -> Any:
    first, *rest = conditions
    for condition in rest:
        first = np.logical_or(first, condition)
    return first


def _masked(condition: Any, t: Any) -> Any:
    """Return a contribution that is absent where a condition holds."""
    if type(t) is Absent:
        return Absent(t.x, np.logical_or(t.where, condition))
    return Absent(t, condition)


def _present(x: Any) -> Any:
    return np.where(x.where, 0.0, x.x) if type(x) is Absent else x


def _plus(a: Any, b: Any) -> Any:
    if type(a) is type(b) is Absent:
        return Absent(_present(a) + _present(b), np.logical_and(a.where, b.where))
    return _present(a) + _present(b)


_MASKED: Final[dict[Primitive, Callable[..., Any]]] = {
    MASKS[0]: lambda condition, t: _masked(np.logical_not(condition), t),
    MASKS[1]: _masked,
    PLUS: _plus,
    OR_ZERO: _present,
}


# --- one function for the compiler ----------------------------------------------------------------


class LibraryExecutor:
    """A program by the compiler of a library.

    ``place``  where its arrays are; with ``of_numpy`` the caller's are of NumPy, there and back
    """

    def __init__(self, program: Program, place: Place, of_numpy: bool = False) -> None:
        self.program: Program = program
        self.of_library: bool = True
        self._place, self._of_numpy = place, of_numpy
        size = program.variables
        avals = self._avals = program.avals or [None] * size
        self._steps = [*steps_of(program)]
        plain = not any(type(x) is Aval for step in self._steps for x in (*step.given, step.aval))
        self._host = [] if plain else [s for s in self._steps if _is_of_numbers(s, avals)]
        self._there = [s for s in self._steps if s not in self._host] if self._host else self._steps
        self._guards = [params["answer"] for params in program.guards()]
        self._asked = [s.out for s in self._there if s.primitive is None]
        self._outputs = [a if a >= 0 else size + ~a for a in program.outputs]
        here = {o for s in self._host for o in s.outs}
        here |= set() if plain else {i for i in range(program.inputs) if avals[i] is None}
        read = {o for s in self._there for o in s.operands}
        self._numbers = sorted(here & read)
        self._arrays = [i for i in range(program.inputs) if i not in here]
        made = {o for s in self._there for o in s.outs} | {*self._arrays}
        self._sent = [o for o in dict.fromkeys(self._outputs) if o in made]
        self._compiled: Callable[..., list[Any]] | None = None
        self._donated: set[int] = set()
        self._kinds: list[Any] = []  # dtypes of the results, after the first call

    def donate(self, inputs: Sequence[int]) -> None:
        """Let runs take the memory of inputs, whose next numbers they write in their place."""
        if self._place.library == "jax" and not self._of_numpy:
            self._donated = {*inputs}

    def call(self, numbers: list[Any]) -> list[Any] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""
        cells = [*numbers, *[None] * (self.program.variables - self.program.inputs)]
        cells += self.program.consts
        failed = self._run_here(cells)
        if failed is not None:
            return failed
        given = self._given(cells)
        if self._numbers:
            given.append(self._raw(np.array([float(cells[o]) for o in self._numbers])))
        try:
            if self._compiled is None:
                donated = [k for k, i in enumerate(self._arrays) if i in self._donated]
                self._compiled = compiled(self._place, self._run_there, given, donated)
            found = self._compiled(*given)
        except GradwalkError:
            raise
        except Exception as error:
            raise refused(self._place, error) from error
        for asked, answer in zip(self._asked, found[len(self._sent) :], strict=True):
            if not answers(self._place.numbers(answer), self._guards[asked]):
                return asked
        self._receive(found, cells)
        return [cells[o] for o in self._outputs]

    def _run_here(self, cells: list[Any]) -> int | None:
        """Compute the numbers; return the index of a guard that fails."""
        for step in self._host:
            args = [cells[o] for o in step.operands]
            if step.primitive is not None:
                cells[step.out] = apply_plainly(step.primitive, args, step.options)
            elif not answers(args[0], self._guards[step.out]):
                return step.out
        return None

    def _run_there(self, *raws: Any) -> list[Any]:
        """Compute everything else, as the compiler traces it."""
        place, program = self._place.abstract, self.program
        cells: list[Any] = [None] * program.variables + program.consts
        for i, raw in zip(self._arrays, raws, strict=False):
            cells[i] = LibraryArray(raw, place)
        for k, o in enumerate(self._numbers):
            cells[o] = LibraryArray(raws[-1][k], place)
        asked: list[Any] = []
        run_steps(self._there, cells, place, lambda step, x: asked.append(x))
        return [x.raw for x in map(_present, [*[cells[o] for o in self._sent], *asked])]

    def _given(self, cells: list[Any]) -> list[Any]:
        """Return the inputs as the compiled function takes them.

        The compiler gets the memory of what a run replaces; a copy is passed if something else
        refers to it. So it is in the first run, too: if that needs too much memory, nothing is
        lost.
        """
        for i in self._donated:
            if self._compiled is None or references(cells, i) != ALONE:
                cells[i] = self._duplicate(cells[i])
        return [self._raw(cells[i]) for i in self._arrays]

    def _duplicate(self, x: LibraryArray) -> LibraryArray:
        """Return a copy in memory of its own; `copy` may share that of an array of JAX."""
        return LibraryArray(self._place.xp.array(x.raw, copy=True), x.place)

    def _raw(self, x: Any) -> Any:
        """Return an input as the compiled function takes it."""
        if type(x) is LibraryArray:
            return x.raw
        return self._place.put(x) if self._place.library == "torch" else np.asarray(x)

    def _receive(self, found: Sequence[Any], cells: list[Any]) -> None:
        """Put results into their cells."""
        if self._of_numpy:
            for o, raw in zip(self._sent, found, strict=False):
                x = self._place.numbers(raw)
                cells[o] = x if self._avals[o] is not None else x.item()
            return
        if not self._kinds:
            self._kinds = [numpy_dtype(raw.dtype) for raw in found]
        new, here = LibraryArray.__new__, self._place
        for o, raw, kind in zip(self._sent, found, self._kinds, strict=False):
            y = cells[o] = new(LibraryArray)  # `__init__` took a third of the time of a call
            y.raw, y.dtype = raw, kind
            y.place = here if here.device is not None else place_of(raw)

    def listing(self) -> str:
        """Return one line per equation, those on numbers first."""
        steps = [s for s in (*self._host, *self._there) if s.primitive is not None]
        head = f"{len(steps):,} operations, compiled on {self._place}"
        return "\n".join([head, *map(line_of, steps)])


def references(cells: list[Any], i: int) -> tuple[int, int]:
    """Return how many references there are to an array in a cell, and to that of its library."""
    x = cells[i]
    return getrefcount(x), getrefcount(x.raw)


def _alone() -> tuple[int, int]:
    """Return what `references` gives if only a Tensor and the lists of a call refer to an array."""
    x = LibraryArray.__new__(LibraryArray)
    x.raw = object()
    holder = [[x], [x]]
    del x
    cells = [*holder[0]]
    return references(cells, 0)


getrefcount: Callable[[object], int] = getattr(sys, "getrefcount", lambda x: -1)
ALONE: Final = _alone()


def refused(place: Place, error: Exception) -> OptionError:
    """Return the error for what a library says about a program."""
    text = str(error).strip().partition("\n")[0]
    full = any(word in f"{type(error).__name__} {error}" for word in FULL)
    return OptionError(
        where=f"compile(f) on {place}",
        expected="a program that fits into the memory of the device"
        if full
        else f"a program that {place.library} compiles and runs",
        got=f"{type(error).__name__}: {text}",
        fix="Use smaller batches, or gradwalk.checkpoint for parts of the model."
        if full
        else "Call the function inside `with gradwalk.compile.off():` to find the operation.",
    )


FULL: Final = ("OutOfMemory", "RESOURCE_EXHAUSTED", "out of memory")
"""What libraries say when the memory of a device is full."""


def _is_of_numbers(step: Step, avals: Sequence[Any]) -> bool:
    """Return whether a step computes numbers of numbers alone."""
    return all(type(x) is not Aval for x in step.given) and all(avals[o] is None for o in step.outs)


# --- loops ----------------------------------------------------------------------------------------


def run_loop(args: Sequence[Any], body: Any) -> tuple[Any, ...]:
    """Return what `LOOP` returns, on arrays of a library: by JAX's own loops, or step by step."""
    place = next(x.place for x in args if type(x) is LibraryArray)
    raws = [x.raw if type(x) is LibraryArray else place.put(x) for x in args]
    end = body.carries + body.columns
    carry, columns, rest = raws[: body.carries], raws[body.carries : end], raws[end:]

    def step(carry: Sequence[Any], row: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        found = _run_part(body.step, [*carry, *row, *rest], place)
        pairs = zip(found, carry, strict=False)
        return [place.xp.astype(y, x.dtype) for y, x in pairs], found[body.carries :]

    if body.start is not None:
        found = _while(step, carry, rest, body, place)
    else:
        scanned = _scanned if place.library == "jax" else _unrolled
        last, ys = scanned(step, carry, columns, body, place)
        found = [*last, *ys]
    return tuple([LibraryArray(y, place) for y in found])


def _run_part(part: Any, raws: Sequence[Any], place: Place) -> list[Any]:
    """Return the results of a part of a loop."""
    program = part.program
    cells: list[Any] = [LibraryArray(raw, place) for raw in raws]
    cells += [None] * (program.variables - program.inputs) + program.consts
    run_steps([*steps_of(program)], cells, place, _asking(program))
    size = program.variables
    found = iter([_present(cells[a if a >= 0 else size + ~a]) for a in program.outputs])
    known = [next(found) if x is None else x for x in part.known]
    return [x.raw if type(x) is LibraryArray else place.put(x) for x in known]


def _scanned(
    step: Callable[..., Any], carry: Any, columns: Any, body: Any, place: Place
) -> tuple[Any, Any]:
    lax = import_module("jax.lax")
    length = None if columns else body.length
    return lax.scan(step, carry, columns, length, body.reverse)  # type: ignore[no-any-return]


def _unrolled(
    step: Callable[..., Any], carry: Any, columns: Any, body: Any, place: Place
) -> tuple[Any, Any]:
    count = len(columns[0]) if columns else body.length
    order = range(count)[::-1] if body.reverse else range(count)
    collected: list[Any] = []
    for k in order:
        carry, ys = step(carry, [column[k] for column in columns])
        collected.append(ys)
    rows = collected[::-1] if body.reverse else collected
    return carry, [place.xp.stack([*column]) for column in zip(*rows, strict=True)]


def _while(step: Callable[..., Any], carry: Any, rest: Any, body: Any, place: Place) -> list[Any]:
    if place.library != "jax" or len(body.numbers) > body.carries:
        raise OptionError(
            where="while_loop inside compile",
            expected="a number of steps that is known before, or no reverse mode, on JAX's arrays",
            got=f"a loop on {place} that ends when its condition says so",
            fix="Write gradwalk.scan with length=..., and where(done, carry, next) in its step.",
        )
    lax = import_module("jax.lax")
    go = _run_part(body.start, [*carry, *rest], place)[0]

    def again(state: Any) -> Any:
        carry, found = step(state[1], ())
        return found[-1], carry

    return lax.while_loop(lambda state: state[0], again, (go, carry))[1]  # type: ignore[no-any-return]
