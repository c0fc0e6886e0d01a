"""The outermost level of a compiled function: it writes down what all others compute.

A tracer has the number of this run, and the atom that the number is in the program. Transforms
inside the function compute with such tracers, so that a program of ``grad(f)`` or ``hessian(f)``
needs nothing of its own.

A condition on numbers of the program is a number of the program too. In ``where`` and in the masks
of rules it stays one. Python's ``if`` asks for an answer: that is a guard, and a program is right
only for arguments that give every guard the answer that it had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ... import native
from ...core.backend import Options, arrays
from ...core.carrier import Carrier, is_tensor
from ...core.expect import as_float, describe, is_array
from ...core.primitive import Primitive
from ...engine.node import ancestors, constant_data, inputs_of, is_constant
from ...engine.observing import INTERCEPTORS
from ...engine.value import Value
from ...errors import InPlaceError, NotANumberError
from ...levels.level import Level, ScalarTracer, Tracer, leaked, or_zero
from ...ops import TABLE
from ...ops.masks import MASKS, OR_ZERO, PLUS
from ..builder import Builder
from ..program import GUARD, Program
from .conditions import Condition, Integer, Reading, Traced, is_described, is_printed, user_line
from .listening import listen

__all__ = ["Recorder"]


class Recorder(Level):
    """A run of a function of which every operation on numbers is written down."""

    records_program = True

    def __init__(
        self, has_loops: bool = True, has_tensors: bool = False, place: Any = None
    ) -> None:
        self.mode = "compile"
        self.has_backward = False  # whether the function may call it
        self._updates: Any = None
        self.place = place  # of arrays of another library, whose numbers are not known
        self.has_tensors = has_tensors  # among the arguments: tracers have their texts
        self.has_loops = has_loops  # whether a scan may be one instruction
        self.answers_at_once = False  # conditions are plain answers, which `is True` asks for
        self._arrays: Any = None
        self.builder: Builder = Builder()
        self.attributes: Any = None  # of modules and optimizers, which the function may assign
        self.bodies: dict[Any, Any] = {}  # of loops, by their steps
        self.columns: set[Any] = set()  # the arrays that they collect of numbers
        self.asked: set[int] = set()  # what guards are of
        self.given: dict[int, Traced] = {}
        self.captured: dict[Value, int] = {}
        self._absent: set[int] = set()  # what a mask has let nothing through of, in this run
        self._seen: list[tuple[Value, float]] = []  # captured leaves, with their numbers

    @property
    def arrays(self) -> Traced:
        """The half that knows arrays, which is loaded when the first one comes along."""
        if self._arrays is None:
            self._arrays = import_module(".array_recorder", __package__).ArrayRecorder(self)
        return self._arrays

    @property
    def updates(self) -> Any:
        """What the function writes, which is loaded when it first writes something."""
        if self._updates is None:
            self._updates = import_module(".updates", __package__).Updates(self)
        return self._updates

    @property
    def writes(self) -> bool:
        """Whether the function writes anything."""
        return self._updates is not None

    @property
    def has_arrays(self) -> bool:
        """Whether there may be arrays in the program."""
        return self._arrays is not None

    def sources(self) -> list[tuple[Any, int]]:
        """Return what the function closes over and the program reads, with the atom of each."""
        values = [(value, self.captured[value]) for value, _ in self._seen]
        values += [] if self._arrays is None else self._arrays.sources()
        held = self._updates.held.values() if self.writes else ()
        return values + [(place, tracer._payload) for place, tracer in held]

    def program(self, inputs: Sequence[int], outputs: Sequence[int]) -> Program:
        """Return the program of ``outputs``, without what neither they nor guards need."""
        found = self.builder.program(outputs, inputs)
        if self.has_arrays and found.avals is None:
            found.avals = [None] * found.variables
        return found

    def __enter__(self) -> Recorder:
        INTERCEPTORS.append(self)
        listen()
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        INTERCEPTORS.remove(self)
        listen()
        self.given.clear()  # tracers refer to this run, and to the arrays of the caller
        self._updates = None
        super().__exit__(*exception)

    def input(self, x: object, of_call: bool = False) -> Traced:
        """Return the tracer of an argument of the call, or of what each run finds somewhere."""
        if isinstance(x, (float, int)):
            found: Traced = ScalarTracer(self, x, self.builder.input())
        else:
            found = self.arrays.input(x, of_call)
        self.given[found._payload] = found
        return found

    def integer(self, x: object) -> Traced:
        """Return the tracer of an argument that is an int."""
        found = Integer(self, x, self.builder.input())
        self.given[found._payload] = found
        return found

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Traced:
        """Return the result of the primitive on the numbers of this run, and write it down."""
        if options or primitive.kind != "pointwise" or any(map(_is_array, args)):
            return self.arrays.apply(primitive, args, options)
        operands = [self.operand(a, primitive.name) for a in args]
        masked = [*map(self.builder.is_masked, operands)]
        if primitive is TABLE["add"] and any(masked):
            return self._plus(args, operands, all(masked))
        if primitive in MASKS:
            return self._mask(primitive, args, operands)
        absent = not self._absent.isdisjoint(operands)
        if primitive is OR_ZERO:
            return self._write(primitive, operands, 0.0 if absent else args[0]._primal)
        y = 0.0 if absent else primitive.evaluate(*map(_number, args))
        return self._write(primitive, operands, y, any(masked), absent)

    def apply_to_numbers(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Return what `apply` returns, in a third of the time if no operand may be absent."""
        constant, is_masked = self.builder.constant, self.builder.is_masked
        operands = [constant(a) if type(a) is float else a._payload for a in args]
        if any(map(is_masked, operands)):
            return self.apply(primitive, args, {})
        y = primitive.evaluate(*[a if type(a) is float else a._primal for a in args])
        if type(y) is not float:
            return self.apply(primitive, args, {})
        return ScalarTracer(self, y, self.builder.write(primitive, operands))

    def backward(self, tracer: Any, gradient: Any) -> None:
        """Add the gradients of a result to those of the Tensors that it is computed from."""
        self.updates.backward(tracer, gradient)

    def assign(self, tensor: Any, x: Any) -> None:
        """Let each run write other numbers into a Tensor, if the function is a training step."""
        if not self.has_backward or tensor._alias is not None:  # which views would not see here
            raise self.arrays.changed(tensor, user_line())
        self.updates.assign(tensor, x if isinstance(x, Tracer) else self.updates.constant(x))

    def number_of(self, tracer: Any) -> Traced:
        """Return the tracer of an array without axes as that of a number of Python."""
        return arrays().PlainNumber(self, tracer._primal, tracer._payload)

    def known(self, atom: int) -> Traced:
        """Return the tracer of an input, or of what the function closes over."""
        found = self.given.get(atom)
        if found is None:
            found = self.arrays.known(atom)
        if found is None:
            found = next(
                ScalarTracer(self, v.data, a) for v, a in self.captured.items() if a == atom
            )
        return found

    def may_be_absent(self, tracer: Any) -> bool:
        """Return whether a mask may have let nothing through in another run."""
        return self.builder.is_masked(tracer._payload)

    def read(self, tracer: Any) -> Any:
        """Return the numbers of a tracer for a program that reads them."""
        if is_tensor(tracer):
            return self.arrays.read(tracer)
        return tracer if isinstance(tracer, Reading) else Reading.of(or_zero(tracer))

    def text(self, tracer: Any, kind: Callable[[Any], str]) -> str:
        """Return what `str` or `repr` of the numbers is without `compile`, and note them."""
        if not self.is_open:
            return super().text(tracer, kind)
        if is_printed() or is_described():
            return kind(self._plain(tracer, tracer._primal))
        return kind(self._plain(tracer, self._noted(tracer)))

    def hash_of(self, tracer: Any) -> int:
        """Return the hash of a number, as of ``x.item()``; arrays hash by identity."""
        if not self.is_open or (is_tensor(tracer) and tracer.ndim):
            return super().hash_of(tracer)
        return hash(float(self._noted(tracer)))

    def _noted(self, tracer: Any) -> Any:
        numbers = self.read(tracer)
        return numbers.fix() if isinstance(numbers, Reading) else numbers

    def _plain(self, tracer: Any, numbers: Any) -> Any:
        if not is_tensor(tracer):
            return numbers
        if self.has_tensors or self.arrays.captured:
            return arrays().Tensor._of(numbers)
        return numbers[()]

    def takes(self, args: Sequence[Any]) -> bool:
        """Return whether an operation on Tensors and plain numbers belongs into the program."""
        return any(map(self.captures, args)) and not any(isinstance(x, Tracer) for x in args)

    def captures(self, x: Any) -> bool:
        """Return whether ``x`` is a Tensor or a Value that the function closes over."""
        return isinstance(x, Value) or (_is_array(x) and self.arrays.captures(x))

    def tracer_of(self, x: Any) -> Traced:
        """Return the tracer of a Tensor or a Value that the function closes over."""
        if isinstance(x, Value):
            return ScalarTracer(self, x.data, self.capture(x))
        return self.arrays.tracer_of(x)

    def array_of(self, tensor: Any) -> Traced:
        """Return the array of a Tensor that the function closes over, which has no gradient."""
        return self.arrays.array_of(tensor)

    def note_assignment(self, owner: object, name: str) -> None:
        """Note that the function assigns an attribute."""
        if self.attributes is not None:
            self.attributes.note(owner, name)

    def expect_groups(self) -> None:
        """Raise `InPlaceError` if an optimizer has got other groups."""
        if self.attributes is not None:
            self.attributes.expect_groups()

    @staticmethod
    def line() -> str:
        """Return the line of the user's program that is running."""
        return user_line()

    def note_reading(self, tensor: Any) -> None:
        """Note as a guard that the numbers of a Tensor are those that it has now."""
        if is_tensor(tensor) and self.arrays.captures(tensor):
            if self.writes and self.updates.tracer_of(tensor) is not None:
                raise _written(tensor)
            self.arrays.read(self.arrays.tracer_of(tensor))

    def expect_own(self, tensor: object) -> None:
        """Raise `InPlaceError` if a Tensor is one that the function closes over."""
        if self.captures(tensor):
            raise self.arrays.changed(tensor, user_line())

    def operand(self, x: Any, where: str) -> int:
        """Return the atom of an argument: of a constant, if it is the same in every run."""
        if type(x) is float:
            return self.builder.constant(x)
        if isinstance(x, (Condition, ScalarTracer, Reading)) and x._level is self:
            return x._payload  # type: ignore[no-any-return]
        if isinstance(x, Value):
            return self.capture(x)
        if isinstance(x, Tracer):  # of another recorder
            raise unknown(where, x)
        try:
            return self.builder.constant(as_float(x, where))
        except NotANumberError:
            raise unknown(where, x) from None

    def atom_of(self, y: Any, where: str) -> int | None:
        """Return the atom of a result; ``None`` for what is no number of the program."""
        if is_tensor(y) or is_array(y):
            return self.arrays.output(y)  # type: ignore[no-any-return]
        if self.owns(y):
            y = or_zero(y)
        return self.operand(y, where) if isinstance(y, Carrier) else None

    def capture(self, value: Value) -> int:
        """Return the atom of a Value that the function closes over, and of all it comes from."""
        for node in ancestors(value):
            if node not in self.captured:
                if node._primitive is None:
                    self.captured[node] = self.builder.input()
                    self._seen.append((node, node.data))
                    continue
                operands = [
                    self.builder.constant(constant_data(i)) if is_constant(i) else self.captured[i]
                    for i in inputs_of(node)
                ]
                self.captured[node] = self.builder.write(node._primitive, operands)
        return self.captured[value]

    def expect_unchanged(self) -> None:
        """Raise `InPlaceError` if the function has changed what it closes over."""
        if self._arrays is not None:
            self._arrays.expect_unchanged()
        for value, number in self._seen:
            if value.data != number and number == number:
                raise InPlaceError(
                    where="compile",
                    expected="a function that leaves the Values that it uses as they are",
                    got=f"one that sets the data of {value!r}, which was {number!r}",
                    fix="Return the new number, and set it outside.",
                )

    def _write(
        self,
        primitive: Primitive,
        operands: Sequence[int],
        y: Any,
        masked: bool = False,
        absent: bool = False,
    ) -> Any:
        atom = self.builder.write(primitive, operands, masked)
        if absent:
            self._absent.add(atom)
        if type(y) is not bool:
            return ScalarTracer(self, y, atom)
        condition = Condition(self, y, atom)
        return self.ask(condition) if self.answers_at_once else condition

    def _mask(self, primitive: Primitive, args: Sequence[Any], operands: Sequence[int]) -> Any:
        condition, t = args
        blocked = condition._primal is (primitive is MASKS[1])
        absent = blocked or operands[1] in self._absent
        return self._write(primitive, operands, 0.0 if absent else _number(t), True, absent)

    def _plus(self, args: Sequence[Any], operands: Sequence[int], masked: bool) -> Any:
        here = [_number(a) for a, o in zip(args, operands, strict=True) if o not in self._absent]
        return self._write(PLUS, operands, sum(here, -0.0), masked, not here)

    def ask(self, condition: Condition) -> bool:
        """Return the answer of this run to a condition, and note it as a guard."""
        if not self.is_open:
            raise leaked(self, "a condition")
        self.guard(condition._payload, condition._primal)
        return condition._primal

    def guard(self, atom: int, answer: Any) -> None:
        """Note that the program is right only if an atom is what it is in this run."""
        if atom not in self.asked:
            self.asked.add(atom)
            self.builder.add(GUARD, [atom], {"answer": answer, "line": user_line()}, 0)


def _number(x: Any) -> float:
    """Return the number of an argument in this run."""
    if type(x) is float:
        return x
    return float(getattr(x, "data" if isinstance(x, Value) else "_primal", x))


def _is_array(x: Any) -> bool:
    return is_array(x) or is_tensor(x)


def _written(tensor: Any) -> InPlaceError:
    """Return the error for a question about numbers that are known when the program has run."""
    return InPlaceError(
        where=f"compile(f), {user_line()}",
        expected="no question for the numbers of a Tensor that f has written",
        got=f"one, about a Tensor of shape {tensor.shape}",
        fix="Return the Tensor, and ask after the call of f.",
    )


def unknown(where: str, x: object) -> NotANumberError:
    """Return the error for an operand that a program cannot have."""
    return NotANumberError(
        where=f"{where} inside compile",
        expected="numbers or arrays",
        got=describe(x),
        fix="Convert it with float(x) or gradwalk.asarray(x).",
    )


if native.engine is not None:  # which records what `apply_to_numbers` does
    native.engine.recorder_type(Recorder)
