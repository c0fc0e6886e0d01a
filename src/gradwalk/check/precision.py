"""`precision`: how many digits of a result and of its gradients are correct."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite, isnan
from typing import Any, ClassVar, NamedTuple

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.places import short_place
from ..engine.observing import remember_line
from ..engine.value import Value, enable_grad
from ..errors import FreedGraphError, NotANumberError, OptionError
from ..foreign.twins import twin, twins
from ..inspect.charts import Bar, bars
from ..inspect.draw import Drawing
from ..inspect.places import Namer
from ..inspect.report import Report
from ..program.program import evaluate, reverse
from ..program.run import Run, opened, run_of
from .precise import DIGITS, Precise, mpmath

__all__ = ["Accuracy", "Precision", "precision"]

WHERE = "precision(loss, wrt)"
MOST = 100_000  # elements
ALL_DIGITS = 16.0  # what a double can agree in
NARROW = {"float32": 7.2, "float16": 3.3}
"""Digits that narrow numbers can agree in: log10 of 2 to the power of 24, and of 11."""
UNKNOWN = float("nan")  # digits of what is computed behind an operation that is one whole
LOSS = 1.0  # digits: a smaller loss at one operation is rounding


class Accuracy:
    """One number: as a double, in 50 digits, how many digits agree, what lost the others.

    Parameters
    ----------
    name
        What the number is: the loss, or an input whose gradient it is.
    double
        The number as it was computed.
    exact
        The number in 50 digits, of mpmath.
    digits
        The significant digits that agree, 16 at most.
    lost_by
        The operation that lost most of the others, with its operands; empty if none did.
    """

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
        if isnan(self.digits):
            return self.name, repr(self.double), "unknown", "", self.lost_by
        exact = mpmath().nstr(self.exact, 20)
        return self.name, repr(self.double), exact, f"{self.digits:.1f}", self.lost_by


class Precision(Report):
    """The accuracy of a value and of gradients, as data, a table and a picture.

    Parameters
    ----------
    value
        The accuracy of the result.
    gradients
        The accuracy of each gradient, in the order of the inputs.
    top
        How many digits the numbers can have: 16, or 7.2 in float32.
    opaque
        The operations that are computed as a whole, with their lines.
    """

    top: float
    opaque: tuple[str, ...]
    value: Accuracy
    gradients: list[Accuracy]
    head: ClassVar[tuple[str, ...]] = ("quantity", "double", "50 digits", "digits", "lost by")
    numbers: ClassVar[tuple[int, ...]] = (3,)

    def __init__(
        self,
        value: Accuracy,
        gradients: Sequence[Accuracy],
        top: float = ALL_DIGITS,
        opaque: Sequence[str] = (),
    ) -> None:
        self.value, self.gradients, self.top = value, list(gradients), top
        self.opaque = tuple(opaque)
        of = "" if top == ALL_DIGITS else f" of {top:g} that these numbers can have"
        title = f"{self.digits:.1f} digits{of} are correct, at least"
        if opaque:
            title += ", apart from what operations lose that are not seen into"
        super().__init__(title, [("not seen into", call) for call in opaque])

    @property
    def digits(self) -> float:
        """The digits of the least accurate number whose digits are known."""
        found = [a.digits for a in [self.value, *self.gradients] if not isnan(a.digits)]
        return min(found, default=UNKNOWN)

    def table(self) -> list[tuple[str, ...]]:
        """Return a line for the value, and one for each gradient."""
        return [a.row for a in [self.value, *self.gradients]]

    def draw(self) -> Drawing:
        """Draw the correct digits as bars, of the 16 that a double can have."""
        return bars(f"Correct digits of {self.top:g}", [
            Bar(a.name, a.digits, f"{a.digits:.1f}", f"lost by {a.lost_by}" if a.lost_by else "",
                "good" if a.digits > self.top - 2.0 * LOSS else "bad")
            for a in [self.value, *self.gradients] if not isnan(a.digits)
        ], top=self.top)  # fmt: skip


def precision(loss: Any, wrt: Any) -> Precision:
    """Compute a graph and its gradients again in 50 digits, and count the digits that agree.

    The operations and rules of the table run on mpmath's numbers, from the doubles in the leaves.
    For the value of ``loss`` and for ∂loss/∂w of each ``w`` in ``wrt``: the double, the number in
    50 digits, the correct significant digits (16 at most, 7.2 in float32), and the operation that
    lost most of the others, such as a difference of nearly equal numbers. The numbers of narrow
    Tensors are those of the run. An operation without a finite formula, such as `svd`, is listed,
    and the digits of gradients behind it are unknown. Nothing in the graph changes.

    Parameters
    ----------
    loss
        The result: a Value, a Tensor or a `Replay`. A graph of Tensors is computed again element by
        element, up to 100,000 of them.
    wrt
        What it is differentiated by, of the same kind: one, or a list of several. Of the gradient
        of a Tensor the least accurate element is shown.

    Returns
    -------
    a Precision
        The accuracy of the value and of each gradient.

    Raises
    ------
    NotANumberError
        Unless all are Values or all are Tensors.
    FreedGraphError
        If the graph was freed.
    MissingExtraError
        If mpmath is not installed.

    Examples
    --------
    >>> from gradwalk import Value, cos
    >>> x = Value(1e-6)
    >>> found = precision(1.0 - cos(x), x)
    >>> found.value.digits < 5.0, found.value.lost_by
    (True, 'sub: 1 - 1')
    """
    mp = mpmath()
    loss, wrt = twin(loss), twins(wrt)
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
    name = namer.name(_node(loss)) or "loss"
    loss, *wanted = opened(loss, *wanted)
    with mp.workdps(DIGITS):
        if kinds == {True}:
            return _of_tensors(loss, wanted, name, names)
        return _Twin(loss).report(name, list(zip(names, wanted, strict=True)))


def _node(x: Any) -> Any:
    return x._node if is_tensor(x) and x._node is not None else x


def _of_tensors(loss: Any, wanted: Sequence[Any], name: str, names: Sequence[str]) -> Precision:
    from ..tensor.graph.backward import gradients

    found = gradients(loss, list(wanted), None, False)
    unfolded = _unfolded(loss, wanted)
    root, arrays = unfolded.loss, unfolded.arrays
    doubles: dict[Any, float] = {root: float(loss.item())}
    elements: list[tuple[str, Any]] = []
    ends = [0]
    for title, array, gradient in zip(names, arrays, found, strict=True):
        for index, x in enumerate(array.flat):
            place = _unravel(index, array.shape)
            elements.append((f"{title}[{', '.join(map(str, place))}]" if place else title, x))
            doubles[x] = float(gradient.flat[index])
        ends.append(len(elements))
    twin = _Twin(root, str(loss.dtype), unfolded.numbers)
    report = twin.report(name, elements, doubles)
    parts = [report.gradients[a:b] for a, b in pairwise(ends)]
    worst = [min(part, key=lambda a: a.digits) for part in parts if part]
    hiding = [name for name, part in zip(unfolded.hidden, parts, strict=True) if part]
    for accuracy, hidden in zip(worst, hiding, strict=True):
        if hidden:
            accuracy.digits, accuracy.lost_by = UNKNOWN, f"unknown: it is behind {hidden}"
    return Precision(report.value, worst, twin.top, unfolded.opaque)


class _Unfolded(NamedTuple):
    """A graph of Tensors element by element.

    ``loss``     the result as a Value
    ``arrays``   an array of Values for each Tensor that is asked about
    ``numbers``  the numbers of the run, as far as they are known
    ``opaque``   the operations that are computed as a whole, with their lines
    ``hidden``   for each Tensor that is asked about an operation of these that it is behind, or ""
    """

    loss: Value
    arrays: list[Any]
    numbers: dict[Value, float]
    opaque: list[str]
    hidden: list[str]


def _unfolded(loss: Any, wanted: Sequence[Any]) -> _Unfolded:
    """Return the graph of a Tensor as Values."""
    from ..ops.array.lowering import each, elements, lowered

    run = run_of(loss)
    program = run.program
    env: list[Any] = [each(Value, elements(_leaf(run, i))) for i in range(program.inputs)]
    count, opaque, behind = sum(x.size for x in env), list[str](), dict[int, str]()
    with enable_grad():
        for k, equation in enumerate(program):
            operands = [env[a] if a >= 0 else program.consts[~a] for a in equation.operands]
            name = equation.primitive.name
            try:
                y = lowered(equation.primitive, operands, equation.params, where=WHERE)
            except OptionError:  # it has no finite formula: its results are as the run has them
                y = tuple([each(Value, elements(run.number(a))) for a in equation.results])
                place = short_place(program.line(k))
                opaque.append(f"{name} ({place})" if place else name)
                behind |= dict.fromkeys([a for a in equation.operands if a >= 0], name)
            env += (y if type(y) is tuple else (y,))[: len(equation.results)]
            made = [x for a in equation.results if env[a] is not None for x in env[a].flat]
            count += len(made)
            _expect_small(count)
            for value in made:
                if equation.origin is not None and isinstance(value, Value) and value.op:
                    remember_line(value, equation.origin)
    atoms = [run.where.get(w._node) for w in wanted]
    leaves = zip(atoms, wanted, strict=True)
    arrays = [each(Value, elements(w._data)) if a is None else env[a] for a, w in leaves]
    result = env[run.root].item()
    for k in reversed(range(len(program))):
        told = next((behind[a] for a in program.results(k) if a in behind), None)
        if told:
            behind |= {a: behind.get(a, told) for a in program.operands(k) if a >= 0}
    hidden = ["" if a is None else behind.get(a, "") for a in atoms]
    root = result if isinstance(result, Value) else Value(result)
    return _Unfolded(root, arrays, _numbers(run, env), opaque, hidden)


def _numbers(run: Run, env: Sequence[Any]) -> dict[Value, float]:
    """Return the numbers that the run has for Values of arrays."""
    from ..ops.array.lowering import elements

    found: dict[Value, float] = {}
    for atom, values in enumerate(env):
        x = run.number(atom)
        if values is None or x is None:
            continue
        numbers = zip(values.flat, elements(x).flat, strict=True)
        found |= {v: float(n) for v, n in numbers if isinstance(v, Value)}
    return found


def _leaf(run: Run, i: int) -> Any:
    if run.env[i] is not None:
        return run.env[i]
    raise FreedGraphError(
        where=WHERE,
        expected="leaves that the program still has",
        got=f"a graph with a leaf of shape {run.nodes[i].shape} that it has not",
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
    """A run as it was, and in 50 digits. ``top`` is how many digits its numbers can have."""

    def __init__(
        self, loss: Value, dtype: str = "float64", numbers: Mapping[Value, float] = {}
    ) -> None:
        self.run, self.top = run_of(loss), NARROW.get(dtype, ALL_DIGITS)
        if self.top < ALL_DIGITS:
            self.run.env = self._narrow(dtype, numbers)
        program, env = self.run.program, self.run.env
        inputs = [Precise(x) for x in env[: program.inputs]]
        self.exact: list[Precise] = evaluate(program, inputs, _precisely)

    def _narrow(self, dtype: str, numbers: Mapping[Value, float]) -> list[float]:
        """Return the numbers of the run; those inside of a sum are rounded as they would be."""
        import numpy as np

        run, kind = self.run, np.dtype(dtype).type
        program, env = run.program, [*run.env]
        for node, atom in run.where.items():
            if node in numbers and atom >= 0:
                env[atom] = numbers[node]
        known = {run.where[v] for v in numbers if v in run.where}
        with np.errstate(all="ignore"):
            for k in range(len(program)):
                operands = program.operands(k)
                args = [env[a] if a >= 0 else program.consts[~a] for a in operands]
                for y in program.results(k):
                    if y not in known:
                        env[y] = float(kind(run.evaluated(k, args)))
        return env

    def _args(self, k: int) -> list[Precise]:
        program = self.run.program
        atoms = program.operands(k)
        return [self.exact[a] if a >= 0 else Precise(program.consts[~a]) for a in atoms]

    def _pull(self, k: int, t: Precise) -> list[Precise | None]:
        y = self.exact[self.run.program.results(k)[0]]
        found = self.run.program.primitive(k).contributions(t, y, self._args(k))
        return [None if c is None else Precise(c) for c in found]

    def report(
        self, name: str, wanted: Sequence[tuple[str, Any]], doubles: Mapping[Any, float] = {}
    ) -> Precision:
        """Return the accuracy of the loss and of the gradients of named leaves.

        ``doubles`` are the numbers that were computed in another way, as by operations on arrays.
        """
        run, root, where = self.run, self.run.root, self.run.where
        given = {where[node]: x for node, x in doubles.items() if node in where}
        known = [*run.env]
        known[root] = given.get(root, known[root])
        top = self.top
        pairs = zip(known, self.exact, strict=True)
        digits = [min(top, _digits(x, y.x)) for x, y in pairs]
        value = Accuracy(
            name, known[root], self.exact[root].x, digits[root], self._blame_forward(digits)
        )
        plain = run.cotangents(1.0) | {a: x for a, x in given.items() if a != root}
        exact: dict[int, Any] = {}
        for _ in reverse(run.program, {root: Precise(1.0)}, self._pull, exact):
            pass
        zero = Precise(0.0)
        slopes = {
            a: min(top, _digits(plain.get(a, 0.0), exact.get(a, zero).x)) for a in range(len(known))
        }
        gradients = [
            Accuracy(
                f"∂/∂{title}", plain.get(a, doubles.get(w, 0.0)), exact.get(a, zero).x,
                slopes.get(a, top), self._blame_backward(a, slopes, digits),
            )
            for title, w in wanted for a in [where.get(w, -1)]
        ]  # fmt: skip
        return Precision(value, gradients, top)

    def _blame_forward(self, digits: Sequence[float]) -> str:
        """Return the operation at which the digits of its operands were lost."""
        program = self.run.program
        losses = [(0.0, 0, 0)]
        for k in range(len(program)):
            before = [digits[a] for a in program.operands(k) if a >= 0]
            losses += [(min([*before, self.top]) - digits[y], -k, k) for y in program.results(k)]
        lost, _, k = max(losses)
        if digits[self.run.root] > self.top - 2.0 * LOSS or lost < LOSS:
            return ""
        return self._told(k)

    def _blame_backward(self, w: int, slopes: Mapping[int, float], digits: Sequence[float]) -> str:
        """Return the operation behind the gradient's lost digits: a rule, or what it has read."""
        if slopes.get(w, self.top) > self.top - 2.0 * LOSS:
            return ""
        program = self.run.program
        if min(digits) < self.top - 2.0 * LOSS:
            changed = [*digits]
            changed[self.run.root] = 0.0
            worst = self._blame_forward(changed)
            if worst:
                return worst
        consumers = [k for k in range(len(program)) if w in program.operands(k)]
        losses = [(slopes[program.results(k)[0]] - slopes[w], k) for k in consumers]
        lost, k = max(losses, key=lambda entry: entry[0], default=(0.0, -1))
        if k < 0 or lost < LOSS or len(consumers) > 1:
            return "the sum of its contributions" if len(consumers) > 1 else ""
        return f"the rule of {self._told(k)}"

    def _told(self, k: int) -> str:
        numbers = [f"{x:.6g}" for x in self.run.args(k)]
        primitive = self.run.program.primitive(k)
        call = f" {primitive.infix} ".join(numbers) if primitive.infix else ""
        call = f"{primitive.name}: {call}" if call else f"{primitive.name}({', '.join(numbers)})"
        where = short_place(self.run.program.line(k))
        return call + (f" ({where})" if where else "")


def _precisely(primitive: Any, args: list[Any], params: object) -> Precise:
    return Precise(Precise._apply(primitive, tuple(map(Precise, args))))


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
