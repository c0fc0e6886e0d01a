"""Why a gradient is 0: the graph was cut on the way, or no path lets anything pass."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar, NamedTuple

from ..causes.cut_graphs import reachable
from ..causes.cuts import cut_of_backward
from ..causes.dropped import unused
from ..causes.source import last_backward
from ..core.carrier import is_tensor
from ..core.places import short_place
from ..engine.value import Value
from ..program.program import Program
from ..program.run import Run, run_of
from .edits import operand_at
from .origins import TOGETHER, are_bad, are_nonzero, first_bad, is_zero
from .places import Namer, depending, line_of

__all__ = ["Blocked", "blocked", "probable_cut", "told_factors", "unreached"]
__all__ += ["TINY"]

Rows = list[tuple[str, str]]
MOST = 3  # operations that are named
SEED = 1e-280  # of a pass in which a gradient below `TINY` is exactly 0
TINY = 1e-45  # no step of a float32 is as small
MEANT = {"clip", "softmax", "log_softmax", "square", "abs", "minimum", "maximum"}
"""Operations that programs use because they let nothing pass, and those of a certain prediction."""
BEST = "Leave it, if this is the best value of the loss."
HINGES = {"maximum", "clip"}
SUMS = {"mean", "sum", "mul", "div", "add"}
LARGE = (
    "Make the numbers smaller before: divide the data by their standard deviation, or compute in "
    "float32 instead of float16."
)
FLAT = "leaky_relu for relu, softplus for maximum"


class Factor(NamedTuple):
    """An operand of zeros that lets no gradient pass to the others: a leaf, or its place."""

    leaf: Any
    line: Any
    op: str
    position: int


@dataclass(frozen=True, slots=True)
class Blocked:
    """What a backward pass of Tensors remembers of a gradient of zeros, as an `Origin` of a NaN."""

    kind: ClassVar[str] = "zero"
    rows: Rows
    is_meant: bool = False
    factors: tuple[Factor, ...] = ()


def probable_cut(frame: FrameType | None) -> Rows:
    """Return rows about what has probably cut the graph of the last ``backward()`` in ``frame``."""
    cut = cut_of_backward(frame)
    if cut is None:
        return []
    return [("cause", f"the graph was probably cut by {cut.what}, {cut.why}"), ("line", cut.line),
            ("fix", f"{cut.fix}.")]  # fmt: skip


def unreached(x: Any, namer: Namer) -> Blocked:
    """Return why no gradient has reached a leaf; without rows if nothing stands in the way."""
    frame = namer.frames[0] if namer.frames else None
    if is_tensor(x):
        return _unreached_tensor(x._node, frame, namer)
    root = next(depending(x, _roots(frame, namer)), None)
    if root is None:
        return Blocked(probable_cut(frame) or _no_path(x, frame, namer))
    leaves, cuts = reachable(root)
    if x not in leaves:
        return Blocked(probable_cut(frame) or _cut_in_graph(cuts))
    run = run_of(root)
    return blocked(run, SEED if x.grad else 1.0, run.where[x])


def _unreached_tensor(node: Any, frame: FrameType | None, namer: Namer) -> Blocked:
    if node is None or (node.grad is not None and node.grad.any()):
        return Blocked([])
    if node.grad is None:
        return Blocked(probable_cut(frame) or _no_path(node, frame, namer))
    return node.origin if type(node.origin) is Blocked else Blocked([])


def _no_path(x: Any, frame: FrameType | None, namer: Namer) -> Rows:
    """Return that the result of the last pass does not depend on a leaf, if there was a pass."""
    found = last_backward(frame)
    if found is None:
        return []
    loss, name = found[0] or "the result", namer.name(x) or "the leaf"
    seen = None if frame is None else unused(frame.f_code.co_filename, name)
    if seen is not None:
        told = f"no path leads from {loss} to {name}: {seen.told}"
        return [("cause", told), ("line", seen.line), ("fix", seen.fix)]
    text = f"no path leads from {loss} to {name}: {found[2]} has not reached it"
    fix = f"Look where {name} should enter {loss}. If it is not meant to, leave it out there."
    return [("cause", text), ("fix", fix)]


def _roots(frame: FrameType | None, namer: Namer) -> list[Value]:
    """Return the result of the last ``backward()``, or else all that the variables hold."""
    found = last_backward(frame)
    if frame is not None and found is not None:
        root = frame.f_locals.get(found[0], frame.f_globals.get(found[0]))
        if isinstance(root, Value):
            return [root]
    return [value for value in namer.values() if value.op]


def _cut_in_graph(cuts: Sequence[Any]) -> Rows:
    names = ", ".join(dict.fromkeys(node.op for node in cuts))
    rows = [("cause", f"the graph is cut by {names}, which has no derivative")]
    places = [short_place(line_of(node)) for node in cuts[:MOST]]
    return [*rows, *[("line", p) for p in places if p], ("fix", "Use a smooth operation instead.")]


# --- operations that let nothing pass -------------------------------------------------------------


def blocked(run: Run, seed: Any, end: int) -> Blocked:
    """Return which operations let no gradient pass to the variable ``end``.

    There are no rows if one arrives.
    """
    found = dict[int, Any]()
    shut, reached = _shut(run, seed, end, found)
    shut = [] if reached else sorted(shut)  # contributions arrive, and their sum is 0
    if _is_any(found.get(end)) or (not shut and run.program.maker(run.root) is None):
        return Blocked([])
    if not shut:
        return Blocked([("cause", "the contributions of its paths cancel each other")], True)
    if lost := _lost(run):
        return Blocked([("cause", f"{lost}, and the gradients behind it are 0"), ("fix", LARGE)])
    calls = list(dict.fromkeys(f"{_call(run, k, i)}{_at(run, k)}" for k, i in shut))
    more = f" and {len(calls) - MOST} more" if len(calls) > MOST else ""
    text = f"{', '.join(calls[:MOST])}{more}"
    if best := _is_best(run, {k for k, _ in shut}):
        return Blocked([("cause", f"{text}: {best}"), ("fix", BEST)], is_meant=True)
    ops = {run.program.primitive(k).name for k, _ in shut}
    factors = tuple(f for k, i in shut[:MOST] for f in _factors(run, k, i))
    rows = [("cause", f"{text}: no gradient passes there"), ("fix", _remedy(ops))]
    return Blocked(rows, _is_meant(run, ops, {k for k, _ in shut}), factors)


def _is_best(run: Run, shut: set[int]) -> str:
    """Return why the loss cannot fall any further there, ``""`` if it can."""
    if all(_is_smallest(run, k) for k in shut):
        return "it has its smallest value there, and the slope 0"
    hinges = {run.program.primitive(k).name for k in shut} <= HINGES
    return "the loss is 0, its smallest value" if hinges and _is_linear_above(run, shut) else ""


def _is_meant(run: Run, ops: set[str], shut: set[int]) -> bool:
    """Return whether programs use these operations because they let nothing pass."""
    if ops == {"clip"}:
        return not any(_is_far(run, k) for k in shut)
    return ops <= MEANT and not ops <= {"minimum", "maximum"}  # but with clip, as in PPO


def _factors(run: Run, k: int, position: int) -> Iterator[Factor]:
    """Yield the leaves and constants of zeros that multiply an operand."""
    program, args = run.program, run.args(k)
    name = program.primitive(k).name
    others = [i for i, a in enumerate(args) if i != position and a is not None]
    for i in others if name in ("mul", "matmul", "affine") else ():
        atom = program.operands(k)[i]
        bias = name == "affine" and i == 2
        if not bias and not _is_any(args[i]) and program.maker(atom) is None:
            leaf = run.nodes[atom] if atom >= 0 else None
            yield Factor(leaf, program.line(k), name, i)


def told_factors(factors: Sequence[Factor], namer: Namer) -> Rows:
    """Return which operands are zeros, by their names in the program, and what to do."""
    leaves = [namer.name(f.leaf) for f in factors if f.leaf is not None]
    texts = [operand_at(f.line, f.op, f.position) for f in factors if f.leaf is None]
    names = list(dict.fromkeys(filter(None, [*leaves, *texts])))
    if not names:
        return []
    told = f"{', '.join(names)}: all numbers are 0"
    start = f"Start {' and '.join(names)} from random numbers."
    look = f"Look how {' and '.join(names)} is computed: as a mask, it may be inverted."
    return [("zeros", told), ("fix", start if any(leaves) else look)]


def _is_far(run: Run, k: int) -> bool:
    """Return whether numbers lie beyond the bounds of `clip` by more than their distance."""
    x, low, high = run.args(k)
    if x is None or low is None or high is None:
        return False
    width = high - low
    return _is_any((x > high + width) | (x < low - width))


def _is_linear_above(run: Run, shut: set[int]) -> bool:
    """Return whether the result is 0 because a hinge is, of which it is a mean or a sum."""
    program = run.program
    hinges = {y for k in shut for y in program.results(k)}
    names = {
        program.primitive(k).name for k in range(len(program)) if k not in shut
        and not hinges.isdisjoint(program.operands(k))
    }  # fmt: skip
    return names <= SUMS and not _is_any(run.number(run.root))


def _shut(
    run: Run, seed: Any, end: int, found: dict[int, Any]
) -> tuple[list[tuple[int, int]], bool]:
    """Return where contributions to what depends on ``end`` are 0, and whether some reach it.

    ``found`` gets the cotangents. Almost always many contributions in a row are not 0, which one
    question tells.
    """
    program, below = run.program, _above(run.program, end)
    first, atoms = program.first, program.atoms.tolist()
    shut, seen, flat = list[tuple[int, int]](), list[tuple[int, Any, Sequence[Any]]](), list[Any]()
    reached = False
    for y, t, contributions in run.reverse(seed, found):
        if t is None or y < program.inputs or not below[y]:
            continue
        k = y - program.inputs if program.outs is None else bisect_right(program.outs, y) - 1
        seen.append((k, t, contributions))
        flat.append(t)
        for i, (a, c) in enumerate(zip(atoms[first[k] : first[k + 1]], contributions, strict=True)):
            if below[a]:
                flat.append(c)
            if a == end and _is_any(t) and (_is_any(c) or _cancels(run, k, i, t)):
                reached = True
        if len(seen) >= TOGETHER:
            shut += [] if are_nonzero(flat) else _shut_among(program, seen, below)
            seen.clear()
            flat.clear()
    shut += [] if are_nonzero(flat) else _shut_among(program, seen, below)
    return shut, reached


def _shut_among(
    program: Program, seen: Sequence[tuple[int, Any, Sequence[Any]]], below: bytearray
) -> Iterator[tuple[int, int]]:
    """Yield the equations and positions whose contribution is 0 of a cotangent that is not."""
    for k, t, contributions in seen:
        if _is_any(t):
            for i, (a, c) in enumerate(zip(program.operands(k), contributions, strict=True)):
                if below[a] and not _is_any(c):
                    yield k, i


def _above(program: Program, end: int) -> bytearray:
    """Return a 1 for each variable that is computed from one of them, and for that one."""
    found = bytearray(program.variables + len(program.consts))  # of constants from the end
    found[end] = 1
    first, atoms = program.first, program.atoms.tolist()
    for k in range(len(program)):
        if any(map(found.__getitem__, atoms[first[k] : first[k + 1]])):
            for y in program.results(k):
                found[y] = 1
    return found


def _cancels(run: Run, k: int, position: int, t: Any) -> bool:
    """Return whether a contribution to a broadcast operand is a sum of others than 0."""
    primitive, operands = run.program.primitive(k), run.program.operands(k)
    y = run.program.results(k)[0]
    if primitive.kind != "pointwise" or run.shape(operands[position]) == run.shape(y):
        return False
    rule: Any = primitive.rules[position]
    dense = t.data if hasattr(t, "mask") else t
    return rule is not None and _is_any(rule(dense, run.number(y), *run.args(k)))


def _lost(run: Run) -> str:
    """Return the first operation that made an infinity, "" for none: x / inf = 0 hides it."""
    env = run.env[run.program.inputs :]
    if {kind.__module__ for kind in map(type, env)} <= {"builtins", "numpy"} and not are_bad(env):
        return ""
    for k in range(len(run.program)):
        for y in run.program.results(k):
            element = first_bad(run.number(y))
            if element is not None:
                number = float(run.number(y)[element]) if element else float(run.number(y))
                return f"{run.program.primitive(k).name} made {number:g}{_at(run, k)}"
    return ""


def _is_smallest(run: Run, k: int) -> bool:
    """Return whether an operation is a square or an absolute value, of zeros."""
    name, operands, args = run.program.primitive(k).name, run.program.operands(k), run.args(k)
    square = name in ("square", "abs", "norm") or (name == "mul" and len({*operands}) == 1)
    square = square or (name == "pow" and args[-1] in (2.0, 4.0))
    return square and args[0] is not None and not _is_any(args[0])


def _remedy(ops: set[str]) -> str:
    if ops <= {"mul", "matmul", "affine", "div", "square", "pow", "where"} and "where" not in ops:
        return "Start from numbers other than 0: all factors beside it are 0."
    if ops & {"sigmoid", "tanh", "softmax", "erf", "log_sigmoid", "softplus"}:
        return (
            "Make the inputs smaller: x = (x - x.mean(0)) / x.std(0), or start from smaller "
            "weights. For a loss of probabilities use the one that takes logits."
        )
    if ops <= {"clip", "hardtanh"}:
        return (
            "Make the numbers smaller that it gets, or use an operation without a flat part: "
            "sigmoid for probabilities."
        )
    return f"Start from other numbers, or use an operation without a flat part: {FLAT}."


def _is_any(t: Any) -> bool:
    """Return whether a cotangent has an element other than 0."""
    if t is None or isinstance(t, (float, int)):
        return bool(t)
    if isinstance(t, dict):
        return any(map(_is_any, t.values()))
    array = t.data if hasattr(t, "mask") else t
    if array.size == 1 and hasattr(array, "item"):
        return bool(array.item())
    return bool(array.size) and not is_zero(array)


def _call(run: Run, k: int, position: int) -> str:
    """Return an operation with its numbers: all of them, or the range of an array."""
    primitive, args = run.program.primitive(k), run.args(k)
    numbers = [a for a in args if a is not None]
    if all(getattr(a, "ndim", 0) == 0 for a in numbers) and len(numbers) == len(args):
        return f"{primitive.name}({', '.join(f'{float(a):.6g}' for a in args)})"
    other = [a for i, a in enumerate(args) if i != position]
    is_one = len(args) == 1 or primitive.name == "clip"
    x = args[position] if primitive.kind == "pointwise" and is_one else None
    if x is not None:
        low, high = f"{float(x.min()):.4g}", f"{float(x.max()):.4g}"
        return f"{primitive.name} of {x.size:,} numbers from {low} to {high}"
    if len(other) == 1 and other[0] is not None and not _is_any(other[0]):
        return f"{primitive.name} by zeros"
    return primitive.name


def _at(run: Run, k: int) -> str:
    place = short_place(run.program.line(k))
    return f" ({place})" if place else ""
