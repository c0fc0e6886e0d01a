"""Views: arrays that show a part of another array, as in NumPy.

What is written into a view is written into its root, the array that it shows. A write makes all
other views of the root `Stale`. A stale view has no array. At its next use it is computed again
from the root, so it shows what was written. Nothing is checked on the way: an operation on a Tensor
that is no view, or whose root was not written to, costs what it did.

``_alias`` of a root is the list of weak references to its views, after the length at which dead
ones are removed. Of a view it is a `Link`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import Any, TypeAlias
from weakref import ref

import numpy as np

from ...core.carrier import is_tensor
from ...core.primitive import Primitive
from ...engine.node import recording
from ...engine.value import enable_grad, no_grad
from ...errors import InPlaceError
from ...levels.level import Tracer
from ...ops.array.indexing import take, update
from ...ops.array.structure import flip, inverse, permute_dims, reshape
from .convert import REFUSALS, refuse
from .fast import line_of_user
from .in_place_errors import name_of
from .leaks import LeakedTensor
from .node import Node
from .tensor import Tensor

__all__ = ["Stale", "expire_views", "is_contiguous", "link", "link_parts", "put_back", "refresh"]
__all__ += ["root_of", "view", "views_of", "watch_dunders", "writable_root"]

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

_ndarray, _new, _new_node = np.ndarray, Tensor.__new__, Node.__new__
_pruning = Lock()
_SLOTS = ("_alias", "_data", "_node", "_label")
_ALIAS, _DATA, _NODE, _LABEL = (vars(Tensor)[slot] for slot in _SLOTS)


def root_of(x: Any) -> Any:
    """Return the array that x is a view of, or x itself."""
    alias = x._alias
    return alias[0] if type(alias) is tuple else x


# --- making views ---------------------------------------------------------------------------------


def view(make: Any, x: Any, **options: Any) -> Any:
    """Return ``make(x, **options)``, a view of x if NumPy makes one of it.

    ``make`` is a linear primitive of one argument that keeps no residuals.
    """
    if type(x) is not Tensor:
        y = make(x, **options)
        return link(y, x, make, options) if _shows(y, x, options) else y
    raw, parent = x._data, x._node
    try:
        data = make.forward(raw, **options)
    except REFUSALS as error:
        refuse(make, (raw,), error)
    if type(data) is not _ndarray:  # an element: NumPy copies it
        data = np.asarray(data)
    y = _new(Tensor)
    y._data, y._node = data, None
    frozen = False
    if parent is not None:
        frozen = recording.threads > 0 and recording.paused > 0
        if not frozen:
            y._node = node = _new_node(Node)
            node._primitive, node._inputs, node.shape, node.dtype = (
                make,
                (parent,),
                data.shape,
                data.dtype,
            )
            node.saved, node.grad, node.options = (None, parent), None, options
            node.line = line_of_user()
    base = data.base
    if base is not None and (base is raw or base is raw.base):
        _link(y, x, make, options, frozen)
    else:
        y._alias = None
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
    key = options.get("key")
    if key is None:
        return isinstance(x, Tensor) and _share(_numbers(y), _numbers(x))
    basic = all(k is None or k is Ellipsis or type(k) in (int, slice) for k in key)
    return basic and (y.ndim > 0 or any(k is Ellipsis for k in key))


def is_contiguous(x: Any) -> bool:
    """Return whether the elements of x lie in memory row by row."""
    array = _numbers(x)
    return not array.size or array[(0,) * (array.ndim - x.ndim)].flags.c_contiguous


def _numbers(x: Any) -> Any:
    while isinstance(x, Tracer):
        x = x._primal
    return x._data if isinstance(x, Tensor) else x


def _share(y: Any, x: Any) -> bool:
    return y.base is not None and (y.base is x or y.base is x.base)


# --- reading views --------------------------------------------------------------------------------


class Stale(Tensor):
    """A view whose root was written to. Its first use makes it a Tensor or a tracer again."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __getattribute__(self, name: str) -> Any:
        if name == "_alias":
            return object.__getattribute__(self, name)
        return getattr(refresh(self), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(refresh(self), name, value)


_WITHOUT_ARRAY = (type(None), Stale, LeakedTensor)


def refresh(view: Any) -> Any:
    """Compute a stale view again from its root, and return it."""
    alias = view._alias
    with no_grad() if alias[4] else enable_grad(), _open(alias[0]):
        *_, y = _steps(alias)
    y = y if isinstance(y, Tensor) else Tensor._of(y)
    label = _LABEL.__get__(view)
    _DATA.__set__(view, _DATA.__get__(y))
    _NODE.__set__(view, _NODE.__get__(y))
    if isinstance(y, Tracer):
        _LABEL.__set__(view, y._payload)
    object.__setattr__(view, "__class__", type(y))
    if label and not isinstance(y, Tracer):
        view.label = label
    return view


@contextmanager
def _open(root: Any) -> Iterator[None]:
    """Reopen the level of a root: a transform may read its results after it has ended."""
    level = root._level if isinstance(root, Tracer) else None
    ended = level is not None and not level.is_open
    if ended:
        level.is_open = True  # type: ignore[union-attr]
    try:
        yield
    finally:
        if ended:
            level.is_open = False  # type: ignore[union-attr]


def _links(alias: Link | None) -> list[Link]:
    """Return the links from the root to a view."""
    found = []
    while alias is not None:
        found.append(alias)
        alias = alias[3]
    return found[::-1]


def _steps(alias: Link) -> Iterator[Any]:
    """Return the root, and everything that is computed from it on the way to a view."""
    x = alias[0]
    yield x
    for _, make, options, *_ in _links(alias):
        x = make(x, **options)
        yield x


def watch_dunders() -> None:
    """Refresh stale views that Python or NumPy use by a special method, found on the class."""
    kept = {"__class__", "__getattribute__", "__setattr__", "__hash__", "__new__", "__init__"}
    kept |= {"__init_subclass__", "__subclasshook__", "__class_getitem__", "__del__"}
    for name in dir(Tensor):
        if name.startswith("__") and name not in kept and callable(getattr(Tensor, name)):
            setattr(Stale, name, _refreshed(name, getattr(Tensor, name)))


def _refreshed(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        return getattr(refresh(self), name)(*args, **options)

    return call


# --- writing --------------------------------------------------------------------------------------


def views_of(root: Any) -> list[Any]:
    """Return the live views of a root that are not stale."""
    alias = root._alias
    found = [view() for view in alias[1:]] if type(alias) is list else []
    return [v for v in found if type(v) not in _WITHOUT_ARRAY and type(_ALIAS.__get__(v)) is tuple]


def expire_views(root: Any) -> None:
    """Make the views of a root stale, before or after the root is written to."""
    for view in views_of(root):
        label = "" if isinstance(view, Tracer) else view.label
        object.__setattr__(view, "__class__", Stale)
        _DATA.__delete__(view)
        _NODE.__delete__(view)
        _LABEL.__set__(view, label)


def put_back(alias: Link, v: Any) -> Any:
    """Return the root of a view with ``v`` in the place of the view."""
    *sources, _ = _steps(alias)
    for (_, make, options, *_), x in zip(_links(alias)[::-1], sources[::-1], strict=True):
        v = PUT_BACK[make](x, v, **options)
    if _numbers(v).strides == _numbers(sources[0]).strides:
        return v
    return update(sources[0], v, key=(...,))  # what is a view of it depends on its layout


def writable_root(x: Any, what: str) -> Any:
    """Return the array that a write into x changes. Raise `InPlaceError` for a read-only view."""
    alias = x._alias
    if type(alias) is not tuple:
        return x
    for _, make, *_, frozen in _links(alias):
        if make not in PUT_BACK:
            raise _read_only(x, what, f"made by {_name(make)}, which is read-only")
        if frozen and not recording.paused:
            raise _read_only(x, what, "made inside no_grad, through which no gradient flows")
    return alias[0]


def _name(make: Any) -> str:
    return str(make.name if isinstance(make, Primitive) else make.__name__)


def _read_only(x: Any, what: str, why: str) -> InPlaceError:
    name, root = name_of(x), name_of(root_of(x))
    return InPlaceError(
        where=what,
        expected="an array, or a view that can be written into",
        got=f"{name}, a view {why}",
        fix=f"Write into {root}, or work on a copy: {name}.clone().",
    )
