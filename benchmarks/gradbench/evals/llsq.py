"""Least squares: the fit of a polynomial to the sign function, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import compile, grad

from ..runs import Input, Job, listed


def objective(x: Any, n: int) -> Any:
    t = -1.0 + np.arange(n) * 2.0 / (n - 1)
    rest = np.sign(t) - np.vander(t, len(x), increasing=True) @ x
    return 0.5 * (rest * rest).sum()


def primal(given: Input) -> Job:
    x, n = np.array(given["x"], np.float64), given["n"]
    value = compile(objective, static_argnums=1)
    return Job(lambda: value(x, n))


def gradient(given: Input) -> Job:
    x, n = np.array(given["x"], np.float64), given["n"]
    slopes = compile(grad(objective), static_argnums=1)
    return Job(lambda: slopes(x, n), listed)


FUNCTIONS = {"primal": primal, "gradient": gradient}
