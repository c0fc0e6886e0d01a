"""A call of a compiled function: what is read from its arguments, and what depends on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.carrier import Carrier, is_tensor
from ..core.expect import describe, index_of, is_array
from ..core.pytree import PyTree, flatten, whole
from ..engine.node import recording
from ..errors import NotANumberError, OptionError
from ..levels.level import Tracer
from .signing import Signing, held_of, is_of_library

__all__ = ["Call", "Static", "is_input", "is_integer", "quick_call"]


class Static(NamedTuple):
    """The arguments that are no inputs: their positions, and their names where they are named.

    ``ends``  the positions that are counted from the end, of a function that takes any number
    """

    positions: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()

    @classmethod
    def of(cls, f: Callable[..., Any], argnums: object) -> Static:
        """Return what ``static_argnums`` selects of the parameters of a function."""
        several = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
        places = [None if isinstance(i, bool) else index_of(i) for i in several]
        names = _positional(f)
        known = [i for i in places if i is not None]
        count = len(known) if names is None else len(names)
        if len(known) < len(places) or (names is not None and any(_out(i, count) for i in known)):
            raise OptionError(
                where="compile(static_argnums)",
                expected="positions of arguments"
                + ("" if names is None else f", from {-count} to {count - 1}"),
                got=describe(argnums),
                fix="Count from 0 at the first argument, or from -1 at the last.",
            )
        if names is None:
            return cls(tuple(i for i in known if i >= 0), (), tuple(i for i in known if i < 0))
        chosen = [i % count for i in known]
        return cls(tuple(chosen), tuple(names[i] for i in chosen))

    def among(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[Any, Any]:
        """Return the static arguments of a call, by position or name."""
        places = [i for i in self.positions if i < len(args)]
        places += [len(args) + i for i in self.ends if len(args) + i >= 0]
        return {i: args[i] for i in places} | {k: named[k] for k in self.names if k in named}


def _out(i: int, count: int) -> bool:
    return not -count <= i < count


def _positional(f: Callable[..., Any]) -> list[str] | None:
    """Return the names of the positional arguments; ``None`` if there may be any number."""
    from inspect import Parameter, signature  # not when gradwalk is imported: it takes 5 ms

    try:
        parameters = signature(f).parameters.values()
    except (TypeError, ValueError):  # of functions in C
        return None
    if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
        return None
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds]


class Call:
    """The arguments of a call, taken apart.

    ``numbers``  the inputs of the program: numbers, and arrays of NumPy
    ``static``   the arguments that are no inputs, by position or name
    ``key``      what a version depends on, beside what is in the objects
    ``objects``  arguments that are neither numbers nor constants, and modules
    ``classes``  those of the containers
    ``tensors``  whether Tensors are among the arguments, and so among the results
    """

    __slots__ = ("classes", "key", "leaves", "numbers", "objects", "static", "structure", "tensors",
                 "trains")  # fmt: skip
    trains: bool  # whether Modules stay what they are
    classes: Sequence[type]
    key: Any
    leaves: list[Any]
    numbers: list[Any]
    objects: Sequence[Any]
    static: dict[Any, Any]
    structure: PyTree
    tensors: bool

    def __init__(
        self, leaves: list[Any], structure: PyTree, given: Any, static: dict[Any, Any]
    ) -> None:
        self.leaves, self.structure, self.static = leaves, structure, static
        signing = Signing()
        signed = signing.of(given)
        self.tensors = any(map(is_tensor, leaves))
        arrays = self.tensors or any(is_array(x) or is_of_library(x) for x in leaves)
        self.numbers = [_input(x, arrays) for x in leaves if is_input(x)]
        same = [signing.of(x, numbers=True) for x in static.values()]
        self.objects, self.classes = signing.objects, signing.classes
        kinds = tuple(map(type, self.numbers)) if arrays else ()
        ints = tuple([i for i, x in enumerate(leaves) if is_integer(x)])
        self.key = (tuple(static), *same, signed, kinds, ints)

    @classmethod
    def of(
        cls, static: Static, args: Any, named: dict[str, Any], trains: bool = False
    ) -> Call | None:
        """Return the call, or ``None`` if f itself runs: arguments belong to a graph.

        ``trains``: Modules stay what they are, because f writes into them.
        """
        token = whole.set(trains)
        try:
            found = cls._of(static, args, named)
        finally:
            whole.reset(token)
        if found is not None:
            found.trains = trains
        return found

    @classmethod
    def _of(cls, static: Static, args: Any, named: dict[str, Any]) -> Call | None:
        chosen = static.among(args, named)
        rest = {k: None if k in chosen else x for k, x in named.items()}
        given = ([None if i in chosen else x for i, x in enumerate(args)], rest)
        leaves, structure = flatten(given)
        if any(map(_is_recorded, leaves)):
            return None
        return cls(leaves, structure, given, chosen)

    def is_of_floats(self) -> bool:
        """Return whether the arguments are floats, side by side."""
        flat = len(self.leaves) == len(self.structure.children[0].children)
        return flat and set(map(type, self.leaves)) == _FLOATS


_FLOATS = {float}


class UnusualError(Exception):
    """A leaf or a container that `quick_call` leaves to `Call`."""


def quick_call(args: tuple[Any, ...]) -> tuple[Any, list[Any]] | None:
    """Return a key and the numbers of arguments that are arrays and numbers in plain containers.

    It takes a fourth of the time of `Call`; ``None`` for other arguments.
    """
    numbers: list[Any] = []
    try:
        return _quick(args, numbers), numbers
    except UnusualError:
        return None


def _quick(x: Any, numbers: list[Any]) -> Any:
    kind = type(x)
    if kind is tuple or kind is list:
        return (kind, *[_quick(part, numbers) for part in x])
    if kind is dict:
        return (kind, tuple(x), *[_quick(part, numbers) for part in x.values()])
    if kind is float or kind is int:
        numbers.append(x)
        return kind
    if kind.__name__ != "ndarray" or kind.__module__ != "numpy":
        raise UnusualError
    numbers.append(x)
    return (x.shape, x.dtype)


def is_input(x: Any) -> bool:
    """Return whether a leaf is an input of the program. The others belong to the key."""
    if isinstance(x, (float, int)):
        return not isinstance(x, bool)
    kind = type(x)  # an object may have any attribute
    if is_tensor(x) or (hasattr(kind, "dtype") and hasattr(kind, "strides")):
        return True
    return is_of_library(x)


def is_integer(x: object) -> bool:
    """Return whether a leaf is an int of Python."""
    return isinstance(x, int) and not isinstance(x, bool)


def _input(x: Any, arrays: bool) -> Any:
    """Return a leaf as the program reads it; among arrays, numbers of NumPy have a dtype."""
    if is_tensor(x):
        return x._data  # of NumPy, or of another library
    if is_of_library(x):
        return held_of(x)
    if isinstance(x, (float, int)) and not (arrays and hasattr(x, "dtype")):
        return x if arrays else float(x)
    import numpy as np  # here, because programs of floats never load it

    if x.dtype.kind not in "biuf":
        raise NotANumberError(
            where="compile(f)",
            expected="arrays of real numbers, integers or bools",
            got=describe(x),
            fix="Name its position in static_argnums, or convert it first.",
        )
    return np.asarray(x)


def _is_recorded(x: Any) -> bool:
    """Return whether operations on ``x`` are recorded in a graph, or by a transform.

    Arrays of subclasses count as such, a masked one for instance, whose operators are their own.
    """
    if not isinstance(x, Carrier):
        return _is_of_subclass(x)
    if not is_tensor(x) or isinstance(x, Tracer):
        return True
    return bool(x.requires_grad and not recording.paused)  # type: ignore[attr-defined]


def _is_of_subclass(x: Any) -> bool:
    kind = type(x)
    if kind is float or not hasattr(kind, "strides") or kind.__name__ == "ndarray":
        return False
    return "ndarray" in [base.__name__ for base in kind.__mro__]
