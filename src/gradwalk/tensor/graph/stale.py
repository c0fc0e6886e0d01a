"""Stale views: their root was written to, so their next use computes them again.

They have a class of their own, so that other Tensors need no check. Python code finds out by any
attribute, special methods and ``isinstance`` included. Compiled code takes only exact Tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any

from ...engine.value import enable_grad, no_grad
from ...levels.level import Reopened, Tracer, running
from .leaks import LeakedTensor
from .tensor import Tensor
from .views import steps_of

__all__ = ["Stale", "expire_views", "refresh", "views_of", "watch_dunders"]

_SLOTS = ("_alias", "_data", "_node", "_label")
ALIAS, DATA, NODE, LABEL = (vars(Tensor)[slot] for slot in _SLOTS)


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


def refresh(view: Any) -> Any:
    """Compute a stale view again from its root, and return it."""
    alias = view._alias
    with no_grad() if alias[4] else enable_grad(), _open(alias[0]):
        *_, y = steps_of(alias)
    y = y if isinstance(y, Tensor) else Tensor._of(y)
    label = LABEL.__get__(view)
    DATA.__set__(view, DATA.__get__(y))
    NODE.__set__(view, NODE.__get__(y))
    if isinstance(y, Tracer):
        LABEL.__set__(view, y._payload)
    object.__setattr__(view, "__class__", type(y))
    if label and not isinstance(y, Tracer):
        view.label = label
    return view


def _open(root: Any) -> AbstractContextManager[object]:
    """Reopen the level of a root: a transform may read its results after it has ended."""
    level = root._level if isinstance(root, Tracer) else None
    if level is None or level.is_open:
        return nullcontext()
    return Reopened((*running.open, level))


_WITHOUT_ARRAY = (type(None), Stale, LeakedTensor)


def views_of(root: Any) -> list[Any]:
    """Return the live views of a root that are not stale."""
    alias = root._alias
    found = [view() for view in alias[1:]] if type(alias) is list else []
    return [v for v in found if type(v) not in _WITHOUT_ARRAY and type(ALIAS.__get__(v)) is tuple]


def expire_views(root: Any) -> None:
    """Make the views of a root stale, before or after the root is written to."""
    for view in views_of(root):
        label = "" if isinstance(view, Tracer) else view.label
        object.__setattr__(view, "__class__", Stale)
        DATA.__delete__(view)
        NODE.__delete__(view)
        LABEL.__set__(view, label)


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
