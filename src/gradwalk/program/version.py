"""Versions of a compiled function: each is the program that one call has recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import is_array
from ..core.pytree import LEAF, PyTree, flatten, whole
from ..errors import InPlaceError
from .call import Call, is_input, is_integer
from .machine.executor import executor_of
from .outside.impure import watched
from .outside.survey import Survey
from .outside.watch import Watch, watch_of
from .program import Program
from .recording.conditions import Condition, Traced, Unrolled
from .recording.draws import DrawsOfProgram
from .recording.listing import listing
from .recording.recorder import Recorder

__all__ = ["COMPILERS", "UNFIT", "ReplayError", "Version", "record", "trains"]

COMPILERS = {"xla": "jax", "inductor": "torch"}
"""Backends, and the libraries whose compilers they are."""

UNFIT = -1
"""What a version returns that was recorded while something outside of f was different."""


class ReplayError(Exception):
    """An error on arrays while a program ran."""


def record(f: Callable[..., Any], call: Call, backend: str | None = None) -> Version | None:
    """Return the program of f for the arguments of a call, ``None`` for arrays of a library that
    has no compiler."""
    survey = Survey(f, call.objects, call.classes)
    place = None if backend is not None else place_among(call.numbers, survey.found)
    if place is not None and place.library not in COMPILERS.values():
        return None
    try:
        return _record(f, call, Recorder(True, call.tensors, place), survey, backend)
    except Unrolled:  # in a pass over a loop, when it is too late to record its steps
        return _record(f, call, Recorder(False, call.tensors, place), survey, backend)


def trains(f: Callable[..., Any], call: Call) -> bool:
    """Return whether a function may call ``backward``, and so write into Modules."""
    return Survey(f, call.objects, call.classes).reads("backward")


def place_among(numbers: Sequence[Any], found: Sequence[Any]) -> Any:
    """Return the place of the arrays of another library that a function gets or reads."""
    for x in (*numbers, *found):
        held = getattr(x, "_data", None) if is_tensor(x) else x
        if type(held).__name__ == "LibraryArray":
            return held.place  # type: ignore[union-attr]
    return None


def _record(
    f: Callable[..., Any], call: Call, recorder: Recorder, survey: Survey, backend: str | None
) -> Version:
    numbers = iter(call.numbers)
    leaves = [_input(recorder, x, numbers) if is_input(x) else x for x in call.leaves]
    inputs = [x._payload for x in leaves if recorder.owns(x)]
    recorder.answers_at_once = survey.asks_identity
    recorder.has_backward = call.trains
    args, named = call.structure.unflatten(leaves)
    for place, x in call.static.items():
        (named if isinstance(place, str) else args)[place] = x
    draws = DrawsOfProgram(survey.generators)
    with recorder, draws.recording(), undone(recorder):
        with watched(survey.impure):
            result = f(*args, **named)
        for place in call.static:
            (named if isinstance(place, str) else args)[place] = None
        token = whole.set(recorder.has_backward)
        _expect_unchanged(recorder, (args, named), leaves, inputs)
        whole.reset(token)
        draws.expect_none()
        return Version(recorder, inputs, result, call, survey, backend)


@contextmanager
def undone(recorder: Recorder) -> Iterator[None]:
    """Undo at the end what the function has written into Tensors: each run writes it.

    If it fails, its optimizers get back the state and the options that they had.
    """
    try:
        yield
    except BaseException:
        if recorder.writes:
            recorder.updates.fail()
        raise
    finally:
        if recorder.writes:
            recorder.updates.restore()


def _input(recorder: Recorder, leaf: object, numbers: Iterator[Any]) -> Traced:
    number = next(numbers)
    return recorder.integer(number) if is_integer(leaf) else recorder.input(number)


class Version:
    """A program for arguments that answer its guards as those did that it was recorded with.

    ``outside`` finds what the function reads beside them, and compares it with what was there.
    """

    answers: tuple[int, ...]
    structure: PyTree
    constants: list[Any]
    outside: Watch | None
    recorded: list[Any]
    state: object
    program: Program
    executor: Any
    finish: Callable[[list[Any]], list[Any]] | None
    place: Any

    def __init__(
        self,
        recorder: Recorder,
        inputs: Sequence[int],
        result: Any,
        call: Call,
        survey: Survey,
        backend: str | None = None,
    ) -> None:
        leaves, self.structure = flatten(result)
        found = [recorder.atom_of(x, "the result") for x in leaves]
        recorder.expect_unchanged()
        for x, atom in zip(leaves, found, strict=True):
            if atom is None:
                survey.pin(x)
        given = [x for x, a in zip(leaves, found, strict=True) if a is not None]
        self.answers = tuple([i for i, x in enumerate(given) if isinstance(x, Condition)])
        self.constants = [x if a is None else None for a, x in zip(found, leaves, strict=True)]
        sources = recorder.sources()
        self.recorded = [source for source, _ in sources]
        self.state = object()  # shared by versions that differ in answers only
        outputs = [a for a in found if a is not None]
        self.results: int = len(outputs)
        self.updates: list[Any] = []
        self.targets: list[tuple[Any, str, Any, bool]] = []
        self.expected: list[Callable[[], bool]] = []
        self.afterwards: list[Callable[[], None]] = []
        if recorder.writes:
            self._take(recorder.updates, survey)
            outputs += [update.atom for update in self.updates if update.atom is not None]
        self.program = recorder.program([*inputs, *(atom for _, atom in sources)], outputs)
        self.outside = watch_of(survey, self.recorded)
        self.place = recorder.place
        self.executor = self._executor(backend)
        self.finish = None
        if recorder.has_arrays:
            self.finish = _finish(self.recorded, [*map(is_array, given)], call)

    def _take(self, updates: Any, survey: Survey) -> None:
        """Take over what each run writes, and what it depends on."""
        self.updates, self.expected = updates.found(), updates.expected
        self.afterwards = updates.afterwards
        places = [(update.place, update.atom is None) for update in self.updates]
        self.targets = [(p.owner, p.name, p.at, is_none) for p, is_none in places]
        for x in updates.owned:
            survey.pin(x)

    def _write(self, found: list[Any]) -> list[Any]:
        """Put what a run has computed where it belongs; return the results."""
        at = self.results
        for owner, name, part, is_none in self.targets:
            x = None if is_none else found[at]
            at += not is_none
            if part is not None:
                owner[part] = x
            else:
                setattr(owner, name, x)
                if name == "_data" and owner._alias is not None:
                    owner._expire_views()
        for action in self.afterwards:
            action()
        return found[: self.results]

    def _executor(self, backend: str | None) -> Any:
        library = COMPILERS.get(backend or "")
        of_arrays = bool(self.program.avals)  # numbers alone need no compiler of arrays
        if self.place is None and (library is None or not of_arrays):
            return executor_of(self.program)
        there = import_module(".on_library", __package__)
        place = self.place or import_module("..libraries.compilers", __package__).wide(library)
        executor = there.LibraryExecutor(self.program, place, of_numpy=self.place is None)
        places = [(id(p.owner), p.name if p.at is None else p.at) for p, _ in self.updates]
        first = self.program.inputs - len(self.recorded)
        sources = enumerate(self.recorded, first)
        executor.donate([i for i, x in sources if _place_of(x) in places])
        return executor

    def __call__(self, numbers: list[Any], objects: Sequence[Any] = ()) -> list[Any] | int:
        """Return the results, the index of a guard with another answer, or `UNFIT`."""
        if not all(holds() for holds in self.expected):
            return UNFIT
        if self.outside is not None:
            found: Any = self.outside(objects)
            if type(found) is int:
                return UNFIT
            numbers = numbers + found
            del found  # arrays that nothing else refers to may be given to the compiler
        if self.finish is None:
            return self.executor.call(numbers)  # type: ignore[no-any-return]
        return self._run(numbers)

    def first(self, numbers: list[Any]) -> list[Any] | int:
        """Return what the call gives that was recorded, whatever it has changed outside."""
        return self._run(numbers + [x._data if is_tensor(x) else x.data for x in self.recorded])

    def difference(self, objects: Sequence[Any]) -> str:
        """Return in words what is different outside from what was there."""
        return self.outside.difference(objects) if self.outside is not None else ""

    def _run(self, numbers: list[Any]) -> list[Any] | int:
        if self.finish is None:
            return self.executor.call(numbers)  # type: ignore[no-any-return]
        try:
            found = self.executor.call(numbers)
        except Exception as error:
            if hasattr(self.executor, "of_library"):
                raise  # f as it is written would hide it, and take its time
            raise ReplayError from error
        if type(found) is not list:
            return found  # type: ignore[no-any-return]
        return self.finish(self._write(found) if self.updates or self.afterwards else found)

    def run_as_recorded(self) -> None:
        """Run operation by operation, by the functions that the recording has called."""
        if self.finish is not None:
            module = import_module(".machine.array_executor", __package__)
            self.executor = module.PythonArrayExecutor(self.program)

    def listing(self) -> str:
        """Return what is computed, line by line."""
        return self.executor.listing() if self.finish else listing(self.executor.instructions())

    def result(self, numbers: list[Any]) -> Any:
        """Return the result of the function, with these numbers in it."""
        for i in self.answers:
            numbers[i] = bool(numbers[i])
        if self.structure is LEAF and numbers:
            return numbers[0]
        rest = iter(numbers)
        return self.structure.unflatten([next(rest) if x is None else x for x in self.constants])


def _place_of(source: Any) -> tuple[int, Any]:
    """Return what is the same for a source of a program and for where an update goes."""
    if is_tensor(source):
        return id(source), "_data"
    owner = getattr(source, "owner", source)
    at = getattr(source, "at", None)
    return id(owner), getattr(source, "name", "") if at is None else at


def _expect_unchanged(
    recorder: Recorder, arguments: Any, leaves: list[Any], inputs: list[Any]
) -> None:
    """Raise `InPlaceError` for a function that has put something else into its arguments."""
    now, _ = flatten(arguments)
    same = len(now) == len(leaves) and all(a is b for a, b in zip(now, leaves, strict=True))
    if same and [x._payload for x in leaves if recorder.owns(x)] == inputs:
        return
    raise InPlaceError(
        where="compile",
        expected="a function that leaves its arguments as they are",
        got="one that changes a container or an array that it was passed",
        fix="Return a new one: a replay computes results and changes nothing.",
    )


def _finish(sources: list[Any], plain: list[bool], call: Call) -> Callable[[list[Any]], list[Any]]:
    """Return what turns arrays into results of the caller's kind: Tensors, arrays or numbers."""
    tensor = arrays().Tensor._of if call.tensors or any(map(is_tensor, sources)) else None
    floats = all(type(x) in (float, int) for x in call.numbers)

    def kind_of(x: Any, plain: bool) -> Any:
        if plain or type(x) is float:
            return x
        if tensor is not None:
            return tensor(x)
        return float(x) if floats and not x.ndim else x[()]

    return lambda found: list(map(kind_of, found, plain))
