"""Views of a graph (text, DOT, SVG), and plots of a training.

What may be imported from here: `draw`, `plot_boundary`, `plot_loss`, `to_dot`, `tree`.
"""

from __future__ import annotations

from ..core.rooms import as_room
from .dot import to_dot
from .draw import Drawing, draw
from .plot import plot_boundary, plot_loss
from .tree import tree

__all__ = ["Drawing", "draw", "plot_boundary", "plot_loss", "to_dot", "tree"]

as_room(__name__)
