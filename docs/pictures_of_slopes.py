"""Pictures of first derivatives and of series: see `docs.pictures_of_transforms`."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np

import gradwalk as gw
from docs.svg import Panel, Picture

__all__ = ["SLOPES"]


def wave(x: Any) -> Any:
    """Compute a curve that rises, falls and rises."""
    return gw.sin(x) + 0.1 * x * x


def grad() -> Picture:
    """Draw tangents of a curve, and beside it their slopes as a function."""
    picture = Picture("A curve with three tangents; their slopes are points of its gradient")
    slope = gw.grad(wave)
    left = Panel(picture, (45, 40), (260, 220), (-3, 3), (-1, 2.2), "f(x)")
    right = Panel(picture, (365, 40), (260, 220), (-3, 3), (-1.6, 1.6), "grad(f)(x)")
    for panel, ys in ((left, (-1, 0, 1, 2)), (right, (-1, 0, 1))):
        panel.ticks((-2, 0, 2), ys)
        panel.zero()
    left.curve(wave, "blue")
    right.curve(slope, "orange")
    for x in (-2.0, 0.5, 2.2):
        left.tangent(x, wave(x), slope(x), 0.6, "line orange")
        left.dot(x, wave(x), "blue")
        right.dot(x, slope(x), "orange")
        by = (11, 4) if x < 0.0 else (0, -12) if slope(x) > 0.0 else (-8, 22)
        anchor = "start" if x < 0.0 else "middle"
        right.text(x, slope(x), f"{slope(x):.2f}", "orange", anchor, by)
    return picture


def value_and_grad() -> Picture:
    """Draw gradient descent: the slope at each point determines the next point."""
    picture = Picture("Gradient descent: each run gives the height of a point and its slope")
    panel = Panel(picture, (60, 25), (540, 235), (-0.4, 4.6), (0, 4))
    panel.ticks((0, 1, 2, 3, 4), (0, 1, 2, 3, 4))

    def f(x: Any) -> Any:
        return 0.3 * (x - 1.0) ** 2 + 0.3

    both, x = gw.value_and_grad(f), 4.2
    panel.curve(f, "pale")
    for step in range(6):
        value, slope = both(x)
        panel.tangent(x, value, slope, 0.45 / (1.0 + slope * slope) ** 0.5, "line orange")
        panel.dot(x, value, "blue", 5)
        if step < 3:
            words = f"value {value:.2f}, slope {slope:.2f}"
            panel.text(x, value, words, anchor="end", by=(-22, 2))
        x -= 0.6 * slope
    return picture


def bent(p: Any) -> Any:
    """Map the plane to itself: turn, stretch and bend it."""
    x, y = p
    return [x - 0.4 * y + 0.15 * x * y, 0.5 * x + 0.8 * y + 0.2 * x * x]


def planes(title: str) -> tuple[Picture, Panel, Panel]:
    """Draw a plane with a grid, and beside it the image of the grid under `bent`."""
    picture = Picture(title)
    left = Panel(picture, (20, 40), (280, 230), (-1.4, 1.4), (-1.15, 1.15), "x")
    right = Panel(picture, (340, 40), (280, 230), (-1.9, 1.9), (-1.45, 1.67), "y = f(x)")
    steps = [i / 10 for i in range(-10, 11)]
    for c in (-1.0, -0.5, 0.0, 0.5, 1.0):
        for line in ([[c, s] for s in steps], [[s, c] for s in steps]):
            left.line(line, "pale thin")
            right.line(map(bent, line), "pale thin")
    picture.arrow((304, 155), (336, 155), "faint")
    return picture, left, right


def named(picture: Picture, left: str, color: str, right: str, other: str) -> None:
    """Write the captions below the two planes."""
    picture.text((160, 290), left, f"{color} bold", "middle")
    picture.text((480, 290), right, f"{other} bold", "middle")


AT = [0.5, 0.0]


def jvp() -> Picture:
    """Draw a tangent at a point, and its image."""
    picture, left, right = planes("A tangent, an arrow at x, is pushed forward to an arrow at f(x)")
    y, tangent = gw.jvp(bent, (AT,), ([0.5, 0.5],))
    left.arrow(AT, (0.5, 0.5), "blue")
    left.dot(*AT, "ink")
    named(picture, "ẋ", "blue", "ẏ = ∂f/∂x · ẋ", "orange")
    right.arrow(y, tangent, "orange")
    right.dot(*y, "ink")
    return picture


def across(panel: Panel, at: list[float], w: list[float], color: str) -> None:
    """Draw the lines on which w · (p - at) is 0, ±0.25, ..., and w, orthogonal to them."""
    square = w[0] ** 2 + w[1] ** 2
    for k in range(-3, 4):
        x, y = (at[i] + 0.25 * k * w[i] / square for i in (0, 1))
        ends = [(x - s * w[1] / square**0.5, y + s * w[0] / square**0.5) for s in (-0.5, 0.5)]
        panel.line(ends, f"{color} thin dashed")
    panel.arrow((at[0], at[1]), (w[0] * 0.6, w[1] * 0.6), color)


def vjp() -> Picture:
    """Draw a cotangent of the result, and the cotangent of the argument that follows from it."""
    picture, left, right = planes("A cotangent at f(x) is pulled back to a cotangent at x")
    y, pullback = gw.vjp(bent, AT)
    cotangent = [0.4, 1.0]
    (result,) = pullback(cotangent)
    across(right, y, cotangent, "blue")
    across(left, AT, result, "orange")
    left.dot(*AT, "ink")
    right.dot(*y, "ink")
    named(picture, "x̄ = ȳ · ∂f/∂x", "orange", "ȳ", "blue")
    return picture


def linearize() -> Picture:
    """Draw many tangents at one point, and their images under one linear function."""
    picture, left, right = planes("The tangents of a circle are mapped to those of an ellipse")
    y, forward = gw.linearize(bent, AT)
    circle = [[0.45 * cos(pi * k / 30), 0.45 * sin(pi * k / 30)] for k in range(61)]
    images = [forward(t) for t in circle]
    left.line([(AT[0] + t[0], AT[1] + t[1]) for t in circle], "blue")
    right.line([(y[0] + t[0], y[1] + t[1]) for t in images], "orange")
    for k in range(0, 60, 10):
        left.arrow(AT, circle[k], "blue")
        right.arrow(y, images[k], "orange")
    left.dot(*AT, "ink")
    right.dot(*y, "ink")
    named(picture, "ẋ, in all directions", "blue", "forward(ẋ)", "orange")
    return picture


def jacobian() -> Picture:
    """Draw a matrix. Each column is a forward-mode pass, each row a backward pass."""
    picture = Picture("A Jacobian of 3 results and 4 arguments", height=280)

    def f(x: Any) -> Any:
        return gw.stack([x[0] * x[1], x[1] * x[2] - x[3], gw.sin(x[0]) + x[3] ** 2])

    matrix = gw.jacobian(f)(np.array([1.0, 2.0, 3.0, 0.5]))

    def look(i: int, j: int) -> str:
        return "shade orange" if j == 1 else "shade blue" if i == 2 else "empty pale"

    picture.grid((190, 80), matrix.tolist(), (80, 40), look, "{:.2f}".format)
    for j in range(4):
        picture.text((230 + 80 * j, 70), f"x[{j}]", "faint", "middle")
    for i in range(3):
        picture.text((180, 105 + 40 * i), f"f(x)[{i}]", "faint", "end")
    picture.arrow((310, 22), (310, 52), "orange")
    picture.text((326, 38), "a column: a forward-mode pass", "orange")
    picture.arrow((560, 180), (520, 180), "blue")
    picture.text((560, 226), "a row: a backward pass", "blue", "end")
    picture.line([(548, 212), (548, 188)], "blue thin")
    return picture


def taylor() -> Picture:
    """Draw polynomials that approximate the sine on larger and larger intervals."""
    picture = Picture("The sine and its Taylor polynomials of orders 1, 3, 5 and 7")
    panel = Panel(picture, (40, 20), (580, 250), (-0.5, 6.8), (-1.9, 2.4))
    panel.ticks((0, 2, 4, 6), (-1, 0, 1, 2))
    panel.zero()
    series = gw.taylor(gw.sin, 0.0, 7)
    places = {1: (1.9, 2.1), 3: (2.7, -1.2), 5: (3.9, 2.1), 7: (4.25, -1.65)}
    for order, color in ((1, "orange"), (3, "violet"), (5, "green"), (7, "blue")):
        polynomial = type(series)(series[: order + 1])
        panel.curve(polynomial, color)
        panel.text(*places[order], f"order {order}", color, "start" if order == 7 else "end")
    panel.curve(sin, "ink")
    panel.text(1.5, 0.72, "sin", "ink bold", "middle")
    return picture


def stop_gradient() -> Picture:
    """Draw the slopes of x times x, and of x times x held constant."""
    picture = Picture("The slope of x times x, and of x times x held constant")
    panel = Panel(picture, (60, 20), (380, 250), (0, 3), (0, 9))
    panel.ticks((0, 1, 2, 3), (0, 2, 4, 6, 8))
    panel.curve(lambda x: x * x, "pale")
    for x in (1.0, 2.0):
        full, half = gw.grad(lambda x: x * x)(x), gw.grad(lambda x: x * gw.stop_gradient(x))(x)
        panel.tangent(x, x * x, full, 0.42, "line blue")
        panel.tangent(x, x * x, half, 0.42, "line orange")
        panel.dot(x, x * x, "ink")
        panel.text(x, x * x, f"{full:g}", "blue bold", by=(30, -46 * full / 2.6 + 6))
        panel.text(x, x * x, f"{half:g}", "orange bold", by=(64, -16 * half + 9))
    picture.text((460, 110), "slope of", "faint")
    picture.text((460, 132), "x * x", "blue bold")
    picture.text((460, 162), "slope of", "faint")
    picture.text((460, 184), "x * stop_gradient(x)", "orange bold")
    return picture


SLOPES = (grad, value_and_grad, jvp, vjp, linearize, jacobian, taylor, stop_gradient)
