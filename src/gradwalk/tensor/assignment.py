"""Assignment: ``t[i] = v``, ``t[mask] += v``, ``t += v``.

A Tensor that is written to becomes another number: it gets a new array and a new node, and what
was computed from the old ones keeps them. So every assignment can be differentiated. Only views
follow, as NumPy's do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..causes.in_place_errors import forbid_leaf, name_of, warn_of_result
from ..core.expect import is_assignment
from ..core.places import line_of_caller
from ..engine.node import recording
from ..engine.observing import INTERCEPTORS
from ..errors import InPlaceError, NotANumberError, SizeError
from ..levels.level import Tracer
from ..levels.programs import program_for
from ..libraries import LibraryArray
from ..ops.array import indexing as primitives
from ..ops.array.structure import astype, reshape
from .functions import varying
from .functions.arguments import operand
from .functions.keys import bad_key, key_of
from .functions.types import ArrayLike
from .graph.convert import ValueSource
from .graph.stale import expire_views, views_of
from .graph.tensor import Tensor
from .graph.views import put_back, root_of, writable_root
from .graph.write_guard import is_owned
from .tracing.tracers import become

if TYPE_CHECKING:
    from .graph.interface import Key

__all__ = ["HOOKS"]


def assign(x: Tensor, key: Key, value: ArrayLike) -> None:
    """Write ``value`` into ``x[key]``; the gradient of the overwritten elements is zero afterwards.

    x ← x with v at k:   x̄ₖ = 0 before,   v̄ = x̄ₖ after

    The dtype of x stays. Of several values for one place the last one stays, as with NumPy.
    """
    what = "t[key] = v"
    leaf = _check_leaf(x, what)
    key = key_of(key, what, x)
    if isinstance(value, Tensor) and _shows(value, x):
        if _is_part(value, x, key):  # x[key] += v has written it already
            return
        _forbid_swap(x, value)
    v = operand(value, what)
    _check_dtype(x, v, what)
    if varying.holds(key):
        _replace(x, varying.put(x, v, key), leaf)
        return
    if INTERCEPTORS and (program := program_for((x,))) is not None:
        program.assign(x, primitives.update(program.tracer_of(x), v, key=key))
        return
    placed = type(x) is Tensor._placed
    if v.ndim or not placed:
        v = _drop_lead(v, _part_shape(x, key, what), what)
    # out[i] = x inside a transform: from here on a Tensor of constants depends on the tracer x
    if isinstance(x, Tracer) or isinstance(v, Tracer):
        _replace(x, primitives.update(x, v, key=key), leaf)
    elif placed:  # its memory is another library's: it is not written into
        _replace(x, _updated(x, v, key, what), leaf)
    elif recording.paused or (x._node is None and getattr(v, "_node", None) is None):
        _overwrite(x, key, getattr(v, "_data", v), leaf)
    else:
        _replace(x, primitives.update(x, v, key=key), leaf)


def _updated(x: Tensor, v: Any, key: tuple[Any, ...], what: str) -> Any:
    try:
        return primitives.update(x, v, key=key)
    except IndexError as error:
        raise bad_key(key, x.shape, what) from error


def _shows(value: Tensor, x: Tensor) -> bool:
    """Return whether ``value`` is a view of x, or of what x is a view of."""
    link = value._alias
    return type(link) is tuple and link[0] is root_of(x)


def _forbid_swap(x: Tensor, part: Tensor) -> None:
    """Raise `InPlaceError` if compiled code writes a part of x into x: it may be swapping rows.

    ``np.random.Generator.shuffle`` swaps as if a row were a copy. As rows are views, one of the two
    would be lost. In the user's own ``x[i], x[j] = x[j], x[i]`` NumPy loses it too.
    """
    if not is_assignment():
        raise InPlaceError(
            where="t[key] = v, by compiled code such as numpy's shuffle",
            expected="numbers that do not change when t does",
            got=f"v, a view of t, of shape {part.shape}",
            fix=f"Write {name_of(x)}[...] = {name_of(x)}[rng.permutation(len({name_of(x)}))] to "
            "shuffle rows, v.clone() for v.",
        )


def _is_part(value: Tensor, x: Tensor, key: tuple[Any, ...]) -> bool:
    """Return whether ``value``, a view, is ``x[key]``."""
    link, above = value._alias, x._alias
    if link[1] is not primitives.take:
        return False
    own = link[2]["key"]
    same = link[3] is (above if type(above) is tuple else None) and len(own) == len(key)
    return same and all(type(a) is type(b) and a == b for a, b in zip(own, key, strict=True))


def _overwrite(x: Tensor, key: tuple[Any, ...], raw: Any, leaf: bool) -> None:
    """Write plain numbers without recording it, into the memory of x if nothing else needs it."""
    if x._alias is None and not is_owned(x):
        x._data = x._data.copy("K")
    if x._alias is None or _is_shared_by_views_only(root_of(x), leaf):
        x._data[key] = raw
        _no_gradient(x, leaf)
    else:
        data = x._data.copy("K")
        data[key] = raw
        _replace(x, Tensor._of(data), leaf)


def _is_shared_by_views_only(root: Any, leaf: bool) -> bool:
    plain = not isinstance(root, Tracer) and (leaf or root._node is None)
    return plain and is_owned(root, views_of(root))


def _replace(x: Tensor, result: Any, leaf: bool) -> None:
    """Turn x into ``result``, and with it the array that x is a view of."""
    if INTERCEPTORS and (program := program_for((x,))) is not None:
        program.assign(x, result)
        return
    alias = x._alias
    if type(alias) is tuple:
        x, result = alias[0], put_back(alias, result)
    expire_views(x)
    if leaf and not isinstance(result, Tracer):
        x._data = result._data
    else:
        _become(x, result)


def _part_shape(x: Tensor, key: tuple[Any, ...], what: str) -> tuple[Any, ...]:
    try:
        part = np.broadcast_to(False, x.shape)[tuple(map(_stand_in, key))]  # no memory
        return part.shape  # type: ignore[no-any-return]
    except IndexError as error:
        raise bad_key(key, x.shape, what) from error


def _stand_in(part: Any) -> Any:
    """Return an array of the shape of an index array on a device; of a mask, which counts, all."""
    if type(part) is not LibraryArray:
        return part
    return part.numpy() if part.dtype == bool else np.zeros(part.shape, np.intp)


def _drop_lead(v: Any, shape: tuple[int, ...], what: str) -> Any:
    """Return ``v`` without its leading axes of length 1 that ``shape`` does not have."""
    # as NumPy: x[0] = [[1.0, 2.0]] is allowed, because the additional axis has length 1
    extra = max(0, v.ndim - len(shape))
    fits = all(n == 1 for n in v.shape[:extra]) and all(
        n in (1, m) for n, m in zip(v.shape[extra:][::-1], shape[::-1], strict=False)
    )
    if not fits:
        raise SizeError(
            where=what,
            expected=f"a number, or an array that broadcasts to {shape}",
            got=f"shape {v.shape}",
            fix="Reshape v so that lengths agree from the right, or are 1.",
        )
    return reshape(v, shape=v.shape[extra:]) if extra else v


def _check_leaf(x: Tensor, what: str) -> bool:
    """Return whether x is a leaf with gradients. Raise an error if operations are recorded."""
    x = writable_root(x, what)
    if isinstance(x, Tracer):
        return False
    # what was stacked from Values is no leaf of the user's: it is written as any result is
    node = x._node
    leaf = node is not None and node._primitive is None and type(node) is not ValueSource
    if leaf and not recording.paused:
        forbid_leaf(x, what)
    return leaf


def _is_computed(x: Tensor) -> bool:
    return isinstance(x, Tracer) or (x._node is not None and x._node._primitive is not None)


def _is_trained_result(x: Tensor) -> bool:
    """Return whether x is a result that a backward pass has given a gradient, as to a leaf."""
    return _is_computed(x) and getattr(x._node, "grad", None) is not None


def _check_dtype(x: Tensor, v: Any, what: str) -> None:
    order = {"b": 0, "i": 1, "u": 1, "f": 2}
    if order[v.dtype.kind] > order[x.dtype.kind]:
        raise NotANumberError(
            where=what,
            expected=f"numbers that fit the dtype of t, {x.dtype}, which stays",
            got=f"dtype {v.dtype}",
            fix=f"Write v.astype({x.dtype.name!r}), or t = t.astype({v.dtype.name!r}) before.",
        )
    plain = v.size and not isinstance(v, Tracer)  # an empty array has no smallest number
    if plain and x.dtype.kind in "iu" and not np.can_cast(v.dtype, x.dtype):
        _check_range(x, getattr(v, "_data", v), what)


def _check_range(x: Tensor, numbers: Any, what: str) -> None:
    """Raise `NotANumberError` if an integer does not fit: the conversion would wrap it around."""
    low, high = np.iinfo(x.dtype).min, np.iinfo(x.dtype).max
    wrong = [n for n in map(int, (numbers.min(), numbers.max())) if not low <= n <= high]
    if wrong:
        raise NotANumberError(
            where=what,
            expected=f"integers from {low} to {high}, which fit the dtype of t, {x.dtype}",
            got=str(wrong[0]),
            fix=f"Write t = t.astype({numbers.dtype.name!r}) before.",
        )


def _no_gradient(x: Tensor, leaf: bool) -> None:
    """Detach x after a change that was not recorded. A leaf stays the same leaf."""
    if not leaf and x._node is not None:
        label, x._node = x.label, None
        x.label = label


def _become(x: Tensor, result: Tensor) -> None:
    """Turn x into ``result``, under the label of x."""
    if isinstance(result, Tracer) or isinstance(x, Tracer):
        become(x, result)
        return
    label, node = x.label, result._node
    x._data, x._node = result._data, node
    x.label = label
    # the line that recorded x is the user's assignment
    if node is not None:
        node.line = line_of_caller()


# --- t += v and the like --------------------------------------------------------------------------


def _in_place(symbol: str, operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the method for ``t += v``: ``t = t + v``, except that shape and dtype of t stay."""
    what = f"t {symbol}= v"

    def update(self: Tensor, other: ArrayLike) -> Any:
        if recording.paused and _is_trained_result(self):
            warn_of_result(self, what)
        if not self.ndim and self._alias is None and _is_computed(self):
            # NumPy has a number here, which no other name sees change
            return operate(self, other)
        leaf = _check_leaf(self, what)
        try:
            weak = type(other) in (float, int)  # it takes the precision of t, as in t + v
            result = operate(self, other if weak else operand(other, what))
        except NotANumberError:
            return NotImplemented  # Python then asks the other operand
        if result.shape != self.shape:
            raise SizeError(
                where=what,
                expected=f"a result of t's shape {self.shape}",
                got=f"shape {result.shape}",
                fix=f"Write t = t {symbol} v, which makes a Tensor of another shape.",
            )
        _check_dtype(self, result, what)
        if result.dtype != self.dtype:
            result = astype(result, dtype=self.dtype)
        # other libraries' memory is not written into
        fixed = isinstance(self, (Tracer, Tensor._placed)) or isinstance(result, Tracer)
        if fixed or result._node is not None or self._alias is None:
            _replace(self, result, leaf)
        else:
            _overwrite(self, (...,), result._data, leaf)
        return self

    return update


OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod"}
OPERATORS |= {"**": "pow", "@": "matmul", "&": "and_", "|": "or_", "^": "xor"}
OPERATORS |= {"<<": "lshift", ">>": "rshift"}

HOOKS: dict[str, Any] = {"__setitem__": assign}
HOOKS |= {
    f"__i{name.strip('_')}__": _in_place(symbol, getattr(operator, name))
    for symbol, name in OPERATORS.items()
}
"""What is attached to `Tensor`."""
