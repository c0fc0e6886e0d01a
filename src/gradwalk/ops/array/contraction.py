"""Einstein sums: evaluation of an equation, and the equations of its rules.

Internally an equation is explicit: one letter for each axis of each operand, those of an ellipsis
included, and the letters of the result after the arrow: ``"ab,bc->ac"``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import prod
from string import ascii_letters, ascii_uppercase
from typing import Any

import numpy as np

from ...core.carrier import Carrier
from ...core.expect import describe, index_of
from ...errors import OptionError, SizeError

__all__ = ["contract", "explicit", "lengths_of", "letters_of", "transposed"]

Shape = tuple[int, ...]
WORTH_A_PLAN = 40_000  # products below which planning the order takes longer than the sum itself


def contract(*args: Any, equation: str, optimize: Any) -> Any:
    """Compute the sum by NumPy; ``optimize=None`` plans the order of products if that pays off."""
    shapes = tuple(np.shape(a) for a in args)
    if optimize is None:
        optimize = len(args) > 1 and _work(equation, shapes) > WORTH_A_PLAN
    try:
        return np.einsum(equation, *args, optimize=optimize)
    except ValueError as error:
        raise SizeError(
            where=f"einsum({equation!r})",
            expected="the same length, or 1, wherever a letter stands",
            got=f"shapes {', '.join(map(str, shapes))} ({error})",
            fix="Compare the letters with the shapes, operand by operand.",
        ) from error


@lru_cache(1024)
def _work(equation: str, shapes: tuple[Shape, ...]) -> int:
    return prod(lengths_of(equation.split("->")[0].split(","), shapes).values())


def lengths_of(inputs: Sequence[str], shapes: Sequence[Shape]) -> dict[str, int]:
    """Return the length that each letter stands for; other lengths take precedence over 1."""
    found: dict[str, int] = {}
    for letters, shape in zip(inputs, shapes, strict=False):
        for letter, n in zip(letters, shape, strict=False):  # NumPy says what does not fit
            if found.get(letter, 1) == 1:
                found[letter] = n
    return found


# --- the transpose --------------------------------------------------------------------------------


@lru_cache(1024)
def transposed(
    equation: str, shapes: tuple[Shape, ...], index: int
) -> tuple[str, tuple[int, ...], Shape | None]:
    """Return the equation of the contribution to operand ``index``, for (t, others, eyes, ones).

    Where the operand gave a diagonal, the share is one: an identity matrix joins. Where it was
    summed alone, the share is the same all along: ones join. Returned with the sizes of the
    identities and the shape of the ones, which is ``None`` if none are needed.
    """
    inputs, result = equation.split("->")
    operands = inputs.split(",")
    lengths = lengths_of(operands, shapes)
    target, pairs = _without_repetition(operands[index], equation)
    others = [*operands[:index], *operands[index + 1 :]]
    known = {letter for letter in result if letter in lengths}
    known.update(letter for pair in pairs for letter in pair)
    for letters, shape in zip(others, [*shapes[:index], *shapes[index + 1 :]], strict=True):
        known.update(a for a, n in zip(letters, shape, strict=True) if n == lengths[a])
    alone = "".join(letter for letter in target if letter not in known)
    spread = tuple(lengths[letter] for letter in alone) if alone else None
    turned = ",".join([result, *others, *pairs, *([alone] if alone else [])])
    return f"{turned}->{target}", tuple(lengths[pair[0]] for pair in pairs), spread


def _without_repetition(letters: str, equation: str) -> tuple[str, list[str]]:
    """``letters`` with new ones for those that return, and the pairs that must be equal."""
    unused = (letter for letter in ascii_letters if letter not in equation)
    target, pairs = "", []
    for letter in letters:
        name = next(unused) if letter in target else letter
        if name != letter:
            pairs.append(letter + name)
        target += name
    return target, pairs


# --- the equation of the user ---------------------------------------------------------------------


def letters_of(labels: Sequence[Any]) -> str:
    """Return a list of integers, possibly with an Ellipsis, as letters."""
    alphabet = ascii_uppercase + ascii_uppercase.lower()  # in the order of their codes
    carriers = (Carrier, type(Ellipsis))  # a traced label has a message of its own
    codes = labels if isinstance(labels, Iterable) else [None]
    if any(not isinstance(x, carriers) and index_of(x) not in range(52) for x in codes):
        raise OptionError(
            where="einsum(equation)",
            expected="an equation, or lists of integers from 0 to 51 between the operands",
            got=describe(labels),
            fix='Write einsum("ij,jk->ik", a, b).',
        )
    return "".join("..." if label is Ellipsis else alphabet[label] for label in labels)


@lru_cache(1024)
def explicit(equation: str, ndims: tuple[int, ...]) -> str:
    """One letter per axis, and the letters of the result.

    >>> explicit("ij,jk", (2, 2)), explicit("...i->...", (3,)), explicit("ii", (2,))
    ('ij,jk->ik', 'abi->ab', 'ii->')
    """
    inputs, arrow, result = equation.replace(" ", "").partition("->")
    operands = inputs.split(",")
    if len(operands) != len(ndims):
        raise _malformed(equation, f"{len(ndims)} operands", "Separate operands by commas.")
    unused = [letter for letter in ascii_letters if letter not in equation]
    most = max(_hidden(equation, *pair) for pair in zip(operands, ndims, strict=True))
    names = unused[:most]
    full = [
        o.replace("...", "".join(names[most - _hidden(equation, o, n) :]))
        for o, n in zip(operands, ndims, strict=True)
    ]
    if not arrow:
        once = sorted({a for a in inputs if inputs.count(a) == 1 and a.isalpha()})
        result = "..." + "".join(once)
    left = result.replace("...", "", 1)
    if len(set(left)) != len(left) or not set(left) <= set(filter(str.isalpha, inputs)):
        raise _malformed(equation, repr(result), "The result has letters of operands, each once.")
    return f"{','.join(full)}->{result.replace('...', ''.join(names))}"


def _hidden(equation: str, letters: str, ndim: int) -> int:
    """How many axes of an operand its ellipsis stands for."""
    named = letters.replace("...", "", 1)
    if named and not (named.isalpha() and named.isascii()):
        raise _malformed(equation, repr(letters), "Use letters, commas, '...' once, and '->'.")
    rest = ndim - len(named)
    if rest < 0 or (rest and named == letters):
        raise SizeError(
            where=f"einsum({equation!r})",
            expected=f"one letter per axis, {ndim} for this operand",
            got=f"{letters!r}",
            fix="Write '...' for all axes without a letter.",
        )
    return rest


def _malformed(equation: str, got: str, fix: str) -> OptionError:
    return OptionError(
        where=f"einsum({equation!r})",
        expected="an equation such as 'ij,jk->ik', with letters for each operand",
        got=got,
        fix=fix,
    )
