"""The commands and their options; what they do is in `show` and `train`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from .._version import __version__
from ..engine.value import ENGINE
from . import show as _show
from . import studio as _studio
from . import train as _train
from . import walk as _walk
from .tensor_options import TASKS, TensorOptions, refuse_foreign
from .terminal import Commands, console

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # paragraphs are wrapped again
    help="Walk the gradient: see a formula's derivatives, or train a small network.",
)

# A formula may begin with a minus sign; what is no option of ours is then an argument.
_MINUS_ALLOWED = {"ignore_unknown_options": True}

_OPTIONS = _train.Options("")
_BATCHES = f"{_OPTIONS.batch}, of digits 64, of names 32"


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
        str, typer.Argument(help="Such as '(a + b) * c', or 'd = a * b; tanh(d + c)'.")
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
        Path | None, typer.Option(help="Write the graph as a page to step through, in one file.")
    ] = None,
) -> None:
    """Print the graph of a formula and the gradient of its result at every name.

    A mistake in the formula or the values is named by its line and column, with exit code 2.
    """
    _show.show(formula, values or [], svg, dot, html)


@app.command(context_settings=_MINUS_ALLOWED)
def studio(
    formula: Annotated[
        str | None, typer.Argument(help="What to open: '(a + b) * c', or nothing.")
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=NUMBER", help="A value for every variable: a=2 b=-3."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="0: any free one.", show_default="8421, or the next"),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; by default only this machine can ask.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open the page on which graphs are stepped through and networks trained, on this machine.

    It is shown to whoever knows the address that is printed, until Ctrl-C.
    """
    _studio.studio(formula, values or [], host, port, browser)


@app.command(context_settings=_MINUS_ALLOWED)
def walk(
    formula: Annotated[
        str, typer.Argument(help="Such as '(a + b) * c', or 'd = a * b; tanh(d + c)'.")
    ],
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=NUMBER", help="A value for every variable: a=2 b=-3."),
    ] = None,
) -> None:
    """Step through the graph of a formula, forward and backward, with every number.

    Keys: right and left step, home and end, a number and g jump, ? shows all, q quits. Without a
    terminal it prints all steps.
    """
    _walk.walk(formula, values or [])


@app.command()
def train(
    context: typer.Context,
    data: Annotated[
        str,
        typer.Argument(
            help="xor, moons, circles, spirals, blobs, or a CSV file: numbers in columns, the "
            "last one the target. Whole-numbered targets of at most ten values are classes. "
            "Or digits (pictures of them), or names (which it learns to invent)."
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            help="Of digits: mlp or cnn. Of names: gpt or ngram.", show_default="mlp, gpt"
        ),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(help="Names, one a line, instead of the list that is built in."),
    ] = None,
    hidden: Annotated[
        str | None,
        typer.Option(
            "--hidden", "--sizes", "--size", help="Neurons of the hidden layers, such as 16,16."
        ),
    ] = None,
    activation: Annotated[
        str, typer.Option(help="Of the hidden layers: relu, tanh, sigmoid, gelu, silu, sin, ...")
    ] = _OPTIONS.activation,
    optimizer: Annotated[
        str, typer.Option(help=f"One of {', '.join(_train.OPTIMIZERS)}.")
    ] = _OPTIONS.optimizer,
    lr: Annotated[
        float | None, typer.Option(help="Learning rate; by default one that suits the optimizer.")
    ] = None,
    loss: Annotated[
        str,
        typer.Option(
            help="bce, hinge or mse (two classes), cross_entropy (classes), mse (a quantity)."
        ),
    ] = _OPTIONS.loss,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the data.")] = None,
    batch: Annotated[
        int | None, typer.Option(min=1, help="Rows per update.", show_default=_BATCHES)
    ] = None,
    points: Annotated[
        int | None, typer.Option(min=1, help="Points to draw; not for a file.", show_default="100")
    ] = None,
    noise: Annotated[
        float | None, typer.Option(help="Standard deviation of the points' noise.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Equal seeds give equal results, bit for bit.")
    ] = _OPTIONS.seed,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="gradwalk-DATA")
    ] = None,
) -> None:
    """Train a network and write weights, loss curve, and pictures or samples of what it knows.

    Ctrl-C ends the training after the current batch; the results so far are written, and the exit
    code is 130.
    """
    refuse_foreign(data, _given(context))
    if data in TASKS:
        tensors = import_module(".train_tensors", __package__)  # which loads NumPy
        asked = TensorOptions(data, model, text, epochs, lr, batch, seed, out)
        raise typer.Exit(tensors.train(asked))
    rows = batch or _OPTIONS.batch
    options = _train.Options(
        data, hidden, activation, optimizer, lr, loss, epochs, rows, points, noise, seed, out
    )
    raise typer.Exit(_train.train(options))


def _given(context: typer.Context) -> set[str]:
    """The parameters that stand in the call."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}
