"""`Value`, a scalar that records its graph, on the fastest engine that this machine has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ContextDecorator, contextmanager
from typing import TYPE_CHECKING, Any, overload

from .. import native
from ..core.carrier import TensorLike, is_tensor
from ..core.expect import as_float, describe
from ..errors import NotANumberError
from . import scalar
from .node import pass_lock, pause, recording
from .reverse import edges, on_nodes, sweep

if TYPE_CHECKING or native.engine is None:
    from . import pure as engine
else:
    engine = native.engine

__all__ = [
    "ENGINE",
    "Value",
    "enable_grad",
    "engine",
    "gradients",
    "no_grad",
    "number",
    "weighted_sum",
]

ENGINE = "python" if native.engine is None else "native"
"""Which engine runs: ``"native"`` or ``"python"``."""

Value = engine.Value
Value.__doc__ = """A scalar that remembers how it was computed.

``Value(data, label="")`` is a leaf; arithmetic and the functions of gradwalk on it give inner
nodes. ``data`` and ``grad`` are floats that may be written; ``op`` names the row of the table that
computed the node, ``operands`` are what it was computed from, ``local_gradients`` the slopes.

``<`` and its kin compare by value, ``==`` and ``hash`` by identity, since nodes live in sets:
compare numbers with ``a.data == b.data``.

>>> from gradwalk import Value
>>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
>>> c = a * b
>>> c.op, [v.label for v in c.operands], c.local_gradients
('mul', ['a', 'b'], (-3.0, 2.0))
>>> c.backward()
>>> a
Value(2.0, grad=-3.0, label='a')
"""


@overload
def gradients(y: TensorLike, wrt: Any, create_graph: bool = False, gradient: Any = None) -> Any: ...
@overload
def gradients(y: Value, wrt: Value, create_graph: bool = False) -> Any: ...
@overload
def gradients(y: Value, wrt: Sequence[Value], create_graph: bool = False) -> tuple[Any, ...]: ...
def gradients(y: Any, wrt: Any, create_graph: bool = False, gradient: Any = None) -> Any:
    """∂y/∂w for each ``w`` of ``wrt``, without touching any ``grad``.

    One Value gives one number, a sequence of Values a tuple. With ``create_graph`` the results
    are Values themselves and can be differentiated again. What ``y`` does not depend on gives 0.
    Of Tensors it gives arrays, or Tensors; ``gradient`` is then what the sweep starts from, by
    default 1 for a ``y`` of one number.

    >>> from gradwalk import Value, gradients
    >>> x = Value(2.0)
    >>> first = gradients(x ** 3, x, create_graph=True)
    >>> first.data, gradients(first, x)
    (12.0, 12.0)
    """
    if is_tensor(y):
        return y._gradients(wrt, create_graph, gradient)
    if isinstance(wrt, Value):
        return gradients(y, (wrt,), create_graph)[0]
    nodes = tuple(wrt) if isinstance(wrt, Iterable) else (wrt,)
    for role, node in (("y", y), *(("wrt", node) for node in nodes)):
        if type(node) is not Value:
            raise NotANumberError(
                where=f"gradients({role}=...)",
                expected="a Value",
                got=describe(node),
                fix="Wrap the input in Value(...) before the computation starts.",
            )
    with pass_lock:
        if not create_graph:
            found = engine.gradients(y, 1.0, nodes)
            return tuple(0.0 if gradient is None else gradient for gradient in found)
        graph = sweep(y, Value(1.0), edges(y), on_nodes)
    return tuple(graph[node] if node in graph else Value(0.0) for node in nodes)


class no_grad(ContextDecorator):  # noqa: N801  (PyTorch's name)
    """Record nothing inside the block (or the decorated function), in this thread.

    >>> from gradwalk import Value, no_grad
    >>> x = Value(2.0)
    >>> with no_grad():
    ...     y = x * 3
    >>> y.data, y.operands
    (6.0, ())
    """

    def __enter__(self) -> None:
        engine.pause(+1)
        pause(+1)

    def __exit__(self, *exception: object) -> None:
        engine.pause(-1)
        pause(-1)


@contextmanager
def enable_grad() -> Iterator[None]:
    """Record inside the block, even within `no_grad`: transforms differentiate all the same."""
    depth = recording.paused
    if depth:
        engine.pause(-depth)
        pause(-depth)
    try:
        yield
    finally:
        if depth:
            engine.pause(depth)
            pause(depth)


def number(x: Any, where: str) -> float:
    """The plain number in ``x``, be it a Value or a number already."""
    return x.data if isinstance(x, Value) else as_float(x, where)


def weighted_sum(weights: Sequence[Any], inputs: Sequence[Any], start: Any) -> Any:
    """start + w₀x₀ + w₁x₁ + …: in one call of the engine, unless other carriers are among them."""
    try:
        return engine.weighted_sum(weights, inputs, start)
    except NotANumberError:
        return scalar.weighted_sum(weights, inputs, start)
