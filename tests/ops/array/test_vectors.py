"""Vector kernels against 50 digits and more, and that a result depends on its operands alone."""

from __future__ import annotations

import math
import warnings
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gradwalk import native
from gradwalk.core.primitive import Primitive
from gradwalk.ops import TABLE
from gradwalk.ops.array import vectors
from gradwalk.ops.array.evaluation import function_of, rules_of
from gradwalk.program.printing import vector_header

from ...helpers.arguments import CANCELS, Args, arguments, error, exactly
from ...helpers.reference import REFERENCE

COUNT = 300
WITH_KERNEL = [n for n, p in TABLE.items() if p.kind == "pointwise" and vectors.vector_function(p)]
NAMED = ["exp", "log", "tanh", "sigmoid", "sin", "cos", "gelu", "erf"]
DTYPES = (np.float64, np.float32)

pytestmark = pytest.mark.skipif(not WITH_KERNEL, reason="the Python engine, or no AVX2 and fma")


def columns(points: list[Args], dtype: Any = np.float64) -> list[Any]:
    return [np.array(column, dtype) for column in zip(*points, strict=True)]


def same(a: Any, b: Any) -> bool:
    """Whether two arrays have the same bits; any NaN is as good as any other."""
    kind = f"u{a.dtype.itemsize}"
    return bool(np.all((a.view(kind) == b.view(kind)) | (np.isnan(a) & np.isnan(b))))


# --- accuracy -------------------------------------------------------------------------------------


def test_the_kernels_of_the_issue_are_there():
    assert set(NAMED) <= set(WITH_KERNEL)
    assert vector_header.fingerprint() == native.load("_vectors").FINGERPRINT, "build again"


# The bounds are those of numbers: 4 ulp, but for the rows of LOOSER and CANCELS.
@pytest.mark.parametrize("name", WITH_KERNEL)
def test_values(name: str):
    points = list(arguments(name, COUNT))
    with np.errstate(all="ignore"):
        got = function_of(TABLE[name])(*columns(points))
    for args, y in zip(points, got, strict=True):
        assert error(name, None, float(y), args) <= 1.0, (args, y)


@pytest.mark.parametrize("name", WITH_KERNEL)
def test_first_derivatives(name: str):
    primitive, points = TABLE[name], list(arguments(name, COUNT))
    for index, got in enumerate(slopes(primitive, columns(points))):
        for args, slope in zip(points, () if got is None else got, strict=got is not None):
            assert error(name, index, float(slope), args) <= 1.0, (args, slope)


def slopes(primitive: Primitive, args: list[Any]) -> list[Any]:
    """What the rules on arrays give for a gradient of 1; masked ones are 0."""
    with np.errstate(all="ignore"):
        y = function_of(primitive)(*args)
        found = [rule and rule(np.ones_like(y), y, *args) for rule in rules_of(primitive)]
    return [getattr(c, "data", c) if not isinstance(c, np.ndarray) else c for c in found]


@pytest.mark.parametrize("name", WITH_KERNEL)
def test_values_in_float32(name: str):
    """One rounding of a float64, or NumPy's loop."""
    points = [args for args in arguments(name, COUNT) if max(map(abs, args)) < 1e38]
    args = columns(points, np.float32)
    with np.errstate(all="ignore"):
        got = function_of(TABLE[name])(*args)
    assert got.dtype == np.float32
    for point, y in zip(zip(*[a.tolist() for a in args], strict=True), got, strict=True):
        expected = exactly(REFERENCE[name][0], point)
        term = exactly(CANCELS[name, None], point) if (name, None) in CANCELS else mp.mpf(0)
        assert ulps32(y, expected, term) <= 4.0, (point, y)


def ulps32(got: Any, expected: Any, term: Any) -> float:
    with np.errstate(over="ignore"):
        nearest = np.float32(float(expected))
    if not (math.isfinite(nearest) and math.isfinite(got)):
        return 0.0 if same(np.array([got]), np.array([nearest])) else math.inf
    unit = np.spacing(np.float32(max(abs(nearest), abs(float(term)))))
    return float(abs(mp.mpf(float(got)) - expected) / float(unit))


LOG_OF_LARGEST = math.log(1.7e308)
SPECIAL: dict[str, tuple[float, ...]] = {
    # of          0.0, -0.0, inf, -inf, nan, 5e-324, -5e-324, 1.7e308, -1.7e308
    "exp": (1.0, 1.0, math.inf, 0.0, math.nan, 1.0, 1.0, math.inf, 0.0),
    "expm1": (0.0, -0.0, math.inf, -1.0, math.nan, 5e-324, -5e-324, math.inf, -1.0),
    "log": (
        -math.inf,
        -math.inf,
        math.inf,
        math.nan,
        math.nan,
        -744.4400719213812,
        math.nan,
        LOG_OF_LARGEST,
        math.nan,
    ),
    "log1p": (0.0, -0.0, math.inf, math.nan, math.nan, 5e-324, -5e-324, LOG_OF_LARGEST, math.nan),
    "tanh": (0.0, -0.0, 1.0, -1.0, math.nan, 5e-324, -5e-324, 1.0, -1.0),
    "sin": (
        0.0,
        -0.0,
        math.nan,
        math.nan,
        math.nan,
        5e-324,
        -5e-324,
        math.sin(1.7e308),
        -math.sin(1.7e308),
    ),
    "cos": (1.0, 1.0, math.nan, math.nan, math.nan, 1.0, 1.0, math.cos(1.7e308), math.cos(1.7e308)),
    "erf": (0.0, -0.0, 1.0, -1.0, math.nan, 5e-324, -5e-324, 1.0, -1.0),
    "erfc": (1.0, 1.0, 0.0, 2.0, math.nan, 1.0, 1.0, 0.0, 2.0),
    "sigmoid": (0.5, 0.5, 1.0, 0.0, math.nan, 0.5, 0.5, 1.0, 0.0),
    "gelu": (0.0, -0.0, math.inf, -0.0, math.nan, 0.0, -0.0, 1.7e308, -0.0),
}
POINTS = (0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.7e308, -1.7e308)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str):
    with np.errstate(all="ignore"):
        got = function_of(TABLE[name])(np.array(POINTS))
    assert same(got, np.array(SPECIAL[name])), got


# --- one number, wherever it lies -----------------------------------------------------------------

NUMBERS = st.floats(width=32) | st.sampled_from(POINTS[:7]) | st.floats(-10.0, 10.0, width=32)


@settings(deadline=None)
@given(
    st.sampled_from(WITH_KERNEL),
    st.sampled_from(DTYPES),
    arrays(np.float64, st.integers(1, 40), elements=NUMBERS),
    st.integers(0, 600),
    st.integers(1, 3),
    st.data(),
)
def test_a_result_depends_on_its_operands_alone(
    name: str, dtype: Any, x: Any, before: int, step: int, data: st.DataObject
):
    """In front of, behind and between other numbers, aligned or not, alone or in place."""
    primitive = TABLE[name]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = x.astype(dtype)
        args = [x] + [
            data.draw(arrays(np.float64, x.shape, elements=NUMBERS)).astype(dtype)
            for _ in range(primitive.arity - 1)
        ]
        f = function_of(primitive)
        alone = np.concatenate([f(*[a[i : i + 1] for a in args]) for i in range(x.size)])
        assert same(f(*args), alone)
        assert same(f(*[spread(a, before, step) for a in args]), alone)
        assert same(f(*[a[::-1] for a in args])[::-1].copy(), alone)
        assert same(f(*[np.asfortranarray(np.stack([a, a])) for a in args])[1].copy(), alone)


def spread(a: Any, before: int, step: int) -> Any:
    """The same numbers in a larger array, ``step`` apart, the first at ``before``."""
    room = np.full(before + step * a.size, 1.5, a.dtype)
    room[before::step] = a
    return room[before::step]


def test_long_arrays_are_their_blocks():
    x = np.linspace(-8.0, 8.0, 5000)
    for name in NAMED:
        f, positive = function_of(TABLE[name]), np.abs(x) if name == "log" else x
        with np.errstate(all="ignore"):
            parts = np.concatenate([f(positive[i : i + 77]) for i in range(0, 5000, 77)])
            assert same(f(positive), parts), name
            kernel = vectors._kernel(TABLE[name], name, False)[0]
            assert same(kernel(positive.copy(), out=(here := positive.copy())), here)
            assert same(kernel(here := positive.copy(), out=here), f(positive))


# --- what NumPy is told ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "x", "words"),
    [
        ("exp", 1000.0, "overflow encountered in exp"),
        ("log", 0.0, "divide by zero encountered in log"),
        ("log", -1.0, "invalid value encountered in log"),
        ("log1p", -1.0, "divide by zero encountered in log1p"),
        ("sin", math.inf, "invalid value encountered in sin"),
        ("cos", -math.inf, "invalid value encountered in cos"),
    ],
)
def test_warnings_are_those_of_numpy(name: str, x: float, words: str):
    f = function_of(TABLE[name])
    with pytest.warns(RuntimeWarning, match=words):
        f(np.array([1.0, x]))
    f(np.array([1.0, math.nan, 0.5]))  # warnings are errors in tests


@pytest.mark.parametrize("name", [n for n in WITH_KERNEL if not hasattr(np, TABLE[n].libm or "-")])
def test_other_kernels_are_silent(name: str):
    """Warnings are errors in tests."""
    for x in POINTS:
        y = function_of(TABLE[name])(*[np.array([x, 1.0])] * TABLE[name].arity)
        assert np.isfinite(y[1])


@pytest.mark.parametrize("kind", ["bool", "int8", "int16", "int64"])
def test_integers_are_computed_in_float64(kind: str):
    got = function_of(TABLE["sigmoid"])(np.array([1, 0], kind))
    assert got.dtype == np.float64
    assert function_of(TABLE["gelu"])(np.array([1, 0], kind)).dtype == np.float64
