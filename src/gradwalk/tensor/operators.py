"""The operators and methods of a Tensor that are primitives of the table, made by `fast`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import native
from ..core.places import HOME
from ..engine.node import freed, recording
from ..engine.observing import INTERCEPTORS, SWITCHES, WATCHERS, notify
from ..engine.operators import METHODS
from ..ops import TABLE, composite
from ..ops.array.evaluation import rules_of
from ..ops.array.product import matmul
from ..ops.array.structural_zero import StructuralZero
from ..ops.array.warning_lines import SILENT, STATE, relocated
from .graph.fast import compiled, method
from .graph.gradient import Gradient
from .graph.node import CONSTANT_NODE, Node, contributions, fit_to_operand, mask_contribution
from .graph.tensor import Tensor

__all__ = ["HOOKS"]

BINARY = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}
PLAIN_METHODS = [n for n in METHODS if TABLE[n].arity == 1 and n not in composite.__all__]
"""Methods without options; a composite one such as ``gelu`` may have some."""
COMPARISONS = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
COMPARISONS |= {"eq": "equal", "ne": "not_equal"}

USUAL = (np.float64, np.float32, np.int64, np.bool_)
"""Types of arrays and NumPy numbers that compiled operators take; Python converts others."""

if compiled is not None:
    # C gets what it creates and what it falls back to: it imports nothing itself
    compiled.connect(
        *(Tensor, Node, CONSTANT_NODE, np.ndarray, StructuralZero, np.asarray, recording),
        *(contributions, rules_of, fit_to_operand, mask_contribution, freed, HOME),
        *(tuple(map(np.dtype, USUAL)), USUAL, INTERCEPTORS, STATE, relocated),
        *(WATCHERS, notify, SILENT),
    )
    for _name, _kind in zip(("data", "grad"), compiled.properties(Gradient), strict=True):
        _given = vars(Tensor)[_name]
        setattr(Tensor, _name, _kind(_given.fget, _given.fset, _given.fdel, _given.__doc__))
    _usual = vars(Tensor)["grad"]

    def _intercept_gradients(records: bool) -> None:
        """Answer in Python while a program is recorded: the compiled property asks no program."""
        setattr(Tensor, "grad", _given if records else _usual)  # noqa: B010  (mypy)

    SWITCHES.append(_intercept_gradients)
if native.engine is not None:
    native.engine.tensor_methods(Tensor)

HOOKS: dict[str, Any] = {
    **{f"__{slot}__": method(TABLE[name], Tensor) for slot, name in BINARY.items()},
    **{f"__r{slot}__": method(TABLE[n], Tensor, reflected=True) for slot, n in BINARY.items()},
    **{f"__{slot}__": method(TABLE[name], Tensor) for slot, name in COMPARISONS.items()},
    "__matmul__": method(matmul, Tensor),
    "__rmatmul__": method(matmul, Tensor, reflected=True),
    **{name: method(TABLE[name], Tensor) for name in PLAIN_METHODS},
}
"""What `gradwalk.tensor` sets on the class."""
