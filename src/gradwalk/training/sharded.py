"""Training steps whose batches are divided among workers: synchronous data parallelism."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.value import no_grad, number
from ..errors import OptionError
from ..nn import Module
from ..workers import Executor, executor_of, quietly
from ..workers.dask import DaskExecutor
from .resume import generators

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Sharded", "number_of", "output_of", "sharded_by"]

SHARDS = 8
"""Of a batch. Their number must not depend on the workers: it is the order of the sums."""

Shard = tuple[float, list[Any], list[Any]]
"""The loss of a shard times its part of the batch, the gradients of that, and the outputs."""


def output_of(model: Module, batch: Sequence[Tensor]) -> tuple[Any, Any]:
    """Return the output of a model for a batch, and the target."""
    *inputs, target = batch if len(batch) > 1 else [*batch, *batch]
    if any(map(is_tensor, model.parameters())):
        return model(*inputs), target
    rows = zip(*(column.tolist() for column in inputs), strict=True)  # a model of Values
    return [model(*row) for row in rows], target.tolist()


def sharded_by(model: Module, loss: Any, workers: Any, client: Any) -> Sharded | None:
    """Return what computes the batches of `fit` on workers, or ``None`` without any."""
    if workers is None and client is None:
        return None
    if client is None:
        return Sharded(model, loss, executor_of(workers, "fit"))
    if workers is not None:
        raise OptionError(
            where="fit(workers=..., client=...)",
            expected="one of them: a client has workers of its own",
            got=f"{describe(workers)} and {describe(client)}",
            fix="Leave out workers.",
        )
    return Sharded(model, loss, DaskExecutor(client))


class Sharded:
    """The forward and the backward pass of batches, by workers.

    A batch is divided into eight shards of consecutive rows (or one for each row). The loss of a
    batch is the sum of the losses of its shards, each times its part of the rows; that is the loss
    itself if it is a mean over rows, which is checked with the first batch of every epoch.
    """

    def __init__(self, model: Module, loss: Any, executor: Executor) -> None:
        self._model, self._loss, self._executor = model, loss, executor
        self._checked = False

    def refresh(self) -> None:
        """Begin an epoch: check the network and its loss again."""
        self._checked = False
        if generators(self._model):
            raise OptionError(
                where="fit(workers=...)",
                expected="a network without random draws, as workers would repeat them",
                got=f"generators at {', '.join(generators(self._model))}",
                fix="Leave out Dropout, or train without workers.",
            )

    def forward(
        self, batch: tuple[Tensor, ...], outputs: bool
    ) -> tuple[Any, Any, float, Callable[[], None]]:
        """Return the output (if wanted), the target, the loss, and what sets the gradients."""
        parameters = list(self._model.parameters())
        for p in parameters:  # workers need no gradients of the step before
            p.grad = None if is_tensor(p) else 0.0
        rows = len(batch[0])
        bounds = np.linspace(0, rows, min(rows, SHARDS) + 1).astype(int)
        shards = [[x.detach()[a:b] for x in batch] for a, b in pairwise(bounds)]
        with quietly():  # the line of the terminal shows epochs
            done = self._executor.map(
                _step, self._executor.scatter(shards), self._loss, self._model, rows, outputs
            )
            loss, gradients, found = self._executor.reduce(_added, done)
        if not self._checked:
            self._check(batch, loss)

        def backward() -> None:
            for p, gradient in zip(parameters, gradients, strict=True):
                p.grad = gradient

        return _joined(found), _target(batch, self._model), loss, backward

    def _check(self, batch: tuple[Tensor, ...], loss: float) -> None:
        """Raise `OptionError` unless the loss of the whole batch is that of the shards."""
        self._checked = True
        with no_grad():
            whole = number_of(self._loss(*output_of(self._model, batch)))
        precision = max((np.finfo(x.dtype).eps for x in batch if x.dtype.kind == "f"), default=0.0)
        if math.isfinite(whole) and not math.isclose(
            loss, whole, rel_tol=max(precision, 1e-15) ** 0.5
        ):
            raise OptionError(
                where="fit(workers=...)",
                expected="a loss that is the mean over the rows of a batch, of a network that "
                "computes every row by itself",
                got=f"{whole!r} for a batch, and {loss!r} as the mean over its shards",
                fix="Use a mean in place of a sum, leave out layers that mix rows, or train "
                "without workers.",
            )


def _step(shard: list[Tensor], loss: Any, model: Module, rows: int, outputs: bool) -> Shard:
    """Compute one shard, in a worker."""
    parameters = list(model.parameters())
    buffers = {name: np.copy(x) for name, x in model.state_dict().items()}
    for p in parameters:
        p.grad = None if is_tensor(p) else 0.0
    output, target = output_of(model, shard)
    part = loss(output, target) * (len(shard[0]) / rows)
    part.backward()
    changed = [n for n, x in model.state_dict().items() if not np.array_equal(x, buffers[n])]
    if changed:
        raise OptionError(
            where="fit(workers=...)",
            expected="a network that does not change itself, for every worker has a copy",
            got=f"new values of {', '.join(changed)}",
            fix="Leave out BatchNorm (LayerNorm has no such state), or train without workers.",
        )
    kept = [output.detach() if is_tensor(output) else output] if outputs else []
    return number_of(part), [p.grad for p in parameters], kept


def _added(x: Shard, y: Shard) -> Shard:
    gradients = [
        b if a is None else a if b is None else a + b for a, b in zip(x[1], y[1], strict=True)
    ]
    return x[0] + y[0], gradients, x[2] + y[2]


def _joined(found: list[Any]) -> Any:
    """Return the outputs of a batch from those of its shards."""
    from ..tensor import concat

    if found and is_tensor(found[0]):
        return concat(found)
    return [y for part in found for y in part]


def _target(batch: tuple[Tensor, ...], model: Module) -> Any:
    return batch[-1] if any(map(is_tensor, model.parameters())) else batch[-1].tolist()


def number_of(x: Any) -> float:
    """Return a loss or a metric as a float."""
    return float(x.detach().item()) if is_tensor(x) else number(x, "fit(loss)")
