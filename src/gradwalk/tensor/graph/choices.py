"""Rules that only mask, in a gradient that is recorded: one node each.

The rule of maximum divides, chooses and masks. Recorded step by step, each of these is
differentiated again. As a primitive of its own the rule is one step: it is linear in the gradient
and constant in the arguments, so its rule is the same choice again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.array_primitive import per_primitive
from ...core.carrier import is_tensor
from ...core.primitive import PRIMITIVES, Primitive
from ...engine.node import recording
from ...libraries import LibraryArray
from ...ops.array.evaluation import OWN_PRECISION, rules_of
from ...ops.array.structural_zero import StructuralZero, elements_of
from .convert import as_array
from .node import CONSTANT_NODE, record
from .tensor import Tensor

__all__ = ["Choice", "recorded_choice"]

Run = Callable[..., Any]
NUMBERS = (np.ndarray, LibraryArray, np.generic, float, int)


class Choice(Primitive):
    """The rule of one argument of a primitive, as a primitive of t, y and the arguments.

    ``masks`` adds an argument: the mask of t.
    """

    __slots__ = ("index", "masks", "primitive")

    index: int
    masks: bool
    primitive: Primitive

    def __init__(self, primitive: Primitive, index: int, masks: bool) -> None:
        self.primitive, self.index, self.masks = primitive, index, masks
        rule: Any = rules_of(primitive)[index]

        def masked(t: Any, *args: Any) -> Any:
            mask = args[-1]._data if is_tensor(args[-1]) else args[-1]
            return rule(StructuralZero(t, mask), *args[:-1])

        run = masked if masks else rule
        params = ("t", "y", *[f"{name}_" for name in primitive.params], *["mask"] * masks)
        again = (lambda u, y, t, *others: run(u, *others), *[None] * (len(params) - 1))
        name = f"{primitive.name}_choice_{index}"
        super().__init__(
            name, again, forward=lambda *args: elements_of(run(*args)), params=" ".join(params)
        )
        OWN_PRECISION.add(name)  # as the primitive that it is made from
        PRIMITIVES.pop(name)  # the table has only the primitive that it is made from

    def __reduce__(self) -> tuple[Any, ...]:
        return choice, (
            self.primitive,
            self.index,
            self.masks,
        )  # unpickling keeps one primitive per rule


@per_primitive
def choice(primitive: Primitive, index: int, masks: bool) -> Choice:
    """Return the one primitive of each rule."""
    return Choice(primitive, index, masks)


def recorded_choice(
    primitive: Primitive, index: int, run: Run, args: Sequence[Any], before: Any
) -> Any:
    """Return the contribution of a rule to a Tensor ``args[0]``, with its node.

    ``before`` is the mask of this Tensor, or ``None``.
    """
    raws = [a._data if is_tensor(a) else a for a in args]
    found = run(*raws) if before is None else run(StructuralZero(raws[0], before), *raws[1:])
    if found is None:  # one condition for all elements blocks the gradient
        return None
    data = as_array(elements_of(found))
    source = args[0]._node if is_tensor(args[0]) else None
    if source is None or recording.paused:
        contribution = Tensor._of(data)
    else:
        # flat in the arguments, so anything serves as residual in place of a node
        known = [a if isinstance(a, NUMBERS) else 0.0 for a in raws]
        # linear in t and flat in the arguments: only t gets a gradient
        known += [] if before is None else [before]
        inputs = (source, *[CONSTANT_NODE] * (len(known) - 1))
        chosen = choice(primitive, index, before is not None)
        contribution = Tensor._of(data, record(chosen, inputs, data, known, {}))
    return (
        StructuralZero(contribution, found.mask) if type(found) is StructuralZero else contribution
    )
