"""The rules of a framework for the nodes of a graph."""

from __future__ import annotations

from typing import Any

from ..engine.node import ancestors
from ..ops.array.conventions import dense

__all__ = ["densify"]


def densify(root: Any, dialect: str) -> None:
    """Give all nodes that ``root`` was computed by the rules of a framework.

    Zeros become plain zeros, and the conventions of the framework hold at kinks: a NaN that its
    backward pass makes is then a NaN here. ``dialect`` is "torch" or "jax".
    """
    for node in ancestors(root):
        primitive = getattr(node, "_primitive", None)
        if primitive is not None and getattr(node, "_inputs", None):
            node._primitive = dense(primitive, dialect)
