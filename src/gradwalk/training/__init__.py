"""Training a network on a data set: the loop, what a loss wants, and files to keep the result in.

>>> from gradwalk.data import moons
>>> from gradwalk.nn import MLP
>>> from gradwalk.optim import Adam
>>> problem = Problem.of(moons(20, seed=0))
>>> model = MLP(2, [4, problem.n_out], seed=0)
>>> optimizer = Adam(model.parameters(), lr=0.05)
>>> epochs = [*train(model, problem, optimizer, epochs=3, batch_size=10, seed=0)]
>>> [epoch.number for epoch in epochs], epochs[-1].loss < epochs[0].loss
([1, 2, 3], True)
"""

from __future__ import annotations

from .checkpoint import load, save
from .loop import Epoch, evaluate, train
from .problem import LOSSES, Problem, Scaling

__all__ = ["LOSSES", "Epoch", "Problem", "Scaling", "evaluate", "load", "save", "train"]
