"""Plots of a training: the curve of the loss, and the decision boundary of a model.

Only `matplotlib.figure.Figure` is used, which opens no window and has no global state.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any

from ..core.expect import describe, index_of
from ..core.files import PathLike, write_figure
from ..engine.value import Value, no_grad, number
from ..errors import DataError, MissingExtraError, OptionError, SizeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..engine.signatures import Number as PlainNumber

    Number = Value | PlainNumber

__all__ = ["COLOURS", "INK", "figure_of", "finished", "plot_boundary", "plot_loss"]

INK, FAINT, GRID = "#0f172a", "#64748b", "#e2e8f0"
COLOURS = ("#2563eb", "#ea580c", "#059669", "#9333ea", "#dc2626", "#0891b2", "#ca8a04", "#db2777")
DPI = 150
MARGIN = 0.12  # around the data, relative to their extent
LARGEST = 1e100  # scores are clipped here, so that their squares stay finite
Path = PathLike | None


def plot_loss(
    losses: Sequence[Number] | Mapping[str, Sequence[Number]],
    path: Path = None,
    *,
    title: str = "",
    xlabel: str = "epoch",
    ylabel: str = "loss",
    log: bool = False,
) -> Figure:
    """Plot the curve of a loss, or several curves by name, with the final number of each.

    Numbers that the axis cannot show are left out: NaN, infinities, and with ``log`` numbers <= 0.
    The label shows the last number that is drawn.

    Parameters
    ----------
    losses
        The losses, one for each step, or a dictionary of several such lists by name.
    path
        A file that the figure is also written to: PNG, SVG or PDF, by its name.
    title
        The title of the figure; none if empty.
    xlabel, ylabel
        The names of the axes.
    log
        Whether the vertical axis is logarithmic.

    Returns
    -------
    a Figure of matplotlib
        The figure.

    Raises
    ------
    DataError
        If a list is empty.
    NotANumberError
        If a loss is no number.
    MissingExtraError
        If matplotlib is not installed, the extra ``gradwalk[plot]``.

    Examples
    --------
    >>> figure = plot_loss({"train": [1.0, 0.5, 0.3], "test": [1.1, 0.7, 0.6]})
    >>> figure.axes[0].get_ylabel()
    'loss'
    """
    curves = losses if isinstance(losses, Mapping) else {"": losses}
    figure, axes = figure_of((7.0, 4.2), title)
    if log:
        axes.set_yscale("log")
    for place, (name, curve) in enumerate(curves.items()):
        _curve(axes, name, _drawable(name, curve, log), COLOURS[place % len(COLOURS)])
    axes.tick_params(which="both", colors=FAINT, labelsize=9)  # minor ticks exist on log axes
    axes.set_xlabel(xlabel, color=FAINT)
    axes.set_ylabel(ylabel, color=FAINT)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    return finished(figure, path)


def _drawable(name: str, curve: object, log: bool) -> list[float]:
    """Return the losses, with NaN instead of numbers that the axis cannot show."""
    if not isinstance(curve, Iterable) or not (losses := list(curve)):
        raise DataError(
            where="plot_loss(losses)",
            expected="a list of at least one loss",
            got=f"{describe(curve)}{f' for {name!r}' if name else ''}",
            fix="Append loss.data after every step of the training.",
        )
    numbers = [number(loss, "plot_loss(losses)") for loss in losses]
    least = 0.0 if log else -inf
    return [x if least < x < inf else nan for x in numbers]


def _curve(axes: Axes, name: str, numbers: list[float], colour: str) -> None:
    """Draw a line, with a dot and a label at its last point."""
    axes.plot(range(1, len(numbers) + 1), numbers, color=colour, linewidth=1.8, label=name)
    points = [(step, x) for step, x in enumerate(numbers, start=1) if not isnan(x)]
    for step, x in points[-1:]:
        axes.plot([step], [x], "o", color=colour, markersize=5)
        axes.annotate(
            f"{name} {x:.4g}".strip(), (step, x), (7, 0), textcoords="offset points",
            color=colour, va="center", fontsize=9, annotation_clip=False,
        )  # fmt: skip


def plot_boundary(
    model: Callable[[list[float]], Number | Sequence[Number]],
    data: Iterable[tuple[Sequence[float], Number]],
    path: Path = None,
    *,
    threshold: float = 0.0,
    resolution: int = 60,
    title: str = "",
) -> Figure:
    """Plot the predictions of a classifier over the plane, and the points of a data set.

    Points that the model gets wrong have a dark rim. No graph is recorded.

    Parameters
    ----------
    model
        A function of a list of two floats. If it returns one number, that is a score: above
        ``threshold`` it predicts the class with the larger target. If it returns a list, that is
        one score per class 0, 1, …, and the largest wins.
    data
        Pairs of a point and its target: a `Dataset`, or ``zip(points, targets)``.
    path
        A file that the figure is also written to: PNG, SVG or PDF, by its name.
    threshold
        0 for scores and logits, 0.5 for probabilities.
    resolution
        The number of grid points per axis, >= 2.
    title
        The title of the figure; none if empty.

    Returns
    -------
    a Figure of matplotlib
        The figure.

    Raises
    ------
    OptionError
        If ``resolution`` is not an integer >= 2.
    DataError
        If there are no points, or the data are no pairs of finite numbers.
    SizeError
        If a point has not 2 numbers.
    MissingExtraError
        If matplotlib is not installed, the extra ``gradwalk[plot]``.

    Examples
    --------
    >>> figure = plot_boundary(lambda x: x[0] - x[1], [([0.0, 1.0], -1), ([1.0, 0.0], 1)])
    >>> len(figure.axes)
    1
    """
    figure, axes = figure_of((6.0, 5.4), title)
    pairs = _pairs(data)
    if index_of(resolution) is None or operator.index(resolution) < 2:
        raise OptionError(
            where="plot_boundary(resolution=...)",
            expected="an integer >= 2",
            got=describe(resolution),
            fix="Write resolution=60, which is the default.",
        )
    xs, ys = (_ticks([point[k] for point, _ in pairs], resolution) for k in (0, 1))
    with no_grad():
        grid = [[_scores(model([x, y])) for x in xs] for y in ys]
        answers = [_scores(model(point)) for point, _ in pairs]
    if len(grid[0][0]) == 1:
        truth, said = _two_classes(pairs, answers, threshold)
        _shade_score(axes, xs, ys, _above(grid, threshold))
    else:
        truth = [int(target) for _, target in pairs]
        said = [scores.index(max(scores)) for scores in answers]
        _shade_classes(axes, xs, ys, _bounded(grid))
    _scatter(axes, pairs, truth, said)
    axes.set(xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]))
    return finished(figure, path)


# --- data ---------------------------------------------------------------------------------------

Pairs = list[tuple[list[float], float]]


def _pairs(data: Iterable[tuple[Sequence[float], Number]]) -> Pairs:
    pairs = [_pair(entry) for entry in (data if isinstance(data, Iterable) else [data])]
    if not pairs:
        raise _not_data("at least one point", "none")
    for place, (point, _) in enumerate(pairs):
        if len(point) != 2:
            raise SizeError(
                where=f"plot_boundary(data), point {place}",
                expected="2 numbers",
                got=f"{len(point)}",
                fix="Choose two columns of the data.",
            )
    return pairs


def _pair(entry: object) -> tuple[list[float], float]:
    if not isinstance(entry, Sequence) or len(entry) != 2 or not isinstance(entry[0], Iterable):
        raise _not_data("pairs of a point and its target", describe(entry))
    *point, target = [number(x, "plot_boundary(data)") for x in (*entry[0], entry[1])]
    if not all(map(isfinite, (*point, target))):
        raise _not_data("finite points and targets", describe(entry))
    return point, target


def _not_data(expected: str, got: str) -> DataError:
    fix = "Pass a Dataset or zip(points, targets); a zip can be read only once."
    return DataError(where="plot_boundary(data)", expected=expected, got=got, fix=fix)


def _ticks(numbers: list[float], count: int) -> list[float]:
    low, high = min(numbers), max(numbers)
    margin = MARGIN * (high - low) or 1.0
    step = (high - low + 2 * margin) / (count - 1)
    return [low - margin + k * step for k in range(count)]


def _scores(answer: Number | Sequence[Number]) -> list[float]:
    members: Sequence[Any] = answer if isinstance(answer, (list, tuple)) else [answer]
    return [number(member, "plot_boundary(model)") for member in members]


def _two_classes(
    pairs: Pairs, answers: list[list[float]], threshold: float
) -> tuple[list[int], list[int]]:
    """Return the true and predicted class of every point. Targets may be 0 and 1, or -1 and 1."""
    targets = [target for _, target in pairs]
    low, high = min(targets), max(targets)
    middle = (low + high) / 2 if low < high else 0.0
    return [int(t > middle) for t in targets], [int(a > threshold) for (a,) in answers]


def _bounded(grid: list[list[list[float]]]) -> list[list[list[float]]]:
    """Clip the scores to a range that can be drawn. A cell with a NaN becomes all NaN."""
    sizes = [abs(score) for row in grid for cell in row for score in cell]
    bound = min(1.0 + 2.0 * max(filter(isfinite, sizes), default=0.0), LARGEST)

    def within(cell: list[float]) -> list[float]:
        if any(map(isnan, cell)):
            return [nan] * len(cell)
        return [max(-bound, min(score, bound)) for score in cell]

    return [[within(cell) for cell in row] for row in grid]


def _above(grid: list[list[list[float]]], threshold: float) -> list[list[float]]:
    """Return the score of each cell minus the threshold, clipped."""
    heights = _bounded([[[score - threshold for score in cell] for cell in row] for row in grid])
    return [[height for (height,) in row] for row in heights]


def _extent(rows: list[list[float]]) -> tuple[float, float]:
    numbers = [x for row in rows for x in row if not isnan(x)]
    return min(numbers, default=0.0), max(numbers, default=0.0)


# --- drawing ------------------------------------------------------------------------------------


def figure_of(size: tuple[float, float], title: str) -> tuple[Figure, Axes]:
    """Return a figure of this size in inches, with one panel."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError(
            where="gradwalk.inspect",
            expected="matplotlib, which draws the plots",
            got=f"an installation without it ({error})",
            fix='Install the extra: pip install "gradwalk[plot]".',
        ) from error
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", color=INK, fontsize=12, fontweight="bold")
    axes.tick_params(colors=FAINT, labelsize=9, length=3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GRID)
    return figure, axes


def _shade_score(axes: Axes, xs: list[float], ys: list[float], scores: list[list[float]]) -> None:
    """Shade both sides of the threshold, paler where scores are small, and draw the boundary."""
    from matplotlib.colors import LinearSegmentedColormap

    sizes = sorted(abs(score) for row in scores for score in row if not isnan(score))
    scale = (sizes and sizes[len(sizes) * 3 // 4]) or 1.0
    shades = LinearSegmentedColormap.from_list("score", ["#8fb4f8", "#f8fafc", "#fbb07a"])
    axes.imshow(
        scores, extent=(xs[0], xs[-1], ys[0], ys[-1]), origin="lower", aspect="auto",
        cmap=shades, vmin=-scale, vmax=scale, interpolation="bilinear", zorder=0,
    )  # fmt: skip
    low, high = _extent(scores)
    if low < 0.0 < high:
        axes.contour(xs, ys, scores, levels=[0.0], colors=[INK], linewidths=1.4, zorder=1)


def _shade_classes(
    axes: Axes, xs: list[float], ys: list[float], grid: list[list[list[float]]]
) -> None:
    """Shade the region of each class, where its score is the largest."""
    for k in range(len(grid[0][0])):
        lead = [[cell[k] - max(cell[:k] + cell[k + 1 :]) for cell in row] for row in grid]
        low, peak = _extent(lead)
        if peak > 0.0:
            colour = COLOURS[k % len(COLOURS)]
            axes.contourf(xs, ys, lead, levels=[0.0, peak], colors=[colour], alpha=0.25)
            if low < 0.0:
                axes.contour(xs, ys, lead, levels=[0.0], colors=[INK], linewidths=1.0)


def _scatter(axes: Axes, pairs: Pairs, truth: list[int], said: list[int]) -> None:
    for k in sorted(set(truth)):
        mine = [i for i, c in enumerate(truth) if c == k]
        missed = [said[i] != k for i in mine]
        axes.scatter(
            [pairs[i][0][0] for i in mine],
            [pairs[i][0][1] for i in mine],
            s=34,
            c=COLOURS[k % len(COLOURS)],
            edgecolors=[INK if m else "white" for m in missed],
            linewidths=[1.6 if m else 0.9 for m in missed],
            label=f"{pairs[mine[0]][1]:g}",
            zorder=2,
        )
    axes.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=8, frameon=False, fontsize=9,
        labelcolor=FAINT, handletextpad=0.1, columnspacing=0.9, borderaxespad=0.2,
    )  # fmt: skip


def finished(figure: Figure, path: Path) -> Figure:
    """Return the figure, which is saved if there is a path."""
    if path is not None:
        write_figure(figure, path, DPI)
    return figure
