"""Signatures of arguments: what a recorded program depends on beside numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

from .carrier import is_tensor
from .pytree import containers, no_parts

__all__ = ["Same", "signature"]


def signature(x: object, numbers: bool = False) -> Any:
    """Return what a program of ``x`` depends on beside its numbers, for a key of a dictionary.

    With ``numbers`` they count as well.

    >>> signature([1.0, {"a": 2.0}]) == signature([3.0, {"a": 4.0}])
    True
    >>> signature([1.0, "mean"]) == signature([1.0, "sum"])
    False
    """
    container = containers[type(x)]
    if container is None:
        if hasattr(x, "dtype") and hasattr(x, "shape") and not isinstance(x, float):
            return _of_array(x, numbers)
        is_number = isinstance(x, (float, int)) and not isinstance(x, bool)
        return float if is_number and not numbers else Same(x)
    keys, values, rebuild = container.parts_of(x)
    if container.parts_of is no_parts:  # text, None, functions
        return Same(x)
    metadata: Any = rebuild.args[0] if isinstance(rebuild, partial) else None
    metadata = Same(metadata.snapshot() if hasattr(metadata, "snapshot") else metadata)
    return (type(x), tuple(keys), metadata, *[signature(v, numbers) for v in values])


def _of_array(x: Any, numbers: bool) -> Any:
    kind = "Tensor" if is_tensor(x) else "array"
    plain = x._data if is_tensor(x) else x
    return (kind, plain.shape, plain.dtype, plain.tobytes() if numbers else None)


class Same:
    """Part of a key: equal to what has the same type and is equal."""

    x: Any

    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x

    def __hash__(self) -> int:
        return hash(type(self.x))  # what is compared need not be hashable

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Same) or type(self.x) is not type(other.x):
            return False
        return self.x is other.x or (self.x == other.x) is True
