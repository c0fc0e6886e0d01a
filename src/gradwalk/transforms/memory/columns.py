"""Columns: numbers or arrays of which each step of a loop gets one, or gives one.

An array is a column of its rows. Without NumPy a list of numbers does the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from ...core.expect import describe
from ...core.pytree import LEAF, Leaf, PyTree, flatten_with_paths
from ...engine.scalar import Scalar
from ...errors import SizeError
from ...levels.vjp import is_arraylike
from .alike import NOTHING, NUMBERS, PLAIN, Alike

__all__ = ["columns_like", "columns_of", "join", "rows_of", "split_column"]
__all__ += ["stack_numbers", "stack_rows", "swap_axes"]


@cache
def _tensors() -> Any:
    """Return the functions of arrays, which need NumPy."""
    return import_module("...tensor", __package__)


def columns_of(xs: object, where: str) -> tuple[list[Any], PyTree]:
    """Return the columns in a container, and the structure of one row of it.

    >>> columns, tree = columns_of({"t": [1.0, 2.0], "none": None}, "here")
    >>> columns, tree.unflatten([2.0])
    ([[1.0, 2.0]], {'t': 2.0, 'none': None})
    """
    # no named tuple, whose members are columns
    if (type(xs) is list or type(xs) is tuple) and xs and NUMBERS.issuperset(map(type, xs)):
        return [list(xs)], LEAF  # 0.03 µs a number; paths for messages take 0.7
    leaves, tree = flatten_with_paths(xs)
    columns: list[Any] = []
    return columns, _rows(tree, iter(leaves), columns, where)


def _rows(tree: PyTree, leaves: Iterator[Leaf], columns: list[Any], where: str) -> PyTree:
    if tree.rebuild is None:
        columns.append(_column(next(leaves), where))
        return tree
    # without NumPy a list of numbers is one column, not a container of columns
    if tree.kind in ("list", "tuple") and tree.children and all(t is LEAF for t in tree.children):
        members = [next(leaves) for _ in tree.children]
        if all(_is_number(leaf.value) for leaf in members):
            columns.append([leaf.value for leaf in members])
            return LEAF
        columns += [_column(leaf, where) for leaf in members]
        return tree
    children = [_rows(child, leaves, columns, where) for child in tree.children]
    return PyTree(tree.container, tree.keys, children, tree.rebuild)


def _is_number(x: object) -> bool:
    return isinstance(x, (int, float, Scalar)) and not is_arraylike(x)


def _column(leaf: Leaf, where: str) -> Any:
    if getattr(leaf.value, "shape", ()):
        return leaf.value
    raise SizeError(
        where=f"{where}{leaf.path}",
        expected="an array with axes, or a list of numbers",
        got=describe(leaf.value),
        fix="Pass an array with a row for each step; use values that all steps share in f itself.",
    )


def split_column(column: Any, size: int) -> list[Any]:
    """Split a column into parts of ``size`` rows. The last one may have fewer."""
    places = range(0, len(column), size)
    if isinstance(column, list):
        return [column[i : i + size] for i in places]
    # `split` is one node for all parts, where slices would be a node each
    return _tensors().split(column, list(places[1:]))  # type: ignore[no-any-return]


def rows_of(column: object) -> Sequence[Any]:
    """Return the rows of a column."""
    return column if isinstance(column, list) else _tensors().unstack(column)


def stack_rows(rows: Sequence[Any]) -> Any:
    """Return the column of ``rows``."""
    return _tensors().stack(rows) if any(map(is_arraylike, rows)) else list(rows)


def columns_like(first: Alike, rows: Sequence[Any]) -> tuple[list[Any], bool]:
    """Return the columns of rows that are like the first one, and whether nothing records them."""
    kinds = set(map(type, rows))
    if kinds <= first.types:  # 0.02 µs a number; tests for structure and arrays take 2
        return [rows], kinds <= PLAIN
    if kinds == NOTHING and not first.shapes:
        return [], True
    columns = [*map(stack_rows, zip(*map(first.leaves, rows), strict=True))]
    return columns, all(PLAIN.issuperset(map(type, c)) for c in columns if type(c) is list)


def stack_numbers(numbers: Sequence[Any]) -> Any:
    """Return the array of numbers, some of which may be traced."""
    return _tensors().stack(numbers)


def swap_axes(x: Any) -> Any:
    """Return an array whose first two axes have changed places."""
    return _tensors().swapaxes(x, 0, 1)


def join(columns: Sequence[Any]) -> Any:
    """Return one column made of several."""
    if len(columns) == 1 and type(columns[0]) is list:
        return columns[0]
    if not isinstance(columns[0], list):
        return _tensors().concat(columns)
    return [x for column in columns for x in column]
