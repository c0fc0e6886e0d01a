"""The evals in PyTorch that it is known for: whole arrays, eager, on one thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..evals.det import expansions

torch.set_num_threads(1)

Calls = tuple[Callable[[], Any], Callable[[], Any]]


def calls(f: Any, *arguments: Any) -> Calls:
    """Return the call of a function of tensors, and that of its gradient."""
    plain = [torch.tensor(x, dtype=torch.float64) for x in arguments]
    leaves = [x.clone().requires_grad_() for x in plain]

    def value() -> Any:
        with torch.no_grad():
            return f(*plain)

    return value, lambda: torch.autograd.grad(f(*leaves), leaves)


def det(given: Any) -> Calls:
    size = given["ell"]
    rows = [(torch.tensor(c), torch.tensor(s)) for c, s in expansions(size)]

    def determinant(a: Any) -> Any:
        minors = torch.ones((len(rows[-1][0]), 1), dtype=torch.float64)
        for r in range(size - 1, -1, -1):
            columns, signs = rows[r]
            minors = (a[r][columns] * signs * minors).sum(dim=1)
            minors = minors.reshape(rows[r - 1][0].shape) if r else minors[0]
        return minors

    return calls(determinant, np.reshape(given["A"], (size, size)))


def lse(given: Any) -> Calls:
    def total(x: Any) -> Any:
        greatest = x.detach().max()
        return greatest + torch.log(torch.exp(x - greatest).sum())

    return calls(total, given["x"])


def llsq(given: Any) -> Calls:
    n, m = given["n"], len(given["x"])

    def objective(x: Any) -> Any:
        t = -1.0 + torch.arange(n, dtype=torch.float64) * 2.0 / (n - 1)
        rest = torch.sign(t) - torch.vander(t, m, increasing=True) @ x
        return 0.5 * (rest * rest).sum()

    return calls(objective, given["x"])


def kmeans(given: Any) -> Calls:
    points = torch.tensor(given["points"], dtype=torch.float64)
    centroids = torch.tensor(given["centroids"], dtype=torch.float64)

    def distance(centroids: Any) -> Any:
        squares = (centroids * centroids).sum(dim=1) - 2.0 * (points @ centroids.T)
        return (squares.min(dim=1).values + (points * points).sum(dim=1)).sum()

    def direction() -> Any:
        leaf = centroids.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(distance(leaf), leaf, create_graph=True)
        (curvature,) = torch.autograd.grad(gradient.sum(), leaf)
        return gradient.detach() / curvature

    return lambda: distance(centroids), direction


def gmm(given: Any) -> Calls:
    k, d, m, gamma = given["k"], given["d"], given["m"], given["gamma"]
    x = torch.tensor(given["x"], dtype=torch.float64)
    columns, rows = np.triu_indices(d, 1)
    freedom = d + m + 1
    normal = 0.25 * d * (d - 1) * math.log(math.pi)
    normal += sum(math.lgamma(0.5 * (freedom - j)) for j in range(d))
    constant = freedom * d * math.log(gamma / math.sqrt(2.0)) - normal

    def objective(alpha: Any, mu: Any, q: Any, low: Any) -> Any:
        factor = torch.diag_embed(torch.exp(q))
        factor[:, rows, columns] = low
        centred = x @ factor.reshape(k * d, d).T - (factor @ mu[:, :, None]).reshape(k * d)
        squares = (centred * centred).reshape(len(x), k, d).sum(dim=2)
        found = torch.logsumexp(alpha + q.sum(dim=1) - 0.5 * squares, dim=1).sum()
        found = found - len(x) * (0.5 * d * math.log(2.0 * math.pi) + torch.logsumexp(alpha, 0))
        return found + k * constant - 0.5 * gamma**2 * (factor * factor).sum() + m * q.sum()

    return calls(objective, *(given[name] for name in ("alpha", "mu", "q", "l")))


EVALS = {f.__name__: f for f in (det, lse, llsq, kmeans, gmm)}
