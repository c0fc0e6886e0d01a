"""What a training leaves behind: a folder of files, each one announced."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console

from ..data import Dataset
from ..inspect import draw, plot_boundary, plot_loss
from ..nn import MLP
from ..training import Epoch, Problem, save
from ..value import Value

__all__ = ["Results"]

NODES = 60
"""Most boxes in the picture of a prediction: a page that can be read; the rest is folded."""


class Results:
    """The folder; it is made, and tried, before the training begins."""

    def __init__(self, folder: Path, out: Console) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.out = folder, out
        (folder / "loss.csv").open("a").close()  # nothing of an earlier training is lost by this

    def write(
        self,
        dataset: Dataset,
        problem: Problem,
        model: MLP,
        history: Sequence[Epoch],
        notes: Mapping[str, Any],
    ) -> None:
        """Write everything that there is to write, and say where."""
        save(self.folder / "weights.json", model, problem, notes)
        self._announce("weights.json", "the weights, and all that rebuilds the network")
        self._losses(history)
        self._graph(dataset, problem, model)
        if find_spec("matplotlib") is None:
            self.out.print("No pictures of loss and boundary: pip install 'gradwalk[plot]'")
        else:
            self._pictures(dataset, problem, model, history, str(notes["data"]))

    def _losses(self, history: Sequence[Epoch]) -> None:
        with (self.folder / "loss.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["epoch", "loss", "score"])
            writer.writerows([epoch.number, epoch.loss, epoch.score] for epoch in history)
        self._announce("loss.csv", "loss and score of every epoch")

    def _graph(self, dataset: Dataset, problem: Problem, model: MLP) -> None:
        """One prediction, that for the first row, swept so that the picture shows gradients."""
        names = dataset.names[:-1] or [f"x{i}" for i in range(problem.n_in)]
        row = zip(problem.inputs[0], names, strict=True)
        output = model([Value(x, name) for x, name in row])
        answer = output[problem.winner(output)] if isinstance(output, list) else output
        answer.label = "prediction"
        model.zero_grad()
        answer.backward()
        draw(answer, max_nodes=NODES, names=False).save(self.folder / "graph.svg")
        self._announce("graph.svg", "the graph of the prediction for the first row")

    def _pictures(
        self,
        dataset: Dataset,
        problem: Problem,
        model: MLP,
        history: Sequence[Epoch],
        title: str,
    ) -> None:
        if history:
            losses = [epoch.loss for epoch in history]
            self._picture(lambda path: plot_loss(losses, path, title=title), "loss.png", "the loss")
        if problem.n_in == 2 and problem.classes:
            indices = [problem.classes.index(target) for target in dataset.targets]
            points = list(zip(dataset.inputs, indices, strict=True))
            self._picture(
                lambda path: plot_boundary(
                    lambda x: model(problem.scaled(x)), points, path, title=title
                ),
                "boundary.png",
                "the decision boundary",
            )

    def _picture(self, plot: Callable[[Path], Any], name: str, about: str) -> None:
        plot(self.folder / name)
        self._announce(name, about)

    def _announce(self, name: str, about: str) -> None:
        self.out.print(f"  {self.folder / name}  ({about})", soft_wrap=True)
