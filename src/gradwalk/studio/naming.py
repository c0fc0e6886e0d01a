"""Names for the Tensors of a graph, by the search of `gradwalk.inspect.names`."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

from ..core.carrier import is_tensor
from ..inspect.names import Names, attributes, parameters, scopes, variables

__all__ = ["names_of_tensors"]


def names_of_tensors(names: Names, frame: FrameType) -> Iterator[tuple[Any, str]]:
    """Yield each Tensor that the caller's variables reach, with its names, the best name first."""
    yield from ((thing, name) for thing, name in parameters(names, frame) if is_tensor(thing))
    for scope in scopes(names, frame):
        yield from variables(scope, is_tensor)
    yield from attributes(names, frame, is_tensor)
