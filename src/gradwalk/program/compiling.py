"""`compile`: a function is recorded once, and runs as a program from then on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, update_wrapper
from threading import local
from typing import Any, ParamSpec, TypeVar

from ..core.carrier import Carrier
from ..core.expect import describe, is_array
from ..core.pytree import LEAF, PyTree, flatten
from ..core.signature import signature
from ..engine.value import Value
from ..errors import InPlaceError, NotANumberError, OptionError
from ..levels.level import or_zero, running
from .conditions import Reading
from .executor import Executor, executor_of
from .listing import listing
from .recorder import Entry, Guard, Recorder

__all__ = ["Compiled", "compile"]

P = ParamSpec("P")
R = TypeVar("R")


class _Off(local):
    blocks = 0


_off = _Off()
_FLOATS = {float}


def compile(  # the name of the field; Python's own function is `builtins.compile`
    f: Any = None, *, static_argnums: int | Sequence[int] = (), max_versions: int = 8
) -> Any:
    """Return a function that computes what ``f`` does, recorded once and replayed from then on.

    The first call runs ``f`` on numbers that write down every operation. Later calls run this
    program: without Python, and with the same bits. ``f`` may be any function of numbers, in
    containers too, and any nest of transforms, such as ``value_and_grad(loss)``.

    * It is recorded anew for another structure of the arguments, and for other values of what is
      no number (text, bools, objects) or of the arguments that ``static_argnums`` names.
    * A Value that ``f`` closes over is read at each call. Plain numbers outside are constants.
    * The answer to a question about numbers (``if x > 0``, ``int(x)``) is a guard: arguments with
      another answer are recorded as another version, ``max_versions`` at most. ``where`` asks
      nothing.
    * Inside of transforms, and on Values, ``f`` itself runs.
    * ``print`` and other side effects happen while a version is recorded.

    ``with gradwalk.compile.off():`` runs ``f`` itself. ``compiled.program(*args)`` is the listing.

    >>> from gradwalk import compile, value_and_grad
    >>> step = compile(value_and_grad(lambda w, x: (w * x - 1.0) ** 2))
    >>> step(3.0, 0.5)
    (0.25, 0.5)
    >>> step(2.0, 0.5)
    (0.0, 0.0)

    Raise `OptionError` for more versions, and for a function that draws random numbers;
    `NotANumberError` for arrays; `InPlaceError` for a function that changes its arguments.
    """
    if f is None:
        return partial(compile, static_argnums=static_argnums, max_versions=max_versions)
    if not callable(f):
        raise OptionError(
            where="compile(f)",
            expected="a function",
            got=describe(f),
            fix="Write compile(f)(x), not compile(f(x)).",
        )
    static = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
    return Compiled(f, static, max_versions)


@contextmanager
def off() -> Iterator[None]:
    """Run compiled functions as they are written, in this thread, for debugging."""
    _off.blocks += 1
    try:
        yield
    finally:
        _off.blocks -= 1


compile.off = off  # type: ignore[attr-defined]


class Compiled:
    """A function and the programs that were recorded of it."""

    def __init__(self, f: Callable[..., Any], static: tuple[int, ...], max_versions: int) -> None:
        update_wrapper(self, f)
        self._f, self._static, self._max = f, static, max_versions
        self._versions: dict[Any, list[Version]] = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return ``f(*args)``, by its program."""
        if running.depth or _off.blocks:
            return self._f(*args, **named)
        if not named and set(map(type, args)) == _FLOATS and not self._static:
            for version in self._versions.get(len(args), ()):  # the usual case, in a third
                numbers = version(list(args))
                if type(numbers) is list:
                    return version.result(numbers)
        call = Call.of(self._static, args, named)
        if call is None:
            return self._f(*args, **named)
        version, numbers = self._run(call)
        return version.result(numbers)

    def program(self, *args: Any, **named: Any) -> str:
        """Return the listing of the program for these arguments."""
        call = Call.of(self._static, args, named)
        if call is None:
            raise _refused("compile(f).program", "plain numbers", args)
        return listing(self._run(call)[0].executor.instructions())

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind as a method."""
        return self if instance is None else partial(self, instance)

    def _run(self, call: Call) -> tuple[Version, list[float]]:
        """Return the version that answers all guards, and the numbers of its results."""
        versions = self._versions.setdefault(call.key, [])
        for version in versions:
            numbers = version(call.numbers)
            if type(numbers) is list:
                return version, numbers
        if len(versions) >= self._max:
            raise self._too_many(versions, call)
        version = call.record(self._f)
        versions.append(version)
        if set(map(type, call.leaves)) == _FLOATS and len(call.leaves) == len(
            call.structure.children[0].children
        ):
            self._versions[len(call.leaves)] = versions
        numbers = version(call.numbers)
        assert type(numbers) is list
        return version, numbers

    def _too_many(self, versions: list[Version], call: Call) -> OptionError:
        failed = versions[-1](call.numbers)
        assert type(failed) is int
        guard = versions[-1].guards[failed]
        return OptionError(
            where=f"compile(f, max_versions={self._max}), {guard.line}",
            expected=f"at most {self._max} different answers of a branch on numbers",
            got="one more",
            fix="Write gradwalk.where(condition, a, b) for the branch, name its argument in "
            "static_argnums, or pass a larger max_versions.",
        )


class Call:
    """A call of a compiled function: its numbers, and everything that a version depends on."""

    __slots__ = ("key", "leaves", "numbers", "static", "structure")
    key: Any
    leaves: list[Any]
    numbers: list[float]
    static: dict[int, Any]
    structure: PyTree

    def __init__(self, args: list[Any], named: dict[str, Any], static: dict[int, Any]) -> None:
        self.static = static
        self.leaves, self.structure = flatten((args, named))
        self.numbers = [float(x) for x in self.leaves if _is_number(x)]
        same = [signature(x, numbers=True) for x in static.values()]
        self.key = (tuple(static), *same, signature((args, named)))

    @classmethod
    def of(cls, static: tuple[int, ...], args: Any, named: dict[str, Any]) -> Call | None:
        """Return the call, or ``None`` if arguments are carriers, on which f itself runs."""
        chosen = {i: args[i] for i in static}
        call = cls([None if i in chosen else x for i, x in enumerate(args)], named, chosen)
        for x in call.leaves:
            if isinstance(x, Carrier):
                return None
            if is_array(x):
                raise _refused("compile(f)", "numbers", x)
        return call

    def record(self, f: Callable[..., Any]) -> Version:
        """Return the program of f for these arguments."""
        recorder = Recorder()
        leaves = [recorder.input(float(x)) if _is_number(x) else x for x in self.leaves]
        args, named = self.structure.unflatten(leaves)
        for position, x in self.static.items():
            args[position] = x
        drawn = random.getstate()
        with recorder:
            result = f(*args, **named)
            for position in self.static:
                args[position] = None
            _expect_unchanged((args, named), leaves)
            if random.getstate() != drawn:
                raise _random()
            return Version(recorder, [x._payload for x in leaves if recorder.owns(x)], result)


class Version:
    """A program for arguments that answer its guards as those did that it was recorded with."""

    structure: PyTree
    constants: list[Any]
    values: list[Value]
    guards: list[Guard]
    executor: Executor

    def __init__(self, recorder: Recorder, inputs: Sequence[Entry], result: Any) -> None:
        leaves, self.structure = flatten(result)
        found = [_output(x, recorder) for x in leaves]
        self.constants = [None if e else x for e, x in zip(found, leaves, strict=True)]
        captured = [(value, e) for value, e in recorder.captured.items() if e.source is not None]
        recorder.expect_unchanged()
        self.values = [value for value, _ in captured]
        self.guards = recorder.guards
        entries = [*inputs, *(entry for _, entry in captured)]
        self.executor = executor_of(entries, recorder, [e for e in found if e])

    def __call__(self, numbers: list[float]) -> list[float] | int:
        """Return the numbers of the results, or the index of a guard with another answer."""
        if self.values:
            numbers = numbers + [value.data for value in self.values]
        return self.executor.call(numbers)

    def result(self, numbers: list[float]) -> Any:
        """Return the result of the function, with these numbers in it."""
        if self.structure is LEAF and numbers:
            return numbers[0]
        rest = iter(numbers)
        return self.structure.unflatten([next(rest) if x is None else x for x in self.constants])


def _is_number(x: object) -> bool:
    return isinstance(x, (float, int)) and not isinstance(x, bool)


def _output(x: Any, recorder: Recorder) -> Entry | None:
    """Return the entry of a result; ``None`` for what is no number of the program."""
    if isinstance(x, Reading):
        x.fix()
        x = x.tracer
    if recorder.owns(x):
        x = or_zero(x)
    if not isinstance(x, Carrier):
        return None
    found = recorder.operand(x, "the result")
    return found if isinstance(found, Entry) else None


def _expect_unchanged(arguments: Any, leaves: list[Any]) -> None:
    """Raise `InPlaceError` for a function that has put something else into its arguments."""
    now, _ = flatten(arguments)
    if len(now) == len(leaves) and all(a is b for a, b in zip(now, leaves, strict=True)):
        return
    raise InPlaceError(
        where="compile",
        expected="a function that leaves its arguments as they are",
        got="one that changes a container that it was passed",
        fix="Return a new container: a replay computes results and changes nothing.",
    )


def _random() -> OptionError:
    return OptionError(
        where="compile",
        expected="a function that computes the same from the same arguments",
        got="one that draws random numbers, which every replay would repeat",
        fix="Draw them outside and pass them as arguments.",
    )


def _refused(where: str, expected: str, x: object) -> NotANumberError:
    return NotANumberError(
        where=where,
        expected=expected,
        got=describe(x),
        fix="Call the function without gradwalk.compile: it records programs of numbers.",
    )
