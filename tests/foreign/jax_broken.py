"""Broken programs of JAX as people post them, each with its mended twin.

The line with the cause ends in a comment with ``<-``. The twin is the same program with the remedy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

Programs = dict[str, "Program"]
PROGRAMS: Programs = {}


@dataclass(frozen=True)
class Program:
    """A program with its twin, and what `why` should answer.

    ``op``      the operation that is the cause
    ``remedy``  words of the remedy, one of which is expected
    ``quick``   whether it is tried in each run of the tests
    """

    broken: Callable[..., Any]
    mended: Callable[..., Any]
    args: tuple[Any, ...]
    op: str
    remedy: tuple[str, ...]
    quick: bool = False


def program(
    mended: Callable[..., Any], *args: Any, op: str, remedy: tuple[str, ...], quick: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def noted(broken: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[broken.__name__] = Program(broken, mended, args, op, remedy, quick)
        return broken

    return noted


# --- a length of zero -----------------------------------------------------------------------------

POINTS = jnp.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]])


def _distances_mended(x: jax.Array) -> jax.Array:
    d2 = ((x[:, None] - x[None]) ** 2).sum(-1)
    apart = d2 > 0.0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, d2, 1.0)), 0.0).sum()


@program(_distances_mended, POINTS, op="sqrt", remedy=("where(", "sqrt("), quick=True)
def pairwise_distances(x: jax.Array) -> jax.Array:
    d2 = ((x[:, None] - x[None]) ** 2).sum(-1)
    return jnp.sqrt(d2).sum()  # <-


def _norm_mended(p: dict[str, jax.Array]) -> jax.Array:
    return jnp.sqrt((p["w"] ** 2).sum() + 1e-12) + p["b"]


@program(
    _norm_mended,
    {"w": jnp.zeros(3), "b": jnp.array(1.0)},
    op="sqrt",
    remedy=("where(", "sqrt("),
)
def norm_of_new_weights(p: dict[str, jax.Array]) -> jax.Array:
    return jnp.linalg.norm(p["w"]) + p["b"]  # <-


# --- the branch that is not taken -----------------------------------------------------------------


def _log_mended(x: jax.Array) -> jax.Array:
    inside = jnp.where(x > 0.0, x, 1.0)
    return jnp.where(x > 0.0, jnp.log(inside), 0.0).sum()


@program(
    _log_mended, jnp.array([2.0, 0.0]), op="log", remedy=("log(", "clip", "where("), quick=True
)
def guarded_log(x: jax.Array) -> jax.Array:
    return jnp.where(x > 0.0, jnp.log(x), 0.0).sum()  # <-


def _sinc_mended(x: jax.Array) -> jax.Array:
    inside = jnp.where(x == 0.0, 1.0, x)
    return jnp.where(x == 0.0, 1.0, jnp.sin(inside) / inside).sum()


@program(_sinc_mended, jnp.array([0.0, 1.0]), op="div", remedy=("jax.numpy.sinc",), quick=True)
def sinc_by_hand(x: jax.Array) -> jax.Array:
    return jnp.where(x == 0.0, 1.0, jnp.sin(x) / x).sum()  # <-


# --- logarithms and exponentials ------------------------------------------------------------------

LOGITS = jnp.array([[120.0, -3.0], [0.0, 100.0]])


def _entropy_mended(logits: jax.Array) -> jax.Array:
    return -jax.nn.log_softmax(logits)[jnp.arange(2), jnp.array([1, 1])].mean()


@program(_entropy_mended, LOGITS, op="log", remedy=("log_softmax", "log("))
def cross_entropy_of_softmax(logits: jax.Array) -> jax.Array:
    p = jax.nn.softmax(logits)
    return -jnp.log(p[jnp.arange(2), jnp.array([1, 1])]).mean()  # <-


def _logsumexp_mended(logits: jax.Array) -> jax.Array:
    return jax.nn.logsumexp(logits, axis=-1).sum()


@program(
    _logsumexp_mended, LOGITS, op="exp", remedy=("logsumexp", "softmax", "subtract"), quick=True
)
def logsumexp_by_hand(logits: jax.Array) -> jax.Array:
    weights = jnp.exp(logits)  # <-
    return jnp.log(weights.sum(-1)).sum()


def _likelihood_mended(p: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    z = x @ p["w"]
    return -jax.nn.log_sigmoid(z).mean()


@program(
    _likelihood_mended,
    {"w": jnp.array([-200.0, 10.0])},
    jnp.array([[1.0, 0.0], [1.0, 1.0]]),
    op="log",
    remedy=("log_sigmoid", "log("),
)
def binary_cross_entropy_by_hand(p: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    y = jax.nn.sigmoid(x @ p["w"])
    return -jnp.log(y).mean()  # <-


# --- an empty row ---------------------------------------------------------------------------------

SCORES = jnp.array([[0.5, 1.0, -1.0], [0.0, 2.0, 1.0]])
MASK = jnp.array([[True, True, False], [False, False, False]])


def _attention_mended(scores: jax.Array, values: jax.Array) -> jax.Array:
    masked = jnp.where(MASK, scores, -1e9)
    return (jax.nn.softmax(masked, axis=-1) @ values).sum()


@program(
    _attention_mended, SCORES, jnp.ones((3, 2)), op="sub", remedy=("row", "mask", "where(", "inf")
)
def attention_with_an_empty_row(scores: jax.Array, values: jax.Array) -> jax.Array:
    masked = jnp.where(MASK, scores, -jnp.inf)
    return (jax.nn.softmax(masked, axis=-1) @ values).sum()  # <-


# --- edges of domains -----------------------------------------------------------------------------


def _angle_mended(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.arccos(jnp.clip(a @ b, -1.0 + 1e-6, 1.0 - 1e-6))


UNIT = jnp.array([0.6, 0.8])


@program(
    _angle_mended, jnp.array([1.0, 0.0]), jnp.array([1.0, 0.0]), op="acos", remedy=("clip", "acos")
)
def angle_between_equal_vectors(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.arccos(a @ b)  # <-


def _spread_mended(x: jax.Array) -> jax.Array:
    return ((x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-5)).sum()


@program(
    _spread_mended,
    jnp.array([[1.0, 2.0], [1.0, 3.0]]),
    op="div",
    remedy=("1e-", "/", "where("),
)
def normalised_by_a_constant_column(x: jax.Array) -> jax.Array:
    return ((x - x.mean(0)) / x.std(0)).sum()  # <-


def _power_mended(x: jax.Array, p: jax.Array) -> jax.Array:
    return ((jnp.abs(x) + 1e-6) ** p).sum()


@program(
    _power_mended, jnp.array([0.0, 1.0]), jnp.array(0.5), op="pow", remedy=("pow", "**", "1e-")
)
def power_of_zero(x: jax.Array, p: jax.Array) -> jax.Array:
    return (x**p).sum()  # <-


# --- loops ----------------------------------------------------------------------------------------


def _recurrence_mended(w: jax.Array, x: jax.Array) -> jax.Array:
    def step(h: jax.Array, _: Any) -> tuple[jax.Array, None]:
        return jnp.tanh(w * h + x), None

    return jax.lax.scan(step, x, None, length=40)[0].sum()


@program(
    _recurrence_mended, jnp.array(20.0), jnp.ones(2), op="mul", remedy=("smaller", "scale", "large")
)
def recurrence_that_explodes(w: jax.Array, x: jax.Array) -> jax.Array:
    def step(h: jax.Array, _: Any) -> tuple[jax.Array, None]:
        return w * h + x, None  # <-

    return jax.lax.scan(step, x, None, length=40)[0].sum()


def _temperature_mended(logits: jax.Array, t: jax.Array) -> jax.Array:
    return jax.nn.softmax(logits / jnp.maximum(t, 1e-3)).max()


@program(
    _temperature_mended,
    jnp.array([1.0, 0.0]),
    jnp.array(0.0),
    op="div",
    remedy=("/", "1e-", "where("),
)
def temperature_of_zero(logits: jax.Array, t: jax.Array) -> jax.Array:
    return jax.nn.softmax(logits / t).max()  # <-
