"""What is expected of an argument: a real number, and words for what came instead."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import NotANumberError
from .leaked import Leaked, refuse

__all__ = ["as_float", "describe", "is_array"]


def is_array(x: Any) -> bool:
    """Whether ``x`` is an array of NumPy; the question does not load NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.ndarray)


def as_float(number: Any, where: str) -> float:
    """``number`` as a float, if it is an int, float, bool or a real scalar of NumPy."""
    if isinstance(number, (float, int)):
        try:
            return float(number)
        except OverflowError:
            got = f"an int of {int(number).bit_length()} bits"
            fix = "The largest float is about 1.8e308: scale the number first."
            raise NotANumberError(
                where=where, expected="a number that fits a float", got=got, fix=fix
            ) from None
    numpy = sys.modules.get("numpy")  # a program that never loads NumPy has no scalars of it
    if numpy and isinstance(number, (numpy.floating, numpy.integer, numpy.bool_)):
        return float(number)
    raise NotANumberError(
        where=where,
        expected="a real number (int, float, bool or NumPy real scalar)",
        got=describe(number),
        fix="Pass one number, such as 2.0; for several numbers call it once for each.",
    )


def describe(thing: Any) -> str:
    """Type and start of the repr, in one line, of something that an error message talks about.

    What has leaked out of a transform is an error of its own.
    """
    if isinstance(thing, Leaked):
        refuse(thing, "an argument")
    text = " ".join(repr(thing).split())
    return f"{type(thing).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
