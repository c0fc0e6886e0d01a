"""Training steps with loops on arrays of JAX and PyTorch train what the loops use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn, optim
from gradwalk.errors import OptionError

from ..helpers.libraries import PEER, Library
from ..helpers.steps_with_loops import LOOPS, WITH_QUESTIONS, batch, train

pytestmark = PEER

CELLS = [("jax", name) for name in LOOPS] + [("torch", "scan")]


@pytest.mark.parametrize(("name", "loop"), CELLS)
def test_a_compiled_step_trains_what_a_loop_uses(name: str, loop: str) -> None:
    library = Library(name)
    found = []
    for step, make in ((train, Tensor), (gw.compile(train), library.tensor)):
        model = LOOPS[loop]()
        if make is not Tensor:
            model.to(f"{name}:cpu")
        optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        losses = [step(model, optimizer, make(batch())).item() for _ in range(3)]
        found.append([np.array(losses), *[Tensor(p.data).numpy() for p in model.parameters()]])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
def test_a_recurrent_layer_is_one_loop_of_xla(kind: Any) -> None:
    library = Library("jax")

    def size(steps: int) -> int:
        model = kind(3, 4, seed=0).to("jax:cpu")
        f = gw.compile(gw.grad(lambda model, x: (model(x)[0] ** 2).sum()))
        return len(f.program(model, library.tensor(np.ones((steps, 2, 3)))))

    assert size(3) == size(30)


@pytest.mark.parametrize("name", ["jax", "torch"])
@pytest.mark.parametrize("make", WITH_QUESTIONS.values(), ids=WITH_QUESTIONS)
def test_the_reverse_of_a_loop_that_asks_is_refused(
    name: str, make: Callable[[], nn.Module]
) -> None:
    model = make().to(f"{name}:cpu")
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(OptionError, match=r"gradwalk\.(scan|where)"):
        gw.compile(train)(model, optimizer, Library(name).tensor(batch()))
