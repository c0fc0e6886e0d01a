"""Kinks of operations on arrays: elements that are near one, ties, norms and spreads of 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from ..levels.level import unwrap
from .kink_report import Kink
from .sides import JUMP

__all__ = ["elements_near", "kinks_of_array"]

MOST = 1000  # elements of one array that are examined one by one
TIES = {
    "max": "a tie gives equal parts to all",
    "min": "a tie gives equal parts to all",
    "max_pool": "a tie gives all to the first of the largest",
    "choose": "a tie gives all to the number that was chosen",
    "argmax": "no derivative: the first of the largest is chosen",
    "argmin": "no derivative: the first of the smallest is chosen",
    "argsort": "no derivative: equal numbers keep their order",
}
"""Operations on whole arrays that have a kink where two numbers are equal."""
AT_ZERO = {"norm": "slope 0 at 0", "std": "slope 0 where all numbers are equal"}


def elements_near(primitive: Any, args: Sequence[Any], result: Any, within: float) -> Any:
    """Yield the operands of each element that may be near a kink."""
    raws = [*map(unwrap, args)]
    if not any(hasattr(raw, "shape") for raw in raws):
        yield (), [*map(float, raws)]
        return
    import numpy as np

    arrays = np.broadcast_arrays(*raws)
    wanted = np.argwhere(_candidates(primitive, arrays, within))[:MOST]
    for element in map(tuple, wanted.tolist()):
        yield element, [float(array[element]) for array in arrays]


def _candidates(primitive: Any, arrays: Sequence[Any], within: float) -> Any:
    """Return where value or slope change between the two sides of an operand."""
    import numpy as np

    from ..ops.array.evaluation import function_of

    found = np.zeros(arrays[0].shape, bool)
    evaluate = function_of(primitive)
    with np.errstate(all="ignore"):
        for i in range(len(arrays)):
            sides: list[Any] = []
            for sign in (-1.0, 1.0):
                moved = [np.asarray(a, float) for a in arrays]
                moved[i] = np.nextafter(moved[i] + sign * within, sign * inf)
                sides.append(_sides(primitive, evaluate, moved, i))
            found |= ~np.isclose(sides[0], sides[1], rtol=JUMP, atol=0.0)
    return found


def _sides(primitive: Any, evaluate: Any, moved: list[Any], position: int) -> Any:
    import numpy as np

    from ..ops.array.structural_zero import elements_of

    y = np.asarray(elements_of(evaluate(*moved)), float)  # a mask has zeros
    if not primitive.differentiable or primitive.rules[position] is None:
        return y if not primitive.differentiable else np.zeros(y.shape)
    slope = primitive.rules[position](np.ones(y.shape), y, *moved)
    return np.broadcast_to(np.asarray(elements_of(slope), float), y.shape)


def kinks_of_array(
    primitive: Any, args: Sequence[Any], result: Any, within: float, line: str
) -> list[Kink]:
    """Return the nearest tie of an operation on a whole array, or a norm or spread of zero."""
    import numpy as np

    name = primitive.name
    if name not in TIES and name not in AT_ZERO:
        return []
    x: Any = np.asarray(unwrap(args[0]), float)
    options = _options(result)
    if options is None and not primitive.differentiable:
        options = _axis_of(x.shape, getattr(unwrap(result), "shape", ()))
    if options is None or not x.size:
        return []
    numbers, gaps = _spread(x, options) if name in AT_ZERO else _ties(name, x, options)
    near = np.argwhere(gaps <= within)
    if not len(near):
        return []
    element = tuple(near[int(np.argmin(gaps[tuple(near.T)]))].tolist())
    text = TIES.get(name) or AT_ZERO[name]
    number, gap = float(numbers[element]), float(gaps[element])
    return [Kink(name, number, gap, text, element=element, line=line)]


def _options(result: Any) -> Mapping[str, Any] | None:
    """Return the options of the operation of a result; ``None`` if nothing of it is recorded."""
    node = getattr(result[0] if type(result) is tuple else result, "_node", None)
    if node is not None and type(result) is tuple:
        (node,) = node._inputs  # the operation with all results
    return None if node is None else node.options


def _axis_of(shape: tuple[int, ...], left: tuple[int, ...]) -> Mapping[str, Any]:
    """Return which axis `argmax` or `argsort` has reduced or sorted: the last that fits."""
    fitting = [a for a in range(len(shape)) if shape[:a] + shape[a + 1 :] == left]
    return {"axis": -1 if left == shape else fitting[-1] if fitting and left else None}


def _rows(x: Any, axis: Any) -> Any:
    """Return an array with the axes of a reduction as its last one."""
    import numpy as np

    axes = range(x.ndim) if axis is None else np.atleast_1d(axis).tolist()
    axes = [a % x.ndim for a in axes] if x.ndim else []
    kept = [a for a in range(x.ndim) if a not in axes]
    return x.transpose(*kept, *axes).reshape(*[x.shape[a] for a in kept], -1)


def _spread(x: Any, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return how far the numbers of each row of a norm, or of a spread, are from 0 or equal."""
    import numpy as np

    rows = _rows(x, options.get("axis"))
    sizes = np.ptp(rows, axis=-1) if "correction" in options else np.abs(rows).max(axis=-1)
    return np.asarray(sizes), np.asarray(sizes)


def _ties(name: str, x: Any, options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the chosen numbers, and how far the nearest other one of the same row is."""
    import numpy as np

    if name == "max_pool":
        from ..ops.array.windows import first, last, padded

        how, size = options["how"], x.shape[2:]
        seen = padded(last(x), how, -inf)
        rows = np.stack([first(seen[place]) for place in how.taps(size)], axis=-1)
    else:
        rows = _rows(x, options.get("axis"))
    if rows.shape[-1] < 2:
        return rows[..., 0], np.full(rows.shape[:-1], inf)
    ordered = np.sort(rows, axis=-1)
    gaps = np.diff(ordered, axis=-1)
    if name in ("max", "argmax", "max_pool"):
        return ordered[..., -1], gaps[..., -1]
    if name in ("min", "argmin"):
        return ordered[..., 0], gaps[..., 0]
    if name == "choose":
        used = options["places"].shape[options["axis"]]
        return _ties_of_choice(x, options, ordered, gaps, used)
    return ordered[..., :-1], gaps


def _ties_of_choice(
    x: Any, options: Mapping[str, Any], ordered: Any, gaps: Any, used: int
) -> tuple[Any, Any]:
    """Return the chosen numbers of each row with the gap to the nearest neighbour of each."""
    import numpy as np

    axis = options["axis"]
    chosen = np.moveaxis(np.take_along_axis(x, options["places"], axis), axis, -1)
    if used == ordered.shape[-1]:
        return ordered[..., :-1], gaps
    others = np.abs(chosen[..., :, None] - np.moveaxis(x, axis, -1)[..., None, :])
    return chosen, np.partition(others, 1, axis=-1)[..., 1]
