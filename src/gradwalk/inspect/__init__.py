"""Seeing a graph: as text, as DOT, as a picture; and the curves and boundaries of a training."""

from __future__ import annotations

from .dot import to_dot
from .draw import Drawing, draw
from .plot import plot_boundary, plot_loss
from .tree import tree

__all__ = ["Drawing", "draw", "plot_boundary", "plot_loss", "to_dot", "tree"]
