"""Small data sets to learn on, drawn from a seed, and the reader of your own CSV files.

>>> from gradwalk.data import moons
>>> train, test = moons(100, noise=0.1, seed=0).split(0.8, seed=0)
>>> len(train), len(test), len(train.inputs[0]), sorted(set(train.targets))
(80, 20, 2, [0, 1])

Labels are 0, 1, …; for the hinge loss turn 0 and 1 into -1 and +1 by ``[2 * t - 1 for t in
dataset.targets]``.
"""

from __future__ import annotations

from .csv_file import read_csv
from .dataset import Dataset
from .toys import blobs, circles, moons, spirals, xor

__all__ = ["Dataset", "blobs", "circles", "moons", "read_csv", "spirals", "xor"]
