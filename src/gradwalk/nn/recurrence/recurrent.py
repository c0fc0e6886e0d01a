"""Recurrent layers: cells run over a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from ...errors import SizeError
from ...ops.array.indexing import index
from ...ops.array.recurrence import lstm
from ...ops.array.structure import concat, flip, permute_dims, reshape, stack, unstack
from ...tensor.functions.arguments import operand
from ...tensor.graph.placed import place_of
from ...transforms.memory.loops import scan
from ...transforms.memory.recorded_loops import is_recorded
from ..dropout import dropout as drop
from ..initial import ArraySeed, chance, generator_of, size
from ..linear import linear
from ..modules.module import Module
from .cells import (
    NONLINEARITIES,
    State,
    draw_weights,
    expect_features,
    expect_nonlinearity,
    gru_step,
    is_whole,
    lstm_step,
    states_of,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["GRU", "LSTM", "RNN"]

_KINDS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class _Recurrent(Module):
    """Layers of cells, each of which reads the outputs of the layer below."""

    gates = 1
    states = 1
    step: ClassVar[Callable[..., State]]
    bias: bool
    bidirectional: bool
    batch_first: bool

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        name = type(self).__name__
        self.input_size: int = size(input_size, f"{name}(input_size)")
        self.hidden_size: int = size(hidden_size, f"{name}(hidden_size)")
        self.num_layers: int = size(num_layers, f"{name}(num_layers)")
        self.batch_first, self.bidirectional, self.bias = batch_first, bidirectional, bias
        self.dropout: float = chance(dropout, f"{name}(dropout)")
        self._rng = rng = generator_of(seed)
        for layer, suffix in self._passes():
            below = self.hidden_size * len(self._directions()) if layer else self.input_size
            drawn = draw_weights(self.gates, below, self.hidden_size, bias, name, rng, dtype)
            for kind, parameter in zip(_KINDS, drawn, strict=True):
                setattr(self, f"{kind}_l{layer}{suffix}", parameter)

    def _directions(self) -> tuple[str, ...]:
        return ("", "_reverse") if self.bidirectional else ("",)

    def _passes(self) -> list[tuple[int, str]]:
        return [(layer, d) for layer in range(self.num_layers) for d in self._directions()]

    def _run(self, x: Any, state: Any) -> tuple[Tensor, State]:
        """Return the outputs of the last layer, and the last states of all layers."""
        where = type(self).__name__
        x = expect_features(operand(x, where), self.input_size, (2, 3), where)
        single = x.ndim == 2
        if single:
            x = reshape(x, shape=(x.shape[0], 1, x.shape[1]))
        elif self.batch_first:
            x = permute_dims(x, axes=(1, 0, 2))
        if not x.shape[0]:
            raise _no_steps(where, x.shape)
        shape = (len(self._passes()), *(() if single else x.shape[1:2]), self.hidden_size)
        given = states_of(state, self.states, [shape] * self.states, x, where)
        starts = list(zip(*(unstack(s, axis=0) for s in given), strict=True))
        ends: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                x = drop(x, self.dropout, seed=self._rng)
            x = self._layer(layer, x, starts, ends)
        last = tuple(stack(*parts, axis=0) for parts in zip(*ends, strict=True))
        if single:
            return x[:, 0], tuple(reshape(s, shape=shape) for s in last)
        return (permute_dims(x, axes=(1, 0, 2)) if self.batch_first else x), last

    def _layer(self, layer: int, x: Tensor, starts: list[State], ends: list[State]) -> Tensor:
        """Return the outputs of one layer, (L, N, H) or, both ways, (L, N, 2 H)."""
        outputs = []
        for suffix in self._directions():
            names = [f"{kind}_l{layer}{suffix}" for kind in _KINDS]
            w_x, w_h, b_x, b_h = (getattr(self, name) for name in names)
            state = tuple(_with_batch(s) for s in starts[len(ends)])
            found, last = self._steps(linear(x, w_x, b_x), state, w_h, b_h, bool(suffix))
            outputs.append(found)
            ends.append(last)
        if len(outputs) > 1:
            width = self.hidden_size
            bounds = tuple(range(0, width * len(outputs) + 1, width))
            outputs = [concat(*outputs, axis=2, bounds=bounds)]
        y: Tensor = outputs[0]
        return y

    def _steps(
        self, gates: Tensor, state: State, w: Tensor, b: Tensor | None, backwards: bool
    ) -> tuple[Tensor, State]:
        """Return the outputs of all steps, and the last state."""
        # XLA compiles 64 steps in 100 s, and a loop in 4; NumPy's programs run three times as fast
        # step by step
        if is_recorded() and place_of(gates) is not None:

            def step(state: State, row: Tensor) -> tuple[State, Tensor]:
                state = self._next(row, state, w, b)
                return state, state[0]

            last, y = scan(step, state, gates, reverse=backwards)
            return y, last
        rows, found = unstack(gates, axis=0), []
        for row in rows[::-1] if backwards else rows:
            state = self._next(row, state, w, b)
            found.append(state[0])
        return stack(*(found[::-1] if backwards else found), axis=0), state

    def _next(self, gates: Tensor, state: State, w: Tensor, b: Tensor | None) -> State:
        """Return the state after a step."""
        return type(self).step(gates, state, w, b)

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        defaults = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        defaults["bidirectional"] = False
        changed = [name for name, usual in defaults.items() if getattr(self, name) != usual]
        return text + "".join(f", {name}={getattr(self, name)}" for name in changed)


class LSTM(_Recurrent):
    """Layers of `LSTMCell`, run over a sequence.

    The call takes x and, optionally, a pair (h, c) to start from. It returns y, the h of the last
    layer at every step, and the last (h, c) of all layers. The parameters of layer 0 are
    ``weight_ih_l0``, ``weight_hh_l0``, ``bias_ih_l0`` and ``bias_hh_l0``. The names of a second
    direction end in ``_reverse``.

    Parameters
    ----------
    input_size, hidden_size
        The numbers of features of x and of the states, >= 1.
    num_layers
        How many cells are stacked, >= 1; each reads the outputs of the cell below it.
    bias
        Whether the cells have biases.
    batch_first
        Whether the batch is axis 0 of x and y, before the steps. The states are not affected.
    dropout
        The probability with which outputs between layers are set to 0 in training, from 0 to 1.
    bidirectional
        Whether a second cell reads each layer backwards; y has the outputs of both behind each
        other.
    seed
        Draws the initial parameters and the dropped numbers: an int, a generator to draw from,
        or ``None`` for fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``dropout`` no probability, ``seed`` is no seed, or
        ``dtype`` no floating dtype.
    SizeError
        If x has other axes or features or no steps, or the states have other shapes (in the
        call).

    Shape
    -----
    x : (steps, batch, input_size)
        With ``batch_first`` (batch, steps, input_size), or (steps, input_size).
    y : the shape of x with directions · hidden_size features; directions is 1 or 2
    h, c : (num_layers · directions, batch, hidden_size), or without batch; zeros unless given

    See Also
    --------
    LSTMCell, GRU, RNN

    References
    ----------
    Hochreiter and Schmidhuber, Long short-term memory (1997).

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> y, (h, c) = LSTM(2, 3, num_layers=2, seed=0)(Tensor([[[1.0, 2.0]], [[0.0, 1.0]]]))
    >>> y.shape, h.shape, c.shape
    ((2, 1, 3), (2, 1, 3), (2, 1, 3))
    """

    gates = 4
    states = 2
    step: ClassVar[Callable[..., State]] = staticmethod(lstm_step)

    def forward(
        self,
        x: Tensor | ArrayLike,
        state: tuple[Tensor | ArrayLike, Tensor | ArrayLike] | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the h of every step, and the last (h, c)."""
        y, (h, c) = self._run(x, state)
        return y, (h, c)

    def _steps(
        self, gates: Tensor, state: State, w: Tensor, b: Tensor | None, backwards: bool
    ) -> tuple[Tensor, State]:
        if not is_whole(gates):
            return super()._steps(gates, state, w, b, backwards)
        gates = gates if b is None else gates + b
        gates = flip(gates, axis=(0,)) if backwards else gates
        hs, cs = lstm(gates, *state, w, memo=[])
        return (flip(hs, axis=(0,)) if backwards else hs), (index(hs, -1), index(cs, -1))


class RNN(_Recurrent):
    """Layers of `RNNCell`, run over a sequence.

    The call takes x and, optionally, the state h to start from. It returns y, the h of the last
    layer at every step, and the last h of all layers. The parameters have the same names as in
    `LSTM`.

    Parameters
    ----------
    input_size, hidden_size
        The numbers of features of x and of the state, >= 1.
    num_layers
        How many cells are stacked, >= 1; each reads the outputs of the cell below it.
    nonlinearity
        "tanh", or "relu" in its place.
    bias
        Whether the cells have biases.
    batch_first
        Whether the batch is axis 0 of x and y, before the steps. The states are not affected.
    dropout
        The probability with which outputs between layers are set to 0 in training, from 0 to 1.
    bidirectional
        Whether a second cell reads each layer backwards; y has the outputs of both behind each
        other.
    seed
        Draws the initial parameters and the dropped numbers: an int, a generator to draw from,
        or ``None`` for fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``nonlinearity`` has another name, ``dropout`` is no
        probability, ``seed`` is no seed, or ``dtype`` no floating dtype.
    SizeError
        If x has other axes or features or no steps, or h has another shape (in the call).

    Shape
    -----
    x : (steps, batch, input_size)
        With ``batch_first`` (batch, steps, input_size), or (steps, input_size).
    y : the shape of x with directions · hidden_size features; directions is 1 or 2
    h : (num_layers · directions, batch, hidden_size), or without batch; zeros unless given

    See Also
    --------
    RNNCell, LSTM, GRU

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> y, h = RNN(2, 3, seed=0)(Tensor([[[1.0, 2.0]], [[0.0, 1.0]]]))
    >>> y.shape, h.shape
    ((2, 1, 3), (1, 1, 3))
    """

    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        seed: ArraySeed = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        expect_nonlinearity(nonlinearity, "RNN")
        options = (num_layers, bias, batch_first, dropout, bidirectional)
        super().__init__(input_size, hidden_size, *options, seed=seed, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _next(self, gates: Tensor, state: State, w: Tensor, b: Tensor | None) -> State:
        return (NONLINEARITIES[self.nonlinearity](gates + linear(state[0], w, b)),)

    def forward(
        self, x: Tensor | ArrayLike, h: Tensor | ArrayLike | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the h of every step, and the last h."""
        y, (last,) = self._run(x, h)
        return y, last

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from their defaults."""
        kind = "" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}"
        return super().extra_repr() + kind


class GRU(_Recurrent):
    """Layers of `GRUCell`, run over a sequence.

    The call takes x and, optionally, the state h to start from. It returns y, the h of the last
    layer at every step, and the last h of all layers. The parameters have the same names as in
    `LSTM`.

    Parameters
    ----------
    input_size, hidden_size
        The numbers of features of x and of the state, >= 1.
    num_layers
        How many cells are stacked, >= 1; each reads the outputs of the cell below it.
    bias
        Whether the cells have biases.
    batch_first
        Whether the batch is axis 0 of x and y, before the steps. The states are not affected.
    dropout
        The probability with which outputs between layers are set to 0 in training, from 0 to 1.
    bidirectional
        Whether a second cell reads each layer backwards; y has the outputs of both behind each
        other.
    seed
        Draws the initial parameters and the dropped numbers: an int, a generator to draw from,
        or ``None`` for fresh entropy.
    dtype
        The floating dtype of the parameters, of 64 bits at most; float64 if ``None`` (PyTorch's
        default is float32).

    Raises
    ------
    OptionError
        If a size is no positive integer, ``dropout`` no probability, ``seed`` is no seed, or
        ``dtype`` no floating dtype.
    SizeError
        If x has other axes or features or no steps, or the states have other shapes (in the
        call).

    Shape
    -----
    x : (steps, batch, input_size)
        With ``batch_first`` (batch, steps, input_size), or (steps, input_size).
    y : the shape of x with directions · hidden_size features; directions is 1 or 2
    h : (num_layers · directions, batch, hidden_size), or without batch; zeros unless given

    See Also
    --------
    GRUCell, LSTM, RNN

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> y, h = GRU(2, 3, bidirectional=True, seed=0)(Tensor([[[1.0, 2.0]], [[0.0, 1.0]]]))
    >>> y.shape, h.shape
    ((2, 1, 6), (2, 1, 3))
    """

    gates = 3
    step: ClassVar[Callable[..., State]] = staticmethod(gru_step)

    def forward(
        self, x: Tensor | ArrayLike, h: Tensor | ArrayLike | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the h of every step, and the last h."""
        y, (last,) = self._run(x, h)
        return y, last


def _no_steps(where: str, shape: tuple[int, ...]) -> SizeError:
    return SizeError(
        where=where,
        expected="a sequence of at least one step",
        got=f"(L, N, input_size) = {shape}",
        fix="Leave empty sequences out; batch_first sets which axis counts the steps.",
    )


def _with_batch(state: Tensor) -> Tensor:
    batched: Tensor = state if state.ndim == 2 else reshape(state, shape=(1, *state.shape))
    return batched
