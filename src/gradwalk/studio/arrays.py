"""The graph of a Tensor for the page: its arrays as they were recorded, and their gradients.

A node does not hold its array (see `tensor.graph.node`). The array is taken from the residuals of a
rule or from a Tensor that is still alive, or computed again from the operands. An array that cannot
be recovered is shown without elements.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

import numpy as np

from ..inspect.graph import Snapshot, snapshot
from ..inspect.names import Names
from ..ops.array.structural_zero import StructuralZero
from ..program.run import run_of
from ..tensor import Tensor
from .folders import folders
from .json_numbers import json_contribution, json_number
from .size import check_size
from .values import contributions_of, recorded

__all__ = ["FLOATING", "places_of", "records", "rounded"]

SHOWN = 64
"""The most elements of an array in a document. Larger arrays show half of them at each end."""

BINS = 24
"""The bars of a histogram."""

SLICED, BUDGET = 4_096, 50_000
"""The most elements of an array that is kept as a whole, for slices, and of all such arrays."""

FLOATING = (np.ndarray, np.generic, float, int)


def records(
    tensor: Tensor, names: Names, frame: FrameType
) -> tuple[list[dict[str, Any]], Snapshot]:
    """Return a record for every node of a Tensor's graph and every use of a constant."""
    if tensor._node is None:
        items = snapshot(tensor, names, frame)
        described = _described(tensor._data, None)
        return [{"op": "", "inputs": [], "label": items[0].name, **described}], items
    check_size(tensor._node)
    items = snapshot(tensor, names, frame)
    given = contributions_of(items, items.run.seed())
    found, budget = [], BUDGET
    for item, place in zip(items, places_of(items), strict=True):
        t, contributions = given.get(item.atom, (None, [None] * len(item.inputs)))
        t = _dense(t)
        record: dict[str, Any] = {"op": "" if item.constant else item.op, "inputs": [*item.inputs]}
        record |= {"label": item.name, **_described(item.data, t)}
        size = np.size(item.data) if isinstance(item.data, FLOATING) else 0
        if SHOWN < size <= min(SLICED, budget):
            record["array"]["whole"] = rounded(item.data)
            budget -= size
        record |= {"constant": True} if item.constant else {}
        record |= {"group": place} if place else {}
        if item.inputs:
            record["recorded"] = recorded(_norm(t), [_norm(_dense(c)) for c in contributions])
        found.append(record)
    return found, items


def places_of(items: Snapshot) -> list[str]:
    """Return the path of each node in the model."""
    shapes = [np.shape(x.data) if isinstance(x.data, FLOATING) else None for x in items]
    names, inputs = [x.name for x in items], [x.inputs for x in items]
    return folders(names, inputs, [x.constant for x in items], shapes)


def _dense(t: Any) -> Any:
    """Return a gradient as one array, with zeros for its structural zeros."""
    return t.data if type(t) is StructuralZero else t


def _norm(x: object) -> float | None:
    return None if x is None else float(np.linalg.norm(np.ravel(np.asarray(x, np.float64))))


# --- records --------------------------------------------------------------------------------------


def _described(data: object, t: Any) -> dict[str, Any]:
    """Describe an array and its gradient: the elements that are shown, and a summary of all.

    ``data`` may be a number, or an array that could not be recovered.
    """
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
    # the kernels may differ: a difference in the last digit is not a change
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
