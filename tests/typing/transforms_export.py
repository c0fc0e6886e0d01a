"""An exported function: options are checked by types."""

from pathlib import Path

from gradwalk import Value, export


def loss(w: Value, x: float) -> Value:
    """Return a squared error."""
    return (w * x - 1.0) ** 2


export(loss, 3.0, 0.5, path=Path("loss.c"), derivatives="hessian", argnums=(0,))
export(loss, 3.0, 0.5, path="loss.js")
