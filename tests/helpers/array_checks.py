"""Checks of functions of Tensors: every derivative against differences, and modes against modes.

`check` is for any function with one result, `adjoint` for linear ones, where equality is exact up
to rounding. Keep arguments 1e-3 away from kinks and from the ends of the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradwalk import Tensor
from gradwalk.tensor.graph import backward as sweeps

__all__ = ["adjoint", "check", "differences", "projections"]

Function = Callable[..., Any]
STEP = 2.0**-11
FLOAT32 = {"rtol": 2e-4, "atol": 2e-5}


def check(
    f: Function,
    *arrays: Any,
    order: int = 2,
    wrt: Sequence[int] | None = None,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    dtypes: Sequence[str] = ("float64", "float32"),
) -> None:
    """Assert that ``f`` has right derivatives at ``arrays``, in all modes.

    ``f`` takes as many Tensors (or arrays) and gives one Tensor. ``wrt`` are the positions of the
    arguments to differentiate by, by default of all that are floating. Those of an integer or
    boolean dtype are handed on as they are.
    """
    args = [np.asarray(a) for a in arrays]
    if wrt is None:
        wrt = [i for i, a in enumerate(args) if a.dtype.kind == "f"]
    args = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in args]
    near = {"rtol": rtol, "atol": atol}
    _same_on_arrays(f, args)
    gradient = _first(f, args, wrt, near)
    if order > 1:
        _second(f, args, wrt, near)
    if "float32" in dtypes:
        _single(f, args, wrt)
    assert all(g.shape == args[i].shape for i, g in zip(wrt, gradient, strict=True))


def adjoint(f: Function, *arrays: Any, wrt: Sequence[int] | None = None, ulps: float = 64) -> None:
    """Assert that the reverse sweep is the transpose of the linear ``f``: ⟨u, A v⟩ = ⟨Aᵀ u, v⟩."""
    args = [np.asarray(a) for a in arrays]
    if wrt is None:
        wrt = [i for i, a in enumerate(args) if a.dtype.kind == "f"]
    y, leaves = _evaluated(f, args, wrt)
    u, _ = projections(y.shape, [])
    pulled = sweeps.gradients(y, leaves, u, create_graph=False)
    up, down = (
        np.vdot(u, y.data),
        sum(np.vdot(g, args[i]) for i, g in zip(wrt, pulled, strict=True)),
    )
    terms = np.vdot(abs(u), abs(y.data))
    terms += sum(np.vdot(abs(g), abs(args[i])) for i, g in zip(wrt, pulled, strict=True))
    assert abs(up - down) <= ulps * np.finfo(y.dtype).eps * terms, (up, down)


# --- the parts ----------------------------------------------------------------------------------


def projections(shape: Any, shapes: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Numbers to project results and arguments on, the same in every run; none of them small."""
    rng = np.random.default_rng(20240229)

    def draw(shape: Any) -> Any:
        return rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)

    return np.asarray(draw(shape)), [np.asarray(draw(s)) for s in shapes]


def differences(f: Callable[[list[Any]], float], args: list[Any], wrt: Sequence[int]) -> list[Any]:
    """The gradient of a number by central differences of two steps, number by number."""
    found = []
    for i in wrt:
        gradient = np.zeros(args[i].shape)
        for place in np.ndindex(args[i].shape):
            step = STEP * 2.0 ** np.ceil(np.log2(max(1.0, abs(args[i][place]))))
            wide, close = (_slope(f, args, i, place, h) for h in (step, step / 2))
            gradient[place] = (4.0 * close - wide) / 3.0  # Richardson: an error of order h⁴
        found.append(gradient)
    return found


def _slope(f: Callable[[list[Any]], float], args: list[Any], i: int, place: Any, h: float) -> float:
    both = []
    for sign in (1.0, -1.0):
        moved = args[i].copy()
        moved[place] += sign * h
        both.append(f([*args[:i], moved, *args[i + 1 :]]))
    return (both[0] - both[1]) / (2.0 * h)


def _evaluated(f: Function, args: list[Any], wrt: Sequence[int]) -> tuple[Tensor, list[Tensor]]:
    tensors = [
        Tensor(a, requires_grad=True) if i in wrt else Tensor(a) if a.dtype.kind == "f" else a
        for i, a in enumerate(args)
    ]
    y = f(*tensors)
    assert isinstance(y, Tensor), f"a Tensor was expected of f, got {type(y).__name__}"
    return y, [tensors[i] for i in wrt]


def _pulled(f: Function, args: list[Any], wrt: Sequence[int], u: Any) -> list[Any]:
    """The gradient of ⟨u, f⟩ by a sweep backwards."""
    y, leaves = _evaluated(f, args, wrt)
    assert y.requires_grad, "no gradient flows to the result of f"
    pulled = sweeps.gradients(y, leaves, u, create_graph=False)
    y.backward(u)  # which may be compiled
    for leaf, gradient in zip(leaves, pulled, strict=True):
        stored = np.zeros(leaf.shape, leaf.dtype) if leaf.grad is None else leaf.grad
        np.testing.assert_array_equal(stored, gradient)
    return pulled


def _same_on_arrays(f: Function, args: list[Any]) -> None:
    try:
        expected = f(*[a.copy() for a in args])
    except AttributeError:  # a method that only Tensors have
        return
    y, _ = _evaluated(f, args, [])
    assert not y.requires_grad
    assert y.shape == np.shape(expected)
    numbers = np.asarray(getattr(expected, "data", expected))
    # vector kernels may differ from NumPy's loops in the last bits, both within 4 ulp
    rtol = 4 * np.finfo(numbers.dtype).eps if numbers.dtype.kind == "f" else 0.0
    np.testing.assert_allclose(y.data, numbers, rtol=rtol, atol=0.0)


def _first(f: Function, args: list[Any], wrt: Sequence[int], near: dict[str, float]) -> list[Any]:
    y, leaves = _evaluated(f, args, wrt)
    u, vs = projections(y.shape, [args[i].shape for i in wrt])
    pulled = _pulled(f, args, wrt, u)
    expected = differences(lambda xs: np.vdot(u, _evaluated(f, xs, [])[0].data), args, wrt)
    for i, got, slope in zip(wrt, pulled, expected, strict=True):
        assert got.dtype == args[i].dtype
        np.testing.assert_allclose(got, slope, **near, err_msg=f"gradient of argument {i}")
    pushed = sweeps.tangent(y, dict(zip(leaves, vs, strict=True)))
    assert (pushed.shape, pushed.dtype) == (y.shape, y.dtype)
    products = [np.vdot(g, v) for g, v in zip(pulled, vs, strict=True)]
    scale = float(sum(np.vdot(abs(g), abs(v)) for g, v in zip(pulled, vs, strict=True)))
    assert abs(np.vdot(u, pushed) - sum(products)) <= 1e-9 * scale + 1e-12, "forward is not reverse"
    return pulled


def _second(f: Function, args: list[Any], wrt: Sequence[int], near: dict[str, float]) -> None:
    y, leaves = _evaluated(f, args, wrt)
    u, vs = projections(y.shape, [args[i].shape for i in wrt])
    gradient = sweeps.gradients(y, leaves, u, create_graph=True)
    projected: Any = sum((g * v).sum() for g, v in zip(gradient, vs, strict=True))
    got = _or_zeros(projected, leaves, None)

    def slope(xs: list[Any]) -> float:
        pulled = _pulled(f, xs, wrt, u)
        return float(sum(np.vdot(g, v) for g, v in zip(pulled, vs, strict=True)))

    expected = differences(slope, args, wrt)
    directions = dict(zip(leaves, vs, strict=True))
    pushed = sweeps.tangent(y, directions, create_graph=True)
    over_forward = _or_zeros(pushed, leaves, u)
    for k, i in enumerate(wrt):
        np.testing.assert_allclose(got[k], expected[k], **near, err_msg=f"second order, {i}")
        close = {"rtol": 1e-7, "atol": 1e-9 * (1.0 + np.max(abs(got[k]), initial=0.0))}
        np.testing.assert_allclose(over_forward[k], got[k], **close, err_msg="reverse over forward")
        over_reverse = sweeps.tangent(gradient[k], directions)  # the Hessian is symmetric
        np.testing.assert_allclose(over_reverse, got[k], **close, err_msg="forward over reverse")


def _or_zeros(y: Tensor, leaves: list[Tensor], seed: Any) -> list[Any]:
    """The gradient of a result that may not depend on anything, like the slope of a line."""
    if not y.requires_grad:
        return [np.zeros(leaf.shape) for leaf in leaves]
    return sweeps.gradients(y, leaves, seed, create_graph=False)


def _single(f: Function, args: list[Any], wrt: Sequence[int]) -> None:
    """float32 in is float32 out, and near to float64."""
    narrow = [a.astype(np.float32) if a.dtype.kind == "f" else a for a in args]
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in narrow]
    y, _ = _evaluated(f, narrow, wrt)
    assert y.dtype == np.float32
    u, _ = projections(y.shape, [])
    for got, expected in zip(_pulled(f, narrow, wrt, u), _pulled(f, wide, wrt, u), strict=True):
        assert (got.dtype, got.shape) == (np.dtype(np.float32), expected.shape)
        scale = np.max(abs(expected), initial=1.0)
        atol = FLOAT32["atol"] * scale
        np.testing.assert_allclose(got, expected, rtol=FLOAT32["rtol"], atol=atol)
