"""Contributions of large arrays, computed and added in one pass, for the compiled reverse pass.

To add t · b to a gradient, NumPy writes an array of the products to memory first and reads it
again. Here the sum is formed block by block, in place of the gradient so far.
"""

from __future__ import annotations

import dis
from typing import Any

import numpy as np

from ... import native
from ...core.array_primitive import per_primitive
from ..graph.node import Node
from ..graph.types import Array
from .chains import (
    ADD,
    ARGUMENTS,
    EMPTY,
    FLOAT64,
    NONE,
    RULE,
    is_readable,
    kind_of,
    readable,
)

__all__ = ["accumulate"]


def accumulate(
    node: Node, index: int, t: Any, masked: Any, parent: Node, so_far: Array | None
) -> Any:
    """Add the contribution of a gradient ``t`` to an operand, in place of ``so_far``.

    Without ``so_far`` (``None``) return the contribution itself. ``masked`` masks t.
    `NotImplemented` where NumPy does it the same way or better.
    """
    # "pass" returns t itself, so NumPy's addition is one pass over memory already
    kind = kind_of(node._primitive, index)
    if kind is None or kind[0] == "pass" or t.shape != node.shape or parent.shape != node.shape:
        return NotImplemented
    if so_far is None:
        # without a sum there is nothing to fuse but the operations of the rule itself
        worth = masked is None and kind[0] == "loop" and _is_long(node._primitive, index)
    else:
        worth = so_far.flags.carray  # the kernel writes contiguous, aligned doubles
    # `is`: a float64 in another byte order is equal to FLOAT64, and no kernel reads it
    if not worth or parent.dtype is not FLOAT64 or not is_readable(node):
        return NotImplemented
    return _fuse(node, index, kind, (t, *node.saved), masked, so_far)


def _fuse(node: Node, index: int, kind: Any, at: Any, masked: Any, so_far: Array | None) -> Any:
    """Add a contribution of few steps, for which a `Chain` would cost more than it saves."""
    given: list[Any] = []
    places = [-1] * ARGUMENTS
    for i, x in enumerate(at):
        number = x if type(x) is not np.ndarray else readable(x)
        if (kind[0] == "mask" or kind[1] >> i & 1) and isinstance(number, (np.ndarray, float, int)):
            places[i] = len(given)
            given.append(number)
    end = len(given)
    steps: list[Any] = [(RULE, node._primitive, index, *places, *NONE, *NONE, end, -1)]
    operands = [] if masked is None else [(EMPTY, readable(masked.mask))]
    operands += [] if so_far is None else [(ADD, so_far)]
    for what, operand in operands:  # onto what the step before gives
        pair = (end, end + 1) if what == EMPTY else (end + 1, end)
        steps.append((what, None, 0, *pair, -1, -1, -1, *NONE, *NONE, end + 2, -1))
        given += [None, operand]
        end += 2
    result = np.empty(node.shape) if so_far is None else so_far
    # the kernel reads bytes where these flags are true, and doubles elsewhere
    masks = [x is not None and masked is not None and x is operands[0][1] for x in given]
    wanted: list[Any] = [None] * (len(given) + 1)
    wanted[end] = result
    native.engine.run_chain(steps, [*given, None], wanted, [*masks, False])
    return result


@per_primitive
def _is_long(primitive: Any, index: int) -> bool:
    """Return whether NumPy needs several passes over memory for a rule."""
    # each operator in a rule is one pass of NumPy over memory
    names = [i.opname for i in dis.get_instructions(primitive.rules[index])]
    return sum(name in ("BINARY_OP", "UNARY_NEGATIVE") for name in names) > 1
