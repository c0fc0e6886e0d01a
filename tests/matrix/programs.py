"""Programs that use every part of gradwalk, each written once for all carriers of numbers.

A program is a function of ``a``, ``b`` and ``here``. ``a`` and ``b`` are two numbers or two square
matrices; ``here`` is called once, on a number in the middle of the work, and returns it. What is to
be found is planted there: see `PLANTS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import gradwalk as gw
from gradwalk import integrate, linalg, nn, special, stats
from gradwalk.nn import functional as F  # noqa: N812

__all__ = ["PLANTS", "PROGRAMS", "TAGS", "Program", "leaves_of", "plant_in"]

TAGS = ("branch", "loop", "call", "several", "mask", "read", "write", "draw", "float32", "custom")
"""What a program does that a consumer of programs may have to know."""

A = np.array([[1.9, 0.3, 0.7], [0.2, 1.4, 0.5], [0.6, 0.1, 1.3]])
B = np.array([[0.8, 0.4, 0.15], [0.55, 1.6, 0.35], [0.25, 0.9, 1.2]])
POINTS: dict[str, tuple[Any, Any]] = {"number": (0.7, 1.3), "array": (A, B)}


class Program(NamedTuple):
    """A function, the kinds of arguments it takes, what it does, and its text as a formula."""

    name: str
    f: Callable[[Any, Any, Callable[[Any], Any]], Any]
    kinds: tuple[str, ...]
    tags: tuple[str, ...]
    formula: str = ""


PROGRAMS: dict[str, Program] = {}


def program(kinds: str, *tags: str, formula: str = "") -> Any:
    """Enter a function into the table. In a formula ``here(…)`` is what is planted."""

    def enter(f: Any) -> Any:
        name = f.__name__.strip("_")
        chosen = tuple(POINTS) if kinds == "both" else (kinds,)
        PROGRAMS[name] = Program(name, f, chosen, tags, formula)
        return f

    return enter


def total(x: Any) -> Any:
    """The sum of an array, or the number itself."""
    return x.sum() if getattr(x, "shape", ()) else x


def leaves_of(x: Any) -> list[Any]:
    """The numbers and arrays of a result, in order."""
    if isinstance(x, dict):
        x = list(x.values())
    return [leaf for part in x for leaf in leaves_of(part)] if type(x) in (list, tuple) else [x]


# --- arithmetic -----------------------------------------------------------------------------------


@program("both", formula="here(a * b) + a / b - 2.0 * b")
def arithmetic(a: Any, b: Any, here: Any) -> Any:
    return total(here(a * b) + a / b - 2.0 * b)


@program("both", formula="a**3 + here(b**a) + 2.0**b - a**0.5")
def powers(a: Any, b: Any, here: Any) -> Any:
    return total(a**3 + here(b**a) + 2.0**b - a**0.5)


@program("both", formula="log(1.0 + exp(a)) * here(log1p(b)) - expm1(log(a) * b)")
def exponentials(a: Any, b: Any, here: Any) -> Any:
    return total(gw.log(1.0 + gw.exp(a)) * here(gw.log1p(b)) - gw.expm1(gw.log(a) * b))


@program("both", formula="sqrt(a) + here(cbrt(b)) * hypot(a, b)")
def roots(a: Any, b: Any, here: Any) -> Any:
    return total(gw.sqrt(a) + here(gw.cbrt(b)) * gw.hypot(a, b))


@program("both", formula="here(sin(a)) * cos(b) + tan(a * b / 4.0) + atan2(a, b) - tanh(a - b)")
def trigonometry(a: Any, b: Any, here: Any) -> Any:
    return total(
        here(gw.sin(a)) * gw.cos(b) + gw.tan(a * b / 4.0) + gw.atan2(a, b) - gw.tanh(a - b)
    )


@program("both", "read")
def rounding(a: Any, b: Any, here: Any) -> Any:
    return total(
        here(a * 2.3) % 0.7 * a
        + gw.floor(b) * gw.round(a * 1.13) * b**2
        + gw.sign(a) * (a // (b + 0.21))
    )


@program("both", formula="erf(a) * here(lgamma(b + 1.0)) + digamma(a) - erfc(b) + sinc(a)")
def special_functions(a: Any, b: Any, here: Any) -> Any:
    return total(gw.erf(a) * here(gw.lgamma(b + 1.0)) + gw.digamma(a) - gw.erfc(b) + gw.sinc(a))


@program("array")
def special_integrals(a: Any, b: Any, here: Any) -> Any:
    y = special.gammainc(a, b) + special.betaln(a, b) + special.i0(a)
    return total(here(y) + special.ndtri(b / (b + 1.0)))


@program("both")
def distributions(a: Any, b: Any, here: Any) -> Any:
    return total(here(stats.norm.logpdf(a, b, 0.5 + a)) + stats.gamma.logpdf(a, b))


# --- masks and branches ---------------------------------------------------------------------------


@program("both", "mask")
def where(a: Any, b: Any, here: Any) -> Any:
    return total(gw.where(a < b, here(a * b), a / b) + gw.sin(a))


@program(
    "both",
    "mask",
    formula="here(maximum(a, b * 0.4)) * minimum(a, b + 0.05)"
    " + clip(b, 0.5, 1.5)**2 + abs(a - 2.5)",
)
def extremes(a: Any, b: Any, here: Any) -> Any:
    return total(
        here(gw.maximum(a, b * 0.4)) * gw.minimum(a, b + 0.05)
        + gw.clip(b, 0.5, 1.5) ** 2
        + abs(a - 2.5)
    )


@program(
    "both",
    "mask",
    formula="relu(a - 0.45) * here(b) + leaky_relu(a - b) + elu(b - 1.0) + softplus(a)"
    " + gelu(a) * sigmoid(b) + silu(a)",
)
def activations(a: Any, b: Any, here: Any) -> Any:
    y = gw.relu(a - 0.45) * here(b) + gw.leaky_relu(a - b) + gw.elu(b - 1.0) + gw.softplus(a)
    return total(y + gw.gelu(a) * gw.sigmoid(b) + gw.silu(a))


@program("both", "mask")
def dead_branch(a: Any, b: Any, here: Any) -> Any:
    return total(gw.where(a > 5.0, gw.sqrt(a - a), here(a) * b))


@program("both", "branch")
def if_else(a: Any, b: Any, here: Any) -> Any:
    return total(here(a * b)) if total(a) < total(b) * 5.0 else total(a / b)


@program("number", "branch")
def ordered(a: Any, b: Any, here: Any) -> Any:
    low, high = sorted([a, b])
    return here(low) * low - high * max(a, b * 2.0) + min(a, b)


@program("array", "branch", "read")
def boolean_index(a: Any, b: Any, here: Any) -> Any:
    return total(here(a[a > 0.45]) ** 2) + total(b[b > 0.5] ** 2)


@program("both", "read")
def stopped(a: Any, b: Any, here: Any) -> Any:
    return total(here(a * b) * gw.stop_gradient(b * 2.0) + a)


# --- loops and calls ------------------------------------------------------------------------------


@program("both", "loop")
def unrolled(a: Any, b: Any, here: Any) -> Any:
    x = a
    for k in range(4):
        x = gw.sin(x) * b + a / (k + 1.0)
    return total(here(x))


@program("both", "loop", "branch")
def python_while(a: Any, b: Any, here: Any) -> Any:
    x = a
    while total(x) < 40.0:
        x = x * 2.0 + b
    return total(here(x) * b)


@program("both", "loop", "call")
def scan(a: Any, b: Any, here: Any) -> Any:
    def step(c: Any, r: Any) -> tuple[Any, Any]:
        c = gw.sin(here(c)) * b + r * a
        return c, c * c

    last, ys = gw.scan(step, a, [0.3, 0.8, 1.2])
    return total(last) + sum(total(y) for y in ys)


@program("array", "loop", "call")
def scan_of_rows(a: Any, b: Any, here: Any) -> Any:
    last, rows = gw.scan(lambda c, r: (gw.tanh(c * r + 0.5), here(c * r)), a[0], b)
    return total(last) + total(rows * a)


@program("both", "loop", "call", "branch")
def while_loop(a: Any, b: Any, here: Any) -> Any:
    start = (a, a * 0.0 + 1.0)
    x, y = gw.while_loop(
        lambda s: total(s[0]) < 30.0, lambda s: (s[0] * 1.5 + b, s[1] * gw.sin(b)), start
    )
    return total(here(x * 0.1) ** 2 + y)


@program("both", "call")
def checkpoint(a: Any, b: Any, here: Any) -> Any:
    return total(gw.checkpoint(lambda a, b: here(gw.sin(a) * b) + a * b)(a, b) * a)


@program("both", "call")
def checkpoint_chain(a: Any, b: Any, here: Any) -> Any:
    return total(gw.checkpoint_chain([gw.sin, lambda x: here(x) * 2.0, gw.exp], a) * b)


@program("both", "call", "custom")
def custom_rule(a: Any, b: Any, here: Any) -> Any:
    return total(here(doubled_exp(a)) * b)


def _exp(x: Any) -> Any:
    return np.exp(x) if isinstance(x, np.ndarray) else math.exp(x)


doubled_exp = gw.custom_rule(_exp, vjp=lambda t, y, x: t * y, name="exp_by_rule")
forward_exp = gw.custom_rule(_exp, jvp=lambda t, y, x: t * y, name="exp_forward")


@program("both", "call", "custom")
def custom_forward_rule(a: Any, b: Any, here: Any) -> Any:
    return total(here(forward_exp(a)) * b)


def _newton(a: Any) -> Any:
    x = a * 0.0 + 1.0
    for _ in range(60):
        x = x - (x**3 + x - a) / (3.0 * x**2 + 1.0)
    return x


@program("both", "call", "custom")
def implicit(a: Any, b: Any, here: Any) -> Any:
    root = gw.implicit_function(_newton, lambda x, a: x**3 + x - a)
    return total(here(root(a * b)) * b)


@program("both", "call", "loop")
def fixed_point(a: Any, b: Any, here: Any) -> Any:
    x = gw.fixed_point(lambda x, a: 0.3 * gw.cos(x) + 0.5 * a, 0.5 + 0.0 * _zeros(a), a)
    return total(here(x) * b)


def _zeros(a: Any) -> Any:
    """Zeros in the shape of ``a``, which depend on nothing."""
    return np.zeros(a.shape) if getattr(a, "shape", ()) else 0.0


hill = gw.pointwise(
    "hill",
    lambda t, y, x: -2.0 * t * x * y * y,
    forward=lambda x: 1.0 / (1.0 + x * x),
    tex=r"\frac{1}{1 + x^2}",
)


@program("both", "custom")
def custom_primitive(a: Any, b: Any, here: Any) -> Any:
    return total(hill(a) * here(hill(b)))


@program("both", "call")
def gradient_inside(a: Any, b: Any, here: Any) -> Any:
    return total(gw.grad(lambda x: total(gw.sin(x) * x * b))(a) * here(b))


@program("both", "call")
def tangent_inside(a: Any, b: Any, here: Any) -> Any:
    y, t = gw.jvp(lambda x: gw.exp(x) * b, (a,), (b,))
    return total(here(t) + y)


@program("number", "call")
def hessian_inside(a: Any, b: Any, here: Any) -> Any:
    return here(gw.hessian(lambda x: gw.sin(x) * x * b)(a)) * a


@program("array", "call")
def vmap_inside(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.vmap(lambda x, y: gw.sum(gw.sin(x) * y))(a, b)) ** 2)


@program("both", "loop")
def quadrature(a: Any, b: Any, here: Any) -> Any:
    ys = [gw.exp(-a * (k / 4.0)) * b for k in range(5)]
    return total(here(sum((y + z) * 0.125 for y, z in pairwise(ys))))


@program("array", "loop", "call")
def ode(a: Any, b: Any, here: Any) -> Any:
    ys = integrate.odeint(lambda y, t: -(a @ y) * 0.3, b[0], [0.0, 0.5], rtol=1e-5, atol=1e-5)
    return total(here(ys[-1]))


# --- several results ------------------------------------------------------------------------------


@program("both", "several")
def two_results(a: Any, b: Any, here: Any) -> Any:
    return total(here(a * b)), {"sum": total(a + b), "ratio": total(a / b)}


@program("array", "several")
def arrays_out(a: Any, b: Any, here: Any) -> Any:
    return here(a * b), gw.sum(a, axis=0)


# --- lists of numbers -----------------------------------------------------------------------------


@program("number")
def list_softmax(a: Any, b: Any, here: Any) -> Any:
    p = gw.softmax([a, b, here(a * b)])
    return p[0] * 2.0 + p[1] * a - p[2]


@program("number")
def list_logsumexp(a: Any, b: Any, here: Any) -> Any:
    return gw.logsumexp([a, here(b * 2.0), a * b]) + gw.log_softmax([a, b])[1]


@program("number")
def mlp(a: Any, b: Any, here: Any) -> Any:
    return total(here(_mlp()([a, b])) * b)


@cache
def _mlp() -> Any:
    return nn.MLP(2, [3, 1], activation="tanh", seed=0)


@program("number")
def list_loss(a: Any, b: Any, here: Any) -> Any:
    return nn.mse([a, here(b)], [0.5, 1.0]) + nn.huber([a * b], [0.2])


# --- arrays ---------------------------------------------------------------------------------------


@program("array")
def softmax(a: Any, b: Any, here: Any) -> Any:
    return total(gw.softmax(here(a), axis=1) * b)


@program("array")
def log_softmax(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.log_softmax(a, axis=0)) * b) + total(gw.logsumexp(a * b, axis=1))


@program("array")
def layer_norm(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.layer_norm(a, (3,), b[0], b[1])) * b) + total(gw.rms_norm(b, (3,)) * a)


@program("array")
def batch_norm(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.batch_norm(a, weight=b[0], bias=b[1], training=True)) * b)


@program("array", "write")
def batch_norm_module(a: Any, b: Any, here: Any) -> Any:
    return total(here(_batch_norm()(a * b)) * b)


@cache
def _batch_norm() -> Any:
    return nn.BatchNorm1d(3)


@program("array")
def matmul(a: Any, b: Any, here: Any) -> Any:
    return total(here(a @ b) * a @ b[0])


@program("array")
def einsum(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.einsum("ij,kj->ik", a, b)) * gw.tensordot(a, b, 1)) + total(
        gw.outer(a[0], b[1])
    )


@program("array")
def convolution(a: Any, b: Any, here: Any) -> Any:
    image, kernel = gw.reshape(a, (1, 1, 3, 3)), gw.reshape(b[:2, :2], (1, 1, 2, 2))
    return total(here(gw.conv2d(image, kernel, padding=1)) ** 2)


@program("array")
def pooling(a: Any, b: Any, here: Any) -> Any:
    image = gw.reshape(a * b, (1, 1, 3, 3))
    return total(here(gw.max_pool2d(image, 2, 1))) + total(gw.avg_pool2d(image, 2, 1) ** 2)


@program("array", "mask")
def sort(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.sort(a, axis=1)) * b) + total(gw.cummax(a, 1) * b)


@program("array", "mask")
def topk(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.topk(a, 2).values) * b[:, :2])


@program("array", "mask")
def median(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.median(a, axis=0)) * b[0]) + gw.max(b) * gw.min(a) + gw.quantile(a, 0.3)


@program("array", "read", "branch")
def argmax(a: Any, b: Any, here: Any) -> Any:
    return here(a[0, int(gw.argmax(a[0]))]) * total(b) + total(a[gw.argsort(b[1])] * b)


@program("array")
def cumulative(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.cumsum(a, axis=0)) * b) + total(gw.cumprod(b, axis=1) * a)


@program("array")
def moments(a: Any, b: Any, here: Any) -> Any:
    y = gw.var(a) + gw.std(b, axis=0) * gw.mean(a, axis=1) + linalg.norm(a * b) + gw.prod(b[0])
    return total(here(y))


@program("array")
def indexing(a: Any, b: Any, here: Any) -> Any:
    return total(here(a[1:, ::2]) * b[:2, [0, 2]]) + a[0, 0] * total(b[..., -1]) + total(a.T[1])


@program("array")
def joining(a: Any, b: Any, here: Any) -> Any:
    y = gw.concatenate([gw.stack([a, b]), gw.stack([a * b, b])], axis=1)
    return total(gw.pad(here(y), ((0, 0), (1, 0), (0, 1))) ** 2) + total(gw.roll(a, 1, 0) * b)


@program("array", "read")
def gathering(a: Any, b: Any, here: Any) -> Any:
    places = np.array([[0, 2], [1, 1], [2, 0]])
    return total(here(gw.take_along_axis(a, places, 1)) ** 2) + total(gw.take(b, [0, 0, 2], 0) * a)


@program("array", "write")
def writing(a: Any, b: Any, here: Any) -> Any:
    x = a * 1.0
    x[0] = b[1] * 2.0
    x[1:] *= here(b[1:])
    return total(x * a)


@program("array", "write")
def writing_into_a_view(a: Any, b: Any, here: Any) -> Any:
    x = a * 1.0
    row = x[1]
    row += b[0]
    x[2, 0] = 5.0
    return total(here(x) * row)


@program("array", "several")
def svd(a: Any, b: Any, here: Any) -> Any:
    u, s, vh = linalg.svd(a @ b)
    return total(here(s) * b[0]) + total((u * s) @ vh * b)


@program("array", "several")
def eigh(a: Any, b: Any, here: Any) -> Any:
    w, v = linalg.eigh(a + a.T + b @ b.T)
    return total(here(w) * b[0]) + total(v**2 * b)


@program("array", "several")
def qr(a: Any, b: Any, here: Any) -> Any:
    q, r = linalg.qr(a)
    return total(here(q) * b) + total(r**2 * b)


@program("array")
def solving(a: Any, b: Any, here: Any) -> Any:
    return total(here(linalg.solve(a, b)) * a) + total(linalg.inv(b)[0])


@program("array")
def determinant(a: Any, b: Any, here: Any) -> Any:
    return here(linalg.det(a)) * 2.0 + linalg.slogdet(b)[1]


@program("array")
def cholesky(a: Any, b: Any, here: Any) -> Any:
    return total(here(linalg.cholesky(a @ a.T + 1.0)) * b)


@program("array")
def matrix_exponential(a: Any, b: Any, here: Any) -> Any:
    return total(here(linalg.expm(a * 0.1)) * b)


@program("array", "draw")
def dropout(a: Any, b: Any, here: Any) -> Any:
    return total(F.dropout(here(a * b), 0.4, seed=3) * a)


@program("array", "draw")
def noise(a: Any, b: Any, here: Any) -> Any:
    return total(here(a) * b * gw.random.uniform((3, 3), seed=5))


@program("array", "float32")
def single_precision(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.astype(a, gw.float32) * 2.0) ** 2) + total(a * b)


@program("array")
def linear_layers(a: Any, b: Any, here: Any) -> Any:
    return total(here(_layers()(a)) * b[:, :1])


@cache
def _layers() -> Any:
    return nn.Sequential(nn.Linear(3, 4, seed=0), nn.Tanh(), nn.Linear(4, 1, seed=1))


@program("array", "loop")
def lstm(a: Any, b: Any, here: Any) -> Any:
    y, _ = _lstm()(gw.reshape(a, (3, 1, 3)))
    return total(here(y) * b[0, :2])


@cache
def _lstm() -> Any:
    return nn.LSTM(3, 2, seed=0)


@program("array")
def attention(a: Any, b: Any, here: Any) -> Any:
    return total(here(F.scaled_dot_product_attention(a, b, a * b)) * b)


@program("array", "read")
def classifier(a: Any, b: Any, here: Any) -> Any:
    return F.cross_entropy(here(a @ b), np.array([0, 2, 1])) + F.mse_loss(a, b)


@program("array", "read")
def interpolation(a: Any, b: Any, here: Any) -> Any:
    return total(here(gw.interp(a[0], np.array([0.0, 1.0, 2.0]), b[0])) * b[1])


# --- what is planted ------------------------------------------------------------------------------


def _infinity(x: Any) -> Any:
    return x + gw.log(x - x)


def _kink(x: Any) -> Any:
    rest = np.ones(getattr(x, "shape", ()))
    rest.flat[0] = 0.0  # one element stands on the kink
    return x + abs(x - x + (rest if rest.ndim else 0.0))


def _cancellation(x: Any) -> Any:
    return x + x * (1.0 - gw.cos(x * 1e-6)) * 1e12


wrong_rule = gw.pointwise("wrong_rule", lambda t, y, x: t * x, forward=lambda x: x * x)


def _wrong(x: Any) -> Any:
    return wrong_rule(x)


def _nothing(x: Any) -> Any:
    return x


PLANTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "": (_nothing, "({0})"),
    "infinity": (_infinity, "(({0}) + log(({0}) - ({0})))"),
    "kink": (_kink, "(({0}) + abs(({0}) - ({0})))"),
    "cancellation": (_cancellation, "(({0}) + ({0}) * (1.0 - cos(({0}) * 1e-6)) * 1e12)"),
    "wrong rule": (_wrong, ""),
}
"""What ``here`` does in a variant, and the same in a formula."""


def plant_in(p: Program, plant: str) -> Callable[[Any, Any], Any]:
    """Return the program as a function of two arguments, with something planted."""
    _batch_norm.cache_clear()  # its statistics may be what a cell that was refused has left
    return partial(_planted, p.f, PLANTS[plant][0])


def _planted(f: Any, here: Any, a: Any, b: Any) -> Any:
    return f(a, b, here)
