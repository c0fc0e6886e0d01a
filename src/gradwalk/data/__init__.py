"""Small data sets to learn on, drawn from a seed, the reader of CSV files, and batches.

>>> from gradwalk.data import moons
>>> train, test = moons(100, noise=0.1, seed=0).split(0.8, seed=0)
>>> len(train), len(test), len(train.inputs[0]), sorted(set(train.targets))
(80, 20, 2, [0, 1])

Labels are 0, 1, …; for the hinge loss turn 0 and 1 into -1 and +1 by ``[2 * t - 1 for t in
dataset.targets]``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..core.calls import public
from ..core.rooms import as_room
from .csv_file import read_csv
from .dataset import Dataset
from .toys import blobs, circles, moons, spirals, xor

if TYPE_CHECKING:
    from .loader import DataLoader, Subset, TensorDataset, random_split

_OF_TENSORS = ("DataLoader", "Subset", "TensorDataset", "random_split")  # these need NumPy

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "blobs", "circles", "moons"]
__all__ += ["random_split", "read_csv", "spirals", "xor"]


def __getattr__(name: str) -> Any:
    """Import data sets of Tensors on first use, because they need NumPy."""
    if name in _OF_TENSORS:
        return public(getattr(import_module(".loader", __name__), name))
    raise AttributeError(f"module 'gradwalk.data' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_TENSORS})


as_room(__name__)
