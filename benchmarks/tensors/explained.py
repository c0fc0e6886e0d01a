"""The seconds of `why` in graphs of 100,000 operations, wherever the cause lies."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

SIZE = 100_000
Question = Callable[[], Any]


def seconds(shape: str, rounds: int) -> dict[str, Any]:
    """Measure the question about a graph of one shape, in the fastest of some rounds.

    Where a gradient is asked about, the backward pass finds out and is part of the time. The answer
    has to name the operation.
    """
    op, make = SHAPES[shape]
    make(100)()  # imports
    times = []
    for _ in range(rounds):
        question = make(SIZE)
        start = process_time()
        cause = question()
        times.append(process_time() - start)
        if op not in str(cause):
            raise ArithmeticError(f"not the cause: {cause}")
    return {"total": min(times)}


def _why(x: Any) -> Any:
    from gradwalk.inspect import why

    return why(x)


def _after(y: Any, leaf: Any) -> Question:
    """Return the question about a leaf, whose gradient is computed first."""

    def question() -> Any:
        y.backward()
        return _why(leaf)

    return question


def _chain(y: Any, size: int) -> Any:
    for _ in range(size):
        y = y * 1.00001
    return y


def _at_the_end(size: int) -> Question:
    from gradwalk import Tensor

    y = _chain(Tensor([1.0, 2.0], requires_grad=True), size)
    with np.errstate(all="ignore"):
        loss = (y - y).log().sum()
    return lambda: _why(loss)


def _at_the_start(size: int) -> Question:
    from gradwalk import Tensor

    with np.errstate(all="ignore"):
        y = Tensor([0.0, 2.0], requires_grad=True).log()
    loss = _chain(y - y, size).sum()
    return lambda: _why(loss)


def _wide(size: int) -> Question:
    """One of seven branches has a root of 0, whose derivative is infinite."""
    from gradwalk import Tensor, stack

    w = Tensor(np.zeros(4), requires_grad=True)
    branches = [(w[i % 4] + float(i % 7)).sqrt() for i in range(size // 3)]
    loss = stack(branches).sum()
    return lambda: _why(loss)


def _zero(size: int) -> Question:
    from gradwalk import Tensor

    w = Tensor([-1.0, -2.0], requires_grad=True)
    return _after(_chain(w.relu(), size).sum(), w)


def _matrices(size: int) -> Question:
    from gradwalk import Tensor

    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    y: Any = Tensor(np.eye(4) - 0.5, requires_grad=True)
    with np.errstate(all="ignore"):
        y = y.sqrt()
        for _ in range(size):
            y = y @ turn
    loss = y.sum()
    return lambda: _why(loss)


def _values_forward(size: int) -> Question:
    from gradwalk import Value, log

    y = log(Value(0.0))
    y = _chain(y - y, size)
    return lambda: _why(y)


def _values_backward(size: int) -> Question:
    from gradwalk import Value

    w = Value(0.0)
    return _after(_chain(w.sqrt(), size), w)


SHAPES: dict[str, tuple[str, Callable[[int], Question]]] = {
    "end": ("log(", _at_the_end),
    "start": ("log(", _at_the_start),
    "wide": ("sqrt", _wide),
    "zero": ("relu", _zero),
    "matrices": ("sqrt", _matrices),
    "values": ("log(", _values_forward),
    "values-gradient": ("sqrt(", _values_backward),
}
"""For each shape what the answer has to name, and what makes a graph and returns its question."""
