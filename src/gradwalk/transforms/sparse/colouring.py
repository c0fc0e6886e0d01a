"""Which columns, or rows, of a sparse matrix one pass can compute at once.

Columns without a row in common get the same colour: the sum of such columns shows each of their
elements alone (A. Curtis, M. Powell, J. Reid, 1974). Colours are handed out greedily, to the
columns that meet most others first. A few rows with many numbers would cost a colour for each of
them; they get passes of the other direction, and in a symmetric matrix are read off the columns.
For an overview see A. Gebremedhin, F. Manne, A. Pothen, What color is your Jacobian? (2005).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["Coloring", "color"]

Indices = NDArray[np.intp]

NONE = np.zeros(0, np.intp)


class Coloring(NamedTuple):
    """The passes that compute all elements of a sparse matrix.

    ``pattern``  where numbers other than 0 may stand: a boolean csr_array of shape (m, n)
    ``columns``  for each column the number of its forward pass, or -1
    ``rows``     for each row the number of its reverse pass, or -1
    ``mode``     "forward": read from the columns, except the rows that have a pass;
                 "reverse": from the rows, except the columns that have one;
                 "symmetric": from the columns, except the rows whose column has its own pass
    """

    pattern: csr_array
    columns: Indices
    rows: Indices
    mode: str

    @property
    def sweeps(self) -> int:
        """The number of passes."""
        rows = 0 if self.mode == "symmetric" else _count(self.rows)
        return _count(self.columns) + rows


def _count(colors: Indices) -> int:
    return int(colors.max(initial=-1)) + 1


def color(pattern: object, mode: str | None) -> Coloring:
    """Return the colouring of ``mode``, or of both directions together if that is cheaper."""
    if mode == "symmetric":
        # a pattern with too many entries need not be symmetric, and the passes rely on it
        both = csr_array(pattern + _transpose(pattern))
        return _least([_symmetric(both, crowded) for crowded in _choices(both)])
    if mode == "forward":
        return _forward(pattern, NONE)
    if mode == "reverse":
        return _turn(color(_transpose(pattern), "forward"), pattern)
    reverse = _turn(_cheapest(_transpose(pattern)), pattern)
    return _least([reverse, _cheapest(pattern)])


def _transpose(pattern: csr_array) -> csr_array:
    return csr_array(pattern.T)


def _turn(coloring: Coloring, pattern: object) -> Coloring:
    return Coloring(pattern, coloring.rows, coloring.columns, "reverse")


def _cheapest(pattern: object) -> Coloring:
    """Return columns together, and a few crowded rows alone if that takes fewer passes."""
    return _least([_forward(pattern, crowded) for crowded in _choices(pattern)])


def _least(colorings: list[Coloring]) -> Coloring:
    return min(colorings, key=lambda coloring: coloring.sweeps)


def _forward(pattern: csr_array, crowded: Indices) -> Coloring:
    rows = np.full(pattern.shape[0], -1)
    rows[crowded] = np.arange(len(crowded))
    return Coloring(pattern, _greedy(pattern, rows=crowded), rows, "forward")


def _symmetric(pattern: csr_array, crowded: Indices) -> Coloring:
    columns, rows = _greedy(pattern, crowded, crowded), np.full(pattern.shape[0], -1)
    columns[crowded] = rows[crowded] = _count(columns) + np.arange(len(crowded))
    return Coloring(pattern, columns, rows, "symmetric")


def _choices(pattern: csr_array) -> list[Indices]:
    """Return the sets of rows that might get passes of their own: some, or none."""
    crowded = _crowded(np.diff(pattern.indptr))
    # only their colourings show which one takes fewer passes
    return [crowded, NONE] if len(crowded) else [NONE]


def _crowded(lengths: Indices) -> Indices:
    """Return the k longest rows, for the k with the least sum of k and the next longest."""
    # stable, so that the same pattern has the same colours everywhere
    order = np.argsort(-lengths, stable=True)
    costs = np.arange(len(lengths)) + lengths[order]
    count = int(np.argmin(costs)) if len(costs) else 0
    return np.sort(order[:count])


def _greedy(pattern: csr_array, rows: Indices = NONE, columns: Indices = NONE) -> Indices:
    """Return colours of the columns without some rows and columns; -1 for empty ones.

    Busy columns come first, and if that takes more colours than the longest row has numbers, all
    are tried again as they come.
    """
    inside = pattern.copy()
    # on a copy; rows and columns with passes of their own cost no colour
    inside.data &= ~np.isin(_row_numbers(pattern), rows) & ~np.isin(pattern.indices, columns)
    inside.eliminate_zeros()
    turned, lengths = _transpose(inside), np.diff(inside.indptr)
    order = np.argsort(-(turned.astype(np.int64) @ lengths), stable=True)
    colors = _in_order(turned, order)
    if _count(colors) > lengths.max(initial=0):
        colors = min(colors, _in_order(turned, np.arange(len(order))), key=_count)
    return colors


def _row_numbers(pattern: csr_array) -> Indices:
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))


def _in_order(turned: csr_array, order: Indices) -> Indices:
    """Give each column, a row of ``turned``, the first colour that none of its rows has yet.

    The colours of a row are bits of an int, so each element is visited twice, and no pair
    of columns ever is.
    """
    starts, rows = turned.indptr.tolist(), turned.indices.tolist()
    taken = [0] * turned.shape[1]
    colors = np.full(len(order), -1)
    for column in order.tolist():
        colors[column] = _least_free(rows[starts[column] : starts[column + 1]], taken)
    return colors


def _least_free(rows: list[int], taken: list[int]) -> int:
    """Mark and return the first colour that none of ``rows`` has; -1 without rows."""
    used = 0
    for row in rows:
        used |= taken[row]
    free = ~used & (used + 1) if rows else 0  # the lowest bit that is not in `used`
    for row in rows:
        taken[row] |= free
    return free.bit_length() - 1
