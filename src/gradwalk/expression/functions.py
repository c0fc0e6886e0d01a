"""What a formula may name: functions of numbers, and constants."""

from __future__ import annotations

import math
from typing import Any

from ..core.primitive import Primitive
from ..engine.functions import __all__ as _public
from ..ops import TABLE
from ..ops.composite import logsumexp

__all__ = ["CALLABLE", "CONSTANTS", "FUNCTIONS", "LOGSUMEXP"]

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf}
"""Names that have a value, unless the formula or the caller gives them another one."""

_LISTS = ("logsumexp", "softmax", "log_softmax")  # their primitives take other arguments
FUNCTIONS = {name: TABLE[name] for name in _public if name in TABLE and name not in _LISTS}
"""The functions of gradwalk whose arguments and result are numbers."""

CALLABLE = sorted([*FUNCTIONS, "logsumexp"])
"""Everything that a formula may call."""


class _OfList(Primitive):
    """A function of a list in a program: it looks at its numbers, and applies primitives."""

    __slots__ = ()

    def __call__(self, *members: Any) -> Any:
        return self.forward(members)


LOGSUMEXP = _OfList("logsumexp", (), forward=logsumexp)
