"""The graph of a Tensor with a node for every element of its arrays.

The recorded operations are run again by the formulas of `ops.array.lowering`, operands first, on
arrays of nodes. The result is an ordinary graph of Values, which the page can compute. All nodes of
one operation on arrays form a group, named after its Tensor. Folded, the picture is the graph of
the arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from types import FrameType
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from ..core.places import Line, located
from ..core.primitive import Primitive
from ..engine.node import CONSTANT, ancestors, inputs_of, is_constant
from ..engine.operators import Operators
from ..engine.value import Value
from ..errors import FreedGraphError, OptionError, SizeError
from ..inspect.graph import Item, Snapshot, snapshot
from ..inspect.names import Names
from ..ops.array.lowering import Elements, elements, holds_places, in_order, lowered
from ..ops.array.order import choose, ranked
from ..ops.array.reduction import sum as total_of
from ..program.run import opened
from ..tensor import Tensor
from ..tensor.graph.convert import ValueSource
from . import size
from .arrays import FLOATING, places_of
from .values import records as records_of_values

__all__ = ["Element", "Work", "records"]

WHERE = "explore(tensor, elements=True)"
FIX = "Explore whole arrays with elements=False, or leave this operation out."


def records(
    tensor: Tensor, names: Names, frame: FrameType
) -> tuple[list[dict[str, Any]], Mapping[str, Any]]:
    """Return the nodes of the graph of single elements, and the operations outside the table.

    The root is the sum of the elements of the Tensor.
    """
    (tensor,) = opened(tensor)
    size.check_size(tensor._node)
    opening = Opening(snapshot(tensor, names, frame))
    try:
        root = opening.root()
    except TooManyError as error:
        raise SizeError(
            where=WHERE,
            expected=f"at most {size.LIMIT:,} numbers and operations on them",
            got=error.got,
            fix="Explore the loss of fewer examples, or whole arrays with elements=False.",
        ) from None
    nodes, items, rows = records_of_values(root, names, frame)
    return _ordered(nodes, _places(items, opening.places)), rows


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


class Element(Operators):
    """One element of an array: a Value, and the budget that it counts for.

    Comparisons by primitives are nodes, unlike those of Values. By Python's operators they are
    errors: the decision would be fixed in a graph whose leaves can be changed later.
    """

    __slots__ = ("value", "work")
    _is_number: ClassVar[bool] = True

    value: Any
    work: Work

    def __init__(self, value: Any, work: Work) -> None:
        self.value, self.work = value, work

    @property
    def data(self) -> float:
        """The number that it has now."""
        return float(self.value.data)

    @classmethod
    def _apply(cls, primitive: Primitive, args: tuple[Any, ...]) -> Element:
        element = next(arg for arg in args if type(arg) is cls)
        if not element.work.spend(1):
            return element
        operands: Any = tuple(arg.value if type(arg) is cls else float(arg) for arg in args)
        if primitive.differentiable:
            return cls(primitive(*operands), element.work)
        numbers = [x if type(x) is float else x.data for x in operands]
        y = float(primitive(*numbers))
        return cls(Value._make(primitive, y, operands), element.work)

    def _refused(self, *_: Any) -> NoReturn:
        raise TypeError("a decision that other numbers in the leaves would change")

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


for _name in ("bool", "float", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Element, f"__{_name}__", Element._refused)


class Place(NamedTuple):
    """The position of a node: its group, and its rank in the order of the document."""

    group: str
    turn: tuple[int, ...]


def _places(items: Snapshot, places: dict[Any, Place]) -> list[Place]:
    """Return the place of every node. A constant stands with the node that uses it."""
    found = [places.get(item.node, NOWHERE) for item in items]
    looked_at = {atom: node for node, atom in items.run.where.items() if atom < 0}
    for i, item in enumerate(items):
        for j in item.inputs:
            if items[j].constant:
                found[j] = places.get(looked_at.get(items[j].atom), found[i])
    return found


def _ordered(nodes: list[dict[str, Any]], places: list[Place]) -> list[dict[str, Any]]:
    """Sort nodes array by array, as NumPy computed them, instead of in search order."""
    order = sorted(range(len(nodes)), key=lambda i: places[i].turn)
    numbers = {old: new for new, old in enumerate(order)}
    for record, place in zip(nodes, places, strict=True):
        record.pop("group", None)
        record |= {"group": place.group} if place.group else {}
        record["inputs"] = [numbers[i] for i in record["inputs"]]
    return [nodes[i] for i in order]


NOWHERE = Place("", (-1,))
"""The place of the user's own Values, which exist already."""


class Opening:
    """The conversion of one graph of arrays into a graph of Values.

    ``arrays``  the elements of every node, and for a constant the recorded array
    ``places``  the place of every new Value, and `NOWHERE` for the user's own Values
    """

    def __init__(self, items: Snapshot) -> None:
        self.items: Snapshot = items
        self.folders: list[str] = places_of(items)
        self.work: Work = Work()
        self.arrays: list[Any] = []
        self.places: dict[Any, Place] = {}
        self._times: dict[str, int] = {}
        self._known: dict[int, Any] = {}  # the results of each equation

    def root(self) -> Value:
        """Return the result of the graph."""
        for item, place in zip(self.items, self.folders, strict=True):
            if type(item.node) is ValueSource:
                found: Any = self._values(item.node)
            elif item.constant:
                found = item.data
            elif not item.inputs:
                found = self._leaves(item, place)
            else:
                found = self._result(item, place)
                self._name(found, item.name)
            self.arrays.append(found)
        every = tuple(range(self.arrays[-1].ndim))
        total = self._lowered(total_of, [self.arrays[-1]], {"axis": every, "keepdims": False})
        self.work.check()
        self._claim((total,), "sum", "")
        return total.item().value if type(total.item()) is Element else Value(total.item())

    # --- leaves -----------------------------------------------------------------------------------

    def _leaves(self, item: Item, place: str) -> Elements:
        if not isinstance(item.data, FLOATING):
            raise dropped("the graph", None, "an array whose Tensor is no longer there")
        return self._fresh(
            np.asarray(item.data), item.name, self._group(item.name or "leaf", place)
        )

    def _fresh(self, data: Any, label: str, group: str, constant: bool = False) -> Elements:
        """Return a new Value for each element of an array."""
        self.work.room(data.size)
        found: Elements = np.empty(data.shape, object)
        for k, index in enumerate(np.ndindex(data.shape)):
            element = self.work.leaf(data[index], _indexed(label, index), constant)
            found[index] = element
            self.places[element.value] = Place(group, (len(self.arrays), 0, k))
        return found

    def _values(self, source: ValueSource) -> Elements:
        """Return the user's own Values, and register their graphs."""
        for value in source.values:
            self.places |= dict.fromkeys(ancestors(value), NOWHERE)
        found: Elements = np.empty(len(source.values), object)
        found[:] = [Element(value, self.work) for value in source.values]
        return found.reshape(source.shape)

    # --- operations -------------------------------------------------------------------------------

    def _result(self, item: Item, place: str) -> Any:
        """Return one result of an operation, which is lowered once for all of them."""
        program = self.items.run.program
        k = program.maker(item.atom)
        if k not in self._known:
            for y in program.results(k):
                self.work.room(prod(np.shape(self.items.run.number(y))))
            args = [self._operand(item, i) for i in range(len(item.inputs))]
            options = program.params.get(k, {})
            found = self._lowered(item.primitive, args, options)
            self._known[k] = found if type(found) is tuple else (found,)
            self._claim(self._known[k], item.name or item.op, place)
        return self._known[k][item.atom - program.results(k)[0]]

    def _operand(self, item: Item, position: int) -> Any:
        """Return an operand. Of constants, arrays of indices stay arrays of integers."""
        number = item.inputs[position]
        operand, data = self.items[number], self.arrays[number]
        if not operand.constant:
            return data
        if not isinstance(data, FLOATING):
            line = self.items.run.program.line(self.items.run.program.maker(item.atom))
            raise dropped(item.op, line, "a constant array that the program has dropped")
        data = np.asarray(data)
        primitive: Any = item.primitive
        if holds_places(primitive, position):
            return data
        if not data.ndim and not operand.name:
            return elements(data)
        group = self._group(operand.name or "numbers", self.folders[number])
        return self._fresh(data, operand.name, group, constant=True)

    def _lowered(self, primitive: Any, args: list[Any], options: Mapping[str, Any]) -> Any:
        if primitive is choose:
            return _chosen(*args, **options)
        return lowered(primitive, args, options, where=WHERE, fix=FIX)

    # --- groups and names -------------------------------------------------------------------------

    def _claim(self, found: tuple[Any, ...], name: str, place: str) -> None:
        """Put all new nodes behind these arrays into one group."""
        arrays = [part for part in found if part is not None]
        stack = [n.value for part in arrays for n in part.flat if type(n) is Element]
        made: Place | None = None
        while stack:
            value = stack.pop()
            if value not in self.places:
                made = made or Place(self._group(name, place), (len(self.arrays), 1))
                self.places[value] = made
                stack += [v for v in inputs_of(value) if not is_constant(v)]

    def _group(self, name: str, place: str) -> str:
        """Return a unique path for a group. Dots separate its parts."""
        tail = name.removeprefix(f"{place}.").replace(".", "·")
        path = f"{place}.{tail}" if place else tail
        self._times[path] = times = self._times.get(path, 0) + 1
        return f"{path} ({times})" if times > 1 else path

    def _name(self, found: Any, label: str) -> None:
        """Name the unnamed results, except the user's own Values."""
        if not label or type(found) is tuple:
            return
        for index in np.ndindex(found.shape):
            value = getattr(found[index], "value", None)
            if value is not None and not value.label and self.places[value].group:
                value.label = _indexed(label, index)


def dropped(op: str, origin: Line | None, got: str) -> FreedGraphError:
    """Return the error for elements that neither the graph nor the program has."""
    file, line = located(origin)
    where = f" in line {line} of {file}" if file else ""
    return FreedGraphError(
        where="explore(tensor, elements=True)",
        expected=f"all operands of {op}{where}",
        got=got,
        fix="Keep this operand in a variable.",
    )


def _indexed(label: str, index: tuple[int, ...]) -> str:
    return f"{label}[{', '.join(map(str, index))}]" if label and index else label


def _chosen(x: Elements, places: Any, axis: int) -> Elements:
    """Return the first elements in order, which other numbers in the leaves may change."""
    data: Any = np.frompyfunc(lambda n: n.data if type(n) is Element else n, 1, 1)
    numbers = np.asarray(data(x), float)
    front = (*[slice(None)] * axis, slice(places.shape[axis]))
    for descending in (False, True):
        if np.array_equal(ranked(numbers, axis, descending)[front], places):
            return in_order(x, axis, descending)[0][front]
    raise OptionError(
        where=WHERE,
        expected="places of the smallest or of the largest numbers",
        got=f"{choose.name} ({choose.summary}) at others",
        fix=FIX,
    )
