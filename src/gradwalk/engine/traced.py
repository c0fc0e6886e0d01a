"""Which Values and Tensors depend on the inputs of a running transform.

The outermost transform computes with ordinary Values and Tensors. A copy without their graph would
lose the gradient silently, so copying and pickling ask here first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ..errors import OptionError

__all__ = ["call_traced", "is_traced", "running_inputs", "unpicklable"]

T = TypeVar("T")

running_inputs: dict[int, Sequence[object]] = {}
"""The leaves that functions are being differentiated by, of all threads: lists, by their ids."""


def call_traced(leaves: Sequence[object], f: Callable[..., T], *args: object) -> T:
    """Return ``f(*args)``. Meanwhile ``leaves``, and what depends on them, count as traced."""
    key = id(leaves)  # computed before: signals come after a call, and would leave the entry behind
    running_inputs[key] = leaves
    try:
        return f(*args)
    finally:
        del running_inputs[key]


def is_traced(leaves: Iterable[object]) -> bool:
    """Return whether a running transform differentiates by one of ``leaves``."""
    known = {id(leaf) for several in list(running_inputs.values()) for leaf in several}
    return any(id(leaf) in known for leaf in leaves)


def unpicklable(x: object) -> OptionError:
    """Return the error for pickling a value that a running transform differentiates."""
    return OptionError(
        where="pickling",
        expected="values outside transforms",
        got=f"{x!r}, whose derivative would be lost silently",
        fix="Pickle x.detach() for the numbers alone, or return x from the function.",
    )
