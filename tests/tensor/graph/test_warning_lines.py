"""NumPy's warnings of poles and overflows point to the line of the user's program."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, compile, grad, hessian, jvp, nn, no_grad, vmap
from gradwalk.inspect import lines

HUGE = [1e308, 1e308]


def leaf(*numbers):
    return Tensor(numbers or [0.0, -1.0, 1e308], requires_grad=True)


def total(x):
    return x.log().sum()


PROGRAMS = {
    "a method": lambda: leaf().log(),
    "a method that records nothing": lambda: Tensor([0.0]).log(),
    "a function of gradwalk": lambda: gw.sqrt(leaf()),
    "a function of NumPy": lambda: np.log(leaf()),
    "an operator": lambda: leaf() / np.zeros(3),
    "a reflected operator": lambda: 1.0 / leaf(),
    "an operator in Python": lambda: leaf() // 0.0,
    "a shortcut of a power": lambda: leaf() ** -1.0,
    "a sum": lambda: leaf(*HUGE).sum(),
    "a mean": lambda: leaf(*HUGE).mean(axis=0),
    "a variance": lambda: leaf(1e308, -1e308).var(),
    "a running sum": lambda: leaf(*HUGE).cumsum(),
    "a matrix product": lambda: leaf(*HUGE) @ np.array([10.0, 10.0]),
    "a change of dtype": lambda: leaf(1e300).astype(np.float32),
    "float32": lambda: Tensor(np.float32([1e38]), requires_grad=True) * 1e5,
    "a layer": lambda: nn.Linear(2, 1, seed=0)(Tensor(HUGE) * np.float64(9.0)),
    "no_grad": lambda: no_grad()(lambda: leaf().log())(),
    "grad": lambda: grad(total)(np.array([0.0, 1.0])),
    "hessian": lambda: hessian(total)(np.array([0.0, 1.0])),
    "jvp": lambda: jvp(total, (np.array([0.0]),), (np.ones(1),)),
    "vmap": lambda: vmap(lambda x: x.log())(np.array([0.0, 1.0])),
    "compile": lambda: compile(total)(np.array([0.0, 1.0])),
    "a compiled gradient": lambda: compile(grad(total))(np.array([0.0, 1.0])),
}


def warned(program):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        program()
    return [w for w in found if w.category is RuntimeWarning]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_warning_points_to_the_program(name):
    found = warned(PROGRAMS[name])
    assert found
    assert {w.filename for w in found} == {__file__}
    assert all(" encountered in " in str(w.message) for w in found)


def test_the_line_is_that_of_the_operation():
    def program():
        x = leaf(0.0)
        y = x * 2.0
        return y.log()

    (warning,) = warned(program)
    assert warning.lineno == program.__code__.co_firstlineno + 3


@pytest.mark.parametrize("mode", ["ignore", "raise"])
def test_the_users_states_of_errors_are_kept(mode):
    with np.errstate(all=mode):
        before = np.geterr()
        if mode == "raise":
            with pytest.raises(FloatingPointError, match="divide by zero"):
                leaf(0.0).log()
        else:
            assert not warned(lambda: leaf(0.0).log())
        assert np.geterr() == before
    assert len(warned(lambda: leaf(0.0).log())) == 1


def test_a_function_of_the_user_is_called():
    told = []
    with np.errstate(all="call", call=lambda text, flag: told.append(text)):
        leaf(0.0).log()
    assert told == ["divide by zero"]


def test_a_warning_that_is_an_error_ends_the_operation():
    before = np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for operate in (lambda: leaf(0.0).log(), lambda: leaf(*HUGE).sum()):
            with pytest.raises(RuntimeWarning, match="encountered in"):
                operate()
    assert np.geterr() == before


def test_the_same_line_warns_once():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            leaf(0.0).log()
    assert len(found) == 1


def test_observed_operations_are_quiet():
    with lines():
        assert not warned(lambda: leaf(0.0).log())
