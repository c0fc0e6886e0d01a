"""Operations of a framework as black boxes: its own numbers, and its own VJP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..transforms.custom.rules import custom_rule

__all__ = ["opaque"]


def opaque(
    name: str, f: Callable[..., Any], vjp: Callable[..., Any], xs: Sequence[Any]
) -> list[Any]:
    """Return the results of an operation that gradwalk does not see into, as a list.

    Parameters
    ----------
    name
        The framework's name of the operation.
    f
        The operation on arrays of NumPy. It returns an array, or a tuple of arrays.
    vjp
        Its rule on arrays of NumPy: ``vjp(t, y, *xs)`` returns the cotangents of ``xs`` as a
        sequence, with ``None`` for those without a derivative. With several results ``t`` and ``y``
        are tuples.
    xs
        The floating operands, Tensors or arrays.

    Returns
    -------
    a list of Tensors
        One for each result.
    """

    def rule(t: Any, y: Any, *args: Any) -> Any:
        found = tuple(vjp(t, y, *args))
        return found if len(args) > 1 else found[0]

    result = custom_rule(f, vjp=rule, name=name, check=False)(*xs)
    return list(result) if isinstance(result, (tuple, list)) else [result]
