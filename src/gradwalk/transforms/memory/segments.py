"""Parts of a program that are run again: what they use besides their arguments.

A function may use tracers, Values and Tensors that are not among its arguments. A `Segment` runs it
on plain numbers and stores these in the order of their use. When the function is run again on a
`VJPReplay`, or on a `JVPReplay` in forward mode, they become leaves like the arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...core.carrier import is_tensor
from ...core.primitive import Primitive
from ...core.pytree import PyTree
from ...engine.recording import recording
from ...engine.scalar import Scalar
from ...errors import OptionError
from ...levels.jvp import JVPLevel
from ...levels.level import Level, Tracer, running
from ...levels.vjp import CONSTANT_STEP, VJPLevel, is_arraylike
from ..arguments import is_plain

__all__ = [
    "JVPReplay",
    "Rerun",
    "ResultForm",
    "Segment",
    "VJPReplay",
    "floor_of",
    "has_derivative",
]
__all__ += ["touch"]


def has_derivative(x: object) -> bool:
    """Return whether ``x`` is a floating-point number, or an array of such numbers."""
    dtype = getattr(x, "dtype", None)
    return isinstance(x, (float, Scalar)) if dtype is None else dtype.kind == "f"


def floor_of(levels: Sequence[Level]) -> int | None:
    """Return the rank below which levels other than tapes are open; ``None`` if no tape is above.

    Without any transform, or with tapes alone, it is 0: graphs of Values and Tensors are above it.
    """
    floor, above = 0, True
    for level in levels:
        if isinstance(level, VJPLevel):
            above = True
        elif type(level) is not Level:  # which only keeps its place
            floor, above = level.rank, False
    return floor if above else None


def key_of(x: Any) -> Any:
    """Return an object that all handles of the same number or array share."""
    if isinstance(x, Tracer):
        return x._payload
    return x._node if is_tensor(x) else x


def _is_recorded(x: Tracer) -> bool:
    """Return whether ``x`` is a number of a program that is written down, which keeps no tape."""
    return x._level.records_program


class Observer(Level):
    """A level that sees what its function uses besides its arguments."""

    floor = 0
    ended = False

    def is_foreign(self, x: object) -> bool:
        """Return whether ``x`` comes from outside, where something depends on it."""
        if type(x) is float:
            return False
        if isinstance(x, Tracer):
            # levels up to the floor trace the function as ever: only tapes above it are replaced
            return self.floor < x._level.rank < self.rank and not _is_recorded(x)
        return not self.floor and not is_plain(x)

    def notice(self, x: object) -> Any:
        """Return ``x``, or its replacement here."""
        raise NotImplementedError


def touch(xs: Sequence[Any], levels: Sequence[Level]) -> list[Any]:
    """Let the innermost level that notices such things know that ``xs`` are used.

    Return what they are there: their replacements, if that level is a later run.
    """
    for level in reversed(levels):
        if isinstance(level, Observer):
            return [level.notice(x) if not level.ended and level.is_foreign(x) else x for x in xs]
    return [*xs]


class Segment(Observer):
    """The first run, on plain numbers. The payload tells whether a tracer depends on a carrier.

    ``found`` has the carriers from outside, by their keys: the carrier and its plain number.
    """

    mode = "checkpoint"

    around: tuple[Level, ...]
    floor: int

    def __init__(self, floor: int, around: tuple[Level, ...]) -> None:
        self.floor, self.around = floor, around
        self.found: dict[Any, tuple[Any, Any]] = {}

    def leaf(self, x: object) -> Any:
        """Return a tracer of an argument."""
        return self.box(self.lower(x), not is_plain(x))

    def lower(self, x: Any) -> Any:
        """Return the number in ``x`` below all tapes and graphs above the floor."""
        while isinstance(x, Tracer) and x._level.rank > self.floor and not _is_recorded(x):
            x = x._primal
        if self.floor or isinstance(x, Tracer) or is_plain(x):
            return x
        return x.detach() if is_tensor(x) else x.data

    def notice(self, x: object) -> Any:
        """Return the plain number in ``x``, which is foreign."""
        key = key_of(x)
        if key not in self.found:
            (here,) = touch([x], self.around)  # a segment further out depends on it, too
            self.found[key] = (x, self.lower(here))
        return self.found[key][1]

    def apply(self, primitive: Primitive, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Evaluate the primitive on plain numbers. Nothing is recorded."""
        foreign = [self.is_foreign(a) for a in args]
        pairs = zip(args, foreign, strict=True)
        raws = [self.notice(a) if there else a for a, there in pairs]
        y = primitive(*self.primals(raws), **options)
        if not primitive.differentiable or recording.paused:
            return y
        # only what depends on a carrier needs a node, so a payload is no more than this truth
        flows = any(foreign) or any(self.owns(a) and a._payload for a in args)
        if type(y) is tuple:
            return tuple([self.box(part, flows) for part in y])
        return self.box(y, flows) if type(y) is float or _boxable(y) else y


def _boxable(y: object) -> bool:
    return isinstance(y, Scalar) or is_arraylike(y)


class Rerun(Observer):
    """A level of a later run. What the first one has found is ``known``: its keys, in order.

    Whatever is not among them was computed anew from such things. Its place in the order tells
    which one it is; ``outside`` are the tracers that stand in these places.
    """

    constant: Any = None  # the payload of what depends on no input
    floor: int
    known: dict[Any, int]
    outside: Sequence[Any]

    def again(self, floor: int, known: dict[Any, int], outside: Sequence[Any]) -> None:
        """Prepare for a run."""
        self.floor, self.known, self.outside = floor, known, outside
        self.replacements: dict[Any, Any] = {}

    def notice(self, x: object) -> Any:
        """Return the leaf that replaces ``x``."""
        key = key_of(x)
        if key not in self.replacements:
            place = self.known.get(key, len(self.replacements))
            # another shape means that the function took another way than in its first run
            if place >= len(self.outside) or _form(self.outside[place]) != _form(x):
                raise _changed()
            self.replacements[key] = self.outside[place]
            touch([x], running.open[: running.open.index(self)])
        return self.replacements[key]

    def apply(self, primitive: Primitive, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Evaluate the primitive here, with replacements for what comes from outside."""
        y = super().apply(primitive, self.replaced(args), options)  # of the tape, or of the duals
        return tuple(map(self._own, y)) if type(y) is tuple else self._own(y)

    def apply_to_numbers(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Do what `apply` does: the faster way of the tape makes no tracers of constants."""
        return self.apply(primitive, args, {})

    def replaced(self, args: Sequence[Any]) -> list[Any]:
        """Return the arguments, with replacements for what comes from outside."""
        return [self.notice(a) if self.is_foreign(a) else a for a in args]

    def _own(self, y: object) -> Any:
        """Return a result as a tracer of this level, because without one it would be foreign."""
        return self.box(y, self.constant) if self.is_foreign(y) else y


def _shape(x: object) -> tuple[int, ...]:
    return tuple(getattr(x, "shape", ()))


def _form(x: object) -> tuple[tuple[int, ...], Any | None]:
    return _shape(x), getattr(x, "dtype", None)


class ResultForm(NamedTuple):
    """What a run has made: the structure of its result, and the shape of each leaf."""

    tree: PyTree
    shapes: list[tuple[int, ...]]

    @classmethod
    def of(cls, values: Sequence[Any], tree: PyTree) -> ResultForm:
        """Return the form of a flattened result."""
        return cls(tree, [*map(_shape, values)])

    def expect(self, again: ResultForm) -> None:
        """Raise `OptionError` for the result of a later run that has another form."""
        if not (self.tree.matches(again.tree) and self.shapes == again.shapes):
            raise _changed(f"the results of the first time, {self}", f"{again}")

    def __str__(self) -> str:
        return f"{self.tree} of shapes {self.shapes}"


def _changed(
    expected: str = "the operations of the first time",
    got: str = "others: it uses something else than then",
) -> OptionError:
    return OptionError(
        where="checkpoint: running a function again",
        expected=expected,
        got=got,
        fix="Use only arguments and constants in the function; random draws repeat by themselves.",
    )


class VJPReplay(Rerun, VJPLevel):
    """A later run, in reverse mode."""

    constant = CONSTANT_STEP


class JVPReplay(Rerun, JVPLevel):
    """A later run, in forward mode."""
