"""The engine in Python: the reference implementation of the native one, and its substitute.

Set ``GRADWALK_PURE=1`` to select it, for instance to step through it in a debugger. Both engines
compute the same numbers, bit for bit.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Self

from ..core.calls import checked_init
from ..core.expect import as_float, expect_text
from ..core.leaked import Leaked
from ..core.primitive import Primitive
from ..errors import NotANumberError
from ..ops import TABLE
from .node import CONSTANT, Inputs, Node, assign, freed, recording
from .observing import notify, observers, readers
from .operators import function
from .reverse import consumer_counts, gradients, leaves, reverse_pass, vjp_on_numbers
from .scalar import Scalar, weighted_sum

if TYPE_CHECKING:
    from .signatures import Number

__all__ = ["LeakedValue", "Value", "function", "gradients", "leaves", "poison"]
__all__ += ["weighted_sum"]


_lock = threading.Lock()  # for leaves that are made when operands are read
if hasattr(os, "register_at_fork"):  # a thread that the child does not have may hold it
    os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]


def _operator(
    primitive: Primitive, general: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """Return a binary operator with a fast path for Values and floats: 0.4 µs instead of 1.7."""
    evaluate = primitive.evaluate

    def operate(self: Value, other: object) -> Any:
        if type(other) is Value:
            data = evaluate(self._data, other._data)
        elif type(other) is float:
            data = evaluate(self._data, other)
        else:
            return general(self, other)
        if recording.blocks:
            return self._made(primitive, data, (self, other))
        node = _new(Value)  # __init__ would check what is known to be a float
        node._data, node._grad, node._label = data, 0.0, ""
        node._primitive, node._inputs = primitive, (self, other)
        return node

    return operate


def _constant(x: object, where: str) -> float:
    """Return an operand that is no Value. Of a tracer, the other operand makes the operation."""
    if isinstance(x, Scalar):
        name = type(x).__name__
        raise NotANumberError(where=where, expected="a number", got=name, fix="Pass its data.")
    return as_float(x, where)


class Value(Node):
    """A scalar that records its graph; see `gradwalk.Value`."""

    __slots__ = ("__weakref__", "_data", "_grad", "_inputs", "_label", "_primitive")

    def __init__(self, data: Number, label: str = "") -> None:
        self._data: float = data if type(data) is float else as_float(data, "Value(data)")
        self._grad: float = 0.0
        self._primitive = None
        self._inputs = ()
        self.label = label

    def __init_subclass__(cls, leaked: bool = False) -> None:
        if not leaked:
            raise TypeError("type 'gradwalk.Value' is not an acceptable base type")

    @classmethod
    def _make(cls, primitive: Primitive | None, data: float, inputs: Inputs[Self]) -> Self:
        node = cls.__new__(cls)
        node._data, node._grad, node._label = data, 0.0, ""
        node._primitive, node._inputs = primitive, inputs
        return node

    @classmethod
    def _apply(cls, primitive: Primitive, args: tuple[Any, ...]) -> Any:
        inputs = tuple(
            [
                a if type(a) is Value or type(a) is float else _constant(a, primitive.name)
                for a in args
            ]
        )
        data = primitive.evaluate(*[i._data if type(i) is Value else i for i in inputs])
        if type(data) is bool:  # `less` of two numbers records nothing
            return data
        return cls._made(primitive, data, inputs)

    @classmethod
    def _made(cls, primitive: Primitive, data: float, inputs: Inputs[Self]) -> Self:
        paused = recording.blocks and recording.paused
        node = cls._make(None, data, ()) if paused else cls._make(primitive, data, inputs)
        if observers:
            notify(primitive, inputs, node)
        return node

    @property
    def data(self) -> float:
        """The number. Assigned numbers are converted to floats."""
        return readers[-1](self, self._data) if readers else self._data

    @data.setter
    def data(self, number: float) -> None:
        self._data = number if type(number) is float else as_float(number, "Value.data")

    @property
    def grad(self) -> float:
        """The gradient, set by `backward`. Assigned numbers are converted to floats."""
        return self._grad

    @grad.setter
    def grad(self, number: float) -> None:
        self._grad = number if type(number) is float else as_float(number, "Value.grad")

    @property
    def label(self) -> str:
        """The name in pictures."""
        return self._label

    @label.setter
    def label(self, text: str) -> None:
        expect_text(text, "Value.label")
        self._label = str.__str__(text)  # of no other class

    @property
    def operands(self) -> tuple[Self, ...]:
        """The inputs of this node, in order, with a leaf for each constant."""
        if self._inputs is None:
            raise freed(self)
        with _lock:  # all threads have to see the same leaves
            # on demand: most constants are never looked at as nodes
            if any(type(i) is float for i in self._inputs):
                self._inputs = tuple(
                    [self._constant(i) if isinstance(i, float) else i for i in self._inputs]
                )
        return self._inputs  # type: ignore[return-value]

    @classmethod
    def _constant(cls, number: float) -> Self:
        return cls._make(CONSTANT, number, ())

    def _leaves(self) -> list[Value]:
        return leaves(self)

    def _run_backward(self, seed: float, retain_graph: bool) -> bool:
        pending = consumer_counts(self)
        nodes = list(pending)  # before the pass, which empties `pending`
        found = reverse_pass(self, seed, pending, vjp_on_numbers)
        gradients = [found.get(n, 0.0) if n._inputs else n._grad + found.get(n, 0.0) for n in nodes]
        changes: list[Any] = [(n, "_grad", g) for n, g in zip(nodes, gradients, strict=True)]
        if not retain_graph:
            changes += [(n, "_inputs", None if n._inputs else ()) for n in nodes]
        leaves = [n for n in nodes if n in found and not n._inputs]  # an interrupt may come
        reached = bool(leaves) and self._primitive is not None
        assign(changes)
        return reached


for _slot, _name in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
    _general = getattr(Node, f"__{_slot}__")
    setattr(Value, f"__{_slot}__", update_wrapper(_operator(TABLE[_name], _general), _general))

_new = Value.__new__
Value.__module__, Value.__qualname__ = "gradwalk", "Value"


setattr(Value, "__init__", checked_init(Value.__init__))  # noqa: B010  (mypy)


class LeakedValue(Leaked, Value, leaked=True):  # type: ignore[misc]
    """A Value that leaked from a transform."""

    __slots__ = ()


_operands: Any = Value.__dict__["_inputs"]
_dying: list[Inputs[Any] | None] = []  # while one is freed, a None at the start


def release(value: Value) -> None:
    """Free the operands of a Value that dies, and theirs, in a loop.

    It is ``Value.__del__`` in WebAssembly, where freeing a chain of 5,000 nodes takes more than the
    stack of JavaScript: CPython's limit is made for larger ones.
    """
    try:
        inputs = _operands.__get__(value, Value)
    except AttributeError:  # its __init__ has failed
        return
    if not inputs:
        return
    _operands.__delete__(value)
    outermost = not _dying
    _dying.extend((None, inputs) if outermost else (inputs,))
    del inputs
    while outermost and _dying.pop() is not None:
        pass


if sys.platform == "emscripten":
    Value.__del__ = release  # type: ignore[attr-defined]


def poison(leaves: Iterable[Value]) -> None:
    """Make every use of these Values, and of all Values computed from them, an error.

    Nodes do not refer to their consumers, so these are searched among the objects that the garbage
    collector tracks. `gc.freeze` hides objects from the search.
    """
    consumers: dict[Value, list[Value]] = {}
    for thing in gc.get_objects():
        if type(thing) is Value:
            for operand in getattr(thing, "_inputs", None) or ():
                if type(operand) is Value:
                    consumers.setdefault(operand, []).append(thing)
    pending = list(leaves)
    while pending:
        value = pending.pop()
        pending += consumers.pop(value, ())
        # a LeakedValue refuses to be written to, and a node may come twice
        object.__setattr__(value, "__class__", LeakedValue)
