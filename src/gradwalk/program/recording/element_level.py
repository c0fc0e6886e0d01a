"""The level of arrays in a function that is exported. It loads NumPy with the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.backend import Options
from ...core.primitive import Primitive
from ...levels.level import Level
from ...levels.programs import recorder

__all__ = ["ElementLevel"]


class ElementLevel(Level):
    """A call of a function that is exported. The payload of an array's tracer are its elements."""

    mode = "export"
    records_program = True
    has_loops = False

    def apply(self, primitive: Primitive, args: Sequence[Any], options: Options) -> Any:
        """Return the result of the primitive on the numbers of this run, and on the elements."""
        return recorder().arrays.lower(self, primitive, args, options)

    def read(self, tracer: Any) -> Any:
        """Return the numbers of a tracer, and note as guards that they are these."""
        return recorder().arrays.read(tracer)
