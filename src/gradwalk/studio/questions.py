"""Questions of the page about one node, which the running program answers.

`why`, `paths` and `flow` of `gradwalk.inspect`, and `kinks` and `precision` of `gradwalk.check`, on
the graph that the page shows. In a notebook the widget passes them on.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..errors import GradwalkError, OptionError
from ..inspect.graph import snapshot
from ..program.run import run_of

__all__ = ["QUESTIONS", "Questions"]

MOST = 200
"""The most rows of an answer."""

Answer = dict[str, Any]


class Questions:
    """The graph of a document, to ask about: ``root`` is its result."""

    root: Any

    def __init__(self, root: Any) -> None:
        self.root = root
        self._nodes: list[Any] | None = None

    def answer(self, what: object, index: object) -> Answer:
        """Return the answer to one question about a node: ``title``, ``head`` and ``rows``.

        A question that cannot be answered has an ``error`` instead.
        """
        try:
            asked = self._known(what)
            whole = asked == "why" and is_tensor(self.root)  # its cause is that of the whole graph
            return QUESTIONS[asked](self.root, self.root if whole else self._node(index))
        except GradwalkError as error:
            return {"error": str(error)}

    def _known(self, what: object) -> str:
        if isinstance(what, str) and what in QUESTIONS:
            return what
        raise OptionError(
            where="Questions.answer(what)",
            expected=f"one of {', '.join(QUESTIONS)}",
            got=describe(what),
            fix='Write answer("why", 3).',
        )

    def _node(self, index: object) -> Any:
        if self._nodes is None:
            self._nodes = [item.node for item in snapshot(self.root, False)]
        sound = type(index) is int and 0 <= index < len(self._nodes)
        node = self._nodes[index] if sound and type(index) is int else None
        if node is None:
            raise OptionError(
                where="Questions.answer(index)",
                expected="the index of a node that is not a constant",
                got=describe(index),
                fix="Pass the index of a leaf or of an operation.",
            )
        return _handle(node) if is_tensor(self.root) else node


def _handle(node: Any) -> Any:
    """Return a Tensor of a node, which the program still holds, or raise `OptionError`."""
    held = [x for x in gc.get_referrers(node) if is_tensor(x) and x._node is node]
    if held:
        return held[0]
    raise OptionError(
        where="a question about a node",
        expected="a Tensor that a variable of the program still holds",
        got=f"the result of {node.op}, which no variable holds"
        if node.op
        else "a leaf that is gone",
        fix="Keep it in a variable, and call explore again.",
    )


def _why(root: Any, node: Any) -> Answer:
    why = import_module("..inspect.why", __package__).why
    found = why(node) or why(root)
    return {"title": found.title, "head": [], "rows": [list(row) for row in found.rows]}


def _paths(root: Any, node: Any) -> Answer:
    found = import_module("..inspect.paths", __package__).paths(root, node, top=20)
    return {"title": found.title, "head": [], "rows": [list(row) for row in found.rows]}


def _kinks(root: Any, node: Any) -> Answer:
    check = import_module("..check", __package__)
    run = run_of(node)
    found = check.kinks(run.program, *run.env[: run.program.inputs], within=1e-6)
    rows = [list(kink.row) for kink in found.found[:MOST]]
    return {"title": found.title, "head": list(found.head) if rows else [], "rows": rows}


def _precision(root: Any, node: Any) -> Answer:
    precision = import_module("..check.precision", __package__)
    found = precision.precision(root, [node])
    return {"title": found.title, "head": list(found.head), "rows": _table(found)}


def _table(found: Any) -> list[list[str]]:
    return [list(accuracy.row) for accuracy in [found.value, *found.gradients]]


QUESTIONS: dict[str, Callable[[Any, Any], Answer]] = {
    "why": _why,
    "paths": _paths,
    "kinks": _kinks,
    "precision": _precision,
}
