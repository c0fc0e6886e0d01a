"""Views of a graph (text, DOT, SVG), explanations of its gradients, and plots of a training.

What may be imported from here: `draw`, `flow`, `lines`, `paths`, `plot_boundary`, `plot_loss`,
`to_dot`, `trap`, `tree`, `why`.
"""

from __future__ import annotations

from ..core.rooms import as_room
from .dot import to_dot
from .draw import Drawing, draw
from .flow import flow
from .paths import paths
from .places import lines
from .plot import plot_boundary, plot_loss
from .trap import trap
from .tree import tree
from .why import why

__all__ = ["Drawing", "draw", "flow", "lines", "paths", "plot_boundary", "plot_loss", "to_dot"]
__all__ += ["trap", "tree", "why"]

as_room(__name__)
