"""A character GPT of gradwalk's modules, and its training step."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import nn, optim
from gradwalk.nn import functional as F  # noqa: N812

from .sizes import BETAS, DECAY, EPSILON, LEARNING_RATE, Sizes


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, sizes: Sizes, seed: int) -> None:
        super().__init__()
        self.heads = sizes.heads
        self.qkv = nn.Linear(sizes.width, 3 * sizes.width, seed=seed)
        self.out = nn.Linear(sizes.width, sizes.width, seed=seed + 1)

    def forward(self, x: Any) -> Any:
        """Return what each position takes from those before it."""
        batch, context, width = x.shape
        split = self.qkv(x).reshape(batch, context, 3, self.heads, width // self.heads)
        q, k, v = (split[:, :, i].swapaxes(1, 2) for i in range(3))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.swapaxes(1, 2).reshape(batch, context, width))


class Block(nn.Module):
    """Attention and a hidden layer, each beside the identity."""

    def __init__(self, sizes: Sizes, seed: int) -> None:
        super().__init__()
        width = sizes.width
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(sizes, seed)
        self.up = nn.Linear(width, 4 * width, seed=seed + 2)
        self.down = nn.Linear(4 * width, width, seed=seed + 3)

    def forward(self, x: Any) -> Any:
        """Return the sum of both halves and x."""
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """Scores of the next character, at each position."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.tokens = nn.Embedding(sizes.letters, sizes.width, seed=1)
        self.positions = nn.Embedding(sizes.context, sizes.width, seed=2)
        self.blocks = nn.Sequential(*(Block(sizes, 10 * i) for i in range(1, sizes.layers + 1)))
        self.norm = nn.LayerNorm(sizes.width)
        self.head = nn.Linear(sizes.width, sizes.letters, seed=3)

    def forward(self, ids: Any) -> Any:
        """Return the scores: (batch, context, letters)."""
        x = self.tokens(ids) + self.positions(np.arange(ids.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def train_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Return the loss, and take one step."""
    scores = model(x)
    loss = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def initial(sizes: Sizes, dtype: str = "float32") -> dict[str, Any]:
    """Return the parameters that all three libraries begin with, as NumPy's arrays."""
    return {k: v.astype(dtype) for k, v in GPT(sizes).state_dict().items()}


def made(
    sizes: Sizes, place: str, dtype: str = "float32", lr: float = LEARNING_RATE
) -> tuple[Any, Any]:
    """Return a model at a place, and its optimizer."""
    model = GPT(sizes).astype(np.dtype(dtype)).to(place)
    model.load_state_dict(initial(sizes, dtype))
    optimizer = optim.AdamW(model.parameters(), lr=lr, betas=BETAS, eps=EPSILON, weight_decay=DECAY)
    return model, optimizer
