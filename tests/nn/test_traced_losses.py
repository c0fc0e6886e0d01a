"""Losses of lists whose members are traced: every transform, alone and nested."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradwalk import compile, grad, hessian, jvp, nn, taylor, vjp, vmap
from gradwalk.errors import DataError, OptionError

LOSSES: dict[str, Callable[[Any], Any]] = {
    "mse": lambda p: nn.mse([p], [1.0]),
    "mae": lambda p: nn.mae([p], [1.0]),
    "huber": lambda p: nn.huber([p], [1.0]),
    "huber, delta": lambda p: nn.huber([3.0 * p], [1.0], delta=0.25 * p),
    "smooth_l1, beta": lambda p: nn.smooth_l1([p], [1.0], beta=p),
    "hinge": lambda p: nn.hinge([p], [1]),
    "hinge, margin": lambda p: nn.hinge([p], [1], margin=2.0 * p),
    "binary_cross_entropy": lambda p: nn.binary_cross_entropy([p, 0.25], [1, 0]),
    "binary_cross_entropy, one number": lambda p: nn.binary_cross_entropy(p, 1),
    "binary_cross_entropy, rows": lambda p: nn.binary_cross_entropy([[p, 0.25]], [[1, p]]),
    "logits": lambda p: nn.binary_cross_entropy_with_logits([p], [p]),
    "kl_div": lambda p: nn.kl_div([p], [p]),
    "kl_div, log_target": lambda p: nn.kl_div([p], [p], log_target=True),
    "nll": lambda p: nn.nll([[p, 1.0]], [0]),
    "cross_entropy": lambda p: nn.cross_entropy([[p, 1.0]], [0]),
    "cross_entropy, probabilities": lambda p: nn.cross_entropy([[p, 1.0]], [[p, 1.0 - p]]),
}

FIRST: dict[str, Callable[..., Any]] = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](1.0)[0],
    "jvp": lambda f, x: jvp(f, (x,), (1.0,))[1],
    "taylor": lambda f, x: taylor(f, x, order=1)[1],
    "an array without axes": lambda f, x: grad(f)(np.array(x)),
    "compile": lambda f, x: compile(grad(f))(x),
    "vmap": lambda f, x: vmap(grad(f))(np.array([x, 0.75]))[0],
}

SECOND: dict[str, Callable[..., Any]] = {
    "grad of grad": lambda f, x: grad(grad(f))(x),
    "jvp of grad": lambda f, x: jvp(grad(f), (x,), (1.0,))[1],
    "grad of jvp": lambda f, x: grad(lambda y: jvp(f, (y,), (1.0,))[1])(x),
    "hessian": lambda f, x: hessian(f)(x),
    "taylor": lambda f, x: 2.0 * taylor(f, x, order=2)[2],
    "arrays without axes": lambda f, x: grad(grad(f))(np.array(x)),
    "compile": lambda f, x: compile(grad(grad(f)))(x),
}


def _slope(f: Callable[[float], Any], x: float, h: float = 1e-5) -> float:
    return float((f(x + h) - f(x - h)) / (2.0 * h))


@pytest.mark.parametrize("name", LOSSES)
def test_first_derivatives(name: str) -> None:
    f, x = LOSSES[name], 0.3125
    expected = _slope(f, x)
    for way in FIRST:
        assert FIRST[way](f, x) == pytest.approx(expected, rel=1e-6, abs=1e-9), way


@pytest.mark.parametrize("name", LOSSES)
def test_second_derivatives(name: str) -> None:
    f, x = LOSSES[name], 0.3125
    expected = _slope(grad(f), x)
    for way, derivative in SECOND.items():
        assert derivative(f, x) == pytest.approx(expected, rel=1e-6, abs=1e-9), way


@pytest.mark.parametrize("transform", [grad, lambda f: grad(grad(f))])
def test_traced_numbers_outside_of_their_range_are_errors(transform: Any) -> None:
    with pytest.raises(DataError, match="numbers from 0 to 1"):
        transform(lambda p: nn.binary_cross_entropy([p], [1]))(1.5)
    with pytest.raises(OptionError, match="a positive number"):
        transform(lambda p: nn.huber([1.0], [0.0], delta=p))(-1.0)
