"""The commands of the command line and their options."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from .._version import __version__
from ..data.cells import MISSING
from ..engine.value import ENGINE
from ..nn import ACTIVATIONS
from ..training import LOSSES
from . import show as _show
from . import studio as _studio
from . import train as _train
from . import trained as _trained
from . import walk as _walk
from . import why as _why
from . import workshop as _workshop
from .checks import among, integer, real
from .tensor_options import TASKS, TensorOptions, refuse_foreign
from .terminal import Commands, console

__all__ = ["app"]

app: typer.Typer = typer.Typer(
    cls=Commands,
    add_completion=True,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # paragraphs are wrapped again
    help="Walk the gradient: see a formula's derivatives, or train a small network.",
)

# Formulas may begin with a minus sign, so unknown options are arguments.
_MINUS_ALLOWED = {"ignore_unknown_options": True}

_OPTIONS = _train.Options("")
_WHOLE = "INTEGER >= 1"
_BATCHES = f"{_OPTIONS.batch}, of digits 64, of names 32"
_Model = Annotated[
    Path,
    typer.Argument(
        autocompletion=among((), ".json"),
        help="The folder that gradwalk train has written, or its weights.json.",
    ),
]
_Encoding = Annotated[
    str | None,
    typer.Option(
        autocompletion=among(["utf-8", "latin-1", "cp1252", "utf-16"]),
        help="Encoding of the file, such as latin-1.",
        show_default="utf-8",
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        console().print(f"gradwalk {__version__} ({ENGINE} engine)")
        raise typer.Exit


@app.callback()
def gradwalk(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show it and exit."),
    ] = False,
) -> None:
    """Walk the gradient: see a formula's derivatives, or train a small network."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command(context_settings=_MINUS_ALLOWED)
def show(
    formula: Annotated[
        str, typer.Argument(help="A formula: '(a + b) * c', or 'd = a * b; tanh(d + c)'.")
    ],
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=NUMBER", help="A value for every variable: a=2 b=-3."),
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw the graph into this SVG file.")] = None,
    dot: Annotated[
        Path | None, typer.Option(help="Write the graph as DOT text for Graphviz.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a self-contained page to step through the graph.")
    ] = None,
) -> None:
    """Print the graph of a formula, and the gradient of its result for every name.

    For a mistake in the formula or the values, print its line and column, and exit with code 2.
    """
    _show.show(formula, values or [], svg, dot, html)


@app.command(context_settings=_MINUS_ALLOWED)
def studio(
    formula: Annotated[
        str | None, typer.Argument(help="The formula to open, such as '(a + b) * c'.")
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=NUMBER", help="A value for every variable: a=2 b=-3."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            parser=integer("--port", 8421, 0, 65535),
            metavar="INTEGER",
            help="The port; 0 means any free one.",
            show_default="8421 or next",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; by default, only this machine.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Serve the page to step through graphs and train networks, on this machine.

    Anyone who knows the printed address can use it, until Ctrl-C.
    """
    _studio.studio(formula, values or [], host, port, browser)


@app.command(context_settings=_MINUS_ALLOWED)
def walk(
    formula: Annotated[
        str, typer.Argument(help="A formula: '(a + b) * c', or 'd = a * b; tanh(d + c)'.")
    ],
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=NUMBER", help="A value for every variable: a=2 b=-3."),
    ] = None,
) -> None:
    """Step through the graph of a formula, forward and backward, with every number.

    Press right and left to step, ? for all keys, q to quit. Without a terminal, print all steps.
    """
    _walk.walk(formula, values or [])


@app.command()
def workshop(
    file: Annotated[
        Path | None,
        typer.Argument(autocompletion=among((), ".py"), help="The file with your engine."),
    ] = None,
    new: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the beginning of an engine to a new file."),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Check again whenever you save.")] = False,
    phase: Annotated[
        int | None,
        typer.Option(
            parser=integer("--phase", 3, 1, 12), metavar="1-12", help="Judge this phase only."
        ),
    ] = None,
    hints: Annotated[
        int,
        typer.Option(
            parser=integer("--hints", 1, 0, 3),
            metavar="0-3",
            help="How much to say: a question, a pointer, the line.",
        ),
    ] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as one JSON object.")
    ] = False,
    progress: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the phases passed and mistakes met in this file."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--class", metavar="FOLDER", help="Print a table of files of progress."),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            parser=real("--timeout", 60), metavar="SECONDS", help="The most that a check may take."
        ),
    ] = 60.0,
) -> None:
    """Check an engine that you write yourself, and name the mistakes in it.

    Your file runs on this computer, with your rights. The exit code is 0 without a mistake, 1 with
    one, and 2 if the file cannot be used.
    """
    _workshop.workshop(
        file, new=new, watch=watch, phase=phase, hints=hints, as_json=as_json,
        progress=progress, folder=folder, timeout=timeout,
    )  # fmt: skip


@app.command()
def train(
    context: typer.Context,
    data: Annotated[
        str,
        typer.Argument(
            autocompletion=among([*_train.TOYS, *TASKS], ".csv"),
            help="xor, moons, circles, spirals, blobs, digits (images), names (text), or a CSV "
            "file, or - for the standard input. The last column of a table is the target, the "
            "others are numbers, texts or ISO dates. Texts, and integers of at most ten different "
            "values, are classes.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            autocompletion=among([m for models in TASKS.values() for m in models]),
            help="For digits: mlp or cnn. For names: gpt or ngram.",
            show_default="mlp, gpt",
        ),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(help="A file of names, one per line, instead of the built-in list."),
    ] = None,
    hidden: Annotated[
        str | None,
        typer.Option(
            "--hidden", "--sizes", "--size", help="Sizes of the hidden layers, such as 16,16."
        ),
    ] = None,
    activation: Annotated[
        str,
        typer.Option(
            autocompletion=among(ACTIVATIONS),
            help="Activation of hidden layers: relu, tanh, sigmoid, gelu, silu, ...",
        ),
    ] = _OPTIONS.activation,
    optimizer: Annotated[
        str,
        typer.Option(
            autocompletion=among(_train.OPTIMIZERS),
            help=f"One of {', '.join(_train.OPTIMIZERS)}.",
        ),
    ] = _OPTIONS.optimizer,
    lr: Annotated[
        float | None,
        typer.Option(
            parser=real("--lr", 0.01),
            metavar="NUMBER",
            help="Learning rate; the default depends on the optimizer.",
        ),
    ] = None,
    loss: Annotated[
        str,
        typer.Option(
            autocompletion=among(["auto", *LOSSES]),
            help="bce, hinge or mse for two classes, cross_entropy for more, mse for a quantity.",
        ),
    ] = _OPTIONS.loss,
    epochs: Annotated[
        int | None,
        typer.Option(
            parser=integer("--epochs", 40, 1), metavar=_WHOLE, help="Passes over the data."
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            parser=integer("--batch", 10, 1),
            metavar=_WHOLE,
            help="Rows per update.",
            show_default=_BATCHES,
        ),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option(
            parser=integer("--points", 100, 1),
            metavar=_WHOLE,
            help="Points to generate.",
            show_default="100",
        ),
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option(
            parser=real("--noise", 0.1),
            metavar="NUMBER",
            help="Standard deviation of the points' noise.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            parser=integer("--seed", 0),
            metavar="INTEGER",
            help="Equal seeds give equal results, bit for bit.",
        ),
    ] = _OPTIONS.seed,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="gradwalk-DATA")
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="What separates the cells of a file; tab for a tab.", show_default="found"
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            autocompletion=among(MISSING),
            help="Rows with missing cells: error, drop, or mean of the column.",
        ),
    ] = _OPTIONS.missing,
    test: Annotated[
        float | None,
        typer.Option(
            parser=real("--test", 0.2),
            metavar="NUMBER",
            help="The part of the rows to hold out and to test, such as 0.2.",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the results as JSON, and the rest as errors.")
    ] = False,
    encoding: _Encoding = None,
    target: Annotated[
        str | None,
        typer.Option(help="Name of the column to predict.", show_default="the last one"),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="A column to leave out; may be repeated.")
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            autocompletion=among(_train.TASKS_OF_TABLES),
            help="Whether the target is a class or a number: classification or regression.",
        ),
    ] = _OPTIONS.task,
    doctor: Annotated[
        bool,
        typer.Option("--doctor", help="Look for mistakes in the data and the training first."),
    ] = False,
) -> None:
    """Train a network, and write its weights, loss curve, and plots or samples.

    Ctrl-C ends the training after the current batch, writes the results, and exits with code 130.
    """
    refuse_foreign(data, _given(context), _train.TOYS)
    if data in TASKS:
        tensors = import_module(".train_tensors", __package__)  # loads NumPy
        asked = TensorOptions(data, model, text, epochs, lr, batch, seed, out, doctor)
        raise typer.Exit(tensors.train(asked))
    rows = batch or _OPTIONS.batch
    options = _train.Options(
        *(data, hidden, activation, optimizer, lr, loss, epochs, rows, points, noise, seed, out),
        *(delimiter, missing, test, json, encoding, target, tuple(ignore or ()), task, doctor),
    )
    raise typer.Exit(_train.train(options))


@app.command()
def predict(
    model: _Model,
    data: Annotated[
        str,
        typer.Argument(
            autocompletion=among((), ".csv"),
            help="A CSV file with the columns of the training, with or without the target; or -.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="File for the predictions.", show_default="printed")
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of every class.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON instead of CSV.")] = False,
    delimiter: Annotated[
        str | None,
        typer.Option(help="What separates the cells; tab for a tab.", show_default="found"),
    ] = None,
    encoding: _Encoding = None,
) -> None:
    """Predict the target for every row of a CSV file, with a network of gradwalk train.

    Columns are found by name, or by order in a file without a header. Scaling, texts and dates are
    treated as in the training.
    """
    sign = delimiter and _train.DELIMITERS.get(delimiter, delimiter)
    _trained.predict(model, data, sign, encoding, out, probabilities, json)


@app.command()
def export(
    model: _Model,
    out: Annotated[
        Path, typer.Option(help="The file to write: .c for C99, .js for JavaScript.")
    ] = Path("model.c"),
    derivatives: Annotated[
        str,
        typer.Option(
            autocompletion=among(_trained.DERIVATIVES),
            help="Derivatives to add: none, gradient, jacobian or hessian.",
        ),
    ] = "none",
) -> None:
    """Write a network of gradwalk train as a function in C or JavaScript.

    The function takes unscaled numbers, because the scaling is part of it. Texts and dates are not:
    pass 1 for the text of a row and 0 for the others, and a date as three numbers. The command
    lists all inputs and results, as does a comment in the file.
    """
    _trained.export(model, out, derivatives)


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def why(
    script: Annotated[
        Path, typer.Argument(autocompletion=among((), ".py"), help="A script of PyTorch.")
    ],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="ARGUMENTS", help="The arguments of the script."),
    ] = None,
    doctor: Annotated[
        bool,
        typer.Option(
            "--doctor", help="Look at the first steps for what is wrong with finite numbers."
        ),
    ] = False,
) -> None:
    """Run a PyTorch script as it is, up to the first backward pass that is not finite.

    The report names the operation, its operands, the line and what to write instead, and exits with
    code 1. If all losses and gradients are finite, the exit code is that of the script.

    With --doctor the script is ended after eight steps of its optimizer, and its training is
    examined as gradwalk.check.training does. The exit code is 1 if something is wrong, else 0.
    """
    if doctor:
        _why.doctor(script, words or [])
    _why.why(script, words or [])


def _given(context: typer.Context) -> set[str]:
    """Return the parameters that the user gave on the command line."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}
