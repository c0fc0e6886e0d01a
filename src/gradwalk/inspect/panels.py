"""Pictures of explanations: one panel per curve, one bar per name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.files import PathLike
from .plot import COLOURS, INK, figure_of, finished

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_bars", "plot_curves"]


def plot_curves(
    curves: Sequence[tuple[str, Sequence[float], Sequence[float], float]],
    path: PathLike | None = None,
) -> Figure:
    """Plot each operation in a narrow panel of its own, with a mark at the number of the run."""
    figure, first = figure_of((7.0, 1.6 + 1.4 * len(curves)), "")
    first.set_axis_off()
    for k, (name, xs, ys, x) in enumerate(curves):
        axes = figure.add_subplot(len(curves), 1, k + 1)
        axes.plot(xs, ys, color=COLOURS[0])
        axes.axvline(x, color=COLOURS[1], linewidth=0.8)
        axes.set_title(name, fontsize=9, color=INK)
    return finished(figure, path)


def plot_bars(
    names: Sequence[str], lengths: Sequence[float], xlabel: str, path: PathLike | None = None
) -> Figure:
    """Plot one horizontal bar per name."""
    figure, axes = figure_of((7.0, 1.6 + 0.3 * len(names)), "")
    axes.barh(list(names), list(lengths), color=COLOURS[0])
    axes.invert_yaxis()
    axes.set_xlabel(xlabel)
    return finished(figure, path)
