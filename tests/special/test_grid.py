"""Every function of `special` on a grid from -inf to inf: values and slopes against 80 digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import special
from gradwalk.ops.families import quadrature

from ..helpers.grid import cells_of, failures

FIXED = {"polygamma": (0,)}
"""Arguments without a derivative: the order."""

UNDERFLOW = "the slope underflows with the function, which is of the order of the tiny parameter"
SMALL_REST = "1 - s is taken from s, which has few digits left where one entry takes nearly all"
OF_INCOMPLETE: set[Any] = {
    ("slope 0", (1e-300, 150.0, 0.5)), ("slope 0", (1e-300, 150.0, 0.9)),
    ("slope 1", (0.5, 1e-300, 1e-300)), ("slope 2", (0.5, 1e-300, 1e-300)),
    ("slope 1", (3.0, 1e-300, 1e-08)), ("slope 1", (150.0, 1e-300, 0.5)),
}  # fmt: skip
OF_SOFTMAX: set[Any] = {("slope 0", (30.0, y)) for y in (0.0, 1e-8, 0.5, -3.0)}
LIMITS: dict[str, tuple[str, set[Any]]] = {
    "beta": ("the ratio of the arguments, 1e-316, is denormal",
             {("slope 1", (1e-300, 1e16)), ("slope 0", (1e16, 1e-300))}),
    "betainc": (UNDERFLOW, OF_INCOMPLETE),
    "betaincc": (UNDERFLOW, OF_INCOMPLETE),
    "softmax": (SMALL_REST, OF_SOFTMAX),
    "log_softmax": (SMALL_REST, OF_SOFTMAX | {("value", at) for _, at in OF_SOFTMAX}),
}  # fmt: skip
"""What is known to fall short, and why; a cell that comes out right must leave this table."""


def _of_two(f: Callable[..., Any], first: bool) -> Callable[..., Any]:
    """Return a function of an axis of two numbers as one of two columns."""

    def of(x: Any, y: Any) -> Any:
        found = f(gw.stack([gw.asarray(x), gw.asarray(y)]), axis=0)
        return found[0] if first else found

    return of


AXES = {name: _of_two(getattr(special, name), name != "logsumexp")
        for name in ("softmax", "log_softmax", "logsumexp")}  # fmt: skip


def test_every_function_is_on_the_grid() -> None:
    assert cells_of("special").keys() == set(special.__all__)


@pytest.mark.parametrize("name", special.__all__)
def test_values_and_slopes(name: str) -> None:
    f = AXES.get(name) or getattr(special, name)
    found = failures(f, cells_of("special")[name], FIXED.get(name, ()))
    _, known = LIMITS.get(name, ("", set()))
    assert found.keys() == known, found


def test_the_amount_of_work_does_not_grow_with_the_parameters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No series or fraction has more than a few hundred terms, and no quadrature more points."""
    from gradwalk.ops.families import jets

    steps = 0
    divide, points = jets.divide, quadrature.points

    def counted(*args: Any) -> Any:
        nonlocal steps
        steps += 1
        return divide(*args)

    def counted_points(ends: Any) -> Any:
        nonlocal steps
        for point in points(ends):
            steps += 1
            yield point

    monkeypatch.setattr(jets, "divide", counted)
    monkeypatch.setattr(quadrature, "points", counted_points)
    for name in ("gammainc", "gammaincc", "betainc", "betaincc"):
        for args, _, _, _ in cells_of("special")[name][::11]:
            steps = 0
            getattr(special, name)(*args)
            assert steps < 3000, (name, args)


def test_slopes_at_the_ends() -> None:
    """What a limit from inside says, where a formula has 0 times infinity."""
    for a, slope in ((0.5, np.inf), (1.0, 1.0), (2.0, 0.0)):
        assert gw.grad(special.gammainc, argnums=1)(a, 0.0) == slope
        assert gw.grad(special.betainc, argnums=2)(a, 1.0, 0.0) == slope
        assert gw.grad(special.betaincc, argnums=2)(1.0, a, 1.0) == -slope
