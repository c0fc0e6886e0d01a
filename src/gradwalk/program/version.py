"""Versions of a compiled function: each is the program that one call has recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from typing import Any

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import is_array
from ..core.pytree import LEAF, PyTree, flatten, whole
from ..errors import InPlaceError
from ..optim.groups import Group, RecordedGroup
from .call import Call, is_input, is_integer
from .machine.executor import executor_of
from .outside.impure import watched
from .outside.survey import Survey
from .outside.watch import Watch, watch_of
from .program import Program
from .recording.attributes import Assigned, Attributes
from .recording.conditions import Condition, Traced, Unrolled
from .recording.draws import DrawsOfProgram
from .recording.listing import listing
from .recording.recorder import Recorder

__all__ = ["COMPILERS", "UNFIT", "ReplayError", "Version", "record", "trains"]

COMPILERS = {"xla": "jax", "inductor": "torch"}
"""Backends, and the libraries whose compilers they are."""

TRAINING = ["backward", "grad", "step", "zero_grad", "clip_grad_norm_", "clip_grad_value_", "train"]
TRAINING += ["eval", "requires_grad", "requires_grad_", "label", "register_buffer", "add_module"]
TRAINING += ["register_parameter", "setattr", "delattr"]
"""Names of what reads or changes Modules and their parameters, beside their numbers."""

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
    if place is not None and lies_elsewhere(place, call.numbers, survey.found):
        return None
    try:
        return _record(f, call, Recorder(True, call.tensors, place), survey, backend)
    except Unrolled:  # in a pass over a loop, when it is too late to record its steps
        return _record(f, call, Recorder(False, call.tensors, place), survey, backend)


def trains(f: Callable[..., Any], call: Call) -> bool:
    """Return whether a function may write into Modules, or read gradients of their parameters."""
    survey = Survey(f, call.objects, call.classes)
    return survey.assigns or any(map(survey.reads, TRAINING))


def place_among(numbers: Sequence[Any], found: Sequence[Any]) -> Any:
    """Return the place of the arrays of another library that a function gets or reads."""
    held = [x._data if is_tensor(x) else x for x in (*numbers, *found)]
    known = next((x for x in held if type(x).__name__ == "LibraryArray"), None)
    if known is not None:
        return known.place
    raw = next((x for x in held if _library_of(x)), None)
    return None if raw is None else import_module("..libraries.places", __package__).place_of(raw)


def _library_of(x: Any) -> str:
    """Return the name of the library with a compiler that an array is of, if it is of one."""
    if type(x).__name__ == "LibraryArray":
        return str(x.place.library)
    root = str(type(x).__module__).partition(".")[0].removesuffix("lib")
    return root if root in COMPILERS.values() and hasattr(type(x), "__dlpack__") else ""


def lies_elsewhere(place: Any, numbers: Sequence[Any], found: Sequence[Any]) -> bool:
    """Return whether parameters, or numbers to compute with, lie in another place than others.

    Then the function itself runs, which says of what it cannot compute. Integers and bools of NumPy
    are no such numbers: they may be keys, and stay what they are.
    """
    arrays = [x for x in numbers if is_array(x) and x.ndim and x.dtype.kind == "f"]
    trained = [x._data for x in found if is_tensor(x) and x._node is not None]
    others = [x for x in (*arrays, *trained) if not hasattr(x, "place")]
    held = [x._data if is_tensor(x) else x for x in (*numbers, *found)]
    others += [x for x in held if _library_of(x) not in ("", place.library)]
    return bool(others)


def _record(
    f: Callable[..., Any], call: Call, recorder: Recorder, survey: Survey, backend: str | None
) -> Version:
    numbers = iter(call.numbers)
    leaves = [_input(recorder, x, numbers) if is_input(x) else x for x in call.leaves]
    inputs = [x._payload for x in leaves if recorder.owns(x)]
    recorder.answers_at_once = survey.asks_identity
    recorder.has_backward = call.trains and survey.reads("backward")
    args, named = call.structure.unflatten(leaves)
    for place, x in call.static.items():
        (named if isinstance(place, str) else args)[place] = x
    draws = DrawsOfProgram(survey.generators)
    recorder.attributes = Attributes(survey.found)
    places = _outside_of_traces(recorder.place)
    with recorder, draws.recording(), undone(recorder), read(survey.found), places:
        with watched(survey.impure):
            result = f(*args, **named)
        for place in call.static:
            (named if isinstance(place, str) else args)[place] = None
        token = whole.set(call.trains)
        _expect_unchanged(recorder, (args, named), leaves, inputs)
        whole.reset(token)
        draws.expect_none()
        return Version(recorder, inputs, result, call, survey, backend)


def _outside_of_traces(place: Any) -> AbstractContextManager[Any]:
    """Return the context in which constants are numbers, also if JAX traces what is around."""
    if place is None:
        return nullcontext()
    compilers = import_module("..libraries.compilers", __package__)
    return compilers.outside_of_traces(place)  # type: ignore[no-any-return]


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
        recorder.attributes.restore()
        if recorder.writes:
            recorder.updates.restore()


@contextmanager
def read(found: Sequence[Any]) -> Iterator[None]:
    """Let the options of optimizers be inputs of the program, if the function reads them."""
    groups = [g for x in found if hasattr(type(x), "_plan") for g in x.param_groups]
    groups = [g for g in groups if type(g) is Group]
    for group in groups:
        group.__class__ = RecordedGroup
    try:
        yield
    finally:
        for group in groups:
            group.__class__ = Group


def _input(recorder: Recorder, leaf: object, numbers: Iterator[Any]) -> Traced:
    number = next(numbers)
    if is_integer(leaf):
        return recorder.integer(number)
    found = recorder.input(number, of_call=True)
    if is_tensor(leaf) or not is_tensor(found):
        return found
    return arrays().PlainArray(recorder, found._primal, found._payload)


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
        self.assigned: list[Assigned] = recorder.attributes.found()
        computed = recorder.attributes.leaves
        recorder.expect_unchanged()
        for x in recorder.attributes.owners:
            survey.pin(x)
        for x, atom in zip(leaves, found, strict=True):
            if atom is None:
                survey.pin(x)
        given = [x for x, a in zip(leaves, found, strict=True) if a is not None]
        self.answers = tuple([i for i, x in enumerate(given) if isinstance(x, Condition)])
        self.constants = [x if a is None else None for a, x in zip(found, leaves, strict=True)]
        self.state = object()  # shared by versions that differ in answers only
        outputs: list[Any] = [a for a in found if a is not None]
        self.results: int = len(outputs)
        outputs += [recorder.atom_of(x, "an attribute") for x in computed]
        self.computed: int = len(outputs)
        self.updates: list[Any] = []
        self.targets: list[tuple[Any, str, Any, bool]] = []
        self.expected: list[Callable[[], bool]] = []
        self.afterwards: list[Callable[[], None]] = []
        self.flags: list[tuple[Any, bool]] = []
        if recorder.writes:
            self._take(recorder.updates, survey)
            outputs += [update.atom for update in self.updates if update.atom is not None]
        sources = recorder.sources()
        self.recorded = [source for source, _ in sources]
        self.program = recorder.program([*inputs, *(atom for _, atom in sources)], outputs)
        self.outside = watch_of(survey, self.recorded)
        self.place = recorder.place
        self.executor = self._executor(backend)
        self.finish = None
        if recorder.has_arrays:
            kinds = [*map(_kind, [*given, *computed])]
            self.finish = _finish(self.recorded, kinds, call, self.place)

    def _take(self, updates: Any, survey: Survey) -> None:
        """Take over what each run writes, and what it depends on."""
        self.updates, self.expected = updates.found(), updates.expected
        self.afterwards, self.flags = updates.afterwards, updates.flags
        places = [(update.place, update.atom is None) for update in self.updates]
        self.targets = [(p.owner, p.name, p.at, is_none) for p, is_none in places]
        for x in updates.owned:
            survey.pin(x)

    def _write(self, found: list[Any]) -> list[Any]:
        """Put what a run has computed where it belongs; return the results."""
        at = self.computed
        for tensor, flag in self.flags:  # first: gradients are of Tensors that are trained
            tensor.requires_grad = flag
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
        return found[: self.computed]

    def _assign(self, found: list[Any]) -> list[Any]:
        """Assign attributes, as the function does; return the results."""
        computed = iter(found[self.results :])
        for attribute in self.assigned:
            attribute.assign(computed)
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
        if self.finish is None and not self.assigned:
            return self.executor.call(numbers)  # type: ignore[no-any-return]
        return self._run(numbers)

    def first(self, numbers: list[Any]) -> list[Any] | int:
        """Return what the call gives that was recorded, whatever it has changed outside."""
        return self._run(numbers + [x._data if is_tensor(x) else x.data for x in self.recorded])

    def difference(self, objects: Sequence[Any]) -> str:
        """Return in words what is different outside from what was there."""
        return self.outside.difference(objects) if self.outside is not None else ""

    def _run(self, numbers: list[Any]) -> list[Any] | int:
        found: Any
        if self.finish is None:
            found = self.executor.call(numbers)
            return self._assign(found) if type(found) is list else found
        try:
            found = self.executor.call(numbers)
        except Exception as error:
            if hasattr(self.executor, "of_library"):
                raise  # f as it is written would hide it, and take its time
            raise ReplayError from error
        if type(found) is not list:
            return found  # type: ignore[no-any-return]
        found = self.finish(self._write(found) if self.writes else found)
        return self._assign(found) if self.assigned else found

    @property
    def writes(self) -> bool:
        """Whether a run changes anything beside its results."""
        return bool(self.updates or self.afterwards or self.flags)

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


NUMBER, ARRAY, SAME = "a number", "an array", "what the program has"
"""What a result is that is not of the kind of the others."""


def _kind(x: object) -> str:
    kind = type(x)
    if kind is arrays().PlainNumber:
        return NUMBER
    if kind is arrays().PlainArray:
        return ARRAY
    return SAME if is_array(x) else ""


def _finish(
    sources: list[Any], kinds: list[str], call: Call, place: Any
) -> Callable[[list[Any]], list[Any]]:
    """Return what turns arrays into results of the caller's kind: Tensors, arrays or numbers."""
    tensor = arrays().Tensor._of if call.tensors or any(map(is_tensor, sources)) else None
    floats = all(type(x) in (float, int) for x in call.numbers)
    put = import_module(".on_library", __package__).put if place is not None else None

    def as_caller_has_it(x: Any, kind: str) -> Any:
        if kind is SAME or type(x) is float or type(x) is int:  # an argument may be a result
            return x
        if kind is NUMBER:
            return (x.numpy() if hasattr(x, "place") else x).item()
        if kind is ARRAY:
            return x.raw if hasattr(x, "place") else x[()]
        if tensor is not None:  # a constant, such as a gradient of zeros, goes where the others are
            return tensor(x if put is None or hasattr(x, "place") else put(place, x))
        return float(x) if floats and not x.ndim else x[()]

    return lambda found: list(map(as_caller_has_it, found, kinds))
