"""The same GPT and AdamW, as one writes them in PyTorch."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from .sizes import BETAS, DECAY, EPSILON, LEARNING_RATE, Sizes


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.heads = sizes.heads
        self.qkv = nn.Linear(sizes.width, 3 * sizes.width)
        self.out = nn.Linear(sizes.width, sizes.width)

    def forward(self, x: Any) -> Any:
        """Return what each position takes from those before it."""
        batch, context, width = x.shape
        split = self.qkv(x).reshape(batch, context, 3, self.heads, width // self.heads)
        q, k, v = (part.transpose(1, 2) for part in split.unbind(2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, context, width))


class Block(nn.Module):
    """Attention and a hidden layer, each beside the identity."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(sizes.width), nn.LayerNorm(sizes.width)
        self.attention = Attention(sizes)
        self.up = nn.Linear(sizes.width, 4 * sizes.width)
        self.down = nn.Linear(4 * sizes.width, sizes.width)

    def forward(self, x: Any) -> Any:
        """Return the sum of both halves and x."""
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """Scores of the next character, at each position."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.tokens = nn.Embedding(sizes.letters, sizes.width)
        self.positions = nn.Embedding(sizes.context, sizes.width)
        self.blocks = nn.Sequential(*(Block(sizes) for _ in range(sizes.layers)))
        self.norm = nn.LayerNorm(sizes.width)
        self.head = nn.Linear(sizes.width, sizes.letters)

    def forward(self, ids: Any) -> Any:
        """Return the scores: (batch, context, letters)."""
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.blocks(x)))


class Training:
    """A model, its optimizer and a batch. ``fused``: AdamW in one kernel."""

    def __init__(self, sizes: Sizes, parameters: dict[str, Any], x: Any, y: Any,
                 device: str, compiled: bool = False) -> None:  # fmt: skip
        model = GPT(sizes)
        model.load_state_dict({k: torch.as_tensor(v) for k, v in parameters.items()})
        model = model.to(device)
        self.optimizer = torch.optim.AdamW(model.parameters(), LEARNING_RATE, BETAS, EPSILON,
                                           DECAY, fused=True if compiled else None)  # fmt: skip
        self.model = torch.compile(model) if compiled else model
        self.x, self.y = (torch.as_tensor(ids, device=device) for ids in (x, y))

    def step(self) -> Any:
        """Take one step, and return its loss."""
        scores = self.model(self.x)
        loss = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), self.y.reshape(-1))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def __call__(self) -> Any:
        """Take one step, wait for it, and return its loss."""
        loss = self.step()
        if loss.is_cuda:
            torch.cuda.synchronize()
        return loss
