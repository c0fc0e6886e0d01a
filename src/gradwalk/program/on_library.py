"""A program on arrays of another library: its equations, by the functions of that library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from types import ModuleType
from typing import Any

import numpy as np

from ..core.expect import describe, is_array
from ..core.primitive import Primitive
from ..errors import OptionError
from ..libraries import LibraryArray, Place
from ..libraries import evaluate as evaluate_there
from ..libraries.places import place_named
from ..ops.masks import MASKS, OR_ZERO, PLUS
from .program import GUARD, Program, apply_plainly, evaluate

__all__ = ["evaluate_on"]

WHERE = "program.evaluate(..., on)"


def evaluate_on(program: Program, inputs: Sequence[Any], on: Any) -> list[Any]:
    """Return the results as arrays of the library: see `Program.evaluate`."""
    if not isinstance(on, (str, ModuleType)):
        raise OptionError(
            where=WHERE,
            expected="a library of arrays, such as jax.numpy or torch, or the name of a place",
            got=describe(on),
            fix='Write on=jax.numpy, or on="torch:cuda".',
        )
    name = on if isinstance(on, str) else on.__name__.partition(".")[0]
    place = place_named(name, None, WHERE)
    if place is not None:
        program = copy(program)
        program.consts = [_put(place, x) if is_array(x) else x for x in program.consts]
        inputs = [_put(place, x) for x in inputs]
    env = evaluate(program, inputs, apply_plainly if place is None else _apply)
    found = [env[a] if a >= 0 else program.consts[~a] for a in program.outputs]
    return [y.raw if type(y) is LibraryArray else y for y in found]


def _put(place: Place, x: Any) -> LibraryArray:
    """Return a number, an array of NumPy or one of the library as one that is computed with."""
    own = not isinstance(x, (bool, int, float)) and not is_array(x)
    return LibraryArray(x if own else place.put(x), place)


_MASKS: dict[Primitive, Any] = {
    PLUS: lambda a, b: a + b,
    MASKS[0]: lambda condition, t: np.where(condition, t, 0.0),
    MASKS[1]: lambda condition, t: np.where(condition, 0.0, t),
    OR_ZERO: lambda t: t,
}
"""What looks at contributions that a mask lets nothing through of: there such a one is 0."""


def _apply(primitive: Primitive, args: list[Any], params: Mapping[str, Any]) -> object:
    if primitive is GUARD:
        x = args[0].numpy() if type(args[0]) is LibraryArray else args[0]
        return GUARD(x, **params)
    if hasattr(primitive, "again") or not any(type(x) is LibraryArray for x in args):
        return apply_plainly(primitive, args, params)
    if primitive in _MASKS:
        return _MASKS[primitive](*args)
    return evaluate_there(primitive, tuple(args), dict(params))
