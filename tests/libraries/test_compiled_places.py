"""Arrays of two places in a compiled function: the results, or the errors, of plain calls."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn, optim

from ..helpers.libraries import Library
from ..helpers.training_steps import as_numpy, kinds, usual

PLACES = ("numpy", "jax", "torch")
X, Y = np.linspace(-1.0, 1.0, 24).reshape(8, 3), np.arange(8) % 2

ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "Tensor of numpy": Tensor,
    "array of numpy": np.asarray,
    "Tensor of jax": lambda x: Tensor(x).to_device("jax"),
    "array of jax": lambda x: import_module("jax.numpy").asarray(x),
    "Tensor of torch": lambda x: Tensor(x).to_device("torch"),
    "array of torch": lambda x: import_module("torch").as_tensor(x),
    "number": lambda x: float(x.ravel()[1]),
    "number of numpy": lambda x: x.ravel()[1],
}


def trained_by(argument: Any) -> Any:
    """Return a call of a step whose inputs are the argument."""
    return lambda f, m, o, there: f(usual)(m, o, argument(X), there(Y))


def labelled_by(argument: Any) -> Any:
    return lambda f, m, o, there: f(usual)(m, o, there(X), argument(Y))


def multiplied_by(argument: Any) -> Any:
    return lambda f, m, o, there: f(lambda m, x, s: m(x) * s)(m, there(X), argument(X[:, :1]))


def chosen_by(argument: Any) -> Any:
    return lambda f, m, o, there: f(lambda m, i: m.weight[i] * 2.0)(m, argument(Y))


def masked_by(argument: Any) -> Any:
    return lambda f, m, o, there: f(lambda m, b: gw.where(b, m.weight, 0.0))(m, argument(X[:2] > 0))


def beside(argument: Any) -> Any:
    """Compute with the argument alone, beside the parameters."""
    return lambda f, m, o, there: f(lambda m, x: (m.weight * 2.0, x * 2))(m, argument(X))


def compared_with(argument: Any) -> Any:
    return lambda f, m, o, there: f(lambda m, x, y: m(x).argmax(axis=1) == y)(
        m, there(X), argument(Y)
    )


def closed_over(argument: Any) -> Any:
    """Let the function close over the argument, which is beside the parameters then."""

    def call(f: Any, m: Any, o: Any, there: Any) -> Any:
        constant = argument(X[:, :1])
        return f(lambda m, x: m(x) * constant)(m, there(X))

    return call


CALLS = (
    closed_over,
    trained_by,
    labelled_by,
    multiplied_by,
    chosen_by,
    masked_by,
    beside,
    compared_with,
)
NUMBERS = ("number", "number of numpy")
ROWS = [
    (call, name)
    for call in CALLS
    for name in ARGUMENTS
    if (name not in NUMBERS or call in (multiplied_by, beside))
    and (name != "array of numpy" or call is not closed_over)  # a constant of the program
]


def outcome(run: Callable[[], Any]) -> Any:
    """Return the results of a call as arrays of NumPy with what they are, or its error."""
    try:
        found = run()
    except Exception as error:  # the error is the result
        text = str(error)
        return "two places" if "one library on one device" in text else (type(error), text)
    several = found if isinstance(found, tuple) else (found,)
    devices = [getattr(x, "device", "") if isinstance(x, Tensor) else "" for x in several]
    return kinds(found), devices, [as_numpy(x) for x in several]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("call", "name"), ROWS, ids=[f"{c.__name__}-{n}" for c, n in ROWS])
def test_a_compiled_function_takes_what_a_plain_one_takes(place: str, call: Any, name: str) -> None:
    for needed in (place, name.split()[-1]):
        if needed in ("jax", "torch"):
            Library(needed)
    found = []
    for f in (lambda f: f, gw.compile):
        model = nn.Linear(3, 2, seed=1).astype(np.float64).to(place)
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        there = lambda x: Tensor(x).to_device(place)  # noqa: E731
        found.append(outcome(lambda: call(ARGUMENTS[name])(f, model, optimizer, there)))  # noqa: B023
    plain, compiled = found
    assert type(plain) is type(compiled), found
    if not isinstance(plain, tuple) or len(plain) == 2:
        assert plain == compiled
        return
    assert plain[:2] == compiled[:2]
    for a, b in zip(plain[2], compiled[2], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


@pytest.mark.parametrize("name", ["array of jax", "array of torch"])
def test_arrays_in_no_tensor_are_read_in_each_call(name: str) -> None:
    make, place = ARGUMENTS[name], name.split()[-1]
    Library(place)
    weight = Tensor([1.0, 2.0]).to_device(place)
    f = gw.compile(lambda x: ((weight * x).sum(), x * 2))
    for numbers in ([1.0, 1.0], [5.0, 3.0]):
        total, twice = f(make(np.array(numbers)))
        assert total.item() == numbers[0] + 2.0 * numbers[1]
        assert type(twice) is type(make(np.array(numbers)))
        assert as_numpy(twice).tolist() == [2.0 * x for x in numbers]
