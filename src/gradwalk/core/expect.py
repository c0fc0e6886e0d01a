"""Checks of arguments: conversion to a real number, and descriptions for error messages."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Iterable
from numbers import Number, Rational
from opcode import opmap
from typing import Any

from ..errors import FloatRangeError, NotANumberError, OptionError, SilentDetachError, UsageError
from .leaked import Leaked, refuse

__all__ = ["as_float", "describe", "expect_no_assignment", "expect_text", "index_of"]
__all__ += ["is_array", "is_assignment", "is_number", "is_numpy_number", "is_table", "nearest"]
__all__ += ["one_of", "settled", "too_large"]


def is_array(x: object) -> bool:
    """Return whether ``x`` is a NumPy array, without loading NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.ndarray)


def is_numpy_number(x: object) -> bool:
    """Return whether ``x`` is one real number of a type of NumPy, without loading NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, (numpy.floating, numpy.integer))


def is_table(x: object) -> bool:
    """Return whether ``x`` is a column or a table of another library, such as pandas'."""
    numpy = sys.modules.get("numpy")
    return (
        hasattr(type(x), "__array__")
        and hasattr(x, "shape")
        and not hasattr(type(x), "_is_tensor")  # what carriers have
        and numpy is not None
        and not isinstance(x, (numpy.ndarray, numpy.generic))
    )


def is_number(x: object) -> bool:
    """Return whether floats compare with ``x`` by value: a number of Python or NumPy."""
    if type(x) is float or isinstance(x, Number):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.bool_)


def as_float(number: Any, where: str) -> float:
    """Return ``number`` as a float. Raise `NotANumberError` unless it is a real number.

    Real numbers are ints, floats, bools, fractions and the real scalars of NumPy. Raise
    `FloatRangeError` for one that no float can hold.
    """
    if isinstance(number, (float, int, Rational)):
        try:
            return float(number)
        except OverflowError:
            raise too_large(number, where) from None
    numpy = sys.modules.get("numpy")  # without NumPy loaded, no scalar of NumPy can exist
    if numpy and isinstance(number, (numpy.floating, numpy.integer, numpy.bool_)):
        return float(number)
    if getattr(type(number), "_is_reading", False):  # of a program, which notes what it is
        return float(number)
    raise NotANumberError(
        where=where,
        expected="a real number (int, float, bool, Fraction or NumPy real scalar)",
        got=describe(number),
        fix="Pass one number, such as 2.0; for several numbers call it once for each.",
    )


def settled(x: Any) -> Any:
    """Return the number itself for one that was read out of a program, which notes what it is."""
    if not getattr(type(x), "_is_reading", False):
        return x
    return operator.index(x) if hasattr(type(x), "__index__") else float(x)


def index_of(thing: Any) -> int | None:
    """Return an integer of Python or NumPy as an int. ``None``: ``thing`` is not an integer."""
    try:
        return operator.index(thing)
    except SilentDetachError:
        raise
    except TypeError:  # arrays have the method __index__, which raises
        return None


def at_least(where: str, number: Any, least: int, fix: str) -> int:
    """Return an integer of Python or NumPy as an int. Raise `OptionError` below ``least``."""
    count = None if isinstance(number, bool) else index_of(number)
    if count is not None and count >= least:
        return count
    raise OptionError(where=where, expected=f"an integer >= {least}", got=describe(number), fix=fix)


def expect_text(text: object, where: str) -> None:
    """Raise `UsageError` unless ``text`` is a string."""
    if not isinstance(text, str):
        raise UsageError(
            where=where,
            expected="a str",
            got=describe(text),
            fix="Write it in quotation marks, or str(...) for something else.",
        )


def one_of(where: str, name: object, names: Iterable[str]) -> str:
    """Return ``name``, or raise `OptionError` if it is not among ``names``."""
    if isinstance(name, str) and name in names:
        return name
    raise OptionError(
        where=where,
        expected=f"one of {', '.join(names)}",
        got=describe(name),
        fix=nearest(name, names) or "Check the spelling.",
    )


def nearest(name: object, names: Iterable[str], form: str = "{!r}") -> str:
    """Return "Write 'nuc'." for a name that is almost one of ``names``, else an empty string."""
    from difflib import get_close_matches  # on demand, for the error message only

    close = get_close_matches(name, names, 1) if isinstance(name, str) else []
    return f"Write {form.format(close[0])}." if close else ""


def too_large(number: Any, where: str) -> FloatRangeError:
    """Return the error for a number that no float can hold."""
    return FloatRangeError(
        where=where,
        expected="a number that fits a float",
        got=f"a number of {math.trunc(number).bit_length()} bits",
        fix="Pass a number below 1.8e308, about the largest float.",
    )


def describe(thing: object) -> str:
    """Return the type and the start of the repr of ``thing`` on one line, for an error message.

    Raise `LeakedTraceError` if ``thing`` leaked from a transform: that is the real mistake.
    """
    if isinstance(thing, Leaked):
        refuse(thing, "an argument")
    try:
        text = " ".join(repr(thing).split())
    except RecursionError:
        text = "(nested too deeply to show)"
    return f"{type(thing).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def expect_no_assignment(x: object) -> None:
    """Raise `SilentDetachError` if the user's program writes ``x`` into an array: ``a[0] = x``."""
    if is_assignment():
        raise SilentDetachError(
            where="a[key] = x",
            expected="plain numbers for an array of NumPy",
            got=f"{describe(x)}, whose gradient would be lost silently",
            fix="Write a = gradwalk.asarray(a) first, or gradwalk.zeros for numpy.zeros: Tensors "
            "record what is written into them.",
        )


def is_assignment() -> bool:
    """Return whether the user's program is at ``a[key] = x``, not at a call of compiled code."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("gradwalk."):
        frame = frame.f_back
    return frame.f_code.co_code[frame.f_lasti] == opmap["STORE_SUBSCR"]
