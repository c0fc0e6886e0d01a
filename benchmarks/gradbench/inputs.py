"""Inputs of the evals, drawn from the distributions that GradBench draws its own from.

Where GradBench has data files (`ba`, `ht`, `lstm`), the sizes are those of a file, and the numbers
are drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Numbers = np.random.Generator


def det(rng: Numbers, ell: int) -> dict[str, Any]:
    return {"A": rng.random(ell * ell).tolist(), "ell": ell}


def lse(rng: Numbers, n: int) -> dict[str, Any]:
    return {"x": rng.random(n).tolist()}


def llsq(rng: Numbers, n: int, m: int) -> dict[str, Any]:
    return {"x": rng.random(m).tolist(), "n": n}


def ode(rng: Numbers, n: int, s: int) -> dict[str, Any]:
    return {"x": rng.random(n).tolist(), "s": s}


def kmeans(rng: Numbers, k: int, n: int, d: int) -> dict[str, Any]:
    """Return points, of which the last are the centroids: no cluster is empty."""
    points = rng.random((n, d)).tolist()
    return {"points": points, "centroids": points[-k:]}


def gmm(rng: Numbers, d: int, k: int, n: int, m: int = 0, gamma: float = 1.0) -> dict[str, Any]:
    return {
        **dict(zip(("d", "k", "n", "m", "gamma"), (d, k, n, m, gamma), strict=True)),
        "x": rng.normal(size=(n, d)).tolist(),
        "alpha": rng.normal(size=k).tolist(),
        "mu": rng.uniform(size=(k, d)).tolist(),
        "q": rng.normal(size=(k, d)).tolist(),
        "l": rng.normal(size=(k, d * (d - 1) // 2)).tolist(),
    }


def lstm(rng: Numbers, layers: int, characters: int, bits: int = 14) -> dict[str, Any]:
    """Return a network, and a text in letters and spaces, of which a character is a row of bits."""
    codes = rng.choice([32, *range(97, 123)], size=characters)
    sequence = (codes[:, None] >> np.arange(bits - 1, -1, -1)) & 1
    return {
        "main_params": rng.random((2 * layers, 4 * bits)).tolist(),
        "extra_params": rng.random((3, bits)).tolist(),
        "state": rng.random((2 * layers, bits)).tolist(),
        "sequence": sequence.astype(float).tolist(),
    }


def ba(rng: Numbers, n: int, m: int, p: int) -> dict[str, Any]:
    """Return a camera and a point in front of it."""
    rotation, centre = rng.normal(size=3), rng.normal(size=3)
    lens = [*rng.uniform(400.0, 500.0, 1), *rng.normal(size=2), *rng.normal(0.0, 0.01, 2)]
    return {
        **dict(zip(("n", "m", "p"), (n, m, p), strict=True)),
        "cam": [*rotation.tolist(), *centre.tolist(), *map(float, lens)],
        "x": np.add(centre, [1.0, 2.0, 9.0]).tolist(),
        "w": float(rng.uniform()),
        "feat": rng.normal(100.0, 50.0, 2).tolist(),
    }


def ht(rng: Numbers, points: int, vertices: int, triangles: bool = True) -> dict[str, Any]:
    """Return a hand of 22 bones: a wrist, five fingers of four bones, a forearm."""
    parents = [-1, *(0 if bone % 4 == 1 else bone - 1 for bone in range(1, 21)), 0]
    model = {
        "bone_count": len(parents),
        "bone_names": [f"bone {bone}" for bone in range(len(parents))],
        "parents": parents,
        "base_relatives": [_placed(rng) for _ in parents],
        "inverse_base_absolutes": [_placed(rng) for _ in parents],
        "base_positions": np.pad(rng.normal(size=(vertices, 3)), [(0, 0), (0, 1)],
                                 constant_values=1.0).tolist(),
        "weights": rng.dirichlet(np.ones(len(parents)), size=vertices).tolist(),
        "triangles": rng.integers(0, vertices, (2 * vertices, 3)).tolist(),
        "is_mirrored": False,
    }  # fmt: skip
    chosen = rng.integers(0, 2 * vertices if triangles else vertices, points)
    data = {"model": model, "correspondences": chosen.tolist(),
            "points": rng.normal(size=(points, 3)).tolist()}  # fmt: skip
    us = rng.random((points, 2)) if triangles else np.zeros((0, 2))
    return {"theta": rng.normal(size=26).tolist(), "data": data, "us": us.tolist()}


def _placed(rng: Numbers) -> list[list[float]]:
    """Return a rotation and a translation as a matrix of four rows."""
    turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    placed = np.eye(4)
    placed[:3, :3], placed[:3, 3] = turned, 0.3 * rng.normal(size=3)
    return placed.tolist()  # type: ignore[no-any-return]


def particle(rng: Numbers) -> dict[str, Any]:
    return {"w": 0.0}


def saddle(rng: Numbers) -> dict[str, Any]:
    return {"start": [1.0, 1.0]}


def drawn(name: str, seed: int = 31337, **sizes: Any) -> dict[str, Any]:
    """Return an input of an eval."""
    generator = globals()[name]
    found: dict[str, Any] = generator(np.random.default_rng(seed), **sizes)
    return found
