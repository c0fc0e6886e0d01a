"""The cost of clusters, and the step of Newton's method: its Hessian is diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import compile, grad, jvp

from ..runs import Input, Job, listed


def distance(points: Any, centroids: Any) -> Any:
    """Return the sum of the squared distances of all points from the nearest centroid."""
    squares = (centroids * centroids).sum(axis=1) - 2.0 * (points @ centroids.T)
    return (squares.min(axis=1) + (points * points).sum(axis=1)).sum()


def direction(points: Any, centroids: Any) -> Any:
    """Return the gradient divided by the diagonal of the Hessian, which times ones is its rows."""
    slopes = grad(lambda c: distance(points, c))
    gradient, curvature = jvp(slopes, (centroids,), (np.ones_like(centroids),))
    return gradient / curvature


def _given(given: Input) -> tuple[Any, Any]:
    return np.array(given["points"], np.float64), np.array(given["centroids"], np.float64)


def cost(given: Input) -> Job:
    points, centroids = _given(given)
    value = compile(distance)
    return Job(lambda: value(points, centroids))


def step(given: Input) -> Job:
    points, centroids = _given(given)
    newton = compile(direction)
    return Job(lambda: newton(points, centroids), listed)


FUNCTIONS = {"cost": cost, "dir": step}
