"""`fit`: training with validation, early stopping and checkpoints, in one call."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, SupportsIndex

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.seeds import Seed
from ..data import DataLoader
from ..engine.value import no_grad, number
from ..errors import OptionError
from ..nn import Module
from ..optim import LRScheduler, Optimizer, clip_grad_norm_
from .display import showing
from .history import History
from .loop import diverged
from .metrics import named_metrics
from .resume import generators, read_checkpoint, restore_generators, write_checkpoint

__all__ = ["fit"]


def fit(
    model: Module,
    loss: Callable[[Any, Any], Any],
    optimizer: Optimizer,
    train_data: Any,
    *,
    epochs: SupportsIndex,
    validation: Any = None,
    metrics: Any = (),
    scheduler: LRScheduler | None = None,
    clip_grad_norm: float | None = None,
    early_stopping: Any = None,
    restore_best: bool = False,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_batches: SupportsIndex | None = None,
    resume: bool = False,
    progress: bool = True,
    callbacks: Iterable[Callable[[History], Any]] | Callable[[History], Any] = (),
    batch_size: SupportsIndex = 32,
    seed: Seed = None,
) -> History:
    """Train ``model`` in place until ``epochs`` have passed; the `History` of all of them.

    ``loss(output, target)`` is minimized, with ``output = model(*inputs)`` for batches of
    (*inputs, target); a batch of one Tensor is its own target. ``train_data`` and ``validation``
    are `DataLoader`s or what one is made of, with ``batch_size`` and, to train, in an order that
    ``seed`` decides. ``metrics`` are functions of (output, target) by name, or ``"accuracy"``.

    ``scheduler`` steps after every epoch; ``clip_grad_norm`` bounds the norm of the gradients.
    ``early_stopping=(patience, min_delta)``, or the patience alone, ends the training after so
    many epochs whose loss (on ``validation``, if there is one) has not fallen by more than
    min_delta; ``restore_best`` ends with the weights of the best epoch. Callbacks get the History
    after every epoch, and end the training by returning True.

    ``checkpoint`` is a file that is replaced after every epoch, and every ``checkpoint_batches``
    batches. With ``resume`` the training goes on from it, if it is there: to the same weights,
    bit for bit, as without the interruption, and with the options of the optimizer that it had
    then. A loss that is no finite number is a
    `NonFiniteError`, raised before it can spoil the parameters.

    >>> from gradwalk.nn import Linear
    >>> from gradwalk.optim import SGD
    >>> model, x = Linear(1, 1, seed=0), [[0.0], [1.0], [2.0]]
    >>> def squares(output, target):
    ...     return ((output - target) ** 2).mean()
    >>> history = fit(model, squares, SGD(model.parameters(), lr=0.2), (x, x), epochs=20, seed=0)
    >>> len(history), history["loss"][-1] < 0.01
    (20, True)
    """
    patience, min_delta = _patience(early_stopping)
    run = _Run(model, loss, optimizer, _loader(train_data, batch_size, True, seed))
    run.validation = validation if validation is None else _loader(validation, batch_size)
    run.metrics, run.scheduler, run.clip = named_metrics(metrics), scheduler, clip_grad_norm
    run.keep_best, run.path = restore_best, checkpoint
    run.every = _count("checkpoint_batches", checkpoint_batches, math.inf)
    if resume and checkpoint is not None and Path(checkpoint).exists():
        run.load()
    watchers = [callbacks] if callable(callbacks) else list(callbacks)
    with showing(progress, last := int(_count("epochs", epochs))) as show:
        while len(run.history) < last and run.history.stale(min_delta) < patience:
            run.epoch()
            show(len(run.history), run.history.records[-1])
            answers = [watch(run.history) for watch in watchers]
            if any(answer is True for answer in answers):
                break
    if run.best is not None:
        model.load_state_dict(run.best)
    return run.history


@dataclass
class _Run:
    """A training on its way."""

    model: Module
    loss: Callable[[Any, Any], Any]
    optimizer: Optimizer
    loader: DataLoader
    validation: DataLoader | None = None
    metrics: Mapping[str, Callable[[Any, Any], Any]] = field(default_factory=dict)
    scheduler: LRScheduler | None = None
    clip: float | None = None
    keep_best: bool = False
    path: Any = None
    every: float = math.inf
    history: History = field(default_factory=History)
    best: dict[str, Any] | None = None
    sums: dict[str, float] = field(default_factory=dict)

    def epoch(self) -> None:
        """One epoch, or the rest of one, and what belongs to its end."""
        self.model.train()
        for done, batch in enumerate(self.loader, 1):
            self._add(self.sums, *self._step(*self._output(batch)))
            if done % self.every == 0 and self.loader.state_dict()["position"]:
                self.save()
        record = _means(self.sums)
        if self.validation is not None:
            record |= {f"val_{name}": x for name, x in self._validated(self.validation).items()}
        self.history.records.append(record)
        self.sums = {}
        if self.scheduler is not None:
            self.scheduler.step()
        if self.keep_best and self.history.best_epoch == len(self.history):
            self.best = self.model.state_dict()
        self.save()

    def _output(self, batch: tuple[Any, ...]) -> tuple[Any, Any]:
        """What the model makes of a batch, and what it should."""
        *inputs, target = batch if len(batch) > 1 else batch * 2
        if any(map(is_tensor, self.model.parameters())):
            return self.model(*inputs), target
        rows = zip(*(column.tolist() for column in inputs), strict=True)  # a model of Values
        return [self.model(*row) for row in rows], target.tolist()

    def _step(self, output: Any, target: Any) -> tuple[Any, Any, float]:
        loss = self.loss(output, target)
        size = _number(loss)
        if not math.isfinite(size):
            raise diverged(size, len(self.history) + 1, self.optimizer)
        self.optimizer.zero_grad()
        loss.backward()
        if self.clip is not None:
            parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
            clip_grad_norm_(parameters, self.clip, error_if_nonfinite=True)
        self.optimizer.step()
        return output, target, size

    def _add(self, sums: dict[str, float], output: Any, target: Any, loss: float) -> None:
        """Add the measures of a batch, each times its rows."""
        rows = len(target)
        with no_grad():
            measured = {name: _number(f(output, target)) for name, f in self.metrics.items()}
        for name, x in {"rows": 1.0, "loss": loss, **measured}.items():
            sums[name] = sums.get(name, 0.0) + x * rows

    def _validated(self, loader: DataLoader) -> dict[str, float]:
        sums: dict[str, float] = {}
        self.model.eval()
        with no_grad():
            for batch in loader:
                output, target = self._output(batch)
                self._add(sums, output, target, _number(self.loss(output, target)))
        self.model.train()
        return _means(sums)

    # --- checkpoints ------------------------------------------------------------------------------

    def save(self) -> None:
        """Write all that decides how the training goes on."""
        if self.path is not None:
            contents = {name: part.state_dict() for name, part in self._parts().items()}
            contents |= {"generators": generators(self.model), "best": self.best}
            contents |= {"sums": self.sums, "history": self.history.records}
            write_checkpoint(self.path, contents)

    def load(self) -> None:
        """Go on where `save` was."""
        contents = read_checkpoint(self.path)
        for name, part in self._parts().items():
            part.load_state_dict(contents[name])
        restore_generators(self.model, contents["generators"])
        self.history, self.sums = History(contents["history"]), contents["sums"]
        self.best = contents["best"] if self.keep_best else None

    def _parts(self) -> dict[str, Any]:
        parts = {"model": self.model, "optimizer": self.optimizer, "loader": self.loader}
        return parts if self.scheduler is None else {**parts, "scheduler": self.scheduler}


def _number(x: Any) -> float:
    return float(x.item()) if is_tensor(x) else number(x, "fit(loss)")


def _means(sums: Mapping[str, float]) -> dict[str, float]:
    rows = sums.get("rows", 0.0) or math.nan
    return {name: total / rows for name, total in sums.items() if name != "rows"}


def _loader(data: Any, size: Any, shuffle: bool = False, seed: Seed = None) -> DataLoader:
    if isinstance(data, DataLoader):
        return data
    return DataLoader(data, batch_size=size, shuffle=shuffle, seed=seed)


def _patience(early_stopping: Any) -> tuple[float, float]:
    if early_stopping is None:
        return math.inf, 0.0
    pair = early_stopping if isinstance(early_stopping, (tuple, list)) else (early_stopping, 0.0)
    if len(pair) == 2:
        return _count("early_stopping", pair[0]), float(pair[1])
    raise OptionError(
        where="fit(early_stopping=...)",
        expected="a number of epochs, or (patience, min_delta)",
        got=describe(early_stopping),
        fix="early_stopping=(5, 1e-3) waits five epochs for the loss to fall by more than 0.001.",
    )


def _count(name: str, count: Any, default: float = 0.0) -> float:
    if count is None and default:
        return default
    whole = operator.index(count) if hasattr(count, "__index__") else 0
    if whole > 0:
        return whole
    raise OptionError(
        where=f"fit({name}=...)",
        expected="a whole number from 1 on",
        got=describe(count),
        fix=f"Write {name}=10, for example.",
    )
