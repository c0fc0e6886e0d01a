"""Loops that keep memory flat: `scan`, `while_loop` and chains of checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isqrt
from typing import Any, overload

from ...core.calls import expect_function
from ...core.expect import describe, index_of
from ...core.pytree import PyTree, flatten, flatten_like
from ...errors import OptionError, SizeError
from ..results import to_caller
from ..signatures import Element, X
from .checkpoints import checkpoint
from .columns import columns_of, join, rows_of, split_column, stack_rows
from .recorded_loops import RECORDED_OTHERWISE, is_recorded, recorded_scan, recorded_while

__all__ = ["checkpoint_chain", "scan", "while_loop"]


@overload
def checkpoint_chain(functions: Iterable[Callable[[X], X]], x: X) -> X: ...
# functions whose results are of another type than their arguments
@overload
def checkpoint_chain(functions: Iterable[Callable[[Any], Any]], x: Any) -> Any: ...
def checkpoint_chain(functions: Iterable[Callable[[Any], Any]], x: object) -> Any:
    """Apply functions one after the other, in about √n checkpointed segments.

        y = fₙ(… f₂(f₁(x)))

    Of n functions the backward pass keeps the arguments of √n segments, and runs one of them at a
    time again: memory grows as √n, not as n, for one more run of each function. Each function takes
    what the one before returns, in any containers. Chen and others, Training deep nets with
    sublinear memory cost (2016).

    >>> from gradwalk import Value, checkpoint_chain, sin
    >>> x = Value(1.0)
    >>> y = checkpoint_chain([sin] * 9, x)
    >>> y.operands[0].operands[0].operands == (x,)
    True
    """
    steps = list(functions) if isinstance(functions, Iterable) else [functions]
    for f in steps:
        expect_function(f, "checkpoint_chain")
    size = _root_of(len(steps))
    for start in range(0, len(steps), size):
        x = _chain(steps[start : start + size])(x)
    return x


def _chain(steps: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    @checkpoint
    def segment(x: object) -> Any:
        for step in steps:
            x = step(x)
        return x

    return segment


def _root_of(n: int) -> int:
    """Return the length of the segments of n steps."""
    return isqrt(max(n - 1, 0)) + 1


class _Like:
    """Expects containers of one structure, with numbers and arrays of one shape each."""

    def __init__(self, x: object, where: str, what: str) -> None:
        leaves, self.tree = flatten(x)
        self.where, self.what = where, what
        self.shapes = [*map(_shape, leaves)]

    def leaves(self, x: object) -> list[Any]:
        """Return the leaves of ``x``. Raise `SizeError` if it is not like the first one."""
        found = flatten_like(x, self.tree, self.where, self.what)
        for shape, leaf in zip(self.shapes, found, strict=True):
            if _shape(leaf) != shape:
                raise SizeError(
                    where=self.where,
                    expected=f"shape {shape}, as that of {self.what}",
                    got=f"shape {_shape(leaf)}",
                    fix="Start with an array of that shape: all steps have the same shapes.",
                )
        return found


def _shape(x: object) -> tuple[int, ...]:
    return tuple(getattr(x, "shape", ()))


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


def while_loop(cond: Callable[[X], object], body: Callable[[X], X], init: X) -> X:
    """Repeat ``carry = body(carry)`` while ``cond(carry)``, starting with ``init``.

        c₀ = init,   cₖ₊₁ = body(cₖ) while cond(cₖ)

    ``body`` gives back the structure and the shapes of what it gets; otherwise there is a
    `SizeError`. All modes differentiate the steps that have been made. Reverse mode keeps the carry
    after 1, 3, 6, 10, … steps and runs what lies between again: of n steps it keeps √(2n) carries
    and the intermediate results of at most √(2n) steps at a time. Forward mode keeps nothing.

    >>> from gradwalk import grad, while_loop
    >>> def root(a):  # Newton's method
    ...     return while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2.0, a)
    >>> round(root(2.0), 9), round(grad(root)(2.0), 9)
    (1.414213562, 0.353553391)
    """
    expect_function(cond, "while_loop(cond)")
    expect_function(body, "while_loop(body)")
    like = _Like(init, "while_loop: the result of body", "the carry")

    @checkpoint
    def segment(carry: Any, most: int) -> Any:
        for done in range(most):
            if done and not _truth(cond(carry)):  # the first step has been tested outside
                break
            carry = body(carry)
            like.leaves(carry)
        return carry

    if is_recorded():
        try:
            return recorded_while(cond, body, init)  # type: ignore[no-any-return]
        except RECORDED_OTHERWISE:
            pass  # a mistake comes again
    # segments of 1, 2, 3, ... steps: about √(2n) of them for any n, which is not known beforehand
    carry, most = init, 1
    while _truth(cond(carry)):
        carry, most = segment(carry, most), most + 1
    return carry


# --- scan -----------------------------------------------------------------------------------------


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

    ``xs`` is a container of arrays, of which each step gets the next row of the first axis; a list
    or tuple of numbers stands for an array of them. With ``xs=None`` f gets None, ``length`` times.
    The results come as ``ys``, in the structure of one y with a first axis more: arrays are
    stacked, numbers are a list. ``reverse`` starts at the end; ys stay in the order of xs. The
    carry keeps its structure and its shapes, and all y have the same; otherwise there is a
    `SizeError`. Without steps (``length=0``, empty arrays or lists) f is not called: the carry is
    ``init`` itself, and ys is ``[]``, for only f knows what its results would look like.

    In reverse mode the carry is kept at √n places, and the √n steps between two of them are run
    again: beside xs and ys memory grows as √n. Forward mode keeps nothing.

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
    size = _root_of(n)
    # split before, so that a segment keeps its own rows for the second run, and not all of xs
    parts = [*zip(*[split_column(column, size) for column in columns], strict=True)]
    counts = [min(size, n - start) for start in range(0, n, size)]
    steps = _Steps(f, init, rows, reverse)
    carry, found = init, []
    for i in _order(range(len(counts)), reverse):
        carry, ys = steps.segment(carry, parts[i] if parts else (), counts[i])
        found.append(ys)
    pieces = zip(*_order(found, reverse), strict=True)
    given, _ = flatten((init, xs))  # they show the caller's kinds of number
    return carry, steps.tree.unflatten(to_caller([*map(join, pieces)], given))


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

    def __init__(self, f: Callable[..., Any], init: object, rows: PyTree, reverse: bool) -> None:
        self.f, self.rows, self.reverse = f, rows, reverse
        self.carry = _Like(init, "scan: the carry that f returns", "the carry")
        self.y: _Like | None = None
        self.segment = checkpoint(self._segment)

    @property
    def tree(self) -> PyTree:
        """The structure of each y."""
        return self.y.tree  # type: ignore[union-attr]

    def _segment(self, carry: object, columns: Sequence[Any], count: int) -> tuple[Any, list[Any]]:
        """Return the carry after ``count`` steps, and the leaves of all y in columns."""
        # without xs the function still runs `count` times, on rows of nothing
        rows = [*zip(*map(rows_of, columns), strict=True)] if columns else [()] * count
        ys = []
        for row in _order(rows, self.reverse):
            carry, y = _pair(self.f(carry, self.rows.unflatten(row)))
            self.carry.leaves(carry)
            self.y = self.y or _Like(y, "scan: the y that f returns", "the first one")
            ys.append(self.y.leaves(y))
        return carry, [*map(stack_rows, zip(*_order(ys, self.reverse), strict=True))]


def _pair(result: object) -> tuple[Any, Any]:
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return result[0], result[1]
    raise OptionError(
        where="scan: the result of f",
        expected="a pair (carry, y)",
        got=describe(result),
        fix="Return the next carry and what to collect; None collects nothing.",
    )
