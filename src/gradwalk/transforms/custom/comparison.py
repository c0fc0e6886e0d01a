"""Rules given by the user, compared with central differences of the function."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import isfinite
from random import Random
from typing import Any

from ...core.pytree import flatten
from ...core.seeds import generator
from ...engine.recording import Scopes
from ...errors import GradientCheckError
from ...levels.level import unwrap
from .blackbox import Call
from .blackbox_primitives import is_floating
from .linear_maps import Linear

__all__ = ["compare_once", "doubting"]

EPSILON = 2.0**-52  # of float64; coarser arrays have their own


BY_DEFAULT = os.environ.get("GRADWALK_DEBUG", "0") not in ("", "0")

doubting: Scopes = Scopes()
"""The open blocks of `debug`, the innermost of which decides."""


def is_doubting() -> bool:
    """Return whether derivatives that users have given are compared with differences here."""
    blocks = doubting.open if doubting.blocks else ()
    return blocks[-1].on if blocks else BY_DEFAULT


def compare_once(
    call: Call,
    xs: list[Any],
    ys: list[Any],
    rules: Callable[[], dict[str, Linear]],
    check: bool | None = None,
) -> None:
    """Call `compare` for each mode if it is wanted, once for all arguments of the same shapes."""
    if not (is_doubting() if check is None else check):
        return
    # by shapes and not by numbers: differences cost several runs of f for each argument
    form = tuple([(getattr(x, "shape", None), getattr(x, "dtype", None)) for x in xs])
    if form not in call.box.checked_forms:
        for mode, rule in rules().items():
            compare(call, xs, ys, rule, mode)
        call.box.checked_forms.add(form)


def compare(call: Call, xs: list[Any], ys: list[Any], rule: Linear, mode: str) -> None:
    """Raise a `GradientCheckError` if ``rule``, the "vjp" or the "jvp" of a call, is wrong.

        Σ w · (∂y/∂x v)  against  Σ w · (y(x + h v) - y(x - h v)) / 2h

    v is a random direction of one argument at a time, w are random weights of the results; both
    are the same in every run. Where the differences are not finite there is no verdict.
    """
    random = generator(0)
    weights = [_draw(random, y) for y in ys]
    # one reverse pass holds the claims of all arguments, forward mode needs a run for each
    contributions = rule(weights) if mode == "vjp" else None
    for i, x in enumerate(xs):
        v = _along(random, x)
        moved = [v if k == i else _zero(other) for k, other in enumerate(xs)]
        claimed = (
            _product([v], [contributions[i]]) if contributions else _product(weights, rule(moved))
        )
        _expect(call, mode, i, claimed, *_differences(call, xs, ys, i, v, weights))


def _expect(call: Call, mode: str, i: int, claimed: float, slope: float, doubt: float) -> None:
    if abs(claimed - slope) <= doubt or not isfinite(slope):
        return
    raise GradientCheckError(
        where=f"{call.box.name}: {mode} of {call.names[i]}",
        expected=f"{slope:.8g}, the slope along a random direction by differences",
        got=f"{claimed:.8g} from the rule",
        fix="Fix the rule: look for a transpose, a missing factor or a missing sum. "
        "check=False trusts it.",
    )


def _differences(
    call: Call, xs: list[Any], ys: list[Any], i: int, v: object, weights: list[Any]
) -> tuple[float, float]:
    """Return the derivative, extrapolated from two steps (Richardson), and its possible error."""
    epsilon = max(map(_epsilon, [*xs, *ys]))
    # between the error that extrapolation leaves, of order h⁴, and that of rounding, ε / h
    step = epsilon**0.25

    def slope(h: float) -> float:
        ahead, behind = (_at(call, xs, i, v, sign * h) for sign in (1.0, -1.0))
        return (_product(weights, ahead) - _product(weights, behind)) / (2.0 * h)

    wide, narrow = slope(step), slope(step / 2.0)
    found = (4.0 * narrow - wide) / 3.0
    rounding = (
        8.0 * epsilon * sum(abs(_product([w], [y])) for w, y in zip(weights, ys, strict=True))
    )
    return found, epsilon ** (1 / 3) * abs(found) + 2.0 * abs(narrow - wide) + rounding / step


def _at(call: Call, xs: list[Any], i: int, v: Any, step: float) -> list[Any]:
    """Return the floating results after a step in one argument."""
    moved = [_cast(x + step * v, x) if k == i else x for k, x in enumerate(xs)]
    return [unwrap(y) for y in flatten(call.call_f(moved))[0] if is_floating(y)]


def _cast(moved: Any, x: object) -> Any:
    return moved.astype(x.dtype) if hasattr(x, "dtype") else moved


def _epsilon(x: object) -> float:
    if not hasattr(x, "dtype"):
        return EPSILON
    import numpy as np

    return float(np.finfo(x.dtype).eps)


def _draw(random: Random, x: Any) -> Any:
    """Return random numbers in the shape of ``x``."""
    if not hasattr(x, "dtype"):
        return random.gauss(0.0, 1.0)
    import numpy as np

    drawn = [random.gauss(0.0, 1.0) for _ in range(x.size)]
    return np.array(drawn, x.dtype).reshape(x.shape)


def _along(random: Random, x: Any) -> Any:
    """Return a direction in proportion to the size of each number, so that no sign changes."""
    drawn = _draw(random, x)
    if not hasattr(x, "dtype"):
        return drawn * (abs(x) or 1.0)
    import numpy as np

    return np.asarray(drawn * np.where(x == 0.0, 1.0, np.abs(x)), x.dtype)


def _zero(x: object) -> Any:
    if not hasattr(x, "dtype"):
        return 0.0
    import numpy as np

    return np.zeros_like(x)


def _product(a: Sequence[Any], b: Sequence[Any]) -> float:
    """Return Σ a · b, where ``None`` counts as zero."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        if x is not None and y is not None:
            product = unwrap(x) * unwrap(y)
            total += float(product.sum()) if hasattr(product, "dtype") else product
    return total
