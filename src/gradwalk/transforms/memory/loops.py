"""Loops that keep memory flat: `scan` and `while_loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from ...core.calls import expect_function
from ...core.expect import describe, index_of
from ...core.functions import Anything
from ...core.pytree import LEAF, PyTree, flatten
from ...errors import OptionError, SizeError
from ..results import to_caller
from ..signatures import Element, X
from .alike import RECORDED, Alike
from .checkpoints import checkpoint_of_numbers, root_of
from .columns import columns_like, columns_of, join, rows_of, split_column
from .recorded_loops import RECORDED_OTHERWISE, is_recorded, recorded_scan, recorded_while

__all__ = ["scan", "while_loop"]


# --- while ----------------------------------------------------------------------------------------


def _truth(answer: object) -> bool:
    """Return whether to go on. A forgotten ``return`` would end the loop silently."""
    if answer is None or isinstance(answer, str):
        raise OptionError(
            where="while_loop: the result of cond",
            expected="True or False",
            got=describe(answer),
            fix="Return a comparison from cond, as in lambda x: x < 3.0.",
        )
    return bool(answer)


@overload
def while_loop(
    cond: Callable[[Anything], object], body: Callable[[Anything], object], init: X
) -> X: ...
@overload
def while_loop(cond: Callable[[X], object], body: Callable[[X], X], init: X) -> X: ...
def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Repeat ``carry = body(carry)`` while ``cond(carry)``, starting with ``init``.

        c₀ = init,   cₖ₊₁ = body(cₖ) while cond(cₖ)

    All modes differentiate the steps that have been made. Reverse mode keeps the carry
    after 1, 3, 6, 10, … steps and runs what lies between again: of n steps it keeps √(2n) carries
    and the intermediate results of at most √(2n) steps at a time; of steps of numbers alone, those
    of 16,384 besides. Forward mode keeps nothing.

    Parameters
    ----------
    cond
        The question before each step: a comparison of the carry.
    body
        One step. It returns the structure and the shapes of the carry.
    init
        The first carry: a number, an array or a container.

    Returns
    -------
    like init
        The first carry for which ``cond`` is false.

    Raises
    ------
    SizeError
        If ``body`` returns another structure or shape.
    OptionError
        If ``cond`` returns ``None`` or text, or one of the two is no function.

    See Also
    --------
    scan, fixed_point

    Examples
    --------
    >>> from gradwalk import grad, while_loop
    >>> def root(a):  # Newton's method
    ...     return while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2.0, a)
    >>> round(root(2.0), 9), round(grad(root)(2.0), 9)
    (1.414213562, 0.353553391)
    """
    expect_function(cond, "while_loop(cond)")
    expect_function(body, "while_loop(body)")
    like = Alike(init, "while_loop: the result of body", "the carry")

    def run(carry: Any, most: int, tested: bool = False) -> tuple[Any, bool]:
        """Return the carry after at most so many steps, and whether none has ended the loop."""
        fits, kind = like.fits, like.kind
        for _ in range(most):
            if not tested and (go := cond(carry)) is not True and not _truth(go):
                return carry, False
            carry, tested = body(carry), False
            if type(carry) is not kind and not fits(carry):
                like.leaves(carry)
        return carry, True

    if is_recorded():
        try:
            return recorded_while(cond, body, init)
        except RECORDED_OTHERWISE:
            pass  # a mistake comes again
    carry, going, most, first = init, True, 1, True
    # as long as all are plain numbers, or few steps have been recorded, a loop is enough
    while going and like.numbers:
        carry, going = run(carry, most)
        if not first and not like.is_plain(carry):
            break
        like.numbers, most, first = like.fits(carry), RECORDED, False
    segment = checkpoint_of_numbers(lambda carry, most: run(carry, most, tested=True)[0])
    # segments of 1, 2, 3, ... steps: about √(2n) of them for any n, which is not known beforehand
    most = RECORDED if like.numbers else 1
    while going and _truth(cond(carry)):
        carry, most = segment(carry, most), most + 1
    return carry


# --- scan -----------------------------------------------------------------------------------------


@overload
def scan(
    f: Callable[[Anything, Anything], object],
    init: X,
    xs: object = None,
    length: int | None = None,
    *,
    reverse: bool = False,
) -> tuple[X, Any]: ...
# arrays are stacked into an array, which has the type of its rows
@overload
def scan(
    f: Callable[[X, Any], tuple[X, Element]],
    init: X,
    xs: object = None,
    length: int | None = None,
    *,
    reverse: bool = False,
) -> tuple[X, Element]: ...
# numbers are collected in a list
@overload
def scan(
    f: Callable[[X, Any], tuple[X, float]],
    init: X,
    xs: object = None,
    length: int | None = None,
    *,
    reverse: bool = False,
) -> tuple[X, list[float]]: ...
@overload
def scan(
    f: Callable[[X, Any], tuple[X, object]],
    init: X,
    xs: object = None,
    length: int | None = None,
    *,
    reverse: bool = False,
) -> tuple[X, Any]: ...
def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: object = None,
    length: int | None = None,
    *,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Return the last carry and all results of ``carry, y = f(carry, x)`` for each x of ``xs``.

        cₖ₊₁, yₖ = f(cₖ, xₖ),   c₀ = init

    In reverse mode the carry is kept at √n places, and the √n steps between two of them are run
    again: beside xs and ys memory grows as √n. Up to 16,384 steps of numbers alone are recorded as
    a loop would be. Forward mode keeps nothing.

    Parameters
    ----------
    f
        One step: ``f(carry, x)`` returns the pair of the next carry and y. The carry keeps its
        structure and its shapes, and all y have the same; a y of ``None`` collects nothing.
    init
        The first carry: a number, an array or a container.
    xs
        A container of arrays, of which each step gets the next row of the first axis; a list or
        tuple of numbers stands for an array of them. With ``None`` ``f`` gets ``None``, ``length``
        times.
    length
        The number of steps; that of the rows of ``xs`` if ``None``.
    reverse
        Whether to start at the end; ys stay in the order of xs.

    Returns
    -------
    (carry, ys)
        The last carry, like ``init``, and the results in the structure of one y with a first axis
        more, (length, ...): arrays are stacked, numbers are a list. Without steps (``length=0``,
        empty arrays or lists) ``f`` is not called: the carry is ``init`` itself, and ys is ``[]``,
        because only ``f`` knows what its results would look like.

    Raises
    ------
    SizeError
        If the carry or y changes its structure or shape, ``xs`` have several lengths, or there is
        neither ``xs`` nor ``length``.
    OptionError
        If ``f`` is no function or returns no pair.

    See Also
    --------
    while_loop, checkpoint

    Examples
    --------
    >>> from gradwalk import grad, scan
    >>> scan(lambda c, x: (c * x, c), 1.0, [2.0, 3.0, 4.0])
    (24.0, [1.0, 2.0, 6.0])
    >>> grad(lambda xs: scan(lambda c, x: (c * x, c), 1.0, xs)[0])([2.0, 3.0, 4.0])
    [12.0, 8.0, 6.0]
    """
    expect_function(f, "scan")
    columns, rows = columns_of(xs, "scan(xs)")
    n = _steps([len(column) for column in columns], length, xs)
    if not n:
        return init, []
    if is_recorded():
        try:
            carry, tree, ys = recorded_scan(f, init, rows, columns, n, reverse)
            return carry, tree.unflatten(ys)
        except RECORDED_OTHERWISE:
            pass  # a mistake comes again
    steps = _Steps(f, init, rows, reverse)
    segment = checkpoint_of_numbers(steps.segment)
    carry, found, columns = steps.of_numbers(init, columns, n)
    n -= steps.done
    size = max(root_of(n), RECORDED if steps.numbers else 1)
    # split before, so that a segment keeps its own rows for the second run, and not all of xs
    parts = [*zip(*[split_column(column, size) for column in columns], strict=True)]
    counts = [min(size, n - start) for start in range(0, n, size)]
    for i in _order(range(len(counts)), reverse):
        carry, ys = segment(carry, parts[i] if parts else (), counts[i])
        found.append(ys)
    ys = [*map(join, zip(*_order(found, reverse), strict=True))]
    if not all(type(y) is list for y in ys):  # numbers are in lists, which are the caller's
        ys = to_caller(ys, flatten((init, xs))[0])  # these show the caller's kinds of number
    return carry, steps.tree.unflatten(ys)


def _order(steps: Sequence[Any], reverse: bool) -> Sequence[Any]:
    return steps[::-1] if reverse else steps


def _steps(lengths: Sequence[int], length: int | None, xs: object) -> int:
    """Return the number of steps."""
    given = set() if length is None else {index_of(length)}
    known = set(lengths) | given
    if not known and _is_empty(xs):
        return 0
    if len(known) == 1 and isinstance(n := known.pop(), int) and n >= 0:
        return n
    raise SizeError(
        where="scan(xs, length)",
        expected="first axes of one length, which is also `length` if that is given",
        got=f"xs of lengths {list(lengths)}, and length={length!r}",
        fix="Pass length=10 if there are no xs.",
    )


def _is_empty(xs: object) -> bool:
    """Return whether ``xs`` is an empty list, or a container of empty lists only."""
    if isinstance(xs, dict):
        return bool(xs) and all(map(_is_empty, xs.values()))
    return isinstance(xs, (list, tuple)) and all(map(_is_empty, xs))


class _Steps:
    """The steps of a scan; what the first y looks like, all of them have to."""

    done = 0
    plain = True  # whether nothing records the last results
    y: Alike | None = None

    def __init__(self, f: Callable[..., Any], init: object, rows: PyTree, reverse: bool) -> None:
        # not init: the search for leaked nodes would find it here
        self.f, self.rows, self.reverse = f, rows, reverse
        self.carry = Alike(init, "scan: the carry that f returns", "the carry")
        self.numbers = self.carry.numbers

    @property
    def tree(self) -> PyTree:
        """The structure of each y."""
        return self.y.tree  # type: ignore[union-attr]

    def of_numbers(
        self, carry: Any, columns: list[Any], n: int
    ) -> tuple[Any, list[Any], list[Any]]:
        """Run the steps that need no checkpoint; return the carry, all y, and the other columns.

        They are steps of numbers alone: all, if nothing records them, and otherwise a first part.
        """
        found: list[list[Any]] = []
        most = 1
        self.numbers &= all(type(column) is list for column in columns)
        plain = True
        while self.numbers and plain and self.done < n:
            count = min(most, n - self.done)
            places = slice(-count, None) if self.reverse else slice(count)
            rest = slice(-count) if self.reverse else slice(count, None)
            part, columns = [c[places] for c in columns], [c[rest] for c in columns]
            carry, ys = self.segment(carry, part, count)
            found.append(ys)
            # the first step shows whether numbers stay numbers; the others, whether they are traced
            self.numbers = self.carry.fits(carry) and all(type(y) is list for y in ys)
            plain = not self.done or (self.carry.is_plain(carry) and self.plain)
            self.done, most = self.done + count, RECORDED
        return carry, found, columns

    def segment(self, carry: Any, columns: Sequence[Any], count: int) -> tuple[Any, list[Any]]:
        """Return the carry after ``count`` steps, and the leaves of all y in columns."""
        f, fits, kind = self.f, self.carry.fits, self.carry.kind
        ys = []
        for row in _order(self._rows(columns, count), self.reverse):
            result = f(carry, row)
            try:
                carry, y = result if type(result) is tuple else _pair(result)
            except ValueError:
                carry, y = _pair(result)
            if type(carry) is not kind and not fits(carry):
                self.carry.leaves(carry)
            ys.append(y)
        self.y = self.y or Alike(ys[0], "scan: the y that f returns", "the first one")
        columns, self.plain = columns_like(self.y, _order(ys, self.reverse))
        return carry, columns

    def _rows(self, columns: Sequence[Any], count: int) -> Sequence[Any]:
        """Return what each step gets."""
        if not columns:  # without xs the function still runs `count` times, on rows of nothing
            return [self.rows.unflatten(())] * count
        rows = [*map(rows_of, columns)]
        if self.rows is LEAF:
            return rows[0]
        return [*map(self.rows.unflatten, zip(*rows, strict=True))]


def _pair(result: object) -> tuple[Any, Any]:
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return result[0], result[1]
    raise OptionError(
        where="scan: the result of f",
        expected="a pair (carry, y)",
        got=describe(result),
        fix="Return the next carry and what to collect; None collects nothing.",
    )
