"""Batches of Tensors: `DataLoader`, and what it takes beside arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, TypeAlias

import numpy as np

from ..core.carrier import is_tensor
from ..core.expect import at_least, describe, index_of, is_array
from ..core.seeds import Seed, generator
from ..errors import DataError, KeyRangeError, OptionError, StateDictError
from ..tensor import Tensor
from ..tensor.graph.convert import to_array
from .dataset import Dataset, permutation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["DataLoader", "Subset", "TensorDataset", "random_split"]


class Examples(Protocol):
    """Anything with a length and indices."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...


Data: TypeAlias = "Examples | Tensor | ArrayLike | tuple[Tensor | ArrayLike, ...]"


class TensorDataset:
    """Arrays or Tensors whose rows belong together, such as inputs and targets.

    An index gives one row as a tuple of Tensors, a slice several.

    Parameters
    ----------
    *tensors : (rows, ...)
        The columns, whose numbers are copied.

    Raises
    ------
    DataError
        If there is none, one has no axis, or their lengths differ.

    Examples
    --------
    >>> dataset = TensorDataset([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    >>> len(dataset), dataset[1]
    (2, (Tensor([3., 4.]), Tensor(1)))
    """

    def __init__(self, *tensors: Tensor | ArrayLike) -> None:
        self._columns = [_column(tensor) for tensor in tensors]
        lengths = [len(column) for column in self._columns]
        if len(set(lengths)) != 1:
            raise DataError(
                where="TensorDataset(tensors)",
                expected="one or more arrays with equally many rows",
                got=f"lengths {lengths}" if lengths else "none",
                fix="Look for the missing rows; each row is one example.",
            )

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The columns as constant Tensors."""
        return tuple(Tensor._of(column.copy()) for column in self._columns)

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, index: int | slice) -> tuple[Tensor, ...]:
        if not isinstance(index, slice):
            index = _row(index, len(self), "TensorDataset[index]")
        return tuple(Tensor._of(np.array(column[index])) for column in self._columns)

    def batch(self, rows: Sequence[int]) -> tuple[Tensor, ...]:
        """Return the rows at these indices, in this order."""
        return tuple(Tensor._of(column[rows]) for column in self._columns)

    def __repr__(self) -> str:
        shapes = ", ".join(str(column.shape) for column in self._columns)
        return f"TensorDataset({shapes})"


class Subset:
    """The rows of a data set at certain indices, in this order.

    Parameters
    ----------
    dataset
        Anything with a length and indices.
    indices
        The rows, counted from 0, or from -1 at the end.

    Raises
    ------
    KeyRangeError
        If there is no such row.
    """

    dataset: Examples
    indices: list[int]

    def __init__(self, dataset: Examples, indices: Sequence[int]) -> None:
        rows, where = len(_examples(dataset, "Subset(dataset)")), "Subset(indices)"
        self.dataset, self.indices = dataset, [_row(i, rows, where) for i in _listed(indices)]

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:  # an example is what the data set says
        return self.dataset[self.indices[index]]

    def __repr__(self) -> str:
        return f"Subset({len(self)} rows of {self.dataset!r})"


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Iterable) else [given]


def _row(index: object, rows: int, where: str) -> int:
    """Return the index of a row. Raise `KeyRangeError` if there is no such row."""
    row = index_of(index)
    if row is not None and -rows <= row < rows:
        return row
    expected, fix = f"integers from {-rows} to {rows - 1}", "Count rows from 0."
    raise KeyRangeError(where=where, expected=expected, got=describe(index), fix=fix)


def random_split(dataset: Data, lengths: Sequence[float], seed: Seed = None) -> list[Subset]:
    """Return random parts of a data set; each row is in one of them.

    Parameters
    ----------
    dataset : (rows, ...)
        What `DataLoader` takes.
    lengths
        Numbers of rows that add up to all rows, or fractions that add up to 1; rows left over by
        rounding go to the first parts, one to each.
    seed
        An integer or a generator that determines the parts; new ones in every run if ``None``.

    Returns
    -------
    a list of Subset
        A part for each of the lengths.

    Raises
    ------
    OptionError
        If the lengths add up to something else.

    Examples
    --------
    >>> train, test = random_split(TensorDataset([[1.0], [2.0], [3.0]]), [2, 1], seed=0)
    >>> len(train), len(test)
    (2, 1)
    """
    examples = _examples(dataset, "random_split(dataset)")
    counts = _counts(_listed(lengths), len(examples))
    order = permutation(len(examples), generator(seed))
    ends = [*accumulate(counts)]
    return [
        Subset(examples, order[end - count : end]) for count, end in zip(counts, ends, strict=True)
    ]


def _counts(lengths: list[Any], rows: int) -> list[int]:
    if any(isinstance(n, float) for n in lengths) and abs(sum(lengths) - 1.0) < 1e-9:
        counts = [math.floor(rows * fraction) for fraction in lengths]
        for i in range(rows - sum(counts)):
            counts[i % len(counts)] += 1
    else:
        counts = [-1 if (n := index_of(length)) is None else n for length in lengths]
    if sum(counts) == rows and min(counts, default=0) >= 0:
        return counts
    raise OptionError(
        where="random_split(lengths)",
        expected=f"numbers of rows that add up to {rows}, or fractions that add up to 1",
        got=describe(lengths),
        fix="Pass [0.8, 0.2] to train on four fifths.",
    )


class DataLoader:
    """Batches of rows as tuples of Tensors.

    `state_dict` contains the pass and the position in it, so that a loader that loads it continues
    with the next batch.

    Parameters
    ----------
    data : (rows, ...)
        A tuple of arrays or Tensors whose rows belong together, or a single one; a `Dataset`,
        `TensorDataset` or `Subset`; or anything with a length and indices whose items are examples:
        tuples of numbers or arrays, or single ones, which are stacked. Tensors are constants.
    batch_size
        The number of rows in a batch, >= 1; the last batch may be smaller.
    shuffle
        Whether a new order is drawn for every pass.
    drop_last
        Whether a smaller last batch is left out.
    seed
        An integer or a generator that determines the orders of all passes; new ones in every run if
        ``None``.

    Raises
    ------
    OptionError
        If ``batch_size`` is not an integer >= 1.
    DataError
        If columns have different lengths, or ``data`` is none of these.

    Examples
    --------
    >>> loader = DataLoader(([[0.0], [1.0], [2.0]], [0, 1, 0]), batch_size=2)
    >>> for inputs, targets in loader:
    ...     print(inputs.shape, targets)
    (2, 1) Tensor([0, 1])
    (1, 1) Tensor([0])
    """

    drop_last: bool
    shuffle: bool

    def __init__(
        self,
        data: Data,
        batch_size: SupportsIndex = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: Seed = None,
    ) -> None:
        self.dataset: Examples = _examples(data, "DataLoader(data)")
        fix = "Pass 32, a usual size."
        self.batch_size: int = at_least("DataLoader(batch_size)", batch_size, 1, fix)
        self.shuffle, self.drop_last = shuffle, drop_last
        self._random = generator(seed)
        self._start = self._random.getstate()  # at the start of this pass, or of the next one
        self._position = self._resumed = 0

    def __len__(self) -> int:
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        """Yield the batches of one pass, or of the rest of a pass after `load_state_dict`."""
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
        """Return the position in the data, as plain numbers and lists, ready for JSON."""
        version, numbers, spare = self._start
        return {"position": self._position, "generator": [version, list(numbers), spare]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Make the next ``for`` continue after the batch at which `state_dict` was called."""
        try:
            position = state_dict["position"].__index__()
            version, numbers, spare = state_dict["generator"]
            random = Random()
            random.setstate((version, tuple(numbers), spare))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._wrong_state(f"something else ({error!r})") from error
        if not 0 <= position < max(len(self), 1):
            raise self._wrong_state(f"the position after batch {position} of {len(self)}")
        self._position = self._resumed = position
        self._start = random.getstate()
        self._random.setstate(self._start)

    def _wrong_state(self, got: str) -> StateDictError:
        return StateDictError(
            where="DataLoader.load_state_dict",
            expected="a position in a data set of this size",
            got=got,
            fix="Load the result of state_dict() of a loader with as many batches.",
        )

    def __repr__(self) -> str:
        return f"DataLoader({len(self)} batches of {self.batch_size} from {self.dataset!r})"


# --- examples -------------------------------------------------------------------------------------


def _column(data: Tensor | ArrayLike) -> NDArray[Any]:
    array = to_array(data, where="a column of data")
    if array.ndim == 0:
        raise DataError(
            where="a column of data",
            expected="one number or row for each example",
            got=describe(data),
            fix="Pass a list or an array whose first axis counts the examples.",
        )
    column: NDArray[Any] = array
    return column


def _examples(data: Any, where: str) -> Examples:
    """Return a data set with a length and indices."""
    if isinstance(data, Dataset):
        return TensorDataset(data.inputs, data.targets)
    if isinstance(data, tuple):
        return TensorDataset(*data)
    if is_tensor(data) or is_array(data):
        return TensorDataset(data)
    if hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, Mapping):
        examples: Examples = data
        return examples
    raise DataError(
        where=where,
        expected="a tuple of arrays, a data set, or a list of examples",
        got=describe(data),
        fix="Pass (inputs, targets), whose first axes count the examples.",
    )


def _batch(dataset: Examples, rows: Sequence[int]) -> tuple[Tensor, ...]:
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


def _stacked(members: Sequence[Tensor | ArrayLike]) -> NDArray[Any]:
    try:
        return np.array([to_array(member, where="an example") for member in members])
    except ValueError as error:
        raise _ragged(error) from error


def _ragged(error: Exception) -> DataError:
    return DataError(
        where="a batch",
        expected="examples with equal shapes",
        got=f"a mixture ({error})",
        fix="Pad them to one shape, and pass inputs and targets as a tuple of two arrays.",
    )
