"""Whether operations are recorded: one state for Values, Tensors and levels.

The native engine tests its state as a variable of C, so with that engine the state is its own.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import TYPE_CHECKING, Self

from .. import native

if TYPE_CHECKING or native.engine is None:
    from ..core.scopes import Scope, Scopes
else:
    Scope, Scopes = native.engine.Scope, native.engine.Scopes

__all__ = ["Scope", "Scopes", "enable_grad", "no_grad", "recording"]

recording: Scopes = Scopes() if native.engine is None else native.engine.recording
"""The open `no_grad` and `enable_grad` blocks; the innermost one of a thread decides.

Code that runs for every operation tests ``recording.blocks`` before ``recording.paused``, because
it takes 20 % of a forward pass in Python to find the blocks of this thread.
"""


class no_grad(ContextDecorator, Scope):  # noqa: N801  (PyTorch's name)
    """A context, or a decorator of functions, inside which this thread records nothing.

    See Also
    --------
    gradwalk.stop_gradient

    Examples
    --------
    >>> from gradwalk import Value, no_grad
    >>> x = Value(2.0)
    >>> with no_grad():
    ...     y = x * 3
    >>> y.data, y.operands
    (6.0, ())
    """

    kind = recording
    pauses = True

    if native.engine is None:  # the native engine refuses arguments itself, in a third of the time

        def __new__(cls) -> Self:
            """Return a scope, which takes no arguments."""
            return super().__new__(cls)

    def _recreate_cm(self) -> Self:
        """Return the scope of one call of a decorated function."""
        return type(self)()


class enable_grad(no_grad):  # noqa: N801
    """A context, or a decorator, that records even within `no_grad`, as transforms have to."""

    pauses = False
