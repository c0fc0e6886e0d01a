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
from ...core.places import runs_inside
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ...engine.node import recording
from ...engine.value import Value
from ...errors import InPlaceError, OptionError
from ...levels.level import ScalarTracer, Tracer, leaked
from ...libraries import LibraryArray
from ...libraries import evaluate as evaluate_there
from ...libraries.array import RULES
from ...libraries.compilers import is_outline, outline, outlined
from ...libraries.held import two_places
from ...ops.array.evaluation import evaluate
from ...ops.array.facts import plain
from ...ops.masks import MASKS, OR_ZERO
from ..builder import IDENTITIES
from ..program import SMALL, Aval, params_key, same_bits
from .conditions import Condition, Reading, Traced, user_line

__all__ = ["ArrayRecorder"]


# fmt: off
AS_ARRAY: Final = general("asarray", None, forward=lambda x: np.asarray(bool(x)),
    summary="A comparison of numbers as an array without axes")
# fmt: on


class ArrayRecorder:
    """What a recorder does with arrays."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self.captured: dict[int, tuple[Any, Any, Any]] = {}  # the Tensor, its array, a copy of it
        self.made: dict[int, Any] = {}  # Tensors that the function has made of plain numbers
        self._atoms: dict[int, int] = {}  # of these Tensors
        self._constants: dict[Any, int] = {}
        self._outlines: dict[Any, Any] = {}
        self._of_numpy = set[int]()  # atoms of arrays in another place than the program
        self._without = set[int]()  # atoms through which no gradient passes

    def input(self, array: Any, of_call: bool = False) -> Traced:
        """Return the tracer of an argument of the call, or of what each run finds or draws."""
        if of_call:
            return self._box(self.of_this_run(array), self._input(array, True))
        return self._box(self._there(array), self._input(array))

    def of_this_run(self, array: Any) -> Any:
        """Return what is known of an array: of one of another library all but its numbers."""
        return array if isinstance(array, np.ndarray) else self._there(array)

    def _there(self, array: Any) -> Any:
        """Return an array as one of the place of the program, to which each run moves it."""
        place = self.recorder.place
        return array if place is None else outline(place, array.shape, array.dtype)

    def _input(self, array: Any, of_user: bool = False) -> int:
        builder = self.recorder.builder
        atom: int = builder.input()
        if of_user and self.recorder.place is not None and isinstance(array, np.ndarray):
            self._of_numpy.add(atom)
        builder.avals[atom] = Aval(array.shape, array.dtype)
        return atom

    def _box(self, array: Any, atom: int, kind: Any = None) -> Traced:
        return (kind or arrays().ArrayTracer)(self.recorder, array, atom)

    # --- operands ---------------------------------------------------------------------------------

    def captures(self, x: Any) -> bool:
        """Return whether a Tensor is one that the function closes over."""
        tensor = arrays().Tensor
        return type(x) in (tensor, tensor._placed) and id(x) not in self.made

    def tracer_of(self, tensor: Any) -> Traced:
        """Return the tracer of a Tensor that the function closes over."""
        updates = self.recorder.updates if self.recorder.writes else None
        found = None if updates is None else updates.tracer_of(tensor)
        if found is None:
            atom = self._capture(tensor)
            found = self._box(self.of_this_run(tensor._data), atom)
        frozen = updates is not None and updates.is_frozen(tensor)
        return self._without_gradient(found._payload, found._primal) if frozen else found

    def starts_at(self, x: Any) -> None:
        """Note that gradients end at a tracer: it is what a Tensor has now."""
        self._without.discard(x._payload)

    def array_of(self, tensor: Any) -> Traced:
        """Return the tracer of the array of a Tensor, through which no gradient passes."""
        atom, raw = self._operand(tensor, "Tensor.data")
        found = self._without_gradient(atom, raw)
        return self._box(raw, found._payload, arrays().PlainArray)

    def known(self, atom: int) -> Traced | None:
        """Return the tracer of a Tensor that the function closes over, by its atom."""
        for at, found in self._atoms.items():
            if found == atom:
                return self._box(self.of_this_run(self.captured[at][1]), atom)
        return None

    def _capture(self, tensor: Any) -> int:
        data = tensor._data
        known = self.captured.get(id(tensor))
        if known is None:
            kept = data if hasattr(data, "place") else data.copy()
            self.captured[id(tensor)] = (tensor, data, kept)
            own = self.recorder.attributes is not None  # not those that a step of a loop reads
            self._atoms[id(tensor)] = self._input(data, own)
        elif known[1] is not data or not _is_same(data, known[2]):
            raise self.changed(tensor)
        return self._atoms[id(tensor)]

    def fail(self) -> None:
        """Give the Tensors that the function closes over their numbers back, after an error."""
        self._restore()

    def constant(self, array: Any) -> int:
        """Return the atom of an array that is the same in every run."""
        key = (array.shape, array.dtype, array.tobytes())
        found = self._constants.get(key)
        if found is None:
            kept = array.copy()
            kept.flags.writeable = False
            found = self._constants[key] = self.recorder.builder.constant(kept)
        return found

    def _operand(self, x: Any, where: str) -> tuple[int, Any]:
        """Return the atom of an argument, and what it is in this run."""
        kind = type(x)
        if kind is float or kind is int or kind is bool:
            return self._number(x), x
        if isinstance(x, (Condition, ScalarTracer, Reading)) or (
            is_tensor(x) and hasattr(x, "_primal")
        ):
            if x._level is self.recorder:
                return self._traced(x)
        elif is_tensor(x) and self.captures(x):
            return self._traced(self.tracer_of(x))
        elif isinstance(x, Value):
            return self.recorder.capture(x), x.data
        raw, _ = arrays().as_operand(x, where)
        if self.recorder.has_backward and _is_trained(x):
            raise _new_leaf(raw.shape)
        if hasattr(raw, "place"):
            raw = raw.numpy()
        return (self.constant(raw) if is_array(raw) else self._number(raw)), raw

    def _number(self, x: Any) -> int:
        """Return the atom of a number that is the same in every run: 2.0, or 2, or True."""
        constant, key = self.recorder.builder.constant, (type(x), x)
        if type(x) is float:
            return constant(x)  # type: ignore[no-any-return]
        if key not in self._constants:
            self._constants[key] = constant(x)
        return self._constants[key]

    def _traced(self, x: Any) -> tuple[int, Any]:
        if self.recorder.builder.is_masked(x._payload):  # an absent number is 0.0 here
            x = OR_ZERO(x)
        return x._payload, x._primal

    # --- operations -------------------------------------------------------------------------------

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Traced:
        """Return the result of a primitive on arrays, and write it down."""
        if primitive in MASKS:
            return arrays().mask(_usual(primitive), self._as_array(args[0]), args[1])
        kind = arrays().class_of_result(args, primitive.kind == "pointwise")
        if self.recorder.has_backward and recording.blocks and recording.paused:
            args = [*map(self._plain, args)]
        pairs = [self._operand(a, primitive.name) for a in args]
        operands, raws = [o for o, _ in pairs], [raw for _, raw in pairs]
        if self._of_numpy:
            self._expect_one_place(primitive, pairs)
        y = self._computed(primitive, raws, options)
        if max(operands, default=-1) < 0:
            return self._constants_of(y, kind)
        if type(y) is tuple:
            first = self._write(primitive, operands, options, y)
            return tuple([self._box(part, first + i, kind) for i, part in enumerate(y)])
        found = self._box(y, self._simpler(primitive, operands, y, options), kind)
        if isinstance(y, np.ndarray) and not self._of_numpy.isdisjoint(operands):
            self._of_numpy.add(found._payload)
        if self._without and self._without.issuperset([o for o in operands if o >= 0]):
            self._without.add(found._payload)
        return found

    def _plain(self, x: Any) -> Any:
        """Return an operand through which no gradient passes, as inside of `no_grad`."""
        if (
            not is_tensor(x)
            or x.dtype.kind != "f"
            or not (hasattr(x, "_primal") or self.captures(x))
        ):
            return x
        atom, raw = self._operand(x, "no_grad()")
        return x if atom < 0 or atom in self._without else self._without_gradient(atom, raw)

    def _without_gradient(self, atom: int, raw: Any) -> Traced:
        options = {"dtype": raw.dtype}
        found = self._box(raw, self._write(plain, [atom], options, (raw,)))
        self._without.add(found._payload)
        return found

    def _expect_one_place(self, primitive: Primitive, pairs: Sequence[tuple[int, Any]]) -> None:
        """Raise `OptionError` for arrays of NumPy beside those of the library, as without compile.

        A mask belongs to every place, and so does an index, and what rules make of shapes.
        """
        there = any(type(raw) is LibraryArray for _, raw in pairs)
        here = [raw for o, raw in pairs if o in self._of_numpy and raw.ndim]
        kinds = "fiu" if primitive.kind == "pointwise" else "f"
        if there and any(x.dtype.kind in kinds for x in here) and not runs_inside(RULES):
            raise two_places(primitive.name, self.recorder.place, "numpy")

    def _computed(self, primitive: Primitive, raws: Sequence[Any], options: Options) -> Any:
        try:
            if any(type(x) is LibraryArray for x in raws):
                return self._outlined(primitive, raws, options)
            return arrays().as_arrays(evaluate(primitive, raws, options))
        except (ValueError, TypeError, OverflowError) as error:
            arrays().refuse(primitive, raws, error)
            raise

    def _outlined(self, primitive: Primitive, raws: Sequence[Any], options: Options) -> Any:
        """Return what is known of a result in another library, once for operands of a kind."""
        try:
            key = (primitive, *map(_kind, raws), *params_key(options, SMALL))
            found = self._outlines.get(key)
        except TypeError:
            key, found = None, None
        if found is None:
            found = outlined(lambda *args: evaluate_there(primitive, args, dict(options)), raws)
            if key is not None:
                self._outlines[key] = found
        return found

    def _constants_of(self, y: Any, kind: Any) -> Traced:
        """Return the tracers of results that are the same in every run."""
        if type(y) is tuple:
            return tuple([self._constants_of(part, kind) for part in y])
        return self._box(y, self.constant(y), kind)

    def _simpler(
        self, primitive: Primitive, operands: Sequence[int], y: Any, options: Options
    ) -> int:
        """Return the atom of a result: an operand, if it is that, bit for bit."""
        builder = self.recorder.builder
        for place, constant in IDENTITIES.get(primitive.name, ()):
            same = operands[1 - place]
            if operands[place] < 0 <= same and builder.avals.get(same) == (y.shape, y.dtype):
                x = builder.consts[~operands[place]]
                if type(x) is float and x.hex() == constant.hex():
                    return same
        return self._write(primitive, operands, options, (y,))

    def _write(
        self, primitive: Primitive, operands: Sequence[int], options: Options, y: Sequence[Any]
    ) -> int:
        """Return the first of the results of an operation, which is written down once."""
        builder = self.recorder.builder
        first: int = builder.add_once(primitive, operands, options, len(y))
        for i, part in enumerate(y):
            builder.avals[first + i] = Aval(part.shape, part.dtype)
        return first

    def _as_array(self, condition: Any) -> Traced:
        """Return a comparison of numbers as an array without axes."""
        if not isinstance(condition, Condition):
            return condition
        y = np.asarray(condition._primal)
        return self._box(y, self._write(AS_ARRAY, [condition._payload], {}, (y,)))

    # --- inputs and outputs -----------------------------------------------------------------------

    def sources(self) -> list[tuple[Any, int]]:
        """Return the Tensors that the function closes over, with their atoms."""
        return [(tensor, self._atoms[at]) for at, (tensor, *_) in self.captured.items()]

    def output(self, x: Any) -> int:
        """Return the atom of a result."""
        return self._operand(x, "the result")[0]

    # --- questions --------------------------------------------------------------------------------

    def read(self, tracer: Any) -> Traced:
        """Return the numbers of a tracer, and note as a guard that they are these."""
        if not self.recorder.is_open:
            raise leaked(self.recorder, "a question for numbers")
        if is_outline(tracer._primal):
            raise _unknown_number(tracer._primal)
        if tracer._payload >= 0:
            self.recorder.guard(tracer._payload, tracer._primal.copy())
        return tracer._primal

    def expect_unchanged(self) -> None:
        """Raise `InPlaceError` if the function has changed a Tensor that it closes over."""
        changed = self._restore()
        if changed is not None:
            raise self.changed(changed)

    def _restore(self) -> Any:
        """Give the Tensors that have changed their numbers back, and return one of them."""
        changed = None
        for tensor, data, copy in self.captured.values():
            if isinstance(tensor, Tracer):  # one was written into it
                arrays().become(tensor, arrays().Tensor._of(data))
                changed = tensor
            if tensor._data is not data and hasattr(data, "place"):
                tensor._data, changed = data, tensor
            elif tensor._data is not data or not _is_same(data, copy):
                np.copyto(data, copy)  # as it was: nothing is computed
                changed = tensor
        return changed

    @staticmethod
    def changed(tensor: Any, line: str = "") -> InPlaceError:
        """Return the error for a function that writes into a Tensor that it closes over."""
        return InPlaceError(
            where=f"compile(f), {line}" if line else "compile",
            expected="a function that leaves the Tensors that it uses as they are",
            # its numbers would be read by the program, which finds that they have changed
            got=f"one that writes into a Tensor of shape {tensor._data.shape}",
            fix="Return the new numbers, and write them after the call of f.",
        )


def _is_same(data: Any, copy: Any) -> bool:
    """Return whether an array has the numbers that it had; those of libraries never change."""
    return data is copy if hasattr(data, "place") else same_bits(data, copy)


def _kind(x: Any) -> Any:
    """Return what the shape and dtype of a result depend on."""
    if type(x) is LibraryArray:
        return x.shape, x.dtype
    if type(x) is float:
        return float
    return (x.shape, x.dtype, x.tobytes()) if isinstance(x, np.ndarray) else (type(x), x)


def _is_trained(x: Any) -> bool:
    """Return whether gradients would flow through an operand to a Tensor that f has made."""
    return is_tensor(x) and x._node is not None and not (recording.blocks and recording.paused)


def _new_leaf(shape: tuple[int, ...]) -> OptionError:
    return OptionError(
        where=f"compile(f), {user_line()}",
        expected="Tensors with requires_grad=True that f gets or closes over",
        got=f"one of shape {shape} with requires_grad=True that f makes: it has no gradient here",
        fix="Create it outside and pass it in a Module, or call gradwalk.grad of a function of it.",
    )


def _unknown_number(x: Any) -> OptionError:
    return OptionError(
        where=f"compile(f), {user_line()}",
        expected=f"a function of arrays of {x.place.library} that asks for no numbers of them",
        got="a question about an array: its numbers are known when the compiled program runs",
        fix="Write gradwalk.where(condition, a, b) for the branch, or ask after the call of f.",
    )


def _usual(primitive: Primitive) -> Primitive:
    """Return the mask for arrays that has the name of one for numbers."""
    return PASS_IF if primitive.name == PASS_IF.name else MASK_IF
