"""Keys of arguments: what a recorded program depends on beside numbers."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from ..core.carrier import is_tensor
from ..core.pytree import containers, no_parts
from .outside.kinds import is_atom
from .outside.steps import same_atom

__all__ = ["Signing"]


class Signing:
    """Makes keys of arguments, and collects the objects in them that keys say nothing about.

    >>> one, other = Signing().of([1.0, {"a": 2.0}]), Signing().of([3.0, {"a": 4.0}])
    >>> one == other
    True
    >>> Signing().of([1.0, "mean"]) == Signing().of([1.0, "sum"])
    False
    """

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.classes: list[type] = []

    def of(self, x: Any, numbers: bool = False) -> Any:
        """Return the key of an argument. With ``numbers`` they count as well."""
        container = containers[type(x)]
        if container is None:
            if hasattr(type(x), "dtype") and hasattr(type(x), "shape") and not isinstance(x, float):
                return _of_array(x, numbers)
            is_number = isinstance(x, (float, int)) and not isinstance(x, bool)
            return float if is_number and not numbers else self._of_object(x)
        keys, values, rebuild = container.parts_of(x)
        if container.parts_of is no_parts:  # text, None, functions
            return self._of_object(x)
        metadata: Any = rebuild.args[0] if isinstance(rebuild, partial) else None
        if hasattr(metadata, "module"):
            metadata = self._of_object(metadata.module)
        elif metadata is not None:
            metadata = self.of(metadata, numbers=True)
        if type(x) not in PLAIN:
            self.classes.append(type(x))
        names = (
            tuple(keys)
            if type(x) is not dict or _STR.issuperset(map(type, keys))
            else [self._of_object(key) for key in keys]
        )
        return (type(x), names, metadata, *[self.of(v, numbers) for v in values])

    def _of_object(self, x: object) -> Any:
        if is_atom(x):
            return Same(x)
        self.objects.append(x)
        return type(x)


PLAIN = frozenset((list, tuple, dict))
_STR = frozenset((str,))


def _of_array(x: Any, numbers: bool) -> Any:
    kind = "Tensor" if is_tensor(x) else "array"
    plain = x._data if is_tensor(x) else held_of(x) if is_of_library(x) else x
    place = getattr(plain, "place", None)
    there = plain.numpy() if numbers and place is not None else plain
    return (kind, place, plain.shape, plain.dtype, there.tobytes() if numbers else None)


def is_of_library(x: object) -> bool:
    """Return whether an object is an array of another library, in no Tensor."""
    kind = type(x)
    if not hasattr(kind, "__dlpack__") or hasattr(kind, "_is_tensor"):
        return False
    if str(kind.__module__).partition(".")[0] == "numpy":
        return False
    return import_module("..libraries.places", __package__).is_foreign(x)  # type: ignore[no-any-return]


def held_of(x: object) -> Any:
    """Return an array of another library as Tensors hold it."""
    return import_module("..libraries", __package__).array_of(x)


class Same:
    """Part of a key: equal to a constant of the same type with the same bits."""

    __slots__ = ("x",)
    x: object

    def __init__(self, x: object) -> None:
        self.x = x

    def __hash__(self) -> int:
        return hash(self.x) if type(self.x) in (str, int, bool, type(None)) else hash(type(self.x))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and same_atom(self.x, other.x)
