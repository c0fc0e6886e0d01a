"""Operations that are differentiated as a whole, and the primitive of their nodes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NoReturn

from ...core.primitive import Primitive
from ...errors import OptionError
from ...levels.vjp import instantiate_zeros

__all__ = ["MultiOutput", "MultiOutputPrimitive"]


class MultiOutput:
    """An operation that knows nothing of graphs. All lists are as long as what they belong to.

    ``name``   how its nodes are called
    ``floor``  the rank up to which `forward` deals with carriers itself; above there are tapes only

    Numbers come as floats (or as Values and tracers of numbers), arrays as Tensors.
    """

    name = "multi_output"
    floor = 0

    def forward(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the results for plain numbers."""
        raise NotImplementedError

    def again(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the results once more, for those who want to see how they are computed."""
        return self.forward(inputs)

    def vjp(self, cotangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Return the cotangent of each input, in its shape. ``None`` means no contribution."""
        raise NotImplementedError

    def jvp(self, tangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """Return the tangent of each result. ``None`` means that there is none."""
        raise NotImplementedError


@lru_cache(maxsize=64)
def _facts(name: str, arity: int) -> list[tuple[str, object]]:
    """Return what a primitive says of itself: a loop may have one for each of its results."""
    facts: dict[str, object] = {"name": name, "tex": rf"\text{{{name}}}"}
    facts |= {"params": tuple([f"x{i}" for i in range(arity)])}
    facts |= dict.fromkeys(("summary", "infix", "kinks", "libm"), "")
    facts |= dict.fromkeys(("rules", "defaults", "points", "domain"), ())
    return [*facts.items()]


class MultiOutputPrimitive(Primitive):
    """The primitive of the nodes of one application, which is in no table."""

    kind: str = "general"
    differentiable = True
    __slots__ = ("count", "op")

    count: int
    op: MultiOutput

    def __init__(self, op: MultiOutput, count: int = 0, arity: int = 1) -> None:
        # not by Primitive.__init__, which would enter this operation into the table
        self.op, self.count = op, count
        self.derived: dict[Any, Any] = {}
        for name, fact in _facts(op.name, arity):
            setattr(self, name, fact)
        self.forward = self.evaluate = self._refuse

    def filled(self, parts: dict[int, Any]) -> list[Any]:
        """Return a gradient, or ``None``, for each result."""
        return [instantiate_zeros(parts.get(i)) for i in range(self.count)]

    def _refuse(self, *args: Any) -> NoReturn:
        raise OptionError(
            where=f"running a graph with {self.name} again",
            expected="primitives of the table",
            got=f"a node of {self.name}, which is known to this graph alone",
            fix=f"Leave {self.name} out of what is copied, saved or compiled.",
        )

    def __reduce__(self) -> NoReturn:
        self._refuse()
