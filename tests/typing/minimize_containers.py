"""Minima and fits: the result has the type of the starting point."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from gradwalk import Tensor, Value, curve_fit, exp, minimize
from gradwalk.optimize import CurveFit, Minimum


def bowl(p: dict[str, Value]) -> Value:
    return (p["x"] - 1.0) ** 2 + (p["y"] + 2.0) ** 2


found = minimize(bowl, {"x": 0.0, "y": 0.0}, bounds=(-5.0, 5.0))
assert_type(found, Minimum[dict[str, float]])
assert_type(found.x, dict[str, float])
assert_type(found.value, float)
assert_type(found.converged, bool)
assert_type(found.history, tuple[float, ...])


def squares(x: Tensor) -> Tensor:
    return ((x - 1.0) ** 2).sum()


zeros: NDArray[np.float64] = np.zeros(3)
array = minimize(squares, zeros, method="trust-ncg")
assert_type(array.x, NDArray[np.float64])
tensor = minimize(squares, Tensor([0.0, 0.0]))
assert_type(tensor.x, Tensor)
assert_type(minimize(lambda x: (x - 2.0) ** 2, 0.5).x, float)
assert_type(minimize(lambda p: p[0] ** 2 + p[1] ** 2, [1.0, 2.0]).x, list[float])


def decay(t: Tensor, amplitude: Value, rate: Value) -> Tensor:
    return amplitude * exp(-rate * t)


times = np.linspace(0.0, 2.0, 9)
fitted = curve_fit(decay, times, 2.0 * np.exp(-1.5 * times), p0=(1.0, 1.0))
assert_type(fitted, CurveFit[tuple[float, float]])
assert_type(fitted.parameters, tuple[float, float])
assert_type(fitted.uncertainties, tuple[float, float])
assert_type(fitted.chi2, float)
for name, value, uncertainty in fitted.table:
    assert_type(name, str)
    assert_type(value, float)
    assert_type(uncertainty, float)
