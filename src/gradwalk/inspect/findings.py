"""What a graph of PyTorch tells after the fact, as a `Cause`."""

from __future__ import annotations

from typing import Any

from ..ops import TABLE
from .cause import Cause, explain
from .origins import Origin, Spot
from .places import Namer

__all__ = ["of_finding"]


def of_finding(found: Any, namer: Namer) -> Cause:
    """Return the explanation of a finding: plain data about the operation that is the cause."""
    if found.kind == "unknown":
        return Cause(found.title, found.rows)
    primitive = TABLE.get(found.op)
    spot = Spot(found.op, found.element, found.number, found.args, None, primitive=primitive)
    origin = Origin(found.kind, spot, found.result, found.position, found.incoming)
    cause = explain(found.title, origin, namer)
    rows = [row for row in cause.rows if row[0] not in dict(found.rows)]
    return Cause(found.title, [*rows, *found.rows], origin)
