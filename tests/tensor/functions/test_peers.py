"""Functions of samples, joins, segments and special values: values and derivatives of peers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, grad, vmap
from gradwalk.errors import GradwalkError

from ...helpers.array_checks import check
from ...helpers.function_cases import FUNCTIONS, MATRICES, Case

CASES = [
    pytest.param(case, id=f"{name}-{i}")
    for table in (FUNCTIONS, MATRICES)
    for name, cases in table.items()
    for i, case in enumerate(cases)
]
NUMPYS = [p for p in CASES if hasattr(np, str(p.id).partition("-")[0])]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def drawn(case: Case) -> list[Any]:
    rng = np.random.default_rng(11)
    return [np.asarray(draw(rng)) for draw in case.draws]


OF_INTEGERS = ("nanargmax", "nanargmin", "argpartition")
"""Functions whose results are positions, which have no derivative."""
DIFFERENTIABLE = [p for p in CASES if str(p.id).rpartition("-")[0] not in OF_INTEGERS]


@pytest.mark.parametrize("case", [p for p in CASES if p.values[0].peer is not None])
def test_values_are_those_of_the_peer(case: Case) -> None:
    args = drawn(case)
    expected = np.asarray(case.peer(*args))
    for given in (args, [Tensor(a) for a in args]):
        got = np.asarray(getattr(case.call(*given), "data", case.call(*given)))
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("case", [p for p in CASES if p not in DIFFERENTIABLE])
def test_positions_have_no_derivative(case: Case) -> None:
    y = case.call(*[Tensor(a, requires_grad=a.dtype.kind == "f") for a in drawn(case)])
    assert y.dtype.kind == "i"
    assert not y.requires_grad


@pytest.mark.parametrize("case", DIFFERENTIABLE)
def test_every_derivative_is_right(case: Case) -> None:
    """Reverse and forward mode in both orders, against differences; float32 stays float32."""
    args = drawn(case)
    y = case.call(*[Tensor(a) for a in args])
    assert y.dtype.kind == "f"
    keep = np.isfinite(y.data)
    assert keep.any()
    missing = [np.isnan(a) if a.dtype.kind == "f" else None for a in args]
    if not keep.all():
        check(lambda *a: case.call(*a)[keep], *args)
    elif any(m is not None and m.any() for m in missing):  # differences need numbers to move
        (hole,), (x,) = missing, args
        check(lambda v: case.call(gw.where(hole, np.nan, v)), np.where(hole, 0.5, x),
              dtypes=("float64",))  # fmt: skip
    else:
        check(case.call, *args)


# --- ways to write them ---------------------------------------------------------------------------


OTHER_FORMS = ("array", "piecewise")


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if hasattr(np, n) and n not in OTHER_FORMS])
def test_numpys_own_function_answers_with_ours(name: str) -> None:
    """``np.nanmean(t)`` of a Tensor is the function of gradwalk, with the gradient."""
    for case in FUNCTIONS[name]:
        args = drawn(case)
        if case.peer is None or not args:
            continue
        x = Tensor(args[0], requires_grad=args[0].dtype.kind == "f")
        got = case.peer(x, *args[1:])
        assert isinstance(got, Tensor), name
        np.testing.assert_allclose(got.data, case.peer(*args), rtol=1e-12, atol=1e-13)


NUMBERS = ("erfinv", "erfcx", "ndtr", "ndtri", "log_ndtr", "i0", "i1", "logit")
PAIRS = ("beta", "betaln", "gammainc", "xlogy", "fmod", "heaviside", "xlog1py")


@pytest.mark.parametrize("name", NUMBERS + PAIRS)
def test_numbers_and_values_too(name: str) -> None:
    f: Any = getattr(gw, name)
    args = (0.3, 1.7)[: 1 if name in NUMBERS else 2]
    leaves = [Value(a) for a in args]
    y = f(*leaves)
    assert type(f(*args)) is float
    assert y.data == f(*args) == pytest.approx(float(f(*map(np.asarray, args))), rel=1e-14)
    y.backward()
    slopes = grad(f, argnums=tuple(range(len(args))))(*map(float, args))
    assert [v.grad for v in leaves] == pytest.approx(slopes, rel=1e-13)
    batch = vmap(grad(lambda *a: grad(f)(*a)))(*[np.array([a, a]) for a in args])
    assert batch[0] == pytest.approx(grad(lambda *a: grad(f)(*a))(*args), rel=1e-12)


def test_arrays_of_traced_numbers() -> None:
    def f(x: Any) -> Any:
        row = gw.r_[x, 2.0, gw.array([x * x, 1.0]), 0:3]
        assert row.shape == (7,)
        return gw.c_[row, row * x].sum()

    assert f(3.0).item() == pytest.approx(18.0 * 4.0)
    assert grad(f)(3.0) == pytest.approx(46.0)
    assert vmap(grad(f))(np.array([3.0, 1.0]))[0] == pytest.approx(46.0)
    leaf = Value(3.0)
    f(leaf).backward()
    assert leaf.grad == pytest.approx(46.0)
    with pytest.raises(GradwalkError, match="concat"):
        gw.r_["0,2", 1.0]


@pytest.mark.parametrize("call", [
    lambda: gw.segment_sum([1.0, 2.0], [0, -1]), lambda: gw.segment_sum([1.0, 2.0], [0]),
    lambda: gw.segment_max([1.0, 2.0], [0, 5], 3), lambda: gw.convolve([1.0], [[1.0]]),
    lambda: gw.convolve([1.0], [1.0], "wide"), lambda: gw.gradient([1.0]),
    lambda: gw.interp([1.0], [1.0, 2.0], [1.0]), lambda: gw.insert([1.0], 7, 1.0),
    lambda: gw.delete([1.0], 7), lambda: gw.block([[1.0], 2.0]), lambda: gw.add_at([1.0], 0, [1,
        2]),
    lambda: gw.piecewise([1.0], [[True]], []), lambda: gw.partition([1.0], 4),
    lambda: gw.linalg.solve_triangular([[1.0]], [1.0], trans=7), lambda: gw.linalg.lu([1.0]),
])  # fmt: skip
def test_what_does_not_fit_is_explained(call: Any) -> None:
    with pytest.raises(GradwalkError):
        call()


def test_numpys_add_at_writes_into_a_tensor() -> None:
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2.0
    np.add.at(y, [0, 0, 2], x[:3] * 10.0)
    assert y.tolist() == [32.0, 4.0, 36.0]
    y.sum().backward()
    assert x.grad.tolist() == [12.0, 12.0, 12.0]
