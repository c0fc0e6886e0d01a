"""The walk as a notebook widget (extra ``gradwalk[widget]``)."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from .assets import text_of

__all__ = ["WalkWidget"]


class WalkWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """The page of the walk in a cell of Jupyter, VS Code, Colab or marimo.

    ``document``  the graph, from `document_of`; assigning another one displays it
    ``options``   how the walk is embedded, such as ``{"compact": True}``
    ``state``     step, edits, selection and folding; the page writes it, and restores it when
                  the notebook is loaded again
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    document: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    options: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    state: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)

    def __init__(self, document: dict[str, Any], **options: Any) -> None:
        super().__init__(
            document=document, options=options, _esm=text_of("walk.js"), _css=text_of("walk.css")
        )
        self.observe(self._forget, "document")

    def _forget(self, change: Any) -> None:
        """Clear the state, which has no meaning in another graph."""
        self.state = {}
