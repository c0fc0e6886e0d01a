"""The digits CNN and the character GPT on arrays of other libraries: NumPy's losses in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, nn, optim
from gradwalk.data.digits import load_digits
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.libraries import Library


class Attention(nn.Module):
    """Causal self-attention with two heads."""

    def __init__(self, width: int, seed: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width, seed=seed)
        self.out = nn.Linear(width, width, seed=seed + 1)

    def forward(self, x: Any) -> Any:
        batch, context, width = x.shape
        split = self.qkv(x).reshape(batch, context, 3, 2, width // 2)
        q, k, v = (split[:, :, i].swapaxes(1, 2) for i in range(3))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.swapaxes(1, 2).reshape(batch, context, width))


class Block(nn.Module):
    """Attention and a hidden layer, each beside the identity."""

    def __init__(self, width: int, seed: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, seed)
        self.up = nn.Linear(width, 4 * width, seed=seed + 2)
        self.down = nn.Linear(4 * width, width, seed=seed + 3)

    def forward(self, x: Any) -> Any:
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.relu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """Characters of a text, each from those before it."""

    def __init__(self, vocabulary: int, width: int = 8) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width, seed=1)
        self.positions = nn.Embedding(64, width, seed=2)
        self.blocks = nn.Sequential(Block(width, 10), Block(width, 20))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, seed=3)

    def forward(self, ids: Any) -> Any:
        x = self.tokens(ids) + self.positions(np.arange(ids.shape[1]))
        return self.head(self.norm(self.blocks(x)))


TEXT = "to be, or not to be: that is the question. whether 'tis nobler in the mind to suffer " * 20


def gpt(place: str, steps: int, context: int, batch: int) -> list[float]:
    """Return the losses of a character GPT that is trained at a place."""
    letters = sorted(set(TEXT))
    ids = np.array([letters.index(c) for c in TEXT])
    model = GPT(len(letters)).astype(np.float64).to(place)
    optimizer, found = optim.AdamW(model.parameters(), lr=3e-3), []
    for step in range(steps):
        rng = np.random.default_rng(step % 2)  # two batches in turn
        starts = rng.integers(0, len(ids) - context - 1, batch)
        rows = np.stack([ids[i : i + context + 1] for i in starts])
        scores = model(rows[:, :-1]).reshape(-1, len(letters))
        loss = F.cross_entropy(scores, rows[:, 1:].reshape(-1))
        found.append(_step(model, optimizer, loss))
    return found


def cnn(place: str, steps: int, batch: int) -> list[float]:
    """Return the losses of a CNN that learns digits at a place."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: NOT TESTED")
    (images, labels), _ = load_digits()
    model = nn.Sequential(
        *(nn.Conv2d(1, 4, 3, padding=1, seed=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(4, 8, 3, padding=1, seed=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(32, 10, seed=3)),
    )
    model = model.astype(np.float64).to(place)
    optimizer, found = optim.Adam(model.parameters(), lr=3e-3), []
    for step in range(steps):
        part = slice(step * batch % 1000, step * batch % 1000 + batch)
        scores = model(Tensor(images[part], dtype=np.float64).to_device(place))
        found.append(_step(model, optimizer, F.cross_entropy(scores, labels[part])))
    return found


def _step(model: nn.Module, optimizer: Any, loss: Any) -> float:
    optimizer.zero_grad()
    loss.backward()
    optim.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return float(loss.item())


def test_a_character_gpt_has_the_losses_of_numpy(library: Library) -> None:
    found, expected = (gpt(at, 6, context=6, batch=3) for at in (library.name, "numpy"))
    assert found == pytest.approx(expected, rel=1e-10)
    assert expected[-1] < expected[1]  # of the same batch


def test_a_digits_cnn_has_the_losses_of_numpy(library: Library) -> None:
    found, expected = (cnn(at, 4, batch=8) for at in (library.name, "numpy"))
    assert found == pytest.approx(expected, rel=1e-10)
    assert expected[-1] < expected[0]


@pytest.mark.prove
@pytest.mark.peer
def test_longer_trainings_have_the_losses_of_numpy() -> None:
    library = Library("torch")
    for train, sizes in ((gpt, {"context": 16, "batch": 16}), (cnn, {"batch": 64})):
        found, expected = (train(at, 60, **sizes) for at in (library.name, "numpy"))
        assert found == pytest.approx(expected, rel=1e-6)
        assert expected[-1] < 0.8 * expected[1]
