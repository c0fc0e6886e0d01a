"""``gradwalk train``: train a network on a data set, and write a folder of results."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console

from ..data import Dataset, blobs, circles, moons, read_csv, spirals, xor
from ..data.cells import MISSING
from ..engine.value import ENGINE
from ..errors import DataError, OptionError
from ..expression.spelling import nearest
from ..nn import ACTIVATIONS, MLP
from ..optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from ..training import Epoch, Problem, evaluate
from ..training import train as epochs_of
from .checks import known, learning_rate
from .held_out import parted, tested
from .progress import described, live, stopping, within
from .results import Results
from .tensor_options import TASKS
from .terminal import INTERRUPTED, console

__all__ = ["OPTIMIZERS", "TOYS", "Options", "Toy", "train"]


@dataclass(frozen=True, slots=True)
class Toy:
    """A generated data set, with defaults that reach a good accuracy within seconds."""

    make: Callable[..., Dataset]
    noise: float = 0.1
    epochs: int = 40
    hidden: str = "8,8"
    lr: float = 0.03  # for Adam and AdamW


TOYS = {
    "xor": Toy(xor, epochs=20),
    "moons": Toy(moons),
    "circles": Toy(circles),
    "spirals": Toy(spirals, noise=0.02, hidden="16,16", lr=0.02),
    "blobs": Toy(blobs, noise=0.3, epochs=20, hidden="8"),
}
POINTS = 100
MOST_WEIGHTS = 1_000_000
TABLE_EPOCHS, TABLE_HIDDEN = 100, "16,16"  # for a CSV file

OPTIMIZERS: dict[str, tuple[Callable[..., Optimizer], float]] = {
    "sgd": (lambda params, lr: SGD(params, lr, momentum=0.9), 0.05),
    "adam": (Adam, 0.02),
    "adamw": (AdamW, 0.02),
    "rmsprop": (RMSprop, 0.01),
    "adagrad": (Adagrad, 0.1),
}
"""The constructor of each optimizer, and its default learning rate."""


@dataclass(frozen=True, slots=True)
class Options:
    """The user's options. ``None`` means the default of the data set or the optimizer."""

    source: str
    hidden: str | None = None
    activation: str = "relu"
    optimizer: str = "adam"
    lr: float | None = None
    loss: str = "auto"
    epochs: int | None = None
    batch: int = 10
    points: int | None = None
    noise: float | None = None
    seed: int = 0
    out: Path | None = None
    delimiter: str | None = None
    missing: str = "error"
    test: float | None = None
    json: bool = False


@dataclass(frozen=True, slots=True)
class _Job:
    """The objects of one training, built from the options."""

    name: str
    dataset: Dataset
    problem: Problem
    model: MLP
    optimizer: Optimizer
    lr: float
    epochs: int
    options: Options
    held: Problem | None = None
    """The rows that are held out for a test."""

    def headline(self) -> str:
        classes = len(self.problem.classes)
        kind = f"{classes} classes" if classes else "a quantity to predict"
        sizes = [self.problem.n_in, *(len(layer.neurons) for layer in self.model.layers)]
        parameters = len(self.model.parameters())
        return (
            f"{self.name}: {len(self.dataset)} rows, {self.problem.n_in} inputs, {kind}\n"
            f"MLP {'-'.join(map(str, sizes))}, {self.options.activation}, {parameters} parameters; "
            f"{self.options.optimizer} with lr {self.lr:g}, loss {self.problem.loss}, "
            f"{ENGINE} engine"
        )

    def notes(self, history: list[Epoch], final: Epoch) -> dict[str, Any]:
        return {
            "data": self.name,
            "optimizer": self.options.optimizer,
            "lr": self.lr,
            "batch": self.options.batch,
            "seed": self.options.seed,
            "epochs": len(history),
            "loss": final.loss,
            self.problem.score_name: final.score,
        }


def train(options: Options) -> int:
    """Train as asked, write the results, and return the exit code."""
    out = Console(stderr=True, markup=False, highlight=False) if options.json else console()
    job = _job(options)
    results = Results(options.out or Path(f"gradwalk-{job.name}"), out)
    out.print(job.headline(), soft_wrap=True)
    with stopping() as stop:  # includes the writing, because Ctrl-C must not cut results short
        history = _history(job, out, stop)
        if len(history) < job.epochs:
            out.print(f"Stopped after {len(history)} of {job.epochs} epochs.")
        final = evaluate(job.model, job.problem)
        rows = "of the training rows" if job.held else "of all rows"
        out.print(f"Trained: {described(final, job.problem.score_name)} {rows}")
        notes = job.notes(history, final)
        if job.held is not None:
            notes |= tested(job.model, job.held, job.dataset.labels, results, out)
        results.write_all(job.dataset, job.problem, job.model, history, notes)
        if options.json:
            print(json.dumps(notes))
        return INTERRUPTED if stop() else 0


def _history(job: _Job, out: Console, stop: Callable[[], bool]) -> list[Epoch]:
    """Train and show every epoch. The history is shorter if ``stop`` returns True."""
    history: list[Epoch] = []
    options = job.options
    with live(out, job.epochs) as show:
        batches = -(-len(job.problem.targets) // options.batch)
        part = within(batches, lambda text: show(len(history), text), out, stop)
        for epoch in epochs_of(
            job.model,
            job.problem,
            job.optimizer,
            epochs=job.epochs,
            batch_size=options.batch,
            seed=options.seed,
            stop=part,
        ):
            history.append(epoch)
            show(epoch.number, described(epoch, job.problem.score_name))
    return history


# --- from the options to a job ------------------------------------------------------------------
def _job(options: Options) -> _Job:
    toy = TOYS.get(options.source)
    dataset = _toy_dataset(toy, options) if toy else _table(options)
    dataset, held_out = parted(dataset, options.test, options.seed)
    problem = _problem(dataset, options.loss, standardize=toy is None)
    hidden = options.hidden if options.hidden is not None else toy.hidden if toy else TABLE_HIDDEN
    sizes = [*_sizes(hidden, problem.n_in), problem.n_out]
    activation = known("--activation", options.activation, ACTIVATIONS)
    model = MLP(problem.n_in, sizes, activation, seed=options.seed)
    make, lr = _optimizer(options, toy)
    optimizer = make(model.parameters(), lr)
    epochs = options.epochs or (toy.epochs if toy else TABLE_EPOCHS)
    name = "stdin" if options.source == "-" else Path(options.source).stem
    held = None if held_out is None else problem.of_rows(held_out)
    return _Job(name, dataset, problem, model, optimizer, lr, epochs, options, held)


def _toy_dataset(toy: Toy, options: Options) -> Dataset:
    points = POINTS if options.points is None else options.points
    noise = toy.noise if options.noise is None else options.noise
    try:
        return toy.make(points, noise=noise, seed=options.seed)
    except OptionError as error:
        name, example = ("noise", toy.noise) if "noise" in error.where else ("points", POINTS)
        raise _renamed(error, f"--{name}", getattr(options, name), str(example)) from error


def _renamed(error: OptionError, option: str, asked: object, example: str) -> OptionError:
    """Return the error with the name of the option, and what to write on the command line."""
    fix = f"Write {option} {example}."
    return OptionError(where=option, expected=error.expected, got=repr(asked), fix=fix)


def _problem(dataset: Dataset, loss: str, standardize: bool) -> Problem:
    try:
        return Problem.of(dataset, loss, standardize=standardize)
    except OptionError as error:
        raise _renamed(error, "--loss", loss, "auto") from error


def _table(options: Options) -> Dataset:
    if (
        options.source != "-"
        and Path(options.source).suffix.lower() != ".csv"
        and not Path(options.source).exists()
    ):
        raise DataError(
            where="data",
            expected=f"one of {', '.join([*TOYS, *TASKS])}, or a CSV file",
            got=repr(options.source),
            fix=nearest(options.source, [*TOYS, *TASKS])
            or "Write the path of a file that ends in .csv.",
        )
    if options.points is not None or options.noise is not None:
        given = "--noise" if options.points is None else "--points"
        raise OptionError(
            where=given,
            expected=f"one of {', '.join(TOYS)} to draw points from",
            got=repr(options.source),
            fix=f"Leave out {given} for a file.",
        )
    known("--missing", options.missing, MISSING)
    return read_csv(options.source, options.delimiter, options.missing)


def _sizes(hidden: str, n_in: int = 1) -> list[int]:
    """Read a list of sizes such as 16,16. An empty list means no hidden layer.

    >>> _sizes("16, 8"), _sizes("")
    ([16, 8], [])
    """
    expected = "comma-separated integers >= 1"
    sizes = [size.strip() for size in hidden.split(",")] if hidden.strip() else []
    if all(size.isdecimal() and len(size) < 9 and int(size) > 0 for size in sizes):
        widths = [int(size) for size in sizes]
        if sum((a + 1) * b for a, b in pairwise([n_in, *widths])) <= MOST_WEIGHTS:
            return widths
        expected = f"layers of at most {MOST_WEIGHTS:,} weights, which train in Python"
    raise OptionError(
        where="--hidden",
        expected=expected,
        got=repr(hidden),
        fix="Write --hidden 16,16 for two layers of 16 neurons.",
    )


def _optimizer(options: Options, toy: Toy | None) -> tuple[Callable[..., Optimizer], float]:
    """Return the constructor of the optimizer, and its learning rate."""
    make, lr = OPTIMIZERS[known("--optimizer", options.optimizer, OPTIMIZERS)]
    suited = toy.lr if toy and make in (Adam, AdamW) else lr
    kind = f"{options.optimizer} on {options.source}" if toy else options.optimizer
    return make, learning_rate(options.lr, suited, kind)
