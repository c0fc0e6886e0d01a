"""Observers, which see every operation and every backward pass while they are open.

Operations without an observer ask nothing more than before: the engines test for one only where
they have found that some thread is inside `no_grad`, which an observer counts as.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

from .. import native
from .recording import Scope, recording

__all__ = ["Observer", "notify", "notify_backward", "observers", "readers"]

observers: list[Observer] = []
"""The observers that are open, of all threads."""

readers: list[Any] = []
"""Functions that say what stands for the number of a Value, while a program is recorded."""

tensor_hooks: list[Any] = []
"""Functions that send the operations of Tensors to Python, which calls `notify`."""


class _Mark(Scope):
    """The entry that makes the engine in Python ask for observers. It changes no recording."""

    kind = recording

    def __init__(self) -> None:
        self.pauses = recording.paused  # type: ignore[misc]


class Observer(AbstractContextManager["Observer", None]):
    """A context in which this thread's operations are seen."""

    def __enter__(self) -> Self:
        self._thread, self._busy, self._mark = threading.get_ident(), False, _Mark()
        self._mark.__enter__()
        observers.append(self)
        _tell_engines()
        return self

    def __exit__(self, *exception: object) -> None:
        observers.remove(self)
        _tell_engines()
        self._mark.__exit__(*exception)

    def operation(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """See the result of an operation; without a primitive, a comparison of two numbers.

        An error that is raised here ends the operation.
        """

    def backward(self, origin: Any) -> None:
        """See what made a gradient non-finite, before any gradient is stored."""

    def values_backward(self, root: Any) -> None:
        """See the root of a backward pass of Values, before it runs."""


def _tell_engines() -> None:
    if native.engine is not None:
        native.engine.observe(notify if observers else None)
    for hook in tensor_hooks:
        hook(bool(observers))


def notify(primitive: Any, args: Sequence[Any], result: Any) -> None:
    """Show an operation to the observers of this thread."""
    _each("operation", primitive, args, result)


def notify_backward(name: str, what: Any) -> None:
    """Show a backward pass to the observers of this thread."""
    _each(name, what)


def _each(method: str, *args: Any) -> None:
    for observer in [o for o in observers if o._thread == threading.get_ident()]:
        if not observer._busy:
            observer._busy = True  # what an observer computes is not observed
            try:
                getattr(observer, method)(*args)
            finally:
                observer._busy = False
