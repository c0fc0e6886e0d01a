"""Views: arrays that show a part of another array, as in NumPy.

A write into a view is a write into its root, the array that it shows, and makes all views of the
root `stale`. A stale view is computed again at its next use, so it shows what was written.
Operations check nothing, so arrays that are not written to cost nothing.

The slot ``_alias`` of a root has a list: weak references to its views, and before them the length
at which dead ones are removed. The slot of a view has a `Link`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...causes.in_place_errors import name_of
from ...core.carrier import is_tensor
from ...core.primitive import Primitive
from ...engine.node import recording
from ...engine.observing import INTERCEPTORS
from ...errors import InPlaceError
from ...levels.level import Tracer
from ...ops.array.indexing import take, update
from ...ops.array.structure import flip, inverse, permute_dims, reshape
from .fast import applier, quick
from .tensor import Tensor

__all__ = ["is_contiguous", "link", "link_parts", "put_back", "root_of", "steps_of", "view"]
__all__ += ["writable_root"]

Link: TypeAlias = tuple[Any, Callable[..., Any], dict[str, Any], Any, bool]
"""Root, function and options that make the view, link of the view it was made from, frozen.

A frozen view was made of recorded numbers inside `no_grad`, so it has no gradient.
"""

PUT_BACK: dict[Any, Callable[..., Any]] = {
    take: lambda x, v, key: update(x, v, key=key),
    reshape: lambda x, v, shape: reshape(v, shape=x.shape),
    permute_dims: lambda x, v, axes: permute_dims(v, axes=inverse(axes)),
    flip: lambda x, v, axis: flip(v, axis=axis),
}
"""For each function that makes a view to write into: x with ``v`` in the place of its view.

Views that other functions make are read-only, as NumPy's are.
"""

_pruning = Lock()


def root_of(x: Any) -> Any:
    """Return the array that x is a view of, or x itself."""
    alias = x._alias
    return alias[0] if type(alias) is tuple else x


# --- making views ---------------------------------------------------------------------------------


def view(make: Any, x: Any, **options: Any) -> Any:
    """Return ``make(x, **options)``, a view of x if NumPy makes one of it.

    ``make`` is a linear primitive of one argument that keeps no residuals.
    """
    if type(x) is not Tensor or INTERCEPTORS:
        there = type(x) is Tensor._placed and not INTERCEPTORS
        y = applier(make, Tensor)((x,), options) if there else make(x, **options)
        shows = isinstance(x, Tensor) and _shows(y, x, options)
        return link(y, x, make, options) if shows else y
    raw = x._data
    y = quick(make, Tensor)(x, **options)
    base = y._data.base
    if base is not None and (base is raw or base is raw.base):
        _link(y, x, make, options, x._node is not None and y._node is None)
    return y


def link(y: Any, x: Any, make: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return ``y``, which is ``make(x, **options)``, as a view of x."""
    if not isinstance(x, Tensor):  # an array of the user
        return y
    y = y if isinstance(y, Tensor) else Tensor._of(y)
    _link(y, x, make, options, _is_frozen(x))
    return y


def link_parts(parts: tuple[Any, ...], x: Any, keys: Sequence[Any]) -> tuple[Any, ...]:
    """Return parts of x, which are at ``keys``, as views of x."""
    if not isinstance(x, Tensor):
        return parts
    root, above, family, frozen = _place(x, _is_frozen(x))
    if type(x) is not Tensor and not all(map(is_tensor, parts)):
        parts = tuple(map(Tensor._of, parts))
    for y, key in zip(parts, keys, strict=True):
        y._alias = (root, take, {"key": key}, above, frozen)
    family += map(ref, parts)
    if len(family) > family[0]:
        _prune(family)
    return parts


def _is_frozen(x: Any) -> bool:
    return recording.paused > 0 and (isinstance(x, Tracer) or x._node is not None)


def _place(x: Any, frozen: bool) -> tuple[Any, Any, list[Any], bool]:
    """Return root, link, views and freezing for a new view of x."""
    alias = x._alias
    if type(alias) is tuple:
        return alias[0], alias, alias[0]._alias, frozen or alias[4]
    if alias is None:
        x._alias = alias = [16]
    return x, None, alias, frozen


def _link(y: Any, x: Any, make: Any, options: dict[str, Any], frozen: bool) -> None:
    root, above, family, frozen = _place(x, frozen)
    y._alias = (root, make, options, above, frozen)
    family.append(ref(y))
    if len(family) > family[0]:
        _prune(family)


def _prune(alias: list[Any]) -> None:
    """Remove the weak references to dead views."""
    with _pruning:  # another thread may append meanwhile
        count = len(alias)
        alias[1:count] = [view for view in alias[1:count] if view() is not None]
        alias[0] = 2 * len(alias) + 16


def _shows(y: Any, x: Any, options: dict[str, Any]) -> bool:
    """Return whether NumPy makes ``y`` a view of the tracer ``x``."""
    if "key" in options:
        key = options["key"]
        basic = all(k is None or k is Ellipsis or type(k) in (int, slice) for k in key)
        return basic and (y.ndim > 0 or any(k is Ellipsis for k in key))
    try:
        _example(x).view().shape = options.get("shape", x.shape)
    except AttributeError:  # NumPy refuses it, because a reshaped array would be a copy
        return False
    return True


def is_contiguous(x: Any) -> bool:
    """Return whether the elements of x lie in memory row by row."""
    return bool(_example(x).flags.c_contiguous)


def _example(x: Any) -> Any:
    """Return an array laid out in memory as x is: as one example, if x is a batch of them."""
    array = _numbers(x)
    if not isinstance(array, np.ndarray):
        return _laid_out(x, array)
    outer = array.ndim - x.ndim
    if not outer:
        return array
    batches, steps = [*zip(array.shape[:outer], array.strides, strict=False)], array.strides[outer:]
    # other examples may lie between the elements of one, which has none of its own to read here
    strides = [s // math.prod(n for n, b in batches if 0 < b < abs(s)) for s in steps]
    return as_strided(np.empty((), array.dtype), x.shape, strides, writeable=False)


def _laid_out(x: Any, held: Any) -> Any:
    """Return what NumPy has in the place of an array of another library: a view of its root."""
    alias = x._alias
    shape = root_of(x).shape
    steps = [held.itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape))]
    array = as_strided(np.empty((), held.dtype), shape, steps, writeable=False)
    for _, make, options, *_ in links_of(alias if type(alias) is tuple else None):
        array = make(array, **options)
    return array


def _numbers(x: Any) -> Any:
    while isinstance(x, Tracer):
        x = x._primal
    return x._data if isinstance(x, Tensor) else x


def links_of(alias: Link | None) -> list[Link]:
    """Return the links from the root to a view."""
    found = []
    while alias is not None:
        found.append(alias)
        alias = alias[3]
    return found[::-1]


def steps_of(alias: Link) -> Iterator[Any]:
    """Return the root, and everything that is computed from it on the way to a view."""
    x = alias[0]
    yield x
    for _, make, options, *_ in links_of(alias):
        x = make(x, **options)
        yield x


# --- writing --------------------------------------------------------------------------------------


def put_back(alias: Link, v: Any) -> Any:
    """Return the root of a view with ``v`` in the place of the view."""
    *sources, _ = steps_of(alias)
    for (_, make, options, *_), x in zip(links_of(alias)[::-1], sources[::-1], strict=True):
        v = PUT_BACK[make](x, v, **options)
    if _numbers(v).strides == _numbers(sources[0]).strides:
        return v
    return update(sources[0], v, key=(...,))  # what is a view of it depends on its layout


def writable_root(x: Any, what: str) -> Any:
    """Return the array that a write into x changes. Raise `InPlaceError` for a read-only view."""
    alias = x._alias
    if type(alias) is not tuple:
        return x
    for _, make, *_, frozen in links_of(alias):
        if make not in PUT_BACK:
            raise _read_only(x, what, f"made by {_name(make)}, which is read-only")
        if frozen and not recording.paused:
            raise _read_only(x, what, "made inside no_grad, through which no gradient flows")
    return alias[0]


def _name(make: Any) -> str:
    return str(make.name if isinstance(make, Primitive) else make.__name__).removesuffix("1")


def _read_only(x: Any, what: str, why: str) -> InPlaceError:
    name, root = name_of(x), name_of(root_of(x))
    return InPlaceError(
        where=what,
        expected="an array, or a view that can be written into",
        got=f"{name}, a view {why}",
        fix=f"Write into {root}, or work on a copy: {name}.clone().",
    )
