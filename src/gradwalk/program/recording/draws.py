"""Random draws of a function: a program would repeat them, so it must not make any."""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Sequence
from typing import Any

from ...core.expect import index_of
from ...core.seeds import Draws
from ...errors import OptionError

__all__ = ["DrawsOfProgram"]


class DrawsOfProgram(Draws):
    """The states of the generators that a function can reach, before it runs."""

    def __init__(self, generators: Sequence[Any]) -> None:
        super().__init__()
        self._fresh = False
        self._generators = generators
        self._before = self._states()

    def _states(self) -> dict[Any, Any]:
        states: dict[Any, Any] = {"random": random.getstate()}
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:  # NumPy loads it when it is first used
            states["numpy"] = pickle.dumps(numpy.get_state(legacy=False))
        torch = sys.modules.get("torch")
        if torch is not None:
            states["torch"] = bytes(torch.get_rng_state().numpy())
        return states | {i: _state(x) for i, x in enumerate(self._generators)}

    def _note(self, seed: object, generator: object) -> None:
        self._fresh = self._fresh or index_of(seed) is None  # equal integers give equal draws

    def expect_none(self, where: str = "compile") -> None:
        """Raise `OptionError` if a generator has another state than before."""
        now = self._states()
        if self._fresh or any(now[name] != state for name, state in self._before.items()):
            raise OptionError(
                where=where,
                expected="a function that computes the same from the same arguments",
                got="one that draws random numbers, or continues an iterator, which every replay "
                "would repeat",
                fix="Draw them outside and pass them as arguments; for Dropout, call model.eval().",
            )


def _state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if hasattr(generator, "__next__"):
        return _place(generator)
    bits = getattr(generator, "bit_generator", None)
    return pickle.dumps(bits.state if bits is not None else generator.get_state(legacy=False))


def _place(iterator: Any) -> Any:
    """Return how far an iterator, a generator or a file has come."""
    if hasattr(iterator, "gi_frame"):
        return iterator.gi_frame and iterator.gi_frame.f_lasti
    if hasattr(iterator, "tell"):
        return None if iterator.closed else iterator.tell()
    make, given, *rest = iterator.__reduce__()
    inner = [_place(x) if hasattr(x, "__next__") else repr(x) for x in given]
    return make, inner, repr(rest)
