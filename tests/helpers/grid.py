"""Functions of numbers against stored values and slopes in 80 digits, cell by cell.

The cells are written by `tests/expected/make_special.py`. The bound is 8 ulp times 1 + κ, where κ
is the condition number of the value, or of the slope: one rounding of each argument alone makes an
error of κ / 2. Numbers below 1e-290 may have the error of 1e-290. Where an argument is 0, infinite,
NaN or outside of the domain, the value is SciPy's, and a slope must not be NaN if the value is
finite: one such element would spoil the gradient of a sum.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gradwalk import grad

__all__ = ["cells_of", "failures"]

ULP, LEAST = 2.0**-52, 1e-290
STORED = Path(__file__).parents[1] / "expected"
Cell = tuple[str, tuple[float, ...]]
"""Which number fails (value, or slope in which argument), and at which arguments."""


@cache
def cells_of(room: str) -> dict[str, list[Any]]:
    """Return the stored cells of special or stats, by the name of the function."""
    text = (STORED / f"{room}.json").read_text(encoding="utf-8")
    stored: dict[str, list[Any]] = json.loads(text)
    return stored


def failures(
    f: Callable[..., Any], cells: list[Any], fixed: tuple[int, ...] = ()
) -> dict[Cell, str]:
    """Return the cells where the value or a slope of f is wrong, and what came out.

    f is evaluated on arrays of all cells at once; no gradient is taken in ``fixed`` arguments.
    """
    columns = [np.array(column) for column in zip(*[cell[0] for cell in cells], strict=True)]
    free = tuple(i for i in range(len(columns)) if i not in fixed)
    with np.errstate(all="ignore"):
        values = np.asarray(f(*columns))
        slopes = grad(lambda *xs: f(*xs).sum(), free)(*columns)
    found: dict[Cell, str] = {}
    for k, (args, y, condition, exact) in enumerate(cells):
        if not _close(values[k], y, condition):
            found["value", tuple(args)] = f"{values[k]!r} for {y!r}"
        for i, slope in zip(free, slopes, strict=True):
            got = float(np.asarray(slope)[k])
            if exact[i] is None:
                wrong = math.isnan(got) and math.isfinite(y)
            else:
                wrong = not _close(got, *exact[i])
            if wrong:
                found[f"slope {i}", tuple(args)] = f"{got!r} for {exact[i] and exact[i][0]!r}"
    return found


def _close(got: float, exact: float, condition: float) -> bool:
    if math.isnan(exact) or math.isinf(exact):
        return bool(got == exact) or (math.isnan(exact) and math.isnan(got))
    return bool(abs(got - exact) <= 8.0 * (1.0 + condition) * ULP * max(abs(exact), LEAST))


def count(cells: list[Any], fixed: tuple[int, ...] = ()) -> int:
    """Return how many numbers the cells compare."""
    return sum(1 + len(cell[0]) - len(fixed) for cell in cells)


def lines(found: dict[Cell, str]) -> Iterator[str]:
    """Yield a line for each failure."""
    for (which, args), text in found.items():
        yield f"{which} at {args}: {text}"
