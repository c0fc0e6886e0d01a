"""PyTorch's names of arguments, beside NumPy's: ``dim`` and ``keepdim``, ``index`` and ``src``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache, wraps
from inspect import Parameter, Signature, cleandoc, signature
from types import FunctionType
from typing import Any

from ...core.calls import below, door, explain_call, is_internal
from ...core.expect import describe
from ...errors import OptionError

__all__ = ["rename_in", "with_dim"]

NAMES = {"dim": "axis", "keepdim": "keepdims", "index": "indices", "src": "values", "p": "ord"}
"""PyTorch's names, and those of the array API."""

OPTIONAL = {"int": "Axis"}
"""The types of axes that may be left out, because their other name has been given."""

PAIRS = {
    "max": "x.amax(dim=1) or x.max(axis=1) for the values, and x.argmax(axis=1) for the indices",
    "min": "x.amin(dim=1) or x.min(axis=1) for the values, and x.argmin(axis=1) for the indices",
    "sort": "sort(x, axis=1) for the values, and argsort(x, axis=1) for the indices",
    "median": "median(x, axis=1), which takes the mean of two elements in the middle",
    "nanmedian": "nanmedian(x, axis=1), which takes the mean of two elements in the middle",
    "cummax": "cummax(x, axis=1) for the values",
    "cummin": "cummin(x, axis=1) for the values",
}
"""Functions that give values and indices in PyTorch, if they get ``dim``: what to write instead."""


@cache
def with_dim(function: Any, name: str = "") -> Any:
    """Return a function with an axis as one that takes PyTorch's names of arguments, too.

    Functions in `PAIRS` refuse ``dim``: who unpacks ``values, indices = x.max(dim=1)`` would get
    two rows of values. ``name`` is what the function is called, by default its own name.

    >>> from gradwalk.tensor.functions import reductions
    >>> with_dim(reductions.sum)([[1.0, 2.0], [3.0, 4.0]], dim=1, keepdim=True).tolist()
    [[3.0], [7.0]]
    """
    if not isinstance(function, FunctionType):  # a door may stand before it already
        function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType):
        return function
    given = signature(function)
    if "axis" not in given.parameters or "dim" in given.parameters:  # or has the names already
        return door(function)
    places = {name: i for i, name in enumerate(given.parameters)}
    others = {theirs: ours for theirs, ours in NAMES.items() if ours in places}
    called = name or function.__name__
    fix = PAIRS.get(called, "")
    if "correction" in places:
        others["unbiased"] = "correction"

    @wraps(function)
    def renamed(*args: Any, **named: Any) -> Any:
        try:
            if not named:  # 0.1 µs less than to hand on no names
                return function(*args)
            if not others.keys().isdisjoint(named):
                if fix and "dim" in named:
                    raise OptionError(
                        where=f"{called}(dim=...)",
                        expected="axis: gradwalk gives the values alone",
                        got="dim, for which PyTorch gives a pair of values and indices",
                        fix=f"Write {fix}.",
                    )
                _rename(function.__name__, args, named, others, places)
            return function(*args, **named)
        except Exception as error:
            if not is_internal(sys._getframe(1)):
                explain_call(error, below(error), function, called, called, args, named)
            raise

    shown = {} if fix else others
    renamed.__signature__ = _signature(given, shown)  # type: ignore[attr-defined]
    renamed.__doc__ = _documented(function.__doc__ or "", shown)
    return renamed


def rename_in(namespace: dict[str, Any], names: Iterable[str]) -> None:
    """Replace the functions of a module by what `with_dim` makes of them."""
    namespace.update({name: with_dim(namespace[name]) for name in names})


def _rename(
    where: str,
    args: tuple[Any, ...],
    named: dict[str, Any],
    others: dict[str, str],
    places: dict[str, int],
) -> None:
    """Replace PyTorch's names in ``named`` by ours."""
    for theirs in others.keys() & named.keys():
        ours, value = others[theirs], named.pop(theirs)
        if ours in named or places[ours] < len(args):
            raise OptionError(
                where=f"{where}({theirs}=...)",
                expected=f"{ours} or {theirs}, which is PyTorch's name for it",
                got=f"both, {theirs}={describe(value)}",
                fix="Leave one of them out.",
            )
        named[ours] = (1 if value else 0) if theirs == "unbiased" else value


def _documented(text: str, others: dict[str, str]) -> str:
    """Return a docstring whose section of parameters has PyTorch's names, too."""
    named = [theirs for theirs in ("dim", "keepdim") if theirs in others]
    before, title, after = cleandoc(text).partition("Parameters\n----------\n")
    if not title or not named:
        return text
    ours = " and ".join(f"``{others[theirs]}``" for theirs in named)
    entry = f"{', '.join(named)}\n    PyTorch's name{'s' * (len(named) > 1)} of {ours}."
    entries, gap, rest = after.partition("\n\n")
    return f"{before}{title}{entries}\n{entry}{gap}{rest}"


def _signature(given: Signature, others: dict[str, str]) -> Signature:
    """Return the signature that ``help`` shows: PyTorch's names by keyword."""
    every = list(given.parameters.values())
    found = [p for p in every if p.kind is not Parameter.VAR_KEYWORD]
    for theirs in ("dim", "keepdim"):
        if theirs in others:
            own = given.parameters[others[theirs]].annotation
            default, own = (False, own) if theirs == "keepdim" else (None, OPTIONAL.get(own, own))
            kind = Parameter.KEYWORD_ONLY
            found.append(Parameter(theirs, kind, default=default, annotation=own))
    options = [p for p in every if p.kind is Parameter.VAR_KEYWORD]
    return given.replace(parameters=[*found, *options])
