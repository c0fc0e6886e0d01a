"""Recurrent cells: one step of a network that remembers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.expect import describe
from ..engine.functions import relu, sigmoid, tanh
from ..errors import OptionError, SizeError
from ..ops.array.structure import split
from ..tensor.functions.arguments import operand
from ..tensor.graph.tensor import Tensor
from .draws import drawn, float_dtype, generator_of, size
from .linear import linear
from .module import Module

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "draw_weights", "features", "gru_step"]
__all__ += ["lstm_step", "states_of"]


# --- one step -------------------------------------------------------------------------------------


def _parts(gates: Any, count: int) -> Any:
    """The gates, which lie side by side."""
    width = gates.shape[-1] // count
    bounds = tuple(range(0, gates.shape[-1] + 1, width))
    return split(gates, axis=gates.ndim - 1, bounds=bounds)


def lstm_step(inputs: Any, state: tuple[Any, Any], weight: Any, bias: Any) -> tuple[Any, Any]:
    """The next state, from what the input gives to the gates: input, forget, cell, output."""
    h, c = state
    i, f, g, o = _parts(inputs + linear(h, weight, bias), 4)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def gru_step(inputs: Any, state: tuple[Any], weight: Any, bias: Any) -> tuple[Any]:
    """The next state, from what the input gives to the gates: reset, update, new."""
    (h,) = state
    xr, xz, xn = _parts(inputs, 3)
    hr, hz, hn = _parts(linear(h, weight, bias), 3)
    new = tanh(xn + sigmoid(xr + hr) * hn)
    return (new + sigmoid(xz + hz) * (h - new),)


class _Cell(Module):
    """One step of a recurrent network; weights are drawn evenly from ±1/√hidden_size."""

    gates = 1
    states = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        seed: Any = None,
        dtype: Any = None,
    ) -> None:
        name = type(self).__name__
        self.input_size = size(input_size, f"{name}(input_size)")
        self.hidden_size = size(hidden_size, f"{name}(hidden_size)")
        made = draw_weights(self.gates, self.input_size, self.hidden_size, bias, name, seed, dtype)
        self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh = made

    def _start(self, x: Any, state: Any) -> tuple[Any, tuple[Any, ...]]:
        """What the input gives to the gates, and the state before."""
        where = type(self).__name__
        x = features(operand(x, where), self.input_size, (1, 2), where)
        shape = (*x.shape[:-1], self.hidden_size)
        given = states_of(state, self.states, [shape] * self.states, x.dtype, where)
        return linear(x, self.weight_ih, self.bias_ih), given

    def extra_repr(self) -> str:
        """The sizes, and the options that differ from their defaults."""
        bias = "" if self.bias_ih is not None else ", bias=False"
        return f"{self.input_size}, {self.hidden_size}{bias}"


class RNNCell(_Cell):
    """One step of a simple recurrent network.

        h ← tanh(W x + b + V h + c)

    x is (N, input_size) or (input_size,), h likewise (zeros unless given).
    ``nonlinearity`` is "tanh" or "relu".
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        seed: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, seed=seed, dtype=dtype)
        if nonlinearity not in ("tanh", "relu"):
            raise OptionError(
                where="RNNCell(nonlinearity=...)",
                expected='"tanh" or "relu"',
                got=describe(nonlinearity),
                fix="Leave it out for tanh.",
            )
        self.nonlinearity = nonlinearity

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next h."""
        inputs, (h,) = self._start(x, h)
        f = tanh if self.nonlinearity == "tanh" else relu
        return f(inputs + linear(h, self.weight_hh, self.bias_hh))

    def extra_repr(self) -> str:
        """The sizes, and the options that differ from their defaults."""
        kind = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + kind


class LSTMCell(_Cell):
    """One step of a long short-term memory.

        c ← σ(f) c + σ(i) tanh(g),  h ← σ(o) tanh(c)

    with the gates (i, f, g, o) = W x + b + V h + d. x is (N, input_size) or (input_size,), the
    state is (h, c), both (N, hidden_size), zeros unless given; so is the answer.
    Hochreiter and Schmidhuber, Long short-term memory (1997); with forget gates as by Gers,
    Schmidhuber and Cummins (2000).

    >>> from gradwalk import Tensor
    >>> h, c = LSTMCell(2, 3, seed=0)(Tensor([[1.0, 2.0]]))
    >>> h.shape, c.shape
    ((1, 3), (1, 3))
    """

    gates, states = 4, 2

    def forward(self, x: Any, state: Any = None) -> tuple[Any, Any]:
        """The next (h, c)."""
        inputs, (h, c) = self._start(x, state)
        return lstm_step(inputs, (h, c), self.weight_hh, self.bias_hh)


class GRUCell(_Cell):
    """One step of a gated recurrent unit.

        n = tanh(xₙ + σ(r) hₙ),  h ← n + σ(z) (h - n)

    with (r, z, ·) = W x + b + V h + d, where xₙ and hₙ are the last thirds of both sums. x is
    (N, input_size) or (input_size,), h is (N, hidden_size), zeros unless given.
    Cho and others, Learning phrase representations (2014).
    """

    gates = 3

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next h."""
        inputs, (h,) = self._start(x, h)
        return gru_step(inputs, (h,), self.weight_hh, self.bias_hh)[0]


# --- what cells and layers share ---------------------------------------------------------------


def draw_weights(
    gates: int, inputs: int, hidden: int, bias: bool, where: str, seed: Any, dtype: Any
) -> tuple[Any, ...]:
    """The weights of one cell, drawn evenly from ±1/√hidden, and its biases."""
    rng, kind, rows = generator_of(seed), float_dtype(dtype, f"{where}(dtype)"), gates * hidden
    shapes: list[tuple[int, ...]] = [(rows, inputs), (rows, hidden)]
    made = [drawn(rng, hidden**-0.5, shape, kind) for shape in shapes]
    biases = [drawn(rng, hidden**-0.5, (rows,), kind) if bias else None for _ in range(2)]
    return (*made, *biases)


def features(x: Any, features: int, axes: tuple[int, int], where: str) -> Any:
    """x, whose last axis holds the features."""
    if x.ndim in axes and x.shape[-1] == features:
        return x
    raise SizeError(
        where=where,
        expected=f"{axes[0]} or {axes[1]} axes, the last of length {features}",
        got=f"shape {x.shape}",
        fix="Features come last.",
    )


def states_of(
    state: Any, count: int, shapes: list[tuple[int, ...]], dtype: Any, where: str
) -> tuple[Any, ...]:
    """The state to start from: what was given, checked, or zeros."""
    if state is None:
        return tuple(Tensor._of(np.zeros(shape, dtype)) for shape in shapes)
    given = (state,) if count == 1 else tuple(state)
    found = tuple(operand(s, f"{where}(state)") for s in given)
    if [s.shape for s in found] != shapes:
        raise SizeError(
            where=f"{where}(state)",
            expected=f"{'h' if count == 1 else '(h, c), each'} of shape {shapes[0]}",
            got=f"{len(found)} of shapes {[s.shape for s in found]}",
            fix="Pass the state of the call before, or nothing for zeros.",
        )
    return found
