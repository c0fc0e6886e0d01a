"""What the rule of a user gives, made to fit what it belongs to, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.backend import arrays
from ...core.carrier import is_tensor
from ...core.expect import describe
from ...core.pytree import PyTree, flatten
from ...errors import NotANumberError, SizeError
from ...levels.level import unwrap
from ..arguments import is_plain
from .blackbox import Call
from .blackbox_primitives import is_floating

__all__ = ["leaves_like", "fit_all", "leaves_of_cotangents"]


def leaves_of_cotangents(given: object, call: Call, where: str) -> list[Any]:
    """Return the leaves of the cotangents of all arguments."""
    if isinstance(given, (tuple, list)) and len(given) == call.arity:
        pairs = list(zip(given, call.trees, strict=True))
        # (t,) may also be the cotangent of one argument that is a tuple: its structure decides
        if call.arity > 1 or _fits(given[0], call.trees[0]):
            found = [
                leaves_like(t, tree, where, f"argument {i}") for i, (t, tree) in enumerate(pairs)
            ]
            return [leaf for leaves in found for leaf in leaves]
    if call.arity == 1:
        return leaves_like(given, call.trees[0], where, "the argument")
    raise SizeError(
        where=where,
        expected=f"a tuple of {call.arity}, one cotangent for each argument",
        got=f"a tuple of {len(given)}" if isinstance(given, tuple) else describe(given),
        fix="Return None for an argument without derivative.",
    )


def _fits(given: object, tree: PyTree) -> bool:
    return given is None or str(flatten(given)[1]) == str(tree)


def leaves_like(given: object, tree: PyTree, where: str, like: str) -> list[Any]:
    """Return the leaves of ``given`` in the structure ``tree``.

    ``None`` stands for all leaves of a part.
    """
    leaves, form = flatten(given)
    try:
        return list(_spread_nones(form, tree, iter(leaves)))
    except LookupError:
        raise SizeError(
            where=where,
            expected=f"the structure of {like}, {tree}",
            got=f"{form}",
            fix="Return one number or array for each *, or None for no derivative at all.",
        ) from None


def _spread_nones(form: PyTree, tree: PyTree, leaves: Iterator[Any]) -> Iterator[Any]:
    if form.kind == "NoneType":
        yield from [None] * tree.size
    elif form.rebuild is None and tree.rebuild is None:
        yield next(leaves)
    elif form.kind != tree.kind or form.names != tree.names:
        raise LookupError  # the caller's message shows both structures
    else:
        for inner, like in zip(form.children, tree.children, strict=True):
            yield from _spread_nones(inner, like, leaves)


def fit_all(
    given: list[Any], flags: Sequence[bool], likes: list[Any], names: list[str]
) -> list[Any]:
    """Return those leaves that have a derivative, each converted to what it belongs to."""
    wanted = [leaf for leaf, flag in zip(given, flags, strict=True) if flag]
    return [_fit(*three) for three in zip(wanted, likes, names, strict=True)]


def _fit(t: object, x: object, where: str) -> Any:
    """Return a cotangent or a tangent, checked against what it belongs to. ``None`` is zero."""
    t = float(t) if type(t) is int else t  # `return 0` in a rule means 0.0
    if t is None:
        return None
    if not is_floating(t):
        raise NotANumberError(
            where=where,
            expected="floating numbers",
            got=describe(t),
            fix="Return None for no derivative.",
        )
    if getattr(t, "shape", ()) != getattr(x, "shape", ()):
        raise SizeError(
            where=where,
            expected=f"shape {tuple(getattr(x, 'shape', ()))}, as that of what it belongs to",
            got=f"shape {tuple(getattr(t, 'shape', ()))}",
            fix="Sum the cotangent where f repeats an argument; return None for zeros.",
        )
    return _convert(t, x)


def _convert(t: object, x: object) -> Any:
    """Return a number for a number, an array for an array, and a Tensor for traced values."""
    if not hasattr(x, "dtype"):
        return float(unwrap(t)) if is_plain(t) else t
    if not is_plain(t) or is_tensor(x):
        return arrays().seed_like(t, x)
    import numpy as np

    return np.asarray(unwrap(t), x.dtype)
