"""The first operation that made a NaN or an infinity of finite numbers, forward or backward.

The search runs after the fact, on a `Run`: a graph that was recorded as usual. It starts at a
number that is not finite and follows the operands that made it so, element by element, until an
equation has finite operands. In the other direction it applies the rules again and follows the
contributions that are not finite back to the rule whose incoming cotangent was finite. A number is
an array without axes, with the one element ``()``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from itertools import islice
from math import inf, isfinite, isnan, nan
from typing import Any, NamedTuple

from ..core.carrier import is_tensor
from ..engine.observing import line_of
from ..program.program import NO_PARAMS, Program
from ..program.run import Run

__all__ = ["TOGETHER", "Element", "Origin", "Pass", "Spot", "are_bad", "are_nonzero"]
__all__ += ["backward_origin", "first_bad", "forward_origin", "is_zero", "run_backward", "spot_of"]

Element = tuple[int, ...]
"""The index of an element of an array; ``()`` for a scalar."""

DEEPEST = 4  # operations that are shown of where an operand comes from
TOGETHER = 64  # contributions that are examined by one question: a fifth of the time
MOST = 16  # elements of a cotangent that are tried
CHOICES = ("where", "maximum", "minimum", "clip", "hardtanh")
"""Operations that return one of their operands, and ignore the others."""
WRITES = ("update", "pad", "concat", "stack")
"""Operations that put numbers between others."""
ROUNDS = ("exp", "exp2", "sigmoid", "softmax", "softplus", "tanh", "erf", "relu")
"""Operations whose results round to 0 or 1, or are 0 for all negative numbers."""
POLES = {"log": 0, "log2": 0, "log10": 0, "reciprocal": 0, "div": 1}
"""The operand at whose 0 an operation is infinite."""
PASSES = ("add", "sub", "neg", "mul", "div", "square", "sqrt", "pow", "abs", "sum", "mean")
"""Operations through which such a 0 reaches another."""
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
    dtype: str = "float64"


class Step(NamedTuple):
    """What a path shows of a variable: its operation and line, or the leaf. It is made often."""

    op: str
    line: Any = None
    leaf: Any = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a number that is not finite comes from.

    ``kind``      "forward": the operation of ``spot`` made it of finite operands; "backward": the
                  rule for argument ``position`` made it of the finite gradient ``incoming``;
                  "tangent": the same of the finite tangent ``incoming``; "sum":
                  contributions to the gradient of ``spot`` overflow or cancel; "leaf", "constant":
                  it was in the data; "unknown": numbers that the search needs are gone; "freed":
                  it was computed in a graph that an earlier backward pass has freed
    ``result``    the number that is not finite
    ``sources``   for each operand where its number comes from, the operation nearest to it first
    ``path``      from the operation to the number that was asked about
    ``others``    how many more operations made such a number of finite ones
    ``inside``    computes an operation that is a program of its own again, as `checkpoint` is
    ``mask``      the operation at which an infinity entered that hides elements
    ``constant``  the constant operand, if it is an array
    ``rounded``   the operation that has rounded to the 0 or 1 that made it: exp(-800) = 0
    ``asked``     the line of the result whose backward pass has found it
    """

    kind: str
    spot: Spot
    result: float
    position: int = 0
    incoming: float = nan
    sources: tuple[tuple[Spot, ...], ...] = ()
    path: tuple[Step, ...] = ()
    others: int = 0
    inside: Callable[[], object] | None = None
    mask: Spot | None = None
    constant: Any = None
    asked: Any = None
    rounded: Spot | None = None


# --- elements of numbers and of arrays ------------------------------------------------------------


def first_bad(x: Any) -> Element | None:
    """Return the index of the first element that is not finite, ``None`` if all are, or if gone."""
    if x is None or isinstance(x, (float, int)):
        return () if x is not None and not isfinite(x) else None
    import numpy as np

    array = np.asarray(x)
    if array.dtype.kind not in "fc" or np.isfinite(array).all():
        return None
    return tuple(np.argwhere(~np.isfinite(array))[0].tolist())


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
    if len(shape) == len(element) and 1 not in shape:
        return element
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
    if x is None or type(x) in (int, float):  # but not a number of NumPy, which has a dtype
        return x if x is None or isfinite(x) else 1.0
    import numpy as np

    array = np.asarray(x)
    return np.where(np.isfinite(array), array, np.ones((), array.dtype))


def _poisoned(x: Any, element: Element) -> Any:
    """Return a copy with NaN at one element."""
    if type(x) is float:
        return nan
    import numpy as np

    found = np.array(x)
    found[element] = nan
    return found


def _dense(t: Any) -> Any:
    """Return the numbers of a cotangent, with zeros for its structural zeros."""
    return t.data if hasattr(t, "mask") else t


def _is_bad(t: Any) -> bool:
    """Return whether a cotangent has an element that is not finite."""
    if type(t) is float:
        return not isfinite(t)
    if isinstance(t, dict):  # of an operation with several results
        return any(map(_is_bad, t.values()))
    part = getattr(t, "part", None)  # all other elements are 0
    x = _dense(t) if part is None else part
    return not isfinite(x.item()) if _is_single(x) else are_bad([x])


def _is_single(x: Any) -> bool:
    """Return whether an array of numbers has one element, which is looked at without NumPy."""
    return getattr(x, "size", 0) == 1 and x.dtype.kind == "f" and hasattr(x, "item")


def are_bad(cotangents: Iterable[Any]) -> bool:
    """Return whether one of several cotangents has an element that is not finite."""
    numbers, found = list[float](), list[Any]()
    for t in cotangents:
        if type(t) is float:
            numbers.append(t)
        elif isinstance(t, dict):
            if _is_bad(t):
                return True
        elif t is not None:
            part = getattr(t, "part", None)
            found.append(_dense(t) if part is None else part)
    if not all(map(isfinite, numbers)):
        return True
    if not found:
        return False
    graph = _graph_of_tensors()
    return bool(graph.kinds_of(found) & graph.NOT_FINITE)  # 0.02 us each instead of 3 in NumPy


def are_nonzero(cotangents: Sequence[Any]) -> bool:
    """Return whether each of several cotangents has an element other than 0.

    It may be False too if they are of different types, or some are absent.
    """
    kinds = {*map(type, cotangents)}
    if kinds == {float}:
        return all(cotangents)
    if [kind.__module__ for kind in kinds] != ["numpy"] or 0 in [t.size for t in cotangents]:
        return False
    graph = _graph_of_tensors()
    return not graph.kinds_of([*cotangents]) & graph.ZEROS


def is_zero(x: Any) -> bool:
    """Return whether all elements of an array are 0."""
    graph = _graph_of_tensors()
    kinds = graph.kinds_of([x])  # 0.2 us instead of 1.5 in NumPy; of another library it knows none
    return bool(kinds & graph.ZEROS) if type(x).__module__ == "numpy" else not bool(x.any())


@cache
def _graph_of_tensors() -> Any:
    """Return a module that loads NumPy, which an import here costs 1 us to find again."""
    return import_module("..tensor.graph.backward", __package__)


@cache
def _reaching() -> Any:
    return import_module(".reaching", __package__)


def _is_bad_at(t: Any, element: Element) -> bool:
    if hasattr(t, "mask"):
        return not isfinite(t.element(element))
    return t is not None and not _is_finite(_at(t, element))


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
    known: Any = () if None in numbers else tuple(numbers)
    line, dtype = run.program.line(k), str(getattr(data, "dtype", "float64"))
    return Spot(
        primitive.name, element, number, known, line, label, None, _shape(data), primitive, dtype
    )


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
    dtype = str(getattr(data, "dtype", "float64"))
    return Spot(primitive.name, element, number, numbers, line, primitive=primitive, dtype=dtype)


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
    zero = linear and _at(run.number(atom), element) == 0.0  # all of its terms are 0
    return (operand, reached[0]) if reached and (zero or len(reached) == 1) else None


def _rounded(run: Run, atom: int, element: Element) -> Spot | None:
    """Return the operation that has rounded to the 0 at which an operation has a pole."""
    k = run.program.maker(atom)
    assert k is not None
    position = POLES.get(run.program.primitive(k).name)
    start = None if position is None else _source(run, atom, position, element)
    x = None if start is None else _at(run.number(start[0]), start[1])
    if start is None or (x != 0.0 and run.number(start[0]) is not None):
        return None
    pending = [(*start, 0.0, True)]
    for a, e, number, is_direct in pending:  # grows during the loop
        k = run.program.maker(a)
        if k is None:
            continue
        name = run.program.primitive(k).name
        if name in ROUNDS and abs(number) in (0.0, 1.0) and (is_direct or name != "relu"):
            spot = _spot(run, a, e)
            masked = name == "softmax" and not _is_finite(_at(run.args(k)[0], e))
            return spot if all(map(isfinite, spot.args)) and not masked else None
        if name == "add" and number == 1.0 and 0.0 not in (spot := _spot(run, a, e)).args:
            return spot if number in spot.args else None  # 1 + exp(-40) = 1
        if name in (*PASSES, *MOVES) and len(pending) < TOGETHER:
            pending += _zeros(run, a, e, number, is_direct and name in MOVES)
    return None


def _zeros(
    run: Run, atom: int, element: Element, number: float, is_direct: bool
) -> Iterator[tuple[int, Element, float, bool]]:
    """Yield the operands that made a number 0, or the 1 of 1 - 1, with their numbers."""
    k = run.program.maker(atom)
    assert k is not None
    name = run.program.primitive(k).name
    for i in range(len(run.program.operands(k))):
        source = _source(run, atom, i, element)
        x = None if source is None else _at(run.number(source[0]), source[1])
        x = number if x is None and name in MOVES else x
        x = 0.0 if x is None and name in ("sum", "mean", "square", "sqrt", "abs", "neg") else x
        is_factor = name in ("mul", "div") and x != 0.0 and not (number == x == 1.0)
        if source is not None and x is not None and not is_factor:
            yield *source, x, is_direct


# --- forward --------------------------------------------------------------------------------------


def forward_origin(run: Run, atom: int, element: Element) -> Origin:
    """Return which operation made an element of a variable non-finite."""
    with run.quiet():
        return _Forward(run, atom, element).origin()


class _Forward:
    """A search through the operands that made an element non-finite, back to the first event.

    ``onward``    from each variable on the way, the one that was computed from it
    ``elements``  of each of them, which element is not finite
    ``ends``      operations that made such a number of finite ones, leaves, operands that are gone
    ``births``    operations that made a NaN of infinities: 0 · inf, or the softmax of -inf alone
    ``masks``     constant infinities that hide elements, with the operations that they enter
    """

    def __init__(self, run: Run, atom: int, element: Element) -> None:
        self.run = run
        self.onward: dict[int, int | None] = {}
        self.elements: dict[int, Element] = {}
        self.ends: list[int] = []
        self.births: list[int] = []
        self.masks: list[tuple[int, int, Element]] = []
        self.unsure: list[int] = []  # of whose operands some are gone, and none is known to be bad
        table = run.program.table
        self.plain = [p.kind == "pointwise" and p.name not in CHOICES for p in table]
        self.formulas: list[Any] = _formulas(table)
        self.sound: set[int] = set()  # constants and leaves that are finite as a whole
        self.largest = -1.0
        self._visit(atom, element, None)

    def _visit(self, atom: int, element: Element, onward: int | None) -> None:
        """Follow an element that is not finite to all of its ends."""
        if atom in self.onward:
            return
        self.onward[atom], self.elements[atom] = onward, element
        stack = [atom]
        while stack:
            y = stack.pop()
            culprits = self._known(y)
            if culprits is None:
                culprits = self._examined(y)
            for a, e in culprits:
                if a >= 0 and a not in self.onward:
                    self.onward[a], self.elements[a] = y, e
                    stack.append(a)

    def _known(self, y: int) -> list[tuple[int, Element]] | None:
        """Return the culprits of an operation on known numbers, as almost all are, in 1 to 4 us.

        ``None`` if there are none, or if more has to be known than their numbers.
        """
        run, program, element = self.run, self.run.program, self.elements[y]
        if program.outs is not None or y < program.inputs:
            return None
        k = y - program.inputs
        place, operands = program.op[k], program.atoms[program.first[k] : program.first[k + 1]]
        args = [run.env[a] if a >= 0 else program.consts[~a] for a in operands]
        if self.plain[place]:
            found = _bad_operands(operands, args, element)
        elif self.formulas[place] is not None:
            found = self._read(k, y, operands, args)
        else:
            return None
        if not found:
            return None
        number = _at(run.env[y], element)
        if number is None or number == number:
            return found
        if not any((x := _at(run.env[a], e)) is not None and x != x for a, e in found):
            self.births.append(y)
            return found
        return found if len(found) == 1 else _nans(run, y, element, found)

    def _read(
        self, k: int, y: int, operands: Sequence[int], args: Sequence[Any]
    ) -> list[tuple[int, Element]] | None:
        """Return the operands of equation k that are not finite, by the parts that it reads."""
        run, reaching, found, bound = self.run, _reaching(), list[tuple[int, Element]](), 1.0
        formula, options = self.formulas[run.program.op[k]], run.program.params.get(k, NO_PARAMS)
        if not self.elements[y] or any(a is None for a in args):
            return None
        parts = formula(self.elements[y], *args, **options)
        if parts is None:
            return None
        for a, x, part in zip(operands, args, parts, strict=True):
            if a < 0 and self._largest_constant() < inf:
                bound *= reaching.MORE * self.largest + reaching.MORE
                continue
            place, size = reaching.scanned(x, part)
            bound *= size + reaching.MORE
            if place >= 0:
                if a < 0:
                    return None
                found.append((a, reaching.element_at(x, part, place)))
            elif place != reaching.SOUND or (a not in self.sound and not self._is_sound(a, x)):
                return None
        return found if reaching.within(bound, run.env[y]) else None

    def _largest_constant(self) -> float:
        """Return the size of the largest number of all constants, infinity if one is not finite."""
        if self.largest < 0.0:
            self.largest = _reaching().largest(self.run.program.consts)
        return self.largest

    def _is_sound(self, atom: int, x: Any) -> bool:
        """Return whether an operand is finite as a whole, which is asked once of leaves."""
        sound = not _is_bad(x)
        if sound and atom < self.run.program.inputs:
            self.sound.add(atom)
        return sound

    def _examined(self, y: int) -> list[tuple[int, Element]]:
        """Return the elements that made one non-finite; note ends, births and masks."""
        run = self.run
        culprits = _culprits(run, y, self.elements[y])
        masks = [(y, a, e) for a, e in culprits if a < 0 and _is_mask(run, y, a, e)]
        self.masks += masks
        if culprits and self._is_birth(y, culprits):
            self.births.append(y)
            if all(a < 0 for a, _ in culprits):  # inf - inf of constants: the first NaN
                return []
        if not culprits and (gone := _gone(run, y, self.elements[y])):
            self.unsure.append(y)
            return gone
        if not culprits or len([a for a, _ in culprits if a < 0]) > len(masks):
            if run.number(y) is not None:
                self.ends.append(y)
            return []
        return culprits

    def _is_birth(self, y: int, culprits: Sequence[tuple[int, Element]]) -> bool:
        """Return whether an operation made a NaN, and none of its operands is one."""
        number = _at(self.run.number(y), self.elements[y])
        found = [_at(self.run.number(a), e) for a, e in culprits]
        return number is not None and isnan(number) and not any(x is None or x != x for x in found)

    def origin(self) -> Origin:
        """Return the first of all ends, but never a mask if an operation has made the NaN of it."""
        run = self.run
        self.ends = [y for y in self.ends if first_bad(run.number(y)) is not None]
        self._follow_infinities()
        if not self.ends and self.births:
            y = _first(run, self.births)
            spot, sources = _spot(run, y, self.elements[y]), _sources(run, y, self.elements[y])
            found = Origin("forward", spot, spot.number, sources=sources, mask=self._mask())
        elif not self.ends and self.masks:
            y, a, e = self.masks[0]
            spot = _spot(run, y, self.elements[y])
            found = replace(_constant_origin(run, spot, a, e), mask=spot)
        else:
            y = _first(run, self.ends) if self.ends else self.unsure[0]
            found = _end(run, y, self.elements[y])
        others = max(len(self.ends) - 1, 0)
        return replace(found, path=tuple(_path(run, y, self.onward)), others=others)

    def _mask(self) -> Spot | None:
        """Return the operation at which the first mask enters."""
        found = [(y, e) for y, _, e in self.masks]
        return _spot(self.run, found[0][0], self.elements[found[0][0]]) if found else None

    def _follow_infinities(self) -> None:
        """Replace ends by the infinities that their finite operands were computed from.

        exp(1000) = inf, 2.7 / inf = 0, log(0) = -inf: the overflow comes first. An infinity that
        only hides an element, as exp(-inf) = 0 in a masked softmax, is no cause.
        """
        hidden = set[int]()
        for end in self.ends:  # grows during the loop
            before = len(self.ends)
            for y, a, e in _infinite_above(self.run, end, self.elements[end], self._link):
                self._visit(a, e, y)
            found = [x for x in self.ends[before:] if x != end]
            if any(self.run.program.maker(x) is not None for x in found):
                hidden.add(end)
        self.ends = [end for end in self.ends if end not in hidden]

    def _link(self, atom: int, element: Element, onward: int) -> None:
        """Store that a finite number lies on the way."""
        if atom not in self.onward:
            self.onward[atom], self.elements[atom] = onward, element


def _formulas(table: Sequence[Any]) -> list[Any]:
    """Return for each primitive which part of its operands an element reads, if that is known."""
    if all(p.kind == "pointwise" for p in table):
        return [None] * len(table)  # of Values, perhaps, whose programs do not load NumPy
    return [*map(_reaching().part_formula, table)]


def _bad_operands(
    operands: Sequence[int], args: Sequence[Any], element: Element
) -> list[tuple[int, Element]] | None:
    """Return the operands of one element that are not finite; ``None`` if a constant is among."""
    found = list[tuple[int, Element]]()
    for a, x in zip(operands, args, strict=True):
        e = element
        if type(x) is not float:
            if a < 0 or x is None:
                return None
            e = _aligned(x.shape, element)
            x = float(x[e])
        if not isfinite(x):
            if a < 0:
                return None
            found.append((a, e))
    return found


def _infinite_above(
    run: Run, end: int, element: Element, link: Callable[[int, Element, int], None]
) -> Iterator[tuple[int, int, Element]]:
    """Yield infinite operands of finite numbers above an operation, with what reads them."""
    pending, seen = [(end, element, 0, _at(run.number(end), element))], {end}
    while pending:
        y, element, depth, number = pending.pop()
        k = run.program.maker(y)
        if k is None or depth > DEEPEST:
            continue
        moves = run.program.primitive(k).name in MOVES
        for position, a in enumerate(run.program.operands(k)):
            source = _source(run, y, position, element) if a >= 0 else None
            if source is None or source[0] in seen:
                continue
            seen.add(source[0])
            x = _at(run.number(source[0]), source[1])
            x = number if x is None and moves else x
            if x is None or isnan(x):
                continue
            if isfinite(x):
                link(*source, y)
                pending.append((*source, depth + 1, x))
            elif number is not None and isfinite(number) and not _is_dropped(run, k, element):
                yield y, *source


def _is_dropped(run: Run, k: int, element: Element) -> bool:
    """Return whether an operation returns one of its operands, as `where` and `clip` do."""
    return run.program.primitive(k).name in CHOICES


def _is_mask(run: Run, y: int, atom: int, element: Element) -> bool:
    """Return whether a constant infinity hides an element: chosen, written or added as -inf."""
    k, number = run.program.maker(y), _at(run.number(atom), element)
    if k is None or number is None or isnan(number):
        return False
    name = run.program.primitive(k).name
    return number < 0.0 if name == "add" else name in CHOICES or name in WRITES


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
    """Return the elements of operands that made an element of ``y`` non-finite.

    For a NaN these are the operands that are NaN, if there is one: that came first.
    """
    k = run.program.maker(y)
    if k is None:
        return []
    operands = run.program.operands(k)
    if _is_pointwise(run, k):
        a = _only(run, k, operands)  # the usual case, in less than half of the time
        if a is not None:
            e = _aligned(_shape(run.env[a]), element)
            return [] if _is_finite(_at(run.env[a], e)) else [(a, e)]
        args = run.args(k)
        found = _culprits_of_element(run, k, element, operands, args)
        return found if len(found) < 2 else _nans(run, y, element, found)
    args = run.args(k)
    bad = [i for i, a in enumerate(args) if first_bad(a) is not None]
    if not bad:
        return []
    if not any(a is None or isinstance(a, float) for a in args):
        made = run.evaluated(k, [*map(_mended, args)])
        made = made[y - run.program.results(k)[0]] if type(made) is tuple else made
        if not _is_finite(_at(made, element)):
            return []
    found = [(operands[i], _culprit(run, k, y, element, i, args[i])) for i in bad]
    return _nans(run, y, element, found)


def _only(run: Run, k: int, operands: tuple[int, ...]) -> int | None:
    """Return the operand of an operation whose others are finite numbers; ``None`` if several."""
    found = [a for a in operands if a >= 0]
    if len(found) != 1 or run.program.primitive(k).name in CHOICES:
        return None
    consts = run.program.consts
    others = [consts[~a] for a in operands if a < 0]
    return found[0] if all(type(x) is float and isfinite(x) for x in others) else None


def _nans(
    run: Run, y: int, element: Element, found: list[tuple[int, Element]]
) -> list[tuple[int, Element]]:
    """Return the operands that are NaN, if the result is one and there are any; else all."""
    number = _at(run.number(y), element)
    if number is None or not isnan(number):
        return found
    numbers = [_at(run.number(a), e) for a, e in found]
    return [p for p, x in zip(found, numbers, strict=True) if x is None or isnan(x)] or found


def _culprits_of_element(
    run: Run, k: int, element: Element, operands: Sequence[int], args: Sequence[Any]
) -> list[tuple[int, Element]]:
    """Return the operands of one element that are not finite, and that the operation has used.

    ``where(c, a, b)`` ignores one of its operands: each is replaced by 1 to see what changes.
    """
    found = []
    for i, arg in enumerate(args):
        e = _aligned(_shape(arg), element)
        x = None if arg is None else _at(arg, e)
        if x is not None and not isfinite(x):
            found.append((i, (operands[i], e)))
    if not found or run.program.primitive(k).name not in CHOICES:
        return [pair for _, pair in found]
    cells, bad = [_cell(a, element) for a in args], [i for i, _ in found]

    def is_mended(positions: list[int]) -> bool:
        mended = [_mended(c) if i in positions else c for i, c in enumerate(cells)]
        return any(c is None for c in mended) or first_bad(run.evaluated(k, mended)) is None

    alone = [i for i in bad if is_mended([i])] or (bad if is_mended(bad) else [])
    return [pair for i, pair in found if i in alone]


def _culprit(run: Run, k: int, y: int, element: Element, position: int, arg: Any) -> Element:
    """Return the element of an operand that made one of the result non-finite, a NaN if any is."""
    bad = _elements_bad(arg)
    reached = [e for e in _reached(run, k, y, element, position) if e in bad] or bad
    nans = (e for e in reached if isnan(_at(arg, e) or 0.0))
    return next(nans, min(reached))


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
    if len(ends) == 1:
        return ends[0]
    makers = [run.program.maker(a) for a in ends]
    lines: list[Any] = [None if k is None else run.program.line(k) for k in makers]
    if all(lines) and len({line[0] for line in lines}) == 1:  # in one function: by the line
        return min(zip(ends, lines, strict=True), key=lambda p: (p[1][1:], p[0]))[0]
    order = {a: i for i, a in enumerate(run.where.values())}
    return min(ends, key=lambda a: (run.program.maker(a) is not None, order.get(a, len(order))))


def _end(run: Run, y: int, element: Element) -> Origin:
    spot, k = _spot(run, y, element), run.program.maker(y)
    operands = () if k is None else run.program.operands(k)
    culprits = _culprits(run, y, element)
    for a, e in culprits:
        if a < 0:
            return _constant_origin(run, spot, a, e)
    kind, sources = "forward" if spot.op else "leaf", _sources(run, y, element)
    if getattr(spot.leaf, "_inputs", ()) is None:
        return Origin("freed", replace(spot, line=line_of(spot.leaf)), spot.number)
    if kind == "forward" and not culprits and k is not None:
        kind = "unknown" if any(a is None for a in run.args(k)) else kind
    inside = run.inside(k) if k is not None and operands else None
    rounded = _rounded(run, y, element) if kind == "forward" else None
    return Origin(kind, spot, spot.number, sources=sources, inside=inside, rounded=rounded)


def _constant_origin(run: Run, spot: Spot, atom: int, element: Element) -> Origin:
    """Return the origin in an element of a constant operand."""
    number = _at(run.number(atom), element)
    number = nan if number is None else number
    constant = run.number(atom)
    kept = None if isinstance(constant, (int, float)) else constant
    spot = spot if spot.args else replace(spot, element=element)
    return Origin("constant", spot, number, constant=kept)


def _path(run: Run, atom: int | None, onward: Mapping[int, int | None]) -> Iterator[Step]:
    """Yield the steps from an operation to the number that was asked about."""
    program, origins = run.program, run.program.origins
    steps: dict[tuple[int, int], Step] = {}  # one for all operations of a loop
    while atom is not None:
        k = program.maker(atom)
        if k is None:
            yield Step("", leaf=run.nodes[atom])
        else:
            name = program.op[k], -1 if origins is None else origins[k]
            step = steps.get(name)
            if step is None:
                step = steps[name] = Step(program.primitive(k).name, program.line(k))
            yield step
        atom = onward[atom]


Edge = tuple[int, int, Any, Any]
"""An equation that reads a variable, the position there, the contribution, and the cotangent."""

# --- backward -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Pass:
    """What a backward pass found: when variables were processed, and contributions with NaN or inf.

    ``edges``  for each variable: the equation that reads it, its position among the operands, the
               contribution, and the cotangent of the equation
    """

    turns: dict[int, int]
    edges: dict[int, list[Edge]]

    def keep_bad(self, program: Program, seen: list[tuple[int, Any, Sequence[Any]]]) -> None:
        """Store the contributions that are not finite, and empty the list."""
        if are_bad([c for _, _, contributions in seen for c in contributions]):
            for k, t, contributions in seen:
                for i, (a, c) in enumerate(zip(program.operands(k), contributions, strict=True)):
                    if a >= 0 and c is not None and _is_bad(c):
                        self.edges.setdefault(a, []).append((k, i, c, t))
        seen.clear()


def run_backward(run: Run, seed: Any) -> Pass:
    """Run a backward pass again, without any change, and return what was not finite in it."""
    with run.quiet():
        return _run_backward(run, seed)


def _run_backward(run: Run, seed: Any) -> Pass:
    found, seen = Pass({}, {}), list[tuple[int, Any, Sequence[Any]]]()
    program, turns = run.program, found.turns
    for turn, (y, t, contributions) in enumerate(run.reverse(seed)):
        turns[y] = turn
        if y < program.inputs or t is None:
            continue
        k = y - program.inputs
        if program.outs is not None:
            k = bisect_right(program.outs, y) - 1
            turns.update(dict.fromkeys(program.results(k), turn))
        seen.append((k, t, contributions))
        if len(seen) >= TOGETHER:
            found.keep_bad(program, seen)
    found.keep_bad(program, seen)
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
        path = tuple(_path(run, first, came_from))
        return Origin(
            "sum", _spot(run, first, elements[first]), nan, path=path, others=len(sums) - 1
        )
    k, position, t, y = min(ends, key=lambda end: found.turns[end[3]])
    origin = _rule(run, k, position, t, elements[y], elements[came_from[y]])
    return replace(
        origin,
        path=(*origin.path, *_path(run, y, came_from)),
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
    if len(elements) == 1:
        return results[0], elements[0]
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
    rounded = _rounded(run, y, element)
    origin = Origin("backward", spot, result, position, incoming, sources, inside=inside)
    return replace(origin, rounded=rounded)


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
