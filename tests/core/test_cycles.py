"""A list that contains itself is an error wherever lists are taken, never an endless loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, data, nn
from gradwalk.errors import GradwalkError


def cyclic_list() -> Any:
    x: list[Any] = [1.0]
    x.append(x)
    return x


def cyclic_list_of_values() -> Any:
    x: list[Any] = [Value(1.0)]
    x += [x, x]
    return x


def cyclic_tuple() -> Any:
    x: Any = ([],)
    x[0].append(x)
    return x


def cyclic_dict() -> Any:
    x: dict[str, Any] = {}
    x["a"] = x
    return x


def deep_list() -> Any:
    x: list[Any] = [1.0]
    for _ in range(20_000):
        x = [x]
    return x


T = Tensor([1.0, 2.0])
USES: dict[str, Callable[[Any], object]] = {
    "Tensor": Tensor,
    "asarray": gw.asarray,
    "stack": gw.stack,
    "concat": gw.concat,
    "sum": gw.sum,
    "einsum": lambda x: gw.einsum("i->", x),
    "one_hot": lambda x: gw.one_hot(x, 3),
    "numpy": lambda x: np.concatenate([T, x]),
    "t[x]": lambda x: T[x],
    "t[0] = x": lambda x: Tensor([1.0]).__setitem__(0, x),
    "take": lambda x: gw.take(T, x),
    "zeros": gw.zeros,
    "axis": lambda x: gw.sum(T, axis=x),
    "mse": lambda x: nn.mse(x, x),
    "cross_entropy": lambda x: nn.cross_entropy(Tensor([[1.0, 2.0]]), x),
    "load_state_dict": lambda x: nn.Linear(2, 1).load_state_dict({"weight": x, "bias": x}),
    "MLP": lambda x: nn.MLP(2, [1])(x),
    "SGD": gw.optim.SGD,
    "gradients": lambda x: gw.gradients(Value(1.0), x),
    "DataLoader": lambda x: list(data.DataLoader(x)),
    "save": lambda x: gw.save({"a": x}, "never-written.safetensors"),
    "grad": lambda x: gw.grad(lambda p: 1.0)(x),
    "result of grad": lambda x: gw.grad(lambda p: x)(1.0),
    "jvp": lambda x: gw.jvp(lambda p: p, (x,), (x,)),
    "vjp": lambda x: gw.vjp(lambda p: p, x),
    "vmap": lambda x: gw.vmap(lambda p: p)(x),
    "in_axes": lambda x: gw.vmap(lambda p: p, in_axes=x)(np.ones(2)),
    "taylor": lambda x: gw.taylor(lambda p: p, x, 2),
    "scan": lambda x: gw.scan(lambda c, p: (c, c), x, np.ones(2)),
    "checkpoint": lambda x: gw.checkpoint(lambda p: x)(1.0),
    "stop_gradient": gw.stop_gradient,
    "minimize": lambda x: gw.minimize(lambda p: 1.0, x),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "make",
    [cyclic_list, cyclic_list_of_values, cyclic_tuple, cyclic_dict, deep_list],
    ids=lambda f: f.__name__,
)
def test_a_container_of_itself_is_refused(use: str, make: Callable[[], Any]) -> None:
    with pytest.raises(GradwalkError):
        USES[use](make())


def test_a_list_may_occur_twice() -> None:
    row: list[Any] = [1.0, 2.0]
    assert Tensor([row, row]).tolist() == [row, row]
    x = Value(3.0)
    gw.stack([[x, 1.0], [x, 1.0]]).sum().backward()
    assert x.grad == 2.0
    assert gw.grad(lambda p: p[0][0] * p[1][0])([row, row]) == [[1.0, 0.0], [1.0, 0.0]]
