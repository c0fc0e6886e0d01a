"""Arguments and results of programs in other places: as of NumPy, whatever they are."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.core.pytree import flatten

from ..helpers.libraries import PEER, Library

X = np.arange(6.0).reshape(2, 3)

VIEWS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape(-1),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "transposed": lambda x: x.T,
    "transposed and reshaped": lambda x: x.T.reshape(-1),
    "transposed and ravelled": lambda x: x.T.ravel(),
    "transposed twice": lambda x: x.T.T.reshape(-1),
    "columns": lambda x: x[:, 1:].reshape(-1),
    "ravelled columns": lambda x: x[:, 1:].ravel(),
    "rows": lambda x: x[1:].ravel(),
    "backwards": lambda x: x[::-1].reshape(-1),
    "one row": lambda x: x[0].ravel(),
    "squeezed": lambda x: x[None].squeeze(0).ravel(),
    "picked": lambda x: x[[0, 1]].ravel(),
    "parts": lambda x: gw.split(x, 3, axis=1)[1],
}


def leaves(results: Any) -> list[Any]:
    found: list[Any] = flatten(results)[0]
    return found


def jax() -> Library:
    return Library("jax")


@pytest.mark.parametrize("shown", VIEWS)
@pytest.mark.parametrize("change", ["set", "add", "slice"])
def test_what_is_written_into_a_view_is_written_into_what_it_shows(
    library: Library, shown: str, change: str
) -> None:
    def run(x: Any) -> list[Any]:
        y = VIEWS[shown](x)
        if change == "set":
            y[0] = 9.0
        elif change == "add":
            y += 1.0
        else:
            y[1:] *= 3.0
        return [x.numpy().tolist(), y.numpy().tolist()]

    assert run(library.tensor(X)) == run(Tensor(X))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x @ gw.eye(3, device=x.device),
        lambda x: x + Tensor(np.ones(3)).to(x.device),
        lambda x: gw.grad(lambda x: (x @ gw.eye(3, device=x.device)).sum())(x),
        lambda x: gw.vmap(lambda row: row * gw.ones(3, device=row.device))(x),
        lambda x: x * (2.0 if x.device.startswith("jax") else 1.0),
    ],
)
@PEER
def test_a_program_may_ask_where_its_arrays_lie(f: Any) -> None:
    x = jax().tensor(X)
    assert np.array_equal(gw.compile(f)(x).numpy(), f(x).numpy())
    assert f(x).device == "jax:cpu:0"


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x], lambda x: {"x": (x, 1.0)}])
@pytest.mark.parametrize("named", [False, True])
def test_an_array_outside_of_a_tensor_is_an_input(library: Library, wrap: Any, named: bool) -> None:
    f = gw.compile(lambda x: Tensor(leaves(x)[0]) * 2.0)
    for k in (1.0, 2.0, 3.0):
        x = wrap(library.array(X * k))
        found = f(x=x) if named else f(x)
        if not isinstance(found, Tensor):  # as of NumPy: arrays for arrays
            found = Tensor(found)
        assert np.array_equal(found.numpy(), X * k * 2.0)


def test_a_static_array_is_compared_by_its_numbers(library: Library) -> None:
    f = gw.compile(lambda x, w: x.sum() * Tensor(w).sum().item(), static_argnums=1)
    for k in (1.0, 2.0, 3.0):
        assert f(Tensor(X), library.array(X * k)).item() == X.sum() * X.sum() * k


CONSTANT: dict[str, Callable[[Any], Any]] = {
    "gradient of a linear function": gw.grad(lambda x: (x * 3.0).sum()),
    "gradient of another argument": lambda x: gw.grad(lambda y: (x * 2.0).sum())(x),
    "gradient by a constant array": gw.grad(lambda x: (x * Tensor(X)).sum()),
    "gradients": gw.value_and_grad(lambda x, y: x.sum(), argnums=(0, 1)),
    "tangent": lambda x: gw.jvp(lambda x: x * 2.0, x, x)[1],
    "jacobian": gw.jacobian(lambda x: x[0] * 2.0),
    "hessian": lambda x: gw.hessian(lambda v: v.sum())(x[0]),
    "zeros": lambda x: gw.zeros_like(x),
}


@PEER
@pytest.mark.parametrize("name", CONSTANT)
def test_a_result_that_depends_on_no_number_lies_where_the_others_are(name: str) -> None:
    f, x = CONSTANT[name], jax().tensor(X)
    args = [x, x] if name == "gradients" else [x]
    if name == "gradient by a constant array":  # what it closes over lies in NumPy's memory
        expected = [X]
    else:
        expected = [y.numpy() for y in leaves(f(*[Tensor(X) for _ in args]))]
    g = gw.compile(f)
    for found in (g(*args), g(*args)):
        assert {y.device for y in leaves(found)} == {"jax:cpu:0"}
        for y, z in zip(leaves(found), expected, strict=True):
            assert np.array_equal(y.numpy(), z)


@pytest.mark.parametrize("number", [3, 2.5, True, -(2**40)])
@pytest.mark.parametrize("place", ["array", "numpy", pytest.param("jax", marks=PEER)])
def test_a_number_among_the_arguments_may_be_a_result(number: Any, place: str) -> None:
    x = X if place == "array" else jax().tensor(X) if place == "jax" else Tensor(X)
    f = gw.compile(lambda x, n: (x * n, n, [n], None))
    found = f(x, number)
    assert [type(y) for y in leaves(found[1:3])] == [type(number)] * 2
    assert leaves(found[1:3]) == [number] * 2


@PEER
def test_a_compiled_function_follows_a_model_from_place_to_place() -> None:
    jax()
    model, f = nn.Linear(3, 2, seed=0), gw.compile(lambda model, x: (model(x) ** 2).sum())
    expected = f(model, Tensor(X)).item()
    for place in ("jax", "numpy", "jax"):
        model.to(place)
        assert f(model, Tensor(X).to(place)).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("copied", ["pickle", "copy"])
def test_copies_lie_where_the_original_does(library: Library, copied: str) -> None:
    model, x = nn.Linear(3, 2, seed=0).to(library.name), library.tensor(X)
    again = copy.deepcopy if copied == "copy" else lambda x: pickle.loads(pickle.dumps(x))
    found = again((model, x))
    assert found[1].device == x.device == found[0].weight.device
    assert np.array_equal(found[0](found[1]).numpy(), model(x).numpy())
