"""The determinant by expansion by minors, and its gradient.

Every minor of the recursion is computed, as often as the recursion meets it; the minors of one
size are the elements of one array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import compile, grad

from ..runs import Input, Job


def expansions(size: int) -> list[tuple[Any, Any]]:
    """Return the columns of the entries of each row that the recursion multiplies, and their signs.

    Row r is expanded once for each way to take r columns away, in the order of the recursion.
    """
    left, rows = np.arange(size)[None, :], []
    for width in range(size, 0, -1):
        rows.append((left, (-1.0) ** np.arange(width)))
        others = np.array([[k for k in range(width) if k != j] for j in range(width)], int)
        left = left[:, others].reshape(len(left) * width, width - 1)
    return rows


def determinant(a: Any, rows: list[tuple[Any, Any]]) -> Any:
    minors = 1.0
    for r in range(len(rows) - 1, -1, -1):
        columns, signs = rows[r]
        minors = (a[r][columns] * signs * minors).sum(axis=1)
        minors = minors.reshape(rows[r - 1][0].shape) if r else minors[0]
    return minors


def _given(given: Input) -> tuple[Any, list[tuple[Any, Any]]]:
    size = given["ell"]
    return np.array(given["A"], np.float64).reshape(size, size), expansions(size)


def primal(given: Input) -> Job:
    a, rows = _given(given)
    value = compile(lambda a: determinant(a, rows))
    return Job(lambda: value(a))


def gradient(given: Input) -> Job:
    a, rows = _given(given)
    slopes = compile(grad(lambda a: determinant(a, rows)))
    return Job(lambda: slopes(a), lambda found: found.reshape(-1).tolist())


FUNCTIONS = {"primal": primal, "gradient": gradient}
