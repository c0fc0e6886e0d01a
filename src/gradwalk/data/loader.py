"""Batches of Tensors: `DataLoader`, and what it takes beside arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import Any, SupportsIndex

import numpy as np

from ..core.carrier import is_tensor
from ..core.expect import describe, is_array
from ..core.seeds import Seed, generator
from ..errors import DataError, OptionError, StateDictError
from ..tensor import Tensor
from ..tensor.graph.convert import to_array
from .dataset import Dataset, at_least, permutation

__all__ = ["DataLoader", "Subset", "TensorDataset", "random_split"]


class TensorDataset:
    """Arrays or Tensors whose rows belong together, such as inputs and targets.

    The numbers are copied. Arrays of different lengths are a `DataError`.

    >>> dataset = TensorDataset([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    >>> len(dataset), dataset[1]
    (2, (Tensor([3., 4.]), Tensor(1)))
    """

    def __init__(self, *tensors: Any) -> None:
        self._columns = [_column(tensor) for tensor in tensors]
        lengths = [len(column) for column in self._columns]
        if len(set(lengths)) != 1:
            raise DataError(
                where="TensorDataset(tensors)",
                expected="one or more arrays with equally many rows",
                got=f"lengths {lengths}" if lengths else "none",
                fix="Look for the rows that are missing; each row is one example.",
            )

    @property
    def tensors(self) -> tuple[Any, ...]:
        """The Tensors, through which no gradient flows."""
        return tuple(Tensor._of(column.copy()) for column in self._columns)

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(Tensor._of(np.array(column[index])) for column in self._columns)

    def batch(self, rows: Sequence[int]) -> tuple[Any, ...]:
        """The rows of these indices, in this order."""
        return tuple(Tensor._of(column[rows]) for column in self._columns)

    def __repr__(self) -> str:
        shapes = ", ".join(str(column.shape) for column in self._columns)
        return f"TensorDataset({shapes})"


class Subset:
    """The rows of a data set that have certain indices, in this order."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, list(indices)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.indices[index]]

    def __repr__(self) -> str:
        return f"Subset({len(self)} rows of {self.dataset!r})"


def random_split(dataset: Any, lengths: Sequence[float], seed: Seed = None) -> list[Subset]:
    """Random parts of a data set, each row in one of them.

    ``lengths`` are numbers of rows that add up to all of them, or fractions that add up to 1; rows
    left over by rounding go to the first parts, one to each. Other lengths are an `OptionError`.

    >>> train, test = random_split(TensorDataset([[1.0], [2.0], [3.0]]), [2, 1], seed=0)
    >>> len(train), len(test)
    (2, 1)
    """
    dataset = _dataset(dataset, "random_split(dataset)")
    counts = _counts(list(lengths), len(dataset))
    order = permutation(len(dataset), generator(seed))
    ends = [*accumulate(counts)]
    return [
        Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)
    ]


def _counts(lengths: list[Any], rows: int) -> list[int]:
    if any(isinstance(n, float) for n in lengths) and abs(sum(lengths) - 1.0) < 1e-9:
        counts = [math.floor(rows * fraction) for fraction in lengths]
        for i in range(rows - sum(counts)):
            counts[i % len(counts)] += 1
    else:
        counts = [n.__index__() if hasattr(n, "__index__") else -1 for n in lengths]
    if sum(counts) == rows and min(counts, default=0) >= 0:
        return counts
    raise OptionError(
        where="random_split(lengths)",
        expected=f"numbers of rows that add up to {rows}, or fractions that add up to 1",
        got=describe(lengths),
        fix="[0.8, 0.2] trains on four fifths.",
    )


class DataLoader:
    """Batches of rows, in an order that is new in every pass, as tuples of Tensors.

    ``data`` is a tuple of arrays or Tensors whose rows belong together, or one of them alone; a
    `Dataset`, `TensorDataset` or `Subset`; or anything with a length and indices whose items are
    examples: tuples of numbers or arrays, or single ones, which are stacked. Tensors are constants.

    The last batch may be smaller; ``drop_last`` leaves it out then. ``seed`` decides the order of
    all passes with ``shuffle``. `state_dict` knows the pass and the place in it: a loader that
    loads it goes on with the very next batch.

    >>> loader = DataLoader(([[0.0], [1.0], [2.0]], [0, 1, 0]), batch_size=2)
    >>> for inputs, targets in loader:
    ...     print(inputs.shape, targets)
    (2, 1) Tensor([0, 1])
    (1, 1) Tensor([0])
    """

    def __init__(
        self,
        data: Any,
        batch_size: SupportsIndex = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: Seed = None,
    ) -> None:
        self.dataset = _dataset(data, "DataLoader(data)")
        self.batch_size = at_least("DataLoader(batch_size)", batch_size, 1, "32 is a usual size.")
        self.shuffle, self.drop_last = shuffle, drop_last
        self._random = generator(seed)
        self._start = self._random.getstate()  # of the pass that runs, or of the next one
        self._position = self._resumed = 0

    def __len__(self) -> int:
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """One pass; the rest of one if that is what `load_state_dict` found."""
        first, self._resumed = self._resumed, 0
        self._start, self._position = self._random.getstate(), first
        rows = len(self.dataset)
        order = permutation(rows, self._random) if self.shuffle else list(range(rows))
        following = self._random.getstate()
        for i in range(first, len(self)):
            batch = order[i * self.batch_size : (i + 1) * self.batch_size]
            self._position = i + 1
            if self._position == len(self):
                self._position, self._start = 0, following
            yield _batch(self.dataset, batch)

    def state_dict(self) -> dict[str, Any]:
        """The place in the data, as plain numbers and lists, ready for JSON."""
        version, numbers, spare = self._start
        return {"position": self._position, "generator": [version, list(numbers), spare]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on, with the next ``for``, after the batch at which `state_dict` was asked."""
        try:
            position = state_dict["position"].__index__()
            version, numbers, spare = state_dict["generator"]
            random = Random()
            random.setstate((version, tuple(numbers), spare))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._wrong_state(f"something else ({error!r})") from error
        if not 0 <= position < max(len(self), 1):
            raise self._wrong_state(f"the place after batch {position} of {len(self)}")
        self._position = self._resumed = position
        self._start = random.getstate()
        self._random.setstate(self._start)

    def _wrong_state(self, got: str) -> StateDictError:
        return StateDictError(
            where="DataLoader.load_state_dict",
            expected="the place in a data set like this one",
            got=got,
            fix="Load what state_dict() of a loader with equally many batches returned.",
        )

    def __repr__(self) -> str:
        return f"DataLoader({len(self)} batches of {self.batch_size} from {self.dataset!r})"


# --- what has rows ------------------------------------------------------------------------------


def _column(data: Any) -> Any:
    array = to_array(data, where="a column of data")
    if array.ndim == 0:
        raise DataError(
            where="a column of data",
            expected="one number or row for each example",
            got=describe(data),
            fix="Pass a list or an array whose first axis counts the examples.",
        )
    return array


def _dataset(data: Any, where: str) -> Any:
    """A data set with rows: something with a length and indices."""
    if isinstance(data, Dataset):
        return TensorDataset(data.inputs, data.targets)
    if isinstance(data, tuple):
        return TensorDataset(*data)
    if is_tensor(data) or is_array(data):
        return TensorDataset(data)
    if hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, Mapping):
        return data
    raise DataError(
        where=where,
        expected="a tuple of arrays, a data set, or a list of examples",
        got=describe(data),
        fix="Pass (inputs, targets), whose first axes count the examples.",
    )


def _batch(dataset: Any, rows: Sequence[int]) -> tuple[Any, ...]:
    while isinstance(dataset, Subset):
        rows, dataset = [dataset.indices[i] for i in rows], dataset.dataset
    if isinstance(dataset, TensorDataset):
        return dataset.batch(rows)
    items = [dataset[i] for i in rows]
    if not isinstance(items[0], (tuple, list)):
        return (Tensor._of(_stacked(items)),)
    try:
        columns = list(zip(*items, strict=True))
    except (TypeError, ValueError) as error:
        raise _ragged(error) from error
    return tuple(Tensor._of(_stacked(column)) for column in columns)


def _stacked(members: Sequence[Any]) -> Any:
    try:
        return np.array([to_array(member, where="an example") for member in members])
    except ValueError as error:
        raise _ragged(error) from error


def _ragged(error: Exception) -> DataError:
    return DataError(
        where="a batch",
        expected="examples of one form, with equal shapes",
        got=f"a mixture ({error})",
        fix="Pad them to one shape; inputs and targets as two arrays go in a tuple.",
    )
