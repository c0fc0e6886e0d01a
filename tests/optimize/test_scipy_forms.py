"""Calls in the forms of `scipy.optimize`: its arguments, its constraints, its names of results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.optimize as scipy

from gradwalk import curve_fit, exp, minimize
from gradwalk.errors import OptionError, SizeError


def bowl(x: Any) -> Any:
    return (x[0] - 2.0) ** 2 + (x[1] + 3.0) ** 2 + 0.5 * x[0] * x[1]


# --- minimize -------------------------------------------------------------------------------------

STARTS: list[Any] = [[0, 0], (0, 0), [0.0, 0], np.zeros(2, int), np.zeros(2), np.zeros(2, np.int8)]
BOUNDS: list[Any] = [
    [(0, 1), (-1, None)],
    [(None, 1.5), (None, None)],
    ((0, None), (-1, None)),
    [[0, 1], [-1, 2]],
    scipy.Bounds([0, -1], [1, 5]),
    scipy.Bounds(-1, 1),
    scipy.Bounds(-math.inf, [1, 2]),
]


@pytest.mark.parametrize("x0", STARTS)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_bounds_as_scipy_takes_them(x0: Any, bounds: Any) -> None:
    found = minimize(bowl, x0, bounds=bounds, tol=1e-10)
    expected = scipy.minimize(bowl, np.array(x0, float), bounds=bounds, tol=1e-10)
    assert type(found.x) is type(x0)
    np.testing.assert_allclose(np.array(found.x), expected.x, atol=1e-5)


def test_two_pairs_for_an_array_are_pairs() -> None:
    found = minimize(bowl, np.zeros(2), bounds=((0, 1), (-1, 2)))
    np.testing.assert_allclose(found.x, [1.0, -1.0])


def test_bounds_that_can_be_read_in_two_ways_are_an_error() -> None:
    with pytest.raises(OptionError, match="read in one way"):
        minimize(bowl, (0.0, 0.0), bounds=((0, 1), (-1, 2)))


@pytest.mark.parametrize("bounds", [[(0, 1)], [(0, 1)] * 3, [(0,), (1,)], ["ab", "cd"], "x", 3])
def test_other_bounds_are_an_error(bounds: Any) -> None:
    with pytest.raises(OptionError, match=r"2 pairs"):
        minimize(bowl, np.zeros(2), bounds=bounds)


def circle(x: Any) -> Any:
    return [x[0] ** 2 + x[1] ** 2, x[0] * x[1]]


CONSTRAINTS: dict[str, Any] = {
    "dictionary": {"type": "ineq", "fun": lambda x: x[0] - 2 * x[1] + 2, "jac": None},
    "tuple of dictionaries": (
        {"type": "ineq", "fun": lambda x: -x[0] - 2 * x[1] + 6},
        {"type": "eq", "fun": lambda x, c: x[0] - c, "args": (0.25,)},
    ),
    "linear": scipy.LinearConstraint([[1, -2], [-1, -2]], [-2, -6], [np.inf, 3]),
    "linear, one": scipy.LinearConstraint([1, 1], -1, 1),
    "nonlinear": scipy.NonlinearConstraint(circle, [1, -np.inf], [4, 1]),
    "nonlinear, equal": scipy.NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, 1, 1),
    "several": [
        scipy.NonlinearConstraint(circle, [1, -np.inf], [4, 1]),
        scipy.LinearConstraint([1, 1], -1, 1),
    ],
}


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr"])
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_of_scipy(name: str, method: str) -> None:
    limits, start = CONSTRAINTS[name], [1.0, 0.5]
    found = minimize(bowl, start, method=method, constraints=limits, tol=1e-9)
    expected = scipy.minimize(bowl, start, method="SLSQP", constraints=limits, tol=1e-12)
    np.testing.assert_allclose(found.x, expected.x, atol=2e-4)


def test_linear_constraints_leave_fixed_numbers_out() -> None:
    limit = scipy.LinearConstraint([1, 1], -1, 1)
    held = minimize(bowl, [0.5, 0.0], bounds=[(0.5, 0.5), (None, None)], constraints=limit)
    np.testing.assert_allclose(held.x, [0.5, -1.5], atol=1e-6)


def test_a_matrix_for_other_numbers_is_an_error() -> None:
    with pytest.raises(SizeError, match="2 columns"):
        minimize(bowl, [0.0, 0.0], constraints=scipy.LinearConstraint(np.eye(3), 0, 1))


HESSIAN = np.array([[2.0, 0.5], [0.5, 2.0]])


def slope(x: Any) -> Any:
    return HESSIAN @ x + np.array([-4.0, 6.0])


NAMES = ("x", "fun", "success", "message", "nit", "nfev", "njev", "jac", "status")


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "trust-ncg", "SLSQP"])
def test_results_have_the_names_of_scipy(method: str) -> None:
    found = minimize(bowl, np.zeros(2), method=method)
    second = {"hess": lambda x: HESSIAN} if method == "trust-ncg" else {}
    expected = scipy.minimize(bowl, np.zeros(2), method=method, jac=slope, **second)
    for name in NAMES:
        assert type(found[name]) is type(expected[name]) or np.isscalar(found[name]), name
        assert repr(found[name]) == repr(getattr(found, name))
    assert (found.success, found.status, found.message) == (True, 0, expected.message)
    assert found.nit == expected.nit
    assert found.fun == pytest.approx(expected.fun)
    np.testing.assert_allclose(found.jac, 0.0, atol=1e-4)
    assert hasattr(found, "hess_inv") == hasattr(expected, "hess_inv")


def test_bfgs_estimates_the_inverse_hessian() -> None:
    found = minimize(bowl, np.zeros(2), tol=1e-12)
    np.testing.assert_allclose(found.hess_inv @ HESSIAN, np.eye(2), atol=1e-2)


def test_a_failed_search_has_the_status_of_scipy() -> None:
    found = minimize(bowl, np.zeros(2), max_steps=1)
    assert (found.success, found.status) == (False, 1)


def test_both_names_of_the_tolerance_are_an_error() -> None:
    with pytest.raises(OptionError, match="SciPy's name"):
        minimize(bowl, np.zeros(2), tolerance=1e-3, tol=1e-3)


# --- curve_fit ------------------------------------------------------------------------------------

XS = np.linspace(0.0, 4.0, 50)
YS = 2.5 * np.exp(-1.3 * XS) + 0.5 + 0.01 * np.sin(50.0 * XS)


def decay(x: Any, a: Any, b: Any, c: Any) -> Any:
    return a * np.exp(-b * x) + c


@pytest.mark.parametrize("p0", [None, [2, 1, 0], (2.0, 1, 0), np.array([2, 1, 0]), np.ones(3)])
def test_curve_fit_unpacks_as_in_scipy(p0: Any) -> None:
    popt, pcov = curve_fit(decay, XS, YS, p0)
    expected, covariance = scipy.curve_fit(decay, XS, YS, p0)
    assert type(popt) is (np.ndarray if p0 is None else type(p0))
    np.testing.assert_allclose(popt, expected, rtol=1e-6)
    np.testing.assert_allclose(pcov, covariance, rtol=1e-4)


def test_a_dictionary_with_the_names_of_the_parameters() -> None:
    named, _ = curve_fit(decay, XS, YS, p0={"c": 0, "a": 2, "b": 1})
    listed, _ = curve_fit(decay, XS, YS, p0=[2, 1, 0])
    np.testing.assert_allclose([named[k] for k in "abc"], listed, rtol=1e-9)
    inside = curve_fit(
        lambda x, p: p["a"] * exp(-p["b"] * x) + p["c"], XS, YS, {"a": 2, "b": 1, "c": 0}
    )
    np.testing.assert_allclose([inside.parameters[k] for k in "abc"], listed, rtol=1e-9)


@pytest.mark.parametrize("sigma", [0.1, np.linspace(0.1, 0.3, 50)])
@pytest.mark.parametrize("absolute", [True, False])
def test_sigma_by_position(sigma: Any, absolute: bool) -> None:
    found = curve_fit(decay, XS, YS, None, sigma, absolute)
    expected = scipy.curve_fit(decay, XS, YS, None, np.broadcast_to(sigma, 50), absolute)
    np.testing.assert_allclose(found.parameters, expected[0], rtol=1e-6)
    np.testing.assert_allclose(found.covariance, expected[1], rtol=1e-4)


@pytest.mark.parametrize(
    "bounds", [(0, [3, 2, 1]), ([0, 0, 0], [3, 1, 1]), scipy.Bounds([0, 0, 0], 2)]
)
def test_bounds_of_curves(bounds: Any) -> None:
    found, _ = curve_fit(decay, XS, YS, bounds=bounds)
    expected, _ = scipy.curve_fit(decay, XS, YS, bounds=bounds)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-7)


def test_one_parameter_without_a_start() -> None:
    (slope,), _ = curve_fit(lambda x, a: a * x, XS, 3.0 * XS)
    assert slope == pytest.approx(3.0)


def test_a_model_without_named_parameters_needs_a_start() -> None:
    with pytest.raises(OptionError, match="names its parameters"):
        curve_fit(lambda x, *p: p[0] * x, XS, YS)
