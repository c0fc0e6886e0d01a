"""Plain NumPy on carriers of one number: ``numpy.var(x)`` where x is a Value or a tracer.

Ufuncs are primitives, whose results are scalars again. All other functions see an array without
axes, so they do what `protocol` does for Tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...core.expect import settled
from ...engine.scalar import Scalar
from ...engine.value import Value, engine
from ...levels.level import ScalarTracer, running
from ...ops import TABLE
from ...ops.array.evaluation import UFUNCS as FORWARD
from ..functions.arguments import operand
from ..graph.detaching import called, detaching
from ..graph.tensor import Tensor
from ..graph.types import Array
from . import protocol
from .functions_of_scipy import SPECIAL, is_scipys
from .protocol import array_function, array_ufunc

__all__ = ["array_of_scalar", "function_of_scalars", "ufunc_of_scalars"]

NUMBERS = {float, int, np.float64, Value, ScalarTracer}


def ufunc_of_scalars(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]
) -> Any:
    """Apply a ufunc to ``inputs`` with a scalar: as a primitive, or by NumPy for its objects."""
    if method == "__call__" and not options and ufunc not in protocol._known:
        function = _on_numbers(ufunc)
        if function and set(map(type, inputs)) <= NUMBERS:
            return function(*inputs)  # the usual case
    if any(isinstance(x, np.ndarray) and x.dtype.kind == "O" for x in inputs):
        return getattr(ufunc, method)(*map(_as_object, inputs), **options)
    inputs = [_as_carrier(x) for x in inputs]
    y = array_ufunc(inputs[0], ufunc, method, *inputs, **options)
    return _plain(y, _is_fact(ufunc))


@cache
def _on_numbers(ufunc: np.ufunc) -> Any:
    """Return the function on numbers that evaluates ``ufunc``, if its result is a number."""
    if _is_fact(ufunc):
        return None
    names: list[Any] = [name for name, f in FORWARD.items() if f is ufunc and name in TABLE]
    names += [SPECIAL.get(ufunc.__name__)] if is_scipys(ufunc) else []
    return engine.function(TABLE[names[0]]) if names and names[0] in TABLE else None


def _is_fact(ufunc: np.ufunc) -> bool:
    """Return whether the results of ``ufunc`` for floats are bools."""
    return f"{'d' * ufunc.nin}->?" in ufunc.types


def function_of_scalars(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> Any:
    """Apply a function of NumPy to arguments with a scalar, which becomes an array."""
    lists = any(isinstance(x, (list, tuple)) for x in args)
    if function is not np.select and (lists or function not in (np.where, np.clip)):
        args = [_as_array(x) for x in args]
        options = {name: _as_array(x) for name, x in options.items()}
    return _plain(array_function(None, function, (), args, options), False)


def array_of_scalar(x: Scalar, dtype: Any) -> Array:
    """Return an array without axes that holds the object ``x``.

    A transform has no arrays of objects, whose order, NaN and rounding are not those of numbers,
    unless the user asks for ``dtype=object``. No library but NumPy can compute with them at all.
    """
    if (number := settled(x)) is not x:
        return np.asarray(number)
    if dtype != np.dtype(object) and (running.depth or called()[0] not in ("", "NumPy")):
        raise detaching(x)
    box = np.empty((), object)
    box[()] = x
    return box


def _as_object(x: Any) -> Any:
    """Return an object that NumPy does not dispatch again: a scalar in an array, or a number."""
    if isinstance(x, np.floating):
        return float(x)
    return array_of_scalar(x, np.dtype(object)) if isinstance(x, Scalar) else x


def _as_carrier(x: Any) -> Any:
    """Return an array or a list as a Tensor. An array without axes becomes its number."""
    if isinstance(x, (list, tuple)):
        return operand(x, "numpy")
    if not isinstance(x, np.ndarray):
        return x
    return Tensor._of(x.copy()) if x.ndim else x.item()


def _as_array(x: Any) -> Any:
    return operand(x, "numpy") if isinstance(x, Scalar) else x


def _plain(y: Any, fact: bool) -> Any:
    """Return a fact about numbers as NumPy does: ``True`` in its own type, or an index."""
    if type(y) is Tensor and y._node is None and not y.ndim and y.dtype.kind != "f":
        return y._data[()]
    return y if isinstance(y, Tensor) or not fact else np.bool_(y)
