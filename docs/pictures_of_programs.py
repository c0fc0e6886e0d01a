"""Pictures of the transforms that change how a program runs: see `docs.pictures_of_transforms`."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import reduce
from math import cos, pi, sin
from typing import Any

import numpy as np

import gradwalk as gw
from docs.svg import Panel, Picture

__all__ = ["PROGRAMS"]


def vmap() -> Picture:
    """Draw a stack of examples that a function processes at once."""
    picture = Picture("A stack of examples, a function of one, and the stack of its results")
    xs = np.array([[3.0, 4.0], [5.0, 12.0], [8.0, 15.0]])
    ys = gw.vmap(lambda x: gw.linalg.vector_norm(x))(xs)
    for i, x, y in reversed([*zip(range(3), xs, ys, strict=True)]):
        left, top = 60 + 16 * i, 170 - 44 * i
        picture.box((left, top), (130, 60), "paper mark")
        picture.box((left, top), (130, 60), "shade blue")
        picture.text((left + 65, top + 24), f"[{x[0]:g}, {x[1]:g}]", "ink", "middle")
        picture.box((left + 420, top), (80, 60), "paper mark")
        picture.box((left + 420, top), (80, 60), "shade orange")
        picture.text((left + 460, top + 24), f"{y:g}", "ink", "middle")
    picture.box((290, 110), (120, 80), "empty ink", "f, once", "ink bold")
    picture.arrow((236, 150), (284, 150), "faint")
    picture.arrow((416, 150), (468, 150), "faint")
    picture.text((60, 260), "x of shape (3, 2)", "faint")
    picture.text((350, 216), "sees shape (2,)", "faint", "middle")
    picture.text((480, 260), "y of shape (3,)", "faint")
    return picture


# --- memory ---------------------------------------------------------------------------------------

LAYERS, LENGTH = 25, 50_000


def arrays_during(chain: Callable[[Any, Any], Any]) -> list[int]:
    """Return the number of arrays in memory at each forward and backward step of a layer."""
    counts: list[int] = []

    def note() -> None:
        counts.append(round((tracemalloc.get_traced_memory()[0] - start) / (8 * LENGTH)))

    def forward(x: Any) -> Any:
        note()
        return x * 1.0

    def rule(t: Any, y: Any, x: Any) -> Any:
        note()
        return t

    noted = gw.pointwise("noted", rule, forward=forward)
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    try:
        gw.grad(lambda x: chain(lambda x: gw.tanh(noted(x)), x).sum())(np.ones(LENGTH))
    finally:
        tracemalloc.stop()
    return counts


def checkpoint() -> Picture:
    """Draw the memory of a chain of layers, whose results are kept or computed again."""
    picture = Picture("Arrays in memory in the forward and backward pass of a chain of 25 layers")
    panel = Panel(picture, (50, 20), (440, 235), (0, 3 * LAYERS), (0, LAYERS + 9))
    kept = arrays_during(lambda f, x: reduce(lambda x, f: f(x), [f] * LAYERS, x))
    again = arrays_during(lambda f, x: gw.checkpoint_chain([f] * LAYERS, x))
    panel.ticks((0, 25, 50, 75), (0, 10, 20, 30))
    panel.line(list(enumerate(kept)), "blue")
    panel.line(list(enumerate(again)), "orange")
    panel.text(LAYERS / 2, 31, "forward", "faint small", "middle")
    panel.text(2 * LAYERS, 31, "backward", "faint small", "middle")
    panel.line([(LAYERS, 0), (LAYERS, LAYERS + 9)], "pale thin dashed")
    picture.text((505, 80), "all kept:", "blue bold")
    picture.text((505, 98), f"{max(kept)} arrays", "blue")
    picture.text((505, 180), "checkpoint_", "orange bold")
    picture.text((505, 198), "chain:", "orange bold")
    picture.text((505, 216), f"{max(again)} arrays", "orange")
    picture.text((270, 288), "steps of layers", "faint", "middle")
    picture.text((505, 36), "arrays", "faint")
    return picture


# --- loops ----------------------------------------------------------------------------------------


def scan() -> Picture:
    """Draw a chain of boxes, with a carry between them."""
    picture = Picture("Each step gets the carry and an x, and returns the next carry and a y")
    rate, xs = 0.5, [4.0, 2.0, 0.0, 6.0]

    def step(carry: Any, x: Any) -> tuple[Any, Any]:
        new = carry + rate * (x - carry)
        return new, new * new

    carries = [gw.scan(step, 0.0, xs[:k])[0] if k else 0.0 for k in range(5)]
    _, ys = gw.scan(step, 0.0, xs)
    for k, (x, y) in enumerate(zip(xs, ys, strict=True)):
        left = 80 + 135 * k
        picture.box((left, 120), (75, 60), "empty ink", "f", "ink bold")
        picture.arrow((left - 60 if k else 30, 150), (left - 5, 150), "blue")
        picture.text((left - 31 if k else 50, 140), f"{carries[k]:.3g}", "blue", "middle")
        picture.arrow((left + 37, 225), (left + 37, 186), "faint")
        picture.text((left + 37, 243), f"{x:g}", "faint", "middle")
        picture.arrow((left + 37, 115), (left + 37, 76), "orange")
        picture.text((left + 37, 66), f"{y:.4g}", "orange", "middle")
    picture.arrow((560, 150), (605, 150), "blue")
    picture.text((583, 140), f"{carries[4]:.3g}", "blue", "middle")
    for y, words, look in ((30, "ys", "orange bold"), (275, "xs", "faint bold")):
        picture.text((320, y), words, look, "middle")
    picture.text((30, 175), "carry", "blue bold")
    return picture


def while_loop() -> Picture:
    """Draw Newton's method, whose number of steps depends on the argument."""
    picture = Picture("Newton's method: an integer number of steps, smooth result and gradient")

    def root(a: Any, count: Any = None) -> Any:
        def body(x: Any) -> Any:
            if count is not None:
                count.append(x)
            return (x + a / x) / 2.0

        return gw.while_loop(lambda x: abs(x * x - a) > 1e-3, body, 1.0 + 0.0 * a)

    def steps(a: float) -> float:
        count: list[Any] = []
        root(a, count)
        return float(len(count))

    left = Panel(picture, (45, 40), (260, 220), (0.05, 6), (0, 6), "steps of while_loop")
    right = Panel(picture, (365, 40), (260, 220), (0.05, 6), (0, 2.6), "√a and its gradient")
    left.ticks((1, 2, 4, 6), (0, 2, 4, 6))
    right.ticks((1, 2, 4, 6), (0, 1, 2))
    left.curve(steps, "blue")
    right.curve(root, "blue", (0.1, 6.0))
    right.curve(gw.grad(root), "orange", (0.1, 6.0))
    right.text(4.2, 2.3, "√a", "blue bold", "end")
    right.text(4.2, 0.42, "grad", "orange bold")
    picture.text((175, 292), "a", "faint", "middle")
    picture.text((495, 292), "a", "faint", "middle")
    return picture


def fixed_point() -> Picture:
    """Draw the steps of an iteration, and the curve of its limits."""
    picture = Picture("An iteration that converges, and how its limit depends on a")
    left = Panel(picture, (45, 40), (260, 220), (0, 1.2), (0, 1.2), "x ← cos(a x), a = 1.2")
    right = Panel(picture, (365, 40), (260, 220), (0, 2), (0.3, 1.1), "x where x = cos(a x)")
    left.ticks((0, 0.5, 1), (0, 0.5, 1))
    right.ticks((0, 0.5, 1, 1.5, 2), (0.4, 0.6, 0.8, 1))

    def end(a: Any) -> Any:
        return gw.fixed_point(lambda x, a: x + 0.6 * (gw.cos(a * x) - x), 0.5, a)

    left.line([(0.0, 0.0), (1.2, 1.2)], "faint thin")
    left.curve(lambda x: cos(1.2 * x), "faint")
    x, path = 0.1, [(0.1, 0.0)]
    for _ in range(14):
        path += [(x, cos(1.2 * x)), (cos(1.2 * x), cos(1.2 * x))]
        x = cos(1.2 * x)
    left.line(path, "blue thin")
    left.dot(end(1.2), end(1.2), "orange", 5)
    right.curve(end, "blue")
    for a in (0.4, 1.2, 1.7):
        slope = gw.grad(end)(a)
        right.tangent(a, end(a), slope, 0.25, "line orange")
        right.dot(a, end(a), "orange")
        right.text(a, end(a), f"{slope:.2f}", "orange", "middle", (12, -14))
    picture.text((495, 292), "a", "faint", "middle")
    return picture


def implicit_function() -> Picture:
    """Draw Kepler's equation: a curve without a formula, and its slopes."""
    picture = Picture("The solutions of an equation form a curve, whose slopes are exact")
    panel = Panel(picture, (60, 20), (420, 250), (0, 2 * pi), (0, 2 * pi))
    panel.ticks((0, 2, 4, 6), (0, 2, 4, 6))

    def solve(m: float) -> float:
        low, high = 0.0, 2.0 * pi
        for _ in range(60):
            middle = (low + high) / 2.0
            low, high = (middle, high) if middle - 0.9 * sin(middle) < m else (low, middle)
        return (low + high) / 2.0

    root = gw.implicit_function(solve, lambda x, m: x - 0.9 * gw.sin(x) - m)
    panel.line([(m / 20.0, root(m / 20.0)) for m in range(126)], "blue")
    for m in (0.6, 1.7, 3.14, 5.3):
        slope = gw.grad(root)(m)
        width = 0.9 / (1.0 + slope * slope) ** 0.5
        panel.tangent(m, root(m), slope, width, "line orange")
        panel.dot(m, root(m), "orange")
        panel.text(m, root(m), f"{slope:.2f}", "orange", by=(12, 18))
    for y, words, look in (
        (60, "r(x, θ) =", "faint"), (78, "x - 0.9 sin x", "faint"), (96, "- θ = 0", "faint"),
        (140, "x of θ, by", "blue"), (158, "bisection", "blue"),
        (202, "grad, by the", "orange"), (220, "theorem", "orange"),
    ):  # fmt: skip
        picture.text((500, y), words, look)
    picture.text((270, 295), "θ", "faint", "middle")
    picture.text((66, 36), "x", "faint")
    return picture


def custom_rule() -> Picture:
    """Draw a staircase whose rule defines the slope of a ramp."""
    picture = Picture("A staircase whose rule defines the slope of a ramp")
    panel = Panel(picture, (60, 20), (380, 250), (-2.2, 2.2), (-2.5, 2.5))
    panel.ticks((-2, -1, 0, 1, 2), (-2, -1, 0, 1, 2))
    step = gw.custom_rule(lambda x: float(round(x)), vjp=lambda t, y, x: t * 1.0, name="step")
    xs = [k / 100.0 - 2.2 for k in range(441)]
    run: list[tuple[float, float]] = []
    for x in xs:
        y = float(round(x))
        if run and y != run[-1][1]:
            panel.line(run, "blue")
            run = []
        run.append((x, y))
    panel.line(run, "blue")
    for x in (-1.75, -0.9, 0.2, 1.2):
        panel.tangent(x, float(round(x)), gw.grad(step)(x), 0.3, "line orange")
        panel.dot(x, float(round(x)), "ink")
    for y, words, look in (
        (80, "round(x),", "blue bold"), (98, "a black box", "blue"),
        (150, "the slope that its", "orange"), (168, "rule defines:", "orange"),
        (186, "vjp=lambda", "orange bold"), (204, "  t, y, x: t", "orange bold"),
    ):  # fmt: skip
        picture.text((460, y), words, look)
    return picture


PROGRAMS = (
    vmap, checkpoint, scan, while_loop, fixed_point, implicit_function, custom_rule,
)  # fmt: skip
