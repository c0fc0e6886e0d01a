"""The file that a learner begins with: the phases as comments, and nothing that is solved."""

from __future__ import annotations

from .report import PHASES

__all__ = ["skeleton"]

_BEGINNING = '''"""My engine: gradients by the chain rule. Check: gradwalk workshop {name}."""


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
'''


def skeleton(name: str = "my_engine.py") -> str:
    """Return the beginning of an engine: a class with data and grad, and the phases as comments.

    Parameters
    ----------
    name
        The name of the file, for its first line.

    Returns
    -------
    str
        The text of a Python file.

    Examples
    --------
    >>> print(skeleton().splitlines()[3])
    class Value:
    """
    rows = [_BEGINNING.format(name=name)]
    for number, (title, asks, why) in enumerate(PHASES, 1):
        rows.append(f"\n# Phase {number}: {title}\n# {asks}\n# Why: {why}\n")
    return "".join(rows)
