"""The page of the manual with the limits, printed from the table of refusals."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from .limits import LACKING, REFUSALS

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "manual" / "limits.md"

HEAD = """\
# Limits

Most features of gradwalk work together: you can export a function with a `grad` inside, for example. This page lists the
combinations that do not work. Each raises an error, which names what was expected, what was passed, and how to fix it:

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

The tests combine programs of all kinds with everything that computes, exports, explains or draws them. The tables below are printed
from the rules of these tests (`python -m tests.matrix --page`). Everything that they do not list is expected to work.
"""  # noqa: E501


TABLE = """
## The table on arrays of other libraries

The tests run each primitive, with first and second derivatives, on arrays of PyTorch, JAX and `array_api_strict`. They also trace it, by
`jax.jit` and by `make_fx` of PyTorch. What a place lacks raises an `OptionError`:

| not supported | on arrays of |
|---|---|
"""  # noqa: E501

PLACES = {"*": "every library"}


def page() -> str:
    """Return the page in Markdown."""
    parts = [HEAD]
    for part, rules in groupby(REFUSALS, key=lambda rule: rule.part):
        rows = dict.fromkeys(f"| {rule.limit} | `{rule.error}` |" for rule in rules if rule.limit)
        head = [f"\n## {part}\n", "| not supported | error |", "|---|---|"]
        parts.append("\n".join([*head, *rows, ""]))
    lacks = "\n".join(f"| {row.limit} | {PLACES.get(row.place, row.place)} |" for row in LACKING)
    return "".join([*parts, TABLE, lacks, "\n"])
