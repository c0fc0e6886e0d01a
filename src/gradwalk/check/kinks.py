"""`kinks`: the kinks, ties and jumps that a run of a function stood on, or near."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, isfinite, nan, nextafter
from typing import Any

from ..core.calls import expect_function
from ..core.carrier import is_tensor
from ..core.expect import describe, is_array
from ..engine.observing import Observer, line_of_caller
from ..engine.value import Value
from ..errors import NotANumberError, OptionError
from ..inspect.places import short_place
from ..inspect.report import Report, html_table, text_table

__all__ = ["Kink", "Kinks", "kinks"]

JUMP = 1e-6  # slopes that differ by more than this part of themselves are two slopes
HEAD = ("operation", "operand", "element", "distance", "left", "right", "convention", "line")
MOST = 1000  # elements of one array that are examined one by one
COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
TIES = {
    "max": "a tie gives equal shares to all",
    "min": "a tie gives equal shares to all",
    "choose": "a tie gives all to the number that was chosen",
    "argmax": "no derivative: the first of the largest is chosen",
    "argmin": "no derivative: the first of the smallest is chosen",
    "argsort": "no derivative: equal numbers keep their order",
}
"""Operations on whole arrays that have a kink where two numbers are equal."""
AT_ZERO = {"norm": "slope 0 at 0", "std": "slope 0 where all numbers are equal"}


class Kink:
    """One place where a derivative jumps.

    ``op``, ``args``, ``element``  the operation, its operands, and the element of an array
    ``operand``     the number that is near the kink
    ``distance``    how far from the kink
    ``left``, ``right``  the slopes on either side, NaN where there is none
    ``convention``  what gradwalk takes for the slope at the kink itself
    ``line``        where in the program
    """

    def __init__(self, op: str, operand: float, distance: float, convention: str, **rest: Any):
        self.op, self.operand, self.distance, self.convention = op, operand, distance, convention
        self.left: float = rest.get("left", nan)
        self.right: float = rest.get("right", nan)
        self.args: tuple[float, ...] = rest.get("args", ())
        self.element: tuple[int, ...] = rest.get("element", ())
        self.line: str = rest.get("line", "")
        self.position: int = rest.get("position", 0)
        self.primitive: Any = rest.get("primitive")

    @property
    def row(self) -> tuple[str, ...]:
        """The texts of one line of the table."""
        numbers = [f"{x:.6g}" for x in (self.operand,)]
        sides = ["none" if x != x else f"{x:.6g}" for x in (self.left, self.right)]
        at = f"[{', '.join(map(str, self.element))}]" if self.element else ""
        return (
            self.op, *numbers, at, f"{self.distance:.1e}", *sides, self.convention, self.line
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<kink of {self.op} at {self.operand:.6g}, {self.distance:.1e} away>"


class Kinks(Report):
    """The kinks of a run, as a sequence and as a table. It is false if there are none."""

    def __init__(self, found: Sequence[Kink], within: float) -> None:
        self.found = list(found)
        count = f"{len(found)} kink{'s' * (len(found) > 1)}" if found else "no kink"
        super().__init__(f"{count} within {within:g}")

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, index: int) -> Kink:
        return self.found[index]

    def __str__(self) -> str:
        table = text_table([HEAD, *(kink.row for kink in self.found)]) if self.found else []
        return "\n".join([self.title, *table])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p><b>{self.title}</b></p>" + html_table([k.row for k in self.found], HEAD)

    def plot(self, path: Any = None) -> Any:
        """Draw each operation around its kink as a figure of matplotlib; save it to ``path``."""
        from ..inspect.panels import plot_curves

        curves = [_curve(kink) for kink in self.found if kink.primitive is not None]
        return plot_curves(curves, path)


def _curve(kink: Kink) -> tuple[str, list[float], list[float], float]:
    width = max(10.0 * kink.distance, 1e-3)
    xs = [kink.operand + width * (i / 50.0 - 1.0) for i in range(101)]
    ys = [float(kink.primitive.evaluate(*_with(kink.args, kink.position, x))) for x in xs]
    return f"{kink.op} at {kink.operand:.4g}", xs, ys, kink.operand


def kinks(f: Callable[..., Any], *args: Any, within: float = 1e-9) -> Kinks:
    """Return every kink, tie and jump that ``f(*args)`` stands on, or is near.

    Arguments are numbers, Values, arrays or Tensors. Each operation is examined at the operands
    that this run has: whether its derivative, or a comparison, differs on the two sides of an
    operand, at a distance of up to ``within``. The convention says which slope gradwalk takes at
    the kink itself. Comparisons of Values, on which a branch may depend, count as jumps.

    Raise `OptionError` unless ``within`` is a positive number.

    >>> from gradwalk import relu
    >>> found = kinks(lambda x: relu(x - 1.0), 1.0)
    >>> [(k.op, k.operand, k.distance, k.left, k.right, k.convention) for k in found]
    [('relu', 0.0, 0.0, 0.0, 1.0, 'slope 0 at 0')]
    >>> len(kinks(lambda x: relu(x - 1.0), 1.5))
    0
    """
    expect_function(f, "kinks")
    if not (isinstance(within, (int, float)) and 0.0 < within < inf):
        raise OptionError(
            where="kinks(within=...)",
            expected="a positive number",
            got=describe(within),
            fix="Use within=1e-9.",
        )
    with _Watch(float(within)) as watch:
        f(*map(_recorded, args))
    return Kinks(watch.found, within)


def _recorded(x: Any) -> Any:
    if isinstance(x, Value) or is_tensor(x):
        return x
    if is_array(x):
        from ..core.backend import arrays

        return arrays().Tensor(x, requires_grad=x.dtype.kind == "f")
    if isinstance(x, (list, tuple)):
        return type(x)(map(_recorded, x))
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return Value(x)
    raise NotANumberError(
        where="kinks(f, *args)",
        expected="numbers, Values, arrays or Tensors",
        got=describe(x),
        fix="Pass it by a lambda: kinks(lambda x: f(x, option), 1.0).",
    )


class _Watch(Observer):
    """An observer that looks for kinks at the operands of each operation."""

    def __init__(self, within: float) -> None:
        self.within = within
        self.found: list[Kink] = []

    def operation(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """Examine one operation."""
        line = short_place(line_of_caller())
        if primitive is None:
            self._comparison("comparison", [_plain(a) for a in args], (), line)
        elif primitive.kind != "pointwise":
            self.found += _of_array(primitive, args, self.within, line)
        elif primitive.kinks or not primitive.differentiable or _has_edge(primitive):
            for element, numbers in _elements(primitive, args, result, self.within):
                self._element(primitive, numbers, element, line)

    def _element(self, primitive: Any, args: list[float], element: Any, line: str) -> None:
        if primitive.name in COMPARISONS:
            self._comparison(primitive.name, args, element, line)
            return
        seen: set[float] = set()
        for position, x in enumerate(args):
            kink = _kink(primitive, args, position, self.within)
            if kink is None or kink[0] in seen:
                continue
            seen.add(kink[0])  # a tie of a and b is one kink, not two
            distance, left, right = kink
            self.found.append(
                Kink(
                    primitive.name, x, distance, _convention(primitive), left=left, right=right,
                    args=tuple(args), element=element, line=line, position=position,
                    primitive=primitive,
                )
            )  # fmt: skip

    def _comparison(self, op: str, args: Sequence[float], element: Any, line: str) -> None:
        distance = abs(args[0] - args[1])
        if distance <= self.within:
            text = "no derivative: a branch that depends on it jumps"
            self.found.append(
                Kink(op, args[0], distance, text, args=tuple(args), element=element, line=line)
            )


def _plain(x: Any) -> float:
    return float(getattr(x, "data", x))


def _convention(primitive: Any) -> str:
    if primitive.kinks:
        return str(primitive.kinks)
    return "no derivative" if not primitive.differentiable else "the edge of the domain"


def _has_edge(primitive: Any) -> bool:
    return any(isfinite(low) or isfinite(high) for low, high in primitive.domain)


# --- one operation on numbers ---------------------------------------------------------------------


def _with(args: Sequence[float], position: int, x: float) -> list[float]:
    return [*args[:position], x, *args[position + 1 :]]


def _kink(
    primitive: Any, args: list[float], position: int, within: float
) -> tuple[float, float, float] | None:
    """Return the distance to the nearest kink in one operand, and the slopes on either side."""
    x = args[position]
    if not isfinite(x) or not _jumps(primitive, args, position, within):
        return None
    low, high = 0.0, within
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if _jumps(primitive, args, position, middle) else (middle, high)
    least = max(2.0 * abs(nextafter(x, inf) - x), 1e-9 * within)
    distance = 0.0 if high <= least else high
    left = _slope(primitive, _with(args, position, x - 2.0 * within), position)
    right = _slope(primitive, _with(args, position, x + 2.0 * within), position)
    return distance, left, right


def _jumps(primitive: Any, args: list[float], position: int, h: float) -> bool:
    """Return whether value or slope jump between x - h and x + h."""
    x = args[position]
    sides = [min(x - h, nextafter(x, -inf)), max(x + h, nextafter(x, inf))]
    low, high = ([*_with(args, position, side)] for side in sides)
    if not primitive.differentiable:
        return bool(primitive.evaluate(*low) != primitive.evaluate(*high))
    a, b = _slope(primitive, low, position), _slope(primitive, high, position)
    if not (isfinite(a) and isfinite(b)):
        return isfinite(a) != isfinite(b) or a != a
    step = abs(primitive.evaluate(*high) - primitive.evaluate(*low))
    if step > 10.0 * (abs(a) + abs(b)) * (sides[1] - sides[0]) + 1e-9:
        return True  # the value itself jumps, as that of mod
    return abs(a - b) > JUMP * max(abs(a), abs(b)) and _is_sharp(primitive, args, position, h, a, b)


def _is_sharp(
    primitive: Any, args: list[float], position: int, h: float, a: float, b: float
) -> bool:
    """Return whether the slopes differ as much at a tenth of the distance: no mere curvature."""
    x = args[position]
    step = max(0.1 * h, 2.0 * (nextafter(abs(x), inf) - abs(x)))
    places = [x - h + step * k for k in range(int(2.0 * h / step) + 2)] if step else []
    slopes = [_slope(primitive, _with(args, position, at), position) for at in places]
    jumps = [abs(p - q) for p, q in pairwise(slopes)]
    return not jumps or max(jumps) > 0.25 * abs(a - b)


def _slope(primitive: Any, args: list[float], position: int) -> float:
    """Return the derivative by one operand, NaN if the operation has none there."""
    y = primitive.evaluate(*args)
    if not primitive.differentiable:
        return 0.0
    if y != y:
        return nan
    return float(primitive.slopes(y, args)[position])


# --- arrays ---------------------------------------------------------------------------------------


def _elements(primitive: Any, args: Sequence[Any], result: Any, within: float) -> Any:
    """Yield the operands of each element that may be near a kink."""
    raws = [a._data if is_tensor(a) else _plain(a) for a in args]
    if not any(hasattr(raw, "shape") for raw in raws):
        yield (), raws
        return
    import numpy as np

    arrays = np.broadcast_arrays(*raws)
    wanted = np.argwhere(_candidates(primitive, arrays, within))[:MOST]
    for element in map(tuple, wanted.tolist()):
        yield element, [float(array[element]) for array in arrays]


def _candidates(primitive: Any, arrays: Sequence[Any], within: float) -> Any:
    """Return where value or slope change between the two sides of an operand."""
    import numpy as np

    from ..ops.array.evaluation import function_of

    found = np.zeros(arrays[0].shape, bool)
    evaluate = function_of(primitive)
    with np.errstate(all="ignore"):
        for i in range(len(arrays)):
            sides: list[Any] = []
            for sign in (-1.0, 1.0):
                moved = [np.asarray(a, float) for a in arrays]
                moved[i] = np.nextafter(moved[i] + sign * within, sign * inf)
                sides.append(_sides(primitive, evaluate, moved, i))
            found |= ~np.isclose(sides[0], sides[1], rtol=JUMP, atol=0.0)
    return found


def _sides(primitive: Any, evaluate: Any, moved: list[Any], position: int) -> Any:
    import numpy as np

    from ..ops.array.structural_zero import elements_of

    y = np.asarray(evaluate(*moved), float)
    if not primitive.differentiable or primitive.rules[position] is None:
        return y if not primitive.differentiable else np.zeros(y.shape)
    slope = primitive.rules[position](np.ones(y.shape), y, *moved)
    return np.broadcast_to(np.asarray(elements_of(slope), float), y.shape)


def _of_array(primitive: Any, args: Sequence[Any], within: float, line: str) -> list[Kink]:
    """Return the ties of an operation on a whole array, and a norm or spread of zero."""
    import numpy as np

    name = primitive.name
    if name not in TIES and name not in AT_ZERO:
        return []
    x = np.asarray(args[0]._data if is_tensor(args[0]) else args[0], float)
    if name in AT_ZERO:
        size = float(np.abs(x).max(initial=0.0)) if name == "norm" else float(np.ptp(x))
        text = AT_ZERO[name]
        return [Kink(name, size, size, text, line=line)] if x.size and size <= within else []
    if x.size < 2:
        return []
    flat = np.sort(x, axis=None)
    gaps = np.diff(flat)
    if name in ("max", "argmax"):
        gaps = gaps[-1:]
    elif name in ("min", "argmin"):
        gaps = gaps[:1]
    near = gaps[gaps <= within]
    if not len(near):
        return []
    place = int(np.argmin(gaps))
    number = float(flat[-1] if name in ("max", "argmax") else flat[place])
    return [Kink(name, number, float(near.min()), TIES[name], line=line)]
