"""Runs of a function at a level: called once, and differentiated as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from ..engine.node import recording
from ..engine.value import enable_grad
from ..errors import GradwalkError
from ..levels.jvp import JVPLevel
from ..levels.level import Level
from ..levels.vjp import VJPLevel

__all__ = ["Call", "Record", "call_at", "jvp_run", "raise_ours"]

Call = Callable[[Sequence[Any]], Any]
"""A function of flat leaves."""


def call_at(level: Level, call: Call, leaves: Sequence[Any]) -> Any:
    """Return the result of ``call`` while ``level`` is open. It records even inside `no_grad`."""
    with level:
        try:
            if not recording.paused:  # entering enable_grad costs as much as a small function
                return call(leaves)
            with enable_grad():
                return call(leaves)
        except ValueError as error:
            raise_ours(error)
            raise


def raise_ours(error: ValueError) -> None:
    """Raise the error of gradwalk that NumPy has replaced by its own, for ``array[0] = x``."""
    if type(error) is ValueError and isinstance(error.__cause__, GradwalkError):
        raise error.__cause__ from None


_PAYLOAD = attrgetter("_payload")


class Record:
    """A run of a function in reverse mode: its result, and the tape that leads to it.

    ``level``   the level of the run
    ``steps``   the steps of the inputs on the tape
    ``result``  what the function returned, with tracers in it
    """

    __slots__ = ("level", "result", "steps")

    level: VJPLevel

    def __init__(self, call: Call, primals: Sequence[Any], mode: str) -> None:
        self.level = level = VJPLevel(mode)
        leaves = [level.leaf(x) for x in primals]
        self.steps: list[Any] = list(map(_PAYLOAD, leaves))
        self.result: Any = call_at(level, call, leaves)

    def vjp(self, ys: Sequence[Any], cotangents: Sequence[Any], release: bool = False) -> list[Any]:
        """Return the gradient of Σ cotangent · y for each input; ``None`` for no gradient.

        With ``release`` the tape is freed on the way: no other pass over it is possible.
        """
        return list(map(self.level.gradients(ys, cotangents, release).get, self.steps))

    def jvp(self, ys: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        """Return the tangent of each y for given tangents of the inputs; ``None`` for none."""
        return self.level.tangents(ys, [dict(zip(self.steps, tangents, strict=True))])[0]


def jvp_run(
    call: Call, primals: Sequence[Any], tangents: Sequence[Any], mode: str
) -> tuple[JVPLevel, Any]:
    """Return the level of a run in forward mode, and the result of the function there."""
    level = JVPLevel(mode)
    pairs = zip(primals, tangents, strict=True)
    return level, call_at(level, call, [level.box(x, t) for x, t in pairs])
