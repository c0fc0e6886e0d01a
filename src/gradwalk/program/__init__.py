"""From a function to a program: trace it with `Var`, then print it in another language."""

from __future__ import annotations

from .printing.c import print_function
from .printing.var import Program, Var, trace

__all__ = ["Program", "Var", "print_function", "trace"]
