"""A gradient flows into what the steps of a loop use, wherever the loop is one instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, compile, nn, optim

from ..helpers.steps_with_loops import LOOPS, STEPS, WITH_QUESTIONS, batch, train


def trained(make: Callable[[], nn.Module], step: Any, x: Any) -> list[Any]:
    """Return the losses of three steps, and the parameters after them."""
    model = make()
    optimizer = optim.Adam(model.parameters(), lr=0.05)
    losses = [step(model, optimizer, x).item() for _ in range(3)]
    return [np.array(losses), *[p.numpy() for p in model.parameters()]]


@pytest.mark.parametrize("make", [*LOOPS.values(), *WITH_QUESTIONS.values()],
                         ids=[*LOOPS, *WITH_QUESTIONS])  # fmt: skip
def test_a_compiled_step_trains_what_a_loop_uses(make: Callable[[], nn.Module]) -> None:
    x = Tensor(batch())
    plain, found = trained(make, train, x), trained(make, compile(train), x)
    assert plain[0][2] < plain[0][0]
    for a, b in zip(found, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


NUMBERS: dict[str, Callable[[Any], Any]] = {
    "scan": lambda x: gw.scan(lambda c, _: (c * x, None), 1.0, None, STEPS)[0],
    "rows": lambda x: gw.scan(lambda c, row: (gw.sin(c * x) + row, c), x, [0.5, 2.0, 3.0])[0],
    "while": lambda x: gw.while_loop(lambda c: c < 100.0, lambda c: c * x, x),
    "nested": lambda x: gw.scan(
        lambda c, _: (gw.scan(lambda d, _: (d * x + c, None), c, None, 3)[0], None), x, None, 2
    )[0],
}


@pytest.mark.parametrize("f", NUMBERS.values(), ids=NUMBERS)
def test_the_gradient_of_a_program_with_a_loop_is_that_of_the_function(f: Any) -> None:
    program = compile(f).program(1.7)
    assert "loop" in str(program)
    slopes = program.grad(1.7)
    assert slopes(1.7) == pytest.approx(gw.grad(f)(1.7), rel=1e-13)
    assert slopes(1.5) == pytest.approx(gw.grad(f)(1.5), rel=1e-13)
    assert slopes.grad(1.7)(1.7) == pytest.approx(gw.grad(gw.grad(f))(1.7), rel=1e-12)


def test_a_loop_is_listed_by_what_it_repeats() -> None:
    line = str(compile(NUMBERS["scan"]).program(2.0))
    assert "5 of <program of 2 inputs: 1 equations>" in line
