"""The progress of `fit` on a terminal: a bar with rich, a line for each epoch without it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["described", "showing"]

Show = Callable[[int, Mapping[str, float]], None]


def described(record: Mapping[str, float]) -> str:
    """Return the numbers of an epoch as text.

    >>> described({"loss": 0.25, "val_loss": 0.5})
    'loss 0.25   val_loss 0.5'
    """
    return "   ".join(f"{name} {x:.5g}" for name, x in record.items())


@contextmanager
def showing(wanted: bool, epochs: int) -> Iterator[Show]:
    """Yield a function to call with each finished epoch; it writes only to a terminal."""
    if not wanted or not sys.stderr.isatty():
        yield lambda epoch, record: None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    except ImportError:
        yield _lines(epochs)
        return
    columns: tuple[Any, ...] = (TextColumn("epoch"), MofNCompleteColumn(), BarColumn(24))
    console = Console(stderr=True, markup=False, highlight=False)
    columns += (TextColumn("{task.description}"),)
    with Progress(*columns, console=console, auto_refresh=False) as bar:  # without a thread
        task = bar.add_task("", total=epochs)
        yield lambda epoch, record: bar.update(
            task, completed=epoch, description=described(record), refresh=True
        )


def _lines(epochs: int) -> Show:
    def show(epoch: int, record: Mapping[str, float]) -> None:
        print(f"epoch {epoch} of {epochs}   {described(record)}", file=sys.stderr)

    return show
