"""Kinks of operations on arrays: elements that are near one, ties, norms and spreads of 0."""

from __future__ import annotations

from collections.abc import Sequence
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


def kinks_of_array(primitive: Any, args: Sequence[Any], within: float, line: str) -> list[Kink]:
    """Return the ties of an operation on a whole array, and a norm or spread of zero."""
    import numpy as np

    name = primitive.name
    if name not in TIES and name not in AT_ZERO:
        return []
    x = np.asarray(unwrap(args[0]), float)
    if name in AT_ZERO:
        size = float(np.abs(x).max(initial=0.0)) if name == "norm" else float(np.ptp(x))
        text = AT_ZERO[name]
        return [Kink(name, size, size, text, line=line)] if x.size and size <= within else []
    if x.size < 2:
        return []
    flat = np.sort(x, axis=None)
    gaps = np.diff(flat)
    if name in ("max", "argmax"):
        gaps = gaps[-1:]
    elif name in ("min", "argmin"):
        gaps = gaps[:1]
    near = gaps[gaps <= within]
    if not len(near):
        return []
    place = int(np.argmin(gaps))
    number = float(flat[-1] if name in ("max", "argmax") else flat[place])
    return [Kink(name, number, float(near.min()), TIES[name], line=line)]
