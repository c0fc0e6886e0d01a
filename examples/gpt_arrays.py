"""The GPT of `gpt.py` on arrays, with its training step compiled where the arrays lie.

    python examples/gpt.py --place numpy
    python examples/gpt.py --place jax               # compiled by XLA
    python examples/gpt.py --place torch:cuda        # compiled by inductor, on a GPU

The same block, names and number of parameters, but a batch of names in each step.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import gradwalk
from gradwalk import Tensor, nn
from gradwalk.nn import functional as F  # noqa: N812
from gradwalk.optim import Adam

NOTHING = -100  # the target where a name has ended


class GPT(nn.Module):
    """A transformer of one block that scores the next character at every position."""

    def __init__(self, characters: int, width: int, heads: int, block: int, seed: int) -> None:
        super().__init__()
        self.heads = heads
        self.token = nn.Embedding(characters, width, seed=seed)
        self.position = nn.Embedding(block, width, seed=seed + 1)
        self.norms = nn.ModuleList([nn.RMSNorm(width) for _ in range(3)])
        sizes = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)]
        self.look, self.mix, self.up, self.down = (
            nn.Linear(*size, bias=False, seed=seed + 2 + i) for i, size in enumerate(sizes)
        )
        self.head = nn.Linear(width, characters, bias=False, seed=seed + 6)

    def forward(self, tokens: Any) -> Any:
        """Return the scores: (names, positions, characters)."""
        x = self.token(tokens) + self.position(np.arange(tokens.shape[1]))
        x = x + self.attend(self.norms[0](x))
        x = x + self.down(self.up(self.norms[1](x)).relu())
        return self.head(self.norms[2](x))

    def attend(self, x: Any) -> Any:
        """Apply causal attention."""
        names, length, width = x.shape
        parts = self.look(x).reshape(names, length, 3, self.heads, width // self.heads)
        query, key, value = (parts[:, :, i].swapaxes(1, 2) for i in range(3))
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.mix(seen.swapaxes(1, 2).reshape(names, length, width))


def train_step(model: Any, optimizer: Any, tokens: Any, targets: Any) -> Any:
    """Take one step, and return the mean surprise at a character."""
    scores = model(tokens)
    loss = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def rows(names: Sequence[str], alphabet: str, block: int) -> np.ndarray[Any, Any]:
    """Return the characters of every name, with one `block` before it ends and one behind."""
    found = np.full((len(names), block + 1), NOTHING)
    for row, name in zip(found, names, strict=True):
        text = f"{alphabet[0]}{name}{alphabet[0]}"[: block + 1]
        row[: len(text)] = [alphabet.index(character) for character in text]
    return found


def train(
    model: GPT, place: str, data: np.ndarray[Any, Any], steps: int, lr: float, batch: int = 32
) -> Iterator[float]:
    """Train at a place, and yield the loss of each step."""
    model.to("float32").to(place)
    optimizer = Adam(model.parameters(), lr=lr, betas=(0.9, 0.95))
    step = gradwalk.compile(train_step)
    for i in range(steps):
        chosen = data[np.arange(i * batch, (i + 1) * batch) % len(data)]
        tokens, targets = np.maximum(chosen[:, :-1], 0), chosen[:, 1:]
        given = (Tensor(part).to_device(place) for part in (tokens, targets))
        yield step(model, optimizer, *given).item()


def sample(model: GPT, alphabet: str, block: int, rng: random.Random) -> str:
    """Invent a name, one character after another."""
    tokens = [0]
    while len(tokens) <= block:
        scores = model(np.array([tokens]))[0, -1] / 0.7
        tokens += rng.choices(range(len(alphabet)), F.softmax(scores, 0).tolist())
        if tokens[-1] == 0:
            break
    return "".join(alphabet[token] for token in tokens).strip(alphabet[0])
