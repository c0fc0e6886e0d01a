"""The half of a recorder that knows arrays: what is written down of an operation on them.

An array of a program is an argument, a Tensor that the function closes over and that each run
reads anew, a constant, or the result of a primitive. A question for its numbers (``if x > 0``,
``float(x)``, an array of NumPy) is a guard: they are these, or the program is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...core.array_primitive import general
from ...core.backend import Options, arrays
from ...core.carrier import is_tensor
from ...core.expect import is_array
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ...errors import InPlaceError, OptionError
from ...levels.level import ScalarTracer, leaked
from ...ops.array.evaluation import function_at_user_line
from ...ops.masks import MASKS, OR_ZERO
from .conditions import Condition, Reading
from .entries import IDENTITIES, Entry, Traced

__all__ = ["ArrayEntry", "ArrayRecorder", "PART", "same_bits"]

Operands = tuple[Any, ...]


# fmt: off
PART: Final = general("result", None, forward=lambda results, index: results[index],
    summary="One of several results")
AS_ARRAY: Final = general("asarray", None, forward=lambda x: np.asarray(bool(x)),
    summary="A comparison of numbers as an array without axes")
# fmt: on


class ArrayEntry(Entry):
    """An array of a program: an input, a constant, or the result of a primitive."""

    __slots__ = ("constant", "count", "dtype", "options", "shape")
    constant: Any
    count: int
    options: Options
    shape: Any
    dtype: Any

    def __init__(
        self,
        primitive: Primitive | None,
        operands: Operands = (),
        options: Options | None = None,
        like: Any = None,
        source: Any = None,
        constant: Any = None,
    ) -> None:
        super().__init__(primitive, operands, source=source)
        self.options, self.constant = options or {}, constant
        several = type(like) is tuple
        self.count = len(like) if several else 1
        self.shape, self.dtype = (None, None) if several else (like.shape, like.dtype)


class ArrayRecorder:
    """What a recorder does with arrays."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self.captured: dict[int, tuple[Any, Any, Any]] = {}  # the Tensor, its array, a copy of it
        self.made: dict[int, Any] = {}  # Tensors that the function has made of plain numbers
        self._entries: dict[int, ArrayEntry] = {}
        self._constants: dict[Any, ArrayEntry] = {}
        self._known: dict[Any, ArrayEntry] = {}

    def input(self, array: Any) -> Traced:
        """Return the tracer of an argument."""
        return self._box(array, ArrayEntry(None, like=array))

    def _box(self, array: Any, entry: Entry) -> Traced:
        return arrays().ArrayTracer(self.recorder, array, entry)

    # --- operands ---------------------------------------------------------------------------------

    def captures(self, x: Any) -> bool:
        """Return whether a Tensor is one that the function closes over."""
        return type(x) is arrays().Tensor and id(x) not in self.made

    def tracer_of(self, tensor: Any) -> Traced:
        """Return the tracer of a Tensor that the function closes over."""
        return self._box(tensor._data, self._capture(tensor))

    def _capture(self, tensor: Any) -> ArrayEntry:
        data = tensor._data
        known = self.captured.get(id(tensor))
        if known is None:
            self.captured[id(tensor)] = (tensor, data, data.copy())
            self._entries[id(tensor)] = ArrayEntry(None, like=data, source=tensor)
        elif known[1] is not data or not same_bits(data, known[2]):
            raise self.changed(tensor)
        return self._entries[id(tensor)]

    def constant(self, array: Any) -> ArrayEntry:
        """Return the entry of an array that is the same in every run."""
        key = (array.shape, array.dtype, array.tobytes())
        found = self._constants.get(key)
        if found is None:
            kept = array.copy()
            kept.flags.writeable = False
            found = self._constants[key] = ArrayEntry(None, like=array, constant=kept)
        return found

    def _operand(self, x: Any, where: str) -> tuple[Any, Any]:
        """Return what an argument is in the program, and what it is in this run."""
        kind = type(x)
        if kind is float or kind is int or kind is bool:
            return x, x
        if isinstance(x, (Condition, ScalarTracer, Reading)) or (
            is_tensor(x) and hasattr(x, "_primal")
        ):
            if x._level is self.recorder:
                return self._traced(x)
        elif is_tensor(x) and self.captures(x):
            return self._capture(x), x._data
        elif not is_array(x) and isinstance(found := self.recorder.operand_or_none(x), Entry):
            return found, x.data
        raw, _ = arrays().as_operand(x, where)
        if hasattr(raw, "place"):
            raise OptionError(
                where=f"compile(f): {where}",
                expected="arrays of NumPy, with which programs compute",
                got=f"a Tensor on {raw.place} that f closes over",
                fix='Pass it as an argument: then f itself runs. Or write t.to_device("numpy").',
            )
        return (self.constant(raw), raw) if is_array(raw) else (raw, raw)

    def _traced(self, x: Any) -> tuple[Any, Any]:
        if isinstance(x._payload, Entry) and x._payload.masked:  # an absent number is 0.0 here
            x = OR_ZERO(x)
        return x._payload, x._primal

    # --- operations -------------------------------------------------------------------------------

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Traced:
        """Return the result of a primitive on arrays, and write it down."""
        if primitive in MASKS:
            return arrays().mask(_usual(primitive), self._as_array(args[0]), args[1])
        pairs = [self._operand(a, primitive.name) for a in args]
        operands, raws = tuple([o for o, _ in pairs]), [raw for _, raw in pairs]
        y = self._computed(primitive, raws, options)
        if not any(isinstance(o, Entry) and not _is_constant(o) for o in operands):
            return self._constants_of(y)
        if type(y) is tuple:
            return self._parts(self._entry(primitive, operands, options, y), y)
        return self._box(y, self._simpler(primitive, operands, y, options))

    def _computed(self, primitive: Primitive, raws: Sequence[Any], options: Options) -> Any:
        try:
            return arrays().as_arrays(function_at_user_line(primitive)(*raws, **options))
        except (ValueError, TypeError, OverflowError) as error:
            arrays().refuse(primitive, raws, error)
            raise

    def _constants_of(self, y: Any) -> Traced:
        """Return the tracers of results that are the same in every run."""
        if type(y) is tuple:
            return tuple(map(self._constants_of, y))
        return self._box(y, self.constant(y))

    def _parts(self, bundle: ArrayEntry, results: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            self._box(y, self._entry(PART, (bundle,), {"index": i}, y))
            for i, y in enumerate(results)
        )

    def _simpler(self, primitive: Primitive, operands: Operands, y: Any, options: Options) -> Entry:
        """Return the entry of a result: an operand, if it is that, bit for bit."""
        for place, constant in IDENTITIES.get(primitive.name, ()):
            other = operands[1 - place]
            if (
                operands[place] == constant
                and type(operands[place]) is float
                and isinstance(other, ArrayEntry)
                and (other.shape, other.dtype) == (y.shape, y.dtype)
            ):
                return other
        return self._entry(primitive, operands, options, y)

    def _entry(
        self, primitive: Primitive, operands: Operands, options: Options, y: Any
    ) -> ArrayEntry:
        """Return the entry of an operation, which is written down once however often it comes."""
        key = _key(primitive, operands, options)
        found = None if key is None else self._known.get(key)
        if found is None:
            found = ArrayEntry(primitive, operands, options, y)
            self.recorder.entries.append(found)
            if key is not None:
                self._known[key] = found
        return found

    def _as_array(self, condition: Any) -> Traced:
        """Return a comparison of numbers as an array without axes."""
        if not isinstance(condition, Condition):
            return condition
        y = np.asarray(condition._primal)
        return self._box(y, self._entry(AS_ARRAY, (condition._payload,), {}, y))

    # --- inputs and outputs -----------------------------------------------------------------------

    def sources(self) -> list[tuple[Any, Entry]]:
        """Return the Tensors that the function closes over, with their entries."""
        return [(tensor, self._entries[at]) for at, (tensor, *_) in self.captured.items()]

    def output(self, x: Any) -> Entry:
        """Return the entry of a result."""
        return self._operand(x, "the result")[0]  # type: ignore[no-any-return]

    # --- questions --------------------------------------------------------------------------------

    def read(self, tracer: Any) -> Traced:
        """Return the numbers of a tracer, and note as a guard that they are these."""
        if not self.recorder.is_open:
            raise leaked(self.recorder, "a question for numbers")
        if not _is_constant(tracer._payload):
            self.recorder.guard(tracer._payload, tracer._primal.copy())
        return tracer._primal

    def expect_unchanged(self) -> None:
        """Raise `InPlaceError` if the function has changed a Tensor that it closes over."""
        changed = None
        for tensor, data, copy in self.captured.values():
            if type(tensor) is not arrays().Tensor:  # a tracer was written into it
                arrays().become(tensor, arrays().Tensor._of(data))
                changed = tensor
            if tensor._data is not data or not same_bits(data, copy):
                np.copyto(data, copy)  # as it was: nothing is computed
                changed = tensor
        if changed is not None:
            raise self.changed(changed)

    @staticmethod
    def changed(tensor: Any) -> InPlaceError:
        """Return the error for a function that writes into a Tensor that it closes over."""
        return InPlaceError(
            where="compile",
            expected="a function that leaves the Tensors that it uses as they are",
            # its numbers would be read by the program, which finds that they have changed
            got=f"one that writes into a Tensor of shape {tensor._data.shape}",
            fix="Return the new numbers, and write them outside; for a batch normalisation, call "
            "model.eval().",
        )


def _usual(primitive: Primitive) -> Primitive:
    """Return the mask for arrays that has the name of one for numbers."""
    return PASS_IF if primitive.name == PASS_IF.name else MASK_IF


def _is_constant(x: Any) -> bool:
    return isinstance(x, ArrayEntry) and x.constant is not None


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays are the same, down to the signs of zeros."""
    return bool(
        a.shape == b.shape and a.dtype == b.dtype and (a is b or a.tobytes() == b.tobytes())
    )


SMALL = 1024
"""Bytes of an array in a key up to which equal ones are found to be equal."""


def _key(primitive: Primitive, operands: Operands, options: Options) -> Any:
    """Return what equal operations have in common; ``None`` if that cannot be said."""
    try:
        parts = [_part(x) for x in operands]
        named = [(name, _part(x)) for name, x in options.items()]
        key = (primitive, *parts, *named)
        hash(key)
        return key
    except TypeError:
        return None


def _part(x: Any) -> Any:
    if isinstance(x, float):
        return x.hex()
    if isinstance(x, np.ndarray):
        if x.nbytes > SMALL:
            raise TypeError
        return (x.shape, x.dtype, x.tobytes())
    if type(x) is slice:
        return ("slice", x.start, x.stop, x.step)
    if type(x) is tuple:
        return tuple(map(_part, x))
    return x if isinstance(x, Entry) else (type(x), x)
