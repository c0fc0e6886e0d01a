"""Evals of bodies in space: `ba` and `ht`."""

from __future__ import annotations

from typing import Any

from mpmath import mp, mpf

from .digits import Given, Vector, columns, numbers


def rotation(axis: Vector) -> Any:
    """Return the exponential of the matrix of the cross product."""
    x, y, z = axis
    return mp.expm(mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]]), method="taylor")


def ba(given: Given) -> Given:
    n, m, p = (given[name] for name in "nmp")
    feature = numbers(given["feat"])

    def errors(flat: Vector) -> Vector:
        camera, point, weight = flat[:11], flat[11:14], flat[14]
        turned = rotation(camera[:3]) * mp.matrix(
            [a - b for a, b in zip(point, camera[3:6], strict=True)]
        )
        u, v = turned[0] / turned[2], turned[1] / turned[2]
        square = u * u + v * v
        scale = camera[6] * (1 + camera[9] * square + camera[10] * square**2)
        return [weight * (u * scale + camera[7] - feature[0]),
                weight * (v * scale + camera[8] - feature[1])]  # fmt: skip

    flat = [*numbers(given["cam"]), *numbers(given["x"]), mpf(given["w"])]
    rows = [*zip(*columns(errors, flat), strict=True)]
    places = [*range(11), *range(11 * n, 11 * n + 3), 11 * n + 3 * m]
    starts = [15 * row for row in range(2 * p + 1)] + [30 * p + 1 + row for row in range(p)]
    return {
        "objective": {
            "reproj_error": {"elements": errors(flat), "repeated": p},
            "w_err": {"element": 1 - flat[14] ** 2, "repeated": p},
        },
        "jacobian": {
            "rows": [*starts[:30], starts[-1]],
            "cols": [*places, *places, 11 * n + 3 * m + p - 1],
            "vals": [*rows[0], *rows[1], -2 * flat[14]],
        },
    }


def turn(angles: Vector) -> Any:
    """Return the matrix of a bone: its first angle is around x, then its second around z."""
    found = mp.eye(4)
    found[:3, :3] = rotation([0, 0, angles[1]]) * rotation([angles[0], 0, 0])
    return found


def ht(given: Given) -> Given:
    model, data = given["data"]["model"], given["data"]
    relative, inverse = ([mp.matrix(numbers(a)) for a in model[name]]
                         for name in ("base_relatives", "inverse_base_absolutes"))  # fmt: skip
    positions = [mp.matrix(numbers(p)) for p in model["base_positions"]]
    us, theta = numbers(given["us"]), numbers(given["theta"])

    def bones(theta: Vector) -> list[Any]:
        angles = [[mpf(0), mpf(0)] for _ in model["parents"]]
        for finger in range(5):
            own = theta[6 + 4 * finger : 10 + 4 * finger]
            for joint, pair in enumerate([own[:2], [own[2], 0], [own[3], 0]]):
                angles[2 + 4 * finger + joint] = pair
        found: list[Any] = []
        for bone, parent in enumerate(model["parents"]):
            own = relative[bone] * turn(angles[bone])
            found.append(own if parent == -1 else found[parent] * own)
        return [a * b for a, b in zip(found, inverse, strict=True)]

    def vertices(theta: Vector) -> list[Vector]:
        moved, axis = bones(theta), theta[:3]
        whole = rotation(axis) if mp.norm(axis) >= mpf(1) / 10000 else mp.eye(3)
        found = []
        for place, weights in zip(positions, model["weights"], strict=True):
            parts = [mpf(w) * bone * place for w, bone in zip(weights, moved, strict=True)]
            skin = [mp.fsum(part[i] for part in parts) for i in range(3)]
            skin[0] *= -1 if model["is_mirrored"] else 1
            found.append([a + b for a, b in zip(whole * mp.matrix(skin), theta[3:6], strict=True)])
        return found

    def error(i: int, u: Vector, placed: list[Vector]) -> Vector:
        chosen = data["correspondences"][i]
        if u:
            corners = [placed[corner] for corner in model["triangles"][chosen]]
            shares = [*u, 1 - u[0] - u[1]]
            point = [mp.fsum(s * x for s, x in zip(shares, xs, strict=True))
                     for xs in zip(*corners, strict=True)]  # fmt: skip
        else:
            point = placed[chosen]
        return [mpf(a) - b for a, b in zip(data["points"][i], point, strict=True)]

    every = range(len(data["points"]))

    def of(i: int) -> Vector:
        return us[i] if us else []

    def errors(theta: Vector) -> Vector:
        placed = vertices(theta)
        return [x for i in every for x in error(i, of(i), placed)]

    placed = vertices(theta)
    blocks = [columns(lambda u, i=i: error(i, u, placed), of(i)) for i in every]  # type: ignore[misc]
    own = [row for block in blocks for row in zip(*block, strict=True)]
    pose = [*zip(*columns(errors, theta), strict=True)]
    joined = [[*a, *b] for a, b in zip(own, pose, strict=True)] if us else [[*b] for b in pose]
    return {"objective": errors(theta), "jacobian": joined}
