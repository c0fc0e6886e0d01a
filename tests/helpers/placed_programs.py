"""Programs that run in every place and by every compiler: of Tensors, modules, single numbers.

Each is written once. A row has the function, which returns one number or an array, and what makes
its arguments: arrays of NumPy, which become Tensors of a place, and modules, which move there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import gradwalk as gw
from gradwalk import linalg, nn
from gradwalk.nn import functional as F  # noqa: N812

__all__ = ["ARRAYS", "FEW", "NUMBERS", "Arrays", "Numbers"]


class Arrays(NamedTuple):
    """A function of Tensors and modules, and its arguments of a seed."""

    f: Callable[..., Any]
    args: Callable[[np.random.Generator], list[Any]]


class Numbers(NamedTuple):
    """A function of single numbers, and the least and the largest of each argument."""

    f: Callable[..., Any]
    bounds: list[tuple[float, float]]


ARRAYS: dict[str, Arrays] = {}
NUMBERS: dict[str, Numbers] = {}
FEW = ("mlp", "attention", "indexing", "black_scholes_arrays", "network")
"""Programs that are compiled where that takes seconds for each, also when time is short."""


def arrays(args: Callable[[np.random.Generator], list[Any]]) -> Any:
    """Enter a function of arrays into the table."""

    def enter(f: Any) -> Any:
        ARRAYS[f.__name__] = Arrays(f, args)
        return f

    return enter


def numbers(*bounds: tuple[float, float]) -> Any:
    """Enter a function of single numbers into the table."""

    def enter(f: Any) -> Any:
        NUMBERS[f.__name__] = Numbers(f, list(bounds))
        return f

    return enter


def some(*shape: int) -> Callable[[np.random.Generator], list[Any]]:
    """Return what makes one array."""
    return lambda rng: [rng.normal(size=shape)]


def spd(rng: np.random.Generator, n: int) -> Any:
    """Return a positive definite matrix."""
    x = rng.normal(size=(n, n))
    return x @ x.T / n + np.eye(n)


# --- networks -------------------------------------------------------------------------------------


@arrays(lambda rng: [nn.Sequential(nn.Linear(4, 8, seed=1), nn.Tanh(), nn.Linear(8, 3, seed=2)),
                     rng.normal(size=(5, 4)), rng.integers(0, 3, 5)])  # fmt: skip
def mlp(model: Any, x: Any, y: Any) -> Any:
    return F.cross_entropy(model(x), y)


@arrays(lambda rng: [nn.Sequential(nn.Conv2d(2, 3, 3, padding=1, seed=1), nn.ReLU(),
                                   nn.MaxPool2d(2), nn.Conv2d(3, 4, 2, stride=2, seed=2),
                                   nn.GELU(), nn.Flatten(), nn.Linear(4, 2, seed=3)),
                     rng.normal(size=(3, 2, 4, 4)), rng.normal(size=(3, 2))])  # fmt: skip
def cnn(model: Any, x: Any, y: Any) -> Any:
    return F.mse_loss(model(x), y)


@arrays(lambda rng: [nn.LSTM(3, 4, seed=1), rng.normal(size=(6, 2, 3))])
def lstm(model: Any, x: Any) -> Any:
    y, (h, c) = model(x)
    return (y**2).mean() + (h * c).sum()


@arrays(lambda rng: [nn.GRUCell(3, 4, seed=1), rng.normal(size=(5, 2, 3)),
                     rng.normal(size=(2, 4))])  # fmt: skip
def gru_cell_in_a_loop(cell: Any, xs: Any, h: Any) -> Any:
    for x in xs:
        h = cell(x, h)
    return (h * h).sum()


@arrays(lambda rng: [nn.Linear(4, 12, seed=1), nn.Linear(4, 4, seed=2), rng.normal(size=(2, 3, 4))])
def attention(qkv: Any, out: Any, x: Any) -> Any:
    split = qkv(x).reshape(2, 3, 3, 2, 2)
    q, k, v = (split[:, :, i].swapaxes(1, 2) for i in range(3))
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return (out(y.swapaxes(1, 2).reshape(2, 3, 4)) ** 2).sum()


@arrays(lambda rng: [nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True, seed=1),
                     rng.normal(size=(2, 3, 4))])  # fmt: skip
def transformer_layer(layer: Any, x: Any) -> Any:
    return (layer(x) * x).mean()


@arrays(lambda rng: [rng.normal(size=(6, 3)), rng.normal(size=3), rng.normal(size=3)])
def batch_norm(x: Any, weight: Any, bias: Any) -> Any:
    y = F.batch_norm(x, None, None, weight, bias, training=True)
    return (F.relu(y) * x).sum()


@arrays(lambda rng: [nn.GroupNorm(2, 4), rng.normal(size=(2, 4, 6)), rng.normal(size=(4, 2, 3))])
def conv_and_group_norm(norm: Any, x: Any, w: Any) -> Any:
    y = F.conv1d(norm(x), w, groups=2, padding=1)
    return (F.avg_pool1d(F.silu(y), 2) ** 2).sum()


@arrays(lambda rng: [nn.Embedding(5, 3, padding_idx=0, seed=1), np.array([[1, 0, 4], [1, 1, 0]])])
def embedding(table: Any, ids: Any) -> Any:
    return (gw.rms_norm(table(ids), (3,)) * table(ids)).sum()


@arrays(lambda rng: [rng.normal(size=(5, 4)), np.array([1, -100, 3, 0, -100]),
                     rng.uniform(0.1, 1.0, 4)])  # fmt: skip
def ignored_classes(scores: Any, y: Any, weight: Any) -> Any:
    smooth = F.cross_entropy(scores, y, label_smoothing=0.1)
    return smooth + F.cross_entropy(scores * weight, y)


@arrays(lambda rng: [rng.normal(size=(4, 3)), rng.uniform(0.1, 0.9, (4, 3))])
def losses(a: Any, b: Any) -> Any:
    found = F.smooth_l1_loss(a, b) + F.huber_loss(a, b, delta=0.5)
    found += F.kl_div(F.log_softmax(a, 1), F.softmax(b, 1), reduction="batchmean")
    return found + F.binary_cross_entropy_with_logits(a, b)


# --- loops ----------------------------------------------------------------------------------------


@arrays(lambda rng: [rng.normal(size=(4, 4)) / 2.0, rng.normal(size=(6, 4))])
def scan(w: Any, xs: Any) -> Any:
    def step(h: Any, x: Any) -> Any:
        h = gw.tanh(h @ w + x)
        return h, h.sum()

    last, sums = gw.scan(step, xs[0] * 0.0, xs)
    return (last * last).sum() + sums.sum()


@arrays(lambda rng: [rng.uniform(0.5, 3.0, 4)])
def while_loop(x: Any) -> Any:
    y = gw.while_loop(
        lambda y: (abs(y * y - x) > 1e-9).any(), lambda y: 0.5 * (y + x / y), x * 0.5 + 0.5
    )
    return (y * y * y).sum()


@arrays(some(3, 4))
def checkpoint(x: Any) -> Any:
    return gw.checkpoint(lambda y: (gw.sin(y) * gw.exp(y)).sum())(x * 0.5)


@arrays(lambda rng: [rng.normal(size=4), rng.normal(size=(4, 4)) / 4.0])
def fixed_point(b: Any, w: Any) -> Any:
    y = gw.fixed_point(lambda y, w, b: gw.tanh(w @ y + b), b * 0.0, w, b, tolerance=1e-13)
    return (y * b).sum()


@arrays(lambda rng: [rng.uniform(1.0, 2.0, 2), rng.uniform(0.5, 1.0, 4)])
def runge_kutta(state: Any, rates: Any) -> Any:
    def slope(y: Any) -> Any:
        born, eaten, grown, dead = rates
        return gw.stack([y[0] * (born - eaten * y[1]), y[1] * (grown * y[0] - dead)])

    y, h = state, 0.1
    for _ in range(3):
        a = slope(y)
        b = slope(y + 0.5 * h * a)
        c = slope(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + slope(y + h * c))
    return (y * y).sum()


@arrays(lambda rng: [rng.normal(size=(5, 2)), np.array([[1.0, 0.1], [0.0, 1.0]]), spd(rng, 2),
                     spd(rng, 2)])  # fmt: skip
def kalman_filter(seen: Any, move: Any, noise: Any, error: Any) -> Any:
    mean, cov, found = seen[0], noise, 0.0
    for y in seen[1:]:
        mean, cov = move @ mean, move @ cov @ move.T + noise
        total, miss = cov + error, y - mean
        gain = linalg.solve(total, cov).T
        found = found + miss @ linalg.solve(total, miss) + linalg.slogdet(total)[1]
        mean, cov = mean + gain @ miss, cov - gain @ total @ gain.T
    return found + mean.sum()


# --- arrays ---------------------------------------------------------------------------------------


@arrays(some(3, 5))
def running_sums(x: Any) -> Any:
    y = gw.cumsum(x, axis=1) * gw.cumprod(x, axis=0)
    return (y + gw.flip(y, axis=1)).var() + gw.logcumsumexp(x, axis=1).sum()


@arrays(some(4, 5))
def order(x: Any) -> Any:
    best = gw.sort(x, axis=1)[:, ::-1]
    return sum(k * best[:, k].sum() for k in range(5)) + (x.max(axis=0) - x.min(axis=0)).prod()


@arrays(lambda rng: [rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 5)), rng.normal(size=(2, 3))])
def einsum(a: Any, b: Any, c: Any) -> Any:
    return (gw.einsum("bij,jk,bi->bk", a, b, c) ** 2).sum() + gw.einsum("bij,bij->", a, a)


@arrays(lambda rng: [spd(rng, 3), rng.normal(size=(4, 3))])
def gaussian(cov: Any, x: Any) -> Any:
    root = linalg.cholesky(cov)
    z = linalg.solve(root, x.T)
    return 0.5 * (z * z).sum() + 4.0 * gw.log(gw.diagonal(root)).sum()


@arrays(lambda rng: [spd(rng, 3), rng.normal(size=(4, 3))])
def spectra(cov: Any, x: Any) -> Any:
    values, vectors = linalg.eigh(cov)
    spread = linalg.svd(x, full_matrices=False)[1]
    return (gw.sqrt(values) * (vectors**2).sum(axis=0)).sum() + gw.log1p(spread).sum()


@arrays(lambda rng: [rng.normal(size=(3, 4)), rng.normal(size=(3, 1))])
def masks(x: Any, y: Any) -> Any:
    z = gw.where(x > y, gw.sqrt(abs(x - y) + 0.1), F.relu(x) + gw.minimum(x, y))
    return (gw.clip(z, -0.5, 1.5) * gw.maximum(x, 0.2)).sum()


@arrays(lambda rng: [rng.normal(size=(4, 5)), np.array([2, 0, 2])])
def indexing(x: Any, ids: Any) -> Any:
    rows = x[ids] * x[1:, None, :3].sum()
    return rows.sum() + (x[::2, -1] * x[[0, 3], [1, 2]]).sum() + (x[..., 1:3] ** 2).sum()


@arrays(lambda rng: [rng.normal(size=(3, 4)), rng.normal(size=2)])
def assignment(x: Any, v: Any) -> Any:
    y = x * 2.0
    y[1:, 0] = v * y[0, :2]
    y[0] += v.sum()
    return (y * x).sum() + gw.pad(y, ((1, 0), (0, 2))).mean()


@arrays(lambda rng: [rng.normal(size=(2, 3)), rng.normal(size=(2, 3))])
def shapes(a: Any, b: Any) -> Any:
    both = gw.concat([a, gw.roll(b, 1, axis=1)], axis=0).reshape(2, 6)
    parts = gw.split(gw.stack([both, both.flip(1)], axis=-1), 2, axis=1)
    turned = gw.tile(gw.repeat(parts[0], 2, axis=0), (1, 1, 2)) * gw.tril(gw.ones((6, 2)).T)[0, 0]
    return (parts[1] ** 2).sum() + turned.mean() + (gw.outer(a[0], b[1]) ** 2).sum()


# --- transforms -----------------------------------------------------------------------------------


def quartic(x: Any) -> Any:
    return (x**4).sum() / 4.0 + gw.sin(x).prod() + x[0] * x[-1]


@arrays(some(4))
def hessian(x: Any) -> Any:
    return (gw.hessian(quartic)(x) ** 2).sum() + quartic(x)


@arrays(lambda rng: [rng.normal(size=4), rng.normal(size=4)])
def jvp(x: Any, t: Any) -> Any:
    y, slope = gw.jvp(lambda x: gw.tanh(x) * x.sum(), (x,), (t,))
    return (y * slope).sum()


@arrays(lambda rng: [rng.normal(size=4), rng.normal(size=4)])
def vjp(x: Any, t: Any) -> Any:
    y, pull = gw.vjp(lambda x: gw.exp(-x) * x[::-1], x)
    (found,) = pull(t) if isinstance(pull(t), tuple) else (pull(t),)
    return (y * found).sum()


@arrays(lambda rng: [rng.normal(size=(4, 3)), rng.normal(size=(5, 4)), rng.normal(size=(5, 3))])
def gradients_of_examples(w: Any, xs: Any, ys: Any) -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return ((gw.tanh(x @ w) - y) ** 2).sum()

    each = gw.vmap(gw.grad(loss), in_axes=(None, 0, 0))(w, xs, ys)
    return gw.sqrt((each**2).sum(axis=(1, 2))).sum()


@gw.custom_rule(vjp=lambda t, y, x: t * gw.exp(-x * x))
def with_rule(x: Any) -> Any:
    return gw.erf(x) * 0.886226925452758


@arrays(some(3, 2))
def custom_rule(x: Any) -> Any:
    return (gw.vmap(with_rule)(x) * x).sum()


# --- statistics -----------------------------------------------------------------------------------


@arrays(lambda rng: [rng.normal(size=(6, 2)), rng.normal(size=(3, 2)), rng.normal(size=3)])
def mixture(x: Any, centres: Any, scores: Any) -> Any:
    far = ((x[:, None, :] - centres) ** 2).sum(axis=-1)
    return -gw.logsumexp(F.log_softmax(scores, 0) - 0.5 * far, axis=1).mean()


@arrays(lambda rng: [rng.uniform(80.0, 120.0, 6), rng.uniform(0.1, 0.4, 6)])
def black_scholes_arrays(spot: Any, volatility: Any) -> Any:
    up = gw.log(spot / 100.0) / volatility + 0.5 * volatility
    normal = [0.5 * (1.0 + gw.erf(z * 0.5**0.5)) for z in (up, up - volatility)]
    return (spot * normal[0] - 100.0 * normal[1]).sum()


# --- single numbers -------------------------------------------------------------------------------


@numbers((80.0, 120.0), (90.0, 110.0), (0.0, 0.05), (0.1, 0.4), (0.5, 2.0))
def black_scholes(s: Any, k: Any, rate: Any, sigma: Any, years: Any) -> Any:
    spread = sigma * gw.sqrt(years)
    up = (gw.log(s / k) + (rate + 0.5 * sigma**2) * years) / spread
    first, second = (0.5 * (1.0 + gw.erf(z * 0.5**0.5)) for z in (up, up - spread))
    return s * first - k * gw.exp(-rate * years) * second


@numbers((-1.0, 1.0), (-1.0, 1.0), (0.1, 0.5))
def pendulum(angle: Any, speed: Any, friction: Any) -> Any:
    for _ in range(10):
        angle, speed = (
            angle + 0.05 * speed,
            speed - 0.05 * (9.81 * gw.sin(angle) + friction * speed),
        )
    return angle


@numbers((0.5, 2.5), (0.1, 0.5))
def kepler(mean: Any, e: Any) -> Any:
    x = mean
    for _ in range(6):
        x = x - (x - e * gw.sin(x) - mean) / (1.0 - e * gw.cos(x))
    return x


@numbers((-2.0, 2.0), (0.5, 1.5))
def logistic(ability: Any, slope: Any) -> Any:
    scores = [(slope * (ability - level), right) for level, right in ((-1.0, 1.0), (0.4, 0.0))]
    return sum(gw.softplus(z) - right * z for z, right in scores) + ability**2 / 2.0


@numbers((-1.0, 1.0), (-1.0, 1.0))
def network(x: Any, y: Any) -> Any:
    hidden = [gw.tanh(a * x + b * y + 0.1) for a, b in ((0.5, -1.0), (1.0, 0.3), (-0.7, 0.9))]
    return gw.sigmoid(sum(w * h for w, h in zip((0.9, -0.4, 1.3), hidden, strict=True)))


@numbers((-1.0, 1.0), (-1.0, 1.0), (0.5, 1.5))
def van_der_pol(x: Any, v: Any, mu: Any) -> Any:
    def slope(x: Any, v: Any) -> Any:
        return v, mu * (1.0 - x * x) * v - x

    for _ in range(4):
        a = slope(x, v)
        b = slope(x + 0.05 * a[0], v + 0.05 * a[1])
        x, v = x + 0.1 * b[0], v + 0.1 * b[1]
    return x * v


@numbers((0.5, 2.0), (3.0, 5.0), (0.2, 1.0))
def quadratic_root(a: Any, b: Any, c: Any) -> Any:
    root = gw.sqrt(b * b - 4.0 * a * c)
    return gw.where(b > 0.0, -2.0 * c / (b + root), (-b + root) / (2.0 * a))


@numbers((0.1, 0.9), (1.2, 1.8))
def refraction(angle: Any, index: Any) -> Any:
    inside = gw.asin(gw.sin(angle) / index)
    return gw.tan(angle - inside) + gw.acos(gw.cos(inside) * 0.5) + gw.atan(index)


@numbers((0.2, 1.0), (0.2, 1.0))
def polar(x: Any, y: Any) -> Any:
    return gw.atan2(y, x) * gw.hypot(x, y) + gw.cbrt(x) - gw.sinh(y) / gw.cosh(x)


@numbers((0.5, 3.0), (1.5, 4.0), (0.5, 2.0))
def gamma_density(x: Any, shape: Any, rate: Any) -> Any:
    return shape * gw.log(rate) - gw.lgamma(shape) + (shape - 1.0) * gw.log(x) - rate * x


@numbers((-2.0, 2.0), (0.3, 0.9))
def huber(x: Any, width: Any) -> Any:
    return gw.where(abs(x) < width, 0.5 * x * x, width * (abs(x) - 0.5 * width))


@numbers((-2.0, 2.0), (-2.0, 2.0), (-2.0, 2.0))
def smooth_maximum(x: Any, y: Any, z: Any) -> Any:
    most = gw.maximum(gw.maximum(x, y), z)
    return most + gw.log(sum(gw.exp(number - most) for number in (x, y, z)))


@numbers((0.1, 0.3), (5.0, 20.0))
def implied_rate(rate: Any, payment: Any) -> Any:
    price = sum(payment / (1.0 + rate) ** k for k in range(1, 6)) + 100.0 / (1.0 + rate) ** 5
    guess = rate * 0.0 + 0.1
    for _ in range(5):
        powers = [(1.0 + guess) ** -k for k in range(7)]
        value = sum(payment * powers[k] for k in range(1, 6)) + 100.0 * powers[5] - price
        slope = -sum(k * payment * powers[k + 1] for k in range(1, 6)) - 500.0 * powers[6]
        guess = guess - value / slope
    return guess


@numbers((-0.9, 0.9), (-0.9, 0.9))
def horner(x: Any, y: Any) -> Any:
    found = 0.0 * x
    for c in (0.5, -1.0, 2.0, y, 1.0, -0.25):
        found = found * x + c
    return found / (1.0 + x**2 / (3.0 + y**2 / 5.0))


@numbers((-0.5, 0.3), (-0.5, 0.5))
def escape(re: Any, im: Any) -> Any:
    x, y = 0.0 * re, 0.0 * im
    for _ in range(6):
        inside = x * x + y * y < 4.0
        x, y = gw.where(inside, x * x - y * y + re, x), gw.where(inside, 2.0 * x * y + im, y)
    return x * x + y * y


@numbers((0.5, 4.0))
def bessel_series(x: Any) -> Any:
    term, found = 1.0 + 0.0 * x, 1.0 + 0.0 * x
    for k in range(1, 12):
        term = -term * x * x / (4.0 * k * k)
        found = found + term
    return found


@numbers((0.5, 1.5), (0.1, 0.9))
def loan_by_scan(rate: Any, paid: Any) -> Any:
    def year(debt: Any, _: Any) -> Any:
        return debt * (1.0 + 0.1 * rate) - paid, debt

    return gw.scan(year, rate * 3.0, None, length=6)[0]


@numbers((-1.0, 1.0), (0.5, 1.5))
def curvature(x: Any, a: Any) -> Any:
    return gw.grad(gw.grad(lambda x: gw.exp(-a * x * x) * gw.cos(x)))(x)


@numbers((-1.5, 1.5), (-1.5, 1.5))
def corners(x: Any, y: Any) -> Any:
    return gw.relu(x) * gw.clip(y, -0.7, 0.7) + gw.leaky_relu(x - y) + gw.minimum(x, y) * abs(y)


@numbers((0.01, 0.5), (0.3, 2.0))
def small_numbers(x: Any, y: Any) -> Any:
    return gw.expm1(x) * gw.log1p(y) + x**y + gw.erfc(y) + gw.gelu(x) + gw.log(1.0 + x * x)
