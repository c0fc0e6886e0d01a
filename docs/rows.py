"""The page of the table: every operation, its properties, and its largest error against 60 digits.

Building the page measures the errors, with the arguments and the reference values of
``tests/helpers/arguments.py``, which the tests use too, in units in the last place (ulp).
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
COUNT = 200  # arguments per operation, as in the tests

HEAD = ["name", "formula", "what it is", "domain", "at a kink", "value:", "derivatives:"]
TITLES = {
    "arithmetic": "Arithmetic, comparison, choice, rounding",
    "exponential": "Powers, exponentials, logarithms, lengths",
    "trigonometric": "Circular and hyperbolic functions",
    "special": "Error functions and sinc",
    "gamma": "The gamma function's logarithm and its derivatives",
    "activation": "Activations of neurons",
    "gelu": "Gaussian activations",
    "softmax": "Parts of softmax over a list, and the loss of a label",
}
ARRAY_HEAD = ["name", "formula", "what it is", "kind", "at a tie or a kink"]
ON_ARRAYS = """\
These operations act on whole arrays, and their rules compute the VJP. A linear operation is its own
JVP; the JVPs of the others are the transposed VJPs."""
INTRODUCTION = """\
# The table

gradwalk has one table of its operations and their derivatives. This page is generated from it.

Each operation has a formula for its value and a domain, which is an open interval. Outside the
domain the value is NaN or an infinity, following IEEE 754. At a kink, where the derivative jumps,
the table defines which derivative is used. A dash in the last column means that the operation has
no derivative: it propagates no gradient.

The last two columns are errors: of the value, and of the derivative with respect to each argument.
They were measured while this page was built, against {digits}-digit arithmetic. Each number is the
largest error on {count} arguments between -1e308 and 1e308, in units in the last place (ulp). The
tests require at most {bound:g} ulp. {exceptions} If the cells are empty, the operation is tested as
a part of its list function.

"""


def page(count: int = COUNT) -> str:
    """Return the page in Markdown, with formulas between dollar signs."""
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
    """Import the module of the tests under another package name: ``tests`` may be taken."""
    spec = ModuleSpec("gradwalk_tests", None, is_package=True)
    spec.submodule_search_locations = [str(TESTS)]
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    return importlib.import_module(f"{spec.name}.arguments")


def _bounds(reference: ModuleType) -> dict[str, object]:
    cancelling = ", ".join(dict.fromkeys(f"`{name}`" for name, _ in reference.CANCELS))
    bounds = {name: bound for (name, _), bound in reference.LOOSER.items()}
    named = [f"`{n}` ({bound:g} ulp)" for n, bound in bounds.items() if not n.endswith("_slope")]
    exceptions = (
        f"Where two terms nearly cancel ({cancelling}),\n"
        f"the unit is that of the larger term. The bound is wider for {', '.join(named)},\n"
        f"and for operations that are derivatives of others ({reference.SECOND:g} ulp), because\n"
        "their derivatives are second derivatives."
    )
    return {"digits": reference.DIGITS, "bound": reference.BOUND, "exceptions": exceptions}


def _part(primitive: Primitive) -> str:
    """Return the name of the module that defines the primitive; later modules only import it."""
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
    """Return the bounds of the arguments; ``all`` if no argument is bounded."""
    bounded = [
        f"{name} in ({low:g}, {high:g})"
        for name, (low, high) in zip(primitive.params, primitive.domain, strict=True)
        if (low, high) != (-inf, inf)
    ]
    return ", ".join(bounded).replace("inf", "∞") or "all"


def _accuracy(primitive: Primitive, count: int) -> tuple[str, str]:
    """Return the largest errors of the value and of each derivative, in ulp."""
    if primitive.name not in _reference().REFERENCE:  # its list function is tested instead
        return "", ""
    errors = [_worst(primitive, index, count) for index, rule in enumerate(primitive.rules) if rule]
    return _worst(primitive, None, count), ", ".join(errors) or "–"


def _worst(primitive: Primitive, index: int | None, count: int) -> str:
    """Return the largest error of the derivative ``index``, or of the value for ``None``."""
    reference = _reference()
    bound = reference.LOOSER.get((primitive.name, index), reference.BOUND)
    errors = []
    for args in reference.arguments(primitive.name, count):
        y = primitive(*args)
        got = y if index is None else primitive.contributions(1.0, y, list(args))[index]
        number = None if got is None else float(got)
        errors.append(bound * reference.error(primitive.name, index, number, args))
    return f"{max(errors):.1f}"
