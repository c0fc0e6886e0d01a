"""A function as a program of single numbers, whatever arrays it computes with.

It is recorded as `compile` records it, with arrays as arrays. Then each equation is written as
those of its elements, by the table of `ops.array.lowering`. What the function closes over has the
numbers that it has now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from ...core.carrier import is_tensor
from ...core.expect import is_array
from ...core.primitive import Primitive
from ...levels.level import or_zero
from ...ops import TABLE
from ...ops.array.lowering import elements, lowered
from ...ops.masks import OR_ZERO, PLUS
from ..call import is_integer
from ..program import GUARD, Program, apply_plainly, evaluate, number_of
from ..recording.array_recorder import AS_ARRAY
from ..recording.draws import DrawsOfProgram
from ..recording.recorder import Recorder
from .writer import Element, Writer

__all__ = ["record"]

Shape = tuple[int, ...]
FIX = "Write it with operations of gradwalk on single numbers, or leave it out."


def record(
    f: Callable[[list[Any]], Sequence[Any]],
    examples: Sequence[Any],
    where: str,
    looks_inside: bool = True,
) -> tuple[Program, list[Shape]]:
    """Return what ``f`` does with the elements of its arguments, and the shapes of its results.

    ``f`` takes a list like ``examples``, of numbers and arrays, and returns such a list. A program
    whose derivatives are taken must not have looked inside of functions with rules of their own.
    """
    recorder = Recorder(has_loops=False)  # loops are found when the file is printed
    recorder.looks_inside = looks_inside
    inputs = [recorder.integer(x) if is_integer(x) else recorder.input(x) for x in examples]
    draws = DrawsOfProgram(())
    with recorder, draws.recording():
        outputs = [_output(recorder, y) for y in f(inputs)]
    recorder.expect_unchanged()
    draws.expect_none(where)
    sources = recorder.sources()
    atoms = [*[x._payload for x in inputs], *[atom for _, atom in sources]]
    program = recorder.program(atoms, outputs)
    if program.avals is None and not sources and all(map(_is_plain, program.table)):
        return program, [()] * len(outputs)
    known = [number_of(source) for source, _ in sources]
    return _on_elements(program, examples, known, where)


def _is_plain(primitive: Primitive) -> bool:
    """Return whether a primitive is one on numbers, and no function that runs as a whole."""
    return type(primitive) is Primitive or primitive is GUARD


def _output(recorder: Recorder, y: Any) -> int:
    if is_tensor(y) or is_array(y):
        return recorder.arrays.output(y)  # type: ignore[no-any-return]
    return recorder.operand(or_zero(y) if recorder.owns(y) else y, "the result")


def _on_elements(
    program: Program, examples: Sequence[Any], known: Sequence[Any], where: str
) -> tuple[Program, list[Shape]]:
    """Return a program of numbers, and the shapes of its results; ``known`` inputs are constants.

    Its inputs are the elements of the others, and its results those of the results, in order.
    """
    writer = Writer()
    read = iter(_read(program, [*examples, *known], where))

    def ask(x: Any, answer: Any, line: str) -> None:
        answers = next(read) if _is_of_numbers(answer) else answer
        for part, same in zip(np.ravel(elements(x)), np.ravel(answers).tolist(), strict=True):
            if type(part) is Element:
                _ask(part, same, line)

    inputs = [_each(lambda _: Element(writer, writer.input()), x) for x in examples]
    env = _evaluated(program, [*inputs, *known], where, ask)
    results = [elements(env[a] if a >= 0 else program.consts[~a]) for a in program.outputs]
    numbers = [x for y in results for x in y.reshape(-1)]
    atoms = [x.atom if type(x) is Element else writer.constant(float(x)) for x in numbers]
    return writer.program(atoms, range(writer.inputs)), [y.shape for y in results]


def _each(f: Callable[[Any], Any], x: Any) -> Any:
    """Return the result of a function of a number, or an array of those of each element."""
    if not is_array(x):
        return f(x)
    y = np.empty(x.shape, object)
    y.reshape(-1)[:] = [*map(f, x.reshape(-1).tolist())]
    return y


def _evaluated(
    program: Program, inputs: Sequence[Any], where: str, ask: Callable[[Any, Any, str], None]
) -> list[Any]:
    """Return all variables: numbers, and arrays of elements. ``ask`` gets what guards ask."""
    position = count()

    def apply(primitive: Primitive, args: list[Any], params: Mapping[str, Any]) -> Any:
        k = next(position)
        if primitive is GUARD:
            ask(args[0], params["answer"], params["line"])
            return ()
        if _is_plain(primitive) and not any(map(is_array, args)):
            return _applied(primitive, args, params)
        if primitive is AS_ARRAY:
            return elements(args[0])
        aval = program.avals[program.results(k)[0]] if program.avals is not None else None
        answers = getattr(getattr(aval, "dtype", None), "kind", "") == "b"
        return lowered(primitive, args, params, where=where, fix=FIX, answers=answers)

    return evaluate(program, inputs, apply)


def _applied(primitive: Primitive, args: list[Any], params: Mapping[str, Any]) -> object:
    """Return the result of a primitive on numbers; ``None`` is a contribution that is absent."""
    here = [a for a in args if a is not None]
    if len(here) < len(args):
        return 0.0 if primitive is OR_ZERO else here[0] if primitive is PLUS and here else None
    if any(type(a) is Element for a in args):
        return primitive(*args)
    return apply_plainly(primitive, args, params)


def _is_of_numbers(answer: Any) -> bool:
    return getattr(getattr(answer, "dtype", None), "kind", "") == "f"


def _read(program: Program, numbers: Sequence[Any], where: str) -> list[Any]:
    """Return the numbers that guards of numbers ask for, with sums in the order of elements."""
    found: list[Any] = []

    def note(x: Any, answer: Any, line: str) -> None:
        if _is_of_numbers(answer):
            found.append(np.asarray(x, float))

    if any(e.primitive is GUARD and _is_of_numbers(e.params["answer"]) for e in program):
        _evaluated(program, numbers, where, note)
    return found


def _ask(x: Element, answer: Any, line: str) -> None:
    """Write down that a condition has an answer, or that a number is this one, bit for bit."""
    if type(answer) is bool:
        x.builder.guard(x.atom, answer, line)
        return
    number = float(answer)
    name, other = ("equal", number) if number == number else ("not_equal", x)
    _ask(TABLE[name](x, other), True, line)
    if number == 0.0:  # of which sign?
        negative = TABLE["less"](TABLE["div"](1.0, x), 0.0)
        _ask(negative, str(number) == "-0.0", line)
