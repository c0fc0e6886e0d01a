"""`paths`: a gradient as a sum over the paths from a leaf to the result."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import count, groupby, starmap
from math import fsum, isfinite, log10
from typing import Any

from ..core.calls import caller
from ..core.carrier import is_tensor
from ..core.expect import at_least, describe
from ..engine.value import Value
from ..errors import NotANumberError, OptionError
from ..foreign.twins import twin
from ..program.run import Run, run_of
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
    x = x.data if hasattr(x, "mask") else x
    return float((abs(x) ** 2).sum() ** 0.5 if hasattr(x, "dtype") else abs(x))


MOST_STEPS = 20_000  # how many steps of a search are made before the rest is left to the remainder


def paths(loss: Any, leaf: Any, top: int = 10) -> Paths:
    """Return the largest contributions to ∂loss/∂leaf, path by path.

        ∂L/∂a = Σ over paths from a to L of Π slopes along the path

    If there are more, paths whose names differ in indices only are folded into one row. What is
    not shown is the remainder, so the rows add up to the gradient. No ``grad`` changes.

    Parameters
    ----------
    loss
        The result: a Value, a Tensor or a `Replay`.
    leaf
        What it is differentiated by, of the same kind as ``loss``.
    top
        How many contributions are shown, >= 1.

    Returns
    -------
    a Paths
        For Tensors a contribution is an array in the shape of ``leaf``, and its norm is shown.

    Raises
    ------
    NotANumberError
        Unless both are Values or both are Tensors.
    OptionError
        If ``top`` is not a positive integer, or a Tensor takes no part in gradients.
    FreedGraphError
        If the graph was freed.

    Examples
    --------
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
    loss, leaf = twin(loss), twin(leaf)
    wanted = at_least("paths(top=...)", top, 1, "Use top=10.")
    loss = loss.graph() if hasattr(loss, "graph") else loss  # of a Replay
    namer = Namer(caller())
    kinds = {is_tensor(x) if type(x) is Value or is_tensor(x) else None for x in (loss, leaf)}
    if kinds not in ({False}, {True}):
        raise NotANumberError(
            where="paths(loss, leaf)",
            expected="two Values or two Tensors",
            got=f"{describe(loss)} and {describe(leaf)}",
            fix="Pass the result and the leaf themselves: paths(loss, w).",
        )
    _expect_graph(loss, "loss")
    _expect_graph(leaf, "leaf")
    return _paths(run_of(loss), leaf, wanted, namer)


def _expect_graph(x: Any, name: str) -> None:
    if is_tensor(x) and x._node is None:
        raise OptionError(
            where=f"paths({name})",
            expected="a Tensor that takes part in gradients",
            got=repr(x),
            fix="Write Tensor(data, requires_grad=True) before the computation.",
        )


def _paths(run: Run, leaf: Any, top: int, namer: Namer) -> Paths:
    node = leaf._node if is_tensor(leaf) else leaf
    end, seed = run.where.get(node), run.seed()
    with run.quiet():
        found = [] if end is None else _search(run, end, top)
        gradient = None if end is None else run.cotangents(seed).get(end)
        gradient = getattr(gradient, "data", None) if hasattr(gradient, "mask") else gradient
        gradient = 0.0 * leaf.data if gradient is None else gradient
        named = [(c, [_name(run, a, namer) for a in atoms], s) for c, atoms, s in found]
        shown = _rows(named, top)[:top]
        hidden = _count(run, end) - sum(p.times for p in shown)
        given = [p.contribution for p in shown]
        remainder = gradient - (_sum(given) if given else 0.0) if hidden else 0.0 * leaf.data
    rest = f"remainder: {_counted(hidden)} more path{'s' * (hidden != 1)}" if hidden else ""
    ends = f"∂{_name(run, run.root, namer)}/∂{namer.name(node) or 'leaf'}"
    title = f"{ends}{': ' if is_tensor(leaf) else ' = '}{number_text(gradient)}"
    if not hidden and not shown:
        title += f": no path leads from {namer.name(node) or 'the leaf'} to the result"
    return Paths(title, gradient, shown, remainder, rest)


def _counted(n: int) -> str:
    """Return a number of paths, as a power of 10 if it is too long to be read.

    >>> _counted(1_073_741_623), _counted(2**10_000)
    ('1,073,741,623', 'about 10^3010')
    """
    if n < 10**15:
        return f"{n:,}"
    return f"about 10^{round((n.bit_length() - 1) * log10(2.0))}"


def _name(run: Run, atom: int, namer: Namer) -> str:
    k = run.program.maker(atom)
    op = "leaf" if k is None else run.program.primitive(k).name
    return namer.name(run.nodes[atom]) or op


def _count(run: Run, end: int | None) -> int:
    """Return how many paths there are, without following them."""
    ways = [0] * run.program.variables
    if end is None:
        return 0
    ways[end] = 1
    for k in range(len(run.program)):
        if end not in run.program.results(k):
            total = sum(ways[a] for a in run.program.operands(k) if a >= 0)
            for y in run.program.results(k):
                ways[y] = total
    return ways[run.root]


def _slopes(run: Run) -> dict[int, list[Any]]:
    """Return for each equation on numbers the derivatives by its operands, ``None`` for none."""
    program = run.program
    return {
        k: [*run.pull(k, 1.0)] for k in range(len(program))
        if len(program.results(k)) == 1 and isinstance(run.number(program.results(k)[0]), float)
    }  # fmt: skip


def _largest(run: Run, end: int, slopes: dict[int, list[Any]]) -> dict[int, float]:
    """Return the variables that lead to the leaf, with the largest product of slopes to it.

    On arrays there is no such bound: it is 1.
    """
    best = {end: 1.0}
    for k in range(len(run.program)):
        operands = run.program.operands(k)
        known = slopes.get(k) or [1.0] * len(operands)
        pairs = zip(operands, known, strict=True)
        reach = [abs(s) * best[a] for a, s in pairs if a in best and s is not None]
        for y in run.program.results(k) if reach else ():
            best.setdefault(y, max(reach))
    return best


def _search(run: Run, end: int, top: int) -> list[tuple[Any, list[int], list[float]]]:
    """Return the paths with the largest contributions: what is left of one is known from bounds."""
    slopes = _slopes(run)
    best = _largest(run, end, slopes)
    order, found = count(), list[Any]()
    heap: list[Any] = [(0.0, next(order), run.seed(), run.root, None, 1.0)]
    steps, most = (MOST_STEPS, 50 * top) if slopes else (MOST_STEPS // 10, 20 * top)
    for _ in range(steps):
        if not heap or run.root not in best or len(found) >= most:
            break
        entry = heapq.heappop(heap)
        _, _, t, atom, _, _ = entry
        if atom == end:
            atoms, along = _unwound(entry)
            found.append(
                (getattr(t, "data", t) if hasattr(t, "mask") else t, atoms, along if slopes else [])
            )
            continue
        k = run.program.maker(atom)
        for a, c, slope in () if k is None else _pulled(run, k, atom, t, slopes.get(k)):
            if c is not None and a in best:
                bound = size_of(c) * best[a]
                key = -bound if bound == bound else float("-inf")
                heapq.heappush(heap, (key, next(order), c, a, entry, slope))
    return found


def _pulled(run: Run, k: int, atom: int, t: Any, slopes: list[Any] | None) -> Iterator[Any]:
    """Yield the operands of an equation with the contributions of ``t``, and slopes of numbers."""
    operands, results = run.program.operands(k), run.program.results(k)
    if slopes is not None:
        for a, s in zip(operands, slopes, strict=True):
            yield a, None if s is None else t * s, s
        return
    given = t if len(results) == 1 else {atom - results[0]: t}
    for a, c in zip(operands, run.pull(k, given), strict=True):
        yield a, c, 1.0


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
