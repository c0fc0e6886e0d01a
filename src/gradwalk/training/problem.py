"""Problems: a data set, its loss, and the encoding of classes or quantities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..core.expect import describe
from ..data import Dataset
from ..data.columns import Column
from ..engine.functions import sigmoid, softmax
from ..engine.value import Value, number
from ..errors import DataError, OptionError
from ..nn import binary_cross_entropy_with_logits, cross_entropy, hinge, mse

__all__ = ["LOSSES", "MOST_CLASSES", "Loss", "Problem", "Scaling"]

MOST_CLASSES = 10
"""Integer targets with more different values than this are quantities, not classes."""


Number = TypeVar("Number", float, Value, "float | Value")
Output = float | Value | Sequence[float | Value]


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss for classes: its target for class ``i``, and its largest number of classes."""

    function: Callable[[Any, Any], Any]
    target: Callable[[int], float]
    most_classes: float


LOSSES = {
    "bce": Loss(binary_cross_entropy_with_logits, lambda i: i, 2),
    "hinge": Loss(hinge, lambda i: 2 * i - 1, 2),
    "mse": Loss(mse, lambda i: 2 * i - 1, 2),
    "cross_entropy": Loss(cross_entropy, lambda i: i, math.inf),
}
"""The losses by name; mse also fits quantities."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """The map of a column of numbers to mean 0 and standard deviation 1, and its inverse.

    Parameters
    ----------
    mean
        The mean of the column.
    std
        Its standard deviation, not 0.
    """

    mean: float = 0.0
    std: float = 1.0

    @classmethod
    def of(cls, column: Sequence[float]) -> Scaling:
        """Return the scaling of a column; a constant column is only shifted.

        >>> Scaling.of([1.0, 3.0])
        Scaling(mean=2.0, std=1.0)
        """
        n = len(column)
        mean = math.fsum(x / n for x in column)  # neither this nor hypot overflows in between
        std = math.hypot(*(x - mean for x in column)) / math.sqrt(n)
        return cls(mean, std or 1.0)

    def apply(self, x: Number) -> Number:
        """Return (x - mean) / std."""
        y: Number = (x - self.mean) / self.std
        return y

    def undo(self, y: Number) -> Number:
        """Return the inverse of `apply`."""
        x: Number = self.mean + self.std * y
        return x


@dataclass(frozen=True)
class Problem:
    """A data set in the form for a network, and the meaning of the network's outputs.

    `Problem.of` makes one of a `Dataset`.

    Parameters
    ----------
    loss
        A name from `LOSSES`: "bce", "hinge", "mse" or "cross_entropy".
    classes
        The different targets, in order; empty if the target is a quantity.
    columns
        The scaling of every input.
    scale
        The scaling of a target that is a quantity.
    inputs, targets
        The rows to train on, scaled and encoded.
    cells
        How the cells of a file become inputs; empty if there was no file.
    labels
        The names of the classes; empty if they are numbers.
    """

    loss: str
    classes: tuple[float, ...]
    columns: tuple[Scaling, ...]
    scale: Scaling
    inputs: list[list[float]]
    targets: list[float]
    cells: tuple[Column, ...] = ()
    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, dataset: Dataset, loss: str = "auto", standardize: bool = False) -> Problem:
        """Return the problem of a data set.

        Targets are classes if they are ints of at most `MOST_CLASSES` different values (of any
        number, if they have labels or the loss is cross_entropy), and
        otherwise quantities, which are standardized; ``loss="mse"`` turns more than two classes
        into quantities. The default loss is bce for two classes, cross_entropy for more, and mse
        for quantities. ``standardize`` scales the inputs too. Raise `OptionError` for a loss that
        does not fit, and `DataError` for targets that are all equal.

        >>> Problem.of(Dataset([[0.0], [1.0]], [3, 5])).loss
        'bce'
        """
        classes = _classes(dataset, loss)
        columns = tuple(
            Scaling.of(column) if standardize else Scaling()
            for column in zip(*dataset.inputs, strict=True)
        )
        name = _default_loss(classes) if loss == "auto" else loss
        _check_loss(name, classes)
        scale = Scaling() if classes else Scaling.of(dataset.targets)
        index = {label: i for i, label in enumerate(classes)}
        encode = LOSSES[name].target
        targets = [encode(index[t]) if classes else scale.apply(t) for t in dataset.targets]
        inputs = [_scaled(columns, row) for row in dataset.inputs]
        file = (dataset.columns, dataset.labels)
        return cls(name, classes, columns, scale, inputs, targets, *file)

    def encoded(self, target: float) -> float:
        """Return a target of the data set as the loss takes it."""
        if not self.classes:
            return self.scale.apply(target)
        return LOSSES[self.loss].target(self.classes.index(target))

    def of_rows(self, dataset: Dataset) -> Problem:
        """Return the problem with other rows, scaled and encoded as these are."""
        inputs = [self.scaled(row) for row in dataset.inputs]
        return replace(self, inputs=inputs, targets=[self.encoded(t) for t in dataset.targets])

    @property
    def n_in(self) -> int:
        """The number of inputs of the network."""
        return len(self.columns)

    @property
    def n_out(self) -> int:
        """The number of outputs of the network: one per class for cross_entropy, else one."""
        return len(self.classes) if self.loss == "cross_entropy" else 1

    @property
    def score_name(self) -> str:
        """The name of the mean `score`: accuracy for classes, or R² for quantities."""
        return "accuracy" if self.classes else "R²"

    def scaled(self, row: Sequence[Number]) -> list[Number]:
        """Return a row of the data set as an input of the network."""
        return _scaled(self.columns, row)

    def answer(self, output: Output) -> float:
        """Return the class or the quantity for an output of the network."""
        if not self.classes:
            return float(self.scale.undo(_one(output)))
        return self.classes[self.winner(output)]

    def winner(self, output: Output) -> int:
        """Return the index of the class with the largest output."""
        if isinstance(output, (list, tuple)):
            return max(range(len(output)), key=lambda i: number(output[i], "output"))
        return int(_one(output) > 0.0)

    @property
    def class_names(self) -> list[str]:
        """The names of the classes, or their numbers as texts."""
        return [self.labels[int(c)] if self.labels else str(c) for c in self.classes]

    def probabilities(self, output: Any) -> list[Any]:
        """Return the probability of every class. Raise `OptionError` for a loss without them."""
        if self.classes and self.loss == "bce":
            second = sigmoid(output)
            return [1.0 - second, second]
        if self.classes and self.loss == "cross_entropy":
            return list(softmax(output))
        raise OptionError(
            where="Problem.probabilities",
            expected="classes and the loss bce or cross_entropy",
            got=f"the loss {self.loss}",
            fix="Train with loss='bce', or loss='cross_entropy' for more than two classes.",
        )

    def score(self, output: Output, target: float) -> float:
        """Return the contribution of one row to the accuracy (0 or 1), or 1 - its squared error."""
        if self.classes:
            return float(LOSSES[self.loss].target(self.winner(output)) == target)
        return 1.0 - (_one(output) - target) ** 2


def _scaled(columns: Sequence[Scaling], row: Sequence[Number]) -> list[Number]:
    return [column.apply(x) for column, x in zip(columns, row, strict=True)]


def _classes(dataset: Dataset, loss: str) -> tuple[float, ...]:
    labels = dataset.classes
    if len(labels) < 2:
        raise DataError(
            where="targets",
            expected="at least two different values",
            got=f"{describe(labels[0])} in every row" if labels else "no rows",
            fix="Pass targets with two or more different values.",
        )
    named = bool(dataset.labels) or loss == "cross_entropy"  # as many classes as there are
    many = len(labels) > MOST_CLASSES and not named
    quantities = many or any(not isinstance(t, int) for t in labels)
    return () if quantities or (loss == "mse" and len(labels) > 2) else tuple(labels)


def _default_loss(classes: tuple[float, ...]) -> str:
    return "mse" if not classes else "bce" if len(classes) == 2 else "cross_entropy"


def _check_loss(name: str, classes: tuple[float, ...]) -> None:
    fitting = [known for known, loss in LOSSES.items() if len(classes) <= loss.most_classes]
    fitting = fitting if classes else ["mse"]
    if name not in fitting:
        what = f"{len(classes)} classes" if classes else "a target that is a quantity"
        raise OptionError(
            where="loss",
            expected=f"auto or one of {', '.join(fitting)} for {what}",
            got=describe(name),
            fix="Pass auto for the usual loss.",
        )


def _one(output: Any) -> float:
    """Return the number of a network with one output."""
    return number(output, "output")
