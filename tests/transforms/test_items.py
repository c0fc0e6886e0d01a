"""`item` and `tolist` inside of transforms: what they return is traced, never a detached number."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, grad, jacobian, jvp, no_grad, taylor, vjp, vmap
from gradwalk.errors import SilentDetachError, SizeError

X = np.array([[0.5, 2.0], [3.0, -1.5]])

# each with the same function on arrays
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "item": (lambda x: x[0, 1].item() ** 3, lambda x: x[0, 1] ** 3),
    "item of a sum": (lambda x: (x * x).sum().item() * 2.0, lambda x: (x * x).sum() * 2.0),
    "item of one row": (lambda x: x[1:, :1].item() ** 2, lambda x: x[1, 0] ** 2),
    "tolist": (
        lambda x: sum(v * v * (i + 1.0) for i, row in enumerate(x.tolist()) for v in row),
        lambda x: (x * x * np.array([[1.0], [2.0]])).sum(),
    ),
    "tolist of a number": (lambda x: (x[0] @ x[1]).tolist() ** 2, lambda x: (x[0] @ x[1]) ** 2),
}

WAYS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(X),
    "vjp": lambda f: vjp(f, X)[1](1.0)[0],
    "jvp": lambda f: jvp(f, (X,), (X,))[1],
    "jacobian": lambda f: jacobian(f)(X),
    "taylor": lambda f: [*taylor(lambda h: f(h * X), np.array(1.0), order=2)],
    "vmap": lambda f: vmap(f)(np.stack([X, 2.0 * X])),
    "vmap of grad": lambda f: vmap(grad(f))(np.stack([X, 2.0 * X])),
    "grad of grad": lambda f: grad(lambda x: (grad(f)(x) * X).sum())(X),
    "grad of jvp": lambda f: grad(lambda x: jvp(f, (x,), (X,))[1])(X),
    "grad of vmap": lambda f: grad(lambda x: vmap(f)(x * np.ones((2, 1, 1))).sum())(X),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_elements_stay_traced(name: str, way: str) -> None:
    f, same = FUNCTIONS[name]
    assert f(X) == pytest.approx(same(X))
    np.testing.assert_allclose(WAYS[way](f), WAYS[way](same), rtol=1e-12)


def test_elements_are_plain_numbers_where_no_derivative_is_wanted() -> None:
    kinds = []

    def f(x: Any) -> Any:
        with no_grad():
            kinds.extend([type(x.sum().item()), type(x.tolist()[0][0])])
        kinds.extend([type(Tensor(X)[0, 0].item()), type(x.detach().sum().item())])
        kinds.extend([type(x.data.tolist()[0][0]), type(Tensor([1.0], requires_grad=True).item())])
        return x.sum()

    def single(x: Any) -> Any:
        with no_grad():
            kinds.append(type(x.item()))
        return x

    grad(f)(X)
    jvp(f, (X,), (X,))
    grad(single)(np.array(2.0))
    assert set(kinds) == {float}
    t = Tensor(X, requires_grad=True)
    assert type(t.sum().item()) is type(t.tolist()[0][0]) is float, "as in PyTorch"


def test_elements_of_a_stack_of_values_stay_traced() -> None:
    assert grad(lambda x: np.sum(Tensor([1.0, 2.0]) * x).item() ** 2)(3.0) == 54.0


def test_an_element_does_not_follow_later_writes() -> None:
    def f(x: Any) -> Any:
        y = x * 1.0
        first, whole = y[0, 0].item(), y[:1, :1].item()
        y[0, 0] = 7.0
        return first * 2.0 + whole * 3.0 + y.sum()

    np.testing.assert_array_equal(grad(f)(X), [[5.0, 1.0], [1.0, 1.0]])
    assert float(jvp(f, (X,), (np.ones((2, 2)),))[0]) == f(X)


@pytest.mark.parametrize("way", WAYS)
def test_numbers_of_python_would_lose_the_gradient(way: str) -> None:
    for convert in (float, int, complex):
        with pytest.raises((SilentDetachError, TypeError)):
            WAYS[way](lambda x, convert=convert: x.sum() * convert(x[0, 0]))


def test_several_elements_are_no_item() -> None:
    for f in (lambda x: x.item(), lambda x: f"{x:.2f}"):
        with pytest.raises(SizeError, match="a Tensor of one number"):
            grad(f)(X)


def test_texts_show_numbers() -> None:
    texts = []
    grad(lambda x: (texts.append(f"{x.sum():.3f}"), x.sum())[1])(X)
    assert texts == ["4.000"]
