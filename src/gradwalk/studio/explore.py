"""`explore`: a graph to walk through, in a notebook or in a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from html import escape
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from ..core.expect import describe
from ..errors import MissingExtraError, OptionError
from ..inspect.names import Names
from .document import document_of
from .offline import page_of

__all__ = ["Exploration", "explore"]

FRAME = (
    '<iframe title="Walk through a graph" sandbox="allow-scripts allow-downloads" '
    'style="width: 100%; height: 720px; border: 0" srcdoc="{page}"></iframe>'
)


class Exploration:
    """A graph to walk through. A notebook shows it by itself; ``document`` is what it shows."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = dict(document)

    def __repr__(self) -> str:
        count = len(self.document["nodes"])
        nodes = "1 node" if count == 1 else f"{count:,} nodes"
        return f"<walk through {nodes}; .save('walk.html') writes it>"

    def save(self, path: str | PathLike[str]) -> Path:
        """Write one HTML file that is the whole walk, without any server; returns its path."""
        file = Path(path)
        if file.suffix.lower() not in (".html", ".htm"):
            raise OptionError(
                where="Exploration.save(path)",
                expected="a file name that ends in .html",
                got=describe(str(path)),
                fix="A browser opens it; gradwalk.inspect.draw(v).save('graph.svg') is a picture.",
            )
        file.write_text(page_of(self.document), encoding="utf-8")
        return file

    def widget(self, **options: Any) -> Any:
        """The walk as a widget, ``options`` as in the page: ``compact=True``, ``panels=[...]``.

        `MissingExtraError` without anywidget.
        """
        try:
            room = import_module(".widget", __package__)
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                where="Exploration.widget()",
                expected="the package anywidget",
                got=f"no {error.name}",
                fix="pip install 'gradwalk[widget]', or write it to a file: .save('walk.html').",
            ) from error
        return room.WalkWidget(self.document, **options)

    # --- what notebooks ask for -------------------------------------------------------------------

    @cached_property
    def _shown(self) -> Any:
        """The widget, shown again with what was done in it; ``None`` if there can be none."""
        try:
            return self.widget()
        except MissingExtraError:
            return None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """The widget; without anywidget the page in a frame; in a bare terminal the text alone."""
        if self._shown is None:
            return {"text/plain": repr(self)} | self._framed()
        bundle = self._shown._repr_mimebundle_(include=include, exclude=exclude)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, "text/plain": repr(self)}, metadata

    def _display_(self) -> Any:
        """What marimo shows in the place of this object."""
        return Framed(self._framed()) if self._shown is None else self._shown

    def _framed(self) -> dict[str, str]:
        try:
            return {"text/html": FRAME.format(page=escape(page_of(self.document)))}
        except MissingExtraError:  # the page has not been built, and there is the text
            return {}


class Framed:
    """The page in a frame, for notebooks that ask for HTML."""

    def __init__(self, bundle: Mapping[str, str]) -> None:
        self.html = bundle.get("text/html", "")

    def _repr_html_(self) -> str:
        return self.html


def explore(
    node: Any, *, names: Names = True, title: str = "", elements: bool = False
) -> Exploration:
    """The graph of a Value or a Tensor to step through, forward and backward, node by node.

    As the last line of a notebook's cell it is shown there (extra ``gradwalk[widget]``);
    ``.save("walk.html")`` writes it as one file that needs no server. In both, leaves that hold
    one number can be given others, and everything is computed again. No gradient of yours changes.

    A Tensor is shown as it was recorded, array by array. With ``elements=True`` every number of its
    arrays is a node that is computed again, and every operation on arrays a group that opens; an
    operation that does not consist of operations on numbers, such as `linalg.inv`, is then an
    `OptionError`. The result of several numbers stands for their sum. Graphs of Values stay as they
    are.

    ``names``: True takes names for unlabelled nodes from your variables, False takes none, a
    dictionary gives them. ``title`` is what the page is called. Something without a graph is a
    `NotANumberError`, a graph of more than 200,000 nodes a `SizeError`, and a Tensor whose graph
    ``backward()`` has released a `FreedGraphError`: explore it before, or keep the graph.

    >>> from gradwalk import Value, explore
    >>> a, b = Value(2.0), Value(-3.0)
    >>> explore((a + b) * 10)
    <walk through 5 nodes; .save('walk.html') writes it>
    >>> from gradwalk import Tensor
    >>> w = Tensor([2.0, -3.0], requires_grad=True)
    >>> explore((w * w).sum(), elements=True)
    <walk through 5 nodes; .save('walk.html') writes it>
    """
    frame = sys._getframe(1)
    return Exploration(document_of(node, names, title, frame=frame, elements=elements))
