"""What a step of a loop uses besides its arguments, and a step in which it is an argument too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...core.carrier import is_tensor
from ...core.primitive import Primitive
from ...engine.scalar import Scalar
from ...engine.value import Value
from ...levels.level import Tracer
from ...levels.vjp import is_arraylike
from ...program.recording.conditions import Unrolled
from .segments import Observer, key_of

__all__ = ["Finder", "Leaves", "Loop", "floats", "pure_loop"]

Leaves = list[Any]


class Finder(Observer):
    """A run of a step that finds what it uses besides its arguments, in the order of use."""

    mode = "loop"

    def __init__(self) -> None:
        self.found: dict[Any, Any] = {}

    def is_foreign(self, x: object) -> bool:
        """Return whether ``x`` comes from outside."""
        if isinstance(x, Tracer):
            return x._level is not self
        return isinstance(x, Value) or is_tensor(x)

    def notice(self, x: object) -> Any:
        """Return ``x``, or its replacement here."""
        self.found.setdefault(_key(x), x)
        return x

    def apply(self, primitive: Primitive, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Apply the primitive one level down."""
        raws = [self.notice(a) if self.is_foreign(a) else a for a in args]
        y = primitive(*self.primals(raws), **options)
        return tuple(map(self.own, y)) if type(y) is tuple else self.own(y)

    def apply_to_numbers(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Do what `apply` does."""
        return self.apply(primitive, args, {})

    def own(self, y: Any) -> Any:
        """Return a number or an array as a tracer of this run."""
        boxable = type(y) is float or isinstance(y, Scalar) or is_arraylike(y)
        return self.box(y, None) if boxable and not self.owns(y) else y

    def unbox(self, y: Any) -> Any:
        """Return a result one level down."""
        return y._primal if self.owns(y) else self.notice(y) if self.is_foreign(y) else y


class Inlined(Finder):
    """A run of a step in which other tracers stand for what comes from outside."""

    known: dict[Any, int]
    given: Sequence[Any]

    def __init__(self, known: dict[Any, int], given: Sequence[Any]) -> None:
        super().__init__()
        self.known, self.given = known, given

    def notice(self, x: object) -> Any:
        """Return the tracer that stands for ``x``."""
        key = _key(x)
        if key not in self.found:
            # what is computed anew outside of the step has the place in which it is used
            place = self.known.get(key, len(self.found))
            if place >= len(self.given):
                raise Unrolled
            self.found[key] = self.given[place]
        return self.found[key]


def _key(x: Any) -> Any:
    key = key_of(x)
    return id(x) if key is None else key


class Loop(NamedTuple):
    """A step, and the condition to go on: functions of carries, rows and constants."""

    step: Callable[[Leaves, Leaves, Leaves], tuple[Leaves, Leaves]]
    condition: Callable[[Leaves, Leaves], Any] | None
    length: int
    reverse: bool


def floats(leaves: Leaves) -> Leaves:
    """Return carries with floats for integers."""
    return [float(x) if type(x) is int else x for x in leaves]


def pure_loop(
    call: Callable[[Leaves, Leaves], tuple[Leaves, Leaves]],
    cond: Callable[[Leaves], Any] | None,
    carry: Leaves,
    row: Leaves,
    length: int,
    reverse: bool,
) -> tuple[Loop, Leaves]:
    """Return a loop of pure functions, and the constants that it uses."""
    with Finder() as finder:
        results = call(*[[finder.own(x) for x in part] for part in (floats(carry), row)])
        for y in (*results[0], *results[1]):
            finder.unbox(y)
        if cond is not None:
            cond([finder.own(x) for x in floats(carry)])
    known = {key: i for i, key in enumerate(finder.found)}

    def step(carry: Leaves, row: Leaves, rest: Leaves) -> tuple[Leaves, Leaves]:
        with Inlined(known, rest) as level:
            last, ys = call([*map(level.own, carry)], [*map(level.own, row)])
            return [level.unbox(y) for y in last], [level.unbox(y) for y in ys]

    def condition(carry: Leaves, rest: Leaves) -> Any:
        assert cond is not None
        with Inlined(known, rest) as level:
            return level.unbox(cond([*map(level.own, carry)]))

    return Loop(step, cond and condition, length, reverse), list(finder.found.values())
