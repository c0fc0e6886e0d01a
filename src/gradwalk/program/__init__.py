"""From a function to a program: trace it with `Var`, then print it in another language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .printing.c import print_function
from .printing.var import Var, trace
from .program import Program, provide

__all__ = ["Program", "Var", "print_function", "trace"]


def _pullback() -> Callable[[Program, Sequence[Any]], Program]:
    from .pullback import pullback

    return pullback


provide(_pullback)
