"""Arrays of nodes, on which NumPy's own loops build graphs of Values.

NumPy moves, adds and multiplies objects of any class. So the forward of a primitive that only does
that, such as `matmul` or `reshape`, builds a graph of Values from an array of `Element`. A
primitive that compares numbers, or converts them to floats, fails. Its decision would be fixed in a
graph whose leaves can be changed later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..core.primitive import Primitive
from ..engine.node import CONSTANT
from ..engine.value import Value
from ..ops import TABLE
from . import size

__all__ = ["Element", "TooManyError", "Work", "apply", "array_of", "composed", "each"]

Array = np.ndarray[Any, Any]


class TooManyError(Exception):
    """A graph exceeds the limit of a document. ``got`` is its size as far as it is known."""

    def __init__(self, got: str) -> None:
        super().__init__(got)
        self.got = got


class Work:
    """The budget of nodes of one graph.

    Past the limit, operations are only counted, so that the error can report their number. Past ten
    times the limit, counting stops as well.
    """

    count: int

    def __init__(self) -> None:
        self.count = 0

    def spend(self, nodes: int) -> bool:
        """Count new nodes, and return whether they may be created."""
        self.count += nodes
        if self.count > 10 * size.LIMIT:
            raise TooManyError(f"more than {10 * size.LIMIT:,}")
        return self.count <= size.LIMIT

    def room(self, numbers: int) -> None:
        """Raise `TooManyError` for an array that exceeds the limit, before it is allocated."""
        if numbers > 10 * size.LIMIT:
            raise TooManyError(f"an array of {numbers:,}")

    def check(self) -> None:
        """Raise `TooManyError` if the limit was exceeded."""
        if self.count > size.LIMIT:
            raise TooManyError(f"about {self.count:,}")

    def leaf(self, data: Any, label: str = "", constant: bool = False) -> Element:
        """Create a leaf or a constant."""
        self.spend(1)
        value = Value._make(CONSTANT if constant else None, float(data), ())
        value.label = label
        return Element(value, self)


def apply(primitive: Primitive, *args: Any) -> Any:
    """Apply ``primitive`` to elements and floats. The result of floats alone is a float."""
    for arg in args:
        if type(arg) is Element:
            return (
                Element(_node(primitive, [*map(plain, args)]), arg.work)
                if arg.work.spend(1)
                else arg
            )
    return primitive(*map(float, args))


def _node(primitive: Primitive, operands: list[Any]) -> Value:
    """Apply a primitive to Values. Comparisons get a node too, although Values return floats."""
    if primitive.differentiable:
        return primitive(*operands)  # type: ignore[no-any-return]
    numbers = [x if type(x) is float else x.data for x in operands]
    return Value._make(primitive, float(primitive(*numbers)), tuple(operands))


def plain(x: Any) -> Any:
    """Return the Value in an element, or another number as a float."""
    return x.value if type(x) is Element else float(x)


def composed(f: Callable[[list[Any]], list[Any]], xs: Sequence[Any], nodes: int = 5) -> list[Any]:
    """Apply a function of `ops.composite` to a list, with about ``nodes`` new nodes per member."""
    work = next((x.work for x in xs if type(x) is Element), None)
    if work is None:
        return f([*map(float, xs)])
    if not work.spend(nodes * len(xs)):
        return [*xs]
    return [Element(y, work) if isinstance(y, Value) else y for y in f([*map(plain, xs)])]


def each(primitive: Primitive, *arrays: Any) -> Array:
    """Apply a pointwise primitive to broadcast arrays, once per element of the result."""
    return array_of(np.frompyfunc(lambda *args: apply(primitive, *args), len(arrays), 1)(*arrays))


def array_of(x: object) -> Array:
    """Return an array of elements and floats, also for a single one."""
    y = np.asarray(x, object)
    return y if y.ndim else y.copy()


def is_number(x: object, n: int) -> bool:
    """Return whether this is NumPy's initial 0 or 1, as an int. Constants are floats here."""
    return type(x) is int and x == n


def _operator(name: str, idle: int | None = None, reflected: bool = False) -> Callable[..., Any]:
    """Return a primitive as a method. ``idle`` is NumPy's initial value, the neutral element."""
    primitive = TABLE[name]

    def operate(self: Element, other: object) -> Any:
        if idle is not None and is_number(other, idle):
            return self
        return apply(primitive, other, self) if reflected else apply(primitive, self, other)

    return operate


class Element:
    """One element of an array: a Value, and the budget that it counts for."""

    __slots__ = ("value", "work")

    value: Any
    work: Work

    def __init__(self, value: object, work: Work) -> None:
        self.value, self.work = value, work

    __add__: Callable[..., Any] = _operator("add", 0)
    __radd__: Callable[..., Any] = _operator("add", 0, reflected=True)
    __sub__: Callable[..., Any] = _operator("sub", 0)
    __rsub__: Callable[..., Any] = _operator("sub", reflected=True)
    __truediv__: Callable[..., Any] = _operator("div", 1)
    __rtruediv__: Callable[..., Any] = _operator("div", reflected=True)
    __pow__: Callable[..., Any] = _operator("pow", 1)

    def __mul__(self, other: object) -> Any:
        return self._times(other, self, other)

    def __rmul__(self, other: object) -> Any:
        return self._times(other, other, self)

    def _times(self, other: object, a: Any, b: Any) -> Any:
        if is_number(other, 0):  # NumPy's own 0 in the padding stays a plain 0
            return 0
        return self if is_number(other, 1) else apply(TABLE["mul"], a, b)

    def __neg__(self) -> Any:
        return apply(TABLE["neg"], self)

    def sqrt(self) -> Any:
        """Return the square root. `numpy.sqrt` calls this method."""
        return apply(TABLE["sqrt"], self)

    def conjugate(self) -> Element:
        """Return the same element. `numpy.vecdot` calls this method."""
        return self

    def _refused(self, *_: Any) -> NoReturn:
        raise TypeError("a decision that other numbers in the leaves would change")

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


for _name in ("bool", "float", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Element, f"__{_name}__", Element._refused)
