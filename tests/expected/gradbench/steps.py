"""Evals of steps in time, `ode` and `lstm`, and of descents, `particle` and `saddle`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf

from .digits import Given, Vector, cut, numbers, ravel, slopes

MODES = ("ff", "fr", "rf", "rr")


def ode(given: Given) -> Given:
    x, steps = numbers(given["x"]), given["s"]
    h = mpf(2) / steps

    def rate(x: Vector, y: Vector) -> Vector:
        return [x[0], *(a * b for a, b in zip(x[1:], y, strict=False))]

    def moved(y: Vector, step: Any, k: Vector) -> Vector:
        return [a + step * b for a, b in zip(y, k, strict=True)]

    def solved(x: Vector) -> Vector:
        y = [mpf(0)] * len(x)
        for _ in range(steps):
            k = [rate(x, y)]
            for step in (h / 2, h / 2, h):
                k.append(rate(x, moved(y, step, k[-1])))
            weighted = zip(y, *k, strict=True)
            y = [v + h * (a + 2 * b + 2 * c + d) / 6 for v, a, b, c, d in weighted]
        return y

    return {"primal": solved(x), "gradient": slopes(lambda x: solved(x)[-1], x)}


def lstm(given: Given) -> Given:
    state, text = numbers(given["state"]), numbers(given["sequence"])
    layers, bits = len(state) // 2, len(text[0])

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + mp.exp(-x))

    def cell(w: Vector, b: Vector, hidden: Any, kept: Any, x: Any) -> tuple[Any, Any]:
        gates = [v * a + c for v, a, c in zip((x, hidden, x, hidden), w, b, strict=True)]
        forget, write, show = map(sigmoid, gates[:3])
        kept = kept * forget + write * mp.tanh(gates[3])
        return show * mp.tanh(kept), kept

    def loss(flat: Vector) -> Any:
        main, extra = cut(flat, (2 * layers, 4 * bits), (3, bits))
        states, total = [[*row] for row in state], mpf(0)
        for now, then in pairwise(text):
            guess = []
            for i in range(bits):
                x = now[i] * extra[0][i]
                for layer in range(layers):
                    w, b = (main[2 * layer + j][i::bits] for j in (0, 1))
                    hidden, kept = states[2 * layer][i], states[2 * layer + 1][i]
                    x, kept = cell(w, b, hidden, kept, x)
                    states[2 * layer][i], states[2 * layer + 1][i] = x, kept
                guess.append(x * extra[1][i] + extra[2][i])
            norm = mp.log(2 + mp.fsum(map(mp.exp, guess)))
            total += mp.fsum(a * (b - norm) for a, b in zip(then, guess, strict=True))
        return -total / (bits * (len(text) - 1))

    flat = ravel(numbers(given["main_params"])) + ravel(numbers(given["extra_params"]))
    return {"objective": loss(flat), "jacobian": slopes(loss, flat)}


def hello(given: Any) -> Given:
    return {"square": mpf(given) ** 2, "double": 2 * mpf(given)}


def descend(f: Callable[[Vector], Any], gradient: Callable[[Vector], Vector], x: Vector) -> Vector:
    """Return where the descent that both evals prescribe ends."""
    tiny, eta, count = mpf(1) / 100000, mpf(1) / 100000, 0
    value, slope = f(x), gradient(x)
    while True:
        if mp.norm(slope) <= tiny:
            return x
        if count == 10:
            eta, count = 2 * eta, 0
            continue
        new = [a - eta * b for a, b in zip(x, slope, strict=True)]
        if mp.norm([a - b for a, b in zip(x, new, strict=True)]) <= tiny:
            return x
        lower = f(new)
        if lower < value:
            x, value, slope, count = new, lower, gradient(new), count + 1
        else:
            eta, count = eta / 2, 0


def particle(given: Given) -> Given:
    step = mpf(1) / 10

    def landed(w: Vector) -> Any:
        charges = [(mpf(10), 10 - w[0]), (mpf(10), mpf(0))]
        x, v = [mpf(0), mpf(8)], [mpf(3) / 4, mpf(0)]
        while True:
            forces = [[(a - b) / mp.norm([x[0] - c[0], x[1] - c[1]]) ** 3
                       for a, b in zip(x, c, strict=True)] for c in charges]  # fmt: skip
            x = [a + step * b for a, b in zip(x, v, strict=True)]
            if x[1] <= 0:
                return (x[0] - x[1] / v[1] * v[0]) ** 2
            v = [a + step * (b + c) for a, b, c in zip(v, *forces, strict=True)]

    (w,) = descend(landed, lambda w: slopes(landed, w), [mpf(given["w"])])
    return dict.fromkeys(MODES, w)


def saddle(given: Given) -> Given:
    start = numbers(given["start"])

    def surface(x: Vector, y: Vector) -> Any:
        return x[0] ** 2 + x[1] ** 2 - y[0] ** 2 - y[1] ** 2

    def best(x: Vector) -> Vector:
        return descend(lambda y: -surface(x, y), lambda y: [2 * y[0], 2 * y[1]], start)

    x = descend(lambda x: surface(x, best(x)), lambda x: [2 * x[0], 2 * x[1]], start)
    return {modes: [*x, *best(x)] for modes in MODES}
