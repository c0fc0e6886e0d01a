"""The page of the table: every row, its facts, and its largest error against 60 digits.

The errors are measured while the page is made, with the arguments and the references of
``tests/helpers/arguments.py``: those of the tests, in units in the last place (ulp).
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import cache
from importlib.machinery import ModuleSpec
from itertools import groupby
from math import inf
from pathlib import Path
from types import ModuleType

from gradwalk.core.array_primitive import ArrayPrimitive
from gradwalk.core.primitive import Primitive
from gradwalk.ops import _PARTS, TABLE
from gradwalk.ops.array import TABLE as ARRAY_TABLE

from .tables import table

__all__ = ["page"]

TESTS = Path(__file__).resolve().parent.parent / "tests" / "helpers"
COUNT = 200  # arguments per row, as in the tests

HEAD = ["name", "formula", "what it is", "domain", "at a kink", "value:", "slopes:"]
TITLES = {
    "arithmetic": "Arithmetic, comparison, choice, rounding",
    "exponential": "Powers, exponentials, logarithms, lengths",
    "trigonometric": "Circular and hyperbolic functions",
    "special": "Error functions and sinc",
    "gamma": "The gamma function's logarithm and its derivatives",
    "activation": "What neurons use",
    "softmax": "What softmax over a list is made of",
}
ARRAY_HEAD = ["name", "formula", "what it is", "kind", "at a tie or a kink"]
ON_ARRAYS = """\
These rows act on whole arrays, and their rules give the VJP. A linear row is its own JVP; the
others get theirs by transposing the VJP."""
INTRODUCTION = """\
# The table

Every operation of gradwalk is one row of one table, and a derivative is written nowhere else. This
page is made from the rows. A formula is the value of the row; outside of its domain (an open
interval) it is NaN or an infinity, as IEEE 754 has it. A dash in the last column means that the
row is declared to have no derivative: it passes no gradient on.

The last two columns are the largest errors that were found while this page was made, in units in
the last place, against {digits}-digit arithmetic, on {count} arguments between -1e308 and 1e308:
that of the value, and those of the slopes, one per argument. The tests hold them all to
{bound:g} ulp. {exceptions} Where the cells are empty, the row
is tested as a part of its list function.

"""


def page(count: int = COUNT) -> str:
    """The page in Markdown, its formulas between dollar signs."""
    reference = _reference()
    parts = [INTRODUCTION.format(count=count, **_bounds(reference))]
    for module, rows in groupby(TABLE.values(), _part):
        lines = [_line(primitive, count) for primitive in rows]
        parts.append(f"## {TITLES[module]}\n\n{table(HEAD, lines)}\n\n")
    arrays = [_array_line(primitive) for primitive in ARRAY_TABLE.values()]
    parts.append(f"## On whole arrays\n\n{ON_ARRAYS}\n\n{table(ARRAY_HEAD, arrays)}\n")
    return "".join(parts)


def _array_line(primitive: ArrayPrimitive) -> list[str]:
    return [
        f"`{primitive.name}`",
        f"${primitive.tex}$",
        primitive.summary,
        primitive.kind,
        primitive.kinks,
    ]


@cache
def _reference() -> ModuleType:
    """The module of the tests, under a package of our own: others are called ``tests`` too."""
    spec = ModuleSpec("gradwalk_tests", None, is_package=True)
    spec.submodule_search_locations = [str(TESTS)]
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{spec.name}.arguments")


def _bounds(reference: ModuleType) -> dict[str, object]:
    cancelling = ", ".join(dict.fromkeys(f"`{name}`" for name, _ in reference.CANCELS))
    looser = ", ".join(f"`{name}` ({bound:g} ulp)" for (name, _), bound in reference.LOOSER.items())
    exceptions = (
        f"Near zeros at which\ntheir terms cancel ({cancelling}), the unit\n"
        f"is that of the larger term. A slope with a wider bound: {looser}."
    )
    return {"digits": reference.DIGITS, "bound": reference.BOUND, "exceptions": exceptions}


def _part(primitive: Primitive) -> str:
    """Name of the module of the table in which the row stands; later ones only import it."""
    home = next(part for part in _PARTS if vars(part).get(primitive.name) is primitive)
    return home.__name__.rpartition(".")[2]


def _line(primitive: Primitive, count: int) -> list[str]:
    return [
        f"`{primitive.name}({', '.join(primitive.params)})`",
        f"${primitive.tex}$",
        primitive.summary,
        _domain(primitive),
        primitive.kinks,
        *_accuracy(primitive, count),
    ]


def _domain(primitive: Primitive) -> str:
    """The arguments that are bounded; all reals where none is."""
    bounded = [
        f"{name} in ({low:g}, {high:g})"
        for name, (low, high) in zip(primitive.params, primitive.domain, strict=True)
        if (low, high) != (-inf, inf)
    ]
    return ", ".join(bounded).replace("inf", "∞") or "all"


def _accuracy(primitive: Primitive, count: int) -> tuple[str, str]:
    """Largest errors of the value and of each slope, in ulp."""
    if (
        primitive.name not in _reference().REFERENCE
    ):  # tested as the list function that it is part of
        return "", ""
    slopes = [_worst(primitive, index, count) for index, rule in enumerate(primitive.rules) if rule]
    return _worst(primitive, None, count), ", ".join(slopes) or "–"


def _worst(primitive: Primitive, index: int | None, count: int) -> str:
    reference = _reference()
    bound = reference.LOOSER.get((primitive.name, index), reference.BOUND)
    errors = []
    for args in reference.arguments(primitive.name, count):
        y = primitive(*args)
        got = y if index is None else primitive.contributions(1.0, y, list(args))[index]
        number = None if got is None else float(got)
        errors.append(bound * reference.error(primitive.name, index, number, args))
    return f"{max(errors):.1f}"
