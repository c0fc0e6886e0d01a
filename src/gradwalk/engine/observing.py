"""Observers, which see every operation and every backward pass while they are open.

Operations without an observer ask nothing more than before: the engines test for one only where
they have found that some thread is inside `no_grad`, which an observer counts as.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

from .. import native
from ..core.carrier import Carrier
from ..core.places import HOME, Line, line_of_caller
from .recording import Scope, Scopes, recording

__all__ = ["Observer", "line_of", "notify", "notify_backward", "notify_traced", "observers"]
__all__ += ["INTERCEPTORS", "SWITCHES", "WATCHERS", "readers", "remember_line"]

observers: list[Observer] = []
"""The observers that are open, of all threads."""

readers: list[Any] = []
"""Functions that say what stands for the number of a Value, while a program is recorded."""

INTERCEPTORS: list[Any] = []
"""Who has a say in operations on Tensors, of all threads: observers, and recorders of programs.

While there are any that want to see all of them, the compiled operators leave operations to Python.
"""

SWITCHES: list[Any] = []
"""Functions that hear whether a program is recorded, of what does not ask for itself."""

WATCHERS: list[Any] = []
"""The observers among them to whom the compiled operators show results that are not finite."""


class _Mark(Scope):
    """The entry that makes the engine in Python ask for observers. It changes no recording."""

    kind = recording

    def __init__(self) -> None:
        self.pauses = recording.paused  # type: ignore[misc]


class _Watching(Scope):
    """What says which observers this task, or this thread, is inside of."""

    kind = Scopes()

    def __init__(self, observer: Observer) -> None:
        self.observer = observer


class Observer(AbstractContextManager["Observer", None]):
    """A context in which this thread's operations are seen."""

    all: ClassVar[bool] = True
    """Whether it sees operations with a finite result as well, and comparisons."""
    lines: ClassVar[bool] = False
    """Whether Values record the line of the program that computes them."""

    def __enter__(self) -> Self:
        self._busy, self._mark = False, _Mark()
        self._watching = _Watching(self)
        self._mark.__enter__()
        self._watching.__enter__()
        observers.append(self)
        INTERCEPTORS.append(self)
        if not self.all:
            WATCHERS.append(self)
        _tell_engines()
        return self

    def __exit__(self, *exception: object) -> None:
        observers.remove(self)
        INTERCEPTORS.remove(self)
        if not self.all:
            WATCHERS.remove(self)
        _tell_engines()
        self._watching.__exit__(*exception)
        self._mark.__exit__(*exception)

    def operation(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """See the result of an operation; without a primitive, a comparison of two numbers.

        An error that is raised here ends the operation.
        """

    def traced(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """See plain numbers or arrays that an operation has computed inside a transform."""

    def tracing(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """See such an operation on numbers, with tracers in the places of what is no constant."""

    def rules(
        self,
        kind: str,
        primitive: Any,
        y: Any,
        args: Sequence[Any],
        given: Any,
        found: Any,
        line: Line | None = None,
    ) -> None:
        """See what the rules of ``y = primitive(*args)`` made of derivatives inside a transform.

        ``given`` are the derivatives that arrived, ``found`` those that were computed from them:
        contributions to the arguments ("backward"), or tangents of the result ("tangent").
        ``line`` is where ``y`` was computed, if the tape knows it.
        """

    def backward(self, origin: Any) -> None:
        """See what made a gradient non-finite, before any gradient is stored."""

    def values_backward(self, root: Any) -> None:
        """See the root of a backward pass of Values, before it runs."""


def _tell_engines() -> None:
    sees = any(type(o).operation is not Observer.operation for o in observers)
    if native.engine is not None:
        home = HOME if any(o.lines for o in observers) else None
        native.engine.observe(notify if sees else None, any(o.all for o in observers), home)


def notify(primitive: Any, args: Sequence[Any], result: Any) -> None:
    """Show an operation to the observers of this thread."""
    is_value = isinstance(result, Carrier) and result._is_number
    if native.engine is None and is_value and any(o.lines for o in observers):
        _lines[result] = line_of_caller()
    _each("operation", primitive, args, result)


_lines: WeakKeyDictionary[Any, Line] = WeakKeyDictionary()
"""Where Values of the engine in Python were computed. The native engine has a table of its own."""


def line_of(node: Any) -> Line | None:
    """Return where a Value was computed, if that was recorded."""
    return _lines.get(node) if native.engine is None else native.engine.line_of(node)


def remember_line(value: Any, line: Line) -> None:
    """Store where a Value was computed."""
    if native.engine is None:
        _lines[value] = line
    else:
        native.engine.set_line(value, *line)


def notify_backward(name: str, what: Any) -> None:
    """Show a backward pass to the observers of this thread."""
    _each(name, what)


def notify_traced(name: str, *what: Any) -> None:
    """Show an operation inside a transform, or the rules of one, to this thread's observers."""
    _each(name, *what)


@contextmanager
def inside_rules() -> Iterator[None]:
    """Hide the operations of a rule from observers that see what it makes of a derivative.

    A NaN in the derivative of a root is that of the root, and not of a quotient in its rule.
    """
    hidden = [s.observer for s in _Watching.kind.open if not (s.observer.all or s.observer._busy)]
    for observer in hidden:
        observer._busy = True
    try:
        yield
    finally:
        for observer in hidden:
            observer._busy = False


def _each(method: str, *args: Any) -> None:
    for observer in [scope.observer for scope in _Watching.kind.open]:
        if not observer._busy:
            observer._busy = True  # what an observer computes is not observed
            try:
                getattr(observer, method)(*args)
            finally:
                observer._busy = False
