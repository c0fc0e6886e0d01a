"""The evals in JAX, compiled by `jax.jit`; steps in time are `jax.lax.scan`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

from ..evals.ba import CAMERA
from ..evals.det import expansions
from ..evals.ht import AXES, BONES, levels

jax.config.update("jax_enable_x64", True)

Calls = tuple[Callable[[], Any], Callable[[], Any]]


def calls(f: Any, derivative: Any, *arguments: Any) -> Calls:
    """Return both calls, compiled."""
    placed = jax.tree.map(jnp.asarray, arguments)
    return tuple(partial(_finished, jax.jit(g), placed) for g in (f, derivative))  # type: ignore[return-value]


def _finished(f: Any, arguments: Any) -> Any:
    return jax.block_until_ready(f(*arguments))


def det(given: Any) -> Calls:
    size = given["ell"]
    rows = expansions(size)

    def determinant(a: Any) -> Any:
        minors = jnp.ones((len(rows[-1][0]), 1))
        for r in range(size - 1, -1, -1):
            columns, signs = rows[r]
            minors = (a[r][columns] * signs * minors).sum(axis=1)
            minors = minors.reshape(rows[r - 1][0].shape) if r else minors[0]
        return minors

    return calls(determinant, jax.grad(determinant), np.reshape(given["A"], (size, size)))


def lse(given: Any) -> Calls:
    def total(x: Any) -> Any:
        greatest = jax.lax.stop_gradient(x.max())
        return greatest + jnp.log(jnp.exp(x - greatest).sum())

    return calls(total, jax.grad(total), np.array(given["x"]))


def llsq(given: Any) -> Calls:
    n, m = given["n"], len(given["x"])

    def objective(x: Any) -> Any:
        t = -1.0 + jnp.arange(n) * 2.0 / (n - 1)
        rest = jnp.sign(t) - jnp.vander(t, m, increasing=True) @ x
        return 0.5 * (rest * rest).sum()

    return calls(objective, jax.grad(objective), np.array(given["x"]))


def kmeans(given: Any) -> Calls:
    def distance(points: Any, centroids: Any) -> Any:
        squares = (centroids * centroids).sum(axis=1) - 2.0 * (points @ centroids.T)
        return (squares.min(axis=1) + (points * points).sum(axis=1)).sum()

    def direction(points: Any, centroids: Any) -> Any:
        slopes = jax.grad(partial(distance, points))
        gradient, curvature = jax.jvp(slopes, (centroids,), (jnp.ones_like(centroids),))
        return gradient / curvature

    points, centroids = np.array(given["points"]), np.array(given["centroids"])
    return calls(distance, direction, points, centroids)


def gmm(given: Any) -> Calls:
    k, d, m, gamma = given["k"], given["d"], given["m"], given["gamma"]
    columns, rows = np.triu_indices(d, 1)
    every = np.arange(d)
    freedom = d + m + 1
    terms = [math.lgamma(0.5 * (freedom - j)) for j in range(d)]
    normal = 0.25 * d * (d - 1) * math.log(math.pi) + sum(terms)
    constant = freedom * d * math.log(gamma / math.sqrt(2.0)) - normal

    def objective(independent: Any, x: Any) -> Any:
        alpha, mu, q, low = independent
        factor = jnp.zeros((k, d, d)).at[:, rows, columns].set(low)
        factor = factor.at[:, every, every].set(jnp.exp(q))
        centred = x @ factor.reshape(k * d, d).T - (factor @ mu[:, :, None]).reshape(k * d)
        squares = (centred * centred).reshape(len(x), k, d).sum(axis=2)
        found = logsumexp(alpha + q.sum(axis=1) - 0.5 * squares, axis=1).sum()
        found = found - len(x) * (0.5 * d * math.log(2.0 * math.pi) + logsumexp(alpha))
        return found + k * constant - 0.5 * gamma**2 * (factor * factor).sum() + m * q.sum()

    independent = tuple(np.array(given[name]) for name in ("alpha", "mu", "q", "l"))
    return calls(objective, jax.grad(objective), independent, np.array(given["x"]))


def ba(given: Any) -> Calls:
    n, m, p = given["n"], given["m"], given["p"]
    camera_of, point_of = np.arange(p) % n, np.arange(p) % m

    def error(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
        rotation, moved = camera[:3], point - camera[3:6]
        square = rotation @ rotation
        angle = jnp.sqrt(jnp.where(square == 0.0, 1.0, square))
        axis, c, s = rotation / angle, jnp.cos(angle), jnp.sin(angle)
        turned = moved * c + jnp.cross(axis, moved) * s + axis * (axis @ moved) * (1.0 - c)
        turned = jnp.where(square == 0.0, moved + jnp.cross(rotation, moved), turned)
        u = turned[:2] / turned[2]
        square = u @ u
        scale = camera[6] * (1.0 + camera[9] * square + camera[10] * square * square)
        return weight * (u * scale + camera[7:9] - feature)

    def objective(cameras: Any, points: Any, weights: Any, features: Any) -> Any:
        found = jax.vmap(error)(cameras[camera_of], points[point_of], weights, features)
        return found, 1.0 - weights * weights

    def jacobian(cameras: Any, points: Any, weights: Any, features: Any) -> Any:
        seen = cameras[camera_of], points[point_of], weights
        blocks = jax.vmap(jax.jacrev(error, argnums=(0, 1, 2)))(*seen, features)
        values = jnp.concatenate([*blocks[:2], blocks[2][:, :, None]], axis=2)
        starts = jnp.repeat(
            jnp.array([CAMERA + 4, 1]), jnp.array([2 * p, p]), total_repeat_length=3 * p
        )
        first = jnp.concatenate([jnp.zeros(1, int), jnp.cumsum(starts)])
        last = CAMERA * n + 3 * m + jnp.arange(p)
        block = [CAMERA * camera_of[:, None] + jnp.arange(CAMERA),
                 CAMERA * n + 3 * point_of[:, None] + jnp.arange(3), last[:, None]]  # fmt: skip
        columns = jnp.repeat(jnp.concatenate(block, axis=1), 2, axis=0).ravel()
        slopes = jax.vmap(jax.grad(lambda w: 1.0 - w * w))(weights)
        return first, jnp.concatenate([columns, last]), jnp.concatenate([values.ravel(), slopes])

    cameras = np.tile(given["cam"], (n, 1))
    points, features = np.tile(given["x"], (m, 1)), np.tile(given["feat"], (p, 1))
    return calls(objective, jacobian, cameras, points, np.full(p, given["w"]), features)


def ht(given: Any) -> Calls:
    data, model = given["data"], given["data"]["model"]
    depths = levels(model["parents"])
    order = [bone for bones, _ in depths for bone in bones]
    relatives = np.array(model["base_relatives"])
    inverses = np.array(model["inverse_base_absolutes"])[order]
    positions, weights = np.array(model["base_positions"]), np.array(model["weights"])[:, order]
    corners = np.array(model["triangles"])[data["correspondences"]].T
    targets, us = np.array(data["points"]), np.array(given["us"])

    def matrix(rows: Any) -> Any:
        return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)

    def vertices(theta: Any) -> Any:
        angles = jnp.zeros((len(relatives), 2)).at[np.array(BONES), np.array(AXES)].set(theta[6:])
        one, none = jnp.ones(len(relatives)), jnp.zeros(len(relatives))
        c, s = jnp.cos(angles), jnp.sin(angles)
        bend = matrix([[one, none, none], [none, c[:, 0], -s[:, 0]], [none, s[:, 0], c[:, 0]]])
        spread = matrix([[c[:, 1], -s[:, 1], none], [s[:, 1], c[:, 1], none], [none, none, one]])
        own = jnp.concatenate([relatives[:, :, :3] @ (spread @ bend), relatives[:, :, 3:]], axis=2)
        absolutes = [own[np.array(depths[0][0])]]
        for bones, parents in depths[1:]:
            absolutes.append(absolutes[-1][np.array(parents)] @ own[np.array(bones)])
        bones = jnp.concatenate(absolutes)[:, :3] @ inverses
        shares = (weights[:, :, None] * positions[:, None, :]).reshape(len(positions), -1)
        skin = shares @ bones.transpose(0, 2, 1).reshape(-1, 3)
        angle = jnp.linalg.norm(theta[:3])
        x, y, z = theta[:3] / angle
        c, s, d = jnp.cos(angle), jnp.sin(angle), 1.0 - jnp.cos(angle)
        turn = matrix([[x * x * d + c, x * y * d - z * s, x * z * d + y * s],
                       [x * y * d + z * s, y * y * d + c, y * z * d - x * s],
                       [x * z * d - y * s, y * z * d + x * s, z * z * d + c]])  # fmt: skip
        return skin @ turn.T + theta[3:6]

    def errors(theta: Any, us: Any) -> Any:
        a, b, c = vertices(theta)[corners]
        u, v = us[:, :1], us[:, 1:]
        return targets - (u * a + v * b + (1.0 - u - v) * c)

    def jacobian(theta: Any, us: Any) -> Any:
        pose = jnp.concatenate([jnp.zeros((2, len(theta))), jnp.eye(len(theta))])
        place = jnp.zeros((len(pose), *us.shape)).at[0, :, 0].set(1.0).at[1, :, 1].set(1.0)
        push = jax.vmap(lambda a, b: jax.jvp(errors, (theta, us), (a, b))[1])
        return push(pose, place).reshape(len(pose), -1).T

    return calls(errors, jacobian, np.array(given["theta"]), us)


def lstm(given: Any) -> Calls:
    state = np.array(given["state"])
    bits = state.shape[1]

    def loss(main: Any, extra: Any, sequence: Any) -> Any:
        gates = main.reshape(-1, 2, 4, bits)

        def step(states: Any, pair: Any) -> Any:
            x, following = pair
            x, moved = x * extra[0], []
            for (weight, bias), (hidden, kept) in zip(gates, states, strict=True):
                forget = jax.nn.sigmoid(x * weight[0] + bias[0])
                write = jax.nn.sigmoid(hidden * weight[1] + bias[1])
                show = jax.nn.sigmoid(x * weight[2] + bias[2])
                kept = kept * forget + write * jnp.tanh(hidden * weight[3] + bias[3])
                x = show * jnp.tanh(kept)
                moved.append((x, kept))
            guess = x * extra[1] + extra[2]
            return moved, (following * (guess - jnp.log(2.0 + jnp.exp(guess).sum()))).sum()

        start = [(state[i], state[i + 1]) for i in range(0, len(state), 2)]
        totals = jax.lax.scan(step, start, (sequence[:-1], sequence[1:]))[1]
        return -totals.sum() / sequence[1:].size

    names = ("main_params", "extra_params", "sequence")
    return calls(loss, jax.grad(loss, argnums=(0, 1)), *(np.array(given[name]) for name in names))


def ode(given: Any) -> Calls:
    steps = given["s"]
    h = 2.0 / steps

    def solve(x: Any) -> Any:
        def rate(y: Any) -> Any:
            return x * jnp.concatenate([jnp.ones(1), y[:-1]])

        def step(y: Any, _: Any) -> Any:
            k1 = rate(y)
            k2 = rate(y + 0.5 * h * k1)
            k3 = rate(y + 0.5 * h * k2)
            k4 = rate(y + h * k3)
            return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

        return jax.lax.scan(step, jnp.zeros_like(x), None, length=steps)[0]

    return calls(solve, jax.grad(lambda x: solve(x)[-1]), np.array(given["x"]))


EVALS = {f.__name__: f for f in (det, lse, llsq, kmeans, gmm, ba, ht, lstm, ode)}
