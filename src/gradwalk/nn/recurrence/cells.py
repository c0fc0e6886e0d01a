"""Recurrent cells: one step of a network with a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...core.expect import describe
from ...engine.functions import relu, sigmoid, tanh
from ...errors import OptionError, SizeError
from ...levels.vmap import varies
from ...ops.array.recurrence import lstm
from ...ops.array.structure import split
from ...tensor.functions.arguments import operand
from ...tensor.graph.placed import beside, place_of
from ...tensor.graph.tensor import Tensor
from ..initial import ArraySeed, draw_parameter, float_dtype, generator_of, size
from ..linear import linear
from ..modules.module import Module

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...tensor.functions.types import ArrayLike

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "State", "draw_weights", "expect_features"]
__all__ += [
    "NONLINEARITIES",
    "expect_nonlinearity",
    "gru_step",
    "is_whole",
    "lstm_step",
    "states_of",
]


# --- one step -------------------------------------------------------------------------------------


State = tuple[Tensor, ...]


def _split(gates: Tensor, count: int) -> Any:
    """Return the ``count`` gates that lie side by side in one Tensor."""
    width = gates.shape[-1] // count
    bounds = tuple(range(0, gates.shape[-1] + 1, width))
    return split(gates, axis=gates.ndim - 1, bounds=bounds)


def lstm_step(
    inputs: Tensor, state: State, weight: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return the next state. ``inputs`` are added to the gates: input, forget, cell, output."""
    h, c = state
    i, f, g, o = _split(inputs + linear(h, weight, bias), 4)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def is_whole(x: Tensor) -> bool:
    """Return whether a library computes all steps of a long short-term memory at once."""
    place = place_of(x)
    return place is not None and place.library == "torch" and x.ndim > 1 and not varies(x)


def gru_step(inputs: Tensor, state: State, weight: Tensor, bias: Tensor | None) -> tuple[Tensor]:
    """Return the next state. ``inputs`` are added to the gates: reset, update, new."""
    (h,) = state
    n = h.shape[-1]  # both gates at once take 5 % less time
    of_x, of_h = (
        split(y, axis=y.ndim - 1, bounds=(0, 2 * n, 3 * n))
        for y in (inputs, linear(h, weight, bias))
    )
    reset, kept = _split(sigmoid(of_x[0] + of_h[0]), 2)
    new = tanh(of_x[1] + reset * of_h[1])
    return (new + kept * (h - new),)


NONLINEARITIES: dict[str, Callable[..., Any]] = {"tanh": tanh, "relu": relu}


def expect_nonlinearity(name: object, where: str) -> None:
    """Raise `OptionError` unless ``name`` is a key of `NONLINEARITIES`."""
    if not isinstance(name, str) or name not in NONLINEARITIES:
        raise OptionError(
            where=f"{where}(nonlinearity=...)",
            expected='"tanh" or "relu"',
            got=describe(name),
            fix="Leave it out for tanh.",
        )


class _Cell(Module):
    """The base of recurrent cells; weights are drawn evenly from ±1/√hidden_size."""

    gates = 1
    states = 1
    _whole: ClassVar[bool] = False  # whether there is one operation for a step

    bias_hh: Tensor | None
    bias_ih: Tensor | None
    weight_hh: Tensor
    weight_ih: Tensor

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        name = type(self).__name__
        self.input_size: int = size(input_size, f"{name}(input_size)")
        self.hidden_size: int = size(hidden_size, f"{name}(hidden_size)")
        sizes = (self.gates, self.input_size, self.hidden_size)
        self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh = draw_weights(
            *sizes, bias, name, seed, dtype
        )

    def _start(self, x: Tensor | ArrayLike, state: object) -> tuple[Tensor, State]:
        """Return what the input adds to the gates, and the state before."""
        where = type(self).__name__
        inputs = expect_features(operand(x, where), self.input_size, (1, 2), where)
        shape = (*inputs.shape[:-1], self.hidden_size)
        states = states_of(state, self.states, [shape] * self.states, inputs, where)
        bias, other = self.bias_ih, self.bias_hh
        if bias is not None and other is not None and self._whole and is_whole(inputs):
            bias = bias + other
        return linear(inputs, self.weight_ih, bias), states

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        bias = "" if self.bias_ih is not None else ", bias=False"
        return f"{self.input_size}, {self.hidden_size}{bias}"


class RNNCell(_Cell):
    """One step of a simple recurrent network.

        h ← tanh(W x + b + V h + c)

    The parameters start evenly from -r to r with r = 1 / √hidden_size.

    Parameters
    ----------
    input_size, hidden_size
        The numbers of features of x and of the state, >= 1.
    bias
        Whether the sums have biases; if not, ``bias_ih`` and ``bias_hh`` are ``None``.
    nonlinearity
        "tanh", or "relu" in its place.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``nonlinearity`` has another name, ``seed`` is no
        seed, or ``dtype`` no floating dtype.
    SizeError
        If x or h has another shape (in the call).

    Shape
    -----
    x : (batch, input_size), or without batch
    h : (batch, hidden_size), or without batch; zeros unless given
    weight_ih, weight_hh : (hidden_size, input_size) and (hidden_size, hidden_size): W and V
    bias_ih, bias_hh : (hidden_size,): b and c

    See Also
    --------
    RNN, LSTMCell, GRUCell

    Examples
    --------
    >>> import gradwalk
    >>> RNNCell(3, 5, seed=0)(gradwalk.zeros((2, 3))).shape
    (2, 5)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, seed=seed, dtype=dtype)
        expect_nonlinearity(nonlinearity, "RNNCell")
        self.nonlinearity = nonlinearity

    def forward(self, x: Tensor | ArrayLike, h: Tensor | ArrayLike | None = None) -> Tensor:
        """Return the next h."""
        inputs, (before,) = self._start(x, h)
        y: Tensor = NONLINEARITIES[self.nonlinearity](
            inputs + linear(before, self.weight_hh, self.bias_hh)
        )
        return y

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        kind = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + kind


class LSTMCell(_Cell):
    """One step of a long short-term memory.

        c ← σ(f) c + σ(i) tanh(g),  h ← σ(o) tanh(c)

    with the gates (i, f, g, o) = W x + b + V h + d. The parameters start evenly from -r to r with r
    = 1 / √hidden_size. The call takes x and, optionally, the pair (h, c), and returns the next
    pair.

    Parameters
    ----------
    input_size, hidden_size
        The numbers of features of x and of the state, >= 1.
    bias
        Whether the sums have biases; if not, ``bias_ih`` and ``bias_hh`` are ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``seed`` is no seed, or ``dtype`` no floating dtype.
    SizeError
        If x or a state has another shape (in the call).

    Shape
    -----
    x : (batch, input_size), or without batch
    h, c : (batch, hidden_size), or without batch; zeros unless given
    weight_ih, weight_hh : (4 hidden_size, input_size) and (4 hidden_size, hidden_size): W and V
    bias_ih, bias_hh : (4 hidden_size,): b and d

    See Also
    --------
    LSTM, GRUCell

    References
    ----------
    Hochreiter and Schmidhuber, Long short-term memory (1997).

    Gers, Schmidhuber and Cummins, Learning to forget: continual prediction with LSTM (2000), for
    the forget gates.

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> h, c = LSTMCell(2, 3, seed=0)(Tensor([[1.0, 2.0]]))
    >>> h.shape, c.shape
    ((1, 3), (1, 3))
    """

    gates = 4
    states = 2
    _whole: ClassVar[bool] = True

    def forward(
        self,
        x: Tensor | ArrayLike,
        state: tuple[Tensor | ArrayLike, Tensor | ArrayLike] | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Return the next (h, c)."""
        inputs, before = self._start(x, state)
        if is_whole(inputs):
            y: Any = lstm(inputs, *before, self.weight_hh, memo=[])
            return y  # type: ignore[no-any-return]
        return lstm_step(inputs, before, self.weight_hh, self.bias_hh)


class GRUCell(_Cell):
    """One step of a gated recurrent unit.

        n = tanh(xₙ + σ(r) hₙ),  h ← n + σ(z) (h - n)

    with (r, z, ·) = W x + b + V h + d, where xₙ and hₙ are the last thirds of both sums. The
    parameters start evenly from -r to r with r = 1 / √hidden_size.

    Parameters
    ----------
    input_size, hidden_size
        The numbers of features of x and of the state, >= 1.
    bias
        Whether the sums have biases; if not, ``bias_ih`` and ``bias_hh`` are ``None``.
    seed
        Draws the initial parameters: an int gives equal ones each time, a generator is drawn
        from, and ``None`` takes fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``seed`` is no seed, or ``dtype`` no floating dtype.
    SizeError
        If x or h has another shape (in the call).

    Shape
    -----
    x : (batch, input_size), or without batch
    h : (batch, hidden_size), or without batch; zeros unless given
    weight_ih, weight_hh : (3 hidden_size, input_size) and (3 hidden_size, hidden_size): W and V
    bias_ih, bias_hh : (3 hidden_size,): b and d

    See Also
    --------
    GRU, LSTMCell

    References
    ----------
    Cho and others, Learning phrase representations using RNN encoder-decoder for statistical
    machine translation (2014).

    Examples
    --------
    >>> import gradwalk
    >>> GRUCell(3, 5, seed=0)(gradwalk.zeros((2, 3))).shape
    (2, 5)
    """

    gates = 3

    def forward(self, x: Tensor | ArrayLike, h: Tensor | ArrayLike | None = None) -> Tensor:
        """Return the next h."""
        inputs, before = self._start(x, h)
        return gru_step(inputs, before, self.weight_hh, self.bias_hh)[0]


# --- shared by cells and layers -------------------------------------------------------------------


def draw_weights(
    gates: int,
    inputs: int,
    hidden: int,
    bias: bool,
    where: str,
    seed: ArraySeed,
    dtype: DTypeLike | None,
) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
    """Draw the two weights of one cell evenly from ±1/√hidden, and then its two biases."""
    rng, kind, rows = generator_of(seed), float_dtype(dtype, f"{where}(dtype)"), gates * hidden
    bound = hidden**-0.5
    weights = [draw_parameter(rng, bound, (rows, columns), kind) for columns in (inputs, hidden)]
    biases = [draw_parameter(rng, bound, (rows,), kind) if bias else None for _ in range(2)]
    return weights[0], weights[1], biases[0], biases[1]


def expect_features(x: Tensor, features: int, axes: tuple[int, int], where: str) -> Tensor:
    """Return x. Raise `SizeError` unless its last axis holds ``features`` numbers."""
    if x.ndim in axes and x.shape[-1] == features:
        return x
    raise SizeError(
        where=where,
        expected=f"{axes[0]} or {axes[1]} axes, the last of length {features}",
        got=f"shape {x.shape}",
        fix="Reshape x so that features come last.",
    )


def states_of(
    state: Any, count: int, shapes: list[tuple[int, ...]], x: Tensor, where: str
) -> State:
    """Return ``state`` as a tuple of arrays of ``shapes``, or zeros beside x if it is ``None``."""
    if state is None:
        return tuple(beside(Tensor._of(np.zeros(shape, x.dtype)), x) for shape in shapes)
    single = count == 1 or not isinstance(state, (tuple, list))
    given = (state,) if single else tuple(state)
    states = tuple(operand(s, f"{where}(state)") for s in given)
    if [s.shape for s in states] != shapes:
        raise SizeError(
            where=f"{where}(state)",
            expected=f"{'h' if count == 1 else '(h, c), each'} of shape {shapes[0]}",
            got=f"{len(states)} of shapes {[s.shape for s in states]}",
            fix="Pass the state of the call before, or nothing for zeros.",
        )
    return states
