"""Loops inside of `compile`: a step is recorded once, at whichever levels it is differentiated.

A loop is a pure function of carries, rows of columns, and constants: what the step uses besides its
arguments is found by a run of it. Each level makes another loop of a loop: forward mode one on
pairs of numbers and tangents, reverse mode one that keeps the carries and one that runs back over
them. Below all levels a loop is one instruction of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ...core.pytree import flatten
from ...errors import GradwalkError
from ...levels.jvp import JVPLevel
from ...levels.level import Level, Reopened, Tracer, running
from ...levels.vjp import VJPLevel, is_arraylike
from ...levels.vmap import VmapLevel
from ...program.recording.conditions import Unrolled
from ..arguments import zeros_like
from .columns import rows_of, stack_numbers, swap_axes
from .loop_steps import Finder, Leaves, Loop, floats, pure_loop
from .multi_output import on_tape
from .multi_output_primitives import MultiOutput

__all__ = ["RECORDED_OTHERWISE", "is_recorded", "recorded_scan", "recorded_while"]

RECORDED_OTHERWISE = (Unrolled, GradwalkError, TypeError, ValueError, AttributeError, IndexError)
"""What keeps a loop from being one instruction of a program."""


def is_recorded() -> bool:
    """Return whether a program is being recorded that may have loops."""
    outermost: Any = running.open[0] if running.open else None
    return outermost is not None and outermost.records_program and outermost.has_loops


# --- levels ---------------------------------------------------------------------------------------


def _apply(loop: Loop, carry: Leaves, columns: Leaves, rest: Leaves) -> tuple[Leaves, Leaves]:
    """Return the last carries and the columns of what is collected."""
    tracers = [x for x in (*carry, *columns, *rest) if isinstance(x, Tracer)]
    if not tracers:
        raise Unrolled
    level: Any = max(tracers, key=lambda x: x._rank)._level
    if isinstance(level, Finder):
        return _observed(loop, level, carry, columns, rest)
    if type(level) is VJPLevel:
        return _on_tape(loop, level, carry, columns, rest)
    if type(level) is JVPLevel:
        return _in_forward_mode(loop, level, carry, columns, rest)
    if isinstance(level, VmapLevel):
        return _batched(loop, level, carry, columns, rest)
    if not level.records_program:
        raise Unrolled
    loops = import_module("...program.loops", __package__)
    parts = (carry, columns, rest)
    found: tuple[Leaves, Leaves] = loops.record_loop(
        level, loop.step, loop.condition, parts, loop.length, loop.reverse, _again
    )
    return found


def _observed(
    loop: Loop, level: Finder, carry: Leaves, columns: Leaves, rest: Leaves
) -> tuple[Leaves, Leaves]:
    lower = [[level.unbox(x) for x in part] for part in (carry, columns, rest)]
    last, ys = _apply(loop, *lower)
    return [level.own(x) for x in last], [level.own(y) for y in ys]


def _in_forward_mode(
    loop: Loop, level: JVPLevel, carry: Leaves, columns: Leaves, rest: Leaves
) -> tuple[Leaves, Leaves]:
    """Make a loop on primals and tangents."""
    parts = [(level.primals(part), _tangents(level, part)) for part in (carry, columns, rest)]

    def boxed(duals: Level, part: Leaves) -> Leaves:
        half = len(part) // 2
        return [duals.box(x, t) for x, t in zip(part[:half], part[half:], strict=True)]

    def step(carry: Leaves, row: Leaves, rest: Leaves) -> tuple[Leaves, Leaves]:
        with JVPLevel("loop") as duals:
            results = loop.step(boxed(duals, carry), boxed(duals, row), boxed(duals, rest))
            pairs = [(duals.primals(part), _tangents(duals, part)) for part in results]
        return [*pairs[0][0], *pairs[0][1]], [*pairs[1][0], *pairs[1][1]]

    condition = loop.condition
    asks = condition and (lambda c, k: condition(c[: len(c) // 2], k[: len(k) // 2]))
    dual = loop._replace(step=step, condition=asks)
    results = _apply(dual, *[[*primals, *tangents] for primals, tangents in parts])
    last, ys = (boxed(level, part) for part in results)
    return last, ys


def _tangents(level: JVPLevel, part: Leaves) -> Leaves:
    found = [level.tangent(x) for x in part]
    raws = level.primals(part)
    return [zeros_like(x) if t is None else t for x, t in zip(raws, found, strict=True)]


def _batched(
    loop: Loop, level: VmapLevel, carry: Leaves, columns: Leaves, rest: Leaves
) -> tuple[Leaves, Leaves]:
    """Make a loop on all examples at once, with an axis of them in what differs between them.

    The condition is a question about all of them: one that differs is `Unrolled`, and refused.
    """
    varies = [[level.owns(x) for x in part] for part in (columns, rest)]
    differs = _differing(loop, level, carry, columns, rest)

    def boxed(batch: VmapLevel, part: Leaves, flags: Sequence[bool]) -> Leaves:
        return [batch.box(x, None) if f else x for x, f in zip(part, flags, strict=True)]

    def step(carry: Leaves, row: Leaves, rest: Leaves) -> tuple[Leaves, Leaves]:
        with VmapLevel(level.size, "loop") as batch:
            parts = boxed(batch, row, varies[0]), boxed(batch, rest, varies[1])
            last, ys = loop.step(boxed(batch, carry, differs), *parts)
            return lowered(batch, last), [*map(batch.lowered, ys)]

    def lowered(batch: VmapLevel, part: Leaves) -> Leaves:
        return [batch.lowered(x) if f else x for x, f in zip(part, differs, strict=True)]

    asked = loop.condition

    def condition(carry: Leaves, rest: Leaves) -> Any:
        assert asked is not None
        with VmapLevel(level.size, "loop") as batch:
            go = asked(boxed(batch, carry, differs), boxed(batch, rest, varies[1]))
            if batch.owns(go):
                raise Unrolled
            return go

    lower = [swap_axes(x._primal) if level.owns(x) else x for x in columns]
    whole = loop._replace(step=step, condition=asked and condition)
    last, ys = _apply(whole, lowered(level, carry), lower, level.primals(rest))
    return boxed(level, last, differs), [level.box(swap_axes(y), None) for y in ys]


def _differing(
    loop: Loop, level: VmapLevel, carry: Leaves, columns: Leaves, rest: Leaves
) -> list[bool]:
    """Return for each carry whether it differs between examples, after any number of steps."""
    row = [x[-1 if loop.reverse else 0] for x in columns]
    differs = [level.owns(x) for x in carry]
    while True:
        pairs = zip(carry, differs, strict=True)
        after, _ = loop.step([level.box(level.lowered(x), None) if f else x for x, f in pairs],
                             row, rest)  # fmt: skip
        found = [f or level.owns(y) for y, f in zip(after, differs, strict=True)]
        if found == differs:
            return differs
        differs = found


def _on_tape(
    loop: Loop, level: VJPLevel, carry: Leaves, columns: Leaves, rest: Leaves
) -> tuple[Leaves, Leaves]:
    operation = ReverseLoop(loop, len(carry), len(columns))
    found = on_tape(operation, level, [*carry, *columns, *rest])
    count = len(found) - len(carry)  # the old carries come last
    return found[: len(carry)], found[len(carry) : count]


class ReverseLoop(MultiOutput):
    """A loop that collects its carries as well, and its derivative, a loop that runs back."""

    loop: Loop
    carries: int
    columns: int
    keeping: Loop
    levels: Any

    name = "loop"
    floor = 1 << 62  # `forward` knows all levels itself

    def __init__(self, loop: Loop, carries: int, columns: int) -> None:
        self.loop, self.carries, self.columns = loop, carries, columns
        self.levels = running.open  # a step may use tracers of a run that has ended by then

        def step(carry: Leaves, row: Leaves, rest: Leaves) -> tuple[Leaves, Leaves]:
            after, ys = loop.step(carry, row, rest)
            return after, [*ys, *carry]

        self.keeping = loop._replace(step=step)

    def _parts(self, inputs: Sequence[Any]) -> tuple[Leaves, Leaves, Leaves]:
        end = self.carries + self.columns
        return list(inputs[: self.carries]), list(inputs[self.carries : end]), list(inputs[end:])

    def forward(self, inputs: Sequence[Any]) -> Leaves:
        """Return the last carries, what is collected, and the columns of the carries."""
        last, ys = _apply(self.keeping, *self._parts(inputs))
        return [*last, *ys]

    def jvp(self, tangents: Sequence[Any], inputs: Sequence[Any]) -> Leaves:
        """Return the tangents of the results, by a loop on primals and tangents."""
        with Reopened(self.levels), JVPLevel("loop") as duals:
            pairs = zip(inputs, tangents, strict=True)
            found = self.forward([x if t is None else duals.box(x, t) for x, t in pairs])
            return [duals.tangent(y) for y in found]

    def vjp(self, cotangents: Sequence[Any], inputs: Sequence[Any]) -> Leaves:
        """Return the cotangents of the inputs, by a loop over the carries that were kept."""
        with Reopened(self.levels):
            return self._back(cotangents, inputs)

    def _back(self, cotangents: Sequence[Any], inputs: Sequence[Any]) -> Leaves:
        carry, columns, rest = self._parts(inputs)
        kept = self.forward(inputs)[-self.carries :] if self.carries else []
        n, m = self.carries, self.columns
        ct = [zeros_like(x) if t is None else t for x, t in zip(carry, cotangents, strict=False)]
        given = [i for i, t in enumerate(cotangents[n:]) if t is not None]
        sums = [zeros_like(x) for x in rest]

        def step(after: Leaves, row: Leaves, rest: Leaves) -> tuple[Leaves, Leaves]:
            with VJPLevel("loop") as tape:
                leaves = [tape.leaf(x) for x in (*row[: n + m], *rest)]
                steps = [leaf._payload for leaf in leaves]
                last, ys = self.keeping.step(leaves[:n], leaves[n : n + m], leaves[n + m :])
            pairs = [*zip(last, after[:n], strict=True)]
            pairs += zip([ys[i] for i in given], row[n + m :], strict=True)
            pairs = [(y, t) for y, t in pairs if tape.owns(y)]
            found = tape.gradients([y for y, _ in pairs], [t for _, t in pairs])
            slopes = [found.get(s) for s in steps]
            raws = [*row[: n + m], *rest]
            filled = [zeros_like(x) if t is None else t for x, t in zip(raws, slopes, strict=True)]
            added = [a + t for a, t in zip(after[n:], filled[n + m :], strict=True)]
            return [*filled[:n], *added], filled[n : n + m]

        back = Loop(step, None, self.loop.length, not self.loop.reverse)
        rows = [*kept, *columns, *[cotangents[n:][i] for i in given]]
        last, ys = _apply(back, [*ct, *sums], rows, rest)
        return [*last[:n], *ys, *last[n:]]


# --- again ----------------------------------------------------------------------------------------


def _again(args: Sequence[Any], body: Any) -> tuple[Any, ...]:
    """Return what a loop of a program returns, at the levels of its operands."""
    carries, end = body.carries, body.carries + body.columns
    asks = body.start is not None

    def step(carry: Leaves, row: Leaves, rest: Leaves) -> tuple[Leaves, Leaves]:
        found = body.step.results([*carry, *row, *rest])
        return found[:carries], found[carries : len(found) - asks]

    def condition(carry: Leaves, rest: Leaves) -> Any:
        return body.start.results([*carry, *rest])[0]

    loop = Loop(step, condition if asks else None, body.length, body.reverse)
    last, ys = _apply(loop, list(args[:carries]), list(args[carries:end]), list(args[end:]))
    return (*last, *ys)


# --- scan and while -------------------------------------------------------------------------------


def recorded_scan(
    f: Callable[[Any, Any], Any], carry: Any, rows: Any, columns: Leaves, length: int, reverse: bool
) -> tuple[Any, Any, Leaves]:
    """Return the last carry, the structure of y, and its columns.

    Raise `Unrolled`, or the error of a step.
    """
    leaves, tree = flatten(carry)
    structures: list[Any] = []

    def call(carry: Leaves, row: Leaves) -> tuple[Leaves, Leaves]:
        after, y = f(tree.unflatten(carry), rows.unflatten(row))
        last, structure = flatten(after)
        if not structure.matches(tree):
            raise Unrolled
        ys, of_y = flatten(y)
        structures.append((of_y, [not is_arraylike(y) for y in ys]))
        return last, ys

    first = [column[-1 if reverse else 0] for column in columns]
    loop, rest = pure_loop(call, None, leaves, first, length, reverse)
    stacked = [stack_numbers(c) if isinstance(c, list) else c for c in columns]
    last, ys = _apply(loop, floats(leaves), stacked, rest)
    structure, numbers = structures[0]
    # as without a program: numbers are collected in lists
    ys = [[*rows_of(y)] if number else y for y, number in zip(ys, numbers, strict=True)]
    return tree.unflatten(last), structure, ys


def recorded_while(cond: Callable[[Any], Any], body: Callable[[Any], Any], carry: Any) -> Any:
    """Return the last carry. Raise `Unrolled`, or the error of a step."""
    leaves, tree = flatten(carry)

    def call(carry: Leaves, row: Leaves) -> tuple[Leaves, Leaves]:
        last, structure = flatten(body(tree.unflatten(carry)))
        if not structure.matches(tree):
            raise Unrolled
        return last, []

    loop, rest = pure_loop(call, lambda c: cond(tree.unflatten(c)), leaves, [], 0, False)
    last, _ = _apply(loop, floats(leaves), [], rest)
    return tree.unflatten(last)
