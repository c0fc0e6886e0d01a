"""Multi-output operations: several results of several arguments, with one joint derivative.

A primitive of the table has one rule per argument and is one node. A `MultiOutput` returns the
cotangents of all its arguments at once, from the cotangents of all its results. In a graph it is
one node, whose operands are the arguments, and one node on top of it for each result. The node of
a result only passes its gradient on, so the reverse pass reaches the joint node when all gradients
have arrived. Such nodes exist for tapes, for Values and (in `multi_output_arrays`) for Tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from math import nan
from typing import Any, ClassVar

from ...core.array_primitive import OutputGradients
from ...core.carrier import carrier_among, is_tensor
from ...engine.value import Value
from ...errors import OptionError
from ...levels.level import Tracer, leaked, running, unwrap
from ...levels.vjp import CONSTANT_STEP, Step, instantiate_zeros, is_arraylike
from ..arguments import is_plain
from .multi_output_primitives import MultiOutput, MultiOutputPrimitive
from .segments import Rerun, floor_of

__all__ = ["apply_operation", "on_tape", "run_again"]


def apply_operation(op: MultiOutput, inputs: Sequence[Any]) -> list[Any]:
    """Return the results of ``op``, recorded in all graphs and on all tapes of ``inputs``."""
    top = carrier_among(inputs)
    if top is None or (op.floor and top._rank <= op.floor):
        return op.forward(inputs)
    if not isinstance(top, Tracer):
        return _on_graphs(op, inputs)
    if top._level.records_program:  # which has no tape
        return op.forward(inputs)
    if not top._level.is_open:
        raise leaked(top._level, op.name)
    if isinstance(top._level, Rerun):
        inputs = top._level.replaced(inputs)  # before it is recorded, as for any primitive
    return on_tape(op, top._level, inputs)


class Again(MultiOutput):
    """One more run of an operation, on other numbers, which is differentiated as the first was."""

    def __init__(self, op: MultiOutput, floor: int) -> None:
        self.name, self.floor = op.name, floor
        self.forward, self.vjp, self.jvp = op.again, op.vjp, op.jvp  # type: ignore[method-assign]


def run_again(op: MultiOutput, inputs: Sequence[Any]) -> list[Any]:
    """Return the results for other inputs: on the tapes of tracers as one operation, as before."""
    floor = floor_of(running.open) if any(isinstance(x, Tracer) for x in inputs) else None
    return op.again(inputs) if floor is None else apply_operation(Again(op, floor), inputs)


# --- tapes ----------------------------------------------------------------------------------------


def on_tape(op: MultiOutput, level: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the results of ``op``, recorded on the tape of a level."""
    raws = level.primals(inputs)
    ys = apply_operation(op, raws)  # one level down: outer tapes and graphs record it, too
    operands = tuple([x._payload if level.owns(x) else CONSTANT_STEP for x in inputs])
    joint = MultiOutputStep(MultiOutputPrimitive(op), operands, (None, *raws))
    return [level.box(y, OutputStep(joint, i, y)) for i, y in enumerate(ys)]


class MultiOutputStep(Step):
    """The step of an opaque operation, whose parts observers see."""

    __slots__ = ()
    shown: ClassVar[bool] = False

    def vjp(self, t: OutputGradients) -> list[Any]:
        """Return the cotangents of the operands."""
        return self._primitive.op.vjp(self._primitive.filled(t), self.saved[1:])  # type: ignore[no-any-return]

    def jvp(self, tangents: Sequence[Any]) -> OutputGradients | None:
        """Return the tangents of those results that have one."""
        found = self._primitive.op.jvp([*map(instantiate_zeros, tangents)], self.saved[1:])
        return OutputGradients({i: t for i, t in enumerate(found) if t is not None}) or None


class OutputStep(Step):
    """The step of one result, a number or an array."""

    __slots__ = ("dtype", "index", "ndim", "shape")
    shown: ClassVar[bool] = False
    dtype: Any | None
    ndim: int
    index: int
    shape: tuple[int, ...]

    def __init__(self, joint: MultiOutputStep, index: int, y: object) -> None:
        super().__init__(joint._primitive, (joint,), (None,))
        joint._primitive.count = index + 1  # made in order: the last index counts them
        self.index, self.shape = index, getattr(y, "shape", ())
        self.ndim, self.dtype = len(self.shape), getattr(y, "dtype", None)

    def vjp(self, t: object) -> list[Any]:
        """Return the gradient with the index of the result."""
        return [OutputGradients({self.index: t})]

    def jvp(self, tangents: Sequence[Any]) -> Any:
        """Return the tangent of this result."""
        return tangents[0].get(self.index)


# --- Values and Tensors ---------------------------------------------------------------------------


@cache
def arrays() -> Any:
    """Return the module of multi-output nodes of Tensors, which needs NumPy."""
    return import_module(".multi_output_arrays", __package__)


def _on_graphs(op: MultiOutput, inputs: Sequence[Any]) -> list[Any]:
    # Tensors without their nodes: recorded inside as well, the gradient would be added twice
    raws = [_detach(x) for x in inputs]
    ys = op.forward(raws)
    if all(map(is_plain, inputs)):
        return ys
    on_values = _on_values(op, inputs, raws, ys)
    if not any(map(is_tensor, ys)):
        return on_values
    return arrays().on_tensors(op, inputs, on_values, run_again)  # type: ignore[no-any-return]


def _detach(x: Any) -> Any:
    return x if not is_tensor(x) else x.detach() if x._node is not None else x


def _on_values(
    op: MultiOutput, inputs: Sequence[Any], raws: Sequence[Any], ys: Sequence[Any]
) -> list[Any]:
    """Return the results, with numbers as Values that depend on the Values among inputs."""
    places = [i for i, x in enumerate(inputs) if isinstance(x, Value)]
    numbers = [i for i, y in enumerate(ys) if not is_arraylike(y)]
    if not places or not numbers:
        return list(ys)
    primitive = ValuesPrimitive(op, len(ys), places, raws, numbers)
    operands = tuple([inputs[i] for i in places])
    found = list(ys)
    if len(numbers) == 1:
        found[numbers[0]] = Value._make(primitive, ys[numbers[0]], operands)
        return found
    # a Value holds one number, so the gradient of this node only counts what arrived in its results
    joint = Value._make(primitive, 0.0, operands)
    for place, i in enumerate(numbers):
        found[i] = Value._make(OutputPrimitive(primitive, i, place), ys[i], (joint,))
    return found


class ValuesPrimitive(MultiOutputPrimitive):
    """The primitive of a joint node among Values, which can hold only numbers.

    So the nodes of its results store their gradients in ``gradients``, and its own counts them.
    """

    __slots__ = ("gradients", "numbers", "places", "raws")

    numbers: Sequence[int]
    places: Sequence[int]
    gradients: OutputGradients

    def __init__(
        self,
        op: MultiOutput,
        count: int,
        places: Sequence[int],
        raws: Sequence[Any],
        numbers: Sequence[int],
    ) -> None:
        super().__init__(op, count, len(places))
        self.places, self.numbers, self.gradients = places, numbers, OutputGradients()
        self.raws: list[Any] = list(raws)
        for place in places:
            self.raws[place] = None

    def contributions(self, t: object, y: object, args: Sequence[Any]) -> list[Any]:
        """Return the contributions to all Values among the inputs."""
        parts = (
            OutputGradients({self.numbers[0]: t}) if len(self.numbers) == 1 else self._collect(t)
        )
        return self._vjp(parts, args)

    def joint_contributions(self, ts: dict[int, Any], args: Sequence[Any]) -> list[Any]:
        """Return the contributions for gradients of several results, by their numbers here."""
        return self._vjp(OutputGradients({self.numbers[i]: t for i, t in ts.items()}), args)

    def _vjp(self, parts: OutputGradients, args: Sequence[Any]) -> list[Any]:
        inputs = list(self.raws)
        for place, x in zip(self.places, args, strict=True):
            inputs[place] = x
        contributions = self.op.vjp(self.filled(parts), inputs)
        return [_number(contributions[place]) for place in self.places]

    def again(self, *args: float) -> list[Any]:
        """Return the results for these numbers of the Values. Nothing is recorded."""
        inputs = list(self.raws)
        for place, x in zip(self.places, args, strict=True):
            # observers see operators on Values, on floats they do not
            inputs[place] = Value(x) if isinstance(x, float) else x
        found = run_again(self.op, inputs)
        return [found[i] for i in self.numbers]

    def slopes(self, y: float, args: Sequence[Any]) -> tuple[float, ...]:
        """Return the local derivatives of a single result; NaN if there are several."""
        return super().slopes(y, args) if len(self.numbers) == 1 else (nan,) * len(args)

    def _collect(self, t: object) -> OutputGradients:
        parts, self.gradients = self.gradients, OutputGradients()  # empty for the next pass
        if len(parts) == unwrap(t):
            return parts
        raise OptionError(
            where=f"a backward pass through {self.name}",
            expected="gradients of one pass",
            got="some of an earlier one that was interrupted by an error",
            fix="Compute the result again.",
        )


class OutputPrimitive(MultiOutputPrimitive):
    """The primitive of one result of a joint node among Values."""

    __slots__ = ("index", "joint", "place")

    index: int
    joint: ValuesPrimitive
    place: int  # among the results that are numbers

    def __init__(self, joint: ValuesPrimitive, index: int, place: int) -> None:
        super().__init__(joint.op)
        self.joint, self.index, self.place = joint, index, place

    def contributions(self, t: object, y: object, args: Sequence[Any]) -> list[Any]:
        """Store one more gradient, and count it."""
        self.joint.gradients[self.index] = t
        return [1.0]  # counted by the joint node: see `_collect`

    def slopes(self, y: float, args: Sequence[Any]) -> tuple[float, ...]:
        """Return NaN: the derivatives of several results are not one number."""
        return (nan,)


def _number(contribution: Any) -> Any:
    """Return a contribution that went through arrays as a number again."""
    return (
        float(contribution._data)
        if is_tensor(contribution) and is_plain(contribution)
        else contribution
    )
