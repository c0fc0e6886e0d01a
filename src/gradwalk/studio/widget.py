"""The walk as a widget of a notebook (extra ``gradwalk[widget]``)."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from .assets import text_of

__all__ = ["WalkWidget"]


class WalkWidget(anywidget.AnyWidget):  # type: ignore[misc, unused-ignore]
    """What Jupyter, VS Code, Colab and marimo show: the page of the walk, in a cell.

    ``document``  the graph, as `document_of` gives it; assigning another one shows that
    ``options``   how the walk is embedded, such as ``{"compact": True}``
    ``state``     what was done in it: step, edits, selection, folding; the page writes it,
                  and starts from it when the notebook is loaded again
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    document = traitlets.Dict().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, document: dict[str, Any], **options: Any) -> None:
        super().__init__(
            document=document, options=options, _esm=text_of("walk.js"), _css=text_of("walk.css")
        )
        self.observe(self._forget, "document")

    def _forget(self, change: Any) -> None:
        """What was done in one graph has no meaning in another."""
        self.state = {}
