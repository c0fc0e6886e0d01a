"""Programs of JAX as graphs: gradients, lines, names, conventions and doors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402

import gradwalk  # noqa: E402
from gradwalk import adopt, explore  # noqa: E402
from gradwalk.check import kinks, precision  # noqa: E402
from gradwalk.errors import OptionError  # noqa: E402
from gradwalk.inspect import paths, why  # noqa: E402

from .jax_calls import calls  # noqa: E402
from .jax_families import FAMILIES, OPAQUE  # noqa: E402

pytestmark = pytest.mark.peer


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_of_models_agrees_with_jax(name: str) -> None:
    f, args = FAMILIES[name]
    run = adopt(f, *args)
    assert run.agreement, run.agreement
    assert run.agreement.gradients
    assert run.agreement.values
    assert run.opaque.keys() <= OPAQUE.get(name, set())
    found = jax.grad(f, argnums=0, allow_int=True)(*args)
    for (path, theirs), x in zip(
        jax.tree_util.tree_flatten_with_path(found)[0], run.leaves.values(), strict=False
    ):
        assert x.label.endswith(jax.tree_util.keystr(path))
        assert np.array_equal(x.grad, theirs)


def test_most_calls_of_jax_are_seen_into() -> None:
    """The bar is 80 % of the calls by name; what is not seen into has JAX's own gradient."""
    seen, hidden = [], []
    for name, (f, args) in calls():
        run = adopt(f, *args)
        assert run.agreement, (name, run.agreement)
        (hidden if run.opaque else seen).append(name)
    assert len(seen) + len(hidden) >= 400
    assert len(seen) >= 0.9 * (len(seen) + len(hidden)), hidden


# --- conventions: a NaN of JAX is a NaN here, and nothing else is ---------------------------------

ONE = (
    *(
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
    ),
    *("exp", "exp2", "expm1", "log", "log1p", "sqrt", "cbrt", "square", "abs", "erf", "erfc"),
    *("logistic", "neg"),
)
POINTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 1e-30, 1e20, -1e20, 30.0, -30.0, 100.0, -100.0, 200.0]
POINTS += [-200.0, float("inf"), float("-inf"), float("nan")]
TWO = {
    "pow": lambda a, b: a**b,
    "max": jnp.maximum,
    "min": jnp.minimum,
    "div": jnp.divide,
    "atan2": jnp.arctan2,
    "hypot": jnp.hypot,
    "clip": lambda a, b: jnp.clip(a, b, b + 1.0),
    "clamp": lambda a, b: jax.lax.clamp(b, a, b + 1.0),
    "logaddexp": jnp.logaddexp,
}


def agrees(f: Callable[..., Any], *numbers: float) -> None:
    args = [jnp.asarray(x, jnp.float32) for x in numbers]
    run = adopt(f, *args)
    assert run.agreement, (numbers, run.agreement)
    assert not run.opaque, (numbers, run.opaque)
    theirs = jax.grad(f, argnums=tuple(range(len(args))))(*args)
    run.result.backward(retain_graph=True)  # once more, on top of the gradients of JAX
    for x, t in zip(run.leaves.values(), theirs, strict=True):
        assert np.allclose(x.grad, 2.0 * np.asarray(t), rtol=1e-3, atol=1e-30, equal_nan=True)


@pytest.mark.parametrize("name", ONE)
def test_the_derivative_at_special_points_is_that_of_jax(name: str) -> None:
    for x, cotangent in product(POINTS, (1.0, 0.0)):
        agrees(lambda x, c=cotangent: getattr(jax.lax, name)(x) * c, x)


@pytest.mark.parametrize("name", TWO)
def test_the_derivatives_at_ties_and_edges_are_those_of_jax(name: str) -> None:
    for a, b in product([0.0, 1.0, -1.0, 2.0, -2.5], [0.0, 1.0, -1.0, 0.5, 2.0, -2.5]):
        agrees(TWO[name], a, b)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jnp.where(x > 0, jnp.log(x), 0.0).sum(),
        lambda x: jnp.where(x > 0, x / x, 0.0).sum(),
        lambda x: (jnp.sqrt(x) * 0.0).sum(),
    ],
)
def test_a_real_nan_is_never_called_finite(f: Callable[..., Any]) -> None:
    x = jnp.array([0.0, 1.0])
    assert jnp.isnan(jax.grad(f)(x)).any()
    assert why(adopt(f, x))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jax.lax.cummax(x).sum(),
        lambda x: (jnp.sort(x) * jnp.arange(4.0)).sum(),
        lambda x: jnp.max(x) + jax.lax.top_k(x, 2)[0].sum(),
        lambda x: jax.nn.softplus(x).sum() + jax.nn.relu(x).sum() + jax.nn.relu6(x).sum(),
        lambda x: jnp.median(x) + jnp.cumprod(x).sum(),
    ],
)
def test_ties_are_broken_as_jax_breaks_them(f: Callable[..., Any]) -> None:
    x = jnp.array([0.0, 2.0, 2.0, 0.0])
    run = adopt(f, x)
    assert run.agreement, run.agreement
    assert np.array_equal(run.leaves["x"].grad, jax.grad(f)(x))


# --- arguments and results ------------------------------------------------------------------------


class Outcome(NamedTuple):
    loss: Any
    logits: Any


def test_arguments_of_all_kinds() -> None:
    table = np.arange(6.0).reshape(2, 3)

    def f(params: Any, n: int, flag: bool, key: Any, index: Any, scale: float) -> Outcome:
        noise = jax.random.normal(key, (3,))
        logits = params["w"][0] * table[index] * scale + noise * n
        return Outcome(logits.sum() if flag else logits.prod(), logits)

    params = {"w": [jnp.ones(3)], "unused": jnp.ones(2)}
    run = adopt(f, params, 2, True, jax.random.key(1), jnp.array(1), 0.5)
    assert [*run.leaves] == ["params['unused']", "params['w'][0]", "scale"]
    assert run.agreement, run.agreement
    assert np.array_equal(run.leaves["params['w'][0]"].grad, table[1] * 0.5)
    assert "of 2 results the first is taken for the loss" in run.notes
    assert run.twin(params["w"][0]) is run.leaves["params['w'][0]"]


def test_several_results_without_a_scalar_are_told() -> None:
    run = adopt(lambda x: jnp.sin(x), jnp.ones(3))
    assert run.notes == ["the result has the shape (3,): gradients are those of its sum"]


def test_a_result_without_floating_numbers_is_told() -> None:
    run = adopt(lambda x: jnp.argmax(x), jnp.ones(3))
    assert run.notes == ["no result has floating numbers, so there is no loss"]
    with pytest.raises(OptionError, match="no loss"):
        why(run)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_the_numbers_are_those_of_the_run(kind: str) -> None:
    x = jnp.array([1.0, 300.0, 7.0], kind)
    run = adopt(lambda x: (x * x / 3).sum(), x)
    theirs = (x * x / 3).sum()
    assert float(run.result.item()) == float(theirs)
    assert run.agreement, run.agreement


def test_complex_numbers_are_opaque_and_right() -> None:
    def f(x: Any, z: Any) -> Any:
        return jnp.abs(jnp.fft.rfft(x) * z).sum()

    run = adopt(f, jnp.array([1.0, 2.0, 0.5, -1.0]), jnp.array([1 + 2j, 0.5j, 1.0]))
    assert run.agreement, run.agreement
    assert any("complex numbers" in name for name in run.opaque)
    assert [*run.leaves] == ["x", "z.real", "z.imag"]


def test_a_given_derivative_is_not_replaced_by_that_of_its_operations() -> None:
    @jax.custom_vjp
    def clipped(x: Any) -> Any:
        return x * 1.0

    clipped.defvjp(lambda x: (x, None), lambda _, t: (jnp.clip(t, -1.0, 1.0),))
    run = adopt(lambda x: (clipped(x) * 100.0).sum(), jnp.ones(2))
    assert run.leaves["x"].grad.tolist() == [1.0, 1.0]
    assert run.opaque == {"custom_vjp_call": 1}


def test_a_function_that_branches_on_numbers_is_one_operation() -> None:
    def f(x: Any) -> Any:
        return (x[x > 0] ** 2).sum() if x.sum() > 0 else x.sum()

    run = adopt(f, jnp.array([1.0, 2.0, -1.0]))
    assert run.leaves["x"].grad.tolist() == [2.0, 4.0, 0.0]
    assert run.opaque == {"f": 1}
    assert any("cannot trace" in note for note in run.notes)


def test_an_operation_without_reverse_mode_is_told() -> None:
    def f(x: Any) -> Any:
        return jax.lax.while_loop(lambda v: v.sum() < 9.0, lambda v: v * 2.0, x).sum()

    run = adopt(f, jnp.array([1.0, 2.0]))
    assert any("Reverse-mode" in note for note in run.notes)
    assert run.result.item() == 12.0


# --- lines, names and doors -----------------------------------------------------------------------


@jax.jit
def inner(w: Any) -> Any:
    root = jnp.sqrt(w)  # line of the cause
    return root.sum()


def test_lines_are_those_of_the_users_functions() -> None:
    lines, first = inspect.getsourcelines(inner.__wrapped__)
    wanted = first + next(i for i, text in enumerate(lines) if "line of the cause" in text)
    run = adopt(lambda w: inner(w) + jnp.where(w > 1.0, w, 0.0).sum(), jnp.array([4.0, 0.0]))
    assert f"test_jax.py, line {wanted})" in why(run).line


def test_every_door_takes_the_adoption_and_its_values() -> None:
    w, b = jnp.array([4.0, 0.0]), jnp.array(0.5)

    def loss(w: Any, b: Any) -> Any:
        return (jnp.sqrt(w).sum() + jnp.max(w)) * b

    run = adopt(loss, w, b)
    assert why(run).op == why(w).op == why({"w": w}).op == "sqrt"
    assert [k.op for k in kinks(run)] == ["sqrt"]
    assert len(paths(run, b)) == 1
    assert explore(run).document["nodes"][-1]["label"] == "loss"
    other = adopt(loss, w + 1.0, b)
    assert not why(other)
    assert precision(other, [b]).digits > 5.0


def test_comparisons_and_ties_are_kinks() -> None:
    x = jnp.array([1.0, 1.0, 3.0])
    run = adopt(lambda x: jnp.where(x > 1.0, x, 0.0).sum() + jnp.sort(x)[0], x)
    assert {"greater", "choose"} <= {k.op for k in kinks(run)}


def test_an_array_that_no_adoption_knows_is_an_error() -> None:
    with pytest.raises(OptionError, match="adopt"):
        why(jnp.ones(3))


def test_a_difference_is_told() -> None:
    found = gradwalk.foreign.agreement.Agreement("JAX")
    found.gradient("w", np.ones(2, np.float32), np.array([1.0, 1.01], np.float32))
    assert not found
    assert "the gradient of w differs by 0.0099" in str(found)
