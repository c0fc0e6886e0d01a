"""Evals on whole arrays: `det`, `lse`, `llsq`, `kmeans`, `gmm`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from mpmath import mp, mpf

from .digits import Given, Vector, cut, numbers, ravel, slopes


def sign(order: Sequence[int]) -> int:
    pairs = [(i, j) for j in range(len(order)) for i in range(j)]
    return (-1) ** sum(order[i] > order[j] for i, j in pairs)


def determinant(flat: Vector) -> Any:
    """Return the sum over all permutations, as Leibniz has it."""
    size = int(mp.sqrt(len(flat)))
    return mp.fsum(
        sign(order) * mp.fprod(flat[r * size + order[r]] for r in range(size))
        for order in permutations(range(size))
    )


def det(given: Given) -> Given:
    a = numbers(given["A"])
    return {"primal": determinant(a), "gradient": slopes(determinant, a)}


def lse(given: Given) -> Given:
    x = numbers(given["x"])
    total = mp.fsum(map(mp.exp, x))
    return {"primal": mp.log(total), "gradient": [mp.exp(v) / total for v in x]}


def llsq(given: Given) -> Given:
    x, n = numbers(given["x"]), given["n"]

    def objective(x: Vector) -> Any:
        total = mpf(0)
        for i in range(n):
            t = -1 + 2 * mpf(i) / (n - 1)
            fit = mp.fsum(c * t**j for j, c in enumerate(x))
            total += (mp.sign(t) - fit) ** 2
        return total / 2

    return {"primal": objective(x), "gradient": slopes(objective, x)}


def kmeans(given: Given) -> Given:
    """Return the sum of the squared distances; a step of Newton's method goes from the means."""
    points, centroids = numbers(given["points"]), numbers(given["centroids"])

    def distance(a: Vector, b: Vector) -> Any:
        return mp.fsum((x - y) ** 2 for x, y in zip(a, b, strict=True))

    nearest = [min(centroids, key=lambda c: distance(c, p)) for p in points]
    steps = []
    for c in centroids:
        own = [p for p, near in zip(points, nearest, strict=True) if near is c]
        steps.append([x - mp.fsum(xs) / len(own) for x, *xs in zip(c, *own, strict=True)])
    return {"cost": mp.fsum(map(distance, points, nearest)), "dir": steps}


def gmm(given: Given) -> Given:
    """Return the logarithm of the product of densities, none of which is simplified."""
    d, k, m, gamma = given["d"], given["k"], given["m"], mpf(given["gamma"])
    shapes = (1, k), (k, d), (k, d), (k, d * (d - 1) // 2)
    names = "alpha", "mu", "q", "l"

    def precision(q: Vector, low: Vector) -> Any:
        factor, turn = mp.diag([mp.exp(x) for x in q]), iter(low)
        for c in range(d):
            for r in range(c + 1, d):
                factor[r, c] = next(turn)
        return factor.T * factor

    def normal(x: Vector, mean: Vector, inverse: Any) -> Any:
        off = mp.matrix([a - b for a, b in zip(x, mean, strict=True)])
        return mp.exp(-(off.T * inverse * off)[0] / 2) * mp.sqrt(mp.det(inverse) / (2 * mp.pi) ** d)

    def wishart(inverse: Any) -> Any:
        n = d + m + 1
        gammas = mp.pi ** (mpf(d * (d - 1)) / 4) * mp.fprod(
            mp.gamma(mpf(n - j) / 2) for j in range(d)
        )
        trace = mp.fsum(inverse[i, i] for i in range(d)) * gamma**2
        above = mp.det(inverse) ** (mpf(n - d - 1) / 2) * mp.exp(-trace / 2)
        return above / (2 ** (mpf(n * d) / 2) * gamma ** -(n * d) * gammas)

    def objective(flat: Vector) -> Any:
        (alpha,), mu, q, low = cut(flat, *shapes)
        weights = [mp.exp(a) / mp.fsum(map(mp.exp, alpha)) for a in alpha]
        inverses = [precision(*row) for row in zip(q, low, strict=True)]
        parts = [*zip(weights, mu, inverses, strict=True)]
        x = numbers(given["x"])
        logs = [mp.log(mp.fsum(w * normal(row, *part) for w, *part in parts)) for row in x]
        return mp.fsum(logs) + mp.fsum(mp.log(wishart(inverse)) for inverse in inverses)

    flat = [x for name in names for x in ravel(numbers(given[name]))]
    found = cut(slopes(objective, flat), *shapes)
    jacobian = dict(zip(names, [found[0][0], *found[1:]], strict=True))
    return {"objective": objective(flat), "jacobian": jacobian}
