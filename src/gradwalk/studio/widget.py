"""The walk as a notebook widget (extra ``gradwalk[widget]``)."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from .assets import text_of
from .questions import Questions

__all__ = ["WalkWidget"]


class WalkWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """The page of the walk in a cell of Jupyter, VS Code, Colab or marimo.

    ``document``  the graph, from `document_of`; assigning another one displays it
    ``live``      whether the running program answers questions about nodes
    ``options``   how the walk is embedded, such as ``{"compact": True}``
    ``state``     step, edits, selection and folding; the page writes it, and restores it when
                  the notebook is loaded again
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    document: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    options: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    state: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    live: traitlets.Bool[bool, bool | int] = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self, document: dict[str, Any], questions: Questions | None = None, **options: Any
    ) -> None:
        self._questions = questions
        super().__init__(
            document=document, options=options, live=questions is not None,
            _esm=text_of("walk.js"), _css=text_of("walk.css"),
        )  # fmt: skip
        self.observe(self._forget, "document")
        self.on_msg(self._asked)

    def _asked(self, _: Any, content: Any, buffers: Any) -> None:
        """Answer a question of the page about a node: ``{"ask": "why", "node": 3, "id": 1}``."""
        if self._questions is None or not isinstance(content, dict) or "ask" not in content:
            return
        found = self._questions.answer(content["ask"], content.get("node"))
        self.send({"answer": content.get("id"), **found})

    def _forget(self, change: Any) -> None:
        """Clear the state, which has no meaning in another graph."""
        self.state = {}
        self._questions, self.live = None, False
