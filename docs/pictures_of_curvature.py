"""Pictures of second derivatives, and of traces: see `docs.pictures_of_transforms`."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradwalk as gw
from docs.svg import Panel, Picture

__all__ = ["CURVATURE"]


def bowl(p: Any) -> Any:
    """Compute a valley that is not quite a parabola."""
    x, y = p
    return 0.5 * x * x + y * y + 0.6 * x * y + 0.35 * gw.sin(2.0 * x) + 0.1 * x**3


def hessian() -> Picture:
    """Draw a function, and the parabola with its value, gradient and Hessian at a point."""
    picture = Picture("Contours of a function, and of the parabola that its Hessian makes")
    panel = Panel(picture, (20, 20), (380, 260), (-2.2, 2.2), (-1.5, 1.5))
    at = [-0.75, 0.35]
    value, slope, bend = bowl(at), gw.grad(bowl)(at), gw.hessian(bowl)(at)

    def model(x: float, y: float) -> float:
        u, v = x - at[0], y - at[1]
        curved = bend[0][0] * u * u + 2.0 * bend[0][1] * u * v + bend[1][1] * v * v
        return value + slope[0] * u + slope[1] * v + 0.5 * curved

    levels = [0.1 + 0.4 * k for k in range(9)]
    panel.contours(lambda x, y: bowl((x, y)), levels, "line pale")
    panel.contours(model, levels, "line thin orange")
    panel.dot(*at, "ink")
    panel.text(*at, "x", "ink bold", by=(8, 14))
    picture.text((520, 70), "hessian(f)(x)", "ink bold", "middle")
    picture.grid((440, 85), bend, (80, 44), lambda i, j: "shade orange", "{:.2f}".format)
    picture.line([(440, 215), (470, 215)], "pale")
    picture.text((480, 219), "f", "faint")
    picture.line([(440, 240), (470, 240)], "orange thin")
    picture.text((480, 244), "its parabola", "faint")
    picture.text((480, 262), "at x", "faint")
    return picture


def hvp() -> Picture:
    """Draw how the gradient changes along v."""
    picture = Picture("Gradients along a line; how they change is the product of Hessian and v")
    panel = Panel(picture, (20, 20), (420, 260), (-2.2, 2.2), (-1.36, 1.36))
    at, v, small = [-0.5, -0.7], [1.6, 0.8], 0.22
    product = gw.hvp(bowl, at, v)
    panel.contours(lambda x, y: bowl((x, y)), [0.1 + 0.4 * k for k in range(9)], "line thin pale")
    panel.arrow((at[0], at[1]), (v[0], v[1]), "blue")
    panel.text(at[0] + v[0], at[1] + v[1], "v", "blue bold", by=(-8, -10))
    for s in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = at[0] + s * v[0], at[1] + s * v[1]
        g = gw.grad(bowl)([x, y])
        panel.arrow((x, y), (small * g[0], small * g[1]), "faint")
    panel.dot(*at, "ink")
    panel.text(*at, "x", "ink bold", by=(-14, 6))
    g = gw.grad(bowl)(at)
    ends = [(0.0, 0.0), g, [a + b for a, b in zip(g, product, strict=True)]]
    low, high = ([least(e[i] for e in ends) for i in (0, 1)] for least in (min, max))
    place = (low[0] - 1.3, high[0] + 1.3), (low[1] - 1.3, high[1] + 1.3)
    side = Panel(picture, (460, 20), (160, 260), *place)
    side.arrow((0.0, 0.0), (g[0], g[1]), "faint")
    side.arrow((g[0], g[1]), (product[0], product[1]), "orange")
    side.text(g[0], g[1], "gradient at x", "faint small", "middle", by=(12, 16))
    side.text(g[0] + product[0], g[1] + product[1], "+ H v", "orange bold", "middle", (-8, -8))
    return picture


def chained(x: Any) -> Any:
    """Compute a function of four numbers, in which each interacts with the next."""
    return (x[:-1] ** 2 * x[1:]).sum() + gw.exp(x[3] / 2.0)


POINT = np.array([1.0, 2.0, 0.5, 1.0])


def vhp() -> Picture:
    """Draw a row times a matrix, which is never computed."""
    picture = Picture("A row vector times the Hessian gives a row vector", height=270)
    v = np.array([1.0, 0.0, -1.0, 2.0])
    matrix, row = gw.hessian(chained)(POINT), gw.vhp(chained, POINT, v)
    picture.grid((20, 90), [v.tolist()], (44, 36), lambda i, j: "shade blue")
    picture.grid((222, 36), matrix.tolist(), (44, 36), lambda i, j: "empty pale", "{:.2g}".format)
    picture.grid((444, 90), [row.tolist()], (44, 36), lambda i, j: "shade orange", "{:.2g}".format)
    for x, y, words, look in (
        (108, 78, "v", "blue bold"), (310, 26, "H, not computed", "faint"),
        (532, 78, "vᵀ H", "orange bold"), (209, 113, "·", "ink bold"), (422, 113, "=", "ink bold"),
    ):  # fmt: skip
        picture.text((x, y), words, look, "middle")
    picture.text((320, 226), "reverse mode of (gradient · v)", "faint", "middle")
    return picture


def gradient_and_hessian_diagonal() -> Picture:
    """Draw a column and a diagonal."""
    picture = Picture("The gradient, and of the Hessian the diagonal alone", height=250)
    g, diagonal = gw.gradient_and_hessian_diagonal(chained, POINT)
    column = [[x] for x in g.tolist()]
    picture.grid((100, 60), column, (90, 40), lambda i, j: "shade blue", "{:.3f}".format)
    matrix = np.diag(diagonal).tolist()

    def look(i: int, j: int) -> str:
        return "shade orange" if i == j else "empty pale"

    picture.grid((270, 60), matrix, (70, 40), look, lambda x: f"{x:.3f}" if x else "")
    picture.text((145, 46), "gradient", "blue bold", "middle")
    picture.text((410, 46), "Hessian: its diagonal", "orange bold", "middle")
    return picture


def field(p: Any) -> Any:
    """Compute a flow with a source and a sink."""
    x, y = p
    up, down = gw.exp(-((x - 1.0) ** 2) - y * y), gw.exp(-((x + 1.0) ** 2) - y * y)
    return [(x - 1.0) * up - (x + 1.0) * down, y * up - y * down]


def divergence() -> Picture:
    """Draw a field, with its divergence at the source and at the sink."""
    picture = Picture("A flow, with discs as large as its divergence")
    panel = Panel(picture, (70, 20), (500, 240), (-2.5, 2.5), (-1.2, 1.2))
    for i in range(-9, 10):
        for j in range(-4, 5):
            p = [0.25 * i, 0.25 * j]
            amount = gw.divergence(field, p)
            color = "orange" if amount > 0.0 else "blue"
            panel.dot(*p, color, 11.0 * abs(amount / 2.0) ** 0.5, "shade")
            step = field(p)
            panel.arrow((p[0], p[1]), (0.45 * step[0], 0.45 * step[1]), "faint thin")
    picture.text((570, 282), "positive: a source", "orange", "end")
    picture.text((70, 282), "negative: a sink", "blue")
    return picture


def laplacian() -> Picture:
    """Draw a hill and a hollow, with the sign and size of the Laplacian."""
    picture = Picture("Contours of a hill and a hollow over squares as large as the Laplacian")
    panel = Panel(picture, (70, 20), (500, 240), (-2.5, 2.5), (-1.2, 1.2))

    def f(p: Any) -> Any:
        x, y = p
        return gw.exp(-((x - 1.0) ** 2) - y * y) - gw.exp(-((x + 1.0) ** 2) - y * y)

    for i in range(40):
        for j in range(20):
            p = [-2.4375 + 0.125 * i, -1.14 + 0.12 * j]
            amount = gw.laplacian(f, p) / 4.0
            x, y = panel.at(p[0], p[1])
            color = "orange" if amount > 0.0 else "blue"
            size = 12.0 * min(abs(amount), 1.0) ** 0.5
            if size > 1.0:
                picture.box((x - size / 2, y - size / 2), (size, size), f"shade {color}")
    levels = [-0.8, -0.6, -0.4, -0.2, 0.2, 0.4, 0.6, 0.8]
    panel.contours(lambda x, y: f((x, y)), levels, "line thin faint")
    picture.text((570, 282), "negative: on the hill", "blue", "end")
    picture.text((70, 282), "positive: in the hollow", "orange")
    return picture


CURVATURE = (
    hessian, hvp, vhp, gradient_and_hessian_diagonal, divergence, laplacian,
)  # fmt: skip
