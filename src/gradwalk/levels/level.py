"""Levels: the transforms that are running, and the tracers that they send through a function.

A tracer is a number or an array in disguise: it has a *primal*, which may itself be a tracer of
the transform around, and something more that its level keeps with it: its place on a tape, its
tangent. A row that meets tracers asks the innermost level among them, which applies the row to the
primals one level down. So nested transforms cannot confuse their perturbations: to each level, the
tracers of all others are constants.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import count
from typing import Any, NoReturn, Self

from ..core.backend import arrays
from ..core.carrier import carrier_among, is_tensor
from ..core.expect import is_array
from ..core.primitive import MASK_IF, PASS_IF
from ..engine.scalar import Scalar
from ..errors import LeakedTraceError, OptionError

__all__ = ["Level", "ScalarTracer", "Tracer", "running", "unwrap"]


class _Running(threading.local):
    depth = 0  # how many transforms this thread is in
    levels: tuple[Level, ...] = ()  # their levels, the outermost first


ranks = count(2)  # above Values (0) and Tensors (1)
running = _Running()
"""How deep this thread is in transforms, and in which ones."""


class Level:
    """One run of a transform, from the call of the function to its return (a context manager).

    Subclasses say in `apply` what a row does with tracers of theirs.
    """

    mode = ""
    is_open = False
    rank = 0

    def __enter__(self) -> Self:
        running.depth += 1
        running.levels = (*running.levels, self)
        self.rank, self.is_open = next(ranks), True  # above all before it, of other threads too
        return self

    def __exit__(self, *exception: object) -> None:
        running.depth -= 1
        running.levels = running.levels[:-1]
        self.is_open = False

    def apply(self, primitive: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """The result of ``row`` on ``args``, of which at least one is a tracer of this level."""
        raise NotImplementedError

    def apply_to_numbers(self, primitive: Any, args: Sequence[Any]) -> Any:
        """The same where each of ``args`` is a scalar tracer of this level, or a float."""
        return self.apply(primitive, args, {})

    def box(self, primal: Any, extra: Any) -> Any:
        """A tracer of this level: a scalar or an array, as its primal is."""
        if type(primal) is float or isinstance(primal, Scalar):
            return ScalarTracer(self, primal, extra)
        return arrays().ArrayTracer(self, primal, extra)

    def owns(self, x: Any) -> bool:
        """Whether ``x`` is a tracer of this level."""
        return isinstance(x, Tracer) and x._level is self

    def primals(self, args: Sequence[Any]) -> list[Any]:
        """The arguments one level down."""
        return [a._primal if isinstance(a, Tracer) and a._level is self else a for a in args]

    # What array tracers ask; a level whose primals look different from outside says otherwise.

    def shape(self, primal: Any) -> tuple[int, ...]:
        """The shape that a function sees."""
        return primal.shape  # type: ignore[no-any-return]

    def numbers(self, primal: Any) -> Any:
        """The plain numbers, for what has no derivative."""
        return unwrap(primal)


class Tracer:
    """What tracers of numbers and of arrays have in common."""

    __slots__ = ()
    _level: Level
    _primal: Any
    _payload: Any

    @property
    def _rank(self) -> int:
        return self._level.rank

    def _apply(self, primitive: Any, args: Sequence[Any], options: dict[str, Any] = {}) -> Any:  # noqa: B006
        top = carrier_among(args)
        level = top._level
        if not level.is_open:
            raise leaked(level, primitive.name)
        if primitive is PASS_IF or primitive is MASK_IF:  # a level has no rule for them
            return arrays().gated(primitive, *args)
        return level.apply(primitive, args, options)

    def backward(self, *args: Any, **options: Any) -> NoReturn:
        """Not here: the transform walks back itself."""
        self._walk("backward()")

    def _gradients(self, *args: Any, **options: Any) -> NoReturn:
        self._walk("gradients()")

    def _walk(self, called: str) -> NoReturn:
        raise OptionError(
            where=f"{called} inside of {self._level.mode}",
            expected="the result of the function to be returned",
            got=f"a call of {called} on {self!r}",
            fix="Return the result: the transform takes its derivative. "
            "Inside of a function, gradwalk.grad differentiates another one.",
        )

    def __repr__(self) -> str:
        return f"<{self._level.mode} tracer of {self._primal!r}>"


class ScalarTracer(Tracer, Scalar):
    """A tracer of one number."""

    __slots__ = ("_level", "_payload", "_primal")

    def __init__(self, level: Level, primal: Any, extra: Any) -> None:
        self._level, self._primal, self._payload = level, primal, extra

    def _apply(  # type: ignore[override]
        self,
        primitive: Any,
        args: Sequence[Any],
        options: dict[str, Any] = {},  # noqa: B006
    ) -> Any:
        level = self._level
        for arg in args:
            if not (type(arg) is float or (type(arg) is ScalarTracer and arg._level is level)):
                break
        else:  # the usual case, in two thirds of the time
            if level.is_open and not options:
                return level.apply_to_numbers(primitive, args)
        if any(map(is_array, args)):  # what is inside of the tracer may be a Value
            args = [arrays().Tensor._of(a) if is_array(a) else a for a in args]
        return Tracer._apply(self, primitive, args, options)

    @property
    def data(self) -> float:  # type: ignore[override]
        """The plain number."""
        if not self._level.is_open:
            raise leaked(self._level, ".data")
        return unwrap(self)  # type: ignore[no-any-return]

    def detach(self) -> float:
        """The plain number, through which no derivative passes."""
        return self.data

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Functions of NumPy are those of gradwalk."""
        return arrays().array_ufunc(self, ufunc, method, *inputs, **options)


def unwrap(x: Any) -> Any:
    """The plain number or array inside of any disguise."""
    if isinstance(x, Tracer):
        return x._level.numbers(x._primal)
    if isinstance(x, Scalar):
        return x.data
    return x._data if is_tensor(x) else x


def leaked(level: Level, where: str) -> LeakedTraceError:
    """The error for a tracer that is used after its transform has ended."""
    return LeakedTraceError(
        where=where,
        expected="values of a transform that is still running",
        got=f"one that a side effect took out of {level.mode}, which has ended",
        fix="Return it from the function (has_aux=True), or keep x.data: the plain number.",
    )
