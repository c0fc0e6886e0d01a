"""A system of differential equations by Runge's and Kutta's method, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import compile, concatenate, grad

from ..runs import Input, Job, listed


def solve(x: Any, steps: int) -> Any:
    """Return y at time 2 from y = 0 at time 0, where y₀' = x₀ and yᵢ' = xᵢ yᵢ₋₁."""

    def rate(y: Any) -> Any:
        return x * concatenate([np.ones(1), y[:-1]])

    h, y = 2.0 / steps, 0.0 * x
    for _ in range(steps):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        k4 = rate(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def _given(given: Input) -> tuple[Any, int]:
    return np.array(given["x"], np.float64), given["s"]


def primal(given: Input) -> Job:
    x, steps = _given(given)
    value = compile(lambda x: solve(x, steps))
    return Job(lambda: value(x), listed)


def gradient(given: Input) -> Job:
    x, steps = _given(given)
    last = compile(grad(lambda x: solve(x, steps)[-1]))
    return Job(lambda: last(x), listed)


FUNCTIONS = {"primal": primal, "gradient": gradient}
