"""Bundle adjustment: errors of projected points, and their sparse Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import cos, sin, sqrt, stack, vjp, where

from ..runs import Input, Job

CAMERA = 11  # rotation 3, centre 3, focal length, principal point 2, radial distortion 2


def rotated(rotation: Any, point: Any) -> list[Any]:
    """Return points turned around axes by angles, by the formula of Rodrigues."""
    square = sum(r * r for r in rotation)
    turns = square != 0.0
    angle = sqrt(where(turns, square, 1.0))
    c, s = cos(angle), sin(angle)
    axis = [r / angle for r in rotation]
    along = sum(a * p for a, p in zip(axis, point, strict=True)) * (1.0 - c)
    turned = [
        p * c + q * s + a * along for p, q, a in zip(point, cross(axis, point), axis, strict=True)
    ]
    little = [p + q for p, q in zip(point, cross(rotation, point), strict=True)]
    return [where(turns, t, p) for t, p in zip(turned, little, strict=True)]


def cross(a: Any, b: Any) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def projection_errors(camera: Any, point: Any, weight: Any, feature: Any) -> tuple[Any, Any]:
    """Return both coordinates of the errors; a row of the arguments is one coordinate of all."""
    x, y, z = rotated(camera[0:3], [point[i] - camera[3 + i] for i in range(3)])
    u, v = x / z, y / z
    square = u * u + v * v
    scale = camera[6] * (1.0 + camera[9] * square + camera[10] * square * square)
    return (weight * (u * scale + camera[7] - feature[0]),
            weight * (v * scale + camera[8] - feature[1]))  # fmt: skip


def weight_errors(weight: Any) -> Any:
    return 1.0 - weight * weight


class Problem:
    """The observations of an input: one camera, one point, one weight and one feature, repeated."""

    def __init__(self, given: Input) -> None:
        self.n, self.m, self.p = given["n"], given["m"], given["p"]
        every = np.arange(self.p)
        self.cameras = np.tile(np.array(given["cam"], np.float64), (self.n, 1))
        self.points = np.tile(np.array(given["x"], np.float64), (self.m, 1))
        self.weights = np.full(self.p, given["w"])
        self.features = np.tile(np.array(given["feat"], np.float64), (self.p, 1))
        self.camera_of, self.point_of = every % self.n, every % self.m

    def observed(self) -> tuple[Any, Any, Any]:
        """Return camera, point and weight of each observation, a column each."""
        return self.cameras[self.camera_of].T, self.points[self.point_of].T, self.weights

    def errors(self, camera: Any, point: Any, weight: Any) -> tuple[Any, Any]:
        """Return the errors of the projections, an array for each coordinate."""
        return projection_errors(camera, point, weight, self.features.T)

    def objective(self) -> tuple[Any, Any]:
        """Return the errors of the projections, both coordinates in turn, and of the weights."""
        return stack(self.errors(*self.observed()), axis=1), weight_errors(self.weights)

    def jacobian(self) -> tuple[Any, Any, Any]:
        """Return the Jacobian in rows, as starts of the rows, columns and values.

        A coordinate of an error depends on its own observation only, so one pass gives the
        derivatives of this coordinate of all observations.
        """
        _, back = vjp(self.errors, *self.observed())
        one, none = np.ones(self.p), np.zeros(self.p)
        values = np.empty((self.p, 2, CAMERA + 4))
        for row, seeds in enumerate([(one, none), (none, one)]):
            camera, point, weight = back(seeds)
            values[:, row, :CAMERA], values[:, row, CAMERA:-1] = camera.T, point.T
            values[:, row, -1] = weight
        _, back = vjp(weight_errors, self.weights)
        return self.starts(), self.columns(), np.concatenate([values.ravel(), *back(one)])

    def starts(self) -> Any:
        """Return where each row begins among the values."""
        widths = np.repeat([CAMERA + 4, 1], [2 * self.p, self.p])
        return np.concatenate([[0], np.cumsum(widths)])

    def columns(self) -> Any:
        """Return the column of each value: all cameras, then all points, then all weights."""
        block = np.empty((self.p, CAMERA + 4), np.int64)
        points, weights = CAMERA * self.n, CAMERA * self.n + 3 * self.m
        block[:, :CAMERA] = CAMERA * self.camera_of[:, None] + np.arange(CAMERA)
        block[:, CAMERA:-1] = points + 3 * self.point_of[:, None] + np.arange(3)
        block[:, -1] = last = weights + np.arange(self.p)
        return np.concatenate([np.repeat(block, 2, axis=0).ravel(), last])


def _errors_output(found: tuple[Any, Any]) -> dict[str, Any]:
    """Return the first errors and how many there are: all are equal, for the input is."""
    projected, weights = found
    return {
        "reproj_error": {"elements": projected[0].tolist(), "repeated": len(projected)},
        "w_err": {"element": float(weights[0]), "repeated": len(weights)},
    }


def _jacobian_output(found: tuple[Any, ...]) -> dict[str, Any]:
    """Return the two rows of the first observation, and the last element."""
    shown = 2 * (CAMERA + 4)
    pairs = zip(("rows", "cols", "vals"), found, strict=True)
    return {name: [*array[:shown].tolist(), array[-1].item()] for name, array in pairs}


FUNCTIONS = {
    "objective": lambda given: Job(Problem(given).objective, _errors_output),
    "jacobian": lambda given: Job(Problem(given).jacobian, _jacobian_output),
}
