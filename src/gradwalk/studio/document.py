"""A graph as the page reads it: the format of ``web/src/document.ts``, written from Python.

The nodes are looked at and never touched: what is shown of gradients comes from a sweep of its
own, which leaves every ``grad`` as it was.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import FrameType
from typing import Any

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.value import Value
from ..errors import NotANumberError, OptionError
from ..inspect.names import Names
from .values import records

__all__ = ["document_of"]


def document_of(
    node: Any,
    names: Names = True,
    title: str = "",
    source: str = "",
    frame: FrameType | None = None,
    elements: bool = False,
) -> dict[str, Any]:
    """The graph of a Value or a Tensor as a dictionary that ``json.dumps`` writes.

    Operands come before what uses them, the root is the last; a number of the program is a node of
    its own at every use. ``names`` finds words for what has no label, as in `inspect.draw`: in the
    variables of ``frame``, by default those of the caller. Rows of the user are written out as
    programs; where that cannot be done, and for arrays, the gradients are recorded instead. Of an
    array of more than 64 numbers the first and the last 32 are kept. With ``elements`` every number
    of an array is a node, and the arrays are groups. ``source`` is the formula that the graph was
    read from, if it was.

    More than 200,000 nodes are a `SizeError`, something without a graph is a `NotANumberError`.

    >>> from gradwalk import Value
    >>> a = Value(2.0, label="a")
    >>> for node in document_of(a * a + 1.0)["nodes"]:
    ...     print(node)
    {'op': '', 'inputs': [], 'label': 'a', 'data': 2.0}
    {'op': 'mul', 'inputs': [0, 0], 'label': '', 'data': 4.0}
    {'op': '', 'inputs': [], 'label': '', 'constant': True, 'data': 1.0}
    {'op': 'add', 'inputs': [1, 2], 'label': '', 'data': 5.0}
    """
    frame = frame or sys._getframe(1)
    _check_title(title)
    _check_elements(elements)
    rows: Mapping[str, Any] = {}
    if is_tensor(node) and elements and node._node is not None:
        nodes, rows = import_module(".elements", __package__).records(node, names, frame)
    elif is_tensor(node):
        nodes = import_module(".arrays", __package__).records(node, names, frame)  # loads NumPy
    elif isinstance(node, Value):
        nodes, rows = records(node, names, frame)
    else:
        raise NotANumberError(
            where="explore(node)",
            expected="a Value or a Tensor, whose graph can be shown",
            got=describe(node),
            fix="Pass the result of a computation on Values or Tensors, such as a loss.",
        )
    for record in nodes:
        record["label"] = _whole(record["label"])
    document: dict[str, Any] = {"format": "gradwalk-walk", "version": 1, "title": _whole(title)}
    extras = {"source": _whole(source), "nodes": nodes, "rows": rows}
    return document | {key: value for key, value in extras.items() if value}


def _check_title(title: Any) -> None:
    if not isinstance(title, str):
        fix = 'Write title="a neuron".'
        raise OptionError(where="explore(title=...)", expected="text", got=describe(title), fix=fix)


def _check_elements(elements: Any) -> None:
    if not isinstance(elements, bool):
        fix = "True opens the arrays of a Tensor's graph; leave it out to see them as wholes."
        where, got = "explore(elements=...)", describe(elements)
        raise OptionError(where=where, expected="True or False", got=got, fix=fix)


def _whole(text: str) -> str:
    """Text that can be written as UTF-8: half a character, which Python allows, becomes a ``?``."""
    return text.encode("utf-8", "replace").decode()
