"""A program under a transform gives what the same program gives on plain numbers and arrays.

The programs are drawn (``helpers/ordinary.py``); what they must give, and their derivatives, come
from Python, NumPy and dual numbers (``helpers/dual.py``), without gradwalk.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Tensor, Value
from gradwalk.errors import GradwalkError, SilentDetachError

from ..helpers.amount import examples
from ..helpers.dual import Dual, lift
from ..helpers.ordinary import CONSTANTS, DUAL, PLAIN, array_program, compiled, scalar_program

Program = Callable[..., Any]
Answer = tuple[Any, Any]  # the value and the gradient
DRAWS = st.randoms(use_true_random=False)


def _directional(run: Callable[[Any], Answer], arguments: list[Any]) -> Answer:
    """Return the value, and the gradient from one directional derivative per entry."""
    basis = np.eye(np.size(arguments)).reshape(-1, *np.shape(arguments))
    answers = [run(direction) for direction in basis]
    slopes = np.array([np.asarray(slope, float) for _, slope in answers])
    return answers[0][0], slopes.reshape(np.shape(arguments))


def _backward(f: Program, leaves: list[Any]) -> Answer:
    out = f(*leaves)
    if not isinstance(out, Value | Tensor):  # the program does not depend on its arguments
        return out, [0.0 for _ in leaves]
    if isinstance(out, Value) or out.requires_grad:
        out.backward()
    return out.data, [0.0 if leaf.grad is None else leaf.grad for leaf in leaves]


def _in_forward_mode(f: Program, x: list[Any]) -> Answer:
    """The gradient, computed while an outer jvp runs."""
    answer, _ = gw.jvp(gw.value_and_grad(f, tuple(range(len(x)))), tuple(x), tuple(x))
    value, gradient = answer
    return value, gradient


def _in_reverse_mode(f: Program, x: list[Any]) -> Answer:
    """The gradient, computed while an outer grad runs."""
    inner = gw.value_and_grad(f, tuple(range(len(x))))
    outer = gw.value_and_grad(inner, tuple(range(len(x))), has_aux=True)
    return outer(*x)[0]


def _by_vjp(f: Program, x: list[Any]) -> Answer:
    value, pull = gw.vjp(f, *x)
    return value, pull(np.float64(1.0) if isinstance(value, np.ndarray) else 1.0)


def _reverse(f: Program, x: list[Any]) -> Answer:
    return gw.value_and_grad(f, tuple(range(len(x))))(*x)


ON_NUMBERS: dict[str, Callable[[Program, list[float]], Answer]] = {
    "value_and_grad": _reverse,
    "vjp": _by_vjp,
    "jvp": lambda f, x: _directional(lambda d: gw.jvp(f, tuple(x), tuple(d.tolist())), x),
    "linearize": lambda f, x: _directional(
        lambda d, run=gw.linearize: (run(f, *x)[0], run(f, *x)[1](*d.tolist())), x
    ),
    "inside jvp": _in_forward_mode,
    "inside grad": _in_reverse_mode,
    "checkpoint": lambda f, x: _reverse(gw.checkpoint(f), x),
    "0-d arrays": lambda f, x: _reverse(f, [np.array(v) for v in x]),
    "Values": lambda f, x: _backward(f, [Value(v) for v in x]),
    "Tensors": lambda f, x: _backward(f, [Tensor(v, requires_grad=True) for v in x]),
}
ON_ARRAYS: dict[str, Callable[[Program, list[Any]], Answer]] = {
    name: ON_NUMBERS[name]
    for name in ("value_and_grad", "vjp", "inside jvp", "inside grad", "checkpoint", "Tensors")
}
ON_ARRAYS["jvp"] = lambda f, x: _directional(lambda d: gw.jvp(f, tuple(x), tuple(d)), x)


def _expected(source: str, x: list[Any]) -> tuple[Any, Any, bool]:
    """Return value and gradient by Python and NumPy themselves, and whether a kink was met."""
    program = compiled(source, DUAL)
    gradient = np.zeros(np.shape(x))
    Dual.kinks.clear()
    for place in np.ndindex(np.shape(x)):
        duals = np.empty(np.shape(x), object)
        for other in np.ndindex(np.shape(x)):
            duals[other] = Dual(float(np.array(x)[other]), float(other == place))
        result = lift(program(*duals))
        gradient[place] = result.tangent
    return result.primal, gradient, bool(Dual.kinks)


def _check(source: str, x: list[Any], runs: dict[str, Any]) -> None:
    program = compiled(source, PLAIN)
    try:
        plain = float(program(*x))
        value, gradient, kink = _expected(source, x)
    except Exception as error:  # what Python refuses, transforms refuse as Python does
        for name, run in runs.items():
            with pytest.raises((type(error), GradwalkError)):
                pytest.fail(f"{name} gives {run(program, x)}, not {error!r}, for\n{source}{x}")
        return
    np.testing.assert_allclose(value, plain, rtol=1e-12, err_msg="the reference itself")
    for name, run in runs.items():
        if name in ("0-d arrays", "Tensors") and re.search(r" [+*]= ", source):
            continue  # updates of arrays in place are those of the alias, too, as in NumPy
        if name in ("Values", "Tensors") and ("copy." in source or "dataclasses." in source):
            continue  # outside of transforms a copy is another graph, as the manual says
        try:
            got, slopes = run(program, x)
        except SilentDetachError:
            continue  # np.array of numbers that have a derivative: an error that names the way
        message = f"{name} of\n{source}at {x}"
        np.testing.assert_allclose(float(got), plain, rtol=1e-12, err_msg=message)
        if not kink:
            slopes = np.array([np.asarray(slope, float) for slope in slopes])
            np.testing.assert_allclose(slopes, gradient, rtol=1e-9, atol=1e-12, err_msg=message)


@examples(2000, 60)
@given(DRAWS)
def test_programs_of_numbers(draws: random.Random) -> None:
    source = scalar_program(draws)
    _check(source, [draws.choice(CONSTANTS), draws.choice(CONSTANTS)], ON_NUMBERS)


@examples(2000, 40)
@given(DRAWS)
def test_programs_of_arrays(draws: random.Random) -> None:
    source = array_program(draws)
    x = np.array([[draws.choice(CONSTANTS) for _ in range(3)] for _ in range(2)])
    _check(source, [x], ON_ARRAYS)
