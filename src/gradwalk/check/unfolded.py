"""A graph of Tensors as a graph of Values, element by element, for `precision`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.array_primitive import ArrayPrimitive
from ..engine.node import ancestors, inputs_of
from ..engine.value import Value, enable_grad
from ..errors import FreedGraphError, NotANumberError
from ..inspect.places import remember_line
from ..ops import TABLE
from ..program.run import run_of
from ..tensor.graph.node import CONSTANT_NODE, constant_of

__all__ = ["unfolded"]

Axes = int | tuple[int, ...] | None
Objects = np.ndarray[Any, Any]
"""An array of Values and numbers."""

MOST = 100_000  # Values


def unfolded(loss: Any, wanted: Sequence[Any]) -> tuple[Value, list[Any]]:
    """Return the loss as a Value, and an array of Values for each of the Tensors ``wanted``.

    Pointwise primitives are applied to each element. Others run as they are, on arrays of objects:
    NumPy's sums, products and moves of elements need no more than the operators of Values.
    """
    root = loss._node
    run = run_of(loss)
    known: dict[Any, Any] = {}
    count = 0
    with enable_grad():
        for node in ancestors(root):
            if node is CONSTANT_NODE:
                continue
            data = run.number(run.where[node]) if node.shape is not None else None
            if not node._inputs and data is None:
                raise FreedGraphError(
                    where="precision(loss, wrt)",
                    expected="leaves that the program still has",
                    got=f"a graph with a leaf of shape {node.shape} that it has not",
                    fix="Keep the parameters in a variable.",
                )
            if not node._inputs:
                known[node] = _leaves(w._data if (w := _of(node, wanted)) is not None else data)
            else:
                known[node] = _applied(node, _operands(node, run, known))
            parts = known[node] if type(known[node]) is tuple else (known[node],)
            count += sum(part.size for part in parts)
            _expect_small(count)
            for value in chain.from_iterable(part.flat for part in parts):
                if node.line is not None and isinstance(value, Value) and value.op:
                    remember_line(value, node.line)
    (result,) = known[root].flat
    return result, [known.get(w._node, _leaves(w._data)) for w in wanted]


def _of(node: Any, wanted: Sequence[Any]) -> Any:
    return next((w for w in wanted if w._node is node), None)


def _leaves(data: Any) -> Any:
    found = np.empty(np.shape(data), object)
    for index, x in np.ndenumerate(np.asarray(data, float)):
        found[index] = Value(float(x))
    return found


def _operands(node: Any, run: Any, known: dict[Any, Any]) -> list[Any]:
    return [
        constant_of(node, i) if o is CONSTANT_NODE else known[o]
        for i, o in enumerate(inputs_of(node))
    ]


def _applied(node: Any, args: list[Any]) -> Any:
    primitive = node._primitive
    try:
        if primitive.kind == "pointwise":
            result = np.frompyfunc(_on_elements(primitive), len(args), 1)(*args)
        else:
            result = _whole(primitive)(*map(_as_objects, args), **node.options)
    except (TypeError, AttributeError, ValueError) as error:
        raise NotANumberError(
            where="precision(loss, wrt)",
            expected="operations that can be computed element by element",
            got=f"{primitive.name} ({error})",
            fix="Pass a part of the computation: precision(h.sum(), w).",
        ) from error
    # an operation with several results gives a tuple of arrays, of which `part` takes one
    return tuple(map(_filled, result)) if type(result) is tuple else _filled(result)


def _filled(result: Any) -> Objects:
    """Return a result as an array of objects."""
    found = np.empty(np.shape(result), object)
    found[...] = result
    return found


def _on_elements(primitive: Any) -> Any:
    def apply(*args: Any) -> Any:
        return primitive(*[a if isinstance(a, Value) else float(a) for a in args])

    return apply


def _as_objects(x: Any) -> Any:
    """Return an array of objects, so that no sum of numbers is rounded in its own way."""
    return x if type(x) is tuple or _is_objects(x) else np.asarray(x, float)


def _is_objects(x: Objects) -> bool:
    return hasattr(x, "dtype") and x.dtype.kind == "O"


def _boxed(x: Objects) -> Any:
    """Return an array of objects; NumPy takes a single object out of an array without axes."""
    if _is_objects(x):
        return x
    found = np.empty((), object)
    found[()] = x
    return found


def _whole(primitive: ArrayPrimitive) -> Any:
    """Return a primitive on whole arrays as a function of arrays of Values."""
    return EXACT.get(primitive.name, primitive.forward)


# --- primitives whose functions are written for arrays of numbers ---------------------------------


def _total(x: Objects, axis: Axes, keepdims: object = False) -> Any:
    return _boxed(np.sum(x, axis=axis, keepdims=bool(keepdims)))


def _mean(x: Objects, axis: Axes, keepdims: object = False) -> Any:
    total = _total(x, axis, keepdims)
    return total * (total.size / x.size)


def _var(x: Objects, axis: Axes, keepdims: object, correction: float) -> Any:
    squares = _total((x - _mean(x, axis, True)) ** 2.0, axis, keepdims)
    return squares / (x.size / squares.size - correction)


def _each(name: str) -> Any:
    apply = np.frompyfunc(lambda x: TABLE[name](x), 1, 1)
    return lambda x: _boxed(apply(_boxed(x)))


def _norm(x: Objects, axis: Axes, keepdims: object, ord: float) -> Any:
    powers = _total(_each("abs")(x) ** float(ord), axis, keepdims)
    return powers ** (1.0 / ord)


def _logsumexp(x: Objects, axis: Axes, keepdims: object = False) -> Any:
    top = np.asarray(np.max(x, axis=axis, keepdims=True))
    sums = _each("log")(_total(_each("exp")(x - top), axis, True)) + top
    return sums if keepdims else np.asarray(sums).reshape(np.sum(x, axis=axis).shape)


def _log_softmax(x: Objects, axis: Axes) -> Any:
    return x - _logsumexp(x, axis, True)


def _surprise(x: Objects, target: Objects, ignored: Objects | None, memo: object) -> Any:
    found = -_log_softmax(x, -1)[np.arange(len(x)), np.asarray(target, int)]
    return found if ignored is None else np.where(ignored, 0.0, found)


def _logit_surprise(x: Objects, label: Objects, weight: Objects) -> Any:
    positive = np.asarray(label, float) * np.asarray(weight, float)
    return positive * _each("softplus")(-x) + (1.0 - label) * _each("softplus")(x)


def _standardize(x: Objects, axis: Axes, eps: float) -> Any:
    mean, variance = _mean(x, axis, True), _var(x, axis, True, 0.0)
    return (x - mean) / _each("sqrt")(variance + eps), mean, variance


def _layer(x: Objects, w: Objects, b: Objects, axis: Axes, eps: float, memo: object) -> Any:
    return _standardize(x, axis, eps)[0] * w + b


def _running(combine: Any) -> Any:
    def run(x: Objects, axis: int, reverse: bool) -> Any:
        turned = np.flip(x, axis) if reverse else x
        found = combine.accumulate(turned, axis=axis)
        return np.flip(found, axis) if reverse else found

    return run


EXACT: dict[str, Any] = {
    "affine": lambda x, weight, bias: np.matmul(x, weight.T) + bias,
    "cumulative_prod": _running(np.multiply),
    "cumulative_sum": _running(np.add),
    "layer": _layer,
    "log_softmax": _log_softmax,
    "logit_surprise": _logit_surprise,
    "logsumexp": _logsumexp,
    "matmul": np.matmul,
    "mean": _mean,
    "norm": _norm,
    "prod": lambda x, axis, keepdims: np.prod(x, axis=axis, keepdims=bool(keepdims)),
    "scale_shift": lambda x, w, b: x * w + b,
    "softmax": lambda x, axis: _each("exp")(_log_softmax(x, axis)),
    "std": lambda *args, **options: _each("sqrt")(_var(*args, **options)),
    "sum": _total,
    "surprise": _surprise,
    "var": _var,
}


def _expect_small(count: int) -> None:
    if count > MOST:
        raise NotANumberError(
            where="precision(loss, wrt)",
            expected=f"at most {MOST:,} elements in the whole graph",
            got=f"{count:,} or more",
            fix="Use a smaller batch.",
        )
