"""Rows that are held out of the training, to test what was learned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rich.console import Console

from ..data import Dataset
from ..engine.value import no_grad
from ..errors import OptionError
from ..nn import MLP
from ..training import Problem, evaluate
from .results import Results

__all__ = ["key_of", "parted", "tested"]

SHOWN = 12
"""The most classes whose confusion matrix is printed. The file has all of them."""


def parted(
    dataset: Dataset, share: float | None, seed: int, classes: bool
) -> tuple[Dataset, Dataset | None]:
    """Return the rows to train on and the rows to test.

    Rows of ``classes`` that the training rows lack are trained on: nothing could be said of them.
    """
    if share is None:
        return dataset, None
    if not 0.0 < share < 1.0 or len(dataset) < 4:
        raise OptionError(
            where="--test",
            expected="a number between 0 and 1, and at least four rows",
            got=f"{share:g} of {len(dataset)} rows",
            fix="Write --test 0.2 to hold a fifth of the rows out.",
        )
    train, test = dataset.split(1.0 - share, seed)
    known = set(train.targets)
    pairs = list(test)
    moved = [pair for pair in pairs if classes and pair[1] not in known]
    kept = [pair for pair in pairs if pair not in moved]
    if not kept or len(known) < 2:
        raise OptionError(
            where="--test",
            expected="several rows of every target, to train and to test on",
            got=f"{len(train)} rows to train on of {len(known)} different targets",
            fix="Leave out --test.",
        )
    inputs = [*train.inputs, *[x for x, _ in moved]]
    targets: Any = [*train.targets, *[t for _, t in moved]]
    rest: Any = [t for _, t in kept]
    return (
        replace(dataset, inputs=inputs, targets=targets),
        replace(dataset, inputs=[x for x, _ in kept], targets=rest),
    )


def key_of(problem: Problem) -> str:
    """Return the name of the score as a key of the results: accuracy, or r2."""
    return "accuracy" if problem.classes else "r2"


def tested(model: MLP, held: Problem, results: Results, out: Console) -> dict[str, Any]:
    """Print the score on rows that were held out, and the confusion of classes. Return notes."""
    score = evaluate(model, held).score
    out.print(f"Tested: {held.score_name} {100.0 * score:5.1f} % of {len(held.targets)} other rows")
    notes: dict[str, Any] = {f"test_{key_of(held)}": score, "test_rows": len(held.targets)}
    if held.classes:
        names = held.class_names
        counts = _confusion(model, held)
        rows = [[name, *row] for name, row in zip(names, counts, strict=True)]
        table: list[list[Any]] = [["class", *names], *rows]
        results.table("confusion.csv", table, "a row for each class, a column for each answer")
        if len(names) <= SHOWN:
            for line in table:
                first, *others = map(str, line)
                out.print(f"  {first:>12.12} " + " ".join(f"{cell:>8.8}" for cell in others))
        notes["confusion"] = counts
    return notes


def _confusion(model: MLP, held: Problem) -> list[list[int]]:
    """Return how often each class, in rows, got each answer, in columns."""
    counts = [[0] * len(held.classes) for _ in held.classes]
    of_target = {held.encoded(c): i for i, c in enumerate(held.classes)}
    with no_grad():
        for x, target in zip(held.inputs, held.targets, strict=True):
            counts[of_target[target]][held.winner(model(x))] += 1
    return counts
