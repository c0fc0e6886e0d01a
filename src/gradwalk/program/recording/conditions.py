"""Questions about the numbers of a program: comparisons, and numbers that are read out of it."""

from __future__ import annotations

import dis
import math
import operator
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, ClassVar, Final, TypeAlias

from ...core.carrier import Carrier
from ...core.expect import describe
from ...core.primitive import Primitive
from ...engine.operators import Operators
from ...levels.level import PythonTracer, ScalarTracer
from ...ops import TABLE
from ...ops.masks import MASKS

__all__ = ["Condition", "Integer", "Reading", "Traced", "Unrolled", "is_described", "is_printed"]
__all__ += ["user_line"]

Traced: TypeAlias = Any
"""A tracer of a recorder, of a number or of an array."""


class Unrolled(Exception):  # noqa: N818  # no error: the program is recorded once more
    """A loop is not one instruction: its steps ask questions, or differ."""


class Condition(Operators):
    """A comparison of numbers of a program, whose answer another run may change."""

    __slots__ = ("_level", "_payload", "_primal")
    _masks = MASKS

    def __init__(self, level: Any, primal: bool, payload: Any) -> None:
        self._level, self._primal, self._payload = level, primal, payload

    @property
    def _rank(self) -> int:
        return int(self._level.rank)

    def _apply(self, primitive: Primitive, args: Sequence[Any]) -> Any:  # type: ignore[override]
        return self._level.apply(primitive, args, {})

    def __bool__(self) -> bool:
        return bool(self._level.ask(self))

    def __index__(self) -> int:
        return int(bool(self))

    def __float__(self) -> float:
        return float(bool(self))

    def __and__(self, other: Any) -> Any:
        if type(other) is bool:
            return self if other else False
        return self._apply(TABLE["logical_and"], (self, _as_number(other)))

    def __or__(self, other: Any) -> Any:
        if type(other) is bool:
            return True if other else self
        return self._apply(TABLE["logical_or"], (self, _as_number(other)))

    __rand__: Final = __and__
    __ror__: Final = __or__

    def __invert__(self) -> Any:
        return self._apply(TABLE["equal"], (self, 0.0))

    def __eq__(self, other: object) -> Any:
        return self._apply(TABLE["equal"], (self, _as_number(other)))

    def __ne__(self, other: object) -> Any:
        return self._apply(TABLE["not_equal"], (self, _as_number(other)))

    def __hash__(self) -> int:
        return hash(bool(self))

    def __repr__(self) -> str:
        return repr(self._primal if is_printed() else bool(self))


class Reading(PythonTracer):
    """The number of a tracer, as a program that reads ``x.data`` gets it.

    It is a number of the program too, through which no derivative passes. What is computed of such
    numbers alone is one again. Where Python needs the number itself (``int(x)``, ``math.exp(x)``),
    it becomes a guard, so that another number is recorded as another version.
    """

    __slots__ = ()
    _is_reading: ClassVar[bool] = True

    @classmethod
    def of(cls, tracer: ScalarTracer) -> Reading:
        """Return the number of a tracer of a recorder."""
        return cls(tracer._level, tracer._primal, tracer._payload)

    def fix(self) -> float:
        """Return the number of this run, and note as a guard that it is this one."""
        level: Any = self._level
        number: float = self._primal
        name, other = ("equal", number) if number == number else ("not_equal", self)
        level.ask(level.apply(TABLE[name], (self, other), {}))
        if number == 0.0:  # of which sign?
            inverse = level.apply(TABLE["div"], (1.0, self), {})
            level.ask(level.apply(TABLE["less"], (inverse, 0.0), {}))
        return number

    def _apply(  # type: ignore[override]
        self,
        primitive: Primitive,
        args: Sequence[Any],
        options: Any = {},  # noqa: B006
    ) -> Any:
        y = super()._apply(primitive, args, options)
        plain = all(isinstance(a, Reading) or not isinstance(a, Carrier) for a in args)
        if not plain or not isinstance(y, ScalarTracer):
            return y
        whole = primitive.name in _WHOLE and all(isinstance(a, Integer | int) for a in args)
        return Integer.of(y) if whole and float(y._primal).is_integer() else Reading.of(y)

    def is_integer(self) -> bool:
        """Return whether the number has no fraction."""
        return float(self.fix()).is_integer()


class Integer(Reading):
    """An argument of type int: a number of the program, and a guard where an int is needed.

    That is a place in a list (``xs[n]``), a length (``range(n)``), a shape or an axis.
    """

    __slots__ = ()

    def fix(self) -> int:
        """Return the integer of this run, and note as a guard that it is this one."""
        return int(super().fix())


_WHOLE: Final = {"add", "sub", "mul", "neg", "abs", "floordiv", "mod", "pow"}
"""Operations that give integers for integers; of a power, if it is one."""


def _comparing(name: str) -> Callable[[Reading, Any], Any]:
    def compare(self: Reading, other: Any) -> Any:
        if not isinstance(other, ScalarTracer | Reading):
            other = float(other)
        return self._level.apply(TABLE[name], (self, other), {})

    return compare


def _fixing(name: str) -> Callable[..., Any]:
    def operate(self: Reading, *args: Any) -> Any:
        return getattr(self.fix(), name)(*map(_plain, args))

    return operate


def _combining(f: Callable[[Any, Any], Any], reverse: bool) -> Callable[[Reading, Any], Any]:
    """Return an operation of Python that raises errors where a primitive is infinite or NaN."""

    def operate(self: Reading, other: Any) -> Any:
        a, b = (other, self) if reverse else (self, other)
        if isinstance(other, Carrier) and not isinstance(other, Reading):
            return TABLE[_NAMES[f]](a, b)
        y = TABLE[_NAMES[f]](a, b) if f in _NAMES else math.nan
        return y if isinstance(y, Reading) and y - y == 0.0 else f(_plain(a), _plain(b))

    return operate


_NAMES: Final[dict[Callable[[Any, Any], Any], str]] = {
    operator.truediv: "div",
    operator.floordiv: "floordiv",
    operator.mod: "mod",
    operator.pow: "pow",
}


def _plain(x: object) -> Any:
    return x.fix() if isinstance(x, Reading) else x


for _name, _slot in (("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("equal", "eq")):
    setattr(Reading, f"__{_slot}__", _comparing(_name))
for _name, _slot in (("greater_equal", "ge"), ("not_equal", "ne")):
    setattr(Reading, f"__{_slot}__", _comparing(_name))
for _name in ("float", "int", "complex", "round", "trunc", "floor", "ceil"):
    setattr(Reading, f"__{_name}__", _fixing(f"__{_name}__"))
for _name in ("truediv", "floordiv", "mod", "pow"):
    setattr(Reading, f"__{_name}__", _combining(getattr(operator, _name), reverse=False))
    setattr(Reading, f"__r{_name}__", _combining(getattr(operator, _name), reverse=True))
setattr(Reading, "__divmod__", _combining(divmod, reverse=False))  # noqa: B010
setattr(Reading, "__rdivmod__", _combining(divmod, reverse=True))  # noqa: B010
for _name in ("index", "invert", "lshift", "rlshift", "rshift", "rrshift"):
    setattr(Integer, f"__{_name}__", _fixing(f"__{_name}__"))
for _name in ("and", "rand", "or", "ror", "xor", "rxor"):
    setattr(Integer, f"__{_name}__", _fixing(f"__{_name}__"))
setattr(Reading, "__hash__", PythonTracer.__hash__)  # noqa: B010  # which `__eq__` has taken away


def _as_number(x: Any) -> Any:
    return float(x) if isinstance(x, (bool, int)) else x


def user_line() -> str:
    """Return the line of the user's program that is running."""
    frame = _user_frame()
    return f"{frame.f_code.co_filename}, line {frame.f_lineno}"


def is_printed() -> bool:
    """Return whether a text is for a call of `print`, which happens while a program is recorded.

    The answer is read from the places of the user's bytecode: a call of the name `print`, whose
    result nothing takes, around the instruction that runs.
    """
    frame = _user_frame()
    code, globs = frame.f_code, frame.f_globals
    if globs.get("print", print) is not print or "print" not in code.co_names:
        return False
    steps = [(s, s.positions) for s in dis.get_instructions(code) if s.positions]
    here = next((place for s, place in steps if s.offset == frame.f_lasti), None)
    if here is None or here.lineno is None:
        return False
    for k, (step, name) in enumerate(steps[:-1]):
        if step.argval != "print" or not step.opname.startswith("LOAD_"):
            continue
        rest = [i for i in range(k, len(steps) - 1) if steps[i][0].opname.startswith("CALL")]
        calls = [i for i in rest if _start(steps[i][1]) == _start(name)]
        if calls and steps[calls[-1] + 1][0].opname == "POP_TOP":
            call = steps[calls[-1]][1]
            if _start(call) <= _start(here) and _end(here) <= _end(call):
                return True
    return False


def is_described() -> bool:
    """Return whether a text is for the message of an error, which is no question."""
    frame: FrameType | None = sys._getframe(1)
    while frame and _is_ours(frame):
        if frame.f_code is describe.__code__:
            return True
        frame = frame.f_back
    return False


def _start(place: Any) -> tuple[int, int]:
    return place.lineno, place.col_offset


def _end(place: Any) -> tuple[int, int]:
    return place.end_lineno, place.end_col_offset


def _user_frame() -> FrameType:
    """Return the frame of the user's program that is running."""
    frame = sys._getframe(1)
    while frame.f_back and _is_ours(frame):
        frame = frame.f_back
    return frame


def _is_ours(frame: FrameType) -> bool:
    return bool(frame.f_globals.get("__name__", "").partition(".")[0] == "gradwalk")
