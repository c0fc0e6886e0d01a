"""Calls with the wrong arguments, reported under the names that users know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import inf
from typing import Any

from ..errors import OptionError, UsageError
from .expect import describe
from .ieee import NAMES

__all__ = ["arity", "checked_init", "expect_facts", "expect_function", "explain_call", "takes"]


def expect_function(f: object, where: str) -> None:
    """Raise `OptionError` for what cannot be called, such as the result of a call."""
    if not callable(f):
        raise OptionError(
            where=where if "(" in where else f"{where}(f)",
            expected="a function",
            got=describe(f),
            fix=f"Write {_FORMS.get(where, f'{where}(f)(x)')}, with f itself instead of f(x).",
        )


_FORMS = {
    "check_grads": "check_grads(f, (x,))",
    "check_gradients": "check_gradients(f, [x])",
    "checkpoint_chain": "checkpoint_chain([f], x)",
    "curve_fit": "curve_fit(f, xs, ys, p0)",
    "custom_rule": "custom_rule(f, vjp=rule)",
    "fixed_point": "fixed_point(f, x)",
    "implicit_function": "implicit_function(f, residual)",
    "implicit_function(residual)": "implicit_function(solve, f)",
    "jvp": "jvp(f, (x,), (tangent,))",
    "kinks": "kinks(f, x)",
    "linearize": "linearize(f, x)",
    "minimize": "minimize(f, x)",
    "scan": "scan(f, carry, xs)",
    "sparse_hessian": "sparse_hessian(f, x)",
    "sparse_jacobian": "sparse_jacobian(f, x)",
    "sparsity": "sparsity(f, x)",
    "taylor": "taylor(f, x, 3)",
    "vjp": "vjp(f, x)",
    "while_loop(cond)": "while_loop(f, body, x)",
    "while_loop(body)": "while_loop(cond, f, x)",
}
"""How functions are passed; the others return a function: ``grad(f)(x)``."""


def arity(f: Callable[..., object]) -> tuple[int, float]:
    """Return the smallest and the largest number of arguments of ``f``, as far as it is known."""
    from inspect import signature  # on demand, because it is slow to import

    try:
        parameters = signature(f).parameters.values()
    except (TypeError, ValueError):  # functions in C do not always have a signature
        return 0, inf
    needed = sum(p.default is p.empty and p.kind < 2 for p in parameters)
    varying = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
    return needed, inf if varying else len(parameters)


def takes(f: Callable[..., object], more: int, like: Callable[..., object]) -> bool:
    """Return whether ``f`` may take the arguments of ``like`` and so many more in front."""
    (low, high), (least, most) = arity(f), arity(like)
    return low <= more + most and more + least <= high


def explain_call(
    error: TypeError, f: Callable[..., object], where: str, form: str, args: Any, named: Any
) -> None:
    """Raise `UsageError` if ``error`` was raised by the call ``f(*args, **named)`` itself."""
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return  # raised inside f
    from inspect import signature

    parameters = signature(f).parameters.values()
    try:
        signature(f).bind(*args, **named)
    except TypeError as misfit:
        plain = ", ".join(str(p.replace(annotation=p.empty)) for p in parameters)
        needed = [p.name for p in parameters if p.default is p.empty and p.kind < 2]
        unknown = [f"{name}=" for name in named if name not in signature(f).parameters]
        raise UsageError(
            where=where,
            expected=f"the arguments ({plain})",
            got=", ".join(unknown) or str(misfit).replace("missing a required argument:", "no"),
            fix=f"Write {form}({', '.join(needed)}).",
        ) from None


def checked_init(init: Callable[..., None]) -> Callable[..., None]:
    """Return ``init``, with errors under the name of the class of the object."""

    @wraps(init)
    def __init__(self: Any, *args: Any, **named: Any) -> None:  # noqa: N807
        try:
            init(self, *args, **named)
        except TypeError as error:
            name = type(self).__name__
            explain_call(error, init.__get__(self), name, name, args, named)
            raise

    return __init__


def expect_facts(name: str, rules: Sequence[Any], params: str, forward: object) -> None:
    """Raise `OptionError` for a primitive with a missing rule or without an operation."""
    names = ", ".join(params.split())
    if len(rules) != len(params.split()):
        raise OptionError(
            where=f"pointwise({name!r})",
            expected=f"one rule for each argument ({params})",
            got=f"{len(rules)}",
            fix="Pass one rule per name in params=, and None for an argument without a derivative.",
        )
    wrong = next((rule for rule in rules if not _is_rule(rule, len(rules))), None)
    if wrong is not None:
        raise OptionError(
            where=f"pointwise({name!r})",
            expected=f"rules of (t, y, {names}), or None",
            got=describe(wrong),
            fix=f"Write lambda t, y, {names}: t * derivative.",
        )
    if not callable(forward) and (forward or name) not in NAMES:
        raise OptionError(
            where=f"pointwise({name!r})",
            expected="the operation itself",
            got=f"no forward, and no C function called {forward or name!r}",
            fix="Pass forward=lambda x: ..., written in functions of gradwalk and operators.",
        )


def _is_rule(rule: Any, arity: int) -> bool:
    # not by `arity`, because `inspect` would be loaded for the table
    code = getattr(rule, "__code__", None)  # of a plain function: without it, nothing is known
    if rule is None or code is None or code.co_flags & 0x04:  # *args
        return rule is None or callable(rule)
    most = int(code.co_argcount)
    return most - len(rule.__defaults__ or ()) <= 2 + arity <= most
