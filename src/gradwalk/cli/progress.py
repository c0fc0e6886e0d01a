"""The progress of a training, and its end by Ctrl-C between two batches."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..training import Epoch

__all__ = ["described", "live", "stopping", "within"]

LINES = 10
"""The number of epochs that are reported if there is no terminal for a bar."""


def described(epoch: Epoch, score_name: str) -> str:
    """Format loss and score.

    >>> described(Epoch(1, 0.25, 0.975), "accuracy")
    'loss 0.25000   accuracy  97.5 %'
    """
    return f"loss {epoch.loss:<7.5f}   {score_name} {100.0 * epoch.score:5.1f} %"


@contextmanager
def live(out: Console, epochs: int) -> Iterator[Callable[[int, str], None]]:
    """Yield a function that shows the number of an epoch and a text.

    On a terminal it updates a bar, elsewhere it prints some of the epochs as lines.
    """
    if out.is_terminal:
        columns = (
            TextColumn("epoch"),
            MofNCompleteColumn(),
            BarColumn(bar_width=24),
            TextColumn("{task.description}"),
            TimeRemainingColumn(compact=True),
        )
        with Progress(*columns, console=out) as progress:
            task = progress.add_task("", total=epochs)
            yield lambda number, text: progress.update(task, completed=number, description=text)
    else:
        yield lambda number, text: _line(out, number, epochs, text)


def _line(out: Console, number: int, epochs: int, text: str) -> None:
    """Print a line for every tenth of the epochs, and for the first."""
    passed = number * LINES // epochs > (number - 1) * LINES // epochs
    if passed or number == 1:
        out.print(f"epoch {number:{len(str(epochs))}} of {epochs}   {text}")


def within(
    batches: int, show: Callable[[str], None], out: Console, stop: Callable[[], bool]
) -> Callable[[], bool]:
    """Return ``stop`` as a function that also shows how much of a long epoch is done.

    It is called before every batch.
    """
    pause = 0.5 if out.is_terminal else 5.0
    done, shown = 0, monotonic()

    def asked() -> bool:
        nonlocal done, shown
        done += 1
        if monotonic() - shown > pause:
            shown = monotonic()
            epoch, batch = divmod(done - 1, batches)
            text = f"{100.0 * batch / batches:3.0f} % of epoch {epoch + 1}"
            if out.is_terminal:
                show(text)
            else:
                out.print(text)
        return stop()

    return asked


@contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed. A second Ctrl-C ends the program.

    A flag is used because an exception could interrupt an update.
    """
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
