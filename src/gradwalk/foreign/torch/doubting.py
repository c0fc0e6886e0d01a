"""Operations whose rule in the table differs from PyTorch's at the numbers of a run.

Two libraries choose different slopes at kinks. Where the gradient of a leaf differs, each operation
is differentiated alone, here and in PyTorch; what differs becomes opaque.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...tensor import Tensor
from ...tensor.graph.backward import leaf_gradients
from ..agreement import gap
from ..dialects import densify
from ..values import is_live, numbers
from .calls import ROUNDING, Call
from .evaluation import Evaluation

__all__ = ["doubted"]


def doubted(evaluation: Evaluation) -> set[int]:
    """Return the positions on the tape of operations whose rules differ from PyTorch's."""
    with np.errstate(all="ignore"):
        return {k for k, call in evaluation.calls.items() if _differs(call)}


def _differs(call: Call) -> bool:
    live = [i for i, x in enumerate(call.operands) if is_live(x)]
    fresh = {i: Tensor(numbers(call.operands[i]), requires_grad=True) for i in live}
    operands = [fresh.get(i, x) for i, x in enumerate(call.operands)]
    alone = call.with_operands(operands)
    found = alone.results(False)
    kept = [i for i in call.kept if is_live(found[i])]
    generator = np.random.default_rng(0)
    cotangents = {
        i: generator.uniform(0.5, 1.5, found[i].shape).astype(found[i].dtype) for i in kept
    }
    totals: dict[int, Any] = {}
    for i in kept:
        densify(found[i]._node, "torch")
        for node, t in leaf_gradients(found[i]._node, cotangents[i], False):
            if t is not None:
                totals[id(node)] = totals[id(node)] + t if id(node) in totals else t
    arrays = [numbers(fresh[i]) for i in live]
    theirs = call.rule(live, kept, tuple(cotangents[i] for i in kept), None, *arrays)
    for i, t in zip(live, theirs, strict=True):
        ours = totals.get(id(fresh[i]._node))
        shape = numbers(fresh[i]).shape
        ours = np.zeros(shape) if ours is None else np.broadcast_to(ours, shape)
        t = np.zeros(shape) if t is None else t
        if gap(ours, t) > ROUNDING.get(str(call.flat[i].dtype), 2e-3):
            return True
    return False
