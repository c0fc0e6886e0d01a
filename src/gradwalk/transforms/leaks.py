"""Values and Tensors that outlive the transform which they were made for."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..engine.value import Value, engine

__all__ = ["poison"]


def poison(leaves: Iterable[Any]) -> None:
    """Make ``leaves``, and everything alive that was computed from them, raise when it is used.

    They are Values, Tensors or nodes of Tensors. What does not depend on them stays as it is. This
    looks at every node that is alive, and is meant for the rare moment when something has leaked.

    >>> from gradwalk import Value
    >>> x, w = Value(2.0), Value(3.0)
    >>> y, z = x * w, w * w
    >>> poison([x])
    >>> x, y, z
    (<leaked Value>, <leaked Value>, Value(9.0, grad=0.0))
    """
    members = list(leaves)
    values = [leaf for leaf in members if isinstance(leaf, Value)]
    if values:
        engine.poison(values)
    if "gradwalk.tensor" in sys.modules:  # they are in no graph of Tensors otherwise
        others = [leaf for leaf in members if not isinstance(leaf, Value)]
        import_module("..tensor.graph.leaks", __package__).poison(others)
