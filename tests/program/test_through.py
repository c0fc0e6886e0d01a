"""Gradients of a compiled function go by a program, which is recorded once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value

POINTS = [0.5, -1.25, 2.0]


def powers(x: Any) -> Any:
    return x * gw.sin(x) if x > 0.0 else x**3


@pytest.mark.parametrize("transform", [gw.grad, gw.value_and_grad, gw.hessian, gw.jacobian])
def test_programs_have_the_bits_of_the_function(transform: Any) -> None:
    runs = []

    def f(x: Any) -> Any:
        runs.append(x)
        return powers(x)

    compiled = gw.compile(f)
    for x in POINTS * 3:
        assert transform(compiled)(x) == transform(powers)(x)
    assert len(runs) == 2  # one for each branch


def test_arrays_and_containers() -> None:
    def loss(p: Any, x: Any) -> Any:
        return gw.sum(gw.tanh(x @ p["w"]) ** 2)

    compiled = gw.compile(loss)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        p, x = {"w": rng.normal(size=(3, 2))}, rng.normal(size=(4, 3))
        expected = gw.grad(loss, (0, 1))(p, x)
        got = gw.grad(compiled, (0, 1))(p, x)
        np.testing.assert_allclose(got[0]["w"], expected[0]["w"], rtol=1e-14)
        np.testing.assert_allclose(got[1], expected[1], rtol=1e-14)


def test_nesting_and_carriers() -> None:
    compiled = gw.compile(powers)
    assert gw.grad(gw.grad(compiled))(0.75) == gw.grad(gw.grad(powers))(0.75)
    assert gw.grad(lambda x: gw.grad(compiled)(x) * x)(0.75) == pytest.approx(
        gw.grad(lambda x: gw.grad(powers)(x) * x)(0.75), rel=1e-15
    )
    x = Value(0.75)
    assert gw.grad(compiled)(x) == gw.grad(powers)(x)
    t = Tensor(0.75, requires_grad=True)
    assert float(gw.grad(compiled)(t).detach()) == float(gw.grad(powers)(t).detach())


def test_auxiliary_results_and_errors() -> None:
    with_aux = gw.compile(lambda x: (x * x, {"double": 2.0 * x}))
    for x in POINTS:
        assert gw.grad(with_aux, has_aux=True)(x) == (2.0 * x, {"double": 2.0 * x})
    with pytest.raises(gw.errors.SizeError):
        gw.grad(gw.compile(lambda x: x * 2.0))(np.ones(3))
