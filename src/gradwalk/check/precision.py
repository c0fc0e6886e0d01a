"""`precision`: how many digits of a result and of its gradients are correct."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any, ClassVar

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.places import short_place
from ..engine.node import is_constant
from ..engine.reverse import consumer_counts, reverse_pass
from ..engine.value import Value, enable_grad
from ..engine.value_numbers import ValueNumbers
from ..errors import FreedGraphError, NotANumberError
from ..inspect.charts import Bar, bars
from ..inspect.draw import Drawing
from ..inspect.places import Namer, line_of, remember_line
from ..inspect.report import Report
from .precise import DIGITS, Precise, mpmath

__all__ = ["Accuracy", "Precision", "precision"]

WHERE = "precision(loss, wrt)"
MOST = 100_000  # elements
ALL_DIGITS = 16.0  # what a double can agree in
NARROW = {"float32": 5.0, "float16": 2.0}
"""Digits that a healthy computation in narrow numbers has at least."""
LOSS = 1.0  # digits: a smaller loss at one operation is rounding


class Accuracy:
    """One number: as a double, in 50 digits, how many digits agree, what lost the others."""

    name: str
    double: float
    exact: Any
    digits: float
    lost_by: str

    def __init__(self, name: str, double: float, exact: Any, digits: float, lost_by: str) -> None:
        self.name, self.double, self.exact = name, double, exact
        self.digits, self.lost_by = digits, lost_by

    @property
    def row(self) -> tuple[str, ...]:
        """The texts of one line of the table."""
        exact = mpmath().nstr(self.exact, 20)
        return self.name, repr(self.double), exact, f"{self.digits:.1f}", self.lost_by


class Precision(Report):
    """The accuracy of a value and of gradients, as data, a table and a picture."""

    value: Accuracy
    gradients: list[Accuracy]
    head: ClassVar[tuple[str, ...]] = ("quantity", "double", "50 digits", "digits", "lost by")
    numbers: ClassVar[tuple[int, ...]] = (3,)

    def __init__(self, value: Accuracy, gradients: Sequence[Accuracy]) -> None:
        self.value, self.gradients = value, list(gradients)
        worst = min([value, *gradients], key=lambda a: a.digits)
        super().__init__(f"{worst.digits:.1f} digits are correct, at least")

    @property
    def digits(self) -> float:
        """The digits of the least accurate number."""
        return min(a.digits for a in [self.value, *self.gradients])

    def table(self) -> list[tuple[str, ...]]:
        """Return a line for the value, and one for each gradient."""
        return [a.row for a in [self.value, *self.gradients]]

    def draw(self) -> Drawing:
        """Draw the correct digits as bars, of the 16 that a double can have."""
        return bars(f"Correct digits of {ALL_DIGITS:g}", [
            Bar(a.name, a.digits, f"{a.digits:.1f}", f"lost by {a.lost_by}" if a.lost_by else "",
                "good" if a.digits > ALL_DIGITS - 2.0 * LOSS else "bad")
            for a in [self.value, *self.gradients]
        ], top=ALL_DIGITS)  # fmt: skip


def precision(loss: Any, wrt: Any) -> Precision:
    """Compute a graph and its gradients again in 50 digits, and count the digits that agree.

    The operations and rules of the table run on mpmath's numbers, from the doubles in the leaves.
    For the value of ``loss`` and for ∂loss/∂w of each ``w`` in ``wrt``: the double, the number in
    50 digits, the correct significant digits (16 at most), and the operation that lost most of the
    others, such as a difference of nearly equal numbers. Nothing in the graph changes. ``loss`` may
    be a `Replay`. A graph of Tensors is computed again element by element, up to 100,000 of them,
    and of each gradient the least accurate element is shown.

    Raise `MissingExtraError` without mpmath, `NotANumberError` unless all are Values or all are
    Tensors, `OptionError` for an operation on arrays without a finite formula, such as `svd`, and
    `FreedGraphError` if the graph was freed.

    >>> from gradwalk import Value, cos
    >>> x = Value(1e-6)
    >>> found = precision(1.0 - cos(x), x)
    >>> found.value.digits < 5.0, found.value.lost_by
    (True, 'sub: 1 - 1')
    """
    mp = mpmath()
    loss = loss.graph() if hasattr(loss, "graph") else loss
    single = isinstance(wrt, Value) or is_tensor(wrt) or not isinstance(wrt, Iterable)
    wanted = [wrt] if single else list(wrt)
    kinds = {is_tensor(x) if type(x) is Value or is_tensor(x) else None for x in (loss, *wanted)}
    if kinds not in ({False}, {True}):
        raise NotANumberError(
            where=WHERE,
            expected="Values, or Tensors",
            got=", ".join(dict.fromkeys(map(describe, (loss, *wanted)))),
            fix="Pass the loss and the leaves themselves: precision(loss, [w, b]).",
        )
    namer = Namer(sys._getframe(1))
    names = [namer.name(_node(w)) or f"wrt[{i}]" for i, w in enumerate(wanted)]
    with mp.workdps(DIGITS):
        if kinds == {True}:
            return _of_tensors(loss, wanted, namer.name(_node(loss)) or "loss", names)
        twin = _Twin(loss)
        return twin.report(namer.name(loss) or "loss", list(zip(names, wanted, strict=True)))


def _node(x: Any) -> Any:
    return x._node if is_tensor(x) and x._node is not None else x


def _of_tensors(loss: Any, wanted: Sequence[Any], name: str, names: Sequence[str]) -> Precision:
    from ..tensor.graph.backward import gradients

    found = gradients(loss, list(wanted), None, False)
    root, arrays = _unfolded(loss, wanted)
    doubles: dict[Any, float] = {root: float(loss.item())}
    elements: list[tuple[str, Any]] = []
    ends = [0]
    for title, array, gradient in zip(names, arrays, found, strict=True):
        for index, x in enumerate(array.flat):
            place = _unravel(index, array.shape)
            elements.append((f"{title}[{', '.join(map(str, place))}]" if place else title, x))
            doubles[x] = float(gradient.flat[index])
        ends.append(len(elements))
    report = _Twin(root).report(name, elements, doubles)
    narrow = NARROW.get(str(loss.dtype))
    if narrow is not None:  # every number is rounded to fewer digits: no operation is to blame
        for accuracy in (report.value, *report.gradients):
            if accuracy.digits > narrow:
                accuracy.lost_by = f"the precision of {loss.dtype}" if accuracy.lost_by else ""
    parts = [report.gradients[a:b] for a, b in pairwise(ends)]
    return Precision(report.value, [min(part, key=lambda a: a.digits) for part in parts if part])


def _unfolded(loss: Any, wanted: Sequence[Any]) -> tuple[Value, list[Any]]:
    """Return the loss as a Value, and an array of Values for each of the Tensors ``wanted``."""
    from ..ops.array.lowering import each, elements, holds_places, lowered
    from ..tensor.graph.array_numbers import ArrayNumbers
    from ..tensor.graph.node import CONSTANT_NODE

    numbers = ArrayNumbers(loss._node, {loss._node: loss._data})
    known: dict[Any, Any] = {w._node: each(Value, elements(w._data)) for w in wanted}
    order = [n for n in numbers.order if n is not CONSTANT_NODE]
    count = 0
    with enable_grad():
        for node in order:
            primitive: Any = node._primitive
            if node._inputs:
                args = zip(node._inputs, numbers.args(node), strict=True)
                operands = [
                    a if holds_places(primitive, i) else known.get(o, a)
                    for i, (o, a) in enumerate(args)
                ]
                known[node] = lowered(primitive, operands, node.options, where=WHERE)
            elif node not in known:
                known[node] = each(Value, elements(_leaf(node, numbers.data.get(node))))
            parts = known[node] if type(known[node]) is tuple else (known[node],)
            made = [value for part in parts if part is not None for value in part.flat]
            count += len(made)
            _expect_small(count)
            for value in made:
                if node.line is not None and isinstance(value, Value) and value.op:
                    remember_line(value, node.line)
    result = known[loss._node].item()
    return result if isinstance(result, Value) else Value(result), [known[w._node] for w in wanted]


def _leaf(node: Any, data: Any) -> Any:
    if data is not None:
        return data
    raise FreedGraphError(
        where=WHERE,
        expected="leaves that the program still has",
        got=f"a graph with a leaf of shape {node.shape} that it has not",
        fix="Keep the parameters in a variable.",
    )


def _expect_small(count: int) -> None:
    if count > MOST:
        raise NotANumberError(
            where=WHERE,
            expected=f"at most {MOST:,} elements in the whole graph",
            got=f"{count:,} or more",
            fix="Use a smaller batch.",
        )


def _unravel(index: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    place: list[int] = []
    for size in reversed(shape):
        index, at = divmod(index, size)
        place.insert(0, at)
    return tuple(place)


class _Twin:
    """The same graph in doubles and in 50 digits."""

    def __init__(self, loss: Value) -> None:
        self.loss, self.numbers = loss, ValueNumbers(loss, line_of)
        self.exact: dict[Any, Precise] = {}
        for node in self.numbers.order:
            if not node._inputs:
                self.exact[node] = Precise(self.numbers.data[node])
            else:
                y = Precise._apply(node._primitive, tuple(self._args(node)))
                self.exact[node] = Precise(y)

    def _args(self, node: Any) -> list[Precise]:
        numbers = self.numbers.args(node)
        return [
            Precise(x) if is_constant(i) else self.exact[i]
            for i, x in zip(node._inputs, numbers, strict=True)
        ]

    def _pull(self, node: Any, t: Precise) -> list[Precise | None]:
        found = node._primitive.contributions(t, self.exact[node], self._args(node))
        return [None if c is None else Precise(c) for c in found]

    def report(
        self, name: str, wanted: Sequence[tuple[str, Any]], doubles: Mapping[Any, float] = {}
    ) -> Precision:
        """Return the accuracy of the loss and of the gradients of named leaves.

        ``doubles`` are the numbers that were computed in another way, as by operations on arrays.
        """
        loss, known = self.loss, {**self.numbers.data}
        known |= {n: x for n, x in doubles.items() if n is loss}
        digits = {n: _digits(known[n], self.exact[n].x) for n in self.numbers.order}
        value = Accuracy(
            name, known[loss], self.exact[loss].x, digits[loss], self._blame_forward(digits)
        )
        counts = consumer_counts(loss)
        plain = reverse_pass(loss, 1.0, dict(counts), self.numbers.pull)
        plain |= {n: x for n, x in doubles.items() if n is not loss}
        seed: Any = Precise(1.0)
        exact = reverse_pass(loss, seed, counts, self._pull)
        zero = Precise(0.0)
        slopes = {n: _digits(plain.get(n, 0.0), exact.get(n, zero).x) for n in self.numbers.order}
        gradients = [
            Accuracy(
                f"∂/∂{title}", plain.get(w, 0.0), exact.get(w, zero).x,
                slopes.get(w, ALL_DIGITS), self._blame_backward(w, slopes, digits),
            )
            for title, w in wanted
        ]  # fmt: skip
        return Precision(value, gradients)

    def _blame_forward(self, digits: dict[Any, float]) -> str:
        """Return the operation at which the digits of its operands were lost."""
        losses = []
        for place, node in enumerate(self.numbers.order):
            before = [digits[i] for i in self.numbers.operands(node) if i is not None]
            losses.append((min([*before, ALL_DIGITS]) - digits[node], -place, node))
        lost, _, node = max(losses, key=lambda entry: entry[:2])
        if digits[self.loss] > ALL_DIGITS - 2.0 * LOSS or lost < LOSS:
            return ""
        return self._told(node)

    def _blame_backward(self, w: Any, slopes: dict[Any, float], digits: dict[Any, float]) -> str:
        """Return the operation behind the gradient's lost digits: a rule, or what it has read."""
        if slopes.get(w, ALL_DIGITS) > ALL_DIGITS - 2.0 * LOSS:
            return ""
        if min(digits.values()) < ALL_DIGITS - 2.0 * LOSS:
            worst = self._blame_forward({**digits, self.loss: 0.0})
            if worst:
                return worst
        consumers = [n for n in self.numbers.order if w in self.numbers.operands(n)]
        losses = [(slopes[n] - slopes[w], n) for n in consumers]
        lost, node = max(losses, key=lambda entry: entry[0], default=(0.0, None))
        several = len(consumers) > 1
        if node is None or lost < LOSS:
            return "the sum of its contributions" if several else ""
        return "the sum of its contributions" if several else f"the rule of {self._told(node)}"

    def _told(self, node: Any) -> str:
        numbers = [f"{x:.6g}" for x in self.numbers.args(node)]
        infix = node._primitive.infix
        call = f" {infix} ".join(numbers) if infix else f"{node.op}({', '.join(numbers)})"
        where = short_place(line_of(node))
        return (f"{node.op}: {call}" if infix else call) + (f" ({where})" if where else "")


def _digits(double: float, exact: Any) -> float:
    """Return how many significant digits of a double are correct."""
    mp = mpmath()
    if not isfinite(double) or not mp.isfinite(exact):
        return ALL_DIGITS if str(double) == mp.nstr(exact, 3) else 0.0
    if double == exact:
        return ALL_DIGITS
    size = abs(exact) or mp.mpf(abs(double))
    gap = abs(mp.mpf(double) - exact) / size
    return max(0.0, min(ALL_DIGITS, float(-mp.log(gap, 10))))
