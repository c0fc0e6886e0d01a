"""`to_jax` and `to_torch`: every transform of a framework gives gradwalk's derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.errors import NotANumberError, OptionError

from ..helpers.libraries import Library

pytestmark = pytest.mark.peer
X, W = np.array([1.0, -2.0, 0.5]), np.arange(6.0).reshape(3, 2) / 7.0
ROWS = np.stack([X, X + 1.0, X - 0.7])


def loss(x: Any, w: Any) -> Any:
    """Return a number, of a branch whose slope is infinite where it is not taken."""
    branch = gw.where(x > 0.0, gw.sqrt(gw.relu(x)), 0.0).sum()
    return (gw.tanh(x @ w) * x.sum()).sum() + branch


def of_gradwalk(transform: Callable[..., Any], *arrays: Any) -> list[Any]:
    """Return what gradwalk itself computes with arrays of NumPy."""
    found = transform(*map(Tensor, arrays))
    return [np.asarray(getattr(y, "data", y)) for y in flat(found)]


def flat(x: Any) -> list[Any]:
    return [y for part in x for y in flat(part)] if isinstance(x, (tuple, list)) else [x]


Transform = Callable[[Any, Any], Any]
FORMS: dict[str, tuple[Transform, Transform, list[Any]]] = {
    # what JAX does with a function, what gradwalk does with it, and the arrays
    "value": (lambda jax, f: f, lambda gw, f: f, [X, W]),
    "jit": (lambda jax, f: jax.jit(f), lambda gw, f: f, [X, W]),
    "grad": (lambda jax, f: jax.grad(f, (0, 1)), lambda gw, f: gw.grad(f, (0, 1)), [X, W]),
    "jit-grad": (lambda jax, f: jax.jit(jax.grad(f)), lambda gw, f: gw.grad(f), [X, W]),
    "grad-jit": (lambda jax, f: jax.grad(jax.jit(f)), lambda gw, f: gw.grad(f), [X, W]),
    "jacfwd": (lambda jax, f: jax.jacfwd(f), lambda gw, f: gw.grad(f), [X, W]),
    "hessian": (lambda jax, f: jax.hessian(f), lambda gw, f: gw.hessian(f), [X, W]),
    "jacrev-grad": (lambda jax, f: jax.jacrev(jax.grad(f)), lambda gw, f: gw.hessian(f), [X, W]),
    "third": (
        lambda jax, f: jax.jacfwd(jax.hessian(f)),
        lambda gw, f: gw.jacobian(gw.hessian(f)), [X, W],
    ),
    "vmap": (
        lambda jax, f: jax.vmap(f, (1, None)), lambda gw, f: gw.vmap(f, (1, None)), [ROWS.T, W],
    ),
    "vmap-grad": (
        lambda jax, f: jax.jit(jax.vmap(jax.grad(f), (0, None))),
        lambda gw, f: gw.vmap(gw.grad(f), (0, None)), [ROWS, W],
    ),
    "hessian-vmap": (
        lambda jax, f: jax.hessian(lambda x, w: jax.vmap(f, (0, None))(x, w).sum()),
        lambda gw, f: gw.hessian(lambda x, w: gw.vmap(f, (0, None))(x, w).sum()), [ROWS, W],
    ),
    "checkpoint": (
        lambda jax, f: jax.grad(jax.checkpoint(f)), lambda gw, f: gw.grad(f), [X, W],
    ),
    "scan": (
        lambda jax, f: jax.grad(lambda x, w: jax.lax.scan(
            lambda c, _: (c + 0.1 * jax.grad(f)(c, w), None), x, None, 2)[0].sum()),
        lambda gw, f: gw.grad(lambda x, w: steps(gw.grad(f), x, w).sum()), [X, W],
    ),
}  # fmt: skip


def steps(slope: Any, x: Any, w: Any) -> Any:
    for _ in range(2):
        x = x + 0.1 * slope(x, w)
    return x


@pytest.mark.parametrize("name", FORMS)
def test_transforms_of_jax_give_the_derivatives_of_gradwalk(name: str) -> None:
    library = Library("jax")
    import jax

    of_jax, of_ours, arrays = FORMS[name]
    found = flat(of_jax(jax, gw.to_jax(loss))(*map(library.array, arrays)))
    for y, expected in zip(found, of_gradwalk(of_ours(gw, loss), *arrays), strict=True):
        assert isinstance(y, jax.Array)
        np.testing.assert_allclose(y, expected, rtol=1e-11, atol=1e-12)


def edge(x: Any) -> Any:
    """Return a branch not taken, whose slope is infinite at 0."""
    return gw.where(x > 0.0, gw.sqrt(x), 0.0).sum()


@pytest.mark.parametrize("way", ["grad", "jit", "jacfwd", "vmap"])
def test_a_branch_not_taken_makes_no_nan_in_jax(way: str) -> None:
    library = Library("jax")
    import jax

    f, x = gw.to_jax(edge), library.array([0.0, 4.0])
    ways: dict[str, Any] = {
        "grad": lambda: jax.grad(f)(x),
        "jit": lambda: jax.jit(jax.grad(f))(x),
        "jacfwd": lambda: jax.jacfwd(f)(x),
        "vmap": lambda: jax.vmap(jax.grad(f))(x[None])[0],
    }
    np.testing.assert_array_equal(ways[way](), [0.0, 0.25])


def test_containers_integers_and_options_pass_through_jax() -> None:
    library = Library("jax")
    import jax

    def f(p: Any, ids: Any, *, power: int) -> Any:
        return {"y": p["w"][ids] ** power, "n": ids + 1, "constant": 2.0}

    p, ids = {"w": library.array(X)}, library.array(np.array([2, 0]))
    g = gw.to_jax(f)
    y = jax.jit(lambda p, ids: g(p, ids, power=2))(p, ids)
    np.testing.assert_array_equal(y["y"], X[[2, 0]] ** 2)
    np.testing.assert_array_equal(y["n"], [3, 1])
    assert float(y["constant"]) == 2.0
    slope = jax.grad(lambda p: g(p, ids, power=2)["y"].sum())(p)
    np.testing.assert_array_equal(slope["w"], [2.0, 0.0, 1.0])


def test_a_module_is_a_constant_of_a_function_of_jax() -> None:
    library = Library("jax")
    import jax

    model = nn.Linear(3, 1, seed=0).to("jax")
    slope = jax.grad(gw.to_jax(lambda x: model(x).sum()))(library.array(X))
    np.testing.assert_allclose(slope, model.weight.numpy()[0])


def test_a_loop_stays_a_loop_in_a_trace_of_jax() -> None:
    library = Library("jax")
    import jax

    def size(steps: int) -> int:
        layer = nn.LSTM(2, 3, seed=0).to("jax")
        f = jax.grad(gw.to_jax(lambda x: (layer(x)[0] ** 2).sum()))
        return len(jax.jit(f).lower(library.array(np.ones((steps, 1, 2)))).as_text())

    assert size(40) < 1.2 * size(4)


# --- PyTorch --------------------------------------------------------------------------------------


def leaf(library: Library, x: Any) -> Any:
    return library.array(x).requires_grad_()


def test_gradients_of_pytorch_are_those_of_gradwalk_to_the_third_order() -> None:
    library = Library("torch")
    torch, f = library.xp, gw.to_torch(loss)
    x, w = leaf(library, X), leaf(library, W)
    y = f(x, w)
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    (bend,) = torch.autograd.grad((slope**2).sum(), x, create_graph=True)
    (third,) = torch.autograd.grad((bend**2).sum(), x)

    def square(g: Any) -> Any:
        return lambda x, w: (g(x, w) ** 2).sum()

    first = gw.grad(loss)
    second = gw.grad(square(first))
    for found, expected in ((slope, first), (bend, second), (third, gw.grad(square(second)))):
        expected_numbers = expected(Tensor(X), Tensor(W)).numpy()
        np.testing.assert_allclose(found.detach(), expected_numbers, rtol=1e-10)
    assert torch.autograd.gradcheck(f, (x, w))
    assert torch.autograd.gradgradcheck(f, (x, w))


def test_a_branch_not_taken_makes_no_nan_in_pytorch() -> None:
    library = Library("torch")
    x = leaf(library, [0.0, 4.0])
    gw.to_torch(edge)(x).backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.25])


def test_several_results_integers_and_options_pass_through_pytorch() -> None:
    library = Library("torch")

    def f(p: Any, ids: Any, *, power: int) -> Any:
        return {"y": p["w"][ids] ** power, "n": ids + 1, "w": p["w"], "constant": 2.0}

    w, ids = leaf(library, X), library.array(np.array([2, 0]))
    y = gw.to_torch(f)({"w": w}, ids, power=2)
    assert y["n"].tolist() == [3, 1]
    assert not y["n"].requires_grad
    assert y["constant"].item() == 2.0
    (y["y"].sum() + y["w"].sum()).backward()
    np.testing.assert_array_equal(w.grad, 1.0 + np.array([2.0, 0.0, 1.0]))


def test_only_what_requires_gradients_gets_them() -> None:
    library = Library("torch")
    x, w = leaf(library, X), library.array(W)
    gw.to_torch(loss)(x, w).backward()
    assert w.grad is None
    with library.xp.no_grad():
        assert not gw.to_torch(loss)(x, w).requires_grad


def test_a_write_before_the_backward_pass_is_an_error_of_pytorch() -> None:
    library = Library("torch")
    x = leaf(library, X)
    y = gw.to_torch(lambda x: (x * x).sum())(x)
    with library.xp.no_grad():
        x += 1.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_training_of_pytorch_has_a_layer_of_gradwalk() -> None:
    library = Library("torch")
    torch = library.xp
    x, target = library.array(ROWS), library.array([1.0, -1.0, 0.5])
    w = leaf(library, np.zeros(3))
    layer = gw.to_torch(lambda x, w: gw.tanh(x @ w))
    optimizer = torch.optim.SGD([w], lr=0.1)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        value = ((layer(x, w) - target) ** 2).mean()
        value.backward()
        optimizer.step()
        losses.append(value.item())
    assert losses[-1] < 0.5 * losses[0]


# --- calls that are wrong -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_what_is_no_function_and_no_number_is_refused(name: str) -> None:
    library = Library(name)
    to = {"jax": gw.to_jax, "torch": gw.to_torch}[name]
    with pytest.raises(OptionError, match=f"to_{name}"):
        to(3.0)  # type: ignore[arg-type]
    with pytest.raises(NotANumberError, match=rf"to_{name}\(f\): the result of f"):
        to(lambda x: object())(library.array(X))
    with pytest.raises(OptionError, match="numpy"):
        to(lambda x: x * Tensor(X))(library.array(X))


INSIDE: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "vmap": lambda func: func.vmap,
    "grad": lambda func: func.grad,
    "vmap of grad": lambda func: lambda f: func.vmap(func.grad(f)),
    "jacrev": lambda func: func.jacrev,
    "jacfwd": lambda func: func.jacfwd,
    "hessian": lambda func: func.hessian,
}


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.filterwarnings("ignore:`torch.jit.script`")
def test_transforms_of_torch_func_are_refused_in_words(name: str) -> None:
    torch = Library("torch").xp
    f = INSIDE[name](torch.func)(gw.to_torch(lambda x: (x * x).sum()))
    with pytest.raises(OptionError, match="transform first"):
        f(torch.ones(2, 3))


def test_a_number_that_is_a_result_keeps_its_precision() -> None:
    torch = Library("torch").xp
    found = gw.to_torch(lambda x: (0.1, x.sum()))(torch.ones(2, dtype=torch.float32))
    assert found[0].item() == 0.1
    assert found[1].dtype == torch.float32


def test_indices_of_examples_are_taken_by_vmap() -> None:
    jnp, jax = Library("jax").xp, pytest.importorskip("jax")
    take = gw.to_jax(lambda x, i: x[i].sum())
    ids = np.array([[0, 2], [1, 1], [-1, 0]])
    found = jax.vmap(take, (None, 0))(jnp.asarray(X), jnp.asarray(ids))
    np.testing.assert_allclose(np.asarray(found), X[ids].sum(axis=1))
