"""Models that write names, one character after another: their data, the models, and samples.

>>> alphabet = Alphabet(["ada", "bo"])
>>> alphabet.encode("ada"), alphabet.decode([3, 4, 0])
([1, 3, 1], 'do')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..engine.value import no_grad
from ..errors import DataError
from ..nn import (
    Embedding,
    Flatten,
    LayerNorm,
    Linear,
    Module,
    ModuleList,
    Sequential,
    Tanh,
    TransformerBlock,
    cross_entropy,
)
from ..nn.draws import generator_of
from ..tensor import Tensor

__all__ = ["IGNORED", "Alphabet", "CharacterGPT", "contexts", "mean_surprise", "ngram", "sample"]
__all__ += ["sequences", "surprise"]

IGNORED = -100
"""The target of a place where nothing stands any more; `gradwalk.nn.cross_entropy` skips it."""


class Alphabet:
    """The characters of some names as numbers; 0 stands before and after every name."""

    def __init__(self, names: Iterable[str]) -> None:
        self.characters = "".join(sorted(set("".join(names))))
        self._numbers = {character: i for i, character in enumerate(self.characters, 1)}

    def __len__(self) -> int:
        return len(self.characters) + 1

    def encode(self, name: str) -> list[int]:
        """The numbers of the characters of a name."""
        if unknown := sorted(set(name) - set(self.characters)):
            raise DataError(
                where="Alphabet.encode",
                expected=f"characters of {self.characters!r}",
                got=f"{name!r} with {unknown[0]!r}",
                fix="Make the alphabet of all names that it is for.",
            )
        return [self._numbers[character] for character in name]

    def decode(self, numbers: Iterable[int]) -> str:
        """The characters up to the first 0."""
        name = ""
        for number in numbers:
            if number == 0:
                break
            name += self.characters[number - 1]
        return name


# --- data ---------------------------------------------------------------------------------------


def contexts(names: Iterable[str], alphabet: Alphabet, width: int) -> tuple[Any, Any]:
    """For every character, and the end, of every name: the ``width`` numbers before it, and it.

    >>> contexts(["ab"], Alphabet(["ab"]), 2)[0].tolist()
    [[0, 0], [0, 1], [1, 2]]
    """
    rows, targets = [], []
    for name in names:
        numbers = [0] * width + alphabet.encode(name) + [0]
        rows += [numbers[i - width : i] for i in range(width, len(numbers))]
        targets += numbers[width:]
    return np.array(rows), np.array(targets)


def sequences(names: Sequence[str], alphabet: Alphabet, context: int) -> tuple[Any, Any]:
    """A row for every name, of the same length, and what follows after each of its places.

    Of a name only the first ``context`` characters count (its end is one of them).

    >>> x, y = sequences(["abc", "a"], Alphabet(["abc"]), 3)
    >>> x.tolist(), y.tolist()
    ([[0, 1, 2], [0, 1, 0]], [[1, 2, 3], [1, 0, -100]])
    """
    length = min(context, max(map(len, names)) + 1)
    inputs = np.zeros((len(names), length), dtype=np.int64)
    targets = np.full((len(names), length), IGNORED)
    for row, name in enumerate(names):
        numbers = [0, *alphabet.encode(name), 0]
        places = min(length, len(numbers) - 1)
        inputs[row, :places], targets[row, :places] = numbers[:places], numbers[1 : places + 1]
    return inputs, targets


# --- models -------------------------------------------------------------------------------------


def ngram(
    characters: int, context: int = 3, embedding: int = 16, hidden: int = 128, *, seed: Any = None
) -> Sequential:
    """Scores of the next character, from the vectors of those before it.

        z = W₂ tanh(W₁ [e(c₁), …, e(cₙ)] + b₁) + b₂

    Takes rows of ``context`` numbers. In float32. Bengio and others, A neural probabilistic
    language model (2003).
    """
    rng = generator_of(seed)
    return Sequential(
        Embedding(characters, embedding, seed=rng),
        Flatten(),
        Linear(context * embedding, hidden, seed=rng),
        Tanh(),
        Linear(hidden, characters, seed=rng),
    ).to("float32")


class CharacterGPT(Module):
    """Scores of the next character at every place, from all places up to there.

    Takes rows of at most ``context`` numbers; gives (rows, places, characters). In float32.
    Radford and others, Language models are unsupervised multitask learners (2019).
    """

    def __init__(
        self,
        characters: int,
        context: int = 16,
        width: int = 64,
        heads: int = 4,
        layers: int = 2,
        dropout: float = 0.0,
        *,
        seed: Any = None,
    ) -> None:
        drawn: dict[str, Any] = {"seed": generator_of(seed), "dtype": "float32"}
        self.token = Embedding(characters, width, **drawn)
        self.position = Embedding(context, width, **drawn)
        self.blocks = ModuleList(
            TransformerBlock(
                width, heads, 4 * width, dropout, batch_first=True, norm_first=True, **drawn
            )
            for _ in range(layers)
        )
        self.norm = LayerNorm(width, dtype="float32")
        self.head = Linear(width, characters, bias=False, **drawn)

    def forward(self, tokens: Any) -> Any:
        """The scores."""
        x = self.token(tokens) + self.position(np.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x, is_causal=True)
        return self.head(self.norm(x))


def surprise(scores: Any, targets: Any) -> Any:
    """Mean surprise at the characters that came, in nats; what a model of names is trained on."""
    return cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1))


def mean_surprise(model: Module, inputs: Any, targets: Any, rows: int = 1024) -> float:
    """The surprise per character of all data, ``rows`` of them at a time."""
    model.eval()
    total = 0.0
    with no_grad():
        for start in range(0, len(inputs), rows):
            part = targets[start : start + rows]
            loss = surprise(model(Tensor(inputs[start : start + rows])), Tensor(part))
            total += loss.item() * np.count_nonzero(part != IGNORED)
    return float(total / np.count_nonzero(targets != IGNORED))


def sample(
    model: Module,
    alphabet: Alphabet,
    count: int,
    *,
    context: int,
    start: int = 1,
    longest: int = 16,
    seed: Any = None,
) -> list[str]:
    """``count`` names, each character drawn as the model finds it likely after those before it.

    The model sees the last ``context`` numbers; ``start`` zeros stand before the first character,
    as in its training. A number drawn from the softmax of scores z is where z + g is largest, with
    g from the Gumbel distribution.
    """
    rng = generator_of(seed)
    tokens = np.zeros((count, start), dtype=np.int64)
    model.eval()
    with no_grad():
        for _ in range(longest):
            scores = model(Tensor(tokens[:, -context:])).numpy()
            last = scores[:, -1] if scores.ndim == 3 else scores
            drawn = (last + rng.gumbel(size=last.shape)).argmax(axis=-1)
            tokens = np.concatenate([tokens, drawn[:, None]], axis=1)
    return [alphabet.decode(row[start:]) for row in tokens.tolist()]
