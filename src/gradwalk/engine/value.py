"""`Value`, a scalar that records its graph, on the fastest engine that is available."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .. import native
from ..core.calls import explain_new, use_doors
from ..core.carrier import TensorLike, is_tensor
from ..core.expect import as_float, describe, expect_text, is_number
from ..core.leaked import Leaked
from ..errors import NotANumberError, OptionError
from ..ops import TABLE
from . import reverse, scalar
from .node import CONSTANT, Node, freed, pass_lock
from .observing import notify_backward, observers
from .operators import manual
from .recording import enable_grad, no_grad
from .reverse import consumer_counts, reverse_pass, vjp_on_nodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from . import pure as engine
    from .pure import Value as Value
    from .signatures import Number
else:
    if native.engine is None:
        from . import pure as engine
    else:
        engine = native.engine
        use_doors(engine.door)
        nested = (reverse.gradients, reverse.leaves, reverse.backward_in_rule)
        checks = (as_float, expect_text, is_number)
        engine.connect(Node, Leaked, TABLE, CONSTANT, *checks, freed, explain_new, manual, *nested)
    Value = engine.Value

__all__ = [
    "ENGINE",
    "Value",
    "enable_grad",
    "engine",
    "gradients",
    "no_grad",
    "number",
    "swapped",
    "weighted_sum",
]

ENGINE = "python" if native.engine is None else "native"
"""The active engine: ``"native"`` or ``"python"``."""

T = TypeVar("T", bound=TensorLike)

Value.__doc__ = """A scalar that records the operation that produced it.

``Value(data, label="")`` is a leaf. Arithmetic and the functions of gradwalk on Values give inner
nodes. ``data`` and ``grad`` are floats that may be written. ``op`` names the operation that
computed the node, ``operands`` are its inputs, and ``local_gradients`` the derivatives with respect
to them.

Comparisons are by value, and ``hash`` is by identity, because nodes are kept in sets: write
``a is b`` to ask whether two names mean the same node.

Parameters
----------
data
    One real number, which becomes a float.
label
    The name in pictures and messages. Without one they show the name of a variable, if there is
    one.

Raises
------
NotANumberError
    If ``data`` is no real number.
UsageError
    If ``label`` is no text.

Examples
--------
>>> from gradwalk import Value
>>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
>>> c = a * b
>>> c.op, [v.label for v in c.operands], c.local_gradients
('mul', ['a', 'b'], (-3.0, 2.0))
>>> c.backward()
>>> a
Value(2.0, grad=-3.0, label='a')
"""


# fmt: off
@overload
def gradients(y: Value, wrt: Value, create_graph: Literal[False] = ...) -> float: ...
@overload
def gradients(y: Value, wrt: Value, create_graph: Literal[True]) -> Value: ...
@overload
def gradients(
    y: Value, wrt: Iterable[Value], create_graph: Literal[False] = ...
) -> tuple[float, ...]: ...
@overload
def gradients(
    y: Value, wrt: Iterable[Value], create_graph: Literal[True]
) -> tuple[Value, ...]: ...
@overload
def gradients(
    y: T, wrt: T, create_graph: Literal[False] = ..., gradient: T | ArrayLike = ...
) -> NDArray[np.floating]: ...
@overload
def gradients(
    y: T, wrt: T, create_graph: Literal[True], gradient: T | ArrayLike = ...
) -> T: ...
@overload
def gradients(
    y: T, wrt: Iterable[T], create_graph: Literal[False] = ..., gradient: T | ArrayLike = ...
) -> tuple[NDArray[np.floating], ...]: ...
@overload
def gradients(
    y: T, wrt: Iterable[T], create_graph: Literal[True], gradient: T | ArrayLike = ...
) -> tuple[T, ...]: ...
# fmt: on
def gradients(y: Any, wrt: object, create_graph: bool = False, gradient: Any = None) -> Any:
    """Return ∂y/∂w for each ``w`` of ``wrt``, without changing any ``grad``.

    Parameters
    ----------
    y
        The result: a Value or a Tensor.
    wrt
        What it is differentiated by, of the same kind as ``y``: one, or a list of several. Inner
        nodes are allowed.
    create_graph
        Whether the results are Values or Tensors that can be differentiated again.
    gradient : the shape of y, optional
        What the backward pass of a Tensor starts from; 1 if ``None``, for a ``y`` of one element.

    Returns
    -------
    the shape of w
        The gradient for one ``w``, a tuple for several: floats for Values, arrays for Tensors, or
        with ``create_graph`` Values and Tensors. 0 if ``y`` does not depend on ``w``.

    Raises
    ------
    NotANumberError
        If ``y`` or one of ``wrt`` is no Value and no Tensor, or they are not all of one kind.
    SizeError
        If a Tensor ``y`` has several elements and there is no ``gradient``, or one of another
        shape.
    OptionError
        If ``y`` is a leaf from which ``wrt`` was computed, or a ``gradient`` is given for a Value.
    FreedGraphError
        If the graph was freed.

    See Also
    --------
    Value.backward, grad

    Examples
    --------
    >>> from gradwalk import Value, gradients
    >>> x = Value(2.0)
    >>> first = gradients(x ** 3, x, create_graph=True)
    >>> first.data, gradients(first, x)
    (12.0, 12.0)
    """
    if is_tensor(y):
        return y._gradients(wrt, create_graph, gradient)
    if gradient is not None:
        raise OptionError(
            where="gradients(gradient=...)",
            expected="None, because the backward pass of a Value starts from 1",
            got=describe(gradient),
            fix="Write gradients(2.0 * y, wrt) to weight a result.",
        )
    single = isinstance(wrt, Value)
    nodes = tuple(wrt) if isinstance(wrt, Iterable) else (wrt,)
    results = _gradients(y, nodes, create_graph)
    return results[0] if single else results


def _gradients(y: Any, nodes: tuple[Any, ...], create_graph: bool) -> tuple[float | Value, ...]:
    for role, node in (("y", y), *(("wrt", node) for node in nodes)):
        if type(node) is not Value:  # exactly: a leaked one is of a subclass
            raise _no_value(role, node)
    with pass_lock:
        if not create_graph:
            if observers:
                notify_backward("values_backward", y)
            results = engine.gradients(y, 1.0, nodes)
            if not y.operands and any(_is_leaf_of(y, node) for node in nodes):
                raise swapped(y)
            return tuple(0.0 if result is None else result for result in results)
        # a node as seed: the rules record themselves, and the gradient is a graph
        graph = reverse_pass(y, Value(1.0), consumer_counts(y), vjp_on_nodes)
    return tuple(graph[node] if node in graph else Value(0.0) for node in nodes)


def _is_leaf_of(y: Value, node: Value) -> bool:
    return node is not y and any(leaf is y for leaf in engine.leaves(node))  # == is by value


def swapped(y: object) -> OptionError:
    """Return the error for a leaf ``y`` from which ``wrt`` was computed."""
    return OptionError(
        where="gradients(y, wrt)",
        expected="the result first, and what it was computed from second",
        got=f"y = {describe(y)}, from which wrt was computed",
        fix="Write gradients(wrt, y), with the two swapped.",
    )


def _no_value(role: str, node: object) -> NotANumberError:
    fix = "Wrap the input in Value(...) before the computation starts."
    if isinstance(node, (list, tuple)):
        fix = "Pass the sum of several results, gradients(sum(ys), wrt)."
        fix = fix if role == "y" else "Write gradients(y, [a, b]), without lists in the list."
    where = f"gradients({role}=...)"
    return NotANumberError(where=where, expected="a Value", got=describe(node), fix=fix)


def number(x: Value | Number, where: str) -> float:
    """Return the plain number in ``x``, which is a Value or a number."""
    return x.data if isinstance(x, Value) else as_float(x, where)


def weighted_sum(weights: Sequence[Any], inputs: Sequence[Any], start: object) -> Any:
    """Return start + w₀x₀ + w₁x₁ + …, in one call of the engine if there are no other carriers."""
    try:
        return engine.weighted_sum(weights, inputs, start)
    except TypeError:  # Tensors or tracers
        return scalar.weighted_sum(weights, inputs, start)
