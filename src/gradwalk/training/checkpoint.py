"""A trained network in a file: JSON with its sizes, weights and problem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from .._version import __version__
from ..core.checksum import BLANK, KEY, check, sealed
from ..core.expect import as_float, describe
from ..core.files import PathLike, path_of, write_file
from ..data.columns import KINDS, Column
from ..errors import DataError, GradwalkError, UsageError
from ..nn import MLP
from .problem import LOSSES, Problem, Scaling

__all__ = ["load", "save"]

FORMAT = "gradwalk network 1"


def save(
    path: PathLike,
    model: MLP,
    problem: Problem,
    notes: Mapping[str, object] | None = None,
) -> None:
    """Write a network and its problem to a file. An older file is replaced as a whole.

    Parameters
    ----------
    path
        The file.
    model
        The network.
    problem
        What it was trained on. The training data are not written.
    notes
        Any further entries that JSON can hold; none if ``None``.

    Raises
    ------
    UsageError
        If ``model`` is no MLP or ``problem`` no `Problem`; `gradwalk.save` writes other models.
    FileError
        If the file cannot be written.

    See Also
    --------
    load
    """
    if not isinstance(model, MLP) or not isinstance(problem, Problem):
        raise UsageError(
            where="save(model, problem, path)",
            expected="an MLP and its Problem",
            got=f"{describe(model)} and {describe(problem)}",
            fix="Write gradwalk.save(model, path) for any other model.",
        )
    document = {
        KEY: BLANK,
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
            "cells": [asdict(column) for column in problem.cells],
            "labels": problem.labels,
        },
        "state_dict": model.state_dict(),
    }
    write_file(path, sealed(f"{json.dumps(document, indent=1)}\n".encode()))


def load(path: PathLike) -> tuple[MLP, Problem]:
    """Return the network in a file of `save`, and its problem, without the training data.

        problem.answer(model(problem.scaled(row)))

    is the answer for a row.

    Parameters
    ----------
    path
        The file. Write "unchecked" as the entry ``gradwalk_crc32`` of a file that you have edited.

    Returns
    -------
    (model, problem)
        The network and its problem.

    Raises
    ------
    DataError
        If the file is damaged or of another kind.
    FileNotFoundError
        If there is no such file.

    See Also
    --------
    save
    """
    path = path_of(path, "load(path)")
    data = Path(path).read_bytes().replace(b"\r\n", b"\n")  # as some tools change line ends
    check(path, data, required=FORMAT.encode() in data)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(
            where=str(path),
            expected=f"a file of the format {FORMAT!r}",
            got="another kind of file",
            fix="Pass the weights.json that gradwalk train has written.",
        )
    try:
        return _rebuilt(document)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(
            where=str(path),
            expected="the complete entries of a network",
            got=f"others ({error if isinstance(error, GradwalkError) else repr(error)})",
            fix="Train again, or restore a copy of the file.",
        ) from error


def _rebuilt(document: Mapping[str, Any]) -> tuple[MLP, Problem]:
    parts, about, state = document["model"], document["problem"], document["state_dict"]
    widths = [parts["n_in"], *parts["sizes"]]
    _expect("sizes", all(type(n) is int for n in widths))
    count = sum((a + 1) * b for a, b in pairwise(widths))
    _expect("state_dict", count == len(state))  # before a network of any size is built
    model = MLP(**parts, seed=0)
    model.load_state_dict(state)
    columns = tuple(_scaling(column) for column in about["columns"])
    classes = tuple(about["classes"])
    _expect("classes", all(type(label) in (int, float) for label in classes))
    cells = tuple(_column(column) for column in about.get("cells", ()))
    labels = tuple(map(str, about.get("labels", ())))
    _expect("labels", not labels or max(classes, default=0) < len(labels))
    scale = _scaling(about["scale"])
    problem = Problem(about["loss"], classes, columns, scale, [], [], cells, labels)
    _expect("cells", not cells or sum(len(c.inputs) for c in cells) == problem.n_in)
    ends = (problem.n_in, problem.n_out) == (widths[0], widths[-1])
    _expect("problem", ends and problem.loss in LOSSES)
    return model, problem


def _scaling(column: Mapping[str, Any]) -> Scaling:
    scaling = Scaling(**{name: as_float(x, name) for name, x in column.items()})
    _expect("std", scaling.std != 0.0)
    return scaling


def _column(column: Mapping[str, Any]) -> Column:
    means = tuple(as_float(x, "means") for x in column["means"])
    read = Column(str(column["name"]), column["kind"], tuple(map(str, column["texts"])), means)
    _expect("cells", read.kind in KINDS and len(means) in (0, len(read.inputs)))
    return read


def _expect(name: str, fits: bool) -> None:
    if not fits:
        raise ValueError(name)
