"""Models that generate names, character by character: data, models, and samples.

>>> alphabet = Alphabet(["ada", "bo"])
>>> alphabet.encode("ada"), alphabet.decode([3, 4, 0])
([1, 3, 1], 'do')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

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
from ..nn.initial import ArraySeed, generator_of
from ..tensor import Tensor

__all__ = ["IGNORED", "Alphabet", "CharacterGPT", "contexts", "mean_surprise", "ngram", "sample"]
__all__ += ["sequences", "surprise"]

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64]]"
"""Inputs and targets."""

IGNORED = -100
"""The target of positions after the end of a name; `gradwalk.nn.cross_entropy` skips it."""


class Alphabet:
    """The characters of some names as integers; 0 marks the start and the end of a name."""

    def __init__(self, names: Iterable[str]) -> None:
        self.characters: str = "".join(sorted(set("".join(names))))
        self._numbers = {character: i for i, character in enumerate(self.characters, 1)}

    def __len__(self) -> int:
        return len(self.characters) + 1

    def encode(self, name: str) -> list[int]:
        """Return the integers of the characters of a name."""
        if unknown := sorted(set(name) - set(self.characters)):
            raise DataError(
                where="Alphabet.encode",
                expected=f"characters of {self.characters!r}",
                got=f"{name!r} with {unknown[0]!r}",
                fix="Create the Alphabet from all names.",
            )
        return [self._numbers[character] for character in name]

    def decode(self, numbers: Iterable[int]) -> str:
        """Return the characters up to the first 0."""
        name = ""
        for number in numbers:
            if number == 0:
                break
            name += self.characters[number - 1]
        return name


# --- data ---------------------------------------------------------------------------------------


def contexts(names: Iterable[str], alphabet: Alphabet, width: int) -> Pair:
    """Return, for every character and end of every name, the ``width`` integers before it, and it.

    >>> contexts(["ab"], Alphabet(["ab"]), 2)[0].tolist()
    [[0, 0], [0, 1], [1, 2]]
    """
    rows, targets = [], []
    for name in names:
        numbers = [0] * width + alphabet.encode(name) + [0]
        rows += [numbers[i - width : i] for i in range(width, len(numbers))]
        targets += numbers[width:]
    return np.array(rows), np.array(targets)


def sequences(names: Sequence[str], alphabet: Alphabet, context: int) -> Pair:
    """Return a row of equal length for every name, and the character after each position.

    Names are cut after ``context`` characters, of which the end is one.

    >>> x, y = sequences(["abc", "a"], Alphabet(["abc"]), 3)
    >>> x.tolist(), y.tolist()
    ([[0, 1, 2], [0, 1, 0]], [[1, 2, 3], [1, 0, -100]])
    """
    length = min(context, max(map(len, names)) + 1)
    inputs = np.zeros((len(names), length), dtype=np.int64)
    targets = np.full((len(names), length), IGNORED)
    for row, name in enumerate(names):
        numbers = [0, *alphabet.encode(name), 0]
        count = min(length, len(numbers) - 1)
        inputs[row, :count], targets[row, :count] = numbers[:count], numbers[1 : count + 1]
    return inputs, targets


# --- models -------------------------------------------------------------------------------------


def ngram(
    characters: int,
    context: int = 3,
    embedding: int = 16,
    hidden: int = 128,
    *,
    seed: ArraySeed = None,
) -> Sequential:
    """Return a model: scores of the next character from the vectors of the characters before.

        z = W₂ tanh(W₁ [e(c₁), …, e(cₙ)] + b₁) + b₂

    Its input are rows of ``context`` integers. It uses float32.
    Bengio and others, A neural probabilistic language model (2003).
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
    """A model: scores of the next character at every position, from all positions up to there.

    The input are rows of at most ``context`` integers, the output is (rows, positions, characters).
    It uses float32.
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
        seed: ArraySeed = None,
    ) -> None:
        drawn: dict[str, Any] = {"seed": generator_of(seed), "dtype": "float32"}
        self.token: Embedding = Embedding(characters, width, **drawn)
        self.position: Embedding = Embedding(context, width, **drawn)
        self.blocks: ModuleList = ModuleList(
            TransformerBlock(
                width, heads, 4 * width, dropout, batch_first=True, norm_first=True, **drawn
            )
            for _ in range(layers)
        )
        self.norm: LayerNorm = LayerNorm(width, dtype="float32")
        self.head: Linear = Linear(width, characters, bias=False, **drawn)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the scores."""
        x = self.token(tokens) + self.position(np.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x, is_causal=True)
        return self.head(self.norm(x))


def surprise(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross-entropy of the characters, in nats: the loss of a model of names."""
    rows = scores.reshape(-1, scores.shape[-1])
    loss: Tensor = cross_entropy(rows, targets.reshape(-1))
    return loss


def mean_surprise(
    model: Module, inputs: NDArray[Any], targets: NDArray[Any], rows: int = 1024
) -> float:
    """Return the cross-entropy per character of all data, computed ``rows`` rows at a time."""
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
    seed: ArraySeed = None,
) -> list[str]:
    """Draw ``count`` names, character by character, from the probabilities of the model.

    The input of the model are the last ``context`` integers, and ``start`` zeros before the first
    character, as in its training. The index of the largest z + g, with g from the Gumbel
    distribution, is a draw from the softmax of the scores z.
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
