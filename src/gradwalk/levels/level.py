"""Levels: the active transforms, and the tracers that they pass through a function.

A tracer stands for a number or an array. It has a *primal*, which may itself be a tracer of the
enclosing transform, and a *payload* of its level: a step on a tape, or a tangent. A primitive that
is applied to tracers calls the innermost of their levels, which applies it to the primals one level
down. So nested transforms cannot confuse their perturbations: each level treats the tracers of all
others as constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NoReturn, Self

from .. import native
from ..core.backend import Options, arrays
from ..core.carrier import carrier_among, is_tensor
from ..core.expect import is_array, is_numpy_number
from ..core.leaked import leak_tree
from ..core.places import name_in_program
from ..core.primitive import MASK_IF, PASS_IF, Primitive
from ..engine import functions
from ..engine.observing import notify_traced, observers
from ..engine.operators import METHODS
from ..engine.recording import Scope, Scopes
from ..engine.scalar import Scalar
from ..engine.traced import unpicklable
from ..errors import LeakedTraceError, OptionError
from ..ops.masks import OR_ZERO

__all__ = ["Level", "Reopened", "ScalarTracer", "Tracer", "or_zero", "running", "unwrap"]


running: Scopes = Scopes()
"""The active transforms: the levels that each thread is in."""


class Level(Scope):
    """One run of a transform, from the call of the function to its return (a context manager).

    Subclasses implement `apply`, which applies a primitive to their tracers.
    """

    kind = running
    mode: str = ""
    records_program = False
    """Whether it writes operations down, to run them on other numbers later."""
    looks_inside = False
    """Whether it writes down what a function with a rule of its own computes, not that it runs."""

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Any:
        """Return ``primitive(*args)``, where at least one argument is a tracer of this level."""
        raise NotImplementedError

    def apply_to_numbers(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Return ``primitive(*args)`` for floats and scalar tracers of this level."""
        return self.apply(primitive, args, {})

    def box(self, primal: Any, payload: object) -> Any:
        """Return a tracer of this level, which is a scalar or an array like its primal."""
        if type(primal) is float:
            return ScalarTracer(self, primal, payload)
        if isinstance(primal, Scalar):
            return ScalarTracer(self, _unread(primal), payload)
        return arrays().ArrayTracer(self, primal, payload)

    def owns(self, x: object) -> bool:
        """Return whether ``x`` is a tracer of this level."""
        return isinstance(x, Tracer) and x._level is self

    def primals(self, args: Sequence[Any]) -> list[Any]:
        """Return the arguments one level down."""
        return [a._primal if isinstance(a, Tracer) and a._level is self else a for a in args]

    # Array tracers call these. `VmapLevel` overrides them: its primals have one axis more.

    def shape(self, primal: Any) -> tuple[int, ...]:
        """Return the shape that a function sees."""
        return primal.shape  # type: ignore[no-any-return]

    def numbers(self, primal: Any) -> Any:
        """Return the plain numbers, for operations without a derivative."""
        return unwrap(primal)

    def backward(self, tracer: Tracer, gradient: Any) -> None:
        """Add gradients to those of the Tensors that a program closes over."""
        raise NotImplementedError

    def may_be_absent(self, tracer: Tracer) -> bool:
        """Return whether a tracer stands for a derivative that may have no contribution."""
        return False

    def read(self, tracer: Tracer) -> Any:
        """Return the plain numbers of a tracer."""
        return self.numbers(tracer._primal)

    def derivatives_of(self, tracer: Tracer) -> list[Any]:
        """Return the derivatives that a tracer has beside its primal, ``None`` for missing ones."""
        return []

    def hash_of(self, tracer: Tracer) -> int:
        """Return the hash of a tracer: that of an object of its own."""
        return object.__hash__(tracer)

    def text(self, tracer: Tracer, kind: Callable[[Any], str]) -> str:
        """Return `str` or `repr` of a tracer."""
        return f"<{self.mode} tracer of {tracer._primal!r}>"


class Reopened(Scope):
    """A scope in which transforms run that may have ended, and no others."""

    kind = running

    def __init__(self, levels: tuple[Level, ...]) -> None:
        self.others = levels


class Tracer:
    """The common part of tracers of numbers and of arrays."""

    __slots__ = ()
    _level: Level
    _primal: Any
    _payload: Any

    @property
    def _rank(self) -> int:
        return self._level.rank

    def _apply(self, primitive: Primitive, args: Sequence[Any], options: Options = {}) -> Any:  # noqa: B006
        top = carrier_among(args)
        level = top._level
        if not level.is_open:
            raise leaked(level, primitive.name)
        if primitive is PASS_IF or primitive is MASK_IF:  # a level has no rule for them
            return arrays().mask(primitive, *args)
        result = level.apply(primitive, args, options)
        if observers:
            _show(level, primitive, args, result)
        return result

    def backward(
        self, gradient: Any = None, retain_graph: bool = False, create_graph: bool = False
    ) -> None:
        """Let a program write the gradients down. Transforms run the reverse pass themselves."""
        if not self._level.records_program or not is_tensor(self):
            self._refuse("backward()")
        if create_graph:  # no text of the result: its numbers may not be known
            raise OptionError(
                where="backward(create_graph=True) inside compile",
                expected="a backward pass of first order",
                got="create_graph=True",
                fix="Write gradwalk.grad of a function, which can be nested.",
            )
        self._level.backward(self, gradient)

    def _gradients(self, *args: object, **options: object) -> NoReturn:
        self._refuse("gradients()")

    def _refuse(self, called: str) -> NoReturn:
        raise OptionError(
            where=f"{called} inside {self._level.mode}",
            expected="the result of the function to be returned",
            got=f"a call of {called} on {self!r}",
            fix="Return the result: the transform takes its derivative. "
            "Inside a function, gradwalk.grad differentiates another one.",
        )

    def __deepcopy__(self, memo: object) -> Self:
        return copy(self)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise unpicklable(self)

    def __repr__(self) -> str:
        return self._level.text(self, repr)

    def __str__(self) -> str:
        return self._level.text(self, str)

    def __format__(self, spec: str) -> str:
        if spec and self._level.records_program:
            return self._level.text(self, lambda x: format(x, spec))
        return super().__format__(spec)

    def __hash__(self) -> int:
        return self._level.hash_of(self)


class NumberTracer(Tracer, Scalar):  # type: ignore[misc]
    """The half of a `ScalarTracer` that does not depend on the engine."""

    __slots__ = ()

    def _apply(  # type: ignore[override]
        self,
        primitive: Primitive,
        args: Sequence[Any],
        options: Options = {},  # noqa: B006
    ) -> Any:
        level = self._level
        for arg in args:
            if not (type(arg) is float or (type(arg) is ScalarTracer and arg._level is level)):
                break
        else:  # the usual case, in two thirds of the time
            if level.is_open and not options:
                result = level.apply_to_numbers(primitive, args)
                if observers:
                    _show(level, primitive, args, result)
                return result
        # numbers of NumPy would stay such in what rules compute
        args = [float(a) if is_numpy_number(a) else a for a in args]
        if any(map(is_array, args)):  # the primal may be a Value, which records no plain arrays
            args = [arrays().Tensor(a) if is_array(a) else a for a in args]
        return Tracer._apply(self, primitive, args, options)

    def __copy__(self) -> Self:
        if self._level.is_open:
            return self
        raise leaked(self._level, "copying")

    @property
    def data(self) -> float:  # type: ignore[override]
        """The plain number."""
        if not self._level.is_open:
            raise leaked(self._level, ".data")
        return unwrap(self)  # type: ignore[no-any-return]

    def detach(self) -> float:
        """Return the plain number, through which no derivative passes."""
        return self.data


class PythonTracer(NumberTracer):
    """A tracer of one number; see `ScalarTracer`."""

    __slots__ = ("_level", "_payload", "_primal")

    def __init__(self, level: Level, primal: Any, payload: object) -> None:
        self._level, self._primal, self._payload = level, primal, payload


PythonTracer.__name__ = PythonTracer.__qualname__ = "ScalarTracer"

if TYPE_CHECKING or native.engine is None:
    ScalarTracer = PythonTracer
else:
    ScalarTracer = native.engine.tracer_type(NumberTracer)
    setattr(ScalarTracer, "__hash__", Tracer.__hash__)  # noqa: B010  # which the engine has fixed
    for _name in METHODS:  # the functions of the engine are faster than those of the mixin
        setattr(ScalarTracer, _name, vars(functions)[_name])


def _show(level: Level, primitive: Primitive, args: Sequence[Any], result: Any) -> None:
    """Show observers what a level has computed with plain numbers and arrays.

    Other primals are carriers themselves: their own operations have been shown.
    """
    raws = level.primals(args)
    for part in result if type(result) is tuple else (result,):
        y = part._primal if level.owns(part) else part
        if type(y) is float or is_array(y):
            notify_traced("traced", primitive, raws, y)
        if type(y) is float:
            notify_traced("tracing", primitive, args, part)
        if level.owns(part) and (found := level.derivatives_of(part)):
            given = [t for a in args if level.owns(a) for t in level.derivatives_of(a)]
            notify_traced("rules", "tangent", primitive, y, raws, given, found)


def _unread(x: Any) -> Any:
    """Return the tracer of a number that was read out of a program, which engines know."""
    return ScalarTracer(x._level, x._primal, x._payload) if getattr(x, "_is_reading", False) else x


def or_zero(t: Any) -> Any:
    """Return a derivative that is a number, even if a program finds that it has no contribution."""
    base = t
    while isinstance(base, ScalarTracer):
        if base._level.may_be_absent(base):
            return OR_ZERO(t)
        base = base._primal
    return t


def unwrap(x: Any) -> Any:
    """Return the plain number or array of a carrier of any kind."""
    if isinstance(x, Tracer):
        return x._level.read(x)
    if isinstance(x, Scalar):
        return x.data
    return x._data if is_tensor(x) else x


def leaked(level: Level, where: str) -> LeakedTraceError:
    """Return the error for a tracer that is used after its transform has ended."""
    name = name_in_program(lambda x: isinstance(x, Tracer) and x._level is level)
    return LeakedTraceError(
        where=where,
        expected="values of a transform that is still running",
        got=f"one that a side effect took out of {level.mode}, which has ended:"
        + leak_tree(f"{name or 'it'}, a tracer of {level.mode}"),
        fix="Return it from the function (has_aux=True), or keep x.data: the plain number.",
    )
