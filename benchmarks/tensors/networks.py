"""Larger training steps, from one source for gradwalk and PyTorch.

Both libraries have modules of the same names, so one program serves both; equal weights are drawn
by name. Data are bundled digits (scikit-learn) or random tokens: their values do not change the
time of a step.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Step = Callable[[], float]


class Library:
    """The differences between the libraries: tensors from arrays, and names of modules."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nn = import_module(f"{name}.nn")
        self.functional = import_module(f"{name}.nn.functional")
        self.optim = import_module(f"{name}.optim")
        self.root = import_module(name)

    def tensor(self, array: Any) -> Any:
        """Return a constant tensor with the elements of an array."""
        return self.root.Tensor(array) if self.name == "gradwalk" else self.root.from_numpy(array)

    def ready(self, model: Any) -> Any:
        """Return the model in float32, with weights that depend only on their names and shapes."""
        model = model.astype(np.float32) if self.name == "gradwalk" else model.float()
        numbers = {name: _draw(name, p.shape) for name, p in model.named_parameters()}
        if self.name == "torch":
            numbers = {name: self.root.from_numpy(array) for name, array in numbers.items()}
        model.load_state_dict(numbers, strict=False)
        return model


def _draw(name: str, shape: Any) -> Any:
    shape = tuple(shape)
    if name.endswith("bias") or len(shape) == 1:
        return np.full(shape, 1.0 if "norm" in name and "weight" in name else 0.0, np.float32)
    seed = sum(name.encode())
    fan_in = int(np.prod(shape[1:]))
    numbers = np.random.default_rng(seed).normal(0.0, (1.0 / fan_in) ** 0.5, shape)
    return numbers.astype(np.float32)


def _stepper(library: Library, model: Any, batches: list[Any], lr: float) -> Step:
    optimizer = library.optim.Adam(model.parameters(), lr=lr)
    cross_entropy = library.functional.cross_entropy
    turn = iter(range(1 << 60))

    def step() -> float:
        x, target = batches[next(turn) % len(batches)]
        loss = cross_entropy(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


def _digits(library: Library, batch: int, images: bool) -> list[Any]:
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).astype(np.float32)
    x = x.reshape(-1, 1, 8, 8) if images else x
    starts = range(0, len(x) - batch + 1, batch)
    return [
        (library.tensor(x[i : i + batch].copy()), library.tensor(y[i : i + batch].astype(np.int64)))
        for i in starts
    ]


def digits_mlp(name: str) -> Step:
    """Return a step of digits: MLP 64-128-64-10, batch 128, Adam, float32."""
    library = Library(name)
    nn = library.nn
    model = nn.Sequential(
        *(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
    )
    return _stepper(library, library.ready(model), _digits(library, 128, images=False), 1e-3)


def digits_cnn(name: str) -> Step:
    """Return a step of digits: two 3x3 convolutions (16, 32 channels), batch 64, Adam, float32."""
    library = Library(name)
    nn = library.nn
    model = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(128, 10)),
    )
    return _stepper(library, library.ready(model), _digits(library, 64, images=True), 1e-3)


def gpt(name: str, vocabulary: int = 27, width: int = 64, context: int = 16) -> Step:
    """Return a step of a GPT: 2 layers, width 64, 4 heads, context 16, batch 32, Adam, float32."""
    library = Library(name)
    nn, functional, batch = library.nn, library.functional, 32

    class Attention(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

        def forward(self, x: Any) -> Any:
            # (batch, context, 3 width) -> three times (batch, heads, context, width of a head)
            split = self.qkv(x).reshape(batch, context, 3, 4, width // 4)
            q, k, v = (split[:, :, i].swapaxes(1, 2) for i in range(3))
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(y.swapaxes(1, 2).reshape(batch, context, width))

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.attention = nn.LayerNorm(width), Attention()
            self.norm2 = nn.LayerNorm(width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.down(functional.relu(self.up(self.norm2(x))))

    class GPT(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(vocabulary, width)
            self.positions = nn.Embedding(context, width)
            self.blocks = nn.Sequential(Block(), Block())
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)
            self.places = library.tensor(np.arange(context))

        def forward(self, ids: Any) -> Any:
            x = self.tokens(ids) + self.positions(self.places)
            return self.head(self.norm(self.blocks(x))).reshape(-1, vocabulary)

    rng = np.random.default_rng(3)
    batches = []
    for _ in range(8):
        ids = rng.integers(0, vocabulary, (batch, context + 1))
        x, target = ids[:, :-1].copy(), ids[:, 1:].reshape(-1).copy()
        batches.append((library.tensor(x), library.tensor(target)))
    return _stepper(library, library.ready(GPT()), batches, 1e-3)
