"""`LOOP`: an instruction that runs another program again and again, on its last results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from ..core.array_primitive import ArrayPrimitive
from ..levels.level import ScalarTracer, Tracer, or_zero
from ..libraries.compilers import outline
from .machine.executor import executor_of
from .program import Program, evaluate
from .recording.conditions import Unrolled
from .recording.recorder import Recorder

__all__ = ["Body", "record_loop"]


MAX_COLUMNS = 64
"""Of a loop that the native engine runs."""


class Part(NamedTuple):
    """A program, and those of its results that are the same in every run, ``None`` for others."""

    program: Program
    known: list[Any]

    def results(self, inputs: Sequence[Any]) -> list[Any]:
        """Return all results for inputs of any kind, tracers too."""
        consts, env = self.program.consts, evaluate(self.program, inputs)
        found = iter([env[a] if a >= 0 else consts[~a] for a in self.program.outputs])
        return [next(found) if x is None else x for x in self.known]


class Body(NamedTuple):
    """One step as a program of carries, rows and constants.

    It returns the next carries, what is collected, and, if ``asks``, whether to go on. ``first``
    says whether to begin.
    """

    call: Callable[[list[Any]], Any]
    repeat: Callable[..., Any] | None  # all steps, by the native engine
    first: Callable[[list[Any]], Any] | None
    carries: int
    columns: int
    length: int
    reverse: bool
    given: tuple[bool, ...]  # of carries and constants: whether each is a float
    rows: tuple[bool, ...]  # of columns: whether each row is a float
    numbers: tuple[bool, ...]  # of the results: whether each step gives a float
    step: Part  # what `call` runs
    start: Part | None  # what `first` runs
    again: Callable[[Sequence[Any], Any], Any]  # all steps at the levels of their operands

    def __repr__(self) -> str:
        """Return what the loop repeats, for the listing of a program."""
        count = "while" if self.start is not None else self.length or "all rows"
        return f"{count} of {self.step.program!r}"


def _run(*args: Any, body: Body) -> tuple[Any, ...]:
    """Return the last carries, and what all steps have collected in arrays."""
    if any(type(x).__name__ == "LibraryArray" for x in args):
        there = import_module(".on_library", __package__)
        return there.run_loop(args, body)  # type: ignore[no-any-return]
    if body.repeat is not None and body.columns <= MAX_COLUMNS:
        return _repeated(args, body)
    carry, rest = _given(args, body)
    given = args[body.carries :][: body.columns]
    columns = [_rows(x, n) for x, n in zip(given, body.rows, strict=True)]
    asks = body.first is not None
    collected: list[list[Any]] = []
    if body.first is not None and not body.first([*carry, *rest])[0]:
        return _results(carry, collected, body)
    places = range(len(columns[0]) if columns else body.length)
    steps = iter(places[::-1] if body.reverse else places)
    while asks or (place := next(steps, -1)) >= 0:
        found = body.call([*carry, *[column[place] for column in columns], *rest])
        carry = found[: body.carries]
        collected.append(found[body.carries :])
        if asks and not collected[-1].pop():
            break
    return _results(carry, collected[::-1] if body.reverse else collected, body)


def _rows(column: Any, numbers: bool) -> Any:
    """Return the rows of a column: floats, or arrays, without axes too."""
    if numbers:
        return column.tolist()
    return column if column.ndim > 1 else [*map(np.asarray, column)]


def _row(column: Any, number: bool) -> Any:
    """Return the first row of a column; of one without rows, another one that is like it."""
    if hasattr(column, "place"):
        return outline(column.place, column.shape[1:], column.dtype)
    first = column[:1] if len(column) else np.ones((1, *column.shape[1:]), column.dtype)
    return _rows(first, number)[0]


def _given(args: Sequence[Any], body: Body) -> tuple[list[Any], list[Any]]:
    """Return the first carries and the constants, numbers as floats."""
    given = [*args[: body.carries], *args[body.carries + body.columns :]]
    found = [float(x) if n else x for x, n in zip(given, body.given, strict=True)]
    return found[: body.carries], found[body.carries :]


def _repeated(args: Sequence[Any], body: Body) -> tuple[Any, ...]:
    """Return what `_run` returns for steps of numbers alone."""
    end = body.carries + body.columns
    carry, rest = _given(args, body)
    columns = tuple([np.ascontiguousarray(x, float) for x in args[body.carries : end]])
    count = len(body.numbers) - body.carries
    rows = np.zeros((0, count))
    if body.first is None or body.first([*carry, *rest])[0]:
        length = len(columns[0]) if columns else body.length
        inputs = [*carry, *[0.0] * len(columns), *rest]
        asks = body.first is not None
        repeat: Any = body.repeat
        carry, found = repeat(inputs, body.carries, columns, length, body.reverse, asks)
        rows = np.frombuffer(found).reshape(-1, count) if count else rows
    rows = rows[::-1] if body.reverse else rows
    return (*map(np.asarray, carry), *[rows[:, i].copy() for i in range(count)])


def _results(carry: list[Any], collected: list[list[Any]], body: Body) -> tuple[Any, ...]:
    count = len(body.numbers) - body.carries
    columns = [np.array([row[i] for row in collected], float) for i in range(count)]
    return (*map(np.asarray, carry), *columns)


class _Repetition(ArrayPrimitive):
    """A loop, which has no rule of its own: levels differentiate its steps."""

    __slots__ = ()

    def again(self, *args: Any, body: Body) -> Any:
        """Return the results for other operands, which may be tracers of any level."""
        if not any(isinstance(x, Tracer) for x in args):
            return self(*args, body=body)
        return body.again(args, body)


LOOP: Final = _Repetition(
    "loop", (None,), "general", forward=_run, outputs=2,
    summary="A program that is repeated, and what its steps collect",
)  # fmt: skip


def record_loop(
    recorder: Recorder,
    step: Callable[..., tuple[list[Any], list[Any]]],
    condition: Callable[..., Any] | None,
    parts: tuple[Sequence[Any], Sequence[Any], Sequence[Any]],
    length: int,
    reverse: bool,
    again: Callable[[Sequence[Any], Any], Any],
) -> tuple[list[Any], list[Any]]:
    """Write a loop down as one instruction; parts are carries, columns and constants.

    Return the last carries and the columns of what is collected. Raise `Unrolled` if a step asks
    questions about numbers, or gives carries of another kind than it gets.
    """
    carry, columns, rest = ([_this_run(recorder, x) for x in part] for part in parts)
    kinds = tuple([_kind(x) for x in (*carry, *columns, *rest)])
    if None in kinds:
        raise Unrolled
    numbers = _of_numbers(recorder, parts)
    key = (step, condition, kinds, numbers, length, reverse)
    body = recorder.bodies.get(key)
    if body is None:
        rows = [_row(x, n) for x, n in zip(columns, numbers, strict=True)]
        body = _body(recorder, step, condition, (carry, rows, rest), length, reverse, again)
        recorder.bodies[key] = body
    found = recorder.arrays.apply(LOOP, [x for part in parts for x in part], {"body": body})
    results = [
        ScalarTracer(recorder, float(y._primal), y._payload)
        if number and not hasattr(y._primal, "place")
        else y
        for y, number in zip(found[: len(carry)], body.numbers, strict=False)
    ]
    collected = list(found[len(carry) :])
    for y, number in zip(collected, body.numbers[len(carry) :], strict=True):
        if number:
            recorder.columns.add(y._payload)
    return results, collected


def _body(
    recorder: Recorder,
    step: Callable[..., tuple[list[Any], list[Any]]],
    condition: Callable[..., Any] | None,
    parts: tuple[list[Any], list[Any], list[Any]],
    length: int,
    reverse: bool,
    again: Callable[[Sequence[Any], Any], Any],
) -> Body:
    carry, rows, rest = parts
    place = recorder.place
    kinds, call, repeat, part = _program(place, step, carry, rows, rest)
    if [_kind(x) for x in carry] != kinds[: len(carry)] or None in kinds:
        raise Unrolled
    first = start = None
    if condition is not None:
        asking = partial(_asking, step, condition)
        _, call, repeat, part = _program(place, asking, carry, rows, rest)
        _, first, _, start = _program(place, partial(_question, condition), carry, [], rest)
    given = tuple([_kind(x) == () for x in (*carry, *rest)])
    floats = tuple([type(x) is float for x in rows])
    numbers = tuple([kind == () for kind in kinds])
    sizes = len(carry), len(rows), length, reverse
    return Body(call, repeat, first, *sizes, given, floats, numbers, part, start, again)


def _asking(step: Any, condition: Any, carry: Any, row: Any, rest: Any) -> Any:
    carry, ys = step(carry, row, rest)
    return carry, [*ys, condition(carry, rest)]


def _question(condition: Any, carry: Any, row: Any, rest: Any) -> Any:
    return [condition(carry, rest)], []


def _this_run(recorder: Recorder, x: Any) -> Any:
    """Return the number or the array of this run."""
    if recorder.owns(x):
        return float(x._primal) if type(x._primal) is int else x._primal
    if hasattr(x, "_data"):
        return recorder.arrays.of_this_run(x._data)
    return x.data if hasattr(x, "_primitive") else float(x) if isinstance(x, (int, float)) else x


def _of_numbers(recorder: Recorder, parts: Sequence[Sequence[Any]]) -> tuple[bool, ...]:
    """Return for each column whether its rows are floats.

    They are in columns that a loop has collected of numbers, and where nothing else is an array.
    """
    plain = all(_kind(_this_run(recorder, x)) == () for part in (parts[0], parts[2]) for x in part)
    return tuple(
        [
            _this_run(recorder, x).ndim == 1
            and (plain or (recorder.owns(x) and x._payload in recorder.columns))
            for x in parts[1]
        ]
    )


def _kind(x: Any) -> tuple[Any, ...] | None:
    """Return what is alike in all steps: () of a number; ``None`` if a loop cannot have it."""
    if type(x) is float:
        return ()
    dtype = getattr(x, "dtype", None)
    return (x.shape, dtype) if dtype is not None and dtype.kind == "f" else None


def _program(
    place: Any,
    step: Callable[..., tuple[list[Any], list[Any]]],
    carry: Sequence[Any],
    rows: Sequence[Any],
    rest: Sequence[Any],
) -> tuple[list[Any], Callable[[list[Any]], Any], Callable[..., Any] | None, Part]:
    """Return the kinds of the results of a step, what computes them, its loop and its program."""
    recorder = Recorder(place=place)
    given = [[recorder.input(x) for x in part] for part in (carry, rows, rest)]
    inputs = [x._payload for part in given for x in part]
    with recorder:
        results, ys = step(*given)
        found = [or_zero(y) if recorder.owns(y) else y for y in (*results, *ys)]
        atoms = [_atom(recorder, y) for y in found]
    if recorder.asked or recorder.sources():
        raise Unrolled
    kinds = [_kind(_this_run(recorder, y)) for y in found]
    known = [y if a is None else None for y, a in zip(found, atoms, strict=True)]
    outputs = [a for a in atoms if a is not None]
    program = recorder.program(inputs, outputs)
    part = Part(program, [*known])
    if place is not None:
        return kinds, _there, None, part
    executor = executor_of(program)
    if len(outputs) < len(found):
        return kinds, _filling(executor.call, known), None, part
    return kinds, executor.call, getattr(executor, "loop", None), part


def _there(numbers: list[Any]) -> NoReturn:
    raise AssertionError("a loop on arrays of another library is run there")


def _atom(recorder: Recorder, y: Any) -> int | None:
    """Return the atom of a result; ``None`` for a number that is the same in every step."""
    if isinstance(y, (bool, float, int)):
        return None
    if hasattr(y, "shape"):
        return recorder.arrays.output(y)  # type: ignore[no-any-return]
    return recorder.operand(y, "the result of a step")


def _filling(call: Callable[[list[Any]], Any], known: list[Any]) -> Callable[[list[Any]], Any]:
    """Return a function that puts results which are the same in every run between the others."""

    def filled(numbers: list[Any]) -> list[Any]:
        found = iter(call(numbers))
        return [next(found) if x is None else x for x in known]

    return filled
