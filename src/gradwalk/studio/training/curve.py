"""The losses of a run in bounded memory: old ones are averaged, none is left out."""

from __future__ import annotations

from array import array
from typing import Any

__all__ = ["Curve"]


class Curve:
    """The loss of every update, as means of ``every`` neighbours.

    ``every`` is 1 at first. Whenever there would be more than ``most`` numbers, neighbours are
    averaged and ``every`` doubles. The result depends on the losses alone.

    >>> curve = Curve(most=4)
    >>> for loss in [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]:
    ...     curve.add(loss)
    >>> curve.every, list(curve.losses)
    (2, [4.5, 2.5, 0.5])
    """

    losses: array[float]
    every: int

    def __init__(self, most: int = 4_000) -> None:
        self.every, self.losses, self._most = 1, array("d"), most
        self._open: list[float] = []

    def add(self, loss: float) -> None:
        """Add the loss of one update."""
        self._open.append(loss)
        if len(self._open) < self.every:
            return
        self.losses.append(_mean(self._open))
        self._open.clear()
        if len(self.losses) > self._most:
            self._halve()

    def _halve(self) -> None:
        if len(self.losses) % 2:  # the last one has no neighbour yet
            self._open = [self.losses.pop()] * self.every
        pairs = zip(self.losses[::2], self.losses[1::2], strict=True)
        self.losses = array("d", [_mean([a, b]) for a, b in pairs])
        self.every *= 2

    def since(self, every: int, known: int) -> dict[str, Any]:
        """Return the part of the curve after ``known`` numbers of ``every`` updates each.

        >>> curve = Curve()
        >>> curve.add(0.5)
        >>> curve.add(0.25)
        >>> curve.since(1, 1)
        {'from': 1, 'every': 1, 'losses': [0.25]}
        """
        first = known if every == self.every else 0
        return {
            "from": first * self.every,
            "every": self.every,
            "losses": self.losses[first:].tolist(),
        }


def _mean(losses: list[float]) -> float:
    return sum(loss / len(losses) for loss in losses)  # their sum might overflow
