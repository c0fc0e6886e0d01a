"""`Dataset`: rows of inputs with their targets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import SupportsIndex

from ..core.expect import as_float, at_least, describe
from ..core.seeds import Seed, generator
from ..errors import DataError, OptionError, UsageError
from .columns import Column

__all__ = ["Dataset", "permutation"]


@dataclass(frozen=True)
class Dataset:
    """Rows of numbers with a target each. Iteration gives pairs of a row and its target.

    Parameters
    ----------
    inputs
        A list of rows, which are lists of numbers of one length.
    targets
        One number for each row: ints for classes, floats for quantities.
    names
        The names of the inputs and of the target; empty if they are not known.
    labels
        The names of the classes 0, 1, 2, ...; empty if they have none.
    columns
        How the cells of a file became the inputs; empty if there is no file.

    Raises
    ------
    DataError
        If there is not one target for each row, or rows have different lengths.
    UsageError
        If ``inputs`` is no list of lists, or ``targets`` no list.

    Examples
    --------
    >>> dataset = Dataset([[0.0, 1.0], [2.0, 3.0]], [0, 1])
    >>> len(dataset), dataset[1]
    (2, ([2.0, 3.0], 1))
    >>> for x, t in dataset:
    ...     print(x, t)
    [0.0, 1.0] 0
    [2.0, 3.0] 1
    """

    inputs: list[list[float]]
    targets: list[int] | list[float]
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        for name, rows in (("inputs", self.inputs), ("targets", self.targets)):
            if not isinstance(rows, (list, tuple)):
                raise UsageError(
                    where=f"Dataset({name})",
                    expected="a list" if name == "targets" else "a list of lists of numbers",
                    got=describe(rows),
                    fix="Write Dataset([[0.5, 1.0]], [1]); a.tolist() makes lists of an array.",
                )
        if not all(isinstance(row, (list, tuple)) for row in self.inputs):
            raise UsageError(
                where="Dataset(inputs)",
                expected="a list of lists of numbers",
                got=describe(self.inputs),
                fix="Write [[x] for x in inputs].",
            )
        widths = {len(row) for row in self.inputs}
        if len(self.inputs) != len(self.targets) or len(widths) > 1:
            raise DataError(
                where="Dataset(inputs, targets)",
                expected="one target per row, and rows of one length",
                got=f"{len(self.inputs)} rows of lengths {sorted(widths)} "
                f"and {len(self.targets)} targets",
                fix="Look for the missing row or target.",
            )

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, index: int) -> tuple[list[float], float]:
        return self.inputs[index], self.targets[index]

    def __iter__(self) -> Iterator[tuple[list[float], float]]:
        return zip(self.inputs, self.targets, strict=True)

    @property
    def n_in(self) -> int:
        """The number of inputs."""
        return len(self.inputs[0]) if self.inputs else 0

    @property
    def classes(self) -> list[float]:
        """The different targets, in order."""
        return sorted(set(self.targets))

    def take(self, indices: list[int]) -> Dataset:
        """Return the rows at ``indices``, in this order."""
        inputs, targets = [self.inputs[i] for i in indices], [self.targets[i] for i in indices]
        return replace(self, inputs=inputs, targets=targets)

    def split(self, fraction: float = 0.8, seed: Seed = None) -> tuple[Dataset, Dataset]:
        """Return a random ``fraction`` of the rows, to train on, and the other rows, to test.

        Neither part is empty. Raise `OptionError` for a fraction or a data set that is too small.
        """
        if not 0.0 < as_float(fraction, "Dataset.split(fraction)") < 1.0 or len(self) < 2:
            raise OptionError(
                where="Dataset.split(fraction)",
                expected="0 < fraction < 1 and at least two rows",
                got=f"{fraction!r} of {len(self)} rows",
                fix="Pass 0.8 to train on four fifths.",
            )
        order = permutation(len(self), generator(seed))
        count = min(max(round(fraction * len(order)), 1), len(order) - 1)
        return self.take(order[:count]), self.take(order[count:])

    def batches(
        self,
        size: SupportsIndex,
        seed: Seed = None,
        drop_last: bool = False,
        shuffle: bool = True,
    ) -> Iterator[Dataset]:
        """Yield all rows in batches of ``size``, in random order unless ``shuffle=False``.

        The last batch may be smaller; ``drop_last`` leaves it out then.

        >>> dataset = Dataset([[float(i)] for i in range(5)], [0, 1, 2, 3, 4])
        >>> [batch.targets for batch in dataset.batches(2, shuffle=False)]
        [[0, 1], [2, 3], [4]]
        """
        step = at_least("Dataset.batches(size)", size, 1, "Pass 32, a usual size.")
        order = permutation(len(self), generator(seed)) if shuffle else list(range(len(self)))
        count = len(order) // step if drop_last else math.ceil(len(order) / step)
        return (self.take(order[i * step : (i + 1) * step]) for i in range(count))

    def __repr__(self) -> str:
        return f"Dataset({len(self)} rows of {self.n_in}, {len(self.classes)} different targets)"


def permutation(n: int, random: Random) -> list[int]:
    """Return 0 to n - 1 in random order.

    Random keys are sorted, because ``random()`` is the only method that Python guarantees to give
    the same numbers in every version.
    """
    keys = [random.random() for _ in range(n)]
    return sorted(range(n), key=keys.__getitem__)
