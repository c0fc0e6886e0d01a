"""The same GPT and AdamW, as one writes them in JAX."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from .sizes import BETAS, DECAY, EPSILON, LEARNING_RATE, Sizes

Tree = dict[str, Any]


def _linear(p: Tree, name: str, x: Any) -> Any:
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def _norm(p: Tree, name: str, x: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    scale = jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
    return centred * scale * p[f"{name}.weight"] + p[f"{name}.bias"]


def _attention(p: Tree, name: str, x: Any, heads: int) -> Any:
    batch, context, width = x.shape
    split = _linear(p, f"{name}.qkv", x).reshape(batch, context, 3, heads, width // heads)
    q, k, v = (split[:, :, i].swapaxes(1, 2) for i in range(3))
    scores = q @ k.swapaxes(-1, -2) * (width // heads) ** -0.5
    causal = jnp.tril(jnp.ones((context, context), bool))
    y = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1) @ v
    return _linear(p, f"{name}.out", y.swapaxes(1, 2).reshape(batch, context, width))


def scores(sizes: Sizes, p: Tree, ids: Any) -> Any:
    """Return the scores of the next character: (batch, context, letters)."""
    x = p["tokens.weight"][ids] + p["positions.weight"][: ids.shape[1]]
    for i in range(sizes.layers):
        name = f"blocks.{i}"
        x = x + _attention(p, f"{name}.attention", _norm(p, f"{name}.norm1", x), sizes.heads)
        hidden = _linear(p, f"{name}.up", _norm(p, f"{name}.norm2", x))
        x = x + _linear(p, f"{name}.down", jax.nn.gelu(hidden, approximate=False))
    return _linear(p, "head", _norm(p, "norm", x))


def loss(sizes: Sizes, p: Tree, x: Any, y: Any) -> Any:
    """Return the mean cross-entropy."""
    logs = jax.nn.log_softmax(scores(sizes, p, x), axis=-1)
    return -jnp.take_along_axis(logs, y[..., None], axis=-1).mean()


def _adamw(p: Any, g: Any, m: Any, v: Any, step: Any) -> tuple[Any, Any, Any]:
    m = BETAS[0] * m + (1.0 - BETAS[0]) * g
    v = BETAS[1] * v + (1.0 - BETAS[1]) * g * g
    up = (m / (1.0 - BETAS[0] ** step)) / (jnp.sqrt(v / (1.0 - BETAS[1] ** step)) + EPSILON)
    return p - LEARNING_RATE * (up + DECAY * p), m, v


def train_step(sizes: Sizes, p: Tree, state: Any, x: Any, y: Any) -> tuple[Any, Tree, Any]:
    """Return the loss, the new parameters and the new state of AdamW."""
    value, slopes = jax.value_and_grad(partial(loss, sizes))(p, x, y)
    step, m, v = state
    step = step + 1.0
    new = {k: _adamw(p[k], slopes[k], m[k], v[k], step) for k in p}
    parts = [{k: one[i] for k, one in new.items()} for i in range(3)]
    return value, parts[0], (step, parts[1], parts[2])


class Training:
    """The state of a training, which `jit` overwrites in place."""

    def __init__(self, sizes: Sizes, parameters: Tree, x: Any, y: Any) -> None:
        self.p = {k: jnp.asarray(v) for k, v in parameters.items()}
        zeros = [{k: jnp.zeros_like(v) for k, v in self.p.items()} for _ in range(2)]
        self.state = (jnp.zeros(()), *zeros)
        self.x, self.y = jnp.asarray(x, jnp.int32), jnp.asarray(y, jnp.int32)
        self.step = jax.jit(partial(train_step, sizes), donate_argnums=(0, 1))

    def __call__(self) -> Any:
        """Take one step, wait for it, and return its loss."""
        value, self.p, self.state = self.step(self.p, self.state, self.x, self.y)
        return jax.block_until_ready((value, self.p))[0]
