"""Watching a program run: the origin of the first number in it that is not finite."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import isfinite, nan
from typing import Any, ClassVar

from ..core.carrier import is_tensor
from ..core.places import Line, line_of_caller
from ..engine.observing import Observer
from ..engine.value import Value, engine
from ..errors import FreedGraphError
from ..levels.level import Tracer
from ..program.run import run_of
from .origins import (
    Element,
    Origin,
    Spot,
    backward_origin,
    first_bad,
    forward_origin,
    run_backward,
    spot_of,
)

__all__ = ["Watch", "first_inside", "of_values_backward"]


class Watch(Observer):
    """A context that calls `found` with the origin of each number that is not finite.

    It sees operations of the forward pass and rules of the backward pass, of this thread, whether
    they are recorded or not, inside transforms and compiled functions too. Operations on numbers
    that are not finite already make no origin.
    """

    all: ClassVar[bool] = False
    lines: ClassVar[bool] = True

    def found(self, origin: Origin) -> None:
        """See an origin. An error that is raised here ends the operation."""
        raise NotImplementedError

    def operation(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """Raise if the result is not finite although all operands are."""
        if primitive is None:  # a comparison
            return
        results = result if type(result) is tuple else (result,)
        if all(map(_is_finite, results)) or not all(map(_is_finite, args)):
            return
        bad = next(r for r in results if not _is_finite(r))
        self.found(_forward(primitive, args, bad))

    def traced(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """Raise if a plain result inside a transform is not finite although all operands are."""
        if not _is_finite(result) and all(map(_is_finite, args)):
            spot = _spot(primitive, args, result, first_bad(result))
            self.found(Origin("forward", spot, spot.number))

    def rules(
        self,
        kind: str,
        primitive: Any,
        y: Any,
        args: Sequence[Any],
        given: Any,
        found: Any,
        line: Line | None = None,
    ) -> None:
        """Raise if rules made a derivative that is not finite of numbers that are."""
        y, args, given, found = _bare(y), _all_bare(args), _all_bare(given), _all_bare(found)
        i = next((i for i, t in enumerate(found) if not _is_finite(t)), None)
        if i is None or not all(map(_is_finite, (y, *args, *given))):
            return
        element = first_bad(found[i])
        spot = _spot(primitive, args, y, element)
        spot = replace(spot, line=line or spot.line)
        incoming = [_at(t, element) for t in given if t is not None]
        position = i if kind == "backward" else _position(primitive, spot)
        result = _at(found[i], element)
        self.found(Origin(kind, spot, result, position, incoming[0] if incoming else nan))

    def backward(self, origin: Any) -> None:
        """Raise for the gradients of Tensors."""
        if origin is not None:
            self.found(origin)

    def values_backward(self, root: Any) -> None:
        """Raise for the gradients of Values, which have not been stored yet."""
        origin = of_values_backward(root, None) if root.op else None
        if origin is not None:
            self.found(origin)


class _First(Watch):
    """Ends a program at the first number that is not finite, and keeps its origin."""

    origin: Origin | None = None

    def found(self, origin: Origin) -> None:
        self.origin = origin
        raise _Found


class _Found(Exception):  # noqa: N818  (no error: it ends the search)
    pass


def first_inside(origin: Origin) -> Origin:
    """Return the origin inside an operation that is a program itself, as `checkpoint` is."""
    if origin.inside is None:
        return origin
    with suppress(Exception), _First() as first:  # of the user's function, perhaps
        origin.inside()
    if first.origin is None:
        return origin
    found = first_inside(first.origin)
    return replace(found, path=(*found.path[-1:], *origin.path), others=origin.others)


def of_values_backward(root: Value, x: Value | None) -> Origin | None:
    """Return what made the gradient of ``x``, or of any leaf, non-finite."""
    try:
        wanted = engine.leaves(root) if x is None else [x]
        # the search in Python takes a hundred times as long
        if all(t is None or isfinite(t) for t in engine.gradients(root, 1.0, wanted)):
            return None
        run = run_of(root)
        past = run_backward(run, 1.0)
    except FreedGraphError:
        return None
    leaves = range(run.program.inputs) if x is None else [run.where[x]]
    bad = [leaf for leaf in leaves if leaf in past.edges]
    return backward_origin(run, past, bad[0], ()) if bad else None


def _is_finite(x: Any) -> bool:
    """Return whether a number or an array is finite. Carriers of running transforms are."""
    x = _plain(x.data if type(x) is Value else x)
    if isinstance(x, (int, float)):
        return isfinite(x)
    return isinstance(x, Tracer) or not hasattr(x, "dtype") or first_bad(x) is None


def _plain(x: Any) -> Any:
    """Return the array of a Tensor, and a derivative with zeros for its structural zeros."""
    x = x.data if hasattr(x, "mask") else x
    return x._data if is_tensor(x) and not isinstance(x, Tracer) else x


def _bare(x: Any) -> Any:
    """Return the numbers of what a nested transform or a graph stands for, too."""
    x = _plain(x)
    while isinstance(x, Tracer):
        x = _plain(x._primal)
    return x.data if type(x) is Value else x


def _all_bare(xs: Sequence[Any]) -> list[Any]:
    return [_bare(x) for x in xs]


def _at(x: Any, element: Element | None) -> float:
    """Return an element of a derivative, its first one if it has another shape, or NaN."""
    if isinstance(x, (int, float)):
        return float(x)
    try:
        return float(x[element])
    except (IndexError, TypeError, ValueError):
        return nan


def _spot(primitive: Any, args: Sequence[Any], y: Any, element: Element | None) -> Spot:
    """Return what is known about an element of a result that no graph has recorded."""
    if isinstance(y, float):
        numbers = tuple([float(a) for a in args])
        return Spot(primitive.name, (), y, numbers, line_of_caller(), primitive=primitive)
    return spot_of(primitive, args, y, element or (), line_of_caller())


def _position(primitive: Any, spot: Spot) -> int:
    """Return the argument whose rule makes a derivative that is not finite, else the first."""
    if primitive.kind == "pointwise" and len(spot.args) == primitive.arity:
        slopes = primitive.slopes(spot.number, spot.args)
        return next((i for i, slope in enumerate(slopes) if not isfinite(slope)), 0)
    return 0


def _forward(primitive: Any, args: Sequence[Any], result: Any) -> Origin:
    """Return the origin of a result, recorded or not."""
    if type(result) is Value and result.op:
        run = run_of(result)
        return forward_origin(run, run.root, ())
    if type(result) is Value:
        numbers = [a.data if type(a) is Value else float(a) for a in args]
        return Origin("forward", _spot(primitive, numbers, result.data, ()), result.data)
    element = first_bad(result._data) or ()
    if result._node is not None:
        run = run_of(result)
        return forward_origin(run, run.root, element)
    spot = _spot(primitive, args, result._data, element)
    return Origin("forward", spot, spot.number)
