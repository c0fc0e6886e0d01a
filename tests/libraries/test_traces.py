"""Programs that a compiler traces: no numbers leave them, and an error says where one was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor
from gradwalk.errors import OptionError

from ..helpers.libraries import Library

pytestmark = pytest.mark.peer
X = np.array([1.0, -2.0, 3.0])

QUESTIONS: dict[str, Callable[[Tensor], Any]] = {
    "if": lambda t: t * 2.0 if t.sum() > 1.0 else t,
    "while": lambda t: [t for _ in iter(lambda: bool((t > 0.0).all()), True)],
    "float": lambda t: float(t[0]),
    "int": lambda t: int(t[0]),
    "item": lambda t: t.sum().item(),
    "numpy": lambda t: t.numpy(),
    "tolist": lambda t: t.tolist(),
    "mask": lambda t: t[t > 0.0],
    "nonzero": lambda t: gw.tensor.nonzero(t),
    "range": lambda t: range(t.astype(int)[0]),
    "move": lambda t: t.to_device("numpy"),
}  # fmt: skip


def traced(library: Library, how: str, f: Callable[[Any], Any]) -> None:
    """Run a function of arrays while a compiler traces."""
    x = library.array(X)
    if library.name == "jax":
        import jax

        jax.jit(f)(x)
    else:
        from torch.fx.experimental.proxy_tensor import make_fx

        make_fx(f, tracing_mode=how)(x)


TRACES = [("jax", "jit"), ("torch", "fake"), ("torch", "real")]
WITH_ARRAYS = [TRACES[0], TRACES[2]]
"""Traces in which a program may use arrays from outside."""


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(("name", "how"), TRACES)
def test_a_question_is_an_error_that_names_the_line(name: str, how: str, question: str) -> None:
    library = Library(name)
    with pytest.raises(OptionError) as caught:
        traced(library, how, lambda x: QUESTIONS[question](Tensor(x)))
    message = str(caught.value)
    assert message.startswith(f"inside a trace of {name}: ")
    assert "test_traces.py, line " in message
    assert "gradwalk.where(condition, a, b)" in message


@pytest.mark.parametrize(("name", "how"), TRACES)
def test_a_traced_tensor_is_shown_without_its_numbers(name: str, how: str) -> None:
    shown = []

    def f(x: Any) -> Any:
        shown.append(repr(Tensor(x)))
        return x

    traced(Library(name), how, f)
    assert shown[0].startswith("Tensor(traced, shape=(")


@pytest.mark.parametrize(("name", "how"), WITH_ARRAYS)
def test_what_is_known_may_be_asked(name: str, how: str) -> None:
    """Arrays of the program's own, and what it makes of shapes, have numbers in a trace too."""
    library, seen = Library(name), []
    own = Tensor(library.array(X))

    def f(x: Any) -> Any:
        seen.append(own.tolist())
        return (Tensor(x) * gw.where(own > 0.0, 1.0, 2.0)).sum().data

    traced(library, how, f)
    assert seen == [X.tolist()]


@pytest.mark.parametrize(("name", "how"), WITH_ARRAYS)
def test_a_mask_that_is_known_is_a_key_in_a_trace(name: str, how: str) -> None:
    library = Library(name)
    mask = library.tensor(X) > 0.0
    found = []

    def f(x: Any) -> Any:
        t = Tensor(x)
        found.append([t[X > 0.0].shape, t[mask].shape])
        return x

    traced(library, how, f)
    assert found == [[(2,), (2,)]]
