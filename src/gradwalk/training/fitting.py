"""`fit`: training with validation, early stopping and checkpoints, in one call."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from ..causes.cut_graphs import reachable
from ..causes.cuts import find_cut_in
from ..check import training
from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.files import PathLike, check_writable
from ..core.seeds import Seed
from ..data import DataLoader
from ..engine.value import Value, no_grad
from ..errors import FreedGraphError, OptionError
from ..inspect import flow
from ..nn import Module, mse
from ..nn.serialization import expect_name
from ..optim import LRScheduler, Optimizer, clip_grad_norm_
from .checks import Batches, TrainingLoss, count_of, expect_parts, loader_of, patience_of
from .compiled import CompiledSteps, Placing
from .history import History, checked_record, checked_records
from .metrics import Metric, Metrics, named_metrics
from .non_finite import expect_finite_gradients, non_finite_data, non_finite_loss
from .replays import Replays
from .resume import (
    damage_of,
    generators,
    read_checkpoint,
    restore_generators,
    write_checkpoint,
)
from .sharded import Sharded, number_of, output_of, sharded_by

if TYPE_CHECKING:
    from ..tensor import Tensor
    from ..workers import Executor

__all__ = ["fit"]


def diagnose(model: Module, loss: TrainingLoss, optimizer: Optimizer, data: DataLoader) -> None:
    """Print what `gradwalk.check.training` finds before the first step."""
    model.train()
    try:
        found = training(model, loss, optimizer, data)
    except Exception:
        return
    if not found:
        print(found)


def examine(
    model: Module, optimizer: Optimizer, history: History, batch: Sequence[Any], loss: float
) -> None:
    """Look at the first batch of an epoch, and print what is wrong, once for each finding."""
    known = history["loss"] if len(history) else []
    inputs = tuple(batch[:-1] or batch) if any(map(is_tensor, model.parameters())) else None
    found = flow(model, optimizer, inputs=inputs, loss=[*known, loss])
    wrong = {(x.name, x.verdict) for x in found.layers if x.verdict != "healthy"}
    told = {(x.name, x.verdict) for before in history.flows for x in before.layers}
    history.flows.append(found)
    if not found and wrong - told:
        print(f"epoch {len(history.flows)}: {found}")


def expect_flow(model: Module, loss: Any, result: Any, optimizer: Optimizer) -> None:
    """Raise `OptionError` if no gradient can reach what the optimizer trains.

    It is called after the first backward pass. Gradients of 0 from masks are no error.
    """
    trained = [p for group in optimizer.param_groups for p in group["params"]]
    if any(p.grad is not None if is_tensor(p) else p.grad for p in trained):
        return
    if not set(map(id, trained)) & set(map(id, model.parameters())):
        raise OptionError(
            where="fit(optimizer)",
            expected="an optimizer that has parameters of the model",
            got=f"{len(trained)} others, which no gradient has reached",
            fix="Make the optimizer from model.parameters(), after the last layer was made.",
        )
    if isinstance(result, Value):
        try:
            leaves, _ = reachable(result)
        except FreedGraphError:
            return
        if any(leaf is p for leaf in leaves for p in trained):
            return
    raise cut_loss(model, loss, result)


def cut_loss(model: Module, loss: Any, result: Any) -> OptionError:
    """Return the error for a loss that does not depend on the parameters: where it was cut."""
    cut = find_cut_in(_functions(model, loss))
    got = f"{result!r}, which does not depend on any of them"
    fix = "Compute it from the output of the model, without data, detach() or no_grad()."
    if cut is not None:
        got, fix = f"{result!r}, whose graph was probably cut by {cut.told}", f"{cut.fix}."
    expected = "a loss that depends on the parameters of the optimizer"
    return OptionError(where="fit(loss)", expected=expected, got=got, fix=fix)


def _functions(model: Module, loss: Any) -> Iterator[Any]:
    """Yield the functions that compute the loss: itself, and the forward of each module."""
    yield loss
    yield getattr(type(loss), "forward", None)
    for module in model.modules():
        yield getattr(type(module), "forward", None)
        yield vars(type(module)).get("__call__")


Show = Callable[[int, Mapping[str, float]], None]


def described(record: Mapping[str, float]) -> str:
    """Return the numbers of an epoch as text.

    >>> described({"loss": 0.25, "val_loss": 0.5})
    'loss 0.25   val_loss 0.5'
    """
    return "   ".join(f"{name} {x:.5g}" for name, x in record.items())


@contextmanager
def showing(wanted: bool, epochs: int) -> Iterator[Show]:
    """Yield a function to call with each finished epoch; it writes only to a terminal."""
    if not wanted or not sys.stderr.isatty():
        yield lambda epoch, record: None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    except ImportError:
        yield _lines(epochs)
        return
    columns: tuple[Any, ...] = (TextColumn("epoch"), MofNCompleteColumn(), BarColumn(24))
    console = Console(stderr=True, markup=False, highlight=False)
    columns += (TextColumn("{task.description}"),)
    with Progress(*columns, console=console, auto_refresh=False) as bar:  # without a thread
        task = bar.add_task("", total=epochs)
        yield lambda epoch, record: bar.update(
            task, completed=epoch, description=described(record), refresh=True
        )


def _lines(epochs: int) -> Show:
    def show(epoch: int, record: Mapping[str, float]) -> None:
        print(f"epoch {epoch} of {epochs}   {described(record)}", file=sys.stderr)

    return show


Callback = Callable[[History], object]


def fit(
    model: Module,
    loss: TrainingLoss,
    optimizer: Optimizer,
    train_data: Batches,
    *,
    epochs: SupportsIndex,
    validation: Batches | None = None,
    metrics: Metrics = (),
    scheduler: LRScheduler | None = None,
    clip_grad_norm: float | None = None,
    early_stopping: SupportsIndex | tuple[SupportsIndex, float] | None = None,
    restore_best: bool = False,
    checkpoint: PathLike | None = None,
    checkpoint_batches: SupportsIndex | None = None,
    resume: bool = False,
    progress: bool = True,
    callbacks: Iterable[Callback] | Callback = (),
    doctor: bool = False,
    batch_size: SupportsIndex = 32,
    seed: Seed = None,
    workers: int | Executor | None = None,
    client: Any = None,
    compile: bool = False,
    sharding: Any = None,
) -> History:
    """Train ``model`` in place until ``epochs`` have passed. Return the `History` of all epochs.

    Parameters
    ----------
    model
        The network: it is called with the inputs of a batch.
    loss
        What is minimized: ``loss(output, target)``, with ``output = model(*inputs)`` for batches of
        (*inputs, target); a batch of one Tensor is its own target.
    optimizer
        The optimizer, made from ``model.parameters()``.
    train_data : (rows, ...)
        A `DataLoader`, or data for one.
    epochs
        The number of passes over the data, >= 1, those of a resumed training included.
    validation : (rows, ...), optional
        A `DataLoader`, or data for one, on which loss and metrics are measured after every epoch.
    metrics
        Further functions of (output, target) to record: a dictionary by name, a list, or one; or
        ``"accuracy"``.
    scheduler
        A scheduler of the learning rate, which steps after every epoch.
    clip_grad_norm
        The bound of the norm of the gradients, >= 0; none if ``None``.
    early_stopping
        A pair (patience, min_delta), or the patience alone: the training ends after that many
        epochs in which the loss (on ``validation``, if given) has not fallen by more than
        min_delta. ``None`` trains for all epochs.
    restore_best
        Whether the training ends with the weights of the best epoch.
    checkpoint
        A file that is replaced after every epoch; none if ``None``.
    checkpoint_batches
        After how many batches, >= 1, the file is replaced as well; only after epochs if ``None``.
    resume
        Whether to continue from the file, if it exists, with the options of the optimizer in it.
        The weights are the same, bit for bit, as without the interruption.
    progress
        Whether a terminal shows a line for the training.
    callbacks
        Functions that get the History after every epoch, and end the training by returning True.
    doctor
        Whether the training is examined by `gradwalk.check.training` before its first step, and
        the first batch of every epoch by `gradwalk.inspect.flow`. Each is printed when something is
        wrong, and has changed; ``history.draw_flow()`` draws the flow over time.
    batch_size
        The number of rows in a batch, >= 1, for data that are no `DataLoader`.
    seed
        An integer or a generator that determines the order in which the network is trained; a new
        one in every run if ``None``.
    workers
        A number of processes, or an `Executor`, that divide every batch into eight shards of rows;
        the number of workers changes no bit. The loss must be a mean over rows, and the network
        have no random draws and no state of its own (BatchNorm, Dropout).
    client
        A client of Dask, whose cluster divides the batches, instead of ``workers``.
    compile
        Whether whole steps, with backward pass and update, are compiled by `gradwalk.compile`, for
        networks of Tensors: of arrays of JAX and PyTorch by the compilers of these libraries.
    sharding
        How batches are divided among devices, for a network on JAX's arrays: a
        ``jax.sharding.NamedSharding`` of the rows. Parameters that are not divided are copied to
        every device.

    Returns
    -------
    a History
        The losses and metrics of each epoch.

    Raises
    ------
    NonFiniteError
        For a loss that is not finite, before it changes the parameters.
    OptionError
        If a part is of another kind, an option is out of range, the loss does not depend on the
        parameters, or it cannot be divided among ``workers``.
    FileError
        Before the training, if the file cannot be written.
    DataError
        If the file to resume from is damaged, or the data are none.

    Examples
    --------
    >>> from gradwalk.nn import Linear
    >>> from gradwalk.optim import SGD
    >>> model, x = Linear(1, 1, seed=0), [[0.0], [1.0], [2.0]]
    >>> def squares(output, target):
    ...     return ((output - target) ** 2).mean()
    >>> history = fit(model, squares, SGD(model.parameters(), lr=0.2), (x, x), epochs=20, seed=0)
    >>> len(history), history["loss"][-1] < 0.01
    (20, True)
    """
    patience, min_delta = patience_of(early_stopping)
    watchers = list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]
    expect_parts(model, loss, optimizer, scheduler, watchers)
    run = _Run(
        model, loss, optimizer, loader_of(train_data, batch_size, "fit(train_data)", True, seed)
    )
    if validation is not None:
        run.validation = loader_of(validation, batch_size, "fit(validation)")
    run.metrics, run.scheduler, run.clip = named_metrics(metrics), scheduler, clip_grad_norm
    run.doctor = doctor
    run.placing = Placing(model, sharding)
    run.compiled = CompiledSteps(model, loss, optimizer, clip_grad_norm) if compile else None
    run.sharded = sharded_by(model, loss, workers, client)
    run.keep_best, run.path = restore_best, checkpoint
    run.every = count_of("checkpoint_batches", checkpoint_batches, math.inf)
    if checkpoint is not None:
        expect_name(checkpoint)
        check_writable(checkpoint)
    if resume and checkpoint is not None and Path(checkpoint).exists():
        run.load()
    if doctor and not run.updates:
        diagnose(model, loss, optimizer, run.loader)
    with showing(progress, last := int(count_of("epochs", epochs))) as show:
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
    """The state of a training."""

    model: Module
    loss: TrainingLoss
    optimizer: Optimizer
    loader: DataLoader
    validation: DataLoader | None = None
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    scheduler: LRScheduler | None = None
    clip: float | None = None
    keep_best: bool = False
    path: PathLike | None = None
    every: float = math.inf
    history: History = field(default_factory=History)
    best: dict[str, Any] | None = None
    sums: dict[str, float] = field(default_factory=dict)
    updates: int = 0
    doctor: bool = False
    sharded: Sharded | None = None
    placing: Any = None
    compiled: CompiledSteps | None = None

    def __post_init__(self) -> None:
        # other losses check the targets of every batch; a doctor looks at inner nodes
        replayed = self.loss is mse and not self.doctor
        self.replays = Replays(self.model, self.loss if replayed else None)

    def epoch(self) -> None:
        """Train for one epoch, or the rest of one, and record it."""
        self.model.train()
        self.replays.refresh()  # callbacks may have changed the model
        if self.sharded is not None:
            self.sharded.refresh()
        for done, batch in enumerate(map(self.placing, self.loader), 1):
            found = None if self.compiled is None else self._compiled_step(batch)
            self._add(self.sums, *(found or self._step(*self._forward(batch), batch)))
            self.updates += 1
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

    def _compiled_step(self, batch: tuple[Tensor, ...]) -> tuple[Any, Any, float] | None:
        """Return what a step returns. ``None``: it is not finite, which a step as written tells."""
        assert self.compiled is not None
        first = not self.updates
        found = self.compiled(batch)
        if found is None:
            return None
        output, size = found
        if first:
            expect_flow(self.model, self.loss, None, self.optimizer)
        if self.doctor and len(self.history) + 1 > len(self.history.flows):
            examine(self.model, self.optimizer, self.history, batch, size)
        return output, (batch[-1] if len(batch) > 1 else batch[0]), size

    def _forward(self, batch: tuple[Tensor, ...]) -> tuple[Any, Any, Any, Any]:
        """Return output, target and loss of a batch, and what computes the gradients."""
        if self.sharded is not None:
            return self.sharded.forward(batch, bool(self.metrics))
        if self.replays.serves and len(batch) == 2 and batch[1].ndim == 1:
            rows, target = (column.tolist() for column in batch)
            output, loss, backward = self.replays.forward(rows, target)
            # metrics may keep what they get: it must not change with the next batch
            return [Value(y.data) for y in output], target, loss, backward
        output, target = output_of(self.model, batch)
        loss = self.loss(output, target)
        return output, target, loss, getattr(loss, "backward", None)

    def _step(
        self, output: Any, target: Any, loss: Any, backward: Any, batch: tuple[Tensor, ...]
    ) -> tuple[Any, Any, float]:
        epoch = len(self.history) + 1

        built = hasattr(loss, "backward") and not self.replays.serves

        def graph() -> Any:  # replays and workers build none here
            return self.loss(*output_of(self.model, batch))

        size = number_of(loss)
        if not math.isfinite(size):
            data = non_finite_data(batch[:-1] or batch, batch[-1])
            raise non_finite_loss(
                loss if built else graph(), epoch, self.optimizer, data, self.updates
            )
        self.optimizer.zero_grad()
        if is_tensor(loss) and loss._node is None:
            raise cut_loss(self.model, self.loss, loss)
        if backward is None:
            raise OptionError(
                where="fit(loss)",
                expected="a loss that results in a Value, or a Tensor of one number",
                got=describe(loss),
                fix="Return the loss itself, without float(), item() or data.",
            )
        backward()
        if built and not self.updates and epoch == 1:
            expect_flow(self.model, self.loss, loss, self.optimizer)
        expect_finite_gradients(self.optimizer, loss if built else graph, epoch)
        if self.doctor and epoch > len(self.history.flows):
            examine(self.model, self.optimizer, self.history, batch, size)
        if self.clip is not None:
            parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
            clip_grad_norm_(parameters, self.clip, error_if_nonfinite=True)
        self.optimizer.step()
        return output, target, size

    def _add(self, sums: dict[str, float], output: Any, target: Any, loss: float) -> None:
        """Add the loss and the metrics of a batch, each times its rows."""
        rows = len(target)
        with no_grad():
            measured = {name: number_of(f(output, target)) for name, f in self.metrics.items()}
        for name, x in {"rows": 1.0, "loss": loss, **measured}.items():
            sums[name] = sums.get(name, 0.0) + x * rows

    def _validated(self, loader: DataLoader) -> dict[str, float]:
        sums: dict[str, float] = {}
        self.model.eval()
        with no_grad():
            for batch in map(self.placing, loader):
                output, target = output_of(self.model, batch)
                self._add(sums, output, target, number_of(self.loss(output, target)))
        self.model.train()
        return _means(sums)

    # --- checkpoints ------------------------------------------------------------------------------

    def save(self) -> None:
        """Write the complete state of the training."""
        if self.path is not None:
            write_checkpoint(self.path, self._state())

    def load(self) -> None:
        """Restore the state that `save` wrote. If it does not fit, nothing changes."""
        assert self.path is not None
        contents, before = read_checkpoint(self.path), self._state()
        try:
            with damage_of(self.path):
                self._restore(contents)
        except BaseException:
            self._restore(before)
            raise

    def _state(self) -> dict[str, Any]:
        contents = {name: part.state_dict() for name, part in self._parts().items()}
        contents |= {"generators": generators(self.model), "best": self.best}
        return contents | {"sums": self.sums, "history": self.history.records}

    def _restore(self, contents: Mapping[str, Any]) -> None:
        best = contents["best"] if self.keep_best else None
        history, sums = checked_records(contents["history"]), checked_record(contents["sums"])
        if best is not None:  # it is needed at the end of the training, and checked now
            self.model.load_state_dict(best)
        for name, part in self._parts().items():
            part.load_state_dict(contents[name])
        restore_generators(self.model, contents["generators"])
        self.best, self.history, self.sums = best, History(history), sums

    def _parts(self) -> dict[str, Any]:
        parts = {"model": self.model, "optimizer": self.optimizer, "loader": self.loader}
        return parts if self.scheduler is None else {**parts, "scheduler": self.scheduler}


def _means(sums: Mapping[str, float]) -> dict[str, float]:
    rows = sums.get("rows", 0.0) or math.nan
    return {name: total / rows for name, total in sums.items() if name != "rows"}
