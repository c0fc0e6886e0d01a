"""``gradwalk train digits`` and ``gradwalk train names``: train networks of Tensors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from .._version import __version__
from ..data import DataLoader
from ..inspect import plot_loss
from ..nn.serialization import save
from ..optim import AdamW, CosineAnnealingLR
from ..training import History
from ..training.fitting import fit
from .progress import live, stopping
from .results import Folder
from .tasks import Digits, Names, Task
from .tensor_options import TensorOptions
from .terminal import INTERRUPTED, console

__all__ = ["train"]


class _Batches(DataLoader):
    """Batches in random order, until ``stop`` returns True."""

    def __init__(self, task: Task, stop: Callable[[], bool]) -> None:
        super().__init__(task.train, task.batch, shuffle=True, seed=task.seed)
        self.stop, self.cut = stop, False

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for batch in super().__iter__():
            if self.stop():
                self.cut = True
                return
            yield batch


def train(options: TensorOptions) -> int:
    """Train as asked, write the results, and return the exit code."""
    out = console()
    task = (Digits if options.source == "digits" else Names)(options)
    folder = Folder(options.out or Path(f"gradwalk-{task.source}"), out)
    out.print(_headline(task), soft_wrap=True)
    with stopping() as stop:  # includes the writing, because Ctrl-C must not cut results short
        history = _history(task, out, stop)
        if len(history) < task.epochs:
            out.print(f"Stopped after {len(history)} of {task.epochs} epochs.")
        phrase, notes = task.outcome()
        out.print(f"Trained: {phrase}")
        _write(folder, task, history, notes)
        return INTERRUPTED if stop() else 0


def _headline(task: Task) -> str:
    return (
        f"{task.source}: {task.rows()}\n"
        f"{task.kind}, {task.model.num_parameters():,} parameters, float32; AdamW with "
        f"lr {task.lr:g} falling along a cosine, batches of {task.batch}"
    )


def _history(task: Task, out: Console, stop: Callable[[], bool]) -> History:
    """Train and show every epoch. The history is shorter if ``stop`` returns True."""
    optimizer = AdamW(task.model.parameters(), lr=task.lr, weight_decay=task.decay)
    batches = _Batches(task, stop)
    quiet = np.errstate(over="ignore", invalid="ignore")  # fit itself reports a bad loss
    with quiet, live(out, task.epochs) as show:

        def watch(history: History) -> bool:
            if not batches.cut:
                show(len(history), task.described(history.records[-1]))
            return stop()

        history = fit(
            task.model,
            task.loss,
            optimizer,
            batches,
            epochs=task.epochs,
            validation=DataLoader(task.validation, batch_size=1024),
            metrics=task.metrics,
            scheduler=CosineAnnealingLR(optimizer, task.epochs),
            clip_grad_norm=1.0,
            restore_best=task.best,
            callbacks=watch,
            progress=False,
            doctor=task.doctor,
        )
    return History(history.records[:-1]) if batches.cut else history


def _write(folder: Folder, task: Task, history: History, notes: dict[str, Any]) -> None:
    """Write all results, and announce each file."""
    save(task.model, folder.folder / "weights.safetensors", {"gradwalk": __version__})
    folder.announce("weights.safetensors", "the weights, for gradwalk.load")
    _summary(folder, task, history, notes)
    names = ["loss", *(f"val_{name}" for name in ("loss", *task.metrics))]
    rows = [[i, *(record[name] for name in names)] for i, record in enumerate(history.records, 1)]
    header = ["epoch", *(name.replace("val_", f"{task.kept}_") for name in names)]
    folder.table("loss.csv", [header, *rows], "what was measured after every epoch")
    drawing = folder.can_draw("")
    task.write(folder, drawing)
    if drawing and history.records:
        title = f"{task.source}, {task.kind}"
        curves = {"training": history["loss"], task.kept: history["val_loss"]}
        folder.picture(lambda path: plot_loss(curves, path, title=title), "loss.png", "the loss")


def _summary(folder: Folder, task: Task, history: History, notes: dict[str, Any]) -> None:
    summary = {
        "gradwalk": __version__,
        "data": task.source,
        "model": task.kind,
        "parameters": task.model.num_parameters(),
        "epochs": len(history),
        "lr": task.lr,
        "batch": task.batch,
        "seed": task.seed,
        **notes,
    }
    text = json.dumps(summary, indent=1, ensure_ascii=False) + "\n"
    folder.write("summary.json", text, "what was trained, and how good it is")
