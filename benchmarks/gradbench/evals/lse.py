"""The logarithm of a sum of exponentials, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import compile, exp, grad, log, stop_gradient

from ..runs import Input, Job, listed


def logsumexp(x: Any) -> Any:
    greatest = stop_gradient(x.max())
    return greatest + log(exp(x - greatest).sum())


def primal(given: Input) -> Job:
    x = np.array(given["x"], np.float64)
    value = compile(logsumexp)
    return Job(lambda: value(x))


def gradient(given: Input) -> Job:
    x = np.array(given["x"], np.float64)
    slopes = compile(grad(logsumexp))
    return Job(lambda: slopes(x), listed)


FUNCTIONS = {"primal": primal, "gradient": gradient}
