"""How large the measured GPT is, and what it learns from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

LEARNING_RATE, DECAY = 3e-4, 0.01
BETAS, EPSILON = (0.9, 0.999), 1e-8


@dataclass(frozen=True)
class Sizes:
    """The sizes of a character GPT and of its batches."""

    batch: int
    context: int
    width: int
    heads: int
    layers: int
    letters: int = 65

    def ids(self, batches: int = 1) -> Any:
        """Return that many batches of inputs and targets: (batches, 2, batch, context)."""
        rng = np.random.default_rng(0)
        rows = rng.integers(0, self.letters, (batches, self.batch, self.context + 1))
        return np.stack([rows[..., :-1], rows[..., 1:]], axis=1)


SIZES = {"cuda": Sizes(64, 128, 384, 6, 6), "cpu": Sizes(16, 32, 64, 4, 2)}
SMALL = Sizes(4, 16, 32, 4, 2)
"""Of the trainings whose losses are compared."""
