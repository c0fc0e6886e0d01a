"""A trained network in a file: JSON with its sizes, weights and problem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from pathlib import Path

from .._version import __version__
from ..errors import DataError
from ..nn import MLP
from .problem import Problem, Scaling

__all__ = ["load", "save"]

FORMAT = "gradwalk network 1"


def save(
    path: str | PathLike[str],
    model: MLP,
    problem: Problem,
    notes: Mapping[str, object] | None = None,
) -> None:
    """Write a network and its problem to a file; ``notes`` are any further entries."""
    document = {
        "format": FORMAT,
        "gradwalk": __version__,
        "notes": dict(notes or {}),
        "model": {
            "n_in": model.layers[0].n_in,
            "sizes": [len(layer.neurons) for layer in model.layers],
            "activation": model.activation,
            "output_activation": model.output_activation,
        },
        "problem": {
            "loss": problem.loss,
            "classes": problem.classes,
            "columns": [asdict(column) for column in problem.columns],
            "scale": asdict(problem.scale),
        },
        "state_dict": model.state_dict(),
    }
    Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def load(path: str | PathLike[str]) -> tuple[MLP, Problem]:
    """Return the network in a file of `save`, and its problem, without the training data.

        problem.answer(model(problem.scaled(row)))

    is the answer for a row. Raise `DataError` for a file of another kind.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(
            where=str(path),
            expected=f"a file of the format {FORMAT!r}",
            got="another kind of file",
            fix="Pass the weights.json that gradwalk train has written.",
        )
    model, about = MLP(**document["model"], seed=0), document["problem"]
    model.load_state_dict(document["state_dict"])
    columns = tuple(Scaling(**column) for column in about["columns"])
    scale = Scaling(**about["scale"])
    return model, Problem(about["loss"], tuple(about["classes"]), columns, scale, [], [])
