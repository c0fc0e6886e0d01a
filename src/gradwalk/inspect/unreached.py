"""Why a gradient is 0: the graph was cut on the way, or no path lets anything pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar

from ..causes.cut_graphs import reachable
from ..causes.cuts import cut_of_backward, last_backward
from ..core.carrier import is_tensor
from ..core.places import short_place
from ..engine.node import ancestors
from ..engine.value import Value
from ..errors import FreedGraphError
from ..program.run import Run, run_of
from .origins import first_bad
from .places import Namer, line_of

__all__ = ["Blocked", "blocked", "probable_cut", "unreached"]

Rows = list[tuple[str, str]]
MOST = 3  # operations that are named
MEANT = {"clip", "softmax", "log_softmax", "square", "abs", "minimum", "maximum"}
"""Operations that programs use because they let nothing pass, and those of a certain prediction."""
LARGE = (
    "Make the numbers smaller before: divide the data by their standard deviation, or compute in "
    "float32 instead of float16."
)
FLAT = "leaky_relu for relu, softplus for maximum"


@dataclass(frozen=True, slots=True)
class Blocked:
    """What a backward pass of Tensors remembers of a gradient of zeros, as an `Origin` of a NaN."""

    kind: ClassVar[str] = "zero"
    rows: Rows
    is_meant: bool = False


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
    graphs = [graph for graph in map(_graph, _roots(frame, namer)) if x in graph]
    if not graphs:
        return Blocked(probable_cut(frame) or _no_path(x, frame, namer))
    root = max(graphs, key=len)[-1]
    leaves, cuts = reachable(root)
    if x not in leaves:
        return Blocked(probable_cut(frame) or _cut_in_graph(cuts))
    run = run_of(root)
    return blocked(run, 1.0, run.where[x])


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
    text = f"no path leads from {loss} to {name}: {found[2]} has not reached it"
    fix = f"Use {name} in what {loss} is computed from, or leave it out of the optimizer."
    return [("cause", text), ("fix", fix)]


def _roots(frame: FrameType | None, namer: Namer) -> list[Value]:
    """Return the result of the last ``backward()``, or else all that the variables hold."""
    found = last_backward(frame)
    if frame is not None and found is not None:
        root = frame.f_locals.get(found[0], frame.f_globals.get(found[0]))
        if isinstance(root, Value):
            return [root]
    return [value for value in namer.values() if value.op]


def _graph(root: Value) -> list[Any]:
    try:
        return ancestors(root)
    except FreedGraphError:
        return []


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
    program, found = run.program, dict[int, Any]()
    below, shut, reached = {end}, list[tuple[int, int]](), False
    for k in range(len(program)):
        if below.intersection(program.operands(k)):
            below.update(program.results(k))
    for y, t, contributions in run.reverse(seed, found):
        maker = program.maker(y)
        if maker is None or not _is_any(t):
            continue
        for i, (a, c) in enumerate(zip(program.operands(maker), contributions, strict=True)):
            if a == end and (_is_any(c) or _cancels(run, maker, i, t)):
                reached = True
            elif a in below and not _is_any(c):
                shut.append((maker, i))
    if reached:  # contributions arrive, and their sum is 0
        shut = []
    if _is_any(found.get(end)) or (not shut and program.maker(run.root) is None):
        return Blocked([])
    if not shut:
        return Blocked([("cause", "the contributions of its paths cancel each other")], True)
    calls = list(dict.fromkeys(f"{_call(run, k, i)}{_at(run, k)}" for k, i in sorted(shut)))
    more = f" and {len(calls) - MOST} more" if len(calls) > MOST else ""
    if shut and (lost := _lost(run)):
        return Blocked([("cause", f"{lost}, and the gradients behind it are 0"), ("fix", LARGE)])
    if all(_is_smallest(run, k) for k, _ in shut):
        text = f"{', '.join(calls[:MOST])}{more}: it has its smallest value there, and the slope 0"
        fix = "Leave it, if this is the best value of the loss."
        return Blocked([("cause", text), ("fix", fix)], is_meant=True)
    ops = {program.primitive(k).name for k, _ in shut}
    is_meant = ops <= MEANT and not ops <= {"minimum", "maximum"}  # but with clip, as in PPO
    text = f"{', '.join(calls[:MOST])}{more}: no gradient passes there"
    return Blocked([("cause", text), ("fix", _remedy(ops))], is_meant=is_meant)


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
            "Make the inputs smaller: divide the data by their standard deviation, or start from "
            "smaller weights. For a loss of probabilities use the one that takes logits."
        )
    return f"Start from other numbers, or use an operation without a flat part: {FLAT}."


def _is_any(t: Any) -> bool:
    """Return whether a cotangent has an element other than 0."""
    if t is None or isinstance(t, (float, int)):
        return bool(t)
    if isinstance(t, dict):
        return any(map(_is_any, t.values()))
    array = t.data if hasattr(t, "mask") else t
    return bool(array.any())


def _call(run: Run, k: int, position: int) -> str:
    """Return an operation with its numbers: all of them, or the range of an array."""
    primitive, args = run.program.primitive(k), run.args(k)
    numbers = [a for a in args if a is not None]
    if all(getattr(a, "ndim", 0) == 0 for a in numbers) and len(numbers) == len(args):
        return f"{primitive.name}({', '.join(f'{float(a):.6g}' for a in args)})"
    other = [a for i, a in enumerate(args) if i != position]
    x = args[position] if primitive.kind == "pointwise" and len(args) == 1 else None
    if x is not None:
        low, high = f"{float(x.min()):.4g}", f"{float(x.max()):.4g}"
        return f"{primitive.name} of {x.size:,} numbers from {low} to {high}"
    if len(other) == 1 and other[0] is not None and not _is_any(other[0]):
        return f"{primitive.name} by zeros"
    return primitive.name


def _at(run: Run, k: int) -> str:
    place = short_place(run.program.line(k))
    return f" ({place})" if place else ""
