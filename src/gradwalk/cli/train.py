"""``gradwalk train``: train a network on a data set, and write a folder of results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console

from ..data import Dataset, blobs, circles, moons, read_csv, spirals, xor
from ..data.cells import MISSING
from ..engine.value import ENGINE
from ..errors import DataError, NonFiniteError, OptionError
from ..expression.spelling import nearest
from ..nn import ACTIVATIONS, MLP
from ..optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from ..training import Epoch, Problem, evaluate
from ..training import train as epochs_of
from ..training.problem import LOSSES, MOST_CLASSES
from .checks import known, learning_rate
from .held_out import key_of, parted, tested
from .progress import described, live, stopping, within
from .results import Results
from .tensor_options import TASKS
from .terminal import INTERRUPTED, console

__all__ = ["OPTIMIZERS", "TASKS_OF_TABLES", "TOYS", "Options", "Toy", "train"]


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
LARGEST_GROWTH = 100.0
"""A loss of so many times the loss before the training, or 1, is a training that diverges."""

TASKS_OF_TABLES = ("auto", "classification", "regression")
DELIMITERS = {"tab": "\t", "\\t": "\t", "space": " "}
"""Other ways to write a delimiter in a shell."""

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
    encoding: str | None = None
    target: str | None = None
    ignore: tuple[str, ...] = ()
    task: str = "auto"
    doctor: bool = False


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
    usual_lr: float = 0.0
    """The default learning rate of the optimizer."""
    reason: str = ""
    """Why the target of a table is a class or a quantity."""

    def headline(self) -> str:
        classes = len(self.problem.classes)
        kind = f"{classes} classes" if classes else "a quantity to predict"
        sizes = [self.problem.n_in, *(len(layer.neurons) for layer in self.model.layers)]
        parameters = len(self.model.parameters())
        return (
            f"{self.name}: {len(self.dataset)} rows, {self.problem.n_in} inputs, {kind}\n"
            f"MLP {'-'.join(map(str, sizes))}, {self.options.activation}, {parameters} parameters; "
            f"{self.options.optimizer} with lr {self.lr:g}, loss {self.problem.loss}, "
            f"{ENGINE} engine" + f"\n{self.reason}".rstrip()
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
            key_of(self.problem): final.score,
        } | ({"classes": self.problem.class_names} if self.problem.classes else {})


def train(options: Options) -> int:
    """Train as asked, write the results, and return the exit code."""
    out = Console(stderr=True, markup=False, highlight=False) if options.json else console()
    job = _job(options)
    results = Results(options.out or Path(f"gradwalk-{job.name}"), out)
    out.print(job.headline(), soft_wrap=True)
    if options.doctor:
        out.print(str(_diagnosis(job)), soft_wrap=True)
    with stopping() as stop:  # includes the writing, because Ctrl-C must not cut results short
        history, held = _history(job, out, stop)
        if len(history) < job.epochs:
            out.print(f"Stopped after {len(history)} of {job.epochs} epochs.")
        final = evaluate(job.model, job.problem)
        rows = "of the training rows" if job.held else "of all rows"
        out.print(f"Trained: {described(final, job.problem.score_name)} {rows}")
        notes = job.notes(history, final)
        if job.held is not None:
            notes |= tested(job.model, job.held, results, out)
        results.write_all(job.dataset, job.problem, job.model, history, notes, held)
        if options.json:
            print(json.dumps(notes))
        return INTERRUPTED if stop() else 0


def _diagnosis(job: _Job) -> object:
    """Return what `gradwalk.check.training` finds; the whole table is one batch."""
    check = import_module("..check", __package__)  # loads NumPy
    problem = job.problem
    data = [(problem.inputs, problem.targets)]
    return check.training(job.model, LOSSES[problem.loss].function, job.optimizer, data)


def _history(job: _Job, out: Console, stop: Callable[[], bool]) -> tuple[list[Epoch], list[Epoch]]:
    """Train and show every epoch. Return the epochs, and those of the rows that are held out.

    The history is shorter if ``stop`` returns True.
    """
    history: list[Epoch] = []
    held: list[Epoch] = []
    options, most = job.options, LARGEST_GROWTH * max(1.0, evaluate(job.model, job.problem).loss)
    with live(out, job.epochs) as show, _naming_the_learning_rate(job):
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
            if epoch.loss > most:
                grown = f"{epoch.loss:.3g}: the training has diverged with lr={job.lr:g}"
                raise _diverged(job, f"training, epoch {epoch.number}", grown)
            if job.held is not None:
                held.append(evaluate(job.model, job.held))
    return history, held


@contextmanager
def _naming_the_learning_rate(job: _Job) -> Iterator[None]:
    """Raise the error for a learning rate that is too large if a number is not finite.

    All inputs are finite, and all functions of the network are.
    """
    try:
        yield
    except NonFiniteError as error:
        told = "" if "lr=" in error.got else f": the training has diverged with lr={job.lr:g}"
        raise _diverged(job, error.where, error.got + told) from error


def _diverged(job: _Job, where: str, got: str) -> NonFiniteError:
    lr = job.usual_lr if job.lr > job.usual_lr else job.lr / 10.0
    return NonFiniteError(
        where=where, expected="a loss that falls", got=got, fix=f"Write --lr {lr:g}."
    )


# --- from the options to a job ------------------------------------------------------------------
def _job(options: Options) -> _Job:
    toy = TOYS.get(options.source)
    dataset = _toy_dataset(toy, options) if toy else _posed(_table(options), options.task)
    whole = _problem(dataset, options.loss, standardize=False)
    reason = "" if toy else _reason(dataset, whole, options)
    if not whole.classes:  # also where fewer rows have fewer different integers
        dataset = replace(dataset, targets=[float(t) for t in dataset.targets])
    dataset, held_out = parted(dataset, options.test, options.seed, bool(whole.classes))
    problem = _problem(dataset, options.loss, standardize=toy is None)
    hidden = options.hidden if options.hidden is not None else toy.hidden if toy else TABLE_HIDDEN
    sizes = [*_sizes(hidden, problem.n_in), problem.n_out]
    activation = known("--activation", options.activation, ACTIVATIONS)
    model = MLP(problem.n_in, sizes, activation, seed=options.seed)
    make, lr, usual = _optimizer(options, toy)
    optimizer = make(model.parameters(), lr)
    epochs = options.epochs or (toy.epochs if toy else TABLE_EPOCHS)
    name = "stdin" if options.source == "-" else Path(options.source).stem
    held = None if held_out is None else problem.of_rows(held_out)
    return _Job(name, dataset, problem, model, optimizer, lr, epochs, options, held, usual, reason)


def _posed(dataset: Dataset, task: str) -> Dataset:
    """Return the data with targets that are classes or quantities, if ``task`` asks for them."""
    known("--task", task, TASKS_OF_TABLES)
    if task == "regression" and dataset.labels:
        raise OptionError(
            where="--task",
            expected="auto or classification for a target of texts",
            got=repr(task),
            fix="Write --task classification.",
        )
    if task == "regression":
        return replace(dataset, targets=[float(t) for t in dataset.targets])
    if task == "classification" and not dataset.labels:
        values = dataset.classes
        labels = tuple(map(str, values))
        return replace(dataset, targets=[values.index(t) for t in dataset.targets], labels=labels)
    return dataset


def _reason(dataset: Dataset, problem: Problem, options: Options) -> str:
    """Return why the target of a table is a class or a quantity, and how to choose the other."""
    kind = "Classification" if problem.classes else "Regression"
    count = len(dataset.classes)
    if options.task != "auto":
        return f"{kind}, as --task says."
    if dataset.labels:
        return f"{kind}: the target is text."
    if any(type(t) is float for t in dataset.targets):
        return f"{kind}: the target has numbers that are not integers."
    other = "regression predicts a number" if problem.classes else "classification predicts a class"
    if bool(problem.classes) != (count <= MOST_CLASSES):
        return f"{kind}, as --loss {options.loss} says."
    size = f"at most {MOST_CLASSES}" if problem.classes else f"more than {MOST_CLASSES}"
    return f"{kind}: the target has {count} different integers, {size}. --task {other}."


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
    sign = options.delimiter and DELIMITERS.get(options.delimiter, options.delimiter)
    return read_csv(
        *(options.source, sign, options.missing),
        encoding=options.encoding,
        target=options.target,
        ignore=options.ignore,
    )


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


def _optimizer(options: Options, toy: Toy | None) -> tuple[Callable[..., Optimizer], float, float]:
    """Return the constructor of the optimizer, its learning rate, and the default for it."""
    make, lr = OPTIMIZERS[known("--optimizer", options.optimizer, OPTIMIZERS)]
    suited = toy.lr if toy and make in (Adam, AdamW) else lr
    kind = f"{options.optimizer} on {options.source}" if toy else options.optimizer
    return make, learning_rate(options.lr, suited, kind), suited
