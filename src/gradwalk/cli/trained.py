"""``gradwalk predict`` and ``gradwalk export``: what a trained network is for."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from ..core.files import check_writable, write_file
from ..data.columns import Column
from ..data.csv_file import read_inputs
from ..engine.value import no_grad
from ..errors import DataError, MissingExtraError, OptionError
from ..nn import MLP
from ..training import Problem, load
from .checks import known
from .terminal import console

__all__ = ["DERIVATIVES", "ENDINGS", "export", "predict"]

DERIVATIVES = ("none", "gradient", "jacobian", "hessian")
ENDINGS = (".c", ".js")


def predict(
    model: Path,
    data: str,
    delimiter: str | None,
    encoding: str | None,
    out: Path | None,
    probabilities: bool,
    as_json: bool,
) -> None:
    """Print the predictions for the rows of a file, or write them to ``out``."""
    network, problem = _loaded(model)
    if probabilities:
        _expect_probabilities(problem)
    if out is not None:
        check_writable(out)
    rows = read_inputs(data, _columns(problem), delimiter, encoding)
    with no_grad():
        outputs = [network(problem.scaled(row)) for row in rows]
    names = problem.class_names
    answers = [names[problem.winner(y)] if names else problem.answer(y) for y in outputs]
    shares = [[p.data for p in problem.probabilities(y)] for y in outputs if probabilities]
    if as_json:
        document: dict[str, Any] = {"predictions": answers}
        document |= {"classes": names} if names else {}
        document |= {"probabilities": shares} if probabilities else {}
        text = json.dumps(document) + "\n"
    else:
        text = _table(answers, names, shares)
    if out is None:
        print(text, end="")
        return
    write_file(out, text.encode())
    console().print(f"{len(rows)} predictions: {out}", soft_wrap=True)


def _table(answers: list[Any], names: list[str], shares: list[list[float]]) -> str:
    """Return the predictions as CSV, with a column for the probability of each class."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["prediction", *(f"p({name})" for name in names if shares)])
    for i, answer in enumerate(answers):
        writer.writerow([answer, *(shares[i] if shares else ())])
    return text.getvalue()


def export(model: Path, out: Path, derivatives: str) -> None:
    """Write the network as a program, with the scaling of its inputs, and list what it takes."""
    network, problem = _loaded(model)
    known("--derivatives", derivatives, DERIVATIVES)
    if out.suffix not in ENDINGS:
        raise OptionError(
            where="--out",
            expected="a file name that ends in .c or .js",
            got=repr(str(out)),
            fix="Write --out model.c for C, or --out model.js for JavaScript.",
        )
    if derivatives in ("gradient", "hessian") and problem.n_out > 1:
        raise OptionError(
            where="--derivatives",
            expected=f"none or jacobian for a network of {problem.n_out} results",
            got=repr(derivatives),
            fix="Write --derivatives jacobian.",
        )
    check_writable(out)

    def model_of(x: Any) -> Any:
        return _results(problem, network(problem.scaled(x)))

    means = [column.mean for column in problem.columns]
    _exporting().export(model_of, means, path=out, derivatives=derivatives)
    about = [*_about_inputs(problem), *_about_results(problem)]
    comment = "".join(f" * {line.replace('*/', '* /')}\n" for line in about)
    write_file(out, b"/*\n", comment.encode(), b" */\n", out.read_bytes())
    out_console = console()
    for line in (f"Program: {out}", *about):
        out_console.print(line, soft_wrap=True)


def _exporting() -> Any:
    try:
        return import_module("..transforms.exporting", __package__)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            where="gradwalk export",
            expected="the package numpy",
            got=f"no {error.name}",
            fix="Install it with pip install 'gradwalk[arrays]'.",
        ) from error


def _results(problem: Problem, output: Any) -> Any:
    """Return the numbers of the program: a quantity, probabilities, or a score."""
    if not problem.classes:
        return problem.scale.undo(output)
    if problem.loss in ("bce", "cross_entropy"):
        shares = problem.probabilities(output)
        return shares if problem.n_out > 1 else shares[1]
    return output


def _about_inputs(problem: Problem) -> Iterator[str]:
    """Yield a line about every input of the program."""
    place = 0
    for number, column in enumerate(_columns(problem), 1):
        name = column.name or f"column {number}"
        for text in column.inputs:
            meaning = f"{name}{text.removeprefix(column.name)}"
            meaning += ": 1, or 0 for another text" * (column.kind == "text")
            meaning += " since 1970-01-01" * text.endswith(" days")
            meaning += ", 0 is Monday" * text.endswith(" weekday")
            yield f"x[{place}]  {meaning}"
            place += 1


def _about_results(problem: Problem) -> Iterator[str]:
    """Yield a line about every result of the program."""
    names = problem.class_names
    if not names:
        yield "result[0]  the prediction"
    elif problem.loss in ("bce", "cross_entropy"):
        for i, name in enumerate(names if problem.n_out > 1 else names[1:]):
            yield f"result[{i}]  the probability of {name}"
    else:
        yield f"result[0]  a score: {names[1]} above 0, else {names[0]}"


def _columns(problem: Problem) -> tuple[Column, ...]:
    """Return how cells become inputs; numbers if the network was not trained on a file."""
    return problem.cells or tuple(Column() for _ in problem.columns)


def _loaded(path: Path) -> tuple[MLP, Problem]:
    file = path / "weights.json" if path.is_dir() else path
    if file.exists():
        return load(file)
    raise DataError(
        where=str(path),
        expected="the folder of a training, or its weights.json",
        got="no such file",
        fix="Train first, and write the folder that gradwalk train has printed.",
    )


def _expect_probabilities(problem: Problem) -> None:
    if problem.classes and problem.loss in ("bce", "cross_entropy"):
        return
    what = f"the loss {problem.loss}" if problem.classes else "a quantity to predict"
    raise OptionError(
        where="--probabilities",
        expected="a network for classes, trained with bce or cross_entropy",
        got=what,
        fix="Leave out --probabilities.",
    )
