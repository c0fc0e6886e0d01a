"""A million operations at random: graphs that are built, swept, copied, freed and leaked."""

from __future__ import annotations

import copy
import gc
import pickle
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import gradwalk
from gradwalk import ENGINE, Value, gradients, no_grad, pointwise
from gradwalk.errors import GradwalkError
from gradwalk.transforms.leaks import poison

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(ENGINE == "python", reason="the memory of the compiled engine is tested"),
]

own = pointwise("own_of_a_stress", lambda t, y, x: 0.5 * t, forward=lambda x: 0.5 * x)

OPERATIONS: list[Callable[[Any, Any, Any], Any]] = [
    lambda a, b, c: a + b,
    lambda a, b, c: a * 0.5 - b,
    lambda a, b, c: -a,
    lambda a, b, c: a.tanh(),
    lambda a, b, c: gradwalk.where(a > b, a, c),
    lambda a, b, c: gradwalk.clip(a, -3.0, 3.0),
    lambda a, b, c: gradwalk.logsumexp([a, b, c]),
    lambda a, b, c: own(a),
    lambda a, b, c: a.detach(),
    lambda a, b, c: a.operands[0] if a.operands else a,
    lambda a, b, c: (setattr(a, "label", "named"), a)[1],
]


def use(values: list[Any], draw: random.Random) -> None:
    """Do what happens more rarely than an operation."""
    a, b = draw.choices(values, k=2)
    kind = draw.randrange(7)
    if kind == 0:
        a.backward()
    elif kind == 1:
        a.backward(retain_graph=False)
    elif kind == 2:
        gradients(a, [b, a])
    elif kind == 3:
        values.append(gradients(a, b, create_graph=True))
    elif kind == 4:
        values.append(pickle.loads(pickle.dumps(a)) if draw.random() < 0.5 else copy.deepcopy(a))
    elif kind == 5:
        poison([a])
    else:
        gc.collect(0)


@pytest.mark.parametrize("seed", range(4))
def test_a_million_operations(seed: int) -> None:
    draw = random.Random(seed)
    values: list[Any] = []
    for step in range(250_000):
        if not step % 500:  # forget most of the graph, in any order
            draw.shuffle(values)
            values[2:] = []
        if len(values) < 3 or not step % 50:
            values.append(Value(draw.uniform(-1.0, 1.0)))
            continue
        with suppress(GradwalkError, OverflowError):
            if not step % 100:
                use(values, draw)
            elif step % 1000 == 7:
                with no_grad():
                    values.append(draw.choice(OPERATIONS)(*draw.choices(values, k=3)))
            else:
                values.append(draw.choice(OPERATIONS)(*draw.choices(values, k=3)))
    x = Value(3.0)
    (x * x).backward()
    assert x.grad == 6.0
