"""Arrays whose numbers are nodes: what NumPy's own loops meet when a row runs on single numbers.

NumPy moves, adds and multiplies any objects. So the forward of a row that only does that, such as
`matmul` or `reshape`, makes a graph of Values when it is given an array of `Element`. A row that
compares numbers, or needs them as floats, fails: what it has decided once would stay decided in a
graph whose leaves can be given other numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..core.primitive import Primitive
from ..engine.node import CONSTANT
from ..engine.value import Value
from ..ops import TABLE
from . import size

__all__ = ["Element", "TooManyError", "Work", "apply", "array_of", "composed", "each"]

Array = np.ndarray[Any, Any]


class TooManyError(Exception):
    """The graph is larger than a document may be; ``got`` says how large, as far as is known."""

    def __init__(self, got: str) -> None:
        super().__init__(got)
        self.got = got


class Work:
    """The making of one graph: how many nodes it has, and a halt when they are too many.

    Past the limit operations are only counted, so that the error can say how many there would be,
    and past ten times the limit not even that.
    """

    def __init__(self) -> None:
        self.count = 0

    def spend(self, nodes: int) -> bool:
        """Whether so many more nodes may be made."""
        self.count += nodes
        if self.count > 10 * size.LIMIT:
            raise TooManyError(f"more than {10 * size.LIMIT:,}")
        return self.count <= size.LIMIT

    def room(self, numbers: int) -> None:
        """Stop before an array is made that could not be shown anyway."""
        if numbers > 10 * size.LIMIT:
            raise TooManyError(f"an array of {numbers:,}")

    def check(self) -> None:
        """Stop if there were too many."""
        if self.count > size.LIMIT:
            raise TooManyError(f"about {self.count:,}")

    def leaf(self, data: Any, label: str = "", constant: bool = False) -> Element:
        """A number that something is computed from."""
        self.spend(1)
        value = Value._make(CONSTANT if constant else None, float(data), ())
        value.label = label
        return Element(value, self)


def apply(primitive: Primitive, *args: Any) -> Any:
    """``row`` on numbers, of which some are elements; of floats alone it is a float."""
    for arg in args:
        if type(arg) is Element:
            return (
                Element(_node(primitive, [*map(plain, args)]), arg.work)
                if arg.work.spend(1)
                else arg
            )
    return primitive(*map(float, args))


def _node(primitive: Primitive, operands: list[Any]) -> Value:
    """A row on Values; a comparison too, which Values answer at once, with a number."""
    if primitive.differentiable:
        return primitive(*operands)  # type: ignore[no-any-return]
    numbers = [x if type(x) is float else x.data for x in operands]
    return Value._make(primitive, float(primitive(*numbers)), tuple(operands))


def plain(x: Any) -> Any:
    """The Value in an element; of any other number a float."""
    return x.value if type(x) is Element else float(x)


def composed(f: Callable[[list[Any]], list[Any]], xs: Sequence[Any], nodes: int = 5) -> list[Any]:
    """What a function of `ops.composite` makes of a list, with some ``nodes`` for each member."""
    work = next((x.work for x in xs if type(x) is Element), None)
    if work is None:
        return f([*map(float, xs)])
    if not work.spend(nodes * len(xs)):
        return [*xs]
    return [Element(y, work) if isinstance(y, Value) else y for y in f([*map(plain, xs)])]


def each(primitive: Primitive, *arrays: Any) -> Array:
    """A pointwise row on broadcast arrays: one application for every number of the result."""
    return array_of(np.frompyfunc(lambda *args: apply(primitive, *args), len(arrays), 1)(*arrays))


def array_of(x: Any) -> Array:
    """An array of elements and floats, also of a single one."""
    y = np.asarray(x, object)
    return y if y.ndim else y.copy()


def is_number(x: Any, n: int) -> bool:
    """Whether this is a 0 or 1 that NumPy starts with: numbers of a program are floats here."""
    return type(x) is int and x == n


def _operator(name: str, idle: int | None = None, reflected: bool = False) -> Callable[..., Any]:
    """A row as a method; ``idle`` is NumPy's own number that changes nothing."""
    primitive = TABLE[name]

    def operate(self: Element, other: Any) -> Any:
        if idle is not None and is_number(other, idle):
            return self
        return apply(primitive, other, self) if reflected else apply(primitive, self, other)

    return operate


class Element:
    """One number of an array: a Value, and the work that it belongs to."""

    __slots__ = ("value", "work")

    def __init__(self, value: Any, work: Work) -> None:
        self.value, self.work = value, work

    __add__ = _operator("add", 0)
    __radd__ = _operator("add", 0, reflected=True)
    __sub__ = _operator("sub", 0)
    __rsub__ = _operator("sub", reflected=True)
    __truediv__ = _operator("div", 1)
    __rtruediv__ = _operator("div", reflected=True)
    __pow__ = _operator("pow", 1)

    def __mul__(self, other: Any) -> Any:
        return self._times(other, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._times(other, other, self)

    def _times(self, other: Any, a: Any, b: Any) -> Any:
        if is_number(other, 0):  # of a padded place, which is no number of the program
            return 0
        return self if is_number(other, 1) else apply(TABLE["mul"], a, b)

    def __neg__(self) -> Any:
        return apply(TABLE["neg"], self)

    def sqrt(self) -> Any:
        """What `numpy.sqrt` calls."""
        return apply(TABLE["sqrt"], self)

    def conjugate(self) -> Element:
        """What `numpy.vecdot` calls: a real number is its own."""
        return self

    def _refused(self, *_: Any) -> NoReturn:
        raise TypeError("a decision that other numbers in the leaves would change")

    __bool__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = _refused
    __eq__ = __ne__ = _refused
    __hash__ = None  # type: ignore[assignment]
