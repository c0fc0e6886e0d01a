"""A primitive of the user lives as long as the user's program refers to it, whatever used it."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, grad, hessian, jvp, taylor, vmap
from gradwalk.core.array_primitive import per_primitive
from gradwalk.core.primitive import Primitive

ONES, LARGE = np.ones(3), np.ones(40_000)

USES: dict[str, Callable[[Any], object]] = {
    "number": lambda p: p(2.0),
    "Value": lambda p: p(Value(2.0)).backward(),
    "grad": lambda p: grad(p)(2.0),
    "nested": lambda p: grad(grad(p))(2.0),
    "jvp": lambda p: jvp(p, (2.0,), (1.0,)),
    "taylor": lambda p: taylor(p, 2.0, order=3),
    "compile": lambda p: gw.compile(grad(p))(2.0),
    "array": lambda p: p(ONES),
    "Tensor": lambda p: p(Tensor(ONES, requires_grad=True)).sum().backward(),
    "large Tensor": lambda p: (p(Tensor(LARGE, requires_grad=True)) * LARGE).sum().backward(),
    "grad of an array": lambda p: grad(lambda x: p(x).sum())(ONES),
    "jvp of a large array": lambda p: jvp(lambda x: p(p(x)), (LARGE,), (LARGE,)),
    "hessian": lambda p: hessian(lambda x: p(x).sum())(ONES),
    "vmap": lambda p: vmap(p)(ONES),
    "vmap of grad": lambda p: vmap(grad(p))(ONES),
}


def cube() -> Primitive:
    return gw.pointwise("cube", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)


def swapped() -> Primitive:
    return gw.pointwise("swapped", lambda t, y, x: -t * gw.sin(x), forward=lambda x: gw.cos(x))


@pytest.mark.parametrize("make", [cube, swapped])
@pytest.mark.parametrize("use", USES)
def test_nothing_keeps_a_primitive_alive(use: str, make: Callable[[], Any]) -> None:
    primitive = make()
    USES[use](primitive)
    known = weakref.ref(primitive)
    del primitive
    gc.collect()
    assert known() is None


def test_nothing_keeps_what_a_custom_rule_refers_to_alive() -> None:
    class Data(np.ndarray):  # plain arrays have no weak references
        pass

    data = np.ones(3).view(Data)
    known = weakref.ref(data)

    scaled = gw.custom_rule(lambda x: x * data, vjp=lambda t, y, x: t * np.asarray(data))
    grad(lambda x: scaled(x).sum())(ONES)
    scaled = data = None
    gc.collect()
    assert known() is None


def test_results_are_derived_once() -> None:
    calls = []

    @per_primitive
    def count(primitive: Any, *args: Any) -> int:
        calls.append((primitive, *args))
        return len(calls)

    first, second = cube(), cube()
    assert [count(first), count(second), count(first), count(first, 1), count(first, 1)] == [
        1, 2, 1, 3, 3,
    ]  # fmt: skip
