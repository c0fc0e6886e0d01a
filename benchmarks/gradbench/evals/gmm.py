"""The logarithm of the posterior of a Gaussian mixture with a Wishart prior, and its gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import gradwalk as gw
from gradwalk import compile, exp, grad, logsumexp

from ..runs import Input, Job, listed

INDEPENDENT = ("alpha", "mu", "q", "l")


def factors(q: Any, l: Any) -> Any:  # noqa: E741 (the name of the protocol)
    """Return the triangular factors of the precisions: exp(q) on the diagonal, l by columns."""
    k, d = q.shape
    columns, rows = np.triu_indices(d, 1)
    factor = gw.zeros((k, d, d))
    factor = gw.Tensor(factor)
    factor[:, rows, columns] = l
    factor[:, range(d), range(d)] = exp(q)
    return factor


def objective(independent: Any, x: Any, m: int, gamma: float) -> Any:
    alpha, mu, q, l = (independent[name] for name in INDEPENDENT)  # noqa: E741
    (n, d), k = x.shape, len(alpha)
    factor = factors(q, l)
    centred = x @ factor.reshape(k * d, d).T - (factor @ mu[:, :, None]).reshape(k * d)
    squares = (centred * centred).reshape(n, k, d).sum(axis=2)
    likelihood = logsumexp(alpha + q.sum(axis=1) - 0.5 * squares, axis=1).sum()
    likelihood = likelihood - n * (0.5 * d * math.log(2.0 * math.pi) + logsumexp(alpha))
    return likelihood + prior(factor, q, m, gamma)


def prior(factor: Any, q: Any, m: int, gamma: float) -> Any:
    """Return the logarithm of the Wishart density of all precisions."""
    k, d = q.shape
    freedom = d + m + 1
    terms = [math.lgamma(0.5 * (freedom - j)) for j in range(d)]
    normal = 0.25 * d * (d - 1) * math.log(math.pi) + sum(terms)
    constant = freedom * d * math.log(gamma / math.sqrt(2.0)) - normal
    return k * constant - 0.5 * gamma * gamma * (factor * factor).sum() + m * q.sum()


def _given(given: Input) -> tuple[Any, ...]:
    independent = {name: np.array(given[name], np.float64) for name in INDEPENDENT}
    k, d = given["k"], given["d"]
    independent["l"] = independent["l"].reshape(k, d * (d - 1) // 2)
    return independent, np.array(given["x"], np.float64), given["m"], given["gamma"]


def value(given: Input) -> Job:
    arguments = _given(given)
    value = compile(objective, static_argnums=(2, 3))
    return Job(lambda: value(*arguments))


def jacobian(given: Input) -> Job:
    arguments = _given(given)
    slopes = compile(grad(objective), static_argnums=(2, 3))
    return Job(lambda: slopes(*arguments),
               lambda found: {name: listed(found[name]) for name in INDEPENDENT})  # fmt: skip


FUNCTIONS = {"objective": value, "jacobian": jacobian}
