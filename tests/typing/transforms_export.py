"""An exported function: options are checked by types."""

from pathlib import Path

from gradwalk import Value, export


def loss(w: Value, x: float) -> Value:
    """Return a squared error."""
    return (w * x - 1.0) ** 2


def exported(folder: Path) -> None:
    """Write two files: a call, because the collection of tests imports this module."""
    export(loss, 3.0, 0.5, path=folder / "loss.c", derivatives="hessian", argnums=(0,))
    export(loss, 3.0, 0.5, path=str(folder / "loss.js"))
