"""Hand tracking: how far a skinned hand in a pose is from measured points, and the Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradwalk as gw
from gradwalk import compile, concatenate, cos, jvp, sin, sqrt, stack, vmap

from ..runs import Input, Job, listed

SMALL = 1e-4
FINGERS = range(2, 22, 4)
BONES = [first + joint for first in FINGERS for joint in (0, 0, 1, 2)]
AXES = [0, 1, 0, 0] * len(FINGERS)
"""Bone and axis of each of the 20 angles: all bend, and the first bone of a finger spreads, too."""


def matrix(rows: list[list[Any]]) -> Any:
    """Return the matrices with these entries, which are arrays of one shape."""
    return stack([stack(row, axis=-1) for row in rows], axis=-2)


def bent(angle: Any) -> Any:
    """Return rotations around the first axis."""
    c, s, one, none = cos(angle), sin(angle), np.ones(angle.shape), np.zeros(angle.shape)
    return matrix([[one, none, none], [none, c, -s], [none, s, c]])


def spread(angle: Any) -> Any:
    """Return rotations around the last axis."""
    c, s, one, none = cos(angle), sin(angle), np.ones(angle.shape), np.zeros(angle.shape)
    return matrix([[c, -s, none], [s, c, none], [none, none, one]])


def around(axis: Any) -> Any:
    """Return the rotation around an axis, by its length."""
    angle = sqrt((axis * axis).sum())
    if angle < SMALL:
        return np.eye(3)
    x, y, z = axis / angle
    c, s, d = cos(angle), sin(angle), 1.0 - cos(angle)
    return matrix([[x * x * d + c, x * y * d - z * s, x * z * d + y * s],
                   [x * y * d + z * s, y * y * d + c, y * z * d - x * s],
                   [x * z * d - y * s, y * z * d + x * s, z * z * d + c]])  # fmt: skip


class Hand:
    """The model of an input, and its measured points."""

    def __init__(self, given: Input) -> None:
        data, model = given["data"], given["data"]["model"]
        self.levels = levels(model["parents"])
        order = [bone for bones, _ in self.levels for bone in bones]
        self.relatives = np.array(model["base_relatives"], np.float64)
        self.inverses = np.array(model["inverse_base_absolutes"], np.float64)[order]
        self.weights = np.array(model["weights"], np.float64)[:, order]
        self.positions = np.array(model["base_positions"], np.float64)
        self.mirror = np.array([-1.0 if model["is_mirrored"] else 1.0, 1.0, 1.0])
        self.targets = np.array(data["points"], np.float64)
        self.theta, self.us = (np.array(given[name], np.float64) for name in ("theta", "us"))
        chosen = np.array(data["correspondences"], int)
        self.corners = np.array(model["triangles"], int)[chosen].T if self.us.size else chosen

    def bones(self, theta: Any) -> Any:
        """Return the transform of each bone from its pose of rest, level by level."""
        angles = gw.Tensor(np.zeros((len(self.relatives), 2)))
        angles[BONES, AXES] = theta[6:]
        turns = spread(angles[:, 1]) @ bent(angles[:, 0])
        relatives = concatenate(
            [self.relatives[:, :, :3] @ turns, self.relatives[:, :, 3:]], axis=2
        )
        absolutes = [relatives[self.levels[0][0]]]
        for bones, parents in self.levels[1:]:
            absolutes.append(absolutes[-1][parents] @ relatives[bones])
        return concatenate(absolutes)[:, :3] @ self.inverses

    def vertices(self, theta: Any) -> Any:
        """Return the position of each vertex: the mean of what its bones do with it."""
        count = len(self.positions)
        shares = (self.weights[:, :, None] * self.positions[:, None, :]).reshape(count, -1)
        skin = shares @ self.bones(theta).transpose(0, 2, 1).reshape(-1, 3)
        return (skin * self.mirror) @ around(theta[:3]).T + theta[3:6]

    def errors(self, theta: Any, us: Any) -> Any:
        """Return what each measured point is off from its vertex, or its point of a triangle."""
        vertices = self.vertices(theta)
        if not us.size:
            return self.targets - vertices[self.corners]
        a, b, c = (vertices[corner] for corner in self.corners)
        u, v = us[:, :1], us[:, 1:]
        return self.targets - (u * a + v * b + (1.0 - u - v) * c)

    def jacobian(self, theta: Any, us: Any) -> Any:
        """Return the derivatives by the two numbers of the own point, then by theta.

        A point depends on its own two numbers only: two directions give their derivatives.
        """
        near, size = 2 if us.size else 0, len(theta)
        pose = np.concatenate([np.zeros((near, size)), np.eye(size)])
        place = np.zeros((near + size, *us.shape))
        for i in range(near):
            place[i, :, i] = 1.0

        def derivative(pose: Any, place: Any) -> Any:
            return jvp(self.errors, (theta, us), (pose, place))[1]

        return vmap(derivative)(pose, place).reshape(near + size, -1).T


def levels(parents: list[int]) -> list[tuple[list[int], list[int]]]:
    """Return the bones of each depth, and the places of their parents among those above."""
    depth: list[int] = []
    for parent in parents:
        depth.append(0 if parent == -1 else depth[parent] + 1)
    found: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for bone, level in enumerate(depth):
        found[level].append(bone)
    places = {bone: place for bones in found for place, bone in enumerate(bones)}
    return [(bones, [places.get(parents[bone], -1) for bone in bones]) for bones in found]


def objective(given: Input) -> Job:
    hand = Hand(given)
    errors = compile(hand.errors)
    return Job(lambda: errors(hand.theta, hand.us), lambda found: found.reshape(-1).tolist())


def jacobian(given: Input) -> Job:
    hand = Hand(given)
    derivatives = compile(hand.jacobian)
    return Job(lambda: derivatives(hand.theta, hand.us), listed)


FUNCTIONS = {"objective": objective, "jacobian": jacobian}
