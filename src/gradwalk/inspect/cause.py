"""The explanation of a NaN or an infinity: what made it, of which numbers, in which line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isfinite, isinf, isnan

from ..core.places import place, short_place
from . import charts
from .draw import Drawing
from .edits import Edit, edit_of
from .origins import MOVES, Element, Origin, Spot
from .places import Namer
from .rates import edit_of_rate, optimizer_of, smaller_rate
from .remedies import RULES, alternative, is_overflow, reason, remedy
from .report import Report
from .unrecorded import Unrecorded, unrecorded

__all__ = ["Cause", "explain"]

ARROW, WHICH = " → ", ", which is "
GROWN = 1e30  # no training has such numbers
ROUNDS = 5  # of a loop through which numbers have grown
LONGEST = 8  # operations of a path that are shown


class Cause(Report):
    """What made a number non-finite. It is false if nothing is wrong.

    ``op``, ``element``, ``args``  the operation, the element and its operands there
    ``direction``                  "forward", "backward", or "data" if it was there before
    ``line``                       the line of the program, ``""`` if it was not recorded
    ``path``                       the steps from there to the number that was asked about
    ``fix``                        what to write instead
    ``edit``                       the same as an `Edit` of the program, if one expression is enough
    """

    line: str
    fix: str
    path: list[str]
    edit: Edit | None = None
    is_meant: bool = False
    """Whether a gradient is 0 because the program says so: by `clip`, or at a smallest value."""

    def __init__(
        self, title: str, rows: Sequence[tuple[str, str]] = (), origin: Origin | None = None
    ) -> None:
        super().__init__(title, rows)
        self._origin = origin
        self.op: str = origin.spot.op if origin else ""
        self.element: Element = origin.spot.element if origin else ()
        self.args: tuple[float, ...] = origin.spot.args if origin else ()
        self.direction: str = _direction(origin)
        found = dict(self.rows)
        self.path = found.get("path", "").split(ARROW) if "path" in found else []
        self.line, self.fix = found.get("line", ""), found.get("fix", "")

    def __bool__(self) -> bool:
        return self._origin is not None or (bool(self.rows) and not self.is_meant)

    def draw(self) -> Drawing | None:
        """Draw the way from the operands over the cause to the number that was asked about."""
        if self._origin is None:
            return None
        found: list[tuple[str, str, str]] = []
        for told in (text for caption, text in self.rows if caption == "operand"):
            if found:  # of another operand: no arrow leads from one to the other
                found[-1] = ("source apart", *found[-1][1:])
            names = told.partition(" is ")[2].split(WHICH)
            found += [("source", name, "") for name in reversed(names)]
        what, _, why = dict(self.rows).get("cause", "").rpartition(": ")
        found.append(("cause", what, why))
        onward = self.path[1:] if self.path else []
        found += [("step", step, "") for step in onward[:-1]]
        return charts.steps(self.title, [*found, *(("end", step, "") for step in onward[-1:])])

    @property
    def is_overflow(self) -> bool:
        """Whether finite numbers have grown too large, or a leaf was non-finite itself."""
        origin = self._origin
        return origin is not None and (is_overflow(origin) or origin.kind in ("leaf", "sum"))

    @property
    def is_silent(self) -> bool:
        """Whether all numbers are finite, and a gradient is 0 or missing."""
        return self._origin is None and ".grad" in self.title and "nan" not in self.title

    @property
    def sentence(self) -> str:
        """The cause in one line, for error messages."""
        found = dict(self.rows)
        what, colon, reason = found.get("cause", self.title).rpartition(": ")
        where = (
            "" if self.line.startswith("not recorded") else f", in {self.line}" * bool(self.line)
        )
        return f"{what}{where}{colon}{reason}"

    @property
    def details(self) -> str:
        """The rows that the sentence leaves out, each on a line of its own."""
        rows = [(k, v) for k, v in self.rows if k not in ("cause", "line", "fix")]
        return "".join(f"\n  {caption:<8} {text}" for caption, text in rows)


def _direction(origin: Origin | None) -> str:
    if origin is None:
        return ""
    kinds = {"leaf": "data", "constant": "data", "freed": "unknown"}
    kinds |= {"sum": "backward", "tangent": "forward"}
    return kinds.get(origin.kind, origin.kind)


def explain(title: str, origin: Origin, namer: Namer, end: str = "") -> Cause:
    """Return the explanation of an origin. ``end`` names the number at the end of the path."""
    spot, name = origin.spot, _name_of_operand(origin, namer)
    optimizer = optimizer_of(namer.frames, spot.leaf)[1] if origin.kind == "leaf" else None
    is_data = origin.kind in ("constant", "leaf") and origin.mask is None and optimizer is None
    made = unrecorded(namer.frames, origin, name) if is_data else None
    what = _cause(origin, namer, made)
    if optimizer is not None:
        rate, new = optimizer.param_groups[0]["lr"], smaller_rate(optimizer)
        what = f"{what}, so an update with lr={rate:g} may have"
        edit = edit_of_rate(optimizer, namer.frames)
        words = f"If the numbers have grown, write lr={new:g}. {remedy(origin, name)}"
    else:
        edit = made.edit(spot.dtype) if made else edit_of(origin)
        words = made.fix if made else _growth(origin, namer) or remedy(origin, name)
    more = words if optimizer is not None else alternative(origin)
    more = "" if edit and (edit.is_exact or ".clip(" in edit.new) else more
    fix = f"{edit} {more}".strip() if edit else words
    rows = [("cause", what), *_lines(origin, made), *_details(origin, namer, end), ("fix", fix)]
    cause = Cause(title, rows, origin)
    cause.edit = edit
    return cause


def _lines(origin: Origin, made: Unrecorded | None) -> list[tuple[str, str]]:
    """Return the line of the cause, and that of the operation that has used it."""
    spot = origin.spot
    line = place(spot.line) or place(getattr(spot.leaf, "line", None))
    if made:
        return [("line", made.place), *([("used", line)] if line else [])]
    if line:
        return [("line", line)]
    return [("line", _unknown_line(spot))] if spot.op and spot.leaf is None else []


def _details(origin: Origin, namer: Namer, end: str) -> Iterator[tuple[str, str]]:
    """Yield what led to the cause, and what followed from it."""
    yield from (("operand", text) for text in _operands(origin, namer))
    if origin.rounded is not None:
        yield "rounded", _rounded(origin.rounded)
    if origin.mask is not None and origin.kind == "forward":
        mask = origin.mask
        yield "mask", f"{_call(mask)}{_at(mask)} in {place(mask.line) or mask.op}"
    path = _path(origin, namer, end)
    if path:
        yield "path", path
    if origin.kind not in RULES and not isnan(origin.incoming):
        yield "then", _then(origin)
    if origin.others:
        more = "operation" if origin.others == 1 else "operations"
        yield "also", f"{origin.others} more {more} made such a number of finite ones"


def _growth(origin: Origin, namer: Namer) -> str:
    """Return what to do about numbers that a loop or the updates of a leaf have made large."""
    overflow = (is_overflow(origin) and isinf(origin.result)) or (
        origin.kind in RULES and abs(origin.incoming) > GROWN
    )
    if not overflow:
        return ""
    name, number = namer.largest()
    lower = "Lower the learning rate, or divide the data by their standard deviation"
    if number > GROWN:
        return f"{lower}: {name} has grown to {number:.3g}."
    lines = Counter((step.op, short_place(step.line)) for step in origin.path if step.line)
    (_, line), count = lines.most_common(1)[0] if lines else (("", ""), 0)
    huge = count > 1 and any(abs(x) > GROWN for x in origin.spot.args)
    if count < ROUNDS and not huge:
        return f"{lower}." if origin.kind in RULES else ""
    return (
        f"Make the step or the factor of the loop smaller at {line}: its numbers grow in each of "
        f"{count} rounds or more. Or clip what it carries."
    )


def _unknown_line(spot: Spot) -> str:
    return "not recorded: compute it inside `with gradwalk.inspect.lines():`"


def index(element: Element) -> str:
    """Return an index as it is written: ``[1, 2]``."""
    return f"[{', '.join(map(str, element))}]" if element else ""


def _call(spot: Spot) -> str:
    infix = getattr(spot.primitive, "infix", "")
    numbers = [f"{x:.6g}" for x in spot.args]
    if infix and len(numbers) == 2:
        return f"{numbers[0]} {infix} {numbers[1]}"
    if numbers:
        return f"{spot.op}({', '.join(numbers)})"
    return f"{spot.op}(…)" if getattr(spot.primitive, "kind", "") == "pointwise" else spot.op


def _at(spot: Spot) -> str:
    return f" at element {index(spot.element)}" if spot.element else ""


def _cause(origin: Origin, namer: Namer, made: Unrecorded | None) -> str:
    spot, why = origin.spot, made.told if made else reason(origin)
    if origin.kind == "leaf":
        name = namer.name(spot.leaf) or "a leaf"
        return f"{name}{index(spot.element)} is {spot.number:g} itself: {why}"
    if origin.kind == "freed":
        op = getattr(spot.leaf, "op", "")
        name = namer.name(spot.leaf) or f"a result of {op}"
        return f"{name}{index(spot.element)} is {spot.number:g}: {reason(origin)}"
    if origin.kind == "constant":
        at = f"{_call(spot)}{_at(spot)}"
        at = at if spot.args else f"an operand of {spot.op}"
        named = _name_of_operand(origin, namer)
        where = f" (element {index(spot.element)} of {at})" if not spot.args else f" in {at}"
        where += f", which is {named}" if named else ""
        return f"the constant {origin.result:g}{where}: {why}"
    if origin.kind == "sum":
        return f"the sum of the contributions to {spot.op or 'a leaf'}{_at(spot)}: {reason(origin)}"
    if origin.kind in RULES:
        what = f"{_call(spot)} = {spot.number:.6g}" if "(" in _call(spot) else _call(spot)
        way, t = ("backward", "gradient") if origin.kind == "backward" else ("forward", "tangent")
        what = f"{what}{_at(spot)}, with the incoming {t} {origin.incoming:.6g}"
        return f"the {way} pass of {what}, makes {origin.result:g}: {reason(origin)}"
    return f"{_call(spot)} = {spot.number:g}{_at(spot)}: {reason(origin)}"


def _rounded(spot: Spot) -> str:
    """Return how a number has become exactly 0 or 1."""
    call = f"{_call(spot)} = {spot.number:g}" if spot.args else f"{spot.op} gives {spot.number:g}"
    line = place(spot.line)
    where = f"{_at(spot)}{f' in {line}' if line else ''}"
    exact = "for all numbers below 0" if spot.op == "relu" else f"rounded, in {spot.dtype}"
    return f"{call}{where}: {exact}"


def _operands(origin: Origin, namer: Namer) -> list[str]:
    """Return where the numbers of the operands come from."""
    found = []
    for position, chain in enumerate(origin.sources):
        x = f"{origin.spot.args[position]:.6g}" if position < len(origin.spot.args) else ""
        told = [s for s in chain if s.op not in MOVES or s is chain[-1]]
        steps = [step for step in (_step(spot, namer) for spot in told) if step]
        if steps and x:
            found.append(f"{x} is {WHICH.join(steps)}")
    return found


def _step(spot: Spot, namer: Namer) -> str:
    name = namer.name(spot.leaf) if spot.leaf is not None else spot.label
    if not spot.op:
        return f"{name}{index(spot.element)}" if name else ""
    where = place(spot.line)
    call = _call(spot) if spot.args else f"an element of {spot.op}"
    return f"{call}{f' in {where}' if where else ''}"


def _name_of_operand(origin: Origin, namer: Namer) -> str:
    if origin.spot.leaf is not None:
        return namer.name(origin.spot.leaf)
    if origin.kind == "constant":
        alone = origin.constant is None
        return namer.number(origin.result) if alone else namer.array(origin.constant)
    names = [namer.name(c[-1].leaf) for c in origin.sources if c and c[-1].leaf is not None]
    single = [c for c in origin.sources if c]
    if len(single) == 1 and len(single[0]) == 1 and names:
        return names[0]
    return ""


def _path(origin: Origin, namer: Namer, end: str) -> str:
    names = []
    for (op, line, leaf), group in groupby(origin.path):
        name = op or (namer.name(leaf) if leaf is not None else "") or "leaf"
        where, count = short_place(line), len(list(group))
        name = f"{name} ({where})" if op and where else name
        names += [f"{name} ({count} times)"] if op and count > 2 else [name] * count
    if len(names) > LONGEST:
        hidden = len(names) - LONGEST
        half = LONGEST // 2
        names = [*names[:half], f"… {hidden} more …", *names[-half:]]
    if end and (not names or names[-1] != end):
        names.append(end)
    return ARROW.join(names) if len(names) > 1 else ""


def _then(origin: Origin) -> str:
    return (
        f"the backward pass reads {origin.result:g}: with the incoming gradient "
        f"{origin.incoming:.6g} its rule gives no finite number"
        if isfinite(origin.incoming)
        else "the backward pass continues from there"
    )
