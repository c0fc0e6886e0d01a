"""Checks that rules and residuals take the arguments that they will be called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.calls import arity, takes
from ...errors import UsageError

__all__ = ["expect_residual", "expect_rule_arguments"]


def expect_rule_arguments(f: Callable[..., Any], vjp: Any, jvp: Any) -> None:
    """Raise `UsageError` for a rule that cannot be called with t, y and the arguments of f."""
    count = max(1, arity(f)[0])
    names = ", ".join(["t", "y", *(f"x{i}" for i in range(count))]) if count > 1 else "t, y, x"
    for mode, rule in (("vjp", vjp), ("jvp", jvp)):
        if rule is not None and not takes(rule, 2, f):
            raise UsageError(
                where=f"custom_rule({mode}=...)",
                expected=f"a function of t, the result y and the arguments: ({names})",
                got=f"one of {arity(rule)[0]} arguments",
                fix=f"Write {mode}=lambda {names}: ..., also for arguments that it does not use.",
            )


def expect_residual(solve: Callable[..., Any], residual: Callable[..., Any]) -> None:
    """Raise `UsageError` for a residual without the argument x, before it is needed."""
    if not takes(residual, 1, solve):
        raise UsageError(
            where="implicit_function(solve, residual)",
            expected="a residual of x and all arguments of solve",
            got=f"a solve of {arity(solve)[0]} arguments, and a residual of {arity(residual)[0]}",
            fix="Pass them in the other order: implicit_function(solve, residual)."
            if takes(solve, 1, residual)
            else "Write residual=lambda x, *args: ..., with x in front of the arguments of solve.",
        )
