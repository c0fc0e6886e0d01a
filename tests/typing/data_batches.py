"""Data sets and batches, from lists, NumPy and data frames."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from gradwalk import Tensor
from gradwalk.data import (
    DataLoader,
    Dataset,
    Subset,
    TensorDataset,
    blobs,
    random_split,
    spirals,
)

dataset = spirals(30, seed=0, classes=3)
assert_type(dataset, Dataset)
assert_type(dataset.inputs, list[list[float]])
assert_type(dataset.targets, list[int] | list[float])
train, test = blobs(20, seed=0).split(0.8, seed=0)
assert_type(train, Dataset)
for row, target in test:
    assert_type(row, list[float])
    assert_type(target, float)

arrays = TensorDataset(np.zeros((6, 2)), [0, 1, 0, 1, 0, 1])
parts = random_split(arrays, [0.5, 0.5], seed=0)
assert_type(parts[0], Subset)
loader = DataLoader(arrays, batch_size=2, shuffle=True, seed=0)
for batch in loader:
    assert_type(batch, tuple[Tensor, ...])
for inputs, labels in DataLoader((np.zeros((6, 2)), np.zeros(6)), batch_size=3):
    assert_type(inputs, Tensor)
    assert_type(labels, Tensor)


class Frame:
    """A table that becomes an array, as a data frame of pandas does."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def __array__(self, dtype: None = None, copy: bool | None = None) -> NDArray[np.float64]:
        return np.array(self.rows)


frame = Frame([[0.0, 1.0], [2.0, 3.0]])
assert_type(len(TensorDataset(frame, [0, 1])), int)
assert_type(len(DataLoader((frame, np.array([0, 1])), batch_size=1)), int)
