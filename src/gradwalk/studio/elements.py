"""The graph of a Tensor with a node for every element of its arrays.

The recorded operations are run again, operands first, on arrays of Values. The result is an
ordinary graph of Values, which the page can compute. All nodes of one operation on arrays form a
group, named after its Tensor. Folded, the picture is the graph of the arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from ..core.places import located
from ..engine.node import ancestors, inputs_of, is_constant
from ..engine.value import Value
from ..errors import FreedGraphError, SizeError
from ..inspect.names import Names
from ..ops import TABLE
from ..tensor import Tensor
from ..tensor.graph.convert import ValueSource
from ..tensor.graph.node import CONSTANT_NODE, Node
from . import size
from .arrays import FLOATING, recorded
from .elementwise import Array, Element, TooManyError, Work, apply, array_of, plain
from .naming import names_of_tensors
from .openings import opened, says_where
from .values import records as records_of_values

__all__ = ["records"]


def records(
    tensor: Tensor, names: Names, frame: FrameType
) -> tuple[list[dict[str, Any]], Mapping[str, Any]]:
    """Return the nodes of the graph of single elements, and the operations outside the table.

    The root is the sum of the elements of the Tensor.
    """
    size.check_size(tensor._node)
    opening = Opening(tensor, list(names_of_tensors(names, frame)))
    try:
        root = opening.root()
    except TooManyError as error:
        raise SizeError(
            where="explore(tensor, elements=True)",
            expected=f"at most {size.LIMIT:,} numbers and operations on them",
            got=error.got,
            fix="Explore the loss of fewer examples, or whole arrays with elements=False.",
        ) from None
    nodes, rows = records_of_values(root, names, frame)
    return _ordered(nodes, _places(root, nodes, opening.places)), rows


class Place(NamedTuple):
    """The position of a node: its group, and its rank in the order of the document."""

    group: str
    turn: tuple[int, ...]


def _places(root: Value, nodes: list[Any], places: dict[Any, Place]) -> list[Place]:
    """Return the place of every node. A constant stands with the node that uses it."""
    order = iter(ancestors(root))
    values = [None if "constant" in record else next(order) for record in nodes]
    found = [places.get(value, NOWHERE) for value in values]
    for i, value in enumerate(values):
        operands = () if value is None else inputs_of(value)
        for j, operand in zip(nodes[i]["inputs"], operands, strict=True):
            if is_constant(operand):
                found[j] = places.get(operand, found[i])
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

    found: list[Any]

    def __init__(self, tensor: Tensor, spoken: list[tuple[Tensor, str]]) -> None:
        self.found, _ = recorded(tensor, spoken)
        self.work: Work = Work()
        self.arrays: list[Any] = []
        self.places: dict[Any, Place] = {}
        self._times: dict[str, int] = {}

    def root(self) -> Value:
        """Return the result of the graph."""
        for key, op, inputs, label, data, place in self.found:
            if type(key) is ValueSource:
                found: Any = self._values(key)
            elif type(key) is object:
                found = data
            elif not inputs:
                found = self._leaves(key, label, data, place)
            else:
                found = self._result(key, inputs, label or op, place)
                self._name(found, label)
            self.arrays.append(found)
        total = _total(self.arrays[-1])
        self.work.check()
        self._claim((array_of(total),), "sum", "")
        value = plain(total)
        return value if isinstance(value, Value) else Value(value)

    # --- leaves -----------------------------------------------------------------------------------

    def _leaves(self, node: Node, label: str, data: object, place: str) -> Array:
        if not isinstance(data, FLOATING):
            raise dropped(node, "an array whose Tensor is no longer there")
        return self._fresh(np.asarray(data), label, self._group(label or "leaf", place))

    def _fresh(self, data: Any, label: str, group: str, constant: bool = False) -> Array:
        """Return a new Value for each element of an array."""
        self.work.room(data.size)
        found: Array = np.empty(data.shape, object)
        for k, index in enumerate(np.ndindex(data.shape)):
            element = self.work.leaf(data[index], _indexed(label, index), constant)
            found[index] = element
            self.places[element.value] = Place(group, (len(self.arrays), 0, k))
        return found

    def _values(self, source: ValueSource) -> Array:
        """Return the user's own Values, and register their graphs."""
        for value in source.values:
            self.places |= dict.fromkeys(ancestors(value), NOWHERE)
        elements: Any = [Element(value, self.work) for value in source.values]
        return array_of(elements).reshape(source.shape)

    # --- operations -------------------------------------------------------------------------------

    def _result(self, node: Node, inputs: list[int], name: str, place: str) -> Any:
        if node.shape is not None:
            self.work.room(prod(node.shape))
        operands = enumerate(zip(node._inputs, inputs, strict=True))
        args = [
            self._constant(node, i, j) if operand is CONSTANT_NODE else self.arrays[j]
            for i, (operand, j) in operands
        ]
        found = opened(node._primitive, args, dict(node.options))
        self._claim(found if type(found) is tuple else (found,), name, place)
        return found

    def _constant(self, node: Node, position: int, number: int) -> Any:
        """Return a constant as an operand. Arrays of indices stay arrays of integers."""
        data = self.arrays[number]
        _, _, _, label, _, place = self.found[number]
        if not isinstance(data, FLOATING):
            raise dropped(node, "a constant array that the program has dropped")
        data = np.asarray(data)
        if says_where(node._primitive, position):
            return data
        if not data.ndim and not label:
            return array_of(float(data))
        return self._fresh(data, label, self._group(label or "numbers", place), constant=True)

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


def dropped(node: Node, got: str) -> FreedGraphError:
    """Return the error for elements that neither the graph nor the program has."""
    file, line = located(node.line)
    where = f" in line {line} of {file}" if file else ""
    return FreedGraphError(
        where="explore(tensor, elements=True)",
        expected=f"all operands of {node.op or 'the graph'}{where}",
        got=got,
        fix="Keep this operand in a variable.",
    )


def _indexed(label: str, index: tuple[int, ...]) -> str:
    return f"{label}[{', '.join(map(str, index))}]" if label and index else label


def _total(x: Array) -> Any:
    """Return the sum of all elements."""
    total: Any = 0.0
    for k, n in enumerate(x.flat):
        total = apply(TABLE["add"], total, n) if k else n
    return total
