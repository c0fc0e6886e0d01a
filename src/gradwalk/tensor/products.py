"""Functions that multiply: matrices, vectors and tensors."""

from __future__ import annotations

from typing import Any

from ..ops.array import product as rows
from .arguments import operand

__all__ = ["matmul"]
METHODS = ("matmul",)


def matmul(a: Any, b: Any) -> Any:
    """Matrix product; leading axes are broadcast, and a vector counts as a row or a column.

    yᵢⱼ = Σₖ aᵢₖ bₖⱼ
    """
    return rows.matmul(operand(a, "matmul"), operand(b, "matmul"))
