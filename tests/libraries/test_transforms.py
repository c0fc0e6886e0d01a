"""Transforms and matrices on Tensors of other libraries' arrays: NumPy's derivatives, there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor
from gradwalk.errors import DataError, NotANumberError, OptionError
from gradwalk.tensor import linalg

from ..helpers.libraries import Library, compare

rng = np.random.default_rng(11)
V, ONES, ROWS = rng.normal(size=3), np.ones(3), rng.normal(size=(4, 3))
SQUARE = rng.normal(size=(3, 3)) + 3.0 * np.eye(3)
SPD = SQUARE @ SQUARE.T
Make = Callable[[Any], Any]


def f(x: Any) -> Any:
    """Return an array: pointwise operations, parts, a product, a choice and a broadcast."""
    y = gw.tanh(x) * x[0] + gw.where(x > 0.0, x**2, gw.exp(x))
    return y + (x[1:] @ x[:-1]) * gw.softplus(x).sum()


def g(x: Any) -> Any:
    return (f(x) * x).sum()


CALLS: dict[str, Callable[[Make], Any]] = {
    "grad": lambda m: gw.grad(g)(m(V)),
    "value_and_grad": lambda m: gw.value_and_grad(g)(m(V)),
    "grad-grad": lambda m: gw.grad(lambda x: (gw.grad(g)(x) ** 2).sum())(m(V)),
    "grad-grad-grad": lambda m: gw.grad(
        lambda x: gw.grad(lambda y: (gw.grad(g)(y) * y).sum())(x).sum()
    )(m(V)),
    "vjp": lambda m: gw.vjp(f, m(V))[1](m(ONES)),
    "jvp": lambda m: gw.jvp(f, (m(V),), (m(ONES),)),
    "jvp-grad": lambda m: gw.jvp(gw.grad(g), (m(V),), (m(ONES),)),
    "linearize": lambda m: gw.linearize(f, m(V))[1](m(ONES)),
    "jacobian-reverse": lambda m: gw.jacobian(f, mode="reverse")(m(V)),
    "jacobian-forward": lambda m: gw.jacobian(f, mode="forward")(m(V)),
    "hessian": lambda m: gw.hessian(g)(m(V)),
    "hvp": lambda m: gw.hvp(g, m(V), m(ONES)),
    "vmap": lambda m: gw.vmap(f)(m(ROWS)),
    "vmap-grad": lambda m: gw.vmap(gw.grad(g))(m(ROWS)),
    "grad-vmap": lambda m: gw.grad(lambda x: gw.vmap(g)(x).sum())(m(ROWS)),
    "vmap-hessian": lambda m: gw.vmap(gw.hessian(g))(m(ROWS)),
    "checkpoint": lambda m: gw.grad(gw.checkpoint(g))(m(V)),
    "hessian-checkpoint": lambda m: gw.hessian(gw.checkpoint(g))(m(V)),
    "compile": lambda m: gw.compile(g)(m(V)),
    "grad-compile": lambda m: gw.grad(gw.compile(g))(m(V)),
    "containers": lambda m: gw.grad(lambda p: (f(p["a"]) * p["b"]).sum())(
        {"a": m(V), "b": m(ONES)}
    )["b"],
}


def numbers(x: Any) -> list[Any]:
    """Return the arrays of a result as NumPy's."""
    parts = x if isinstance(x, tuple) else (x,)
    return [Tensor(part).numpy() for part in parts]


@pytest.mark.parametrize("name", CALLS)
def test_derivatives_are_those_of_numpy(library: Library, name: str) -> None:
    found = CALLS[name](library.tensor)
    parts = found if isinstance(found, tuple) else (found,)
    assert all(library.holds(part) for part in parts)
    for part, expected in zip(numbers(found), numbers(CALLS[name](Tensor)), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-11, atol=1e-12, strict=True)


MATRICES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "det": (linalg.det, [SQUARE]),
    "det-singular": (linalg.det, [np.outer(V, V)]),
    "slogdet": (lambda x: linalg.slogdet(x)[1], [SQUARE]),
    "svd": (lambda x: linalg.svd(x, full_matrices=False)[1] ** 2, [ROWS]),
    "svd-vectors": (lambda x: (lambda u, s, v: (u * s) @ v)(*linalg.svd(x, False)), [ROWS]),
    "svdvals": (linalg.svdvals, [ROWS]),
    "qr": (lambda x: (lambda q, r: q**2 @ r**2)(*linalg.qr(x)), [ROWS]),
    "eigh": (lambda x: (lambda w, v: (v**2) @ w)(*linalg.eigh(x)), [SPD]),
    "eigvalsh": (linalg.eigvalsh, [SPD]),
    "solve": (linalg.solve, [SQUARE, ROWS.T.copy()]),
    "inv": (linalg.inv, [SQUARE]),
    "pinv": (linalg.pinv, [ROWS]),
    "cholesky": (linalg.cholesky, [SPD]),
    "matrix_power": (lambda x: linalg.matrix_power(x, 3), [SQUARE]),
    "matrix_norm": (linalg.matrix_norm, [ROWS]),
    "expm": (linalg.expm, [SQUARE]),
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[0], [ROWS, rng.normal(size=(4, 2))]),
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_have_the_derivatives_of_numpy(library: Library, name: str) -> None:
    function, args = MATRICES[name]
    compare(library, function, *args, rtol=1e-9, atol=1e-10)


def sum_of_squares(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: (function(*args) ** 2).sum()


@pytest.mark.parametrize("name", MATRICES)
def test_hessians_of_matrices_are_those_of_numpy(library: Library, name: str) -> None:
    function, args = MATRICES[name]
    loss = sum_of_squares(function)
    expected = gw.hessian(loss)(*map(Tensor, args))
    found = gw.hessian(loss)(*map(library.tensor, args))
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("transform", [gw.grad, gw.value_and_grad, gw.hessian, gw.jacobian])
def test_an_array_outside_of_a_tensor_is_an_error_that_says_so(
    library: Library, transform: Any
) -> None:
    with pytest.raises(NotANumberError, match=r"Tensor\(x\)"):
        transform(g)(library.array(V))


@pytest.mark.parametrize("name", ["grad", "jvp", "hessian", "vmap"])
def test_mixing_inside_of_a_transform_names_both_places(library: Library, name: str) -> None:
    calls: dict[str, Any] = {
        "grad": lambda h, x: gw.grad(h)(x),
        "jvp": lambda h, x: gw.jvp(h, (x,), (library.tensor(ONES),)),
        "hessian": lambda h, x: gw.hessian(h)(x),
        "vmap": lambda h, x: gw.vmap(h)(library.tensor(ROWS)),
    }
    with pytest.raises(OptionError, match=rf"{library.name}:.*numpy.*to_device"):
        calls[name](lambda x: (x * np.array([1.0, 2.0, 3.0])).sum(), library.tensor(V))


def test_compile_records_arrays_of_a_library_that_has_a_compiler(library: Library) -> None:
    """Of JAX and PyTorch the function runs once; of other libraries it runs as it is written."""
    held, runs = library.tensor(V), list[int]()

    def f(x: Any) -> Any:
        runs.append(1)
        return (x * held).sum()

    compiled = gw.compile(f)
    for k in range(3):
        found = compiled(library.tensor(V * (k + 1.0)))
        assert found.device == held.device
        np.testing.assert_allclose(found.numpy(), (V * (k + 1.0) * V).sum())
    assert len(runs) == (1 if library.name in ("jax", "torch") else 3)


@pytest.mark.parametrize("name", ["inv", "solve", "cholesky"])
def test_a_matrix_that_is_refused_is_an_error_that_explains(library: Library, name: str) -> None:
    x = library.tensor(np.zeros((2, 2)) if name != "cholesky" else -np.eye(2))
    args = (x, x) if name == "solve" else (x,)
    if library.name == "jax":  # whose functions say nothing
        assert not np.isfinite(getattr(linalg, name)(*args).numpy()).all()
    else:
        with pytest.raises(DataError, match=rf"linalg.{name}.*: expected .* matrices"):
            getattr(linalg, name)(*args)
