"""Writing into the array of a Tensor: allowed if nothing depends on the elements overwritten.

`writable_view` returns the value of ``t.data``. An array without other references, by its reference
count, is returned unchanged. If a graph, for example, refers to it too, ``t.data`` is a `Guarded`
window. A window reads like the array. Before a write it searches for nodes and Tensors that need
the old elements. The window of a view is only read, because its root would not notice a write. An
array that shows other memory without being a view is copied first.

Limits. An array that was returned before an operation used it stays writable: after
``d = t.data; y = t * t`` a write to ``d`` goes unnoticed. Write to ``t.data`` instead. References
are found among the objects that Python's garbage collector tracks; `gc.freeze` hides objects from
it. Reference counts are CPython's. Where they mean something else, every array is guarded, which is
slower and equally correct.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from sys import getrefcount
from typing import Any

import numpy as np

from ...causes.in_place_errors import forbid_overwrite, forbid_view
from ...core.leaked import Leaked
from ...levels.level import Tracer
from .node import Node
from .properties import Facts
from .types import Array

__all__ = ["Guarded", "writable_view", "is_owned"]


class Guarded(np.ndarray[Any, Any]):
    """A window on the array of a Tensor that checks every write.

    Arrays computed from it are plain. Views of it (``t.data[0]``) are guarded, too.
    """

    _tensor: Any = None

    def __array_finalize__(self, source: object) -> None:
        self._tensor = getattr(source, "_tensor", None)

    def _open(self) -> np.ndarray[Any, Any]:
        """Return the plain array to write into. Raise `InPlaceError` if its elements are needed."""
        plain = self.view(np.ndarray)
        if not self.flags.writeable:  # a writable one is a copy with its own memory
            forbid_view(self._tensor)
            forbid_overwrite(self._tensor, holders(self._tensor, plain))
            plain.flags.writeable = True
        return plain

    def __setitem__(self, key: Any, value: object) -> None:
        self._open()[key] = value

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: Any, *inputs: Any, out: Any = None, **options: Any
    ) -> Any:
        if method == "at":
            inputs = (_open(inputs[0]), *inputs[1:])  # np.add.at writes into its first argument
        if out is not None:
            options["out"] = tuple(map(_open, out))
        result = getattr(ufunc, method)(*map(_plain, inputs), **options)
        # NumPy returns the caller's own `out`, not the plain view that was written into
        return result if out is None else out[0] if len(out) == 1 else out

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function in WRITERS:  # these write into their first argument
            args = (_open(args[0]), *args[1:])
        if options.get("out") is not None:
            options = {**options, "out": _open(options["out"])}
        return _own(super().__array_function__(function, types, args, options))

    def __getitem__(self, key: Any) -> Any:
        return _own(super().__getitem__(key))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.view(np.ndarray).__reduce_ex__(protocol)  # the Tensor and its graph stay behind

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def _reader(name: str) -> Callable[..., Any]:

    def read(self: Guarded, *args: Any, **options: Any) -> Any:
        """Return a new array, which is plain."""
        return getattr(self.view(np.ndarray), name)(*args, **options)

    return read


def _writer(name: str) -> Callable[..., Any]:

    def write(self: Guarded, *args: Any, **options: Any) -> Any:
        """Call NumPy's method. Raise `InPlaceError` if the elements that it overwrites are
        needed.
        """
        return getattr(self._open(), name)(*args, **options)

    return write


# NumPy keeps the subclass in these, and the copy would still refer to the Tensor
for _name in ("astype", "copy", "flatten", "repeat", "take"):
    setattr(Guarded, _name, _reader(_name))
# methods in C: the read-only flag of the window would stop them before anything is checked
for _name in ("fill", "partition", "put", "sort"):
    setattr(Guarded, _name, _writer(_name))

WRITERS: set[Callable[..., Any]] = {
    np.copyto,
    np.fill_diagonal,
    np.place,
    np.put,
    np.put_along_axis,
    np.putmask,
}


def _plain(x: Any) -> Any:
    return x.view(np.ndarray) if isinstance(x, Guarded) else x


def _open(x: object) -> Any:
    return x._open() if isinstance(x, Guarded) else x


def _own(x: object) -> Any:
    """Return a plain array, unless ``x`` is still a window on the Tensor."""
    return x.view(np.ndarray) if isinstance(x, Guarded) and x.flags.writeable else x


# --- references to an array -----------------------------------------------------------------------


def holders(tensor: object, array: Array) -> Iterator[Any]:
    """Return the nodes and the other Tensors that refer to the memory of ``array``."""
    # an array has no list of its users; only a write into a guarded array pays for the search
    for thing in gc.get_objects():
        kind = type(thing)  # isinstance would read __class__, which is code in proxies
        if not issubclass(kind, (Node, Facts)) or issubclass(kind, Leaked) or thing is tensor:
            continue
        needed = thing.saved if issubclass(kind, Node) else (_array_in(thing),)
        if any(np.may_share_memory(array, a) for a in _arrays(needed)):
            yield thing


def _array_in(tensor: object) -> Any:
    """Return the array in the slot of a Tensor, or of a tracer (whose ``_data`` is no slot)."""
    slot = "_primal" if issubclass(type(tensor), Tracer) else "_data"
    try:
        return object.__getattribute__(tensor, slot)
    except AttributeError:  # of a stale view, which would be computed again by any other access
        return None


def _arrays(needed: Any) -> Iterator[Any]:
    for a in needed or ():
        if isinstance(a, np.ndarray):
            yield a
        elif type(a) is tuple:  # several results of one operation
            yield from _arrays(a)


_alone = 0  # the reference count that `is_owned` sees if only the Tensor refers to its array


def is_owned(tensor: Any, views: Sequence[Any] = ()) -> bool:
    """Return whether only ``tensor`` and ``views`` refer to its array, and show its memory."""
    array = tensor._data
    alone = getrefcount(array) <= _alone + len(views) and array.base is None
    return alone and all(_owned_part(view, tensor) for view in views)


def _owned_part(view: Any, tensor: Any) -> bool:
    array = view._data
    return getrefcount(array) <= _alone and array.base is tensor._data


def writable_view(tensor: Any) -> Any:
    """Return the array of ``tensor``, guarded if there are other references to it."""
    if tensor._alias is not None:
        if tensor._node is None or tensor._node._primitive is None:  # views show what is written
            tensor._expire_views()
    elif tensor._data.base is not None:  # it would show the memory of another array
        tensor._data = tensor._data.copy()
    if is_owned(tensor):
        return tensor._data
    window = tensor._data.view(Guarded)
    window._tensor = tensor
    window.flags.writeable = False  # NumPy itself refuses writes that bypass `Guarded`
    return window


class _Alone:
    def __init__(self) -> None:
        self._data = np.zeros(1)


def _calibrate() -> int:
    """Return the reference count of an array that only its Tensor refers to."""
    global _alone
    probe = _Alone()  # measured, because the count depends on the version of Python
    while not is_owned(probe) and _alone < 8:
        _alone += 1
    return _alone


_calibrate()
