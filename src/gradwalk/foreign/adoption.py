"""`Adoption`: a program of a framework as a graph of gradwalk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count
from types import FrameType
from typing import Any
from weakref import WeakSet

from ..core.carrier import is_tensor
from .agreement import Agreement
from .values import Operand

__all__ = ["Adoption", "adoptions"]

adoptions: WeakSet[Adoption] = WeakSet()
"""All adoptions that are alive, by which foreign values find their Tensors."""

_numbers = count()


class Adoption:
    """A run of a foreign program, as a graph of gradwalk with the numbers of that run.

    `why`, `paths`, `precision`, `kinks`, `flow` and `explore` take it, or the foreign values.

    ``framework``  "torch" or "jax"
    ``result``     the Tensor that stands for the result; ``None`` before there is one
    ``results``    the Tensors or arrays that stand for all results of a function
    ``leaves``     name: the Tensor that stands for a parameter or an input
    ``names``      names of foreign values by ``id``, as far as they are known
    ``opaque``     how often each operation occurs that gradwalk does not see into
    ``notes``      what could not be adopted as it was, in words
    ``frame``      where a script stood that a command has run; ``None`` if its caller asks
    ``agreement``  how far the results and the gradients differ from the framework
    """

    number: int
    framework: str
    result: Any
    leaves: dict[str, Any]
    names: dict[int, str]
    opaque: Counter[str]
    notes: list[str]
    agreement: Agreement
    frame: FrameType | None = None

    def __init__(self, framework: str) -> None:
        self.framework = framework
        self.result = None
        self.results: list[Any] = []
        self.leaves, self.names = {}, {}
        self.opaque, self.notes = Counter(), []
        self.agreement = Agreement({"torch": "PyTorch", "jax": "JAX"}.get(framework, framework))
        self.facts: list[tuple[Any, Any, list[Any]]] = []  # place, primitive, operands
        self._twins: dict[int, tuple[Any, Any]] = {}  # with the foreign value, which keeps its id
        self._kept: list[Any] = []
        self.number = next(_numbers)  # the last one knows a value first
        adoptions.add(self)

    def know(self, foreign: Operand, tensor: Operand) -> None:
        """Remember the Tensor that stands for a foreign value."""
        self._twins[id(foreign)] = (foreign, tensor)

    def tell(self, note: str) -> None:
        """Add a note, once."""
        if note not in self.notes:
            self.notes.append(note)

    def keep(self, tensor: Operand) -> None:
        """Keep a Tensor alive, so that its numbers are those of the run."""
        self._kept.append(tensor)

    def twin(self, x: Operand) -> Operand:
        """Return the Tensor that stands for a foreign value; ``None`` if it is not known."""
        if is_tensor(x):
            return x
        found = self._twins.get(id(x))
        return None if found is None else found[1]

    def __call__(self) -> Any:
        """Run the recorded operations once more, each at its line, and return the result."""
        from .replaying import replayed

        return replayed(self.result, self.facts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.leaves.values())

    def __repr__(self) -> str:
        hidden = sum(self.opaque.values())
        parts = [f"{len(self.leaves)} leaves"]
        parts += [f"{hidden} operations not seen into: {_counted(self.opaque)}"] if hidden else []
        parts += self.notes
        parts += self.agreement.differences
        return f"<adopted from {self.framework}: {'; '.join(parts)}>"


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{name} ({n})" if n > 1 else name for name, n in found.most_common())
