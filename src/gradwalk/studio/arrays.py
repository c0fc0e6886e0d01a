"""The graph of a Tensor for the page: its arrays as they were recorded, and their gradients.

A node does not hold its array (see `tensor.graph.node`). The array is taken from the residuals of a
rule or from a Tensor that is still alive, or computed again from the operands. An array that cannot
be recovered is shown without elements.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from ..engine.node import ancestors, pass_lock
from ..engine.reverse import consumer_counts, reverse_steps
from ..inspect.names import Names
from ..ops import TABLE
from ..ops.array import TABLE as ARRAY_TABLE
from ..ops.array.evaluation import function_of
from ..ops.array.structural_zero import StructuralZero
from ..program.run import run_of
from ..tensor import Tensor
from ..tensor.graph.convert import ValueSource
from ..tensor.graph.node import CONSTANT_NODE, Node, constant_of, vjp
from .folders import folders
from .json_numbers import json_contribution, json_number
from .naming import names_of_tensors
from .size import check_size

__all__ = ["FLOATING", "recorded", "records", "rounded"]

SHOWN = 64
"""The most elements of an array in a document. Larger arrays show half of them at each end."""

BINS = 24
"""The bars of a histogram."""

SLICED, BUDGET = 4_096, 50_000
"""The most elements of an array that is kept as a whole, for slices, and of all such arrays."""

FLOATING = (np.ndarray, np.generic, float, int)


def records(tensor: Tensor, names: Names, frame: FrameType) -> list[dict[str, Any]]:
    """Return a record for every node of a Tensor's graph and every use of a constant."""
    spoken = list(names_of_tensors(names, frame))
    if tensor._node is None:
        words = {id(t._data): name for t, name in reversed(spoken)}
        label = tensor.label or words.get(id(tensor._data), "")
        return [{"op": "", "inputs": [], "label": label, **_described(tensor._data, None)}]
    check_size(tensor._node)
    found, known = recorded(tensor, spoken)
    return _numbered(found, _swept(tensor), known)


def recorded(tensor: Tensor, spoken: list[tuple[Tensor, str]]) -> tuple[list[Any], dict[Node, Any]]:
    """Return the graph of arrays, and the array of every node that has one.

    The graph lists nodes and constants, operands first: key (the node, or a fresh object for a
    constant), op, indices of the operands, name, array, and path in the model.
    """
    words = {id(t._data): name for t, name in reversed(spoken)}
    words |= {id(t._node): name for t, name in reversed(spoken) if t._node is not None}
    root: Any = tensor._node
    order = ancestors(root)
    known = _arrays(order, tensor)
    found = [record for node in order for record in _records_of(node, known, words)]
    _add_places(found)
    return found, known


def _records_of(node: Node, known: dict[Any, Any], words: dict[int, str]) -> Iterator[Any]:
    """Yield the constants of a node, then the node. Operands are still nodes, not yet indices."""
    operands: list[Any] = []
    for i, operand in enumerate(node._inputs):
        if operand is CONSTANT_NODE:
            operand = object()
            data = constant_of(node, i)
            yield operand, "", [], words.get(id(data), ""), data
        operands.append(operand)
    yield node, node.op, operands, node.label or words.get(id(node), ""), known.get(node)


# --- numbers --------------------------------------------------------------------------------------


def _arrays(order: list[Node], tensor: Tensor) -> dict[Node, Any]:
    """Return the array of every node for which one can be found."""
    known = _saved(order)
    known[tensor._node] = tensor._data  # type: ignore[index]
    if len(known) < len(order):
        wanted = set(order) - known.keys()
        handles = [t for t in gc.get_objects() if type(t) is Tensor and t._node in wanted]
        known |= {t._node: t._data for t in handles}  # type: ignore[misc]
    for node in order:
        if node not in known:
            _compute(node, known)
    return known


def _saved(order: list[Node]) -> dict[Node, Any]:
    """Return the arrays that are residuals: a node's own result, or an argument of a consumer."""
    known: dict[Node, Any] = {}
    for node in order:
        if type(node) is ValueSource:
            known[node] = np.reshape([v.data for v in node.values], node.shape)
        if not node._inputs:
            continue
        result, *args = node.saved
        if result is not None:
            known[node] = result
        for operand, arg in zip(node._inputs, args, strict=True):
            if operand is not CONSTANT_NODE and isinstance(arg, (*FLOATING, tuple)):
                known.setdefault(operand, arg)
    return known


def _compute(node: Node, known: dict[Node, Any]) -> None:
    """Compute the array of a node from its operands, if its primitive is in the table."""
    primitive: Any = node._primitive
    if primitive is None or {**TABLE, **ARRAY_TABLE}.get(primitive.name) is not primitive:
        return
    args = [
        constant_of(node, i) if operand is CONSTANT_NODE else known.get(operand)
        for i, operand in enumerate(node._inputs)
    ]
    if all(isinstance(arg, (*FLOATING, tuple)) for arg in args):
        with np.errstate(all="ignore"):
            known[node] = function_of(primitive)(*args, **node.options)


# --- gradients ------------------------------------------------------------------------------------


def _swept(tensor: Tensor) -> dict[Node, tuple[Any, list[float | None]]]:
    """Return, per node, the gradient of the Tensor's sum, and the norms of its contributions."""
    given: dict[Node, list[float | None]] = {}

    def noted(node: Node, t: Any) -> Any:
        contributions = vjp(node, t)
        given[node] = [_norm(_dense(contribution)) for contribution in contributions]
        return contributions

    root: Any = tensor._node
    seed = np.ones(tensor.shape, tensor.dtype)
    with pass_lock, np.errstate(all="ignore"):
        steps = reverse_steps(root, seed, consumer_counts(root), noted)
        return {node: (_dense(t), given.get(node, [])) for node, t in steps}


def _dense(t: Any) -> Any:
    """Return a gradient as one array, with zeros filled in and several results concatenated."""
    if type(t) is StructuralZero:
        return _dense(t.data)
    if isinstance(t, dict):
        t = tuple(t[key] for key in sorted(t))
    return np.concatenate([np.ravel(_dense(part)) for part in t]) if type(t) is tuple else t


def _norm(x: object) -> float | None:
    return None if x is None else float(np.linalg.norm(np.ravel(np.asarray(x, np.float64))))


# --- records --------------------------------------------------------------------------------------


def _add_places(found: list[Any]) -> None:
    """Replace operands by indices, and add the path of each node in the model."""
    index: dict[Any, int] = {}
    for i, (key, *rest) in enumerate(found):
        index[key] = i
        rest[1] = [index[operand] for operand in rest[1]]
        found[i] = (key, *rest)
    constants = [type(key) is object for key, *_ in found]
    shapes = [np.shape(x[4]) if isinstance(x[4], FLOATING) else None for x in found]
    places = folders([x[3] for x in found], [x[2] for x in found], constants, shapes)
    found[:] = [(*x, place) for x, place in zip(found, places, strict=True)]


def _numbered(
    found: list[Any], swept: dict[Node, Any], known: dict[Node, Any]
) -> list[dict[str, Any]]:
    records, budget = [], BUDGET
    for key, op, inputs, label, data, place in found:
        t, contributions = swept.get(key, (None, []))
        record = {"op": op, "inputs": inputs, "label": label, **_described(data, t)}
        size = np.size(data) if isinstance(data, FLOATING) else 0
        if SHOWN < size <= min(SLICED, budget):
            record["array"]["whole"] = rounded(data)
            budget -= size
        record |= {"constant": True} if type(key) is object else {}
        record |= {"group": place} if place else {}
        if inputs:
            contributions = contributions or [None] * len(inputs)
            grad = json_contribution(_norm(t))
            record["recorded"] = {
                "grad": grad,
                "shares": list(map(json_contribution, contributions)),
            }
        records.append(record)
    return records


def _described(data: object, t: Any) -> dict[str, Any]:
    """Describe an array and its gradient: the elements that are shown, and a summary of all.

    ``data`` may be a number, several results, or an array that could not be recovered.
    """
    if type(data) is tuple:
        data = _dense(data)
    if not isinstance(data, FLOATING):
        return {"data": "nan", "array": _nothing(t)}
    x = np.asarray(data)
    with np.errstate(all="ignore"):
        facts = {"shape": list(x.shape), "dtype": str(x.dtype), **_ends(x), "summary": _summary(x)}
        facts["spread"] = _spread(x)
        return {"data": _number(np.sum(x, dtype=np.float64)), "array": facts | {"grad": _grad(t)}}


def has_changed(result: Any) -> bool:
    """Return whether the leaves of a result have other numbers than those it was computed from."""
    recorded = result._data
    now: Any = run_of(result).again()
    # the same functions, and yet perhaps other kernels: a last digit is no change
    return now is not None and not np.allclose(now, recorded, 1e-6, 0.0, equal_nan=True)


def rounded(x: Any) -> list[float | str]:
    """Return the elements in order, with six digits."""
    return [json_number(float(f"{n:.6g}")) for n in np.asarray(x, np.float64).reshape(-1)]


def _nothing(t: Any) -> dict[str, Any]:
    """Describe an array that could not be recovered."""
    summary = dict.fromkeys(("min", "max", "mean", "norm"), "nan")
    facts = {"shape": [], "dtype": "not kept", "values": [], "complete": False}
    return {**facts, "summary": summary, "grad": _grad(t)}


def _grad(t: Any) -> dict[str, Any] | None:
    if t is None:
        return None
    norm = json_contribution(_norm(t))
    return {**_ends(np.asarray(t)), "norm": norm, "spread": _spread(np.asarray(t))}


def _spread(x: Any) -> dict[str, Any]:
    """Return the histogram of the finite elements, and how many are 0, NaN and infinite."""
    wide = np.asarray(x, np.float64).reshape(-1)
    finite = wide[np.isfinite(wide)]
    nans = int(np.isnan(wide).sum())
    counts = {"size": wide.size, "zeros": int((wide == 0.0).sum()), "nan": nans}
    counts["inf"] = wide.size - finite.size - nans
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    with np.errstate(all="ignore"):
        scaled = (finite / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.0 * finite
    bins = np.bincount((scaled * BINS).astype(int).clip(0, BINS - 1), minlength=BINS)
    return {**counts, "low": low, "high": high, "bins": bins.tolist() if finite.size else []}


def _ends(x: Any) -> dict[str, Any]:
    """List all elements in order, or the first and the last ones."""
    flat = x.reshape(-1)
    complete = flat.size <= SHOWN
    if not complete:
        flat = np.concatenate([flat[: SHOWN // 2], flat[-SHOWN // 2 :]])
    return {"values": list(map(_number, flat)), "complete": complete}


def _summary(x: object) -> dict[str, Any]:
    wide = np.asarray(x, np.float64)
    if not wide.size:
        return {"min": "nan", "max": "nan", "mean": "nan", "norm": 0.0}
    numbers = {"min": wide.min(), "max": wide.max(), "mean": wide.mean()}
    return {name: _number(x) for name, x in numbers.items()} | {
        "norm": json_contribution(_norm(wide))
    }


def _number(x: Any) -> float | str:
    return json_number(float(x))
