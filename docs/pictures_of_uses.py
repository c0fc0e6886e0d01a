"""Pictures of uses of derivatives: see `docs.pictures_of_transforms`."""

from __future__ import annotations

from collections.abc import Callable
from math import log10
from typing import Any

import numpy as np

import gradwalk as gw
from docs.svg import Panel, Picture

__all__ = ["USES"]

COLORS = ("blue", "orange", "green", "violet")


# --- sparse ---------------------------------------------------------------------------------------


def _cells(picture: Picture, at: Any, shape: Any, cell: float, color: Callable[..., str]) -> None:
    (left, top), (rows, columns) = at, shape
    for i in range(rows):
        for j in range(columns):
            found = color(i, j)
            look = f"mark {found}" if found else "empty pale"
            place = (left + j * cell + 1.5, top + i * cell + 1.5)
            picture.box(place, (cell - 3, cell - 3), look)


def sparse_jacobian() -> Picture:
    """Draw a matrix with three diagonals, and the three passes that compute it."""
    picture = Picture("The columns of a matrix in three colours, and the same in three columns")
    n, cell = 12, 20

    def f(x: Any) -> Any:
        return x[:-2] * x[1:-1] - x[2:] ** 2

    x = np.linspace(1.0, 2.0, n)
    matrix = gw.sparse_jacobian(f, x).toarray()
    colors = gw.coloring(gw.sparsity(f, x), "forward")
    columns = colors.columns

    def colored(i: int, j: int) -> str:
        return COLORS[columns[j]] if matrix[i, j] else ""

    def squeezed(i: int, c: int) -> str:
        return COLORS[c] if any(matrix[i, j] and columns[j] == c for j in range(n)) else ""

    _cells(picture, (60, 60), matrix.shape, cell, colored)
    _cells(picture, (420, 60), (n - 2, colors.sweeps), cell, squeezed)
    picture.arrow((330, 160), (390, 160), "faint")
    picture.text((180, 46), f"J: {matrix.shape[0]} rows, {n} columns", "ink", "middle")
    picture.text((450, 46), f"{colors.sweeps} passes", "ink", "middle")
    picture.text((60, 284), "columns of one colour have no row in common", "faint")
    return picture


def sparse_hessian() -> Picture:
    """Draw a matrix in which one number interacts with all others, which have neighbours too."""
    picture = Picture("A symmetric matrix with a full row and column, in few colours")
    n, cell = 12, 20

    def f(x: Any) -> Any:
        return (x[1:] ** 2 * x[0]).sum() + (x[1:-1] * x[2:]).sum()

    x = np.linspace(1.0, 2.0, n)
    matrix = gw.sparse_hessian(f, x).toarray()
    colors = gw.coloring(gw.sparsity(f, x, hessian=True), "symmetric")
    rows, columns = colors.rows, colors.columns

    def colored(i: int, j: int) -> str:
        if not matrix[i, j]:
            return ""
        return COLORS[columns[i] if rows[i] >= 0 else columns[j]]

    _cells(picture, (60, 50), matrix.shape, cell, colored)
    found = max(int(columns.max()), int(rows.max())) + 1
    picture.text((180, 36), f"H: {n} rows and columns", "ink", "middle")
    picture.text((335, 110), f"{found} passes", "ink bold")
    picture.text((335, 140), "The first number interacts with all", "faint")
    picture.text((335, 158), "others: a pass of its own gives its", "faint")
    picture.text((335, 176), "column, and by symmetry its row. The", "faint")
    picture.text((335, 194), "others share the other passes.", "faint")
    return picture


# --- optimisation ---------------------------------------------------------------------------------


def rosenbrock(p: Any) -> Any:
    """Compute a valley in the shape of a banana."""
    return (1.0 - p[0]) ** 2 + 100.0 * (p[1] - p[0] ** 2) ** 2


def minimize() -> Picture:
    """Draw the path of a search through a valley."""
    picture = Picture("The steps of a search on the contours of Rosenbrock's function")
    panel = Panel(picture, (45, 20), (420, 250), (-1.6, 1.6), (-0.6, 1.8))
    panel.ticks((-1, 0, 1), (0, 1))
    levels = [10.0 ** (k / 2.0) for k in range(7)]
    panel.contours(lambda x, y: rosenbrock((x, y)), levels, "line thin pale", 120)
    path = [[-1.2, 1.0]]
    minimum = gw.minimize(rosenbrock, path[0], method="trust-ncg", tolerance=1e-8,
                          callback=lambda step: path.append(step.x))  # fmt: skip
    panel.line([(x, y) for x, y in path], "orange")
    for p in path[1:-1]:
        panel.dot(*p, "orange", 3)
    panel.dot(*path[0], "ink")
    panel.dot(*minimum.x, "blue", 5)
    panel.text(*path[0], "x0", "ink bold", by=(-6, -10), anchor="end")
    panel.text(*minimum.x, "x", "blue bold", by=(9, 4))
    runs = minimum.evaluations
    for k, words in enumerate(
        (f"{minimum.steps} steps", f"{runs.values} values", f"{runs.gradients} gradients",
         f"{runs.hessian_products} products", "of the Hessian"),
    ):  # fmt: skip
        picture.text((485, 90 + 22 * k), words, "faint" if k else "ink bold")
    return picture


def curve_fit() -> Picture:
    """Draw data, the curve through them, and its uncertainty."""
    picture = Picture("Data with error bars, the curve through them, and twice its uncertainty")
    panel = Panel(picture, (50, 20), (400, 250), (0, 6), (0, 5.6))
    panel.ticks((0, 2, 4, 6), (0, 1, 2, 3, 4, 5))
    noise = [0.5, -0.6, 0.3, 0.45, -0.5, -0.2, 0.6, -0.35, 0.1, -0.3, 0.25]
    xs = [0.25 + 0.5 * k for k in range(11)]
    ys = [4.0 * np.exp(-x / 1.8) + 0.5 + 0.7 * d for x, d in zip(xs, noise, strict=True)]

    def model(x: Any, size: Any, life: Any, rest: Any) -> Any:
        return size * gw.exp(-x / life) + rest

    fit = gw.curve_fit(model, xs, ys, [3.0, 1.0, 0.0], sigma=0.35)
    upper, lower = [], []
    for x in (0.05 + 0.05 * k for k in range(119)):
        y, slopes = gw.value_and_grad(lambda p, x=x: model(x, *p))(fit.parameters)
        spread = 2.0 * float(np.array(slopes) @ fit.covariance @ np.array(slopes)) ** 0.5
        upper.append(panel.at(x, min(y + spread, 5.6)))
        lower.append(panel.at(x, max(y - spread, 0.0)))
    picture.area([*upper, *lower[::-1]], "shade blue")
    panel.curve(lambda x: model(x, *fit.parameters), "blue")
    for x, y in zip(xs, ys, strict=True):
        panel.line([(x, y - 0.35), (x, y + 0.35)], "ink thin")
        panel.dot(x, y, "ink", 3)
    for k, row in enumerate(fit.table):
        picture.text((465, 110 + 26 * k), f"{row}", "ink small")
    return picture


def check_grads() -> Picture:
    """Draw the error of finite differences for every step."""
    picture = Picture("The error of finite differences against their step, also extrapolated")
    panel = Panel(picture, (60, 20), (400, 245), (-12, 0), (-14, 0))
    panel.ticks((-12, -9, -6, -3, 0), (-12, -9, -6, -3, 0), lambda x: f"1e{x:g}")

    def f(x: Any) -> Any:
        return gw.exp(x) * gw.sin(3.0 * x)

    slope = gw.grad(f)(1.0)

    def central(h: float) -> float:
        return (f(1.0 + h) - f(1.0 - h)) / (2.0 * h)  # type: ignore[no-any-return]

    def error(found: float) -> float:
        return log10(max(abs(found / slope - 1.0), 1e-15))

    steps = [k / 4.0 for k in range(-48, 0)]
    lines: dict[str, Callable[[float], float]] = {
        "faint": lambda h: (f(1.0 + h) - f(1.0)) / h,
        "blue": central,
        "orange": lambda h: (4.0 * central(h / 2.0) - central(h)) / 3.0,
    }
    for look, found in lines.items():
        panel.line([(k, error(found(10.0**k))) for k in steps], look)
    for y, words, look in (
        (60, "one side", "faint bold"), (90, "both sides", "blue bold"),
        (120, "extrapolated", "orange bold"), (138, "to step 0", "orange"),
    ):  # fmt: skip
        picture.text((475, y), words, look)
    picture.text((475, 190), "against grad:", "faint")
    picture.text((475, 208), "the error of", "faint")
    picture.text((475, 226), "the difference", "faint")
    picture.text((260, 296), "step", "faint", "middle")
    return picture


USES = (sparse_jacobian, sparse_hessian, minimize, curve_fit, check_grads)
