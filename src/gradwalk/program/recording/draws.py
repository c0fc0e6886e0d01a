"""Random draws of a function: a program would repeat them, so it must not make any."""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ...core.expect import index_of
from ...core.seeds import Draws
from ...errors import OptionError

__all__ = ["DrawsOfProgram"]

MOST = 20_000
"""Objects in which generators are searched for."""


class DrawsOfProgram(Draws):
    """The states of all generators that a function can reach, before it runs."""

    def __init__(self, f: Callable[..., Any], arguments: object) -> None:
        super().__init__()
        self._fresh = False
        self._generators = [x for x in _reached(f, arguments) if _is_generator(x)]
        self._before = self._states()

    def _states(self) -> dict[Any, Any]:
        states: dict[Any, Any] = {"random": random.getstate()}
        numpy = sys.modules.get("numpy.random")
        if numpy is not None:  # NumPy loads it when it is first used
            states["numpy"] = pickle.dumps(numpy.get_state(legacy=False))
        return states | {i: _state(x) for i, x in enumerate(self._generators)}

    def _note(self, seed: object, generator: object) -> None:
        self._fresh = self._fresh or index_of(seed) is None  # equal integers give equal draws

    def expect_none(self) -> None:
        """Raise `OptionError` if a generator has another state than before."""
        now = self._states()
        if self._fresh or any(now[name] != state for name, state in self._before.items()):
            raise OptionError(
                where="compile",
                expected="a function that computes the same from the same arguments",
                got="one that draws random numbers, which every replay would repeat",
                fix="Draw them outside and pass them as arguments; for Dropout, call model.eval().",
            )


def _is_generator(x: object) -> bool:
    numpy = sys.modules.get("numpy.random")
    kinds = (random.Random, numpy.Generator, numpy.RandomState) if numpy else (random.Random,)
    return isinstance(x, kinds)


def _state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    bits = getattr(generator, "bit_generator", None)
    return pickle.dumps(bits.state if bits is not None else generator.get_state(legacy=False))


def _reached(*roots: object) -> Iterator[Any]:
    """Yield what a function refers to by its closure, its names and the attributes of objects."""
    pending, seen = list(roots), set[int]()
    while pending and len(seen) < MOST:
        x = pending.pop()
        if id(x) in seen or isinstance(x, (type, ModuleType, str, float, int)):
            continue
        seen.add(id(x))
        yield x
        pending += _parts(x)


def _parts(x: Any) -> list[Any]:
    if isinstance(x, FunctionType):
        cells = [c.cell_contents for c in x.__closure__ or () if _is_filled(c)]
        names = [x.__globals__.get(name) for name in _names(x.__code__)]
        ours = x.__module__.partition(".")[0] == "gradwalk" if x.__module__ else False
        return [*cells, *(x.__defaults__ or ()), *([] if ours else names)]
    if isinstance(x, MethodType):
        return [x.__func__, x.__self__]
    if isinstance(x, partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, (list, tuple, set)):
        return list(x)
    if isinstance(x, dict):
        return list(x.values())
    return list(getattr(x, "__dict__", {}).values())


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # of a function that is not defined yet
        return False


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
