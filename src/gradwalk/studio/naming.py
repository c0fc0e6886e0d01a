"""Words for the Tensors and Values of a graph: those that `gradwalk.inspect` knows too."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

from ..carrier import is_tensor
from ..inspect.names import Names, attributes, names_of, parameters, scopes, variables
from ..value import Value

__all__ = ["names_of_tensors", "names_of_values"]


def names_of_values(root: Value, names: Names, frame: FrameType) -> dict[Value, str]:
    """What the caller calls its Values; parameters by their path in the model."""
    return names_of(names, frame)


def names_of_tensors(names: Names, frame: FrameType) -> Iterator[tuple[Any, str]]:
    """Every Tensor that the caller has a word for, the best word first."""
    yield from ((thing, name) for thing, name in parameters(names, frame) if is_tensor(thing))
    for scope in scopes(names, frame):
        yield from variables(scope, is_tensor)
    yield from attributes(names, frame, is_tensor)
