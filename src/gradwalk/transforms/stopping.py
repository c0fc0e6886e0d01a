"""`stop_gradient`: from here on a constant."""

from __future__ import annotations

from typing import Any

from ..core.expect import is_array
from ..core.primitive import pointwise
from ..core.pytree import flatten
from .memory.segments import has_derivative
from .signatures import X

__all__ = ["stop_gradient"]

_STOP = pointwise(
    "stop_gradient",
    None,  # no rule: no level differentiates it
    forward=lambda x: x * 1.0,  # an array of its own
    tex=r"x_{\text{held}}",
    summary="The number, held constant",
)


def stop_gradient(x: X) -> X:
    """Return ``x`` as a constant: no derivative passes, in any mode and at any level.

        y = x,   ∂y/∂x = 0

    Parameters
    ----------
    x
        A number or an array, or a container of some. Integers, texts and the like come back as they
        are.

    Returns
    -------
    like x
        The same numbers, of the same kinds.

    Examples
    --------
    >>> from gradwalk import grad, stop_gradient
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    >>> stop_gradient({"w": 1.0, "steps": 2})
    {'w': 1.0, 'steps': 2}
    """
    leaves, structure = flatten(x)
    return structure.unflatten(map(_stop, leaves))  # type: ignore[no-any-return]


def _stop(x: Any) -> Any:
    if is_array(x) and x.dtype.kind == "O":  # of Values
        held = x.copy()
        for place, number in enumerate(x.flat):
            held.flat[place] = _stop(number)
        return held
    return _STOP(x) if has_derivative(x) else x
