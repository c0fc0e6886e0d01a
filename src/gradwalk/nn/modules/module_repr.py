"""The repr of modules of Tensors: a tree, one line per module, in PyTorch's form."""

from __future__ import annotations

from textwrap import indent
from typing import Any

__all__ = ["tree"]


def tree(module: Any) -> str:
    """Return the repr of a module with its options, and below it the modules inside, indented.

    >>> from gradwalk.nn import Linear, ReLU, Sequential
    >>> Sequential(Linear(2, 3), ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """
    inside = [indent(f"({name}): {part!r}", "  ") for name, part in module.named_children()]
    options = module.extra_repr()
    if not inside:
        return f"{type(module).__name__}({options})"
    lines = [indent(options, "  ")] if options else []
    return "\n".join([f"{type(module).__name__}(", *lines, *inside, ")"])
