"""Compositions: functions made of primitives, without rules of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import as_float, describe, is_array
from ..core.primitive import Carrier
from ..errors import NotANumberError, OptionError
from .arithmetic import equal, maximum, where
from .gelu import gelu as _gelu
from .gelu import gelu_tanh
from .precision import sum_error
from .softmax import exp_difference
from .softmax import log_softmax as _log_softmax
from .softmax import logsumexp as _logsumexp
from .softmax import softmax as _softmax

__all__ = ["gelu", "log_softmax", "logsumexp", "softmax"]


def gelu(x: Any, approximate: str = "none") -> Any:
    """Return x times the normal distribution function, exact or by its tanh approximation.

        y = x Φ(x),  or  y = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))  for approximate="tanh"

    Parameters
    ----------
    x : any shape
        A number, a Value, an array or a Tensor.
    approximate
        "none" for the exact form, "tanh" for the approximation.

    Returns
    -------
    the shape of x
        The products.

    Raises
    ------
    OptionError
        If ``approximate`` is another word.
    NotANumberError
        If ``x`` is no number and no array.

    References
    ----------
    Hendrycks and Gimpel, Gaussian Error Linear Units (2016).

    Examples
    --------
    >>> gelu(0.0)
    0.0
    """
    if approximate not in ("none", "tanh"):
        raise OptionError(
            where="gelu(approximate=...)",
            expected='"none" or "tanh"',
            got=describe(approximate),
            fix='Leave it out for the exact form, or write approximate="tanh".',
        )
    return gelu_tanh(x) if approximate == "tanh" else _gelu(x)


def logsumexp(
    xs: Iterable[Any], axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False
) -> Any:
    """Return the logarithm of the sum of the exponentials of a list, without overflow.

        y = ln Σᵢ exp(xᵢ)

    Parameters
    ----------
    xs : (n,) or any shape
        A list of numbers and Values, or an array or Tensor of any shape.
    axis
        The axis of an array, or the axes, along which exponentials are added; all if ``None``. A
        list has no others.
    keepdims
        Whether the axes of an array that were summed remain, with length 1.

    Returns
    -------
    () for a list, the shape of xs without the axes for an array
        The logarithms; -inf for an empty array.

    Raises
    ------
    SizeError
        If the array has no such axis.
    OptionError
        If the list is empty.
    NotANumberError
        If ``xs`` is no list of numbers and no array.

    Examples
    --------
    >>> round(logsumexp([1000.0, 1000.0]), 6)
    1000.693147
    """
    if is_tensor(xs) or is_array(xs):
        return _on_array("logsumexp", xs, axis, keepdims=bool(keepdims))
    members, peak = _members(xs, "logsumexp")
    if peak is None:
        return _on_array("logsumexp", _stacked(members), -1, keepdims=False)
    largest, *others = _largest_first(members, peak)
    return _logsumexp(largest, peak, _rest(others, peak))


def softmax(xs: Iterable[Any], axis: int | tuple[int, ...] | None = -1) -> Any:
    """Return numbers that are proportional to the exponentials of a list and add up to 1.

        yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ)

    Parameters
    ----------
    xs : (n,) or any shape
        A list of numbers and Values, or an array or Tensor of any shape.
    axis
        The axis of an array, or the axes, along which the results add up to 1; all if ``None``.

    Returns
    -------
    the shape of xs
        A list for a list, an array for an array.

    Raises
    ------
    SizeError
        If the array has no such axis.
    OptionError
        If the list is empty.
    NotANumberError
        If ``xs`` is no list of numbers and no array.

    Examples
    --------
    >>> softmax([0.0, 0.0])
    [0.5, 0.5]
    """
    if is_tensor(xs) or is_array(xs):
        return _on_array("softmax", xs, axis)
    members, peak = _members(xs, "softmax")
    if peak is None:
        return _on_members("softmax", members)
    rests = _rests(members, peak)
    return [_softmax(x, peak, rest) for x, rest in zip(members, rests, strict=True)]


def log_softmax(xs: Iterable[Any], axis: int | tuple[int, ...] | None = -1) -> Any:
    """Return the logarithms of the softmax of a list, accurate for values close to 1 too.

        yᵢ = xᵢ - ln Σⱼ exp(xⱼ)

    Parameters
    ----------
    xs : (n,) or any shape
        A list of numbers and Values, or an array or Tensor of any shape.
    axis
        The axis of an array, or the axes, along which the exponentials of the results add up to 1;
        all if ``None``.

    Returns
    -------
    the shape of xs
        A list for a list, an array for an array.

    Raises
    ------
    SizeError
        If the array has no such axis.
    OptionError
        If the list is empty.
    NotANumberError
        If ``xs`` is no list of numbers and no array.

    Examples
    --------
    >>> round(log_softmax([0.0, 0.0])[0], 6)
    -0.693147
    """
    if is_tensor(xs) or is_array(xs):
        return _on_array("log_softmax", xs, axis)
    members, peak = _members(xs, "log_softmax")
    if peak is None:
        return _on_members("log_softmax", members)
    rests = _rests(members, peak)
    return [_log_softmax(x, peak, rest) for x, rest in zip(members, rests, strict=True)]


def log_softmax_at(xs: Iterable[Any], index: int) -> Any:
    """Return element ``index`` of `log_softmax` alone, for a third of the work.

    >>> round(log_softmax_at([0.0, 0.0], 1), 6)
    -0.693147
    """
    members, peak = _members(xs, "log_softmax")
    if peak is None:
        return _on_members("log_softmax", members)[index]
    return _log_softmax(members.pop(index), peak, _rest(members, peak))


def _on_array(name: str, xs: Any, axis: int | tuple[int, ...] | None, **options: Any) -> Any:
    """Apply the primitive of this name along the axes of an array."""
    return arrays().reduce(name, xs, axis, **options)


def _stacked(members: Sequence[Any]) -> Any:
    """Return arrays, and numbers among them, along a last axis."""
    like = next(filter(is_tensor, members))
    same = [arrays().filled_like(like, x) if type(x) is float else x for x in members]
    return arrays().stack(same, -1)


def _on_members(name: str, members: Sequence[Any]) -> list[Any]:
    y = _on_array(name, _stacked(members), -1)
    return [y[..., i] for i in range(len(members))]


def _members(xs: Iterable[Any], where: str) -> tuple[list[Any], Any]:
    """Return the list and the largest number in it, which is a constant for derivatives.

    It is ``None`` if arrays are among the members.
    """
    if not isinstance(xs, Iterable):
        raise NotANumberError(
            where=where,
            expected="a list of numbers or Values",
            got=describe(xs),
            fix=f"Write {where}([a, b]).",
        )
    members: list[Any] = [x if isinstance(x, Carrier) else as_float(x, where) for x in xs]
    if not members:
        raise OptionError(
            where=where,
            expected="at least one number",
            got="an empty list",
            fix="Skip empty lists: they have no sum of exponentials.",
        )
    if any(map(is_tensor, members)):
        return members, None
    numbers = [_number(x) for x in members]
    floats = set(map(type, numbers)) == {float}
    return members, max(numbers) if floats else reduce(maximum, numbers)


def _largest_first(members: list[Any], peak: Any) -> list[Any]:
    """Return the members, with the first of the largest in front of the others.

    In a program that is recorded any of them may be it, so each place is a choice.
    """
    numbers = [_number(x) for x in members]
    if type(peak) is float:
        largest = max(range(len(numbers)), key=numbers.__getitem__)
        return [members[largest], *members[:largest], *members[largest + 1 :]]
    found = [equal(number, peak) for number in numbers]
    first, others, passed = members[-1], [], found[0]
    for k in reversed(range(len(members) - 1)):
        first = where(found[k], members[k], first)
    for k in range(len(members) - 1):
        passed = passed | found[k]
        others.append(where(passed, members[k + 1], members[k]))
    return [first, *others]


def _weights(members: Iterable[Any], peak: Any) -> list[Any]:
    return [exp_difference(x, peak) for x in members]


def _halved(terms: list[Any]) -> list[Any]:
    """Return the sums of the first and second, the third and fourth, ... of the terms."""
    pairs = zip(terms[::2], terms[1::2], strict=False)
    return [a + b for a, b in pairs] + terms[len(terms) & ~1 :]


def _rest(others: list[Any], peak: Any) -> Any:
    """Return the sum of the weights of all members except one, added pairwise for accuracy."""
    terms = _weights(others, peak)
    while len(terms) > 1:
        terms = _halved(terms)
    return terms[0] if terms else 0.0


def _rests(members: list[Any], peak: Any) -> list[Any]:
    """Return for each member the sum of all other weights, by 3 n additions in a tree.

    The way up the tree adds what is below each node, the way down what is not below it.
    """
    levels = [_weights(members, peak)]
    while len(levels[-1]) > 1:
        levels.append(_halved(levels[-1]))
    rests: list[Any] = [None]
    for sums in levels[-2::-1]:
        rests = [_beside(sums, i, rests[i // 2]) for i in range(len(sums))]
    if len(levels) < 3:  # nothing has been added yet
        return [0.0] if rests == [None] else rests
    return _corrected(rests, levels[0])


def _corrected(rests: list[Any], weights: list[Any]) -> list[Any]:
    """Return the sums plus their rounding errors, so that each is as accurate as an exact sum."""
    total: Any = 0.0
    low: Any = 0.0
    for number in map(_number, weights):
        s = total + number
        total, low = s, low + sum_error(s, total, number)
    errors = [(total - _number(w)) + low - _number(r) for w, r in zip(weights, rests, strict=True)]
    return [_plus(r, e) for r, e in zip(rests, errors, strict=True)]


def _plus(rest: Any, error: Any) -> Any:
    if type(error) is float:
        return rest if error == 0.0 or error != error else rest + error
    return rest + where(equal(error, error), error, 0.0)


def _number(x: Any) -> Any:
    """Return the plain number; of a program that is recorded, one without a derivative."""
    return x if type(x) is float else x.data


def _beside(sums: list[Any], i: int, above: Any) -> Any:
    """Return the sum of all weights that are not below node ``i`` of the tree.

    That is its sibling, if there is one, plus the sum outside of their parent.
    """
    if i ^ 1 == len(sums):
        return above
    return sums[i ^ 1] if above is None else above + sums[i ^ 1]
