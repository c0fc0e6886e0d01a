"""A graph in the format that the page reads (``web/src/document.ts``).

The nodes are never changed. The gradients come from a separate reverse pass, which leaves every
``grad`` as it was.
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
from ..program.run import run_of
from .lines import add_lines
from .values import records

__all__ = ["document_of"]


def document_of(
    node: Any,
    names: Names = True,
    title: str = "",
    source: str = "",
    frame: FrameType | None = None,
    elements: bool = False,
    before: Any = None,
) -> dict[str, Any]:
    """Return the graph of a Value or a Tensor as a dictionary for ``json.dumps``.

    Operands come before their consumers, and the root comes last. Each use of a constant is a node
    of its own. ``names`` gives names to unlabelled nodes as in `inspect.draw`, from the variables
    of ``frame`` (by default the caller). Custom operations are written out as programs. If that is
    impossible, and for arrays, the gradients are recorded instead. Arrays of more than 64 elements
    keep the first and the last 32. With ``elements`` every element of an array is a node, and the
    arrays are groups. ``source`` is the formula of the graph, if there is one. Operations whose
    line of the program was recorded have its index in ``lines``. ``before`` is the result of an
    earlier run, whose graph is written beside this one.

    Raise `OptionError` for a ``before`` whose leaves were updated since, `SizeError` for more than
    200,000 nodes, and `NotANumberError` if there is no graph.

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
        items = None
    elif is_tensor(node):
        arrays = import_module(".arrays", __package__)  # loads NumPy
        nodes, items = arrays.records(node, names, frame)
    elif isinstance(node, Value):
        nodes, items, rows = records(node, names, frame)
    else:
        raise NotANumberError(
            where="explore(node)",
            expected="a Value or a Tensor, whose graph can be shown",
            got=describe(node),
            fix="Pass the result of a computation on Values or Tensors, such as a loss.",
        )
    for record in nodes:
        record["label"] = _whole(record["label"])
    lines = [] if items is None else add_lines(nodes, items)
    document: dict[str, Any] = {"format": "gradwalk-walk", "version": 1, "title": _whole(title)}
    extras: dict[str, Any] = {"source": _whole(source), "nodes": nodes, "rows": rows}
    extras["lines"] = [list(map(_whole, line)) for line in lines]
    if before is not None:
        _expect_unchanged(before)
        extras["before"] = document_of(before, names, "", "", frame, elements)
    return document | {key: value for key, value in extras.items() if value}


def _expect_unchanged(before: Any) -> None:
    """Raise `OptionError` for an earlier result whose leaves have other numbers by now.

    The page computes from the leaves, so it would show the present numbers as the earlier ones.
    """
    if isinstance(before, Value) and before.op:
        recorded, now = before.data, run_of(before).again()
        changed = recorded != now and (recorded == recorded or now == now)
    elif is_tensor(before) and before._node is not None:
        changed = import_module(".arrays", __package__).has_changed(before)
    else:
        return
    if changed:
        raise OptionError(
            where="explore(before=...)",
            expected="an earlier result whose leaves have the numbers it was computed from",
            got="leaves that were updated since, so that the earlier numbers are gone",
            fix="Compute the earlier result with a copy of the parameters, made before the update: "
            "copy.deepcopy(model).",
        )


def _check_title(title: Any) -> None:
    if not isinstance(title, str):
        fix = 'Write title="a neuron".'
        raise OptionError(where="explore(title=...)", expected="text", got=describe(title), fix=fix)


def _check_elements(elements: Any) -> None:
    if not isinstance(elements, bool):
        fix = "Write elements=True to show every element of an array as a node."
        where, got = "explore(elements=...)", describe(elements)
        raise OptionError(where=where, expected="True or False", got=got, fix=fix)


def _whole(text: str) -> str:
    """Replace lone surrogates, which Python allows and UTF-8 does not, by ``?``."""
    return text.encode("utf-8", "replace").decode()
