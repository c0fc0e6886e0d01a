"""Arrays in a function that is exported: what is done to them is done to their elements.

Arguments are NumPy's arrays of tracers of numbers, with which NumPy computes. Where one meets an
operation of gradwalk, it becomes a tracer of an array, and the operation is lowered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.backend import Options, arrays
from ...core.carrier import Carrier, is_tensor
from ...core.expect import is_array
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ...engine.value import Value
from ...levels.level import running
from ...ops import TABLE
from ...ops.array import TABLE as ARRAY_TABLE
from ...ops.array.evaluation import function_at_user_line
from ...ops.array.lowering import elements, lowered
from .conditions import Condition
from .element_level import ElementLevel

__all__ = ["ArrayRecorder"]

OF_ANSWERS = {
    "bitwise_and": TABLE["logical_and"],
    "bitwise_or": TABLE["logical_or"],
    "bitwise_xor": TABLE["not_equal"],
    "bitwise_invert": ARRAY_TABLE["logical_not"],
}


class ElementArray(np.ndarray[Any, Any]):
    """An argument: an array of tracers of numbers, with the names that Tensors have for these."""

    @property
    def data(self) -> Any:  # NumPy's is the memory, tracers and all
        """The plain numbers."""
        return self.detach()

    def detach(self) -> Any:
        """Return the plain numbers, through which no derivative passes."""
        held = self.copy()
        number: Any
        for place, number in enumerate(self.flat):
            held.flat[place] = number.data if hasattr(number, "_apply") else number
        return held


class ArrayRecorder:
    """The half of a recorder that knows arrays as their elements. Tensors are constants."""

    def __init__(self, recorder: object) -> None:
        self.made: dict[int, object] = {}  # Tensors, which no program has to know

    def captures(self, x: Any) -> bool:
        """Return whether an array is one of NumPy that holds tracers of numbers."""
        is_objects = type(x) in (np.ndarray, ElementArray) and x.dtype == object
        return is_objects and any(isinstance(n, Carrier) for n in x.flat)

    def argument(self, x: Any) -> Any:
        """Return an array of tracers of numbers as an argument."""
        return x.view(ElementArray)

    def tracer_of(self, x: Any) -> Any:
        """Return the tracer of an array of elements."""
        return self._level.box(_numbers(x), x)

    @property
    def _level(self) -> ElementLevel:
        return next(level for level in reversed(running.open) if isinstance(level, ElementLevel))

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Any:
        """Return the result of a primitive on arrays of elements and on numbers."""
        lifted = [self.tracer_of(x) if self.captures(x) else x for x in args]
        return self._level.apply(primitive, lifted, options)

    def lower(
        self, level: ElementLevel, primitive: Primitive, args: Sequence[Any], options: Options
    ) -> Any:
        """Return the tracer of a result: the numbers of this run, and the elements."""
        if primitive is PASS_IF or primitive is MASK_IF:
            return arrays().mask(primitive, *args)
        raws = [x._primal if level.owns(x) else _raw(x) for x in args]
        try:
            y = arrays().as_arrays(function_at_user_line(primitive)(*raws, **options))
        except (ValueError, TypeError, OverflowError) as error:
            arrays().refuse(primitive, raws, error)
            raise
        operands = [x._payload if level.owns(x) else x._data if is_tensor(x) else x for x in args]
        if getattr(y, "dtype", np.dtype(float)).kind == "b":  # bits of answers are answers
            primitive = OF_ANSWERS.get(primitive.name, primitive)
        found: Any
        if primitive is TABLE["where"] and raws[0] is args[0]:  # an answer that no run changes
            found = np.where(raws[0], *map(elements, operands[1:]))
        else:
            found = lowered(primitive, operands, options, where="export(f, *examples)")
        if type(y) is tuple:
            return tuple(map(level.box, y, found))
        return level.box(np.asarray(y), found)

    def read(self, tracer: Any) -> Any:
        """Return the numbers of a tracer, and note as guards that they are these."""
        for x in tracer._payload.flat:
            if isinstance(x, Condition):
                bool(x)
            elif isinstance(x, Carrier):
                float(x.data)  # type: ignore[attr-defined]
        return tracer._primal

    def sources(self) -> list[Any]:
        """Return nothing: Tensors are constants."""
        return []

    def expect_unchanged(self) -> None:
        """Do nothing: a Tensor has the numbers that it has now."""


def _raw(x: Any) -> Any:
    """Return the numbers of an operand in this run."""
    if is_tensor(x):
        return x._data
    return _numbers(x) if isinstance(x, (Carrier, np.ndarray)) else x


def _numbers(x: Any) -> Any:
    """Return the plain numbers of elements."""
    if not is_array(x):
        return np.asarray(_number(x))
    return np.array([*map(_number, x.flat)]).reshape(x.shape) if x.dtype == object else x


def _number(x: Any) -> Any:
    while hasattr(x, "_primal"):
        x = x._primal
    return x.data if isinstance(x, Value) else x
