"""`paths`: a gradient as a sum over the paths from a leaf to the result."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Sequence
from itertools import count, groupby, starmap
from math import fsum, isfinite
from typing import Any

from ..core.carrier import is_tensor
from ..core.expect import describe, index_of
from ..engine.node import ancestors, is_constant
from ..engine.reverse import consumer_counts, reverse_pass
from ..engine.value import Value
from ..engine.value_numbers import ValueNumbers
from ..errors import NotANumberError, OptionError
from .charts import Bar, bars
from .draw import Drawing
from .fold import pattern
from .places import Namer
from .report import Report

__all__ = ["Path", "Paths", "paths"]


WIDTH = 8  # nodes of a path that are shown


class Path:
    """One path, or several alike: its contribution, the nodes from the leaf on, the slopes."""

    contribution: Any
    names: tuple[str, ...]
    slopes: tuple[float, ...]
    times: int

    def __init__(
        self, contribution: Any, names: Sequence[str], slopes: Sequence[float] = (), times: int = 1
    ) -> None:
        self.contribution, self.names, self.times = contribution, tuple(names), times
        self.slopes = tuple(slopes)

    def __repr__(self) -> str:
        names = self.names
        if len(names) > WIDTH:
            names = (*names[: WIDTH // 2], f"… {len(names) - WIDTH} more …", *names[-WIDTH // 2 :])
        more = f"   ({self.times} paths)" if self.times > 1 else ""
        return f"{' → '.join(names)}{more}"


class Paths(Report):
    """A gradient as the sum of contributions. ``remainder`` is what the shown ones leave out."""

    gradient: Any
    remainder: Any
    shown: list[Path]

    def __init__(self, title: str, gradient: Any, shown: list[Path], remainder: Any, rest: str):
        self.gradient, self.shown, self.remainder = gradient, shown, remainder
        rows = [(number_text(p.contribution), _with_product(p)) for p in shown]
        super().__init__(title, [*rows, (number_text(remainder), rest)] if rest else rows)

    def __len__(self) -> int:
        return len(self.shown)

    def draw(self) -> Drawing:
        """Draw the contribution of each path as a bar."""
        found = [
            Bar("", _signed(p.contribution), *row)
            for p, row in zip(self.shown, self.rows, strict=False)
        ]
        if len(self.rows) > len(found):
            found.append(Bar("", _signed(self.remainder), *self.rows[-1], kind="rest"))
        return bars(self.title, found)


def _with_product(path: Path) -> str:
    if not path.slopes or path.times > 1 or len(path.slopes) > WIDTH:
        return repr(path)
    return f"{path!r}   ({' × '.join(number_text(s) for s in path.slopes)})"


def number_text(x: Any) -> str:
    """Return a number, or the norm of an array, as text."""
    if not hasattr(x, "dtype"):
        return f"{x:.6g}"
    return f"norm {float((abs(x) ** 2).sum()) ** 0.5:.6g}"


def _signed(x: Any) -> float:
    return size_of(x) if hasattr(x, "dtype") else float(x)


def size_of(x: Any) -> float:
    """Return the absolute value of a number, or the norm of an array."""
    return float((abs(x) ** 2).sum() ** 0.5 if hasattr(x, "dtype") else abs(x))


MOST_STEPS = 20_000  # how many steps of a search are made before the rest is left to the remainder


def paths(loss: Any, leaf: Any, top: int = 10) -> Paths:
    """Return the ``top`` largest contributions to ∂loss/∂leaf, path by path.

        ∂L/∂a = Σ over paths from a to L of Π slopes along the path

    If there are more, paths whose names differ in indices only are folded into one row. What is
    not shown is the remainder, so the rows add up to the gradient. For Tensors a contribution is an
    array in the shape of ``leaf``, and its norm is shown. No ``grad`` changes.

    Raise `NotANumberError` unless both are Values or both are Tensors, `OptionError` if ``top`` is
    not a positive integer, and `FreedGraphError` if the graph was freed.

    >>> from gradwalk import Value
    >>> a = Value(3.0)
    >>> t1 = a * 7.0
    >>> t3 = a * 5.0
    >>> loss = t1 * 3.0 + t3 * 2.0
    >>> found = paths(loss, a)
    >>> print(found)
    ∂loss/∂a = 31
      21  a → t1 → mul → loss   (7 × 3 × 1)
      10  a → t3 → mul → loss   (5 × 2 × 1)
    >>> found.gradient == sum(p.contribution for p in found.shown)
    True
    """
    wanted = index_of(top)
    if wanted is None or wanted < 1:
        raise OptionError(
            where="paths(top=...)", expected="an integer >= 1", got=describe(top), fix="Use top=10."
        )
    loss = loss.graph() if hasattr(loss, "graph") else loss  # of a Replay
    namer = Namer(sys._getframe(1))
    if type(loss) is Value and type(leaf) is Value:
        return _of_values(loss, leaf, wanted, namer)
    if is_tensor(loss) and is_tensor(leaf):
        return _of_tensors(loss, leaf, wanted, namer)
    raise NotANumberError(
        where="paths(loss, leaf)",
        expected="two Values or two Tensors",
        got=f"{describe(loss)} and {describe(leaf)}",
        fix="Pass the result and the leaf themselves: paths(loss, w).",
    )


# --- Values ---------------------------------------------------------------------------------------


def _of_values(loss: Value, leaf: Value, top: int, namer: Namer) -> Paths:
    numbers = ValueNumbers(loss)
    slopes = {node: _slopes(numbers, node) for node in numbers.order}
    best = _largest(numbers, leaf, slopes)
    gradient = _gradient(numbers, loss, leaf)
    total, found = _count(numbers, leaf), _search(numbers, loss, leaf, slopes, best, top)
    named = [(c, [_name(n, namer) for n in nodes], s) for c, nodes, s in found]
    shown = _rows(named, top)[:top]
    hidden = total - sum(p.times for p in shown)
    remainder = gradient - fsum(p.contribution for p in shown)
    rest = f"remainder: {hidden:,} more path{'s' * (hidden != 1)}" if hidden else ""
    title = f"∂{_name(loss, namer)}/∂{_name(leaf, namer)} = {gradient:.6g}"
    return Paths(title, gradient, shown, remainder if hidden else 0.0, rest)


def _name(node: Any, namer: Namer) -> str:
    return namer.name(node) or getattr(node, "op", "") or "leaf"


def _slopes(numbers: ValueNumbers, node: Any) -> list[tuple[Any, float]]:
    """Return each operand that gets a contribution, with the derivative by it."""
    if not node._inputs:
        return []
    pairs = zip(node._inputs, numbers.pull(node, 1.0), strict=True)
    return [(i, s) for i, s in pairs if s is not None and not is_constant(i)]


def _largest(numbers: ValueNumbers, leaf: Any, slopes: Any) -> dict[Any, float]:
    """Return for each node the largest product of slopes along a path from it to the leaf."""
    best: dict[Any, float] = {leaf: 1.0}
    for node in numbers.order:
        reach = [abs(s) * best[i] for i, s in slopes[node] if i in best]
        if reach and node is not leaf:
            best[node] = max(reach)
    return best


def _count(numbers: ValueNumbers, leaf: Any) -> int:
    """Return how many paths there are, without following them."""
    ways = dict.fromkeys(numbers.order, 0)
    ways[leaf] = 1
    for node in numbers.order:
        if node is not leaf:
            ways[node] = sum(ways[i] for i in node._inputs or () if not is_constant(i))
    return ways[numbers.order[-1]]


def _gradient(numbers: ValueNumbers, loss: Any, leaf: Any) -> float:
    found = reverse_pass(loss, 1.0, consumer_counts(loss), numbers.pull)
    return found.get(leaf, 0.0)


def _search(
    numbers: ValueNumbers, loss: Any, leaf: Any, slopes: Any, best: dict[Any, float], top: int
) -> list[tuple[float, list[Any], list[float]]]:
    """Return the paths with the largest products: what is left of a path is known from ``best``."""
    if loss not in best:
        return []
    order, found = count(), list[Any]()
    heap: list[Any] = [(-best[loss], next(order), 1.0, loss, None, 1.0)]
    for _ in range(MOST_STEPS):
        if not heap or len(found) >= 50 * top:
            break
        entry = heapq.heappop(heap)
        _, _, product, node, _, _ = entry
        if node is leaf:
            found.append((product, *_unwound(entry)))
            continue
        for operand, slope in slopes[node]:
            if operand in best:
                bound = abs(product * slope) * best[operand]
                key = -bound if bound == bound else float("-inf")
                heapq.heappush(heap, (key, next(order), product * slope, operand, entry, slope))
    return found


def _unwound(entry: Any) -> tuple[list[Any], list[float]]:
    nodes, slopes = [], []
    while entry is not None:
        nodes.append(entry[3])
        slopes.append(entry[5])
        entry = entry[4]
    return nodes, slopes[:-1]


def _rows(found: Sequence[tuple[Any, list[str], list[float]]], top: int) -> list[Path]:
    """Return the paths, the largest first.

    If there are more than ``top``, those whose names differ in indices only share a row.
    """
    if len(found) <= top:
        return sorted(starmap(Path, found), key=lambda path: -size_of(path.contribution))
    groups: dict[tuple[str, ...], list[Any]] = {}
    for path in found:
        # the terms of a sum pass through more or fewer additions
        key = tuple(name for name, _ in groupby(pattern(name) for name in path[1]))
        groups.setdefault(key, []).append(path)
    rows = []
    for key, members in groups.items():
        if len(members) == 1:
            rows.append(Path(*members[0]))
        else:
            rows.append(Path(_sum([m[0] for m in members]), key, (), len(members)))
    return sorted(rows, key=lambda path: -size_of(path.contribution))


def _sum(contributions: list[Any]) -> Any:
    if all(isinstance(c, float) for c in contributions):
        return fsum(contributions) if all(map(isfinite, contributions)) else sum(contributions)
    return sum(contributions[1:], contributions[0])


# --- Tensors --------------------------------------------------------------------------------------


def _of_tensors(loss: Any, leaf: Any, top: int, namer: Namer) -> Paths:
    import numpy as np

    from ..ops.array.multi_output import OutputGradients
    from ..ops.array.structural_zero import elements_of
    from ..tensor.graph.backward import gradients
    from ..tensor.graph.node import vjp

    root, end = loss._node, leaf._node
    if root is None or end is None:
        name = "loss" if root is None else "leaf"
        raise OptionError(
            where=f"paths({name})",
            expected="a Tensor that takes part in gradients",
            got=repr(loss if root is None else leaf),
            fix="Write Tensor(data, requires_grad=True) before the computation.",
        )
    (gradient,) = gradients(loss, [leaf], None, False)
    leads = _leading(root, end)
    order, done = count(), list[Any]()
    heap: list[Any] = [(0.0, next(order), np.ones(root.shape), root, None, 1.0)] * (root in leads)
    with np.errstate(all="ignore"):
        for _ in range(MOST_STEPS // 10):
            if not heap or len(done) >= 20 * top:
                break
            entry = heapq.heappop(heap)
            t, node = entry[2], entry[3]
            if node is end:
                done.append((np.asarray(elements_of(t)), _unwound(entry)[0], []))
                continue
            for operand, c in zip(node._inputs, vjp(node, t), strict=True):
                if c is not None and operand in leads:
                    part = c if isinstance(c, OutputGradients) else elements_of(c)
                    size = 0.0 if isinstance(c, OutputGradients) else size_of(part)
                    heapq.heappush(heap, (-size, next(order), c, operand, entry, 1.0))
    named = [(c, [_name(n, namer) for n in nodes], s) for c, nodes, s in done]
    rows = _rows(named, top)
    shown = rows[:top]
    with np.errstate(all="ignore"):
        remainder = gradient - sum(p.contribution for p in shown)
    complete = not heap and len(shown) == len(rows)
    title = f"∂{_name(root, namer)}/∂{_name(end, namer)}: {number_text(gradient)}"
    rest = "" if complete else "remainder: all other paths"
    return Paths(title, gradient, shown, np.zeros_like(remainder) if complete else remainder, rest)


def _leading(root: Any, end: Any) -> dict[Any, bool]:
    """Return the nodes from which a path leads to the leaf."""
    leads = {end: True}
    for node in ancestors(root):
        if any(i in leads for i in node._inputs or ()):
            leads[node] = True
    return leads
