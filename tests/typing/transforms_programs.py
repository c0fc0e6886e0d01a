"""Transforms that change how a program runs: each keeps the type of the function."""

import math
from typing import assert_type

from gradwalk import Tensor, grad
from gradwalk.transforms import (
    checkpoint,
    custom_rule,
    fixed_point,
    implicit_function,
    register_pytree,
    scan,
    stop_gradient,
    vmap,
    while_loop,
)


def dot(x: Tensor, *, factor: float = 1.0) -> Tensor:
    """A number from a vector."""
    return (x * x * factor).sum()


rows = Tensor([[1.0, 2.0], [3.0, 4.0]])
assert_type(vmap(dot)(rows), Tensor)
assert_type(vmap(grad(dot))(rows), Tensor)
assert_type(checkpoint(dot)(rows, factor=2.0), Tensor)
assert_type(stop_gradient({"w": 1.0}), dict[str, float])


def step(carry: float, x: float) -> tuple[float, float]:
    """One step of a product."""
    return carry * x, carry


assert_type(scan(step, 1.0, [2.0, 3.0]), tuple[float, list[float]])
assert scan(step, 1.0, [2.0, 3.0]) == (6.0, [1.0, 2.0])
assert_type(while_loop(lambda x: x < 10.0, lambda x: x * 2.0, 1.0), float)


@custom_rule(vjp=lambda t, y, x: t * y)
def my_exp(x: float) -> float:
    """A black box with a derivative."""
    return math.exp(x)


assert_type(my_exp(0.0), float)
assert_type(grad(my_exp)(0.0), float)
assert grad(my_exp)(0.0) == 1.0


def solve(a: float) -> float:
    """The root of a number."""
    return float(a**0.5)


def residual(x: float, a: float) -> float:
    """What is zero at the root."""
    return x * x - a


root = implicit_function(solve, residual)
assert_type(root(4.0), float)
assert grad(root)(4.0) == 0.25


def halfway(x: float, a: float) -> float:
    """Newton's step for the root."""
    return (x + a / x) / 2.0


assert_type(fixed_point(halfway, 1.0, 4.0), float)


class Box:
    """A container of the user."""

    def __init__(self, content: float, name: str) -> None:
        self.content, self.name = content, name


register_pytree(Box, lambda box: ([box.content], box.name), lambda name, c: Box(c[0], name))


def twice(box: Box) -> float:
    """A number from a container."""
    return 2.0 * box.content


assert_type(grad(twice)(Box(1.0, "a")), Box)
assert grad(twice)(Box(1.0, "a")).content == 2.0
