"""Families of models in JAX: a loss and its arguments each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.ode import odeint

Loss = Callable[..., Any]
FAMILIES: dict[str, tuple[Loss, tuple[Any, ...]]] = {}
OPAQUE = {"ode_by_the_adjoint": {"custom_vjp_call"}, "gnn": {"scatter-mul", "scatter-max"}}
"""Operations that gradwalk does not see into, by family; those of all others are seen into."""

_rng = np.random.default_rng(0)


def _drawn(*shape: int) -> jax.Array:
    return jnp.asarray(_rng.normal(size=shape) * 0.5, jnp.float32)


def family(*args: Any) -> Callable[[Loss], Loss]:
    def noted(f: Loss) -> Loss:
        FAMILIES[f.__name__] = f, args
        return f

    return noted


@family({"w1": _drawn(4, 8), "b1": _drawn(8), "w2": _drawn(8, 1)}, _drawn(16, 4), _drawn(16, 1))
def mlp(params: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    h = jax.nn.relu(x @ params["w1"] + params["b1"])
    return jnp.mean((h @ params["w2"] - y) ** 2)


@family(
    {name: _drawn(8, 8) for name in "qkv"} | {"g": jnp.ones(8), "b": jnp.zeros(8)}
    | {"m": _drawn(8, 32), "n": _drawn(32, 8)}, _drawn(2, 5, 8),
)  # fmt: skip
def transformer(p: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    def norm(x: jax.Array) -> jax.Array:
        centred = x - x.mean(-1, keepdims=True)
        return centred / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * p["g"] + p["b"]

    h = norm(x)
    scores = jnp.einsum("bid,bjd->bij", h @ p["q"], h @ p["k"]) / jnp.sqrt(8.0)
    scores = jnp.where(jnp.tril(jnp.ones((5, 5), bool)), scores, -jnp.inf)
    x = x + jax.nn.softmax(scores, -1) @ (h @ p["v"])
    x = x + jax.nn.gelu(norm(x) @ p["m"]) @ p["n"]
    return -jnp.take_along_axis(jax.nn.log_softmax(x), jnp.ones((2, 5, 1), int), -1).mean()


@family(_drawn(3, 3, 1, 4), _drawn(36, 3), _drawn(2, 6, 6, 1))
def cnn(w: jax.Array, v: jax.Array, x: jax.Array) -> jax.Array:
    layout = ("NHWC", "HWIO", "NHWC")
    y = jax.nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layout))
    y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.logsumexp(y.reshape(2, -1) @ v, axis=-1).sum()


@family(_drawn(4, 16), _drawn(4, 16), jnp.zeros(16), _drawn(7, 3, 4))
def lstm(wx: jax.Array, wh: jax.Array, b: jax.Array, xs: jax.Array) -> jax.Array:
    def step(carry: Any, x: jax.Array) -> Any:
        h, s = carry
        i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, -1)
        s = jax.nn.sigmoid(f) * s + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(s)
        return (h, s), h

    zeros = jnp.zeros((3, 4))
    return (jax.lax.scan(step, (zeros, zeros), xs)[1] ** 2).mean()


@family(_drawn(6, 4), _drawn(2, 6), _drawn(3, 6), jax.random.key(0))
def vae(e: jax.Array, d: jax.Array, x: jax.Array, key: jax.Array) -> jax.Array:
    mean, log_variance = jnp.split(x @ e, 2, -1)
    z = mean + jnp.exp(log_variance / 2) * jax.random.normal(key, mean.shape)
    y, t = jax.nn.sigmoid(z @ d), jnp.clip(x, 0, 1)
    likelihood = (t * jnp.log(y) + (1 - t) * jnp.log1p(-y)).sum()
    return -0.5 * (1 + log_variance - mean**2 - jnp.exp(log_variance)).sum() - likelihood


@family(_drawn(2, 4), _drawn(4, 2), _drawn(5, 4))
def normalising_flow(s: jax.Array, t: jax.Array, x: jax.Array) -> jax.Array:
    a, b = x[:, :2], x[:, 2:]
    log_scale = jnp.tanh(a @ s)[:, :2]
    z = jnp.concatenate([a, b * jnp.exp(log_scale) + jax.nn.softplus(a @ s) @ t], 1)
    return -(jax.scipy.stats.norm.logpdf(z).sum(-1) + log_scale.sum(-1)).mean()


@family({"a": _drawn(1, 8), "b": _drawn(8), "c": _drawn(8, 1)}, jnp.linspace(0, 1, 5))
def pinn(p: dict[str, jax.Array], xs: jax.Array) -> jax.Array:
    def u(x: jax.Array) -> jax.Array:
        return (jnp.tanh(x[None, None] @ p["a"] + p["b"]) @ p["c"])[0, 0]

    residual = jax.vmap(lambda x: jax.grad(jax.grad(u))(x) + u(x))(xs)
    return (residual**2).mean() + u(jnp.zeros(())) ** 2


@family(jnp.array(0.3), jnp.array(0.1), _drawn(6, 2), _drawn(6))
def gaussian_process(size: jax.Array, noise: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    d = ((x[:, None] - x[None]) ** 2).sum(-1)
    k = jnp.exp(-d / (2 * jnp.exp(size) ** 2)) + (jnp.exp(noise) + 1e-3) * jnp.eye(6)
    lower = jnp.linalg.cholesky(k)
    return 0.5 * y @ jax.scipy.linalg.cho_solve((lower, True), y) + jnp.log(jnp.diag(lower)).sum()


@family(_drawn(3, 3), _drawn(3))
def ode_by_steps(w: jax.Array, y: jax.Array) -> jax.Array:
    def step(_: int, y: jax.Array) -> jax.Array:
        k1 = jnp.tanh(w @ y)
        return y + 0.1 * jnp.tanh(w @ (y + 0.05 * k1))

    return (jax.lax.fori_loop(0, 10, step, y) ** 2).sum()


@family(_drawn(3, 3), _drawn(3))
def ode_by_the_adjoint(w: jax.Array, y: jax.Array) -> jax.Array:
    times = jnp.linspace(0.0, 1.0, 4)
    return (odeint(lambda y, t, w: jnp.tanh(w @ y), y, times, w) ** 2).sum()


@family(jnp.abs(_drawn(4)) + 0.5, jnp.abs(_drawn(4)) + 0.5)
def distributions(a: jax.Array, b: jax.Array) -> jax.Array:
    s = jax.scipy.stats
    found = [s.gamma.logpdf(a, b), s.beta.logpdf(jax.nn.sigmoid(a), a, b), s.t.logpdf(a, b + 2)]
    found += [s.laplace.logpdf(a, b), s.norm.logcdf(a), s.poisson.logpmf(3, a)]
    return sum(x.sum() for x in [*found, s.cauchy.logpdf(a, b), s.logistic.logpdf(a, b)])


@family(_drawn(4, 4) + 2 * jnp.eye(4), _drawn(4))
def linear_algebra(a: jax.Array, b: jax.Array) -> jax.Array:
    g, s = jnp.linalg, a @ a.T + jnp.eye(4)
    found = [g.solve(a, b).sum(), g.slogdet(a)[1], g.inv(a).sum(), g.eigvalsh(s).sum(), g.det(a)]
    found += [g.norm(a), g.svd(a, compute_uv=False).sum(), g.qr(a)[1].sum(), g.pinv(a).sum()]
    return sum(found) + jnp.trace(jax.scipy.linalg.expm(a * 0.1))


@family(_drawn(5, 3), _drawn(3, 3), jnp.array([[0, 1], [1, 2], [2, 0], [3, 4]]))
def gnn(x: jax.Array, w: jax.Array, edges: jax.Array) -> jax.Array:
    m = jnp.zeros_like(x).at[edges[:, 1]].add((x @ w)[edges[:, 0]])
    m = m.at[0].set(1.0).at[1].multiply(2.0)
    groups = jnp.array([0, 0, 1, 1, 2])
    sums = jax.ops.segment_sum(jnp.tanh(m), groups, 3)
    return sums.sum() + jax.ops.segment_max(m, groups, 3).sum()


@family(_drawn(8))
def order_statistics(x: jax.Array) -> jax.Array:
    found = [(jnp.sort(x) * jnp.arange(8)).sum(), jax.lax.top_k(x, 3)[0].sum(), jnp.median(x)]
    found += [jax.lax.cummax(x).sum(), jnp.cumprod(x).sum(), jnp.quantile(x, 0.3), jnp.max(x)]
    return sum(found) + x[jnp.argsort(x)[0]] + jax.lax.associative_scan(jnp.add, x).sum()


@family(_drawn(6), _drawn(6))
def control_flow(x: jax.Array, y: jax.Array) -> jax.Array:
    @jax.checkpoint
    def again(a: jax.Array) -> jax.Array:
        return jnp.sin(a) * jnp.exp(a)

    chosen = jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, x)
    start = (0, jax.lax.stop_gradient(x))
    loop = jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 0.9), start)[1]
    return (chosen + again(y) + loop).sum() + jnp.logaddexp(x, y).sum() + jnp.hypot(x, y).sum()


@family(_drawn(4), _drawn(3, 4))
def diffusion(w: jax.Array, x: jax.Array) -> jax.Array:
    key = jax.random.PRNGKey(0)
    t, e = jax.random.uniform(key, (3, 1)), jax.random.normal(key, x.shape)
    a = jnp.cos(t * jnp.pi / 2)
    noisy = a * x + jnp.sqrt(1 - a**2) * e
    where = jnp.concatenate([jnp.sin(t * jnp.arange(2)), jnp.cos(t * jnp.arange(2))], -1)
    return ((jax.nn.silu(noisy * w + where) - e) ** 2).mean()


@family(_drawn(5, 3), _drawn(5))
def policy_gradient(logits: jax.Array, advantage: jax.Array) -> jax.Array:
    log_p = jax.nn.log_softmax(logits)
    chosen = log_p[jnp.arange(5), jnp.array([0, 1, 2, 0, 1])]
    ratio = jnp.exp(chosen - jax.lax.stop_gradient(chosen) * 1.1)
    entropy = -(jnp.exp(log_p) * log_p).sum(-1)
    clipped = jnp.clip(ratio, 0.8, 1.2) * advantage
    return -(jnp.minimum(ratio * advantage, clipped) + 0.01 * entropy).mean()
