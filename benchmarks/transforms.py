"""Costs of derivatives, relative to the function: programs on arrays of 100,000 numbers.

Each program has ten operations or more. `cheap` has no slow operation, so the time shows every
array that a derivative touches. In `dear` the functions themselves dominate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import numpy as np

import gradwalk as gw

SIZE = 100_000


def cheap(x: Any) -> Any:
    """Compute sums, products and a maximum."""
    a = x * x + 0.5
    b = a * x - x
    c = gw.maximum(a, b) * 0.25
    d = c + a * b
    return ((d - x) * (d + x)).mean()


def dear(x: Any) -> Any:
    """Compute transcendental functions."""
    a = gw.sin(x) * gw.exp(-0.5 * x * x)
    b = gw.tanh(a + x) + gw.log1p(x * x)
    return (gw.sqrt(1.0 + b * b) * gw.cos(a)).sum()


def mixed(x: Any) -> Any:
    """Compute a small physical model: slices, differences, a softmax, reductions."""
    step = x[1:] - x[:-1]
    energy = (step * step).sum() + 0.1 * (x**4).sum()
    weights = gw.softmax(x.reshape((-1, 100)), axis=1)
    spread = (weights * x.reshape((-1, 100))).sum(axis=1)
    return energy + (gw.log1p(spread * spread)).sum()


def horner(x: Any) -> Any:
    """Compute a polynomial of degree 7: products and sums, each depending on the one before."""
    y = x * 0.5 + 1.0
    for _ in range(6):
        y = y * x + 0.25
    return y.sum()


def clipped(x: Any) -> Any:
    """Choose between numbers, with derivatives that are mostly zeros."""
    y = gw.clip(x, -1.0, 1.0) * 2.0
    y = gw.where(y > 0.0, y * x, y + x)
    y = gw.clip(y, -2.0, 2.0)
    y = gw.where(x > 0.5, y, y * y)
    y = gw.maximum(y, 0.1 * y) + gw.minimum(y, x)
    return (y * y).sum()


CASES = (cheap, dear, mixed, horner, clipped)
PROGRAMS: dict[str, Callable[[Any], Any]] = {f.__name__: f for f in CASES}


def costs(steps: int) -> dict[str, Any]:
    """Measure each gradient relative to its program, and each Hessian product to its gradient.

    ``gradient`` and ``hvp`` are the largest of these ratios.
    """
    rng = np.random.default_rng(0)
    x, v = rng.normal(size=SIZE), rng.normal(size=SIZE)
    facts: dict[str, Any] = {}
    for name, f in PROGRAMS.items():
        plain, both, gradient, product = in_turn(_jobs(f, x, v), steps)
        facts[f"{name}_ms"] = 1e3 * plain
        facts[f"{name}_gradient"], facts[f"{name}_hvp"] = both / plain, product / gradient
    for key in ("gradient", "hvp"):
        facts[key] = max(facts[f"{name}_{key}"] for name in PROGRAMS)
    return {**facts, "total": facts["hvp"]}


def _jobs(f: Callable[[Any], Any], x: Any, v: Any) -> list[Callable[[], Any]]:
    gradient, both, product = gw.grad(f), gw.value_and_grad(f), gw.hvp(f)
    return [lambda: f(x), lambda: both(x), lambda: gradient(x), lambda: product(x, v)]


def in_turn(jobs: Sequence[Callable[[], Any]], steps: int) -> list[float]:
    """Return the lower quartile of the times of each job. The jobs run in turn."""
    times: list[list[float]] = [[] for _ in jobs]
    for step in range(steps + 2):
        for job, seconds in zip(jobs, times, strict=True):
            start = process_time()
            job()
            if step >= 2:  # the first two fill caches and take memory from the system
                seconds.append(process_time() - start)
    return [float(np.percentile(seconds, 25)) for seconds in times]


# --- a small program ------------------------------------------------------------------------------


def small(steps: int) -> dict[str, Any]:
    """Measure `grad` of two operations relative to the same with `Value` and `gradients`.

    The difference is the Python code of `grad`: it flattens, checks, and looks for leaks.
    """
    gradient = gw.grad(lambda v: v[0] * v[1] + v[0])

    def by_hand() -> Any:
        a, b = gw.Value(1.0), gw.Value(2.0)
        return gw.gradients(a * b + a, [a, b])

    def often(job: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:  # one call is too short for the clock
            for _ in range(1000):
                job()

        return run

    seconds = in_turn([often(lambda: gradient([1.0, 2.0])), often(by_hand)], steps)
    facts = {"gradient_us": 1e3 * seconds[0], "by_hand_us": 1e3 * seconds[1]}
    return {**facts, "total": seconds[0] / seconds[1]}


# --- a program of numbers, compiled ---------------------------------------------------------------


def lotka_volterra(p: Sequence[Any]) -> Any:
    """Return the prey after 500 Euler steps of a model of four parameters, in plain float code."""
    x, y = 1.0, 1.0
    for _ in range(500):
        dx, dy = x * (p[0] - p[1] * y), y * (p[2] * x - p[3])
        x, y = x + 0.01 * dx, y + 0.01 * dy
    return x


def compiled(steps: int) -> dict[str, Any]:
    """Measure compiled derivatives of it relative to plain floats, and a call of a small one."""
    point = [1.5, 1.0, 3.0, 1.0]
    programs = [gw.compile(f) for f in (gw.hessian(lotka_volterra), lotka_volterra)]
    gradient = gw.compile(gw.value_and_grad(lotka_volterra))
    product = gw.compile(lambda x, y: x * y)

    def calls() -> None:
        for _ in range(1000):
            product(2.0, 3.0)

    jobs = [lambda: lotka_volterra(point), *[lambda f=f: f(point) for f in programs]]
    plain, hessian, values, slopes, call = in_turn([*jobs, lambda: gradient(point), calls], steps)
    return {
        "hessian": hessian / plain,
        "gradient": slopes / values,
        "total": 1e3 * call,  # microseconds a call
    }


def eager(steps: int) -> dict[str, Any]:
    """Measure derivatives of it that are not compiled, relative to plain floats and to `grad`."""
    point, v = [1.5, 1.0, 3.0, 1.0], [1.0, 0.5, -0.25, 2.0]
    gradient, hessian = gw.grad(lotka_volterra), gw.hessian(lotka_volterra)
    plain, slopes, bends, pushed, pulled = in_turn(
        [
            lambda: lotka_volterra(point),
            lambda: gradient(point),
            lambda: hessian(point),
            lambda: gw.jvp(lotka_volterra, (point,), (v,)),
            lambda: gw.vjp(lotka_volterra, point)[1](1.0),
        ],
        steps,
    )
    return {"jvp": pushed / slopes, "vjp": pulled / slopes, "total": bends / plain}


# --- a sparse Jacobian ----------------------------------------------------------------------------


def by_parts(x: Any) -> Any:
    """Compute results that depend on one number and its two neighbours, by slices."""
    inner = x[1:-1] * x[1:-1] - gw.sin(x[:-2]) * x[2:]
    return gw.concatenate([x[:1] * x[1:2], inner, x[-1:] * x[-2:-1]])


def by_rolling(x: Any) -> Any:
    """Compute results that depend on two neighbours on a ring, by `roll`."""
    return x * x - gw.sin(gw.roll(x, 1)) * gw.roll(x, -1)


def by_padding(x: Any) -> Any:
    """Compute results that depend on two neighbours, with a boundary of 0, by `pad`."""
    wide = gw.pad(x, 1)
    return wide[:-2] - 2.0 * gw.exp(wide[1:-1]) + wide[2:] * wide[1:-1]


WAYS = (by_parts, by_rolling, by_padding)
VARIABLES = 10_000


def sparse(steps: int) -> dict[str, Any]:
    """Measure the seconds of a sparse Jacobian with its pattern, and its passes: the worst case."""
    x = np.random.default_rng(0).normal(size=VARIABLES)
    facts: dict[str, Any] = {"total": 0.0, "sweeps": 0}
    for f in WAYS:
        seconds = in_turn([lambda f=f: gw.sparse_jacobian(f, x)], steps)[0]  # type: ignore[misc]
        facts[f"{f.__name__}_s"] = seconds
        facts["total"] = max(facts["total"], seconds)
        facts["sweeps"] = max(facts["sweeps"], gw.coloring(gw.sparsity(f, x)).sweeps)
    return facts
