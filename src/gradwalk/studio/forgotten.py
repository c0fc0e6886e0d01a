"""Numbers of a program that no rule has kept, told from what was computed with them.

The rule of ``x + 3.0`` needs no 3.0, so the graph does not have it (see `tensor.node`). Where the
result is known, the operation itself tells: in such an operand it is linear, so what takes the
result from where a zero would lead goes back by the rule.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..errors import FreedGraphError
from ..ops.array.evaluation import function_of, rules_of
from ..ops.array.structural_zero import StructuralZero
from ..tensor import Tensor
from ..tensor.graph.node import CONSTANT_NODE, Node
from .arrays import FLOATING

__all__ = ["forgotten", "recovered"]


def recovered(
    node: Node, position: int, known: dict[Any, Any], spoken: list[tuple[Tensor, str]]
) -> tuple[Any, str]:
    """The constant operand of a node at ``position``, and what the program calls it."""
    y = known.get(node)
    if isinstance(y, FLOATING):
        if node.op in ("concat", "stack"):
            return _contribution(node, position, y, []), ""
        args = _operands(node, known)
        if sum(not isinstance(arg, FLOATING) for arg in args) == 1:
            found = _recovered(node, args, position, y, spoken)
            if found is not None:
                return found
    raise forgotten(node, "one whose numbers the graph has not kept")


def _operands(node: Node, known: dict[Any, Any]) -> list[Any]:
    pairs = zip(node._inputs, node.saved[1:], strict=True)
    return [saved if operand is CONSTANT_NODE else known.get(operand) for operand, saved in pairs]


def _recovered(
    node: Node, args: list[Any], position: int, y: Any, spoken: list[tuple[Tensor, str]]
) -> tuple[Any, str] | None:
    """A Tensor of the program that leads to the result, or else numbers that do."""
    run = partial(_result, node, args, position)
    for tensor, name in spoken:
        fits = tensor._node is None and tensor.size <= np.size(y)
        if fits and _gives(run, tensor._data, y, exactly=True):
            return tensor._data, name
    zero = np.zeros((), np.asarray(y).dtype)
    if not _gives(run, zero):
        return None
    with np.errstate(all="ignore"):
        given = [*args[:position], zero, *args[position + 1 :]]
        found = _simplest(run, _contribution(node, position, y - run(zero), given), y)
    return (found, "") if _gives(run, found, y) else None


def forgotten(node: Node, what: str) -> FreedGraphError:
    """The error for numbers that are nowhere; it tells the line of the operation."""
    return FreedGraphError(
        where="explore(tensor, elements=True)",
        expected=f"all operands of {node.op or 'the graph'}{_line(node)}",
        got=what,
        fix="Keep the result of this operation in a variable, or the operand as a Tensor with "
        "requires_grad=True.",
    )


def _line(node: Node) -> str:
    if node.line is None:
        return ""
    code, offset = node.line
    lines = [number for start, stop, number in code.co_lines() if start <= offset < stop and number]
    return f" in line {lines[0]} of {code.co_filename}" if lines else ""


def _result(node: Node, args: list[Any], position: int, operand: Any) -> Any:
    """What the node would be with this operand."""
    given = [*args[:position], operand, *args[position + 1 :]]
    primitive: Any = node._primitive
    with np.errstate(all="ignore"):
        return function_of(primitive)(*given, **node.options)


def _gives(run: Any, operand: Any, y: Any = None, exactly: bool = False) -> bool:
    """Whether the operand leads to the known result; without one, whether it leads anywhere."""
    try:
        found = run(operand)
    except (TypeError, ValueError):
        return False
    if y is None or np.shape(found) != np.shape(y):
        return y is None
    if exactly:
        return np.array_equal(found, y, equal_nan=True)
    return np.allclose(found, y, rtol=1e-12 if np.asarray(y).itemsize == 8 else 1e-5, atol=0.0)


def _contribution(node: Node, position: int, t: Any, args: list[Any]) -> Any:
    """What the rule of an operand makes of ``t``: it takes back what the operation has moved."""
    primitive: Any = node._primitive
    if primitive.kind != "pointwise" and primitive.variadic:
        contribution = primitive.rules[0](t, t, index=position, **node.options)
    else:
        contribution = rules_of(primitive)[position](t, t, *args, **node.options)  # type: ignore[misc]
    return np.asarray(contribution.data if type(contribution) is StructuralZero else contribution)


def _simplest(run: Any, solved: Any, y: Any) -> Any:
    """One number if all are the same, with no more digits than it takes to get the result."""
    for digits in range(1, 17):
        short = np.vectorize(lambda n, d=digits: float(f"{n:.{d}g}"), otypes=[solved.dtype])
        found = short(solved) if solved.size else solved
        if _gives(run, found, y, exactly=True):
            return found.flat[0] if found.size and (found == found.flat[0]).all() else found
    return solved
