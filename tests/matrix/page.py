"""The page of the manual with the limits, printed from the table of refusals."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from .limits import REFUSALS

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "manual" / "limits.md"

HEAD = """\
# Limits

Every feature is tested together with every other one: programs of all kinds, as graphs of Values and of Tensors, compiled, replayed, typed, and
inside of `grad`, `jvp` and `vmap`, against everything that computes, exports, explains or draws them. What they refuse is listed here. A refusal
is an error that says what was expected, what was passed, and how to fix it. This page is printed from the rules that the tests hold
(`python -m tests.matrix --page`).

```python
>>> import numpy as np
>>> from gradwalk import vmap
>>> from gradwalk.errors import GradwalkError
>>> try:
...     vmap(lambda x: x if x > 0.0 else -x)(np.array([1.0, -1.0]))
... except GradwalkError as error:
...     print(type(error).__name__, error.fix)
NotANumberError Write gradwalk.where(condition, a, b) for a choice between two results.
```
"""  # noqa: E501


def page() -> str:
    """Return the page in Markdown."""
    parts = [HEAD]
    for part, rules in groupby(REFUSALS, key=lambda rule: rule.part):
        rows = dict.fromkeys(f"| {rule.limit} | `{rule.error}` |" for rule in rules if rule.limit)
        parts.append("\n".join([f"\n## {part}\n", "| refused | error |", "|---|---|", *rows, ""]))
    return "".join(parts)
