"""Training a network on a data set: loops, problems, and files for the result.

>>> from gradwalk.data import moons
>>> from gradwalk.nn import MLP
>>> from gradwalk.optim import Adam
>>> problem = Problem.of(moons(20, seed=0))
>>> model = MLP(2, [4, problem.n_out], seed=0)
>>> optimizer = Adam(model.parameters(), lr=0.05)
>>> epochs = [*train(model, problem, optimizer, epochs=3, batch_size=10, seed=0)]
>>> [epoch.number for epoch in epochs], epochs[-1].loss < epochs[0].loss
([1, 2, 3], True)

`fit` trains networks of Tensors.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..core.calls import public
from ..core.rooms import as_room
from .checkpoint import load, save
from .history import History
from .loop import Epoch, evaluate, train
from .problem import LOSSES, Problem, Scaling

if TYPE_CHECKING:
    from .fitting import fit
    from .metrics import accuracy

_HOMES = {"fit": "fitting", "accuracy": "metrics"}  # these need NumPy

__all__ = ["LOSSES", "Epoch", "History", "Problem", "Scaling", "accuracy", "evaluate", "fit"]
__all__ += ["load", "save", "train"]


def __getattr__(name: str) -> Any:
    """Import functions of Tensors on first use, because they need NumPy."""
    if name in _HOMES:
        found = public(getattr(import_module(f".{_HOMES[name]}", __name__), name))
        globals()[name] = found
        return found
    raise AttributeError(f"module 'gradwalk.training' has no attribute {name!r}")


as_room(__name__)
