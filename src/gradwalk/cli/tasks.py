"""The two trainings on Tensors: their data, models and results."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from .. import nn
from ..data.digits import draw_answers, load_digits
from ..data.names import NAMES, read_names
from ..engine.value import no_grad
from ..tensor import Tensor
from ..training import characters
from .checks import known, learning_rate
from .results import Folder
from .tensor_options import TASKS, TensorOptions

__all__ = ["Digits", "Names", "Task"]

SAMPLES = 20
CONTEXT = {"gpt": 16, "ngram": 3}
UPDATES = 5000
"""The updates for a long list of names. A short list reaches its default of epochs earlier."""


class Task(ABC):
    """A model, its data, and the settings of its training."""

    model: nn.Module
    train: tuple[Any, Any]
    validation: tuple[Any, Any]
    epochs: int
    batch: int
    lr: float
    decay: float
    best: bool
    """Whether to restore the weights of the epoch with the best validation loss."""
    metrics: tuple[str, ...] = ()
    kept: str
    """The name of the validation data."""

    kind: str
    seed: int

    def __init__(self, options: TensorOptions, batch: int, lr: float) -> None:
        self.source: str = options.source
        self.kind = known("--model", options.model or TASKS[self.source][0], TASKS[self.source])
        self.lr = learning_rate(options.lr, lr, self.kind)
        self.batch, self.seed = options.batch or batch, options.seed
        self.doctor: bool = options.doctor

    @abstractmethod
    def rows(self) -> str:
        """Describe the data."""

    @abstractmethod
    def loss(self, output: Any, target: Any) -> Any:
        """Return the loss of a batch."""

    @abstractmethod
    def described(self, record: Mapping[str, float]) -> str:
        """Describe an epoch."""

    @abstractmethod
    def outcome(self) -> tuple[str, dict[str, Any]]:
        """Return the score on validation data, as a phrase and as notes."""

    @abstractmethod
    def write(self, folder: Folder, pictures: bool) -> None:
        """Write samples of the model's results."""


class Digits(Task):
    """Handwritten digits, of which a fifth are held out for testing."""

    train: tuple[Any, Any]
    validation: tuple[Any, Any]
    epochs: int
    decay: float

    metrics: tuple[str, ...] = ("accuracy",)
    kept: str = "test"
    best: bool = False

    def __init__(self, options: TensorOptions) -> None:
        super().__init__(options, batch=64, lr=3e-3)
        self.train, self.validation = load_digits()
        self.model = (_mlp if self.kind == "mlp" else _cnn)(self.seed).to("float32")
        self.epochs, self.decay = options.epochs or 30, 1e-2

    def rows(self) -> str:
        """Describe the data."""
        return f"{len(self.train[1])} pictures of 8 x 8, {len(self.validation[1])} more to test"

    def loss(self, output: Any, target: Any) -> Any:
        """Return the cross-entropy."""
        return nn.cross_entropy(output, target)

    def described(self, record: Mapping[str, float]) -> str:
        """Describe loss and accuracy."""
        accuracy = 100.0 * record["val_accuracy"]
        return f"loss {record['loss']:<7.5f}   test accuracy {accuracy:5.1f} %"

    def answers(self) -> list[int]:
        """Predict the digit of each test picture."""
        self.model.eval()
        with no_grad():
            scores = self.model(Tensor(self.validation[0]))
        return [int(digit) for digit in scores.argmax(axis=1).tolist()]

    def outcome(self) -> tuple[str, dict[str, Any]]:
        """Return the test accuracy."""
        truth = self.validation[1].tolist()
        right = sum(a == b for a, b in zip(self.answers(), truth, strict=True))
        share = right / len(truth)
        return (
            f"test accuracy {100.0 * share:.2f} %, {right} of {len(truth)} held-out pictures",
            {"test_accuracy": share},
        )

    def write(self, folder: Folder, pictures: bool) -> None:
        """Draw some digits with the predictions."""
        if pictures:
            images, labels = self.validation
            folder.picture(
                lambda path: draw_answers(images, labels, self.answers(), path),
                "digits.png",
                "digits of the test with the answers, wrong ones first",
            )


class Names(Task):
    """Names, of which a tenth are held out for validation."""

    validation: tuple[Any, Any]
    train: tuple[Any, Any]
    epochs: int

    kept = "validation"
    best = True
    decay = 0.1

    def __init__(self, options: TensorOptions) -> None:
        gpt = options.model != "ngram"
        super().__init__(options, batch=32, lr=2e-3 if gpt else 3e-3)
        self.context: int = CONTEXT[self.kind]
        self.names: list[str] = list(NAMES) if options.text is None else read_names(options.text)
        random.Random(self.seed).shuffle(self.names)
        self.alphabet, tenth = characters.Alphabet(self.names), -(-len(self.names) // 10)
        make = characters.sequences if gpt else characters.contexts
        self.validation = make(self.names[:tenth], self.alphabet, self.context)
        self.train = make(self.names[tenth:], self.alphabet, self.context)
        size = len(self.alphabet)
        if gpt:
            self.model = characters.CharacterGPT(size, self.context, dropout=0.2, seed=self.seed)
        else:
            self.model = characters.ngram(size, self.context, seed=self.seed)
        updates = -(-len(self.train[0]) // self.batch)
        self.epochs = options.epochs or max(3, min(15 if gpt else 20, UPDATES // updates))

    def rows(self) -> str:
        """Describe the data."""
        return f"{len(self.names):,} names of {len(self.alphabet.characters)} different characters"

    def loss(self, output: Any, target: Any) -> Any:
        """Return the cross-entropy of the characters."""
        return characters.surprise(output, target)

    def described(self, record: Mapping[str, float]) -> str:
        """Describe both losses."""
        return f"loss {record['loss']:<7.5f}   validation loss {record['val_loss']:<7.5f}"

    def outcome(self) -> tuple[str, dict[str, Any]]:
        """Return the validation loss, and the settings that are required to use the model."""
        loss = characters.mean_surprise(self.model, *self.validation)
        return (
            f"validation loss {loss:.5f}, the surprise at a character in nats",
            {
                "validation loss": loss,
                "characters": self.alphabet.characters,
                "context": self.context,
            },
        )

    def write(self, folder: Folder, pictures: bool) -> None:
        """Write generated names."""
        start = 1 if self.kind == "gpt" else self.context
        invented = characters.sample(
            self.model,
            self.alphabet,
            SAMPLES,
            context=self.context,
            start=start,
            seed=self.seed,
        )
        folder.out.print(f"Invented: {', '.join(invented[:6])}", soft_wrap=True)
        text = "\n".join(invented) + "\n"
        folder.write("samples.txt", text, f"{SAMPLES} names that it has invented")


# --- the networks of digits -----------------------------------------------------------------------


def _mlp(seed: int) -> nn.Module:
    return nn.Sequential(
        nn.Flatten(),
        *_rectified(nn.Linear(64, 128, seed=seed), nn.Dropout(0.2, seed=seed + 3)),
        *_rectified(nn.Linear(128, 64, seed=seed + 1), nn.Dropout(0.2, seed=seed + 4)),
        nn.Linear(64, 10, seed=seed + 2),
    )


def _cnn(seed: int) -> nn.Module:
    first = nn.Conv2d(1, 16, 3, padding=1, seed=seed)
    second = nn.Conv2d(16, 32, 3, padding=1, seed=seed + 1)
    return nn.Sequential(
        *(first, nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(second, nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        nn.Flatten(),
        nn.Dropout(0.3, seed=seed + 3),
        nn.Linear(128, 10, seed=seed + 2),
    )


def _rectified(layer: nn.Module, dropout: nn.Module) -> tuple[nn.Module, ...]:
    return layer, nn.ReLU(), dropout
