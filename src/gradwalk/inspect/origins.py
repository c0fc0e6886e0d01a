"""The first operation that made a NaN or an infinity of finite numbers, forward or backward.

The search runs after the fact, on a `Run`: a graph that was recorded as usual. It starts at a
number that is not finite and follows the operands that made it so, element by element, until an
equation has finite operands. In the other direction it applies the rules again and follows the
contributions that are not finite back to the rule whose incoming cotangent was finite. A number is
an array without axes, with the one element ``()``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import isfinite, nan
from typing import Any

from ..core.carrier import is_tensor
from ..program.run import Run

__all__ = ["Element", "Origin", "Pass", "Spot", "backward_origin", "first_bad", "forward_origin"]
__all__ += ["run_backward", "spot_of"]

Element = tuple[int, ...]
"""The index of an element of an array; ``()`` for a scalar."""

DEEPEST = 4  # operations that are shown of where an operand comes from
MOST = 16  # elements of a cotangent that are tried
MOVES = ("reshape", "getitem", "transpose", "broadcast_to", "index", "squeeze", "expand_dims")


@dataclass(frozen=True, slots=True)
class Spot:
    """One element of a variable as it was when it was examined, which survives its graph.

    ``args`` are the operands of this element, or () if the operation is not pointwise. ``leaf`` is
    the node itself, if it is a leaf.
    """

    op: str
    element: Element
    number: float
    args: tuple[float, ...] = ()
    line: Any = None
    label: str = ""
    leaf: Any = None
    shape: tuple[int, ...] = ()
    primitive: Any = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a number that is not finite comes from.

    ``kind``      "forward": the operation of ``spot`` made it of finite operands; "backward": the
                  rule for argument ``position`` made it of the finite gradient ``incoming``;
                  "tangent": the same of the finite tangent ``incoming``; "sum":
                  contributions to the gradient of ``spot`` overflow or cancel; "leaf", "constant":
                  it was in the data; "unknown": numbers that the search needs are gone
    ``result``    the number that is not finite
    ``sources``   for each operand where its number comes from, the operation nearest to it first
    ``path``      from the operation to the number that was asked about
    ``others``    how many more operations made such a number of finite ones
    ``inside``    computes an operation that is a program of its own again, as `checkpoint` is
    """

    kind: str
    spot: Spot
    result: float
    position: int = 0
    incoming: float = nan
    sources: tuple[tuple[Spot, ...], ...] = ()
    path: tuple[Spot, ...] = ()
    others: int = 0
    inside: Callable[[], object] | None = None


# --- elements of numbers and of arrays ------------------------------------------------------------


def first_bad(x: Any) -> Element | None:
    """Return the index of the first element that is not finite, ``None`` if all are, or if gone."""
    if x is None or isinstance(x, (float, int)):
        return () if x is not None and not isfinite(x) else None
    import numpy as np

    array = np.asarray(x)
    if array.dtype.kind not in "fc":
        return None
    bad = np.argwhere(~np.isfinite(array))
    return tuple(bad[0].tolist()) if len(bad) else None


def _elements_bad(x: Any) -> list[Element]:
    """Return all elements that are not finite."""
    if isinstance(x, float):
        return [] if isfinite(x) else [()]
    import numpy as np

    return [tuple(e) for e in np.argwhere(~np.isfinite(x)).tolist()]


def _at(x: Any, element: Element) -> float | None:
    """Return an element as a float; ``None`` for an array that is gone, or has other axes."""
    if x is None or isinstance(x, (int, float)):
        return None if x is None else float(x)
    return float(x[element]) if len(element) == x.ndim else None


def _is_finite(x: float | None) -> bool:
    return x is None or isfinite(x)


def _aligned(shape: tuple[int, ...], element: Element) -> Element:
    """Return the element of a broadcast operand that an element of the result is computed from."""
    tail = element[len(element) - len(shape) :]
    return tuple(0 if n == 1 else i for n, i in zip(shape, tail, strict=True))


def _shape(x: Any) -> tuple[int, ...]:
    return tuple(getattr(x, "shape", ()))


def _cell(x: Any, element: Element) -> Any:
    """Return one element as an array of one element, in its own precision; a number as it is."""
    if x is None or isinstance(x, (int, float)):
        return x
    import numpy as np

    return np.reshape(np.asarray(x)[_aligned(np.shape(x), element)], (1,))


def _mended(x: Any) -> Any:
    """Return a copy with 1 for every number that is not finite."""
    if x is None or isinstance(x, (int, float)):
        return x if x is None or isfinite(x) else 1.0
    import numpy as np

    array = np.asarray(x)
    return np.where(np.isfinite(array), array, np.ones((), array.dtype))


def _poisoned(x: Any, element: Element) -> Any:
    """Return a copy with NaN at one element."""
    if isinstance(x, float):
        return nan
    found = x.copy()
    found[element] = nan
    return found


def _dense(t: Any) -> Any:
    """Return the numbers of a cotangent, with zeros for its structural zeros."""
    return t.data if hasattr(t, "mask") else t


def _is_bad(t: Any) -> bool:
    """Return whether a cotangent has an element that is not finite."""
    several = t.values() if isinstance(t, dict) else (t,)
    return any(first_bad(_dense(c)) is not None for c in several)


def _is_bad_at(t: Any, element: Element) -> bool:
    return t is not None and not _is_finite(_at(_dense(t), element))


# --- what is known about an element ---------------------------------------------------------------


def _is_pointwise(run: Run, k: int) -> bool:
    """Return whether each element of the result depends on one element of each operand."""
    return run.program.primitive(k).kind == "pointwise"


def _spot(run: Run, atom: int, element: Element) -> Spot:
    """Return what is known about an element of a variable."""
    data, k, node = run.number(atom), run.program.maker(atom), run.nodes[atom]
    number = _at(data, element)
    number = nan if number is None else number
    label = getattr(node, "label", "")
    if k is None:
        return Spot("", element, number, (), None, label, node, _shape(data))
    primitive = run.program.primitive(k)
    args = run.args(k)
    numbers: list[float | None] = [None]
    if _is_pointwise(run, k):
        numbers = [_at(a, _aligned(_shape(a), element)) for a in args]
    elif all(isinstance(a, float) for a in args):
        numbers = args
    known = () if None in numbers else tuple(numbers)
    line, shape = run.program.line(k), _shape(data)
    return Spot(primitive.name, element, number, known, line, label, None, shape, primitive)  # type: ignore[arg-type]


def spot_of(primitive: Any, args: Sequence[Any], data: Any, element: Element, line: Any) -> Spot:
    """Return what is known about an element of a result that was not recorded.

    ``data`` and ``args`` are numbers, arrays or Tensors; ``None`` stands for one that is gone.
    """
    raws = [a._data if is_tensor(a) else a for a in args]
    numbers: tuple[Any, ...] = ()
    if primitive.kind == "pointwise":
        found = [_known(a, element) for a in raws]
        numbers = () if None in found else tuple(found)
    number = _known(data, element)
    number = nan if number is None else number
    return Spot(primitive.name, element, number, numbers, line, primitive=primitive)


def _known(x: Any, element: Element) -> float | None:
    """Return an element of an operand or a result; ``None`` for one that is gone."""
    if not isinstance(x, (int, float)) and not (hasattr(x, "dtype") and hasattr(x, "__array__")):
        return None
    return _at(x, _aligned(_shape(x), element))


def _sources(run: Run, atom: int, element: Element) -> tuple[tuple[Spot, ...], ...]:
    """Return for each operand where its number comes from."""
    k = run.program.maker(atom)
    count = 0 if k is None else len(run.program.operands(k))
    return tuple(tuple(_chain(run, atom, i, element)) for i in range(count))


def _chain(run: Run, atom: int, position: int, element: Element) -> Iterator[Spot]:
    """Yield where the number of an operand comes from: moved elements, then what computed them."""
    for _ in range(DEEPEST):
        found = _source(run, atom, position, element)
        if found is None:
            return
        atom, element = found
        spot = _spot(run, atom, element)
        yield spot
        if not spot.op or (spot.op not in MOVES and spot.number not in spot.args):
            return
        position = next((i for i, x in enumerate(spot.args) if x == spot.number), 0)


def _source(run: Run, atom: int, position: int, element: Element) -> tuple[int, Element] | None:
    """Return the operand that an element was computed from, and which of its elements."""
    k = run.program.maker(atom)
    assert k is not None
    operand = run.program.operands(k)[position]
    if operand < 0:
        return None
    if _is_pointwise(run, k) or isinstance(run.number(operand), float):
        return operand, _aligned(run.shape(operand), element)
    linear = run.program.primitive(k).kind == "linear"
    reached = _reached(run, k, atom, element, position) if linear else []
    return (operand, reached[0]) if len(reached) == 1 else None


# --- forward --------------------------------------------------------------------------------------


def forward_origin(run: Run, atom: int, element: Element) -> Origin:
    """Return which operation made an element of a variable non-finite."""
    with run.quiet():
        return _forward_origin(run, atom, element)


def _forward_origin(run: Run, atom: int, element: Element) -> Origin:
    came_from: dict[int, Any] = {atom: None}
    elements, ends, stack = {atom: element}, list[int](), [atom]
    unsure: list[int] = []  # of whose operands some are gone, and none is known to be bad
    while stack:
        y = stack.pop()
        culprits = _culprits(run, y, elements[y])
        if not culprits and (gone := _gone(run, y, elements[y])):
            unsure.append(y)
            culprits = gone
        if not culprits or any(a < 0 for a, _ in culprits):
            if run.number(y) is not None:
                ends.append(y)
            continue
        for a, e in culprits:
            if a not in came_from:
                came_from[a], elements[a] = y, e
                stack.append(a)
    ends = [y for y in ends if first_bad(run.number(y)) is not None]
    first = _first(run, ends) if ends else unsure[0]
    return replace(
        _end(run, first, elements[first]),
        path=tuple(_path(run, first, came_from, elements)),
        others=max(len(ends) - 1, 0),
    )


def _gone(run: Run, y: int, element: Element) -> list[tuple[int, Element]]:
    """Return the operands whose numbers are gone, with the elements that are as likely as any."""
    k = run.program.maker(y)
    found = []
    for a in () if k is None else run.program.operands(k):
        if a >= 0 and run.number(a) is None:
            shape = run.shape(a)
            same = k is not None and _is_pointwise(run, k) and len(element) >= len(shape)
            found.append((a, _aligned(shape, element) if same else (0,) * len(shape)))
    return found


def _culprits(run: Run, y: int, element: Element) -> list[tuple[int, Element]]:
    """Return the elements of operands that made an element of ``y`` non-finite."""
    k = run.program.maker(y)
    if k is None:
        return []
    operands, args = run.program.operands(k), run.args(k)
    bad = [i for i, a in enumerate(args) if first_bad(a) is not None]
    if not bad:
        return []
    if _is_pointwise(run, k):
        chosen = _chosen(run, k, element, args)
        return [(operands[i], _aligned(_shape(args[i]), element)) for i in chosen]
    if not any(a is None or isinstance(a, float) for a in args):
        found = run.evaluated(k, [*map(_mended, args)])
        found = found[y - run.program.results(k)[0]] if type(found) is tuple else found
        if not _is_finite(_at(found, element)):
            return []
    return [(operands[i], _culprit(run, k, y, element, i, args[i])) for i in bad]


def _chosen(run: Run, k: int, element: Element, args: list[Any]) -> list[int]:
    """Return which operands made an element non-finite; none, if finite ones would as well.

    ``where(c, a, b)`` ignores one of its operands: each is replaced by 1 to see what changes.
    """
    cells = [_cell(a, element) for a in args]
    bad = [i for i, c in enumerate(cells) if first_bad(c) is not None]
    if len(cells) == 1:
        return bad

    def is_mended(positions: list[int]) -> bool:
        mended = [_mended(c) if i in positions else c for i, c in enumerate(cells)]
        return any(c is None for c in mended) or first_bad(run.evaluated(k, mended)) is None

    alone = [i for i in bad if is_mended([i])]
    return alone or (bad if bad and is_mended(bad) else [])


def _culprit(run: Run, k: int, y: int, element: Element, position: int, arg: Any) -> Element:
    bad = _elements_bad(arg)
    reached = [e for e in _reached(run, k, y, element, position) if e in bad]
    return reached[0] if reached else min(bad)


def _reached(run: Run, k: int, y: int, element: Element, position: int) -> list[Element]:
    """Return the elements of an operand that an element of a result depends on."""
    args = run.args(k)
    several = len(run.program.results(k)) > 1 or hasattr(run.program.primitive(k), "again")
    if several or any(a is None for a in args) or not _shape(run.number(y)):
        return []
    import numpy as np

    mended = [*map(_mended, args)]
    probe = np.zeros(_shape(run.number(y)))
    probe[element] = nan
    found = run.pull_of(k, probe, run.evaluated(k, mended), mended)[position]
    return [] if found is None else [*map(tuple, np.argwhere(np.isnan(_dense(found))).tolist())]


def _first(run: Run, ends: Sequence[int]) -> int:
    """Return the first of several operations that do not depend on each other."""
    makers = [run.program.maker(a) for a in ends]
    lines: list[Any] = [None if k is None else run.program.line(k) for k in makers]
    if all(lines) and len({line[0] for line in lines}) == 1:  # in one function: by the line
        return min(zip(ends, lines, strict=True), key=lambda p: (p[1][1:], p[0]))[0]
    order = [*run.where.values()]
    return min(ends, key=lambda a: (run.program.maker(a) is not None, order.index(a)))


def _end(run: Run, y: int, element: Element) -> Origin:
    spot, k = _spot(run, y, element), run.program.maker(y)
    operands = () if k is None else run.program.operands(k)
    for a, e in _culprits(run, y, element):
        if a < 0:
            return _constant_origin(run, spot, a, e)
    kind, sources = "forward" if spot.op else "leaf", _sources(run, y, element)
    if kind == "forward" and not _culprits(run, y, element) and k is not None:
        kind = "unknown" if any(a is None for a in run.args(k)) else kind
    inside = run.inside(k) if k is not None and operands else None
    return Origin(kind, spot, spot.number, sources=sources, inside=inside)


def _constant_origin(run: Run, spot: Spot, atom: int, element: Element) -> Origin:
    """Return the origin in an element of a constant operand."""
    number = _at(run.number(atom), element)
    number = nan if number is None else number
    return Origin("constant", spot if spot.args else replace(spot, element=element), number)


def _path(
    run: Run, atom: int | None, onward: Mapping[int, Any], elements: Mapping[int, Element]
) -> Iterator[Spot]:
    """Yield the steps from an operation to the number that was asked about."""
    while atom is not None:
        yield _spot(run, atom, elements[atom])
        atom = onward[atom]


# --- backward -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Pass:
    """What a backward pass found: when variables were processed, and contributions with NaN or inf.

    ``edges``  for each variable: the equation that reads it, its position among the operands, the
               contribution, and the cotangent of the equation
    """

    turns: dict[int, int]
    edges: dict[int, list[tuple[int, int, Any, Any]]]


def run_backward(run: Run, seed: Any) -> Pass:
    """Run a backward pass again, without any change, and return what was not finite in it."""
    with run.quiet():
        return _run_backward(run, seed)


def _run_backward(run: Run, seed: Any) -> Pass:
    found = Pass({}, {})
    for turn, (y, t, contributions) in enumerate(run.reverse(seed)):
        k = run.program.maker(y)
        if k is None:
            found.turns[y] = turn
            continue
        for a in run.program.results(k):
            found.turns[a] = turn
        for i, (a, c) in enumerate(zip(run.program.operands(k), contributions, strict=True)):
            if a >= 0 and c is not None and _is_bad(c):
                found.edges.setdefault(a, []).append((k, i, c, t))
    return found


def backward_origin(run: Run, found: Pass, atom: int, element: Element) -> Origin:
    """Return which rule made an element of the gradient of a variable non-finite."""
    with run.quiet():
        return _backward_origin(run, found, atom, element)


def _backward_origin(run: Run, found: Pass, atom: int, element: Element) -> Origin:
    came_from: dict[int, Any] = {atom: None}
    elements, sums, stack = {atom: element}, list[int](), [atom]
    ends: list[tuple[int, int, Any, int]] = []
    while stack:
        x = stack.pop()
        reached = [e for e in found.edges.get(x, ()) if _is_bad_at(e[2], elements[x])]
        if not reached:
            sums.append(x)
        for k, position, _, t in reached:
            passed = _passed(run, k, position, t, elements[x])
            y = run.program.results(k)[0]
            if passed is None:
                ends.append((k, position, t, y))
                came_from.setdefault(y, x)
                elements.setdefault(y, _made_at(run, k, position, t, elements[x]))
            elif passed[0] not in came_from:
                y, e = passed
                came_from[y], elements[y] = x, e
                stack.append(y)
    if not ends:
        first = min(sums, key=lambda a: found.turns[a])
        path = tuple(_path(run, first, came_from, elements))
        return Origin(
            "sum", _spot(run, first, elements[first]), nan, path=path, others=len(sums) - 1
        )
    k, position, t, y = min(ends, key=lambda end: found.turns[end[3]])
    origin = _rule(run, k, position, t, elements[y], elements[came_from[y]])
    return replace(
        origin,
        path=(*origin.path, *_path(run, y, came_from, elements)),
        others=len({end[0] for end in ends}) - 1,
    )


def _passed(
    run: Run, k: int, position: int, t: Any, element: Element
) -> tuple[int, Element] | None:
    """Return which result's cotangent made a contribution non-finite; ``None`` for the rule."""
    results = run.program.results(k)
    if isinstance(t, dict):
        bad = [(results[i], e) for i, c in t.items() if (e := first_bad(_dense(c))) is not None]
        return bad[0] if bad else None
    dense = _dense(t)
    elements = _elements_bad(dense)
    if not elements or _is_bad_at(_again(run, k, position, t, _mended(dense)), element):
        return None
    if _is_pointwise(run, k):
        shape = _shape(run.number(run.program.operands(k)[position]))
        matching = (e for e in elements if _aligned(shape, e) == element)
        return results[0], next(matching, elements[0])
    for e in islice(elements, MOST):
        if _is_bad_at(_again(run, k, position, t, _poisoned(_mended(dense), e)), element):
            return results[0], e
    return results[0], elements[0]


def _again(run: Run, k: int, position: int, t: Any, dense: Any) -> Any:
    """Return a contribution of another cotangent with the mask of ``t``."""
    other = type(t).of(t.mask, dense) if hasattr(t, "mask") else dense
    return run.pull(k, other)[position]


def _made_at(run: Run, k: int, position: int, t: Any, element: Element) -> Element:
    """Return at which element of its result a rule has made a contribution non-finite."""
    shape = _shape(run.number(run.program.results(k)[0]))
    operand = _shape(run.number(run.program.operands(k)[position]))
    if not shape:
        return ()
    if not _is_pointwise(run, k):
        return element if operand == shape else (0,) * len(shape)
    import numpy as np

    rule: Any = run.program.primitive(k).rules[position]
    made = rule(_dense(t), run.number(run.program.results(k)[0]), *run.args(k))
    found = _elements_bad(np.broadcast_to(np.asarray(_dense(made)), shape))
    return next((e for e in found if _aligned(operand, e) == element), (0,) * len(shape))


def _rule(run: Run, k: int, position: int, t: Any, element: Element, onward: Element) -> Origin:
    """Return the origin in a rule, or in the forward pass if the rule read what is not finite."""
    y = run.program.results(k)[0]
    incoming = _incoming(t, element)
    for a, e in _read(run, k, element):
        if a < 0:
            found = _constant_origin(run, _spot(run, y, element), a, e)
            return replace(found, position=position, incoming=incoming)
        return replace(forward_origin(run, a, e), position=position, incoming=incoming)
    spot, sources = _spot(run, y, element), _sources(run, y, element)
    result = _at(_dense(run.pull(k, t)[position]), onward)
    inside = None if run.inside(k) is None else partial(run.pull, k, t)
    result = nan if result is None else result
    return Origin("backward", spot, result, position, incoming, sources, inside=inside)


def _incoming(t: Any, element: Element) -> float:
    """Return the element of a cotangent that arrived at a rule."""
    found = _at(_dense(next(iter(t.values())) if isinstance(t, dict) else t), element)
    return nan if found is None else found


def _read(run: Run, k: int, element: Element) -> Iterator[tuple[int, Element]]:
    """Yield the numbers that a rule reads and that are not finite, operands first."""
    for a, arg in zip(run.program.operands(k), run.args(k), strict=True):
        e = _aligned(_shape(arg), element) if _is_pointwise(run, k) and arg is not None else None
        e = first_bad(arg) if e is None else None if _is_finite(_at(arg, e)) else e
        if e is not None:
            yield a, e
    y = run.program.results(k)[0]
    number = _at(run.number(y), element)
    if number is not None and not isfinite(number):
        yield y, element
