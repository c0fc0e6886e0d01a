"""A copy of the state of a program's objects, so that an experiment on them can be undone.

A snapshot is taken of all that can be reached from some objects: through attributes, containers,
and what functions refer to. Arrays, gradients, counters and generators get their bits back.
"""

from __future__ import annotations

import random
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from ..core.carrier import is_tensor
from ..engine.value import Value

__all__ = ["reached", "undone"]

Undo = Callable[[], object]
MOST = 200_000
"""Objects that are looked at. What lies further away is no part of a training."""

ATOMS = (int, float, complex, str, bytes, bool, type(None), type, ModuleType, BuiltinFunctionType)


@contextmanager
def undone(*roots: Any) -> Iterator[list[Any]]:
    """Undo what the block changes of the objects that ``roots`` reach, which it yields.

    The global generators of Python, NumPy and PyTorch are among them.
    """
    found = reached(roots)
    undo = [*map(_undo_of, found), *_generators()]
    try:
        yield found
    finally:
        for again in reversed(undo):
            if again is not None:
                again()


def reached(roots: Iterable[Any]) -> list[Any]:
    """Return the objects with a state that can be reached from ``roots``, nearest first."""
    seen: dict[int, Any] = {}
    rest = deque(roots)
    while rest and len(seen) < MOST:
        x = rest.popleft()
        if isinstance(x, ATOMS) or id(x) in seen:
            continue
        seen[id(x)] = x
        rest.extend(_parts(x))
    return [*seen.values()]


def _parts(x: Any) -> Iterator[Any]:
    """Yield what an object refers to, as far as an experiment can change it."""
    if isinstance(x, dict):
        yield from x.values()
    elif isinstance(x, (list, tuple, set, frozenset, deque)):
        yield from x
    elif isinstance(x, FunctionType):
        yield from _names(x)
    elif isinstance(x, MethodType):
        yield from (x.__self__, x.__func__)
    elif isinstance(x, partial):
        yield from (x.func, x.args, x.keywords)
    elif isinstance(x, Value) or is_tensor(x) or _is_foreign(x) or hasattr(x, "dtype"):
        yield from ()
    elif not _is_of_python(x):
        yield from getattr(x, "__dict__", {}).values()
        for kind in type(x).__mro__:
            names = kind.__dict__.get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                yield getattr(x, name, None)


def _names(f: Any) -> Iterator[Any]:
    """Yield what the variables of a function hold: closure, defaults, and globals that it names."""
    for cell in f.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not yet assigned
            continue
    yield f.__defaults__
    yield f.__kwdefaults__
    if not f.__module__ or not f.__module__.startswith(("gradwalk.", "numpy", "torch")):
        codes = [f.__code__]
        for code in codes:
            codes += [c for c in code.co_consts if hasattr(c, "co_names")]
        for name in {name for code in codes for name in code.co_names}:
            yield f.__globals__.get(name)


def _is_of_python(x: Any) -> bool:
    """Return whether a class belongs to Python: files, threads, locks, frames, generators."""
    home = str(type(x).__module__).partition(".")[0]  # some classes have a slot of this name
    return home in sys.stdlib_module_names or home == "numpy"


def _is_foreign(x: Any) -> bool:
    """Return whether ``x`` is a tensor of PyTorch."""
    return hasattr(x, "copy_") and hasattr(x, "requires_grad_") and hasattr(x, "untyped_storage")


def _undo_of(x: Any) -> Undo | None:
    """Return what gives an object its present state back; ``None`` if it has none."""
    if isinstance(x, Value):
        return _undo_value(x)
    if is_tensor(x):
        return _undo_tensor(x)
    if _is_foreign(x):
        return _undo_foreign(x)
    if isinstance(x, dict):
        return _undo_dict(x, dict(x))
    if isinstance(x, (list, deque)):
        return _undo_items(x, list(x))
    if isinstance(x, set):
        return _undo_set(x, set(x))
    if isinstance(x, array):
        return partial(x.__setitem__, slice(None), x[:])
    if isinstance(x, random.Random):
        return partial(x.setstate, x.getstate())
    if hasattr(x, "bit_generator"):
        return partial(setattr, x.bit_generator, "state", x.bit_generator.state)
    if type(x).__name__ == "RandomState" and hasattr(x, "get_state"):
        return partial(x.set_state, x.get_state())
    if hasattr(x, "dtype") and hasattr(x, "flags"):
        return _undo_array(x)
    own = getattr(x, "__dict__", None)
    if isinstance(own, dict) and not isinstance(x, FunctionType) and not _is_of_python(x):
        return _undo_dict(own, dict(own))
    return None


def _undo_value(x: Any) -> Undo | None:
    if x.op:
        return None
    data, grad = x.data, x.grad

    def undo() -> None:
        if x.data is not data:
            x.data = data
        x.grad = grad

    return undo


def _undo_tensor(x: Any) -> Undo:
    kept, node, alias = x._data, x._node, x._alias
    bits = _undo_array(kept)
    gradient = None if node is None or node._inputs else node.grad
    of_gradient = _undo_array(gradient) if gradient is not None else None

    def undo() -> None:
        if bits is not None:
            bits()
        if x._data is not kept:
            x._data = kept
            x._expire_views()
        x._node, x._alias = node, alias
        if node is not None and not node._inputs:
            if of_gradient is not None:
                of_gradient()
            node.grad = gradient

    return undo


def _undo_array(x: Any) -> Undo | None:
    if not hasattr(x, "flags") or x.dtype.hasobject:
        return None
    writeable, kept = x.flags.writeable, x.copy()

    def undo() -> None:
        if (x.tobytes() == kept.tobytes()) and x.flags.writeable == writeable:
            return
        x.flags.writeable = True
        x[...] = kept
        x.flags.writeable = writeable

    return undo


def _undo_foreign(x: Any) -> Undo:
    kept, gradient, needs = x.detach().clone(), x.grad if x.is_leaf else None, x.requires_grad
    of_gradient = None if gradient is None else gradient.detach().clone()

    def undo() -> None:
        x.data.copy_(kept)
        if x.is_leaf:
            x.requires_grad_(needs)
            x.grad = gradient
            if gradient is not None:
                gradient.data.copy_(of_gradient)

    return undo


def _undo_dict(x: Any, kept: dict[Any, Any]) -> Undo:
    def undo() -> None:
        same = len(x) == len(kept) and all(map(_is, x.items(), kept.items()))
        if not same:
            x.clear()
            x.update(kept)

    return undo


def _is(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    return one[0] is other[0] and one[1] is other[1]


def _undo_items(x: Any, kept: list[Any]) -> Undo:
    def undo() -> None:
        if len(x) != len(kept) or any(a is not b for a, b in zip(x, kept, strict=True)):
            x.clear()
            x.extend(kept)

    return undo


def _undo_set(x: Any, kept: set[Any]) -> Undo:
    def undo() -> None:
        if x != kept:
            x.clear()
            x.update(kept)

    return undo


def _generators() -> list[Undo]:
    """Return what gives the global generators their states back."""
    undo: list[Undo] = [partial(random.setstate, random.getstate())]
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        undo.append(partial(numpy.random.set_state, numpy.random.get_state()))
    if torch is not None:
        undo.append(partial(torch.set_rng_state, torch.get_rng_state()))
    return undo
