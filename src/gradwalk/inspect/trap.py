"""`trap`: an error at the operation that makes the first NaN or infinity."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import isfinite
from typing import Any

from ..core.carrier import is_tensor
from ..core.places import line_of_caller
from ..engine.observing import Observer
from ..engine.origins import Origin, Spot, forward_origin
from ..engine.value import Value
from ..engine.value_numbers import ValueNumbers
from ..errors import NonFiniteError
from .cause import Cause, explain
from .places import Namer, line_of, lines
from .why import of_values_backward

__all__ = ["trap"]


class trap(Observer):  # noqa: N801  (a context, as `no_grad`)
    """A context that raises `NonFiniteError` at the operation that makes a NaN or an infinity.

    The text is that of `why`. Operations of the forward pass and rules of the backward pass are
    examined, of this thread, whether they are recorded or not. A backward pass that raises has
    changed no gradient. Operations on numbers that are not finite already raise nothing.

    >>> from gradwalk import Value, exp
    >>> try:
    ...     with trap():
    ...         y = exp(Value(1000.0))
    ... except NonFiniteError as error:
    ...     print(error.got.partition(",")[0])
    exp(1000) = inf
    """

    def operation(self, primitive: Any, args: Sequence[Any], result: Any) -> None:
        """Raise if the result is not finite although all operands are."""
        if primitive is None:  # a comparison
            return
        if type(result) is Value:
            lines.operation(self, primitive, args, result)  # type: ignore[arg-type]
        results = result if type(result) is tuple else (result,)
        if all(map(_is_finite, results)) or not all(map(_is_finite, args)):
            return
        bad = next(r for r in results if not _is_finite(r))
        self._raise(_forward(primitive, args, bad))

    def backward(self, origin: Any) -> None:
        """Raise for the gradients of Tensors."""
        if origin is not None:
            self._raise(origin)

    def values_backward(self, root: Any) -> None:
        """Raise for the gradients of Values, which have not been stored yet."""
        origin = of_values_backward(root, None) if root.op else None
        if origin is not None:
            self._raise(origin)

    def _raise(self, origin: Origin) -> None:
        cause = explain("", origin, Namer(sys._getframe(1)))
        raise as_error("trap", cause)


def as_error(where: str, cause: Cause) -> NonFiniteError:
    """Return the error that tells a cause."""
    return NonFiniteError(
        where=where,
        expected="finite numbers",
        got=cause.sentence,
        fix=f"{cause.fix}{cause.details}",
    )


def _is_finite(x: Any) -> bool:
    if isinstance(x, (int, float)):
        return isfinite(x)
    if type(x) is Value:
        return isfinite(x.data)
    array = x._data if is_tensor(x) and hasattr(x, "_data") else x
    if not hasattr(array, "dtype"):
        return True
    from ..tensor.graph.elements import first_bad

    return first_bad(array) is None


def _forward(primitive: Any, args: Sequence[Any], result: Any) -> Origin:
    """Return the origin of a result, recorded or not."""
    if type(result) is Value and result.op:
        return forward_origin(ValueNumbers(result, line_of), result, ())
    if type(result) is Value:
        numbers = tuple([a.data if type(a) is Value else float(a) for a in args])
        spot = Spot(primitive.name, (), result.data, numbers, line_of_caller(), primitive=primitive)
        return Origin("forward", spot, result.data)
    from ..tensor.graph.array_numbers import ArrayNumbers, spot_of
    from ..tensor.graph.elements import first_bad

    element = first_bad(result._data) or ()
    if result._node is not None:
        numbers_of = ArrayNumbers(result._node, {result._node: result._data})
        return forward_origin(numbers_of, result._node, element)
    spot = spot_of(primitive, args, result._data, element, line_of_caller())
    return Origin("forward", spot, spot.number)
