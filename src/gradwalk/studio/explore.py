"""`explore`: step through a graph in a notebook or in a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.expect import describe
from ..core.files import PathLike, write_file
from ..errors import MissingExtraError, OptionError
from ..foreign.twins import twin
from ..inspect.names import Names
from .document import document_of
from .offline import page_of
from .questions import Questions

if TYPE_CHECKING:
    from ..engine.value import Value
    from ..tensor import Tensor
    from .widget import WalkWidget

__all__ = ["Exploration", "explore"]

FRAME = (
    '<iframe title="Walk through a graph" sandbox="allow-scripts allow-downloads" '
    'style="width: 100%; height: 720px; border: 0" srcdoc="{page}"></iframe>'
)


class Exploration:
    """A graph to step through. Notebooks display it, and ``document`` is what they display."""

    document: dict[str, Any]

    def __init__(self, document: Mapping[str, Any], root: Any = None) -> None:
        self.document = dict(document)
        self._root = root  # for questions of the page, while the program runs

    def __repr__(self) -> str:
        count = len(self.document["nodes"])
        nodes = "1 node" if count == 1 else f"{count:,} nodes"
        return f"<walk through {nodes}; .save('walk.html') writes it>"

    def save(self, path: PathLike) -> Path:
        """Write the whole walk as one HTML file that needs no server, and return its path."""
        file = Path(path)
        if file.suffix.lower() not in (".html", ".htm"):
            raise OptionError(
                where="Exploration.save(path)",
                expected="a file name that ends in .html",
                got=describe(str(path)),
                fix="Write .save('walk.html'), or gradwalk.inspect.draw(v).save('graph.svg').",
            )
        write_file(file, page_of(self.document).encode())
        return file

    def widget(self, **options: object) -> WalkWidget:
        """Return the walk as a widget, with options of the page such as ``compact=True``.

        Raise `MissingExtraError` without anywidget.
        """
        try:
            module = import_module(".widget", __package__)
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                where="Exploration.widget()",
                expected="the package anywidget",
                got=f"no {error.name}",
                fix="Install it with pip install 'gradwalk[widget]', or write .save('walk.html').",
            ) from error
        asked = None if self._root is None else Questions(self._root)
        widget: WalkWidget = module.WalkWidget(self.document, asked, **options)
        return widget

    # --- the protocols of notebooks ---------------------------------------------------------------

    @cached_property
    def _shown(self) -> WalkWidget | None:
        """The widget with its state, ``None`` without anywidget."""
        try:
            return self.widget()
        except MissingExtraError:
            return None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> object:
        """Return the widget, or without anywidget the page in a frame, or else the text alone."""
        if self._shown is None:
            return {"text/plain": repr(self)} | self._framed()
        bundle = self._shown._repr_mimebundle_(include=include, exclude=exclude)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), "text/plain": repr(self)}, metadata

    def _display_(self) -> WalkWidget | Framed:
        """Return the object that marimo displays instead of this one."""
        return Framed(self._framed()) if self._shown is None else self._shown

    def _framed(self) -> dict[str, str]:
        try:
            return {"text/html": FRAME.format(page=escape(page_of(self.document)))}
        except MissingExtraError:  # without a built page the text is enough
            return {}


class Framed:
    """The page in a frame, for notebooks that display HTML."""

    def __init__(self, bundle: Mapping[str, str]) -> None:
        self.html: str = bundle.get("text/html", "")

    def _repr_html_(self) -> str:
        return self.html


def explore(
    node: Value | Tensor,
    *,
    names: Names = True,
    title: str = "",
    elements: bool = False,
    before: Value | Tensor | None = None,
) -> Exploration:
    """Step through the graph of a Value or a Tensor, forward and backward, node by node.

    As the last line of a notebook cell, the result is displayed (extra ``gradwalk[widget]``).
    ``.save("walk.html")`` writes it as one file that needs no server. Both recompute the graph when
    you change a leaf that holds one number. Your own gradients never change.

    The table of nodes of the page sorts and filters them (``grad > 1``, ``nan``, ``layer = l1``).
    In a notebook, and while the graph is kept, a node answers `inspect.why`, `inspect.paths`,
    `check.kinks` and `check.precision`.

    Parameters
    ----------
    node : any shape
        The result. A Tensor is shown as it was recorded, array by array.
    names
        Names for unlabelled nodes: True takes them from your variables, False gives none, and a
        dictionary gives its own.
    title
        The title of the page.
    elements
        Whether every element of the arrays is a node that is recomputed, and every operation on
        arrays a group that you can open. A result with several elements is then replaced by their
        sum. It has no effect on graphs of Values.
    before : any shape, optional
        The result of an earlier run of the same or of a changed program, whose leaves have the
        numbers it was computed from. The page shows both runs side by side, and which values and
        gradients differ. ``None`` shows one run.

    Returns
    -------
    an Exploration
        The walk.

    Raises
    ------
    NotANumberError
        If there is no graph.
    SizeError
        If there are more than 200,000 nodes.
    FreedGraphError
        If ``backward(retain_graph=False)`` has freed the graph, or with ``elements``, if your
        program has dropped a large constant array.
    OptionError
        If the leaves of ``before`` have other numbers by now, or with ``elements``, for operations
        that do not consist of operations on numbers, such as `linalg.inv`.

    Examples
    --------
    >>> from gradwalk import Value, explore
    >>> a, b = Value(2.0), Value(-3.0)
    >>> explore((a + b) * 10)
    <walk through 5 nodes; .save('walk.html') writes it>
    >>> from gradwalk import Tensor
    >>> w = Tensor([2.0, -3.0], requires_grad=True)
    >>> explore((w * w).sum(), elements=True)
    <walk through 5 nodes; .save('walk.html') writes it>
    """
    frame, node, before = sys._getframe(1), twin(node), twin(before)
    document = document_of(node, names, title, "", frame, elements, before)
    return Exploration(document, None if elements else node)
