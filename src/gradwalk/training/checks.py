"""Checks of what `fit` is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, TypeAlias

from ..core.expect import as_float, at_least, describe
from ..core.seeds import Seed
from ..data import DataLoader, Dataset
from ..errors import DataError, OptionError
from ..nn.losses import functions as losses

if TYPE_CHECKING:
    from ..data.loader import Data

__all__ = ["Batches", "TrainingLoss", "count_of", "expect_parts", "loader_of", "patience_of"]

Batches: TypeAlias = "DataLoader | Dataset | Data"


class TrainingLoss(Protocol):
    """A function of outputs and targets; its result has ``backward()``."""

    def __call__(self, output: Any, target: Any, /) -> Any:
        """Return the loss of a batch."""
        ...


def expect_parts(
    model: object, loss: object, optimizer: object, scheduler: object, watchers: list[Any]
) -> None:
    """Raise `OptionError` for parts of a training that are of another kind."""
    ready = not isinstance(optimizer, type) and hasattr(optimizer, "zero_grad")
    made = not isinstance(scheduler, type)
    steps = scheduler is None or (made and hasattr(scheduler, "step"))
    called = all(map(callable, watchers))
    parts: tuple[tuple[str, object, bool, str, str], ...] = (
        ("model", model, hasattr(model, "parameters"), "a Module", "nn.Sequential(...)"),
        ("loss", loss, callable(loss), "a function of (output, target)", _loss(loss)),
        ("optimizer", optimizer, ready, "an optimizer", "optim.SGD(model.parameters(), lr=0.1)"),
        ("scheduler", scheduler, steps, "a scheduler", _scheduler(scheduler)),
        ("callbacks", watchers, called, "functions of a History", "callbacks=[print]"),
    )
    for name, part, fits, expected, fix in parts:
        if not fits:
            where, got = f"fit({name})", describe(part)
            raise OptionError(where=where, expected=expected, got=got, fix=f"Pass {fix}.")


def _scheduler(scheduler: object) -> str:
    """Return a scheduler, of the class that was passed in place of one."""
    if isinstance(scheduler, type) and hasattr(scheduler, "step"):
        return f"{scheduler.__name__}(optimizer, ...)"
    return "optim.StepLR(optimizer, 10)"


def _loss(loss: object) -> str:
    """Return the loss that is meant by a name, as Keras takes them."""
    return f"nn.{loss}" if isinstance(loss, str) and loss in losses.__all__ else "nn.cross_entropy"


def patience_of(
    early_stopping: SupportsIndex | tuple[SupportsIndex, float] | None,
) -> tuple[float, float]:
    """Return the epochs to wait for, and the fall of the loss that ends the waiting."""
    if early_stopping is None:
        return math.inf, 0.0
    pair: Any = early_stopping
    if not isinstance(early_stopping, (tuple, list)):
        pair = (early_stopping, 0.0)
    if len(pair) == 2:
        return count_of("early_stopping", pair[0]), as_float(pair[1], "fit(early_stopping)")
    raise OptionError(
        where="fit(early_stopping=...)",
        expected="a number of epochs, or (patience, min_delta)",
        got=describe(early_stopping),
        fix="Pass early_stopping=(5, 1e-3) to wait five epochs for a fall by more than 0.001.",
    )


def count_of(name: str, count: SupportsIndex | None, default: float = 0.0) -> float:
    """Return a number of epochs or batches. Raise `OptionError` below 1."""
    if count is None and default:
        return default
    return at_least(f"fit({name}=...)", count, 1, f"Write {name}=10, for example.")


def loader_of(
    data: Batches, size: SupportsIndex, where: str, shuffle: bool = False, seed: Seed = None
) -> DataLoader:
    """Return what a training iterates over, which has at least one batch."""
    loader = data
    if not isinstance(loader, DataLoader):
        loader = DataLoader(loader, batch_size=size, shuffle=shuffle, seed=seed)
    if not len(loader):
        raise DataError(
            where=where,
            expected="at least one batch",
            got=f"{len(loader.dataset)} rows, and drop_last={loader.drop_last}",
            fix="Pass data with more rows, or a DataLoader with drop_last=False.",
        )
    return loader
