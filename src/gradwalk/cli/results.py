"""The results of a training: a folder of files, each of which is announced."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from ..core.files import check_writable, refusal, write_file
from ..data import Dataset
from ..engine.value import Value
from ..inspect import draw, plot_boundary, plot_loss
from ..nn import MLP
from ..training import Epoch, Problem, save

__all__ = ["Folder", "Results"]

NODES = 60
"""The most boxes in the picture of a prediction. Larger graphs are folded to stay readable."""


FILES: tuple[str, ...] = (
    "weights.json",
    "weights.safetensors",
    "loss.csv",
    "summary.json",
    "samples.txt",
    "confusion.csv",
)
FILES += ("graph.svg", "loss.png", "boundary.png", "digits.png")
"""The names of all results. They are tested before the training begins."""


class Folder:
    """The folder of results. It is created and tested before the training begins."""

    folder: Path
    out: Any

    def __init__(self, folder: Path, out: Console) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refusal(folder, error, "a writable folder") from error
        self.folder, self.out = folder, out
        for name in FILES:
            check_writable(folder / name)

    def table(self, name: str, rows: Iterable[Sequence[Any]], about: str) -> None:
        """Write a CSV file. The first row is its header."""
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self.write(name, text.getvalue(), about)

    def write(self, name: str, text: str, about: str) -> None:
        """Write a file of text, and announce it."""
        write_file(self.folder / name, text.encode())
        self.announce(name, about)

    def picture(self, plot: Callable[[Path], Any], name: str, about: str) -> None:
        """Call ``plot`` with the path of a picture, and announce the picture."""
        plot(self.folder / name)
        self.announce(name, about)

    def announce(self, name: str, about: str) -> None:
        """Print the path of a file and its contents."""
        self.out.print(f"  {self.folder / name}  ({about})", soft_wrap=True)

    def can_draw(self, what: str) -> bool:
        """Return whether matplotlib is installed, and print what to install otherwise."""
        if found := find_spec("matplotlib") is not None:
            return found
        self.out.print(f"No pictures{what}: pip install 'gradwalk[plot]'")
        return False


class Results(Folder):
    """The results of training a network of Values."""

    def write_all(
        self,
        dataset: Dataset,
        problem: Problem,
        model: MLP,
        history: Sequence[Epoch],
        notes: Mapping[str, Any],
        held: Sequence[Epoch] = (),
    ) -> None:
        """Write everything that there is to write, and say where."""
        save(self.folder / "weights.json", model, problem, notes)
        self.announce("weights.json", "the weights, and all that rebuilds the network")
        self._losses(history, held)
        self._graph(dataset, problem, model)
        if self.can_draw(" of loss and boundary"):
            self._pictures(dataset, problem, model, history, held, str(notes["data"]))

    def _losses(self, history: Sequence[Epoch], held: Sequence[Epoch]) -> None:
        header = ["epoch", "loss", "score", *(["test_loss", "test_score"] if held else [])]
        rows: list[list[Any]] = [[epoch.number, epoch.loss, epoch.score] for epoch in history]
        for row, test in zip(rows, held, strict=False):
            row += [test.loss, test.score]
        self.table("loss.csv", [header, *rows], "loss and score of every epoch")

    def _graph(self, dataset: Dataset, problem: Problem, model: MLP) -> None:
        """One prediction, that for the first row, swept so that the picture shows gradients."""
        names = dataset.names[:-1] or [f"x{i}" for i in range(problem.n_in)]
        row = zip(problem.inputs[0], names, strict=True)
        output = model([Value(x, name) for x, name in row])
        answer = output[problem.winner(output)] if isinstance(output, list) else output
        answer.label = "prediction"
        model.zero_grad()
        answer.backward()
        picture = draw(answer, max_nodes=NODES, names=False)
        self.write("graph.svg", picture.svg, "the graph of the prediction for the first row")

    def _pictures(
        self,
        dataset: Dataset,
        problem: Problem,
        model: MLP,
        history: Sequence[Epoch],
        held: Sequence[Epoch],
        title: str,
    ) -> None:
        if history:
            losses = {"training" if held else "": [epoch.loss for epoch in history]}
            losses |= {"test": [epoch.loss for epoch in held]} if held else {}
            self.picture(lambda path: plot_loss(losses, path, title=title), "loss.png", "the loss")
        if problem.n_in == 2 and problem.classes:
            indices = [problem.classes.index(target) for target in dataset.targets]
            points = list(zip(dataset.inputs, indices, strict=True))
            self.picture(
                lambda path: plot_boundary(
                    lambda x: model(problem.scaled(x)), points, path, title=title
                ),
                "boundary.png",
                "the decision boundary",
            )
